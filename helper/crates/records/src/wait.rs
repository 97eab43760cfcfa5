//! How a wait ended: the second of the two records that a wait has.

use crate::bytes::{Body, Fields};

/// The end of a wait that a sample of kind `Wait` began, at the same time and by the same thread; or of several brief waits of a
/// thread, which have no sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitEnd {
    /// CLOCK_MONOTONIC.
    pub began_ns: u64,
    pub pid: u32,
    pub tid: u32,
    /// At the end.
    pub comm: [u8; 16],
    /// How many there were, at least 1.
    pub waits: u32,
    /// From the beginning of the first to the end of the last.
    pub span_ns: u64,
    /// How long the thread was off the CPU.
    pub waited_ns: u64,
    /// Of that: it could have run, and waited for a CPU.
    pub queued_ns: u64,
    pub cause: WaitCause,
    /// A sample was sent when it began.
    pub has_stack: bool,
    /// Where it was, if no sample was sent because there were too many: on the stack of the last sample with this place. 0: not
    /// known.
    pub place: u64,
    pub holder: Option<LockHolder>,
    pub woken: Option<Woken>,
}

/// The thread that held the lock when a wait for it began, by the lock's own word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LockHolder {
    /// Of the same process; not 0.
    pub tid: u32,
    /// It was off the CPU: in the wait that began at this time, if its stack was sent, else at this place. 0: it was not, or its place is
    /// not known.
    pub waits_at: u64,
}

/// Who ended a wait, as far as the end itself says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Woken {
    pub by: WokenBy,
    /// The thread; 0: none, or one that may not be known.
    pub tid: u32,
    /// Time of the sample of kind `WakeUp` with this thread's number as its id, which says more. 0: none was sent.
    pub sample_ns: u64,
}

/// What ends waits (`enum woken_by`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WokenBy {
    /// One that is followed.
    Thread = 1,
    /// The end of such a thread.
    Exit,
    /// A process that is not followed.
    Process,
    /// A thread of the kernel.
    Kernel,
    /// Of which nothing more is known.
    Interrupt,
    Timer,
    Disk,
    Network,
}

impl WokenBy {
    pub const ALL: [WokenBy; 8] = [
        WokenBy::Thread,
        WokenBy::Exit,
        WokenBy::Process,
        WokenBy::Kernel,
        WokenBy::Interrupt,
        WokenBy::Timer,
        WokenBy::Disk,
        WokenBy::Network,
    ];

    pub fn from_code(code: u8) -> Option<WokenBy> {
        Self::ALL.iter().copied().find(|by| *by as u8 == code)
    }

    /// The word used in run files.
    pub fn name(self) -> &'static str {
        match self {
            WokenBy::Thread => "thread",
            WokenBy::Exit => "exit",
            WokenBy::Process => "process",
            WokenBy::Kernel => "kernel",
            WokenBy::Interrupt => "interrupt",
            WokenBy::Timer => "timer",
            WokenBy::Disk => "disk",
            WokenBy::Network => "network",
        }
    }
}

/// What the kernel knew when the thread lost its CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WaitCause {
    /// The system call that waited, by its number on this machine. None: the thread was not in any.
    pub syscall: Option<u32>,
    /// It could have run all the time: the CPU was taken from it.
    pub was_preempted: bool,
    pub waits_for_disk: bool,
    /// In futex(2): the word behind the one that is waited for is a thread of the process, as in a mutex of glibc.
    pub waits_for_owner: bool,
}

impl LockHolder {
    /// None: no thread has the number 0.
    pub fn of(tid: u32, waits_at: u64) -> Option<LockHolder> {
        (tid != 0).then_some(LockHolder { tid, waits_at })
    }
}

impl Woken {
    /// Some(None): nobody was seen to do it. None: there is no such code.
    pub fn of(by: u8, tid: u32, sample_ns: u64) -> Option<Option<Woken>> {
        if by == 0 {
            return Some(None);
        }
        let by = WokenBy::from_code(by)?;
        Some(Some(Woken { by, tid, sample_ns }))
    }
}

impl WaitEnd {
    pub(crate) fn put(&self, body: Body) -> Body {
        let cause = self.cause;
        let syscall = cause.syscall.map_or(-1, |number| number as i32);
        body.u64(self.began_ns)
            .u32(self.pid)
            .u32(self.tid)
            .bytes(&self.comm)
            .u32(self.waits)
            .u64(self.span_ns)
            .u64(self.waited_ns)
            .u64(self.queued_ns)
            .u32(syscall as u32)
            .u8(cause.was_preempted.into())
            .u8(cause.waits_for_disk.into())
            .u8(cause.waits_for_owner.into())
            .u8(self.has_stack.into())
            .u64(self.place)
            .u32(self.holder.map_or(0, |holder| holder.tid))
            .u64(self.holder.map_or(0, |holder| holder.waits_at))
            .u8(self.woken.map_or(0, |woken| woken.by as u8))
            .u32(self.woken.map_or(0, |woken| woken.tid))
            .u64(self.woken.map_or(0, |woken| woken.sample_ns))
    }

    pub(crate) fn parse(f: &mut Fields<'_>) -> Option<WaitEnd> {
        Some(WaitEnd {
            began_ns: f.u64()?,
            pid: f.u32()?,
            tid: f.u32()?,
            comm: f.bytes(16)?.try_into().ok()?,
            waits: f.u32()?,
            span_ns: f.u64()?,
            waited_ns: f.u64()?,
            queued_ns: f.u64()?,
            cause: WaitCause {
                syscall: u32::try_from(f.u32()? as i32).ok(),
                was_preempted: f.u8()? != 0,
                waits_for_disk: f.u8()? != 0,
                waits_for_owner: f.u8()? != 0,
            },
            has_stack: f.u8()? != 0,
            place: f.u64()?,
            holder: LockHolder::of(f.u32()?, f.u64()?),
            woken: Woken::of(f.u8()?, f.u32()?, f.u64()?)?,
        })
    }
}
