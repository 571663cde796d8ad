//! Two sides in turn on simulated devices that are disturbed alike: how often the ratio's interval contains the true value, and what alternating
//! gains. `cargo xtask stats` makes the same trials at full size.

use super::*;
use rigel_core::judge::quantity::{Quantity, What};
use rigel_core::load::class::Class;
use rigel_core::load::matrix::{Grid, MatrixShape};
use rigel_core::load::sides::Sides;
use rigel_core::units::to_f64;
use rigel_uses::compare::{Comparison, Effect, Run as Compared};
use rigel_uses::versus::Versus;

const SMALL_IOPS: Quantity = Quantity::at_points(What::Rate, Class::SMALL);

/// Eight stations, so no load of one disk saturates them: the ratio of all loads is that of the service times.
fn law(service_us: u32, noise: &str) -> String {
    format!("servers=8,service={service_us}us,rate=0,spread=lognormal:20%,{noise}")
}

fn plain(seed: u64, law: &str, precision: u16) -> Request {
    let pace = Pace::Adaptive(Adaptive { precision: Precision(precision), ..Adaptive::default() });
    Request { seed, ..request(RunLevel::Oltp, law).paced(pace) }
}

fn versus(seed: u64, [a, b]: [&str; 2], precision: u16) -> (Versus, f64) {
    let plain = plain(seed, a, precision);
    let loads = Grid::new(RunLevel::Oltp, MatrixShape::Basic, 1).points[..4].to_vec();
    let engine = EngineRequest::Sim(SimLaw::parse(b).unwrap());
    let request = plain.in_turns(&loads, Sides { targets_of_a: 1, engine, buffered: false }).unwrap();
    let record = trial(&request).unwrap();
    let last = record.visits.last().unwrap();
    (Versus::of(&record, &Findings::of(&record)).unwrap(), Nanos(last.ended_ns()).seconds())
}

/// Disturbances that both sides have in common.
const COMMON: [(&str, &str); 4] = [
    ("drift", "white=3%,between=1%,drift=5%"),
    ("steps", "white=3%,between=1%,fall=0.8:70s"),
    ("memory of a minute", "white=3%,between=1%,noise=ar:60s:10%"),
    ("a neighbour", "white=3%,between=0.5%,neighbour=0.7:10s:30s"),
];

#[test]
fn the_ratio_holds_the_truth_under_what_both_sides_have_in_common() {
    let (mut held, mut all, mut overall) = (0, 0, 0);
    for (name, noise) in COMMON {
        for seed in 0..5 {
            let (found, _) = versus(seed, [&law(1100, noise), &law(1000, noise)], 20);
            for (row, ratio) in found.comparison.rows.iter().zip(&found.ratios) {
                if row.quantity == SMALL_IOPS {
                    let ratio = ratio.unwrap();
                    held += usize::from(ratio.lo95 <= 1.1 && 1.1 <= ratio.hi95);
                    all += 1;
                }
            }
            let rate = &found.overall[0];
            assert_eq!((rate.quantity, rate.effect), (SMALL_IOPS, Effect::Better), "{name} {seed}");
            overall += usize::from(rate.change.lo <= 0.1 && 0.1 <= rate.change.hi);
        }
    }
    // 93 % of 80 are 74.4; the loads of a run have their noise in common. `cargo xtask stats` asks each disturbance for itself.
    assert!(all == 80 && held >= 71, "{held} of {all}");
    assert!(overall >= 17, "{overall} of 20 over all loads");
}

#[test]
fn the_same_twice_shows_no_difference() {
    let noise = COMMON[2].1;
    let same = law(1000, noise);
    let is_found = |seed: &u64| {
        let found = versus(*seed, [&same, &same], 20).0;
        found.overall.iter().any(|found| found.quantity == SMALL_IOPS && found.effect.is_direction())
    };
    let found = (100..112).filter(is_found).count();
    // 6 % of 12 are 0.7, with a standard deviation of 0.8; `cargo xtask stats` asks hundreds of times.
    assert!(found <= 3, "{found} of 12");
}

/// Two runs of one side each that are compared, and the time that both took together.
fn two_runs(seed: u64, laws: [&str; 2], precision: u16) -> (f64, f64) {
    let made: Vec<(Record, Findings)> = laws
        .into_iter()
        .zip([seed, seed + 1000])
        .map(|(law, seed)| {
            let plain = plain(seed, law, precision);
            let pace = plain.pace().unwrap();
            let task = Task::advanced(MatrixShape::Max { small: 4, large: 0 });
            let request = Request { task, ..plain }.paced(pace);
            let record = trial(&request).unwrap();
            let found = Findings::of(&record);
            (record, found)
        })
        .collect();
    let runs: Vec<Compared<'_>> =
        made.iter().map(|(record, findings)| Compared { record, findings }).collect();
    let rows = Comparison::of(&runs[..1], &runs[1..]).rows;
    let widths = rows.iter().filter(|row| row.quantity == SMALL_IOPS);
    let widths: Vec<f64> = widths.filter_map(|row| row.change.ok()).map(|it| it.hi - it.relative).collect();
    let seconds = made.iter().map(|(record, _)| Nanos(record.visits.last().unwrap().ended_ns()).seconds());
    (widths.iter().sum::<f64>() / to_f64(widths.len() as u64), seconds.sum())
}

/// The same width of the change needs less than half the time in turn.
#[test]
fn turns_take_at_most_half_the_time_of_two_runs() {
    let laws = [law(1100, COMMON[2].1), law(1000, COMMON[2].1)];
    let laws = [laws[0].as_str(), laws[1].as_str()];
    let (mut turns_s, mut runs_s, mut turns_width, mut runs_width) = (0.0, 0.0, 0.0, 0.0);
    for seed in 0..6 {
        let (found, seconds) = versus(seed, laws, 20);
        let changes = found.comparison.rows.iter().filter(|row| row.quantity == SMALL_IOPS);
        let widths: Vec<f64> =
            changes.filter_map(|row| row.change.ok()).map(|it| it.hi - it.relative).collect();
        turns_s += seconds;
        turns_width += widths.iter().sum::<f64>() / to_f64(widths.len() as u64);
        let (width, seconds) = two_runs(seed, laws, 20);
        runs_s += seconds;
        runs_width += width;
    }
    eprintln!("turns {turns_s} s {turns_width}, runs {runs_s} s {runs_width}");
    // Time goes with the square of the width.
    let as_sure_s = runs_s * (runs_width / turns_width).powi(2);
    assert!(turns_s <= as_sure_s / 2.0, "{turns_s} s in turns, {as_sure_s} s in two runs");
}
