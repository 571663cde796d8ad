//! Working sets as a part of the JSON document.
//!
//! Must not choose a figure.

use super::{sentence, warmth_name};
use crate::view::View;
use rigel_core::judge::findings::{Forecast, ForecastCase, LatencyUs, SizeFindings};
use rigel_core::stats::working_set::{CacheVerdict, SetDoubt};
use rigel_core::stats::{Basis, Estimate};
use schemars::JsonSchema;
use serde::Serialize;

/// The effect of a cache: random reads over the size of the data read.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WorkingSet")]
pub(crate) struct WorkingSetDocument {
    /// Bytes of a read.
    io_bytes: u64,
    /// Outstanding reads while a rate was measured. Latencies are those of one read at a time.
    outstanding: u32,
    /// `caches`: one or two were found. `no_cache`: all warm sizes are answered alike. `at_least`: a larger cache answered all of them; `cause`
    /// says why its size is unknown. `undecided`: `cause` says why.
    #[schemars(extend("enum" = ["caches", "no_cache", "at_least", "undecided"]))]
    answer: &'static str,
    /// Why it is undecided; null where it is not.
    #[schemars(extend("enum" = ["target_fits", "time", "too_few_warm", "drift", "only_largest", "not_a_cache", "uneven", null]))]
    cause: Option<&'static str>,
    /// The caches, the fastest first.
    caches: Vec<CacheDocument>,
    /// Median latency beyond all caches, in microseconds; null where none was found.
    behind_us: Option<f64>,
    /// Bytes that a cache has at least; null unless `at_least`.
    at_least_bytes: Option<f64>,
    /// The working sets that were measured, ascending.
    sizes: Vec<SizeDocument>,
    /// The effect of a larger working set, or a larger cache.
    forecasts: Vec<ForecastDocument>,
    /// The same as sentences.
    says: String,
}

/// A cache.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Cache")]
struct CacheDocument {
    /// Its size; for the second cache the size of both together, not counting data that both contain.
    bytes: Estimate,
    /// Median of its latencies, in microseconds.
    latency_us: f64,
    /// Reads faster than this, in microseconds, are its hits, or those of the cache before it.
    limit_us: f64,
}

/// A working set.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WorkingSetSize")]
struct SizeDocument {
    /// Its size.
    bytes: u64,
    /// Reads per second.
    iops: Estimate,
    /// Latency of one read at a time.
    latency_us: LatencyUs,
    /// The share of reads that each cache answered, or one before it: 0.5 is half of them.
    hits: Vec<Estimate>,
    /// `steady`: it was read at least once before, and its rate no longer rose. `rising`: it still rose. `no_pass`: there was no time to read all
    /// of it. Only steady ones are used for the answer.
    #[schemars(extend("enum" = ["steady", "rising", "no_pass"]))]
    warmth: &'static str,
    /// How often its data had been read before, on average.
    passes: f64,
}

/// What a larger cache would give.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CacheForecast")]
struct ForecastDocument {
    /// `working_set`: a working set that is this many times as large as `cache`. `caches`: all caches are this many times as large, and the working
    /// set is the largest that was warm.
    #[schemars(extend("enum" = ["working_set", "caches"]))]
    what: &'static str,
    /// Which cache, from 1; null if all of them are larger.
    cache: Option<usize>,
    /// How many times.
    times: f64,
    /// Bytes of the working set.
    bytes: f64,
    /// Hits of the largest cache: 0.5 is half of the reads.
    hits: f64,
    /// Mean latency of one read at a time, in microseconds.
    latency_mean_us: f64,
    /// Reads per second.
    iops: f64,
}

/// The document of a run; `None` for another one.
pub(crate) fn document(view: &View<'_>) -> Option<WorkingSetDocument> {
    let found = view.findings.working_set.as_ref()?;
    let (answer, cause) = answer(&found.found);
    let (caches, behind_us) = match &found.found {
        CacheVerdict::Caches(caches, levels) => {
            let each = caches.iter().zip(levels).map(|(cache, level)| CacheDocument {
                bytes: Estimate::of(cache.bytes, Basis::OneVisit),
                latency_us: level.median_us,
                limit_us: rigel_core::units::us_from_ns(rigel_core::units::to_f64(cache.limit_ns)),
            });
            (each.collect(), levels.last().map(|level| level.median_us))
        }
        _ => (Vec::new(), None),
    };
    let at_least_bytes =
        if let CacheVerdict::AtLeast { bytes, .. } = found.found { Some(bytes) } else { None };
    Some(WorkingSetDocument {
        io_bytes: found.load.io_bytes(),
        outstanding: found.each,
        answer,
        cause,
        caches,
        behind_us,
        at_least_bytes,
        sizes: found.sizes.iter().map(size).collect(),
        forecasts: found.forecasts.iter().map(forecast).collect(),
        says: sentence(view).unwrap_or_default(),
    })
}

fn size(size: &SizeFindings) -> SizeDocument {
    SizeDocument {
        bytes: size.bytes,
        iops: size.rate,
        latency_us: size.latency_us,
        hits: size.hits.clone(),
        warmth: warmth_name(size.warmth),
        passes: size.passes,
    }
}

fn forecast(one: &Forecast) -> ForecastDocument {
    let (what, cache) = match one.what {
        ForecastCase::WorkingSet(number) => ("working_set", Some(number + 1)),
        ForecastCase::Caches => ("caches", None),
    };
    let Forecast { times, bytes, hits, mean_us, rate, .. } = *one;
    ForecastDocument { what, cache, times, bytes, hits, latency_mean_us: mean_us, iops: rate }
}

const fn answer(found: &CacheVerdict) -> (&'static str, Option<&'static str>) {
    match found {
        CacheVerdict::Caches(..) => ("caches", None),
        CacheVerdict::NoCache { .. } => ("no_cache", None),
        CacheVerdict::AtLeast { is_all: true, .. } => ("at_least", Some("target_fits")),
        CacheVerdict::AtLeast { is_all: false, .. } => ("at_least", Some("time")),
        CacheVerdict::Undecided(doubt) => match doubt {
            SetDoubt::TooFew { .. } => ("undecided", Some("too_few_warm")),
            SetDoubt::Drift { .. } => ("undecided", Some("drift")),
            SetDoubt::OnlyLargest { .. } => ("undecided", Some("only_largest")),
            SetDoubt::NotACache { .. } => ("undecided", Some("not_a_cache")),
            SetDoubt::Uneven { .. } => ("undecided", Some("uneven")),
        },
    }
}
