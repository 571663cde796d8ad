//! The time at which a device of changing speed finishes its work.
//!
//! The speed is piecewise constant: a step of the timeline is one piece, or two when it begins with a stall. Work is
//! finished when the integral of the speed reaches it, which is exact, also over stalls. Must not know stations or queues.

use super::timeline::{SpeedStep, Timeline};
use super::whole_ns;
use rigel_core::load::class::Class;
use rigel_core::load::draw::Generator;
use rigel_core::load::matrix::Point;
use rigel_core::sim::{Ppm, SPEED_STEP_NS, SimNoise};
use rigel_core::units::to_f64;
use std::collections::VecDeque;

#[derive(Debug)]
pub(super) struct Speed {
    noise: SimNoise,
    seed: u64,
    timeline: Timeline,
    /// End of the last step drawn.
    drawn_ns: u64,
    visit: Visit,
    /// In order of time. No work can begin before the first one any longer.
    pieces: VecDeque<Piece>,
}

#[derive(Clone, Copy, Debug)]
struct Piece {
    end_ns: u64,
    /// The speed without the effect of a visit.
    shared: f64,
    /// The speed in the current visit.
    speed: f64,
}

#[derive(Clone, Copy, Debug)]
struct Visit {
    began_ns: u64,
    level: f64,
    depth: f64,
    tau_ns: f64,
}

impl Speed {
    /// From time 0 on, before the first visit.
    pub(super) fn new(noise: SimNoise, seed: u64) -> Self {
        let visit = Visit { began_ns: 0, level: 1.0, depth: 0.0, tau_ns: 1.0 };
        let timeline = Timeline::new(noise, seed);
        Self { noise, seed, timeline, drawn_ns: 0, visit, pieces: VecDeque::new() }
    }

    /// Begins a visit to a point at `now_ns`. Earlier work is unaffected.
    pub(super) fn begin_visit(&mut self, now_ns: u64, visit: u64, point: Point) {
        self.visit = Visit::draw(&self.noise, self.seed, now_ns, visit, point);
        self.forget_until(now_ns);
        let mut from_ns = now_ns;
        for piece in &mut self.pieces {
            piece.speed = piece.shared * self.visit.factor(from_ns, piece.end_ns);
            from_ns = piece.end_ns;
        }
    }

    /// The end of work that begins at `start_ns` and would take `work_ns` at speed 1. Starts must not go back in time.
    pub(super) fn finish(&mut self, start_ns: u64, work_ns: f64) -> u64 {
        self.forget_until(start_ns);
        let (mut at_ns, mut left_ns) = (start_ns, work_ns);
        let mut index = 0;
        loop {
            let Some(&Piece { end_ns, speed, .. }) = self.pieces.get(index) else {
                self.draw();
                continue;
            };
            if end_ns > at_ns {
                let can_ns = speed * to_f64(end_ns - at_ns);
                if left_ns <= can_ns {
                    return at_ns.saturating_add(whole_ns(left_ns / speed));
                }
                left_ns -= can_ns;
                at_ns = end_ns;
            }
            index += 1;
        }
    }

    fn forget_until(&mut self, now_ns: u64) {
        while self.pieces.front().is_some_and(|piece| piece.end_ns <= now_ns) {
            self.pieces.pop_front();
        }
    }

    fn draw(&mut self) {
        let SpeedStep { stalled_ns, speed } = self.timeline.step();
        let stall_ends_ns = self.drawn_ns + stalled_ns;
        let step_ends_ns = self.drawn_ns + SPEED_STEP_NS;
        for (end_ns, shared) in [(stall_ends_ns, 0.0), (step_ends_ns, speed)] {
            if end_ns > self.drawn_ns {
                let speed = shared * self.visit.factor(self.drawn_ns, end_ns);
                self.pieces.push_back(Piece { end_ns, shared, speed });
                self.drawn_ns = end_ns;
            }
        }
    }
}

impl Visit {
    /// The level of a visit depends only on the seed, its number and its point.
    fn draw(noise: &SimNoise, seed: u64, now_ns: u64, visit: u64, point: Point) -> Self {
        let others = point.without(Class::SMALL).without(Class::LARGE).classes().map(|(_, level)| level);
        let levels = [point.small(), point.large()].into_iter().chain(others).map(u64::from);
        let place: Vec<u64> = levels.collect();
        let mut of_point = Generator::new(seed, &[&[0x706f_696e_7420], &place[..]].concat());
        let mut of_visit = Generator::new(seed, &[&[0x7669_7369_7420, visit], &place[..]].concat());
        let unequal = noise.unequal.unwrap_or(Ppm::ONE).fraction();
        let sd = noise.between.fraction() * unequal.powf(2.0 * of_point.unit() - 1.0);
        let mode = noise.modes.map_or(1.0, |modes| {
            let slow = of_visit.unit() <= modes.share.fraction();
            (if slow { modes.factor.fraction() } else { 1.0 }) / modes.mean()
        });
        let level = mode * of_visit.lognormal(sd);
        let (depth, tau_ns) =
            noise.startup.map_or((0.0, 1.0), |startup| (startup.depth.fraction(), to_f64(startup.tau_ns)));
        Self { began_ns: now_ns, level, depth, tau_ns }
    }

    /// The mean factor between two times: the integral of the exponential at the start of the visit.
    fn factor(&self, from_ns: u64, to_ns: u64) -> f64 {
        if self.depth == 0.0 {
            return self.level;
        }
        let left = |at_ns: u64| (-to_f64(at_ns.saturating_sub(self.began_ns)) / self.tau_ns).exp();
        let span_ns = to_f64(to_ns.saturating_sub(from_ns).max(1));
        self.level * (1.0 + self.depth * (left(from_ns) - left(to_ns)) * self.tau_ns / span_ns)
    }
}

#[cfg(test)]
mod tests;
