//! Packets between two processes, each with a file if need be (unix(7), `SOCK_SEQPACKET` and `SCM_RIGHTS`).

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::time::Duration;

/// More than four paths of PATH_MAX bytes.
const PACKET_BYTES_MAX: usize = 32 << 10;

/// Room for one descriptor, aligned as cmsg(3) wants it.
#[repr(align(8))]
struct Control([u8; 64]);

pub fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut fds: [RawFd; 2] = [-1; 2];
    let kind = libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC;
    // SAFETY: there is room for two numbers.
    checked(unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, fds.as_mut_ptr()) } as isize)?;
    // SAFETY: both are open and nobody else's.
    Ok(unsafe { (OwnedFd::from_raw_fd(fds[0]), OwnedFd::from_raw_fd(fds[1])) })
}

/// From now on [`receive`] fails with `WouldBlock` when nothing comes for so long.
pub fn receive_within(socket: BorrowedFd, limit: Duration) -> io::Result<()> {
    let limit = libc::timeval {
        tv_sec: limit.as_secs() as libc::time_t,
        tv_usec: libc::suseconds_t::from(limit.subsec_micros()),
    };
    // SAFETY: the option's value is a whole timeval.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_RCVTIMEO,
            (&raw const limit).cast(),
            size_of::<libc::timeval>() as libc::socklen_t,
        )
    };
    checked(result as isize).map(drop)
}

pub fn send(socket: BorrowedFd, bytes: &[u8], fd: Option<BorrowedFd>) -> io::Result<()> {
    let mut control = Control([0; 64]);
    let mut part = libc::iovec {
        iov_base: bytes.as_ptr().cast_mut().cast(),
        iov_len: bytes.len(),
    };
    // SAFETY: all zeros are an empty header; what it points to outlives the call, and one descriptor fits in.
    let sent = unsafe {
        let mut header: libc::msghdr = std::mem::zeroed();
        header.msg_iov = &raw mut part;
        header.msg_iovlen = 1;
        if let Some(fd) = fd {
            let length = size_of::<RawFd>() as u32;
            header.msg_control = (&raw mut control.0).cast();
            header.msg_controllen = libc::CMSG_SPACE(length) as _;
            let first = libc::CMSG_FIRSTHDR(&raw const header);
            (*first).cmsg_level = libc::SOL_SOCKET;
            (*first).cmsg_type = libc::SCM_RIGHTS;
            (*first).cmsg_len = libc::CMSG_LEN(length) as _;
            libc::CMSG_DATA(first)
                .cast::<RawFd>()
                .write_unaligned(fd.as_raw_fd());
        }
        libc::sendmsg(socket.as_raw_fd(), &raw const header, libc::MSG_NOSIGNAL)
    };
    checked(sent).map(drop)
}

/// One packet, and the file that came with it.
///
/// # Errors
/// `UnexpectedEof` when the other side is gone; see [`receive_within`].
pub fn receive(socket: BorrowedFd) -> io::Result<(Vec<u8>, Option<OwnedFd>)> {
    let mut bytes = vec![0; PACKET_BYTES_MAX];
    let mut control = Control([0; 64]);
    let mut part = libc::iovec {
        iov_base: bytes.as_mut_ptr().cast(),
        iov_len: bytes.len(),
    };
    // SAFETY: as in `send`; the kernel writes no more than the lengths say.
    let mut header: libc::msghdr = unsafe { std::mem::zeroed() };
    header.msg_iov = &raw mut part;
    header.msg_iovlen = 1;
    header.msg_control = (&raw mut control.0).cast();
    header.msg_controllen = control.0.len() as _;
    let count = loop {
        let flags = libc::MSG_CMSG_CLOEXEC;
        // SAFETY: as above.
        let got = unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut header, flags) };
        match checked(got) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            other => break other?,
        }
    };
    // SAFETY: the kernel filled in whole headers; a descriptor that it passes is open and ours.
    let fd = unsafe {
        let first = libc::CMSG_FIRSTHDR(&raw const header);
        let is_file = !first.is_null()
            && (*first).cmsg_level == libc::SOL_SOCKET
            && (*first).cmsg_type == libc::SCM_RIGHTS;
        is_file.then(|| {
            let fd = libc::CMSG_DATA(first).cast::<RawFd>().read_unaligned();
            OwnedFd::from_raw_fd(fd)
        })
    };
    bytes.truncate(count);
    match count {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok((bytes, fd)),
    }
}

fn checked(result: isize) -> io::Result<usize> {
    usize::try_from(result).map_err(|_| io::Error::last_os_error())
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
