//! What a ranking is by: a quantity that all storages have.
//!
//! Must not rank.

use super::Contenders;
use crate::compare::Key;
use rigel_core::error::Problem;
use rigel_core::judge::answers::{ANSWERS, COMMIT_LATENCY};
use rigel_core::judge::quantity::{Quantity, Scope, What};
use rigel_core::load::class::Class;
use rigel_core::nearest::nearest;
use rigel_core::path_text::printable;

/// The quantity that was requested, as `NAME` or `NAME @ LEVEL`, or the main one.
pub(super) fn of(contenders: &Contenders<'_>, by: Option<&str>) -> Result<Key, Problem> {
    let keys = contenders.keys();
    if keys.is_empty() {
        return Err(nothing_in_common(contenders));
    }
    match by {
        Some(by) => asked(contenders, &keys, by),
        None => main(contenders, &keys).ok_or_else(|| nothing_in_common(contenders)),
    }
}

/// The main quantity of what all have.
fn main(contenders: &Contenders<'_>, keys: &[Key]) -> Option<Key> {
    let weight = |key: &&Key| {
        let (quantity, point) = **key;
        let is_open = contenders.all.iter().any(|one| one.is_open(quantity.class));
        let kind = match (quantity.of, quantity.what, quantity.class) {
            (Scope::Ratio | Scope::WithinBound, ..) => 0,
            (Scope::Best, What::Rate, Class::SMALL) => 1,
            (Scope::Best, What::Mbps, Class::LARGE) => 2,
            _ if quantity == COMMIT_LATENCY => 3,
            // A rate that was given says nothing; how long it took does.
            (Scope::Point, What::P99, _) if is_open => 4,
            (Scope::Best, What::Rate | What::Mbps, _) if !is_open => 5,
            (Scope::Point, ..) => 7,
            _ => 6,
        };
        let level = point.map_or(0, |point| point.of(quantity.class));
        (kind, std::cmp::Reverse(level), quantity.order())
    };
    keys.iter().min_by_key(weight).copied()
}

fn asked(contenders: &Contenders<'_>, keys: &[Key], by: &str) -> Result<Key, Problem> {
    let (name, level) = match by.split_once('@') {
        Some((name, level)) => (name.trim(), Some(level.trim())),
        None => (by.trim(), None),
    };
    // What a calibration prints may have another name in gates.
    let is_known = keys.iter().any(|key| key.0.name() == name);
    let answer = ANSWERS.iter().find(|answer| answer.label == name && !is_known);
    let name = answer.map_or(name, |answer| answer.name);
    let named: Vec<&Key> = keys.iter().filter(|key| key.0.name() == name).collect();
    let wrong = |what: String| Problem::usage(what).at(format!("--by '{}'", printable(by)));
    let Some(first) = named.first() else { return Err(unknown(contenders, keys, name, wrong)) };
    let level_of = |key: &Key| key.1.map(|point| point.of(key.0.class));
    let mut at: Vec<&Key> = named.clone();
    if let Some(level) = level {
        at.retain(|key| level_of(key).is_some_and(|own| own.to_string() == level));
    }
    if let [only] = at.as_slice() {
        return Ok(**only);
    }
    let alone = |key: &&&Key| key.1.is_some_and(|point| point.is_alone(key.0.class));
    if let Some(key) = at.iter().find(alone).filter(|_| level.is_some()) {
        return Ok(**key);
    }
    let mut levels: Vec<u32> = named.iter().filter_map(|key| level_of(key)).collect();
    levels.sort_unstable();
    levels.dedup();
    let told: Vec<String> = levels.iter().map(u32::to_string).collect();
    let example = told.last().cloned().unwrap_or_default();
    if told.is_empty() {
        return Err(wrong(format!("{} is a quantity of the whole run and has no level", first.0.name()))
            .next(format!("leave out the level: --by {name}")));
    }
    let what = match level {
        Some(level) => format!("not every storage was measured at level {}", printable(level)),
        None => format!("{name} has a value at each load level"),
    };
    Err(wrong(what)
        .because(format!("levels that all have: {}", told.join(", ")))
        .next(format!("name one, such as --by '{name} @ {example}'")))
}

/// The problem of a quantity that not all have.
fn unknown(
    contenders: &Contenders<'_>,
    keys: &[Key],
    name: &str,
    wrong: impl Fn(String) -> Problem,
) -> Problem {
    let mut names: Vec<String> = keys.iter().map(|key| key.0.name()).collect();
    names.dedup();
    let shown = printable(name);
    let lacking = |storage: &usize| !contenders.keys_of(*storage).iter().any(|key| key.0.name() == name);
    let all = contenders.names();
    let without: Vec<usize> = (0..all.len()).filter(lacking).collect();
    let next = match nearest(name, names.iter().map(String::as_str)) {
        Some(near) if without.len() == all.len() => format!("did you mean --by {near}?"),
        _ if without.len() == all.len() => "name one of these".to_owned(),
        _ => format!("rank by a quantity that all of them have: {}", names.join(", ")),
    };
    match without.first() {
        Some(_) if without.len() == all.len() => {
            let known =
                if Quantity::named(name).is_some() { "none of the storages has" } else { "there is no" };
            wrong(format!("{known} '{shown}'"))
                .because(format!("all of them have {}", names.join(", ")))
                .next(next)
        }
        Some(&storage) => wrong(format!("not every storage has '{shown}'"))
            .because(format!("{} has none", all[storage]))
            .next(next),
        None => wrong(format!("'{shown}' cannot be ranked"))
            .because("its limits, or the load levels at which it was measured, differ between the storages")
            .next(next),
    }
}

/// What each answers, if they have nothing in common.
fn nothing_in_common(contenders: &Contenders<'_>) -> Problem {
    let mut questions: Vec<(String, String)> = Vec::new();
    for one in &contenders.all {
        let question = one.question().unwrap_or("what another tool measured").to_owned();
        match questions.iter_mut().find(|known| known.0 == question) {
            Some(known) => known.1 += &format!(", {}", one.name),
            None => questions.push((question, one.name.clone())),
        }
    }
    if let [_] = questions.as_slice() {
        let cause = if contenders.has_other_bounds() {
            "their latency limits differ"
        } else {
            "they measured different load classes, or caches or credits, which have no load levels, or nothing completed"
        };
        return Problem::usage("the storages have no quantity in common")
            .because(cause)
            .next("measure all of them with the same command and options");
    }
    let told: Vec<String> =
        questions.iter().map(|(question, names)| format!("{names}: {question}")).collect();
    Problem::usage("the records answer different questions")
        .because(told.join("; "))
        .next("rank records of the same command")
}
