//! Derivatives of the logarithm of the gamma function that the library does not have.
