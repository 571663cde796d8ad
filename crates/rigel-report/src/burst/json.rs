//! Two bursts as a part of the JSON document.
//!
//! Must not choose a figure.

use super::{credit_of, rate, rate_of, sentence};
use crate::view::View;
use rigel_core::load::class::Class;
use rigel_core::stats::burst::{BurstVerdict, Doubt};
use rigel_core::stats::{Basis, Estimate};
use schemars::JsonSchema;
use serde::Serialize;

/// How long a rate lasts, and how it recovers.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Burst")]
pub(crate) struct BurstDocument {
    /// Which class.
    class: Class,
    /// Outstanding I/Os.
    outstanding: u32,
    /// The maximum length of the first burst, in seconds.
    for_s: f64,
    /// `token_bucket`: the rate fell, and recovered in the pause as much as a bucket refills. `not_a_bucket`: it recovered by another amount.
    /// `no_fall`: the rate lasted. `undecided`: `cause` says why.
    #[schemars(extend("enum" = ["token_bucket", "not_a_bucket", "no_fall", "undecided"]))]
    answer: &'static str,
    /// Why it is undecided; null where it is not.
    #[schemars(extend("enum" = ["short", "stopped", "untested", "too_small", "fell_late", "unclear_fall", "empty_at_start", "spent_at_once", "load_too_small", "drift", "swings", null]))]
    cause: Option<&'static str>,
    /// The rate if it did not fall, in the unit of the class; null if it did.
    rate: Option<Estimate>,
    /// The rate before the fall, in the unit of the class; null if there was none.
    high: Option<Estimate>,
    /// The rate after it, which is what a bucket refills.
    low: Option<Estimate>,
    /// Seconds until the fall.
    lasted_s: Option<f64>,
    /// I/Os that were served above the lower rate: the contents of the bucket at the start.
    credit_ios: Option<Estimate>,
    /// The same in bytes.
    credit_bytes: Option<Estimate>,
    /// Seconds in which the lower rate refills the bucket; null if it is not a bucket.
    refill_s: Option<Estimate>,
    /// The test of the bucket; null if there was none.
    test: Option<BurstTestDocument>,
    /// The same as sentences.
    says: String,
}

/// A pause, and how far the rate recovered in it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BurstTest")]
struct BurstTestDocument {
    /// Its length in seconds.
    rest_s: f64,
    /// I/Os of the second burst above the lower rate.
    recovered_ios: f64,
    /// How many a bucket would have refilled.
    expected_ios: f64,
    /// Lower end of the 95 % interval of the recovered I/Os divided by the expected ones; 1 is a bucket. Below 0 if the rate was lower than the
    /// lower rate.
    ratio_lo95: f64,
    /// Upper end.
    ratio_hi95: f64,
}

/// The document of a run; `None` for another one.
pub(crate) fn document(view: &View<'_>) -> Option<BurstDocument> {
    let found = view.findings.burst.as_ref()?;
    let (answer, cause) = answer(&found.found);
    let parts = credit_of(&found.found);
    let credit = parts.map(|(credit, _)| credit);
    let estimate = |interval| Estimate::of(interval, Basis::OneVisit);
    let io_bytes = rigel_core::units::to_f64(found.load.io_bytes());
    Some(BurstDocument {
        class: found.load.name,
        outstanding: found.outstanding,
        for_s: found.time.seconds(),
        answer,
        cause,
        rate: rate_of(&found.found).map(|per_s| rate(found, per_s)),
        high: credit.map(|credit| rate(found, credit.fall.high)),
        low: credit.map(|credit| rate(found, credit.fall.low)),
        lasted_s: credit.map(|credit| credit.lasted_s),
        credit_ios: credit.map(|credit| estimate(credit.credit)),
        credit_bytes: credit.map(|credit| estimate(credit.credit).scaled(io_bytes)),
        refill_s: credit.filter(|_| answer == "token_bucket").map(|credit| estimate(credit.refill_s)),
        test: parts.and_then(|(_, recovery)| recovery).map(|recovery| BurstTestDocument {
            rest_s: recovery.rest_s,
            recovered_ios: recovery.recovered,
            expected_ios: recovery.expected,
            ratio_lo95: recovery.ratio.0,
            ratio_hi95: recovery.ratio.1,
        }),
        says: sentence(view).unwrap_or_default(),
    })
}

const fn answer(found: &BurstVerdict) -> (&'static str, Option<&'static str>) {
    let doubt = match found {
        BurstVerdict::TokenBucket(..) => return ("token_bucket", None),
        BurstVerdict::NotABucket(..) => return ("not_a_bucket", None),
        BurstVerdict::NoFall { .. } => return ("no_fall", None),
        BurstVerdict::Undecided(doubt) => doubt,
    };
    let cause = match doubt {
        Doubt::Short => "short",
        Doubt::Stopped(_) => "stopped",
        Doubt::Untested(_) => "untested",
        Doubt::TooSmall(..) => "too_small",
        Doubt::FellLate(_) => "fell_late",
        Doubt::Blur { .. } => "unclear_fall",
        Doubt::EmptyAtStart { .. } => "empty_at_start",
        Doubt::SpentAtOnce { .. } => "spent_at_once",
        Doubt::LoadTooSmall { .. } => "load_too_small",
        Doubt::Drift { .. } => "drift",
        Doubt::Swings { .. } => "swings",
    };
    ("undecided", Some(cause))
}
