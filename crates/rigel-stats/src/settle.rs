//! How long a visit takes to settle, judged from all visits of a phase together.
//!
//! Welch's procedure (1983), automated: profiles are averaged over visits at equal time since the start of the load, so
//! a start-up that all have in common stands out of their noise. Must not trim a visit by its own data: that
//! would remove real stalls, and the variance with them.

use super::sample::{count, mean, variance};
use super::special::student_t_quantile;
use crate::units::{NS_PER_MS, NS_PER_S};
use std::ops::Range;

/// Settling times that are tried, in order, in nanoseconds.
const CANDIDATES: [u64; 8] = [
    500 * NS_PER_MS,
    800 * NS_PER_MS,
    1100 * NS_PER_MS,
    1500 * NS_PER_MS,
    2000 * NS_PER_MS,
    2500 * NS_PER_MS,
    3000 * NS_PER_MS,
    4000 * NS_PER_MS,
];
/// The last candidate may lie this long after the middle of the visit.
const BEYOND_MIDDLE_NS: u64 = 300 * NS_PER_MS;
/// Length of the piece after a candidate that is compared with a later part of the visit. The later part is the
/// second half of the visit, without the piece. If the piece reaches to the end of the visit, it is cut to half of
/// what the candidate leaves.
const PIECE_NS: u64 = NS_PER_S / 2;
/// Fewer visits are not judged. A phase of a single point has this many before its first look.
const LEAST_VISITS: usize = 6;
/// A smaller difference, in standard errors, is taken for noise.
const STANDARD_ERRORS: f64 = 2.5;
/// This limit holds from this many visits on. With fewer visits the standard error is uncertain, so the limit is higher.
const MANY_VISITS: usize = 16;
/// The probability of a normal deviate below 2.5.
const QUANTILE: f64 = 0.993_790_3;
/// A difference below this part of the target does not matter.
const PART_OF_TARGET: f64 = 8.0;

/// The settling time of a phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settle {
    /// How much of the start of every visit counts for nothing.
    pub settle_ns: u64,
    /// How many visits were averaged; below 6 nothing was judged and `settle_ns` is the first candidate.
    pub visits: usize,
    /// Set when every candidate was too short: the difference of the piece after the last candidate.
    pub unsettled: Option<TransientBias>,
}

/// Relative difference between a piece of the visits and a later part of them, averaged over the visits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TransientBias {
    /// Mean difference: -0.05 when the piece is 5 % slower.
    pub difference: f64,
    /// Its standard error over the visits.
    pub standard_error: f64,
}

/// Chooses the settling time. `profiles` has for each visit the rate per bucket of `bucket_ns`, from the start of the
/// load to its end; `target` is the relative half-width that the adaptive run aims at.
pub fn choose_settle(profiles: &[&[f64]], bucket_ns: u64, target: f64) -> Settle {
    let usable: Vec<&[f64]> = profiles.iter().copied().filter(|profile| second_half(profile) > 0.0).collect();
    let visits = usable.len();
    let shortest = usable.iter().map(|profile| profile.len()).min().unwrap_or(0);
    let limit = to_ns(shortest, bucket_ns) / 2 + BEYOND_MIDDLE_NS;
    let mut settle = Settle { settle_ns: CANDIDATES[0], visits, unsettled: None };
    if visits < LEAST_VISITS {
        return settle;
    }
    for candidate in CANDIDATES.into_iter().filter(|&candidate| candidate <= limit) {
        let transient = transient(&usable, candidate, bucket_ns);
        settle.settle_ns = candidate;
        let size = transient.difference.abs();
        let noise = least_errors(visits) * transient.standard_error;
        let least = noise.max(one_step(&usable, candidate, bucket_ns)).max(target / PART_OF_TARGET);
        if size < least {
            return Settle { unsettled: None, ..settle };
        }
        settle.unsettled = Some(transient);
    }
    settle
}

/// The settling times that `choose_settle` may choose for visits of `visit_ns`, ascending. Those up to `lead_ns`
/// are left out, because that part never counts. The latencies up to each of these times have to be recorded
/// separately.
pub fn edges(lead_ns: u64, visit_ns: u64) -> Vec<u64> {
    let limit = visit_ns / 2 + BEYOND_MIDDLE_NS;
    CANDIDATES.into_iter().filter(|&candidate| lead_ns < candidate && candidate <= limit).collect()
}

/// The buckets of a visit after settling. A bucket that lies partly in the settling time is left out.
pub fn after(profile: &[f64], bucket_ns: u64, settle_ns: u64) -> &[f64] {
    profile.get(buckets(settle_ns, bucket_ns)..).unwrap_or_default()
}

/// Standard errors that a difference must exceed. For few visits it is the quantile of Student's t that is as rare
/// as 2.5 is for many.
fn least_errors(visits: usize) -> f64 {
    if visits >= MANY_VISITS { STANDARD_ERRORS } else { student_t_quantile(QUANTILE, count(visits) - 1.0) }
}

fn transient(profiles: &[&[f64]], candidate_ns: u64, bucket_ns: u64) -> TransientBias {
    let difference = |profile: &&[f64]| {
        let piece = piece(profile.len(), candidate_ns, bucket_ns);
        let reference = mean(reference(profile, piece.end));
        (mean(profile.get(piece).unwrap_or_default()) - reference) / second_half(profile)
    };
    let differences: Vec<f64> = profiles.iter().map(difference).collect();
    let standard_error = (variance(&differences) / count(differences.len())).sqrt();
    TransientBias { difference: mean(&differences), standard_error }
}

/// The difference that one step of the rate makes, from one bucket to the next: an I/O, or as many as come at once. Visits
/// without noise are all alike, so their standard error is 0, and a piece of them has one step more or less than what it
/// is compared with. The steps of noisy visits cancel out in the mean profile, and are far below the standard error.
fn one_step(profiles: &[&[f64]], candidate_ns: u64, bucket_ns: u64) -> f64 {
    let Some(shortest) = profiles.iter().min_by_key(|profile| profile.len()) else { return 0.0 };
    let piece = piece(shortest.len(), candidate_ns, bucket_ns);
    let compared = count(reference(shortest, piece.end).len());
    // Once for each visit, and not again for every bucket of it.
    let halves: Vec<f64> = profiles.iter().map(|profile| second_half(profile)).collect();
    let of_visits = |bucket: usize| {
        let rates = profiles.iter().zip(&halves).map(|(profile, half)| profile[bucket] / half);
        rates.sum::<f64>() / count(profiles.len())
    };
    let (mut least, mut most) = (f64::INFINITY, 0.0);
    for rate in (piece.start..shortest.len()).map(of_visits) {
        (least, most) = (f64::min(least, rate), f64::max(most, rate));
    }
    (most - least).max(0.0) * (1.0 / count(piece.len().max(1)) + 1.0 / compared)
}

/// The buckets of the piece after a candidate, of a visit of this many.
fn piece(all: usize, candidate_ns: u64, bucket_ns: u64) -> Range<usize> {
    let (begin, length) = (buckets(candidate_ns, bucket_ns), buckets(PIECE_NS, bucket_ns));
    let left = all.saturating_sub(begin);
    begin..begin.saturating_add(if length < left { length } else { left / 2 }).min(all)
}

/// The part that a piece ending at `end` is compared with: the second half of the visit, from the end of the piece
/// on. The two must not overlap: a piece that is compared with itself looks settled.
fn reference(profile: &[f64], end: usize) -> &[f64] {
    let middle = profile.len() / 2;
    let later = profile.get(middle.max(end)..).unwrap_or_default();
    if later.is_empty() { &profile[middle..] } else { later }
}

fn second_half(profile: &[f64]) -> f64 {
    mean(&profile[profile.len() / 2..])
}

/// Buckets in a span, the last one perhaps not filled.
fn buckets(span_ns: u64, bucket_ns: u64) -> usize {
    usize::try_from(span_ns.div_ceil(bucket_ns.max(1))).unwrap_or(usize::MAX)
}

/// The span of this many buckets.
pub fn to_ns(buckets: usize, bucket_ns: u64) -> u64 {
    u64::try_from(buckets).unwrap_or(u64::MAX).saturating_mul(bucket_ns)
}

#[cfg(test)]
mod tests;
