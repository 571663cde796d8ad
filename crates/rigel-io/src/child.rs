//! Programs that end when this one does, however it ends.
//!
//! Must not choose a program.

use rustix::process::{Pid, Signal, getpid, getppid, set_parent_process_death_signal};
use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// Makes the kernel send `signal` to the program when the thread that starts it ends, so also when this process is killed. It begins in
/// the control groups whose open process lists are given ([`crate::group::Group::lists`]), if the kernel permits.
pub fn ends_with_us(command: &mut Command, signal: Signal, groups: Vec<File>) {
    let us = getpid();
    // SAFETY: the hook makes system calls and compares two numbers: it takes no memory and no lock.
    unsafe {
        command.pre_exec(move || {
            // Old kernels ask for the rights of the new user; then whoever starts it puts it there.
            for list in &groups {
                let _ = rustix::io::write(list, b"0");
            }
            tie(us, signal)
        });
    }
}

/// In the new process, after the change of its user, which would undo it.
fn tie(parent: Pid, signal: Signal) -> io::Result<()> {
    set_parent_process_death_signal(Some(signal))?;
    // Whoever started it may have ended before the kernel knew.
    if getppid() == Some(parent) { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::Stdio;

    #[test]
    fn the_program_is_in_its_groups_before_it_begins() {
        let dir = tempfile::tempdir().unwrap();
        let list = dir.path().join("cgroup.procs");
        let mut command = Command::new("cat");
        command.arg(&list).stdin(Stdio::null());
        ends_with_us(&mut command, Signal::TERM, vec![File::create(&list).unwrap()]);
        assert_eq!(command.output().unwrap().stdout, b"0");
    }

    #[test]
    fn the_program_ends_with_the_thread_that_started_it() {
        let start = || {
            let mut command = Command::new("sleep");
            command.arg("60").stdin(Stdio::null());
            ends_with_us(&mut command, Signal::TERM, Vec::new());
            command.spawn().unwrap()
        };
        let mut child = std::thread::spawn(start).join().unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(Signal::TERM.as_raw()));
    }
}
