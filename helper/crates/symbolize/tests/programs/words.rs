// Generic, closure and inlined code as rustc makes them.
use std::collections::BTreeMap;

#[inline(always)]
fn weight(word: &str) -> usize {
    word.bytes().map(usize::from).sum::<usize>() % 97
}

#[inline(never)]
fn count<T: AsRef<str>>(words: &[T]) -> BTreeMap<usize, usize> {
    let mut counts = BTreeMap::new();
    words.iter().for_each(|word| {
        *counts.entry(weight(word.as_ref())).or_insert(0) += 1;
    });
    counts
}

fn main() {
    let words: Vec<String> = (0..500).map(|at| format!("word{}", at * 31)).collect();
    println!("{}", count(&words).len());
}
