//! What a tool found, and what it cost.
//!
//! Must not run a tool.

use super::child::ChildRun;
use anyhow::Context as _;
use rigel_core::units::{MIB, to_f64};
use serde_json::Value;

const US_PER_S: f64 = 1e6;

/// A tool's result, and its cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// I/Os per second.
    pub iops: f64,
    /// CPU time in user mode per I/O, in microseconds, of the whole process.
    pub user_us: f64,
    /// The same in the kernel.
    pub system_us: f64,
    /// Median latency in microseconds, as the tool reports it.
    pub p50_us: Option<f64>,
    /// 99th percentile.
    pub p99_us: Option<f64>,
    /// 99th percentile of how late the tool itself was, if it reports that.
    pub lag_p99_us: Option<f64>,
    /// Most resident memory in bytes.
    pub peak_bytes: u64,
    /// Time of the process outside the load: starting, ending, writing results.
    pub beside_s: f64,
}

/// The cost of a process per I/O; the rest of the sample is empty.
pub(super) fn cost(ran: &ChildRun, ios: f64) -> Sample {
    Sample {
        iops: 0.0,
        user_us: ran.user_s * US_PER_S / ios.max(1.0),
        system_us: ran.system_s * US_PER_S / ios.max(1.0),
        p50_us: None,
        p99_us: None,
        lag_p99_us: None,
        peak_bytes: ran.peak_bytes,
        beside_s: 0.0,
    }
}

impl Sample {
    /// Megabytes (2^20) per second.
    pub fn mbps(&self, io_bytes: u64) -> f64 {
        self.iops * to_f64(io_bytes) / to_f64(MIB)
    }

    /// User and system time per I/O in microseconds.
    pub fn cpu_us(&self) -> f64 {
        self.user_us + self.system_us
    }
}

pub(super) fn number(value: &Value) -> anyhow::Result<f64> {
    value.as_f64().context("a number is missing in what a tool printed")
}
