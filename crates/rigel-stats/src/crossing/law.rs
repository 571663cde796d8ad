//! What is known about the ratios of a bound before a visit: how they bend over the rate, and how much they vary at least.
//!
//! Must not know the visits.

/// How a curve bends where it crosses, relative to its slope there: each a mean and a standard deviation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guess {
    /// The second derivative over the square of the slope.
    pub bend: [f64; 2],
    /// The third one over its cube.
    pub turn: [f64; 2],
}

impl Guess {
    /// As little as the square and the cube of the slope say.
    pub const NONE: Self = Self { bend: [0.0, 1.0], turn: [0.0, 1.0] };
}

/// What is known about the ratios beforehand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Law {
    /// The share that is allowed, which a ratio of 1 stands for; 0 where it is no share.
    pub allowed: f64,
    /// The least factor by which the counts vary more than chance makes them.
    pub least_spread: f64,
    /// How it bends.
    pub guess: Guess,
    /// Whether what makes it rise is a queue, which remembers.
    pub queues: bool,
}

impl Law {
    /// By what factor counts of a queue vary more than chance makes them, where the logarithm of the odds rises by `slope` from a rate to
    /// twice that rate; with its growth above that rate and below it. It is what a reflected Brownian motion does, to which queues
    /// near saturation come close: slow I/Os come in periods, the longer and the rarer the less the rate may grow. Visits
    /// that saw none of these periods do not show how much visits vary. Far below, service alone makes I/Os slow.
    pub(super) fn memory(self, slope: f64) -> [f64; 3] {
        if !self.queues {
            return [0.0; 3];
        }
        let left = 1.0 - self.allowed;
        let waits = if self.allowed > 0.0 { -self.allowed.ln() } else { 1.0 };
        let root = 2.0 * slope * left / waits;
        [root.powi(2) * (1.0 - self.allowed * waits / left), root, root + slope]
    }
}
