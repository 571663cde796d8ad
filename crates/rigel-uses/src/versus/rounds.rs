//! The visits of both sides to a load, round by round.
//!
//! Must not judge a ratio.

use super::{Pair, PairedRates};
use rigel_core::judge::findings::{PointFindings, VisitFindings, VisitIo};
use rigel_core::judge::quantity::{Quantity, What};
use rigel_core::load::class::Class;
use rigel_core::record::Purpose;
use rigel_core::stats::Interval;
use rigel_core::stats::quantile::{BUCKET_WIDTH, enough};
use rigel_core::stats::sample::variance;
use rigel_core::stats::turns::{self, Ratio, RoundVisit, Turn};
use std::collections::BTreeMap;

/// The rounds in which both sides had a visit that counts.
pub(super) fn turns(pair: &Pair<'_>, quantity: Quantity) -> Vec<Turn> {
    let visits = |found| visits(found, quantity);
    visits(pair.a).zip(visits(pair.b)).map_or_else(Vec::new, |(a, b)| turns::turns(&a, &b))
}

/// The visits of rounds; `None` when some has too few I/Os for a percentile. Leaving out only that one would favour fast visits.
fn visits(found: &PointFindings, quantity: Quantity) -> Option<Vec<RoundVisit>> {
    let counting = found.each_visit.iter().filter(|visit| visit.counts);
    let one = |visit: &VisitFindings| -> Option<Option<RoundVisit>> {
        let Purpose::Round(round) = visit.purpose else { return Some(None) };
        let Some(io) = of_class(visit, quantity.class) else { return Some(None) };
        let (value, error) = match quantity.what {
            what if what.is_percentile() => (io.p99_us.filter(|_| enough(io.ios, 0.99))?, None),
            What::Mean => (io.latency_us?, latency_error(io)),
            _ => (io.iops, io.standard_error),
        };
        Some(Some((round, value, error)))
    };
    counting.map(one).collect::<Option<Vec<_>>>().map(|visits| visits.into_iter().flatten().collect())
}

fn of_class(visit: &VisitFindings, class: Class) -> Option<&VisitIo> {
    visit.ios.iter().find(|(name, _)| name.sided().is_some_and(|(plain, _)| plain == class)).map(|one| one.1)
}

fn latency_error(io: &VisitIo) -> Option<f64> {
    Some(io.latency_error? * io.latency_us?).filter(|error| error.is_finite())
}

/// No interval of a percentile is narrower than a bucket of the histogram.
pub(super) fn widened(quantity: Quantity, ratio: Ratio) -> Ratio {
    let widen = |interval: Interval| {
        let half = (interval.hi95 / interval.mean).ln().max(BUCKET_WIDTH);
        Interval::geometric(interval.mean.ln(), half, interval.visits, interval.df)
    };
    let interval = ratio.interval;
    let interval = if quantity.what.is_percentile() { interval.map(widen) } else { interval };
    Ratio { interval, ..ratio }
}

/// The variance of the logarithms of both sides over that of their ratio, over all loads and quantities of the verdict.
pub(super) fn worth(all: &[PairedRates<'_>], leading: &[Quantity]) -> Option<f64> {
    let (mut apart, mut together) = (0.0, 0.0);
    let used = |one: &&PairedRates<'_>| one.doubt.is_none() && leading.contains(&one.quantity);
    for PairedRates { pair, quantity, .. } in all.iter().filter(used) {
        let Some((a, b)) = visits(pair.a, *quantity).zip(visits(pair.b, *quantity)) else { continue };
        let of_a: BTreeMap<u32, f64> = a.iter().map(|visit| (visit.0, visit.1.ln())).collect();
        let both: Vec<(f64, f64)> =
            b.iter().filter_map(|visit| Some((*of_a.get(&visit.0)?, visit.1.ln()))).collect();
        if both.iter().any(|(a, b)| !(a + b).is_finite()) {
            continue;
        }
        let of = |log: fn(&(f64, f64)) -> f64| both.iter().map(log).collect::<Vec<f64>>();
        apart += variance(&of(|both| both.0)) + variance(&of(|both| both.1));
        together += variance(&of(|both| both.1 - both.0));
    }
    (together > 0.0 && apart > 0.0).then(|| apart / together)
}
