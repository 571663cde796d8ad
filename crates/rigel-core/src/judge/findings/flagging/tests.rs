//! Records made by hand, one test per flag at both sides of its threshold, and quiet records that raise nothing.

mod changed;
mod courses;
mod curves;
mod latencies;
mod limits;
mod long_visits;
mod paced;
mod quiet;
mod sound;
mod standing;
mod visited;

use crate::facts::HostFacts;
use crate::judge::findings::Findings;
use crate::judge::flags::FlagCode;
use crate::load::class::{Class, Pattern};
use crate::load::matrix::RunLevel;
use crate::load::pace::{Adaptive, Pace};
use crate::load::plan::Plan;
use crate::load::request::Request;
use crate::load::task::Task;
use crate::measure::ClassTally;
use crate::record::tests::header;
use crate::record::{NodeVisit, Purpose, Record, Visit};
use crate::stats::noise::nanos;
use crate::testing::Noise;
use crate::units::{NS_PER_MS, NS_PER_S, to_f64};

const BUCKET_NS: u64 = 10 * NS_PER_MS;
const SETTLE_NS: u64 = NS_PER_S / 2;

/// Where and when a rate is wanted.
#[derive(Clone, Copy, Debug)]
struct Moment {
    class: Class,
    outstanding: u32,
    step: usize,
    purpose: Purpose,
    /// Visits to the point before this one.
    visit: usize,
    /// Since the start of the run.
    run_s: f64,
    /// Since the load of this visit began.
    load_s: f64,
}

/// A share of the I/Os, and their latency relative to the mean.
type Kinds = Vec<(f64, f64)>;

/// A record that is made visit by visit.
struct Maker {
    record: Record,
    clock_ns: u64,
    kinds: fn(Moment) -> Kinds,
    writes: bool,
}

impl Maker {
    /// An adaptive run; every I/O takes the mean latency.
    fn new(level: RunLevel, change: impl FnOnce(&mut Request)) -> Self {
        Self::of(Task::of_level(level), change)
    }

    /// The same of any task.
    fn of(task: Task, change: impl FnOnce(&mut Request)) -> Self {
        let mut header = header();
        header.request = Request::of(task).paced(Pace::Adaptive(Adaptive::default()));
        change(&mut header.request);
        let host = HostFacts { cpus: 2, memory_bytes: Some(8 << 30), ..HostFacts::default() };
        header.plan = Plan::new(&header.request, &host, &header.targets).unwrap();
        let writes = header.request.write_percent().writes();
        Self { record: Record::begun(header), clock_ns: 0, kinds: |_| vec![(1.0, 1.0)], writes }
    }

    fn simple() -> Self {
        Self::new(RunLevel::Simple, |_| {})
    }

    /// The long visits, then rounds with the points in order, 25 s from one visit to a point to the next.
    fn rounds(mut self, rounds: usize, mut rate: impl FnMut(Moment) -> f64) -> Self {
        let adaptive = self.record.header.plan.adaptive.clone().unwrap();
        for phase in &adaptive.phases {
            for long in &phase.long_visits {
                self.visit(long.point, Purpose::Long, long.measure_ns, &mut rate);
            }
            for round in 0..rounds {
                let began_ns = self.clock_ns;
                for &step in &phase.points {
                    self.visit(step, Purpose::Round(u32::try_from(round).unwrap()), 2 * NS_PER_S, &mut rate);
                }
                self.clock_ns = self.clock_ns.max(began_ns + 25 * NS_PER_S);
            }
        }
        self
    }

    fn visit(
        &mut self,
        step: usize,
        purpose: Purpose,
        measure_ns: u64,
        rate: &mut impl FnMut(Moment) -> f64,
    ) {
        let point = self.record.header.plan.steps[step].point;
        let visit =
            self.record.visits.iter().filter(|other| other.step == step && other.purpose != Purpose::Long);
        let moment = Moment {
            class: Class::SMALL,
            outstanding: 0,
            step,
            purpose,
            visit: visit.count(),
            run_s: to_f64(self.clock_ns) / 1e9,
            load_s: 0.0,
        };
        let Pattern::Random = self.record.header.request.large_pattern() else { panic!("no streams here") };
        let mut tally = |class: Class, outstanding: u32| {
            let moment = Moment { class, outstanding, ..moment };
            self.tally(moment, measure_ns, rate)
        };
        let tallies = point.classes().map(|(class, level)| (class, tally(class, level))).collect();
        self.record.visits.push(Visit {
            step,
            number: self.record.visits.len() as u64,
            purpose,
            point,
            began_ns: self.clock_ns + SETTLE_NS,
            settle_ns: SETTLE_NS,
            measured_ns: measure_ns,
            cut_short: false,
            warm_up: None,
            worker_cpu_ns: None,
            busiest_worker_cpu_ns: None,
            ios: None,
            hung: None,
            nodes: vec![NodeVisit::default()],
            loaded_ns: SETTLE_NS + measure_ns,
            tallies,
        });
        self.clock_ns += SETTLE_NS + measure_ns;
    }

    /// As many I/Os in each bucket as the rate says, with the latency that Little's law gives them.
    fn tally(&self, moment: Moment, measure_ns: u64, rate: &mut impl FnMut(Moment) -> f64) -> ClassTally {
        let io_bytes = if moment.class == Class::SMALL { 8192 } else { 1 << 20 };
        let mut tally = ClassTally::with_lead(io_bytes, moment.outstanding, measure_ns, SETTLE_NS, &[]);
        let kinds = (self.kinds)(moment);
        let (mut owed, mut owed_kinds) = (0.0, vec![0.0; kinds.len()]);
        for bucket in 0..(SETTLE_NS + measure_ns) / BUCKET_NS {
            let at_ns = bucket * BUCKET_NS;
            let load_s = to_f64(at_ns) / 1e9;
            let rate = rate(Moment { load_s, run_s: moment.run_s + load_s, ..moment });
            owed += rate * 0.01;
            let mean_ns = f64::from(moment.outstanding) / rate * 1e9;
            while owed >= 1.0 {
                owed -= 1.0;
                // The kind that is most behind its share.
                kinds.iter().zip(&mut owed_kinds).for_each(|((share, _), owed)| *owed += share);
                let kind = (0..kinds.len()).max_by(|&a, &b| owed_kinds[a].total_cmp(&owed_kinds[b])).unwrap();
                owed_kinds[kind] -= 1.0;
                let latency_ns = nanos(mean_ns * kinds[kind].1);
                tally.series.record(at_ns, latency_ns);
                if at_ns >= SETTLE_NS {
                    let histogram = if self.writes { &mut tally.writes } else { &mut tally.reads };
                    histogram.record(latency_ns);
                }
            }
        }
        tally.in_flight_ns = u64::from(moment.outstanding) * measure_ns;
        tally
    }

    fn found(&self) -> Findings {
        Findings::of(&self.record)
    }
}

/// A device with stations enough for every level: 8 ms for a small I/O, 25 ms for a large one.
fn unloaded(moment: Moment) -> f64 {
    let each = if moment.class == Class::SMALL { 125.0 } else { 40.0 };
    each * f64::from(moment.outstanding)
}

/// Flags of the run by code and text.
fn run_flags(found: &Findings) -> Vec<(FlagCode, String)> {
    found.flags.iter().map(|flag| (flag.code, flag.text.clone())).collect()
}

fn run_codes(found: &Findings) -> Vec<FlagCode> {
    found.flags.iter().map(|flag| flag.code).collect()
}

/// The points that carry a flag, with its text.
fn at_points(found: &Findings, code: FlagCode) -> Vec<(usize, String)> {
    let flags = found.points.iter().flat_map(|point| point.flags.iter().map(move |flag| (point.step, flag)));
    flags.filter(|(_, flag)| flag.code == code).map(|(step, flag)| (step, flag.text.clone())).collect()
}

/// A factor for each visit, the same for all of its buckets.
struct VisitFactor {
    noise: Noise,
    sd: f64,
    last: Option<(usize, usize, Purpose, Class)>,
    factor: f64,
}

impl VisitFactor {
    fn new(seed: u64, sd: f64) -> Self {
        Self { noise: Noise::new(seed), sd, last: None, factor: 1.0 }
    }

    fn factor(&mut self, moment: Moment) -> f64 {
        let this = Some((moment.step, moment.visit, moment.purpose, moment.class));
        if self.last != this {
            self.last = this;
            self.factor = 1.0 + self.sd * self.noise.normal();
        }
        self.factor
    }
}
