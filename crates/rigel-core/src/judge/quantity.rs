//! Quantities: what is measured, of which class, and where. A quantity is composed of these parts and never listed: its name, its unit and
//! what is better follow from them.
//!
//! Must not judge a figure.

use super::answers::{ANSWERS, Answer};
use super::findings::{IoFindings, LatencyUs};
use crate::load::class::{self, Class, LoadClass};
use crate::load::matrix::Point;
use crate::stats::Estimate;
use crate::stats::bound::LatencyOf;

/// What is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// Operations per second, in the unit of the class.
    Rate,
    /// Megabytes (2^20) per second.
    Mbps,
    /// Mean latency.
    Mean,
    /// The latency statistic that the limit of a calibration is about.
    Bounded,
    /// Median of the latency.
    P50,
    /// Its 90th percentile.
    P90,
    /// Its 99th percentile.
    P99,
    /// Its 99.9th percentile.
    P99_9,
    /// Its 99.99th percentile.
    P99_99,
}

/// What it belongs to, in the order of the outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// The run on two sides: B's value over A's, over all loads.
    Ratio,
    /// The run, at its highest rate within the limit of a calibration.
    WithinBound,
    /// The run, with one outstanding I/O of the class and nothing else.
    Alone,
    /// The run, at the best of its points.
    Best,
    /// Each of its points.
    Point,
}

/// A quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Quantity {
    /// What it belongs to.
    pub of: Scope,
    /// The statistic.
    pub what: What,
    /// The class of I/O.
    pub class: Class,
}

/// The unit of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// I/Os per second.
    Iops,
    /// Operations of another class per second.
    PerSecond,
    /// Commits per second.
    Commits,
    /// Megabytes (2^20) per second.
    Mbps,
    /// Microseconds.
    Us,
    /// A multiple.
    Times,
}

/// A quantity with its value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// The quantity.
    pub quantity: Quantity,
    /// The value, and how certain it is.
    pub estimate: Estimate,
    /// The point; `None` if a run has no value, because no point meets the limit.
    pub point: Option<Point>,
}

impl What {
    /// Whether it is a rate, whatever is counted.
    pub const fn is_rate(self) -> bool {
        matches!(self, Self::Rate | Self::Mbps)
    }

    /// Whether a class may have it: the rate of small I/O is counted in I/Os, that of large I/O in bytes.
    fn may_be_of(self, class: Class) -> bool {
        match self {
            Self::Rate => class != Class::LARGE,
            Self::Mbps => class != Class::SMALL,
            _ => true,
        }
    }

    /// Whether it is a percentile of the latency.
    pub const fn is_percentile(self) -> bool {
        matches!(self, Self::P50 | Self::P90 | Self::P99 | Self::P99_9 | Self::P99_99)
    }

    /// The statistic of a run with this limit; `None` without a limit.
    pub(super) fn resolved(self, bound: Option<LatencyOf>) -> Option<Self> {
        match (self, bound) {
            (Self::Bounded, None) => None,
            (Self::Bounded, Some(LatencyOf::Mean)) => Some(Self::Mean),
            (Self::Bounded, Some(LatencyOf::P99)) => Some(Self::P99),
            (what, _) => Some(what),
        }
    }

    /// The end of a name, where the class does not say what its rate is called.
    const fn ending(self) -> &'static str {
        match self {
            Self::Rate => "per_s",
            Self::Mbps => "mbps",
            Self::Mean | Self::Bounded => "latency",
            Self::P50 => "p50",
            Self::P90 => "p90",
            Self::P99 => "p99",
            Self::P99_9 => "p99_9",
            Self::P99_99 => "p99_99",
        }
    }

    const fn of_latency(self, us: &LatencyUs) -> Option<Estimate> {
        match self {
            Self::Rate | Self::Mbps => None,
            Self::Mean | Self::Bounded => Some(us.mean),
            Self::P50 => Some(us.p50),
            Self::P90 => Some(us.p90),
            Self::P99 => Some(us.p99),
            Self::P99_9 => Some(us.p99_9),
            Self::P99_99 => Some(us.p99_99),
        }
    }
}

impl Unit {
    /// As shown to people.
    pub const fn symbol(self) -> &'static str {
        if matches!(self, Self::Us) { "µs" } else { self.name() }
    }

    /// The name in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Iops => "IOPS",
            Self::PerSecond => "per s",
            Self::Commits => "commits/s",
            Self::Mbps => "MBPS",
            Self::Us => "us",
            Self::Times => "times",
        }
    }
}

/// The end of the name of a ratio.
const OF_RATIO: &str = "_b_over_a";

/// What runs are compared by, at the end of a name.
const ENDINGS: [(&str, What); 5] = [
    ("_iops", What::Rate),
    ("_per_s", What::Rate),
    ("_mbps", What::Mbps),
    ("_latency", What::Mean),
    ("_p99", What::P99),
];

impl Quantity {
    /// A quantity of these parts.
    pub const fn new(of: Scope, what: What, class: Class) -> Self {
        Self { of, what, class }
    }

    /// A quantity of each point.
    pub const fn at_points(what: What, class: Class) -> Self {
        Self::new(Scope::Point, what, class)
    }

    /// The rate of a class: in megabytes if its figure is in bytes.
    pub fn rate(of: Scope, load: &LoadClass, class: Class) -> Self {
        let in_bytes = match class {
            Class::SMALL => false,
            Class::LARGE => true,
            _ => load.figure == class::Figure::Mbps,
        };
        Self::new(of, if in_bytes { What::Mbps } else { What::Rate }, class)
    }

    /// The quantities by which points of a class are compared: the rate, the mean latency, the 99th percentile.
    pub fn of_class(load: &LoadClass, class: Class) -> [Self; 3] {
        let latency = |what| Self::at_points(what, class);
        [Self::rate(Scope::Point, load, class), latency(What::Mean), latency(What::P99)]
    }

    /// The name in outputs and gates: that of an answer of calibrations, or one made of the parts.
    pub fn name(self) -> String {
        if let Some(answer) = Answer::of(self) {
            return answer.name.to_owned();
        }
        let class = self.class;
        let plain = match self.what {
            What::Rate if class == Class::SMALL => format!("{class}_iops"),
            what => format!("{class}_{}", what.ending()),
        };
        match self.of {
            Scope::Point => plain,
            Scope::Best if self.what.is_rate() => format!("max_{plain}"),
            Scope::Best => format!("min_{plain}"),
            Scope::Alone => format!("{plain}_at_1"),
            Scope::WithinBound => format!("{plain}_within_bound"),
            Scope::Ratio => format!("{plain}{OF_RATIO}"),
        }
    }

    /// The one that runs are compared by under this name.
    pub fn named(name: &str) -> Option<Self> {
        let answers = ANSWERS.iter().filter(|answer| answer.quantity.is_compared());
        let answer = answers.map(|answer| answer.quantity).find(|one| one.name() == name);
        let best = || name.strip_prefix("max_").or_else(|| name.strip_prefix("min_"));
        let composed = |of, plain: &str| {
            let parts = |(ending, what): &(&str, What)| {
                Some(Self::new(of, *what, Class::named(plain.strip_suffix(ending)?)?))
            };
            // ORION's pair has rates of its own.
            let has = |one: &Self| one.name() == name && one.what.may_be_of(one.class);
            ENDINGS.iter().filter_map(parts).find(has)
        };
        // `min_oltp_latency` is the lowest of the class oltp, and not that of a class min_oltp.
        let within = || name.strip_suffix("_within_bound");
        let answer = answer.or_else(|| composed(Scope::WithinBound, within()?));
        let answer = answer.or_else(|| composed(Scope::Ratio, name.strip_suffix(OF_RATIO)?));
        answer.or_else(|| composed(Scope::Best, best()?)).or_else(|| composed(Scope::Point, name))
    }

    /// The unit of its values.
    pub fn unit(self) -> Unit {
        match (self.what, self.of) {
            (_, Scope::Ratio) => Unit::Times,
            (What::Rate, _) if self.class == Class::SMALL => Unit::Iops,
            (What::Rate, Scope::Best) if self.class.is_of_commits() => Unit::Commits,
            (What::Rate, _) => Unit::PerSecond,
            (What::Mbps, _) => Unit::Mbps,
            _ => Unit::Us,
        }
    }

    /// Whether a higher value is better.
    pub const fn more_is_better(self) -> bool {
        self.what.is_rate()
    }

    /// Whether a run has one value of it, not one for each point.
    pub const fn is_of_a_run(self) -> bool {
        !matches!(self.of, Scope::Point)
    }

    /// Whether the value of a run is the best of its points, not that of a certain one.
    pub const fn is_chosen(self) -> bool {
        matches!(self.of, Scope::Best | Scope::WithinBound)
    }

    /// Whether runs are compared by it. A latency within the limit belongs to whichever load meets it, and does not show which run is better.
    pub fn is_compared(self) -> bool {
        self.of != Scope::WithinBound || self.what.is_rate()
    }

    /// Whether it follows from another quantity of a point: in a closed loop the mean latency is the outstanding I/Os over the rate, in an
    /// open one the rate is given.
    pub fn follows(self, load: &LoadClass) -> bool {
        self.of == Scope::Point && if load.is_open() { self.what.is_rate() } else { self.what == What::Mean }
    }

    /// The value for a class at a point. If nothing completed, there is neither rate nor latency.
    pub fn of_io(self, io: &IoFindings) -> Estimate {
        io.latency_us.map_or(Estimate::bare(0.0), |us| self.what.of_latency(&us).unwrap_or_else(|| io.rate()))
    }

    /// The order of outputs: for a run those of ORION's pair first, then by statistic, then by class.
    pub fn order(self) -> (bool, bool, Scope, u8, Class, What) {
        let is_of_points = self.of == Scope::Point;
        let kind = match self.what {
            What::Rate | What::Mbps => 0,
            What::Mean | What::Bounded => 1,
            _ => 2,
        };
        (is_of_points, !is_of_points && !self.class.is_of_pair(), self.of, kind, self.class, self.what)
    }
}

impl Figure {
    /// The point, for a quantity of points.
    pub fn place(&self) -> Option<Point> {
        self.point.filter(|_| !self.quantity.is_of_a_run())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_which_quantity_it_is() {
        let names = "max_iops max_small_iops max_large_mbps min_small_latency commit_latency commit_fdatasync commit_unsynced max_commits \
                     max_pmbps latency_at_1 small_iops large_mbps small_latency large_latency small_p99 large_p99 oltp_per_s oltp_mbps \
                     oltp_latency oltp_p99 max_oltp_per_s max_oltp_mbps min_oltp_latency max_x_p99 open_per_s_within_bound small_iops_b_over_a \
                     open_latency_b_over_a";
        for name in names.split_whitespace() {
            let found = Quantity::named(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(found.name(), name);
        }
        for other in [
            "iops",
            "small_per_s",
            "small_mbps",
            "large_per_s",
            "oltp_iops",
            "oltp_p50",
            "Oltp_p99",
            "_p99",
            "",
        ] {
            assert_eq!(Quantity::named(other), None, "{other}");
        }
    }

    #[test]
    fn unit_and_direction_follow_from_the_parts() {
        let named = |name: &str| Quantity::named(name).unwrap();
        for (name, unit, more_is_better, is_of_a_run) in [
            ("small_iops", "IOPS", true, false),
            ("max_commits", "commits/s", true, true),
            ("oltp_per_s", "per s", true, false),
            ("large_mbps", "MBPS", true, false),
            ("oltp_p99", "us", false, false),
            ("commit_latency", "us", false, true),
            ("min_oltp_latency", "us", false, true),
        ] {
            let found = named(name);
            assert_eq!(
                (found.unit().name(), found.more_is_better(), found.is_of_a_run()),
                (unit, more_is_better, is_of_a_run),
                "{name}"
            );
        }
    }
}
