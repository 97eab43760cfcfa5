//! The few packets of GDB's remote protocol (GDB manual, appendix E) that it takes to drive an emulated program.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;

use super::stepped::Stop;

pub struct GdbRemote {
    stream: BufReader<UnixStream>,
}

impl GdbRemote {
    pub fn new(stream: UnixStream) -> GdbRemote {
        GdbRemote {
            stream: BufReader::new(stream),
        }
    }

    /// The machine's registers in GDB's order, as bytes.
    pub fn registers(&mut self) -> Vec<u8> {
        bytes_of_hex(&self.request("g")).expect("registers of a stopped program")
    }

    /// Sets a register of 8 bytes, of which there are `number` before it.
    ///
    /// # Panics
    /// When it cannot be set.
    pub fn set_register(&mut self, number: usize, value: u64) {
        let mut bytes = self.registers();
        bytes[8 * number..][..8].copy_from_slice(&value.to_le_bytes());
        let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(self.request(&format!("G{hex}")), "OK");
    }

    /// None when one of the bytes cannot be read.
    pub fn memory(&mut self, address: u64, length: usize) -> Option<Vec<u8>> {
        let bytes = bytes_of_hex(&self.request(&format!("m{address:x},{length:x}")))?;
        (bytes.len() == length).then_some(bytes)
    }

    /// Executes one instruction; `signal`, in GDB's numbers, is delivered first, 0 for none.
    pub fn step(&mut self, signal: i32) -> Stop {
        self.go_on('s', signal)
    }

    /// Until it stops by itself.
    pub fn run(&mut self, signal: i32) -> Stop {
        self.go_on('c', signal)
    }

    fn go_on(&mut self, how: char, signal: i32) -> Stop {
        let stop = self.request(&match signal {
            0 => format!("vCont;{how}"),
            _ => format!("vCont;{}{signal:02x}", how.to_ascii_uppercase()),
        });
        let number = stop.get(1..3).and_then(|n| i32::from_str_radix(n, 16).ok());
        match (stop.chars().next(), number) {
            (Some('T' | 'S'), Some(5)) => Stop::Trap,
            (Some('T' | 'S'), Some(number)) => Stop::Signal(number),
            (Some('W' | 'X'), _) => Stop::Ended,
            _ => panic!("no reason to stop: {stop:?}"),
        }
    }

    /// The reply to a packet. Replies are taken as they come: the connection loses nothing.
    fn request(&mut self, packet: &str) -> String {
        let sum = packet.bytes().fold(0, u8::wrapping_add);
        // The + is for the reply before.
        let sent = format!("+${packet}#{sum:02x}");
        let stream = self.stream.get_mut();
        stream.write_all(sent.as_bytes()).expect("it listens");
        let (mut ignored, mut reply, mut sum) = (Vec::new(), Vec::new(), [0; 2]);
        self.stream
            .read_until(b'$', &mut ignored)
            .expect("it replies");
        self.stream
            .read_until(b'#', &mut reply)
            .expect("it replies");
        reply.pop();
        // When the program has ended, so may the connection.
        let _ = self.stream.read_exact(&mut sum);
        String::from_utf8(reply).expect("a reply is text")
    }
}

fn bytes_of_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes().chunks(2);
    let byte = |two: &[u8]| u8::from_str_radix(str::from_utf8(two).ok()?, 16).ok();
    digits.map(byte).collect()
}
