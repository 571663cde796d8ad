//! Times in which nothing completed, from the parts of the intervals.
//!
//! The last completion before and the first one after lie somewhere in their parts, so the time without one is known to two parts. The device may have
//! worked in the beginning of it, with nothing to do: it stood still for as long at least as the I/O took that was over then. An interval in which I/Os
//! failed ends a standstill, because failed I/Os complete.

use super::Figures;
use rigel_core::stats::sample::median;
use rigel_core::units::{NS_PER_MS, NS_PER_S, Nanos, to_f64};

/// A shorter one is not a standstill.
const LEAST: Nanos = Nanos(300 * NS_PER_MS);
/// A gap of this many mean distances occurs by chance in one of 10^13 cases.
const BY_CHANCE: f64 = 30.0;
/// An I/O that takes this many times the usual median was waiting for the device.
const HELD: f64 = 50.0;

/// If the ends are this far from the middle, they are reported.
const ROUGH: f64 = 0.05;

/// A time in which nothing completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standstill {
    /// Where it begins, on the clock of the run.
    pub began_ns: u64,
    /// Nothing completed for this long; the true time is less than two parts of an interval longer.
    pub silent: Nanos,
    /// It lasted at least this long.
    pub least: Nanos,
    /// It lasted at most this long.
    pub most: Nanos,
    /// It had not ended when the load did.
    pub is_open: bool,
}

impl Standstill {
    /// The middle of its possible length.
    pub const fn length(&self) -> Nanos {
        Nanos(u64::midpoint(self.least.0, self.most.0))
    }

    /// Whether the ends of its possible length are so far apart that the middle alone would mislead.
    pub fn is_rough(&self) -> bool {
        to_f64(self.most.0.saturating_sub(self.least.0)) > 2.0 * ROUGH * to_f64(self.length().0)
    }

    /// Where it ends.
    pub const fn ended_ns(&self) -> u64 {
        self.began_ns.saturating_add(self.silent.0)
    }

    /// Whether it contains a part of an interval.
    pub const fn holds(&self, figures: &Figures) -> bool {
        figures.began_ns < self.ended_ns() && figures.ended_ns > self.began_ns
    }
}

/// The typical median latency of the intervals.
fn usual_ns(course: &[Figures]) -> f64 {
    let medians = course.iter().filter_map(|figures| figures.latency.quantile_ns(0.5)).map(to_f64);
    median(&medians.collect::<Vec<_>>())
}

/// The standstills of a load that arrives at a rate, in order.
pub fn all(course: &[Figures], rate: f64) -> Vec<Standstill> {
    let by_chance_ns = BY_CHANCE / rate.max(1.0) * to_f64(NS_PER_S);
    let mut found = Vec::new();
    // Where the last completion lies at the latest, and the width of the parts there.
    let mut last: Option<(u64, u64)> = None;
    let usual_ns = usual_ns(course);
    let mut told = |from: (u64, u64), to_ns: u64, part_ns: u64, is_open: bool, longest_ns: u64| {
        let silent = Nanos(to_ns.saturating_sub(from.0));
        let most = Nanos(silent.0.saturating_add(from.1).saturating_add(part_ns));
        // What took less than half of that time, or more than all of it, is no measure of it.
        let is_held = longest_ns <= most.0
            && longest_ns.saturating_mul(2) >= silent.0
            && to_f64(longest_ns) >= HELD * usual_ns;
        if silent >= LEAST && (is_held || to_f64(silent.0) > by_chance_ns) {
            let least = if is_held { Nanos(silent.0.min(longest_ns)) } else { silent };
            found.push(Standstill { began_ns: from.0, silent, least, most, is_open });
        }
    };
    let mut ended_ns = 0;
    for figures in course {
        // A run that went on has a gap in which nobody counted.
        if figures.began_ns > ended_ns && last.is_some() {
            last = Some((figures.began_ns, 0));
        }
        ended_ns = figures.ended_ns;
        let (part_ns, ends) = (figures.series.bucket_ns, ends(figures));
        if figures.errors > 0 {
            // What failed in it came back, nobody knows when.
            let all_ns = figures.ended_ns.saturating_sub(figures.began_ns);
            let (first_ns, last_ns) = ends.unwrap_or((figures.ended_ns, figures.began_ns));
            if let Some(last) = last {
                told(last, figures.began_ns, first_ns.saturating_sub(figures.began_ns), false, 0);
            }
            last = Some((figures.ended_ns, figures.ended_ns.saturating_sub(last_ns).min(all_ns)));
            continue;
        }
        let own = figures.series.ops.iter().zip(0..).filter(|(ops, _)| **ops > 0);
        for (_, place) in own {
            let begins_ns = figures.began_ns.saturating_add(part_ns.saturating_mul(place));
            if let Some(last) = last {
                told(last, begins_ns, part_ns, false, figures.longest_ns);
            }
            last = Some((begins_ns.saturating_add(part_ns).min(figures.ended_ns), part_ns));
        }
        last = last.or(Some((figures.began_ns, 0)));
    }
    if let (Some(last), Some(end)) = (last, course.last()) {
        told(last, end.ended_ns, 0, true, 0);
    }
    found
}

/// The earliest start of the first completion of an interval, and the latest end of the last one.
fn ends(figures: &Figures) -> Option<(u64, u64)> {
    let part_ns = figures.series.bucket_ns;
    let filled =
        || figures.series.ops.iter().zip(0_u64..).filter(|(ops, _)| **ops > 0).map(|(_, place)| place);
    let at = |place: u64| figures.began_ns.saturating_add(part_ns.saturating_mul(place));
    Some((at(filled().next()? + 1).min(figures.ended_ns), at(filled().last()?)))
}
