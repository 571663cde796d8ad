//! What depends on process limits is tested in a separate process: this program, started again for one test.

use super::*;
use rigel_core::facts::engine::EngineKind;
use rigel_testdev::LoopDevice;
use rustix::process::{Resource, Rlimit, setrlimit};
use std::process::Command;

/// Set in the process that a test started.
const CHILD: &str = "RIGEL_TEST_CHILD";

#[test]
fn without_lockable_memory_buffers_are_not_registered() {
    run_child("child_with_a_small_memlock_limit");
}

#[test]
fn dropped_engines_let_go_of_their_targets() {
    run_child("child_that_opens_exclusively");
}

fn run_child(test: &str) {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("tests::children::{test}"), "--nocapture"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let text =
        [child.stdout, child.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).join("\n");
    assert!(child.status.success() && text.contains("1 passed"), "{text}");
}

/// In a process of its own, since whatever starts a program elsewhere in this one holds all descriptors for a
/// moment.
#[test]
fn child_that_opens_exclusively() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let scratch = Scratch::new(1 << 20);
    let attached = LoopDevice::attach(scratch.path(), false);
    let Some(device) = needs("dropped_engines_let_go_of_their_targets", attached) else { return };
    for _ in 0..20 {
        open_exclusively::<Uring>(device.path());
        open_exclusively::<Aio>(device.path());
        open_exclusively::<Threads>(device.path());
    }
}

/// Fails when an engine before has not yet let go of the device.
fn open_exclusively<E: Engine>(path: &Path) {
    let fd = open(path, OFlags::RDWR | OFlags::EXCL).unwrap();
    let targets = Arc::new(OpenTargets::new(vec![OpenTarget::new(fd, 1 << 20, true)]));
    let Some(mut backend) = engine::<E>("dropped_engines_let_go_of_their_targets", &targets, layout(4, 0))
    else {
        return;
    };
    let ops: Vec<Op> = (0..4).map(|slot| read(slot, u64::from(slot) * 8192, SMALL_BYTES)).collect();
    assert_eq!(outcomes(&mut backend, &ops), [Ok(SMALL_BYTES); 4]);
}

/// Takes CAP_IPC_LOCK from the calling thread, by making it another user's. Other threads keep what they
/// have.
fn become_nobody() {
    if rustix::process::geteuid().is_root() {
        // SAFETY: changes the credentials of this thread alone; this test's thread does nothing afterwards
        // that needs them, and no memory is involved.
        assert_eq!(unsafe { libc::syscall(libc::SYS_setresuid, 65_534, 65_534, 65_534) }, 0);
    }
}

#[test]
fn child_with_a_small_memlock_limit() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let test = "without_lockable_memory_buffers_are_not_registered";
    let scratch = Scratch::new(2 << 20);
    let Some(targets) = scratch.targets(test, true) else { return };
    let limit = Some(64 << 10);
    setrlimit(Resource::Memlock, Rlimit { current: limit, maximum: limit }).unwrap();
    become_nobody();
    let made = Uring::new(targets, layout(2, 2), SEED, false).map_err(MissingNeed::new);
    let Some((mut backend, facts, buffers)) = needs(test, made) else { return };
    assert!(!facts.registered_buffers && facts.registered_files, "{facts:?}");
    assert_eq!(facts.notes.len(), 1, "{:?}", facts.notes);
    for part in ["not registered", "RLIMIT_MEMLOCK is 64 KiB", "ulimit -l 64"] {
        assert!(facts.notes[0].contains(part), "{}", facts.notes[0]);
    }
    assert_eq!(buffers.large_segments_max, None, "physical addresses are not shown to nobody");
    let ops = [read(0, 4096, SMALL_BYTES), read(2, 0, LARGE_BYTES)];
    assert_eq!(outcomes(&mut backend, &ops), [Ok(SMALL_BYTES), Ok(LARGE_BYTES)]);
    assert!(*backend.buffer_mut(2) == scratch.contents[..1 << 20]);
    backend.buffer_mut(1).fill(3);
    assert_eq!(outcomes(&mut backend, &[write(1, 1 << 20, 4096)]), [Ok(4096)]);
    drop(backend);
    assert!(std::fs::read(scratch.path()).unwrap()[1 << 20..][..4096].iter().all(|byte| *byte == 3));
}

/// A kernel that takes only a few submissions at once gets them in pieces.
#[test]
fn more_slots_than_the_ring_takes_at_once() {
    let test = "more_slots_than_the_ring_takes_at_once";
    let scratch = Scratch::new(1 << 20);
    let Some(targets) = scratch.targets(test, false) else { return };
    let made = Uring::with_submissions(4, targets, layout(50, 0), SEED).map_err(MissingNeed::new);
    let Some(mut backend) = needs(test, made) else { return };
    for round in 0..10 {
        let ops: Vec<Op> =
            (0..50).map(|slot| read(slot, (u64::from(slot) + round) * 8192, SMALL_BYTES)).collect();
        assert_eq!(outcomes(&mut backend, &ops), [Ok(SMALL_BYTES); 50]);
        for op in &ops {
            let from = usize::try_from(op.offset).unwrap();
            assert!(*backend.buffer_mut(op.slot) == scratch.contents[from..from + 8192]);
        }
    }
}

/// Where a filesystem blocks, the depth is that of the kernel's threads: no test device here blocks, so ask
/// the kernel.
#[test]
fn the_kernel_may_use_a_thread_for_every_slot() {
    let test = "the_kernel_may_use_a_thread_for_every_slot";
    let scratch = Scratch::new(64 << 10);
    let Some(targets) = scratch.targets(test, false) else { return };
    let Some(backend) = engine::<Uring>(test, &targets, layout(300, 0)) else { return };
    assert_eq!(backend.kernel_threads(), 300);
}

#[test]
fn the_largest_ring_can_be_made() {
    let test = "the_largest_ring_can_be_made";
    let Some(()) =
        needs(test, crate::uring::probe(EngineKind::IoUring, false, &[u16::MAX]).map_err(MissingNeed::new))
    else {
        return;
    };
}
