//! How many targets a simulated device shows, and one of them that is slower.
//!
//! Each has its own stations; limits apply to all of them together, like a shared path. Must not simulate.

use super::Ppm;
use crate::units::say::counted;
use serde::{Deserialize, Serialize};

/// Most targets of a simulated device.
const MOST: u32 = 1024;

/// The targets of a simulated device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByTargetLaw {
    /// How many there are.
    pub count: u32,
    /// One that is slower.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slow: Option<SlowTarget>,
}

/// A target at another speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlowTarget {
    /// Which, from 1.
    pub number: u32,
    /// Its speed, relative to that of the others.
    pub factor: Ppm,
}

impl Default for ByTargetLaw {
    fn default() -> Self {
        Self { count: 1, slow: None }
    }
}

impl ByTargetLaw {
    /// Whether there is one, as everything else of a law says it.
    pub fn is_one(&self) -> bool {
        *self == Self::default()
    }

    /// The speed of a target, counted from 0, relative to the law.
    pub fn speed(self, target: u16) -> f64 {
        let is_slow = |slow: &SlowTarget| slow.number == u32::from(target).saturating_add(1);
        self.slow.filter(is_slow).map_or(1.0, |slow| slow.factor.fraction())
    }

    /// Whether the slow target is one of them. Parts may come in any order, so it can only be known when all are read.
    pub(super) fn check_slow(self) -> Result<(), String> {
        match self.slow {
            Some(slow) if slow.number > self.count => Err(format!(
                "'slow={}:..': the device has {}; give targets={} or more",
                slow.number,
                counted(self.count, "target"),
                slow.number
            )),
            _ => Ok(()),
        }
    }

    pub(super) fn check(self) -> Result<(), String> {
        match self.slow {
            _ if !(1..=MOST).contains(&self.count) => Err(format!("must be 1 to {MOST}")),
            Some(slow) if slow.number == 0 => Err("targets are counted from 1".into()),
            Some(slow) if slow.factor < Ppm(1000) || slow.factor > Ppm(1000 * Ppm::ONE.0) => {
                Err("a factor must be 0.001 to 1000".into())
            }
            _ => Ok(()),
        }
    }
}
