//! Which engine carries the I/O: found out once, before anything is measured.
//!
//! A host or container may refuse io_uring in many ways. Then libaio is tried, then threads, and the reason
//! is kept, so that a report can say why. Must not switch later: two engines in one run would be two
//! measurements.

use crate::aio;
use crate::uring::{self, Rings};
use rigel_core::error::Problem;
use rigel_core::facts::engine::EngineKind;

/// The engine of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineChoice {
    /// Which one.
    pub kind: EngineKind,
    /// Completions are polled for.
    pub poll: bool,
    /// Why not a better one; `None` for the best and for one that was asked for.
    pub reason: Option<String>,
}

/// Chooses the best engine that works here for workers with so many outstanding I/Os each, all at the same time, or
/// checks that the wanted one does. Polled completions leave no choice.
///
/// # Errors
/// When an engine, or polled completions, were asked for and do not work here: then no other is taken instead.
pub fn choose(
    wanted: Option<EngineKind>,
    poll: bool,
    slots_per_worker: &[u16],
) -> Result<EngineChoice, Problem> {
    match wanted {
        None if !poll => Ok(best(slots_per_worker)),
        _ => {
            let kind = wanted.unwrap_or(EngineKind::IoUring);
            match kind {
                EngineKind::IoUring | EngineKind::Nop | EngineKind::Nvme => {
                    let rings = Rings { commands: kind == EngineKind::Nvme, poll };
                    uring::probe(rings, slots_per_worker)
                        .map_err(|error| uring::refusal::problem(kind, poll, &error))?
                }
                EngineKind::Libaio => {
                    let events = total(slots_per_worker);
                    aio::probe(events).map_err(|error| aio::problem(events, &error))?;
                }
                // Nothing can be refused before the threads are started, or ever.
                EngineKind::Threads | EngineKind::Null | EngineKind::Sim => {}
            }
            Ok(EngineChoice { kind, poll, reason: None })
        }
    }
}

fn total(slots_per_worker: &[u16]) -> u32 {
    slots_per_worker.iter().copied().map(u32::from).fold(0, u32::saturating_add)
}

fn best(slots_per_worker: &[u16]) -> EngineChoice {
    let Err(uring_error) = uring::probe(Rings::PLAIN, slots_per_worker) else {
        return EngineChoice { kind: EngineKind::IoUring, poll: false, reason: None };
    };
    let no_uring = format!("no io_uring: {}", uring::refusal::cause(&uring_error));
    let events = total(slots_per_worker);
    let Err(aio_error) = aio::probe(events) else {
        return EngineChoice { kind: EngineKind::Libaio, poll: false, reason: Some(no_uring) };
    };
    let aio_cause = aio::problem(events, &aio_error).cause.unwrap_or_default();
    let reason = Some(format!("{no_uring}; no libaio: {aio_cause}"));
    EngineChoice { kind: EngineKind::Threads, poll: false, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_that_need_nothing_are_never_refused() {
        for kind in [EngineKind::Threads, EngineKind::Null, EngineKind::Sim] {
            let choice = EngineChoice { kind, poll: false, reason: None };
            assert_eq!(choose(Some(kind), false, &[u16::MAX]), Ok(choice));
        }
    }
}
