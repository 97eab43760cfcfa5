//! How often each word occurs, without regard to case. Words are ASCII.

use rayon::prelude::*;
use std::collections::HashMap;

pub type Counts = HashMap<String, u64>;

/// Counts every document with `count_words` on all cores and adds the results. No piece of work has more than `piece`
/// documents; each starts with a map of its own.
pub fn in_parallel(
    documents: &[String],
    piece: usize,
    count_words: fn(&str, &mut Counts),
) -> Counts {
    documents
        .par_iter()
        .with_max_len(piece)
        .fold(Counts::new, |mut counts, text| {
            count_words(text, &mut counts);
            counts
        })
        .reduce(Counts::new, merge)
}

/// A new `String` for every word, to be looked up and mostly thrown away.
pub fn with_owned_keys(text: &str, counts: &mut Counts) {
    for word in text.split_whitespace() {
        *counts.entry(word.to_ascii_lowercase()).or_insert(0) += 1;
    }
}

/// One buffer for all words, and a new `String` only for a word that was never seen.
pub fn with_borrowed_keys(text: &str, counts: &mut Counts) {
    let mut lower = String::new();
    for word in text.split_whitespace() {
        lower.clear();
        lower.push_str(word);
        lower.make_ascii_lowercase();
        match counts.get_mut(&lower) {
            Some(count) => *count += 1,
            None => {
                counts.insert(lower.clone(), 1);
            }
        }
    }
}

fn merge(mut into: Counts, from: Counts) -> Counts {
    for (word, count) in from {
        *into.entry(word).or_insert(0) += count;
    }
    into
}
