//! The names of quantities: those of the answers of calibrations, and those made of the parts of a quantity.
//!
//! Must not know a value.

use super::answers::{ANSWERS, Answer};
use super::quantity::{Quantity, Scope, What};
use crate::load::class::Class;

/// The end of the name of a ratio.
const OF_RATIO: &str = "_b_over_a";

/// The quantities by which runs are compared, at the end of a name.
const ENDINGS: [(&str, What); 5] = [
    ("_iops", What::Rate),
    ("_per_s", What::Rate),
    ("_mbps", What::Mbps),
    ("_latency", What::Mean),
    ("_p99", What::P99),
];

impl What {
    /// Whether a class can have it: the rate of small I/O is counted in I/Os, that of large I/O in bytes.
    fn may_be_of(self, class: Class) -> bool {
        match self {
            Self::Rate => class != Class::LARGE,
            Self::Mbps => class != Class::SMALL,
            _ => true,
        }
    }

    /// The end of a name, if the class does not name its rate.
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
}

impl Quantity {
    /// The name in outputs and gates: that of an answer of calibrations, or one composed of the parts.
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
}
