//! What the tests of this crate share.

/// Fails unless the values agree to a relative `tolerance`.
#[track_caller]
pub fn assert_close(value: f64, wanted: f64, tolerance: f64) {
    assert!(
        (value - wanted).abs() <= tolerance * wanted.abs(),
        "{value} is not {wanted}"
    );
}
