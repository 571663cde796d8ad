//! The choice of the engine on hosts that refuse some: a child of this program refuses itself system calls,
//! as the seccomp profiles of containers do.
#![expect(clippy::unwrap_used, reason = "helpers of tests are tests too")]

use rigel_core::facts::engine::EngineKind;
use rigel_io::engine::{EngineChoice, choose};
use rigel_testdev::{MissingNeed, needs};
use std::process::Command;

/// Set in the process that a test started: the errno for io_uring, and one for libaio or 0.
const CHILD: &str = "RIGEL_TEST_REFUSE";

const SLOTS: u16 = 64;

#[test]
fn the_choice_is_io_uring_or_has_a_reason() {
    let choice = choose(None, false, &[SLOTS]).unwrap();
    match choice.kind {
        EngineKind::IoUring => assert_eq!(choice.reason, None),
        EngineKind::Libaio | EngineKind::Threads => {
            assert!(choice.reason.unwrap().starts_with("no io_uring: "))
        }
        kind => panic!("{kind:?} does no I/O"),
    }
}

#[test]
fn every_refusal_of_io_uring_ends_in_libaio() {
    for errno in [libc::EPERM, libc::ENOSYS, libc::EACCES, libc::ENOMEM, libc::EMFILE] {
        run_child("engines::child_falls_back", errno, 0);
    }
}

#[test]
fn io_uring_that_was_asked_for_fails_when_refused() {
    for errno in [libc::EPERM, libc::ENOSYS, libc::EACCES, libc::ENOMEM] {
        run_child("engines::child_insists", errno, 0);
    }
}

#[test]
fn without_both_there_are_threads() {
    run_child("engines::child_has_threads", libc::EPERM, libc::ENOSYS);
}

fn run_child(test: &str, uring_errno: i32, aio_errno: i32) {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(CHILD, format!("{uring_errno} {aio_errno}"))
        .output()
        .unwrap();
    let text =
        [child.stdout, child.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).join("\n");
    assert!(child.status.success() && text.contains("1 passed"), "{test}, errno {uring_errno}: {text}");
}

/// In a child: refuses the system calls to this thread and returns the errno for io_uring.
fn refused_as_asked() -> Option<i32> {
    let errnos = std::env::var(CHILD).ok()?;
    let (uring_errno, aio_errno) = errnos.split_once(' ').unwrap();
    let uring_errno = uring_errno.parse().unwrap();
    refuse(libc::SYS_io_uring_setup, libc::SYS_io_uring_register, uring_errno);
    match aio_errno.parse().unwrap() {
        0 => {}
        errno => refuse(libc::SYS_io_setup, libc::SYS_io_setup, errno),
    }
    Some(uring_errno)
}

/// From now on the system calls `first ..= last` of this thread fail with `errno`.
fn refuse(first: libc::c_long, last: libc::c_long, errno: i32) {
    let instruction = |code: u32, jump: (u8, u8), k: u32| libc::sock_filter {
        code: u16::try_from(code).unwrap(),
        jt: jump.0,
        jf: jump.1,
        k,
    };
    let [first, last, errno] = [first, last, i64::from(errno)].map(|number| u32::try_from(number).unwrap());
    let mut filter = [
        // The number of the system call is the first word of what a filter sees.
        instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, (0, 0), 0),
        instruction(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, (0, 2), first),
        instruction(libc::BPF_JMP | libc::BPF_JGT | libc::BPF_K, (1, 0), last),
        instruction(libc::BPF_RET | libc::BPF_K, (0, 0), libc::SECCOMP_RET_ERRNO | errno),
        instruction(libc::BPF_RET | libc::BPF_K, (0, 0), libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog { len: u16::try_from(filter.len()).unwrap(), filter: filter.as_mut_ptr() };
    // SAFETY: the kernel copies the filter, which lives until the end of this function, and no memory of ours
    // changes. What it forbids ends in an errno, which every caller of system calls has to expect.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        assert_eq!(libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program), 0);
    }
}

fn word_for(errno: i32) -> &'static str {
    match errno {
        libc::EPERM => "a seccomp profile forbids it",
        libc::ENOSYS => "a seccomp profile hides it",
        libc::EACCES => "a security module",
        libc::ENOMEM => "memory for the ring",
        libc::EMFILE => "open files (ulimit -n",
        _ => "os error",
    }
}

#[test]
fn child_falls_back() {
    let Some(errno) = refused_as_asked() else { return };
    let choice = choose(None, false, &[SLOTS]).unwrap();
    assert_eq!(choice.kind, EngineKind::Libaio);
    let reason = choice.reason.unwrap();
    assert!(reason.starts_with("no io_uring: ") && reason.contains(word_for(errno)), "{reason}");
    for kind in [EngineKind::Libaio, EngineKind::Sync, EngineKind::Threads] {
        let choice = EngineChoice { kind, poll: false, reason: None, trials: None };
        assert_eq!(choose(Some(kind), false, &[SLOTS]), Ok(choice));
    }
}

#[test]
fn child_insists() {
    let Some(errno) = refused_as_asked() else { return };
    let problem = choose(Some(EngineKind::IoUring), false, &[SLOTS]).unwrap_err();
    assert_eq!(problem.kind.code(), 3);
    assert!(problem.what.contains("io_uring"), "{problem}");
    assert!(problem.cause.as_ref().unwrap().contains(word_for(errno)), "{problem}");
    assert!(problem.next.as_ref().unwrap().contains("libaio"), "{problem}");
}

#[test]
fn rings_for_polling_and_for_commands_are_tried_too() {
    for (kind, poll) in [(EngineKind::IoUring, true), (EngineKind::Nvme, false), (EngineKind::Nvme, true)] {
        let made = choose(Some(kind), poll, &[SLOTS]).map_err(MissingNeed::new);
        let name = "rings_for_polling_and_for_commands_are_tried_too";
        let Some(choice) = needs(name, made) else { continue };
        assert_eq!(choice, EngineChoice { kind, poll, reason: None, trials: None });
    }
}

#[test]
fn polling_that_was_asked_for_fails_when_refused() {
    for errno in [libc::EPERM, libc::ENOSYS] {
        run_child("engines::child_insists_on_polling", errno, 0);
    }
}

#[test]
fn child_insists_on_polling() {
    let Some(errno) = refused_as_asked() else { return };
    for kind in [None, Some(EngineKind::Nvme)] {
        let problem = choose(kind, true, &[SLOTS]).unwrap_err();
        assert_eq!(problem.kind.code(), 3);
        assert!(problem.what.contains("with polled completions"), "{problem}");
        assert!(problem.cause.as_ref().unwrap().contains(word_for(errno)), "{problem}");
        assert!(problem.next.as_ref().unwrap().contains("leave out --poll"), "{problem}");
    }
}

#[test]
fn child_has_threads() {
    if refused_as_asked().is_none() {
        return;
    }
    let choice = choose(None, false, &[SLOTS]).unwrap();
    assert_eq!(choice.kind, EngineKind::Threads);
    let reason = choice.reason.unwrap();
    assert!(reason.contains("no io_uring: ") && reason.contains("; no libaio: "), "{reason}");
    let problem = choose(Some(EngineKind::Libaio), false, &[SLOTS]).unwrap_err();
    assert!(problem.cause.unwrap().contains("without asynchronous I/O"));
}
