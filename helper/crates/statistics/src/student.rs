//! Student's t, whose degrees of freedom may be a fraction, or infinite (the normal distribution).
