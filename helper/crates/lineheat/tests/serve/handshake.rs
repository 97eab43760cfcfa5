use std::time::Duration;

use wire::{PROTOCOL_VERSION, reply, request};

use crate::client::{Engine, hello};

#[test]
fn the_engine_says_its_version() {
    let mut engine = Engine::silent();
    match engine.ask(hello(PROTOCOL_VERSION)) {
        reply::Body::Welcome(welcome) => {
            assert_eq!(welcome.protocol, PROTOCOL_VERSION);
            assert_eq!(welcome.engine_version, env!("CARGO_PKG_VERSION"));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(
        engine.fails(hello(PROTOCOL_VERSION)).kind(),
        wire::failure::Kind::Protocol
    );
}

#[test]
fn another_version_is_refused_with_the_way_out() {
    let mut engine = Engine::silent();
    let failure = engine.fails(hello(PROTOCOL_VERSION + 1));
    assert_eq!(failure.kind(), wire::failure::Kind::BuildMismatch);
    assert!(
        failure.message.contains("a test uses protocol version 2"),
        "{}",
        failure.message
    );
    assert!(failure.advice.contains("Reinstall"));
    assert_eq!(engine.wait().code(), Some(3));
}

#[test]
fn something_before_hello_is_refused() {
    let mut engine = Engine::silent();
    let failure = engine.fails(request::Body::ListProcesses(wire::ListProcessesRequest {}));
    assert_eq!(failure.kind(), wire::failure::Kind::Protocol);
    assert_eq!(engine.wait().code(), Some(3));
}

#[test]
fn the_engine_ends_with_its_input() {
    let mut engine = Engine::start();
    let (after, status) = engine.ended_by_its_input();
    assert_eq!(status.code(), Some(0));
    assert!(after < Duration::from_secs(1), "{after:?}");
}
