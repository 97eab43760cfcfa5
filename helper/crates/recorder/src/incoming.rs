//! What the threads of a recording send to the one that counts.

use records::FromSampler;

use super::events::Control;
use super::follow::Ended;
use super::unprivileged::Copies;

pub enum Incoming {
    Sampler(Vec<FromSampler>),
    /// Of our own sampler.
    Copies(Vec<Copies>),
    SamplerGone(Option<String>),
    TargetExited(Ended),
    Output(Vec<u8>),
    Control(Control),
    /// The command may run.
    YourTurn,
    /// No command that runs in turns with ours will run any more.
    AllHaveRun,
}
