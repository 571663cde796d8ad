//! Records whose counts are written down instead of simulated: what no simulated device can do, and what has to be cheap.
//!
//! Must not draw anything by chance.

use super::facts;
use super::simulated::VERSION;
use rigel_core::facts::TargetFacts;
use rigel_core::judge::profiles::level_visit;
use rigel_core::load::class::{Class, LoadClass, PerClass};
use rigel_core::load::matrix::Point;
use rigel_core::load::plan::{Plan, SearchOutcome};
use rigel_core::load::request::Request;
use rigel_core::measure::{ClassTally, IoCounts};
use rigel_core::record::{
    ClosingLine, FORMAT_MAJOR, FORMAT_MINOR, Format, Header, NodeVisit, Nodes, Purpose, Record, Visit,
};
use rigel_core::stats::levels_auto::{self, Next};
use rigel_core::units::{GIB, NS_PER_S, Nanos};

/// The series of a visit has buckets of 10 ms, each of which gets as many I/Os as the others.
const BUCKETS_PER_S: u64 = 100;
/// Load before the window of a visit in rounds.
const LEAD_NS: u64 = NS_PER_S / 2;
/// The window of a visit in rounds.
pub const WINDOW_NS: u64 = 2 * NS_PER_S;
/// Deviation of visits, in per mille; its sum is zero.
pub const SPREAD: [i64; 4] = [-20, 10, 0, 10];

/// A run in the making.
pub struct Run {
    pub record: Record,
}

/// How many I/Os per second a class does at a level.
pub type Rate<'a> = &'a dyn Fn(&LoadClass, u32) -> u64;

/// A class in which each I/O takes 1 ms at any level, as far as that many are served simultaneously.
pub fn served(most: u32) -> impl Fn(&LoadClass, u32) -> u64 {
    move |class, level| 1000 * u64::from(class.outstanding(level).min(most))
}

impl Run {
    /// A run without visits on one disk.
    pub fn new(request: Request) -> anyhow::Result<Self> {
        Self::on(request, vec![facts::device(0, 16 * GIB)])
    }

    /// The same on other targets.
    pub fn on(request: Request, targets: Vec<TargetFacts>) -> anyhow::Result<Self> {
        let node = facts::node();
        let header = Header {
            rigel_record: Format { major: FORMAT_MAJOR, minor: FORMAT_MINOR },
            program_version: VERSION.into(),
            run_id: format!("{}_20260301_1200", request.name),
            started: "2026-03-01T12:00:00+01:00".into(),
            plan: Plan::new(&request, &node.host, &targets)?,
            request,
            nodes: Nodes::one(node),
            targets,
        };
        let closing = ClosingLine {
            ended: "2026-03-01T12:08:00+01:00".into(),
            complete: true,
            reason: None,
            end: None,
        };
        Ok(Self { record: Record { closing: Some(closing), ..Record::begun(header) } })
    }

    /// One visit to every point, in order.
    pub fn once(mut self, seconds: u64, rate: Rate<'_>) -> Self {
        let points: Vec<Point> = self.record.header.plan.steps.iter().map(|step| step.point).collect();
        for point in points {
            self.visit(Purpose::Only, point, seconds * NS_PER_S, rate);
        }
        self
    }

    /// A long visit to the last point of each phase of the plan that has one, then as many rounds over all points as
    /// `spread` has entries, with each visit off by that many per mille.
    pub fn rounds(mut self, spread: &[i64], rate: Rate<'_>) -> Self {
        let plan = &self.record.header.plan;
        let points: Vec<Point> = plan.steps.iter().map(|step| step.point).collect();
        let long =
            plan.adaptive.iter().flat_map(|adaptive| &adaptive.phases).flat_map(|phase| &phase.long_visits);
        let long: Vec<(Point, u64)> = long.map(|long| (points[long.point], long.measure_ns)).collect();
        for (point, measure_ns) in long {
            self.visit(Purpose::Long, point, measure_ns, rate);
        }
        for (round, _) in (0..).zip(spread) {
            for (place, &point) in points.iter().enumerate() {
                // Points have the same deviations in another order; both sides of a pair are off alike.
                let turn = (usize::try_from(round).unwrap_or(0) + place / 2) % spread.len();
                let per_mille = u64::try_from(1000 + spread[turn]).unwrap_or(0);
                self.visit(Purpose::Round(round), point, WINDOW_NS, &|class, level| {
                    rate(class, level) * per_mille / 1000
                });
            }
        }
        self
    }

    /// The search for the levels of every class, whose visits say what the rate does; then the plan around what was found.
    pub fn searched(mut self, rate: Rate<'_>) -> anyhow::Result<Self> {
        let Some(search) = self.record.header.plan.search.clone() else { return Ok(self) };
        let mut n_sat = PerClass::new();
        for &class in &search.classes {
            let rules = search.rules(class);
            let mut seen = Vec::new();
            let found = loop {
                match levels_auto::next(&seen, &rules) {
                    Next::Visit(level) => {
                        self.visit(Purpose::Search(class), Point::alone(class, level), WINDOW_NS, rate);
                        let visit = self.record.visits.pop();
                        seen.extend(visit.iter().filter_map(|visit| level_visit(visit, class)));
                        self.record.search.extend(visit.map(|visit| Visit { step: seen.len() - 1, ..visit }));
                    }
                    Next::Done(curve) => break curve.n_sat.found,
                    Next::Nothing => anyhow::bail!("a device without a rate"),
                }
            };
            n_sat.insert(class, found);
        }
        let Header { plan, request, .. } = &mut self.record.header;
        *plan = plan.with_levels(request, &SearchOutcome { n_sat, ..SearchOutcome::default() }, Nanos(0))?;
        Ok(self)
    }

    /// Adds a visit.
    pub fn visit(&mut self, purpose: Purpose, point: Point, measured_ns: u64, rate: Rate<'_>) {
        let Record { header, search, visits, .. } = &mut self.record;
        let step = header.plan.steps.iter().position(|step| step.point == point).unwrap_or(0);
        let ended_ns = search.iter().chain(&*visits).map(Visit::ended_ns).max().unwrap_or(0);
        let tally = |(name, level): (Class, u32)| {
            let class = header.request.class(name)?;
            Some((name, steady(class, level, measured_ns, rate(class, level))))
        };
        let tallies: PerClass<ClassTally> = point.classes().filter_map(tally).collect();
        let ios = tallies.values().map(ClassTally::completed).sum();
        let moved_bytes = tallies.values().map(ClassTally::moved_bytes).sum();
        let number = (search.len() + visits.len()) as u64;
        visits.push(Visit {
            step,
            number,
            purpose,
            point,
            began_ns: ended_ns + LEAD_NS,
            settle_ns: LEAD_NS,
            measured_ns,
            cut_short: false,
            warm_up: None,
            worker_cpu_ns: Some(measured_ns / 20),
            busiest_worker_cpu_ns: Some(measured_ns / 25),
            loaded_ns: LEAD_NS + measured_ns,
            ios: Some(IoCounts { submitted: ios, returned: ios, looks: 1 }),
            hung: None,
            nodes: vec![NodeVisit { moved_bytes, ..NodeVisit::default() }],
            tallies,
        });
    }
}

/// Counts of a class of which every I/O took what Little's law asks for, to whole buckets of the series.
pub fn steady(class: &LoadClass, level: u32, window_ns: u64, per_s: u64) -> ClassTally {
    let planned = class.outstanding(level).max(1);
    let mut tally = ClassTally::with_lead(class.io_bytes(), planned, window_ns, LEAD_NS, &[]);
    let width_ns = tally.series.bucket_ns;
    let per_bucket = (per_s / BUCKETS_PER_S).max(1) * (width_ns * BUCKETS_PER_S / NS_PER_S);
    tally.series.ops.fill(u32::try_from(per_bucket).unwrap_or(u32::MAX));
    let count = per_bucket * (window_ns / width_ns);
    tally.in_flight_ns = u64::from(planned) * window_ns;
    let each_ns = tally.in_flight_ns / count.max(1);
    tally.series.latency_sum_ns.fill(per_bucket * each_ns);
    let written = count * u64::from(class.write_percent.get()) / 100;
    (written..count).for_each(|_| tally.reads.record(each_ns));
    (0..written).for_each(|_| tally.writes.record(each_ns));
    tally
}
