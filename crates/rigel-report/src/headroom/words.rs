//! What text, page and document say in sentences.
//!
//! Must not leave out what casts doubt on an answer.

use super::{HeadroomReport, credits};
use rigel_capacity::forecast::{BIN_S, FEWEST_DAYS, Forecast, GrowthAhead, MOST_PASTS, NoForecast};
use rigel_capacity::headroom::{Course, Ends, Growth, ReachTime, Resource, Scenario, Storage, WhatIf};
use rigel_capacity::sum::LateHost;
use rigel_capacity::{day, when};
use rigel_core::path_text::printable;
use rigel_core::units::say::{counted, decimal_percent, listed, number, percent, signed_percent, size_unit};
use rigel_core::units::{Bytes, to_f64};

/// Shares of writes that differ by more make different figures.
const MOST_SHARE_APART: f64 = 0.15;
/// A mean I/O size above this multiple of a small I/O means that many I/Os are not small.
const MOST_TIMES_SMALL: f64 = 2.0;

/// A quantity with its unit.
pub(super) fn amount(resource: Resource, value: f64) -> String {
    match resource {
        Resource::Iops => format!("{} IOPS", number(value)),
        Resource::Mbps => format!("{} MBPS", number(value)),
        Resource::Space => {
            let (unit, name) = size_unit(value);
            format!("{} {name}", number(value / to_f64(unit)))
        }
    }
}

/// The first day of a week to come.
pub(super) fn week_day(told: &Forecast, week: usize) -> i64 {
    told.next_day() + 7 * i64::try_from(week).unwrap_or(0)
}

/// Why there is no forecast.
pub fn unknown(why: NoForecast) -> String {
    match why {
        NoForecast::Nothing => {
            format!("the history covers no day for at least 12 hours; {FEWEST_DAYS} such days are needed")
        }
        NoForecast::Short { days } => {
            format!("the history covers {}; {FEWEST_DAYS} are needed", counted(days, "day"))
        }
        NoForecast::Gaps { days, missing } => {
            format!("of the {days} days of the history, {missing} are missing")
        }
    }
}

/// ` (2027-11 to after 2028-11)`.
pub(super) fn interval(ends: &Ends) -> String {
    match (ends.earliest, ends.latest) {
        (ReachTime::Beyond(_), ReachTime::Beyond(_)) | (ReachTime::Unknown, _) => String::new(),
        (earliest, latest) => format!(" ({} to {})", earliest.shown(), latest.shown()),
    }
}

/// What holds until a limit is reached.
fn holds(ends: &Ends) -> String {
    match ends.limit.resource {
        Resource::Iops if ends.limit.keeps_bound => format!("{} holds", printable(&ends.limit.from)),
        Resource::Iops => "the IOPS are enough".to_owned(),
        Resource::Mbps => "the bandwidth is enough".to_owned(),
        Resource::Space => "there is room".to_owned(),
    }
}

/// The answers: the assumptions, then one for each storage.
pub(super) fn sentences(told: &HeadroomReport<'_>) -> Vec<String> {
    let named = told.storages.len() > 1;
    let answers = told.storages.iter().flat_map(|storage| {
        let credits = storage.credits.iter().flat_map(|one| credits::sentences(&storage.name, named, one));
        std::iter::once(of_storage(storage, told.courses, named)).chain(credits)
    });
    what_if(told).into_iter().chain(answers).collect()
}

/// The assumptions of a scenario, a sentence for each.
pub(super) fn what_if(told: &HeadroomReport<'_>) -> Vec<String> {
    let Scenario { growth, added, what_if: WhatIf { without, files, more } } = told.scenario;
    let mut all = Vec::new();
    if !without.is_empty() {
        all.push(gone(told, without));
    }
    let share = |file: &String| {
        let share = told.demand.shares.iter().find(|one| one.0 == *file).map(|one| one.1);
        share.map_or_else(String::new, |share| format!(", {} % of the sum", percent(share)))
    };
    all.extend(
        files.iter().map(|file| format!("What if: with the load of {}{}", printable(file), share(file))),
    );
    all.extend(more.map(|more| {
        format!(
            "What if: all rates are {} times those of the history; space does not change",
            number(1.0 + more)
        )
    }));
    all.extend(growth.map(|growth| format!("What if: {} % growth per year", signed_percent(growth.0))));
    all.extend(added.iter().map(|added| format!("What if: {} is added", printable(&added.text))));
    all
}

/// Removed hosts: nothing changes for the storage, but each remaining host gets more load.
fn gone(told: &HeadroomReport<'_>, without: &[String]) -> String {
    let names = printable(&listed(without)).into_owned();
    let share: f64 = told.demand.shares.iter().filter(|one| without.contains(&one.0)).map(|one| one.1).sum();
    let ops = told.courses.iter().find(|course| course.resource == Resource::Iops);
    let now = ops.and_then(|course| course.forecast.as_ref().ok()).map(Forecast::now);
    let stay = told.demand.moved(&told.scenario.what_if);
    let each: Vec<String> = stay
        .iter()
        .map(|(host, share, times)| {
            let busy = now.map_or_else(String::new, |now| {
                format!(", {} on a busy day", amount(Resource::Iops, now * share))
            });
            format!("{} ({} times its load{busy})", printable(host), number(*times))
        })
        .collect();
    let what_if = &told.scenario.what_if;
    let is_left = |host: &&String| !without.contains(host) && !what_if.files.contains(host);
    let idle: Vec<String> = told.demand.shares.iter().map(|one| &one.0).filter(is_left).cloned().collect();
    let to = match (each.as_slice(), idle.as_slice()) {
        ([], []) => "hosts whose load is unknown".to_owned(),
        // In proportion to nothing.
        ([], idle) => format!("{}, which had none", printable(&listed(idle))),
        (each, _) => listed(each),
    };
    let (are, their) = if without.len() == 1 { ("is", "its") } else { ("are", "their") };
    format!(
        "What if: {names} {are} gone; {their} {} % of the load moves to {to}. The sum and every date stay the \
         same; only the load of each host grows",
        percent(share)
    )
}

fn of_storage(storage: &Storage, courses: &[Course], named: bool) -> String {
    let name = if named { format!("{}: ", printable(&storage.name)) } else { String::new() };
    let unknown: Vec<String> = storage.surface.unknown.iter().map(no_limit).collect();
    let Some((first, others)) = storage.ends.split_first() else {
        return match unknown.as_slice() {
            [] => format!("{name}No forecast: the history has no IOPS, bandwidth or space of this storage"),
            unknown => format!("{name}{}", unknown.join("; ")),
        };
    };
    let word = first.limit.resource.word();
    let head = match first.likely {
        ReachTime::On(at) if first.used().is_some_and(|used| used >= 1.0) => {
            format!("the {word} are already used up, {} of the limit: {}", share(first), day::month(at))
        }
        ReachTime::On(at) => {
            format!("{} until {}{}; the limit is {word}", holds(first), day::month(at), interval(first))
        }
        ReachTime::Beyond(at) => {
            let possible = possible(storage);
            let likely = if possible.is_empty() { "" } else { "most likely " };
            format!(
                "{likely}everything suffices until {}, the limit of this forecast{possible}",
                day::month(at)
            )
        }
        ReachTime::Unknown => format!("No forecast: {}", why(first, courses)),
    };
    let others: Vec<String> =
        others.iter().filter(|_| first.likely.day().is_some()).map(|ends| other(ends, courses)).collect();
    let answer = [unknown, vec![head], others].concat().join("; ");
    if named { format!("{name}{answer}") } else { capital(answer) }
}

/// Begins a sentence with a capital; a quantity such as `p99` keeps its name.
fn capital(mut text: String) -> String {
    let is_word = text.bytes().take(2).all(|byte| byte.is_ascii_lowercase());
    if let Some(first) = text.get_mut(..1).filter(|_| is_word) {
        first.make_ascii_uppercase();
    }
    text
}

/// `the limit of small IOPS is unknown: no rate was found that meets p99 < 1 us, ..`
fn no_limit((resource, why): &(Resource, String)) -> String {
    format!("the limit of {} is unknown: {}", resource.word(), printable(why))
}

/// Whether a limit of some storage, or the day on which it is reached, is unknown.
pub(super) fn is_open(told: &HeadroomReport<'_>) -> bool {
    let has_space =
        |storage: &Storage| storage.ends.iter().any(|ends| ends.limit.resource == Resource::Space);
    told.storages.iter().any(|storage| {
        !storage.surface.unknown.is_empty()
            || storage.ends.is_empty()
            || storage.ends.iter().any(|ends| ends.likely == ReachTime::Unknown)
    }) || !told.storages.iter().any(has_space)
}

fn share(ends: &Ends) -> String {
    ends.used().map_or_else(String::new, |used| format!("{} %", percent(used)))
}

/// What may run out early although that is unlikely.
fn possible(storage: &Storage) -> String {
    let earliest =
        storage.ends.iter().filter_map(|ends| Some((ends.earliest.day()?, ends))).min_by_key(|one| one.0);
    earliest.map_or_else(String::new, |(at, ends)| {
        format!("; {} may from {} on", ends.limit.resource.word(), day::month(at))
    })
}

fn other(ends: &Ends, courses: &[Course]) -> String {
    let word = ends.limit.resource.word();
    match ends.likely {
        ReachTime::On(at) => format!("{word} lasts until {}{}", day::month(at), interval(ends)),
        ReachTime::Beyond(at) => format!("{word} lasts beyond {}{}", day::month(at), interval(ends)),
        ReachTime::Unknown => format!("{word} unknown: {}", why(ends, courses)),
    }
}

fn why(ends: &Ends, courses: &[Course]) -> String {
    let course = courses.iter().find(|course| course.resource == ends.limit.resource);
    course.and_then(|course| course.forecast.as_ref().err()).map_or_else(String::new, |why| unknown(*why))
}

/// Notes on the answers.
pub(super) fn notes(told: &HeadroomReport<'_>) -> Vec<String> {
    let mut notes = of_sum(told);
    notes.extend(told.courses.iter().flat_map(of_course));
    for storage in told.storages {
        notes.extend(of_surface(told, storage));
        let unmeasured = |course: &&Course| {
            let is_limited = storage.ends.iter().any(|ends| ends.limit.resource == course.resource)
                || storage.surface.unknown.iter().any(|one| one.0 == course.resource);
            course.resource != Resource::Space && !is_limited
        };
        notes.extend(told.courses.iter().filter(unmeasured).map(|course| {
            format!("{}: the record has no limit of {}", printable(&storage.name), course.resource.word())
        }));
    }
    let has = |resource| told.courses.iter().any(|course| course.resource == resource);
    if !has(Resource::Space) {
        notes.push("the history has no used space, so it is unknown when it will be full".to_owned());
    } else if told.demand.size_bytes.is_none()
        && told.storages.iter().all(|one| one.ends.iter().all(|ends| ends.limit.resource != Resource::Space))
    {
        notes.push("the history does not say how large the storage is: give --space SIZE".to_owned());
    }
    let is_idle = told.demand.io_bytes.is_none() && told.demand.peak.is_none_or(|peak| peak.ops <= 0.0);
    if told.demand.write_share.is_none() && has(Resource::Iops) && !is_idle {
        notes.push(
            "the history does not separate reads from writes, so the share of writes in the records may \
             differ from production"
                .to_owned(),
        );
    }
    if told.scenario.growth.is_some() {
        notes.push(
            "growth is assumed; only today's level and the weekly pattern come from the history".to_owned(),
        );
    }
    notes
}

/// Notes on a sum.
fn of_sum(told: &HeadroomReport<'_>) -> Vec<String> {
    let demand = told.demand;
    let mut notes = Vec::new();
    let parts = |all: &[(String, f64)]| -> Vec<String> {
        all.iter().map(|(name, share)| format!("{} {} %", printable(name), percent(*share))).collect()
    };
    if demand.shares.len() > 1 {
        notes.push(format!("the load is a sum: {}", listed(&parts(&demand.shares))));
    }
    if demand.left_out > 0.0 {
        notes.push(format!(
            "{} % of the time is left out of the sum, because some loads are unknown then (missing: \
             {}), and unknown is not 0",
            percent(demand.left_out),
            listed(&parts(&demand.lacking))
        ));
    }
    for LateHost { host, from_ms, is_joined } in &demand.late {
        let (host, from) = (printable(host), when::shown(*from_ms));
        if *is_joined {
            notes.push(format!("{host} counts as 0 before {from} UTC (--joined)"));
        } else if demand.left_out > 0.0 {
            notes.push(format!(
                "{host} is known from {from} UTC on; if it did not exist before, --joined {host} counts it as 0 until then"
            ));
        }
    }
    if demand.databases > 1 {
        notes.push(format!("space is the sum of {} databases", demand.databases));
    }
    notes
}

fn of_course(course: &Course) -> Vec<String> {
    let word = course.resource.word();
    let mut notes = Vec::new();
    if let Ok(told) = &course.forecast {
        if told.missing > 0 {
            notes.push(format!(
                "{word}: {} of {} days are missing and interpolated",
                told.missing,
                told.history.len()
            ));
        }
        if let Some(held) = told.rehearsed.filter(|held| 10 * held.weeks < 8 * held.of) {
            notes.push(format!(
                "{word}: a forecast made after two thirds of this history held in only {} of {} weeks; \
                 something changed that it could not foresee",
                held.weeks, held.of
            ));
        }
    }
    if i64::from(course.daily.spacing_s) > BIN_S && course.resource != Resource::Space {
        notes.push(format!(
            "{word}: the history has {}-minute means; the busiest 5 minutes were higher",
            course.daily.spacing_s / 60
        ));
    }
    notes
}

fn of_surface(told: &HeadroomReport<'_>, storage: &Storage) -> Vec<String> {
    let (surface, name) = (&storage.surface, printable(&storage.name));
    let mut notes = Vec::new();
    if surface.simulated {
        notes.push(format!("{name}: measured on a simulated device"));
    }
    if let Some(part) = &surface.part {
        notes.push(format!("{name}: measured on {part} of the targets only; all of a disk may give less"));
    }
    if let Some(share) =
        told.demand.write_share.filter(|share| (share - surface.write_share).abs() > MOST_SHARE_APART)
    {
        notes.push(format!(
            "{name}: measured with {} % writes, but production has {} %: measure with --write {}",
            decimal_percent(surface.write_share, 0),
            decimal_percent(share, 0),
            decimal_percent(share, 0)
        ));
    }
    // How long a peak lasts is in the limit of a token bucket.
    let is_bucket = storage.credits.is_some();
    let limit = storage
        .ends
        .iter()
        .find(|ends| ends.limit.resource == Resource::Iops && !is_bucket)
        .map(|ends| ends.limit.figure.value);
    if let Some((peak, limit)) = told.demand.peak.zip(limit).filter(|(peak, limit)| peak.ops > *limit) {
        notes.push(format!(
            "{name}: {} min on {} already had {}, above the limit of {}: dates ignore the 72 busiest minutes of a day",
            (peak.seconds + 30) / 60,
            day::shown(peak.day),
            amount(Resource::Iops, peak.ops),
            number(limit)
        ));
    }
    let small = to_f64(surface.small_bytes);
    if let Some(bytes) = told.demand.io_bytes.filter(|bytes| small > 0.0 && *bytes > MOST_TIMES_SMALL * small)
    {
        notes.push(format!(
            "{name}: measured with I/Os of {}, but production averages {}: it may do fewer of them",
            Bytes(surface.small_bytes),
            amount(Resource::Space, bytes)
        ));
    }
    notes
}

/// How a forecast was made. With an assumed growth, that of the history is not forecast.
pub(super) fn about(course: &Course, assumed: Option<Growth>) -> Option<String> {
    let told = course.forecast.as_ref().ok()?;
    let error = |at: usize| {
        told.tested.get(at).map_or_else(String::new, |one| format!("{} %", percent(one.1.exp_m1())))
    };
    let baselines: Vec<String> = told
        .tested
        .iter()
        .enumerate()
        .filter(|(_, one)| one.0.is_baseline() && one.0 != told.model)
        .map(|(at, one)| format!("{} {}", one.0.name(), error(at)))
        .collect();
    let growth = told.growth().filter(|_| assumed.is_none()).map_or_else(String::new, growth);
    let rehearsed = told.rehearsed.map_or_else(String::new, |held| {
        format!(
            "; a forecast made after two thirds of the history held in {} of {} weeks",
            held.weeks, held.of
        )
    });
    Some(format!(
        "{}: {}, off by {} on average in {} tries ({}){growth}{rehearsed}",
        course.resource.word(),
        told.model.name(),
        error(0),
        told.origins,
        baselines.join(", ")
    ))
}

/// As far as the forecast reaches, at most a year: `; +85 % in 8 weeks (+40 to +150 %)`.
fn growth(growth: GrowthAhead) -> String {
    let over = if growth.is_of_a_year() { "a year".to_owned() } else { counted(growth.weeks, "week") };
    let [value, lower, upper] = [growth.value, growth.lower, growth.upper].map(signed_percent);
    format!("; {value} % in {over} ({lower} to {upper} %)")
}

/// The history in one sentence.
pub(super) fn history(told: &HeadroomReport<'_>) -> String {
    let firsts = told.courses.iter().filter(|one| !one.daily.levels.is_empty());
    let first = firsts.clone().map(|one| one.daily.first).min();
    let last = firsts.map(|one| one.daily.first + i64::try_from(one.daily.days()).unwrap_or(0) - 1).max();
    let subjects: Vec<String> =
        told.demand.subjects.iter().map(|one| printable(&one.to_string()).into_owned()).collect();
    match first.zip(last) {
        None => format!("{}: the history has no day with load", printable(told.host)),
        Some((first, last)) => format!(
            "{}, {}: {} to {}; forecasts reach at most {MOST_PASTS} times as far",
            printable(told.host),
            if subjects.is_empty() { "no disk".to_owned() } else { subjects.join(", ") },
            day::shown(first),
            day::shown(last)
        ),
    }
}

/// The busiest hours of the week: `Tue 10:00`.
pub(super) fn busiest(course: &Course) -> Option<String> {
    const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    let week = course.daily.week.iter().enumerate();
    let (hour, times) = week.max_by(|one, other| one.1.total_cmp(other.1)).filter(|one| *one.1 > 0.0)?;
    Some(format!(
        "busiest hour of the week: {} {}:00, {} times the mean",
        DAYS[hour / 24 % 7],
        hour % 24,
        number(*times)
    ))
}
