//! What random reads of growing parts of a target say about its caches.
//!
//! Must not word its results.

use super::PointFindings;
use super::latency::LatencyUs;
use crate::load::class::LoadClass;
use crate::load::matrix::Point;
use crate::load::working_set::{MANY, ONE};
use crate::measure::{ClassTally, Histogram};
use crate::record::{Purpose, Record, Visit};
use crate::stats::batch_means;
use crate::stats::sample::mean;
use crate::stats::working_set::warm::{self, Stretch, UNKNOWN_ERROR, Warmth};
use crate::stats::working_set::{self, Cache, CacheVerdict, SizeReads, at_size, share_below};
use crate::stats::{Basis, Estimate, Interval};
use crate::units::{Nanos, to_f64};

/// Counts of a stretch are compared in pieces of this many nanoseconds.
const PIECE_NS: u64 = 100_000_000;
/// Predictions are for caches, and working sets, this many times as large as the cache.
const TIMES: [f64; 3] = [2.0, 4.0, 8.0];

/// The findings of a run over working sets.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkingSetFindings {
    /// The reads, many at a time.
    pub load: LoadClass,
    /// Outstanding reads while the rate was measured.
    pub each: u32,
    /// Number of requested sizes.
    pub asked: usize,
    /// The measured sizes, ascending.
    pub sizes: Vec<SizeFindings>,
    /// The conclusion.
    pub found: CacheVerdict,
    /// What a larger cache, or a larger working set, would give.
    pub forecasts: Vec<Forecast>,
}

/// One working set.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeFindings {
    /// Bytes.
    pub bytes: u64,
    /// Reads per second with many outstanding.
    pub rate: Estimate,
    /// Latency of one read at a time.
    pub latency_us: LatencyUs,
    /// Whether it was warm.
    pub warmth: Warmth,
    /// How often it was read before it was measured.
    pub passes: f64,
    /// The factor by which its rate rose meanwhile.
    pub growth: f64,
    /// The share of reads that each cache answered, or one before it.
    pub hits: Vec<Estimate>,
}

/// What a forecast changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForecastCase {
    /// The working set is this many times as large as a cache, by its number from 0.
    WorkingSet(usize),
    /// All caches are this many times as large, and the working set is the largest that was warm.
    Caches,
}

/// Read from the measured curve: k times the cache at S behaves like the cache at S / k.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// What is enlarged.
    pub what: ForecastCase,
    /// By which factor.
    pub times: f64,
    /// Bytes of the working set.
    pub bytes: f64,
    /// Hits of the largest cache.
    pub hits: f64,
    /// Mean latency of one read at a time, in microseconds.
    pub mean_us: f64,
    /// Reads per second with many outstanding.
    pub rate: f64,
    /// The precision of these; `None` if a row has no interval.
    pub halves: Option<ForecastHalves>,
}

/// Half the widths of the 95 % intervals of a forecast, interpolated between those of the rows that it is read from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForecastHalves {
    /// Of the hits, as a share of the reads.
    pub hits: f64,
    /// Of the mean latency, relative.
    pub mean: f64,
    /// Of the rate, relative.
    pub rate: f64,
}

/// The counts of a visit.
pub fn stretch_of(visit: &Visit) -> Option<Stretch> {
    let tally = visit.tallies.values().next()?;
    let seconds = Nanos(visit.measured_ns).seconds();
    Some(Stretch { ios: to_f64(tally.completed()), seconds, error: error_of(tally, visit.measured_ns) })
}

/// The relative standard error of its rate, as far as its own pieces show.
fn error_of(tally: &ClassTally, measured_ns: u64) -> f64 {
    let series = tally.series.widened(PIECE_NS);
    let whole = usize::try_from(measured_ns / series.bucket_ns.max(1)).unwrap_or(usize::MAX);
    let counts: Vec<f64> = series.ops.iter().take(whole).map(|&ops| f64::from(ops)).collect();
    let error = batch_means::within(&counts).map(|error| error.standard_error / mean(&counts).max(1e-9));
    error.filter(|error| error.is_finite()).unwrap_or(UNKNOWN_ERROR)
}

impl WorkingSetFindings {
    /// `None` for another run, and for one that ended before its first size was measured.
    pub(super) fn of(record: &Record, points: &[PointFindings]) -> Option<Self> {
        record.header.request.working_set()?;
        let load = record.header.request.class(MANY)?.clone();
        let sets = load.working_sets.clone()?;
        let seen: Vec<SizeMeasurement> = (1..=sets.count())
            .filter_map(|level| SizeMeasurement::of(record, points, &load, level))
            .collect();
        let again = again(record, &load);
        let sizes: Vec<SizeReads<'_>> = seen.iter().map(SizeMeasurement::plain).collect();
        (!sizes.is_empty()).then_some(())?;
        let found = working_set::verdict(&sizes, again.as_ref());
        let caches = if let CacheVerdict::Caches(caches, _) = &found { caches.as_slice() } else { &[] };
        let all: Vec<SizeFindings> = seen.iter().map(|one| one.findings(caches)).collect();
        let forecasts = forecasts(&all, caches);
        Some(Self { load, each: sets.each, asked: sets.sizes.len(), sizes: all, found, forecasts })
    }

    /// The caches that were found.
    pub fn caches(&self) -> &[Cache] {
        if let CacheVerdict::Caches(caches, _) = &self.found { caches } else { &[] }
    }

    /// The largest size that was warm, if one was.
    pub fn largest_warm(&self) -> Option<&SizeFindings> {
        self.sizes.iter().rfind(|size| size.warmth == Warmth::Steady)
    }
}

/// The latencies of the smallest size at the end of the run, if it was warm again.
fn again(record: &Record, load: &LoadClass) -> Option<Histogram> {
    let is_again = |visit: &&Visit| visit.purpose == Purpose::Again && !visit.cut_short;
    let visits = || record.visits.iter().filter(is_again);
    let stretches: Vec<Stretch> =
        visits().filter(|visit| visit.point.is_alone(MANY)).filter_map(stretch_of).collect();
    let blocks = load.working_sets.as_ref()?.bytes(1)? / load.io_bytes().max(1);
    let is_warm = warm::warmth(&stretches, to_f64(blocks)) == Warmth::Steady;
    let visit = visits().find(|visit| visit.point.is_alone(ONE)).filter(|_| is_warm)?;
    Some(visit.tallies.values().next()?.all_latencies_after(0))
}

/// The measurements of a size.
struct SizeMeasurement {
    bytes: u64,
    rate: Estimate,
    latencies: Histogram,
    latency_us: LatencyUs,
    warmth: Warmth,
    passes: f64,
    growth: f64,
}

impl SizeMeasurement {
    fn of(record: &Record, points: &[PointFindings], load: &LoadClass, level: u32) -> Option<Self> {
        let bytes = load.working_sets.as_ref()?.bytes(level)?;
        let blocks = to_f64(bytes / load.io_bytes().max(1));
        let at = |class| {
            let point = Point::alone(class, level);
            let is_measured = record
                .visits
                .iter()
                .any(|visit| visit.point == point && visit.purpose == Purpose::Only && !visit.cut_short);
            let found = points.iter().find(|found| found.point == point).filter(|_| is_measured);
            found?.io(class)
        };
        let (many, one) = (at(MANY)?, at(ONE)?);
        let warm = record
            .visits
            .iter()
            .filter(|visit| visit.purpose == Purpose::Warm && visit.point == Point::alone(MANY, level));
        let stretches: Vec<Stretch> = warm.filter_map(stretch_of).collect();
        let growth = match stretches.as_slice() {
            [first, .., last] => last.rate() / first.rate().max(1e-9),
            _ => 1.0,
        };
        Some(Self {
            bytes,
            rate: many.iops,
            latencies: one.latencies(),
            latency_us: one.latency_us?,
            warmth: warm::warmth(&stretches, blocks),
            passes: warm::passes(&stretches, blocks),
            growth,
        })
    }

    fn plain(&self) -> SizeReads<'_> {
        let Self { latencies, warmth, growth, .. } = self;
        let (bytes, rate) = (to_f64(self.bytes), self.rate.value);
        SizeReads { bytes, latencies, warmth: *warmth, rate, growth: *growth }
    }

    fn findings(&self, caches: &[Cache]) -> SizeFindings {
        SizeFindings {
            bytes: self.bytes,
            rate: self.rate,
            latency_us: self.latency_us,
            warmth: self.warmth,
            passes: self.passes,
            growth: self.growth,
            hits: caches.iter().map(|cache| share(&self.latencies, cache.limit_ns)).collect(),
        }
    }
}

/// The share of reads below a latency, with the interval of Wilson (1927).
fn share(latencies: &Histogram, limit_ns: u64) -> Estimate {
    const Z: f64 = 1.96;
    let (share, reads) = (share_below(latencies, limit_ns), to_f64(latencies.count().max(1)));
    let middle = (share + Z * Z / (2.0 * reads)) / (1.0 + Z * Z / reads);
    let half =
        Z * (share * (1.0 - share) / reads + Z * Z / (4.0 * reads * reads)).sqrt() / (1.0 + Z * Z / reads);
    let (lo95, hi95) = ((middle - half).clamp(0.0, share), (middle + half).clamp(share, 1.0));
    let relative_half_width = if share > 0.0 { half / share } else { 0.0 };
    let interval = Interval { mean: share, lo95, hi95, relative_half_width, visits: 1, df: reads };
    Estimate::of(interval, Basis::OneVisit)
}

/// The effect of two, four and eight times the size, as far as it was measured.
fn forecasts(sizes: &[SizeFindings], caches: &[Cache]) -> Vec<Forecast> {
    let warm: Vec<&SizeFindings> = sizes.iter().filter(|size| size.warmth == Warmth::Steady).collect();
    let (Some(largest), false) = (warm.last(), caches.is_empty()) else { return Vec::new() };
    let largest = to_f64(largest.bytes);
    let curve = |of: &dyn Fn(&SizeFindings) -> f64| -> Vec<(f64, f64)> {
        warm.iter().map(|size| (to_f64(size.bytes), of(size))).collect()
    };
    let hits = curve(&|size| size.hits.last().map_or(0.0, |hits| hits.value));
    let means = curve(&|size| size.latency_us.mean.value);
    let times_each = curve(&|size| 1.0 / size.rate.value.max(1e-9));
    // Half the width of an interval, in the unit of the curve; NaN without one.
    let half = |one: &Estimate| one.ends().map_or(f64::NAN, |(low, high)| (high - low) / 2.0);
    let hits_half = curve(&|size| size.hits.last().map_or(f64::NAN, half));
    let means_half = curve(&|size| half(&size.latency_us.mean));
    let times_half = curve(&|size| size.rate.half_width().unwrap_or(f64::NAN) / size.rate.value.max(1e-9));
    let forecast = |what, times: f64, at: f64, bytes: f64| {
        let (mean_us, time_each) = (at_size(at, &means)?, at_size(at, &times_each)?);
        let halves = ForecastHalves {
            hits: at_size(at, &hits_half)?,
            mean: at_size(at, &means_half)? / mean_us,
            rate: at_size(at, &times_half)? / time_each,
        };
        let is_known = [halves.hits, halves.mean, halves.rate].iter().all(|half| half.is_finite());
        Some(Forecast {
            what,
            times,
            bytes,
            hits: at_size(at, &hits)?,
            mean_us,
            rate: 1.0 / time_each,
            halves: is_known.then_some(halves),
        })
    };
    let of_sets = caches.iter().enumerate().flat_map(|(number, cache)| {
        TIMES.map(|times| {
            let bytes = times * cache.bytes.mean;
            forecast(ForecastCase::WorkingSet(number), times, bytes, bytes)
        })
    });
    let of_caches = TIMES.map(|times| forecast(ForecastCase::Caches, times, largest / times, largest));
    of_sets.chain(of_caches).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(mean: f64, half: f64) -> Interval {
        let (lo95, hi95) = (mean - half, mean + half);
        Interval { mean, lo95, hi95, relative_half_width: half / mean, visits: 1, df: 20.0 }
    }

    /// A warm size of so many bytes, known to 5 points, 2 % and 1 %.
    fn size(bytes: u64, hits: f64, mean_us: f64) -> SizeFindings {
        let one = |value: f64, half: f64| Estimate::of(around(value, half), Basis::OneVisit);
        let mut latencies = Histogram::empty();
        latencies.record(1000);
        let latency_us =
            LatencyUs { mean: one(mean_us, 0.02 * mean_us), ..LatencyUs::of(&latencies).unwrap() };
        let rate = one(1e6 / mean_us, 1e4 / mean_us);
        let hits = vec![one(hits, 0.05)];
        SizeFindings { bytes, rate, latency_us, warmth: Warmth::Steady, passes: 2.0, growth: 1.0, hits }
    }

    #[test]
    fn a_forecast_is_as_certain_as_the_rows_that_it_is_read_from() {
        let cache = Cache { bytes: around(1000.0, 50.0), limit_ns: 500_000 };
        let sizes = [size(1000, 0.95, 300.0), size(2000, 0.5, 2600.0), size(4000, 0.25, 3800.0)];
        let told = forecasts(&sizes, &[cache]);
        let twice = told.iter().find(|one| one.what == ForecastCase::Caches && one.times == 2.0).unwrap();
        let halves = twice.halves.unwrap();
        assert!((twice.hits - 0.5).abs() < 1e-9 && (halves.hits - 0.05).abs() < 1e-9, "{twice:?}");
        assert!((halves.mean - 0.02).abs() < 1e-9 && (halves.rate - 0.01).abs() < 1e-9, "{twice:?}");
        let mut bare = sizes.clone();
        bare[1].rate = Estimate::bare(400.0);
        let told = forecasts(&bare, &[cache]);
        assert!(told.iter().any(|one| one.halves.is_none()), "{told:?}");
    }
}
