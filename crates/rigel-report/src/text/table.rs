//! The results of a run as a table for the terminal, 80 columns wide, flags beside the numbers.
//!
//! The codes stand in the row; what they say follows with the result block. Must not hide a point.

use crate::page::Page;
use crate::view::View;
use rigel_core::findings::PointFindings;

/// A line per point, and what the columns mean; nothing when no point was measured.
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
    }
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
