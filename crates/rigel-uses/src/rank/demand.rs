//! What is required of a storage, and which offer meets it most cheaply.
//!
//! A requirement is certainly met if the whole interval of the figure meets it. Must not rank.

use super::Contenders;
use super::offers::Offers;
use crate::compare::SideUsability;
use crate::compare::gate::{Gate, Outcome};
use rigel_core::error::Problem;
use rigel_core::nearest::nearest;
use rigel_core::stats::Estimate;

/// Whether a storage meets a requirement; the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fulfilment {
    /// The whole interval does.
    Surely,
    /// A part of the interval does, or a figure without an interval.
    Perhaps,
    /// It has no such figure, or one that must not be used.
    Unknown,
    /// The figure does not, and has no interval.
    Unlikely,
    /// The whole interval does not.
    Missed,
}

rigel_core::named!(Fulfilment {
    Surely: "yes",
    Perhaps: "perhaps",
    Unknown: "unknown",
    Unlikely: "probably not",
    Missed: "no",
});

/// Requirements, judged for every storage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Purchase {
    /// As they were requested.
    pub required: Vec<String>,
    /// For each storage, in the order in which these were given, what becomes of each requirement.
    pub each: Vec<Vec<Fulfilment>>,
    /// The storage that certainly meets all of them for the least money; `None` if none does, or prices cannot be compared.
    pub cheapest: Option<usize>,
}

impl Purchase {
    /// Judges storages by requirements, and by the prices of a sheet if there is one.
    ///
    /// # Errors
    /// When no storage has a quantity that is required.
    pub fn new(contenders: &Contenders<'_>, required: &[Gate], offers: &Offers) -> Result<Self, Problem> {
        required.iter().try_for_each(|gate| is_known(contenders, gate))?;
        let storages = 0..contenders.all.len();
        let each: Vec<Vec<Fulfilment>> = storages
            .map(|storage| required.iter().map(|gate| judged(contenders, storage, gate)).collect())
            .collect();
        let required = required.iter().map(|gate| gate.text.clone()).collect();
        let mut purchase = Self { required, each, cheapest: None };
        if offers.currency().is_some() {
            let price = |storage: usize| offers.price(storage).map(|price| price.amount);
            let priced = purchase.meeting(Fulfilment::Surely).into_iter().filter(|&one| price(one).is_some());
            purchase.cheapest = priced.min_by(|&one, &other| {
                let [one, other] = [one, other].map(|storage| price(storage).unwrap_or(f64::INFINITY));
                one.total_cmp(&other)
            });
        }
        Ok(purchase)
    }

    /// The outcome of all requirements together for a storage: the worst of them.
    pub fn of(&self, storage: usize) -> Option<Fulfilment> {
        self.each.get(storage)?.iter().copied().max()
    }

    /// The storages with this fulfilment.
    pub fn meeting(&self, fulfilment: Fulfilment) -> Vec<usize> {
        (0..self.each.len()).filter(|&storage| self.of(storage) == Some(fulfilment)).collect()
    }
}

/// Refuses a quantity that no storage has.
fn is_known(contenders: &Contenders<'_>, gate: &Gate) -> Result<(), Problem> {
    let name = gate.quantity.name();
    let mut names: Vec<String> = (0..contenders.all.len())
        .flat_map(|storage| contenders.keys_of(storage))
        .map(|key| key.0.name())
        .collect();
    if names.contains(&name) {
        return Ok(());
    }
    names.sort();
    names.dedup();
    let problem = Problem::usage(format!("none of the storages has '{name}'"))
        .at(format!("--require '{}'", gate.text))
        .because(format!("their records have {}", names.join(", ")));
    Err(match nearest(&name, names.iter().map(String::as_str)) {
        Some(near) => problem.next(format!("did you mean {near}?")),
        None => problem.next("require a quantity that was measured"),
    })
}

/// The outcome of a requirement for a storage: the worst of its load levels.
fn judged(contenders: &Contenders<'_>, storage: usize, gate: &Gate) -> Fulfilment {
    let name = gate.quantity.name();
    let keys = contenders.keys_of(storage).into_iter().filter(|key| key.0.name() == name);
    let figures = keys.map(|key| contenders.figure(storage, &key));
    let of_figure = |figure: Option<(Estimate, SideUsability)>| {
        figure.map_or(Fulfilment::Unknown, |(number, usability)| of_number(gate, &number, usability))
    };
    figures.map(of_figure).max().unwrap_or(Fulfilment::Unknown)
}

fn of_number(gate: &Gate, number: &Estimate, usability: SideUsability) -> Fulfilment {
    // Nothing completed: no rate, and no latency at which it would.
    if number.value <= 0.0 {
        return Fulfilment::Missed;
    }
    match gate.of_estimate(number, usability) {
        Outcome::Passed => Fulfilment::Surely,
        Outcome::Failed => Fulfilment::Missed,
        Outcome::Undecided if usability == SideUsability::Invalid => Fulfilment::Unknown,
        Outcome::Undecided if number.interval.is_none() && !gate.is_kept_by(number.value) => {
            Fulfilment::Unlikely
        }
        Outcome::Undecided => Fulfilment::Perhaps,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::stats::Interval;

    #[test]
    fn only_the_whole_interval_surely_meets_a_requirement() {
        let usable = SideUsability::Usable;
        let of = |text: &str, number: Estimate, usability| {
            of_number(&Gate::requirement(text).unwrap(), &number, usability)
        };
        let about = |value| Interval::symmetric(value, 0.1, 8, 7.0).unwrap().into();
        for (value, rate, latency) in [
            (20_000.0, Fulfilment::Surely, Fulfilment::Missed),
            (10_500.0, Fulfilment::Perhaps, Fulfilment::Perhaps),
            (5_000.0, Fulfilment::Missed, Fulfilment::Surely),
        ] {
            assert_eq!(of("max_small_iops >= 10000", about(value), usable), rate, "{value}");
            assert_eq!(of("max_small_iops>10000 IOPS", about(value), usable), rate, "{value}");
            assert_eq!(of("min_small_latency <= 10ms", about(value), usable), latency, "{value}");
        }
        let bare = |value| of("max_small_iops >= 10000", Estimate::bare(value), usable);
        assert_eq!(
            [0.0, 9_000.0, 11_000.0].map(bare),
            [Fulfilment::Missed, Fulfilment::Unlikely, Fulfilment::Perhaps]
        );
        let invalid = of("max_small_iops >= 10000", about(20_000.0), SideUsability::Invalid);
        assert_eq!(invalid, Fulfilment::Unknown);
        // Nothing completed: no latency is a good one.
        assert_eq!(of("min_small_latency <= 10ms", Estimate::bare(0.0), usable), Fulfilment::Missed);
    }

    #[test]
    fn a_requirement_that_says_nothing_is_refused() {
        for (text, expected) in [
            ("max_small_iops", "neither <= nor >="),
            ("max_small_iops >= 5%", "is not in IOPS"),
            ("min_small_latency <= 5", "is not a time in us"),
            ("max_small_iops >= 0", "always or never"),
            ("iops >= 5", "not a quantity"),
        ] {
            let told = Gate::requirement(text).unwrap_err().to_string();
            assert!(told.contains(expected) && told.contains("--require"), "{told}");
        }
    }
}
