//! Amounts as text: counts, and three digits with a unit.

/// 1234567 as "1,234,567".
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// "3.20 s", "345 ms".
pub fn time(ns: u64) -> String {
    scaled(ns, 1000.0, &["ns", "us", "ms", "s"])
}

/// Three digits in the largest of these units that leaves at least 1; each is `step` times the one before.
pub fn scaled(value: u64, step: f64, units: &[&str]) -> String {
    let (mut number, mut unit) = (value as f64, 0);
    // 999.5 would be written as 1000.
    while unit + 1 < units.len() && number >= step - 0.5 {
        number /= step;
        unit += 1;
    }
    let digits = match number {
        _ if unit == 0 => 0,
        n if n < 9.995 => 2,
        n if n < 99.95 => 1,
        _ => 0,
    };
    format!("{number:.digits$} {}", units[unit])
}
