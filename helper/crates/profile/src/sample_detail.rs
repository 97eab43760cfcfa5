//! What a sample says of its events beside how many: one label, which depends on the kind.

use std::borrow::Cow;

use crate::syscall_names::syscall_name;
use crate::wait_reason::{WAIT, WaitReason};

/// Keys of labels.
pub const FAULT: &str = "fault";
pub const SYSCALL: &str = "syscall";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SampleDetail {
    Wait(WaitReason),
    /// The kernel had the page in memory, or a new one.
    MinorFault,
    /// It had to read it.
    MajorFault,
    /// By its number.
    Syscall(u32),
}

/// Numbers in journals: reasons to wait are below, system calls from here on.
const MINOR_FAULT: u32 = 100;
const MAJOR_FAULT: u32 = 101;
const SYSCALLS: u32 = 1000;

impl SampleDetail {
    /// In journals; 0 stands for none.
    pub fn number(self) -> u32 {
        match self {
            SampleDetail::Wait(reason) => reason as u32,
            SampleDetail::MinorFault => MINOR_FAULT,
            SampleDetail::MajorFault => MAJOR_FAULT,
            SampleDetail::Syscall(number) => number.saturating_add(SYSCALLS),
        }
    }

    /// None: nothing has this number.
    pub fn from_number(number: u32) -> Option<SampleDetail> {
        match number {
            MINOR_FAULT => Some(SampleDetail::MinorFault),
            MAJOR_FAULT => Some(SampleDetail::MajorFault),
            SYSCALLS.. => Some(SampleDetail::Syscall(number - SYSCALLS)),
            _ => WaitReason::from_number(number).map(SampleDetail::Wait),
        }
    }

    /// Key and value of the label.
    pub fn label(self) -> (&'static str, Cow<'static, str>) {
        match self {
            SampleDetail::Wait(reason) => (WAIT, Cow::Borrowed(reason.name())),
            SampleDetail::MinorFault => (FAULT, Cow::Borrowed("minor")),
            SampleDetail::MajorFault => (FAULT, Cow::Borrowed("major")),
            SampleDetail::Syscall(number) => (SYSCALL, syscall_name(number)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_detail_is_found_by_its_number() {
        let waits = WaitReason::ALL.map(SampleDetail::Wait);
        let others = [
            SampleDetail::MinorFault,
            SampleDetail::MajorFault,
            SampleDetail::Syscall(0),
            SampleDetail::Syscall(257),
        ];
        for detail in waits.into_iter().chain(others) {
            assert_eq!(SampleDetail::from_number(detail.number()), Some(detail));
        }
        assert_eq!(SampleDetail::from_number(0), None);
        assert_eq!(SampleDetail::from_number(99), None);
        let fault = SampleDetail::MajorFault.label();
        assert_eq!(fault, (FAULT, "major".into()));
    }
}
