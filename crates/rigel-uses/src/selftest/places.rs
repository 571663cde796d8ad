//! The cases of `rigel run zones`: devices whose speed at every place is known.
//!
//! Must not run anything.

use super::case::Case;
use super::figure::KnownFigure;
use super::promise::FigurePromise;
use rigel_core::judge::findings::{Findings, PlaceFindings, judged_at_place};
use rigel_core::load::class::{Class, Figure, LoadClass, Pattern};
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::Adaptive;
use rigel_core::load::request::{CacheWarmUp, DEFAULT_LARGE, DEFAULT_SMALL, DEFAULT_STREAM_IOS, Request};
use rigel_core::sim::SimLaw;
use rigel_core::stats::by_place::{Area, Course, SLACK};
use rigel_core::units::{NS_PER_S, to_f64, us_from_ns};

/// Into this many places each device is cut.
const PLACES: u8 = 8;
/// A place is checked in this many pieces; its speed barely differs within one.
const PIECES: u32 = 64;
/// Places whose speeds differ by less are one area.
const ALIKE: f64 = 1e-6;

const LATENCY: &str = "latency of a place";
const MBPS: &str = "MBPS of a place";
const COURSE: &str = "course over the places";

/// A course is a test at 5 %: by [`rigel_core::stats::by_place`] about one in twenty even devices seems to be
/// another. Two points are left, as for means. A bent line only approximates other courses, no closer than the places
/// of one area may be.
const PROMISED: [FigurePromise; 3] = [
    FigurePromise::mean(LATENCY),
    FigurePromise::mean(MBPS),
    FigurePromise { what: COURSE, least: 0.93, most_bias: SLACK },
];

fn case(name: &'static str, by_place: &str) -> Case {
    let law = format!("servers=4,service=1ms,rate=1000M,between=1%{by_place}");
    let case = Case::known(RunLevel::Zones, name, law, &PROMISED);
    Case { pace: Adaptive { fast: true, ..case.pace }, ..case }
}

pub(super) fn all() -> Vec<Case> {
    let more = vec![case("places: a slow half", ",region=0.5:50%:100%")];
    [few(), more].concat()
}

/// The cases of every self-test.
pub(super) fn few() -> Vec<Case> {
    vec![case("places: even", ""), case("places: half as fast at the end", ",slope=50%")]
}

/// Makes a request one place by place.
pub(super) fn ask(request: Request) -> Request {
    let by_place = |class: LoadClass| LoadClass {
        places: Some(PLACES),
        levels: (1..=u32::from(PLACES)).collect(),
        ..class
    };
    let stream = LoadClass {
        pattern: Pattern::Streams { ios_per_stream: DEFAULT_STREAM_IOS },
        figure: Figure::Mbps,
        ..LoadClass::random(Class::STREAM, DEFAULT_LARGE.0)
    };
    let classes = vec![by_place(LoadClass::random(Class::RANDOM, DEFAULT_SMALL.0)), by_place(stream)];
    Request { classes, cache: CacheWarmUp::Off, ..request }
}

/// How many times as long as in the law an I/O takes at a place, averaged over the place.
fn slowness(law: &SimLaw, place: u32) -> f64 {
    let pieces = f64::from(PIECES);
    let at = |piece: u32| {
        let share = (f64::from(place - 1) + (f64::from(piece) + 0.5) / pieces) / f64::from(PLACES);
        // The middle of a piece, as a place on a target of many bytes.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of 2^40")]
        let offset = (share * to_f64(1 << 40)) as u64;
        1.0 / law.by_place.speed(offset, 1 << 40)
    };
    (0..PIECES).map(at).sum::<f64>() / pieces
}

/// The judged figure of a class at a place: MBPS of a stream, otherwise the mean latency in microseconds.
fn truth(law: &SimLaw, load: &LoadClass, place: u32) -> f64 {
    let io_ns = law.service_ns(load.io_bytes()) * slowness(law, place);
    let outstanding = load.pattern.outstanding(1).min(law.servers);
    match load.figure {
        Figure::Mbps => f64::from(outstanding) * to_f64(NS_PER_S) / io_ns * load.scale(),
        Figure::Rate(_) => us_from_ns(io_ns),
    }
}

pub(super) fn figures(found: &Findings, law: &SimLaw) -> Vec<KnownFigure> {
    let mut known = Vec::new();
    for point in &found.points {
        for io in point.ios.values() {
            let what = if io.load.streams() { MBPS } else { LATENCY };
            let truth = truth(law, &io.load, point.point.of(io.load.name));
            known.extend(judged_at_place(io).map(|found| KnownFigure::of(what, found, truth)));
        }
    }
    known.extend(found.places.iter().map(|places| course(places, law)));
    known
}

/// Whether the course over all places was reported correctly, and how far the ratio of its ends is off.
fn course(found: &PlaceFindings, law: &SimLaw) -> KnownFigure {
    let truths: Vec<f64> = (1..=u32::from(PLACES)).map(|place| truth(law, &found.load, place)).collect();
    let differ = |one: f64, other: f64| (one / other - 1.0).abs() > ALIKE;
    let is_even =
        |area: &Area| truths[area.first..=area.last].iter().all(|at| !differ(*at, truths[area.first]));
    let steps = truths.windows(2).filter(|pair| differ(pair[0], pair[1])).count();
    let (is_right, ratio) = match &found.course {
        Some(Course::Even { .. }) => (steps == 0, 1.0),
        Some(Course::Slope { first, last }) => (steps == truths.len() - 1, last / first),
        Some(Course::Areas(areas)) => {
            let ends = areas.last().zip(areas.first()).map_or(1.0, |(last, first)| last.mean / first.mean);
            (areas.len() == steps + 1 && areas.iter().all(is_even), ends)
        }
        None => (false, 1.0),
    };
    let truth = truths[truths.len() - 1] / truths[0];
    KnownFigure { what: COURSE, held: Some(is_right), error: ratio / truth - 1.0 }
}
