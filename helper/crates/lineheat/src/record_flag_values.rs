//! How the values of recording flags are read.

use std::time::Duration;

#[derive(clap::ValueEnum, Clone, Copy)]
pub enum TimersOf {
    Cpu,
    Thread,
}

pub fn units(text: &str) -> Result<f64, String> {
    let units = text.parse().ok();
    units
        .filter(|n: &f64| n.is_finite() && *n > 0.0)
        .ok_or_else(|| "expected a number above 0, such as 200000".to_owned())
}

pub fn seconds(text: &str) -> Result<Duration, String> {
    let wanted = "expected a number of seconds above 0, such as 10 or 2.5";
    let value: f64 = text.parse().map_err(|_| wanted.to_owned())?;
    if !(value > 0.0 && value < 1e7) {
        return Err(wanted.to_owned());
    }
    Ok(Duration::from_secs_f64(value))
}
