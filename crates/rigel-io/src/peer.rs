//! Who is at the other end of a local socket, according to the kernel. Must not decide who may speak.

use std::io;
use std::mem::size_of;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

/// A process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Its process ID.
    pub pid: u32,
    /// Its user ID.
    pub uid: u32,
}

/// The process that listened or connected.
///
/// # Errors
/// Those of the system call.
pub fn of(stream: &UnixStream) -> io::Result<Peer> {
    let mut found = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut length = libc::socklen_t::try_from(size_of::<libc::ucred>()).unwrap_or(0);
    // SAFETY: the descriptor is open as long as `stream` is; SO_PEERCRED writes one ucred, for which there is room, and the length of what it wrote.
    let failed = unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            (&raw mut found).cast(),
            &raw mut length,
        )
    };
    if failed != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(Peer { pid: u32::try_from(found.pid).unwrap_or(0), uid: found.uid })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_end_is_this_process() {
        let (one, _other) = UnixStream::pair().unwrap();
        let peer = of(&one).unwrap();
        assert_eq!((peer.pid, peer.uid), (std::process::id(), rustix::process::geteuid().as_raw()));
    }
}
