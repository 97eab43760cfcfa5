//! Profiles as columns in memory, and pprof files in and out.
//!
//! A [`Profile`] is valid by construction: every index is inside its table, every sample has one value per sample
//! type, no value is negative and no sum of values reaches 2^53. [`ProfileBuilder`] and [`Profile::read`] are the
//! only ways to one. Files are foreign input: [`Limits`] bounds each count before memory is taken for it.

mod builder;
mod c_library;
mod call_counts;
mod call_times;
mod columns;
mod decode;
mod decode_checks;
mod decode_run;
mod decode_samples;
mod decode_stacks;
mod decode_tables;
mod encode;
mod error;
mod foreign_reader;
mod inflate;
mod journal;
mod kinds;
mod late_names;
mod limits;
mod lock_holder;
mod measures;
mod memory_in_time;
mod memory_times;
mod message_reader;
mod opener;
mod recorded_kinds;
mod recovery;
mod references;
mod regular_file;
mod run_description;
mod run_file;
mod sample_detail;
mod sample_labels;
mod seeded_hash;
mod source_store;
mod source_texts;
mod stacks;
mod standard_library;
mod strings;
mod summary;
mod syscall_names;
mod wait_reason;
mod wait_times;
mod waker;

/// `RunInfo` and its parts, made from `protocol/run.proto`.
pub mod run {
    include!(concat!(env!("OUT_DIR"), "/lineheat.run.rs"));
}

pub use builder::{LabelValue, LineOf, MappingOf, ProfileBuilder};
pub use c_library::is_c_library;
pub use columns::{Function, Label, Locations, Mapping, Profile, SampleLine, Samples, ValueType};
pub use error::{ErrorKind, ProfileError};
pub use foreign_reader::ForeignReader;
pub use journal::{Journal, is_being_recorded, journal_path};
pub use kinds::{
    ALLOCATED, ALLOCATED_OBJECT, CALLS, COUNTED, IN_USE, KindColumns, PAGE_FAULTS, PEAK,
    SYSTEM_CALL_ERRORS, SYSTEM_CALLS, Sums, TEMPORARY, WAITING,
};
pub use late_names::LateNames;
pub use limits::Limits;
pub use lock_holder::{LOCK_HOLDER, LockHolder};
pub use measures::{Counting, Family, MeasureInfo, Nature};
pub use memory_in_time::MEMORY_PARTS_MAX;
pub use memory_times::{MemoryTime, NOT_FREED};
pub use opener::Opener;
pub use recorded_kinds::{NotesOfKind, Unrecorded, note_of_measure, recorded_with};
pub use recovery::{KERNEL, NAMES_AT_END, OTHER_STACKS, UNKNOWN, place};
pub use run::RunInfo;
pub use run_description::run_description;
pub use run_file::{RunFile, rename_run, save};
pub use sample_detail::{FAULT, SYSCALL, SampleDetail};
pub use sample_labels::{REPETITION, sample_labels, sample_repetitions};
pub use seeded_hash::{AlreadyHashed, SeededHash};
pub use source_store::SourceStore;
pub use source_texts::{texts_out_of_run, texts_without_room};
pub use stacks::Stacks;
pub use standard_library::{is_go_standard_library, is_standard_library};
pub use strings::{StringId, Strings};
pub use summary::{Execution, RunSummary, end_sentence, summarize, summary};
pub use wait_reason::{WAIT, WaitReason};
pub use wait_times::WaitTime;
pub use waker::Waker;
