//! Samples from readings, their form in the record, and what is judged from them.

mod judged;
mod regressed;
mod sampled;

use super::{Counts, DeviceTransfer, Witness, WitnessSample};
use crate::measure::Window;
use crate::units::NS_PER_MS;

pub const PERIOD_NS: u64 = 100 * NS_PER_MS;
/// A window that every witness of these tests lies in.
pub const ALWAYS: Window = Window { start_ns: 0, end_ns: u64::MAX };

/// A host of four CPUs with one device: samples of 100 ms from 1 s on.
pub fn witness(samples: impl IntoIterator<Item = Counts>) -> Witness {
    let began_ns = 10 * PERIOD_NS;
    let sample = |(index, counts)| WitnessSample { at_ns: began_ns + index * PERIOD_NS, counts };
    let samples = (1..).zip(samples).map(sample).collect();
    Witness {
        period_ns: PERIOD_NS,
        cpus: Some(4),
        devices: vec![(8, 0)],
        kernel_us: None,
        carried: None,
        began_ns,
        samples,
    }
}

/// A sample of 100 ms: CPU time of all and our own, in milliseconds; nothing else happened.
pub fn cpu(busy_ms: u64, own_ms: u64) -> Counts {
    Counts {
        busy_us: Some(busy_ms * 1000),
        interrupts_us: Some(0),
        steal_us: Some(0),
        own_us: Some(own_ms * 1000),
        cpu_pressure_us: Some(0),
        io_pressure_us: Some(90_000),
        moved: vec![Some(DeviceTransfer::default())],
        carried: None,
    }
}
