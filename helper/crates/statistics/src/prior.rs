//! The common variance of all features, and how many degrees of freedom it is worth (Smyth 2004, section 6.2).
