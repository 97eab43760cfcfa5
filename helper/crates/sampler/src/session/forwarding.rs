//! What goes on to the engine: what happened to address spaces, and samples.

use std::io::Write;

use records::{FromSampler, SampleKind};

use super::{Session, monotonic_ns};
use crate::end::End;
use crate::samples::{Taken, parse_sample};

impl Session {
    /// Applies what has happened up to now, in order of time. What happens while the rings are read waits for the next
    /// look: of two CPUs' records, the later one could have been read without the earlier one.
    pub(super) fn forward_map_events(&mut self, out: &mut impl Write) -> Result<(), End> {
        let now_ns = monotonic_ns();
        let mut events = std::mem::take(&mut self.later_map_events);
        self.attachment.drain(&mut events);
        events.sort_by_key(|e| e.time_ns);
        self.later_map_events = events.split_off(events.partition_point(|e| e.time_ns <= now_ns));
        let mut told = Vec::new();
        self.follower.hear(events, &mut self.bpf, &mut told);
        for message in told {
            message.write(out)?;
        }
        self.catch_up.heard(self.follower.take_missed(), now_ns);
        let all = self.sync_asked;
        (self.tables).renew(&mut self.bpf, &mut self.follower, now_ns, all);
        Ok(())
    }

    pub(super) fn forward_sample(&mut self, bytes: &[u8], out: &mut impl Write) -> Result<(), End> {
        let Some((mut sample, mut kernel)) = parse_sample(bytes) else {
            return Ok(()); // cannot be: the BPF program writes whole samples; the engine sees kept ≠ received
        };
        if let Taken::Stack(sample) = &mut sample
            && sample.worth.kind == SampleKind::WakeUp
        {
            let bpf = &mut self.bpf;
            let name_of = |address| bpf.name_of_kernel_address(address);
            self.wakers.complete(sample, &kernel, name_of);
            kernel.clear();
        }
        let mut no_frames = Vec::new();
        let kernel_ids = match &mut sample {
            Taken::Stack(sample) => &mut sample.kernel,
            Taken::Copy(copy) => &mut copy.kernel,
            Taken::WaitEnd(_) | Taken::Rest(_) | Taken::Free { .. } => &mut no_frames,
        };
        for (depth, address) in kernel.into_iter().enumerate() {
            // Callers hold return addresses: the call is before them.
            let (id, name) = self
                .kernel_symbols
                .id_of(address - u64::from(depth > 0), |a| {
                    self.bpf.name_of_kernel_address(a)
                });
            if let Some(name) = name {
                FromSampler::KernelSymbol {
                    id,
                    name: name.into_bytes(),
                }
                .write(out)?;
            }
            kernel_ids.push(id);
        }
        match sample {
            Taken::Stack(sample) => FromSampler::Sample(sample),
            Taken::Copy(copy) => FromSampler::Copy(copy),
            Taken::WaitEnd(end) => FromSampler::WaitEnd(end),
            Taken::Rest(rest) => FromSampler::Rest(rest),
            Taken::Free {
                time_ns,
                pid,
                tid,
                id,
            } => FromSampler::Freed {
                time_ns,
                pid,
                tid,
                id,
            },
        }
        .write(out)?;
        Ok(())
    }
}
