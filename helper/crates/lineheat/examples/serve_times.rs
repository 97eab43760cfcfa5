//! Times what the editor waits for: `serve_times ENGINE [SAMPLES]` makes a profile of so many different samples and
//! opens it through `ENGINE serve`.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use profile::{LabelValue, LineOf, MappingOf, ProfileBuilder, save};
use wire::{
    FRAME_BYTES_MAX, Message, Reply, Request, encode_frame, read_frame, reply, request,
    view_request::Kind,
};

const FILES: usize = 200;
const FUNCTIONS: usize = 5_000;
const LOCATIONS: usize = 50_000;
const DEPTH: usize = 20;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let engine = arguments.next().expect("the engine's path");
    let samples: usize = arguments
        .next()
        .map_or(1_000_000, |text| text.parse().expect("a number"));
    let folder = std::env::temp_dir().join(format!("serve-times-{}", std::process::id()));
    let run = folder.join("run.pb.gz");
    write_profile(&run, samples);
    println!(
        "{samples} samples, {:.1} MB on disk",
        std::fs::metadata(&run).expect("there").len() as f64 / 1e6
    );

    let started = Instant::now();
    let mut child = Command::new(engine)
        .arg("serve")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the engine starts");
    let engine_pid = child.id();
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = child.stdout.take().expect("a pipe");
    let mut ask = |body: request::Body| -> (reply::Body, usize) {
        let asked = encode_frame(&Request {
            id: 1,
            body: Some(body),
        })
        .expect("short");
        std::io::Write::write_all(&mut input, &asked).expect("sent");
        answer(&mut output)
    };
    ask(request::Body::Hello(wire::Hello {
        protocol: wire::PROTOCOL_VERSION,
        client: "serve_times".to_owned(),
    }));
    report("start and handshake", started, 0, engine_pid);

    let at = Instant::now();
    let (opened, bytes) = ask(request::Body::OpenRun(wire::OpenRunRequest {
        run: wire::RunRef::file(run.to_str().expect("UTF-8")),
        workspace_folders: Vec::new(),
        ..wire::OpenRunRequest::default()
    }));
    report("open", at, bytes, engine_pid);
    let reply::Body::RunOpened(opened) = opened else {
        panic!("{opened:?}");
    };
    let text = "    work(line);\n".repeat(1000);
    let path = opened.files[0].recorded_path.clone();
    for what in ["file heat, first", "file heat, again", "file heat, again"] {
        let at = Instant::now();
        let (_, bytes) = ask(request::Body::FileHeat(wire::FileHeatRequest {
            run: opened.run,
            path: path.clone(),
            has_text: true,
            text: text.clone(),
            value: None,
        }));
        report(what, at, bytes, engine_pid);
    }
    let at = Instant::now();
    let detail = wire::LineDetailRequest {
        run: opened.run,
        path,
        line: 100,
        limit: 0,
        value: None,
    };
    let (_, bytes) = ask(request::Body::LineDetail(detail));
    report("line detail", at, bytes, engine_pid);
    for (what, kind) in [
        ("functions", Kind::Functions),
        ("flame graph", Kind::FlameGraph),
    ] {
        let at = Instant::now();
        let (_, bytes) = ask(request::Body::View(wire::ViewRequest {
            kind: kind.into(),
            run: opened.run,
            value: 1,
            ..wire::ViewRequest::default()
        }));
        report(what, at, bytes, engine_pid);
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).expect("it runs");
    for line in status
        .lines()
        .filter(|line| line.starts_with("VmHWM") || line.starts_with("VmRSS"))
    {
        println!("{line}");
    }
    drop(input);
    child.wait().expect("it ends");
    std::fs::remove_dir_all(folder).expect("removed");
}

fn answer(output: &mut impl Read) -> (reply::Body, usize) {
    let bytes = read_frame(output).expect("readable").expect("a reply");
    assert!(bytes.len() <= FRAME_BYTES_MAX as usize);
    let reply = Reply::decode(&bytes[..]).expect("a reply");
    (reply.body.expect("a body"), bytes.len())
}

/// Wall time, and the CPU time that the engine has spent since its start (on a busy machine they differ).
fn report(what: &str, since: Instant, bytes: usize, engine: u32) {
    let stat = std::fs::read_to_string(format!("/proc/{engine}/stat")).expect("it runs");
    let fields: Vec<&str> = stat
        .rsplit(") ")
        .next()
        .expect("fields")
        .split(' ')
        .collect();
    let ticks: u64 = fields[11..13]
        .iter()
        .map(|field| field.parse::<u64>().expect("a number"))
        .sum();
    println!(
        "{what}: {:.1} ms, {bytes} bytes; engine's CPU time so far {} ms",
        since.elapsed().as_secs_f64() * 1e3,
        ticks * 10
    );
}

/// Call chains through a graph of functions, as programs have them; the same each time.
fn write_profile(path: &Path, samples: usize) {
    let mut builder = ProfileBuilder::new(&[("samples", "count"), ("cpu", "nanoseconds")]);
    let mapping = builder.add_mapping(MappingOf {
        filename: "/build/program",
        symbolized: true,
        ..MappingOf::default()
    });
    let functions: Vec<u32> = (0..FUNCTIONS)
        .map(|at| {
            let name = format!("library::module_{}::function_{at}", at % 97);
            builder.add_function(
                &name,
                &name,
                &format!("/build/src/file_{}.cpp", at % FILES),
                1,
            )
        })
        .collect();
    let locations: Vec<u32> = (0..LOCATIONS)
        .map(|at| {
            let line = |function: usize| LineOf {
                function: functions[function % FUNCTIONS],
                line: (at % 1000) as u32 + 1,
                column: 0,
            };
            let inlined = [line(at), line(at * 7 + 1)];
            builder.add_location(Some(mapping), at as u64 * 16, &inlined[..1 + at % 2])
        })
        .collect();
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for sample in 0..samples {
        let mut at = 0;
        let stack: Vec<u32> = (0..DEPTH)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                // Most functions call one other; a few callees are far more frequent than the others.
                let callee = if (state >> 20) & 3 == 0 { state % 4 } else { 0 } as usize;
                at = (at * 31 + callee * 977 + 1) % LOCATIONS;
                locations[at]
            })
            .collect();
        let leaf_first: Vec<u32> = stack.into_iter().rev().collect();
        builder.add_sample(
            &leaf_first,
            &[1, 1_001_001],
            &[("sample", LabelValue::Number(sample as i64, ""))],
        );
    }
    save(&builder.finish(), path).expect("saved");
}
