//! Who takes the samples: the privileged sampler process, or, without privilege, a thread of our own.

use std::os::fd::OwnedFd;
use std::sync::mpsc::SyncSender;
use std::time::Duration;

use records::{SamplerError, ToSampler};
use supervision::Urgency;

use super::evidence::SampledBy;
use super::sampler_process::SamplerProcess;
use super::unprivileged::OwnSampler;
use super::{Incoming, Privilege, RecordError, ways};

pub enum Sampler {
    Process(SamplerProcess, &'static str),
    /// User space only.
    Own(Box<OwnSampler>),
}

impl Sampler {
    /// A sampler with the rights that were asked for; with it, why it has fewer.
    ///
    /// # Errors
    /// When the sampler's program is not there, may not be used or cannot be started.
    pub fn with(
        privilege: Privilege,
        urgency: &Urgency,
        incoming: SyncSender<Incoming>,
    ) -> Result<(Sampler, Option<RecordError>), RecordError> {
        if privilege == Privilege::None {
            return Ok((Sampler::unprivileged(incoming), None));
        }
        match Sampler::privileged(urgency, incoming.clone()) {
            Ok(sampler) => Ok((sampler, None)),
            Err(e) if privilege == Privilege::BestAvailable && e.is_refusal() => {
                Ok((Sampler::unprivileged(incoming), Some(e)))
            }
            Err(e) => Err(e),
        }
    }

    fn privileged(
        urgency: &Urgency,
        incoming: SyncSender<Incoming>,
    ) -> Result<Sampler, RecordError> {
        let way = ways::choose(urgency)?;
        SamplerProcess::start(&way, incoming).map(|p| Sampler::Process(p, way.name))
    }

    /// For the run.
    pub fn sampled_by(&self) -> SampledBy {
        SampledBy {
            is_privileged: self.is_privileged(),
            way: match self {
                Sampler::Process(_, way) => way,
                Sampler::Own(_) => ways::WITHOUT_PRIVILEGE,
            },
        }
    }

    pub fn unprivileged(incoming: SyncSender<Incoming>) -> Sampler {
        Sampler::Own(Box::new(OwnSampler::new(incoming)))
    }

    pub fn is_privileged(&self) -> bool {
        matches!(self, Sampler::Process(..))
    }

    /// Messages leave with [`Sampler::send`].
    pub fn say(&mut self, message: &ToSampler) {
        message.write(self.unsent()).expect("memory takes all");
    }

    pub fn unsent(&mut self) -> &mut Vec<u8> {
        match self {
            Sampler::Process(process, _) => process.unsent(),
            Sampler::Own(own) => own.unsent(),
        }
    }

    /// Sends a message, and a file with it, after all that is unsent. Without privilege there is nobody to send it to.
    pub fn send_file(&mut self, message: &ToSampler, file: OwnedFd) {
        if let Sampler::Process(process, _) = self {
            let mut bytes = Vec::new();
            message.write(&mut bytes).expect("memory takes all");
            process.send_file(bytes, file);
        }
    }

    /// Never waits.
    pub fn send(&mut self) {
        match self {
            Sampler::Process(process, _) => process.send(),
            Sampler::Own(own) => own.obey(),
        }
    }

    /// Waits until it has ended, or ends it. Gives how it was left behind, if it was.
    pub fn end(&mut self, limit: Duration, urgency: &Urgency) -> Option<String> {
        match self {
            Sampler::Process(process, _) => process.end(limit, urgency),
            Sampler::Own(_) => None,
        }
    }

    /// None: it is a part of ourselves.
    pub fn pid(&self) -> Option<u32> {
        match self {
            Sampler::Process(process, _) => Some(process.pid()),
            Sampler::Own(_) => None,
        }
    }

    /// In words, as the end of a sentence. None: it is a part of ourselves.
    pub fn state(&self) -> Option<&'static str> {
        match self {
            Sampler::Process(process, _) => Some(process.state().in_words()),
            Sampler::Own(_) => None,
        }
    }

    /// What the sampler printed, see [`SamplerProcess::complaints`].
    pub fn complaints(&self) -> String {
        match self {
            Sampler::Process(process, _) => process.complaints(),
            Sampler::Own(_) => String::new(),
        }
    }

    /// Why it gave up, for the user.
    pub fn error(&self, error: SamplerError) -> RecordError {
        match self {
            Sampler::Process(process, way) => {
                RecordError::of_sampler(error, &process.complaints(), way)
            }
            Sampler::Own(_) => RecordError::without_privilege(error),
        }
    }
}
