//! Whether an engine can make single writes durable here, tried before a run begins.
//!
//! Older kernels lack parts of it, and their version does not show it, because distributions extend old ones. What is tried is a read with
//! the flag of a durable write, or a flush; neither changes a target. Must not write.

use crate::aio;
use crate::targets::{AlignedBuffer, OpenTarget, OpenTargets};
use rigel_core::error::Problem;
use rigel_core::facts::TargetFacts;
use rigel_core::facts::engine::EngineKind;
use rigel_core::load::class::Sync;
use rustix::fs::{MemfdFlags, Mode, OFlags};
use rustix::io::{Errno, ReadWriteFlags, preadv2, retry_on_intr};
use std::io::{self, IoSliceMut};
use std::os::fd::OwnedFd;

/// More than the logical block of any device.
const PROBE_BYTES: usize = 1 << 16;

/// Tries on every target what the load asks for; `facts` are those that the targets were opened with.
///
/// # Errors
/// When the kernel, or the filesystem of a target, cannot do it.
pub fn check(
    kind: EngineKind,
    syncs: impl IntoIterator<Item = Sync>,
    targets: &OpenTargets,
    facts: &[TargetFacts],
) -> Result<(), Problem> {
    let syncs: Vec<Sync> = syncs.into_iter().collect();
    for (target, facts) in targets.iter().zip(facts) {
        for &sync in &syncs {
            tried(kind, sync, target).map_err(|error| refused(kind, sync, &error).at(facts.path.as_str()))?;
        }
    }
    Ok(())
}

/// Whether the kernel knows how, before there is a target: tried on two files that every process has. Filesystems may know less.
///
/// # Errors
/// When the kernel cannot do it with either.
pub fn known(kind: EngineKind, syncs: impl IntoIterator<Item = Sync>) -> Result<(), Problem> {
    let own = || rustix::fs::open("/proc/self/exe", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty());
    // A program may lie on a filesystem that cannot be flushed; memory can, from Linux 3.17 on.
    let memory = || rustix::fs::memfd_create("rigel", MemfdFlags::CLOEXEC);
    syncs.into_iter().try_for_each(|sync| {
        let try_on = |file: Result<OwnedFd, Errno>| tried(kind, sync, &OpenTarget::new(file?, 0, false));
        try_on(own()).or_else(|error| try_on(memory()).map_err(|_| refused(kind, sync, &error)))
    })
}

fn tried(kind: EngineKind, sync: Sync, target: &OpenTarget) -> io::Result<()> {
    match (kind, sync) {
        (EngineKind::Sync | EngineKind::Threads, Sync::Dsync) => {
            let mut buffer = AlignedBuffer::new(PROBE_BYTES);
            retry_on_intr(|| {
                let mut parts = [IoSliceMut::new(buffer.bytes())];
                preadv2(target, &mut parts, 0, ReadWriteFlags::DSYNC)
            })?;
            Ok(())
        }
        (EngineKind::Libaio, Sync::Dsync) => {
            aio::try_durable_read(target, AlignedBuffer::new(PROBE_BYTES).bytes())
        }
        (EngineKind::Libaio, Sync::Fdatasync) => aio::try_flush(target),
        // io_uring came with both of them.
        _ => Ok(()),
    }
}

fn refused(kind: EngineKind, sync: Sync, error: &io::Error) -> Problem {
    let (what, since, other) = match sync {
        Sync::Dsync => (
            "durable on its own (RWF_DSYNC)",
            if kind == EngineKind::Libaio { "4.13" } else { "4.7" },
            "--sync fdatasync",
        ),
        Sync::None | Sync::Fdatasync => {
            ("durable through a following flush (fdatasync)", "4.18", "--sync dsync")
        }
    };
    let problem = Problem::refused(format!("the engine {} cannot make a write {what} here", kind.name()));
    let because = match error.raw_os_error() {
        Some(libc::EINVAL | libc::EOPNOTSUPP | libc::ENOSYS) => {
            format!(
                "the kernel, or the filesystem of the target, refuses it ({error}); Linux has it since {since}"
            )
        }
        _ => error.to_string(),
    };
    problem.because(because).next(format!("use --engine io_uring, or {other}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_what_is_missing_and_what_to_do() {
        let text = |kind, sync, errno| refused(kind, sync, &io::Error::from_raw_os_error(errno)).to_string();
        let old = text(EngineKind::Threads, Sync::Dsync, libc::EOPNOTSUPP);
        assert!(
            old.contains("RWF_DSYNC") && old.contains("since 4.7") && old.contains("--sync fdatasync"),
            "{old}"
        );
        let none = text(EngineKind::Libaio, Sync::Fdatasync, libc::EINVAL);
        assert!(
            none.contains("fdatasync") && none.contains("since 4.18") && none.contains("--sync dsync"),
            "{none}"
        );
        let broken = text(EngineKind::Libaio, Sync::Dsync, libc::EIO);
        assert!(!broken.contains("since"), "{broken}");
    }
}
