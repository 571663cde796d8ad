//! What several sequential readers get compared with one, as a sentence.
//!
//! Must not choose a figure; the findings do.

use crate::view::View;
use crate::words::{self, width};
use rigel_core::judge::findings::PointFindings;
use rigel_core::load::class::{Class, LoadClass};
use rigel_core::load::matrix::RunLevel;
use rigel_core::stats::Estimate;
use rigel_core::units::say::{number, percent};

/// `1 reader gets 1,204 MBPS (±2 %), 16 readers get 2,950 MBPS together (±1 %), 145 % more.` `None` of another run, and where
/// only one load may be used.
pub(crate) fn sentence(view: &View<'_>) -> Option<String> {
    let request = &view.record.header.request;
    let load = request.class(Class::STREAM).filter(|_| request.level() == RunLevel::Streams)?;
    let usable = |found: &&PointFindings| found.point.is_alone(load.name) && !found.invalid();
    let mut rates: Vec<(u32, Estimate)> = view
        .findings
        .points
        .iter()
        .filter(usable)
        .filter_map(|found| Some((found.point.of(load.name), found.io(load.name)?.rate())))
        .collect();
    rates.sort_by_key(|one| one.0);
    let (first, last) = (*rates.first()?, *rates.last()?);
    let best = view.findings.best.rate(load.name)?;
    let best = (best.point.of(load.name), best.estimate);
    if first.0 == last.0 {
        return None;
    }
    let mut text = format!("{}, {}, {}", gets(load, first), gets(load, last), change(first.1, last.1));
    if best.0 != first.0 && best.0 != last.0 {
        text += &format!("; {}, the most", gets(load, best));
    }
    Some(text + ".")
}

/// `16 readers get 2,950 MBPS together (±1 %)`
fn gets(load: &LoadClass, (readers, rate): (u32, Estimate)) -> String {
    let (get, together) = if readers == 1 { ("gets", "") } else { ("get", " together") };
    let (count, value) = (words::counted(readers, "reader"), number(rate.value));
    format!("{count} {get} {value} {}{together}{}", load.unit(), width(rate))
}

/// `145 % more`; what two intervals do not tell apart is about as much.
fn change(first: Estimate, last: Estimate) -> String {
    let half = |found: Estimate| found.half_width().map_or(0.0, |half| half * found.value);
    let difference = last.value - first.value;
    if difference.abs() <= half(first).hypot(half(last)) {
        return "about as much".to_owned();
    }
    let more = if difference > 0.0 { "more" } else { "less" };
    format!("{} % {more}", percent((difference / first.value).abs()))
}
