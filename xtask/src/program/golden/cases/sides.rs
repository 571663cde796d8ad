//! Two sides that take turns.

use super::super::by_hand::{Run, SPREAD, served};
use super::super::facts;
use super::super::simulated::{law, on_disk, on_sim, request, rounds, rounds_within};
use super::Case;
use super::open::{arrivals, typed};
use rigel_core::load::class::{LoadClass, Shape, Sync};
use rigel_core::load::commits;
use rigel_core::load::demands::Demands;
use rigel_core::load::matrix::{Point, RunLevel};
use rigel_core::load::pace::Pace;
use rigel_core::load::request::{DEFAULT_SMALL, EngineRequest, Request};
use rigel_core::load::sides::{Side, Sides};
use rigel_core::record::Record;
use rigel_core::units::GIB;

/// A side, and one that is a tenth slower.
const SIDE: &str = "servers=4,service=20ms,rate=100M,spread=lognormal:20%,between=1%";
const SLOWER: &str = "servers=4,service=22ms,rate=90M,spread=lognormal:20%,between=1%";

/// The cases.
pub fn all() -> Vec<Case> {
    vec![
        Case::of("versus-slower", || on_disk(SIDE, pair(SLOWER, rounds(200), &[])?)),
        Case::of("versus-alike", || by_hand(pair(SIDE, rounds(50), &[])?, 1000)),
        Case::of("versus-simulated", || on_sim(SLOWER, alone(SIDE)?)),
        Case::of("versus-gates", gates),
        Case::of("versus-no-such-gate", || {
            by_hand(pair(SLOWER, rounds(100), &["max_small_iops < -9%"])?, 920)
        }),
        Case::of("versus-unsure", unsure),
        Case::of("versus-rates", rates),
        Case::of("versus-commits", of_commits),
        Case::of("versus-stopped", stopped),
    ]
}

/// Three loads on a device and another one.
fn pair(other: &str, pace: Pace, fail_if: &[&str]) -> anyhow::Result<Request> {
    let points = [Point::pair(1, 0), Point::pair(4, 0), Point::pair(0, 2)];
    let fail_if = fail_if.iter().map(|&text| text.to_owned()).collect();
    let demands = Demands { fail_if, ..Demands::default() };
    in_turns(Request { demands, ..request(RunLevel::Simple).paced(pace) }, &points, other)
}

fn in_turns(request: Request, points: &[Point], other: &str) -> anyhow::Result<Request> {
    let sides = Sides { targets_of_a: 1, engine: EngineRequest::Sim(law(other)?), buffered: false };
    let rates: Vec<u32> = points.iter().copied().flat_map(Point::classes).map(|(_, rate)| rate).collect();
    let level =
        if request.level() == RunLevel::Open { typed(&rates) } else { request.level().name().to_owned() };
    let command_line = format!("{level} /dev/sdb --and /dev/sdc ");
    Ok(Request { name: "versus".into(), command_line, ..request }.in_turns(points, sides)?)
}

/// A single load.
fn alone(other: &str) -> anyhow::Result<Request> {
    in_turns(request(RunLevel::Oltp).paced(rounds(100)), &[Point::pair(2, 0)], other)
}

/// Visits written by hand: side B does this many per mille of the I/Os of A.
fn by_hand(mut request: Request, per_mille: u64) -> anyhow::Result<Record> {
    request.engine = EngineRequest::Auto;
    request.sides.iter_mut().for_each(|sides| sides.engine = EngineRequest::Auto);
    let rate = |class: &LoadClass, level: u32| {
        let all = served(4)(class, level);
        if class.side == Some(Side::B) { all * per_mille / 1000 } else { all }
    };
    let targets = vec![facts::device(0, 16 * GIB), facts::device(1, 16 * GIB)];
    Ok(Run::on(request, targets)?.rounds(&SPREAD, &rate).record)
}

/// Gates that fail, that pass, and that are open.
fn gates() -> anyhow::Result<Record> {
    let gates = ["small_iops < -5%", "large_mbps < -50%", "small_latency > 22ms", "large_mbps < -9%"];
    let mut request = pair(SLOWER, rounds(100), &gates)?;
    request.demands.undecided_fails = true;
    by_hand(request, 920)
}

/// Both vary from visit to visit, and there is no time to learn more.
fn unsure() -> anyhow::Result<Record> {
    let law = "servers=4,service=20ms,rate=0,between=20%";
    on_disk(law, pair(law, rounds_within(5, 120), &["small_iops < -1%"])?)
}

/// Arrivals at a rate with a required bound.
fn rates() -> anyhow::Result<Record> {
    let demands = Demands {
        required: vec!["p99 < 100ms @ 100".parse().map_err(anyhow::Error::msg)?],
        ..Demands::default()
    };
    let class = arrivals(Shape::Poisson);
    let points = [100, 150].map(|rate| Point::alone(class.name, rate));
    let asked = Request { classes: vec![class], demands, ..request(RunLevel::Open).paced(rounds(200)) };
    on_disk(SIDE, in_turns(asked, &points, SLOWER)?)
}

fn of_commits() -> anyhow::Result<Record> {
    let class = |sync| commits::class(sync, DEFAULT_SMALL.0, &[1, 4]);
    let classes = vec![class(Sync::Dsync), class(Sync::None)];
    let points: Vec<Point> = classes
        .iter()
        .flat_map(|class| class.levels.iter().map(|&level| Point::alone(class.name, level)))
        .collect();
    let asked = Request { classes, ..request(RunLevel::Commit).paced(rounds(100)) };
    by_hand(in_turns(asked, &points, SLOWER)?, 1300)
}

fn stopped() -> anyhow::Result<Record> {
    let mut record = by_hand(pair(SLOWER, rounds(100), &["small_iops < -5%"])?, 900)?;
    super::interrupted::stop(&mut record, 9);
    Ok(record)
}
