//! The one check that cannot be wrong: a recording.

use std::sync::mpsc::channel;
use std::time::Duration;

use recorder::{
    Choices, OWN_PROGRAM, Privilege, RecordError, RecordOptions, Recorded, Target, Work,
};
use records::layout::Timers;

/// Of this program, the one that is certainly there; nothing is saved.
pub fn record_nothing(privilege: Privilege, chosen: Choices) -> Result<Recorded, RecordError> {
    let options = RecordOptions {
        target: Target::Launch {
            program: OWN_PROGRAM.into(),
            args: vec!["nothing".into()],
            cwd: None,
            env: vec![],
            terminal: None,
        },
        chosen: Choices {
            duration: Some(Duration::from_secs(5)),
            ..chosen
        },
        privilege,
        timers: Timers::Best,
        until: None,
        work: Work::Unknown,
        output: None,
        demangle: Default::default(),
        name: String::new(),
        sweep: None,
        layouts: None,
        calls: Vec::new(),
        missing_calls: recorder::MissingCalls::Refused,
        counters: Vec::new(),
        build: recorder::Build::Present,
    };
    let (_control, receiver) = channel();
    recorder::record(&options, receiver, |_| {})
}
