//! What a member did in a usual week, for the time when it was not recorded.
//!
//! Must not stand in for a member of the store: there, what is unknown stays unknown.

use super::Flow;
use crate::HOUR_MS;
use crate::metric::Behaviour;
use crate::series::{Sample, resampled};
use crate::span::Span;
use crate::table::Table;
use std::collections::BTreeSet;

/// Hours of a week, and of a day.
const WEEK: usize = 168;
const DAY: usize = 24;

/// The flow in all of these intervals: actual values where known, otherwise the mean of that hour of the week, of the day, or of all.
pub fn filled(flow: &Flow, spans: &BTreeSet<Span>) -> Flow {
    let week = means(flow, WEEK);
    let day = means(flow, DAY);
    let all = means(flow, 1)[0];
    let usual = |span: Span| week[hour(span, WEEK)].or(day[hour(span, DAY)]).or(all);
    let value = |span: &Span| Some((*span, flow.get(span).copied().or_else(|| usual(*span))?));
    spans.iter().filter_map(value).collect()
}

/// A table of a file in all hours of a period: actual values where known, otherwise the usual ones. Levels are left out.
pub fn usual_table(table: &Table, (from_ms, to_ms): (i64, i64)) -> Table {
    let hour_ms = u32::try_from(HOUR_MS).unwrap_or(u32::MAX);
    let hours = from_ms.div_euclid(HOUR_MS)..(to_ms + HOUR_MS - 1).div_euclid(HOUR_MS);
    let spans: BTreeSet<Span> =
        hours.map(|hour| Span { start_ms: hour * HOUR_MS, length_ms: hour_ms }).collect();
    let all: Vec<Span> = spans.iter().copied().collect();
    let mut usual = Table::default();
    for metric in table.metrics().filter(|metric| metric.behaviour() == Behaviour::Flow) {
        let samples: Vec<Sample> = table.samples(metric).collect();
        let hourly = resampled(Behaviour::Flow, &samples, hour_ms);
        let flow: Flow = hourly.into_iter().map(|one| (one.span, one.value)).collect();
        let values: Vec<f64> = filled(&flow, &spans).into_values().collect();
        match Table::of_column(metric, all.clone(), values.clone()) {
            Some(column) if usual.is_empty() => usual = column,
            _ => drop(usual.push_column(metric, &all, &values)),
        }
    }
    usual
}

/// The hour that contains the middle of an interval.
fn hour(span: Span, hours: usize) -> usize {
    let middle = span.start_ms.saturating_add(i64::from(span.length_ms / 2));
    let hours_since = middle.div_euclid(HOUR_MS);
    usize::try_from(hours_since.rem_euclid(i64::try_from(hours).unwrap_or(1))).unwrap_or(0)
}

fn means(flow: &Flow, hours: usize) -> Vec<Option<f64>> {
    let mut sums = vec![(0.0, 0.0); hours];
    for (span, value) in flow {
        let sum = &mut sums[hour(*span, hours)];
        let weight = f64::from(span.length_ms);
        *sum = (sum.0 + value * weight, sum.1 + weight);
    }
    sums.into_iter().map(|(sum, weight)| (weight > 0.0).then(|| sum / weight)).collect()
}
