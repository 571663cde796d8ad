//! The loss of rate of one class when others are added.
//!
//! Must not compare points of different levels of the class itself.

use super::{ChartInterval, rounded};
use crate::loss::lost;
use rigel_core::judge::findings::{Contrast, PointFindings};
use rigel_core::load::class::{Class, PerClass};
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
    /// Share of the rate alone; negative if the rate is higher than alone.
    loss: ChartInterval,
    /// The point, by index.
    point: usize,
}

/// The losses of `class` at each of its levels that was measured alone and with others; `contrasts` are those of the points.
pub(super) fn losses(points: &[PointFindings], contrasts: &[PerClass<Contrast>], class: Class) -> Vec<Loss> {
    let alone = points.iter().filter(|found| found.point.is_alone(class));
    let loss = |alone: &PointFindings| {
        let level = alone.point.of(class);
        let base = alone.io(class)?;
        let beside = points
            .iter()
            .zip(contrasts)
            .enumerate()
            .filter(|(_, (found, _))| found.point.of(class) == level && !found.point.is_alone(class));
        let row = |(point, (found, contrasts)): (usize, (&PointFindings, &PerClass<Contrast>))| {
            let added = found.point.without(class).sum();
            let in_rounds = contrasts.get(&class).and_then(|contrast| contrast.of_alone);
            let loss = lost(base, found.io(class)?, in_rounds)?;
            let ends = [loss.ends.map(|ends| ends.0), loss.ends.map(|ends| ends.1)];
            let [lo, hi] = ends.map(|end| end.map(rounded));
            Some(Row { added, loss: [Some(rounded(loss.share)), lo, hi], point })
        };
        let rows: Vec<Row> = beside.filter_map(row).collect();
        (!rows.is_empty()).then_some(Loss { level, rows })
    };
    alone.filter_map(loss).collect()
}
