//! Profiles and descriptions of runs with mutated bytes: refused, or shown in every view.

#[path = "../../../fuzz/entries/run_info.rs"]
mod run_info;
#[path = "../../../fuzz/entries/short_run.rs"]
mod short_run;

use crate::support::Chance;
use crate::support::damage::valid_run;
use run_info::pprof;
use short_run::short_run;

#[test]
fn any_profile_is_shown_or_refused() {
    let seeds: Vec<Vec<u8>> = (1..6).map(|seed| valid_run(&mut Chance(seed))).collect();
    short_run(&seeds, 5_000, pprof::read);
}

#[test]
fn any_description_of_a_run_is_shown_or_refused() {
    short_run(&run_info::seeds(), 20_000, run_info::read);
}
