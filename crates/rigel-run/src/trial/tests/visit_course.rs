//! Changes inside a visit and between the points of a fixed run: how often they are seen, and how often without a cause.

use super::request;
use crate::trial::trial;
use rigel_core::judge::findings::Findings;
use rigel_core::judge::flags::{Flag, FlagCode};
use rigel_core::load::matrix::{MatrixShape, RunLevel};
use rigel_core::load::pace::Pace;
use rigel_core::load::task::Task;
use rigel_core::units::Nanos;
use rigel_uses::selftest::{self, Case};

/// What is no noise: the rate of these does change within a visit.
const CHANGING: [&str; 5] = ["neighbour=", "bucket=", "lost=", "drift=", "startup=-30%:20s"];

/// Devices whose noise is no change: quiet ones, and those with a memory, stalls, a cache, slow visits or a slow start.
fn steady() -> Vec<Case> {
    let changes = |case: &Case| CHANGING.iter().any(|part| case.law.contains(part));
    selftest::all().into_iter().filter(|case| !changes(case)).collect()
}

fn found(law: &str, small: Option<u32>, seed: u64) -> Findings {
    let mut request = request(if small.is_some() { RunLevel::Advanced } else { RunLevel::Normal }, law);
    if let Some(small) = small {
        request.task = Task::advanced(MatrixShape::Point { small, large: 0 });
    }
    request.set_pace(Pace::Fixed(Nanos::from_secs(10)));
    request.seed = seed;
    Findings::of(&trial(&request).unwrap())
}

const fn is_change(flag: &Flag) -> bool {
    matches!(flag.code, FlagCode::LevelShift | FlagCode::Drift)
}

/// `docs/method/flag-tests.md` has the figures of 60 runs of each.
#[test]
fn noise_changes_no_level() {
    let (mut points, mut alarms) = (0, Vec::new());
    for case in steady() {
        let found = found(&case.law, None, 11);
        points += found.points.len();
        let own = found.points.iter().flat_map(|point| &point.flags).chain(&found.flags);
        alarms.extend(own.filter(|flag| is_change(flag)).map(|flag| (case.name, flag.text.clone())));
    }
    assert!(points > 300 && 100 * alarms.len() <= points, "{points} points: {alarms:?}");
}

/// A third of the rate for a quarter of a visit of 10 s, anywhere in it.
#[test]
fn a_fall_within_a_visit_is_found_wherever_it_is() {
    let (mut missed, mut tried) = (Vec::new(), 0);
    for case in steady() {
        for turn in 0..5_u64 {
            // The visit begins with half a second of load that does not count.
            let from_ms = 500 + (1511 * turn + 100 * u64::try_from(tried).unwrap()) % 7500;
            let law = format!("{},fall=0.3333:{from_ms}ms:{}ms", case.law, from_ms + 2500);
            let found = found(&law, Some(8), turn);
            tried += 1;
            if !found.points[0].flags.iter().any(is_change) {
                missed.push((case.name, from_ms));
            }
        }
    }
    assert!(tried > 90 && 20 * missed.len() <= tried, "missed {missed:?} of {tried}");
}
