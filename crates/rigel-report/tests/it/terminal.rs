//! What is shown after a run: no line is too wide, and charts show the numbers of the table.

use crate::support::{Run, SPREAD, same};
use rigel_core::judge::flags::{Flag, FlagCode};
use rigel_core::load::class::Class;
use rigel_core::load::matrix::{MatrixShape, RunLevel};
use rigel_core::load::pace::{Adaptive, Pace};
use rigel_core::load::request::Request;
use rigel_core::load::task::Task;
use rigel_report::text::{self, Style};
use rigel_report::{Format, OrionVersion, RUN_OUTPUTS, View, render};

const UNICODE: Style = Style { colour: false, ascii: false };
const ASCII: Style = Style { colour: false, ascii: true };
const COLOUR: Style = Style { colour: true, ascii: false };

/// What is shown after a run, or everything.
type TextOf = fn(&View<'_>, Style, &[String]) -> String;

/// Columns that each line takes on a terminal.
fn widths(text: &str) -> impl Iterator<Item = usize> {
    text.lines().map(|line| {
        let parts = line.split('\u{1b}').enumerate();
        let shown = parts.map(|(place, part)| match place {
            0 => part,
            _ => part.split_once('m').unwrap().1,
        });
        shown.map(|part| part.chars().count()).sum()
    })
}

fn visited(request: Request) -> Run {
    let mut run = Run::new(request.paced(Pace::Adaptive(Adaptive::default())), &[("/dev/sdb", 1 << 34)]);
    run.rounds(&SPREAD);
    run
}

fn advanced(shape: MatrixShape) -> Request {
    Request::of(Task::advanced(shape))
}

fn charts(report: &str) -> String {
    let from = report.find("IOPS by").or_else(|| report.find("MBPS by")).unwrap();
    let (charts, _) = report[from..].split_once("\nHighest").unwrap();
    charts.to_owned()
}

#[test]
fn charts_of_both_classes_stand_side_by_side() {
    let run = Run::visited(RunLevel::Normal, &SPREAD);
    let report = text::explained(&View::of(&run.record), UNICODE, &[]);
    insta::assert_snapshot!(charts(&report), @r"
    IOPS by outstanding small I/Os           MBPS by outstanding large I/Os
    60.0k │                                  25.0k │
          │                           ⢀⣀⡠⠤⠲        │                            ⣀⣀⡠⢤
          │                     ⢀⣀⢤⠔⠒⠉⠁            │                  ⢀⣀⣀⠤⠤⠔⠒⠊⠉⠉
          │               ⣀⡠⠤⠒⠊⠉⠁                  │        ⢀⣀⣀⠤⠤⠔⠒⠒⠉⠉⠁
    30.0k │         ⢀⣀⠤⠔⠊⠉⠈                  12.5k │⣄⡠⠤⠤⠒⠒⠊⠉⠁
          │    ⣀⡠⠤⠚⠊⠁                              │
          │⠤⠒⠊⠉                                    │
          │                                        │
        0 └────────────────────────────────      0 └────────────────────────────────
           1      2       3       4       5         1                              2
    ");
    let report = text::explained(&View::of(&run.record), ASCII, &[]);
    insta::assert_snapshot!(charts(&report), @r"
    IOPS by outstanding small I/Os           MBPS by outstanding large I/Os
    60.0k |                                  25.0k |
          |                           ....*        |                          .....*
          |                   ....*...             |                ..........
          |             ..*...                     |      ..........
    30.0k |         ....  |                  12.5k |*.....
          |    ...*.                               |
          |*...                                    |
          |                                        |
        0 +--------------------------------      0 +--------------------------------
           1      2       3       4       5         1                              2
    ");
    assert!(report.is_ascii());
    assert!(text::report(&View::of(&run.record), ASCII, &[]).is_ascii());
}

#[test]
fn a_chart_leaves_out_what_must_not_be_used_and_says_so() {
    let run = visited(advanced(MatrixShape::Row { large: 1 }));
    let mut view = View::of(&run.record);
    view.findings.points[2].flags.push(Flag::new(FlagCode::Cache, "too fast").invalidating());
    let report = text::explained(&view, ASCII, &[]);
    insta::assert_snapshot!(charts(&report), @r"
    IOPS by small, large 1 (1 left out)
    60.0k |
          |                           ....*
          |                   ....*...
          |             ..*...
    30.0k |        .....  |
          |   .....
          |*..
          |
        0 +--------------------------------
           1              3       4       5
    ");
}

#[test]
fn one_level_is_no_curve() {
    let run = visited(advanced(MatrixShape::Point { small: 3, large: 1 }));
    let report = text::explained(&View::of(&run.record), UNICODE, &[]);
    let is_chart = |line: &str| ["IOPS by ", "MBPS by "].iter().any(|begin| line.starts_with(begin));
    assert!(!report.lines().any(is_chart), "{report}");
}

#[test]
fn colours_say_nothing_that_words_do_not() {
    let mut run = Run::visited(RunLevel::Simple, &SPREAD);
    for visit in run.record.visits.iter_mut().filter(|visit| visit.point.small() == 2) {
        let small = visit.tallies.get_mut(&Class::SMALL).unwrap();
        small.reads = same(small.reads.count(), 300_000);
    }
    run.record.closing = None;
    let view = View::of(&run.record);
    let brief = [
        ("33", "This storage reached"),
        ("33", "! Run cut short"),
        ("31", "! LITTLE"),
        ("1", " Small Large"),
        ("31", "!    2     0"),
    ];
    let explained = [
        ("33", "Use with care"),
        ("33", "- Run cut short"),
        ("31", "- Rate and latency do not match"),
        ("1", " Small Large"),
        ("31", "!    2     0"),
        ("31", "          ! LITTLE"),
        ("36", "IOPS by"),
        ("35", "MBPS by"),
    ];
    let documents: [(TextOf, &[(&str, &str)]); 2] = [(text::report, &brief), (text::explained, &explained)];
    for (document, signs) in documents {
        let (plain, coloured) = (document(&view, UNICODE, &[]), document(&view, COLOUR, &[]));
        assert!(!plain.contains('\u{1b}'));
        let mut stripped = String::new();
        for (place, part) in coloured.split('\u{1b}').enumerate() {
            stripped += if place == 0 { part } else { part.split_once('m').unwrap().1 };
        }
        assert_eq!(stripped, plain);
        for (code, sign) in signs {
            assert!(coloured.contains(&format!("\u{1b}[{code}m{sign}")), "{sign}: {coloured}");
        }
    }
}

#[test]
fn no_line_is_wider_than_a_terminal() {
    let long = "n".repeat(180);
    let files =
        vec![format!("/a/rather/long/way/{long}/{long}_20260101_1200_record.jsonl"), "./short".to_owned()];
    let shapes = [
        Request::new(RunLevel::Simple),
        Request::new(RunLevel::Oltp),
        Request::new(RunLevel::Dss),
        Request { num_disks: Some(8), ..Request::new(RunLevel::Normal) },
        Request { num_disks: Some(300), ..Request::new(RunLevel::Oltp) },
        advanced(MatrixShape::Point { small: 1, large: 0 }),
        advanced(MatrixShape::Point { small: 0, large: 1000 }),
        advanced(MatrixShape::Max { small: 3, large: 60 }),
        advanced(MatrixShape::Col { small: 7 }),
    ];
    let mut most = 0;
    for request in shapes {
        let run = visited(Request { name: long.clone(), ..request });
        let mut view = View::of(&run.record);
        most = most.max(view.findings.points.len());
        let text = "a figure of some length, and what it was compared with, ".repeat(9);
        for (place, found) in view.findings.points.iter_mut().enumerate() {
            let flag = Flag::new(FlagCode::Foreign, &text);
            found.flags.push(if place % 3 == 0 { flag.invalidating() } else { flag });
            let scale = [1.0, 1e4, 1e9, 1e15][place % 4];
            for io in found.ios.values_mut() {
                io.iops.value *= scale;
            }
        }
        for style in [UNICODE, ASCII, COLOUR] {
            for report in [text::report(&view, style, &files), text::explained(&view, style, &files)] {
                // A command is whole, so that it can be pasted.
                let lines = report.lines().filter(|line| !line.starts_with("more: rigel report "));
                let widest = lines.flat_map(widths).max().unwrap();
                assert!(widest <= 80, "{widest}: {report}");
            }
        }
    }
    assert!(most >= 350, "{most}");
}

#[test]
fn the_outputs_of_a_run_are_known_by_name() {
    let run = Run::visited(RunLevel::Simple, &SPREAD);
    let view = View::of(&run.record);
    let mut made = Vec::new();
    for version in [OrionVersion::V11_1, OrionVersion::V11_2, OrionVersion::V19] {
        made.extend(render(Format::Orion(version), &view).unwrap());
    }
    made.extend(render(Format::Html, &view).unwrap());
    for file in made {
        assert!(RUN_OUTPUTS.contains(&file.suffix.as_ref()), "{}", file.suffix);
    }
    let text = render(Format::Text, &view).unwrap();
    assert_eq!(text[0].bytes, text::explained(&view, UNICODE, &[]).into_bytes());
}
