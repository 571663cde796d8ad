//! The cases of `rigel slo`: queues whose highest rate within a bound is a formula.
//!
//! Must not run anything.

use super::case::Case;
use super::figure::KnownFigure;
use super::promise::{FigurePromise, Promise};
use super::score::{Grade, Score};
use super::trial::Trial;
use rigel_core::judge::findings::{Findings, RequiredRate, SloAnswer};
use rigel_core::load::class::{Arrival, Class, LoadClass, Shape};
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::{Adaptive, Precision};
use rigel_core::load::request::{DEFAULT_SMALL, EngineRequest, Request};
use rigel_core::load::slo::{Requirement, Slo, SloBound, USUAL_MOST_RATE};
use rigel_core::load::task::Task;
use rigel_core::sim::SimLaw;
use rigel_core::stats::rates::whole;
use rigel_core::units::{Nanos, to_f64, us_from_ns};

/// The time that `rigel slo` takes by default.
const USUAL: Nanos = Nanos::from_secs(300);
/// As in `rigel slo`.
const MOST_OUTSTANDING: u32 = 1024;

const AT_THE_BOUND: &str = "latency at the limit";
const REQUIRED: [FigurePromise; 1] =
    [FigurePromise { what: AT_THE_BOUND, least: 0.93, most_bias: 0.1 / 8.0 }];

const ONE: &str = "servers=1,service=200us,rate=0,spread=exponential";
const FOUR: &str = "servers=4,service=800us,rate=0,spread=exponential";
const MANY: &str = "servers=32,service=4ms,rate=0,spread=exponential";

fn case(name: &'static str, law: &str, bound: &'static str, most_width: f64) -> Case {
    Case {
        level: RunLevel::Open,
        pace: Adaptive { precision: Precision(200), max_duration: Some(USUAL), fast: false },
        slo: Some(bound),
        promise: Promise::Rate { least: 0.93, most_width },
        ..Case::adaptive(name, law, 0.93)
    }
}

/// Two bounds on three queues.
pub(super) fn all() -> Vec<Case> {
    vec![
        case("1 server, p99 < 2 ms", ONE, "p99 < 2ms", 0.08),
        case("1 server, mean < 600 us", ONE, "mean < 600us", 0.08),
        case("4 servers, p99 < 5 ms", FOUR, "p99 < 5ms", 0.06),
        case("4 servers, mean < 1.2 ms", FOUR, "mean < 1200us", 0.08),
        case("32 servers, p99 < 32 ms", MANY, "p99 < 32ms", 0.3),
        case("32 servers, mean < 6 ms", MANY, "mean < 6ms", 0.08),
    ]
}

/// A bound that is only just kept: of a hundred runs, five may call it certainly kept or certainly not.
pub(super) fn required() -> Vec<Case> {
    let at = |name, law, bound| {
        let promise = Promise::Figures(&REQUIRED);
        Case { promise, ..case(name, law, bound, 0.0) }
    };
    vec![
        at("1 server, p99 required where it is 2 ms", ONE, "p99 < 2ms"),
        at("4 servers, p99 required where it is 5 ms", FOUR, "p99 < 5ms"),
        at("32 servers, mean required where it is 6 ms", MANY, "mean < 6ms"),
    ]
}

/// The cases of every self-test.
pub(super) fn few() -> Vec<Case> {
    all().into_iter().step_by(2).take(2).collect()
}

/// Makes the load of a request one that arrives.
pub(super) fn ask(request: &mut Request) {
    request.classes = vec![LoadClass { write_percent: request.write_percent(), ..arrivals() }];
}

/// The search for the rate within a bound.
pub(super) fn slo(bound: &str) -> Result<Slo, String> {
    Ok(Slo {
        bounds: vec![bound.parse()?],
        required: Vec::new(),
        most_rate: USUAL_MOST_RATE,
        required_only: false,
        scaled: None,
    })
}

/// Requires the bound at the rate at which the formula only just keeps it.
pub(super) fn require(request: &mut Request) -> Result<(), String> {
    let EngineRequest::Sim(law) = &request.engine else { return Err("not a simulated device".to_owned()) };
    let bounds = request.slo().into_iter().flat_map(|slo| &slo.bounds);
    let at = |bound: &SloBound| {
        Some(Requirement { bound: *bound, rate: whole(bound.truth_rate(law, DEFAULT_SMALL.0)?) })
    };
    let required: Vec<Requirement> = bounds.filter_map(at).collect();
    if let Task::Rate { slo, .. } = &mut request.task {
        slo.required = required;
    }
    Ok(())
}

/// What a run says about a bound that is only just kept.
pub(super) fn figures(found: &Findings) -> Vec<KnownFigure> {
    let Some(slo) = &found.slo else { return Vec::new() };
    let of = |required: &RequiredRate| {
        let Requirement { bound, rate } = required.requirement;
        let place = slo.bounds.iter().position(|one| *one == bound)?;
        let point = slo.points.iter().find(|point| point.rate == rate)?;
        Some(KnownFigure::of(AT_THE_BOUND, point.judged_us[place]?, us_from_ns(to_f64(bound.limit.0))))
    };
    slo.required.iter().filter_map(of).collect()
}

/// Small I/O that arrives as many users make it.
pub(super) fn arrivals() -> LoadClass {
    let arrival = Arrival::Open { shape: Shape::Poisson, most_outstanding: MOST_OUTSTANDING };
    LoadClass { arrival, ..LoadClass::random(Class::constant("open"), DEFAULT_SMALL.0) }
}

impl Trial {
    /// Holds the bracket of a rate against the formula. An end that is not known holds it, and makes the bracket as wide as the rate.
    pub(super) fn judge_rate(&mut self, found: &Findings, law: &SimLaw) {
        let Some(slo) = &found.slo else { return };
        let truth = slo.bounds.first().and_then(|bound| bound.truth_rate(law, DEFAULT_SMALL.0));
        let (Some(truth), SloAnswer::Rate(rate)) = (truth, &slo.answer) else {
            self.bracketed = Some(false);
            return;
        };
        let (lower, upper) = (rate.lower.unwrap_or(0.0), rate.upper.unwrap_or(f64::INFINITY));
        self.bracketed = Some(lower <= truth && truth <= upper);
        self.bracket_width = Some(((upper.min(2.0 * truth) - lower) / truth).max(0.0));
        self.maximum_error = rate.at.map(|at| at / truth - 1.0);
    }
}

impl Score {
    /// The mean width of the brackets of a rate, relative to it.
    pub fn bracket_width(&self) -> f64 {
        let known: Vec<f64> = self.trials.iter().filter_map(|trial| trial.bracket_width).collect();
        rigel_core::stats::sample::mean(&known)
    }

    /// Whether the brackets of a rate are as narrow, and as often right, as promised.
    pub(super) fn rates_kept(&self, least: f64, most_width: f64) -> Grade {
        let (held, width) = (self.bracketed(), self.bracket_width());
        let narrow = if width <= most_width {
            Grade::Kept
        } else {
            Grade::Broken(format!(
                "brackets are {:.1} % wide, more than {:.0} %",
                100.0 * width,
                100.0 * most_width
            ))
        };
        self.at_least("brackets that contain the rate", held, least).and(narrow)
    }
}
