//! Kernel errors about a target: retries of transient ones, and messages that name cause and next step. Must not
//! print.

use super::no_path;
use rigel_core::error::Problem;
use rigel_core::path_text;
use rustix::io::Errno;
use rustix::process::geteuid;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// Repeats an attempt while it fails with one error, for at most this long. Some uses end on their own: io_uring holds the
/// files of a program that has just died, an inspection holds a device for microseconds, and a child process that is
/// being started has copies of our descriptors.
pub(crate) fn retry_while<T>(
    transient: Errno,
    longest: Duration,
    mut attempt: impl FnMut() -> Result<T, Errno>,
) -> Result<T, Errno> {
    let begin = Instant::now();
    loop {
        let outcome = attempt();
        if outcome.as_ref().err() != Some(&transient) || begin.elapsed() >= longest {
            return outcome;
        }
        thread::sleep(Duration::from_millis(50));
    }
}

/// A refusal by the kernel, with its likely cause and the next step.
pub(crate) fn refusal(what: &str, path: &Path, errno: Errno) -> Problem {
    let problem = Problem::refused(what).at(path_text::encode(path));
    if matches!(errno, Errno::PERM | Errno::ACCESS) {
        let is_device = std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir());
        let (cause, next) = forbidden(errno, is_device, geteuid().is_root());
        return problem.because(format!("{}: {cause}", text(errno))).next(next);
    }
    let no_path = || no_path::in_command(&path_text::encode(path)).filter(|_| errno == Errno::NOENT);
    if let Some((cause, next)) = no_path() {
        return problem.because(cause).next(next);
    }
    match explain(errno) {
        Some((cause, next)) => problem.because(cause).next(next),
        None => problem.because(text(errno)).next("check the kernel log (dmesg) for what happened"),
    }
}

pub(crate) fn no_direct_io(place: String) -> Problem {
    Problem::refused("the target cannot be opened for direct I/O")
        .at(place)
        .because("its filesystem does not support O_DIRECT")
        .next("choose a target elsewhere, or --buffered to measure through the page cache")
}

/// The system's text for an error.
pub(crate) fn text(errno: Errno) -> String {
    std::io::Error::from(errno).to_string()
}

/// Only causes that can apply: root lacks no right that another user has.
const fn forbidden(errno: Errno, is_device: bool, is_root: bool) -> (&'static str, &'static str) {
    match (errno, is_device, is_root) {
        (Errno::ACCESS, _, false) => {
            ("this user lacks permission", "run as root, or as a member of the group that owns it (ls -l)")
        }
        (Errno::ACCESS, _, true) => (
            "root lacks permission: a file server that squashes root, or a security policy (SELinux, AppArmor)",
            "run as the user that owns it (ls -l), or look for the policy's message in the kernel log (dmesg)",
        ),
        (_, true, true) => (
            "the device rules of this container or service forbid it, even for root",
            "give it the device (docker run --device, DeviceAllow= of a service), or run outside of it",
        ),
        (_, true, false) => (
            "the device rules of this container or service forbid it, or this user lacks permission",
            "give it the device (docker run --device, DeviceAllow= of a service), run outside of it, or run as root",
        ),
        (_, false, true) => (
            "the file is immutable or append-only, or a security policy forbids it",
            "check its attributes (lsattr), or choose another target",
        ),
        (_, false, false) => (
            "the file is immutable or append-only, or this user lacks permission",
            "check its attributes (lsattr), choose another target, or run as root",
        ),
    }
}

fn explain(errno: Errno) -> Option<(&'static str, &'static str)> {
    Some(match errno {
        Errno::NOENT => ("no such file or device", "check the spelling; lsblk lists the block devices"),
        Errno::NOTDIR => ("part of the path is not a directory", "check the spelling"),
        Errno::LOOP => {
            ("it is a symbolic link, or its symbolic links form a loop", "name the file or device")
        }
        Errno::NAMETOOLONG => ("the path is too long", "use a shorter path or a link"),
        Errno::NXIO | Errno::NODEV | Errno::NOMEDIUM => {
            ("no device answers at this path", "attach it or insert the medium; lsblk lists what is present")
        }
        Errno::BUSY => {
            ("another program has it open exclusively", "see what holds it with lsblk and fuser -v")
        }
        Errno::ROFS => {
            ("the filesystem or the device is read-only", "remount it writable, or choose another target")
        }
        Errno::TXTBSY => ("a running program is using this file", "choose another target"),
        Errno::IO => {
            ("the device reports an I/O error", "check the kernel log (dmesg) and the device's health")
        }
        Errno::MFILE | Errno::NFILE => ("too many open files", "raise the limit (ulimit -n) or close some"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A container may hide a device from root as well, and then `run as root` is no step.
    #[test]
    fn root_is_not_told_to_be_root() {
        for errno in [Errno::PERM, Errno::ACCESS] {
            for is_device in [true, false] {
                let (cause, next) = forbidden(errno, is_device, true);
                assert!(!next.contains("as root") && !cause.contains("this user"), "{cause}; {next}");
                assert!(forbidden(errno, is_device, false).1.contains("as root"));
            }
        }
        assert!(!forbidden(Errno::PERM, true, true).0.contains("immutable"));
        assert!(!forbidden(Errno::PERM, false, true).0.contains("device"));
    }

    #[test]
    fn the_systems_own_words_stand_first() {
        let told = refusal("the target cannot be read", Path::new("/dev/null"), Errno::PERM);
        assert!(told.cause.unwrap().starts_with("Operation not permitted (os error 1): "));
    }
}
