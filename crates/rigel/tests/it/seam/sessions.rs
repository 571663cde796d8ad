//! A bench of sessions that commit: no slots, no offsets, no bytes.

use super::{measured, text_of};
use rigel_core::error::Problem;
use rigel_core::facts::engine::{BufferFacts, EngineFacts, EngineKind};
use rigel_core::facts::{HostFacts, TargetFacts};
use rigel_core::load::class::{Class, Figure, LoadClass, Pattern, PerClass, Sizes, Sync};
use rigel_core::load::draw::Generator;
use rigel_core::load::matrix::{Point, RunLevel};
use rigel_core::load::pace::{Adaptive, Pace};
use rigel_core::load::plan::Plan;
use rigel_core::load::request::{EngineRequest, Request};
use rigel_core::load::task::Task;
use rigel_core::load::workload::{Direction, WritePercent};
use rigel_core::measure::{ClassTally, Tally, Window};
use rigel_core::record::{Line, Node, NodeVisit, Nodes, Record, write_line};
use rigel_core::sim::SimLaw;
use rigel_core::stats::settle;
use rigel_core::units::Nanos;
use rigel_report::{Format, OrionVersion, View};
use rigel_run::bench::{Bench, BenchMessage, Detail, Order, Progress, RunPast, Site, VisitResult, Work};
use rigel_run::execute::Run;
use rigel_run::job::{WorkResult, Workload};
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::Duration;

/// What a commit takes while no other waits for the log.
const COMMIT_NS: f64 = 500_000.0;
/// So many commits share one flush of the log.
const GROUP: u32 = 4;

fn commit() -> Class {
    Class::named("commit").unwrap()
}

/// A server whose commits share flushes of its log.
struct Server {
    site: Site,
    now_ns: u64,
    noise: Generator,
    done: u64,
}

impl Server {
    fn new(targets: Vec<TargetFacts>) -> Self {
        let node = Node {
            host: HostFacts { cpus: 2, kernel: "6.1.0-sessions".into(), ..HostFacts::default() },
            engine: EngineFacts::plain(EngineKind::Sim),
            buffers: BufferFacts::NONE,
            member: None,
        };
        let site = Site { nodes: Nodes::one(node), targets };
        Self { site, now_ns: 0, noise: Generator::new(1, &[]), done: 0 }
    }

    /// Each session commits again and again until the end of the window.
    fn commits(&mut self, sessions: u32, mut tally: Tally) -> Tally {
        let usual_ns = COMMIT_NS * f64::from(sessions.div_ceil(GROUP));
        let mut latency = || {
            let taken = Duration::from_secs_f64(usual_ns / 1e9 * self.noise.lognormal(0.2));
            u64::try_from(taken.as_nanos()).unwrap()
        };
        let mut under_way: Vec<(u64, u64)> = (0..sessions).map(|_| (self.now_ns, latency())).collect();
        tally.submitted(0, u64::from(sessions));
        while let Some(first) = (0..under_way.len()).min_by_key(|&at| under_way[at].0 + under_way[at].1) {
            let (began_ns, took_ns) = under_way.swap_remove(first);
            self.now_ns = began_ns + took_ns;
            tally.look(self.now_ns);
            tally.completed(0, Direction::Write, took_ns, self.now_ns);
            self.done += 1;
            if self.now_ns < tally.window().end_ns {
                tally.submitted(0, 1);
                under_way.push((self.now_ns, latency()));
            }
        }
        tally
    }
}

impl Bench for Server {
    fn site(&self) -> &Site {
        &self.site
    }

    fn now_ns(&self) -> u64 {
        self.now_ns
    }

    fn work(
        &mut self,
        order: &Order,
        hear: &mut dyn FnMut(BenchMessage) -> bool,
    ) -> Result<VisitResult, Problem> {
        let Work::Measure { settle_ns, measure_ns, detail } = order.work else { panic!("no warm-up") };
        let began_ns = self.now_ns;
        let start_ns = began_ns + settle_ns;
        let window = Window { start_ns, end_ns: start_ns + measure_ns };
        let lead_ns = if detail == Detail::Settling { settle_ns } else { 0 };
        let edges = if lead_ns > 0 { settle::edges(lead_ns, lead_ns + measure_ns) } else { Vec::new() };
        let sessions = order.point.of(commit());
        let empty = ClassTally::with_lead(0, sessions, measure_ns, lead_ns, &edges);
        let tally = self.commits(sessions, Tally::new(window, vec![Some(empty)], began_ns));
        let found = tally.finish().remove(0).unwrap();
        let latency_ns = PerClass::new();
        hear(BenchMessage::Tick(Progress {
            now_ns: self.now_ns,
            ops: [(commit(), self.done)].into(),
            latency_ns,
        }));
        let done = WorkResult {
            tallies: [(commit(), found)].into(),
            window_end_ns: window.end_ns,
            ..WorkResult::default()
        };
        Ok(VisitResult { done, began_ns, ended_ns: self.now_ns, nodes: vec![NodeVisit::default()] })
    }

    fn rest(&mut self, ns: u64, _: &mut dyn FnMut(BenchMessage) -> bool) {
        self.now_ns += ns;
    }

    fn pass(&mut self, until_ns: u64, _: RunPast) -> bool {
        self.now_ns = until_ns;
        true
    }
}

fn run(pace: Pace) -> Run {
    let mut request = Request::of(Task::named(RunLevel::Advanced, Vec::new(), pace));
    request.classes = vec![LoadClass {
        sizes: Sizes::None,
        pattern: Pattern::Sessions,
        sync: Sync::Dsync,
        write_percent: WritePercent::new(100).unwrap(),
        figure: Figure::Rate("TPS".into()),
        levels: vec![1, 2, 4, 8],
        ..LoadClass::random(commit(), 0)
    }];
    request.engine = EngineRequest::Sim(SimLaw::default());
    let host = HostFacts { cpus: 2, ..HostFacts::default() };
    let plan = Plan::new(&request, &host, &[TargetFacts::simulated(1 << 30)]).unwrap();
    Run { program_version: "test".into(), run_id: "commits_20260101_1200".into(), request, plan }
}

fn record(pace: Pace) -> Record {
    measured(&run(pace), &mut Server::new(vec![TargetFacts::simulated(1 << 30)]))
}

/// Commits per second of so many sessions.
fn truth(sessions: u32) -> f64 {
    f64::from(sessions) / f64::from(sessions.div_ceil(GROUP)) * 1e9 / COMMIT_NS
}

#[test]
fn a_commit_goes_through_record_and_findings() {
    for pace in [Pace::Fixed(Nanos::from_secs(2)), Pace::Adaptive(Adaptive::default())] {
        let record = record(pace);
        let lines = record.visits.iter().map(|visit| Line::Visit(Box::new(visit.clone())));
        let lines = std::iter::once(Line::Header(Box::new(record.header.clone()))).chain(lines);
        let bytes: Vec<u8> = lines.flat_map(|line| write_line(&line).unwrap()).collect();
        let again = Record::read(&bytes).unwrap();
        assert_eq!((&again.header, &again.visits), (&record.header, &record.visits));
        let found = View::of(&record).findings;
        assert_eq!(found.points.len(), 4);
        for found in &found.points {
            let io = found.io(commit()).unwrap();
            let sessions = found.point.of(commit());
            assert_eq!(found.point, Point::alone(commit(), sessions));
            assert!((io.iops.value / truth(sessions) - 1.0).abs() < 0.03, "{sessions}: {}", io.iops.value);
            assert!(io.iops.interval.is_some() && io.latency_us.is_some());
            assert_eq!((io.load.unit(), io.io_bytes, io.reads.count()), ("TPS", 0, 0));
        }
        let best = found.best.rate(commit()).unwrap();
        assert_eq!(best.point.of(commit()) % GROUP, 0, "{best:?}");
    }
}

#[test]
fn json_text_and_page_name_the_class_and_its_unit() {
    let record = record(Pace::Adaptive(Adaptive::default()));
    let document: Value = serde_json::from_str(&text_of(&record, Format::Json)).unwrap();
    assert_eq!(document["run"]["classes"]["commit"]["counted"], "sessions");
    assert_eq!(document["run"]["classes"]["commit"]["unit"], "TPS");
    for point in document["points"].as_array().unwrap() {
        let sessions = u32::try_from(point["levels"]["commit"].as_u64().unwrap()).unwrap();
        let io = &point["classes"]["commit"];
        assert!((io["iops"]["value"].as_f64().unwrap() / truth(sessions) - 1.0).abs() < 0.03, "{point}");
        assert!(io["mbps"].is_null() && io["latency_us"]["p99"]["value"].is_f64());
        assert_eq!(point["visits"][0]["levels"]["commit"], sessions);
    }
    assert!(document["best"]["commit"]["rate"]["lo95"].is_f64());

    let text = text_of(&record, Format::Text);
    let heading = text.lines().find(|line| line.contains("Visits")).unwrap();
    assert!(heading.starts_with(" Commit") && heading.contains("TPS"), "{heading}");
    for part in ["Highest commit TPS: ", " @ Commit=", "Lowest latency of commit: ", "TPS by commit sessions"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }

    let page = text_of(&record, Format::Html);
    let (_, block) = page.split_once("<script type=\"application/json\" id=\"findings\">").unwrap();
    let figures: Value = serde_json::from_str(block.split_once("</script>").unwrap().0).unwrap();
    assert_eq!(figures["classes"][0]["outstanding"], "commit sessions");
    assert_eq!(figures["points"][3]["name"], "Commit=8");
    assert!(figures["points"][3]["ios"]["commit"]["rate"][1].is_f64());
    for part in
        ["class=\"n\">Commit TPS</th>", "id=\"rate-commit\"", "id=\"run-commit\"", "Highest commit TPS"]
    {
        assert!(page.contains(part), "{part}");
    }
    for told in [text, page, text_of(&record, Format::Markdown)] {
        assert!(!told.contains("Small") && !told.contains("Large"), "no class that the run does not have");
    }
}

#[test]
fn every_output_takes_the_class() {
    let record = record(Pace::Fixed(Nanos::from_secs(1)));
    let view = View::of(&record);
    for format in Format::ALL {
        let files = rigel_report::render(format, &view).unwrap();
        let names: Vec<_> = files.iter().map(|file| file.suffix.clone()).collect();
        assert!(
            names.iter().enumerate().all(|(at, name)| !names[..at].contains(name)),
            "{format:?}: {names:?}"
        );
    }
    let csv = text_of(&record, Format::Csv);
    assert!(csv.starts_with("run_id,level_commit,class,"), "{csv}");
    assert_eq!(csv.lines().filter(|line| line.contains(",commit,")).count(), 4, "{csv}");
}

#[test]
fn no_two_points_look_alike_to_a_program() {
    let record = record(Pace::Fixed(Nanos::from_secs(1)));
    let view = View::of(&record);
    let tables = rigel_report::render(Format::Orion(OrionVersion::V11_2), &view).unwrap();
    let metrics = rigel_report::render(Format::OpenMetrics, &view).unwrap();
    for file in tables.iter().chain(&metrics).filter(|file| !file.suffix.ends_with(".txt")) {
        let text = std::str::from_utf8(&file.bytes).unwrap();
        // What names a row: everything before its figures.
        let names =
            text.lines().filter(|line| line.contains("commit")).map(|line| match line.split_once("} ") {
                Some((labels, _)) => labels,
                None => line.split_once(",commit,").map_or(line, |(before, _)| before),
            });
        let rows: Vec<&str> =
            names.filter(|name| !name.contains("read") && !name.contains("write")).collect();
        let distinct: BTreeSet<&&str> = rows.iter().collect();
        assert!(distinct.len() >= 4 || rows.is_empty(), "{}: {rows:?}", file.suffix);
        let is_table = file.suffix != "_hist.csv";
        assert!(!is_table || distinct.len() == rows.len(), "{}: {rows:?}", file.suffix);
    }
    let views = [View::of(&record), View::of(&record)];
    let page = rigel_report::report_of_several(&views).unwrap();
    assert!(std::str::from_utf8(&page.bytes).unwrap().contains("Most commit TPS"));
}

#[test]
fn the_engines_refuse_a_class_that_is_no_block_io() {
    let run = run(Pace::Fixed(Nanos::from_secs(1)));
    let refused = Workload::new(&run.request, &[TargetFacts::simulated(1 << 30)]).unwrap_err().to_string();
    assert!(refused.contains("load class 'commit'"), "{refused}");
}
