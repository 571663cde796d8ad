//! A thread that samples the kernel's counters during a measurement.
//!
//! It shares nothing with the workers, so they never wait for it, and it answers only when asked. A counter that cannot
//! be read is missing in the samples; it never fails a run. Must not judge: `rigel_core::witness` does.

mod counters;
mod kernel;
mod limits;
mod nfs;
mod numbers;
mod watch;

pub use crate::targets::block::counting_devices;
pub use crate::targets::bottom::{Bottom, bottom};
pub use counters::IoPressure;

use crate::clock::{Clock, process_cpu_ns};
use crate::host::IoLimits;
use crate::system::System;
use counters::Counters;
use kernel::KernelThreads;
use limits::LimitsWatch;
use rigel_core::facts::LimitsChange;
use rigel_core::units::{NS_PER_MS, NS_PER_US};
use rigel_core::witness::Witness;
use std::io;
use std::path::Path;
use std::sync::mpsc::{self, Sender};
use std::thread::{Builder, JoinHandle};
use watch::{Request, Watch};

const PERIOD_NS: u64 = 100 * NS_PER_MS;
/// The thread uses at most this part of a CPU (1/100), also on hosts with hundreds of CPUs and so a slow /proc/stat.
const COST_LIMIT: u64 = 100;

/// The counted devices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchedDevices {
    /// The topmost block devices, by major and minor number: they show what others transfer ([`counting_devices`]).
    pub on_top: Vec<(u32, u32)>,
    /// The lowest devices, if they differ: what did not reach them was answered above ([`bottom`]).
    pub at_bottom: Bottom,
}

/// A thread that samples until it is dropped.
#[derive(Debug)]
pub struct Sampler {
    requests: Option<Sender<Request>>,
    thread: Option<JoinHandle<()>>,
}

impl Sampler {
    /// Starts the thread. `root` is `/`, or the root of a captured tree; `clock`
    /// is the workers' clock. The first reading is made before this returns.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn start<C: Clock + Send + 'static>(
        root: &Path,
        devices: &WatchedDevices,
        clock: C,
    ) -> io::Result<Self> {
        let own_us = || process_cpu_ns() / NS_PER_US;
        let counters = Counters::open(root, devices, Box::new(own_us));
        let limits = LimitsWatch::begin(IoLimits::of(System::at(root)));
        let watch = Watch::begin(counters, (limits, KernelThreads::of(root)), &devices.on_top, clock);
        let period_ns = PERIOD_NS.max(watch.cost_ns.saturating_mul(COST_LIMIT));
        Self::run(watch, period_ns)
    }

    fn run<C: Clock + Send + 'static>(watch: Watch<C>, period_ns: u64) -> io::Result<Self> {
        let (requests_in, requests) = mpsc::channel();
        let builder = Builder::new().name("rigel-witness".to_owned());
        let thread = builder.spawn(move || watch.serve(&requests, period_ns))?;
        Ok(Self { requests: Some(requests_in), thread: Some(thread) })
    }

    /// Makes a reading now, of the limits too, and waits for it. Called just before a visit, so its first sample holds nothing earlier.
    pub fn mark(&self) {
        self.ask(|answer| Request::Mark { answer });
    }

    /// The samples between two times of the clock; `end_ns` is not in the future. They run from the last reading up to
    /// `start_ns` to the first reading from `end_ns` on, which may be made now. Earlier readings are dropped. `None` when
    /// there are not two such readings.
    pub fn between(&self, start_ns: u64, end_ns: u64) -> Option<Witness> {
        self.ask(|answer| Request::Between { start_ns, end_ns, answer }).flatten()
    }

    /// The changes of the I/O limits after `start_ns`; earlier ones are dropped. They are checked now, at every mark, and
    /// once a second in between.
    pub fn limits_since(&self, start_ns: u64) -> Vec<LimitsChange> {
        self.ask(|answer| Request::LimitsSince { start_ns, answer }).unwrap_or_default()
    }

    /// `None` if the thread has ended.
    fn ask<T>(&self, request: impl FnOnce(Sender<T>) -> Request) -> Option<T> {
        let (answer, answered) = mpsc::channel();
        self.requests.as_ref()?.send(request(answer)).ok()?;
        answered.recv().ok()
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has already been printed.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests;
