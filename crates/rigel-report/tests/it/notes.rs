//! Flags and cut-short runs in the summary, and names that try to write more than a name.

use crate::support::{MINUTE, Run, SPREAD, figures, file_of, in_this_order, steady};
use rigel_core::judge::flags::{Flag, FlagCode};
use rigel_core::load::class::Class;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::{Adaptive, Pace};
use rigel_core::load::request::Request;
use rigel_core::load::task::Task;
use rigel_core::load::workload::Direction;
use rigel_core::measure::FirstError;
use rigel_core::record::{End, Purpose};
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
    run.record.visits[1].tallies.get_mut(&Class::SMALL).unwrap().in_flight_ns = MINUTE;
    insta::assert_snapshot!(end(&run), @r"

    Maximum Large MBPS=50.00 @ Small=0 and Large=1
    Maximum Small IOPS=200 @ Small=2 and Large=0
    Minimum Small Latency=10.00 @ Small=1 and Large=0

    Flags @ Small=2 and Large=0: QUEUE_NOT_FILLED (small: 1.00 of 2 planned were in flight)
    ");
}

/// Scripts find a result by the beginning of its line, which stays; the mark is behind it. Nothing else changes.
#[test]
fn a_result_that_must_not_be_used_says_so_behind_its_line() {
    let mut run = simple();
    run.small(1, 100).small(2, 200).large(1, 5000);
    for version in OrionVersion::ALL {
        let results = |view: &View<'_>| {
            let files = rigel_report::render(Format::Orion(version), view).unwrap();
            let summary = files.into_iter().find(|file| file.suffix == "_summary.txt").unwrap();
            let text = String::from_utf8(summary.bytes).unwrap();
            let of_orion = |line: &&str| !line.starts_with("Flags @") && !line.is_empty();
            text.lines().filter(of_orion).map(str::to_owned).collect::<Vec<_>>()
        };
        let clean = View::of(&run.record);
        let mut spoilt = View::of(&run.record);
        let zeros = Flag::new(FlagCode::Zeros, "holes").invalidating();
        spoilt.findings.points[1].flags = vec![zeros.clone(), zeros, Flag::new(FlagCode::Foreign, "others")];
        let expected = results(&clean).into_iter().map(|line| {
            let mark =
                if line.starts_with("Maximum Small IOPS=200 @ ") { ", not to be used: ZEROS" } else { "" };
            line + mark
        });
        let expected: Vec<String> = expected.collect();
        assert!(expected.iter().any(|line| line.ends_with("Small=2 and Large=0, not to be used: ZEROS")));
        assert_eq!(results(&spoilt), expected, "{version:?}");
    }
}

#[test]
fn flags_that_many_points_share_are_told_once() {
    let mut run = simple();
    run.small(1, 100).small(2, 200).large(1, 5000).large(2, 6000);
    run.record.header.request.buffered = true;
    run.record.header.nodes.first_mut().buffers.large_segments_max = Some(256);
    run.record.visits[1].tallies.get_mut(&Class::SMALL).unwrap().in_flight_ns = MINUTE;
    let view = View::of(&run.record);
    // 11.1 prints no results, but flags are always seen.
    insta::assert_snapshot!(orion::result_block(OrionVersion::V11_1, &view), @r"
    Flags @ all points: BUFFERED (measured through the page cache: memory, not storage), not to be used
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
    // A point that was not measured in full has a row, which the maximum is not below.
    insta::assert_snapshot!(end(&run), @r"

    Maximum Small IOPS=200 @ Small=2 and Large=0
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
    run.record.visits[1].tallies.get_mut(&Class::SMALL).unwrap().reads.clear();
    assert_eq!(run.file(FORMAT, "_iops.csv").lines().nth(1).unwrap(), "          0,    100,       ,    300");
    assert!(end(&run).contains("Flags @ Small=2 and Large=0: NO_DATA (small: no I/O completed)"));
}

/// A rate of what did not fail says nothing of the storage; a few failures are told, and leave it.
#[test]
fn a_point_of_which_much_failed_has_no_numbers() {
    for version in OrionVersion::ALL {
        let mut run = simple();
        run.small(1, 100).small(2, 200).small(3, 300);
        let cells = |run: &Run, suffix: &str| {
            let file = run.file(Format::Orion(version), suffix);
            let row = file.lines().find(|line| line.starts_with("          0,")).unwrap().to_owned();
            row.split(',').skip(1).map(|cell| cell.trim().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(cells(&run, "_iops.csv"), ["100", "200", "300"]);
        let tally = run.record.visits[1].tallies.get_mut(&Class::SMALL).unwrap();
        tally.errors = 100_000;
        tally.first_error = Some(FirstError { errno: 5, target: 0, offset: 0, direction: Direction::Read });
        assert_eq!(cells(&run, "_iops.csv"), ["100", "", "300"]);
        assert_eq!(cells(&run, "_lat.csv")[1], "");
        let summary = run.file(Format::Orion(version), "_summary.txt");
        assert!(summary.contains("ERRORS"), "{summary}");
    }
}

#[test]
fn an_adaptive_run_says_how_it_came_to_its_numbers() {
    let mut run = Run::searched(RunLevel::Normal);
    run.rounds(&SPREAD);
    let last = run.record.header.plan.steps.last().unwrap().point;
    run.revisit(Purpose::FillsGap, last, 0);
    let mut view = View::of(&run.record);
    view.findings.flags =
        vec![Flag::new(FlagCode::SlowNoise, "alike"), Flag::new(FlagCode::FewPoints, "few").invalidating()];
    view.findings.curves[0].flags = vec![Flag::new(FlagCode::Retrograde, "falls")];
    view.findings.curves[1].curve.saturated = false;
    for version in OrionVersion::ALL {
        let summary = file_of(&view, Format::Orion(version), "_summary.txt");
        assert!(
            summary.contains("ata Point: 2 seconds") || summary.contains("ata point: 2 seconds"),
            "{summary}"
        );
        let (_, notes) = summary.split_once("\n\nAdaptive").unwrap();
        let (told, flags) = notes.split_once("Flags @ ").unwrap();
        // The visits, the points, what may have been missed; the best numbers; two searches, of which one saw no end.
        assert_eq!(
            figures(told),
            "141 4 5 35 ±5 % 35 95 % 2.1 % 160000.00 ±1.7 % 95 % 4 Small=0 Large=16 \
             160000 ±1.7 % 95 % 4 Small=16 Large=0 100.0 us ±1.7 % 95 % 4 Small=1 Large=0 \
             7967 ±1.3 % 8 8..8 8 30 7933.33 ±1.4 % 8 8..8 8 30"
        );
        let searched =
            ["X_max 7967 IOPS", "N_sat 8 (8..8)", "X_max at least 7933.33 MBPS", "N_sat at least 8 ("];
        in_this_order(told, &searched);
        assert_eq!(
            flags.trim_end(),
            "the run: SLOW_NOISE (alike); FEW_POINTS (few), not to be used\n\
             Flags @ the search of small I/O: RETROGRADE (falls)"
        );
        assert!(orion::result_block(version, &view).ends_with(notes));
    }
}

#[test]
fn an_adaptive_run_that_was_cut_short_counts_the_points_with_a_whole_visit() {
    let mut run = Run::visited(RunLevel::Simple, &SPREAD);
    // The long visit, the first round and two visits of the second, of which one was not finished.
    run.record.visits.truncate(1 + 7 + 2);
    run.record.visits.last_mut().unwrap().cut_short = true;
    let closing = run.record.closing.as_mut().unwrap();
    closing.complete = false;
    closing.reason = Some("stopped by the user".into());
    assert!(end(&run).contains("7 of 7 points were measured in full"), "{}", end(&run));
    run.record.visits.truncate(1 + 3);
    run.record.visits.last_mut().unwrap().cut_short = true;
    let told = end(&run);
    assert!(
        told.contains("Run cut short: stopped by the user; 2 of 7 points were measured in full."),
        "{told}"
    );
    assert!(told.contains("Adaptive run: 4 visits in random order, 1 at each of 4 points"), "{told}");
}

#[test]
fn what_its_user_stopped_says_how_far_it_came() {
    let mut run = Run::visited(RunLevel::Simple, &SPREAD);
    let closing = run.record.closing.as_mut().unwrap();
    (closing.complete, closing.end) = (false, Some(End::Stopped));
    run.record.visits.truncate(1 + 3);
    run.record.visits.last_mut().unwrap().cut_short = true;
    let told = end(&run);
    let how_far = "; 4 of 7 points have figures, some of them from a visit that was cut short.";
    assert!(told.contains("Run cut short: stopped by the user after ") && told.contains(how_far), "{told}");
    run.record.visits.clear();
    assert!(end(&run).contains("stopped by the user before its first visit was over; there are no figures."));
}

#[test]
fn a_search_that_was_cut_short_has_no_points() {
    let mut run = Run::adaptive(RunLevel::Simple);
    run.record.header.request.task = Task::searched(RunLevel::Simple, Pace::Adaptive(Adaptive::default()));
    let searched = Run::searched(RunLevel::Simple).record;
    let header = &mut run.record.header;
    header.plan.search.clone_from(&searched.header.plan.search);
    header.plan.steps.clear();
    header.plan.adaptive = None;
    run.record.search = searched.search.into_iter().take(3).collect();
    run.record.closing = None;
    let told = end(&run);
    assert_eq!(
        told,
        "\nRun cut short: the record ends without its closing line; the search was not finished after 3 visits.\n"
    );
    let summary = run.file(FORMAT, "_summary.txt");
    assert!(summary.contains("Duration for each Data Point: 2 seconds"), "{summary}");
    for format in [Format::Json, Format::Csv, Format::Orion(OrionVersion::V19)] {
        assert!(rigel_report::render(format, &View::of(&run.record)).is_ok());
    }
    let (view, style) = (View::of(&run.record), rigel_report::text::Style::default());
    let brief = rigel_report::text::report(&view, style, &[]);
    let opening =
        "There are no numbers yet.\nNo point was measured.\n! Run cut short: the record ends without";
    assert!(brief.starts_with(opening), "{brief}");
    let explained = rigel_report::text::explained(&view, style, &[]);
    assert!(explained.starts_with("There are no numbers yet.\n- Run cut short: "), "{explained}");
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
    header.nodes.first_mut().host.kernel = HOSTILE.into();
    header.nodes.first_mut().host.machine = HOSTILE.into();
    header.nodes.first_mut().host.cpu_model = Some(HOSTILE.into());
    header.nodes.first_mut().engine.reason = Some(HOSTILE.into());
    header.nodes.first_mut().engine.notes = vec![HOSTILE.into()];
    header.targets[0].path = HOSTILE.into();
    run.record.visits[0].tallies.get_mut(&Class::SMALL).unwrap().first_error =
        Some(FirstError { errno: 5, target: 0, offset: 0, direction: Direction::Read });
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
    texts.push(rigel_report::text::report(&View::of(&run.record), rigel_report::text::Style::default(), &[]));
    texts.push(rigel_report::text::plan(&header.request, &header.plan, &header.targets, None));
    for text in texts {
        let is_hostile = |c: char| (c.is_control() && c != '\n' && c != '\t') || c == '\u{202e}';
        assert!(!text.contains(is_hostile), "{text}");
        assert!(!text.lines().any(|line| line.starts_with("Maximum Small IOPS=1\t")), "{text}");
    }
}
