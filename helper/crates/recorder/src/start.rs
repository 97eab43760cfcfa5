//! The beginning of a recording: the target stopped or found, its code made known, the sampler attached.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use records::{CallPlace, FromSampler, Mapping, PROTOCOL_VERSION, ThreadId, ToSampler};
use supervision::{Job, LOOK_EVERY, Patience, Urgency};
use target::Launcher;

use super::address_spaces::AddressSpaces;
use super::calls::{self, FileOfCalls};
use super::copied_stacks::CopiedStacks;
use super::counters::Counters;
use super::environment::Environment;
use super::evidence::Evidence;
use super::go_programs::GoPrograms;
use super::jit::JitProcesses;
use super::journal::Steps;
use super::launch_options::{launch_options, launch_options_of};
use super::mapped_paths::{Programs, mapping_of};
use super::module_files::ModuleFiles;
use super::modules::Modules;
use super::own_samples::OwnSamples;
use super::preload::{self, Library};
use super::process_repetitions::ProcessRepetitions;
use super::recording::{Recording, TargetState};
use super::repetitions::{Repetition, Repetitions};
use super::sampler::Sampler;
use super::sampler_watch::SamplerWatch;
use super::stopping::KILLED_WITHIN;
use super::turns::Turn;
use super::work::Work;
use super::{AttachTo, Incoming, Privilege, RecordError, RecordOptions, Target};

impl<'a> Recording<'a> {
    pub(super) fn start(
        options: &RecordOptions,
        library: Option<Library>,
        turn: Option<&'a Turn>,
        warm_ups: Vec<Repetition>,
        urgency: &Urgency,
        sender: SyncSender<Incoming>,
        incoming: &Receiver<Incoming>,
    ) -> Result<Recording<'a>, RecordError> {
        let mut launcher = None;
        let (target, processes) = match &options.target {
            Target::Launch { .. } => {
                let internal = |e| RecordError::internal(format!("cannot start a thread: {e}"));
                let launching = Launcher::start(urgency).map_err(internal)?;
                let launch = launch_options_of(options, 0);
                let waiting = launching.launch(&launch, Duration::ZERO)?;
                launcher = Some(launching);
                (
                    TargetState::Waiting(waiting),
                    vec![(waiting.pid, vec![waiting.pid])],
                )
            }
            Target::Attach(to) => (TargetState::Attached, to.processes()?),
        };
        let pid = processes.first().map_or(0, |(pid, _)| *pid);
        let cwd = working_directory(&options.target, pid);
        let privilege =
            match library.is_some() || !options.calls.is_empty() || !options.counters.is_empty() {
                true => Privilege::Required,
                false => options.privilege,
            };
        let (sampler, refused) = Sampler::with(privilege, urgency, sender.clone())?;
        let told = turn.is_some() || !matches!(options.work, Work::Unknown);
        let mut seen = Evidence {
            asked_hz: options.chosen.sample_hz,
            waits_wanted: options.chosen.waiting,
            wakeups_wanted: options.chosen.wakeups,
            faults_wanted: options.chosen.faults,
            syscalls_wanted: options.chosen.syscalls,
            counters_of_events: Counters::of(&options.counters)?,
            work_from: match &options.work {
                Work::FromOutput(expression) => Some(expression.as_str().to_owned()),
                Work::Unknown | Work::Each(_) => None,
            },
            pid,
            attached: processes.iter().map(|(pid, _)| *pid).collect(),
            cwd,
            started_at: SystemTime::now(),
            by: sampler.sampled_by(),
            repetitions: Repetitions::new(options.chosen.repeat, warm_ups, told),
            ..Evidence::default()
        };
        seen.sampled_events.has_huge_pages = has_huge_pages();
        let mut recording = Recording {
            environment: gather_environment(&seen.cwd, urgency),
            library,
            go: None,
            go_programs: GoPrograms::default(),
            reports: None,
            seen,
            launcher,
            turn,
            urgency: urgency.clone(),
            is_synced: false,
            of_processes: ProcessRepetitions::default(),
            own_samples: OwnSamples::of(std::process::id()),
            sender: None,
            target,
            job: Job::default(),
            sampler_watch: SamplerWatch::new(urgency, sampler.pid()),
            sampler,
            sampler_ended: false,
            refused,
            files: ModuleFiles::with(urgency),
            programs: Programs::default(),
            jit: JitProcesses::default(),
            copies: CopiedStacks::default(),
            started: Instant::now(),
            ended: None,
            stopping: None,
            ending: None,
            killed: Patience::new(KILLED_WITHIN, urgency),
            discard: false,
            steps: Steps::default(),
        };
        match recording.attach(options, &processes, incoming) {
            Err(e) if recording.refused.is_some() => {
                let refused = recording.refused.take();
                return Err(refused.map_or(e.clone(), |r| r.and_without_privilege(e)));
            }
            Err(refused) if privilege == Privilege::BestAvailable && refused.is_refusal() => {
                recording.fall_back(refused.clone(), sender, incoming);
                recording
                    .attach(options, &processes, incoming)
                    .map_err(|e| refused.and_without_privilege(e))?;
            }
            other => other?,
        }
        Ok(recording)
    }

    fn attach(
        &mut self,
        options: &RecordOptions,
        processes: &[(u32, Vec<u32>)],
        incoming: &Receiver<Incoming>,
    ) -> Result<(), RecordError> {
        self.introduce(options, processes)?;
        if let Target::Attach(to) = &options.target {
            self.catch_up(to, processes, incoming)?;
        }
        self.sampler.say(&ToSampler::Start);
        self.sampler.send();
        self.wait_for(incoming, &READY)
    }

    /// Goes on without privilege, as if nothing had been tried before.
    fn fall_back(
        &mut self,
        refused: RecordError,
        sender: SyncSender<Incoming>,
        incoming: &Receiver<Incoming>,
    ) {
        self.refused = Some(refused);
        // The sampler that gave up still says that it has ended: that must not be taken for the end of the next one.
        const PATIENCE: Duration = Duration::from_secs(5);
        self.sampler.end(Duration::ZERO, &self.urgency);
        let mut patience = Patience::new(PATIENCE, &self.urgency);
        while !matches!(
            supervision::receive(incoming, &mut patience),
            Ok(Incoming::SamplerGone(_)) | Err(_)
        ) {}
        self.sampler = Sampler::unprivileged(sender);
        self.sampler_watch = SamplerWatch::new(&self.urgency, None);
        self.seen.by = self.sampler.sampled_by();
        self.files = ModuleFiles::with(&self.urgency);
        self.seen.modules = Modules::default();
        self.seen.spaces = AddressSpaces::default();
        self.copies = CopiedStacks::default();
        self.seen.cut_copies = 0;
        self.jit = JitProcesses::default();
    }

    /// Tells the sampler what the target has mapped and whom to sample.
    fn introduce(
        &mut self,
        options: &RecordOptions,
        processes: &[(u32, Vec<u32>)],
    ) -> Result<(), RecordError> {
        let mut mappings = Vec::new();
        for (pid, _) in processes {
            match self.mappings_of(*pid) {
                Ok(found) => mappings.extend(found),
                Err(e) if processes.len() == 1 => return Err(unreadable(*pid, &e)),
                Err(_) => {} // it has ended
            }
        }
        if matches!(options.target, Target::Launch { .. }) {
            self.expect_libraries(options);
        }
        self.look_at_program(options);
        let capacity = self.files.fix_capacity();
        let hello = ToSampler::Hello {
            version: PROTOCOL_VERSION,
            sample_hz: options.chosen.sample_hz,
            kernel_stacks: true,
            user_frames: options.chosen.max_frames,
            row_capacity: capacity.rows,
            page_capacity: capacity.pages,
            stack_copies: options.chosen.stack_copies,
            timers: options.timers,
            waits: options.chosen.waiting,
            allocations: options.chosen.allocations,
            calls: !options.calls.is_empty(),
            latency: options.chosen.latency,
            faults: options.chosen.faults,
            syscalls: options.chosen.syscalls,
            counters: self.seen.counters_of_events.count(),
            allocation_places: options.chosen.allocations,
            wakeups: options.chosen.wakeups,
        };
        self.sampler.say(&hello);
        let events = self.seen.counters_of_events.requests();
        if !events.is_empty() {
            self.sampler.say(&ToSampler::Counters { events });
        }
        self.send_library(options)?;
        self.tell_of_modules();
        let mut threads = threads_of(processes);
        if let Some(launcher) = self.launcher.as_ref().filter(|_| options.chosen.repeat > 1) {
            threads.push(ThreadId {
                pid: std::process::id(),
                tid: launcher.tid(),
            });
        }
        self.sampler.say(&ToSampler::Attach { threads });
        // The sampler takes mappings of processes alone that it may look into.
        for (pid, mapping) in mappings {
            self.sampler.say(&ToSampler::Mapping { pid, mapping });
        }
        self.send_allocation_places()?;
        self.choose_calls(options)
    }

    /// Finds the functions whose calls are wanted, and has the sampler count them. What is attached to is known to it by now.
    fn choose_calls(&mut self, options: &RecordOptions) -> Result<(), RecordError> {
        if options.calls.is_empty() {
            return Ok(());
        }
        let (modules, files) = (&self.seen.modules, &self.files);
        let (calls, files) = calls::choose(options, modules, files, &self.urgency)?;
        self.seen.calls = calls;
        for FileOfCalls { file, places } in files {
            for places in places.chunks(CallPlace::PER_MESSAGE) {
                let copy = file.try_clone();
                let copy =
                    copy.map_err(|e| RecordError::internal(format!("cannot pass a file on: {e}")))?;
                let places = places.to_vec();
                (self.sampler).send_file(&ToSampler::Calls { places }, copy.into());
            }
        }
        Ok(())
    }

    /// Where the sampler is to put its probes, if allocations are wanted. The command has not loaded the library yet.
    fn send_library(&mut self, options: &RecordOptions) -> Result<(), RecordError> {
        let Some(library) = &self.library else {
            return Ok(());
        };
        self.seen.allocations.interval = preload::interval(&launch_options(options).env);
        if self.reports.is_some() {
            return Ok(()); // the library would count the same memory
        }
        let copy = library.file.try_clone();
        let copy =
            copy.map_err(|e| RecordError::internal(format!("cannot pass a file on: {e}")))?;
        self.sampler.send_file(&library.probes, copy.into());
        self.files
            .expect_library(&mut self.seen.modules, &library.path);
        Ok(())
    }

    /// Processes and threads that began, and libraries that were loaded, while the others were being attached to.
    /// From now on the kernel reports what changes; what it reports is sampled by inheritance and left out here by
    /// the sampler.
    fn catch_up(
        &mut self,
        to: &AttachTo,
        known: &[(u32, Vec<u32>)],
        incoming: &Receiver<Incoming>,
    ) -> Result<(), RecordError> {
        const ROUNDS_MAX: usize = 8;
        self.sampler.say(&ToSampler::Sync);
        self.sampler.send();
        self.wait_for(incoming, &FromSampler::Synced)?;
        let mut known: HashSet<ThreadId> = threads_of(known).into_iter().collect();
        for _ in 0..ROUNDS_MAX {
            let now = to.processes()?;
            // A thread is to be seen in /proc a moment before the kernel reports it.
            thread::sleep(Duration::from_millis(2));
            let mut mappings = Vec::new();
            for (pid, _) in &now {
                mappings.extend(self.mappings_of(*pid).unwrap_or_default());
            }
            self.tell_of_modules();
            let mut threads = threads_of(&now);
            threads.retain(|t| known.insert(*t));
            let done = threads.is_empty();
            self.sampler.say(&ToSampler::Attach { threads });
            for (pid, mapping) in mappings {
                self.sampler.say(&ToSampler::Mapping { pid, mapping });
            }
            self.sampler.say(&ToSampler::Sync);
            self.sampler.send();
            self.wait_for(incoming, &FromSampler::Synced)?;
            if done {
                break;
            }
        }
        Ok(())
    }

    /// Notes what a process has mapped as code.
    fn mappings_of(&mut self, pid: u32) -> io::Result<Vec<(u32, Mapping)>> {
        let maps = target::executable_mappings(pid)?;
        let mut mappings = Vec::new();
        for entry in &maps {
            let mapping = mapping_of(entry);
            self.add_mapping(pid, 0, mapping, &entry.path);
            mappings.push((pid, mapping));
        }
        Ok(mappings)
    }

    /// Reads the libraries that the loader is going to map, so that their rows are there before their code runs.
    fn expect_libraries(&mut self, options: &RecordOptions) {
        let maps = target::executable_mappings(self.seen.pid).unwrap_or_default();
        let Some(program) = maps.iter().find(|m| m.path.is_absolute()) else {
            return;
        };
        let Some(interpreter) = self
            .seen
            .modules
            .iter()
            .find(|(_, m)| m.path == program.path)
            .and_then(|(_, m)| m.layout.as_ref()?.interpreter.clone())
        else {
            return; // statically linked
        };
        let interpreter = PathBuf::from(OsString::from_vec(interpreter));
        let launch = launch_options(options);
        let program = &program.path;
        for library in target::needed_libraries(&interpreter, program, &launch, &self.urgency) {
            (self.files).expect_library(&mut self.seen.modules, &library);
        }
    }

    /// Handles what comes until the sampler has said this.
    fn wait_for(
        &mut self,
        incoming: &Receiver<Incoming>,
        wanted: &FromSampler,
    ) -> Result<(), RecordError> {
        // Where the kernel has much to do, it takes its time to check the BPF program.
        const WAIT: Duration = Duration::from_secs(20);
        let wanted = std::mem::discriminant(wanted);
        let mut patience = Patience::new(WAIT, &self.urgency);
        if let Some(pid) = self.sampler.pid() {
            patience = patience.with(pid);
        }
        loop {
            if self.urgency.is_asked() {
                return Err(RecordError::stopped());
            }
            match incoming.recv_timeout(LOOK_EVERY) {
                Ok(Incoming::Sampler(messages)) => {
                    patience.renew();
                    let said = messages.iter().any(|m| std::mem::discriminant(m) == wanted);
                    self.take_first_messages(messages)?;
                    if said {
                        return Ok(());
                    }
                }
                Ok(Incoming::SamplerGone(why)) => {
                    let complaints = self.sampler.complaints();
                    return Err(RecordError::sampler_gone(why, &complaints));
                }
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) if !patience.runs_out() => {}
                Err(_) => {
                    let how = self.sampler.state().unwrap_or("it was busy");
                    return Err(RecordError::silent_sampler(patience.waited(), how));
                }
            }
        }
    }

    /// Samples may already follow the sampler's first words in the same batch.
    fn take_first_messages(&mut self, messages: Vec<FromSampler>) -> Result<(), RecordError> {
        for message in messages {
            match message {
                FromSampler::Hello { version } if version != PROTOCOL_VERSION => {
                    return Err(RecordError::other_sampler(version));
                }
                FromSampler::Ready {
                    hardware_cycles,
                    per_cpu,
                    no_waits,
                    no_faults,
                    no_syscalls,
                    no_wakeups,
                } => {
                    self.seen.hardware_cycles = hardware_cycles;
                    self.seen.per_cpu = per_cpu;
                    self.seen.no_waits = no_waits;
                    self.seen.no_faults = no_faults;
                    self.seen.no_syscalls = no_syscalls;
                    self.seen.no_wakeups = no_wakeups;
                }
                FromSampler::Failed(error) => {
                    return Err(self.sampler.error(error));
                }
                FromSampler::Synced => {} // nothing is to be released yet
                other => self.handle(other),
            }
        }
        Ok(())
    }
}

const READY: FromSampler = FromSampler::Ready {
    hardware_cycles: false,
    per_cpu: false,
    no_waits: None,
    no_faults: None,
    no_syscalls: None,
    no_wakeups: None,
};

fn threads_of(processes: &[(u32, Vec<u32>)]) -> Vec<ThreadId> {
    let each = |(pid, tids): &(u32, Vec<u32>)| {
        let pid = *pid;
        tids.clone()
            .into_iter()
            .map(move |tid| ThreadId { pid, tid })
    };
    processes.iter().flat_map(each).collect()
}

fn unreadable(pid: u32, error: &io::Error) -> RecordError {
    RecordError::internal(format!(
        "cannot read the mappings of process {pid}: {error}"
    ))
}

fn has_huge_pages() -> bool {
    let state = std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled");
    state.is_ok_and(|state| state.contains("[always]"))
}

fn gather_environment(cwd: &Path, urgency: &Urgency) -> Receiver<Environment> {
    let (cwd, urgency) = (cwd.to_owned(), urgency.clone());
    let (found, environment) = sync_channel(1);
    thread::spawn(move || drop(found.send(Environment::of(&cwd, &urgency))));
    environment
}

fn working_directory(target: &Target, pid: u32) -> PathBuf {
    let directory = match target {
        Target::Launch { cwd: Some(cwd), .. } => Ok(cwd.clone()),
        Target::Launch { cwd: None, .. } => std::env::current_dir(),
        Target::Attach(_) => std::fs::read_link(format!("/proc/{pid}/cwd")),
    };
    directory.unwrap_or_default()
}
