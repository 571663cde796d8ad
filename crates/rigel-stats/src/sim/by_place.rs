//! How the speed of a simulated device differs from place to place of its target.
//!
//! Must not know time; [`super::noise`] does.

use super::Ppm;
use crate::units::to_f64;
use serde::{Deserialize, Serialize};

/// The speed by place; the same everywhere by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ByPlace {
    /// The share of its speed that the device loses evenly from the first to the last byte.
    pub slope: Ppm,
    /// A part with a speed of its own.
    pub region: Option<Region>,
}

/// A part of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Region {
    /// By what the speed is multiplied there.
    pub factor: Ppm,
    /// Where it begins, as a share of the target.
    pub from: Ppm,
    /// Where it ends.
    pub to: Ppm,
}

impl ByPlace {
    /// Whether the speed is the same everywhere.
    pub fn is_even(&self) -> bool {
        *self == Self::default()
    }

    /// The speed at a byte of a target of this many; 1 is that of the law.
    pub fn speed(&self, offset: u64, size_bytes: u64) -> f64 {
        let at = to_f64(offset) / to_f64(size_bytes.max(1));
        let inside = |region: &Region| (region.from.fraction()..region.to.fraction()).contains(&at);
        let factor = self.region.filter(inside).map_or(1.0, |region| region.factor.fraction());
        (1.0 - self.slope.fraction() * at.min(1.0)) * factor
    }

    /// # Errors
    /// The limit that a value breaks, as a sentence.
    pub fn check(&self) -> Result<(), String> {
        if !(Ppm::ZERO..=Ppm(990_000)).contains(&self.slope) {
            return Err("a slope is 0% to 99%".into());
        }
        let good = |region: Region| {
            let Region { factor, from, to } = region;
            factor > Ppm::ZERO
                && factor.0 <= 100 * Ppm::ONE.0
                && Ppm::ZERO <= from
                && from < to
                && to <= Ppm::ONE
        };
        if self.region.is_none_or(good) {
            Ok(())
        } else {
            Err("a factor must be above 0 and at most 100, and a region must end after its start, within 0% to 100%".into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_speed_is_that_of_the_place() {
        let region = Some(Region { factor: Ppm(500_000), from: Ppm(400_000), to: Ppm(600_000) });
        let found = ByPlace { slope: Ppm(500_000), region };
        for (offset, speed) in [(0, 1.0), (300, 0.85), (400, 0.4), (599, 0.35025), (600, 0.7), (1000, 0.5)] {
            assert!((found.speed(offset, 1000) - speed).abs() < 1e-12, "{offset}");
        }
        assert!(ByPlace::default().is_even() && !found.is_even());
        assert_eq!(found.check(), Ok(()));
        let outside = Some(Region { factor: Ppm(1), from: Ppm(1), to: Ppm(1_000_001) });
        let back = Some(Region { factor: Ppm(1), from: Ppm(2), to: Ppm(2) });
        for region in [outside, back] {
            assert!(ByPlace { region, ..found }.check().is_err());
        }
        assert!(ByPlace { slope: Ppm(1_000_000), region: None }.check().is_err());
    }
}
