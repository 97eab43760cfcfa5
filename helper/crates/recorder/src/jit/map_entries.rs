//! Entries of a perf map: lines of `START SIZE NAME`, both numbers hexadecimal (Linux: tools/perf/Documentation/jit-interface.txt).
//! Code is made anew in the same place, and its entry appended, so the last entry that covers an address counts.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

/// Longer lines are no entries.
const LINE_BYTES_MAX: usize = 4096;

#[derive(Debug, PartialEq, Eq)]
pub struct Names {
    /// One for each asked address.
    pub names: Vec<Option<String>>,
    pub lines: u64,
    /// Lines that are no entries.
    pub left_out: u64,
}

/// The names of `addresses`, which ascend. A last line that is not ended yet is no entry. Takes memory for the addresses
/// and their names only.
///
/// # Errors
/// When the file cannot be read.
pub fn names(file: impl Read + Seek, addresses: &[u64]) -> io::Result<Names> {
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let mut newest = Newest::of(addresses.len());
    let (mut lines, mut left_out, mut at) = (0, 0, 0);
    let mut line = Vec::new();
    while let Some(length) = next_line(&mut reader, &mut line)? {
        lines += 1;
        match entry(&line).filter(|_| length as usize <= LINE_BYTES_MAX) {
            Some((start, end, _)) => {
                let first = addresses.partition_point(|a| *a < start);
                let last = addresses.partition_point(|a| *a < end);
                newest.cover(first, last, at + 1);
            }
            None => left_out += 1,
        }
        at += length;
    }
    let mut names = vec![None; addresses.len()];
    let mut wanted: Vec<(u64, usize)> = (0..addresses.len())
        .filter_map(|index| Some((newest.of_place(index)?.checked_sub(1)?, index)))
        .collect();
    wanted.sort_unstable();
    for (at, index) in wanted {
        reader.seek(SeekFrom::Start(at))?;
        next_line(&mut reader, &mut line)?;
        // It may have been written anew meanwhile.
        names[index] = entry(&line)
            .filter(|(start, end, _)| (start..end).contains(&&addresses[index]))
            .map(|(_, _, name)| String::from_utf8_lossy(name).into_owned());
    }
    Ok(Names {
        names,
        lines,
        left_out,
    })
}

/// The next line without its end, of which at most `LINE_BYTES_MAX` bytes are kept, and its whole length. None: there is
/// no further line that has an end.
fn next_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<u64>> {
    line.clear();
    let mut length = 0;
    loop {
        let there = reader.fill_buf()?;
        if there.is_empty() {
            return Ok(None);
        }
        let end = there.iter().position(|b| *b == b'\n');
        let taken = end.unwrap_or(there.len());
        let room = LINE_BYTES_MAX - line.len();
        line.extend_from_slice(&there[..taken.min(room)]);
        length += taken as u64;
        reader.consume(taken + usize::from(end.is_some()));
        if end.is_some() {
            return Ok(Some(length + 1));
        }
    }
}

/// Start, end and name.
fn entry(line: &[u8]) -> Option<(u64, u64, &[u8])> {
    let mut words = line.splitn(3, |b| *b == b' ');
    let mut number = || {
        let digits = words.next()?;
        let digits = digits.strip_prefix(b"0x").unwrap_or(digits);
        let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
        u64::from_str_radix(std::str::from_utf8(digits).ok().filter(|_| is_number)?, 16).ok()
    };
    let (start, size) = (number()?, number()?);
    let end = start.checked_add(size).filter(|end| *end > start)?;
    let name = words.next()?.trim_ascii();
    (!name.is_empty()).then_some((start, end, name))
}

/// For each of a row of places, the last value that was put over it. Values ascend: a binary tree over the places, whose
/// nodes hold what was put over all that is below them, and the greatest on the way up is the last.
struct Newest {
    places: usize,
    nodes: Vec<u64>,
}

impl Newest {
    fn of(places: usize) -> Newest {
        Newest {
            places,
            nodes: vec![0; 2 * places],
        }
    }

    fn cover(&mut self, first: usize, end: usize, value: u64) {
        let (mut low, mut high) = (first + self.places, end + self.places);
        while low < high {
            if low % 2 == 1 {
                self.nodes[low] = value;
                low += 1;
            }
            if high % 2 == 1 {
                high -= 1;
                self.nodes[high] = value;
            }
            (low, high) = (low / 2, high / 2);
        }
    }

    /// 0: nothing was.
    fn of_place(&self, place: usize) -> Option<u64> {
        let up = std::iter::successors(Some(place + self.places), |node| Some(node / 2));
        up.take_while(|node| *node > 0)
            .map(|node| self.nodes[node])
            .max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn found(map: &str, addresses: &[u64]) -> Names {
        names(Cursor::new(map), addresses).unwrap()
    }

    fn texts(names: &Names) -> Vec<&str> {
        names
            .names
            .iter()
            .map(|n| n.as_deref().unwrap_or("-"))
            .collect()
    }

    #[test]
    fn the_last_entry_that_covers_an_address_names_it_and_no_other_does() {
        let map = "1000 100 first\n1080 10 inner one\n2000 10 other\n1000 20 again\n";
        let names = found(
            map,
            &[
                0xfff, 0x1000, 0x101f, 0x1020, 0x1085, 0x10ff, 0x1100, 0x2000,
            ],
        );
        assert_eq!(
            texts(&names),
            [
                "-",
                "again",
                "again",
                "first",
                "inner one",
                "first",
                "-",
                "other"
            ]
        );
        assert_eq!((names.lines, names.left_out), (4, 0));
    }

    #[test]
    fn garbage_overflow_and_overlong_lines_are_left_out_and_counted() {
        let long = format!("1000 10 {}\n", "x".repeat(LINE_BYTES_MAX));
        let map = format!(
            "garbage\n\n1000\n1000 10\n1000 10 \n1000 0 empty\n-1000 10 x\n+1000 10 x\nffffffffffffffff 2 x\n11112222333344445 1 x\n{long}\u{0}\n1000 10 good\n"
        );
        let names = found(&map, &[0x1000, 0x1fff]);
        assert_eq!(texts(&names), ["good", "-"]);
        assert_eq!((names.lines, names.left_out), (13, 12));
    }

    #[test]
    fn a_line_that_is_still_being_written_is_no_entry() {
        assert_eq!(
            texts(&found("1000 10 whole\n1000 10 ha", &[0x1000])),
            ["whole"]
        );
        assert_eq!(texts(&found("", &[0x1000])), ["-"]);
        assert_eq!(texts(&found("1000 10 x\n", &[])), [""; 0]);
    }

    #[test]
    fn it_agrees_with_looking_at_every_entry() {
        let mut seed = 1u64;
        let mut random = |limit: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % limit
        };
        let entries: Vec<(u64, u64)> = (0..500).map(|_| (random(1000), 1 + random(90))).collect();
        let lines = entries.iter().enumerate();
        let map: String = lines
            .map(|(n, (start, size))| format!("{start:x} {size:x} f{n}\n"))
            .collect();
        let addresses: Vec<u64> = (0..1100).step_by(3).collect();
        let expected: Vec<String> = (addresses.iter())
            .map(|a| {
                let last = entries
                    .iter()
                    .rposition(|(start, size)| (*start..start + size).contains(a));
                last.map_or("-".to_owned(), |n| format!("f{n}"))
            })
            .collect();
        assert_eq!(texts(&found(&map, &addresses)), expected);
    }
}
