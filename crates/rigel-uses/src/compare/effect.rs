//! What a change says: the one rule of rows, headlines, gates' notes and pages.
//!
//! A direction needs an interval that excludes "no change"; "no difference" needs one within a margin; everything else is undecided, with what
//! remains possible. Must not compute an interval.

use super::change::{Change, Doubt};
use rigel_core::judge::quantity::Quantity;

/// Smaller changes are not a difference: as much as a run leaves open of each number by default, and less than two
/// days of one storage usually differ by.
pub const MARGIN: f64 = 0.05;

/// The effect of a change, judged by its interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The new side is better.
    Better,
    /// The new side is worse.
    Worse,
    /// Whatever the change is, it is within [`MARGIN`].
    Alike,
    /// Neither is shown.
    Undecided(Doubt),
}

impl Effect {
    /// The verdict on a change of a quantity.
    pub fn of(quantity: Quantity, change: &Result<Change, Doubt>) -> Self {
        match change {
            Err(doubt) => Self::Undecided(*doubt),
            Ok(change) if change.lo > 0.0 || change.hi < 0.0 => {
                if (change.lo > 0.0) == quantity.more_is_better() { Self::Better } else { Self::Worse }
            }
            Ok(change) if change.most() <= MARGIN => Self::Alike,
            Ok(_) => Self::Undecided(Doubt::Wide),
        }
    }

    /// The name in every output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Alike => "alike",
            Self::Undecided(_) => "undecided",
        }
    }

    /// Whether it says which side is better.
    pub const fn is_direction(self) -> bool {
        matches!(self, Self::Better | Self::Worse)
    }
}

#[cfg(test)]
mod tests {
    use super::super::change::RestsOn;
    use super::*;
    use rigel_core::judge::quantity::What;
    use rigel_core::load::class::Class;

    const RATE: Quantity = Quantity::at_points(What::Rate, Class::SMALL);
    const P99: Quantity = Quantity::at_points(What::P99, Class::SMALL);

    #[test]
    fn an_interval_that_tells_nothing_is_neither_a_direction_nor_no_difference() {
        let of = |quantity, lo: f64, hi: f64| {
            let change =
                Change { relative: f64::midpoint(lo, hi), lo, hi, df: 9.0, rests_on: RestsOn::Rounds };
            Effect::of(quantity, &Ok(change))
        };
        for (lo, hi, rate, latency) in [
            (0.01, 0.2, Effect::Better, Effect::Worse),
            (-0.2, -0.01, Effect::Worse, Effect::Better),
            (0.001, 0.01, Effect::Better, Effect::Worse),
            (-0.04, 0.05, Effect::Alike, Effect::Alike),
            (-0.05, 0.0, Effect::Alike, Effect::Alike),
            (-0.01, 0.06, Effect::Undecided(Doubt::Wide), Effect::Undecided(Doubt::Wide)),
            (-0.06, 0.01, Effect::Undecided(Doubt::Wide), Effect::Undecided(Doubt::Wide)),
            (-0.897, 8.725, Effect::Undecided(Doubt::Wide), Effect::Undecided(Doubt::Wide)),
        ] {
            assert_eq!((of(RATE, lo, hi), of(P99, lo, hi)), (rate, latency), "{lo} {hi}");
        }
        for doubt in [Doubt::FewRounds, Doubt::Invalid] {
            assert_eq!(Effect::of(RATE, &Err(doubt)), Effect::Undecided(doubt));
        }
    }
}
