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

/// A number from /proc/sys; `None` if it does not exist.
pub(crate) fn sysctl(name: &str) -> Option<u64> {
    System::default().sysctl(name)
}

/// The soft limit on locked memory; `None` when unlimited.
pub(crate) fn memlock_limit_bytes() -> Option<u64> {
    getrlimit(Resource::Memlock).current
}

/// The soft limit on open files; `None` when unlimited.
pub(crate) fn open_file_limit() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

/// Keeps resource limits from ending the process without a message: call it before any thread is started.
pub fn prepare_process() {
    share_one_heap();
    keep_time_to_end();
}

/// If the address space is limited, all threads take memory from one heap: each heap of their own reserves 64 MiB and more of it, and then a
/// few bytes can be too much.
fn share_one_heap() {
    #[cfg(target_env = "gnu")]
    if getrlimit(Resource::As).current.is_some() {
        // SAFETY: the call takes two numbers, and no other thread exists yet.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    }
}

/// At the hard limit on CPU time (`ulimit -t`) the kernel kills without a word. SIGXCPU comes at the soft one, a second of CPU time before, so a
/// run can be cleaned up.
fn keep_time_to_end() {
    let Rlimit { current, maximum } = getrlimit(Resource::Cpu);
    if let Some(soft) = soft_cpu_limit(current, maximum) {
        // A refusal leaves the limit as it was.
        let _ = setrlimit(Resource::Cpu, Rlimit { current: Some(soft), maximum });
    }
}

/// The soft limit that leaves a second, if there is a hard one that leaves none.
fn soft_cpu_limit(current: Option<u64>, maximum: Option<u64>) -> Option<u64> {
    let before = maximum?.checked_sub(1).filter(|seconds| *seconds > 0)?;
    current.is_none_or(|current| current > before).then_some(before)
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
    fn a_second_of_cpu_time_is_left_before_the_hard_limit() {
        assert_eq!(soft_cpu_limit(Some(2), Some(2)), Some(1));
        assert_eq!(soft_cpu_limit(None, Some(60)), Some(59));
        assert_eq!(soft_cpu_limit(Some(10), Some(60)), None);
        assert_eq!(soft_cpu_limit(Some(2), None), None, "the soft limit only signals");
        assert_eq!(soft_cpu_limit(Some(1), Some(1)), None, "there is no second to leave");
    }

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
