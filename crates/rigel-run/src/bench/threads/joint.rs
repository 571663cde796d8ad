//! The facts of several workers as those of one engine.
//!
//! Must not ask a worker.

use super::WorkerPlace;
use rigel_core::facts::engine::{Backing, BufferFacts, EngineFacts};

/// One CPU for each worker, if each has exactly one.
pub(super) fn cpus_of_workers(places: &[WorkerPlace]) -> Vec<u32> {
    let single = |place: &WorkerPlace| <[u32; 1]>::try_from(place.cpus.as_slice()).ok().map(|[cpu]| cpu);
    places.iter().map(single).collect::<Option<_>>().unwrap_or_default()
}

/// The engine of any worker, and the buffers of all.
pub(super) fn combine(facts: Vec<(EngineFacts, BufferFacts)>) -> Option<(EngineFacts, BufferFacts)> {
    facts.into_iter().reduce(|(engine, mut sum), (other, buffers)| {
        let mut engine = engine;
        for note in other.notes {
            if !engine.notes.contains(&note) {
                engine.notes.push(note);
            }
        }
        engine.registered_buffers &= other.registered_buffers;
        if buffers.backing != sum.backing {
            sum.backing = Backing::Normal;
        }
        sum.bytes += buffers.bytes;
        sum.large_segments_max = sum.large_segments_max.max(buffers.large_segments_max);
        sum.large_segments_mean = match (sum.large_segments_mean, buffers.large_segments_mean) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (one, other) => one.or(other),
        };
        (engine, sum)
    })
}
