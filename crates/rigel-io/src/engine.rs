//! The choice of the engine, made once before a run.
//!
//! A host or container may refuse io_uring in many ways. Then libaio is tried, then threads, and the reason goes into the
//! report. Must not switch later: two engines in one run would be two measurements.

use crate::aio;
use crate::sync;
use crate::uring;
use rigel_core::error::Problem;
use rigel_core::facts::engine::EngineKind;
use rigel_core::facts::engine::trials::EngineTrials;

/// The engine of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineChoice {
    /// Its kind.
    pub kind: EngineKind,
    /// Whether completions are polled.
    pub poll: bool,
    /// Why no better engine was taken; `None` for the best one, and for one that the user chose.
    pub reason: Option<String>,
    /// The results of trials on the targets, if they decided.
    pub trials: Option<EngineTrials>,
}

/// Checks that the wanted engine works for all workers at the same time; `slots_per_worker` has the outstanding I/Os of
/// each. Without a wish it finds the best engine that works, and with `poll` that can only be io_uring.
///
/// # Errors
/// When the wanted engine or polled completions do not work. No other engine is taken instead.
pub fn choose(
    wanted: Option<EngineKind>,
    poll: bool,
    slots_per_worker: &[u16],
) -> Result<EngineChoice, Problem> {
    let kind = match wanted {
        None if !poll => return Ok(best(slots_per_worker)),
        _ => wanted.unwrap_or(EngineKind::IoUring),
    };
    match kind {
        EngineKind::IoUring | EngineKind::Nop | EngineKind::Nvme => {
            uring::probe(kind, poll, slots_per_worker)
                .map_err(|error| uring::refusal::problem(kind, poll, &error))?;
        }
        EngineKind::Libaio => {
            let events = total(slots_per_worker);
            aio::probe(events).map_err(|error| aio::problem(events, &error))?;
        }
        EngineKind::Sync => sync::probe(total(slots_per_worker))?,
        // These cannot be refused, or only when the threads start.
        EngineKind::Threads
        | EngineKind::Null
        | EngineKind::Sim
        | EngineKind::Postgres
        | EngineKind::Mysql => {}
    }
    Ok(EngineChoice { kind, poll, reason: None, trials: None })
}

fn total(slots_per_worker: &[u16]) -> u32 {
    slots_per_worker.iter().copied().map(u32::from).fold(0, u32::saturating_add)
}

fn best(slots_per_worker: &[u16]) -> EngineChoice {
    let Err(uring_error) = uring::probe(EngineKind::IoUring, false, slots_per_worker) else {
        return EngineChoice { kind: EngineKind::IoUring, poll: false, reason: None, trials: None };
    };
    let no_uring = format!("no io_uring: {}", uring::refusal::cause(&uring_error));
    let events = total(slots_per_worker);
    let Err(aio_error) = aio::probe(events) else {
        return EngineChoice { kind: EngineKind::Libaio, poll: false, reason: Some(no_uring), trials: None };
    };
    let aio_cause = aio::problem(events, &aio_error).cause.unwrap_or_default();
    let reason = Some(format!("{no_uring}; no libaio: {aio_cause}"));
    EngineChoice { kind: EngineKind::Threads, poll: false, reason, trials: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_that_need_nothing_are_never_refused() {
        for kind in [EngineKind::Threads, EngineKind::Null, EngineKind::Sim] {
            let choice = EngineChoice { kind, poll: false, reason: None, trials: None };
            assert_eq!(choose(Some(kind), false, &[u16::MAX]), Ok(choice));
        }
    }
}
