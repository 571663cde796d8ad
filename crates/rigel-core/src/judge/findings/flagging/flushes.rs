//! A flag from durable writes compared with the same writes without durability.
//!
//! A write that reaches a medium takes a hundred microseconds or more, whatever the medium. One that a protected cache holds, or that the storage
//! only claims to have stored, takes as long as any other. Must not say which of the two it is.

use crate::judge::findings::{Findings, PointFindings};
use crate::judge::flags::{Flag, FlagCode};
use crate::load::class::{LoadClass, Sync};
use crate::load::matrix::Point;
use crate::load::request::Request;
use crate::record::Record;
use crate::stats::Estimate;
use crate::units::say::rough_time;
use crate::units::{NS_PER_US, to_f64};

/// Relative to the plain write, this much longer counts as no longer.
const ALIKE: f64 = 0.15;
/// Nor does this much: a second system call and a wake-up.
const ALIKE_US: f64 = 20.0;

/// A sync method and the same writes without it, with the fewest writers at which both were measured alone.
struct Pair<'a> {
    class: &'a LoadClass,
    level: u32,
    with: &'a PointFindings,
    without: &'a PointFindings,
    /// Mean latencies of both: the figures that every output shows for commits.
    means_us: [Estimate; 2],
}

/// The flag of the run: for each sync method that costs nothing.
pub fn of_run(record: &Record, points: &[PointFindings]) -> Option<Flag> {
    let told: Vec<String> = pairs(&record.header.request, points).iter().filter_map(Pair::free).collect();
    (!told.is_empty()).then(|| Flag::new(FlagCode::FlushFree, told.join("; ")))
}

impl Findings {
    /// Whether the cost of a flush is unknown, because other programs used the host while it was measured.
    pub fn are_flushes_untold(&self, request: &Request) -> bool {
        let pairs = pairs(request, &self.points);
        !pairs.is_empty() && pairs.iter().all(Pair::is_busy)
    }
}

fn pairs<'a>(request: &'a Request, points: &'a [PointFindings]) -> Vec<Pair<'a>> {
    let durable = request.classes.iter().filter(|class| class.sync != Sync::None);
    durable.filter_map(|class| pair(class, &request.classes, points)).collect()
}

fn pair<'a>(class: &'a LoadClass, classes: &'a [LoadClass], points: &'a [PointFindings]) -> Option<Pair<'a>> {
    let plain = classes.iter().find(|other| is_plain(other, class))?;
    let of = |with: &'a PointFindings| {
        let level = with.point.of(class.name);
        let without = points.iter().find(|other| other.point == Point::alone(plain.name, level))?;
        let mean = |found: &PointFindings, name| Some(found.io(name)?.latency_us?.mean);
        let means_us = [mean(with, class.name)?, mean(without, plain.name)?];
        with.point.is_alone(class.name).then_some(Pair { class, level, with, without, means_us })
    };
    points.iter().filter_map(of).min_by_key(|pair| pair.level)
}

impl Pair<'_> {
    /// Whether other programs used what one of them needed: that may be the cost of a flush, or hide it.
    fn is_busy(&self) -> bool {
        let is_foreign =
            |found: &PointFindings| found.flags.iter().any(|flag| flag.code == FlagCode::Foreign);
        is_foreign(self.with) || is_foreign(self.without)
    }

    /// A flush costs nothing, if the whole interval of its cost says so.
    fn free(&self) -> Option<String> {
        let hi_us = most_us(self.means_us).filter(|_| !self.is_busy())?;
        let [with_us, without_us] = self.means_us.map(|one| one.value);
        if hi_us > (without_us * ALIKE).max(ALIKE_US) {
            return None;
        }
        let shown = |us: f64| rough_time(us * to_f64(NS_PER_US));
        let (class, side) = (self.class.plain_name(), self.class.of_side());
        let writers = if self.level == 1 { "1 writer".to_owned() } else { format!("{} writers", self.level) };
        Some(format!(
            "{class}{side}: a write takes {} on average with {writers}, {} without sync: a flush costs {} at most",
            shown(with_us),
            shown(without_us),
            shown(hi_us.max(0.0))
        ))
    }
}

/// The upper end of the 95 % interval of the difference of two means that were measured separately; `None` if one has no interval, or few
/// visits.
fn most_us([with, without]: [Estimate; 2]) -> Option<f64> {
    if with.has_few_visits() || without.has_few_visits() {
        return None;
    }
    let above = (with.hi95()? - with.value).hypot(without.value - without.lo95()?);
    Some(with.value - without.value + above)
}

/// The same except for the durability.
fn is_plain(other: &LoadClass, class: &LoadClass) -> bool {
    let LoadClass { sizes, pattern, write_percent, arrival, span, side, .. } = class;
    other.sync == Sync::None
        && other.side == *side
        && (&other.sizes, other.pattern, other.write_percent) == (sizes, *pattern, *write_percent)
        && (other.arrival, other.span) == (*arrival, *span)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::class::Class;
    use crate::record::tests::{header, visit};
    use crate::stats::Interval;

    fn mean(value: f64, half: f64) -> Estimate {
        Interval::symmetric(value, half / value, 8, 7.0).unwrap().into()
    }

    #[test]
    fn what_a_flush_costs_is_the_interval_of_the_difference() {
        let most = most_us([mean(130.0, 3.0), mean(100.0, 4.0)]).unwrap();
        assert!((most - 35.0).abs() < 1e-9, "{most}");
        assert_eq!(most_us([mean(130.0, 3.0), Estimate::bare(100.0)]), None, "nothing says how sure it is");
        let few = Interval::symmetric(100.0, 0.01, 3, 2.0).unwrap().into();
        assert_eq!(most_us([mean(130.0, 3.0), few]), None, "chance may have made them alike");
    }

    /// Medians said that a flush is free where the means said the opposite; and what others took may be what it costs.
    #[test]
    fn a_flush_is_free_only_by_the_whole_interval_and_on_a_quiet_host() {
        let quiet =
            &Findings::of(&Record { visits: vec![visit(0, 1_000_000)], ..Record::begun(header()) }).points[0];
        let busy = &PointFindings { flags: vec![Flag::new(FlagCode::Foreign, "others")], ..quiet.clone() };
        let class = &LoadClass::random(Class::constant("dsync"), 8192);
        let pair = |without, means_us| Pair { class, level: 1, with: quiet, without, means_us };
        let free = |without, means_us| pair(without, means_us).free();
        let alike = [mean(1000.0, 20.0), mean(1000.0, 20.0)];
        let told = free(quiet, alike).unwrap();
        assert!(
            told.starts_with("dsync: a write takes 1.00 ms on average with 1 writer, 1.00 ms without sync"),
            "{told}"
        );
        assert_eq!(free(quiet, [mean(1700.0, 900.0), mean(600.0, 10.0)]), None);
        assert_eq!(
            free(quiet, [mean(1000.0, 400.0), mean(1000.0, 400.0)]),
            None,
            "a cost of 500 us may be hidden"
        );
        assert!(free(busy, alike).is_none() && pair(busy, alike).is_busy() && !pair(quiet, alike).is_busy());
    }
}
