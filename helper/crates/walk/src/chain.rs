//! Where a walk meets a change of stack and no bytes of the other stack are here, the kernel's chain of frame pointers leads
//! on: Go's runtime keeps it across its changes of stack. The chain has no frame of a function that did not store the
//! frame pointer, so it serves beyond the walk only.

/// `enum code_kind` of walk.c.
const CODE_NOT_MAPPED: u8 = 0;
const CODE_OUTERMOST: u8 = 2;

/// The return addresses of `chain` beyond the last of `frames`, each of which is an address in the call, one below its
/// return address. Empty where the chain does not lead there. `has_leafs_frame_pointer`: the frame pointer in the last
/// frame is the leaf's, so that the chain has nothing before the last frame's caller but the leaf's address.
pub fn beyond<'a>(chain: &'a [u64], frames: &[u64], has_leafs_frame_pointer: bool) -> &'a [u64] {
    let Some((last, inner)) = frames.split_last() else {
        return &[];
    };
    if has_leafs_frame_pointer {
        return chain.get(1..).unwrap_or_default();
    }
    // The same call may be on the stack more than once.
    let repeated = inner.iter().filter(|&frame| frame == last).count();
    let same = |&(_, &entry): &(usize, &u64)| entry.checked_sub(1) == Some(*last);
    let found = chain.iter().enumerate().skip(1).filter(same).nth(repeated);
    found.map_or(&[], |(at, _)| &chain[at + 1..])
}

/// Appends the callers of `rest` to the first `count` of `frames`, as far as they lie in code and there is room. Whether
/// the last of them is an outermost one. `code_kind` gives an `enum code_kind`.
pub fn append(
    rest: &[u64],
    frames: &mut [u64],
    count: &mut usize,
    code_kind: impl Fn(u64) -> u8,
) -> bool {
    for return_address in rest {
        let (Some(caller), Some(frame)) = (return_address.checked_sub(1), frames.get_mut(*count))
        else {
            return false;
        };
        let kind = code_kind(caller);
        if kind == CODE_NOT_MAPPED {
            return false;
        }
        *frame = caller;
        *count += 1;
        if kind == CODE_OUTERMOST {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAF: u64 = 0x1005;

    #[test]
    fn a_chain_goes_on_behind_the_return_address_of_the_last_frame() {
        let chain = [LEAF, 0x2001, 0x3001, 0x4001];
        assert_eq!(beyond(&chain, &[LEAF, 0x2000], false), [0x3001, 0x4001]);
        // A frame in between that the chain does not have.
        assert_eq!(
            beyond(&chain, &[LEAF, 0x5000, 0x2000], false),
            [0x3001, 0x4001]
        );
        assert_eq!(beyond(&chain, &[LEAF, 0x4000], false), []);
    }

    #[test]
    fn a_call_that_is_on_the_stack_twice_is_counted() {
        let chain = [LEAF, 0x2001, 0x3001, 0x2001, 0x4001];
        let frames = [LEAF, 0x2000, 0x3000, 0x2000];
        assert_eq!(beyond(&chain, &frames, false), [0x4001]);
        assert_eq!(beyond(&chain[..3], &frames, false), []);
    }

    #[test]
    fn a_chain_that_does_not_lead_there_gives_nothing() {
        assert_eq!(beyond(&[LEAF, 0x3001], &[LEAF, 0x2000], false), []);
        assert_eq!(beyond(&[], &[LEAF, 0x2000], false), []);
        assert_eq!(beyond(&[], &[LEAF], true), []);
        assert_eq!(beyond(&[LEAF], &[], false), []);
        // The leaf's own address is no return address.
        assert_eq!(beyond(&[0x2001, 0x3001], &[LEAF, 0x2000], false), []);
    }

    #[test]
    fn a_last_frame_with_the_leafs_frame_pointer_is_not_in_the_chain() {
        let chain = [LEAF, 0x3001];
        assert_eq!(beyond(&chain, &[LEAF], true), [0x3001]);
        assert_eq!(beyond(&chain, &[LEAF, 0x2000], true), [0x3001]);
    }

    fn appended(rest: &[u64], room: usize) -> (Vec<u64>, bool) {
        let mut frames = vec![LEAF];
        frames.resize(room, 0);
        let mut count = 1;
        let kind = |address: u64| match address {
            ..0x2000 => CODE_NOT_MAPPED,
            0x9000.. => CODE_OUTERMOST,
            _ => 1,
        };
        let is_whole = append(rest, &mut frames, &mut count, kind);
        (frames[..count].to_vec(), is_whole)
    }

    #[test]
    fn callers_are_appended_up_to_the_outermost() {
        let whole = (vec![LEAF, 0x2000, 0x9000], true);
        assert_eq!(appended(&[0x2001, 0x9001, 0x2001], 8), whole);
        assert_eq!(appended(&[0x2001], 8), (vec![LEAF, 0x2000], false));
        assert_eq!(appended(&[], 8), (vec![LEAF], false));
    }

    #[test]
    fn what_is_no_code_or_has_no_room_is_not_appended() {
        assert_eq!(appended(&[0x2001, 7, 0x9001], 8).0, [LEAF, 0x2000]);
        assert_eq!(appended(&[0, 0x9001], 8), (vec![LEAF], false));
        assert_eq!(appended(&[u64::MAX], 8), (vec![LEAF, u64::MAX - 1], true));
        assert_eq!(appended(&[0x2001, 0x9001], 2), (vec![LEAF, 0x2000], false));
    }
}
