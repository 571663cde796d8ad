//! Flags from the latency of an open loop over the run. Its rate is given, so only the latency shows that the storage changed.
//!
//! Must not look inside a visit.

use crate::judge::findings::visits::VisitFindings;
use crate::judge::findings::{IoFindings, PointFindings};
use crate::judge::flags::{Flag, FlagCode};
use crate::load::class::Class;
use crate::record::Purpose;
use crate::stats::detect::TimedVisit;
use crate::stats::detect::drift::{RunDrift, drift};
use crate::stats::sample::{count, mean, variance};
use crate::stats::special::student_t_quantile;
use crate::units::say::{in_percent, rough_time};
use crate::units::{NS_PER_MS, NS_PER_US, to_f64};

/// A long visit that differs from the others by less does not matter.
const LEAST_APART: f64 = 0.1;
/// Of runs without a drift, so many have a point that seems to have one.
const SIGNIFICANCE: f64 = 0.01;
/// The fewest visits whose spread says what one more would give.
const LEAST_VISITS: usize = 4;

/// The flags of one of `points` of a phase of an adaptively paced run that aims at `target`; `known` are those that it has.
pub fn of_point(point: &PointFindings, known: &[Flag], points: usize, target: f64) -> Vec<Flag> {
    // What is not served waits longer and longer.
    if known.iter().any(|flag| flag.code == FlagCode::Overload) {
        return Vec::new();
    }
    let open = point.classes().filter(|(_, io)| io.load.is_open());
    open.filter_map(|(class, io)| {
        drifting(point, class, io, points, target).or_else(|| apart(point, class, io))
    })
    .collect()
}

/// Whole visits with the mean latency of the class in microseconds: those that count, or the long ones.
fn visits(point: &PointFindings, class: Class, counts: bool) -> Vec<(&VisitFindings, f64)> {
    let is_wanted = |visit: &&VisitFindings| {
        !visit.cut_short
            && if counts { visit.counts } else { visit.purpose == Purpose::Long && !visit.counts }
    };
    let with_latency = |visit| Some((visit, visit_latency(visit, class)?));
    point.each_visit.iter().filter(is_wanted).filter_map(with_latency).collect()
}

fn visit_latency(visit: &VisitFindings, class: Class) -> Option<f64> {
    visit.ios.get(&class)?.latency_us
}

/// All visits to the point change steadily.
fn drifting(
    point: &PointFindings,
    class: Class,
    io: &IoFindings,
    points: usize,
    target: f64,
) -> Option<Flag> {
    let timed = |(visit, latency_us): (&VisitFindings, f64)| TimedVisit {
        point: point.step,
        began_ns: visit.began_ns,
        length: usize::try_from(visit.measured_ns / NS_PER_MS).unwrap_or(usize::MAX),
        mean: latency_us,
    };
    let found = drift(&visits(point, class, true).into_iter().map(timed).collect::<Vec<_>>(), target)?;
    // Each point is judged by itself, and one of all may be so by chance.
    (found.p * count(points) < SIGNIFICANCE).then(|| Flag::new(FlagCode::Drift, drifted(io, found)))
}

fn drifted(io: &IoFindings, found: RunDrift) -> String {
    format!(
        "{}: the mean latency {} by {} of its mean from the first visit to the last",
        io.load.title(),
        if found.total > 0.0 { "rose" } else { "fell" },
        in_percent(found.total.abs())
    )
}

/// A long visit that lies where one more visit would not.
fn apart(point: &PointFindings, class: Class, io: &IoFindings) -> Option<Flag> {
    let (_, long_us) = *visits(point, class, false).first()?;
    let each: Vec<f64> = visits(point, class, true).into_iter().map(|(_, us)| us).collect();
    let usual_us = left_by(long_us, &each)?;
    let difference = long_us / usual_us - 1.0;
    let us = |us: f64| rough_time(us * to_f64(NS_PER_US));
    let text = format!(
        "{}: the long visit had a mean latency of {}, {} {} the {} of the {} other visits",
        io.load.title(),
        us(long_us),
        in_percent(difference.abs()),
        if difference > 0.0 { "above" } else { "below" },
        us(usual_us),
        each.len()
    );
    Some(Flag::new(FlagCode::LevelShift, text))
}

/// The latency that is usual of visits, where one more of them would not be so far from it as `long` in 99 of 100 cases. On
/// the scale of logarithms: few busy times make a few visits long.
fn left_by(long: f64, each: &[f64]) -> Option<f64> {
    if each.len() < LEAST_VISITS {
        return None;
    }
    let logs: Vec<f64> = each.iter().map(|one| one.ln()).collect();
    let (number, centre) = (count(logs.len()), mean(&logs));
    let deviation = (variance(&logs) * (1.0 + 1.0 / number)).sqrt();
    let one_more = student_t_quantile(0.995, number - 1.0) * deviation;
    ((long.ln() - centre).abs() > one_more.max(LEAST_APART)).then(|| centre.exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_visit_is_apart_where_one_more_would_not_be() {
        // Standard deviation 1 %: in 99 of 100 cases one more of six visits lies within 4.4 %, but a tenth is what matters.
        let each = [1000.0, 1010.0, 990.0, 1008.0, 992.0, 1000.0];
        let usual = left_by(2760.0, &each).unwrap();
        assert!((usual - 1000.0).abs() < 1.0, "{usual}");
        assert!(left_by(1120.0, &each).is_some() && left_by(1090.0, &each).is_none());
        assert!(left_by(890.0, &each).is_some() && left_by(915.0, &each).is_none());
        // A queue with a long memory: each visit may be twice as long as the one before.
        let busy = [1000.0, 2000.0, 700.0, 1500.0, 900.0, 1200.0];
        assert!(left_by(4000.0, &busy).is_none() && left_by(10_000.0, &busy).is_some());
        assert!(left_by(10_000.0, &each[..3]).is_none(), "three visits show no spread");
    }
}
