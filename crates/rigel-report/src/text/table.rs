//! The results of a run as a table for the terminal, 80 columns wide, flags beside the numbers.
//!
//! The codes stand in the row; what they say stands below the table. Must not hide a point.

use crate::notes::{self, At};
use crate::page::Page;
use crate::view::View;
use rigel_core::findings::{Extreme, PointFindings};

/// A line per point, what the columns mean, the best values, the flags in full.
#[must_use]
pub fn table(view: &View<'_>) -> String {
    let mut page = Page::default();
    if !view.findings.points.is_empty() {
        page.line(format_args!(
            "{:>6}{:>7}{:>10}{:>11}{:>12}{:>12}  Flags",
            "Small", "Large", "IOPS", "MBPS", "mean us", "p99 us"
        ));
        for found in &view.findings.points {
            point(&mut page, found);
        }
        page.blank();
        page.line("IOPS of small I/Os; MBPS of large I/Os, 2^20 bytes per second; latency in");
        page.line("microseconds, of the small I/Os where there are some, else of the large ones.");
        page.blank();
    }
    best(&mut page, "Maximum small IOPS", 0, view.findings.max_small_iops);
    best(&mut page, "Maximum large MBPS", 2, view.findings.max_large_mbps);
    best(&mut page, "Minimum small latency, us", 3, view.findings.min_small_latency_us);
    let notes = notes::of(view);
    if !notes.is_empty() && !view.findings.points.is_empty() {
        page.blank();
    }
    page.push(notes);
    page.into_string()
}

/// The numbers and the first flag, then a line for each further flag, under the first.
fn point(page: &mut Page, found: &PointFindings) {
    let number = |value: Option<f64>, decimals: usize| match value {
        Some(value) => format!("{value:.decimals$}"),
        None => "-".into(),
    };
    let small = found.small.as_ref();
    let large = found.large.as_ref();
    let latency = small.or(large).and_then(|io| io.latency_us);
    let mut codes = found.flags.iter().map(|flag| flag.code.name());
    let line = format!(
        "{:>6}{:>7}{:>10}{:>11}{:>12}{:>12}  {}",
        found.point.small,
        found.point.large,
        number(small.map(|io| io.iops), 0),
        number(large.map(|io| io.mbps), 2),
        number(latency.map(|us| us.mean), 1),
        number(latency.map(|us| us.p99), 1),
        codes.next().unwrap_or("")
    );
    page.line(line.trim_end());
    for code in codes {
        page.line(format_args!("{:60}{code}", ""));
    }
}

fn best(page: &mut Page, what: &str, decimals: usize, best: Option<Extreme>) {
    if let Some(best) = best {
        page.line(format_args!("{what}: {:.decimals$} @ {}", best.value, At(best.point)));
    }
}
