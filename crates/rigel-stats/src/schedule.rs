//! Which visit comes next: rounds over all points in random order, rests between visits to one point, when to stop.
//!
//! This is a state machine without a clock: the caller says what time it is, makes the visit and says when it
//! ended. The same seed and the same times give the same order, so a run can be replayed from its record. Visits to
//! one point are separated in time, and the visits between them are random (randomised multiple interleaved trials:
//! Abedi, Brecht 2017). So correlated noise acts like independent noise. Must not judge rates: `stats::look`
//! decides whether a point is done.

mod forecast;
mod step;

pub use forecast::Outlook;
pub use step::{LongVisit, Next, Phase, Purpose, Reason, VisitOrder};

use super::parameters::Parameters;
use crate::generator::Generator;
use std::collections::{BTreeMap, BTreeSet};

/// Number of random orders that are tried to find one without waiting. With 17 points about one order in 25 has none.
const ORDERS_TRIED: usize = 300;

/// Separates the random numbers of the schedule from all others of the run's seed.
const STREAM: [u64; 2] = [u64::MAX, 1];

/// The state of an adaptive run.
#[derive(Clone, Debug)]
pub struct Schedule {
    parameters: Parameters,
    generator: Generator,
    phases: Vec<Phase>,
    phase: usize,
    long_visits_done: usize,
    /// Rounds of this phase that are complete.
    rounds: u32,
    looked: bool,
    /// The rest of this round, in reverse order.
    order: Vec<usize>,
    /// The answer of the last call of `next`, until the caller has carried it out.
    pending: Option<Next>,
    reached: BTreeSet<usize>,
    /// Visits to each point, long ones not counted.
    visits: BTreeMap<usize, u32>,
    last_ended_ns: BTreeMap<usize, u64>,
    /// Rate of the slowest class of each point, in I/Os per second. It sets the length of the visits.
    slowest_rates: BTreeMap<usize, f64>,
    not_before_ns: u64,
    gap_factor: u64,
    /// Measured part of later visits, unless a point is too slow for it.
    measure_ns: u64,
}

impl Schedule {
    /// An adaptive run of `phases`, in that order. Phases without points are skipped.
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

    /// The schedule of the run with that seed.
    pub fn of_run(phases: Vec<Phase>, parameters: Parameters, seed: u64) -> Self {
        Self::new(phases, parameters, Generator::new(seed, &STREAM))
    }

    /// Says what to do at `now_ns`. The answer stays the same until it was carried out; only a wait is recomputed.
    pub fn next(&mut self, now_ns: u64) -> Next {
        if let Some(step) = self.pending {
            return step;
        }
        let step = self.decide(now_ns);
        self.pending = (!matches!(step, Next::Wait(_))).then_some(step);
        step
    }

    /// The visit that was requested ended at `ended_ns`. `slowest_rate` is the I/Os per second of its slowest class:
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

    /// Takes the result of a look: `is_done` holds for the points of the phase that are done. A point may lose this
    /// state, because visits to other points can widen its interval (rare outliers). It is then visited again, if
    /// it has visits left.
    pub fn looked(&mut self, is_done: impl Fn(usize) -> bool) {
        if self.pending.take_if(|step| *step == Next::Look).is_some() {
            self.looked = true;
            let (done, open): (Vec<usize>, Vec<usize>) = self.members().partition(|&point| is_done(point));
            self.reached.extend(done);
            open.iter().for_each(|point| _ = self.reached.remove(point));
        }
    }

    /// Doubles the rests from now on. The caller found that visits one rest apart are correlated. A second call
    /// does nothing.
    pub const fn double_gap(&mut self) {
        self.gap_factor = 2;
    }

    /// Makes later visits longer. The caller found that visits of `visit_ns` (settling included; 0: of any length)
    /// are too short for every settling time. Later visits get the next of `Parameters::visit_lengths`, if there
    /// is one. A second call about the same visits changes nothing.
    ///
    /// Longer visits count once each point has as many of them as come before the first look. If too few visits are
    /// left for that, the length stays. If too few are left to try every length, the shortest ones are skipped.
    pub fn lengthen(&mut self, visit_ns: u64) {
        let lengths = self.parameters().visit_lengths();
        let judged_ns = visit_ns.max(lengths.first().copied().unwrap_or(0));
        if self.parameters().settle_ns.saturating_add(self.measure_ns) > judged_ns {
            return;
        }
        let longer: Vec<u64> = lengths.into_iter().filter(|&length| length > judged_ns).collect();
        let changes = self.lengths_left();
        if let Some(length) = longer.get(longer.len().saturating_sub(changes)) {
            self.measure_ns = length - self.parameters().settle_ns;
        }
    }

    /// How many more lengths can be tried one after the other. Each needs, at every point, the visits of a first look.
    fn lengths_left(&self) -> usize {
        let left = |point: usize| self.parameters().most_visits.saturating_sub(self.visits_to(point));
        let fewest = self.members().map(left).min().unwrap_or(0);
        let each = self.parameters().first_look(self.size()).max(1);
        usize::try_from(fewest / each).unwrap_or(usize::MAX)
    }

    /// Which phase is being measured; the number of phases once all are over.
    pub const fn phase(&self) -> usize {
        self.phase
    }

    /// Rounds of this phase that are complete.
    pub const fn rounds(&self) -> u32 {
        self.rounds
    }

    /// Visits to a point so far, long ones not counted.
    pub fn visits_to(&self, point: usize) -> u32 {
        self.visits.get(&point).copied().unwrap_or(0)
    }

    /// The points of all phases that need more visits.
    pub fn unreached(&self) -> Vec<usize> {
        let all = self.phases.iter().flat_map(|phase| &phase.points);
        all.copied().filter(|point| !self.reached.contains(point)).collect()
    }

    fn decide(&mut self, now_ns: u64) -> Next {
        loop {
            if self.phase >= self.phases.len() {
                let all = self.unreached().is_empty();
                return Next::Done(if all { Reason::Reached } else { Reason::MostVisits });
            }
            if self.time_limit_ns().is_some_and(|limit| now_ns >= limit) {
                return Next::Done(Reason::OutOfTime);
            }
            if self.has_to_end(now_ns) {
                self.end_phase();
                continue;
            }
            if now_ns < self.not_before_ns {
                return Next::Wait(self.not_before_ns - now_ns);
            }
            if let Some(LongVisit { point, measure_ns }) = self.next_long_visit() {
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

    fn next_long_visit(&self) -> Option<LongVisit> {
        self.phases.get(self.phase)?.long_visits.get(self.long_visits_done).copied()
    }

    /// Asks for a look, ends the phase or draws the next round.
    fn between_rounds(&mut self, now_ns: u64) -> Option<Next> {
        let first_look = self.parameters().first_look(self.size());
        if self.rounds >= first_look && !self.looked {
            return Some(Next::Look);
        }
        if self.live().is_empty() {
            self.end_phase();
            return None;
        }
        self.order = self.draw_order(now_ns);
        None
    }

    /// Whether the phase has had its time. Each of its points has a visit, and the phases after it need the rest.
    fn has_to_end(&self, now_ns: u64) -> bool {
        let is_over = self.parameters().time_limit_ns.is_some_and(|limit| now_ns >= limit);
        is_over && self.members().all(|point| self.visits_to(point) > 0)
    }

    fn end_phase(&mut self) {
        let latest = self.last_ended_ns.values().max().copied();
        self.not_before_ns = latest.map_or(0, |latest| latest + self.parameters().pause_ns);
        self.phase += 1;
        self.long_visits_done = 0;
        self.rounds = 0;
        self.order.clear();
        if let Some(own) = self.phases.get(self.phase).and_then(|phase| phase.own) {
            self.measure_ns = own.measure_ns;
            self.gap_factor = 1;
        }
    }

    /// The numbers that steer the phase.
    fn parameters(&self) -> Parameters {
        *self.phases.get(self.phase).map_or(&self.parameters, |phase| phase.parameters(&self.parameters))
    }

    /// When the whole run is over.
    fn time_limit_ns(&self) -> Option<u64> {
        self.phases.last().map_or(&self.parameters, |last| last.parameters(&self.parameters)).time_limit_ns
    }

    /// A random order of the live points. It is uniform over the orders in which no point has to wait for its rest.
    /// With few points there may be no such order; then any order is taken, and the schedule waits.
    fn draw_order(&mut self, now_ns: u64) -> Vec<usize> {
        let mut live = self.live();
        self.generator.shuffle(&mut live);
        let first = self.beside(&live);
        let mut order = first.clone();
        for _ in 0..ORDERS_TRIED {
            if self.waits_for_nobody(&order, now_ns) {
                return order;
            }
            self.generator.shuffle(&mut live);
            order = self.beside(&live);
        }
        first
    }

    /// The same order, with the points of a pair beside each other: where the first of them stands.
    fn beside(&self, order: &[usize]) -> Vec<usize> {
        let pairs = self.phases.get(self.phase).map_or(&[][..], |phase| &phase.pairs);
        if pairs.is_empty() {
            return order.to_vec();
        }
        let of = |&[a, b]: &[usize; 2]| [(a, b), (b, a)];
        let twins: BTreeMap<usize, usize> = pairs.iter().flat_map(of).collect();
        let live: BTreeSet<usize> = order.iter().copied().collect();
        let mut placed = BTreeSet::new();
        let with_twin = |&point: &usize| [Some(point), twins.get(&point).copied()];
        let all = order.iter().flat_map(with_twin).flatten();
        all.filter(|&point| live.contains(&point) && placed.insert(point)).collect()
    }

    /// Whether every point will have had its rest when its turn comes. The order is reversed: the last is visited
    /// first.
    fn waits_for_nobody(&self, order: &[usize], now_ns: u64) -> bool {
        let visit_ns = self.parameters().settle_ns + self.measure_ns;
        let gap_ns = self.parameters().gap_for(self.size()) * self.gap_factor;
        let mut starts = (0u64..).map(|turn| now_ns.saturating_add(turn.saturating_mul(visit_ns)));
        order.iter().rev().all(|point| {
            let start_ns = starts.next().unwrap_or(now_ns);
            self.last_ended_ns.get(point).is_none_or(|ended_ns| ended_ns + gap_ns <= start_ns)
        })
    }

    /// The next visit of the round. While its point needs rest, a visit to a point that is done fills the gap;
    /// without such a point, the rest itself.
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
            known.map_or(self.measure_ns, |&rate| self.parameters().measure_for(self.measure_ns, rate));
        Next::Visit(VisitOrder { point, measure_ns, purpose })
    }

    /// How long a point must still rest.
    fn rest_ns(&self, point: usize, now_ns: u64) -> u64 {
        let gap = self.parameters().gap_for(self.size()) * self.gap_factor;
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
        !self.reached.contains(&point) && self.visits_to(point) < self.parameters().most_visits
    }
}

/// One of `items`, uniformly; draws nothing from the generator when there is none.
fn draw(items: &[usize], generator: &mut Generator) -> Option<usize> {
    let last = items.len().checked_sub(1)?;
    items.get(generator.index(last)).copied()
}

#[cfg(test)]
mod tests;
