//! Phases of a load: a point for a time each, one after the other.
//!
//! Must not know how they are measured.

use crate::error::Problem;
use crate::load::class::Shape;
use crate::load::matrix::Point;
use crate::units::{NS_PER_MS, NS_PER_S, Nanos};
use serde::{Deserialize, Serialize};

/// Most phases of a load.
pub const MOST_PHASES: usize = 2500;
/// A shorter phase would barely get past its start.
pub(crate) const SHORTEST: Nanos = Nanos::from_secs(1);
/// Longest time of all phases together.
const LONGEST: Nanos = Nanos::from_secs(7 * 24 * 3600);

/// A point for a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    /// How long the load lasts.
    #[serde(rename = "for")]
    pub time: Nanos,
    /// The load.
    pub point: Point,
    /// The distribution of arrivals, if it differs from that of the classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Shape>,
}

impl Phase {
    /// Refuses a phase that cannot be measured.
    ///
    /// # Errors
    /// When it is too short or has no load.
    pub fn check(&self) -> Result<(), Problem> {
        if self.point.sum() == 0 {
            return Err(Problem::usage("a phase without load measures nothing")
                .next("scale one of its classes to more than 0, or leave out the phase"));
        }
        if self.time < SHORTEST || !self.time.0.is_multiple_of(NS_PER_MS) {
            return Err(Problem::usage(format!("a phase of {} is too short to measure", self.time))
                .next(format!("give {SHORTEST} or more, in whole milliseconds")));
        }
        Ok(())
    }
}

/// The points of phases, each once.
pub fn distinct(phases: &[Phase]) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::new();
    for phase in phases {
        if !points.contains(&phase.point) {
            points.push(phase.point);
        }
    }
    points
}

/// This many times shorter, in whole milliseconds.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "of a time, and it saturates")]
pub(crate) fn shortened(time: Nanos, times: f64) -> Nanos {
    let ms = (crate::units::to_f64(time.0 / NS_PER_MS) / times).round();
    Nanos::from_millis(ms as u64)
}

/// Refuses phases that no run can have.
///
/// # Errors
/// When one cannot be measured, or all together are too long.
pub fn check(phases: &[Phase]) -> Result<(), Problem> {
    phases.iter().try_for_each(Phase::check)?;
    let whole = Nanos(phases.iter().map(|phase| phase.time.0).fold(0, u64::saturating_add));
    if phases.len() > MOST_PHASES || whole > LONGEST {
        return Err(Problem::usage(format!(
            "{} phases totalling {} h are too many or too long",
            phases.len(),
            whole.0 / (3600 * NS_PER_S)
        ))
        .next(format!("give at most {MOST_PHASES} phases and 7 days")));
    }
    let other = |one: &Phase| phases.iter().any(|two| two.point == one.point && two.shape != one.shape);
    if let Some(one) = phases.iter().find(|one| other(one)) {
        return Err(Problem::usage(format!(
            "two phases of {} have different arrival shapes",
            one.point.words()
        ))
        .because("phases of the same load are one point of the results")
        .next("change the scale of one, if only by one I/O per second, or give both the same shape"));
    }
    Ok(())
}
