//! A file that needs more memory than the machine has left: the engine may die of it, and nothing else does.

use std::os::unix::process::ExitStatusExt;

use wire::{OpenRunRequest, reply, request};

use crate::client::{Engine, hello, text};
use crate::files::hostile_file;
use crate::memory_group::MemoryGroup;
use crate::pprof_fields::with;
use crate::text_profiles::damage::gzip;

#[test]
fn an_engine_that_runs_out_of_memory_ends_alone_and_the_next_one_serves_on() {
    let Some(group) = MemoryGroup::of(256 << 20) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (large, small) = (
        folder.path().join("large.pb.gz"),
        folder.path().join("small.pb.gz"),
    );
    let bomb = hostile_file(70);
    assert_eq!(bomb.kind, "bomb: 200 strings of 1 MiB");
    std::fs::write(&large, bomb.bytes).unwrap();
    std::fs::write(&small, gzip(&with("more", Vec::new()))).unwrap();
    let greeted = || {
        let mut engine = Engine::of(group.lineheat("serve"));
        let welcome = engine.ask(hello(wire::PROTOCOL_VERSION));
        assert!(matches!(welcome, reply::Body::Welcome(_)));
        engine
    };
    let mut first = greeted();
    first.send(request::Body::OpenRun(OpenRunRequest {
        run: wire::RunRef::file(text(&large)),
        ..OpenRunRequest::default()
    }));
    match first.next().map(|reply| reply.body.expect("a body")) {
        // Its end is what the editor hears, and tells.
        None => {
            let ended = first.wait().signal();
            assert!(
                matches!(ended, Some(libc::SIGKILL | libc::SIGABRT)),
                "{ended:?}"
            );
        }
        Some(reply::Body::Failure(failure)) => assert!(failure.message.ends_with('.')),
        Some(other) => panic!("it had 256 MiB: {other:?}"),
    }
    drop(first);
    greeted().open(&small);
}
