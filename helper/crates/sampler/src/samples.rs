//! Samples as the BPF program writes them.

use records::layout::{KERNEL_FRAMES_MAX, SAMPLE_HEAD_BYTES, USER_FRAMES_MAX};
use records::{SampleRecord, StackEnd};

/// `struct sample_head` and its frames; kernel addresses are given apart from the record that leaves the process.
pub fn parse_sample(bytes: &[u8]) -> Option<(SampleRecord, Vec<u64>)> {
    let mut f = records::bytes::Fields(bytes);
    let (time_ns, pid, tid) = (f.u64()?, f.u32()?, f.u32()?);
    let (kernel_frames, user_frames) = (f.u16()? as usize, f.u16()? as usize);
    let end = StackEnd::from_code(f.u8()?)?;
    f.bytes(3)?;
    let comm = f.bytes(16)?.try_into().ok()?;
    debug_assert_eq!(bytes.len() - f.0.len(), SAMPLE_HEAD_BYTES);
    let kernel_frames = kernel_frames.min(KERNEL_FRAMES_MAX);
    let kernel = (0..kernel_frames).map(|_| f.u64()).collect::<Option<_>>()?;
    let user = (0..user_frames.min(USER_FRAMES_MAX))
        .map(|_| f.u64())
        .collect::<Option<Vec<_>>>()?;
    let (user, end) = without_kernel_addresses(user, end);
    let sample = SampleRecord {
        time_ns,
        pid,
        tid,
        end,
        comm,
        kernel: Vec::with_capacity(kernel_frames),
        user,
    };
    Some((sample, kernel))
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
    use super::*;

    fn bytes_of(user: &[u64]) -> Vec<u8> {
        let mut bytes = vec![0; SAMPLE_HEAD_BYTES];
        bytes[18] = user.len() as u8;
        bytes.extend(user.iter().flat_map(|a| a.to_le_bytes()));
        bytes
    }

    #[test]
    fn a_stack_ends_before_what_could_be_an_address_of_the_kernel() {
        let (whole, _) = parse_sample(&bytes_of(&[1, 2])).unwrap();
        assert_eq!((whole.user, whole.end), (vec![1, 2], StackEnd::Root));
        let hidden = u64::MAX << 31;
        let (cut, _) = parse_sample(&bytes_of(&[1, hidden, 2])).unwrap();
        assert_eq!((cut.user, cut.end), (vec![1], StackEnd::Broken));
    }
}
