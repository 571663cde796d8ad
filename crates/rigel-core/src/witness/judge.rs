//! Whether other programs disturbed a visit, with the figures.
//!
//! Only evidence that our own load cannot cause counts. The CPU time of our process and of the kernel's threads and our own
//! bytes are subtracted, and waiting for a CPU counts only as far as others used one. Waiting for I/O is not judged, because
//! our load itself waits for I/O. Must not decide what follows from it.

use super::track::{Piece, Track, VisitMeasure, inside};
use super::{Counts, Witness};
use crate::measure::Window;
use crate::units::{MIB, NS_PER_US, mbps, to_f64};
use std::fmt;

/// Other programs disturb a visit if they use more than this part of one core ..
const FOREIGN_CORES: f64 = 0.25;
/// .. and more than this part of Rigel's own CPU time: on a host with many busy cores the kernel's accounting is that
/// coarse ..
const FOREIGN_PER_OWN: f64 = 0.05;
/// .. and more than this part of all CPUs, which a host of that size uses on its own.
const FOREIGN_PER_HOST: f64 = 0.01;
/// From this part of the CPUs on, other programs also slow down threads that do not wait for a CPU: by caches, memory, siblings and clock rates.
const CROWDED: f64 = 0.25;
/// Waiting is attributed to other programs if they use at least this part of a core. Less may be rounding by the kernel.
const WAITING_CORES: f64 = 0.10;
/// Part of the CPU time that the hypervisor may take.
const STEAL: f64 = 0.05;
/// Part of the time in which a task may wait for a CPU.
const WAITING: f64 = 0.05;
/// Any of it counts if it fills more than this part of the visit.
const PART_OF_VISIT: f64 = 0.20;
/// The part of Rigel's bytes that other programs may move.
const FOREIGN_IO: f64 = 0.05;
/// An idle host moves up to this many MiB/s by journals, read-ahead and logs ..
const NOISE_MBPS: f64 = 1.0;
/// .. but on a slow device less disturbs, if it is at least this part of Rigel's.
const FOREIGN_IO_SLOW: f64 = 0.5;
/// A worker that used this part of one CPU barely waited for the device.
const BUSY: f64 = 0.9;

/// I/O of the devices besides Rigel's, over the whole witness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForeignIo {
    /// What the devices moved.
    pub device_bytes: u64,
    /// What Rigel moved.
    pub own_bytes: u64,
    /// The length of that time.
    pub span_ns: u64,
}

/// The complete judgement; `None` if the host does not report enough.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Judgement {
    /// CPU time of other programs, in cores.
    pub cpu: Option<VisitMeasure>,
    /// CPU time that the hypervisor took, as a part of the CPU time that was wanted, but of at least one core.
    pub steal: Option<VisitMeasure>,
    /// Part of the time in which a task waited for a CPU while other programs used one.
    pub waiting: Option<VisitMeasure>,
    /// Bytes of other programs on the targets' devices.
    pub io: Option<ForeignIo>,
    /// Other programs used enough CPU time for waiting to be attributed to them.
    others_ran: bool,
}

/// One way in which other programs disturbed a visit. Displays as the figures, a sentence without a full stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Disturbance {
    /// They used CPUs.
    Cpu(VisitMeasure),
    /// The hypervisor ran something else.
    Steal(VisitMeasure),
    /// They made tasks wait for a CPU.
    Waiting(VisitMeasure),
    /// They used the devices.
    Io(ForeignIo),
}

/// Judges a visit. CPU time is judged inside `window`, where the visit was measured. `own_bytes` is what all
/// workers moved over the whole witness, including settling and draining; `None` if Rigel's bytes are not the devices'
/// (through the page cache).
pub fn judge(witness: &Witness, window: Window, own_bytes: Option<u64>) -> Judgement {
    let samples = inside(witness, window);
    let foreign = Track::of(&samples, foreign_cpu(witness));
    let own_cores = own_cores(witness, window);
    let own_limit = FOREIGN_PER_OWN * own_cores.unwrap_or(0.0);
    let host_limit = FOREIGN_PER_HOST * witness.cpus.map_or(0.0, f64::from);
    let cpu = foreign.measured(FOREIGN_CORES.max(own_limit).max(host_limit));
    Judgement {
        cpu,
        steal: Track::of(&samples, steal).measured(STEAL),
        waiting: waiting(&samples, &foreign).measured(WAITING),
        io: own_bytes.and_then(|own_bytes| device_io(witness, own_bytes)),
        others_ran: cpu.is_some_and(|cpu| cpu.mean > WAITING_CORES.max(own_limit)),
    }
}

/// Mean CPU time of this process inside `window`, in cores: that of its workers, and of the kernel threads that do I/Os for it.
pub fn own_cores(witness: &Witness, window: Window) -> Option<f64> {
    Track::of(&inside(witness, window), |counts, span_us| part(counts.own_us?, span_us)).mean
}

/// Mean CPU time of other programs inside `window`, in cores, for [`super::residual_correlation`]. The kernel's rounding
/// can make it slightly negative.
pub fn foreign_cores(witness: &Witness, window: Window) -> Option<f64> {
    Track::of(&inside(witness, window), foreign_cpu(witness)).mean
}

/// The part of one CPU that the busiest worker used, if it is more than 0.9: then the tool, not the device, was
/// the limit. Not for an engine that polls, which is always busy.
pub fn host_limited(busiest_cpu_ns: u64, wall_ns: u64) -> Option<f64> {
    let busy = to_f64(busiest_cpu_ns) / to_f64(wall_ns.max(1));
    (busy > BUSY).then_some(busy)
}

impl Judgement {
    /// Disturbances beyond the limits; empty for an undisturbed visit, or one of which nothing is known.
    pub fn foreign(&self) -> Vec<Disturbance> {
        let often =
            |measured: Option<VisitMeasure>| measured.filter(|measured| measured.above > PART_OF_VISIT);
        let found = [
            often(self.cpu).map(Disturbance::Cpu),
            often(self.steal).map(Disturbance::Steal),
            often(self.waiting).filter(|_| self.others_ran).map(Disturbance::Waiting),
            self.io.filter(ForeignIo::disturbs).map(Disturbance::Io),
        ];
        found.into_iter().flatten().collect()
    }

    /// The largest part of a number of the visit that those beyond the limits can have taken or added; 0 if there are none. `cpus` are
    /// those that Rigel may use.
    pub fn effect(&self, cpus: u32) -> f64 {
        let of = |one: &Disturbance| match one {
            Disturbance::Cpu(used) => self.effect_of_cpu(used.mean / f64::from(cpus.max(1))),
            Disturbance::Steal(part) | Disturbance::Waiting(part) => part.mean,
            Disturbance::Io(io) => {
                to_f64(io.foreign_bytes()) / to_f64(io.foreign_bytes().saturating_add(io.own_bytes).max(1))
            }
        };
        self.foreign().iter().map(of).fold(0.0, f64::max).min(1.0)
    }

    /// Programs with a part of the CPUs are in the way that often, if nothing evades them. If the kernel shows how long tasks waited for
    /// a CPU, no more than that was lost, as long as most of the host is idle.
    fn effect_of_cpu(&self, part: f64) -> f64 {
        let waited = self.waiting.map(|waited| waited.mean).filter(|_| part <= CROWDED);
        waited.map_or(part, |waited| waited.min(part))
    }
}

impl ForeignIo {
    /// What the devices moved beyond Rigel's bytes.
    pub const fn foreign_bytes(&self) -> u64 {
        self.device_bytes.saturating_sub(self.own_bytes)
    }

    /// Rate of those bytes, in MiB/s.
    pub fn foreign_mbps(&self) -> f64 {
        mbps(self.foreign_bytes(), self.span_ns)
    }

    /// More than 5 % of Rigel's, and more than 1 MiB/s or half of Rigel's.
    pub fn disturbs(&self) -> bool {
        let (foreign, own) = (to_f64(self.foreign_bytes()), to_f64(self.own_bytes));
        foreign > FOREIGN_IO * own && (self.foreign_mbps() > NOISE_MBPS || foreign > FOREIGN_IO_SLOW * own)
    }
}

fn part(time_us: u64, of_us: u64) -> Option<(f64, f64)> {
    Some((to_f64(time_us), to_f64(of_us)))
}

/// Cores that other programs used. Interrupts and the kernel's own threads are left out, because those that Rigel's I/O needs cannot be
/// separated; of the threads only the sum over the visit is known.
fn foreign_cpu(witness: &Witness) -> impl Fn(&Counts, u64) -> Option<(f64, f64)> {
    let kernel_cores = witness
        .kernel_us
        .map_or(0.0, |kernel_us| to_f64(kernel_us) / to_f64((witness.span_ns() / NS_PER_US).max(1)));
    move |counts, span_us| {
        let programs_us = to_f64(counts.busy_us?) - kernel_cores * to_f64(span_us);
        Some((programs_us - to_f64(counts.own_us?), to_f64(span_us)))
    }
}

/// Stolen time, and the time in which CPUs were wanted. The latter is at least one core: on a host that wants less,
/// a single tick would be a large part.
fn steal(counts: &Counts, span_us: u64) -> Option<(f64, f64)> {
    let (steal, busy) = (to_f64(counts.steal_us?), to_f64(counts.busy_us?));
    let wanted = busy + steal + to_f64(counts.interrupts_us.unwrap_or(0));
    Some((steal, wanted.max(to_f64(span_us))))
}

/// The part of the time in which a task waited for a CPU because of other programs. A process that makes us wait uses a
/// CPU, so the part is at most their CPU time. The remainder is our own threads waiting for each other.
fn waiting(samples: &[Piece<'_>], foreign: &Track) -> Track {
    Track::of(samples, |counts, span_us| part(counts.cpu_pressure_us?, span_us)).at_most(foreign)
}

/// What the devices moved during all samples in addition to our own bytes. `None` if a sample of a device is missing; devices that do not count
/// (`queue/iostats` is 0) are not watched.
pub fn device_io(witness: &Witness, own_bytes: u64) -> Option<ForeignIo> {
    if witness.devices.is_empty() {
        return None;
    }
    let mut device_bytes = 0_u64;
    for sample in &witness.samples {
        for moved in &sample.counts.moved {
            device_bytes = device_bytes.saturating_add((*moved)?.total_bytes());
        }
    }
    Some(ForeignIo { device_bytes, own_bytes, span_ns: witness.span_ns() })
}

impl fmt::Display for Disturbance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |part: f64| part * 100.0;
        match self {
            Self::Cpu(VisitMeasure { mean, limit, above, .. }) => write!(
                f,
                "other programs used {mean:.2} CPU cores on average, above the normal {limit:.2} for {:.0} % of the time",
                percent(*above)
            ),
            Self::Steal(VisitMeasure { mean, limit, above, .. }) => write!(
                f,
                "the hypervisor took {:.1} % of the CPU time on average, above the normal {:.0} % for {:.0} % of the time",
                percent(*mean),
                percent(*limit),
                percent(*above)
            ),
            Self::Waiting(VisitMeasure { mean, limit, above, .. }) => write!(
                f,
                "tasks waited for a busy CPU {:.1} % of the time, above the normal {:.0} % for {:.0} % of it",
                percent(*mean),
                percent(*limit),
                percent(*above)
            ),
            Self::Io(io) => write!(
                f,
                "other programs moved {:.1} MiB on the devices (Rigel: {:.1} MiB), {:.1} MiB/s",
                to_f64(io.foreign_bytes()) / to_f64(MIB),
                to_f64(io.own_bytes) / to_f64(MIB),
                io.foreign_mbps()
            ),
        }
    }
}
