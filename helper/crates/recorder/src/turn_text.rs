//! What is said after each turn of two commands that are compared until the difference is known.

use statistics::{Decision, SoFar};

/// Of the picture, on both sides of "no change". The line fits into 80 columns.
const HALF_WIDTH: usize = 9;
/// The picture reaches so many times as far as the change that is to be told.
const REACH: f64 = 4.0;

/// One line.
pub fn turn_so_far(so_far: &SoFar) -> String {
    let interval = so_far.effect.change;
    let figures = format!(
        "{} {} turns: {} % ({} to {})",
        picture(so_far),
        so_far.turns,
        signed(interval.value),
        signed(interval.low),
        signed(interval.high)
    );
    let wanted = 100.0 * so_far.until.change;
    match so_far.decision {
        Decision::GoOn => format!("{figures}, about {} more", so_far.missing),
        Decision::Told => format!("{figures}. The difference is known."),
        Decision::Precise => format!("{figures}. A change of {wanted} % would have shown."),
        Decision::Limit => format!(
            "{figures}. That was the last turn allowed; only changes of {:.1} % or more would have shown.",
            100.0 * so_far.effect.smallest_detectable
        ),
    }
}

/// The interval and its middle on a line whose middle is "no change".
fn picture(so_far: &SoFar) -> String {
    let reach = REACH * so_far.until.change;
    let place = |change: f64| {
        let part = (change / reach).clamp(-1.0, 1.0);
        (HALF_WIDTH as f64 * (1.0 + part)).round() as usize
    };
    let interval = so_far.effect.change;
    let (low, high) = (place(interval.low), place(interval.high));
    let mut line: Vec<char> = (0..=2 * HALF_WIDTH)
        .map(|at| match at {
            at if at == low && interval.low >= -reach => '├',
            at if at == high && interval.high <= reach => '┤',
            at if (low..=high).contains(&at) => '─',
            HALF_WIDTH => '│',
            _ => '·',
        })
        .collect();
    line[place(interval.value)] = '●';
    line.into_iter().collect()
}

fn signed(ratio: f64) -> String {
    let percent = 100.0 * ratio;
    if percent.abs() < 0.05 {
        return "0.0".to_owned();
    }
    format!("{percent:+.1}").replace('-', "−")
}

#[cfg(test)]
mod tests {
    use statistics::{Until, until};

    use super::*;

    fn after(turns: usize, change: f64, spread: f64) -> SoFar {
        let noise = |turn: usize| {
            if turn.is_multiple_of(2) {
                spread
            } else {
                -spread
            }
        };
        let costs: Vec<(f64, f64)> = (0..turns)
            .map(|turn| (1.0, (change + noise(turn)).exp()))
            .collect();
        let wanted = Until {
            change: 0.02,
            turns_max: 12,
        };
        until(&costs, wanted).unwrap().unwrap()
    }

    #[test]
    fn the_line_shows_the_interval_and_what_is_missing() {
        assert_eq!(
            turn_so_far(&after(6, 0.0, 0.02)),
            "······├──●──┤······ 6 turns: 0.0 % (−2.3 to +2.3), about 6 more"
        );
        assert_eq!(
            turn_so_far(&after(6, 0.0, 0.2)).split(' ').next().unwrap(),
            "─────────●─────────"
        );
        let told = turn_so_far(&after(5, 0.05, 0.004));
        assert!(told.ends_with("The difference is known."), "{told}");
        assert!(told.starts_with("·········│"), "{told}");
        let limit = turn_so_far(&after(12, 0.0, 0.1));
        assert!(limit.contains("the last turn allowed"), "{limit}");
    }
}
