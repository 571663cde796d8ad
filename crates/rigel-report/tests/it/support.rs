//! Records made to measure: the numbers that a published output shows, turned back into the counts that give them.

use rigel_core::facts::engine::{Backing, BufferFacts, EngineFacts, EngineKind};
use rigel_core::facts::{HostFacts, Identity, TargetFacts, TargetKind};
use rigel_core::judge::profiles::level_visit;
use rigel_core::load::class::{Class, LoadClass, Pattern, PerClass};
use rigel_core::load::matrix::{Point, RunLevel};
use rigel_core::load::pace::{Adaptive, Pace};
use rigel_core::load::plan::{Plan, SearchOutcome};
use rigel_core::load::request::Request;
use rigel_core::load::task::Task;
use rigel_core::load::workload::WritePercent;
use rigel_core::measure::{ClassTally, Histogram};
use rigel_core::record::{
    ClosingLine, FORMAT_MAJOR, FORMAT_MINOR, Format, Header, Node, NodeVisit, Nodes, Purpose, Record, Visit,
};
use rigel_core::stats::levels_auto::{self, LevelRules, Next};
use rigel_core::units::{NS_PER_S, NS_PER_US, Nanos};
use serde_json::json;
use std::collections::BTreeMap;

pub const MINUTE: u64 = 60 * NS_PER_S;

/// A node with the usual engine.
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

/// Exact statistics, in nanoseconds.
#[derive(Clone, Copy)]
pub struct Stats {
    pub mean: u64,
    pub min: u64,
    pub max: u64,
    pub stddev: u64,
}

/// Statistics as ORION prints them, in microseconds.
pub fn us(mean: f64, min: f64, max: f64, stddev: f64) -> Stats {
    let [mean, min, max, stddev] = [mean, min, max, stddev].map(ns);
    Stats { mean, min, max, stddev }
}

/// The whole number of nanoseconds of a number of microseconds with at most three decimals.
fn ns(us: f64) -> u64 {
    format!("{us:.3}").replace('.', "").parse().unwrap()
}

/// A histogram with `(lower bound in us, count)` rows and exact statistics; the I/Os lie in the middle of their row.
pub fn histogram(rows: &[(u64, u64)], stats: Stats) -> Histogram {
    let mut buckets = Vec::new();
    for &(from_us, count) in rows.iter().filter(|&&(_, count)| count > 0) {
        let middle_ns = if from_us == 0 { NS_PER_US } else { from_us * NS_PER_US / 2 * 3 };
        let mut one = Histogram::new();
        one.record(middle_ns);
        let bucket = &serde_json::to_value(&one).unwrap()["buckets"][0][0];
        buckets.push(json!([bucket, count]));
    }
    let count: u64 = rows.iter().map(|row| row.1).sum();
    let square = |ns: u64| u128::from(ns) * u128::from(ns);
    let sum_squares = u128::from(count) * (square(stats.mean) + square(stats.stddev));
    let half = |shift: u32| u64::try_from(sum_squares >> shift & u128::from(u64::MAX)).unwrap();
    serde_json::from_value(json!({
        "count": count,
        "min_ns": stats.min,
        "max_ns": stats.max,
        "sum_ns": count * stats.mean,
        "sum_squares": [half(64), half(0)],
        "buckets": buckets,
    }))
    .unwrap()
}

/// `count` I/Os that all took `mean` nanoseconds.
pub fn same(count: u64, mean: u64) -> Histogram {
    let stats = Stats { mean, min: mean, max: mean, stddev: 0 };
    histogram(&[((mean / NS_PER_US).max(1), count)], stats)
}

/// One class of one visit whose queue was full throughout.
pub fn tally(io_bytes: u64, planned: u32, window_ns: u64, reads: Histogram, writes: Histogram) -> ClassTally {
    let mut tally = ClassTally::new(io_bytes, planned, window_ns);
    tally.in_flight_ns = u64::from(planned) * window_ns;
    tally.reads = reads;
    tally.writes = writes;
    tally
}

/// Reads only, `count` of them in the window, at the latency that Little's law asks for.
pub fn steady(io_bytes: u64, planned: u32, window_ns: u64, count: u64) -> ClassTally {
    let reads = same(count, u64::from(planned) * window_ns / count);
    tally(io_bytes, planned, window_ns, reads, Histogram::new())
}

/// One class of a visit of an adaptive run: half a second to settle, two seconds measured, all I/Os alike. `iops` is a
/// multiple of 100, so that every bucket of 10 ms has a whole number.
pub fn visited(io_bytes: u64, planned: u32, iops: u64) -> ClassTally {
    assert!(iops.is_multiple_of(100), "{iops}");
    let window_ns = 2 * NS_PER_S;
    let mut tally = ClassTally::with_lead(io_bytes, planned, window_ns, NS_PER_S / 2, &[]);
    tally.series.ops.fill(u32::try_from(iops / 100).unwrap());
    tally.in_flight_ns = u64::from(planned) * window_ns;
    tally.reads = same(2 * iops, u64::from(planned) * NS_PER_S / iops);
    tally
}

/// What every visit of a round is off by, in per mille; they add up to nothing.
pub const SPREAD: [i64; 4] = [-20, 10, 0, 10];

/// A rate that is off by some per mille, to the next multiple of 100 below.
fn off(iops: u64, per_mille: i64) -> u64 {
    iops * u64::try_from(1000 + per_mille).unwrap() / 1000 / 100 * 100
}

/// The only visit to a point, at the start of a run.
fn bare(
    step: usize,
    point: Point,
    measured_ns: u64,
    small: Option<ClassTally>,
    large: Option<ClassTally>,
) -> Visit {
    Visit {
        number: 0,
        purpose: Purpose::Only,
        loaded_ns: 0,
        step,
        point,
        began_ns: 0,
        settle_ns: NS_PER_S / 2,
        measured_ns,
        cut_short: false,
        warm_up: None,
        worker_cpu_ns: Some(NS_PER_S),
        busiest_worker_cpu_ns: None,
        ios: None,
        hung: None,
        nodes: vec![NodeVisit::default()],
        tallies: pair(small, large),
    }
}

/// The tallies of ORION's pair.
pub fn pair(small: Option<ClassTally>, large: Option<ClassTally>) -> PerClass<ClassTally> {
    let both = [(Class::SMALL, small), (Class::LARGE, large)].into_iter();
    both.filter_map(|(class, tally)| Some((class, tally?))).collect()
}

/// ORION's pair with large I/O of that pattern, and so many per cent of writes.
pub fn classes(large: Pattern, write_percent: u8) -> Vec<LoadClass> {
    let mut request = Request::new(RunLevel::Simple);
    request.set_large(large);
    request.set_writes(WritePercent::new(write_percent).unwrap());
    request.classes
}

/// A run in the making.
pub struct Run {
    pub record: Record,
}

impl Run {
    /// A run without visits on targets of the given paths and sizes.
    pub fn new(request: Request, targets: &[(&str, u64)]) -> Self {
        let targets: Vec<TargetFacts> = targets.iter().map(|&(path, size)| target(path, size)).collect();
        let host = HostFacts {
            kernel: "Linux 6.12.0".into(),
            machine: "x86_64".into(),
            cpus: 4,
            ..HostFacts::default()
        };
        let header = Header {
            rigel_record: Format { major: FORMAT_MAJOR, minor: FORMAT_MINOR },
            program_version: "0.1.0".into(),
            run_id: format!("{}_20260101_1200", request.name),
            started: "2026-01-01T12:00:00+01:00".into(),
            plan: Plan::new(&request, &host, &targets).unwrap(),
            request,
            nodes: Nodes::one(node(host)),
            targets,
        };
        Self {
            record: Record {
                closing: Some(ClosingLine {
                    ended: "2026-01-01T12:08:00+01:00".into(),
                    complete: true,
                    reason: None,
                    end: None,
                }),
                ..Record::begun(header)
            },
        }
    }

    /// An adaptive run of a level on one device, without visits.
    pub fn adaptive(level: RunLevel) -> Self {
        let pace = Pace::Adaptive(Adaptive::default());
        Self::new(Request::new(level).paced(pace), &[("/dev/sdb", 1 << 34)])
    }

    /// An adaptive run: a long visit, then as many rounds over all points as `spread` has visits, each off by so many per
    /// mille. Alone, a small I/O takes 100 us and a large one 10 ms.
    pub fn visited(level: RunLevel, spread: &[i64]) -> Self {
        let mut run = Self::adaptive(level);
        run.rounds(spread);
        run
    }

    /// Adds those visits.
    pub fn rounds(&mut self, spread: &[i64]) {
        let points: Vec<Point> = self.record.header.plan.steps.iter().map(|step| step.point).collect();
        self.revisit(Purpose::Long, points[points.len() - 1], 0);
        for (round, _) in (0..).zip(spread) {
            for (index, &point) in points.iter().enumerate() {
                // Points have the same deviations in another order.
                let turn = (round as usize + index) % spread.len();
                self.revisit(Purpose::Round(round), point, spread[turn]);
            }
        }
    }

    /// Adds one visit of an adaptive run that is off by so many per mille.
    pub fn revisit(&mut self, purpose: Purpose, point: Point, per_mille: i64) -> &mut Visit {
        let small = (point.small() > 0)
            .then(|| visited(8 << 10, point.small(), off(10_000 * u64::from(point.small()), per_mille)));
        let large = (point.large() > 0)
            .then(|| visited(1 << 20, point.large(), off(10_000 * u64::from(point.large()), per_mille)));
        self.visit((point.small(), point.large()), 2 * NS_PER_S, small, large);
        let number = self.record.visits.len() as u64 - 1;
        let visit = self.record.visits.last_mut().unwrap();
        visit.purpose = purpose;
        visit.began_ns = number * 5 * NS_PER_S / 2 + NS_PER_S / 2;
        visit
    }

    /// An adaptive run whose levels were searched on a device that does eight I/Os of a class at once.
    pub fn searched(level: RunLevel) -> Self {
        let mut run = Self::new(
            Request {
                task: Task::searched(level, Pace::Adaptive(Adaptive::default())),
                ..Request::new(level)
            },
            &[("/dev/sdb", 1 << 34)],
        );
        let search = run.record.header.plan.search.clone().unwrap();
        let mut n_sat = PerClass::new();
        for &class in &search.classes {
            n_sat.insert(class, run.search(class, &search.rules(class)));
        }
        let header = &mut run.record.header;
        header.plan = header
            .plan
            .with_levels(&header.request, &SearchOutcome { n_sat, ..SearchOutcome::default() }, Nanos(0))
            .unwrap();
        run
    }

    /// Searches a class; gives the level that saturates.
    fn search(&mut self, class: Class, rules: &LevelRules) -> u32 {
        let mut visits = Vec::new();
        loop {
            let level = match levels_auto::next(&visits, rules) {
                Next::Visit(level) => level,
                Next::Done(curve) => return curve.n_sat.found,
                Next::Nothing => panic!("a device without a rate"),
            };
            let number = self.record.search.len();
            let per_mille = SPREAD[number % SPREAD.len()];
            let iops = off(1000 * u64::from(level.min(8)), per_mille);
            let (point, small, large) = match class {
                Class::SMALL => (Point::pair(level, 0), Some(visited(8 << 10, level, iops)), None),
                _ => (Point::pair(0, level), None, Some(visited(1 << 20, level, iops))),
            };
            let visit = Visit {
                number: number as u64,
                purpose: Purpose::Search(class),
                began_ns: number as u64 * 5 * NS_PER_S / 2 + NS_PER_S / 2,
                ..bare(number, point, 2 * NS_PER_S, small, large)
            };
            visits.extend(level_visit(&visit, class));
            self.record.search.push(visit);
        }
    }

    /// Adds the visit to a point.
    pub fn visit(
        &mut self,
        (small, large): (u32, u32),
        measured_ns: u64,
        small_io: Option<ClassTally>,
        large_io: Option<ClassTally>,
    ) -> &mut Self {
        let point = Point::pair(small, large);
        let steps = &self.record.header.plan.steps;
        let step = steps.iter().position(|step| step.point == point).unwrap();
        let number = (self.record.search.len() + self.record.visits.len()) as u64;
        let visit = bare(step, point, measured_ns, small_io, large_io);
        self.record.visits.push(Visit { number, ..visit });
        self
    }

    /// A point with small reads of 8 KiB only, at a whole number of I/Os per second.
    pub fn small(&mut self, outstanding: u32, iops: u64) -> &mut Self {
        let io = steady(8 << 10, outstanding, MINUTE, 60 * iops);
        self.visit((outstanding, 0), MINUTE, Some(io), None)
    }

    /// A point with large reads of 1 MiB only, at a rate in hundredths of MBPS.
    pub fn large(&mut self, outstanding: u32, mbps_hundredths: u64) -> &mut Self {
        let window = 100 * NS_PER_S;
        let io = steady(1 << 20, outstanding, window, mbps_hundredths);
        self.visit((0, outstanding), window, None, Some(io))
    }

    /// The file with that ending, in one format.
    pub fn file(&self, format: rigel_report::Format, suffix: &str) -> String {
        file_of(&rigel_report::View::of(&self.record), format, suffix)
    }
}

/// The file with that ending, in one format, of findings that a test may have changed.
pub fn file_of(view: &rigel_report::View<'_>, format: rigel_report::Format, suffix: &str) -> String {
    let files = rigel_report::render(format, view).unwrap();
    let file = files.into_iter().find(|file| file.suffix == suffix).unwrap();
    String::from_utf8(file.bytes).unwrap()
}

/// The rows of a table by the names of its columns, read by a library as any other program would.
pub fn rows(table: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    reader.deserialize().map(Result::unwrap).collect()
}

fn target(path: &str, size_bytes: u64) -> TargetFacts {
    TargetFacts {
        path: path.into(),
        real_path: path.into(),
        kind: TargetKind::File,
        size_bytes,
        identity: Identity { device: (8, 0), inode: 1 },
        direct_io: Some(true),
        ..TargetFacts::simulated(size_bytes)
    }
}

/// A text up to the flags below it. Published histograms have two heaps now and then, and I/Os that took a second, which Rigel says.
pub fn before_flags(text: &str) -> &str {
    let (before, flags) = text.split_once("\nFlags @").unwrap_or((text, ""));
    let others = flags
        .lines()
        .filter(|line| {
            !line.contains(": BIMODAL (") && !line.contains(": STALLED (small: the longest I/O took")
        })
        .count();
    assert_eq!(others, 0, "{flags}");
    before
}

/// A text without its first line, which names the program that wrote it.
pub fn after_line_1(text: &str) -> &str {
    text.split_once('\n').unwrap().1
}

/// The texts stand one behind the other.
pub fn in_this_order(text: &str, parts: &[impl AsRef<str>]) {
    let mut rest = text;
    for part in parts {
        let part: &str = part.as_ref();
        rest = rest.split_once(part).unwrap_or_else(|| panic!("no {part}, or not in its place: {text}")).1;
    }
}

/// The words of a text that hold a digit, and the units behind them: what other words for the same leave as it is.
pub fn figures(text: &str) -> String {
    const UNITS: [&str; 8] = ["%", "KiB", "MiB", "GiB", "us", "ms", "s", "min"];
    let words = text.split_whitespace().map(|word| word.trim_matches(['(', ')', ',', ';', ':', '.']));
    let is_one = |word: &&str| word.contains(|c: char| c.is_ascii_digit()) || UNITS.contains(word);
    words.filter(is_one).collect::<Vec<_>>().join(" ")
}
