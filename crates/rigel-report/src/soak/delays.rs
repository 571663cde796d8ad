//! What made users wait though nothing failed, in sentences and as documents. Must not judge.

use super::{Told, words};
use crate::duration::words as lasted;
use crate::numbers::{counted, time};
use rigel_core::record::Record;
use rigel_core::units::{Nanos, to_f64, us_from_ns};
use rigel_core::uses::soak::{LongIo, Soaked, Spell};
use schemars::JsonSchema;
use serde::Serialize;

/// Spells that are named in a sentence.
const MOST_NAMED: usize = 3;

/// An I/O that took far longer than nearly all others.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct LongIoDocument {
    /// When it began, in seconds of load, to the length of an interval.
    at_s: f64,
    /// How long it took.
    latency_us: f64,
    /// The class of I/O.
    class: String,
    /// Of a soak of several targets: the path of the one that had it.
    target: Option<String>,
    /// Hardly one of the others takes longer.
    usual_us: f64,
}

/// A time in which all I/Os of a class were slow.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SpellDocument {
    /// When it began, in seconds of load.
    at_s: f64,
    /// Its length.
    lasted_s: f64,
    /// The class of I/O.
    class: String,
    /// The highest mean latency of an interval.
    latency_mean_us: f64,
    /// The median of all intervals of that load.
    usual_us: f64,
}

/// What of it is a fault by itself, as a part of the verdict: `an I/O took 20.0 s`.
pub(super) fn fault(found: &Soaked) -> Option<String> {
    found.long_fault().map(took)
}

/// What a verdict without faults goes on with behind "but".
pub(super) fn verdict(found: &Soaked) -> Option<String> {
    let long = found.longest.as_ref().map(took);
    let slow = (!found.spells.is_empty()).then(|| {
        let all = found.spells.iter().map(|spell| spell.lasted.0).fold(0, u64::saturating_add);
        format!("the storage was far slower than usual for {}", lasted(Nanos(all)))
    });
    match (long, slow) {
        (Some(long), Some(slow)) => Some(format!("{long}, and {slow}")),
        (one, other) => one.or(other),
    }
}

/// Where and when the longest I/O was.
pub(super) fn longest(told: &Told<'_>) -> Option<String> {
    let one = told.found.longest.as_ref()?;
    let target =
        one.target.map_or_else(String::new, |target| format!(" of {}", words::path(told.record, target)));
    Some(format!(
        "The longest I/O, of class {}{target}, took {}; hardly another one took longer than {}. It began about {} into the load.",
        one.class,
        length(one),
        time(one.usual_us),
        lasted(Nanos(one.began_ns))
    ))
}

fn took(one: &LongIo) -> String {
    format!("an I/O took {}", length(one))
}

fn length(one: &LongIo) -> String {
    time(us_from_ns(to_f64(one.length.0)))
}

/// The slow spells, the longest first.
pub(super) fn spells(found: &Soaked) -> Option<String> {
    let mut all: Vec<&Spell> = found.spells.iter().collect();
    all.sort_by_key(|spell| std::cmp::Reverse(spell.lasted));
    let one = |spell: &&Spell| {
        format!(
            "for {} from {} on ({} I/O took {}, usually {})",
            lasted(spell.lasted),
            lasted(Nanos(spell.began_ns)),
            spell.class,
            time(spell.mean_us),
            time(spell.usual_us)
        )
    };
    let named: Vec<String> = all.iter().take(MOST_NAMED).map(one).collect();
    let more = match all.len().saturating_sub(named.len()) {
        0 => String::new(),
        more => format!("; {more} more, which --json has"),
    };
    (!all.is_empty()).then(|| {
        format!("All I/Os were slow in {}: {}{more}.", counted(all.len() as u64, "spell"), named.join("; "))
    })
}

/// That of the longest I/O.
pub(super) fn long_io(record: &Record, found: &LongIo) -> LongIoDocument {
    LongIoDocument {
        at_s: Nanos(found.began_ns).seconds(),
        latency_us: us_from_ns(to_f64(found.length.0)),
        class: found.class.name().to_owned(),
        target: found.target.map(|target| words::path(record, target)),
        usual_us: found.usual_us,
    }
}

/// That of a spell.
pub(super) fn spell(found: &Spell) -> SpellDocument {
    SpellDocument {
        at_s: Nanos(found.began_ns).seconds(),
        lasted_s: found.lasted.seconds(),
        class: found.class.name().to_owned(),
        latency_mean_us: found.mean_us,
        usual_us: found.usual_us,
    }
}
