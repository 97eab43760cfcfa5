//! Processes of the engine's own program, for what may hang or die alone.

use std::process::Command;

/// This very program, even when its file was replaced meanwhile; for another user, too, who may not enter its folder.
pub const OWN_PROGRAM: &str = "/proc/self/exe";

/// This very program as `lineheat NAME`.
pub fn own_program(name: &str) -> Command {
    let mut command = Command::new(OWN_PROGRAM);
    command.arg(name);
    command
}
