//! What quantities of comparisons are called.
//!
//! Must not know a value.

use rigel_core::judge::answers::Answer;
use rigel_core::judge::quantity::{Quantity, Scope, Unit, What};
use rigel_core::load::class::Class;

/// The title of a quantity in a chart, a table or a card.
pub(crate) fn title(quantity: Quantity) -> String {
    let io = io_of(quantity.class);
    let rate = match quantity.unit() {
        unit @ (Unit::Iops | Unit::Mbps) => unit.name(),
        _ => "Rate",
    };
    match (quantity.of, Answer::of(quantity)) {
        (Scope::Ratio, _) => ratio_of_sides(quantity),
        (Scope::Point, _) if quantity.what.is_percentile() => {
            format!("99th percentile of the latency of {io}")
        }
        (Scope::Point, _) if quantity.what == What::Mean => format!("Mean latency of {io}"),
        (Scope::Point, _) => format!("{rate} of {io}"),
        (_, Some(answer)) => answer.title.to_owned(),
        _ if quantity.what.is_rate() => {
            format!("Highest {} of {io}", if rate == "Rate" { "rate" } else { rate })
        }
        _ => format!("Lowest mean latency of {io}"),
    }
}

/// `small I/O`; the name of another class.
pub(crate) fn io_of(class: Class) -> String {
    if class.is_of_pair() { format!("{class} I/O") } else { class.to_string() }
}

/// `B over A in the rate of small I/O`.
pub(super) fn ratio_of_sides(quantity: Quantity) -> String {
    let of = if quantity.what.is_rate() { "rate" } else { "mean latency" };
    format!("B over A in the {of} of {}", io_of(quantity.class))
}
