//! System calls that old kernels do not have, and how strace refuses them. Also part of `cargo xtask dist`, which starts the packed binary so.
//! Must not use anything of a crate.

/// After Linux 3.10: those that the program, Rust's library or the C library could make, as far as strace has a name for them.
pub const NEWER: &str = "sched_setattr,sched_getattr,renameat2,seccomp,getrandom,memfd_create,bpf,execveat,userfaultfd,membarrier,mlock2,\
    copy_file_range,preadv2,pwritev2,pkey_mprotect,pkey_alloc,pkey_free,statx,io_pgetevents,rseq,pidfd_send_signal,io_uring_setup,\
    io_uring_enter,io_uring_register,pidfd_open,clone3,close_range,openat2,pidfd_getfd,faccessat2,epoll_pwait2";
/// Of them, what the profiles of older containers refuse with EPERM. The C library itself gives up on some of the others.
pub const UNKNOWN_TO_PROFILES: &str = "statx,io_uring_setup,close_range,openat2,pidfd_open,epoll_pwait2";

/// The words of strace before those of the program: the kernel answers `calls` with `errno`.
pub fn refusing(calls: &str, errno: &str) -> [String; 9] {
    let (trace, inject) = (format!("trace={calls}"), format!("inject={calls}:error={errno}"));
    ["-f", "-qq", "--seccomp-bpf", "-o", "/dev/null", "-e", &trace, "-e", &inject].map(str::to_owned)
}
