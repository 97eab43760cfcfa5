//! What was mapped where, in each process, at each time: absolute addresses become (module, vaddr).

use std::collections::HashMap;

use super::modules::ModuleIndex;

/// One executable mapping and the time for which it held.
#[derive(Debug, Clone, Copy)]
pub struct Mapped {
    pub start: u64,
    pub end: u64,
    pub file_offset: u64,
    pub module: ModuleIndex,
    pub from_ns: u64,
    until_ns: u64,
}

#[derive(Debug, Default)]
struct Space {
    /// In order of `from_ns`.
    mappings: Vec<Mapped>,
    version: u32,
}

#[derive(Debug, Default)]
pub struct AddressSpaces {
    spaces: HashMap<u32, Space>,
}

impl AddressSpaces {
    /// A mapping appears, replacing what lay in its range.
    pub fn map(
        &mut self,
        pid: u32,
        from_ns: u64,
        range: (u64, u64),
        file_offset: u64,
        module: ModuleIndex,
    ) {
        let space = self.spaces.entry(pid).or_default();
        space.version += 1;
        let (start, end) = range;
        for old in &mut space.mappings {
            // A partly covered mapping stays for its other part: newer mappings are looked at first.
            if start <= old.start && old.end <= end && old.until_ns > from_ns {
                old.until_ns = from_ns;
            }
        }
        space.mappings.push(Mapped {
            start,
            end,
            file_offset,
            module,
            from_ns,
            until_ns: u64::MAX,
        });
    }

    /// Whether all of a range is one mapping of this module now.
    pub fn is_mapped_now(&self, pid: u32, range: (u64, u64), module: ModuleIndex) -> bool {
        let mappings = self.spaces.get(&pid).map_or(&[][..], |s| &s.mappings);
        let overlaps = |m: &&Mapped| m.until_ns == u64::MAX && m.start < range.1 && range.0 < m.end;
        let newest = mappings.iter().rev().find(overlaps);
        newest.is_some_and(|m| m.module == module && m.start <= range.0 && range.1 <= m.end)
    }

    /// The process replaced its program.
    pub fn execute(&mut self, pid: u32, time_ns: u64) {
        let space = self.spaces.entry(pid).or_default();
        space.version += 1;
        for old in &mut space.mappings {
            old.until_ns = old.until_ns.min(time_ns);
        }
    }

    /// A child begins with what its parent has mapped.
    pub fn fork(&mut self, child: u32, parent: u32, time_ns: u64) {
        let Some(parent) = self.spaces.get(&parent) else {
            return;
        };
        let inherited = parent
            .mappings
            .iter()
            .filter(|m| m.until_ns > time_ns)
            .copied();
        let mappings = inherited
            .map(|m| Mapped {
                from_ns: m.from_ns.min(time_ns),
                ..m
            })
            .collect();
        let space = self.spaces.entry(child).or_default();
        space.version += 1;
        space.mappings = mappings;
    }

    /// What the process has mapped at last: ascending, not overlapping.
    pub fn mapped_now(&self, pid: u32) -> Vec<Mapped> {
        let mappings = self.spaces.get(&pid).map_or(&[][..], |s| &s.mappings);
        let mut now: Vec<Mapped> = Vec::new();
        for new in mappings.iter().filter(|m| m.until_ns == u64::MAX) {
            now = now.iter().flat_map(|old| without(old, new)).collect();
            now.push(*new);
        }
        now.sort_unstable_by_key(|m| m.start);
        now
    }

    /// The process is gone: samples of it come no more, and its number may be given to another.
    pub fn exit(&mut self, pid: u32) {
        self.spaces.remove(&pid);
    }

    /// Changes whenever the process's mappings do.
    pub fn version(&self, pid: u32) -> u32 {
        self.spaces.get(&pid).map_or(0, |s| s.version)
    }

    /// The mapping that held `address` at `time_ns`.
    pub fn find(&self, pid: u32, time_ns: u64, address: u64) -> Option<&Mapped> {
        let holds = |m: &&Mapped| {
            m.start <= address && address < m.end && m.from_ns <= time_ns && time_ns < m.until_ns
        };
        self.spaces.get(&pid)?.mappings.iter().rev().find(holds)
    }
}

/// What is left of a mapping when another has been put over it.
fn without(old: &Mapped, new: &Mapped) -> impl Iterator<Item = Mapped> + use<> {
    let below = Mapped {
        end: old.end.min(new.start),
        ..*old
    };
    let start = old.start.max(new.end);
    let above = Mapped {
        start,
        file_offset: old.file_offset.wrapping_add(start - old.start),
        ..*old
    };
    [below, above].into_iter().filter(|m| m.start < m.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module_at(s: &AddressSpaces, pid: u32, time_ns: u64, address: u64) -> Option<ModuleIndex> {
        s.find(pid, time_ns, address).map(|m| m.module)
    }

    #[test]
    fn an_address_belongs_to_what_was_mapped_at_that_time() {
        let mut s = AddressSpaces::default();
        s.map(1, 0, (0x1000, 0x2000), 0, 10);
        s.map(1, 50, (0x1000, 0x2000), 0, 11);
        assert_eq!(module_at(&s, 1, 49, 0x1800), Some(10));
        assert_eq!(module_at(&s, 1, 50, 0x1800), Some(11));
        assert_eq!(module_at(&s, 1, 50, 0x2000), None);
        assert_eq!(module_at(&s, 2, 50, 0x1800), None);
    }

    #[test]
    fn a_child_inherits_and_an_exec_clears() {
        let mut s = AddressSpaces::default();
        s.map(1, 0, (0x1000, 0x2000), 0, 10);
        s.fork(2, 1, 20);
        s.execute(2, 30);
        assert_eq!(module_at(&s, 2, 25, 0x1000), Some(10));
        assert_eq!(module_at(&s, 2, 30, 0x1000), None);
        assert_eq!(module_at(&s, 1, 30, 0x1000), Some(10));
    }

    #[test]
    fn a_partly_replaced_mapping_keeps_its_other_part() {
        let mut s = AddressSpaces::default();
        s.map(1, 0, (0x1000, 0x4000), 0, 10);
        s.map(1, 5, (0x2000, 0x3000), 0, 11);
        assert_eq!(module_at(&s, 1, 9, 0x1000), Some(10));
        assert_eq!(module_at(&s, 1, 9, 0x2000), Some(11));
        assert_eq!(module_at(&s, 1, 9, 0x3000), Some(10));
        let now = s.mapped_now(1).into_iter();
        let now: Vec<_> = now.map(|m| (m.start, m.end, m.file_offset)).collect();
        assert_eq!(
            now,
            [
                (0x1000, 0x2000, 0),
                (0x2000, 0x3000, 0),
                (0x3000, 0x4000, 0x2000)
            ]
        );
    }
}
