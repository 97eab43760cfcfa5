//! Packets between two processes, each with a file if need be (unix(7), `SOCK_SEQPACKET` and `SCM_RIGHTS`). By a stream, a small
//! packet is sent whole, too.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};

/// More than four paths of PATH_MAX bytes.
const PACKET_BYTES_MAX: usize = 32 << 10;
const ONE_FILE: usize = rustix::cmsg_space!(ScmRights(1));

pub fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let (kind, flags) = (SocketType::SEQPACKET, SocketFlags::CLOEXEC);
    Ok(socketpair(AddressFamily::UNIX, kind, flags, None)?)
}

/// From now on [`receive`] fails with `WouldBlock` when nothing comes for so long.
pub fn receive_within(socket: BorrowedFd, limit: Duration) -> io::Result<()> {
    Ok(set_socket_timeout(socket, Timeout::Recv, Some(limit))?)
}

/// A packet, and the file that goes with it.
pub fn send(socket: BorrowedFd, bytes: &[u8], fd: Option<BorrowedFd>) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); ONE_FILE];
    let mut beside = SendAncillaryBuffer::new(&mut space);
    let fds = fd.as_slice();
    if !fds.is_empty() {
        beside.push(SendAncillaryMessage::ScmRights(fds));
    }
    let bytes = [IoSlice::new(bytes)];
    sendmsg(socket, &bytes, &mut beside, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// One packet, and the file that came with it.
///
/// # Errors
/// `UnexpectedEof` when the other side is gone; see [`receive_within`].
pub fn receive(socket: BorrowedFd) -> io::Result<(Vec<u8>, Option<OwnedFd>)> {
    let mut bytes = [0; PACKET_BYTES_MAX];
    let mut space = [MaybeUninit::uninit(); ONE_FILE];
    let mut beside = RecvAncillaryBuffer::new(&mut space);
    let got = rustix::io::retry_on_intr(|| {
        let mut parts = [IoSliceMut::new(&mut bytes)];
        recvmsg(socket, &mut parts, &mut beside, RecvFlags::CMSG_CLOEXEC)
    })?;
    let fd = beside.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut fds) => fds.next(),
        _ => None,
    });
    match got.bytes {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        n => Ok((bytes[..n].to_vec(), fd)),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn a_packet_arrives_whole_with_its_file_and_the_end_is_told() {
        let (here, there) = pair().unwrap();
        let file = std::fs::File::open("/proc/self/comm").unwrap();
        send(here.as_fd(), b"a file", Some(file.as_fd())).unwrap();
        send(here.as_fd(), b"none", None).unwrap();
        let (bytes, fd) = receive(there.as_fd()).unwrap();
        assert_eq!(bytes, b"a file");
        let mut text = String::new();
        std::fs::File::from(fd.unwrap())
            .read_to_string(&mut text)
            .unwrap();
        assert!(!text.is_empty());
        let (bytes, fd) = receive(there.as_fd()).unwrap();
        assert!(bytes == b"none" && fd.is_none());
        receive_within(there.as_fd(), Duration::from_millis(10)).unwrap();
        let late = receive(there.as_fd()).unwrap_err();
        assert_eq!(late.kind(), io::ErrorKind::WouldBlock);
        drop(here);
        let gone = receive(there.as_fd()).unwrap_err();
        assert_eq!(gone.kind(), io::ErrorKind::UnexpectedEof);
    }
}
