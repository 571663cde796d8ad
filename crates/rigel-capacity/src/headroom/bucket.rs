//! A token bucket as a limit: what `rigel run burst` measured, and how a history uses it.
//!
//! Must not walk through a load; [`crate::credits`] does.

use super::super::credits::{Bucket, CreditCourse};
use super::super::forecast::Reading;
use super::{Limit, Resource};
use rigel_core::judge::findings::BurstFindings;
use rigel_core::load::class::Figure;
use rigel_core::stats::burst::{BurstVerdict, Credit, Doubt};
use rigel_core::stats::{Basis, Estimate, EstimateForm, Interval};
use rigel_core::units::{MIB, to_f64};

/// How much of the end of a history shows how much more load a bucket takes.
const RECENT_S: i64 = 28 * 86_400;

/// A token bucket in the unit of its resource: I/Os, or megabytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BucketForm {
    /// The resource.
    pub resource: Resource,
    /// The rate while there are credits.
    pub burst: f64,
    /// The rate without credits.
    pub refill: EstimateForm,
    /// Credits of a full one.
    pub size: EstimateForm,
}

impl BucketForm {
    /// The most likely one.
    pub const fn bucket(&self) -> Bucket {
        Bucket { burst: self.burst, refill: self.refill.value, size: self.size.value }
    }

    /// The least that it may be.
    fn least(&self) -> Bucket {
        let of = |figure: EstimateForm| figure.lo95.unwrap_or(figure.value);
        Bucket { burst: self.burst, refill: of(self.refill), size: of(self.size) }
    }

    /// The most that it may be.
    fn most(&self) -> Bucket {
        let of = |figure: EstimateForm| figure.hi95.unwrap_or(figure.value);
        Bucket { burst: self.burst, refill: of(self.refill), size: of(self.size) }
    }
}

/// What bursts say about a storage.
#[derive(Debug, Default)]
pub(super) struct BurstSurface {
    pub(super) limit: Option<Limit>,
    pub(super) unknown: Option<(Resource, String)>,
    pub(super) bucket: Option<BucketForm>,
}

/// From two bursts. If the rate fell for another reason than a bucket, the lower level is the limit.
pub(super) fn of_bursts(found: &BurstFindings) -> BurstSurface {
    let is_large = found.load.figure == Figure::Mbps;
    let resource = if is_large { Resource::Mbps } else { Resource::Iops };
    let scale = if is_large { to_f64(found.load.io_bytes()) / to_f64(MIB) } else { 1.0 };
    let form = |interval: Interval| EstimateForm::from(Estimate::of(interval, Basis::Visits)).scaled(scale);
    let limit = |interval: Interval, from: &str| BurstSurface {
        limit: Some(Limit { resource, figure: form(interval), from: from.to_owned(), keeps_bound: false }),
        ..BurstSurface::default()
    };
    let fell = |credit: &Credit| limit(credit.fall.low, "the rate after the fall");
    match &found.found {
        BurstVerdict::TokenBucket(credit, _) => BurstSurface {
            bucket: Some(BucketForm {
                resource,
                burst: credit.fall.high.mean * scale,
                refill: form(credit.fall.low),
                size: form(credit.credit),
            }),
            ..BurstSurface::default()
        },
        BurstVerdict::NotABucket(credit, _)
        | BurstVerdict::Undecided(Doubt::Untested(credit) | Doubt::TooSmall(credit, _)) => fell(credit),
        BurstVerdict::NoFall { rate, .. } => limit(*rate, "the rate that did not fall"),
        BurstVerdict::Undecided(_) => BurstSurface {
            unknown: Some((resource, "the record does not show whether the rate lasts".to_owned())),
            ..BurstSurface::default()
        },
    }
}

/// What a history does to a token bucket that was full at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct Credits {
    /// The bucket.
    pub bucket: BucketForm,
    /// The load through the most likely bucket.
    pub course: CreditCourse,
    /// Spells without credits at least, in the largest bucket that it may be, and at most, in the smallest.
    pub spells: (usize, usize),
    /// Seconds that local time is ahead of UTC.
    pub offset_s: i64,
    /// Seconds of the longest interval that the history was divided into.
    pub step_s: u32,
    /// The size that would have been enough with this refill.
    pub least_size: f64,
    /// The refill that would have been enough with this size.
    pub least_refill: f64,
    /// How many times the load of the last four weeks may be before it waits for credits; `None` if no load would.
    pub times: Option<EstimateForm>,
}

impl Credits {
    /// For a load by the minute, in time order; local time is `offset_s` ahead of UTC.
    pub fn of(bucket: BucketForm, load: &[Reading], offset_s: i64) -> Self {
        let own = bucket.bucket();
        let spells = |bucket: Bucket| bucket.course(load, offset_s).spells.len();
        let end_s = load.last().map_or(0, |last| last.from_s + i64::from(last.seconds));
        let first = load.partition_point(|reading| reading.from_s < end_s - RECENT_S);
        let recent = load.get(first..).unwrap_or_default();
        let times = own.times(recent).map(|times| EstimateForm {
            lo95: bucket.least().times(recent),
            hi95: bucket.most().times(recent),
            basis: Basis::Visits,
            ..EstimateForm::bare(times)
        });
        Self {
            course: own.course(load, offset_s),
            spells: (spells(bucket.most()), spells(bucket.least())),
            offset_s,
            step_s: load.iter().map(|reading| reading.seconds).max().unwrap_or(0),
            least_size: own.least_size(load),
            least_refill: own.least_refill(load),
            times,
            bucket,
        }
    }

    /// The level of a busy day at which credits run out, if `recent` is the level in the load that [`Self::times`]
    /// multiplies; the refill if no known load empties the bucket.
    pub(super) fn limit(&self, recent: Option<f64>) -> Limit {
        let known = recent.zip(self.times).filter(|(recent, _)| *recent > 0.0);
        let (figure, from) = match known {
            Some((recent, times)) => (times.scaled(recent), "the load at which the token bucket runs empty"),
            None => (self.bucket.refill, "the rate of the token bucket without credits"),
        };
        Limit { resource: self.bucket.resource, figure, from: from.to_owned(), keeps_bound: false }
    }
}
