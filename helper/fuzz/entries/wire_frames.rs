//! Frames between editor and engine: any stream ends in messages or in an error, and what was read can be said again.

use wire::{Message, Reply, Request, encode_frame, read_frame};

pub fn read(bytes: &[u8]) {
    let mut stream = bytes;
    while let Ok(Some(frame)) = read_frame(&mut stream) {
        said_again::<Request>(&frame);
        said_again::<Reply>(&frame);
    }
}

fn said_again<M: Message + Default + PartialEq>(frame: &[u8]) {
    let Ok(message) = M::decode(frame) else {
        return;
    };
    let bytes = encode_frame(&message).expect("no longer than what it was read from");
    let again = M::decode(&bytes[4..]).expect("our own bytes");
    // Not a number equals nothing, so the bytes are compared.
    assert_eq!(again.encode_to_vec(), bytes[4..]);
}

/// Whole streams to begin with.
#[allow(dead_code)] // The fuzzer keeps what it found itself.
pub fn seeds() -> Vec<Vec<u8>> {
    use wire::{FileHeatRequest, Hello, OpenRunRequest, request::Body};
    let bodies = [
        Body::Hello(Hello {
            protocol: 1,
            client: "a client".to_owned(),
        }),
        Body::OpenRun(OpenRunRequest {
            run: wire::RunRef::file("/run.pb.gz"),
            workspace_folders: vec!["/a".to_owned(), "/b".to_owned()],
            ..OpenRunRequest::default()
        }),
        Body::FileHeat(FileHeatRequest {
            run: 3,
            path: "/a.c".to_owned(),
            has_text: true,
            text: "int main;\n".to_owned(),
            ..FileHeatRequest::default()
        }),
    ];
    let frames = bodies.map(|body| {
        let body = Some(body);
        encode_frame(&Request { id: 1, body }).expect("short")
    });
    vec![frames.concat()]
}
