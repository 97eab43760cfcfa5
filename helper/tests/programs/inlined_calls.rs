// A function that is inlined at each of its calls. The program knows how many there are.
use std::hint::black_box;

#[inline(always)]
fn mix(x: u64, y: u64) -> u64 {
    let both = x.rotate_left(5) ^ y;
    match both & 1 {
        0 => both.wrapping_mul(31),
        _ => both.wrapping_add(black_box(7)),
    }
}

#[inline(never)]
fn once(n: u64) -> u64 {
    (0..n).fold(1, mix)
}

#[inline(never)]
fn twice(n: u64) -> u64 {
    let mut sum = 1;
    for at in 0..n {
        sum = mix(sum, at);
        sum ^= mix(at, sum + 1);
    }
    sum
}

#[inline(never)]
fn of_all(values: &[u64]) -> u64 {
    values.iter().map(|value| mix(*value, 3)).filter(|value| value % 3 == 0).sum()
}

fn main() {
    let n: u64 = 10_000;
    let values: Vec<u64> = (0..n).collect();
    black_box(once(n) ^ twice(n) ^ of_all(&values));
    println!("{}", n + 2 * n + n);
}
