//! An aarch64 program in qemu's user-mode emulation: its registers, stack and mappings, instruction by instruction.

use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use walk::aarch64::{REGISTERS, Registers};

use super::Mapped;
use super::gdb_remote::GdbRemote;
use super::stepped::{Instruction, Stepped, Stop};

/// Where Debian's cross compiler has its libraries.
const SYSROOT: &str = "/usr/aarch64-linux-gnu";
const PC: usize = 32;

pub struct EmulatedProgram {
    emulator: Child,
    remote: GdbRemote,
    program: PathBuf,
    maps: String,
}

impl EmulatedProgram {
    /// Stopped before its first instruction; `directory` has room for a socket.
    pub fn start(program: &Path, directory: &Path) -> EmulatedProgram {
        let socket = directory.join("gdb");
        let mut emulator = Command::new("qemu-aarch64")
            .args(["-L", SYSROOT, "-g"])
            .arg(&socket)
            .arg(program)
            .stdout(Stdio::null())
            .env("LC_ALL", "C")
            .env_remove("LD_BIND_NOW")
            .spawn()
            .expect("qemu-user is installed");
        let patience = Instant::now() + Duration::from_secs(20);
        let stream = loop {
            match UnixStream::connect(&socket) {
                Ok(stream) => break stream,
                Err(why) if Instant::now() > patience => {
                    let _ = emulator.kill();
                    panic!("qemu-aarch64 does not listen: {why}");
                }
                Err(_) => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        EmulatedProgram {
            emulator,
            remote: GdbRemote::new(stream),
            program: program.to_owned(),
            maps: String::new(),
        }
    }

    /// Until after its next breakpoint; signals are delivered.
    ///
    /// # Panics
    /// When it ends before.
    pub fn run_to_breakpoint(&mut self) {
        let mut signal = 0;
        loop {
            match self.remote.run(signal) {
                Stop::Trap => break,
                Stop::Signal(number) => signal = number,
                Stop::Ended => panic!("the program ended before its breakpoint"),
            }
        }
        let ip = self.registers().ip;
        assert_eq!(self.instruction(ip), Instruction::Breakpoint);
        self.remote.set_register(PC, ip + 4);
    }

    /// A line of the emulator's mappings, which has the program's at the program's own addresses, never executable.
    fn executable_mapping(&self, line: &str) -> Option<Mapped> {
        let mapped = Mapped::of_maps_line(line)?;
        let path = Path::new(&mapped.path);
        if path != self.program && !path.starts_with(SYSROOT) {
            return None;
        }
        let layout = unwind::layout_of_elf(&std::fs::read(path).ok()?).ok()?;
        layout
            .vaddr_of_offset(mapped.file_offset, 4096)
            .map(|_| mapped)
    }
}

impl Stepped<REGISTERS> for EmulatedProgram {
    fn registers(&mut self) -> Registers {
        let bytes = self.remote.registers();
        let words = &bytes.as_chunks().0[..=PC];
        Registers {
            general: std::array::from_fn(|number| u64::from_le_bytes(words[number])),
            ip: u64::from_le_bytes(words[PC]),
            is_exact: true,
        }
    }

    fn instruction(&mut self, ip: u64) -> Instruction {
        let code = self.read(ip, 4);
        match code.try_into().map(u32::from_le_bytes) {
            Ok(0xd420_0000) => Instruction::Breakpoint, // brk #0
            Ok(0xd400_0001) => Instruction::SystemCall, // svc #0
            Ok(0x9400_0000..=0x97ff_ffff) => Instruction::Call, // bl
            Ok(code) if code & 0xfeff_f000 == 0xd63f_0000 => Instruction::Call, // blr, blraa, …
            Ok(0xd65f_03c0 | 0xd65f_0bff | 0xd65f_0fff) => Instruction::Return, // ret, retaa, retab
            _ => Instruction::Plain,
        }
    }

    fn step(&mut self, signal: i32) -> Stop {
        self.remote.step(signal)
    }

    fn read(&mut self, start: u64, length: usize) -> Vec<u8> {
        self.remote.memory(start, length).unwrap_or_default()
    }

    fn read_exact(&mut self, address: u64, to: &mut [u8]) -> bool {
        let found = self.remote.memory(address, to.len());
        found.inspect(|bytes| to.copy_from_slice(bytes)).is_some()
    }

    fn changed_mappings(&mut self) -> Option<Vec<Mapped>> {
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", self.emulator.id()))
            .unwrap_or_default();
        if maps == self.maps {
            return None;
        }
        let lines = maps.lines();
        let mapped = lines.filter_map(|l| self.executable_mapping(l)).collect();
        self.maps = maps;
        Some(mapped)
    }
}

impl Drop for EmulatedProgram {
    fn drop(&mut self) {
        let _ = self.emulator.kill();
        let _ = self.emulator.wait();
    }
}
