//! The loss of rate of one class when others are added.
//!
//! Must not compare points of different levels of the class itself.

use super::{Drawn, rounded};
use rigel_core::judge::findings::{IoFindings, PointFindings};
use rigel_core::load::class::Class;
use serde::Serialize;

/// The losses of a class at one of its levels.
#[derive(Serialize)]
pub(super) struct Loss {
    /// Outstanding I/Os, or streams, of the class.
    level: u32,
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    /// Outstanding I/Os, or streams, of the other classes.
    added: u64,
    /// Share of the rate alone; below zero where the rate is higher than alone.
    loss: Drawn,
    /// The point by its place.
    point: usize,
}

/// The losses of `class` at each of its levels that was measured alone and with others.
pub(super) fn losses(points: &[PointFindings], class: Class) -> Vec<Loss> {
    let alone = points.iter().filter(|found| found.point.is_alone(class));
    let loss = |alone: &PointFindings| {
        let level = alone.point.of(class);
        let base = alone.io(class)?;
        let beside = points
            .iter()
            .enumerate()
            .filter(|(_, found)| found.point.of(class) == level && !found.point.is_alone(class));
        let rows: Vec<Row> = beside
            .filter_map(|(point, found)| {
                let added = found.point.without(class).sum();
                Some(Row { added, loss: lost(base, found.io(class)?)?, point })
            })
            .collect();
        (!rows.is_empty()).then_some(Loss { level, rows })
    };
    alone.filter_map(loss).collect()
}

/// `1 - with / alone`. The relative half-widths of independent means add up in quadrature, to first order; the ends are those of
/// the ratio on a logarithmic scale, so that it stays above zero. `None` when there is no rate alone.
fn lost(alone: &IoFindings, with: &IoFindings) -> Option<Drawn> {
    if alone.iops.value <= 0.0 {
        return None;
    }
    let ratio = with.iops.value / alone.iops.value;
    let ends = alone.iops.half_width().zip(with.iops.half_width()).map(|(alone, with)| {
        let half = alone.hypot(with);
        [1.0 - ratio * half.exp(), 1.0 - ratio * (-half).exp()]
    });
    let [lo, hi] = ends.map_or([None, None], |ends| ends.map(|end| Some(rounded(end))));
    Some([Some(rounded(1.0 - ratio)), lo, hi])
}
