//! What the host allows this process: sysctls, locked memory, open files, seccomp.
//!
//! Must not judge; whoever was refused something looks here for the reason.

use crate::system::System;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Open files of a run beside them: the record, what the system is asked through.
const OTHER_FILES: u64 = 256;

/// Whether a seccomp filter is in force on this thread.
pub fn under_seccomp() -> bool {
    let Ok(status) = std::fs::read_to_string("/proc/thread-self/status") else { return false };
    let mode = status.lines().find_map(|line| line.strip_prefix("Seccomp:"));
    mode.is_some_and(|mode| mode.trim() == "2")
}

/// A number from /proc/sys; `None` when there is none.
pub fn sysctl(name: &str) -> Option<u64> {
    System::default().sysctl(name)
}

/// The soft limit on locked memory; `None` when unlimited.
pub fn memlock_limit_bytes() -> Option<u64> {
    getrlimit(Resource::Memlock).current
}

/// Raises the soft limit on open files, as far as the hard one lets, so that targets and rings, `files` together, have
/// room. It is low by default for the sake of programs that use `select`; whoever opens too many all the same is told so
/// then.
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
