use super::*;
use crate::load::class::Class;
pub(crate) use crate::testing::{header, visit, visit_to};
use crate::units::NS_PER_S;
use serde_json::json;

fn bytes() -> Vec<u8> {
    let closing =
        ClosingLine { ended: "2026-01-01T12:01:00+00:00".into(), complete: true, reason: None, end: None };
    [
        Line::Header(Box::new(header())),
        Line::Visit(Box::new(visit(0, 1_000_000))),
        Line::Visit(Box::new(second())),
        Line::Closing(closing),
    ]
    .iter()
    .flat_map(|line| write_line(line).unwrap())
    .collect()
}

/// The visit after the first one, to another step.
fn second() -> Visit {
    Visit { number: 1, ..visit(5, 10_000_000) }
}

#[test]
fn a_record_reads_back_and_writes_the_same_bytes() {
    let record = Record::read(&bytes()).unwrap();
    assert!(record.complete());
    assert_eq!(record.header, header());
    assert_eq!(record.visits, [visit(0, 1_000_000), second()]);
    let mut again = write_line(&Line::Header(Box::new(record.header))).unwrap();
    for visit in record.visits {
        again.extend(write_line(&Line::Visit(Box::new(visit))).unwrap());
    }
    assert!(bytes().starts_with(&again));
}

#[test]
fn a_line_of_every_kind_reads_back() {
    let closing = ClosingLine { ended: "now".into(), complete: false, reason: None, end: None };
    let interval = Interval {
        visit: 0,
        began_ns: 0,
        measured_ns: NS_PER_S,
        tallies: visit(0, NS_PER_S / 4).tallies,
        governed: None,
    };
    let lines = [
        Line::Header(Box::new(header())),
        Line::Search(Box::new(visit(0, 1_000_000))),
        Line::Plan(Box::new(header().plan)),
        Line::Interval(Box::new(interval)),
        Line::Visit(Box::new(visit(0, 1_000_000))),
        Line::Drives(DriveLook { at: "now".into(), run_ns: 0, drives: Vec::new() }),
        Line::Mark(Mark { run_ns: 7, at: "now".into(), marked: MarkContent::Person("path A pulled".into()) }),
        resumed(0, 1),
        Line::Closing(closing),
    ];
    // A new kind does not compile here, and belongs into the list.
    let number = |line: &Line| match line {
        Line::Header(_) => 0,
        Line::Visit(_) => 1,
        Line::Interval(_) => 2,
        Line::Search(_) => 3,
        Line::Plan(_) => 4,
        Line::Resumed(_) => 5,
        Line::Drives(_) => 6,
        Line::Closing(_) => 7,
        Line::Mark(_) => 8,
    };
    let mut seen: Vec<usize> = lines.iter().map(number).collect();
    seen.sort_unstable();
    assert_eq!(seen, (0..9).collect::<Vec<_>>());
    for line in lines {
        let bytes = write_line(&line).unwrap();
        assert_eq!(read::typed(&bytes).unwrap(), line, "{}", String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn a_mark_is_bounded() {
    let with = |text: &str| {
        let mark = Mark { run_ns: 7, at: "now".into(), marked: MarkContent::Person(text.into()) };
        let lines = [Line::Header(Box::new(header())), Line::Mark(mark)];
        let bytes: Vec<u8> = lines.iter().flat_map(|line| write_line(line).unwrap()).collect();
        Record::read(&bytes)
    };
    assert_eq!(with(&"x".repeat(200)).unwrap().marks.len(), 1);
    let told = with(&"x".repeat(201)).unwrap_err().to_string();
    assert!(told.contains("line 2") && told.contains("marked"), "{told}");
}

#[test]
fn wherever_a_record_is_cut_the_whole_lines_survive() {
    let bytes = bytes();
    let first_line = bytes.iter().position(|&b| b == b'\n').unwrap() + 1;
    for cut in (first_line..bytes.len()).step_by(97) {
        let record = Record::read(&bytes[..cut]).unwrap();
        let whole = bytes[..cut].iter().filter(|&&b| b == b'\n').count();
        assert_eq!(record.visits.len(), (whole - 1).min(2));
        assert!(!record.complete());
        assert_eq!(record.torn.is_some(), bytes[cut - 1] != b'\n');
    }
    assert!(Record::read(&bytes[..first_line - 1]).is_err(), "without a whole header nothing can be said");
}

#[test]
fn damage_is_told_with_its_line() {
    let text = String::from_utf8(bytes()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    for (damaged, place, reason) in [
        (text.replacen("\"step\":0", "\"step\":3", 1), "line 2", "plan"),
        (format!("{}\n{}\n", lines[0], lines[0]), "line 2", "second header"),
        (format!("{text}{}\n", lines[1]), "line 5", "after the closing line"),
        (format!("{}\n", lines[1]), "line 1", "not a Rigel record"),
        (text.replacen("\"major\":3", "\"major\":4", 1), "line 1", "format 4"),
        ("hello\n".into(), "line 1", "not a Rigel record"),
        ([lines[0], lines[2], lines[3], ""].join("\n"), "line 2", "visit 1 is where visit 0 has to be"),
        (
            [lines[0], lines[1], lines[1], lines[3], ""].join("\n"),
            "line 3",
            "visit 0 is where visit 1 has to be",
        ),
        (
            [lines[0], lines[2], lines[1], lines[3], ""].join("\n"),
            "line 2",
            "visit 1 is where visit 0 has to be",
        ),
    ] {
        let problem = Record::read(damaged.as_bytes()).unwrap_err();
        let text = problem.to_string();
        assert!(text.contains(place) && text.contains(reason), "{text}");
        assert_eq!(problem.kind.code(), 2);
    }
    assert!(Record::read(b"").is_err());
}

#[test]
fn a_record_in_another_form_is_named_and_a_byte_order_mark_is_no_damage() {
    let wide = |unit: fn(u16) -> [u8; 2], mark: &[u16]| -> Vec<u8> {
        let text = String::from_utf8(bytes()).unwrap();
        mark.iter().copied().chain(text.encode_utf16()).flat_map(unit).collect()
    };
    for (form, words) in [
        (b"\x1f\x8b\x08\0rest".to_vec(), "gzip -dc FILE > NAME_record.jsonl"),
        (b"\x28\xb5\x2f\xfd".to_vec(), "compressed with zstd"),
        (wide(u16::to_le_bytes, &[0xfeff]), "iconv -f UTF-16 -t UTF-8"),
        (wide(u16::to_be_bytes, &[0xfeff]), "iconv -f UTF-16 -t UTF-8"),
        (wide(u16::to_le_bytes, &[]), "iconv -f UTF-16LE -t UTF-8"),
        (wide(u16::to_be_bytes, &[]), "iconv -f UTF-16BE -t UTF-8"),
    ] {
        let told = Record::read(&form).unwrap_err().to_string();
        assert!(told.contains(words), "{told}");
    }
    let marked = ["\u{feff}".as_bytes(), &bytes(), b"{\"li"].concat();
    let record = Record::read(&marked).unwrap();
    assert_eq!(record.visits.len(), 2);
    assert_eq!(record.torn.unwrap().offset, marked.len() - 4, "in the file, with the mark");
}

#[test]
fn impossible_numbers_are_told_with_their_field() {
    let lines: Vec<serde_json::Value> =
        bytes().split(|&b| b == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
    let twice = json!({"classes": ["small", "small"], "most": {}, "settle": 0, "measure": 0});
    for (line, field, pointer, value) in [
        (1, "request", "/request/classes/0/sizes/fixed", json!(0)),
        (1, "plan.steps[2].measure", "/plan/steps/2/measure", json!(u64::MAX)),
        (1, "plan.grid.levels", "/plan/grid/levels/small", json!([1, 2, 70_000])),
        (1, "plan.search.classes", "/plan/search", twice),
        (2, "measured_ns", "/measured_ns", json!(1_u64 << 60)),
        (2, "small.series.bucket_ns", "/tallies/small/series/bucket_ns", json!(0)),
        (2, "small.series.ops", "/tallies/small/series/bucket_ns", json!(5_000_000)),
        (2, "small.series.ops", "/tallies/small/series/ops", json!(vec![0; 9000])),
        (2, "small.series.latency_sum_ns", "/tallies/small/series/latency_sum_ns", json!([])),
        (2, "small.planned", "/tallies/small/planned", json!(1 << 20)),
        (2, "small.io_bytes", "/tallies/small/io_bytes", json!(0)),
    ] {
        let mut changed = lines.clone();
        *changed[line - 1].pointer_mut(pointer).unwrap() = value;
        let changed: Vec<u8> =
            changed.iter().flat_map(|line| [line.to_string().as_bytes(), b"\n"].concat()).collect();
        let problem = Record::read(&changed).unwrap_err();
        assert_eq!(
            problem.place.as_deref(),
            Some(format!("line {line}, field {field}").as_str()),
            "{problem}"
        );
    }
}

#[test]
fn a_visit_that_was_cut_short_may_have_a_shorter_series() {
    let mut visit = visit(0, 1_000_000);
    visit.tallies.get_mut(&Class::SMALL).unwrap().series.truncate(NS_PER_S / 2);
    assert!(check::visit(2, &header().request, &visit).is_err());
    visit.cut_short = true;
    assert!(check::visit(2, &header().request, &visit).is_ok());
}

#[test]
fn a_later_minor_number_still_reads() {
    let text = String::from_utf8(bytes()).unwrap();
    let newer = text.replacen("\"minor\":0", "\"minor\":7,\"colour\":\"red\"", 1);
    assert!(Record::read(newer.as_bytes()).is_ok());
}

fn resumed(set_aside: u64, kept: u64) -> Line {
    let at = "2026-01-01T13:00:00+00:00".into();
    Line::Resumed(ResumedLine { at, run_ns: 0, kept, set_aside, torn_bytes: 0 })
}

fn lines(lines: &[Line]) -> Vec<u8> {
    lines.iter().flat_map(|line| write_line(line).unwrap()).collect()
}

#[test]
fn a_run_that_goes_on_leaves_out_what_was_cut_short() {
    let header = Line::Header(Box::new(header()));
    let made = |step| Line::Visit(Box::new(visit(step, 1_000_000)));
    let ended =
        |complete| Line::Closing(ClosingLine { ended: "now".into(), complete, reason: None, end: None });
    let whole =
        [header.clone(), made(0), made(1), ended(false), resumed(1, 1), made(1), made(2), ended(true)];
    let record = Record::read(&lines(&whole)).unwrap();
    assert_eq!(record.visits.iter().map(|visit| visit.step).collect::<Vec<_>>(), [0, 1, 2]);
    assert!(record.complete() && record.resumed.len() == 1);
    for (broken, reason) in [
        (vec![header.clone(), ended(true), resumed(0, 0)], "a complete run continues"),
        (vec![header.clone(), resumed(1, 0)], "there is none"),
        (vec![header.clone(), made(0), resumed(0, 2)], "2 visits were kept, 1 exist"),
        (vec![header.clone(), made(0), made(1), resumed(2, 0)], "2 is more than 1"),
        (vec![resumed(0, 0)], "not a Rigel record"),
    ] {
        let problem = Record::read(&lines(&broken)).unwrap_err();
        assert!(problem.to_string().contains(reason), "{problem}");
    }
}
