//! The results: the highest rates, the lowest latency, a histogram. In the summary, and printed at the end of a run.
//!
//! A class that was not measured has no lines. The best points are the plainly highest and lowest ones, as ORION has them:
//! scripts compare these lines with those of older runs. A number that must not be used says so after the part that scripts read. Must
//! not decide which point is best.

use super::OrionVersion;
use super::rows::{self, Row};
use crate::notes::OrionPoint;
use crate::page::Page;
use crate::view::View;
use rigel_core::judge::findings::{Extreme, IoFindings, LatencyUs};
use rigel_core::load::class::Class;
use rigel_core::load::matrix::Point;
use rigel_core::measure::Histogram;
use rigel_core::units::to_f64;

/// The result block of a version; empty if nothing was measured.
pub(super) fn render(version: OrionVersion, view: &View<'_>) -> String {
    match version {
        OrionVersion::V10_2 | OrionVersion::V11_1 => render_11_1(view),
        OrionVersion::V11_2 => {
            render_us(view, 0, view.findings.plainly_best.rate(Class::SMALL), histogram_11_2)
        }
        OrionVersion::V19 => {
            render_us(view, 3, view.findings.plainly_best.latency_us(Class::SMALL), histogram_19)
        }
    }
}

/// Published output of 10.2.0.1 and 11.1.0.7: three lines, milliseconds without a unit.
fn render_11_1(view: &View<'_>) -> String {
    let found = &view.findings.plainly_best;
    let mut page = Page::default();
    if let Some(best) = found.rate(Class::LARGE) {
        page.line(mbps_line(view, best));
    }
    if let Some(best) = found.rate(Class::SMALL) {
        page.line(iops_line(view, best));
    }
    if let Some(best) = found.latency_us(Class::SMALL) {
        page.line(format_args!(
            "Minimum Small Latency={:.2} @ {}",
            best.estimate.value / 1000.0,
            marked(view, best.point)
        ));
    }
    page.into_string()
}

/// Published output of 11.2.0.2 (no decimals), and of 12.2.0.1 and 19.3 (three): microseconds, statistics per
/// direction, and a histogram of one point.
fn render_us(
    view: &View<'_>,
    decimals: usize,
    histogram_of: Option<Extreme>,
    histogram: fn(&mut Page, &Histogram, &Histogram),
) -> String {
    let found = &view.findings.plainly_best;
    let mut page = Page::default();
    if let Some(best) = found.rate(Class::LARGE) {
        page.line(mbps_line(view, best));
        if found.rate(Class::SMALL).is_some() {
            page.blank();
        }
    }
    if let Some(best) = found.rate(Class::SMALL) {
        page.line(iops_line(view, best));
        latency_lines(&mut page, view, best.point, decimals);
    }
    if let Some(best) = found.latency_us(Class::SMALL) {
        page.blank();
        page.line(format_args!(
            "Minimum Small Latency={:.decimals$} usecs @ {}",
            best.estimate.value,
            marked(view, best.point)
        ));
        latency_lines(&mut page, view, best.point, decimals);
    }
    if let Some((point, io)) = histogram_of.and_then(|best| Some((best.point, small(view, best.point)?))) {
        page.line(format_args!("Small Read / Write Latency Histogram @ {}", OrionPoint(point)));
        histogram(&mut page, &io.reads, &io.writes);
    }
    page.into_string()
}

fn small<'v>(view: &'v View<'_>, point: Point) -> Option<&'v IoFindings> {
    view.at(point)?.io(Class::SMALL)
}

fn mbps_line(view: &View<'_>, best: Extreme) -> String {
    format!("Maximum Large MBPS={:.2} @ {}", best.estimate.value, marked(view, best.point))
}

fn iops_line(view: &View<'_>, best: Extreme) -> String {
    format!("Maximum Small IOPS={:.0} @ {}", best.estimate.value, marked(view, best.point))
}

/// The point, followed by the reason why its numbers must not be used: `Small=1 and Large=0, not to be used: ZEROS`. Nothing is added to
/// the point of a usable number.
fn marked(view: &View<'_>, point: Point) -> String {
    let flags = view.at(point).into_iter().flat_map(|found| &found.flags);
    let mut codes: Vec<&str> = flags.filter(|flag| flag.invalid).map(|flag| flag.code.name()).collect();
    codes.dedup();
    match codes.as_slice() {
        [] => OrionPoint(point).to_string(),
        codes => format!("{}, not to be used: {}", OrionPoint(point), codes.join(", ")),
    }
}

/// One line per direction that moved something; ORION adds the second when the run writes.
fn latency_lines(page: &mut Page, view: &View<'_>, point: Point, decimals: usize) {
    let Some(io) = small(view, point) else {
        return;
    };
    let (of_all, all) = (io.latency_us, io.reads.count() + io.writes.count());
    for (direction, histogram) in [("Read", &io.reads), ("Write", &io.writes)] {
        if let Some(us) = LatencyUs::of(histogram) {
            // Where there is one direction, its mean is that of the point: one figure for one quantity.
            let avg = of_all.filter(|_| histogram.count() == all).map_or(us.mean.value, |us| us.mean.value);
            page.line(format_args!(
                "Small {direction} Latency: avg={avg:.decimals$} us, min={:.decimals$} us, max={:.decimals$} us, \
                 std dev={:.decimals$} us @ {}",
                us.min,
                us.max,
                us.stddev,
                OrionPoint(point)
            ));
        }
    }
}

/// Published output of 11.2.0.2: 28 rows, columns separated by TABs, one less where the upper end is wide. The first row is
/// labelled 0 - 1 there although the second begins at 2.
pub(super) fn histogram_11_2(page: &mut Page, reads: &Histogram, writes: &Histogram) {
    page.line("\tLatency:\t\t# of IOs (read) \t # of IOs (write) ");
    for Row { from_us, to_us, reads, writes } in rows::all(reads, writes) {
        let to_us = if from_us == 0 { 1 } else { to_us };
        let tabs = if to_us < 1000 { "\t\t" } else { "\t" };
        page.line(format_args!("{from_us:>9} - {to_us}{tabs}us:\t\t{reads}\t\t\t{writes}"));
    }
}

/// Published output of 19.3 on Linux: empty ends in one row each, counts with cumulative percentages.
fn histogram_19(page: &mut Page, reads: &Histogram, writes: &Histogram) {
    page.line(format_args!("{:8}Latency:{:25}# of IOs (read){:10}# of IOs (write)", "", "", ""));
    let mut sums = [0, 0];
    for row in rows::collapsed(reads, writes) {
        sums = [sums[0] + row.reads, sums[1] + row.writes];
        page.line(format_args!(
            "{:>9} - {:<11}us:{:>16} ({:>6.2}%){:>15} ({:>6.2}%)",
            row.from_us,
            row.to_us,
            row.reads,
            percent(sums[0], reads.count()),
            row.writes,
            percent(sums[1], writes.count())
        ));
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * to_f64(part) / to_f64(whole) }
}
