//! The cases of `rigel run open`: queues whose mean latency and 99th percentile are formulas.
//!
//! Must not run anything.

use super::case::Case;
use super::figure::KnownFigure;
use super::promise::FigurePromise;
use super::rates::arrivals;
use rigel_core::judge::findings::Findings;
use rigel_core::load::class::LoadClass;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::Request;
use rigel_core::sim::SimLaw;
use rigel_core::units::us_from_ns;

/// Out of 4,000 per second that the devices serve: a half, and four fifths.
const RATES: [u32; 2] = [2000, 3200];

const MEAN: &str = "mean latency";
const P99: &str = "p99";

/// A queue that is busy for four fifths of the time remembers for 20 ms. The p99 of 2 s is based on few busy times; its spread is a
/// fifth, and skewed. Six or twelve visits of 2 s, drawn without any schedule, have intervals that contain the true value in 91 % of the
/// tries at four fifths and in 95 % at a half. That is 93 % together; two points are left, as for means. Half the width is 10 % on
/// average, and the bias is an eighth of that at most.
const PROMISED: [FigurePromise; 2] =
    [FigurePromise::mean(MEAN), FigurePromise { what: P99, least: 0.91, most_bias: 0.1 / 8.0 }];

fn case(name: &'static str, law: &str) -> Case {
    Case::known(RunLevel::Open, name, law, &PROMISED)
}

pub(super) fn all() -> Vec<Case> {
    let more = vec![
        case("arrivals at 1 server", "servers=1,service=250us,rate=0,spread=exponential"),
        case("arrivals, constant service", "servers=4,service=1ms,rate=0"),
    ];
    [few(), more].concat()
}

/// The cases of every self-test.
pub(super) fn few() -> Vec<Case> {
    vec![case("arrivals at 4 servers", "servers=4,service=1ms,rate=0,spread=exponential")]
}

/// Makes a request one of arrivals at these rates.
pub(super) fn ask(request: Request) -> Request {
    let class = LoadClass { levels: RATES.into(), write_percent: request.write_percent(), ..arrivals() };
    Request { classes: vec![class], ..request }
}

pub(super) fn figures(found: &Findings, law: &SimLaw) -> Vec<KnownFigure> {
    let of_point = |(rate, io_bytes, us): (u32, u64, rigel_core::judge::findings::LatencyUs)| {
        let truth = law.truth_open(f64::from(rate), io_bytes)?;
        Some([
            KnownFigure::of(MEAN, us.mean, us_from_ns(truth.mean_ns())),
            KnownFigure::of(P99, us.p99, us_from_ns(truth.quantile_ns(0.99))),
        ])
    };
    let points = found.points.iter().flat_map(|point| {
        point.ios.values().filter_map(|io| Some((point.point.of(io.load.name), io.io_bytes, io.latency_us?)))
    });
    points.filter_map(of_point).flatten().collect()
}
