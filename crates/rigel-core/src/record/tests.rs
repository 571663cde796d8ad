use super::*;
use crate::facts::engine::{Backing, BufferFacts, EngineFacts, EngineKind};
use crate::facts::{HostFacts, Identity, TargetKind};
use crate::load::class::Class;
use crate::load::matrix::RunLevel;
use crate::load::pace::Pace;
use crate::units::{NS_PER_S, Nanos};
use serde_json::json;

/// A record of a `simple` run of one second per point on one file, without visits.
pub(crate) fn header() -> Header {
    let mut request = Request::new(RunLevel::Simple);
    request.pace = Pace::Fixed(Nanos::from_secs(1));
    let targets = vec![TargetFacts {
        path: "/data/lun1".into(),
        real_path: "/data/lun1".into(),
        kind: TargetKind::File,
        size_bytes: 1 << 30,
        identity: Identity { device: (8, 0), inode: 1 },
        direct_io: Some(true),
        ..TargetFacts::simulated(1 << 30)
    }];
    let host = HostFacts { cpus: 2, ..HostFacts::default() };
    Header {
        rigel_record: Format { major: FORMAT_MAJOR, minor: FORMAT_MINOR },
        program_version: "0.1.0".into(),
        run_id: "orion_20260101_1200".into(),
        started: "2026-01-01T12:00:00+00:00".into(),
        plan: Plan::new(&request, &host, &targets).unwrap(),
        request,
        nodes: Nodes::one(node(host)),
        targets,
    }
}

fn node(host: HostFacts) -> Node {
    let engine = EngineFacts {
        registered_buffers: true,
        registered_files: true,
        single_issuer: true,
        defer_taskrun: true,
        ..EngineFacts::plain(EngineKind::IoUring)
    };
    let buffers = BufferFacts {
        backing: Backing::TransparentHuge,
        bytes: 4 << 20,
        large_segments_max: Some(1),
        large_segments_mean: Some(1.0),
    };
    Node { host, engine, buffers, member: None }
}

/// A visit of one second to step 0 in which every I/O took `latency_ns`, at the outstanding count of the point.
pub(crate) fn visit(step: usize, latency_ns: u64) -> Visit {
    visit_to(step, header().plan.steps[step].point, latency_ns)
}

/// The same of a step with this point.
pub(crate) fn visit_to(step: usize, point: Point, latency_ns: u64) -> Visit {
    let tally = |outstanding: u32, class: Class| {
        let bytes = if class == Class::SMALL { 8192 } else { 1 << 20 };
        let mut tally = ClassTally::new(bytes, outstanding, NS_PER_S);
        for i in 0..NS_PER_S / latency_ns * u64::from(outstanding) {
            tally.reads.record(latency_ns);
            tally.series.record(i * latency_ns / u64::from(outstanding), latency_ns);
        }
        tally.in_flight_ns = u64::from(outstanding) * NS_PER_S;
        tally
    };
    Visit {
        number: step as u64,
        purpose: Purpose::Only,
        busiest_worker_cpu_ns: None,
        ios: None,
        hung: None,
        nodes: vec![NodeVisit::default()],
        loaded_ns: 1_200_000_000,
        step,
        point,
        began_ns: 0,
        settle_ns: NS_PER_S / 10,
        measured_ns: NS_PER_S,
        cut_short: false,
        warm_up: None,
        worker_cpu_ns: Some(1),
        tallies: point.classes().map(|(class, level)| (class, tally(level, class))).collect(),
    }
}

fn bytes() -> Vec<u8> {
    let closing =
        Closing { ended: "2026-01-01T12:01:00+00:00".into(), complete: true, reason: None, end: None };
    [
        Line::Header(Box::new(header())),
        Line::Visit(Box::new(visit(0, 1_000_000))),
        Line::Visit(Box::new(visit(5, 10_000_000))),
        Line::Closing(closing),
    ]
    .iter()
    .flat_map(|line| write_line(line).unwrap())
    .collect()
}

#[test]
fn a_record_reads_back_and_writes_the_same_bytes() {
    let record = Record::read(&bytes()).unwrap();
    assert!(record.complete());
    assert_eq!(record.header, header());
    assert_eq!(record.visits, [visit(0, 1_000_000), visit(5, 10_000_000)]);
    let mut again = write_line(&Line::Header(Box::new(record.header))).unwrap();
    for visit in record.visits {
        again.extend(write_line(&Line::Visit(Box::new(visit))).unwrap());
    }
    assert!(bytes().starts_with(&again));
}

#[test]
fn a_line_of_every_kind_reads_back() {
    let closing = Closing { ended: "now".into(), complete: false, reason: None, end: None };
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
    };
    let mut seen: Vec<usize> = lines.iter().map(number).collect();
    seen.sort_unstable();
    assert_eq!(seen, (0..8).collect::<Vec<_>>());
    for line in lines {
        let bytes = write_line(&line).unwrap();
        assert_eq!(read::typed(&bytes).unwrap(), line, "{}", String::from_utf8_lossy(&bytes));
    }
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
        (format!("{text}{}\n", lines[1]), "line 5", "follows"),
        (format!("{}\n", lines[1]), "line 1", "no record"),
        (text.replacen("\"major\":2", "\"major\":3", 1), "line 1", "format 3"),
        ("hello\n".into(), "line 1", "no record"),
    ] {
        let problem = Record::read(damaged.as_bytes()).unwrap_err();
        let text = problem.to_string();
        assert!(text.contains(place) && text.contains(reason), "{text}");
        assert_eq!(problem.kind.code(), 2);
    }
    assert!(Record::read(b"").is_err());
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
    Line::Resumed(Resumed { at, run_ns: 0, kept, set_aside, torn_bytes: 0 })
}

fn lines(lines: &[Line]) -> Vec<u8> {
    lines.iter().flat_map(|line| write_line(line).unwrap()).collect()
}

#[test]
fn a_run_that_goes_on_leaves_out_what_was_cut_short() {
    let header = Line::Header(Box::new(header()));
    let made = |step| Line::Visit(Box::new(visit(step, 1_000_000)));
    let ended = |complete| Line::Closing(Closing { ended: "now".into(), complete, reason: None, end: None });
    let whole =
        [header.clone(), made(0), made(1), ended(false), resumed(1, 1), made(1), made(2), ended(true)];
    let record = Record::read(&lines(&whole)).unwrap();
    assert_eq!(record.visits.iter().map(|visit| visit.step).collect::<Vec<_>>(), [0, 1, 2]);
    assert!(record.complete() && record.resumed.len() == 1);
    for (broken, reason) in [
        (vec![header.clone(), ended(true), resumed(0, 0)], "a complete run goes on"),
        (vec![header.clone(), resumed(1, 0)], "there is none"),
        (vec![header.clone(), made(0), resumed(0, 2)], "2 visits are kept, 1 are there"),
        (vec![header.clone(), made(0), made(1), resumed(2, 0)], "2 are more than 1"),
        (vec![resumed(0, 0)], "no record"),
    ] {
        let problem = Record::read(&lines(&broken)).unwrap_err();
        assert!(problem.to_string().contains(reason), "{problem}");
    }
}
