//! The first line of a sample in what `perf script` prints: `comm pid/tid [cpu] time: period event:`, each part only if `-F`
//! has asked for it. A name of a command may have spaces.

/// Words that are looked at: a name of 15 bytes has at most 8.
const WORDS_MAX: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Header<'a> {
    pub comm: &'a str,
    pub pid: Option<u32>,
    pub tid: Option<u32>,
    pub time_ns: Option<u64>,
    pub period: Option<u64>,
    /// "": not said.
    pub event: &'a str,
    /// What follows: without a call chain, the only frame.
    pub rest: &'a str,
}

impl<'a> Header<'a> {
    /// `None`: it is another line.
    pub fn of(line: &'a str) -> Option<Header<'a>> {
        let words = Words::of(line);
        let is_time = |at: &usize| time_ns(words.text(*at)).is_some();
        let before_time = (0..words.len).find(is_time).unwrap_or(words.len);
        (0..before_time)
            .find_map(|at| {
                let (pid, tid) = process_and_thread(words.text(at))?;
                let header = tail(&words, at + 1)?;
                Some(Header {
                    comm: words.before(at),
                    pid,
                    tid: Some(tid),
                    ..header
                })
            })
            .or_else(|| {
                (0..words.len).find_map(|at| {
                    let header = tail(&words, at)?;
                    let has_part = header.time_ns.is_some() || !header.event.is_empty();
                    has_part.then_some(Header {
                        comm: words.before(at),
                        ..header
                    })
                })
            })
    }

    /// Only samples of `perf script` have all that.
    pub fn is_certain(&self) -> bool {
        let has_owner = self.tid.is_some() || self.comm.is_empty();
        self.time_ns.is_some() && !self.event.is_empty() && has_owner
    }
}

struct Words<'a> {
    line: &'a str,
    places: [(usize, usize); WORDS_MAX],
    len: usize,
}

impl<'a> Words<'a> {
    fn of(line: &'a str) -> Words<'a> {
        let mut words = Words {
            line,
            places: [(0, 0); WORDS_MAX],
            len: 0,
        };
        let bytes = line.as_bytes();
        let mut at = 0;
        while words.len < WORDS_MAX {
            while at < bytes.len() && bytes[at].is_ascii_whitespace() {
                at += 1;
            }
            let start = at;
            while at < bytes.len() && !bytes[at].is_ascii_whitespace() {
                at += 1;
            }
            if start == at {
                break;
            }
            words.places[words.len] = (start, at);
            words.len += 1;
        }
        words
    }

    /// "" behind the last one.
    fn text(&self, at: usize) -> &'a str {
        match self.places[..self.len].get(at) {
            Some(&(start, end)) => &self.line[start..end],
            None => "",
        }
    }

    fn before(&self, at: usize) -> &'a str {
        match at {
            0 => "",
            at => &self.line[self.places[0].0..self.places[at - 1].1],
        }
    }

    fn from(&self, at: usize) -> &'a str {
        match self.places[..self.len].get(at) {
            Some(&(start, _)) => &self.line[start..],
            None => "",
        }
    }
}

/// `[cpu] misc time: period event: rest` from a word on; `None`: something else is there.
fn tail<'a>(words: &Words<'a>, mut at: usize) -> Option<Header<'a>> {
    let is_cpu = |word: &str| {
        let inner = word
            .strip_prefix('[')
            .and_then(|word| word.strip_suffix(']'));
        inner.and_then(digits).is_some()
    };
    at += usize::from(is_cpu(words.text(at)));
    // Where the sample is from: user, kernel, guest, hypervisor.
    let is_misc = |word: &str| !word.is_empty() && word.bytes().all(|b| b"UKHGgM".contains(&b));
    at += usize::from(is_misc(words.text(at)) && time_ns(words.text(at + 1)).is_some());
    let time_ns = time_ns(words.text(at));
    at += usize::from(time_ns.is_some());
    let period = digits(words.text(at)).filter(|_| event(words.text(at + 1)).is_some());
    at += usize::from(period.is_some());
    let event = event(words.text(at));
    at += usize::from(event.is_some());
    if event.is_none() && at < words.len {
        return None;
    }
    Some(Header {
        time_ns,
        period,
        event: event.unwrap_or_default(),
        rest: words.from(at),
        ..Header::default()
    })
}

/// `123` is a thread, `123/124` process and thread.
fn process_and_thread(word: &str) -> Option<(Option<u32>, u32)> {
    let number = |word: &str| u32::try_from(digits(word)?).ok();
    match word.split_once('/') {
        Some((pid, tid)) => Some((Some(number(pid)?), number(tid)?)),
        None => Some((None, number(word)?)),
    }
}

/// Seconds, with at least six digits of fraction and a colon.
fn time_ns(word: &str) -> Option<u64> {
    let (seconds, fraction) = word.strip_suffix(':')?.split_once('.')?;
    let scale = match fraction.len() {
        6 => 1000,
        9 => 1,
        _ => return None,
    };
    let ns = digits(fraction)? * scale;
    digits(seconds)?.checked_mul(1_000_000_000)?.checked_add(ns)
}

fn event(word: &str) -> Option<&str> {
    let name = word.strip_suffix(':')?;
    let begins = name.bytes().next().is_some_and(|b| b.is_ascii_alphabetic());
    begins.then_some(name)
}

fn digits(word: &str) -> Option<u64> {
    let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| word.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_of_fields_is_read() {
        let expected = |comm, pid, tid, time_ns, period, event| Header {
            comm,
            pid,
            tid,
            time_ns,
            period,
            event,
            rest: "",
        };
        let second = Some(12_825_226_371_000);
        for (line, header) in [
            (
                "my worker 7 12269 12825.226371:    2004008  cpu-clock: ",
                expected(
                    "my worker 7",
                    None,
                    Some(12269),
                    second,
                    Some(2_004_008),
                    "cpu-clock",
                ),
            ),
            (
                "own 12262/12269 [001] 12825.226371000: 5 cycles:u: ",
                expected("own", Some(12262), Some(12269), second, Some(5), "cycles:u"),
            ),
            (
                "own 12262 [000] U 12825.226371: task-clock:",
                expected("own", None, Some(12262), second, None, "task-clock"),
            ),
            (
                "my worker 7 12269 ",
                expected("my worker 7", None, Some(12269), None, None, ""),
            ),
            (
                "own 2004008 cpu/cycles/P: ",
                expected("own", None, Some(2_004_008), None, None, "cpu/cycles/P"),
            ),
            (
                "   12825.226371: task-clock: ",
                expected("", None, None, second, None, "task-clock"),
            ),
            (
                "own 12825.226371: 77 faults:",
                expected("own", None, None, second, Some(77), "faults"),
            ),
        ] {
            assert_eq!(Header::of(line), Some(header), "{line}");
        }
        let rest = Header::of("sh 5 1.000001: sched:sched_switch: prev_comm=sh ==> 3:").unwrap();
        assert_eq!(rest.event, "sched:sched_switch");
        assert_eq!(rest.rest, "prev_comm=sh ==> 3:");
    }

    #[test]
    fn frames_and_places_are_no_headers() {
        for line in [
            "\t            11c8 grind+0x28 (/src/mill/mill)",
            "            1097 main+0x27 (/src/mill/mill)",
            "  mill.c:29",
            "sh 5 1.000001: PERF_RECORD_COMM: sh:5/5",
            "bash-12 [000] 12.345678: sched_switch: a",
            "",
        ] {
            let header = Header::of(line).filter(Header::is_certain);
            let is_other = |header: &Header| header.event.starts_with("PERF_RECORD");
            assert!(header.as_ref().is_none_or(is_other), "{line}: {header:?}");
        }
    }
}
