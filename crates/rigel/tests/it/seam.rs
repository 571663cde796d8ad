//! The seam between a run and what it loads: benches that are not threads on targets go through the same walk, record,
//! findings and outputs.

mod sessions;

use rigel_core::error::Problem;
use rigel_core::facts::{HostFacts, TargetFacts};
use rigel_core::load::class::Class;
use rigel_core::load::matrix::{Point, RunLevel};
use rigel_core::load::pace::Pace;
use rigel_core::load::plan::Plan;
use rigel_core::load::request::{EngineRequest, Request};
use rigel_core::record::Record;
use rigel_core::sim::SimLaw;
use rigel_core::units::Nanos;
use rigel_report::{Format, View, render};
use rigel_run::bench::simulated::{SimulatedBench, site};
use rigel_run::bench::{Bench, BenchMessage, Order, RunPast, Site, VisitResult, layout};
use rigel_run::execute::{Beginning, Outcome, Run, execute};
use rigel_run::job::{Stop, Workload};
use rigel_run::journal::Memory;
use rigel_run::wall::Wall;

/// Two benches as one: each loads half of a point, and the site has the nodes of both.
struct PairBench {
    benches: [SimulatedBench; 2],
    site: Site,
}

impl PairBench {
    fn new(run: &Run) -> Self {
        let bench = |kernel: &str| {
            let host = HostFacts { cpus: 2, kernel: kernel.into(), ..HostFacts::default() };
            let EngineRequest::Sim(law) = run.request.engine else { panic!("a simulated run") };
            let targets = targets();
            let workload = Workload::new(&run.request, &targets).unwrap();
            SimulatedBench::new(law, workload, layout(&run.request, &run.plan, 0), site(host, targets))
        };
        let benches = ["6.1.0-one", "6.1.0-two"].map(bench);
        let mut site = benches[0].site().clone();
        site.nodes.extend(benches[1].site().nodes.clone());
        Self { benches, site }
    }
}

impl Bench for PairBench {
    fn site(&self) -> &Site {
        &self.site
    }

    fn now_ns(&self) -> u64 {
        self.benches[0].now_ns()
    }

    fn work(
        &mut self,
        order: &Order,
        hear: &mut dyn FnMut(BenchMessage) -> bool,
    ) -> Result<VisitResult, Problem> {
        let (small, large) = (order.point.small(), order.point.large());
        let halves = [Point::pair(small / 2, large / 2), Point::pair(small.div_ceil(2), large.div_ceil(2))];
        let mut sum: Option<VisitResult> = None;
        for (bench, point) in self.benches.iter_mut().zip(halves) {
            let came = bench.work(&Order { point, ..*order }, hear)?;
            match &mut sum {
                None => sum = Some(came),
                Some(sum) => sum.add(came),
            }
        }
        let came = sum.unwrap();
        // The next order begins on both at the same time, also where one of them was idle.
        self.benches.iter_mut().for_each(|bench| assert!(bench.pass(came.ended_ns, RunPast::Rest)));
        Ok(came)
    }

    fn rest(&mut self, ns: u64, hear: &mut dyn FnMut(BenchMessage) -> bool) {
        self.benches.iter_mut().for_each(|bench| bench.rest(ns, hear));
    }

    fn pass(&mut self, until_ns: u64, passed: RunPast) -> bool {
        self.benches.iter_mut().all(|bench| bench.pass(until_ns, passed))
    }
}

fn targets() -> Vec<TargetFacts> {
    vec![TargetFacts::simulated(1 << 30)]
}

fn run() -> Run {
    let mut request = Request::new(RunLevel::Simple);
    // 4 stations of 1 ms on each node.
    request.engine = EngineRequest::Sim(SimLaw { bytes_per_s: None, ..SimLaw::default() });
    request.set_pace(Pace::Fixed(Nanos::from_secs(2)));
    request.num_disks = Some(2);
    let host = HostFacts { cpus: 2, ..HostFacts::default() };
    let plan = Plan::new(&request, &host, &targets()).unwrap();
    Run { program_version: "test".into(), run_id: "seam_20260101_1200".into(), request, plan }
}

/// The record of a run on a bench.
fn measured(run: &Run, bench: &mut dyn Bench) -> Record {
    let mut memory = Memory::default();
    let beginning = Beginning::new(Wall::simulated(0));
    let outcome = execute(run, beginning, bench, &mut memory, &Stop::default(), &mut |_| {});
    assert_eq!(outcome.unwrap(), Outcome::Complete);
    memory.into_record().unwrap()
}

fn text_of(record: &Record, format: Format) -> String {
    let view = View::of(record);
    String::from_utf8(render(format, &view).unwrap().remove(0).bytes).unwrap()
}

#[test]
fn a_bench_of_two_benches_is_one_run_of_two_nodes() {
    let run = run();
    let record = measured(&run, &mut PairBench::new(&run));
    assert_eq!(record.header.nodes.all().len(), 2);
    for visit in &record.visits {
        let both: u64 = visit.nodes.iter().map(|node| node.moved_bytes).sum();
        assert_eq!((visit.nodes.len(), both), (2, visit.moved_bytes()));
    }
    let view = View::of(&record);
    for found in &view.findings.points {
        let io = found.ios.get(&Class::SMALL).or(found.ios.get(&Class::LARGE)).unwrap();
        let outstanding = found.point.small().max(found.point.large());
        let rate = f64::from((outstanding / 2).min(4) + outstanding.div_ceil(2).min(4)) * 1000.0;
        assert!((io.iops.value / rate - 1.0).abs() < 0.005, "{outstanding}: {}", io.iops.value);
    }
    let json: serde_json::Value = serde_json::from_str(&text_of(&record, Format::Json)).unwrap();
    assert_eq!(json["run"]["nodes"][1]["kernel"], "6.1.0-two");
    assert_eq!(json["points"].as_array().unwrap().len(), record.visits.len());
    for format in [Format::Html, Format::Markdown] {
        let text = text_of(&record, format);
        assert!(text.contains("6.1.0-one") && text.contains("6.1.0-two"), "{format:?}");
    }
    let text = text_of(&record, Format::Text);
    let row = text.lines().find(|line| line.starts_with("     8     0 ")).unwrap();
    assert_eq!(row.split_whitespace().nth(2), Some("8000"), "{text}");
}
