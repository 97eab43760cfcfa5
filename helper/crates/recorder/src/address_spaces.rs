//! What was mapped where, in each process, at each time: absolute addresses become (module, vaddr).

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::rc::Rc;

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

impl Mapped {
    /// The part of it that lies in the range; None: nothing does.
    fn part(&self, start: u64, end: u64) -> Option<Mapped> {
        let (start, end) = (self.start.max(start), self.end.min(end));
        (start < end).then(|| Mapped {
            start,
            end,
            file_offset: self.file_offset.wrapping_add(start - self.start),
            ..*self
        })
    }
}

/// Samples come at most a moment after what was mapped when they were taken has been replaced. What was replaced longer
/// ago is forgotten.
const PAST_NS: u64 = 10_000_000_000;

#[derive(Debug, Default)]
struct Space {
    /// What is mapped now, by start; not overlapping. Shared with forked children until one of them maps something.
    now: Rc<BTreeMap<u64, Mapped>>,
    /// What was replaced, in the order of `until_ns`.
    past: VecDeque<Mapped>,
    version: u32,
    /// Since when the present version holds.
    changed_ns: u64,
}

impl Space {
    fn map(&mut self, new: Mapped) {
        let now = Rc::make_mut(&mut self.now);
        let before = now.range(..new.start).next_back();
        let reaches_in = before.map(|(_, m)| *m).filter(|m| m.end > new.start);
        let inside = now.range(new.start..new.end).map(|(_, m)| *m);
        let replaced: Vec<Mapped> = reaches_in.into_iter().chain(inside).collect();
        for old in replaced {
            now.remove(&old.start);
            let rest = [old.part(0, new.start), old.part(new.end, u64::MAX)];
            now.extend(rest.into_iter().flatten().map(|m| (m.start, m)));
            if let Some(part) = old.part(new.start, new.end) {
                end(&mut self.past, part, new.from_ns);
            }
        }
        now.insert(new.start, new);
        self.change(new.from_ns);
    }

    /// As [`AddressSpaces::map_missed`]: `new` has what is known of its time.
    fn map_missed(&mut self, mut new: Mapped) {
        let (since_ns, read_ns) = (new.from_ns, new.until_ns);
        let below = self.now.range(..new.end).rev();
        let there: Vec<Mapped> = (below.map(|(_, m)| *m))
            .take_while(|m| m.end > new.start)
            .collect();
        let is_it = |m: &Mapped| {
            let covers = m.start <= new.start && new.end <= m.end;
            let offset = m.file_offset.wrapping_add(new.start.wrapping_sub(m.start));
            covers && m.module == new.module && offset == new.file_offset
        };
        if there.iter().any(|m| m.from_ns > read_ns || is_it(m)) {
            return;
        }
        new.until_ns = u64::MAX;
        if !there.is_empty() {
            new.from_ns = read_ns;
        }
        self.map(new);
        for before in self.past.iter_mut().rev().take(there.len()) {
            before.until_ns = before.until_ns.min(since_ns.max(before.from_ns));
        }
        // Later ones are looked for from the back.
        self.past.make_contiguous().sort_by_key(|m| m.until_ns);
    }

    fn execute(&mut self, time_ns: u64) {
        for old in std::mem::take(&mut self.now).values() {
            end(&mut self.past, *old, time_ns);
        }
        self.change(time_ns);
    }

    fn change(&mut self, time_ns: u64) {
        self.version += 1;
        self.changed_ns = self.changed_ns.max(time_ns);
    }

    fn find(&self, time_ns: u64, address: u64) -> Option<&Mapped> {
        let holds = |m: &&Mapped| address < m.end && m.start <= address && m.from_ns <= time_ns;
        let now = self.now.range(..=address).next_back().map(|(_, m)| m);
        let past = self.past.iter().rev();
        let mut since = past.take_while(|m| time_ns < m.until_ns);
        now.filter(holds).or_else(|| since.find(holds))
    }
}

/// Notes what held until now.
fn end(past: &mut VecDeque<Mapped>, mut old: Mapped, until_ns: u64) {
    // Events of several CPUs come in order, but for what was read from /proc and has no time.
    let last_ns = past.back().map_or(0, |m| m.until_ns);
    old.until_ns = until_ns.max(last_ns);
    if old.from_ns < old.until_ns {
        past.push_back(old);
    }
    while past
        .front()
        .is_some_and(|m| m.until_ns.saturating_add(PAST_NS) < old.until_ns)
    {
        past.pop_front();
    }
}

#[derive(Debug, Default)]
pub struct AddressSpaces {
    spaces: HashMap<u32, Space>,
    /// Processes of which anything was ever mapped.
    pub ever_mapped: HashSet<u32>,
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
        let (start, end) = range;
        if start < end {
            self.ever_mapped.insert(pid);
            self.spaces.entry(pid).or_default().map(Mapped {
                start,
                end,
                file_offset,
                module,
                from_ns,
                until_ns: u64::MAX,
            });
        }
    }

    /// A mapping that was found at `read_ns` and appeared after `since_ns`, nobody knows when. What was mapped there later
    /// stays. Where another was mapped before, it is not known what was there between these times.
    pub fn map_missed(
        &mut self,
        pid: u32,
        (since_ns, read_ns): (u64, u64),
        (start, end): (u64, u64),
        file_offset: u64,
        module: ModuleIndex,
    ) {
        if start >= end {
            return;
        }
        self.ever_mapped.insert(pid);
        self.spaces.entry(pid).or_default().map_missed(Mapped {
            start,
            end,
            file_offset,
            module,
            from_ns: since_ns,
            until_ns: read_ns,
        });
    }

    /// Whether all of a range is one mapping of this module now.
    pub fn is_mapped_now(&self, pid: u32, range: (u64, u64), module: ModuleIndex) -> bool {
        let now = self.spaces.get(&pid).map(|s| &s.now);
        let found = now.and_then(|now| now.range(..=range.0).next_back());
        found.is_some_and(|(_, m)| m.module == module && range.1 <= m.end)
    }

    /// The process replaced its program.
    pub fn execute(&mut self, pid: u32, time_ns: u64) {
        self.spaces.entry(pid).or_default().execute(time_ns);
    }

    /// A child begins with what its parent has mapped.
    pub fn fork(&mut self, child: u32, parent: u32) {
        let parent = self.spaces.get(&parent);
        let now = parent.map_or_else(Rc::default, |p| Rc::clone(&p.now));
        if !now.is_empty() {
            self.ever_mapped.insert(child);
        }
        let space = self.spaces.entry(child).or_default();
        space.version += 1;
        space.now = now;
        space.past.clear();
    }

    /// How many mappings the process has now.
    pub fn mapping_count(&self, pid: u32) -> usize {
        self.spaces.get(&pid).map_or(0, |space| space.now.len())
    }

    /// What the process had mapped at that time: ascending, not overlapping.
    pub fn mapped_at(&self, pid: u32, time_ns: u64) -> Vec<Mapped> {
        let Some(space) = self.spaces.get(&pid) else {
            return Vec::new();
        };
        let past = space.past.iter().rev();
        let past = past.take_while(|m| time_ns < m.until_ns);
        let mut mapped: Vec<Mapped> = (space.now.values().chain(past))
            .filter(|m| m.from_ns <= time_ns)
            .copied()
            .collect();
        mapped.sort_by_key(|m| m.start);
        mapped
    }

    /// The process is gone: samples of it come no more, and its number may be given to another.
    pub fn exit(&mut self, pid: u32) {
        self.spaces.remove(&pid);
    }

    /// Changes whenever the process's mappings do.
    pub fn version(&self, pid: u32) -> u32 {
        self.spaces.get(&pid).map_or(0, |s| s.version)
    }

    /// The same for the same mappings; None: they have changed since that time.
    pub fn version_at(&self, pid: u32, time_ns: u64) -> Option<u32> {
        let space = self.spaces.get(&pid);
        space.map_or(Some(0), |s| (s.changed_ns <= time_ns).then_some(s.version))
    }

    /// The mapping that held `address` at `time_ns`.
    pub fn find(&self, pid: u32, time_ns: u64, address: u64) -> Option<&Mapped> {
        self.spaces.get(&pid)?.find(time_ns, address)
    }
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
        s.fork(2, 1);
        s.execute(2, 30);
        assert_eq!(module_at(&s, 2, 25, 0x1000), Some(10));
        assert_eq!(module_at(&s, 2, 30, 0x1000), None);
        assert_eq!(module_at(&s, 1, 30, 0x1000), Some(10));
    }

    #[test]
    fn what_was_replaced_is_found_at_its_time_and_forgotten_later() {
        let mut s = AddressSpaces::default();
        for number in 0..5_u32 {
            s.map(1, 10 * u64::from(number), (0x1000, 0x2000), 0, number);
        }
        for number in 0..5_u32 {
            let at = 10 * u64::from(number) + 9;
            assert_eq!(module_at(&s, 1, at, 0x1000), Some(number));
        }
        s.map(1, 100 * PAST_NS, (0x1000, 0x2000), 0, 5);
        s.map(1, 200 * PAST_NS, (0x1000, 0x2000), 0, 6);
        assert_eq!(s.spaces[&1].past.len(), 1);
        assert_eq!(module_at(&s, 1, 150 * PAST_NS, 0x1000), Some(5));
    }

    #[test]
    fn what_was_read_holds_since_the_gap_unless_another_was_there() {
        let mut s = AddressSpaces::default();
        s.map(1, 0, (0x1000, 0x2000), 0, 10);
        s.map(1, 95, (0x5000, 0x6000), 0, 12);
        let gap = (50, 90);
        s.map_missed(1, gap, (0x1000, 0x2000), 0, 10);
        s.map_missed(1, gap, (0x3000, 0x4000), 0, 11);
        s.map_missed(1, gap, (0x5000, 0x6000), 0, 11);
        assert_eq!(module_at(&s, 1, 40, 0x1000), Some(10), "known before");
        assert_eq!(module_at(&s, 1, 49, 0x3000), None);
        assert_eq!(module_at(&s, 1, 51, 0x3000), Some(11));
        assert_eq!(module_at(&s, 1, 96, 0x5000), Some(12), "mapped later");
        s.map_missed(1, (100, 120), (0x1000, 0x2000), 0, 13);
        let at = |time_ns| module_at(&s, 1, time_ns, 0x1000);
        assert_eq!(
            [at(99), at(110), at(120)],
            [Some(10), None, Some(13)],
            "what was there between is not known"
        );
    }

    #[test]
    fn a_partly_replaced_mapping_keeps_its_other_part() {
        let mut s = AddressSpaces::default();
        s.map(1, 0, (0x1000, 0x4000), 0, 10);
        s.map(1, 5, (0x2000, 0x3000), 0, 11);
        assert_eq!(module_at(&s, 1, 9, 0x1000), Some(10));
        assert_eq!(module_at(&s, 1, 9, 0x2000), Some(11));
        assert_eq!(module_at(&s, 1, 9, 0x3000), Some(10));
        let mapped_at = |time_ns| {
            let mapped = s.mapped_at(1, time_ns).into_iter();
            let places: Vec<_> = mapped.map(|m| (m.start, m.end, m.file_offset)).collect();
            places
        };
        let rest = [(0x1000, 0x2000, 0), (0x3000, 0x4000, 0x2000)];
        assert_eq!(mapped_at(9), [rest[0], (0x2000, 0x3000, 0), rest[1]]);
        assert_eq!(mapped_at(4), [rest[0], (0x2000, 0x3000, 0x1000), rest[1]]);
        assert_eq!((s.version_at(1, 4), s.version_at(1, 5)), (None, Some(2)));
    }
}
