//! Messages for a refused ring, from the errno of io_uring_setup.
//!
//! Must not make a ring.

use crate::limits::{memlock_limit_bytes, open_file_limit, sysctl, under_seccomp};
use rigel_core::error::Problem;
use rigel_core::facts::engine::EngineKind;
use rigel_core::units::Bytes;
use std::io;

pub(crate) fn problem(kind: EngineKind, poll: bool, error: &io::Error) -> Problem {
    if error.raw_os_error() == Some(libc::EMFILE) {
        return Problem::refused("no ring of io_uring can be opened")
            .because(cause(error))
            .next("raise the limit: ulimit -n 1024, or LimitNOFILE=1024 in the service");
    }
    let unknown = error.raw_os_error() == Some(libc::EINVAL);
    let (polled, next) = match (poll, kind) {
        (true, _) => (" with polled completions", "leave out --poll"),
        (false, EngineKind::Nvme) => ("", "use --engine io_uring, or leave --engine out"),
        (false, _) => ("", "use --engine libaio or --engine threads, or leave --engine out"),
    };
    let problem =
        Problem::refused(format!("the engine {}{polled} does not work here", kind.name())).next(next);
    match kind {
        EngineKind::Nvme if unknown => problem.because("NVMe commands through io_uring came with Linux 5.19"),
        _ => problem.because(cause(error)),
    }
}

/// The likely cause of the refusal.
pub(crate) fn cause(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::EPERM) => refusal_cause(sysctl("kernel/io_uring_disabled"), under_seccomp()).to_owned(),
        Some(libc::ENOSYS) if under_seccomp() => {
            "this kernel lacks it, or a seccomp profile hides it (ENOSYS)".to_owned()
        }
        Some(libc::ENOSYS) => {
            "this kernel lacks it: it is older than Linux 5.1 or was built without it".to_owned()
        }
        Some(libc::EMFILE) => {
            let limit = open_file_limit().map_or_else(String::new, |limit| format!("{limit} "));
            format!("this process has reached its limit of {limit}open files (ulimit -n; EMFILE)")
        }
        Some(libc::EACCES) => "a security module such as SELinux refuses it (EACCES)".to_owned(),
        Some(libc::ENOMEM) => match memlock_limit_bytes() {
            Some(limit) => format!(
                "not enough lockable memory for the ring (ENOMEM): RLIMIT_MEMLOCK is {}",
                Bytes(limit)
            ),
            None => "not enough memory for the ring (ENOMEM)".to_owned(),
        },
        _ => error.to_string(),
    }
}

/// The source of an EPERM; `disabled` is the sysctl, which is absent before Linux 6.6.
const fn refusal_cause(disabled: Option<u64>, under_seccomp: bool) -> &'static str {
    match (disabled, under_seccomp) {
        (Some(2), _) => "kernel.io_uring_disabled is 2: it is disabled for everyone",
        (Some(1), false) => {
            "kernel.io_uring_disabled is 1, and this user is neither in kernel.io_uring_group nor has CAP_SYS_ADMIN"
        }
        (Some(1), true) => {
            "kernel.io_uring_disabled is 1, or a seccomp profile forbids it, as container runtimes do by default"
        }
        (_, true) => "a seccomp profile forbids it, as container runtimes do by default",
        (_, false) => "the kernel forbids it (EPERM)",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The engine is not the cause, so none is advised.
    #[test]
    fn too_few_open_files_are_called_so() {
        let told = problem(EngineKind::IoUring, false, &io::Error::from_raw_os_error(libc::EMFILE));
        assert!(told.cause.unwrap().contains("open files (ulimit -n; EMFILE)"));
        assert!(!told.what.contains("does not work") && told.next.unwrap().contains("ulimit -n 1024"));
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
}
