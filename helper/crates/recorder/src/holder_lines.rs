//! The line where the holder of a lock was, as its reader would say it: not in the C library or another standard library, but in what
//! called it.

use std::collections::BTreeMap;

use profile::{LockHolder, is_c_library, is_standard_library};
use symbolize::Frame;

use super::evidence::Evidence;
use super::modules::ModuleIndex;
use super::stacks::{CodePlace, comm};
use super::symbols::Symbols;

/// A holder in the run; the name is owned, since it is made here.
pub struct HolderLine<'a> {
    thread: String,
    at: Option<&'a Frame>,
}

impl HolderLine<'_> {
    pub fn as_label(&self) -> LockHolder<'_> {
        LockHolder {
            thread: &self.thread,
            function: self.at.map_or("", |frame| &frame.name),
            file: self
                .at
                .and_then(|frame| frame.file.as_deref())
                .unwrap_or(""),
            line: self.at.map_or(0, |frame| frame.line),
        }
    }
}

/// By number of the holder.
pub fn holder_lines<'a>(
    seen: &Evidence,
    symbols: &'a BTreeMap<ModuleIndex, Symbols>,
) -> Vec<HolderLine<'a>> {
    let holders = seen.stacks.holders.values().iter();
    holders
        .map(|holder| HolderLine {
            thread: comm(&holder.name),
            at: holder
                .stack
                .and_then(|stack| own_frame(seen, symbols, stack)),
        })
        .collect()
}

/// The innermost frame of the program's own, or if there is none, the innermost with a name outside of the C library.
fn own_frame<'a>(
    seen: &Evidence,
    symbols: &'a BTreeMap<ModuleIndex, Symbols>,
    stack: u32,
) -> Option<&'a Frame> {
    let places = seen.stacks.stacks.stack(stack).iter();
    let places = places.map(|place| seen.stacks.places.values()[*place as usize]);
    let frames = places.flat_map(|place| match place {
        CodePlace::InModule { module, vaddr } if !is_in_c_library(seen, module) => {
            let of_module = symbols.get(&module);
            let chain = of_module.and_then(|s| s.found.chains.get(s.place(vaddr)?));
            chain.map_or(&[][..], Vec::as_slice)
        }
        _ => &[],
    });
    let mut other = None;
    for frame in frames.filter(|frame| !frame.name.is_empty()) {
        let file = frame.file.as_deref().unwrap_or("");
        if !is_standard_library(file) {
            return Some(frame);
        }
        other = other.or(Some(frame));
    }
    other
}

fn is_in_c_library(seen: &Evidence, module: ModuleIndex) -> bool {
    let path = &seen.modules.get(module).path;
    let name = path.file_name().unwrap_or(path.as_os_str());
    let name = name.to_string_lossy();
    is_c_library(&name)
}
