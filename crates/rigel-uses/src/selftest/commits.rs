//! The cases of `rigel run commit`: a commit takes the service and the flush, and a given number of stations serve at a time.
//!
//! Must not run anything.

use super::case::Case;
use super::figure::KnownFigure;
use super::promise::FigurePromise;
use rigel_core::judge::findings::Findings;
use rigel_core::load::class::{Class, LoadClass, Sync};
use rigel_core::load::commits::class;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::{DEFAULT_SMALL, Request};
use rigel_core::sim::SimLaw;
use rigel_core::units::{NS_PER_S, to_f64, us_from_ns};

/// One writer that waits alone, and more writers than the stations of any case serve simultaneously.
const WRITERS: [u32; 2] = [1, 8];

const COMMIT: &str = "latency of a commit";
const WRITE: &str = "latency of a write";
const MOST: &str = "max_commits";

/// The best of several points is off by as much as the figures of a calibration may be: it owes a part of its place to its noise.
const PROMISED: [FigurePromise; 3] = [
    FigurePromise::mean(COMMIT),
    FigurePromise::mean(WRITE),
    FigurePromise { most_bias: 0.01, ..FigurePromise::mean(MOST) },
];

fn case(name: &'static str, law: &str) -> Case {
    Case::known(RunLevel::Commit, name, law, &PROMISED)
}

pub(super) fn all() -> Vec<Case> {
    let more = vec![
        case(
            "commits: 1 % between visits",
            "servers=2,service=500us,rate=0,flush=500us,between=1%,spread=exponential",
        ),
        case("commits: a protected cache", "servers=4,service=1ms,rate=0,between=1%,spread=exponential"),
    ];
    [few(), more].concat()
}

/// The cases of every self-test.
pub(super) fn few() -> Vec<Case> {
    vec![case(
        "commits: a flush of twice the service",
        "servers=4,service=1ms,rate=0,flush=2ms,between=1%,spread=exponential",
    )]
}

/// Makes a request one of commits by every method.
pub(super) fn ask(request: Request) -> Request {
    let of = |sync| class(sync, DEFAULT_SMALL.0, &WRITERS);
    Request { classes: [Sync::Dsync, Sync::Fdatasync, Sync::None].map(of).into(), ..request }
}

/// The law of writes that wait for a flush, or do not.
fn law_of(law: &SimLaw, class: &LoadClass) -> SimLaw {
    let flush_ns = if class.sync == Sync::None { 0 } else { law.flush_ns };
    SimLaw { service_ns: law.service_ns.saturating_add(flush_ns), ..*law }
}

pub(super) fn figures(found: &Findings, law: &SimLaw) -> Vec<KnownFigure> {
    let mut known = Vec::new();
    for point in &found.points {
        for io in point.ios.values() {
            let writers = point.point.of(io.load.name);
            let truth = law_of(law, &io.load).truth_iops(writers, io.io_bytes);
            let (Some(per_s), Some(us)) = (truth, io.latency_us) else { continue };
            let what = if io.load.sync == Sync::None { WRITE } else { COMMIT };
            let truth_us = us_from_ns(f64::from(writers) * to_f64(NS_PER_S) / per_s);
            known.push(KnownFigure::of(what, us.mean, truth_us));
        }
    }
    let most = found.best.rate(Class::DSYNC).and_then(|best| {
        let io = found.points.iter().find_map(|point| point.io(Class::DSYNC))?;
        let law = law_of(law, &io.load);
        let truth = law.truth_iops(WRITERS[1].max(law.servers), io.io_bytes)?;
        Some(KnownFigure::of(MOST, best.estimate, truth))
    });
    known.extend(most);
    known
}
