//! Records from anywhere: whatever a number in them says, reading ends in a problem or in outputs of the usual size.
//!
//! Every number of small records is replaced by others, one at a time. Of a long list the first, the second and the last
//! number stand for the others.

use crate::support::{MINUTE, Run, SPREAD, classes, same, steady};
use rigel_core::load::class::Pattern;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::Request;
use rigel_core::measure::{Histogram, StartLatencies};
use rigel_core::record::{Line, Purpose, Record, ResumedLine, WarmUpLoad, write_line};
use rigel_core::units::NS_PER_S;
use rigel_core::witness::Witness;
use rigel_report::advice::{Advisory, document, file, page};
use rigel_report::{Format, OrionVersion, View};
use rigel_uses::advice::{AdviceReport, Conditions, Product};
use serde_json::{Value, json};
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Where a number stands in a document.
type Path = Vec<Place>;

#[derive(Clone, Debug, PartialEq)]
enum Place {
    Field(String),
    Index(usize),
}

/// Paths to all numbers of a document; of a list longer than three, to those of its first, second and last member.
fn numbers(value: &Value) -> Vec<Path> {
    let under = |place: Place, value: &Value| -> Vec<Path> {
        let paths = numbers(value).into_iter();
        paths.map(|path| std::iter::once(place.clone()).chain(path).collect()).collect()
    };
    match value {
        Value::Number(_) => vec![Vec::new()],
        Value::Object(fields) => {
            fields.iter().flat_map(|(name, value)| under(Place::Field(name.clone()), value)).collect()
        }
        Value::Array(list) => {
            let looked = |index: &usize| *index < 2 || index + 1 == list.len();
            let members = list.iter().enumerate().filter(|(index, _)| looked(index));
            members.flat_map(|(index, value)| under(Place::Index(index), value)).collect()
        }
        Value::Null | Value::Bool(_) | Value::String(_) => Vec::new(),
    }
}

fn at<'a>(value: &'a mut Value, path: &[Place]) -> &'a mut Value {
    path.iter().fold(value, |value, place| match place {
        Place::Field(name) => &mut value[name.as_str()],
        Place::Index(index) => &mut value[*index],
    })
}

fn others() -> [Value; 7] {
    [json!(0), json!(1), json!(1_u64 << 32), json!(1_u64 << 53), json!(u64::MAX), json!(-1), json!(1e308)]
}

/// The lines of a record, in order.
fn lines(record: &Record) -> Vec<Value> {
    let header = Line::Header(Box::new(record.header.clone()));
    let search = record.search.iter().map(|visit| Line::Search(Box::new(visit.clone())));
    let visits = record.visits.iter().map(|visit| Line::Visit(Box::new(visit.clone())));
    let closing = record.closing.clone().map(Line::Closing);
    let kept = (record.search.len() + record.visits.len()) as u64;
    let at = "2026-01-01T12:05:00+01:00".to_owned();
    let resumed = Line::Resumed(ResumedLine { at, run_ns: 0, kept, set_aside: 0, torn_bytes: 0 });
    let all = std::iter::once(header).chain(search).chain(visits).chain([resumed]).chain(closing);
    all.map(|line| serde_json::from_slice(&write_line(&line).unwrap()).unwrap()).collect()
}

fn text(line: &Value) -> Vec<u8> {
    [line.to_string().as_bytes(), b"\n"].concat()
}

fn bytes(lines: &[Value]) -> Vec<u8> {
    lines.iter().flat_map(text).collect()
}

/// What is advised, as a page, a document and files; nothing where that is refused.
fn advice(views: &[View<'_>]) -> usize {
    let runs = rigel_report::compare::runs(views);
    let Ok(advised) = AdviceReport::of(&runs, Conditions::default(), None) else { return 0 };
    let told = Advisory { views, advised: &advised };
    let files = Product::ALL.into_iter().filter_map(|product| file(&told, product, 18).ok());
    page(&told, true).len() + document(&told).unwrap().len() + files.map(|text| text.len()).sum::<usize>()
}

/// Everything that can be made of a record; the bytes of all files together.
fn outputs(record: &Record) -> usize {
    let view = View::of(record);
    let advice = advice(std::slice::from_ref(&view));
    let orion = OrionVersion::ALL.map(Format::Orion).into_iter();
    let formats = orion.chain(Format::ALL.into_iter().skip(1));
    let files = formats.flat_map(|format| rigel_report::render(format, &view).unwrap());
    files.map(|file| file.bytes.len()).sum::<usize>()
        + advice
        + rigel_report::text::report(&view, rigel_report::text::Style::default(), &[]).len()
}

/// Replaces every number of the lines that are looked at, on all CPUs. Returns how many changed records were read and how many refused.
fn replace_each(record: &Record, looked: impl Fn(usize) -> bool) -> (usize, usize) {
    let lines = lines(record);
    let honest = Record::read(&bytes(&lines)).unwrap();
    assert_eq!(honest.visits, record.visits);
    // A flag more on each point, and numbers that need all their digits: no more.
    let most = 4 * outputs(&honest) + 65_536;
    let all: Vec<(usize, Path)> = (0..lines.len())
        .filter(|&number| looked(number))
        .flat_map(|number| numbers(&lines[number]).into_iter().map(move |path| (number, path)))
        .collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let (mut read, mut refused) = (0, 0);
        while let Some((number, path)) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            for other in others() {
                let is_read = replace(&lines, *number, path, &other, most);
                (read, refused) = (read + usize::from(is_read), refused + usize::from(!is_read));
            }
        }
        (read, refused)
    };
    let cpus = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cpus).map(|_| scope.spawn(work)).collect();
        let counts = workers.into_iter().map(|worker| worker.join().unwrap());
        counts.fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1))
    })
}

/// Replaces one number; whether the record was read then. It has to be refused with its line, or make outputs of no more than `most` bytes.
fn replace(lines: &[Value], number: usize, path: &Path, other: &Value, most: usize) -> bool {
    let mut changed = lines[number].clone();
    *at(&mut changed, path) = other.clone();
    let (before, after) = (bytes(&lines[..number]), bytes(&lines[number + 1..]));
    match Record::read(&[before.as_slice(), &text(&changed), &after].concat()) {
        Ok(record) => {
            let written = outputs(&record);
            assert!(written <= most, "line {}, {path:?} = {other}: {written} bytes", number + 1);
            true
        }
        Err(problem) => {
            let place = problem.place.clone().unwrap_or_default();
            // A plan may be possible, and only its visits show that it is another one.
            let mut lines = number + 1..=if number == 0 { lines.len() } else { number + 1 };
            let told = |line| place == format!("line {line}") || place.starts_with(&format!("line {line},"));
            assert!(lines.any(told), "{path:?}: {problem}");
            assert_eq!(problem.kind.code(), 2, "{problem}");
            false
        }
    }
}

/// Two devices and two samples, seen beside a visit that began at `began_ns`.
fn witness(began_ns: u64) -> Witness {
    let column = [1000, 2000];
    serde_json::from_value(json!({
        "period_ns": 100_000_000,
        "cpus": 4,
        "began_ns": began_ns,
        "at_ns": [began_ns + NS_PER_S, began_ns + 2 * NS_PER_S],
        "busy_us": column,
        "interrupts_us": column,
        "steal_us": column,
        "own_us": column,
        "cpu_pressure_us": column,
        "io_pressure_us": column,
        "devices": [
            {"device": [8, 0], "read_bytes": column, "written_bytes": column},
            {"device": [8, 16], "read_bytes": column, "written_bytes": column},
        ],
    }))
    .unwrap()
}

#[test]
fn no_number_of_an_adaptive_run_does_harm() {
    let mut run = Run::adaptive(RunLevel::Simple);
    run.rounds(&SPREAD);
    for visit in &mut run.record.visits {
        visit.nodes[0].witness = Some(witness(visit.began_ns));
        for tally in visit.tallies.values_mut() {
            let part =
                StartLatencies { until_ns: 800_000_000, reads: same(10, 50_000), writes: Histogram::new() };
            tally.early.push(part);
        }
    }
    let last = run.record.visits.len();
    let (read, refused) = replace_each(&run.record, |line| line <= 2 || line == last);
    assert!(read > 500 && refused > 500, "{read} read, {refused} refused");
}

#[test]
fn no_number_of_a_search_does_harm() {
    let run = Run::searched(RunLevel::Oltp);
    let (read, refused) = replace_each(&run.record, |line| line <= 2);
    assert!(read > 300 && refused > 300, "{read} read, {refused} refused");
}

#[test]
fn no_number_of_a_run_with_one_visit_per_point_does_harm() {
    let request = Request {
        classes: classes(Pattern::Streams { ios_per_stream: 4 }, 50),
        ..Request::new(RunLevel::Simple)
    };
    let mut run = Run::new(request, &[("/data/lun1", 1 << 34)]);
    run.small(1, 100).small(2, 200);
    let streams = steady(1 << 20, 4, MINUTE, 6000);
    run.visit((0, 1), MINUTE, None, Some(streams));
    let visit = &mut run.record.visits[2];
    visit.warm_up = Some(WarmUpLoad { ns: MINUTE, bytes: 1 << 30, failures: 3 });
    assert_eq!(visit.purpose, Purpose::Only);
    let (read, refused) = replace_each(&run.record, |_| true);
    assert!(read > 500 && refused > 500, "{read} read, {refused} refused");
}

/// Numbers that are too large only together: each visit claims as much as 64 bits hold.
#[test]
fn sums_over_visits_saturate() {
    let mut run = Run::adaptive(RunLevel::Oltp);
    run.rounds(&SPREAD);
    let mut lines = lines(&run.record);
    for line in lines.iter_mut().filter(|line| line["line"] == "visit") {
        line["warm_up"] = json!({"ns": 1, "bytes": u64::MAX, "failures": u64::MAX});
        line["nodes"][0]["moved_bytes"] = json!(u64::MAX);
        let tally = &mut line["small"];
        tally["errors"] = json!(u64::MAX);
        tally["in_flight_ns"] = json!(u64::MAX);
        tally["looked"] = json!({"sampled": u64::MAX, "zero_blocks": u64::MAX, "wrong_stamps": u64::MAX});
        for direction in ["reads", "writes"] {
            tally[direction]["count"] = json!(u64::MAX / 2);
            tally[direction]["sum_ns"] = json!(u64::MAX);
            tally[direction]["sum_squares"] = json!([u64::MAX, u64::MAX]);
            tally[direction]["buckets"] = json!([[100, u64::MAX / 4], [900, u64::MAX / 2 - u64::MAX / 4]]);
        }
    }
    assert!(outputs(&Record::read(&bytes(&lines)).unwrap()) > 1000);
}
