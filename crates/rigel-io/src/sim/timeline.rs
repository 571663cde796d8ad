//! The speed of the simulated device over time, drawn step by step from the seed.
//!
//! Must not know the load, so the truth does not depend on the measured point. Each disturbance has a generator of its
//! own, so turning one on does not change the others.

use super::whole_ns;
use rigel_core::load::draw::{Generator, lognormal};
use rigel_core::sim::{SPEED_STEP_NS, SimNoise};
use rigel_core::units::{NS_PER_S, Nanos, to_f64};

/// A drift makes the device no slower than this.
const SLOWEST: f64 = 0.05;

/// One step of [`SPEED_STEP_NS`]: first no service at all, then service at a constant speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SpeedStep {
    /// Length of the stall at its beginning.
    pub(super) stalled_ns: u64,
    /// Speed after that; 1 is the law's.
    pub(super) speed: f64,
}

#[derive(Debug)]
pub(super) struct Timeline {
    noise: SimNoise,
    steps: u64,
    process: f64,
    white: Generator,
    memory: (Generator, f64),
    neighbour: (Generator, bool),
    stalls: (Generator, u64),
}

impl Timeline {
    /// Begins at time 0. Disturbances with a memory begin in their stationary state.
    pub(super) fn new(noise: SimNoise, seed: u64) -> Self {
        let generator = |purpose: u64| Generator::new(seed, &[0x7370_6565_6420, purpose]);
        let mut memory = generator(1);
        let level = memory.normal();
        let mut neighbour = generator(2);
        let there = noise.neighbour.is_some_and(|other| neighbour.unit() <= other.share());
        Self {
            noise,
            steps: 0,
            process: generator(4).lognormal(noise.process.fraction()),
            white: generator(0),
            memory: (memory, level),
            neighbour: (neighbour, there),
            stalls: (generator(3), 0),
        }
    }

    pub(super) fn step(&mut self) -> SpeedStep {
        let middle_ns = self.steps * SPEED_STEP_NS + SPEED_STEP_NS / 2;
        self.steps += 1;
        let drift = 1.0 + self.noise.drift.fraction() * Nanos(middle_ns).seconds() / 60.0;
        let white = self.white.lognormal(self.noise.white.fraction());
        let (stalled_ns, catching_up) = self.stall();
        let fall = self.noise.fall.map_or(1.0, |fall| fall.at(middle_ns));
        let others = self.memory() * self.neighbour() * catching_up * fall;
        SpeedStep { stalled_ns, speed: self.process * drift.max(SLOWEST) * white * others }
    }

    fn memory(&mut self) -> f64 {
        let Some(law) = self.noise.memory else { return 1.0 };
        let (generator, level) = &mut self.memory;
        let speed = lognormal(*level, law.sd.fraction());
        let keep = (-to_f64(SPEED_STEP_NS) / to_f64(law.tau_ns)).exp();
        *level = keep * *level + (1.0 - keep * keep).sqrt() * generator.normal();
        speed
    }

    /// The neighbour's times of load and rest are geometric in steps, so their means and its share are exact.
    fn neighbour(&mut self) -> f64 {
        let Some(law) = self.noise.neighbour else { return 1.0 };
        let (generator, there) = &mut self.neighbour;
        let speed = if *there { law.level.fraction() } else { 1.0 };
        let mean_ns = if *there { law.on_ns } else { law.off_ns };
        if generator.unit() * to_f64(mean_ns) <= to_f64(SPEED_STEP_NS) {
            *there = !*there;
        }
        speed / law.mean()
    }

    /// The length of the stall in this step, and the speed that makes up for stalls. At most one stall begins per step.
    fn stall(&mut self) -> (u64, f64) {
        let Some(law) = self.noise.stalls else { return (0, 1.0) };
        let (generator, left_ns) = &mut self.stalls;
        if generator.unit() * to_f64(NS_PER_S) <= law.per_s.fraction() * to_f64(SPEED_STEP_NS) {
            *left_ns += whole_ns(to_f64(law.mean_ns) * generator.exponential());
        }
        let stalled_ns = (*left_ns).min(SPEED_STEP_NS);
        *left_ns -= stalled_ns;
        (stalled_ns, 1.0 / law.mean())
    }
}
