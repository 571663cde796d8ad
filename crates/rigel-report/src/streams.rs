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

/// `1 reader gets 1,204 MBPS (±2 %), 16 readers get 2,950 MBPS together (±1 %), 145 % more.` `None` for another run, and if
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

/// Rates that are certainly no further apart are about alike.
const ALIKE: f64 = 0.05;

/// `145 % more`. What two intervals do not tell apart is about as much where they are narrow, and open where they are not.
fn change(first: Estimate, last: Estimate) -> String {
    let half = |found: Estimate| found.half_width().map_or(0.0, |half| half * found.value);
    let difference = last.value - first.value;
    let both = half(first).hypot(half(last));
    if difference.abs() > both {
        let more = if difference > 0.0 { "more" } else { "less" };
        return format!("{} % {more}", percent((difference / first.value).abs()));
    }
    if difference.abs() + both <= ALIKE * first.value {
        return "about as much".to_owned();
    }
    "which leaves open whether that is more".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::stats::{Basis, Interval};

    /// An estimate of so many megabytes, and half of the width of its interval relative to it.
    fn rate(value: f64, half: f64) -> Estimate {
        Estimate::of(Interval::symmetric(value, half, 4, 3.0).unwrap(), Basis::Visits)
    }

    #[test]
    fn what_is_not_told_apart_is_not_called_alike() {
        assert_eq!(change(rate(500.0, 0.01), rate(2000.0, 0.01)), "300 % more");
        assert_eq!(change(rate(500.0, 0.01), rate(400.0, 0.01)), "20 % less");
        assert_eq!(change(rate(500.0, 0.01), rate(503.0, 0.01)), "about as much");
        // 23 and 874 MBPS, as a device answers whose I/Os come back 20 s late now and then.
        let open = "which leaves open whether that is more";
        assert_eq!(change(rate(23.0, 1.51), rate(874.0, 1.43)), open);
        assert_eq!(change(rate(500.0, 0.08), rate(510.0, 0.08)), open);
    }
}
