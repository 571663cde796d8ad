//! One quantity over all loads: what the verdict is about.
//!
//! Must not word it.

use super::{CONFIDENCE, PairedRates, rounds};
use crate::compare::change::{Change, Doubt, RestsOn};
use crate::compare::comparison::Row;
use crate::compare::effect::Effect;
use rigel_core::judge::quantity::Quantity;
use rigel_core::load::matrix::Point;
use rigel_core::stats::sample::count;
use rigel_core::stats::turns::{Ratio, Turn, overall};
use rigel_core::stats::{Estimate, Interval};

/// The geometric mean of the ratios of all loads.
#[derive(Clone, Debug, PartialEq)]
pub struct OverallRatio {
    /// The quantity.
    pub quantity: Quantity,
    /// The loads, in the order of tables.
    pub loads: Vec<Point>,
    /// How much B differs, with an interval; all intervals behind the verdict hold together in 95 of 100 runs.
    pub change: Change,
    /// The verdict on that.
    pub effect: Effect,
    /// The loads whose own row certainly contradicts it: another direction, or a quantity in which the mean shows no difference.
    pub against: Vec<Point>,
    /// Number of rounds.
    pub rounds: usize,
}

impl OverallRatio {
    /// B over A with its interval, as one number of the run.
    pub fn ratio(&self) -> Estimate {
        let [log, lo, hi] = [self.change.relative, self.change.lo, self.change.hi].map(f64::ln_1p);
        let half = (hi - log).max(log - lo);
        Estimate::of_rounds(Interval::geometric(log, half, self.rounds, self.change.df))
    }
}

/// Every quantity that some load has a ratio of; those that the verdict is about hold together.
pub(super) fn of(
    all: &[PairedRates<'_>],
    rows: &[Row],
    found: &[Ratio],
    leading: &[Quantity],
) -> Vec<OverallRatio> {
    let mut quantities: Vec<Quantity> = all.iter().map(|one| one.quantity).collect();
    quantities.dedup();
    let together = quantities.iter().filter(|quantity| leading.contains(quantity)).count();
    let one = |quantity: &Quantity| of_quantity(*quantity, all, found, together);
    let mut overall: Vec<OverallRatio> = quantities.iter().filter_map(one).collect();
    overall.iter_mut().for_each(|one| one.against = against(one, rows));
    overall
}

fn of_quantity(
    quantity: Quantity,
    all: &[PairedRates<'_>],
    found: &[Ratio],
    together: usize,
) -> Option<OverallRatio> {
    let own = all.iter().zip(found).filter(|(one, _)| one.quantity == quantity && one.doubt.is_none());
    let own: Vec<(&PairedRates<'_>, &Ratio)> = own.collect();
    let turns: Vec<Vec<Turn>> = own.iter().map(|(one, _)| one.turns.clone()).collect();
    let alone = own.first().map(|(_, ratio)| &ratio.spread);
    let confidence = 1.0 - (1.0 - CONFIDENCE) / count(together.max(1));
    let interval = overall(&turns, alone, confidence)?;
    let ratio = Ratio { interval: Some(interval), spread: *alone? };
    let Interval { mean, lo95, hi95, df, visits, .. } = rounds::widened(quantity, ratio).interval?;
    let [relative, lo, hi] = [mean, lo95, hi95].map(|ratio| ratio - 1.0);
    let change = Change { relative, lo, hi, df, rests_on: RestsOn::Rounds };
    Some(OverallRatio {
        quantity,
        loads: own.iter().map(|(one, _)| one.pair.a.point.plain()).collect(),
        effect: Effect::of(quantity, &Ok::<_, Doubt>(change)),
        against: Vec::new(),
        change,
        rounds: visits,
    })
}

/// The loads that certainly differ otherwise than the mean.
fn against(overall: &OverallRatio, rows: &[Row]) -> Vec<Point> {
    let own = rows.iter().filter(|row| row.quantity == overall.quantity);
    let differs = |row: &&Row| row.verdict.is_direction() && row.verdict != overall.effect;
    own.filter(differs).filter_map(|row| row.point).collect()
}
