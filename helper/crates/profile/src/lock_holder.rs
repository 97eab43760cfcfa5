//! Who held the lock that a thread waited for, as runs say it: labels of a sample.

use crate::builder::LabelValue;
use crate::columns::Profile;

/// The keys of the labels. The function is the value of the first, which design and tools know.
pub const LOCK_HOLDER: &str = "lock_holder";
const FILE: &str = "lock_holder_file";
const LINE: &str = "lock_holder_line";
const THREAD: &str = "lock_holder_thread";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct LockHolder<'a> {
    /// The name of the thread.
    pub thread: &'a str,
    /// Where it was seen while it held the lock. Empty: nowhere.
    pub function: &'a str,
    /// As recorded; empty: unknown.
    pub file: &'a str,
    /// 0: unknown.
    pub line: u32,
}

impl<'a> LockHolder<'a> {
    pub fn labels(self) -> impl Iterator<Item = (&'static str, LabelValue<'a>)> {
        let texts = [
            (THREAD, self.thread),
            (LOCK_HOLDER, self.function),
            (FILE, self.file),
        ];
        let texts = texts.into_iter().filter(|(_, text)| !text.is_empty());
        let line = (self.line > 0).then(|| (LINE, LabelValue::Number(self.line.into(), "")));
        texts
            .map(|(key, text)| (key, LabelValue::Text(text)))
            .chain(line)
    }

    /// None: the sample is of no wait for a lock, or the lock does not say who holds it.
    pub fn of_sample(profile: &Profile, sample: usize) -> Option<LockHolder<'_>> {
        let mut found = None;
        for label in profile.samples.labels_of(sample) {
            let key = profile.text(label.key);
            if !key.starts_with(LOCK_HOLDER) {
                continue;
            }
            let text = profile.text(label.text);
            let holder = found.get_or_insert_with(LockHolder::default);
            match key {
                LOCK_HOLDER => holder.function = text,
                FILE => holder.file = text,
                THREAD => holder.thread = text,
                LINE => holder.line = u32::try_from(label.number).unwrap_or(0),
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
    fn a_holder_is_read_as_it_was_written() {
        let seen = LockHolder {
            thread: "worker",
            function: "hold",
            file: "/src/convoy.c",
            line: 33,
        };
        let unseen = LockHolder {
            thread: "worker",
            ..LockHolder::default()
        };
        let mut builder = ProfileBuilder::new(&[("wait", "nanoseconds")]);
        for holder in [seen, unseen] {
            let labels: Vec<_> = holder.labels().collect();
            builder.push_sample(&[], &[7], &labels);
        }
        builder.push_sample(&[], &[7], &[("wait", LabelValue::Text("lock"))]);
        let profile = builder.finish();
        let read: Vec<_> = (0..3)
            .map(|at| LockHolder::of_sample(&profile, at))
            .collect();
        assert_eq!(read, [Some(seen), Some(unseen), None]);
    }
}
