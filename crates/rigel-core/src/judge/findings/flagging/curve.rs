//! Flags of a curve that was searched: levels that contradict, no saturation, less under more load.
//!
//! Must not search.

use super::words::rate;
use crate::judge::flags::{Flag, FlagCode};
use crate::load::class::{Class, LoadClass};
use crate::stats::bound::LatencyBound;
use crate::stats::detect::levels::retrograde;
use crate::stats::levels_auto::{Curve, Violation, ViolationKind};
use crate::units::say::rate_change;

/// The flags of a curve of the search.
pub fn flags(load: &LoadClass, curve: &Curve) -> Vec<Flag> {
    let flags = [violations(load, curve), unsaturated(curve), falling(load, curve)].into_iter().flatten();
    flags.map(|flag| Flag { text: format!("{}: {}", load.name.name(), flag.text), ..flag }).collect()
}

/// A search that ran out of its share of the time before it had an answer.
pub fn unfinished(class: Class, visits: usize) -> Flag {
    let text = format!(
        "{}: the search ran out of time after {visits} visits; the maximum and its level may be higher",
        class.name()
    );
    Flag::new(FlagCode::NotSaturated, text)
}

/// A search for the level at the limit that ran out of its share of the time, below saturation.
pub fn unfinished_bound(class: Class, level: u32, bound: &LatencyBound) -> Flag {
    let text = format!(
        "{}: the search ran out of time at {level} outstanding within a {bound}; max_iops may be higher",
        class.name()
    );
    Flag::new(FlagCode::NotSaturated, text)
}

fn violations(load: &LoadClass, curve: &Curve) -> Option<Flag> {
    let told = |violation: &Violation| {
        let (told, level) = (rate(load, violation.rate), at(load, violation.outstanding));
        match violation.kind {
            ViolationKind::AboveBound(bound) => {
                format!(
                    "{told} {level}, although one {} alone and the maximum allow only {}",
                    load.one_counted(),
                    rate(load, bound)
                )
            }
            ViolationKind::Falls(smaller) => {
                format!("{told} {level}, although the level below reached {}", rate(load, smaller))
            }
        }
    };
    let told: Vec<String> = curve.violations.iter().map(told).collect();
    (!told.is_empty()).then(|| Flag::new(FlagCode::NotMonotone, told.join("; ")))
}

/// A level in the words of the class: `at 4 outstanding`, `with 4 streams`, `with 1 stream`.
fn at(load: &LoadClass, level: u32) -> String {
    match (load.counted(), level) {
        ("I/Os", _) => format!("at {level} outstanding"),
        (_, 1) => format!("with 1 {}", load.one_counted()),
        (counted, _) => format!("with {level} {counted}"),
    }
}

fn unsaturated(curve: &Curve) -> Option<Flag> {
    let text = match curve.levels.as_slice() {
        [.., (before, slower), (last, faster)] => format!(
            "{} from {before} to {last} outstanding, the most that was tried; the maximum may be higher",
            rate_change(faster.mean / slower.mean - 1.0)
        ),
        _ => "a single level was tried; the maximum may be higher".into(),
    };
    (!curve.saturated).then(|| Flag::new(FlagCode::NotSaturated, text))
}

/// The largest level against the maximum, which comes from visits that did not choose it.
fn falling(load: &LoadClass, curve: &Curve) -> Option<Flag> {
    let (most, last) = curve.levels.last()?;
    if *most < curve.n_sat.found.saturating_mul(2) {
        return None;
    }
    let found = retrograde(&curve.x_max, last)?;
    let text = format!(
        "{} at {most} outstanding, {} against the maximum of {}",
        rate(load, last.mean),
        rate_change(found.difference()),
        rate(load, curve.x_max.mean)
    );
    Some(Flag::new(FlagCode::Retrograde, text))
}
