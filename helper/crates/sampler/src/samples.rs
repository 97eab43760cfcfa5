//! Samples as the BPF program writes them.

use records::bytes::Fields;
use records::layout::{
    COPIED_REGISTERS, KERNEL_FRAMES_MAX, RecordForm, SAMPLE_HEAD_BYTES, SampleKind, USER_FRAMES_MAX,
};
use records::{
    CopiedPiece, CopyRecord, LockHolder, RestRecord, SampleRecord, StackEnd, WaitCause, WaitEnd,
    Woken, Worth,
};

/// Records of the ring, one behind the other: there may be 100,000 a second.
#[derive(Default)]
pub struct Records {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Records {
    pub fn push(&mut self, record: &[u8]) {
        self.bytes.extend_from_slice(record);
        self.ends.push(self.bytes.len());
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(&0).chain(&self.ends);
        (starts.zip(&self.ends)).map(|(&start, &end)| &self.bytes[start..end])
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }
}

/// What the BPF program sends.
pub enum Taken {
    Stack(SampleRecord),
    Copy(CopyRecord),
    WaitEnd(WaitEnd),
    Rest(RestRecord),
    /// Of the allocation with this id.
    Free {
        time_ns: u64,
        pid: u32,
        tid: u32,
        id: u32,
    },
}

/// `struct sample_head` and its frames, `struct stack_copy`, `struct wait_end` or nothing; kernel addresses are given apart from the record that
/// leaves the process.
pub fn parse_sample(bytes: &[u8]) -> Option<(Taken, Vec<u64>)> {
    let mut f = Fields(bytes);
    let (time_ns, pid, tid) = (f.u64()?, f.u32()?, f.u32()?);
    let (kernel_frames, user_frames) = (f.u16()? as usize, f.u16()? as usize);
    let (end, form) = (f.u8()?, RecordForm::from_code(f.u8()?)?);
    let kind = SampleKind::from_code(f.u8()?)?;
    let points = f.u8()?;
    let comm = f.bytes(16)?.try_into().ok()?;
    let worth = Worth {
        kind,
        value: f.u64()?,
        weight: f.u32()?,
        points,
        id: f.u32()?,
    };
    debug_assert_eq!(bytes.len() - f.0.len(), SAMPLE_HEAD_BYTES);
    let kernel_frames = kernel_frames.min(KERNEL_FRAMES_MAX);
    if form == RecordForm::Free {
        let id = worth.id;
        let freed = Taken::Free {
            time_ns,
            pid,
            tid,
            id,
        };
        return Some((freed, Vec::new()));
    }
    if form == RecordForm::Rest {
        let rest = RestRecord {
            time_ns,
            pid,
            tid,
            worth,
            comm,
        };
        return Some((Taken::Rest(rest), Vec::new()));
    }
    if form == RecordForm::WaitEnd {
        let (span_ns, place, queued_ns) = (f.u64()?, f.u64()?, f.u64()?);
        let cause = WaitCause {
            syscall: u32::try_from(f.u32()? as i32).ok(),
            was_preempted: f.u8()? != 0,
            waits_for_disk: f.u8()? != 0,
            waits_for_owner: f.u8()? != 0,
        };
        let has_stack = f.u8()? != 0;
        let (waits_at, holder) = (f.u64()?, f.u32()?);
        let (waker, woken_ns, woken_by) = (f.u32()?, f.u64()?, f.u8()?);
        f.bytes(7)?;
        let end = WaitEnd {
            began_ns: time_ns,
            pid,
            tid,
            comm,
            place,
            waits: worth.weight,
            span_ns,
            waited_ns: worth.value,
            queued_ns,
            cause,
            has_stack,
            holder: LockHolder::of(holder, waits_at),
            woken: Woken::of(woken_by, waker, woken_ns)?,
        };
        return Some((Taken::WaitEnd(end), Vec::new()));
    }
    if form == RecordForm::Copy {
        let mut copy = CopyRecord {
            time_ns,
            pid,
            tid,
            worth,
            comm,
            kernel: Vec::with_capacity(kernel_frames),
            registers: [0; COPIED_REGISTERS],
            ip: 0,
            is_exact: false,
            stack: Vec::new(),
            other: CopiedPiece::default(),
        };
        for register in &mut copy.registers {
            *register = f.u64()?;
        }
        copy.ip = f.u64()?;
        copy.is_exact = f.u32()? != 0;
        let length = f.u32()? as usize;
        copy.other.start = f.u64()?;
        let other_length = f.u32()? as usize;
        f.u32()?;
        let mut kernel = addresses(&mut f, KERNEL_FRAMES_MAX)?;
        kernel.truncate(kernel_frames);
        copy.stack = f.bytes(length.checked_sub(other_length)?)?.to_vec();
        copy.other.bytes = f.bytes(other_length)?.to_vec();
        return Some((Taken::Copy(copy), kernel));
    }
    let kernel = addresses(&mut f, kernel_frames)?;
    let user = addresses(&mut f, user_frames.min(USER_FRAMES_MAX))?;
    let (user, end) = without_kernel_addresses(user, StackEnd::from_code(end)?);
    let sample = SampleRecord {
        time_ns,
        pid,
        tid,
        worth,
        end,
        comm,
        kernel: Vec::with_capacity(kernel_frames),
        user,
    };
    Some((Taken::Stack(sample), kernel))
}

fn addresses(f: &mut Fields, count: usize) -> Option<Vec<u64>> {
    (0..count).map(|_| f.u64()).collect()
}

/// Where a stack's words are no return addresses, anything can be taken for one. The part from the first such frame on is
/// left out: no value that could be an address of the kernel leaves the process.
fn without_kernel_addresses(mut user: Vec<u64>, end: StackEnd) -> (Vec<u64>, StackEnd) {
    match user
        .iter()
        .position(|address| *address >= FIRST_KERNEL_ADDRESS)
    {
        None => (user, end),
        Some(depth) => {
            user.truncate(depth);
            (user, StackEnd::Broken)
        }
    }
}

/// Of both machines: the upper half of the address space.
pub const FIRST_KERNEL_ADDRESS: u64 = 1 << 63;

#[cfg(test)]
mod tests {
    use records::WokenBy;

    use super::*;

    fn bytes_of(user: &[u64]) -> Vec<u8> {
        let mut bytes = vec![0; SAMPLE_HEAD_BYTES];
        bytes[18] = user.len() as u8;
        bytes.extend(user.iter().flat_map(|a| a.to_le_bytes()));
        bytes
    }

    fn stack_of(bytes: &[u8]) -> SampleRecord {
        match parse_sample(bytes) {
            Some((Taken::Stack(sample), _)) => sample,
            _ => panic!("no stack"),
        }
    }

    #[test]
    fn a_copy_is_read_with_its_registers_and_as_much_of_the_stack_as_it_has() {
        let mut bytes = bytes_of(&[]);
        (bytes[16], bytes[21]) = (1, 1); // one kernel frame, a copy
        let words = (1..=COPIED_REGISTERS as u64).chain([0x1234, 1 | 5 << 32, 0xc000, 2]);
        bytes.extend(words.flat_map(u64::to_le_bytes));
        let mut kernel = [0; KERNEL_FRAMES_MAX];
        (kernel[0], kernel[1]) = (7, 8); // what is behind the frames is of an earlier sample
        bytes.extend(kernel.iter().flat_map(|a: &u64| a.to_le_bytes()));
        bytes.extend([1, 2, 3, 4, 5]);
        let Some((Taken::Copy(copy), kernel)) = parse_sample(&bytes) else {
            panic!("no copy");
        };
        assert!(
            copy.registers
                .iter()
                .copied()
                .eq(1..=COPIED_REGISTERS as u64)
        );
        assert_eq!((copy.ip, copy.is_exact, kernel), (0x1234, true, vec![7]));
        assert_eq!(copy.stack, [1, 2, 3]);
        assert_eq!((copy.other.start, copy.other.bytes), (0xc000, vec![4, 5]));
        bytes.pop();
        assert!(parse_sample(&bytes).is_none());
    }

    #[test]
    fn the_end_of_a_wait_is_read_with_what_the_kernel_knew_of_its_cause() {
        let mut bytes = bytes_of(&[]);
        (bytes[0], bytes[21], bytes[22], bytes[40]) = (9, 2, 1, 50); // since, form, kind, value
        bytes[48] = 3; // weight
        bytes.extend([60, 0, 0, 0, 0, 0, 0, 0]);
        bytes.extend([77, 0, 0, 0, 0, 0, 0, 0]);
        bytes.extend([20, 0, 0, 0, 0, 0, 0, 0]);
        bytes.extend((-1i32).to_le_bytes());
        bytes.extend([0, 1, 0, 1]);
        bytes.extend(8u64.to_le_bytes());
        bytes.extend([7, 0, 0, 0, 5, 0, 0, 0]);
        bytes.extend(9u64.to_le_bytes());
        bytes.extend([1, 0, 0, 0, 0, 0, 0, 0]);
        let Some((Taken::WaitEnd(end), _)) = parse_sample(&bytes) else {
            panic!("no end");
        };
        assert_eq!((end.began_ns, end.waited_ns, end.queued_ns), (9, 50, 20));
        assert_eq!((end.waits, end.span_ns), (3, 60));
        assert_eq!((end.place, end.holder), (77, LockHolder::of(7, 8)));
        let woken = Woken {
            by: WokenBy::Thread,
            tid: 5,
            sample_ns: 9,
        };
        assert_eq!(end.woken, Some(woken));
        let cause = WaitCause {
            waits_for_disk: true,
            ..WaitCause::default()
        };
        assert_eq!((end.cause, end.has_stack), (cause, true));
        bytes.pop();
        assert!(parse_sample(&bytes).is_none());
    }

    #[test]
    fn a_stack_ends_before_what_could_be_an_address_of_the_kernel() {
        let whole = stack_of(&bytes_of(&[1, 2]));
        assert_eq!((whole.user, whole.end), (vec![1, 2], StackEnd::Root));
        let hidden = u64::MAX << 31;
        let cut = stack_of(&bytes_of(&[1, hidden, 2]));
        assert_eq!((cut.user, cut.end), (vec![1], StackEnd::Broken));
    }
}
