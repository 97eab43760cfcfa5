//! Which executions of two sides were made in turns, one of each: they are compared within their turns.

use crate::execution::Execution;

/// (Execution of base, execution of new), each from 0; empty when they were not made in turns. The last turn may have been
/// interrupted: what ran in it alone has no pair.
pub(crate) fn turns(base: &[Execution], new: &[Execution]) -> Vec<(usize, usize)> {
    let of_side = |side: &[Execution], is_new: bool| -> Vec<(i64, bool, usize)> {
        (side.iter().enumerate())
            .map(|(number, one)| (one.started_ns, is_new, number))
            .collect()
    };
    let mut all = [of_side(base, false), of_side(new, true)].concat();
    if base.len().abs_diff(new.len()) > 1 || all.iter().any(|(started, ..)| *started == 0) {
        return Vec::new();
    }
    all.sort_unstable();
    let turns: Option<Vec<(usize, usize)>> = (all.chunks_exact(2))
        .map(|turn| match *turn {
            [(_, false, base), (_, true, new)] | [(_, true, new), (_, false, base)] => {
                Some((base, new))
            }
            _ => None,
        })
        .collect();
    turns.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(starts: &[i64]) -> Vec<Execution> {
        (starts.iter())
            .map(|&started_ns| Execution {
                started_ns,
                ..Execution::default()
            })
            .collect()
    }

    #[test]
    fn executions_in_turns_are_paired_in_either_order() {
        let found = turns(&side(&[1, 4, 5]), &side(&[2, 3, 6]));
        assert_eq!(found, [(0, 0), (1, 1), (2, 2)]);
        let found = turns(&side(&[5, 1]), &side(&[6, 2]));
        assert_eq!(found, [(1, 1), (0, 0)]);
        let interrupted = turns(&side(&[1, 4, 5]), &side(&[2, 3]));
        assert_eq!(interrupted, [(0, 0), (1, 1)]);
    }

    #[test]
    fn blocks_and_what_has_no_time_are_not_paired() {
        assert!(turns(&side(&[1, 2]), &side(&[3, 4])).is_empty());
        assert!(turns(&side(&[1, 2]), &side(&[3])).is_empty());
        assert!(turns(&side(&[1, 3, 5]), &side(&[2])).is_empty());
        assert!(turns(&side(&[0, 3]), &side(&[2, 4])).is_empty());
    }
}
