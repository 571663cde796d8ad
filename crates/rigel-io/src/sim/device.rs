//! The service stations of the simulated device.

use rigel_core::draw::Generator;
use rigel_core::sim_law::{ServiceTime, SimLaw};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// k parallel stations with one queue in front.
#[derive(Debug)]
pub struct Stations {
    law: SimLaw,
    free_at: BinaryHeap<Reverse<u64>>,
    generator: Generator,
}

impl Stations {
    /// All stations free at time 0.
    pub fn new(law: SimLaw, seed: u64) -> Self {
        let free_at = (0..law.servers).map(|_| Reverse(0)).collect();
        Self { law, free_at, generator: Generator::new(seed, &[u64::from(law.servers)]) }
    }

    /// Takes an I/O that arrives at `now_ns`; returns when it is done. The station that is free first serves it.
    pub fn serve(&mut self, now_ns: u64, io_bytes: u64) -> u64 {
        let Reverse(free) = self.free_at.pop().unwrap_or(Reverse(now_ns));
        let done = free.max(now_ns).saturating_add(self.service_ns(io_bytes));
        self.free_at.push(Reverse(done));
        done
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a positive time, rounded; saturates"
    )]
    fn service_ns(&mut self, io_bytes: u64) -> u64 {
        let mean = self.law.service_ns(io_bytes);
        let drawn = match self.law.spread {
            ServiceTime::Constant => mean,
            ServiceTime::Exponential => -mean * self.generator.unit().ln(),
        };
        drawn.round().max(1.0) as u64
    }
}
