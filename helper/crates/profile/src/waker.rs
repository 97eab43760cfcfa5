//! Who ended a wait, as runs say it: labels of a sample.

use crate::builder::LabelValue;
use crate::columns::Profile;

/// The keys of the labels. The function is the value of the first, as with who held a lock.
const WOKEN_BY: &str = "woken_by";
const FILE: &str = "woken_by_file";
const LINE: &str = "woken_by_line";
const THREAD: &str = "woken_by_thread";
const TID: &str = "woken_by_tid";
const KIND: &str = "woken_by_kind";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Waker<'a> {
    /// "thread" or "exit" of one that was recorded, "process", "kernel", "interrupt", "timer", "disk", "network".
    pub kind: &'a str,
    /// The name of the thread or process. Empty: not known, or there is none.
    pub thread: &'a str,
    /// 0: not known, or there is none.
    pub tid: u32,
    /// Where it was. Empty: not known, or of no use.
    pub function: &'a str,
    /// As recorded; empty: unknown.
    pub file: &'a str,
    /// 0: unknown.
    pub line: u32,
}

impl<'a> Waker<'a> {
    pub fn labels(self) -> impl Iterator<Item = (&'static str, LabelValue<'a>)> {
        let texts = [
            (KIND, self.kind),
            (THREAD, self.thread),
            (WOKEN_BY, self.function),
            (FILE, self.file),
        ];
        let texts = texts.into_iter().filter(|(_, text)| !text.is_empty());
        let numbers = [(TID, self.tid), (LINE, self.line)];
        let numbers = numbers.into_iter().filter(|(_, number)| *number > 0);
        texts
            .map(|(key, text)| (key, LabelValue::Text(text)))
            .chain(numbers.map(|(key, number)| (key, LabelValue::Number(number.into(), ""))))
    }

    /// Its line, whatever thread was there. None: it is not known.
    pub fn at_any_thread(self) -> Option<Waker<'a>> {
        (!self.function.is_empty()).then_some(Waker {
            thread: "",
            tid: 0,
            ..self
        })
    }

    /// None: the sample is of no wait, or nobody was seen to end it.
    pub fn of_sample(profile: &Profile, sample: usize) -> Option<Waker<'_>> {
        let mut found = None;
        for label in profile.samples.labels_of(sample) {
            let key = profile.text(label.key);
            if !key.starts_with(WOKEN_BY) {
                continue;
            }
            let text = profile.text(label.text);
            let number = u32::try_from(label.number).unwrap_or(0);
            let waker = found.get_or_insert_with(Waker::default);
            match key {
                KIND => waker.kind = text,
                THREAD => waker.thread = text,
                WOKEN_BY => waker.function = text,
                FILE => waker.file = text,
                TID => waker.tid = number,
                LINE => waker.line = number,
                _ => {}
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProfileBuilder;

    #[test]
    fn a_waker_is_read_as_it_was_written() {
        let seen = Waker {
            kind: "thread",
            thread: "producer",
            tid: 9,
            function: "produce",
            file: "/src/queue.c",
            line: 29,
        };
        let timer = Waker {
            kind: "timer",
            ..Waker::default()
        };
        let mut builder = ProfileBuilder::new(&[("wait", "nanoseconds")]);
        for waker in [seen, timer] {
            let labels: Vec<_> = waker.labels().collect();
            builder.push_sample(&[], &[7], &labels);
        }
        builder.push_sample(&[], &[7], &[("wait", LabelValue::Text("sleep"))]);
        let profile = builder.finish();
        let read: Vec<_> = (0..3).map(|at| Waker::of_sample(&profile, at)).collect();
        assert_eq!(read, [Some(seen), Some(timer), None]);
    }
}
