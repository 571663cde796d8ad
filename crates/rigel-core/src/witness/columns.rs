//! The form of a witness in the record: a list of numbers per counter, which is shorter than a map per sample. A
//! run may have thousands of visits. A counter without any value is left out; `null` is a single sample without
//! one.

use super::{Counts, DeviceTransfer, MOST_SAMPLES, Witness, WitnessSample};
use serde::{Deserialize, Serialize};

type Column = Vec<Option<u64>>;

/// Most missing figures of a witness, plus [`MISSING_PER_PRESENT`] for each present one. Devices without
/// figures take memory for every sample too, so a small record must not claim many of them.
const MISSING: usize = 4096;
/// See [`MISSING`].
const MISSING_PER_PRESENT: usize = 8;

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Columns {
    period_ns: u64,
    cpus: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kernel_us: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    carried: Option<DeviceTransfer>,
    began_ns: u64,
    at_ns: Vec<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    busy_us: Column,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    interrupts_us: Column,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    steal_us: Column,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    own_us: Column,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cpu_pressure_us: Column,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    io_pressure_us: Column,
    devices: Vec<DeviceColumns>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct DeviceColumns {
    device: (u32, u32),
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    read_bytes: Column,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    written_bytes: Column,
}

impl From<Witness> for Columns {
    fn from(witness: Witness) -> Self {
        let column = |figure: &dyn Fn(&Counts) -> Option<u64>| -> Column {
            let all: Column = witness.samples.iter().map(|sample| figure(&sample.counts)).collect();
            if all.iter().all(Option::is_none) { Vec::new() } else { all }
        };
        let moved = |index: usize, figure: fn(DeviceTransfer) -> u64| {
            column(&|counts| counts.moved.get(index).copied().flatten().map(figure))
        };
        let device = |(index, &device): (usize, &(u32, u32))| DeviceColumns {
            device,
            read_bytes: moved(index, |moved| moved.read_bytes),
            written_bytes: moved(index, |moved| moved.written_bytes),
        };
        Self {
            period_ns: witness.period_ns,
            cpus: witness.cpus,
            kernel_us: witness.kernel_us,
            carried: witness.carried,
            began_ns: witness.began_ns,
            at_ns: witness.samples.iter().map(|sample| sample.at_ns).collect(),
            busy_us: column(&|counts| counts.busy_us),
            interrupts_us: column(&|counts| counts.interrupts_us),
            steal_us: column(&|counts| counts.steal_us),
            own_us: column(&|counts| counts.own_us),
            cpu_pressure_us: column(&|counts| counts.cpu_pressure_us),
            io_pressure_us: column(&|counts| counts.io_pressure_us),
            devices: witness.devices.iter().enumerate().map(device).collect(),
        }
    }
}

impl TryFrom<Columns> for Witness {
    type Error = String;

    fn try_from(columns: Columns) -> Result<Self, String> {
        columns.check()?;
        let sample = |(index, &at_ns): (usize, &u64)| WitnessSample { at_ns, counts: columns.counts(index) };
        let samples = columns.at_ns.iter().enumerate().map(sample).collect();
        Ok(Self {
            period_ns: columns.period_ns,
            cpus: columns.cpus,
            devices: columns.devices.iter().map(|device| device.device).collect(),
            kernel_us: columns.kernel_us,
            carried: columns.carried,
            began_ns: columns.began_ns,
            samples,
        })
    }
}

impl Columns {
    fn check(&self) -> Result<(), String> {
        let times = || std::iter::once(&self.began_ns).chain(&self.at_ns);
        if self.at_ns.is_empty() || !times().zip(&self.at_ns).all(|(before, at)| before < at) {
            return Err("the samples of a witness are not in time order".to_owned());
        }
        if self.at_ns.len() > MOST_SAMPLES {
            return Err(format!("a witness has {} samples, more than {MOST_SAMPLES}", self.at_ns.len()));
        }
        let own = [
            &self.busy_us,
            &self.interrupts_us,
            &self.steal_us,
            &self.own_us,
            &self.cpu_pressure_us,
            &self.io_pressure_us,
        ];
        let of_devices = self.devices.iter().flat_map(|device| [&device.read_bytes, &device.written_bytes]);
        let fits = |column: &Column| column.is_empty() || column.len() == self.at_ns.len();
        let all = || own.into_iter().chain(of_devices.clone());
        if !all().all(fits) {
            return Err("a list of a witness is not as long as its times".to_owned());
        }
        let present = self.devices.len() + self.at_ns.len() + all().map(Vec::len).sum::<usize>();
        let is_silent = |of: &&DeviceColumns| of.read_bytes.is_empty() && of.written_bytes.is_empty();
        let silent = self.devices.iter().filter(is_silent).count();
        if silent.saturating_mul(self.at_ns.len()) > MISSING + MISSING_PER_PRESENT * present {
            return Err(format!("a witness has {silent} devices without data"));
        }
        Ok(())
    }

    fn counts(&self, index: usize) -> Counts {
        let at = |column: &Column| column.get(index).copied().flatten();
        let moved = |device: &DeviceColumns| {
            Some(DeviceTransfer {
                read_bytes: at(&device.read_bytes)?,
                written_bytes: at(&device.written_bytes)?,
            })
        };
        Counts {
            busy_us: at(&self.busy_us),
            interrupts_us: at(&self.interrupts_us),
            steal_us: at(&self.steal_us),
            own_us: at(&self.own_us),
            cpu_pressure_us: at(&self.cpu_pressure_us),
            io_pressure_us: at(&self.io_pressure_us),
            moved: self.devices.iter().map(moved).collect(),
            carried: None,
        }
    }
}
