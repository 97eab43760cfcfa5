//! Which processes run: those of a name, or one with all that it has started.

use std::collections::HashMap;
use std::fs;

use supervision::ProcessStat;

/// Processes whose program file or kernel name is `name`, oldest number first; ourselves left out.
pub fn processes_named(name: &str) -> Vec<u32> {
    let own = std::process::id();
    let has_name = |pid: &u32| *pid != own && is_named(*pid, name);
    processes().into_iter().filter(has_name).collect()
}

/// The process and all its descendants; empty when there is no such process.
pub fn tree_of(root: u32) -> Vec<u32> {
    let parents = ProcessStat::all().into_iter().map(|p| (p.pid, p.parent));
    descendants(root, &parents.collect())
}

fn descendants(root: u32, parents: &HashMap<u32, u32>) -> Vec<u32> {
    if !parents.contains_key(&root) {
        return Vec::new();
    }
    let mut found = vec![root];
    let mut looked_at = 0;
    while let Some(parent) = found.get(looked_at).copied() {
        looked_at += 1;
        let children = parents.iter().filter(|(_, p)| **p == parent);
        let mut children: Vec<u32> = children.map(|(pid, _)| *pid).collect();
        children.retain(|child| !found.contains(child));
        children.sort_unstable();
        found.extend(children);
    }
    found
}

fn processes() -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten();
    let pid = |entry: fs::DirEntry| entry.file_name().to_str()?.parse().ok();
    let mut pids: Vec<u32> = entries.filter_map(|e| pid(e.ok()?)).collect();
    pids.sort_unstable();
    pids
}

fn is_named(pid: u32, name: &str) -> bool {
    let program = fs::read_link(format!("/proc/{pid}/exe"));
    let program = program.ok().and_then(|path| {
        let file = path.file_name()?.to_str()?;
        Some(file.trim_end_matches(" (deleted)") == name)
    });
    // The kernel keeps 15 bytes; a process may change this name, and server processes do.
    program == Some(true) || crate::process_name(pid) == name.get(..15).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn descendants_are_found_through_generations() {
        let parents = HashMap::from([(1, 0), (2, 1), (3, 2), (4, 1), (5, 9), (9, 0)]);
        assert_eq!(descendants(2, &parents), [2, 3]);
        assert_eq!(descendants(1, &parents), [1, 2, 4, 3]);
        assert!(descendants(7, &parents).is_empty());
    }

    #[test]
    fn a_running_program_is_found_by_its_name_and_below_us() {
        let mut sleeper = Command::new("/bin/sleep").arg("60").spawn().unwrap();
        let pid = sleeper.id();
        assert!(processes_named("sleep").contains(&pid));
        assert!(!processes_named("slee").contains(&pid));
        assert!(tree_of(std::process::id()).contains(&pid));
        sleeper.kill().unwrap();
        sleeper.wait().unwrap();
    }
}
