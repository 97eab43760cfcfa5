//! Waiting time by what caused it, as the page gets it.

use std::path::Path;
use std::process::Command;

use profile::{LabelValue, LineOf, LockHolder, MappingOf, ProfileBuilder, WAIT, Waker};
use wire::{
    BlameTable, FrameTable, LocateRequest, LockTable, Message, RecordRequest, RunOpened,
    ViewRequest, WaitTable, locate_request, reply, request, view_request::Kind,
};

use crate::client::{Engine, text};
use crate::fixture::Fixture;
use crate::recordings::can_record;
use crate::selections::{during, select};

const MS: u64 = 1_000_000;
/// As the contract has it.
const HELD: u32 = 0;
const ENDED: u32 = 1;
const NO_LINE: u32 = 2;
const IDLE: u32 = 3;

fn view_of(run: u32, kind: Kind) -> ViewRequest {
    ViewRequest {
        kind: kind.into(),
        run,
        ..ViewRequest::default()
    }
}

fn blame_of(engine: &mut Engine, run: u32) -> BlameTable {
    BlameTable::decode(&*engine.view(view_of(run, Kind::Blame))).expect("a table")
}

/// Function, file and line of a row.
fn place(frames: &FrameTable, row: usize) -> (&str, &str, u32) {
    let text = |column: &[u32]| frames.strings[column[row] as usize].as_str();
    (text(&frames.name), text(&frames.file), frames.line[row])
}

/// A lock that was held at line 8, waits at two lines for one that was signalled at line 9, a sleep and a lock of which nothing is known.
fn saved(fixture: &Fixture) -> std::path::PathBuf {
    let mut builder = ProfileBuilder::new(&[("waits", "count"), ("wait", "nanoseconds")]);
    let program = builder.add_mapping(MappingOf {
        filename: "/build/sample",
        symbolized: true,
        ..MappingOf::default()
    });
    let source = text(&fixture.source);
    let main = builder.add_function("main", "main", &source, 12);
    let fill = builder.add_function("fill", "fill", &source, 5);
    let mut at = |function, line| {
        let lines = [LineOf {
            function,
            line,
            column: 0,
        }];
        builder.add_location(Some(program), u64::from(line), &lines)
    };
    let [take, get, more, filled] = [at(main, 14), at(main, 15), at(main, 16), at(fill, 8)];
    let holder = LockHolder {
        thread: "writer",
        function: "fill",
        file: &source,
        line: 8,
    };
    let signal = Waker {
        kind: "thread",
        thread: "writer",
        tid: 7,
        function: "fill",
        file: &source,
        line: 9,
    };
    let timer = Waker {
        kind: "timer",
        ..Waker::default()
    };
    for (stack, reason, holder, waker, ms) in [
        (take, "lock", Some(holder), Some(signal), 700),
        (get, "condition", None, Some(signal), 40),
        (more, "condition", None, Some(signal), 60),
        (filled, "sleep", None, Some(timer), 90),
        (more, "lock", None, None, 10),
    ] {
        let mut labels = vec![(WAIT, LabelValue::Text(reason))];
        labels.extend(holder.into_iter().flat_map(LockHolder::labels));
        labels.extend(waker.into_iter().flat_map(Waker::labels));
        builder.add_sample(&[stack], &[1, ms * MS], &labels);
    }
    fixture.saved("blame.pb.gz", &builder.finish())
}

#[test]
fn waiting_time_has_a_table_by_what_caused_it_with_two_places_a_row() {
    let fixture = Fixture::new();
    let mut engine = Engine::start();
    let run = engine.open(&saved(&fixture)).run;
    let table = blame_of(&mut engine, run);
    assert_eq!(table.total, 900 * MS);
    assert_eq!(table.waited, [700 * MS, 100 * MS, 90 * MS, 10 * MS]);
    assert_eq!(table.wait_count, [1, 2, 1, 1]);
    assert_eq!(table.evidence, [HELD, ENDED, NO_LINE, NO_LINE]);
    assert_eq!(table.threads, [1; 4]);
    assert_eq!((table.lines, table.lack.as_str()), (vec![1, 2, 1, 1], ""));
    let (causes, waiting) = (table.causes.unwrap(), table.waiting.unwrap());
    let words = |column: &[u32]| -> Vec<String> {
        let ids = column.iter();
        ids.map(|&id| causes.strings[id as usize].clone()).collect()
    };
    assert_eq!(words(&table.ended_by), ["", "", "a timer", ""]);
    assert_eq!(
        words(&table.reasons),
        ["lock", "condition", "sleep", "lock"]
    );
    let source = text(&fixture.source);
    assert_eq!(place(&causes, 0), ("fill", &*source, 8));
    assert_eq!(words(&causes.module)[..2], ["sample", "sample"]);
    assert_eq!(place(&causes, 2), ("", "", 0));
    assert_eq!(waiting.line, [14, 16, 8, 16]);
    assert_eq!(table.top_row, [0, 1, 1, 2, 3]);
    let lines = table.top_lines.unwrap().line;
    let top: Vec<_> = lines.iter().zip(&table.top_waited).collect();
    assert_eq!(top[1..3], [(&16, &(60 * MS)), (&15, &(40 * MS))]);
    for (index, function, line) in [(1, "fill", 9), (4, "main", 14), (5, "main", 16)] {
        let found = engine.ask(request::Body::Locate(LocateRequest {
            kind: locate_request::Kind::Function.into(),
            view: Some(view_of(run, Kind::Blame)),
            index,
        }));
        let reply::Body::Location(found) = found else {
            panic!("{found:?}");
        };
        assert_eq!((found.function.as_str(), found.line), (function, line));
        assert_eq!(found.path, source);
    }
}

/// A program of known answer, recorded by the engine and opened.
fn recorded(engine: &mut Engine, name: &str, folder: &Path, wakeups: bool) -> RunOpened {
    let source = format!(
        "{}/../../tests/programs/{name}.c",
        env!("CARGO_MANIFEST_DIR")
    );
    let program = folder.join(name);
    let mut gcc = Command::new("gcc");
    gcc.args(["-O2", "-g", "-fomit-frame-pointer", "-pthread", "-o"]);
    let built = gcc.arg(&program).arg(source).status();
    assert!(built.expect("gcc runs").success());
    engine.send(request::Body::Record(RecordRequest {
        program: text(&program),
        cwd: text(folder),
        runs_directory: text(&folder.join(".lineheat/runs")),
        wakeups,
        ..RecordRequest::default()
    }));
    let ended = engine.recorded();
    engine.open(Path::new(&ended.run_path))
}

fn line_of(program: &str, marker: &str) -> u32 {
    let path = format!(
        "{}/../../tests/programs/{program}.c",
        env!("CARGO_MANIFEST_DIR")
    );
    let source = std::fs::read_to_string(path).expect("the source");
    let at = source.lines().position(|line| line.contains(marker));
    at.expect(marker) as u32 + 1
}

#[test]
fn a_recorded_convoy_is_blamed_on_its_line_in_the_run_and_in_a_part_of_it() {
    if !can_record() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut engine = Engine::start();
    let opened = recorded(&mut engine, "convoy", folder.path(), false);
    let (lock, sleep) = (
        line_of("convoy", "the lock"),
        line_of("convoy", "the sleep"),
    );
    let whole = blame_of(&mut engine, opened.run);
    let lack =
        "Only lock holders are known. To see what ended the other waits, record with --wakeups.";
    assert_eq!(whole.lack, lack);
    let held = |table: &BlameTable| {
        let causes = table.causes.as_ref().expect("the causes");
        let is_there = |row: &usize| {
            let (function, file, line) = place(causes, *row);
            table.evidence[*row] == HELD
                && function == "hold"
                && file.ends_with("convoy.c")
                && line == sleep
        };
        (0..table.waited.len())
            .find(is_there)
            .unwrap_or_else(|| panic!("{table:#?}"))
    };
    let row = held(&whole);
    let waiting = whole.waiting.as_ref().expect("the lines");
    assert_eq!((waiting.line[row], whole.threads[row]), (lock, 4));
    let locks = LockTable::decode(&*engine.view(view_of(opened.run, Kind::Locks))).expect("locks");
    assert!(whole.waited[row] * 100 >= locks.total * 95, "{whole:#?}");
    // The main thread waits for the others all the time.
    assert_eq!(whole.evidence.last(), Some(&IDLE));
    let all = |table: &BlameTable| table.waited.iter().sum::<u64>();
    let waits = WaitTable::decode(&*engine.view(view_of(opened.run, Kind::Waits))).expect("waits");
    assert_eq!(all(&whole), waits.waited.iter().sum::<u64>());

    let part = select(&mut engine, opened.run, during(100, 300)).run;
    let selected = blame_of(&mut engine, part);
    let row = held(&selected);
    // Three of four threads wait for the lock at any time.
    assert!(selected.waited[row] <= 4 * 200 * MS, "{selected:#?}");
    assert!(selected.waited[row] >= 200 * MS, "{selected:#?}");
    let waits = WaitTable::decode(&*engine.view(view_of(part, Kind::Waits))).expect("waits");
    assert_eq!(all(&selected), waits.waited.iter().sum::<u64>());
    assert_eq!(selected.lack, lack);
}

#[test]
fn recorded_wake_ups_name_the_line_that_ended_the_waits_or_what_did() {
    if !can_record() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut engine = Engine::start();
    let opened = recorded(&mut engine, "woken", folder.path(), true);
    let table = blame_of(&mut engine, opened.run);
    assert_eq!(table.lack, "");
    let causes = table.causes.as_ref().expect("the causes");
    let write = line_of("woken", "/* the write */");
    let row = (0..table.waited.len())
        .find(|&row| causes.line[row] == write)
        .unwrap_or_else(|| panic!("{table:#?}"));
    let text = |column: &[u32], row: usize| causes.strings[column[row] as usize].as_str();
    assert_eq!(table.evidence[row], ENDED);
    assert_eq!(text(&table.reasons, row), "pipe");
    let timer = (0..table.waited.len()).find(|&row| text(&table.ended_by, row) == "a timer");
    let timer = timer.unwrap_or_else(|| panic!("{table:#?}"));
    let of_timer = (table.evidence[timer], text(&table.reasons, timer));
    assert_eq!(of_timer, (NO_LINE, "sleep"));
}
