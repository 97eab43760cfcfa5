//! Where a program allocates, as its reader would say it: not in `operator new` or `xmalloc`, but at the line that wanted memory.

use std::collections::HashMap;

use profile::{OTHER_STACKS, SeededHash};

use crate::amounts::Amount;
use crate::analyzed::Analyzed;
use crate::frames::{ChainFrame, FunctionId, FunctionKind, FunctionOf, Measure, NO_PLACE, PlaceId};

/// What is known of the memory of a site, in bytes and in objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryKind {
    Allocated,
    /// Never freed.
    InUse,
    /// In use when most was.
    Peak,
    /// Freed by its thread before the next sample.
    Temporary,
}

impl MemoryKind {
    pub const ALL: [MemoryKind; 4] = [
        MemoryKind::Allocated,
        MemoryKind::InUse,
        MemoryKind::Peak,
        MemoryKind::Temporary,
    ];

    /// Its measures of a run: of bytes and of objects. `None`: the run has none.
    pub fn measures(self, analyzed: &Analyzed) -> [Option<Measure>; 2] {
        let [space, objects] = match self {
            MemoryKind::Allocated => ["alloc_space", "alloc_objects"],
            MemoryKind::InUse => ["inuse_space", "inuse_objects"],
            MemoryKind::Peak => ["peak_space", "peak_objects"],
            MemoryKind::Temporary => ["temporary_space", "temporary_objects"],
        };
        let find = |name, unit| analyzed.profile().find_sample_type(name, unit);
        [find(space, "bytes"), find(objects, "count")]
    }
}

/// A line of a function that allocates, with all that was sampled there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllocationSite {
    /// `None`: no stack says where.
    pub function: Option<FunctionId>,
    /// `None`: only the function is known.
    pub place: Option<PlaceId>,
    /// By [`MemoryKind`]: bytes, with the samples that they rest on, and objects.
    pub amounts: [[Amount; 2]; 4],
}

/// Modules that allocate for whoever calls them.
const LIBRARIES: [&str; 6] = ["libc.so", "libc-", "ld-", "ld.so", "libstdc++.so", "libc++"];
/// Words in the names of functions that allocate for their callers.
const ALLOCATING: [&str; 5] = ["alloc", "strdup", "strndup", "operator new", "realloc"];

pub(crate) type Site = (Option<FunctionId>, PlaceId);

/// Most bytes allocated first. Empty: the run has no memory.
pub fn allocation_sites(analyzed: &Analyzed) -> Vec<AllocationSite> {
    let mut site_of_node: HashMap<u32, Site, SeededHash> = HashMap::default();
    let mut sites: HashMap<Site, AllocationSite, SeededHash> = HashMap::default();
    for (at, kind) in MemoryKind::ALL.into_iter().enumerate() {
        for (of, measure) in kind.measures(analyzed).into_iter().enumerate() {
            let amounts = measure.map(|measure| analyzed.amounts(measure));
            let amounts = amounts.into_iter().flatten();
            for (sample, amount) in amounts.filter(|(_, amount)| amount.value > 0) {
                let node = analyzed.stacks().node_of_sample[sample];
                let site = *site_of_node
                    .entry(node)
                    .or_insert_with(|| site_of(analyzed, node));
                let (function, place) = site;
                let row = sites.entry(site).or_insert_with(|| AllocationSite {
                    function,
                    place: (place != NO_PLACE).then_some(place),
                    amounts: Default::default(),
                });
                row.amounts[at][of].add(amount);
            }
        }
    }
    let mut rows: Vec<AllocationSite> = sites.into_values().collect();
    let bytes = |row: &AllocationSite| row.amounts.map(|of| of[0].value);
    rows.sort_unstable_by(|a, b| {
        let by_bytes = bytes(b).cmp(&bytes(a));
        by_bytes.then((a.function, a.place).cmp(&(b.function, b.place)))
    });
    rows
}

/// The first frame from the leaf that is the program's own and no allocator's by its name; else the first that is the program's own;
/// else the first that is known.
pub(crate) fn site_of(analyzed: &Analyzed, mut node: u32) -> Site {
    let stacks = analyzed.stacks();
    let (mut own, mut innermost) = (None, None);
    while node != 0 {
        for frame in analyzed.chain(stacks.chain[node as usize]) {
            let function = analyzed.function(frame.function);
            let name = analyzed.text(function.name);
            innermost = innermost.or(Some(frame));
            let is_own = function.kind == FunctionKind::Native
                && name != OTHER_STACKS
                && !is_of_library(analyzed, &function)
                && analyzed.runtime_of(&function).is_none();
            if is_own && !is_allocator(name) {
                return site(frame);
            }
            own = own.or(is_own.then_some(frame));
        }
        node = stacks.parent[node as usize];
    }
    own.or(innermost).map_or((None, NO_PLACE), site)
}

fn site(frame: &ChainFrame) -> Site {
    (Some(frame.function), frame.place)
}

fn is_of_library(analyzed: &Analyzed, function: &FunctionOf) -> bool {
    let module = analyzed.text(function.module);
    LIBRARIES.iter().any(|library| module.starts_with(library))
}

/// By the last part of its name: what is in the namespace `alloc` may do other things.
fn is_allocator(name: &str) -> bool {
    let plain = name.split('(').next().unwrap_or(name);
    let last = plain.rsplit([':', '.']).next().unwrap_or(plain);
    let last = last.split('<').next().unwrap_or(last).to_ascii_lowercase();
    ALLOCATING.iter().any(|word| last.contains(word))
}

#[cfg(test)]
mod tests {
    use profile::{LineOf, MappingOf, ProfileBuilder};

    use super::*;

    #[test]
    fn an_allocator_is_known_by_the_last_part_of_its_name() {
        for name in [
            "xmalloc",
            "_PyMem_RawMalloc",
            "PyObject_Malloc",
            "xstrdup",
            "operator new(unsigned long)",
            "pool::allocate(unsigned long)",
            "arena<int>::do_allocate(unsigned long)",
        ] {
            assert!(is_allocator(name), "{name}");
        }
        for name in [
            "main",
            "alloc::vec::push",
            "Orders::book(Allocation const&)",
        ] {
            assert!(!is_allocator(name), "{name}");
        }
    }

    #[test]
    fn bytes_are_of_the_line_that_wanted_them() {
        let types = [
            ("alloc_samples", "count"),
            ("alloc_space", "bytes"),
            ("peak_samples", "count"),
            ("peak_space", "bytes"),
        ];
        let mut builder = ProfileBuilder::new(&types);
        let mut module = |filename| {
            builder.add_mapping(MappingOf {
                filename,
                ..MappingOf::default()
            })
        };
        let (program, library) = (module("/bin/app"), module("/lib/libstdc++.so.6"));
        let mut frame = |name: &str, file: &str, line: u32, mapping| {
            let function = builder.add_function(name, name, file, 1);
            let line = LineOf {
                function,
                line,
                column: 0,
            };
            builder.add_location(Some(mapping), u64::from(line.line) + 7, &[line])
        };
        let new = frame("operator new(unsigned long)", "", 0, library);
        let wrapper = frame("xmalloc", "/src/x.c", 5, program);
        let book = frame("book", "/src/book.c", 31, program);
        let main = frame("main", "/src/main.c", 9, program);
        builder.push_sample(&[new, book, main], &[1, 100, 1, 80], &[]);
        builder.push_sample(&[wrapper, book, main], &[2, 20, 0, 0], &[]);
        builder.push_sample(&[wrapper], &[1, 7, 0, 0], &[]);
        builder.push_sample(&[], &[1, 3, 0, 0], &[]);
        let analyzed = Analyzed::new(builder.finish());
        let rows = allocation_sites(&analyzed);
        let shown = rows.iter().map(|row| {
            let name = row
                .function
                .map(|f| analyzed.text(analyzed.function(f).name));
            let line = row
                .place
                .map(|place| analyzed.places()[place as usize].line);
            let [allocated, in_use, peak, _] = row.amounts.map(|of| of[0]);
            assert_eq!(in_use, Amount::default());
            (name, line, allocated, peak.value)
        });
        let of = |samples, value| Amount { samples, value };
        assert_eq!(
            shown.collect::<Vec<_>>(),
            [
                (Some("book"), Some(31), of(3, 120), 80),
                (Some("xmalloc"), Some(5), of(1, 7), 0),
                (None, None, of(1, 3), 0),
            ]
        );
    }
}
