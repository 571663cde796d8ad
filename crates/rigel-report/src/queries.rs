//! What look-ups and reports of a database cost each other, and where more users only wait, in sentences.
//!
//! Must not compute a figure that is not in the findings.

use crate::beside::words::of_index;
use crate::loss::{Loss, lost};
use crate::view::View;
use crate::words::{self, width};
use rigel_core::judge::findings::{Knee, NoKnee, PointFindings};
use rigel_core::load::class::{Class, LoadClass};
use rigel_core::load::sql::SqlLevel;
use rigel_core::record::Visit;
use rigel_core::units::say::{counted, number, percent, time};
use rigel_uses::beside::{commits_per_flush, index_blocks};

/// What each class loses when all of them have the most sessions, a sentence for each.
pub(crate) fn costs(view: &View<'_>) -> Vec<String> {
    let request = &view.record.header.request;
    if request.sql().is_none() || request.sides.is_some() {
        return Vec::new();
    }
    let contrasts = view.findings.contrasts();
    let all = view.findings.points.iter().enumerate().filter(|(_, found)| !found.invalid());
    let together = all.filter(|(_, found)| found.point.classes().count() > 1);
    let Some((place, most)) = together.max_by_key(|(_, found)| found.point.sum()) else { return Vec::new() };
    let told = view.loads().into_iter().filter_map(|load| {
        let alone =
            view.findings.alone(load.name, most.point.of(load.name)).filter(|alone| !alone.invalid())?;
        let in_rounds = contrasts.get(place)?.get(&load.name).and_then(|one| one.of_alone);
        let loss = lost(alone.io(load.name)?, most.io(load.name)?, in_rounds)?;
        Some(cost(view, load, most, &loss))
    });
    told.collect()
}

/// `Beside 2 report sessions, 5 look-up sessions lose 62 % of their look-ups (58 to 66 %), and each takes 2.1 ms instead of 800 us.`
fn cost(view: &View<'_>, load: &LoadClass, most: &PointFindings, loss: &Loss) -> String {
    let own = load.level_words(most.point.of(load.name));
    let others: Vec<String> = view
        .loads()
        .into_iter()
        .filter(|other| other.name != load.name)
        .map(|other| other.level_words(most.point.of(other.name)))
        .collect();
    let within =
        loss.ends.map_or_else(String::new, |(lo, hi)| format!(" ({} to {} %)", share(lo), share(hi)));
    let latency = |found: &PointFindings| Some(found.io(load.name)?.latency_us?.mean.value);
    let alone = view.findings.alone(load.name, most.point.of(load.name));
    let times = alone.and_then(latency).zip(latency(most)).map_or_else(String::new, |(alone, with)| {
        format!(", and a {} takes {} instead of {}", load.noun(), time(with), time(alone))
    });
    let share = share(loss.share);
    let lose = if most.point.of(load.name) == 1 { "loses" } else { "lose" };
    let their = if lose == "lose" { "their" } else { "its" };
    format!("Next to {}, {own} {lose} {share} % of {their} rate{within}{times}.", words::listed(&others))
}

/// Negative if the rate is higher than alone.
fn share(share: f64) -> String {
    if share < 0.0 { format!("-{}", percent(-share)) } else { percent(share) }
}

/// The reads of look-ups through an index, at their highest rate.
pub(crate) fn index(view: &View<'_>) -> Option<String> {
    let request = &view.record.header.request;
    if request.sql().is_none() || request.sides.is_some() {
        return None;
    }
    let best = view.findings.best.rate(Class::SIMPLE)?;
    let found = view.findings.points.iter().find(|found| found.point == best.point)?;
    Some(of_index(index_blocks(&counting(view, found))?, best.estimate.value))
}

/// The visits that the figures of a point are based on.
fn counting<'a>(view: &View<'a>, found: &PointFindings) -> Vec<&'a Visit> {
    let counting: Vec<u64> =
        found.each_visit.iter().filter(|visit| visit.counts).map(|visit| visit.number).collect();
    view.record.visits.iter().filter(|visit| counting.contains(&visit.number)).collect()
}

/// How many commits share a flush of the log, with the most sessions and with the fewest.
pub(crate) fn flushes(view: &View<'_>) -> Option<String> {
    let sound =
        || view.findings.points.iter().filter(|found| !found.invalid() && found.point.of(Class::COMMIT) > 0);
    let told = |found: &PointFindings| {
        let each = commits_per_flush(&counting(view, found))?;
        Some(format!("{each:.1} with {}", counted(found.point.of(Class::COMMIT), "session")))
    };
    let most = sound().max_by_key(|found| found.point.sum())?;
    let fewest = sound().min_by_key(|found| found.point.sum()).filter(|fewest| fewest.point != most.point);
    let fewest = fewest.and_then(told).map_or_else(String::new, |told| format!(", and {told}"));
    Some(format!("Commits that a flush of the log makes durable: {} on average{fewest}.", told(most)?))
}

/// The knee of a load of users, and the response times at half of it.
pub(crate) fn users(view: &View<'_>) -> Option<String> {
    let sql = view.record.header.request.sql()?;
    if sql.level != SqlLevel::Users {
        return None;
    }
    let knee = match view.findings.knee() {
        Ok(knee) => knee,
        Err(why) => return no_knee(view, why),
    };
    let load = view.loads().into_iter().find(|load| load.name == knee.class)?;
    let (whose, more) = if knee.is_mix {
        // Each kind has its own, and only that of the kind that was measured alone is known.
        (format!("The knee of {} ", load.nouns()), load.nouns())
    } else {
        ("The knee ".to_owned(), "queries".to_owned())
    };
    Some(format!(
        "{whose}{}: up to there more sessions bring more {more}; beyond it they wait for one another. \
         At half of it{}",
        place(&knee),
        responses(view, &knee)
    ))
}

/// Why there is no knee, as a sentence.
fn no_knee(view: &View<'_>, why: NoKnee) -> Option<String> {
    match why {
        NoKnee::Nothing => None,
        NoKnee::OnePoint => Some(
            "The knee is not known: one number of sessions does not show whether more would bring more."
                .to_owned(),
        ),
        NoKnee::Unusable { unusable, of } => {
            let mut codes: Vec<&str> = Vec::new();
            for flag in view.findings.points.iter().flat_map(|found| &found.flags).filter(|flag| flag.invalid)
            {
                if !codes.contains(&flag.code.name()) {
                    codes.push(flag.code.name());
                }
            }
            Some(format!(
                "The knee is not known: {unusable} of {of} numbers of sessions must not be used ({}), and \
                 the others do not show it.",
                codes.join(", ")
            ))
        }
    }
}

/// `is at 13 sessions (8.2 to 20)`, and what more or less is possible.
fn place(knee: &Knee) -> String {
    let within =
        knee.ends.map_or_else(String::new, |(lo, hi)| format!(" ({} to {})", sessions(lo), sessions(hi)));
    let kinds = if knee.is_mix { " of both kinds" } else { "" };
    let found = format!("{} sessions{kinds}{within}", sessions(knee.sessions));
    let why = "because there is no usable number for one session alone";
    match (knee.is_least, knee.is_most) {
        (false, false) => format!("is at {found}"),
        (true, false) => format!("is not reached: it is beyond {found}"),
        (false, true) => format!("is at most {found}, {why}"),
        (true, true) => {
            format!("may be below or above {found}, {why}, and the rate still rises with the most")
        }
    }
}

/// `, with 8 sessions, a look-up takes 410 us on average (±2.1 %), and 99 % of them less than 900 us.`
fn responses(view: &View<'_>, knee: &Knee) -> String {
    let each: Vec<String> = view
        .loads()
        .into_iter()
        .filter_map(|load| {
            let (mean, p99) = knee.response_us(&view.findings, load.name)?;
            Some(format!(
                "a {} takes {} on average{}, and 99 % of them less than {}",
                load.noun(),
                time(mean.value),
                width(mean),
                time(p99.value)
            ))
        })
        .collect();
    let without = if knee.is_mix && knee.half.classes().count() == 1 { " without other queries" } else { "" };
    format!(", with {}{without}, {}.", counted(knee.half.sum(), "session"), each.join("; "))
}

fn sessions(sessions: f64) -> String {
    if sessions < 9.95 { format!("{sessions:.1}") } else { number(sessions.round()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::load::matrix::Point;

    #[test]
    fn a_knee_that_is_a_bound_is_told_as_one() {
        let of = |is_least, is_most, is_mix| {
            let half = Point::alone(Class::SIMPLE, 8);
            let ends = Some((8.2, 20.4));
            place(&Knee { class: Class::SIMPLE, sessions: 13.0, ends, half, is_least, is_most, is_mix })
        };
        let told = |is_least, is_most| of(is_least, is_most, false);
        assert_eq!(told(false, false), "is at 13 sessions (8.2 to 20)");
        assert_eq!(of(false, false, true), "is at 13 sessions of both kinds (8.2 to 20)");
        assert_eq!(told(true, false), "is not reached: it is beyond 13 sessions (8.2 to 20)");
        let why = "because there is no usable number for one session alone";
        assert_eq!(told(false, true), format!("is at most 13 sessions (8.2 to 20), {why}"));
        assert!(told(true, true).starts_with("may be below or above 13 sessions"));
    }
}
