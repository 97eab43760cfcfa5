//! Numbers as text: shares, values with their unit, counts, dates.

use analysis::FEW_SAMPLES;
use jiff::Timestamp;
pub use runs::count;
use runs::{scaled, time};

use crate::terminal::Style;

/// "12.4 %"; with the mark "?" when it rests on fewer than ten samples; "" for nothing. `samples`: `None` is unknown.
pub fn share(part: u64, all: u64, samples: Option<u64>) -> String {
    if part == 0 && samples.unwrap_or(0) == 0 || all == 0 {
        return String::new();
    }
    let mark = if are_few(samples) { "?" } else { " " };
    format!("{:.1} %{mark}", 100.0 * part as f64 / all as f64)
}

fn are_few(samples: Option<u64>) -> bool {
    samples.is_some_and(|samples| samples < FEW_SAMPLES)
}

/// 1234567 as "1,234,567"; "" where it is unknown.
pub fn known_count(number: Option<u64>) -> String {
    number.map_or(String::new(), count)
}

/// Three digits and a unit: "3.20 s", "345 ms", "1.25 MiB", "12,345 count".
pub fn value(value: u64, unit: &str) -> String {
    match unit {
        "nanoseconds" => time(value),
        "microseconds" => scaled(value, 1000.0, &["us", "ms", "s"]),
        "milliseconds" => scaled(value, 1000.0, &["ms", "s"]),
        "bytes" => scaled(value, 1024.0, &["B", "KiB", "MiB", "GiB", "TiB"]),
        "" | "count" => count(value),
        unit => format!("{} {}", count(value), crate::terminal_text::visible(unit)),
    }
}

/// Three digits of a time in ns that may be a fraction of one: "1.20 s", "0.123 ns". "" when it is not known.
pub fn duration(ns: f64) -> String {
    match ns {
        ns if !ns.is_finite() => String::new(),
        0.0 => "0 ns".to_owned(),
        ns if ns >= 999.5 => value(ns.round() as u64, "nanoseconds"),
        ns => {
            let digits = match ns {
                n if n < 0.9995 => 3,
                n if n < 9.995 => 2,
                n if n < 99.95 => 1,
                _ => 0,
            };
            format!("{ns:.digits$} ns")
        }
    }
}

/// With its sign: "+1.20 s".
pub fn difference(base: u64, new: u64, unit: &str) -> String {
    let sign = match new.cmp(&base) {
        std::cmp::Ordering::Greater => "+",
        std::cmp::Ordering::Less => "-",
        std::cmp::Ordering::Equal => "",
    };
    format!("{sign}{}", value(new.abs_diff(base), unit))
}

/// "2026-11-21 14:05:12 UTC"; "" for 0.
pub fn date(unix_ns: i64) -> String {
    if unix_ns <= 0 {
        return String::new();
    }
    let time = Timestamp::from_nanosecond(i128::from(unix_ns)).unwrap_or_default();
    time.strftime("%F %T UTC").to_string()
}

/// Few samples are never coloured.
pub fn heat_style(part: u64, all: u64, samples: Option<u64>) -> Style {
    let share = part as f64 / all.max(1) as f64;
    match share {
        _ if are_few(samples) => Style::Faint,
        s if s >= 0.10 => Style::Hot,
        s if s >= 0.02 => Style::Warm,
        s if s >= 0.005 => Style::Mild,
        _ => Style::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_and_a_unit() {
        let cases = [
            (0, "nanoseconds", "0 ns"),
            (999, "nanoseconds", "999 ns"),
            (1_000, "nanoseconds", "1.00 us"),
            (12_345_678, "nanoseconds", "12.3 ms"),
            (999_600_000, "nanoseconds", "1.00 s"),
            (123_400_000_000, "nanoseconds", "123 s"),
            (1536, "bytes", "1.50 KiB"),
            (1_234_567, "count", "1,234,567"),
            (12, "gizmos", "12 gizmos"),
        ];
        for (number, unit, wanted) in cases {
            assert_eq!(value(number, unit), wanted);
        }
        assert_eq!(difference(3_000_000, 1_000_000, "nanoseconds"), "-2.00 ms");
    }

    #[test]
    fn times_below_a_nanosecond_are_told() {
        let told = [1_234_567.0, 999.6, 12.34, 0.1234, f64::NAN].map(duration);
        assert_eq!(told, ["1.23 ms", "1.00 us", "12.3 ns", "0.123 ns", ""]);
    }

    #[test]
    fn a_share_of_few_samples_is_marked() {
        assert_eq!(share(124, 1000, Some(124)), "12.4 % ");
        assert_eq!(share(9, 1000, Some(9)), "0.9 %?");
        assert_eq!(share(9, 1000, None), "0.9 % ");
        assert_eq!(share(0, 1000, Some(0)), "");
        assert_eq!(share(0, 1000, None), "");
        assert_eq!(share(0, 0, Some(3)), "");
    }

    #[test]
    fn dates_are_utc() {
        assert_eq!(date(1_709_210_096_000_000_000), "2024-02-29 12:34:56 UTC");
        assert_eq!(date(1_795_269_600_000_000_000), "2026-11-21 14:00:00 UTC");
        assert_eq!(date(0), "");
    }
}
