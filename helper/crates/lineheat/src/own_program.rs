//! Processes of the engine's own program, for what may hang or die alone.

use std::process::Command;

/// This very program as `lineheat NAME`, even when its file was replaced meanwhile.
pub fn own_program(name: &str) -> Command {
    let mut command = Command::new("/proc/self/exe");
    command.arg(name);
    command
}
