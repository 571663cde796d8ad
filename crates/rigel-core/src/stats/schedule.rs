//! Which visit comes next: rounds over all points in random order, rests between visits to one point, when to stop.
//!
//! A state machine without a clock: the caller says what time it is, makes the visit and says when it ended. The same
//! seed and the same times give the same order, so a run can be replayed from its record. Visits to one point lie
//! apart in time and in random company (randomised multiple interleaved trials: Abedi, Brecht 2017), so that noise
//! with a memory looks like noise. Must not know rates: whether a point is done is for [`super::look`] to say.

mod random;
mod step;

pub use step::{LongVisit, Next, Phase, Purpose, Reason, VisitOrder};

use super::parameters::Parameters;
use crate::load::draw::Generator;
use random::{draw, shuffle};
use std::collections::{BTreeMap, BTreeSet};

/// So many random orders are looked at for one in which nobody waits: of 17 points about one in 25 is such.
const ORDERS_TRIED: usize = 300;

/// The state of an adaptive run.
#[derive(Clone, Debug)]
pub struct Schedule {
    parameters: Parameters,
    generator: Generator,
    phases: Vec<Phase>,
    /// Which phase is being measured.
    phase: usize,
    long_visits_done: usize,
    /// Rounds of this phase that are complete.
    rounds: u32,
    /// Whether the last round has been looked at.
    looked: bool,
    /// What is left of this round, last first.
    order: Vec<usize>,
    /// What the caller was told to do and has not done yet.
    pending: Option<Next>,
    reached: BTreeSet<usize>,
    /// Visits to each point, long ones not counted.
    visits: BTreeMap<usize, u32>,
    last_ended_ns: BTreeMap<usize, u64>,
    /// Of the slowest class of each point, in I/Os per second, to size its visits.
    slowest_rates: BTreeMap<usize, f64>,
    not_before_ns: u64,
    gap_factor: u64,
    /// Measured part of later visits, unless a point is too slow for it.
    measure_ns: u64,
}

impl Schedule {
    /// An adaptive run of `phases`, in that order. Phases without points are passed over.
    #[must_use]
    pub const fn new(phases: Vec<Phase>, parameters: Parameters, generator: Generator) -> Self {
        Self {
            parameters,
            generator,
            phases,
            phase: 0,
            long_visits_done: 0,
            rounds: 0,
            looked: false,
            order: Vec::new(),
            pending: None,
            reached: BTreeSet::new(),
            visits: BTreeMap::new(),
            last_ended_ns: BTreeMap::new(),
            slowest_rates: BTreeMap::new(),
            not_before_ns: 0,
            gap_factor: 1,
            measure_ns: parameters.measure_ns,
        }
    }

    /// What to do at `now_ns`. Until that was carried out, asking again gives the same answer, but for waiting.
    pub fn next(&mut self, now_ns: u64) -> Next {
        if let Some(step) = self.pending {
            return step;
        }
        let step = self.decide(now_ns);
        self.pending = (!matches!(step, Next::Wait(_))).then_some(step);
        step
    }

    /// The visit that was asked for ended at `ended_ns`. `slowest_rate` is the I/Os per second of its slowest class:
    /// later visits to the point are made long enough for it.
    pub fn finished(&mut self, ended_ns: u64, slowest_rate: f64) {
        let Some(Next::Visit(order)) = self.pending.take_if(|step| matches!(step, Next::Visit(_))) else {
            return;
        };
        self.last_ended_ns.insert(order.point, ended_ns);
        self.slowest_rates.insert(order.point, slowest_rate);
        if order.purpose != Purpose::Long {
            *self.visits.entry(order.point).or_insert(0) += 1;
        }
        match order.purpose {
            Purpose::Long => self.long_visits_done += 1,
            Purpose::FillsGap => {}
            Purpose::Round(_) => {
                self.order.pop();
                self.looked = false;
                self.rounds += u32::from(self.order.is_empty());
            }
        }
    }

    /// The look that was asked for found that `is_done` holds for these points of the phase, and for no others. A point
    /// that was done and is so no longer is visited again, if it has visits left: what others show, such as rare visits
    /// far off, can widen its interval.
    pub fn looked(&mut self, is_done: impl Fn(usize) -> bool) {
        if self.pending.take_if(|step| *step == Next::Look).is_some() {
            self.looked = true;
            let (done, open): (Vec<usize>, Vec<usize>) = self.members().partition(|&point| is_done(point));
            self.reached.extend(done);
            open.iter().for_each(|point| _ = self.reached.remove(point));
        }
    }

    /// Doubles the rests from now on: visits that lie a rest apart were found to be alike. A second call does nothing.
    pub const fn double_gap(&mut self) {
        self.gap_factor = 2;
    }

    /// Visits of `visit_ns`, settling included (0: of any length), were too short for every settling time: later ones get
    /// the next of [`Parameters::visit_lengths`], if there is one. Saying so again of the same visits changes nothing.
    ///
    /// Longer visits come to count once each point has as many as come before the first look. Where the visits left are
    /// too few for it, they stay as they are; where they are too few to try all lengths, the first ones are passed over.
    pub fn lengthen(&mut self, visit_ns: u64) {
        let lengths = self.parameters.visit_lengths();
        let judged_ns = visit_ns.max(lengths.first().copied().unwrap_or(0));
        if self.parameters.settle_ns.saturating_add(self.measure_ns) > judged_ns {
            return;
        }
        let longer: Vec<u64> = lengths.into_iter().filter(|&length| length > judged_ns).collect();
        let changes = self.lengths_left();
        if let Some(length) = longer.get(longer.len().saturating_sub(changes)) {
            self.measure_ns = length - self.parameters.settle_ns;
        }
    }

    /// So many more lengths can come to count, one after the other, with the visits that every point has left.
    fn lengths_left(&self) -> usize {
        let left = |point: usize| {
            self.parameters.most_visits.saturating_sub(self.visits.get(&point).copied().unwrap_or(0))
        };
        let fewest = self.members().map(left).min().unwrap_or(0);
        let each = self.parameters.first_look(self.size()).max(1);
        usize::try_from(fewest / each).unwrap_or(usize::MAX)
    }

    /// Time that is surely still needed: the long visits, the rounds up to the next look, the later phases up to their
    /// first one; rests are not counted.
    #[must_use]
    pub fn expected_ns(&self) -> u64 {
        let visit = self.parameters.settle_ns + self.measure_ns;
        let long_visits = |phase: &Phase, done: usize| -> u64 {
            phase.long_visits.iter().skip(done).map(|long| self.parameters.settle_ns + long.measure_ns).sum()
        };
        let later = self.phases.iter().skip(self.phase + 1).map(|phase| {
            let rounds = self.parameters.first_look(phase.points.len());
            self.parameters.pause_ns
                + long_visits(phase, 0)
                + visit * u64::from(rounds) * phase.points.len() as u64
        });
        let now = self.phases.get(self.phase).map_or(0, |phase| {
            let live = self.live().len() as u64;
            let rounds = self.parameters.first_look(phase.points.len()).saturating_sub(self.rounds);
            let begun = u64::from(!self.order.is_empty());
            let whole = u64::from(rounds).saturating_sub(begun) * live;
            long_visits(phase, self.long_visits_done) + visit * (whole + self.order.len() as u64)
        });
        now + later.sum::<u64>()
    }

    /// Which phase is being measured; the number of phases once all are over.
    #[must_use]
    pub const fn phase(&self) -> usize {
        self.phase
    }

    /// Points that were not found to be done, of all phases.
    #[must_use]
    pub fn unreached(&self) -> Vec<usize> {
        let all = self.phases.iter().flat_map(|phase| &phase.points);
        all.copied().filter(|point| !self.reached.contains(point)).collect()
    }

    fn decide(&mut self, now_ns: u64) -> Next {
        loop {
            let Some(phase) = self.phases.get(self.phase) else {
                let all = self.unreached().is_empty();
                return Next::Done(if all { Reason::Reached } else { Reason::MostVisits });
            };
            if self.parameters.time_limit_ns.is_some_and(|limit| now_ns >= limit) {
                return Next::Done(Reason::OutOfTime);
            }
            if now_ns < self.not_before_ns {
                return Next::Wait(self.not_before_ns - now_ns);
            }
            if let Some(long) = phase.long_visits.get(self.long_visits_done) {
                let LongVisit { point, measure_ns } = *long;
                return Next::Visit(VisitOrder { point, measure_ns, purpose: Purpose::Long });
            }
            if let Some(&point) = self.order.last() {
                return self.visit_or_rest(point, now_ns);
            }
            if let Some(step) = self.between_rounds(now_ns) {
                return step;
            }
        }
    }

    /// Looks, ends the phase or draws the next round.
    fn between_rounds(&mut self, now_ns: u64) -> Option<Next> {
        let first_look = self.parameters.first_look(self.size());
        if self.rounds >= first_look && !self.looked {
            return Some(Next::Look);
        }
        if self.live().is_empty() {
            let latest = self.last_ended_ns.values().max().copied();
            self.not_before_ns = latest.map_or(0, |latest| latest + self.parameters.pause_ns);
            self.phase += 1;
            self.long_visits_done = 0;
            self.rounds = 0;
            return None;
        }
        self.order = self.draw_order(now_ns);
        None
    }

    /// A random order of the live points. Of the orders in which no point has to wait for its rest one is as likely as
    /// any other; where there is hardly such an order (few points), any order will do, and the rests are waited for.
    fn draw_order(&mut self, now_ns: u64) -> Vec<usize> {
        let mut order = self.live();
        shuffle(&mut order, &mut self.generator);
        let first = order.clone();
        for _ in 0..ORDERS_TRIED {
            if self.waits_for_nobody(&order, now_ns) {
                return order;
            }
            shuffle(&mut order, &mut self.generator);
        }
        first
    }

    /// Whether every point, visited in this order (last first), will have had its rest when its turn comes.
    fn waits_for_nobody(&self, order: &[usize], now_ns: u64) -> bool {
        let visit_ns = self.parameters.settle_ns + self.measure_ns;
        let gap_ns = self.parameters.gap_for(self.size()) * self.gap_factor;
        let mut starts = (0u64..).map(|turn| now_ns.saturating_add(turn.saturating_mul(visit_ns)));
        order.iter().rev().all(|point| {
            let start_ns = starts.next().unwrap_or(now_ns);
            self.last_ended_ns.get(point).is_none_or(|ended_ns| ended_ns + gap_ns <= start_ns)
        })
    }

    /// The next visit of the round; while its point needs rest, one to a point that has no rounds left to make; else the
    /// rest.
    fn visit_or_rest(&mut self, point: usize, now_ns: u64) -> Next {
        let rest = self.rest_ns(point, now_ns);
        if rest == 0 {
            return self.visit(point, Purpose::Round(self.rounds));
        }
        let idle = self.members().filter(|&other| !self.is_live(other));
        let rested: Vec<usize> = idle.filter(|&other| self.rest_ns(other, now_ns) == 0).collect();
        match draw(&rested, &mut self.generator) {
            Some(other) => self.visit(other, Purpose::FillsGap),
            None => Next::Wait(rest),
        }
    }

    fn visit(&self, point: usize, purpose: Purpose) -> Next {
        let known = self.slowest_rates.get(&point);
        let measure_ns =
            known.map_or(self.measure_ns, |&rate| self.parameters.measure_for(self.measure_ns, rate));
        Next::Visit(VisitOrder { point, measure_ns, purpose })
    }

    /// How long a point must still rest.
    fn rest_ns(&self, point: usize, now_ns: u64) -> u64 {
        let gap = self.parameters.gap_for(self.size()) * self.gap_factor;
        self.last_ended_ns.get(&point).map_or(0, |ended| (ended + gap).saturating_sub(now_ns))
    }

    fn members(&self) -> impl Iterator<Item = usize> + '_ {
        self.phases.get(self.phase).into_iter().flat_map(|phase| &phase.points).copied()
    }

    fn size(&self) -> usize {
        self.members().count()
    }

    /// Points of this phase that are not done and have visits left.
    fn live(&self) -> Vec<usize> {
        self.members().filter(|&point| self.is_live(point)).collect()
    }

    fn is_live(&self, point: usize) -> bool {
        let made = self.visits.get(&point).copied().unwrap_or(0);
        !self.reached.contains(&point) && made < self.parameters.most_visits
    }
}

#[cfg(test)]
mod tests;
