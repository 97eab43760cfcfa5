//! tmp
use super::*;
pub fn prepare_output(_p: &Path) -> Result<(), RecordError> { Ok(()) }
pub fn profile_of(r: &mut Recording, _o: &RecordOptions, wall: Duration) {
    eprintln!("wall {wall:?} counters {:?} ends {:?} samples {} stacks {} lostmap {}", r.counters, r.stacks.ends, r.stacks.sample_count(), r.stacks.stacks.values().len(), r.lost_mapping_records);
    for (i, m) in r.modules.iter() { eprintln!("  module {i} {} {:?}", m.path.display(), m.problem); }
    for (g, n) in r.stacks.groups.values().iter().zip(&r.stacks.counts).take(6) {
        let s: Vec<_> = r.stacks.stacks.values()[g.stack as usize].iter().map(|p| r.stacks.places.values()[*p as usize]).collect();
        eprintln!("{n} {s:x?}");
    }
    let mut un = 0; for (g, n) in r.stacks.groups.values().iter().zip(&r.stacks.counts) {
        if r.stacks.stacks.values()[g.stack as usize].iter().any(|p| matches!(r.stacks.places.values()[*p as usize], stacks::CodePlace::Unknown{..})) { un += n; } }
    eprintln!("stacks with unknown: {un}");
}
pub fn write(_p: &(), _o: &Path) -> Result<(), RecordError> { Ok(()) }
