//! Samples of one run: whether a function is on the stack, where a sample resembles the one before it.

use rand::RngExt;
use statistics::BATCHES;

use super::Random;

/// A two-state Markov chain.
#[derive(Debug, Clone, Copy)]
pub struct Chain {
    /// Of the samples that have the function.
    pub share: f64,
    /// Of neighbouring samples; of those k apart it is `correlation`^k.
    pub correlation: f64,
    pub samples: usize,
}

impl Chain {
    /// Samples with the function, by batch.
    pub fn batches(&self, random: &mut Random) -> [u64; BATCHES] {
        let leaving = 1.0 - self.correlation;
        // By state: without the function, with it.
        let ln_stay = [self.share, 1.0 - self.share].map(|other| (-other * leaving).ln_1p());
        let mut counts = [0; BATCHES];
        let mut state = usize::from(random.random::<f64>() < self.share);
        let mut at = 0;
        while at < self.samples {
            // A geometric number of samples in this state.
            let stay = (1.0 - random.random::<f64>()).ln() / ln_stay[state];
            let end = (at + 1).saturating_add(stay as usize).min(self.samples);
            if state == 1 {
                self.add(&mut counts, at, end);
            }
            at = end;
            state = 1 - state;
        }
        counts
    }

    /// The samples from `start` to `end` have the function.
    fn add(&self, counts: &mut [u64; BATCHES], mut start: usize, end: usize) {
        let length = self.samples / BATCHES;
        while start < end {
            let batch = (start / length).min(BATCHES - 1);
            let batch_end = if batch == BATCHES - 1 {
                self.samples
            } else {
                (batch + 1) * length
            };
            let stop = end.min(batch_end);
            counts[batch] += (stop - start) as u64;
            start = stop;
        }
    }
}
