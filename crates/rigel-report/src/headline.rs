//! The headline numbers of a run: the best of its points, and what a calibration answers.
//!
//! Every output that has headline numbers takes them from here, so that none can choose another figure. Must not compute.

use crate::numbers::{number, time};
use rigel_core::judge::findings::{Answers, Extreme, Extremes};
use rigel_core::load::matrix::Point;
use rigel_core::load::workload::Class;

/// What a headline number is measured in. In the order in which ORION prints its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Unit {
    /// Megabytes (2^20) per second.
    Mbps,
    /// I/Os per second.
    Iops,
    /// Microseconds.
    Us,
}

impl Unit {
    /// The name; nothing where values are written with their unit.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mbps => "MBPS",
            Self::Iops => "IOPS",
            Self::Us => "",
        }
    }

    /// A value for people.
    pub fn write(self, value: f64) -> String {
        match self {
            Self::Mbps | Self::Iops => number(value),
            Self::Us => time(value),
        }
    }
}

/// One headline number.
pub(crate) struct Headline {
    /// What it is.
    pub name: String,
    /// The same in a line of text.
    pub short: String,
    pub unit: Unit,
    /// The figure; the reason when there is none.
    pub found: Result<Extreme, String>,
}

/// All of them; those of a class that was not measured are left out.
pub(crate) fn all(best: &Extremes, answers: Option<&Answers>) -> Vec<Headline> {
    let row = |name: &str, short: &str, unit, found: Option<Extreme>| {
        found.map(|found| Headline { name: name.to_owned(), short: short.to_owned(), unit, found: Ok(found) })
    };
    let one_stream = answers.and_then(|answers| answers.max_pmbps);
    let rows = [
        row("Highest small IOPS", "Highest small IOPS", Unit::Iops, best.small_iops),
        row("Highest large MBPS", "Highest large MBPS", Unit::Mbps, best.large_mbps),
        row("MBPS of one large stream", "MBPS of one large stream", Unit::Mbps, one_stream),
        row("Lowest mean latency of small I/O", "Lowest small latency", Unit::Us, best.small_latency_us),
    ];
    let bounded = answers.into_iter().flat_map(bounded);
    bounded.chain(rows.into_iter().flatten()).collect()
}

/// The rate within the bound of a calibration, and the latency there.
fn bounded(answers: &Answers) -> Vec<Headline> {
    let of = answers.bound.of.name();
    let name = format!("Highest small IOPS within a {}", answers.bound);
    let row = |name: String, unit, found| Headline { short: name.clone(), name, unit, found };
    match &answers.max_iops {
        Err(reason) => vec![row(name, Unit::Iops, Err(reason.clone()))],
        Ok(within) => {
            let point = Point::alone(Class::Small, within.outstanding);
            let at = |estimate| Ok(Extreme { estimate, point });
            let latency = format!("Small {of} latency within the bound");
            vec![row(name, Unit::Iops, at(within.iops)), row(latency, Unit::Us, at(within.latency_us))]
        }
    }
}
