//! What threads are called: read once when they are attached to, then followed through the kernel's records.

use std::collections::HashMap;
use std::fs;

use perf_events::ring::{RECORD_COMM, RECORD_EXIT, RECORD_FORK, RECORD_HEADER_BYTES};
use records::bytes::Fields;

/// As the kernel keeps it: at most 15 bytes and a 0.
pub type ThreadName = [u8; 16];

#[derive(Debug, Default)]
pub struct ThreadNames {
    names: HashMap<u32, ThreadName>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameEvent {
    Named {
        tid: u32,
        name: ThreadName,
    },
    /// A new thread is called as the one that made it.
    Started {
        tid: u32,
        by: u32,
    },
    Ended {
        tid: u32,
    },
}

impl ThreadNames {
    pub fn read(&mut self, tid: u32) {
        if let Ok(text) = fs::read(format!("/proc/{tid}/comm")) {
            self.names.insert(tid, name_of(text.trim_ascii_end()));
        }
    }

    pub fn apply(&mut self, event: NameEvent) {
        match event {
            NameEvent::Named { tid, name } => {
                self.names.insert(tid, name);
            }
            NameEvent::Started { tid, by } => {
                self.names.insert(tid, self.get(by));
            }
            NameEvent::Ended { tid } => {
                self.names.remove(&tid);
            }
        }
    }

    /// All zero when it is not known.
    pub fn get(&self, tid: u32) -> ThreadName {
        self.names.get(&tid).copied().unwrap_or_default()
    }
}

/// None for other records and for those that are too short.
pub fn parse_name_event(record: &[u8]) -> Option<NameEvent> {
    let kind = u32::from_le_bytes(*record.first_chunk()?);
    let mut f = Fields(record.get(RECORD_HEADER_BYTES..)?);
    match kind {
        RECORD_COMM => {
            let (_pid, tid) = (f.u32()?, f.u32()?);
            let name = name_of(f.0);
            Some(NameEvent::Named { tid, name })
        }
        RECORD_FORK => {
            let (_pid, _parent, tid, by) = (f.u32()?, f.u32()?, f.u32()?, f.u32()?);
            Some(NameEvent::Started { tid, by })
        }
        RECORD_EXIT => {
            let (_pid, _parent, tid) = (f.u32()?, f.u32()?, f.u32()?);
            Some(NameEvent::Ended { tid })
        }
        _ => None,
    }
}

fn name_of(bytes: &[u8]) -> ThreadName {
    let mut name = [0; 16];
    let text = bytes.iter().take(15).take_while(|b| **b != 0);
    for (to, from) in name.iter_mut().zip(text) {
        *to = *from;
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use records::bytes::Body;

    fn record(kind: u32, body: Body) -> Vec<u8> {
        let mut out = kind.to_le_bytes().to_vec();
        out.extend([0, 0]);
        out.extend(((body.0.len() + 8) as u16).to_le_bytes());
        out.extend(body.0);
        out
    }

    #[test]
    fn a_thread_is_called_as_its_maker_until_it_is_named() {
        let mut names = ThreadNames::default();
        let of = |text: &[u8]| name_of(text);
        let comm = record(
            RECORD_COMM,
            Body::default().u32(1).u32(1).bytes(b"sh\0\0rest"),
        );
        let fork = record(RECORD_FORK, Body::default().u32(1).u32(1).u32(2).u32(1));
        let named = record(
            RECORD_COMM,
            Body::default().u32(1).u32(2).bytes(b"worker\0\0"),
        );
        let exit = record(RECORD_EXIT, Body::default().u32(1).u32(1).u32(2).u32(1));
        names.apply(parse_name_event(&comm).unwrap());
        assert_eq!(names.get(1), of(b"sh"));
        names.apply(parse_name_event(&fork).unwrap());
        assert_eq!(names.get(2), of(b"sh"));
        names.apply(parse_name_event(&named).unwrap());
        assert_eq!((names.get(2), names.get(1)), (of(b"worker"), of(b"sh")));
        names.apply(parse_name_event(&exit).unwrap());
        assert_eq!(names.get(2), [0; 16]);
    }

    #[test]
    fn our_own_name_is_read_and_short_records_are_refused() {
        let mut names = ThreadNames::default();
        names.read(std::process::id());
        assert_ne!(names.get(std::process::id()), [0; 16]);
        assert_eq!(
            parse_name_event(&record(RECORD_FORK, Body::default().u32(1))),
            None
        );
        assert_eq!(parse_name_event(&[]), None);
    }
}
