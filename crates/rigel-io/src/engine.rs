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
                EngineKind::IoUring => {
                    uring::probe(slots).map_err(|error| uring::refusal::problem(&error))?
                }
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
    let no_uring = format!("no io_uring: {}", uring::refusal::cause(&uring_error));
    let Err(aio_error) = aio::probe(slots) else {
        return EngineChoice { kind: EngineKind::Libaio, reason: Some(no_uring) };
    };
    let aio_cause = aio::problem(u32::from(slots), &aio_error).cause.unwrap_or_default();
    EngineChoice { kind: EngineKind::Threads, reason: Some(format!("{no_uring}; no libaio: {aio_cause}")) }
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
}
