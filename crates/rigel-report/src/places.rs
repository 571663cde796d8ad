//! What differs from place to place of the targets, in sentences.
//!
//! Text, page and JSON say the same. Must not judge; the findings do.

use crate::view::View;
use crate::words;
use rigel_core::judge::findings::{PlaceFindings, judged_at_place};
use rigel_core::path_text::printable;
use rigel_core::stats::Estimate;
use rigel_core::stats::by_place::{Area, Course};
use rigel_core::units::say::{decimal_percent, number, percent, time};

/// A sentence about each class that was measured place by place.
pub(crate) fn sentences(view: &View<'_>) -> Vec<String> {
    view.findings.places.iter().map(|found| sentence(view, found)).collect()
}

/// The differences, and whether they may be due to the moments at which the places were visited.
pub(crate) fn sentence(view: &View<'_>, found: &PlaceFindings) -> String {
    let differs = matches!(found.course, Some(Course::Slope { .. } | Course::Areas(_)));
    let said = course(view, found);
    if !differs || found.moments.is_empty() {
        return said;
    }
    let codes: Vec<String> = found.moments.iter().map(|code| code.name().to_owned()).collect();
    format!(
        "{said} The speed also changed over time ({}), and places are visited at different times, so part \
         of this difference may come from that. Measure again on a quiet host.",
        words::listed(&codes)
    )
}

/// `The rate of stream I/O falls by 48.1 % (47.6 to 48.6 %) from the first to the last place, from 197 MBPS to 103 MBPS (measured there; the places between lie on one slope).`
fn course(view: &View<'_>, found: &PlaceFindings) -> String {
    let figure = |value| figure(found, value);
    let what = if found.is_of_rate() { "The rate of" } else { "The mean latency of" };
    let subject = format!("{what} {}", found.load.noun());
    match &found.course {
        None if view.is_adaptive() => format!(
            "{subject} by place is not judged: not every place has a usable number from several visits."
        ),
        None => format!(
            "{subject} by place is not judged: with one visit to each place, place and time cannot be \
             separated."
        ),
        Some(Course::Even { mean, told }) => format!(
            "{subject} shows no difference between places: {} on average over {} places{}. A difference of \
             {} % between the halves is detected in one of two runs.",
            figure(*mean),
            found.load.places.unwrap_or(0),
            range(view, found),
            percent(*told)
        ),
        Some(Course::Slope { first, last }) => sloped(view, found, &subject, (*first, *last)),
        Some(Course::Areas(areas)) => stepped(found, &subject, areas),
    }
}

/// The measured figure of each place, in order; `None` if one is unknown.
fn measured(view: &View<'_>, found: &PlaceFindings) -> Option<Vec<Estimate>> {
    let at =
        |place| view.findings.alone(found.load.name, place)?.io(found.load.name).and_then(judged_at_place);
    (1..=u32::from(found.load.places?)).map(at).collect()
}

/// A slope by the table's figures of both ends. If their intervals leave open which is higher, by the curve through all places.
fn sloped(view: &View<'_>, found: &PlaceFindings, subject: &str, fitted: (f64, f64)) -> String {
    let measured = measured(view, found).unwrap_or_default();
    let ends = measured.first().zip(measured.last());
    let (first, last) = ends.map_or(fitted, |(first, last)| (first.value, last.value));
    let said = |word: &str, change: &str, (first, last): (f64, f64), how: &str| {
        let (first, last) = (figure(found, first), figure(found, last));
        format!(
            "{subject} {word} by {change} from the first to the last place, from {first} to {last} ({how})."
        )
    };
    match ends.and_then(|(first, last)| ratio_of(first, last)) {
        Some([low, value, high]) if low > 1.0 || high < 1.0 => {
            let (word, sign) = if value < 1.0 { ("falls", -1.0) } else { ("rises", 1.0) };
            let [near, by, far] = [low, value, high].map(|ratio| decimal_percent(sign * (ratio - 1.0), 1));
            let (from, to) = if value < 1.0 { (far, near) } else { (near, far) };
            let how = "measured there; the places between lie on one slope";
            said(word, &format!("{by} % ({from} to {to} %)"), (first, last), how)
        }
        _ => {
            let word = if fitted.1 < fitted.0 { "falls" } else { "rises" };
            let there = if ends.is_some() {
                format!("; measured there: {} and {}", figure(found, first), figure(found, last))
            } else {
                String::new()
            };
            let change = format!("{} %", percent((fitted.1 / fitted.0 - 1.0).abs()));
            said(word, &change, fitted, &format!("fitted through all places{there}"))
        }
    }
}

/// The last over the first with its 95 % interval, from two independent ones; `None` if one has none.
fn ratio_of(first: &Estimate, last: &Estimate) -> Option<[f64; 3]> {
    let half = |of: &Estimate| of.interval.map(|interval| interval.relative_half_width);
    let (value, half) = (last.value / first.value, half(first)?.hypot(half(last)?));
    value.is_finite().then(|| [value * (-half).exp(), value, value * half.exp()])
}

/// `, from 73.6 us to 95.7 us`
fn range(view: &View<'_>, found: &PlaceFindings) -> String {
    let measured = measured(view, found).unwrap_or_default();
    let least = measured.iter().map(|one| one.value).reduce(f64::min);
    let most = measured.iter().map(|one| one.value).reduce(f64::max);
    let (Some(least), Some(most)) = (least, most) else { return String::new() };
    format!(", from {} to {}", figure(found, least), figure(found, most))
}

/// `The rate of stream I/O has a step at 50 % of every target: 200 MBPS from 0 % to 50 %, 100 MBPS from 50 % to 100 %.`
fn stepped(found: &PlaceFindings, subject: &str, areas: &[Area]) -> String {
    let ends = |area: &Area| found.percent(area.first, area.last);
    let borders = areas.windows(2).map(|pair| match (ends(&pair[0]).1, ends(&pair[1]).0) {
        (at, next) if at >= next => format!("at {} %", brief(at)),
        (at, next) => format!("between {} % and {} %", brief(at), brief(next)),
    });
    let borders: Vec<String> = borders.collect();
    let each = areas.iter().map(|area| {
        let (from, to) = ends(area);
        format!("{} from {} % to {} %", figure(found, area.mean), brief(from), brief(to))
    });
    format!(
        "{subject} has {} {} of every target: {} (means of the places measured there).",
        if borders.len() == 1 { "a step" } else { "steps" },
        words::listed(&borders),
        each.collect::<Vec<_>>().join(", ")
    )
}

fn figure(found: &PlaceFindings, value: f64) -> String {
    if found.is_of_rate() {
        format!("{} {}", number(value), printable(found.load.unit()))
    } else {
        time(value)
    }
}

/// Per cent with at most two decimals: `37.5`, `6.25`.
fn brief(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::stats::{Basis, Interval};

    #[test]
    fn the_ratio_of_both_ends_has_the_interval_of_both() {
        let of = |mean: f64, half: f64| {
            let (lo95, hi95) = (mean * (1.0 - half), mean * (1.0 + half));
            Estimate::of(
                Interval { mean, lo95, hi95, relative_half_width: half, visits: 6, df: 5.0 },
                Basis::Visits,
            )
        };
        let [low, value, high] = ratio_of(&of(1000.0, 0.03), &of(1910.0, 0.04)).unwrap();
        assert!((value - 1.91).abs() < 1e-12);
        assert!(
            (value / low - 0.05_f64.exp()).abs() < 1e-12 && (high / value - 0.05_f64.exp()).abs() < 1e-12
        );
        assert_eq!(ratio_of(&of(1.0, 0.1), &Estimate::bare(2.0)), None);
        assert_eq!(ratio_of(&of(0.0, 0.0), &of(1.0, 0.0)), None);
    }
}
