//! The beginning of a recording: the target stopped or found, its code made known, the sampler attached.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use records::layout::Counter;
use records::{FileId, FromSampler, MappingRecord, PROTOCOL_VERSION, ToSampler};
use target::{LaunchOptions, MapsEntry};

use super::address_spaces::AddressSpaces;
use super::environment::Environment;
use super::modules::Modules;
use super::recording::{CHECKPOINT_EVERY, Recording, TargetState};
use super::sampler_process::SamplerProcess;
use super::stacks::CountedStacks;
use super::{EndReason, Incoming, RecordError, RecordOptions, Target};

impl Recording {
    pub(super) fn start(
        options: &RecordOptions,
        sender: SyncSender<Incoming>,
        incoming: &Receiver<Incoming>,
    ) -> Result<Recording, RecordError> {
        let (target, pid, tids) = match &options.target {
            Target::Launch { .. } => {
                let stopped = target::launch_stopped(&launch_options(&options.target))?;
                let pid = stopped.pid();
                (TargetState::Stopped(stopped), pid, vec![pid])
            }
            Target::Attach { pid } => (TargetState::Attached, *pid, target::threads_of(*pid)?),
        };
        let cwd = working_directory(&options.target);
        let mut recording = Recording {
            pid,
            target,
            sampler: SamplerProcess::start(sender)?,
            modules: Modules::default(),
            spaces: AddressSpaces::default(),
            stacks: CountedStacks::default(),
            kernel_names: Vec::new(),
            counters: [0; Counter::ALL.len()],
            lost_mapping_records: 0,
            hardware_cycles: false,
            started: Instant::now(),
            started_at: SystemTime::now(),
            started_monotonic_ns: 0,
            ended: None,
            exit: None,
            end_reason: EndReason::Exited,
            stopping: None,
            discard: false,
            problems: Vec::new(),
            environment: Some(gather_environment(&cwd)),
            cwd,
            next_checkpoint: Instant::now() + CHECKPOINT_EVERY,
        };
        recording.introduce(options, tids)?;
        recording.wait_until_ready(incoming)?;
        Ok(recording)
    }

    /// Tells the sampler what the target has mapped and whom to sample.
    fn introduce(&mut self, options: &RecordOptions, tids: Vec<u32>) -> Result<(), RecordError> {
        let maps = target::executable_mappings(self.pid).map_err(|e| {
            RecordError::internal(format!(
                "the mappings of process {} cannot be read: {e}",
                self.pid
            ))
        })?;
        let mut mappings = Vec::new();
        for entry in &maps {
            let file = file_id_of(entry);
            self.add_mapping(
                self.pid,
                0,
                entry.start,
                entry.end - entry.start,
                entry.file_offset,
                file,
                &entry.path,
            );
            mappings.push(MappingRecord {
                pid: self.pid,
                start: entry.start,
                length: entry.end - entry.start,
                file_offset: entry.file_offset,
                file,
            });
        }
        if matches!(options.target, Target::Launch { .. }) {
            self.expect_libraries(options, &maps);
        }
        let capacity = self.modules.fix_capacity();
        let hello = ToSampler::Hello {
            version: PROTOCOL_VERSION,
            sample_hz: options.sample_hz,
            kernel_stacks: true,
            row_capacity: capacity.rows,
            page_capacity: capacity.pages,
        };
        self.sampler.say(&hello);
        self.modules.tell(self.sampler.unsent());
        for mapping in mappings {
            self.sampler.say(&ToSampler::Mapping(mapping));
        }
        self.sampler.say(&ToSampler::Attach { tids });
        self.sampler.send();
        Ok(())
    }

    /// Reads the libraries that the loader is going to map, so that their rows are there before their code runs.
    fn expect_libraries(&mut self, options: &RecordOptions, maps: &[MapsEntry]) {
        let Some(program) = maps.iter().find(|m| m.path.starts_with('/')) else {
            return;
        };
        let Some(interpreter) = self
            .modules
            .iter()
            .find(|(_, m)| m.path == Path::new(&program.path))
            .and_then(|(_, m)| m.layout.as_ref()?.interpreter.clone())
        else {
            return; // statically linked
        };
        let interpreter = PathBuf::from(String::from_utf8_lossy(&interpreter).into_owned());
        let launch = launch_options(&options.target);
        let device = (program.device_major, program.device_minor);
        for library in target::needed_libraries(&interpreter, Path::new(&program.path), &launch) {
            self.modules.expect_library(&library, device);
        }
    }

    fn wait_until_ready(&mut self, incoming: &Receiver<Incoming>) -> Result<(), RecordError> {
        const WAIT: Duration = Duration::from_secs(20);
        loop {
            match incoming.recv_timeout(WAIT) {
                Ok(Incoming::Sampler(messages)) => {
                    if self.take_first_messages(messages)? {
                        return Ok(());
                    }
                }
                Ok(Incoming::SamplerGone(why)) => {
                    let complaints = self.sampler.complaints();
                    return Err(RecordError::sampler_gone(why, &complaints));
                }
                Ok(_) => {}
                Err(_) => {
                    return Err(RecordError::internal(format!(
                        "the sampler was not ready after {} s",
                        WAIT.as_secs()
                    )));
                }
            }
        }
    }

    /// Whether the sampler said that it is ready; samples may already follow in the same batch.
    fn take_first_messages(&mut self, messages: Vec<FromSampler>) -> Result<bool, RecordError> {
        let mut ready = false;
        for message in messages {
            match message {
                FromSampler::Hello { version } if version != PROTOCOL_VERSION => {
                    return Err(RecordError::other_sampler(version));
                }
                FromSampler::Ready { hardware_cycles } => {
                    self.hardware_cycles = hardware_cycles;
                    ready = true;
                }
                FromSampler::Failed(error) => {
                    return Err(RecordError::of_sampler(error, &self.sampler.complaints()));
                }
                other => self.handle(other),
            }
        }
        Ok(ready)
    }
}

fn gather_environment(cwd: &Path) -> thread::JoinHandle<Environment> {
    let cwd = cwd.to_owned();
    thread::spawn(move || Environment::of(&cwd))
}

fn working_directory(target: &Target) -> PathBuf {
    let directory = match target {
        Target::Launch { cwd: Some(cwd), .. } => Ok(cwd.clone()),
        Target::Launch { cwd: None, .. } => std::env::current_dir(),
        Target::Attach { pid } => std::fs::read_link(format!("/proc/{pid}/cwd")),
    };
    directory.unwrap_or_default()
}

fn launch_options(target: &Target) -> LaunchOptions {
    match target {
        Target::Launch {
            program,
            args,
            cwd,
            env,
            terminal,
        } => LaunchOptions {
            program: program.clone(),
            args: args.clone(),
            cwd: cwd.clone(),
            env: env.clone(),
            terminal: *terminal,
        },
        Target::Attach { .. } => unreachable!("only launched targets have launch options"),
    }
}

fn file_id_of(entry: &MapsEntry) -> FileId {
    if entry.path == "[vdso]" {
        return FileId::VDSO;
    }
    FileId {
        device_major: entry.device_major,
        device_minor: entry.device_minor,
        inode: entry.inode,
    }
}
