//! Which engine carries the I/O: found out once, before anything is measured.
//!
//! A host or container may refuse io_uring in many ways. Then libaio is tried, then threads, and the reason
//! is kept, so that a report can say why. Must not switch later: two engines in one run would be two
//! measurements.

use crate::{aio, uring};
use rigel_core::engine::EngineKind;
use rigel_core::error::Problem;

/// The engine of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineChoice {
    /// Which one.
    pub kind: EngineKind,
    /// Why not a better one; `None` for the best and for one that was asked for.
    pub reason: Option<String>,
}

/// Chooses the best engine that works here for workers with so many outstanding I/Os each, all at the same time, or
/// checks that the wanted one does.
///
/// # Errors
/// When an engine was asked for and does not work here: then no other is taken instead.
pub fn choose(wanted: Option<EngineKind>, slots_per_worker: &[u16]) -> Result<EngineChoice, Problem> {
    match wanted {
        None => Ok(best(slots_per_worker)),
        Some(kind) => {
            match kind {
                EngineKind::IoUring | EngineKind::Nop => {
                    uring::probe(slots_per_worker).map_err(|error| uring::refusal::problem(&error))?
                }
                EngineKind::Libaio => {
                    let events = total(slots_per_worker);
                    aio::probe(events).map_err(|error| aio::problem(events, &error))?;
                }
                // Nothing can be refused before the threads are started, or ever.
                EngineKind::Threads | EngineKind::Null | EngineKind::Sim => {}
            }
            Ok(EngineChoice { kind, reason: None })
        }
    }
}

fn total(slots_per_worker: &[u16]) -> u32 {
    slots_per_worker.iter().copied().map(u32::from).fold(0, u32::saturating_add)
}

fn best(slots_per_worker: &[u16]) -> EngineChoice {
    let Err(uring_error) = uring::probe(slots_per_worker) else {
        return EngineChoice { kind: EngineKind::IoUring, reason: None };
    };
    let no_uring = format!("no io_uring: {}", uring::refusal::cause(&uring_error));
    let events = total(slots_per_worker);
    let Err(aio_error) = aio::probe(events) else {
        return EngineChoice { kind: EngineKind::Libaio, reason: Some(no_uring) };
    };
    let aio_cause = aio::problem(events, &aio_error).cause.unwrap_or_default();
    EngineChoice { kind: EngineKind::Threads, reason: Some(format!("{no_uring}; no libaio: {aio_cause}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_that_need_nothing_are_never_refused() {
        for kind in [EngineKind::Threads, EngineKind::Null, EngineKind::Sim] {
            assert_eq!(choose(Some(kind), &[u16::MAX]), Ok(EngineChoice { kind, reason: None }));
        }
    }
}
