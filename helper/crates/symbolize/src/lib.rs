//! Turns addresses of one module into source frames: DWARF 4 and 5 lines and inlined calls, the symbol table where
//! no DWARF covers an address, separate debug files, demangled names.
//!
//! A module is foreign input. Nothing here fails: what cannot be read costs the names of that module and leaves a
//! sentence in [`ModuleSymbols::problem`]. Only regular files are opened. Kernel addresses are not known here.

mod arena;
mod build;
mod cache;
mod cache_format;
mod clones;
mod code_ranges;
mod confined;
mod debug_file;
mod debuginfod;
mod declaration;
mod demangle;
mod dwarf;
mod elf;
mod executable;
mod function_list;
mod functions;
mod functions_listed;
mod go_heap;
mod go_module;
mod go_table;
mod inlined_calls;
mod isolated;
mod itanium;
mod known;
mod language;
mod lines;
mod loaded_file;
mod md5;
mod mini_debug;
mod module;
mod module_symbols;
mod nesting;
mod ocaml_names;
mod options;
mod other_units;
mod own_allocator;
mod plt;
mod quiet_panics;
mod resolve;
mod scope;
mod source_path;
mod split_dwarf;
mod split_files;
mod standard_names;
mod symbol_table;
mod symbolize;
mod text;
mod truncation;
mod units;
mod worker;
mod worker_messages;

pub use build::Build;
pub use cache::user_folder as user_cache_folder;
pub use confined::confine;
pub use demangle::{DemangleMode, demangle, is_made_name};
pub use executable::{ExecutableFile, inspect_executable, offset_of_export, soname_of};
pub use functions_listed::{FunctionCode, FunctionList, ListedFunction};
pub use go_heap::{GoHeap, NoGoHeap, RuntimeFunction};
pub use isolated::{AskedModule, Isolation, symbolize_isolated};
pub use language::Language;
pub use loaded_file::LoadedFile;
pub use md5::md5;
pub use module::ModuleFile;
pub use module_symbols::{Frame, ModuleSymbols};
pub use options::Options;
pub use own_allocator::OwnAllocator;
pub use split_files::{SplitFile, split_files_of};
pub use symbolize::{symbolize_module, symbolize_module_with};
pub use text::Text;
pub use truncation::GuardedMap;
pub use worker::serve_as_worker;
