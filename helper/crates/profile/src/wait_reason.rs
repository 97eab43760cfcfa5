//! Why a thread was off the CPU, as runs say it: the label `wait` of a sample.

/// The key of the label.
pub const WAIT: &str = "wait";

/// By number in journals; 0 stands for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum WaitReason {
    /// It could have run, and waited for a CPU.
    RunQueue = 1,
    Lock,
    /// A condition variable, or another use of futex(2).
    Condition,
    Disk,
    Network,
    Pipe,
    Tty,
    Sleep,
    /// For one of several things.
    Poll,
    PageFault,
    Child,
    Other,
}

impl WaitReason {
    pub const ALL: [WaitReason; 12] = [
        WaitReason::RunQueue,
        WaitReason::Lock,
        WaitReason::Condition,
        WaitReason::Disk,
        WaitReason::Network,
        WaitReason::Pipe,
        WaitReason::Tty,
        WaitReason::Sleep,
        WaitReason::Poll,
        WaitReason::PageFault,
        WaitReason::Child,
        WaitReason::Other,
    ];

    /// The value of the label.
    pub fn name(self) -> &'static str {
        match self {
            WaitReason::RunQueue => "run queue",
            WaitReason::Lock => "lock",
            WaitReason::Condition => "condition",
            WaitReason::Disk => "disk",
            WaitReason::Network => "network",
            WaitReason::Pipe => "pipe",
            WaitReason::Tty => "tty",
            WaitReason::Sleep => "sleep",
            WaitReason::Poll => "poll",
            WaitReason::PageFault => "page fault",
            WaitReason::Child => "child",
            WaitReason::Other => "other",
        }
    }

    /// Of a label. What is not known here is another reason.
    pub fn named(name: &str) -> WaitReason {
        let mut all = Self::ALL.into_iter();
        (all.find(|reason| reason.name() == name)).unwrap_or(WaitReason::Other)
    }

    /// None: no reason has this number.
    pub fn from_number(number: u32) -> Option<WaitReason> {
        let at = usize::try_from(number).ok()?.checked_sub(1)?;
        Self::ALL.get(at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_found_by_its_number_and_its_name() {
        for reason in WaitReason::ALL {
            assert_eq!(WaitReason::from_number(reason as u32), Some(reason));
            assert_eq!(WaitReason::named(reason.name()), reason);
        }
        assert_eq!(WaitReason::from_number(0), None);
        assert_eq!(WaitReason::from_number(13), None);
    }
}
