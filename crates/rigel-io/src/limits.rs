//! Limits of the host on this process: sysctls, locked memory, open files, seccomp. Code that was refused something finds
//! the reason here.
//!
//! Must not judge.

use crate::system::System;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Open files of a run besides targets and rings: the record, files of procfs and sysfs.
const OTHER_FILES: u64 = 256;

/// Whether a seccomp filter is in force on this thread.
pub(crate) fn under_seccomp() -> bool {
    let Ok(status) = std::fs::read_to_string("/proc/thread-self/status") else { return false };
    let mode = status.lines().find_map(|line| line.strip_prefix("Seccomp:"));
    mode.is_some_and(|mode| mode.trim() == "2")
}

/// A number from /proc/sys; `None` when there is none.
pub(crate) fn sysctl(name: &str) -> Option<u64> {
    System::default().sysctl(name)
}

/// The soft limit on locked memory; `None` when unlimited.
pub(crate) fn memlock_limit_bytes() -> Option<u64> {
    getrlimit(Resource::Memlock).current
}

/// Raises the soft limit on open files to fit `files` targets and rings, as far as the hard limit allows. The default is
/// low only for programs that use `select`. A limit that is still too low shows as an error when a file is opened.
pub fn allow_open_files(files: usize) {
    let needed = u64::try_from(files).unwrap_or(u64::MAX).saturating_add(OTHER_FILES);
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current.is_none_or(|current| current >= needed) {
        return;
    }
    let raised = maximum.map_or(needed, |maximum| needed.min(maximum));
    // A refusal leaves the limit as it was.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(raised), maximum });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_on_open_files_only_rises() {
        let before = getrlimit(Resource::Nofile);
        allow_open_files(1);
        assert_eq!(getrlimit(Resource::Nofile), before, "there is room enough");
        let Some(current) = before.current else { return };
        allow_open_files(usize::try_from(current).unwrap());
        let after = getrlimit(Resource::Nofile);
        assert_eq!(after.maximum, before.maximum);
        let expected = before.maximum.map_or(current + OTHER_FILES, |most| most.min(current + OTHER_FILES));
        assert_eq!(after.current, Some(expected));
    }

    #[test]
    fn a_number_of_the_kernel_is_read() {
        assert!(sysctl("fs/aio-max-nr").is_some_and(|most| most > 0));
        assert_eq!(sysctl("fs/there-is-no-such-thing"), None);
    }
}
