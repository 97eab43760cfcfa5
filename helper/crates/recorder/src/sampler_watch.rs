//! How long the sampler may say nothing. It tells its counts four times a second, whatever happens.

use std::time::Duration;

use supervision::{Patience, Urgency};

/// While it takes samples. They are lost meanwhile, and counted, if it goes on.
const SILENT_MAX: Duration = Duration::from_secs(10);
/// After it was told to stop, without a word.
const LAST_WORDS_WITHIN: Duration = Duration::from_secs(5);
/// The same, however much it says: its buffers hold no more than that.
const ENDS_WITHIN: Duration = Duration::from_secs(30);
/// It is told that nothing comes.
const WORTH_TELLING: Duration = Duration::from_secs(3);

pub struct SamplerWatch {
    silence: Patience,
    /// Since it was told to stop.
    ending: Option<Patience>,
    told: bool,
    urgency: Urgency,
    /// The sampler; None: it is a part of ourselves.
    pid: Option<u32>,
}

/// What there is to be done about it.
#[derive(Debug, PartialEq, Eq)]
pub enum Silence {
    Fine,
    /// For so long, for the first time.
    Notable(Duration),
    /// It is waited for no longer, after so long.
    TooLong(Duration),
}

impl SamplerWatch {
    pub fn new(urgency: &Urgency, pid: Option<u32>) -> SamplerWatch {
        let mut watch = SamplerWatch {
            silence: Patience::new(SILENT_MAX, urgency),
            ending: None,
            told: false,
            urgency: urgency.clone(),
            pid,
        };
        watch.silence = watch.patience(SILENT_MAX);
        watch
    }

    fn patience(&self, limit: Duration) -> Patience {
        let patience = Patience::new(limit, &self.urgency);
        match self.pid {
            Some(pid) => patience.with(pid),
            None => patience,
        }
    }

    pub fn heard(&mut self) {
        self.silence.renew();
        self.told = false;
    }

    /// It was told to stop.
    pub fn expect_end(&mut self) {
        self.silence = self.patience(LAST_WORDS_WITHIN);
        self.ending = Some(self.patience(ENDS_WITHIN));
    }

    /// To be asked after each message, and every [`supervision::LOOK_EVERY`].
    pub fn look(&mut self) -> Silence {
        let is_over = self.silence.runs_out();
        if let Some(ending) = &mut self.ending
            && ending.runs_out()
        {
            return Silence::TooLong(ending.waited());
        }
        let waited = self.silence.waited();
        if is_over {
            return Silence::TooLong(waited);
        }
        if waited >= WORTH_TELLING && self.ending.is_none() && !self.told {
            self.told = true;
            return Silence::Notable(waited);
        }
        Silence::Fine
    }
}
