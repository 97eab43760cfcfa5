//! Launch.
