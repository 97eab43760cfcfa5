//! Why the sampler could not do what it was asked for.

use crate::bytes::{Body, Fields};

/// What the sampler was doing when it had to give up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SamplerStep {
    Protocol,
    LoadBpf,
    OpenSampleEvent,
    OpenMapEvent,
    MapRing,
    AttachBpf,
    Write,
    /// The kernel says that the user may not look into process `pid`.
    NotAllowed,
    /// The user has as many recordings as one may have.
    TooManyRecordings,
    GiveUpRights,
    /// Of a thread, to see it lose its CPU.
    OpenSwitchEvent,
    /// The file that came is not the user's own, nor the one beside the sampler, or it is no regular file open for reading.
    ProbeFile,
    /// At the functions of the preloaded library.
    AttachProbes,
    /// The file whose calls are to be counted is no regular file open for reading.
    CallFile,
    /// Where calls are counted.
    AttachCallProbes,
    /// Of a thread, to see its page faults.
    OpenFaultEvent,
    /// To all system calls of the machine.
    AttachSyscalls,
    /// The file of a program that reports its allocations is no regular file open for reading.
    ReportFile,
    /// Where a program reports its allocations.
    AttachReportProbes,
    /// To all wake-ups of the machine.
    AttachWakers,
}

impl SamplerStep {
    const ALL: [SamplerStep; 20] = [
        SamplerStep::Protocol,
        SamplerStep::LoadBpf,
        SamplerStep::OpenSampleEvent,
        SamplerStep::OpenMapEvent,
        SamplerStep::MapRing,
        SamplerStep::AttachBpf,
        SamplerStep::Write,
        SamplerStep::NotAllowed,
        SamplerStep::TooManyRecordings,
        SamplerStep::GiveUpRights,
        SamplerStep::OpenSwitchEvent,
        SamplerStep::ProbeFile,
        SamplerStep::AttachProbes,
        SamplerStep::CallFile,
        SamplerStep::AttachCallProbes,
        SamplerStep::OpenFaultEvent,
        SamplerStep::AttachSyscalls,
        SamplerStep::ReportFile,
        SamplerStep::AttachReportProbes,
        SamplerStep::AttachWakers,
    ];
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SamplerError {
    pub step: SamplerStep,
    /// 0 when the step failed for another reason.
    pub errno: i32,
    /// The process that it is about; 0: none.
    pub pid: u32,
}

impl SamplerError {
    pub(crate) fn write(self, b: Body) -> Body {
        b.u32(self.step as u32).u32(self.errno as u32).u32(self.pid)
    }

    pub(crate) fn parse(f: &mut Fields<'_>) -> Option<SamplerError> {
        Some(SamplerError {
            step: *SamplerStep::ALL.get(f.u32()? as usize)?,
            errno: f.u32()? as i32,
            pid: f.u32()?,
        })
    }
}
