//! 40,000 boxes are kept, a vector grows to 1,000,000 numbers and is freed.

use std::hint::black_box;

#[inline(never)]
fn keep(kept: &mut Vec<Box<[u64; 10]>>) {
    kept.push(black_box(Box::new([7; 10]))); // the box
}

#[inline(never)]
fn grow() -> u64 {
    let mut numbers = Vec::new();
    for i in 0..1_000_000 {
        numbers.push(black_box(i)); // the number
    }
    numbers.iter().sum()
}

fn main() {
    let mut kept = Vec::with_capacity(40_000);
    for _ in 0..40_000 {
        keep(&mut kept);
    }
    println!("{}", grow());
    std::mem::forget(kept);
}
