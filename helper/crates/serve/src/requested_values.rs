//! How a request says a number or a time: 0 is what is usual, or none.

use std::time::Duration;

use super::failure::{Failure, FailureKind};

#[derive(Clone, Copy)]
pub struct Counted {
    pub usual: u32,
    pub min: u32,
    pub max: u32,
    /// What cannot be done, with `{}` for the number.
    pub refusal: &'static str,
}

pub fn count(asked: u32, counted: Counted) -> Result<u32, Failure> {
    let Counted {
        usual, min, max, ..
    } = counted;
    let refusal = || counted.refusal.replace("{}", &asked.to_string());
    match asked {
        0 => Ok(usual),
        asked if asked > max => Err(Failure::new(
            FailureKind::TooLarge,
            format!("{}; the maximum is {max}.", refusal()),
        )),
        asked if asked < min => Err(Failure::protocol(format!(
            "{}; the minimum is {min}.",
            refusal()
        ))),
        asked => Ok(asked),
    }
}

pub fn seconds(asked: f64) -> Result<Option<Duration>, Failure> {
    let duration = Duration::try_from_secs_f64(asked)
        .map_err(|_| Failure::protocol(format!("{asked} is not a duration in seconds.")))?;
    Ok((!duration.is_zero()).then_some(duration))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUNDS: Counted = Counted {
        usual: 7,
        min: 2,
        max: 9,
        refusal: "Cannot run {} rounds",
    };

    #[test]
    fn zero_is_what_is_usual_and_the_bounds_are_kept() {
        for (asked, taken) in [(0, 7), (2, 2), (9, 9)] {
            assert_eq!(count(asked, ROUNDS), Ok(taken));
        }
        let refused = count(10, ROUNDS).unwrap_err();
        assert_eq!(refused.kind, FailureKind::TooLarge);
        assert_eq!(refused.message, "Cannot run 10 rounds; the maximum is 9.");
        let refused = count(1, ROUNDS).unwrap_err();
        assert_eq!(refused.message, "Cannot run 1 rounds; the minimum is 2.");
    }

    #[test]
    fn no_time_is_none_and_what_is_no_time_is_refused() {
        assert_eq!(seconds(0.0), Ok(None));
        assert_eq!(seconds(2.5), Ok(Some(Duration::from_millis(2500))));
        for asked in [-1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(seconds(asked).unwrap_err().kind, FailureKind::Protocol);
        }
    }
}
