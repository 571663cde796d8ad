//! How a history uses a token bucket, in sentences and as part of the document.
//!
//! Must not compute how a bucket empties.

use crate::burst::lasting;
use rigel_capacity::credits::EmptySpell;
use rigel_capacity::day;
use rigel_capacity::headroom::{Credits, Resource};
use rigel_core::path_text::printable;
use rigel_core::stats::EstimateForm;
use rigel_core::units::say::{number, percent, short};
use schemars::JsonSchema;
use serde::Serialize;

const MINUTE_S: f64 = 60.0;
const DAY_S: f64 = 86_400.0;
/// Hours of a day with this share of the time without credits are named, if they are no more than half of them.
const MOSTLY: f64 = 0.8;
const MOST_HOURS: usize = 12;
/// A multiple of the load beyond which nobody plans.
const MANY_TIMES: f64 = 100.0;

/// The effect of the load of the history on a token bucket that was full at the start. Rates are I/Os or megabytes per second, sizes I/Os or
/// megabytes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Credits")]
pub(super) struct CreditsDocument {
    /// `iops` or `mbps`.
    resource: &'static str,
    /// The rate while there are credits.
    burst: f64,
    /// The rate without credits.
    refill: EstimateForm,
    /// Credits of a full bucket.
    size: EstimateForm,
    /// Length of the intervals into which the history was divided, in seconds.
    step_s: u32,
    /// Seconds of load in the history.
    known_s: f64,
    /// How often the bucket ran empty.
    spells: usize,
    /// The same, at least in the largest bucket that the measurement allows, and at most in the smallest.
    spells_between: (usize, usize),
    /// Seconds without credits.
    empty_s: f64,
    /// The longest time without credits; null if there was none.
    longest: Option<SpellDocument>,
    /// Seconds without credits in each hour of the local day, from 0:00 on.
    hours: Vec<f64>,
    /// The lowest share of the credits that was left; null without load.
    least_left: Option<f64>,
    /// Credits that would have been enough.
    enough_size: f64,
    /// A rate that would have been enough without credits.
    enough_refill: f64,
    /// How many times as high the load of the last four weeks could be before credits run out; null where nothing would use them up.
    times: Option<EstimateForm>,
}

/// A time without credits.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EmptySpell")]
struct SpellDocument {
    /// Its start: seconds since 1970 in UTC.
    from_s: f64,
    /// Its length in seconds.
    lasted_s: f64,
}

impl From<&Credits> for CreditsDocument {
    fn from(credits: &Credits) -> Self {
        let (bucket, course) = (credits.bucket, &credits.course);
        let spell = |one: EmptySpell| SpellDocument { from_s: one.from_s, lasted_s: one.seconds() };
        Self {
            resource: bucket.resource.name(),
            burst: bucket.burst,
            refill: bucket.refill,
            size: bucket.size,
            step_s: credits.step_s,
            known_s: course.known_s,
            spells: course.spells.len(),
            spells_between: credits.spells,
            empty_s: course.empty_s(),
            longest: course.longest().map(spell),
            hours: course.hours.to_vec(),
            least_left: course.ebb.map(|ebb| ebb.share),
            enough_size: credits.least_size,
            enough_refill: credits.least_refill,
            times: credits.times,
        }
    }
}

/// The course of the credits of a storage, then what would change it.
pub(super) fn sentences(name: &str, named: bool, credits: &Credits) -> Vec<String> {
    let the = if named { format!("{}: the", printable(name)) } else { "The".to_owned() };
    let course = &credits.course;
    let Some(ebb) = course.ebb else { return Vec::new() };
    let about = format!(
        "{the} token bucket of {} that refills at {}",
        size(credits, credits.bucket.size.value),
        rate(credits, credits.bucket.refill.value)
    );
    let history = format!("in {} of load, examined by {}", days(course.known_s), step(credits.step_s));
    let Some(longest) = course.longest() else {
        let may = match credits.spells {
            (_, 0) => String::new(),
            (_, most) => format!("; within the error of its size it may have, up to {}", times_over(most)),
        };
        let left = format!(
            "{about} never ran empty {history}{may}. At the least, {} % of its credits were left, on {}",
            percent(ebb.share),
            moment(ebb.at_s, credits.offset_s)
        );
        return [Some(left), grows(credits)].into_iter().flatten().collect();
    };
    let hours = mostly(&course.hours).map_or_else(String::new, |hours| format!(", mostly {hours}"));
    let count = course.spells.len();
    let between = match credits.spells {
        (least, most) if least == most => String::new(),
        (least, most) => format!(" ({least} to {most})"),
    };
    let empty = format!(
        "{about} ran empty {}{between} {history}, for {} in all{hours}. The longest time, {}, began on {}",
        times_over(count),
        lasting(course.empty_s()),
        lasting(longest.seconds()),
        moment(longest.from_s, credits.offset_s)
    );
    vec![empty, enough(credits)]
}

/// What would have been enough.
fn enough(credits: &Credits) -> String {
    let refill = credits.bucket.refill.value;
    let times = credits.least_refill / refill;
    format!(
        "With {} of credits it would not have run empty, nor with a refill of {}, {} times as much: where the refill grows with the size of a volume, that \
         is a volume {} times as large",
        size(credits, credits.least_size),
        rate(credits, credits.least_refill),
        number(times),
        number(times)
    )
}

/// How much more load it takes.
fn grows(credits: &Credits) -> Option<String> {
    let times = credits.times.filter(|times| times.value < MANY_TIMES)?;
    let ends =
        times.ends().map_or_else(String::new, |(lo, hi)| format!(" ({} to {})", number(lo), number(hi)));
    Some(format!(
        "It runs empty once the load of the last four weeks is {} times as high{ends}",
        number(times.value)
    ))
}

/// `once`, `14 times`
fn times_over(count: usize) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        _ => format!("{count} times"),
    }
}

/// `between 2:00 and 4:00`: the shortest stretch of the day that holds most of it.
fn mostly(hours: &[f64]) -> Option<String> {
    let all: f64 = hours.iter().sum();
    let held = |first: usize, count: usize| -> f64 {
        (first..first + count).filter_map(|hour| hours.get(hour % hours.len())).sum()
    };
    let of_length = |count: usize| {
        let best = (0..hours.len()).max_by(|&one, &other| held(one, count).total_cmp(&held(other, count)))?;
        (held(best, count) >= MOSTLY * all).then_some((best, count))
    };
    let (first, count) = (1..=MOST_HOURS).find_map(of_length)?;
    Some(format!("between {first}:00 and {}:00", (first + count) % hours.len()))
}

fn rate(credits: &Credits, value: f64) -> String {
    let unit = if credits.bucket.resource == Resource::Mbps { "MBPS" } else { "IOPS" };
    format!("{} {unit}", number(value))
}

fn size(credits: &Credits, value: f64) -> String {
    match credits.bucket.resource {
        Resource::Mbps => format!("{} GiB", number(value / 1024.0)),
        _ if value < 10_000.0 => format!("{} I/Os", number(value.round())),
        _ => format!("{} I/Os", short(value.round())),
    }
}

/// `21 days`
fn days(seconds: f64) -> String {
    if seconds < DAY_S {
        return lasting(seconds);
    }
    let days = (seconds / DAY_S * 10.0).round() / 10.0;
    if days <= 1.0 { "a day".to_owned() } else { format!("{} days", number(days)) }
}

/// `the minute`, `intervals of 10 min`
fn step(seconds: u32) -> String {
    let seconds = f64::from(seconds);
    if seconds <= MINUTE_S { "the minute".to_owned() } else { format!("intervals of {}", lasting(seconds)) }
}

/// `2026-11-03 at 2:10`, in local time.
#[expect(clippy::cast_possible_truncation, reason = "seconds since 1970")]
fn moment(at_s: f64, offset_s: i64) -> String {
    let local = at_s.floor() as i64 + offset_s;
    let (day, second) = (local.div_euclid(86_400), local.rem_euclid(86_400));
    format!("{} at {}:{:02}", day::shown(day), second / 3600, second % 3600 / 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_capacity::forecast::Reading;
    use rigel_capacity::headroom::BucketForm;

    /// Minutes from 2026-11-01 0:00 UTC on.
    fn load(rates: &[(i64, f64)]) -> Vec<Reading> {
        let all = rates.iter().flat_map(|&(count, rate)| (0..count).map(move |_| rate));
        (0..)
            .zip(all)
            .map(|(at, value)| Reading { from_s: 1_793_491_200 + at * 60, seconds: 60, value })
            .collect()
    }

    fn bucket(size: f64) -> BucketForm {
        let form = |value: f64| EstimateForm {
            lo95: Some(value * 0.99),
            hi95: Some(value * 1.01),
            ..EstimateForm::bare(value)
        };
        BucketForm { resource: Resource::Iops, burst: 3000.0, refill: form(300.0), size: form(size) }
    }

    #[test]
    fn an_empty_bucket_is_told_with_its_hours_and_what_is_enough() {
        let day = [(120, 100.0), (60, 900.0), (1260, 100.0)];
        let credits = Credits::of(bucket(540_000.0), &load(&[day, day].concat()), 3600);
        let said = sentences("volume", false, &credits);
        assert_eq!(
            said[0],
            "The token bucket of 540k I/Os that refills at 300 IOPS ran empty twice in 2 days of load, examined by the minute, for 6 h in all, \
             mostly between 3:00 and 6:00. The longest time, 3 h, began on 2026-11-01 at 3:15"
        );
        assert!(said[1].starts_with("With 2.16M I/Os of credits it would not have run empty, nor with a refill of 750 IOPS, 2.5 times as much"), "{said:?}");
    }

    #[test]
    fn a_bucket_that_holds_is_told_with_what_is_left_and_what_may_be() {
        let day = [(120, 100.0), (60, 400.0), (1260, 100.0)];
        let credits = Credits::of(bucket(540_000.0), &load(&day), 0);
        let said = sentences("volume", true, &credits);
        assert_eq!(
            said[0],
            "volume: the token bucket of 540k I/Os that refills at 300 IOPS never ran empty in a day of load, examined by the minute. At the least, \
             33 % of its credits were left, on 2026-11-01 at 3:00"
        );
        assert!(
            said[1].starts_with(
                "It runs empty once the load of the last four weeks is 1.125 times as high (1.1"
            ),
            "{said:?}"
        );
    }
}
