//! Files that are written, read, refused and recovered.
//! One program: to link one for each file takes longer than to run it.

mod support;

mod recovery;
mod refusals;
mod round_trip;
