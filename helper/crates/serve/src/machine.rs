//! What `lineheat doctor` finds, for the editor.

use doctor::{self, State};
use wire::{Check, DoctorReport, check};

pub fn report() -> DoctorReport {
    let checks = doctor::checks();
    DoctorReport {
        can_record: doctor::can_record(&checks),
        checks: checks
            .into_iter()
            .map(|found| Check {
                id: found.id.to_owned(),
                title: found.title.to_owned(),
                state: match found.state {
                    State::Ok => check::State::Ok,
                    State::Warning => check::State::Warning,
                    State::Missing => check::State::Missing,
                }
                .into(),
                detail: found.detail,
                command: found.command,
            })
            .collect(),
    }
}
