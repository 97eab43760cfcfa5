//! What the engine says.

use std::fs::File;
use std::io::Write;

use records::{FromSampler, SamplerStep, ToSampler};

use super::{Session, monotonic_ns};
use crate::counters::Counters;
use crate::end::End;
use crate::mappings::Mapped;

impl Session {
    pub(super) fn handle(&mut self, message: ToSampler, out: &mut impl Write) -> Result<(), End> {
        let outside = End::Failed(SamplerStep::Protocol, 0, 0);
        match message {
            ToSampler::Rules { first, rules } => {
                put(self.bpf.rules.elements(), first, &rules).ok_or(outside)
            }
            ToSampler::Rows { first, rows } => {
                put(self.bpf.rows.elements(), first, &rows).ok_or(outside)
            }
            ToSampler::Pages { first, pages } => {
                put(self.bpf.pages.elements(), first, &pages).ok_or(outside)
            }
            ToSampler::File {
                id,
                first_page,
                base_page,
                page_count,
                segments,
            } => {
                self.count_told(segments.len())?;
                self.add_file(id, first_page, base_page, page_count, segments);
                Ok(())
            }
            ToSampler::Mapping { pid, mapping } if self.catch_up.take(pid, &mapping) => Ok(()),
            ToSampler::Mapping { pid, mapping } => {
                self.count_told(1)?;
                self.follower.map(pid, Mapped::of(&mapping, 0));
                Ok(())
            }
            ToSampler::Attach { .. }
            | ToSampler::Allocations { .. }
            | ToSampler::AllocationPlaces { .. }
            | ToSampler::Calls { .. }
            | ToSampler::Counters { .. }
            | ToSampler::Start
                if self.started =>
            {
                Err(outside)
            }
            ToSampler::Attach { threads } => {
                self.attachment.listen(self.invoker)?;
                self.forward_map_events(out)?;
                self.attach(&threads)
            }
            ToSampler::Allocations { allocated, freed } => {
                let file = self.input.take_file();
                let attached = self
                    .bpf
                    .attach_probes(file, [allocated, freed], self.invoker)?;
                self.probes = Some(attached);
                Ok(())
            }
            ToSampler::AllocationPlaces { .. } if !self.reports_wanted => Err(outside),
            ToSampler::AllocationPlaces { places } => {
                let file = self.input.take_file().map(File::from);
                let pids: Vec<u32> = self.follower.processes().pids().collect();
                (self.report_probes).attach(&self.bpf, file, &places, &pids, self.invoker)
            }
            ToSampler::ProgramPlaces { .. } if !self.reports_wanted => Err(outside),
            ToSampler::ProgramPlaces { places, .. } if places.is_empty() => Err(outside),
            ToSampler::ProgramPlaces { pid, places } => {
                let file = self.input.take_file().map(File::from);
                // The process may have begun a moment ago.
                self.forward_map_events(out)?;
                let attached = match self.follower.knows(pid) {
                    true => (self.report_probes).attach_to_program(
                        &self.bpf,
                        file,
                        &places,
                        pid,
                        self.invoker,
                    ),
                    false => Err(libc::ESRCH),
                };
                FromSampler::ProgramPlaced {
                    time_ns: monotonic_ns(),
                    pid,
                    errno: attached.err().unwrap_or(0),
                }
                .write(out)?;
                Ok(())
            }
            ToSampler::Calls { .. } if !self.calls_wanted => Err(outside),
            ToSampler::Calls { places } => {
                let file = self.input.take_file().map(File::from);
                let pids: Vec<u32> = self.follower.processes().pids().collect();
                (self.call_probes).attach(&self.bpf, file, &places, &pids, self.invoker)
            }
            ToSampler::Counters { events } => {
                self.counters = Counters::new(&events, self.counters_announced, self.sample_hz)?;
                if !self.counters.leave_room_for_cycles() {
                    self.attachment.leave_hardware_alone();
                }
                Ok(())
            }
            ToSampler::Start => self.start(out),
            ToSampler::Sync => {
                self.sync_asked = true;
                Ok(())
            }
            ToSampler::Read {
                pid,
                read_ns,
                threads,
            } => {
                self.apply_read()?;
                self.catch_up.begin(pid, read_ns, threads);
                Ok(())
            }
            ToSampler::CaughtUp => {
                self.apply_read()?;
                self.catch_up.done(monotonic_ns());
                Ok(())
            }
            ToSampler::Hello { .. } | ToSampler::Stop => Err(outside),
        }
    }
}

/// Copies `new` to its place; None when it does not fit.
fn put<T: Copy>(elements: &mut [T], first: u32, new: &[T]) -> Option<()> {
    let end = (first as usize).checked_add(new.len())?;
    elements.get_mut(first as usize..end)?.copy_from_slice(new);
    Some(())
}
