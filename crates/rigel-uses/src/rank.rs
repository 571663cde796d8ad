//! Storages ranked by one quantity, and how certain that order is.
//!
//! Every pair of storages has the interval of its change, as a comparison of these two has it: on logarithms, with Welch's variance and
//! Satterthwaite's degrees of freedom, from the intervals of single runs, from the differences between several, or from earlier sessions.
//! All pairs are right in 95 of 100 rankings by Bonferroni's inequality (Dunn 1961, Multiple comparisons among means, JASA 56). It
//! holds whatever the variances and degrees of freedom are and however pairs depend on each other; the studentized range of Tukey and
//! Kramer is a little narrower, and asks for one variance that all storages share, which they do not. The places that a storage may have
//! follow from these intervals, so they are right, too (Klein, Wright, Wieczorek 2020, A joint confidence region for an
//! overall ranking of populations, JRSS A 183).
//!
//! A pair that has no such interval is never told apart. Must not read a file, and must not format.

mod contenders;
mod demand;
pub mod offers;
mod subject;

pub use contenders::{Contenders, Storage};
pub use demand::{Fulfilment, Purchase};

use crate::compare::change::{self, Change, Doubt, RunQuantity};
use crate::compare::{Difference, Effect, SideUsability, standing};
use contenders::Contender;
use rigel_core::error::Problem;
use rigel_core::judge::quantity::Quantity;
use rigel_core::load::matrix::Point;
use rigel_core::stats::Estimate;
use rigel_core::stats::sessions::Sessions;

/// More have no place on a page.
pub const MOST_STORAGES: usize = 26;

/// A row of the ranking.
#[derive(Clone, Debug, PartialEq)]
pub struct RankRow {
    /// Its index among the contenders.
    pub storage: usize,
    /// Its figure, with its own interval.
    pub estimate: Estimate,
    /// Whether that may be used.
    pub usability: SideUsability,
    /// The first place that it may have, from 1: this many others and one more are certainly ahead of it.
    pub from: usize,
    /// The last place that it may have.
    pub to: usize,
}

/// Two storages, by their places among the rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The one with the better figure.
    pub ahead: usize,
    /// The storage behind.
    pub behind: usize,
    /// How much it differs from the one ahead.
    pub change: Result<Change, Doubt>,
    /// The verdict on that: worse if it is certainly behind.
    pub effect: Effect,
}

/// An order with how certain it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// The deciding quantity.
    pub quantity: Quantity,
    /// Where; `None` of a quantity of runs.
    pub point: Option<Point>,
    /// The best figure first.
    pub rows: Vec<RankRow>,
    /// Each pair of rows.
    pub pairs: Vec<Pair>,
    /// Rows that cannot be told apart from each other, two or more, in groups as large as possible.
    pub groups: Vec<Vec<usize>>,
    /// Differences between the storages besides their figures.
    pub differences: Vec<Difference>,
    /// Their rates within a bound are not ranked, as the bounds differ.
    pub has_other_bounds: bool,
    /// Storages, in the given order, that have a run in common.
    pub same_runs: Vec<(usize, usize)>,
}

impl Pair {
    /// Whether the first is certainly ahead of the second.
    pub fn is_sure(&self) -> bool {
        self.effect == Effect::Worse
    }
}

impl Ranking {
    /// Ranks storages by a quantity that all of them have, as gates name it, or by the main one.
    ///
    /// # Errors
    /// When they have nothing in common, or not that, or measured different loads and `allows_differences` is not given.
    pub fn new(
        contenders: &Contenders<'_>,
        by: Option<&str>,
        allows_differences: bool,
    ) -> Result<Self, Problem> {
        let key = subject::of(contenders, by)?;
        let (quantity, point) = key;
        let differences = contenders.differences(quantity.class);
        if !allows_differences {
            contenders.check(&differences)?;
        }
        let field = Field {
            quantity,
            numbers: contenders.all.iter().map(|one| one.numbers(&key)).collect(),
            past: contenders.all.iter().map(|one| one.past.of(quantity)).collect(),
            // The best of many is chosen among as many, as in a comparison of two.
            chosen_among: if quantity.is_chosen() { contenders.common_points(quantity.class) } else { 1 },
        };
        let is_unlike = |one: usize, other: usize| {
            is_of_unequal_levels(quantity, &contenders.all[one], &contenders.all[other])
        };
        let (rows, pairs) = field.ranked(is_unlike);
        let groups = groups(rows.len(), &pairs);
        let has_other_bounds = by.is_none() && contenders.has_other_bounds();
        let same_runs = contenders.same_runs();
        Ok(Self { quantity, point, rows, pairs, groups, differences, has_other_bounds, same_runs })
    }

    /// The pair of two rows.
    pub fn pair(&self, ahead: usize, behind: usize) -> Option<&Pair> {
        self.pairs.iter().find(|pair| (pair.ahead, pair.behind) == (ahead, behind))
    }

    /// The rows that may be as good as the first.
    pub fn rivals(&self) -> Vec<usize> {
        self.pairs.iter().filter(|pair| pair.ahead == 0 && !pair.is_sure()).map(|pair| pair.behind).collect()
    }
}

/// The better figure first; what nothing completed on, last.
fn order(quantity: Quantity, one: &RankRow, other: &RankRow) -> std::cmp::Ordering {
    let (own, others) = (one.estimate.value, other.estimate.value);
    let by_value = if quantity.more_is_better() { others.total_cmp(&own) } else { own.total_cmp(&others) };
    (own <= 0.0).cmp(&(others <= 0.0)).then(by_value).then(one.storage.cmp(&other.storage))
}

/// The figures of all storages, in the order in which these were given.
struct Field {
    quantity: Quantity,
    numbers: Vec<Vec<RunQuantity>>,
    past: Vec<Option<Sessions>>,
    /// How many load levels the best of each was chosen from.
    chosen_among: usize,
}

impl Field {
    /// The rows, the best first, and every pair of them. `is_unlike` says of two storages that their levels leave open which is better.
    fn ranked(&self, is_unlike: impl Fn(usize, usize) -> bool) -> (Vec<RankRow>, Vec<Pair>) {
        let mut rows: Vec<RankRow> = (0..self.numbers.len()).map(|storage| self.row(storage)).collect();
        rows.sort_by(|one, other| order(self.quantity, one, other));
        let places: Vec<(usize, usize)> = (0..rows.len())
            .flat_map(|ahead| (ahead + 1..rows.len()).map(move |behind| (ahead, behind)))
            .collect();
        let doubt = |&(ahead, behind): &(usize, usize)| {
            let [one, other] = [ahead, behind].map(|place| rows[place].storage);
            change::doubt(&self.numbers[one], &self.numbers[other])
                .or_else(|| is_unlike(one, other).then_some(Doubt::UnequalLevels))
        };
        let judged = places.iter().filter(|pair| doubt(pair).is_none()).count() * self.chosen_among;
        let pair = |places: &(usize, usize)| {
            let (ahead, behind) = *places;
            let [one, other] = [ahead, behind].map(|place| rows[place].storage);
            let change = doubt(places).map_or_else(|| self.change(one, other, judged), Err);
            Pair { ahead, behind, effect: Effect::of(self.quantity, &change), change }
        };
        let pairs: Vec<Pair> = places.iter().map(pair).collect();
        for pair in pairs.iter().filter(|pair| pair.is_sure()) {
            rows[pair.behind].from += 1;
            rows[pair.ahead].to -= 1;
        }
        (rows, pairs)
    }

    fn row(&self, storage: usize) -> RankRow {
        let own = &self.numbers[storage];
        RankRow {
            storage,
            estimate: change::side(own, &[]),
            usability: standing(own),
            from: 1,
            to: self.numbers.len(),
        }
    }

    fn change(&self, one: usize, other: usize, judged: usize) -> Result<Change, Doubt> {
        let past = [one, other].map(|storage| self.past[storage]);
        change::change_between_sessions(&self.numbers[one], &self.numbers[other], judged, past)
    }
}

/// Whether the best of some run was found at a level that the other storage was not given.
fn is_of_unequal_levels(quantity: Quantity, one: &Contender<'_>, other: &Contender<'_>) -> bool {
    if !quantity.is_chosen() || one.searches_levels() && other.searches_levels() {
        return false;
    }
    let misses = |one: &Contender<'_>, other: &Contender<'_>| {
        one.best_points(quantity).any(|best| !other.runs.iter().all(|run| run.points().contains(&best)))
    };
    misses(one, other) || misses(other, one)
}

/// The largest groups in which no pair can be told apart: first all together, then split at every pair that can
/// (insert and absorb, Piepho 2004, An algorithm for a letter-based representation of all-pairwise comparisons).
fn groups(rows: usize, pairs: &[Pair]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = vec![(0..rows).collect()];
    for pair in pairs.iter().filter(|pair| pair.is_sure()) {
        let holds = |group: &Vec<usize>| group.contains(&pair.ahead) && group.contains(&pair.behind);
        let (parted, mut kept): (Vec<_>, Vec<_>) = groups.into_iter().partition(holds);
        for group in parted {
            let without = |place: usize| group.iter().copied().filter(|&one| one != place).collect();
            for part in [without(pair.behind), without(pair.ahead)] as [Vec<usize>; 2] {
                let is_within = |other: &Vec<usize>| part.iter().all(|one| other.contains(one));
                if !kept.iter().any(is_within) {
                    kept.push(part);
                }
            }
        }
        groups = kept;
    }
    groups.retain(|group| group.len() > 1);
    groups.sort();
    groups
}

#[cfg(test)]
mod tests;
