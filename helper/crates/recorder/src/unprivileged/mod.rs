//! The sampler for those without privilege: a thread of our own that collects registers and stack copies, and the rows
//! by which they are unwound. Understands the messages of the privileged sampler's protocol, so that whoever records
//! need not know which of the two it talks to; samples come as [`Incoming::Copies`].

mod collecting;
mod copies;
mod live_threads;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::SyncSender;

use perf_events::map_event::MapEvent;
use records::{
    CopiedPiece, CopyRecord, FromSampler, MessageReader, Rule, RuleKind, SampleRecord,
    SamplerError, StackEnd, ToSampler, Worth, period_ns,
};
use stack_copies::{Collector, OpenError, OpenStep, Options, STACK_BYTES, StackCopy};

use super::Incoming;
use super::address_spaces::AddressSpaces;
use super::copied_stacks::CopiedStacks;
use super::modules::Modules;
use collecting::Shared;
pub use copies::Copies;
use live_threads::LiveThreads;

pub struct OwnSampler {
    unsent: Vec<u8>,
    options: Options,
    /// Threads to be sampled.
    tids: Vec<u32>,
    live: LiveThreads,
    incoming: SyncSender<Incoming>,
    shared: Arc<Shared>,
}

impl OwnSampler {
    /// What is collected arrives at `incoming`, after [`ToSampler::Start`].
    pub fn new(incoming: SyncSender<Incoming>) -> OwnSampler {
        OwnSampler {
            unsent: Vec::new(),
            options: Options {
                sample_hz: 0,
                hardware_cycles: true,
                chain: false,
            },
            tids: Vec::new(),
            live: LiveThreads::default(),
            incoming,
            shared: Arc::default(),
        }
    }

    pub fn unsent(&mut self) -> &mut Vec<u8> {
        &mut self.unsent
    }

    /// Does what the messages in `unsent` say.
    pub fn obey(&mut self) {
        let unsent = std::mem::take(&mut self.unsent);
        let mut reader = MessageReader::new(&unsent[..]);
        while let Ok(Some((kind, body))) = reader.next_message() {
            let message = ToSampler::parse(kind, body).expect("we wrote it ourselves");
            match message {
                ToSampler::Hello { sample_hz, .. } => self.options.sample_hz = sample_hz,
                ToSampler::Attach { threads } => {
                    for thread in threads {
                        self.live.add(thread.pid);
                        self.tids.push(thread.tid);
                    }
                }
                ToSampler::Start => self.start(),
                ToSampler::Sync => self.answer(FromSampler::Synced),
                ToSampler::Stop => self.shared.stop.store(true, Ordering::Relaxed),
                ToSampler::Rules { rules, .. } => {
                    self.options.chain |= rules.iter().any(changes_stack);
                }
                // The recording's own tables hold what there is to unwind by.
                ToSampler::Rows { .. }
                | ToSampler::Pages { .. }
                | ToSampler::File { .. }
                | ToSampler::Mapping { .. }
                | ToSampler::Read { .. }
                | ToSampler::CaughtUp
                | ToSampler::Allocations { .. }
                | ToSampler::AllocationPlaces { .. }
                | ToSampler::ProgramPlaces { .. }
                | ToSampler::Calls { .. }
                | ToSampler::Counters { .. } => {}
            }
        }
    }

    /// Never waits: the thread that reads the answer may be the one that asks.
    fn answer(&self, message: FromSampler) {
        let incoming = self.incoming.clone();
        std::thread::spawn(move || incoming.send(Incoming::Sampler(vec![message])));
    }

    fn start(&mut self) {
        let opened = Collector::open(&self.tids, self.options).and_then(|collector| {
            let enabled = collector.enable();
            enabled.map(|()| collector).map_err(|cause| OpenError {
                step: OpenStep::SampleEvent,
                cause,
            })
        });
        match opened {
            Ok(collector) => {
                let (incoming, shared) = (self.incoming.clone(), Arc::clone(&self.shared));
                std::thread::spawn(move || collecting::collect(collector, &incoming, &shared));
            }
            Err(error) => {
                let failed = FromSampler::Failed(sampler_error(&error));
                // Nothing else has been sent yet: there is room.
                let _ = self.incoming.send(Incoming::Sampler(vec![failed]));
            }
        }
    }

    /// A record of the kernel as the privileged sampler would pass it on; None when nobody needs it.
    pub fn message_of(&mut self, event: MapEvent) -> Option<FromSampler> {
        self.live.message_of(event)
    }

    /// The sample of a copied stack. Call in the order of time.
    pub fn unwind(
        &mut self,
        copy: StackCopy,
        copies: &mut CopiedStacks,
        spaces: &AddressSpaces,
        modules: &Modules,
    ) -> SampleRecord {
        self.shared
            .waiting_bytes
            .fetch_sub(copy.stack.len() as u64, Ordering::Relaxed);
        let worth = Worth::of_cpu(period_ns(self.options.sample_hz));
        let mut sample = SampleRecord {
            time_ns: copy.time_ns,
            pid: copy.pid,
            tid: copy.tid,
            worth,
            end: StackEnd::Unreadable,
            comm: copy.thread_name,
            kernel: Vec::new(),
            user: Vec::new(),
        };
        match copy.registers {
            None => sample,
            Some(registers) if !registers.is_64_bit => {
                (sample.user, sample.end) = (vec![registers.ip], StackEnd::Not64Bit);
                sample
            }
            Some(registers) => {
                let chain = copy.chain;
                let copy = CopyRecord {
                    time_ns: copy.time_ns,
                    pid: copy.pid,
                    tid: copy.tid,
                    worth,
                    comm: copy.thread_name,
                    kernel: Vec::new(),
                    registers: registers.general,
                    ip: registers.ip,
                    is_exact: true, // interrupted in user space
                    stack: copy.stack,
                    other: CopiedPiece::default(),
                };
                copies.unwind(copy, &chain, STACK_BYTES as usize, spaces, modules)
            }
        }
    }
}

impl Drop for OwnSampler {
    /// Ends the collecting thread.
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
    }
}

/// Where code changes stacks, as Go's does, only the kernel's chain leads to a stack of which no bytes are copied. Known
/// of all that is mapped before the events are opened; elsewhere the chain would cost for nothing.
fn changes_stack(rule: &[u8; Rule::BYTES]) -> bool {
    rule[0] == RuleKind::OtherStack as u8
}

fn sampler_error(error: &OpenError) -> SamplerError {
    use records::SamplerStep;
    SamplerError {
        step: match error.step {
            OpenStep::SampleEvent => SamplerStep::OpenSampleEvent,
            OpenStep::MapEvent => SamplerStep::OpenMapEvent,
            OpenStep::Ring => SamplerStep::MapRing,
        },
        errno: error.cause.raw_os_error().unwrap_or(0),
        pid: 0,
    }
}
