//! The service law of the simulated device: k servers, a service time, perhaps a transfer rate.
//!
//! The law has exact answers: at N outstanding the rate is `min(N, k) / S` and, by Little's law, the mean latency is
//! `N / rate`. Must not simulate; `rigel-io`'s `sim` engine does.

use crate::units::{Bytes, MIB, NS_PER_MS, NS_PER_S, Nanos, to_f64};
use serde::{Deserialize, Serialize};

/// How service times spread around their mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServiceTime {
    /// Always the mean.
    #[default]
    Constant,
    /// Exponential with that mean.
    Exponential,
}

/// A simulated device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SimLaw {
    /// Size of each simulated target.
    pub size_bytes: u64,
    /// Parallel service stations.
    pub servers: u32,
    /// Mean service time of an I/O without its transfer.
    pub service_ns: u64,
    /// Spread of the service time.
    pub spread: ServiceTime,
    /// Transfer rate of one station; `None` for no transfer time.
    pub bytes_per_s: Option<u64>,
}

impl Default for SimLaw {
    /// Four stations of 1 ms and 1,000 MiB/s each: at most 4,000 small IOPS, 2,000 large MBPS.
    fn default() -> Self {
        Self {
            size_bytes: 1 << 30,
            servers: 4,
            service_ns: NS_PER_MS,
            spread: ServiceTime::Constant,
            bytes_per_s: Some(1000 * MIB),
        }
    }
}

impl SimLaw {
    /// Mean service time of one I/O of `io_bytes`.
    #[must_use]
    pub fn service_ns(&self, io_bytes: u64) -> f64 {
        let transfer =
            self.bytes_per_s.map_or(0.0, |rate| to_f64(io_bytes) * to_f64(NS_PER_S) / to_f64(rate.max(1)));
        to_f64(self.service_ns) + transfer
    }

    /// Reads `servers=4,service=1ms,rate=1000M,spread=exponential,size=1G`; what is left out keeps its default.
    /// `rate=0` means no transfer time.
    ///
    /// # Errors
    /// A sentence that names the part that cannot be read.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut law = Self::default();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let (key, value) = part.split_once('=').ok_or_else(|| format!("'{part}' is not KEY=VALUE"))?;
            law.set(key, value).map_err(|reason| format!("'{part}': {reason}"))?;
        }
        Ok(law)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let bytes = || value.parse::<Bytes>().map(|b| b.0).map_err(|e| e.to_string());
        match key {
            "servers" => {
                let servers = value.parse().map_err(|_| "not a number".to_owned())?;
                if !(1..=65_535).contains(&servers) {
                    return Err("must be 1 to 65535".into());
                }
                self.servers = servers;
            }
            "service" => self.service_ns = value.parse::<Nanos>().map_err(|e| e.to_string())?.0,
            "rate" => self.bytes_per_s = Some(bytes()?).filter(|&rate| rate > 0),
            "size" => self.size_bytes = bytes()?,
            "spread" => {
                self.spread = match value {
                    "constant" => ServiceTime::Constant,
                    "exponential" => ServiceTime::Exponential,
                    _ => return Err("must be constant or exponential".into()),
                }
            }
            _ => return Err("known are servers, service, rate, spread, size".into()),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laws_read_and_say_what_is_wrong() {
        let law = SimLaw::parse("servers=10,service=5ms,rate=0").unwrap();
        assert_eq!((law.servers, law.service_ns, law.bytes_per_s), (10, 5 * NS_PER_MS, None));
        assert_eq!(SimLaw::parse("").unwrap(), SimLaw::default());
        for (text, part) in [("servers=0", "servers=0"), ("color=red", "color=red"), ("fast", "KEY=VALUE")] {
            let error = SimLaw::parse(text).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn transfer_adds_to_service() {
        let law = SimLaw::default();
        assert!((law.service_ns(MIB) - 2e6).abs() < 1e-6);
    }
}
