//! The cases of `rigel versus`: two devices that are disturbed alike at the same time, and how a trial of them is scored.
//!
//! Must not judge a promise.

use super::case::Case;
use super::promise::Promise;
use super::rates::arrivals;
use super::score::{Grade, Score};
use super::trial::{SideOutcome, Trial, minutes};
use crate::compare::{Comparison, Run};
use crate::versus::Versus;
use rigel_core::judge::findings::Findings;
use rigel_core::judge::quantity::{Quantity, What};
use rigel_core::load::class::Class;
use rigel_core::load::matrix::{Grid, MatrixShape, Point, RunLevel};
use rigel_core::load::pace::{Adaptive, Precision};
use rigel_core::load::request::{EngineRequest, Request};
use rigel_core::load::sides::{Side, Sides};
use rigel_core::record::Record;
use rigel_core::sim::{SimLaw, SimNoise};
use rigel_core::stats::Interval;
use rigel_core::stats::sample::mean;

/// Both devices with this noise; A takes a tenth longer.
fn case(name: &'static str, noise: &str) -> Case {
    let law = |service_us: u32| format!("servers=8,service={service_us}us,spread=lognormal:20%,{noise}");
    let pace = Adaptive { precision: Precision(20), max_duration: None, fast: false };
    let and = Some(law(4000));
    Case { and, level: RunLevel::Simple, pace, ..Case::adaptive(name, law(4400), 0.93) }
}

/// The same device on both sides.
fn twice(name: &'static str, noise: &str) -> Case {
    let case = case(name, noise);
    Case { law: case.and.clone().unwrap_or_default(), promise: Promise::NoDifference(0.94), ..case }
}

/// The time of turns compared with that of two runs.
fn sooner(name: &'static str, noise: &str) -> Case {
    Case { promise: Promise::Sooner(0.5), ..case(name, noise) }
}

/// Queues at a half and at three quarters of what A serves, and the ratio of their mean latencies.
fn at_a_rate() -> Case {
    let law = |service_us: u32| format!("servers=4,service={service_us}us,rate=0,spread=exponential");
    let pace = Adaptive { precision: Precision(50), max_duration: None, fast: false };
    let name = "in turns: arrivals at a rate";
    Case { and: Some(law(900)), level: RunLevel::Open, pace, ..Case::adaptive(name, law(1000), 0.93) }
}
const RATES: [u32; 2] = [2000, 3000];

const STEADY: &str = "white=3%,between=1%";

pub(super) fn few() -> Vec<Case> {
    vec![
        case("in turns: a drift of 5 % a minute", &format!("{STEADY},drift=5%")),
        case("in turns: memory of a minute", &format!("{STEADY},noise=ar:60s:10%")),
        twice("in turns: the same twice", &format!("{STEADY},noise=ar:60s:10%")),
    ]
}

pub(super) fn all() -> Vec<Case> {
    let more = vec![
        case("in turns: quiet", "white=2%,between=0.3%"),
        case("in turns: a step of 20 %", &format!("{STEADY},fall=0.8:90s")),
        case("in turns: memory of 1 s", &format!("{STEADY},noise=ar:1s:5%")),
        case("in turns: memory of 5 s", &format!("{STEADY},noise=ar:5s:10%")),
        case("in turns: memory of 30 s", &format!("{STEADY},noise=ar:30s:10%")),
        case("in turns: memory of 5 min", &format!("{STEADY},noise=ar:5m:10%")),
        case("in turns: a neighbour", "white=3%,between=0.5%,neighbour=0.7:10s:30s"),
        case("in turns: a busy virtual machine", "noise=ar:3s:8%,between=6%,white=5%"),
        at_a_rate(),
        twice("in turns: the same twice, quiet", "white=2%,between=0.3%"),
        twice("in turns: the same twice, 3 % between visits", "white=3%,between=3%"),
        twice("in turns: the same twice, a neighbour", "white=3%,between=0.5%,neighbour=0.7:10s:30s"),
        sooner("sooner in turns: 5 % of drift a minute", &format!("{STEADY},drift=5%")),
        sooner("sooner in turns: a step of 20 %", &format!("{STEADY},fall=0.8:90s")),
        sooner("sooner in turns: memory of a minute", &format!("{STEADY},noise=ar:60s:10%")),
        sooner("sooner in turns: a neighbour", "white=3%,between=0.5%,neighbour=0.7:10s:30s"),
    ];
    [few(), more].concat()
}

/// The same load on a second device.
pub(super) fn request(request: Request, b: &str) -> Result<Request, String> {
    let engine = EngineRequest::Sim(SimLaw::parse(b)?);
    let sides = Sides { targets_of_a: 1, engine, buffered: false };
    let (request, loads) = if request.level() == RunLevel::Open {
        let class = arrivals();
        let loads = RATES.map(|rate| Point::alone(class.name, rate)).to_vec();
        (Request { classes: vec![class], ..request }, loads)
    } else {
        let loads = Grid::new(request.level(), MatrixShape::Basic, 1).points;
        (request, loads)
    };
    request.in_turns(&loads, sides).map_err(|problem| problem.what)
}

impl Trial {
    /// Scores the ratios of two sides; the sums become means later.
    pub(super) fn add_ratios(&mut self, record: &Record, findings: &Findings) {
        let Some(found) = Versus::of(record, findings) else { return };
        for (row, ratio) in found.led() {
            let truth = row.point.and_then(|point| {
                let at = |law| truth(law, &record.header.request, point, row.quantity);
                let [a, b] = laws(&record.header.request)?;
                Some(at(b)? / at(a)?)
            });
            if let (Some(truth), Some(interval)) = (truth, ratio) {
                self.add_interval(interval, truth, found.target);
            }
        }
        let leading = found.overall.iter().filter(|one| found.leading.contains(&one.quantity));
        self.differs = Some(leading.into_iter().any(|found| found.effect.is_direction()));
        self.change_width = change_width(&found.comparison);
    }

    /// The same with a separate run of each side, for comparison.
    #[must_use]
    pub fn beside(self, apart: &[Record; 2]) -> Self {
        let findings = apart.each_ref().map(Findings::of);
        let [a, b] = [0, 1].map(|side| [Run { record: &apart[side], findings: &findings[side] }]);
        let minutes = apart.iter().map(minutes).sum();
        let change_width = change_width(&Comparison::of(&a, &b));
        Self { apart: change_width.map(|change_width| SideOutcome { minutes, change_width }), ..self }
    }

    /// Adds one estimate whose interval is narrow enough if it is as narrow as `target`.
    fn add_interval(&mut self, interval: &Interval, truth: f64, target: f64) {
        self.add_one(interval, truth, target, interval.relative_half_width <= target);
    }
}

/// Both devices without the noise that they share.
fn laws(request: &Request) -> Option<[SimLaw; 2]> {
    let quiet = |engine| match engine {
        EngineRequest::Sim(law) => Some(SimLaw { noise: SimNoise::default(), ..law }),
        EngineRequest::Auto | EngineRequest::Only(_) => None,
    };
    Some([quiet(request.engine)?, quiet(request.sides?.engine)?])
}

/// What a device does at a point: its rate, or its mean latency if the rate is given.
fn truth(law: SimLaw, request: &Request, point: Point, quantity: Quantity) -> Option<f64> {
    let bytes = |class: Class| class.on(Side::A).map_or(0, |class| request.io_bytes(class));
    let class = quantity.class;
    if quantity.what == What::Mean {
        let arrivals = law.truth_open(f64::from(point.of(class)), bytes(class));
        return arrivals.map(|found| found.mean_ns());
    }
    let [of_small, of_large] =
        law.truth_mixed_iops([point.small(), point.large()], [bytes(Class::SMALL), bytes(Class::LARGE)])?;
    Some(if class == Class::SMALL { of_small } else { of_large })
}

/// Half the width of the intervals of the rates' changes, on average; `None` if a change has none.
fn change_width(found: &Comparison) -> Option<f64> {
    let rates = found.rows.iter().filter(|row| row.quantity.what.is_rate());
    let widths = rates.map(|row| row.change.ok().map(|change| (change.hi - change.lo) / 2.0));
    widths.collect::<Option<Vec<f64>>>().filter(|widths| !widths.is_empty()).map(|widths| mean(&widths))
}

impl Score {
    /// The time of turns over that of two runs whose change would be as certain: the square of a width is
    /// proportional to one over the time. `None` without separate runs.
    pub fn time_share(&self) -> Option<f64> {
        let both: Vec<(f64, f64, SideOutcome)> = self
            .trials
            .iter()
            .filter_map(|trial| Some((trial.minutes, trial.change_width?, trial.apart?)))
            .collect();
        let sum = |of: fn(&(f64, f64, SideOutcome)) -> f64| both.iter().map(of).sum::<f64>();
        let widths = sum(|one| one.2.change_width) / sum(|one| one.1);
        (!both.is_empty()).then(|| sum(|one| one.0) / (sum(|one| one.2.minutes) * widths.powi(2)))
    }

    /// Whether turns took less time. A share that could not be measured is a broken promise.
    pub(super) fn sooner(&self, most: f64) -> Grade {
        match self.time_share() {
            Some(share) if share <= most => Grade::Kept,
            Some(share) => Grade::Broken(format!(
                "alternating took {:.0} % of the time of two runs, more than {:.0} %",
                100.0 * share,
                100.0 * most
            )),
            None => Grade::Broken("no pair of separate runs could be compared with alternating ones".into()),
        }
    }
}
