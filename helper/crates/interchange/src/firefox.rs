//! Files of the Firefox Profiler in its processed format, which samply writes too: samples of threads as parallel lists. Those of
//! samply have addresses in libraries; their names come from the files of these. Described in the profiler's docs-developer.

use std::borrow::Cow;
use std::collections::HashMap;

use profile::{ForeignReader, Limits, LineOf, MappingOf, Profile, ProfileError, SeededHash};

use crate::firefox_columns::{
    File, FrameTable, FuncTable, Id, Lib, ResourceTable, Samples, Sources, StackTable, Text,
    Thread, WeightType, at,
};
use crate::json::{is_object_with, parse};
use crate::sample_table::{Owner, SampleTable};
use crate::whole_numbers::WholeNumbers;

pub const READER: ForeignReader = ForeignReader {
    name: "a profile of the Firefox Profiler",
    is_it: |bytes| is_object_with(bytes, "\"preprocessedProfileVersion\""),
    read,
};

const TOOL: &str = "Firefox Profiler";
/// The newest that was looked at: later ones may mean something else.
const VERSION_KNOWN: u32 = 55;
const KINDS: [(WeightType, &str, &str, f64); 3] = [
    (WeightType::Samples, "samples", "count", 1.0),
    (WeightType::TracingMs, "time", "nanoseconds", 1e6),
    (WeightType::Bytes, "space", "bytes", 1.0),
];

fn read(bytes: &[u8], limits: &Limits) -> Result<Profile, ProfileError> {
    let file: File = parse(TOOL, bytes)?;
    let mut table = SampleTable::new(TOOL, 2, limits);
    let mut mappings = Vec::with_capacity(file.libs.0.len());
    for lib in &file.libs.0 {
        mappings.push(table.add_mapping(MappingOf {
            filename: &lib.path,
            build_id: &build_id(lib),
            ..MappingOf::default()
        })?);
    }
    let cpu_unit = file
        .meta
        .sample_units
        .as_ref()
        .map_or("", |units| &units.cpu);
    let cpu_ns = match cpu_unit {
        "ns" => Some(1.0),
        "µs" | "us" => Some(1e3),
        _ => None,
    };
    let mut ignored = 0;
    for thread in &file.threads.0 {
        let owner = table.owner(Owner {
            pid: thread.pid.as_ref().and_then(number),
            tid: thread.tid.as_ref().and_then(number),
            process: thread.process_name.as_deref().unwrap_or(""),
            thread: &thread.name,
        });
        if thread.samples.stack.0.is_empty() {
            continue;
        }
        let mut stacks = Stacks {
            columns: Columns::of(&file, thread)?,
            mappings: &mappings,
            places: HashMap::default(),
            known: HashMap::default(),
            depth_max: limits.stack_depth,
        };
        ignored += add_samples(
            &thread.samples,
            &thread.name,
            cpu_ns,
            owner,
            &mut stacks,
            &mut table,
        )?;
    }
    if table.is_empty() {
        return Err(ProfileError::damaged(format!(
            "The {TOOL} file has no samples: nothing was recorded, or only markers were."
        )));
    }
    let mut profile = finish(&file, cpu_ns.is_some(), table);
    if file.meta.preprocessed_profile_version > VERSION_KNOWN {
        profile.problems.push(format!(
            "The file has version {} of the format; Lineheat was tested with versions up to {VERSION_KNOWN}.",
            file.meta.preprocessed_profile_version
        ));
    }
    if ignored > 0 {
        profile.problems.push(format!(
            "{ignored} samples have a weight below 0, as in a comparison, and are left out."
        ));
    }
    Ok(profile)
}

fn finish(file: &File, has_cpu_unit: bool, table: SampleTable) -> Profile {
    let samples = || file.threads.0.iter().map(|thread| &thread.samples);
    let has_cpu = has_cpu_unit && samples().any(|of| of.cpu.0.iter().any(|cpu| cpu.0 > 0.0));
    let mut types = Vec::new();
    let mut columns = vec![vec![None, None]; KINDS.len()];
    for (kind, (weight, name, unit, _)) in KINDS.iter().enumerate() {
        if samples().any(|of| of.weight_type.unwrap_or_default() == *weight) {
            columns[kind][0] = Some(types.len());
            types.push((*name, *unit));
        }
    }
    if has_cpu {
        columns
            .iter_mut()
            .for_each(|columns| columns[1] = Some(types.len()));
        types.push(("cpu", "nanoseconds"));
    }
    let mut profile = table.finish(&types, types.len() - 1, &columns);
    profile.needs_names = true;
    if !has_cpu {
        profile.problems.push(
            "The file does not say how much CPU time its threads used, so samples are counted."
                .to_owned(),
        );
    }
    profile
}

/// Gives how many have a negative weight.
fn add_samples<'a>(
    samples: &Samples,
    thread: &str,
    cpu_ns: Option<f64>,
    owner: u32,
    stacks: &mut Stacks<'_, 'a>,
    table: &mut SampleTable<'a, '_>,
) -> Result<u64, ProfileError> {
    let kind = samples.weight_type.unwrap_or_default();
    let kind = KINDS.iter().position(|(of, ..)| *of == kind).unwrap_or(0);
    let scale = KINDS[kind].3;
    let (mut weights, mut times, mut ignored) =
        (WholeNumbers::default(), WholeNumbers::default(), 0);
    let too_much = || {
        ProfileError::too_large(format!(
            "The values of the thread \"{thread}\" add up to 2^53 or more, beyond what Lineheat counts."
        ))
    };
    for (row, stack) in samples.stack.0.iter().enumerate() {
        let weight = samples.weight.0.get(row).map_or(1.0, |weight| weight.0);
        let cpu = samples.cpu.0.get(row).map_or(0.0, |cpu| cpu.0.max(0.0));
        let cpu = times
            .next(cpu * cpu_ns.unwrap_or(0.0))
            .ok_or_else(too_much)?;
        let weight = match weight >= 0.0 {
            true => weights.next(weight * scale).ok_or_else(too_much)?,
            false => {
                ignored += 1;
                0
            }
        };
        let stack = match stack.get() {
            Some(stack) => stacks.stack(stack, table)?,
            None => table.stack(&[])?,
        };
        table.add(stack, owner, kind as u32, &[weight, cpu])?;
    }
    Ok(ignored)
}

/// The tables of a thread, wherever they are.
struct Columns<'a> {
    texts: &'a [Text<'a>],
    stacks: &'a StackTable,
    frames: &'a FrameTable,
    functions: &'a FuncTable,
    resources: Option<&'a ResourceTable>,
    sources: Option<&'a Sources>,
}

impl<'a> Columns<'a> {
    fn of(file: &'a File<'a>, thread: &'a Thread<'a>) -> Result<Columns<'a>, ProfileError> {
        let shared = file.shared.as_ref();
        let missing = |what: &str| {
            ProfileError::damaged(format!(
                "The thread \"{}\" of the {TOOL} file has no {what}, in version {} of the format.",
                thread.name, file.meta.preprocessed_profile_version
            ))
        };
        let texts = thread.string_array.as_ref();
        let texts = texts.or_else(|| shared?.string_array.as_ref());
        let stacks = thread
            .stack_table
            .as_ref()
            .or_else(|| shared?.stack_table.as_ref());
        let frames = thread
            .frame_table
            .as_ref()
            .or_else(|| shared?.frame_table.as_ref());
        let functions = thread
            .func_table
            .as_ref()
            .or_else(|| shared?.func_table.as_ref());
        let resources = thread.resource_table.as_ref();
        Ok(Columns {
            texts: &texts.ok_or_else(|| missing("stringArray"))?.0,
            stacks: stacks.ok_or_else(|| missing("stackTable"))?,
            frames: frames.ok_or_else(|| missing("frameTable"))?,
            functions: functions.ok_or_else(|| missing("funcTable"))?,
            resources: resources.or_else(|| shared?.resource_table.as_ref()),
            sources: shared.and_then(|shared| shared.sources.as_ref()),
        })
    }

    fn text(&self, number: Option<u32>) -> &'a str {
        let text = number.and_then(|number| self.texts.get(number as usize));
        text.map_or("", |text| &text.0)
    }

    fn file_of(&self, function: u32) -> &'a str {
        let source = at(&self.functions.source, function);
        let of_source = source.and_then(|source| at(&self.sources?.filename, source));
        path_of(self.text(of_source.or(at(&self.functions.file_name, function))))
    }
}

struct Stacks<'t, 'a> {
    columns: Columns<'a>,
    /// By library.
    mappings: &'t [u32],
    /// By row of the stack table: its location, and the row of its caller behind what it is inlined into.
    places: HashMap<u32, (u32, Option<u32>), SeededHash>,
    /// The stacks of rows.
    known: HashMap<u32, u32, SeededHash>,
    depth_max: usize,
}

impl<'a> Stacks<'_, 'a> {
    fn stack(&mut self, row: u32, table: &mut SampleTable<'a, '_>) -> Result<u32, ProfileError> {
        if let Some(&stack) = self.known.get(&row) {
            return Ok(stack);
        }
        let mut frames = Vec::new();
        let mut next = Some(row);
        // One more than are kept, so that it is seen that some are not.
        while let Some(at) = next.filter(|_| frames.len() <= self.depth_max) {
            let (location, caller) = match self.places.get(&at) {
                Some(&place) => place,
                None => self.place(at, table)?,
            };
            frames.push(location);
            next = caller;
        }
        let stack = table.stack(&frames)?;
        self.known.insert(row, stack);
        Ok(stack)
    }

    fn place(
        &mut self,
        row: u32,
        table: &mut SampleTable<'a, '_>,
    ) -> Result<(u32, Option<u32>), ProfileError> {
        let mut lines = Vec::new();
        let mut next = row;
        loop {
            let columns = &self.columns;
            let damaged = |what: &str| {
                ProfileError::damaged(format!(
                    "Row {next} of a stack table of the {TOOL} file names a {what} that is not there."
                ))
            };
            let frame = at(&columns.stacks.frame, next).ok_or_else(|| damaged("frame"))?;
            let function = at(&columns.frames.func, frame).ok_or_else(|| damaged("function"))?;
            let name = at(&columns.functions.name, function).ok_or_else(|| damaged("name"))?;
            let caller = at(&columns.stacks.prefix, next);
            if caller.is_some_and(|caller| caller >= next) {
                return Err(damaged("caller"));
            }
            let name = columns.text(Some(name));
            let address = at(&columns.frames.address, frame);
            let is_address = address.is_some() && name.starts_with("0x");
            if !is_address {
                let start_line = at(&columns.functions.line_number, function).unwrap_or(0);
                lines.push(LineOf {
                    function: table.function(name, columns.file_of(function), start_line)?,
                    line: at(&columns.frames.line, frame).unwrap_or(0),
                    column: at(&columns.frames.column, frame).unwrap_or(0),
                });
            }
            let is_inlined = at(&columns.frames.inline_depth, frame).unwrap_or(0) > 0;
            if let (true, Some(outer)) = (is_inlined, caller) {
                next = outer;
                continue;
            }
            let resource = at(&columns.functions.resource, function);
            let lib = resource.and_then(|resource| at(&columns.resources?.lib, resource));
            let mapping = lib.and_then(|lib| self.mappings.get(lib as usize).copied());
            let location = table.location(mapping, u64::from(address.unwrap_or(0)), &lines)?;
            self.places.insert(row, (location, caller));
            return Ok((location, caller));
        }
    }
}

/// `git:host/repository:path:revision` and the like are known by their path.
fn path_of(file: &str) -> &str {
    let is_special = ["hg:", "git:", "s3:", "cargo:"]
        .iter()
        .any(|kind| file.starts_with(kind));
    match file.split(':').nth(2).filter(|_| is_special) {
        Some(path) => path,
        None => file.strip_prefix("file://").unwrap_or(file),
    }
}

fn number(id: &Id) -> Option<u32> {
    match id {
        Id::Number(number) => Some(*number as u32),
        Id::Text(text) => text.split('.').next()?.parse().ok(),
    }
}

/// On Linux the code id is the build-id. The breakpad id has its first 16 bytes, as a GUID is written: 4, 2 and 2 of them in
/// reverse order.
fn build_id(lib: &Lib) -> String {
    let hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if let Some(id) = lib
        .code_id
        .as_deref()
        .filter(|id| !id.is_empty() && hex(id))
    {
        return id.to_ascii_lowercase();
    }
    let id: &str = lib.breakpad_id.as_ref().map_or("", |id: &Cow<str>| id);
    if id.len() < 32 || !hex(id) || id.bytes().all(|byte| byte == b'0') {
        return String::new();
    }
    let bytes = |range: std::ops::Range<usize>| range.map(|at| &id[2 * at..2 * at + 2]);
    let swapped = bytes(0..4)
        .rev()
        .chain(bytes(4..6).rev())
        .chain(bytes(6..8).rev());
    (swapped.chain(bytes(8..16)).collect::<String>()).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_libraries_are_build_ids() {
        let lib = |code_id: Option<&'static str>, breakpad_id: &'static str| Lib {
            path: "".into(),
            breakpad_id: Some(breakpad_id.into()),
            code_id: code_id.map(Into::into),
        };
        let guid = "DB7BDC7B6440D27F81581C70528BADED0";
        assert_eq!(
            build_id(&lib(None, guid)),
            "7bdc7bdb40647fd281581c70528baded"
        );
        assert_eq!(build_id(&lib(Some("7BDC"), guid)), "7bdc");
        assert_eq!(
            build_id(&lib(None, "000000000000000000000000000000000")),
            ""
        );
        assert_eq!(path_of("git:github.com/a/b:src/c.rs:12ab"), "src/c.rs");
        assert_eq!(path_of("/a/b.c"), "/a/b.c");
    }
}
