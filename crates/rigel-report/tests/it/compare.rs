//! Comparisons: the table, the documents, the page.

use crate::support::{Run, SPREAD, in_this_order};
use rigel_core::load::matrix::{MatrixShape, RunLevel};
use rigel_core::load::pace::{Adaptive, Pace};
use rigel_core::load::request::Request;
use rigel_core::load::task::Task;
use rigel_core::record::Record;
use rigel_report::View;
use rigel_report::compare::{CompareFormat, ComparisonView, render, runs};
use rigel_uses::compare::Comparison;
use rigel_uses::compare::gate::{Gate, GateResult};
use serde_json::Value;

/// Runs of two sides, with what is made of them.
fn made(base: &[&Record], new: &[&Record], gates: &[&str], format: CompareFormat) -> String {
    let views = |side: &[&'static Record]| side.iter().map(|record| View::of(record)).collect::<Vec<_>>();
    let leaked = |side: &[&Record]| -> Vec<&'static Record> {
        side.iter().map(|record| &*Box::leak(Box::new((*record).clone()))).collect()
    };
    let (base, new) = (views(&leaked(base)), views(&leaked(new)));
    let comparison = Comparison::of(&runs(&base), &runs(&new));
    let judge = |gate: &&str| Gate::read(gate).unwrap().judge(&comparison).unwrap();
    let gates: Vec<GateResult> = gates.iter().map(judge).collect();
    let compared = ComparisonView {
        base: &base,
        new: &new,
        comparison: &comparison,
        gates: &gates,
        undecided_fails: false,
    };
    String::from_utf8(render(format, &compared).unwrap().bytes).unwrap()
}

/// An adaptive run on a device that is off by so many per mille.
fn visited(per_mille: i64) -> Record {
    let spread = SPREAD.map(|visit| visit + per_mille);
    Run::visited(RunLevel::Oltp, &spread).record
}

/// The same of a single point.
fn one_point(small: u32, large: u32, per_mille: i64) -> Record {
    let request = Request::of(Task::advanced(MatrixShape::Point { small, large }))
        .paced(Pace::Adaptive(Adaptive::default()));
    let mut run = Run::new(request, &[("/dev/sdb", 1 << 34)]);
    run.rounds(&SPREAD.map(|visit| visit + per_mille));
    run.record
}

#[test]
fn the_table_of_a_slower_device() {
    let (base, new) = (one_point(4, 2, 0), one_point(4, 2, -300));
    let text = made(&[&base], &[&new], &["small_iops < -5%", "small_iops > 1%"], CompareFormat::Text);
    let (told, table) = text.split_once("From .. to %").unwrap();
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    in_this_order(
        &flat(told),
        &[
            "Failed: 1 of 2 gates failed, 0 undecided, 1 passed. ",
            "The new side is worse in 6 of 6 numbers. ",
            "Worse: highest rate of small I/O; highest rate of large I/O; \
             rate, mean latency and p99 of small I/O at small 4 large 2; \
             rate, mean latency and p99 of large I/O at small 4 large 2. ",
            "- Base (NOT_REACHED, FEW_POINTS): ",
            "4 outstanding small I/Os and 2 outstanding large I/Os: small: too few visits, 4 of at least 6. ",
            "- New side (NOT_REACHED, FEW_POINTS): ",
            "- Each side has one run, ",
            "small_iops < -5% failed 1 of 1 at small=4 large=2 the change is -30.0 %, ",
            " -32.1 .. -27.8, all of it beyond the limit",
            "small_iops > 1% passed 1 of 1",
        ],
    );
    let (rows, below) = table.split_once("\n\n").unwrap();
    let rows: Vec<String> = rows.lines().skip(1).map(flat).collect();
    assert_eq!(
        rows,
        [
            "max_small_iops (IOPS)",
            "- - 40000 2.3 28000 3.2 -30.0 % -32.1 .. -27.8 worse",
            "max_large_mbps (MBPS)",
            "- - 20000.00 2.3 14000.00 3.2 -30.0 % -32.1 .. -27.8 worse",
            "small_iops (IOPS)",
            "4 2 40000 2.3 28000 3.2 -30.0 % -32.1 .. -27.8 worse",
            "large_mbps (MBPS)",
            "4 2 20000.00 2.3 14000.00 3.2 -30.0 % -32.1 .. -27.8 worse",
            "small_p99 (µs)",
            "4 2 102.0 4.4 147.1 6.4 +44.1 % +35.7 .. +53.0 worse",
            "large_p99 (µs)",
            "4 2 102.0 4.4 147.1 6.4 +44.1 % +35.7 .. +53.0 worse",
        ]
    );
    in_this_order(
        &flat(below),
        &[
            "min_small_latency: from 100 µs to 142.9 µs, as small_iops at small 4 large 2 ",
            "Base: 1 run: orion_20260101_1200; /dev/sdb (16 GiB), ",
            "New: 1 run: orion_20260101_1200; /dev/sdb (16 GiB), ",
        ],
    );
}

#[test]
fn tables_fit_80_columns() {
    for record in [visited(0), one_point(1, 1, 0), one_point(60_000, 300, 0)] {
        let text = made(&[&record], &[&record, &record], &["small_iops < -5%"], CompareFormat::Text);
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{line}\n{text}");
        }
    }
}

#[test]
fn the_documents_hold_every_row() {
    let (base, new) = (visited(0), visited(-300));
    let json: Value =
        serde_json::from_str(&made(&[&base], &[&new], &["small_iops < -5%"], CompareFormat::Json)).unwrap();
    let rows = json["rows"].as_array().unwrap();
    let of = |metric: &str| rows.iter().filter(|row| row["metric"] == metric).count();
    assert_eq!(
        (of("max_small_iops"), of("small_iops"), of("small_latency"), of("small_p99")),
        (1, 20, 20, 20)
    );
    assert_eq!((of("large_mbps"), of("max_large_mbps")), (0, 0));
    assert_eq!(json["gates"][0]["outcome"], "failed");
    assert_eq!(json["gates"][0]["rows"].as_array().unwrap().len(), 20);
    let junit = made(&[&base], &[&new], &[], CompareFormat::Junit);
    assert_eq!(junit.matches("<testcase").count(), rows.len());
    let page = made(&[&base], &[&new], &[], CompareFormat::Html);
    assert_eq!(page.matches("<th scope=\"row\">small ").count(), 60);
}

#[test]
fn a_name_cannot_steer_a_terminal_or_a_page() {
    let name = "<script>alert(1)</script>\u{1b}[2J\u{202e}\"&]]>";
    let mut hostile = visited(0);
    hostile.header.run_id = name.into();
    hostile.header.nodes.first_mut().host.kernel = name.into();
    hostile.header.targets[0].path = name.into();
    let base = visited(0);
    use CompareFormat::{Html, Json, Junit, Markdown, Text};
    for format in [Text, Json, Junit, Markdown, Html] {
        let text = made(&[&base], &[&hostile], &[], format);
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{format:?}");
        let markup = text.contains("<script>alert");
        // Only in plain text and inside JSON is that a name like others.
        assert!(!markup || matches!(format, Text | Json), "{format:?}");
    }
}
