//! Reads or writes of a job: counts, rates, latencies.
//!
//! The rate of a class is known for reads and writes together; each has its share by their counts. Must not know the point.

use super::latency::Latency;
use super::samples::Samples;
use rigel_core::judge::findings::IoFindings;
use rigel_core::measure::Histogram;
use rigel_core::units::say::whole;
use rigel_core::units::to_f64;
use serde::Serialize;

/// See the module. `bw` is in KiB per second, `runtime` in milliseconds, as in fio.
#[derive(Serialize)]
pub(super) struct Section {
    io_bytes: u64,
    io_kbytes: u64,
    bw_bytes: u64,
    bw: u64,
    iops: f64,
    runtime: u64,
    total_ios: u64,
    /// Rigel's time begins before the submission, so it is part of the latency.
    slat_ns: Latency,
    clat_ns: Latency,
    lat_ns: Latency,
    bw_min: u64,
    bw_max: u64,
    bw_agg: f64,
    bw_mean: f64,
    bw_dev: f64,
    bw_samples: usize,
    iops_min: u64,
    iops_max: u64,
    iops_mean: f64,
    iops_stddev: f64,
    iops_samples: usize,
}

impl Section {
    /// The section of the I/Os of one direction in `seconds`.
    pub fn of(histogram: &Histogram, io: &IoFindings, seconds: f64, samples: &Samples) -> Self {
        let all = io.reads.count().saturating_add(io.writes.count());
        let share = if all == 0 { 0.0 } else { to_f64(histogram.count()) / to_f64(all) };
        // Of one direction alone the figures are those of every other output; else those of its own histogram.
        let shown = io.latency_us.filter(|_| all > 0 && histogram.count() == all);
        let io_bytes = whole(to_f64(histogram.count()) * io.mean_bytes);
        let kib = io.mean_bytes / 1024.0;
        let iops = io.iops.value * share;
        let lat_ns = Latency::of(histogram, shown.as_ref());
        let rate = samples.scaled(share);
        let seen = if histogram.count() == 0 { 0 } else { rate.count };
        Self {
            io_bytes,
            io_kbytes: io_bytes / 1024,
            bw_bytes: whole(iops * io.mean_bytes),
            bw: whole((iops * kib).floor()),
            iops,
            runtime: if histogram.count() == 0 { 0 } else { whole(seconds * 1000.0) },
            total_ios: histogram.count(),
            slat_ns: Latency::of(&Histogram::empty(), None),
            clat_ns: lat_ns.clone(),
            // As fio has them by default: with the completion latency only.
            lat_ns: lat_ns.without_bins(),
            bw_min: whole(rate.min * kib),
            bw_max: whole(rate.max * kib),
            bw_agg: if histogram.count() == 0 { 0.0 } else { 100.0 },
            bw_mean: rate.mean * kib,
            bw_dev: rate.stddev * kib,
            bw_samples: seen,
            iops_min: whole(rate.min),
            iops_max: whole(rate.max),
            iops_mean: rate.mean,
            iops_stddev: rate.stddev,
            iops_samples: seen,
        }
    }
}
