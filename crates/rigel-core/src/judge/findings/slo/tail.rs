//! How slow I/Os come in clusters: a queue that is long makes every I/O wait that arrives then.
//!
//! A few clusters in a run say little about how many there may be, and nothing about their size. But a queue takes as long to become shorter from any
//! length, so that I/Os beyond lower latencies, of which every visit has many, come in clusters of about the same size. Must not judge differently from [`Ratio`].

use crate::judge::slo::{SloVisit, is_counted};
use crate::load::slo::SloBound;
use crate::measure::Histogram;
use crate::stats::crossing::RatioPoint;
use crate::stats::share::{Ratio, cluster_size};
use crate::units::to_f64;

/// Shares of I/Os beyond lower latencies.
const LOWER: [f64; 4] = [0.3, 0.2, 0.1, 0.05];
/// The two of them from which the tail is extrapolated.
const ENDS: [f64; 2] = [LOWER[1], LOWER[3]];
/// The share beyond a latency is at most this many times the extrapolated tail: if nothing comes near a limit,
/// clusters do not either.
const MOST: f64 = 5.0;

/// The tail of the latencies of visits to one load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tail {
    /// I/Os of a cluster, at least 1.
    size: f64,
    /// The latencies that [`ENDS`] exceed.
    ends_ns: [f64; 2],
}

impl Tail {
    /// `None` if nothing was observed.
    pub fn of(visits: &[SloVisit]) -> Option<Self> {
        let mut all = Histogram::empty();
        visits.iter().for_each(|visit| all.add(visit.latencies()));
        let beyond = |share: f64| all.quantile_ns(1.0 - share);
        let seen = |limit_ns: u64| -> Vec<RatioPoint> {
            let of = |visit: &SloVisit| {
                let ios = to_f64(visit.latencies().count());
                let ratio = visit.latencies().count_above(limit_ns) / ios;
                (ios > 0.0).then_some(RatioPoint { rate: 0.0, ratio, weight: ios })
            };
            visits.iter().filter_map(of).collect()
        };
        let lower: Option<Vec<Vec<RatioPoint>>> =
            LOWER.map(|share| beyond(share).map(seen)).into_iter().collect();
        let [near, far] = ENDS.map(beyond);
        Some(Self { size: cluster_size(&lower?), ends_ns: [to_f64(near?), to_f64(far?)] })
    }

    /// The extrapolated share beyond a latency: over each equal distance it falls by the same factor.
    fn share_beyond(&self, limit_ns: f64) -> f64 {
        let [near, far] = self.ends_ns;
        if far > near { ENDS[1] * (ENDS[0] / ENDS[1]).powf((far - limit_ns) / (far - near)) } else { 0.0 }
    }
}

/// The evidence of visits to one load about a limit. For a share that is small at most, the upper end counts clusters, not I/Os.
pub(super) fn ratio(visits: &[SloVisit], bound: &SloBound, tail: Option<&Tail>) -> Option<Ratio> {
    let seen: Vec<RatioPoint> = visits.iter().map(|visit| visit.ratio(bound)).collect();
    let ratio = Ratio::of(&seen, is_counted(bound))?;
    match (tail, bound.judged.allowed()) {
        (Some(tail), Some(allowed)) if allowed <= ENDS[1] => {
            let most = MOST * tail.share_beyond(to_f64(bound.limit.0)) / allowed;
            Some(ratio.in_clusters(&seen, tail.size, most))
        }
        _ => Some(ratio),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::draw::Generator;
    use crate::load::slo::LatencyCriterion;
    use crate::units::Nanos;

    fn bound(limit_ns: u64) -> SloBound {
        SloBound { judged: LatencyCriterion::Beyond(10_000), limit: Nanos(limit_ns) }
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a latency")]
    fn ns(ms: f64) -> u64 {
        (ms * 1e6) as u64
    }

    /// Two seconds of 7000 arrivals a second at eight servers of a millisecond, half a second after the first.
    fn visit(by: &mut Generator) -> SloVisit {
        let (mut free, mut at, mut seen) = ([0.0_f64; 8], 0.0, Histogram::empty());
        while at < 2500.0 {
            at += by.exponential() / 7.0;
            let next = free.iter_mut().min_by(|one, other| one.total_cmp(other)).unwrap();
            *next = next.max(at) + by.exponential();
            if at > 500.0 {
                seen.record(ns(*next - at));
            }
        }
        SloVisit::of_latencies(seen)
    }

    /// 0.0334 % take longer than 10 ms (Erlang C), a few clusters in a run: the interval of the visits alone held in about 70 of 100.
    #[test]
    fn a_small_share_of_a_queue_is_in_its_interval() {
        let mut by = Generator::new(11, &[]);
        let (mut held, mut alone) = (0, 0);
        let inside = |ratio: &Ratio| ratio.lo95 <= 0.0334 && ratio.hi95 >= Some(0.0334);
        for _ in 0..30 {
            let visits: Vec<SloVisit> = (0..13).map(|_| visit(&mut by)).collect();
            let found = ratio(&visits, &bound(10_000_000), Tail::of(&visits).as_ref()).unwrap();
            assert!(found.hi95 < Some(1.0), "{found:?}");
            held += usize::from(inside(&found));
            alone += usize::from(inside(&ratio(&visits, &bound(10_000_000), None).unwrap()));
        }
        assert!(held >= 28 && alone <= 26, "{held} {alone}");
    }

    #[test]
    fn nothing_comes_near_to_a_bound_that_is_far_away() {
        let mut by = Generator::new(12, &[]);
        let visits: Vec<SloVisit> = (0..6).map(|_| visit(&mut by)).collect();
        let tail = Tail::of(&visits).unwrap();
        assert!(tail.size > 10.0, "{tail:?}");
        let far = bound(100_000_000);
        assert_eq!(ratio(&visits, &far, Some(&tail)), ratio(&visits, &far, None));
        assert_eq!(Tail::of(&[]), None);
    }

    #[test]
    fn a_tail_goes_on_as_it_began() {
        let tail = Tail { size: 1.0, ends_ns: [1000.0, 2000.0] };
        assert!((tail.share_beyond(1000.0) - 0.2).abs() < 1e-12);
        assert!((tail.share_beyond(3000.0) - 0.0125).abs() < 1e-12);
        let all_alike = Tail { size: 1.0, ends_ns: [1000.0; 2] };
        assert_eq!(all_alike.share_beyond(1000.0), 0.0);
    }
}
