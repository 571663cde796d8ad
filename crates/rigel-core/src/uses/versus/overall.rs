//! One quantity over all loads: what the verdict is about.
//!
//! Must not word it.

use super::{CONFIDENCE, Quantity, rounds};
use crate::load::matrix::Point;
use crate::stats::Interval;
use crate::stats::sample::count;
use crate::stats::turns::{Ratio, Turn, overall};
use crate::uses::compare::change::{Change, Doubt, RestsOn};
use crate::uses::compare::{Effect, Metric, Row};

/// The geometric mean of the ratios of all loads.
#[derive(Clone, Debug, PartialEq)]
pub struct Overall {
    /// Of which quantity.
    pub metric: Metric,
    /// The loads, in the order of tables.
    pub loads: Vec<Point>,
    /// How much B differs, with an interval; those that the verdict is about hold together in 95 of 100 runs.
    pub change: Change,
    /// What that says.
    pub effect: Effect,
    /// The loads whose own row surely says the contrary: another direction, or one where the mean shows no difference.
    pub against: Vec<Point>,
    /// Rounds behind it.
    pub rounds: usize,
}

/// Every quantity that some load has a ratio of; those that the verdict is about hold together.
pub(super) fn of(
    quantities: &[Quantity<'_>],
    rows: &[Row],
    found: &[Ratio],
    leading: &[Metric],
) -> Vec<Overall> {
    let mut metrics: Vec<Metric> = quantities.iter().map(|quantity| quantity.metric).collect();
    metrics.dedup();
    let together = metrics.iter().filter(|metric| leading.contains(metric)).count();
    let one = |metric: &Metric| of_metric(*metric, quantities, found, together);
    let mut all: Vec<Overall> = metrics.iter().filter_map(one).collect();
    all.iter_mut().for_each(|one| one.against = against(one, rows));
    all
}

fn of_metric(
    metric: Metric,
    quantities: &[Quantity<'_>],
    found: &[Ratio],
    together: usize,
) -> Option<Overall> {
    let own = quantities.iter().zip(found).filter(|(one, _)| one.metric == metric && one.doubt.is_none());
    let own: Vec<(&Quantity<'_>, &Ratio)> = own.collect();
    let turns: Vec<Vec<Turn>> = own.iter().map(|(quantity, _)| quantity.turns.clone()).collect();
    let alone = own.first().map(|(_, ratio)| &ratio.spread);
    let confidence = 1.0 - (1.0 - CONFIDENCE) / count(together.max(1));
    let interval = overall(&turns, alone, confidence)?;
    let ratio = Ratio { interval: Some(interval), spread: *alone? };
    let Interval { mean, lo95, hi95, df, visits, .. } = rounds::widened(metric, ratio).interval?;
    let [relative, lo, hi] = [mean, lo95, hi95].map(|ratio| ratio - 1.0);
    let change = Change { relative, lo, hi, df, rests_on: RestsOn::Rounds };
    Some(Overall {
        metric,
        loads: own.iter().map(|(quantity, _)| quantity.pair.a.point.plain()).collect(),
        effect: Effect::of(metric, &Ok::<_, Doubt>(change)),
        against: Vec::new(),
        change,
        rounds: visits,
    })
}

/// The loads that surely differ otherwise than the mean.
fn against(overall: &Overall, rows: &[Row]) -> Vec<Point> {
    let own = rows.iter().filter(|row| row.metric == overall.metric);
    let differs = |row: &&Row| row.verdict.is_direction() && row.verdict != overall.effect;
    own.filter(differs).filter_map(|row| row.point).collect()
}
