//! Two kinds of I/O in one histogram: a cache or a tier in front of the device. A mean describes neither.

use crate::histogram::Histogram;
use crate::units::to_f64;

/// Bins per power of two, on which modes are looked for; finer ones show the noise of a short visit.
const BINS: u64 = 4;
/// A mode holds at least this share of all I/Os.
const LEAST_SHARE: f64 = 0.1;
/// Modes lie at least this factor apart.
const LEAST_DISTANCE: f64 = 2.0;
/// The valley is lower than this part of the lower peak.
const VALLEY: f64 = 0.5;
/// By this many standard deviations of the counts.
const STANDARD_DEVIATIONS: f64 = 3.0;

/// Two modes of a latency histogram.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatencyModes {
    /// Where the faster I/Os are densest, in nanoseconds.
    pub fast_ns: u64,
    /// Where the slower I/Os are densest, in nanoseconds.
    pub slow_ns: u64,
    /// Where the valley between them is, in nanoseconds.
    pub valley_ns: u64,
    /// Share of the I/Os below the valley's middle, 0 to 1.
    pub fast_share: f64,
    /// Density in the valley over that of the lower peak.
    pub depth: f64,
}

#[derive(Clone, Copy)]
struct Bin {
    lower_ns: u64,
    upper_ns: u64,
    ios: f64,
}

impl Bin {
    /// I/Os per unit of the logarithm of the latency.
    fn density(&self) -> f64 {
        self.ios / (to_f64(self.upper_ns) / to_f64(self.lower_ns)).ln()
    }

    const fn middle_ns(&self) -> u64 {
        u64::midpoint(self.lower_ns, self.upper_ns)
    }
}

/// The deepest valley between two modes of a histogram. Each mode has at least 10 % of all I/Os, and they are at
/// least a factor of 2 apart. The valley is less than half as high as the lower mode, and significantly so.
pub fn latency_modes(histogram: &Histogram) -> Option<LatencyModes> {
    let bins = bins(histogram);
    let total: f64 = bins.iter().map(|bin| bin.ios).sum();
    let valleys = (0..bins.len()).filter_map(|valley| judge(&bins, valley, total));
    valleys.min_by(|a, b| a.depth.total_cmp(&b.depth))
}

fn judge(bins: &[Bin], valley: usize, total: f64) -> Option<LatencyModes> {
    let floor = bins[valley];
    let below: f64 = bins[..valley].iter().map(|bin| bin.ios).sum();
    let fast_share = (below + floor.ios / 2.0) / total;
    let highest = |bins: &[Bin]| bins.iter().copied().max_by(|a, b| a.density().total_cmp(&b.density()));
    let (fast, slow) = (highest(&bins[..valley])?, highest(&bins[valley + 1..])?);
    let lower = if fast.density() < slow.density() { fast } else { slow };
    // Counts, on the width of the lower peak; both are Poisson at best.
    let floor_ios = floor.density() / lower.density() * lower.ios;
    let excess = lower.ios - floor_ios / VALLEY;
    let noise = (lower.ios + floor_ios / (VALLEY * VALLEY)).sqrt();
    let found = LatencyModes {
        fast_ns: fast.middle_ns(),
        slow_ns: slow.middle_ns(),
        valley_ns: floor.middle_ns(),
        fast_share,
        depth: floor.density() / lower.density(),
    };
    let apart = to_f64(found.slow_ns) >= LEAST_DISTANCE * to_f64(found.fast_ns);
    let both = fast_share >= LEAST_SHARE && 1.0 - fast_share >= LEAST_SHARE;
    (apart && both && excess > STANDARD_DEVIATIONS * noise).then_some(found)
}

/// The histogram in bins without gaps between the first and the last, four per power of two.
fn bins(histogram: &Histogram) -> Vec<Bin> {
    let mut bins: Vec<Bin> = Vec::new();
    for (lower, upper, ios) in histogram.buckets() {
        let (lower_ns, upper_ns) = bin_around(u64::midpoint(lower, upper - 1));
        while let Some(last) = bins.last().copied().filter(|last| last.upper_ns < lower_ns) {
            let (lower_ns, upper_ns) = bin_around(last.upper_ns);
            bins.push(Bin { lower_ns, upper_ns, ios: 0.0 });
        }
        match bins.last_mut() {
            Some(last) if last.lower_ns == lower_ns => last.ios += to_f64(ios),
            _ => bins.push(Bin { lower_ns, upper_ns, ios: to_f64(ios) }),
        }
    }
    bins
}

/// Edges of the bin that holds a latency. Below 4 ns, which no storage reaches, all is one.
const fn bin_around(ns: u64) -> (u64, u64) {
    if ns < BINS {
        return (1, BINS);
    }
    let width = (1 << ns.ilog2()) / BINS;
    let lower = ns / width * width;
    (lower, lower.saturating_add(width))
}
