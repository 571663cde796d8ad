//! Which engine carries the I/O: found out once, before anything is measured.
//!
//! A host or container may refuse io_uring in many ways. Then libaio is tried, then threads, and the reason
//! is kept, so that a report can say why. Must not switch later: two engines in one run would be two
//! measurements.

use crate::{aio, uring};
use rigel_core::engine::{EngineFacts, EngineKind};
use rigel_core::error::Problem;
use rigel_core::units::Bytes;
use rustix::process::{Resource, getrlimit};
use std::io;

/// The engine of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineChoice {
    /// Which one.
    pub kind: EngineKind,
    /// Why not a better one; `None` for the best and for one that was asked for.
    pub reason: Option<String>,
}

/// Chooses the best engine that works here for `slots` outstanding I/Os per worker, or checks that the wanted
/// one does.
///
/// # Errors
/// When an engine was asked for and does not work here: then no other is taken instead.
pub fn choose(wanted: Option<EngineKind>, slots: u16) -> Result<EngineChoice, Problem> {
    match wanted {
        None => Ok(best(slots)),
        Some(kind) => {
            match kind {
                EngineKind::IoUring => uring::probe(slots).map_err(|error| uring_problem(&error))?,
                EngineKind::Libaio => {
                    aio::probe(slots).map_err(|error| aio::problem(u32::from(slots), &error))?;
                }
                // Nothing can be refused before the threads are started, or ever.
                EngineKind::Threads | EngineKind::Null | EngineKind::Sim => {}
            }
            Ok(EngineChoice { kind, reason: None })
        }
    }
}

fn best(slots: u16) -> EngineChoice {
    let Err(uring_error) = uring::probe(slots) else {
        return EngineChoice { kind: EngineKind::IoUring, reason: None };
    };
    let no_uring = format!("no io_uring: {}", uring_cause(&uring_error));
    let Err(aio_error) = aio::probe(slots) else {
        return EngineChoice { kind: EngineKind::Libaio, reason: Some(no_uring) };
    };
    let aio_cause = aio::problem(u32::from(slots), &aio_error).cause.unwrap_or_default();
    EngineChoice { kind: EngineKind::Threads, reason: Some(format!("{no_uring}; no libaio: {aio_cause}")) }
}

/// What kept a ring from being made.
pub(crate) fn uring_problem(error: &io::Error) -> Problem {
    Problem::refused("the engine io_uring does not work here")
        .because(uring_cause(error))
        .next("use --engine libaio or --engine threads, or leave --engine out")
}

fn uring_cause(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::EPERM) => refusal_cause(sysctl("kernel/io_uring_disabled"), under_seccomp()).to_owned(),
        Some(libc::ENOSYS) if under_seccomp() => {
            "this kernel has none, or a seccomp profile hides it (ENOSYS)".to_owned()
        }
        Some(libc::ENOSYS) => {
            "this kernel has none: it is older than Linux 5.1 or was built without it".to_owned()
        }
        Some(libc::EACCES) => "a security module such as SELinux refuses it (EACCES)".to_owned(),
        Some(libc::ENOMEM) => match memlock_limit_bytes() {
            Some(limit) => format!(
                "not enough memory that may be locked for the ring (ENOMEM): RLIMIT_MEMLOCK is {}",
                Bytes(limit)
            ),
            None => "not enough memory for the ring (ENOMEM)".to_owned(),
        },
        _ => error.to_string(),
    }
}

/// Who said EPERM: `disabled` is the sysctl (absent before Linux 6.6).
const fn refusal_cause(disabled: Option<u64>, under_seccomp: bool) -> &'static str {
    match (disabled, under_seccomp) {
        (Some(2), _) => "kernel.io_uring_disabled is 2: nobody may use it",
        (Some(1), false) => {
            "kernel.io_uring_disabled is 1, and this user is not in kernel.io_uring_group and has no CAP_SYS_ADMIN"
        }
        (Some(1), true) => {
            "kernel.io_uring_disabled is 1, or a seccomp profile forbids it, as the default profiles of containers do"
        }
        (_, true) => "a seccomp profile forbids it, as the default profiles of containers do",
        (_, false) => "the kernel forbids it (EPERM)",
    }
}

/// Whether a seccomp filter is in force on this thread.
fn under_seccomp() -> bool {
    let Ok(status) = std::fs::read_to_string("/proc/thread-self/status") else { return false };
    let mode = status.lines().find_map(|line| line.strip_prefix("Seccomp:"));
    mode.is_some_and(|mode| mode.trim() == "2")
}

/// A number from /proc/sys; `None` when there is none.
pub(crate) fn sysctl(name: &str) -> Option<u64> {
    std::fs::read_to_string(format!("/proc/sys/{name}")).ok()?.trim().parse().ok()
}

/// The soft limit on locked memory; `None` when unlimited.
pub(crate) fn memlock_limit_bytes() -> Option<u64> {
    getrlimit(Resource::Memlock).current
}

/// The facts of an engine that has none of the features that only io_uring has.
pub(crate) const fn plain_facts(kind: EngineKind) -> EngineFacts {
    EngineFacts {
        kind,
        reason: None,
        notes: Vec::new(),
        registered_buffers: false,
        registered_files: false,
        single_issuer: false,
        defer_taskrun: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_that_need_nothing_are_never_refused() {
        for kind in [EngineKind::Threads, EngineKind::Null, EngineKind::Sim] {
            assert_eq!(choose(Some(kind), u16::MAX), Ok(EngineChoice { kind, reason: None }));
        }
    }

    #[test]
    fn eperm_is_explained_by_who_said_it() {
        assert!(refusal_cause(Some(2), true).contains("is 2"));
        assert!(refusal_cause(Some(1), false).contains("io_uring_group"));
        assert!(refusal_cause(Some(1), true).contains("or a seccomp profile"));
        assert!(refusal_cause(Some(0), true).starts_with("a seccomp profile"));
        assert!(refusal_cause(None, true).starts_with("a seccomp profile"));
        assert!(refusal_cause(None, false).contains("EPERM"));
    }

    #[test]
    fn a_number_of_the_kernel_is_read() {
        assert!(sysctl("fs/aio-max-nr").is_some_and(|most| most > 0));
        assert_eq!(sysctl("fs/there-is-no-such-thing"), None);
    }
}
