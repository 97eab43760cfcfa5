use wire::{
    FRAME_BYTES_MAX, ListProcessesRequest, OpenRunRequest, PROTOCOL_VERSION, Request, encode_frame,
    reply, request,
};

use crate::client::{Engine, hello};

fn frame(id: u32, body: request::Body) -> Vec<u8> {
    encode_frame(&Request {
        id,
        body: Some(body),
    })
    .unwrap()
}

#[test]
fn an_oversize_length_ends_the_engine_with_a_sentence() {
    let mut engine = Engine::start();
    engine.send_bytes(&(FRAME_BYTES_MAX + 1).to_le_bytes());
    let reply = engine.next().unwrap();
    let Some(reply::Body::Failure(failure)) = reply.body else {
        panic!("{reply:?}");
    };
    assert_eq!(failure.kind(), wire::failure::Kind::Protocol);
    assert!(
        failure.message.contains("16777217 bytes"),
        "{}",
        failure.message
    );
    assert_eq!(engine.wait().code(), Some(3));
}

#[test]
fn bytes_that_are_no_request_end_the_engine() {
    let mut engine = Engine::start();
    engine.send_bytes(&[4, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]);
    assert!(matches!(
        engine.next().unwrap().body,
        Some(reply::Body::Failure(_))
    ));
    assert_eq!(engine.wait().code(), Some(3));
}

#[test]
fn a_cut_frame_ends_the_engine() {
    let mut engine = Engine::start();
    engine.send_bytes(&[4, 0, 0, 0, 1]);
    engine.close_input();
    assert_eq!(engine.wait().code(), Some(3));
}

#[test]
fn a_request_without_a_body_fails_alone() {
    let mut engine = Engine::start();
    engine.send_bytes(&encode_frame(&Request { id: 9, body: None }).unwrap());
    let reply = engine.next().unwrap();
    assert_eq!(reply.id, 9);
    assert!(matches!(reply.body, Some(reply::Body::Failure(_))));
    assert!(matches!(
        engine.ask(request::Body::ListProcesses(ListProcessesRequest {})),
        reply::Body::Processes(_)
    ));
}

/// A generator of the xorshift family: the same mutations each time.
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

#[test]
fn a_thousand_mutated_streams_neither_crash_nor_hang() {
    let whole: Vec<u8> = [
        frame(1, hello(PROTOCOL_VERSION)),
        frame(2, request::Body::ListProcesses(ListProcessesRequest {})),
        frame(
            3,
            request::Body::OpenRun(OpenRunRequest {
                run: wire::RunRef::file("/none/of/it.pb.gz"),
                workspace_folders: vec!["/none".to_owned()],
                ..OpenRunRequest::default()
            }),
        ),
        frame(4, request::Body::FileHeat(wire::FileHeatRequest::default())),
        frame(5, request::Body::View(wire::ViewRequest::default())),
        frame(6, request::Body::Locate(wire::LocateRequest::default())),
        frame(
            7,
            request::Body::OpenComparison(wire::OpenComparisonRequest::default()),
        ),
    ]
    .concat();
    let mut state = 0x2545_f491_4f6c_dd1d;
    let (mut fine, mut refused) = (0, 0);
    for _ in 0..1000 {
        let mut bytes = whole.clone();
        for _ in 0..1 + next(&mut state) % 4 {
            let at = next(&mut state) as usize % bytes.len();
            bytes[at] = next(&mut state) as u8;
        }
        let mut engine = Engine::silent();
        engine.send_bytes(&bytes);
        engine.close_input();
        match engine.wait().code() {
            Some(0) => fine += 1,
            Some(3) => refused += 1,
            other => panic!("ended with {other:?} on {bytes:02x?}"),
        }
    }
    assert!(fine > 0 && refused > 0, "{fine} fine, {refused} refused");
}
