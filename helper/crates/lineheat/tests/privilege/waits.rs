//! Waits of a program that may not be inspected any more.

use profile::Profile;

use crate::installed::{Installed, told};

/// In ms, of all sleeps.
fn slept_ms(profile: &Profile) -> f64 {
    let wait = profile.find_sample_type("wait", "nanoseconds");
    let wait = wait.expect("waiting time is recorded");
    let of_sleep = |sample: usize| {
        let mut labels = profile.samples.labels_of(sample).iter();
        labels.any(|label| profile.text(label.key) == "wait" && profile.text(label.text) == "sleep")
    };
    let ns = (0..profile.samples.len())
        .filter(|sample| of_sleep(*sample))
        .map(|sample| profile.value(sample, wait));
    ns.sum::<u64>() as f64 / 1e6
}

#[test]
fn what_a_program_waits_when_it_may_not_be_inspected_is_nobodys_to_see() {
    let Some(installed) = Installed::new() else {
        return;
    };
    let program = installed.program("mapper");
    let setuid = installed.setuid_program("mapper");
    let [program, setuid] = [&program, &setuid].map(|path| path.to_str().unwrap());
    let pauses = |count: usize| ["pause", "50"].repeat(count);
    let before = [vec!["--", program], pauses(4)].concat();
    let hides = [before.clone(), vec!["hide"], pauses(8)].concat();
    let becomes_setuid = [before.clone(), vec!["exec", setuid], pauses(8)].concat();
    for (args, least_ms, has_unknown) in [
        (before, 200.0, false),
        (hides, 150.0, true),
        (becomes_setuid, 150.0, true),
    ] {
        let (profile, output) = installed.record(&args);
        let profile = profile.unwrap_or_else(|| panic!("{}", told(&output)));
        let ms = slept_ms(&profile);
        assert!((least_ms..245.0).contains(&ms), "{ms} ms of {args:?}");
        // How long the last pause before was is only known when it may not be known any more.
        let problems = profile.run.as_ref().unwrap().problems.join("\n");
        let told_unknown = problems.contains("no known length");
        assert!(told_unknown == has_unknown || ms >= 200.0, "{problems}");
    }
}
