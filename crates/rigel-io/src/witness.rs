//! Watching the host while others measure: a thread that samples the kernel's counters.
//!
//! It shares nothing with the workers: they cannot wait for it, and it tells nobody anything unless asked. What cannot
//! be read is missing in the samples; watching never fails a run. Must not judge: that is `rigel_core::witness`.

mod counters;
mod watch;

pub use crate::targets::block::counting_devices;

use crate::clock::{Clock, process_cpu_ns};
use counters::Counters;
use rigel_core::units::{NS_PER_MS, NS_PER_US};
use rigel_core::witness::Witness;
use std::io;
use std::path::Path;
use std::sync::mpsc::{self, Sender};
use std::thread::{Builder, JoinHandle};
use watch::{Request, Watch};

/// How often the counters are read.
const PERIOD_NS: u64 = 100 * NS_PER_MS;
/// On a host where reading takes long (/proc/stat of hundreds of CPUs), this part of a CPU at most.
const COST_LIMIT: u64 = 100;

/// A thread that samples until it is dropped.
#[derive(Debug)]
pub struct Sampler {
    requests: Option<Sender<Request>>,
    thread: Option<JoinHandle<()>>,
}

impl Sampler {
    /// Begins to watch. `root` is `/`, or where a tree like it is; `devices` are numbers of [`counting_devices`]; `clock` is
    /// the workers'. The first reading is made before this returns.
    ///
    /// # Errors
    /// When there can be no thread.
    pub fn start<C: Clock + Send + 'static>(
        root: &Path,
        devices: &[(u32, u32)],
        clock: C,
    ) -> io::Result<Self> {
        let own_us = || process_cpu_ns() / NS_PER_US;
        let counters = Counters::open(root, devices, Box::new(own_us));
        let watch = Watch::begin(counters, devices, clock);
        let period_ns = PERIOD_NS.max(watch.cost_ns().saturating_mul(COST_LIMIT));
        Self::run(watch, period_ns)
    }

    fn run<C: Clock + Send + 'static>(watch: Watch<C>, period_ns: u64) -> io::Result<Self> {
        let (requests_in, requests) = mpsc::channel();
        let builder = Builder::new().name("rigel-witness".to_owned());
        let thread = builder.spawn(move || watch.serve(&requests, period_ns))?;
        Ok(Self { requests: Some(requests_in), thread: Some(thread) })
    }

    /// Reads the counters now, and waits until they are read. For the moment before a visit: what came before must not
    /// be in its first sample.
    pub fn mark(&self) {
        self.ask(|answer| Request::Mark { answer });
    }

    /// What happened between two moments of the clock; `end_ns` is not in the future. Begins with the last reading up to
    /// `start_ns` and ends with one that is made now, or the first that was made from `end_ns` on. What was before
    /// `start_ns` is forgotten. `None` when there are not two such readings.
    #[must_use]
    pub fn between(&self, start_ns: u64, end_ns: u64) -> Option<Witness> {
        self.ask(|answer| Request::Between { start_ns, end_ns, answer }).flatten()
    }

    /// `None` when the thread is gone.
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
            // If it panicked it has told so.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests;
