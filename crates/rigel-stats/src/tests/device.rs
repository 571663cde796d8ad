//! Simulated devices whose mean rate is known to be 1 at every point, with the kinds of noise that real ones have.

use super::Noise;

/// Resolution of the noise.
pub const STEP_NS: u64 = 100_000_000;
const STEP_S: f64 = 0.1;

/// Noise that all points have in common, on one axis of time.
#[derive(Clone, Copy, Debug)]
pub enum CommonNoise {
    None,
    /// An AR(1) process.
    Memory {
        tau_s: f64,
        sd: f64,
    },
    /// A neighbour that lowers the rate to `level` for `on_s` after every `off_s`, on average.
    Neighbour {
        level: f64,
        on_s: f64,
        off_s: f64,
    },
    /// Stops of exponential length.
    Stalls {
        per_s: f64,
        mean_s: f64,
    },
}

#[derive(Clone, Copy, Debug)]
pub struct Environment {
    pub name: &'static str,
    pub shared: CommonNoise,
    /// Relative standard deviation between visits.
    pub between: f64,
    /// Points differ in `between` by up to this factor, either way.
    pub unequal: f64,
    /// Relative standard deviation of a step.
    pub white: f64,
    /// The rate starts at 1 + start_up and settles with tau_s.
    pub start_up: f64,
    pub tau_s: f64,
}

const QUIET: Environment = Environment {
    name: "quiet NVMe",
    shared: CommonNoise::None,
    between: 0.003,
    unequal: 1.0,
    white: 0.02,
    start_up: 0.0,
    tau_s: 0.3,
};
const BETWEEN: Environment = Environment {
    name: "between-visit SD 2 %",
    shared: CommonNoise::Memory { tau_s: 0.1, sd: 0.05 },
    between: 0.02,
    white: 0.03,
    ..QUIET
};
const NOISY: Environment = Environment { between: 0.005, white: 0.03, ..QUIET };

pub const ENVIRONMENTS: [Environment; 12] = [
    QUIET,
    BETWEEN,
    Environment { name: "the same, unequal (/3..x3)", unequal: 3.0, ..BETWEEN },
    Environment { name: "AR tau 1 s, 5 %", shared: CommonNoise::Memory { tau_s: 1.0, sd: 0.05 }, ..NOISY },
    Environment { name: "AR tau 5 s, 3 %", shared: CommonNoise::Memory { tau_s: 5.0, sd: 0.03 }, ..NOISY },
    Environment { name: "AR tau 30 s, 5 %", shared: CommonNoise::Memory { tau_s: 30.0, sd: 0.05 }, ..NOISY },
    Environment {
        name: "neighbour x0.7, 10 s of 40 s",
        shared: CommonNoise::Neighbour { level: 0.7, on_s: 10.0, off_s: 30.0 },
        ..NOISY
    },
    Environment {
        name: "stalls 0.2/s, mean 100 ms",
        shared: CommonNoise::Stalls { per_s: 0.2, mean_s: 0.1 },
        ..NOISY
    },
    Environment { name: "warm-up -30 %, tau 0.3 s", between: 0.01, start_up: -0.3, ..BETWEEN },
    Environment {
        name: "tau 3 s 8 % + SD 6 %",
        shared: CommonNoise::Memory { tau_s: 3.0, sd: 0.08 },
        between: 0.06,
        white: 0.05,
        ..QUIET
    },
    Environment { name: "warm-up -30 %, tau 1.5 s", between: 0.01, start_up: -0.3, tau_s: 1.5, ..BETWEEN },
    Environment { name: "warm-up -30 %, tau 20 s", between: 0.01, start_up: -0.3, tau_s: 20.0, ..BETWEEN },
];

/// A device that is being measured.
pub struct Device {
    environment: Environment,
    noise: Noise,
    /// Of the shared noise: its value, and how long it will stay (neighbour) or how much stall is left.
    value: f64,
    left_s: f64,
    steps: u64,
    /// Standard deviation between visits of each point.
    between: Vec<f64>,
}

impl Device {
    pub fn new(environment: Environment, points: usize, seed: u64) -> Self {
        let mut noise = Noise::new(seed);
        let Environment { between, unequal, shared, .. } = environment;
        let value = match shared {
            CommonNoise::Memory { sd, .. } => sd * noise.normal(),
            CommonNoise::Neighbour { on_s, off_s, .. } => f64::from(noise.uniform() < on_s / (on_s + off_s)),
            _ => 0.0,
        };
        let between = (0..points).map(|_| between * unequal.powf(2.0 * noise.uniform() - 1.0)).collect();
        Self { environment, noise, value, left_s: 0.0, steps: 0, between }
    }

    /// The shared factor of the next step.
    fn step(&mut self) -> f64 {
        self.steps += 1;
        match self.environment.shared {
            CommonNoise::None => 1.0,
            CommonNoise::Memory { tau_s, sd } => {
                let keep = (-STEP_S / tau_s).exp();
                self.value = keep * self.value + sd * (1.0 - keep * keep).sqrt() * self.noise.normal();
                1.0 + self.value
            }
            CommonNoise::Neighbour { level, on_s, off_s } => {
                self.left_s -= STEP_S;
                if self.left_s <= 0.0 {
                    self.value = 1.0 - self.value;
                    self.left_s = self.noise.exponential() * if self.value > 0.5 { on_s } else { off_s };
                }
                let mean = (off_s + level * on_s) / (on_s + off_s);
                if self.value > 0.5 { level / mean } else { 1.0 / mean }
            }
            CommonNoise::Stalls { per_s, mean_s } => {
                if self.noise.uniform() < per_s * STEP_S {
                    self.left_s += mean_s * self.noise.exponential();
                }
                let stalled = self.left_s.min(STEP_S);
                self.left_s -= stalled;
                (1.0 - stalled / STEP_S) / (1.0 - per_s * mean_s)
            }
        }
    }

    /// Lets time pass until `now_ns`.
    fn pass(&mut self, now_ns: u64) {
        while self.steps * STEP_NS < now_ns {
            self.step();
        }
    }

    /// The rate per step of a visit to `point` from `now_ns` on.
    pub fn visit(&mut self, point: usize, now_ns: u64, length_ns: u64) -> Vec<f64> {
        self.pass(now_ns);
        let Environment { white, start_up, tau_s, .. } = self.environment;
        let level = 1.0 + self.between[point] * self.noise.normal();
        let mut settling = start_up;
        let step = |_| {
            let rate = level * self.step() * (1.0 + white * self.noise.normal()) * (1.0 + settling);
            settling *= (-STEP_S / tau_s).exp();
            rate
        };
        (0..length_ns / STEP_NS).map(step).collect()
    }
}
