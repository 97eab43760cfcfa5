//! How often a comparison errs about cost that moves and about callers' totals, over simulated executions of known truth:
//! prints a JSON object a line, as `error_rates` of the crate `statistics` does. For `npm run bench -- error-rates`.

#[path = "../tests/support/mod.rs"]
mod support;

#[path = "../simulation/mod.rs"]
mod simulation;

use simulation::{NestedRates, Rate, Truth, move_rates, nested_rates};

const CASES: usize = 1000;

fn main() {
    for runs in [3, 5, 10] {
        moves(runs);
        totals(runs);
    }
}

fn moves(runs: usize) {
    let equal = move_rates(Truth::Equal, runs, 6, 0.25, (CASES, 4));
    row(
        &format!(
            "{runs} executions each, nothing changed, callees that vary by 25 %: cost called moved"
        ),
        equal.moved,
        [None, Some(0.01)],
        "",
    );
    for noise in [0.05, 0.25] {
        let slower = move_rates(Truth::Slower(80.0), runs, 6, noise, (CASES, 3));
        row(
            &format!(
                "{runs} executions each, +20 % of a function whose 6 callees vary by {:.0} %: cost called moved",
                100.0 * noise
            ),
            slower.moved,
            [None, Some(0.04)],
            &format!("called slower {}", percent(slower.slower.share())),
        );
    }
    let moved = move_rates(Truth::Moved(200.0), runs, 6, 0.05, (CASES, 5));
    let noisy = move_rates(Truth::Moved(200.0), runs, 6, 0.25, (CASES, 6));
    row(
        &format!(
            "{runs} executions each, 200 of 300 samples went from a callee into its caller: called moved"
        ),
        moved.moved,
        [Some(0.8), None],
        &format!("callees that vary by 25 % {}", percent(noisy.moved.share())),
    );
}

fn totals(runs: usize) {
    let cases = (CASES, 6);
    let equal = nested_rates((0.15, -0.15), runs, (80.0, 0.1), cases);
    row(
        &format!(
            "{runs} executions each, +15 % of one function and −15 % of another, overall noise: main called slower or faster"
        ),
        equal.contradicts,
        [None, Some(0.01)],
        &beside(&equal),
    );
    let grown = nested_rates((0.5, 0.0), runs, (1400.0, 0.5), cases);
    row(
        &format!(
            "{runs} executions each, +50 % of a function below main, overall noise because of a thread that varies by 50 %: main called slower or faster"
        ),
        grown.contradicts,
        [None, Some(0.05)],
        &beside(&grown),
    );
}

fn beside(rates: &NestedRates) -> String {
    let [by_q, within] = [rates.told_by_q, rates.moved_within].map(|rate| percent(rate.share()));
    let misnamed = match rates.misnamed.of {
        0 => String::new(),
        _ => format!(
            ", {} of which name another function",
            percent(rates.misnamed.share())
        ),
    };
    format!("by q alone {by_q}; moved within {within}{misnamed}")
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn row(what: &str, rate: Rate, [least, most]: [Option<f64>; 2], beside: &str) {
    let bound = |value: Option<f64>| value.map_or("null".to_owned(), |value| value.to_string());
    let beside = match beside {
        "" => format!("{} cases", rate.of),
        beside => format!("{} cases; {beside}", rate.of),
    };
    println!(
        r#"{{"what":"{what}","share":{:.4},"least":{},"most":{},"beside":"{beside}"}}"#,
        rate.share(),
        bound(least),
        bound(most)
    );
}
