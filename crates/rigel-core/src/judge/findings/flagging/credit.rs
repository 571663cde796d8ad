//! The flag for visits that all have one rate from some moment: credit was used up.
//!
//! Must not look inside a visit.

use crate::judge::flags::{Flag, FlagCode};
use crate::load::matrix::Point;
use crate::record::{Record, Visit};
use crate::stats::burst::{LoadVisit, lasting_fall};
use crate::units::say::{counted, figure, rough_time};
use crate::units::{MIB, NS_PER_S, to_f64};
use std::collections::BTreeMap;

/// The flag of the run. Two alternating sides each have credit of their own.
pub fn of_run(record: &Record) -> Option<Flag> {
    if record.header.request.sides.is_some() {
        return None;
    }
    let visits: Vec<&Visit> = record.search.iter().chain(&record.visits).collect();
    let ios = |visit: &Visit| visit.ios.map(|ios| to_f64(ios.returned));
    let of_ios = || limited_in(&visits, ios, "I/Os per second", 1.0);
    of_ios().or_else(|| {
        limited_in(&visits, |visit| Some(to_f64(visit.moved_bytes())), "MB per second", to_f64(MIB))
    })
}

/// A limit holds down the sum of what it counts: I/Os or bytes of all classes together.
fn limited_in(
    visits: &[&Visit],
    amount: impl Fn(&Visit) -> Option<f64>,
    unit: &str,
    of_one: f64,
) -> Option<Flag> {
    let mut loads: BTreeMap<Point, usize> = BTreeMap::new();
    let mut taken = Vec::new();
    for visit in visits {
        let next = loads.len();
        let load = *loads.entry(visit.point).or_insert(next);
        let seconds = |ns: u64| to_f64(ns) / to_f64(NS_PER_S);
        let began_ns = visit.ended_ns().saturating_sub(visit.loaded_ns);
        let (began_s, ended_s) = (seconds(began_ns), seconds(visit.ended_ns()));
        taken.push(LoadVisit { load, began_s, ended_s, amount: amount(visit)? / of_one });
    }
    let fall = lasting_fall(&taken)?;
    let text = format!(
        "from {} after the start on, the rate was {} {unit} in {}, pauses included, whatever the load; before \
         that it was up to {}",
        rough_time(fall.at_s * to_f64(NS_PER_S)),
        figure(fall.low),
        counted(fall.after as u64, "visit"),
        figure(fall.high)
    );
    Some(Flag::new(FlagCode::Burst, text))
}
