//! What an open loop with Poisson arrivals sees of a simulated device, by formula: the M/M/c and the M/D/c queue.
//!
//! M/M/c: Erlang C (Gross, Harris 1998, section 2.3). M/D/c: the numbers in the system one service time apart form a Markov
//! chain (Crommelin 1932); from their distribution follows that of the waiting time (Franx 2001, "A simple solution for the M/D/c
//! waiting time distribution", Operations Research Letters 29). Must not simulate.

use super::{ServiceTime, SimLaw, SimNoise};
use crate::units::{NS_PER_S, to_f64};

/// Times in the system, from the arrival to the end of the service, in nanoseconds.
#[derive(Clone, Debug)]
pub struct OpenTruth {
    service_ns: f64,
    servers: u32,
    /// Mean number of busy servers.
    busy: f64,
    waits: Waits,
}

#[derive(Clone, Debug)]
enum Waits {
    /// The probability of having to wait (Erlang C).
    Exponential(f64),
    /// The probabilities of at most this many in the system.
    Constant(Vec<f64>),
}

impl SimLaw {
    /// What Poisson arrivals of I/Os of `io_bytes` find, `per_s` of them. `None` for a rate that the device cannot serve, for
    /// a disturbed device, and for other spreads of the service time.
    pub fn truth_open(&self, per_s: f64, io_bytes: u64) -> Option<OpenTruth> {
        let service_ns = self.service_ns(io_bytes);
        let busy = per_s * service_ns / to_f64(NS_PER_S);
        if self.noise != SimNoise::default()
            || !self.by_place.is_even()
            || busy >= f64::from(self.servers)
            || busy <= 0.0
        {
            return None;
        }
        let waits = match self.spread {
            ServiceTime::Exponential => Waits::Exponential(erlang_c(self.servers, busy)),
            ServiceTime::Constant => Waits::Constant(in_system(self.servers, busy)),
            ServiceTime::Lognormal { .. } => return None,
        };
        Some(OpenTruth { service_ns, servers: self.servers, busy, waits })
    }
}

impl SimLaw {
    /// The rate of Poisson arrivals of I/Os of `io_bytes` at which a bound on the latency is just reached, by halving: at most the share
    /// `allowed` takes longer than `limit_ns`, or, without a share, the mean is not longer. `None` if the rates have no formula, and if
    /// no rate keeps the limit.
    pub fn truth_rate(&self, allowed: Option<f64>, limit_ns: u64, io_bytes: u64) -> Option<f64> {
        let keeps = |per_s: f64| {
            let truth = self.truth_open(per_s, io_bytes)?;
            Some(match allowed {
                None => truth.mean_ns() <= to_f64(limit_ns),
                Some(allowed) => truth.within_ns(to_f64(limit_ns)) >= 1.0 - allowed,
            })
        };
        let most = f64::from(self.servers) * to_f64(NS_PER_S) / self.service_ns(io_bytes);
        let (mut kept, mut broken) = (most * 1e-6, most);
        if keeps(kept) != Some(true) {
            return None;
        }
        for _ in 0..60 {
            let middle = f64::midpoint(kept, broken);
            if keeps(middle) == Some(true) { kept = middle } else { broken = middle }
        }
        Some(kept)
    }
}

impl OpenTruth {
    /// The mean.
    pub fn mean_ns(&self) -> f64 {
        let wait = match &self.waits {
            Waits::Exponential(waits) => waits / (f64::from(self.servers) - self.busy),
            // The mean number in the system over the rate (Little).
            Waits::Constant(at_most) => at_most.iter().map(|p| 1.0 - p).sum::<f64>() / self.busy - 1.0,
        };
        self.service_ns * (1.0 + wait)
    }

    /// A quantile, by bisection.
    pub fn quantile_ns(&self, quantile: f64) -> f64 {
        let (mut short, mut long) = (0.0, 1.0);
        while self.within(long) < quantile && long < 1e9 {
            long *= 2.0;
        }
        for _ in 0..60 {
            let middle = f64::midpoint(short, long);
            if self.within(middle) < quantile { short = middle } else { long = middle }
        }
        self.service_ns * long
    }

    /// The probability of at most `ns` in the system.
    pub fn within_ns(&self, ns: f64) -> f64 {
        self.within(ns / self.service_ns)
    }

    /// The same in service times.
    fn within(&self, time: f64) -> f64 {
        match &self.waits {
            Waits::Exponential(waits) => {
                let spare = f64::from(self.servers) - self.busy;
                let served = (-time).exp();
                // A wait, exponential with the rate `spare`, and a service of rate 1 take longer than that.
                let both = if (spare - 1.0).abs() < 1e-9 {
                    (1.0 + time) * served
                } else {
                    (spare * served - (-spare * time).exp()) / (spare - 1.0)
                };
                1.0 - (1.0 - waits) * served - waits * both
            }
            Waits::Constant(_) if time < 1.0 => 0.0,
            Waits::Constant(at_most) => self.waits_within(at_most, time - 1.0),
        }
    }

    /// The probability of a wait of at most `time` where the service takes 1 (Franx 2001).
    fn waits_within(&self, at_most: &[f64], time: f64) -> f64 {
        let servers = self.servers as usize;
        let periods = time.floor() + 1.0;
        let expected = self.busy * (periods - time);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few thousand at most")]
        let terms = periods as usize * servers;
        let queue = |more: usize| at_most.get(servers + more).copied().unwrap_or(1.0);
        let sum: f64 = poisson(expected, terms).enumerate().map(|(j, p)| p * queue(terms - 1 - j)).sum();
        sum.min(1.0)
    }
}

/// The probability that an arrival has to wait with this many servers, of which `busy` are busy on average (Erlang 1917).
fn erlang_c(servers: u32, busy: f64) -> f64 {
    let mut blocked = 1.0;
    for server in 1..=servers {
        blocked = busy * blocked / (f64::from(server) + busy * blocked);
    }
    let idle = 1.0 - busy / f64::from(servers);
    blocked / (idle + blocked * (1.0 - idle))
}

/// The probabilities of 0, 1, .. events of a Poisson process that expects `mean`.
fn poisson(mean: f64, count: usize) -> impl Iterator<Item = f64> {
    let mut log = -mean;
    (0..count).map(move |event| {
        let probability = log.exp();
        log += (mean / (to_f64(event as u64) + 1.0)).ln();
        probability
    })
}

/// The probabilities of at most 0, 1, .. in the system of constant service: who is there one service time later is who was
/// not in service, and who came meanwhile. Iterated until nothing changes.
fn in_system(servers: u32, busy: f64) -> Vec<f64> {
    let servers = servers as usize;
    let spare = 1.0 - busy / to_f64(servers as u64);
    // The tail falls about as exp(-2 spare) for each one more.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some thousands at most")]
    let states = servers + (20.0 * busy.sqrt() + 20.0 / spare) as usize + 20;
    let coming: Vec<f64> = poisson(busy, states).take_while(|p| *p > 1e-18 || busy > 30.0).collect();
    let mut now = vec![0.0; states];
    now[0] = 1.0;
    loop {
        let mut later = vec![0.0; states];
        for (count, p) in now.iter().enumerate() {
            let left = count.saturating_sub(servers);
            for (came, q) in coming.iter().enumerate() {
                later[(left + came).min(states - 1)] += p * q;
            }
        }
        let change: f64 = now.iter().zip(&later).map(|(a, b)| (a - b).abs()).sum();
        now = later;
        if change < 1e-12 {
            break;
        }
    }
    let mut sum = 0.0;
    now.iter()
        .map(|p| {
            sum += p;
            sum
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::NS_PER_MS;

    fn truth(servers: u32, spread: ServiceTime, load: f64) -> OpenTruth {
        let law = SimLaw { servers, service_ns: NS_PER_MS, spread, bytes_per_s: None, ..SimLaw::default() };
        law.truth_open(load * f64::from(servers) * 1000.0, 8192).unwrap()
    }

    fn near(found: f64, expected: f64, tolerance: f64) {
        assert!((found / expected - 1.0).abs() < tolerance, "{found} instead of {expected}");
    }

    #[test]
    fn one_server_has_closed_forms() {
        for load in [0.5, 0.8, 0.95] {
            let markov = truth(1, ServiceTime::Exponential, load);
            near(markov.mean_ns(), 1e6 / (1.0 - load), 1e-9);
            near(markov.quantile_ns(0.99), 1e6 * 100f64.ln() / (1.0 - load), 1e-9);
            // Pollaczek, Khinchine.
            let constant = truth(1, ServiceTime::Constant, load);
            near(constant.mean_ns(), 1e6 * (1.0 + load / 2.0 / (1.0 - load)), 1e-6);
            // Erlang 1909: within the first service time the wait is exponential backwards.
            for wait in [0.0, 0.3, 0.9] {
                near(constant.within_ns(1e6 * (1.0 + wait)), (1.0 - load) * (load * wait).exp(), 1e-6);
            }
        }
    }

    /// Tables of the probability of a wait and of mean waits (Gross, Harris 1998; Tijms 2003, table 9.6.1 for M/D/c).
    #[test]
    fn several_servers_agree_with_tables() {
        near(erlang_c(2, 1.6), 0.7111, 1e-4);
        near(erlang_c(5, 4.0), 0.5541, 1e-4);
        // The mean wait of M/D/c is about half that of M/M/c, the closer the busier (Cosmetatos 1976 says by how much).
        let waits = |spread| truth(5, spread, 0.95).mean_ns() - 1e6;
        let ratio = waits(ServiceTime::Constant) / waits(ServiceTime::Exponential);
        let correction = 1.0 + (1.0 - 0.95) * 4.0 * ((4.0f64 + 25.0).sqrt() - 2.0) / (16.0 * 0.95 * 5.0);
        near(ratio, correction / 2.0, 0.003);
    }

    #[test]
    fn one_server_keeps_a_bound_up_to_the_rate_of_its_closed_form() {
        let law = SimLaw {
            servers: 1,
            service_ns: NS_PER_MS / 5,
            spread: ServiceTime::Exponential,
            bytes_per_s: None,
            ..SimLaw::default()
        };
        let rate = |allowed, limit_ns| law.truth_rate(allowed, limit_ns, 8192);
        near(rate(Some(0.01), 2 * NS_PER_MS).unwrap(), 5000.0 - 100f64.ln() / 0.002, 1e-6);
        near(rate(None, NS_PER_MS).unwrap(), 4000.0, 1e-6);
        assert_eq!(rate(Some(0.01), NS_PER_MS / 2), None, "the service alone takes longer");
    }

    #[test]
    fn what_has_no_formula_has_no_truth() {
        let law = SimLaw { spread: ServiceTime::Exponential, bytes_per_s: None, ..SimLaw::default() };
        assert!(law.truth_open(3999.0, 8192).is_some() && law.truth_open(4000.0, 8192).is_none());
        assert!(law.truth_open(0.0, 8192).is_none());
    }
}
