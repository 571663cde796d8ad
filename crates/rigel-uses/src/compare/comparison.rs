//! What a comparison comes to: its rows, and what else differs.
//!
//! Must not compare.

use super::change::{Change, Doubt};
use super::effect::Effect;
use super::soak_totals::SoakTotals;
use rigel_core::judge::quantity::Quantity;
use rigel_core::load::matrix::Point;
use rigel_core::stats::Estimate;

/// Whether the number of a side may be used on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SideUsability {
    /// It may be used.
    Usable,
    /// The tool issued I/Os late: the latency of the storage alone is lower.
    Late,
    /// A flag says that it must not.
    Invalid,
    /// More I/O arrived than was served: a latency that says how long was measured.
    Behind {
        /// Whether the other side kept up with the same load.
        alone: bool,
    },
}

/// One quantity of one point, or of the runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The quantity.
    pub quantity: Quantity,
    /// Where; `None` for a quantity of runs.
    pub point: Option<Point>,
    /// The base.
    pub base: Estimate,
    /// The new side.
    pub new: Estimate,
    /// Whether that may be used on its own.
    pub standing: SideUsability,
    /// The same for the base.
    pub base_standing: SideUsability,
    /// How much the new side differs; the reason if that is not known.
    pub change: Result<Change, Doubt>,
    /// The verdict on that.
    pub verdict: Effect,
    /// It follows from another row of its point.
    pub follows: bool,
}

/// Something in which a run differs from the first one of the base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The property.
    pub what: &'static str,
    /// How it is in the first run of the base.
    pub base: String,
    /// How it is in the other run.
    pub other: String,
    /// The name of the other run.
    pub run_id: String,
    /// Numbers that differ in this cannot be compared.
    pub incomparable: bool,
}

/// A comparison.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// By quantity in the order of [`all_figures`](rigel_core::judge::findings::Findings::all_figures), then by the levels of points.
    pub rows: Vec<Row>,
    /// Other differences between the runs. Those that make the runs incomparable come first.
    pub differences: Vec<Difference>,
    /// Points that only some of the runs have.
    pub left_out: Vec<Point>,
    /// Runs that both sides have: of what changed since they say nothing.
    pub on_both: Vec<String>,
    /// What each side endured, if all runs are soaks.
    pub endured: Option<[SoakTotals; 2]>,
}
