//! Files of other tools, as they wrote them and damaged.
//! One program: to link one for each file takes longer than to run it.

mod support;

mod austin_mojo;
mod cpuprofile;
mod firefox;
mod folded;
mod gperf;
mod not_read;
mod perf_script;
mod speedscope;
mod valgrind;
mod valgrind_refusals;
