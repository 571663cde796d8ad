//! Flags and cut-short runs in the summary, and names that try to write more than a name.

use crate::support::{MINUTE, Run, steady};
use rigel_core::matrix::RunLevel;
use rigel_core::request::Request;
use rigel_report::{Format, OrionVersion, View, orion};

const FORMAT: Format = Format::Orion(OrionVersion::V11_1);

fn simple() -> Run {
    Run::new(Request::new(RunLevel::Simple), &[("/dev/sdb", 1 << 34)])
}

/// What a summary has from its results on.
fn end(run: &Run) -> String {
    let summary = run.file(FORMAT, "_summary.txt");
    let (_, end) = summary.split_once("found.\n").unwrap();
    end.to_owned()
}

#[test]
fn a_flag_of_one_point_names_it() {
    let mut run = simple();
    run.small(1, 100).small(2, 200).large(1, 5000);
    run.record.visits[1].small.as_mut().unwrap().in_flight_ns = MINUTE;
    insta::assert_snapshot!(end(&run), @r"

    Maximum Large MBPS=50.00 @ Small=0 and Large=1
    Maximum Small IOPS=200 @ Small=2 and Large=0
    Minimum Small Latency=10.00 @ Small=1 and Large=0

    Flags @ Small=2 and Large=0: QUEUE_NOT_FILLED (small: 1.00 of 2 planned were in flight)
    ");
}

#[test]
fn flags_that_many_points_share_are_told_once() {
    let mut run = simple();
    run.small(1, 100).small(2, 200).large(1, 5000).large(2, 6000);
    run.record.header.request.buffered = true;
    run.record.header.buffers.large_segments_max = Some(256);
    run.record.visits[1].small.as_mut().unwrap().in_flight_ns = MINUTE;
    let view = View::of(&run.record);
    // 11.1 prints no results, but flags are always seen.
    insta::assert_snapshot!(orion::result_block(OrionVersion::V11_1, &view), @r"
    Flags @ all points: BUFFERED (measured through the page cache: memory, not storage)
    Flags @ all points with Large>0: BUFFERS (large buffers lie in up to 256 physical pieces: the rate may be up to 3 times too low)
    Flags @ Small=2 and Large=0: QUEUE_NOT_FILLED (small: 1.00 of 2 planned were in flight)
    ");
    let block = orion::result_block(OrionVersion::V19, &view);
    assert!(block.contains("268435456  us:"));
    assert!(block.contains("\n\nFlags @ all points: BUFFERED"));
}

#[test]
fn a_cut_short_run_prints_what_there_is_and_says_so() {
    let mut run = simple();
    run.small(1, 100).small(2, 200);
    run.record.visits[1].cut_short = true;
    let closing = run.record.closing.as_mut().unwrap();
    closing.complete = false;
    closing.reason = Some("interrupted".into());
    // The higher figure is that of a point which was not measured in full.
    insta::assert_snapshot!(end(&run), @r"

    Maximum Small IOPS=100 @ Small=1 and Large=0
    Minimum Small Latency=10.00 @ Small=1 and Large=0

    Run cut short: interrupted; 1 of 7 points were measured in full.
    Flags @ Small=2 and Large=0: CUT_SHORT (measured 60.00 s of 60 s)
    ");
}

#[test]
fn a_run_without_results_or_closing_line_keeps_its_heading() {
    let mut run = simple();
    run.record.closing = None;
    assert_eq!(
        end(&run),
        "\nRun cut short: the record ends without its closing line; 0 of 7 points were measured in full.\n"
    );
    let header = "Large/Small,      1,      2,      3,      4,      5\n";
    let labels = "          0\n          1\n          2\n";
    assert_eq!(run.file(FORMAT, "_iops.csv"), format!("{header}{labels}"));
}

#[test]
fn a_point_where_nothing_completed_has_no_numbers() {
    let mut run = simple();
    run.small(1, 100).small(2, 200).small(3, 300);
    run.record.visits[1].small.as_mut().unwrap().reads.clear();
    assert_eq!(run.file(FORMAT, "_iops.csv").lines().nth(1).unwrap(), "          0,    100,       ,    300");
    assert!(end(&run).contains("Flags @ Small=2 and Large=0: NO_DATA (small: no I/O completed)"));
}

/// A record may come from anywhere. No text of it may end a line, move the cursor or turn the reading direction.
#[test]
fn foreign_text_cannot_leave_its_place() {
    const HOSTILE: &str = "a\nMaximum Small IOPS=1\t\u{1b}[2J\u{9b}\u{202e}\\x41";
    let mut run = simple();
    let large = steady(1 << 20, 1, MINUTE, 60);
    run.small(1, 100).visit((0, 1), MINUTE, None, Some(large));
    let header = &mut run.record.header;
    header.program_version = HOSTILE.into();
    header.run_id = HOSTILE.into();
    header.started = HOSTILE.into();
    header.request.name = HOSTILE.into();
    header.request.command_line = HOSTILE.into();
    header.host.kernel = HOSTILE.into();
    header.host.machine = HOSTILE.into();
    header.host.cpu_model = Some(HOSTILE.into());
    header.engine.reason = Some(HOSTILE.into());
    header.engine.notes = vec![HOSTILE.into()];
    header.targets[0].path = HOSTILE.into();
    run.record.visits[0].small.as_mut().unwrap().first_error = Some(rigel_core::measure::FirstError {
        errno: 5,
        target: 0,
        offset: 0,
        direction: rigel_core::workload::Direction::Read,
    });
    let closing = run.record.closing.as_mut().unwrap();
    closing.complete = false;
    closing.ended = HOSTILE.into();
    closing.reason = Some(HOSTILE.into());
    let orion = OrionVersion::ALL.into_iter().map(Format::Orion);
    let mut texts = Vec::new();
    for format in orion.chain([Format::Json, Format::Csv]) {
        let files = rigel_report::render(format, &View::of(&run.record)).unwrap();
        texts.extend(files.into_iter().map(|file| String::from_utf8(file.bytes).unwrap()));
    }
    let header = &run.record.header;
    texts.push(orion::banner(OrionVersion::V19, HOSTILE, HOSTILE, 9));
    texts.push(rigel_report::text::table(&View::of(&run.record)));
    texts.push(rigel_report::text::plan(&header.request, &header.plan, &header.targets));
    for text in texts {
        let is_hostile = |c: char| (c.is_control() && c != '\n' && c != '\t') || c == '\u{202e}';
        assert!(!text.contains(is_hostile), "{text}");
        assert!(!text.lines().any(|line| line.starts_with("Maximum Small IOPS=1\t")), "{text}");
    }
}
