//! Nodes that put one load on storage together: which node has which slots, streams and arrivals of a point.
//!
//! They are dealt to the nodes by their shares, and each node deals its own to its workers ([`super::split`]). A slot keeps its number, so its
//! offsets do not depend on the node. Must not know how nodes talk to each other.

use super::split;
use crate::error::Problem;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Most nodes of a run.
pub const MOST_NODES: usize = 10_000;
/// Largest share of a node: shares are small numbers, such as 2 for a node with twice as many paths.
pub const MOST_SHARE: u32 = 1000;
/// Most shares together.
const MOST_SHARES: u64 = 65_535;

/// Refuses shares by which no load can be divided; an empty list is fine.
///
/// # Errors
/// A usage problem with what would be right.
pub fn check_shares(shares: &[u32]) -> Result<(), Problem> {
    let sum: u64 = shares.iter().copied().map(u64::from).sum();
    let what = if shares.len() > MOST_NODES {
        format!("{} shares are for more than {MOST_NODES} nodes", shares.len())
    } else if let Some(share) = shares.iter().find(|&&share| share > MOST_SHARE) {
        format!("a share of {share} is above {MOST_SHARE}")
    } else if sum > MOST_SHARES {
        format!("the shares add up to {sum}, above {MOST_SHARES}")
    } else if !shares.is_empty() && sum == 0 {
        "no node has a share of the load".to_owned()
    } else {
        return Ok(());
    };
    Err(Problem::usage(what)
        .at("node_share")
        .next("give each node a small number, such as node_share = [2, 1, 1]"))
}

/// One node among those of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Team {
    /// The number of this node, from 0.
    pub node: u32,
    /// The share of each node; one entry for each.
    pub shares: Vec<u32>,
    /// The nodes have the same targets, so what one writes is kept away from the others.
    pub shared: bool,
    /// A number of the run, the same on all nodes, that identifies the verified blocks of one process; drawn if `None`.
    pub process: Option<u64>,
}

/// The part of a level that belongs to one node: some of every `of` numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deal {
    /// Its places among `of`, ascending.
    own: Vec<u64>,
    of: u64,
}

impl Default for Team {
    fn default() -> Self {
        Self { node: 0, shares: vec![1], shared: false, process: None }
    }
}

impl Team {
    /// How many nodes there are.
    pub fn nodes(&self) -> u32 {
        u32::try_from(self.shares.len()).unwrap_or(u32::MAX)
    }

    /// Whether a node is the only one.
    pub fn is_alone(&self) -> bool {
        self.shares.len() <= 1
    }

    /// The same team from the viewpoint of another node.
    #[must_use]
    pub fn seen_by(&self, node: u32) -> Self {
        Self { node, ..self.clone() }
    }

    /// The node of each number, in turn: nodes with a larger share come again. Reversed for every second class, so a point of
    /// several classes does not load the first node twice.
    fn turns(&self, place: usize) -> Vec<u32> {
        let rounds = self.shares.iter().copied().max().unwrap_or(0);
        let in_round = |round: u32| {
            (0u32..).zip(&self.shares).filter(move |&(_, &share)| round < share).map(|(node, _)| node)
        };
        let mut turns: Vec<u32> = (0..rounds).flat_map(in_round).collect();
        if !place.is_multiple_of(2) {
            turns.reverse();
        }
        turns
    }

    /// This node's part of `level` slots of the class at a place.
    pub fn deal(&self, level: u32, place: usize) -> Deal {
        self.deal_to(self.node, level, place)
    }

    fn deal_to(&self, node: u32, level: u32, place: usize) -> Deal {
        let turns = self.turns(place);
        let of = u64::from(level).clamp(1, turns.len().max(1) as u64);
        let own = (0..of).zip(turns).filter(|&(_, turn)| turn == node).map(|(number, _)| number).collect();
        Deal { own, of }
    }

    /// The most of `level` that any node may have.
    pub fn most_of(&self, level: u32) -> u32 {
        let all: u64 = self.shares.iter().copied().map(u64::from).sum();
        let share = u64::from(self.shares.iter().copied().max().unwrap_or(0));
        let (level, all) = (u64::from(level), all.max(1));
        u32::try_from(level / all * share + share.min(level % all)).unwrap_or(u32::MAX)
    }

    /// The numbers of the slots or streams of a worker of this node.
    pub fn share(&self, level: u32, place: usize, worker: u32, workers: u32) -> Vec<u32> {
        let deal = self.deal(level, place);
        let positions = split::share(deal.count(level), place, worker, workers);
        positions
            .into_iter()
            .filter_map(|position| u32::try_from(deal.number(position.into())).ok())
            .collect()
    }

    /// How many workers of all nodes take part in a level, with this many on each node.
    pub fn movers(&self, level: u32, place: usize, workers: u32) -> u32 {
        self.movers_of(0..self.nodes(), level, place, workers)
    }

    /// The number of a worker among those.
    pub fn mover(&self, level: u32, place: usize, worker: u32, workers: u32) -> Option<u32> {
        let deal = self.deal(level, place);
        let first = split::share(deal.count(level), place, worker, workers).first().copied()?;
        Some(self.movers_of(0..self.node, level, place, workers) + first)
    }

    fn movers_of(&self, nodes: Range<u32>, level: u32, place: usize, workers: u32) -> u32 {
        nodes.map(|node| workers.min(self.deal_to(node, level, place).count(level))).sum()
    }

    /// The number of a worker among those of all nodes, with this many on each, and their total.
    pub fn among_all(&self, worker: u32, workers: u32) -> (u32, u32) {
        (self.node.saturating_mul(workers).saturating_add(worker), self.nodes().saturating_mul(workers))
    }

    /// The share of a part of a shared target that this node may write.
    pub fn part_of(&self, all: &Range<u64>) -> Range<u64> {
        let sum: u64 = self.shares.iter().copied().map(u64::from).sum();
        let before: u64 = self.shares.iter().take(self.node as usize).copied().map(u64::from).sum();
        let own = self.shares.get(self.node as usize).copied().map_or(0, u64::from);
        let at = |share: u64| {
            let bytes =
                u128::from(all.end.saturating_sub(all.start)) * u128::from(share) / u128::from(sum.max(1));
            all.start.saturating_add(u64::try_from(bytes).unwrap_or(0)).min(all.end)
        };
        at(before)..at(before + own)
    }
}

impl Deal {
    /// How many of this many numbers belong to the node.
    pub fn count(&self, level: u32) -> u32 {
        let level = u64::from(level);
        let rest = self.own.iter().filter(|&&number| number < level % self.of).count() as u64;
        u32::try_from(level / self.of * self.own.len() as u64 + rest).unwrap_or(u32::MAX)
    }

    /// The number at a position among the node's own, both from 0; `None` for a node without any.
    #[inline]
    pub fn number(&self, position: u64) -> u64 {
        let each = self.own.len() as u64;
        let own =
            usize::try_from(position.checked_rem(each).unwrap_or(0)).ok().and_then(|at| self.own.get(at));
        own.map_or(u64::MAX, |own| position / each * self.of + own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn team(shares: &[u32]) -> Team {
        Team { shares: shares.to_vec(), ..Team::default() }
    }

    fn all_numbers(team: &Team, level: u32, place: usize, workers: u32) -> Vec<Vec<u32>> {
        let of = |node| {
            let team = team.seen_by(node);
            (0..workers).flat_map(|worker| team.share(level, place, worker, workers)).collect()
        };
        (0..team.nodes()).map(of).collect()
    }

    #[test]
    fn a_node_alone_deals_as_before() {
        for (level, place, workers) in [(0, 0, 1), (1, 1, 3), (7, 0, 2), (65_535, 1, 4)] {
            for worker in 0..workers {
                let own = Team::default().share(level, place, worker, workers);
                assert_eq!(own, split::share(level, place, worker, workers));
            }
        }
    }

    #[test]
    fn shares_are_kept_and_nobody_is_first_twice() {
        let two_one_one = team(&[2, 1, 1]);
        let counts = |level| all_numbers(&two_one_one, level, 0, 2).iter().map(Vec::len).collect::<Vec<_>>();
        assert_eq!(counts(8), [4, 2, 2]);
        assert_eq!(counts(1), [1, 0, 0]);
        assert_eq!(
            all_numbers(&two_one_one, 1, 1, 1),
            [vec![0], vec![], vec![]],
            "node 0 has the last turn, too"
        );
        assert_eq!(all_numbers(&team(&[1, 1]), 1, 1, 1), [vec![], vec![0]]);
        assert_eq!(
            all_numbers(&team(&[0, 1]), 3, 0, 1),
            [vec![], vec![0, 1, 2]],
            "a node that only coordinates"
        );
    }

    #[test]
    fn what_is_written_on_a_shared_target_has_one_writer() {
        let team = team(&[2, 1, 1]);
        let parts: Vec<Range<u64>> = (0..3).map(|node| team.seen_by(node).part_of(&(100..1101))).collect();
        assert_eq!(parts, [100..600, 600..850, 850..1101]);
    }

    proptest! {
        #[test]
        fn every_number_has_one_owner(shares in prop::collection::vec(0u32..4, 1..6), level in 0u32..300, place in 0usize..2, workers in 1u32..5) {
            prop_assume!(shares.iter().any(|&share| share > 0));
            let team = team(&shares);
            let mut all = all_numbers(&team, level, place, workers).concat();
            all.sort_unstable();
            prop_assert_eq!(all, (0..level).collect::<Vec<_>>());
            let most = (0..team.nodes()).map(|node| team.deal_to(node, level, place).count(level)).max();
            prop_assert!(most <= Some(team.most_of(level)), "{:?} of {}", most, level);
        }

        #[test]
        fn movers_are_numbered_without_gaps(shares in prop::collection::vec(0u32..4, 1..6), level in 0u32..40, place in 0usize..2, workers in 1u32..5) {
            prop_assume!(shares.iter().any(|&share| share > 0));
            let team = team(&shares);
            let numbers = |node| { let team = team.seen_by(node); (0..workers).filter_map(move |worker| team.mover(level, place, worker, workers)) };
            let mut all: Vec<u32> = (0..team.nodes()).flat_map(numbers).collect();
            all.sort_unstable();
            prop_assert_eq!(all, (0..team.movers(level, place, workers)).collect::<Vec<_>>());
        }

        /// The arrivals of an open loop go on forever, in steps of as many workers as have slots.
        #[test]
        fn every_arrival_has_one_owner(shares in prop::collection::vec(0u32..4, 1..5), slots in 1u32..40, place in 0usize..2, workers in 1u32..4) {
            prop_assume!(shares.iter().any(|&share| share > 0));
            let team = team(&shares);
            let mut seen = Vec::new();
            for node in 0..team.nodes() {
                let team = team.seen_by(node);
                let deal = team.deal(slots, place);
                let count = deal.count(slots);
                for worker in 0..workers {
                    let Some(first) = split::share(count, place, worker, workers).first().copied() else { continue };
                    let positions = (u64::from(first)..).step_by(workers.min(count) as usize);
                    seen.extend(positions.map(|position| deal.number(position)).take_while(|&number| number < 500));
                }
            }
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..500).collect::<Vec<_>>());
        }
    }
}
