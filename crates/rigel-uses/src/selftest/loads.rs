//! The cases of load files and of `rigel run streams`: closed loops whose rates follow from the mean time of an I/O.
//!
//! Must not run anything.

use super::case::Case;
use super::figure::KnownFigure;
use super::promise::FigurePromise;
use rigel_core::judge::findings::Findings;
use rigel_core::load::class::{Class, Figure, LoadClass, Pattern, Sizes};
use rigel_core::load::file;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::{CacheWarmUp, DEFAULT_LARGE, Request};
use rigel_core::sim::SimLaw;
use rigel_core::units::{NS_PER_S, to_f64, us_from_ns};

/// Two sizes at random, then streams, each with fewer I/Os outstanding than the device has stations, and with more.
const FILE: &str = r#"
load = "rigel.load/1"
points = [ { mixed = 2 }, { mixed = 8 }, { scans = 1 }, { scans = 3 } ]
[[class]]
name = "mixed"
size = { "8K" = 80, "64K" = 20 }
[[class]]
name = "scans"
size = "256K"
pattern = "stream"
stream_ios = 2
"#;
/// Like several `dd`: fewer than the stations, as many, more.
const READERS: [u32; 3] = [1, 4, 16];

const RATE: &str = "rate of a class";
const LATENCY: &str = "latency of a class";
const PROMISED: [FigurePromise; 2] = [FigurePromise::mean(RATE), FigurePromise::mean(LATENCY)];

/// The cases of every self-test, which are all.
pub(super) fn all() -> Vec<Case> {
    let law = "servers=4,service=1ms,rate=100M,between=1%";
    let case = |level, name| Case::known(level, name, law, &PROMISED);
    vec![
        case(RunLevel::Load, "loads: two sizes, and streams"),
        case(RunLevel::Streams, "streams: 1, 4 and 16 readers"),
    ]
}

/// Makes a request the one of the load file.
pub(super) fn ask(request: Request) -> Result<Request, String> {
    let load = file::read("selftest.toml", FILE.as_bytes()).map_err(|problem| problem.what)?;
    load.request(Request { cache: CacheWarmUp::Off, ..request }).map_err(|problem| problem.what)
}

/// Makes a request one of sequential readers.
pub(super) fn ask_streams(request: Request) -> Request {
    let class = LoadClass {
        pattern: Pattern::Streams { ios_per_stream: 1 },
        figure: Figure::Mbps,
        levels: READERS.into(),
        ..LoadClass::random(Class::STREAM, DEFAULT_LARGE.0)
    };
    Request { classes: vec![class], cache: CacheWarmUp::Off, ..request }
}

/// The mean time of an I/O of a class.
fn service_ns(law: &SimLaw, class: &LoadClass) -> f64 {
    match &class.sizes {
        Sizes::Mixed(sizes) => {
            sizes.iter().map(|size| law.service_ns(size.0) * f64::from(size.1) / 100.0).sum()
        }
        _ => law.service_ns(class.io_bytes()),
    }
}

pub(super) fn figures(found: &Findings, law: &SimLaw) -> Vec<KnownFigure> {
    let mut known = Vec::new();
    for point in &found.points {
        for io in point.ios.values() {
            let outstanding = io.load.pattern.outstanding(point.point.of(io.load.name));
            let busy = outstanding.min(law.servers);
            let (Some(us), true) = (io.latency_us, busy > 0) else { continue };
            let per_s = f64::from(busy) * to_f64(NS_PER_S) / service_ns(law, &io.load);
            known.push(KnownFigure::of(RATE, io.iops, per_s));
            let latency_ns = f64::from(outstanding) * to_f64(NS_PER_S) / per_s;
            known.push(KnownFigure::of(LATENCY, us.mean, us_from_ns(latency_ns)));
        }
    }
    known
}
