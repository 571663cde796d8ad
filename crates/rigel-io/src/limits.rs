//! What the host allows this process: sysctls, locked memory, seccomp.
//!
//! Must not judge; whoever was refused something looks here for the reason.

use rustix::process::{Resource, getrlimit};

/// Whether a seccomp filter is in force on this thread.
pub fn under_seccomp() -> bool {
    let Ok(status) = std::fs::read_to_string("/proc/thread-self/status") else { return false };
    let mode = status.lines().find_map(|line| line.strip_prefix("Seccomp:"));
    mode.is_some_and(|mode| mode.trim() == "2")
}

/// A number from /proc/sys; `None` when there is none.
pub fn sysctl(name: &str) -> Option<u64> {
    std::fs::read_to_string(format!("/proc/sys/{name}")).ok()?.trim().parse().ok()
}

/// The soft limit on locked memory; `None` when unlimited.
pub fn memlock_limit_bytes() -> Option<u64> {
    getrlimit(Resource::Memlock).current
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_the_kernel_is_read() {
        assert!(sysctl("fs/aio-max-nr").is_some_and(|most| most > 0));
        assert_eq!(sysctl("fs/there-is-no-such-thing"), None);
    }
}
