//! A program under ptrace: its registers, stack and mappings, instruction by instruction.

use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

use walk::x86_64::{REGISTERS, Registers};

use super::Mapped;
use super::stepped::{Instruction, Stepped, Stop};

pub struct StoppedProcess {
    child: Child,
    memory: std::fs::File,
    maps: String,
}

impl StoppedProcess {
    /// Stopped before its first instruction.
    pub fn start(mut command: Command) -> StoppedProcess {
        // SAFETY: ptrace(TRACEME) and personality are async-signal-safe and touch no memory of ours.
        unsafe {
            command.pre_exec(|| {
                libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
                match libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) {
                    0 => Ok(()),
                    _ => Err(std::io::Error::last_os_error()),
                }
            });
        }
        let child = command.spawn().expect("the program starts");
        let pid = child.id();
        let mut process = StoppedProcess {
            child,
            memory: std::fs::File::open(format!("/proc/{pid}/mem"))
                .expect("our own child's memory"),
            maps: String::new(),
        };
        assert_eq!(process.wait().0, Stop::Trap, "stopped at its exec");
        process.memory =
            std::fs::File::open(format!("/proc/{pid}/mem")).expect("of the new program");
        process
    }

    /// Until its next breakpoint; signals are delivered.
    ///
    /// # Panics
    /// When it ends before.
    pub fn run_to_breakpoint(&mut self) {
        let mut signal = 0;
        loop {
            match self.go(libc::PTRACE_CONT, signal) {
                Stop::Trap => return,
                Stop::Signal(number) => signal = number,
                Stop::Ended => panic!("the program ended before its breakpoint"),
            }
        }
    }

    fn go(&mut self, request: libc::c_uint, signal: i32) -> Stop {
        // SAFETY: the child is ours and stopped; these requests use no memory of ours.
        let result =
            unsafe { libc::ptrace(request, self.child.id() as i32, 0, signal as libc::c_long) };
        assert_eq!(result, 0, "{}", std::io::Error::last_os_error());
        self.wait().0
    }

    fn wait(&mut self) -> (Stop, i32) {
        let mut status = 0;
        // SAFETY: status is valid for writing; the child has not been waited for to its end.
        let pid = unsafe { libc::waitpid(self.child.id() as i32, &mut status, 0) };
        assert!(pid > 0, "{}", std::io::Error::last_os_error());
        let stop = match status {
            s if !libc::WIFSTOPPED(s) => Stop::Ended,
            s if libc::WSTOPSIG(s) == libc::SIGTRAP => Stop::Trap,
            s => Stop::Signal(libc::WSTOPSIG(s)),
        };
        (stop, status)
    }
}

impl Stepped<REGISTERS> for StoppedProcess {
    fn registers(&mut self) -> Registers {
        // SAFETY: an all-zero user_regs_struct is valid, and the kernel fills it.
        let r = unsafe {
            let mut registers: libc::user_regs_struct = std::mem::zeroed();
            let result = libc::ptrace(
                libc::PTRACE_GETREGS,
                self.child.id() as i32,
                0,
                &mut registers,
            );
            assert_eq!(result, 0, "{}", std::io::Error::last_os_error());
            registers
        };
        Registers {
            general: [
                r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8, r.r9, r.r10, r.r11,
                r.r12, r.r13, r.r14, r.r15,
            ],
            ip: r.rip,
            is_exact: true,
        }
    }

    fn instruction(&mut self, ip: u64) -> Instruction {
        match self.read(ip, 4)[..] {
            [0xcc, ..] => Instruction::Breakpoint,       // int3
            [0x0f, 0x05, ..] => Instruction::SystemCall, // syscall
            // mov %rbp, %rsp ends a frame.
            [0x48, 0x89, 0xec, _] => Instruction::Plain,
            // Another value goes to rsp, or rbp is cleared, as Go's scheduler does.
            [0x48..=0x4f, 0x8b, mod_rm, _] if mod_rm >> 3 & 7 == 4 => Instruction::ChangesStack,
            [0x48..=0x4f, 0x89, mod_rm, _] if mod_rm >> 6 == 3 && mod_rm & 7 == 4 => {
                Instruction::ChangesStack
            }
            [0x48, 0xc7, 0xc5, _] => Instruction::ChangesStack,
            // A prefix (bnd, rep, notrack, data16, addr32, REX) may stand before the instruction itself.
            [
                0xf2 | 0xf3 | 0x3e | 0x66 | 0x67 | 0x40..=0x4f,
                first,
                second,
                third,
            ] => match (first, second) {
                (0x40..=0x4f, _) => call_or_return(second, third),
                _ => call_or_return(first, second),
            },
            [first, second, ..] => call_or_return(first, second),
            _ => Instruction::Undecoded,
        }
    }

    fn step(&mut self, signal: i32) -> Stop {
        self.go(libc::PTRACE_SINGLESTEP, signal)
    }

    fn read(&mut self, start: u64, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        let mut filled = 0;
        if self.memory.seek(SeekFrom::Start(start)).is_ok() {
            while let Ok(n @ 1..) = self.memory.read(&mut bytes[filled..]) {
                filled += n;
            }
        }
        bytes.truncate(filled);
        bytes
    }

    fn read_exact(&mut self, address: u64, to: &mut [u8]) -> bool {
        self.memory.read_exact_at(to, address).is_ok()
    }

    fn changed_mappings(&mut self) -> Option<Vec<Mapped>> {
        let maps =
            std::fs::read_to_string(format!("/proc/{}/maps", self.child.id())).unwrap_or_default();
        if maps == self.maps {
            return None;
        }
        let mapped = maps.lines().filter_map(executable_mapping).collect();
        self.maps = maps;
        Some(mapped)
    }
}

impl Drop for StoppedProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Of the first byte of an instruction and what follows (Intel SDM 2B, CALL: E8 and FF /2; RET: C3 and C2).
fn call_or_return(first: u8, mod_rm: u8) -> Instruction {
    match first {
        0xe8 => Instruction::Call,
        0xff if mod_rm >> 3 & 7 == 2 => Instruction::Call,
        0xc2 | 0xc3 => Instruction::Return,
        // jmp *: Go's scheduler enters a goroutine by it.
        0xff if mod_rm >> 3 & 7 == 4 => Instruction::Undecoded,
        _ => Instruction::Plain,
    }
}

fn executable_mapping(line: &str) -> Option<Mapped> {
    let permissions = line.split_ascii_whitespace().nth(1)?;
    let mapped = Mapped::of_maps_line(line)?;
    (permissions.as_bytes()[2] == b'x' && mapped.path != "[vsyscall]").then_some(mapped)
}
