//! What made users wait though nothing failed, in sentences. Must not judge.

use super::SoakReport;
use crate::label;
use crate::words::listed;
use rigel_core::units::say::{counted, rough_span, time, two_units};
use rigel_core::units::{Nanos, to_f64, us_from_ns};
use rigel_uses::soak::{LongCount, LongIo, SoakFindings, Spell};

/// Spells that are named in a sentence.
const MOST_NAMED: usize = 3;

/// The part that is a fault by itself, for a sentence: `an I/O took 20.0 s`.
pub fn long_ios(found: &SoakFindings) -> Option<String> {
    let longest = found.long_fault()?;
    let LongCount { least, exact } = found.long;
    if least <= 1 {
        return Some(took(longest));
    }
    let at_least = if exact { "" } else { "at least " };
    let ios = counted(least, "I/O");
    Some(format!("{at_least}{ios} took ten seconds or longer (up to {})", length(longest)))
}

/// How a verdict without faults continues after "but".
pub(super) fn verdict(found: &SoakFindings) -> Option<String> {
    let long = found.longest.as_ref().map(took);
    let slow = (!found.spells.is_empty())
        .then(|| format!("the storage was far slower than usual for {}", rough_span(found.slow_for())));
    match (long, slow) {
        (Some(long), Some(slow)) => Some(format!("{long}, and {slow}")),
        (one, other) => one.or(other),
    }
}

/// Where and when the I/O occurred that took far longer than the others of its phase.
pub(super) fn longest(told: &SoakReport<'_>) -> Option<String> {
    let one = told.found.longest.as_ref()?;
    let target =
        one.target.map_or_else(String::new, |target| format!(" of {}", label::target(told.record, target)));
    let several = told.found.long_fault().is_some() && told.found.long.least > 1;
    let (the, and) = if several { ("The longest was", " and") } else { ("An I/O", "") };
    Some(format!(
        "{the} of class {}{target}{and} took {}; barely any other of its phase took longer than {}. It began \
         about {} into the load.",
        one.class,
        length(one),
        time(one.usual_us),
        two_units(Nanos(one.began_ns))
    ))
}

fn took(one: &LongIo) -> String {
    format!("an I/O took {}", length(one))
}

fn length(one: &LongIo) -> String {
    time(us_from_ns(to_f64(one.length.0)))
}

/// The slow spells, the longest first.
pub(super) fn spells(told: &SoakReport<'_>) -> Option<String> {
    let mut all: Vec<&Spell> = told.found.spells.iter().collect();
    all.sort_by_key(|spell| std::cmp::Reverse(spell.lasted));
    let one = |spell: &&Spell| {
        format!(
            "for {} from {} on{} ({} I/O took {} on average, usually {})",
            rough_span(spell.lasted),
            two_units(Nanos(spell.began_ns)),
            place(told, spell),
            spell.class,
            time(spell.mean_us),
            time(spell.usual_us)
        )
    };
    let named: Vec<String> = all.iter().take(MOST_NAMED).map(one).collect();
    let more = match all.len().saturating_sub(named.len()) {
        0 => String::new(),
        more => format!("; {more} more: see --json"),
    };
    (!all.is_empty()).then(|| {
        let spells = counted(all.len() as u64, "spell");
        format!("I/Os were far slower than usual in {spells}: {}{more}.", named.join("; "))
    })
}

/// The targets that account for a spell: `, on /dev/sdb`, or all of them.
fn place(told: &SoakReport<'_>, spell: &Spell) -> String {
    let named: Vec<String> = targets(told, spell).into_iter().take(MOST_NAMED).collect();
    match (spell.targets.len().saturating_sub(named.len()), told.record.header.targets.len()) {
        (0, 2..) if spell.targets.is_empty() => ", on all targets".to_owned(),
        (0, _) => format!(", on {}", listed(&named)),
        (more, _) => format!(", on {} and {more} more", named.join(", ")),
    }
}

/// Their paths; the only target of a soak is that of its spells.
pub(super) fn targets(told: &SoakReport<'_>, spell: &Spell) -> Vec<String> {
    let is_only = told.record.header.targets.len() == 1;
    let numbers = if is_only { vec![0] } else { spell.targets.clone() };
    numbers.into_iter().map(|target| label::target(told.record, target)).collect()
}
