//! The sentences of a run through a failure, which text, page and JSON have alike. Must not judge.

use super::ThroughReport;
use crate::surroundings;
use rigel_core::judge::wrong_data::place;
use rigel_core::path_text::printable;
use rigel_core::record::Mark;
use rigel_core::stats::Estimate;
use rigel_core::units::say::{counted, number, percent, rough_span, signed_percent, two_units, whole};
use rigel_core::units::{Bytes, Nanos, to_f64};
use rigel_uses::soak::LongIo;
use rigel_uses::through::{
    Baseline, DemandOutcome, DemandVerdict, Rebuild, Sign, SignKind, ThroughFindings, TroubleKind,
};

/// A moment, in seconds of the run.
pub(super) fn moment(run_ns: u64) -> String {
    format!("{:.1} s", to_f64(run_ns) / 1e9)
}

/// The answer: the first sentence says most.
pub(super) fn sentences(told: &ThroughReport<'_>) -> Vec<String> {
    let found = told.found;
    let parts = [
        Some(verdict(found)),
        Some(held(found)),
        found.trouble.sign.map(|sign| first(found, sign)),
        longest(found),
        found.far_alone().map(far),
        failed(told),
        found.hung.as_ref().map(|hung| format!("The load ended early: {hung}.")),
        (!found.complete).then(|| "The run was cut short: what came later is not known.".to_owned()),
        (!found.changed.is_empty()).then(|| format!("Meanwhile: {}.", found.changed.join("; "))),
        surroundings::guests(&told.record.header.nodes),
    ];
    let rebuilds = found.rebuilds.iter().map(rebuild);
    parts.into_iter().flatten().chain(rebuilds).collect()
}

fn verdict(found: &ThroughFindings) -> String {
    let errors = match found.errors {
        0 => "no I/O failed".to_owned(),
        errors => format!("{} failed", counted(errors, "I/O")),
    };
    if found.course.is_empty() {
        return "Nothing was measured.".to_owned();
    }
    if let Baseline::NotHeld { rate } = found.trouble.baseline {
        return format!(
            "The storage does not hold {} IOPS even without a failure: it reached {}. Nothing can be said \
             about failures; {errors}.",
            number(f64::from(found.asked)),
            number(rate)
        );
    }
    if !found.has_trouble() {
        return unaffected(found, &errors);
    }
    let still = match &found.standstill {
        Some(still) if still.is_open => {
            format!("The load stood still for {}, until the run ended", rough_span(still.least))
        }
        Some(still) if still.is_rough() => format!(
            "The load stood still for {} (at least {}, at most {}, as few I/Os arrived)",
            rough_span(still.length()),
            rough_span(still.least),
            rough_span(still.most)
        ),
        Some(still) => format!("The load stood still for {}", rough_span(still.length())),
        None => "The load never stood still".to_owned(),
    };
    if let Some(early) = early(found) {
        return format!("{early}. {still}; {errors}.");
    }
    match (found.back_after(), found.trouble.baseline) {
        (Some(after), _) => format!("{still} and was back after {}; {errors}.", rough_span(after)),
        (None, Baseline::TooShort { .. }) => {
            format!(
                "{still}; {errors}. When it was back is not known: the first sign came before there was a level to compare with."
            )
        }
        (None, _) if found.standstill.is_none() => {
            format!("{still}, but its rate or p99 had not recovered when the run ended; {errors}.")
        }
        (None, _) if found.standstill.is_some_and(|still| still.is_open) => format!("{still}; {errors}."),
        (None, _) => format!("{still} and was not back when the run ended; {errors}."),
    }
}

/// A load that was slow before anything else happened.
fn early(found: &ThroughFindings) -> Option<String> {
    let sign = found.trouble.sign.filter(|_| matches!(found.trouble.baseline, Baseline::TooShort { .. }))?;
    let was = match sign.kind {
        SignKind::Trouble(TroubleKind::Slow) => "The load was slow",
        SignKind::Trouble(TroubleKind::Low) => "The rate was low",
        SignKind::Trouble(TroubleKind::Standstill | TroubleKind::Errors) | SignKind::Mark(_) => return None,
    };
    Some(format!("{was} from {} on, before there was a level to compare with", moment(sign.at_ns)))
}

/// What the load would have noticed.
const UNMOVED: &str = "No standstill, no slow interval";

/// If nothing stood still and no I/O failed.
fn unaffected(found: &ThroughFindings, errors: &str) -> String {
    let and_long = |rest: &str| match found.far_alone() {
        Some(one) if found.as_far > 1 => format!(
            "{rest}, and {errors}, but {} took {} or longer (up to {}).",
            counted(found.as_far, "I/O"),
            rough_span(one.half()),
            rough_span(one.length)
        ),
        Some(one) => format!("{rest}, and {errors}, but an I/O took {}.", rough_span(one.length)),
        None => format!("{rest}, and {errors}."),
    };
    match (found.trouble.sign, found.trouble.baseline) {
        // The host may have marked what is no sign: a link, the progress of a rebuild.
        (None, _) => match (found.far_alone(), found.marks.is_empty()) {
            (Some(_), true) => and_long("No mark, no standstill, no slow interval"),
            (None, true) => and_long("Nothing happened: no mark, no standstill, no slow interval"),
            (Some(_), false) => and_long(UNMOVED),
            (None, false) => and_long(&format!("The load noticed nothing: {}", UNMOVED.to_lowercase())),
        },
        // Without trouble the sign is a mark.
        (Some(_), Baseline::TooShort { .. }) => format!(
            "No standstill was seen and {errors}, but the first mark came too early to compare with a level before it."
        ),
        (Some(sign), _) if found.trouble.back_ns == Some(sign.at_ns) => match found.far_alone() {
            Some(_) => and_long(UNMOVED),
            // They were before it.
            None if !found.trouble.troubles.is_empty() => {
                and_long("The load noticed nothing of it: no standstill, no slow interval after the mark")
            }
            None => and_long(&format!("The load noticed nothing: {}", UNMOVED.to_lowercase())),
        },
        (Some(_), _) => format!(
            "The load never stood still and {errors}, but its rate or p99 did not recover at once; the \
             table shows the levels."
        ),
    }
}

fn held(found: &ThroughFindings) -> String {
    let (from, to) = found.lasted;
    let time = two_units(Nanos(to.saturating_sub(from)));
    match found.trouble.baseline {
        Baseline::Known { .. } | Baseline::NotHeld { .. } => {
            format!("{} I/Os per second were requested, for {time}.", number(f64::from(found.asked)))
        }
        Baseline::TooShort { intervals } => format!(
            "{} I/Os per second were requested, for {time}; only {} came before the first sign, and 5 are \
             needed to know what is usual.",
            number(f64::from(found.asked)),
            counted(intervals as u64, "interval")
        ),
    }
}

fn first(found: &ThroughFindings, sign: Sign) -> String {
    let at = moment(sign.at_ns);
    match sign.kind {
        SignKind::Mark(number) => {
            let text = found.marks.get(number).map_or_else(String::new, |mark| mark.marked.words());
            format!("The mark \"{text}\" came first, at {at}.")
        }
        SignKind::Trouble(kind) => format!("The first sign was at {at}: {}.", kind.name()),
    }
}

fn longest(found: &ThroughFindings) -> Option<String> {
    found.has_trouble().then(|| {
        let back = |what: &str, time: Option<Nanos>| match time {
            Some(Nanos(0)) => format!("the {what} was not affected"),
            Some(time) => format!("the {what} was back after {}", rough_span(time)),
            None => format!("the {what} was not back when the run ended"),
        };
        let known = matches!(found.trouble.baseline, Baseline::Known { .. });
        let when = if known {
            format!(
                " From the first sign on, {}, and {}.",
                back("rate", found.trouble.rate_back),
                back("p99", found.trouble.p99_back)
            )
        } else {
            String::new()
        };
        format!("The longest I/O took {}.{when}", rough_span(found.longest))
    })
}

fn far(one: &LongIo) -> String {
    format!("The longest I/O took {} and began at about {}.", rough_span(one.length), moment(one.began_ns))
}

fn failed(told: &ThroughReport<'_>) -> Option<String> {
    let error = told.found.first_error?;
    let place = place(&told.record.header.targets, error.target, error.offset);
    Some(format!("The first I/O that failed was {place}: {}.", error.reason()))
}

fn rebuild(one: &Rebuild) -> String {
    let device = printable(&one.device);
    let began = match &one.action {
        Some(action) => format!("{} began at {} and", printable(action), moment(one.began_ns)),
        None => "a rebuild or check was under way when the load began and".to_owned(),
    };
    let rate = one.rate.map_or_else(String::new, |rate| {
        format!(
            " at {} per second{}",
            Bytes(whole(rate.value)),
            ends(&rate, |value| Bytes(whole(value)).to_string())
        )
    });
    let course = match (one.ended_ns, one.share) {
        (Some(ended_ns), _) if one.action.is_none() => {
            let comma = if rate.is_empty() { "" } else { "," };
            format!("ended at {}{comma}{rate}", moment(ended_ns))
        }
        (Some(ended_ns), _) => {
            format!("took {}{rate}", rough_span(Nanos(ended_ns.saturating_sub(one.began_ns))))
        }
        (None, Some(share)) => {
            format!("had not ended when the run did: {} % were done{rate}", percent(share))
        }
        (None, None) => "had not ended when the run did; how far it came is not known".to_owned(),
    };
    let cost = one.cost.map_or_else(
        || {
            let why = if one.action.is_none() { ": there is no level without it" } else { "" };
            format!("; what it cost the load is not known{why}")
        },
        |cost| {
            let change = |one: Estimate| {
                format!(
                    "{} %{}",
                    signed_percent(one.value - 1.0),
                    ends(&one, |value| signed_percent(value - 1.0))
                )
            };
            let latency = cost
                .latency
                .map_or_else(String::new, |latency| format!(", mean latency {}", change(latency)));
            format!("; meanwhile the load changed: rate {}{latency}", change(cost.rate))
        },
    );
    format!("{device}: {began} {course}{cost}.")
}

/// ` (90 to 110)`.
pub(super) fn ends(one: &Estimate, write: impl Fn(f64) -> String) -> String {
    one.ends().map_or_else(String::new, |(low, high)| format!(" ({} to {})", write(low), write(high)))
}

/// The result of a demand.
pub(super) fn verdict_of(one: &DemandOutcome) -> String {
    match one.verdict {
        DemandVerdict::Kept => "met".to_owned(),
        DemandVerdict::Missed => "NOT met".to_owned(),
        DemandVerdict::Undecided(why) => format!("undecided: {why}"),
    }
}

/// Who made a mark.
pub(super) const fn who(mark: &Mark) -> &'static str {
    if mark.marked.is_of_person() { "you" } else { "host" }
}
