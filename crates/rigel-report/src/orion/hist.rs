//! The histogram file: `_hist.txt` of 11.2 and `_hist.csv` of 19, every measured point and class.
//!
//! Published output shows that the file exists and what it counts. The layout is Rigel's. Must not leave an I/O out.

use super::results::histogram_11_2;
use super::rows;
use crate::notes::OrionPoint;
use crate::page::Page;
use crate::view::View;
use rigel_core::judge::findings::IoFindings;
use rigel_core::measure::Histogram;

/// One table of 28 rows per point and class, as in the summary of 11.2, below a few lines of explanation.
pub(super) fn text(view: &View<'_>) -> String {
    let mut page = Page::default();
    page.line(
        "Latencies of all I/Os of the run, counted by size: one table per data point and class of I/O.",
    );
    page.line("Small and Large in the title of a table are the numbers of outstanding I/Os.");
    page.line("A row holds the latencies from its first number up to below its second; the first holds all below 2 us,");
    page.line("the last all from 134217728 us on.");
    for found in &view.findings.points {
        for (class, io) in found.classes() {
            page.blank();
            page.line(format_args!(
                "{} Read / Write Latency Histogram @ {}",
                class.label(),
                OrionPoint(found.point)
            ));
            histogram_11_2(&mut page, &io.reads, &io.writes);
        }
    }
    page.into_string()
}

/// One line per point, class and direction: total, then the counts of the 28 rows under their bounds in microseconds.
pub(super) fn csv(view: &View<'_>) -> String {
    let mut page = Page::default();
    let levels = view.level_columns();
    let labels: String = levels.iter().map(|(_, class)| class.label() + ",").collect();
    page.push(format_args!("{labels}Class,Direction,I/Os"));
    let none = Histogram::new();
    for row in rows::all(&none, &none) {
        page.push(format_args!(",{}-{} us", row.from_us, row.to_us));
    }
    page.blank();
    for found in &view.findings.points {
        for (class, io) in found.classes() {
            let at: String = levels.iter().map(|(_, class)| format!("{},", found.point.of(*class))).collect();
            push_class(&mut page, &at, class.name(), io);
        }
    }
    page.into_string()
}

fn push_class(page: &mut Page, levels: &str, class: &str, io: &IoFindings) {
    let rows = rows::all(&io.reads, &io.writes);
    let reads = rows.iter().map(|row| row.reads).collect();
    let writes = rows.iter().map(|row| row.writes).collect();
    let directions: [(&str, Vec<u64>); 2] = [("read", reads), ("write", writes)];
    for (direction, counts) in directions {
        let total: u64 = counts.iter().sum();
        page.push(format_args!("{levels}{class},{direction},{total}"));
        for count in counts {
            page.push(format_args!(",{count}"));
        }
        page.blank();
    }
}
