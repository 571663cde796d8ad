//! Whether there is still a terminal to read keys from.
//!
//! A terminal that went away is always ready but never has a byte, which would keep the key-reading library busy forever. So the library is called
//! only while there is a terminal. Must not read.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, IsTerminal as _, Stdin};
use std::os::fd::AsFd as _;
use std::time::Duration;

/// The terminal that keys come from, found in the same way as in the library: standard input, otherwise that of the process.
pub enum Keyboard {
    Stdin(Stdin),
    Tty(File),
}

impl Keyboard {
    /// # Errors
    /// When the process has no terminal.
    pub fn open() -> io::Result<Self> {
        let stdin = io::stdin();
        if stdin.is_terminal() { Ok(Self::Stdin(stdin)) } else { File::open("/dev/tty").map(Self::Tty) }
    }

    /// Waits for a key or for that long; whether the terminal is still there.
    pub fn is_there(&self, wait: Duration) -> bool {
        let fd = match self {
            Self::Stdin(stdin) => stdin.as_fd(),
            Self::Tty(file) => file.as_fd(),
        };
        let mut fds = [PollFd::from_borrowed_fd(fd, PollFlags::IN)];
        let wait = Timespec { tv_sec: 0, tv_nsec: i64::from(wait.subsec_nanos()) };
        match poll(&mut fds, Some(&wait)) {
            Ok(_) => !fds[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL),
            // A signal; its own handler deals with it.
            Err(Errno::INTR) => true,
            Err(_) => false,
        }
    }
}
