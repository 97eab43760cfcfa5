//! How long calls of functions took: a histogram whose buckets have an eighth of a power of two (`CallTimes` of run.proto).

use crate::run::CallTimes;

const BUCKETS: u32 = 320;

impl CallTimes {
    /// Calls whose times are known.
    pub fn measured(&self) -> u64 {
        self.calls.iter().sum()
    }

    /// In nanoseconds. None: there are none.
    pub fn mean(&self) -> Option<f64> {
        let calls = self.measured();
        (calls > 0).then(|| self.sum_ns as f64 / calls as f64)
    }

    /// The least time that this part of the calls (0 to 1) did not exceed, in nanoseconds: within a bucket it is interpolated,
    /// so it is off by an eighth at most. None: there are none.
    pub fn quantile(&self, part: f64) -> Option<f64> {
        let all = self.measured();
        let rank = (part * all as f64).ceil().max(1.0) as u64;
        let mut before = 0;
        for (bucket, calls) in self.bucket.iter().zip(&self.calls) {
            if before + calls >= rank {
                let (low, high) = bounds(*bucket);
                let inside = (rank - before) as f64 / *calls as f64;
                let time = low as f64 + (high - low) as f64 * inside;
                return Some(time.clamp(self.shortest_ns as f64, self.longest_ns as f64));
            }
            before += calls;
        }
        None
    }

    /// Whether it can be such a histogram.
    pub(crate) fn fits(&self) -> bool {
        let all = (self.calls.iter()).try_fold(0_u64, |all, calls| all.checked_add(*calls));
        self.bucket.len() == self.calls.len()
            && all.is_some()
            && self.bucket.is_sorted_by(|a, b| a < b)
            && self.bucket.last().is_none_or(|last| *last < BUCKETS)
            && self.shortest_ns <= self.longest_ns
    }
}

/// The shortest time of a bucket, and that of the next one, in nanoseconds.
fn bounds(bucket: u32) -> (u64, u64) {
    let start = |bucket: u32| match bucket {
        0..8 => u64::from(bucket),
        _ => u64::from(8 + bucket % 8) << (bucket / 8 - 1),
    };
    (start(bucket), start(bucket + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_follow_each_other_and_have_an_eighth_of_a_power_of_two() {
        assert_eq!(bounds(7), (7, 8));
        assert_eq!(bounds(8), (8, 9));
        assert_eq!(bounds(16), (16, 18));
        assert_eq!(bounds(64), (1024, 1152));
        for bucket in 8..BUCKETS {
            let (low, high) = bounds(bucket);
            assert_eq!(high, bounds(bucket + 1).0);
            assert!((high - low) * 8 <= low);
        }
    }

    #[test]
    fn a_quantile_is_within_its_bucket_and_within_what_was_measured() {
        // 90 calls of some 1,100 ns, 9 of some 20,000, 1 of 70,000.
        let times = CallTimes {
            shortest_ns: 1_090,
            longest_ns: 70_000,
            bucket: vec![64, 97, 112],
            calls: vec![90, 9, 1],
            ..CallTimes::default()
        };
        assert!(times.fits());
        let at = |part| times.quantile(part).expect("calls");
        assert_eq!(at(0.5), 1024.0 + 128.0 * 50.0 / 90.0);
        assert_eq!(at(0.01), 1_090.0, "none was shorter");
        assert_eq!(at(0.99), bounds(97).1 as f64);
        assert_eq!(at(1.0), 70_000.0, "none was longer");
        assert_eq!(CallTimes::default().quantile(0.5), None);
    }

    #[test]
    fn what_is_no_histogram_does_not_fit() {
        let times = |bucket: &[u32], calls: &[u64]| CallTimes {
            bucket: bucket.to_vec(),
            calls: calls.to_vec(),
            ..CallTimes::default()
        };
        assert!(times(&[3, 319], &[1, 2]).fits());
        assert!(!times(&[3, 3], &[1, 2]).fits() && !times(&[3], &[1, 2]).fits());
        assert!(!times(&[320], &[1]).fits() && !times(&[1, 2], &[1, u64::MAX]).fits());
    }
}
