//! What two bursts found, in sentences.
//!
//! Must not compute a figure.

use super::credit_of;
use crate::view::View;
use rigel_core::judge::findings::BurstFindings;
use rigel_core::load::class::{Figure, LoadClass};
use rigel_core::path_text::printable;
use rigel_core::stats::Estimate;
use rigel_core::stats::burst::{BurstVerdict, Credit, Doubt, Recovery};
use rigel_core::units::say::{number, short, two_units};
use rigel_core::units::{GIB, NS_PER_S, Nanos, to_f64};

/// What is refilled can be detected where it is this many times as much as what is outstanding.
const TIMES_OUTSTANDING: f64 = 10.0;

/// The result; of numbers that must not be used only that they say nothing.
pub(crate) fn reached(view: &View<'_>, usable: bool) -> Option<String> {
    let unusable = || "These numbers do not show whether the rate lasts.".to_owned();
    sentence(view).map(|found| if usable { found } else { unusable() })
}

/// `3,000 IOPS for 28 min, then 300: a token bucket of 4.54M I/Os, full again after 4 h 12 min of idle time. ..` `None` for another run.
pub(crate) fn sentence(view: &View<'_>) -> Option<String> {
    let Some(found) = view.findings.burst.as_ref() else { return ended_early(view) };
    Some(match &found.found {
        BurstVerdict::TokenBucket(credit, recovery) => format!(
            "{}: a token bucket of {}, full again after {} of idle time. {}",
            fall(found, credit),
            amount(&found.load, credit.credit.mean),
            lasting(credit.refill_s.mean),
            test(found, recovery)
        ),
        BurstVerdict::NotABucket(credit, recovery) => format!(
            "{}, but this is not a token bucket. {} A device that throttles when it is hot, a full write \
             cache and other users of the storage also make the rate fall like this.",
            fall(found, credit),
            test(found, recovery)
        ),
        BurstVerdict::NoFall { rate, for_s } => {
            format!("No fall within {} at {}.", lasting(*for_s), said(found, rate.mean))
        }
        BurstVerdict::Undecided(doubt) => doubt_sentence(found, doubt),
    })
}

/// Of a run that was over before its first burst.
fn ended_early(view: &View<'_>) -> Option<String> {
    let record = view.record;
    let is_burst = record.header.request.burst().is_some() && !record.visits.is_empty();
    is_burst.then(|| "Undecided: the run ended before the first burst.".to_owned())
}

/// `3,000 IOPS for 28 min, then 300`
fn fall(found: &BurstFindings, credit: &Credit) -> String {
    let (high, low) = (credit.fall.high.mean, credit.fall.low.mean);
    format!("{} for {}, then {}", said(found, high), lasting(credit.lasted_s), value(found, low))
}

fn test(found: &BurstFindings, recovery: &Recovery) -> String {
    format!(
        "After a pause of {}, {} of the {} that a bucket would have refilled were available again.",
        lasting(recovery.rest_s),
        amount(&found.load, recovery.recovered.max(0.0)),
        amount(&found.load, recovery.expected)
    )
}

fn doubt_sentence(found: &BurstFindings, doubt: &Doubt) -> String {
    match doubt {
        Doubt::Short => "Undecided: the first burst ended before its rate could be measured.".to_owned(),
        Doubt::Stopped(rate) => format!(
            "Undecided: the run ended early; until then the rate of {} had not fallen.",
            said(found, rate.mean)
        ),
        Doubt::Untested(credit) => format!(
            "{}. Whether this is a token bucket is undecided: the run ended before the second burst.",
            fall(found, credit)
        ),
        Doubt::TooSmall(credit, recovery) => format!(
            "{}. Whether this is a token bucket is undecided: {}.",
            fall(found, credit),
            untold(found, recovery)
        ),
        Doubt::FellLate(rate) => format!(
            "Undecided: after {} at {} the rate fell in the last seconds. More time (--for) would show whether it stays.",
            lasting(to_f64(found.first.len() as u64)),
            said(found, rate.mean)
        ),
        Doubt::Blur { high, low } => format!(
            "Undecided: the rate fell from {} to {}, but not at once, or it was not level before and after. \
             With a bucket it falls within a second. Other users of the storage, or its own housekeeping, \
             look like this.",
            value(found, *high),
            said(found, *low)
        ),
        Doubt::EmptyAtStart { rate, high, rest_s } => format!(
            "Undecided: the credit was used up when the run began. It was {} all the time, but {} after a \
             pause of {}. Leave the storage idle for hours, then run it again.",
            said(found, rate.mean),
            value(found, *high),
            lasting(*rest_s)
        ),
        Doubt::SpentAtOnce { rate, high } => format!(
            "Undecided: the rate began at up to {}, and was {} after the first seconds. Credit that lasts \
             only seconds is used up before it can be measured. With fewer outstanding I/Os, such as \
             --per-target 2, it lasts longer.",
            value(found, *high),
            said(found, rate.mean)
        ),
        Doubt::LoadTooSmall { rate, half } => format!(
            "Undecided: {} outstanding I/Os may be too few to reach the limit. They gave {}, and half as \
             many gave {}. Ask for more with --per-target.",
            found.outstanding,
            said(found, rate.mean),
            value(found, *half)
        ),
        Doubt::Drift { from, to } => format!(
            "Undecided: the rate drifted from {} to {}, but with a bucket it falls at once.",
            value(found, *from),
            said(found, *to)
        ),
        Doubt::Swings { low, high } => format!(
            "Undecided: the rate went up and down between {} and {}. Other users of the storage, or its own housekeeping, look like this.",
            value(found, *low),
            said(found, *high)
        ),
    }
}

/// Why a test says nothing.
fn untold(found: &BurstFindings, recovery: &Recovery) -> String {
    if recovery.expected < TIMES_OUTSTANDING * f64::from(found.outstanding) {
        return format!(
            "what a pause refills is too little to detect next to the {} outstanding I/Os",
            found.outstanding
        );
    }
    "the lower rate varied too much to tell how much a pause refilled".to_owned()
}

/// The doubt about the size of a bucket whose level at the start is unknown.
fn doubt_of_start(found: &BurstFindings) -> Option<String> {
    let is_bucket = matches!(found.found, BurstVerdict::TokenBucket(..));
    let is_known = credit_of(&found.found).is_some();
    (is_bucket && is_known).then(|| {
        "The size is the credit at the start: a bucket that was not full then holds more.".to_owned()
    })
}

/// The method, and how the figures follow.
pub(super) fn about(found: &BurstFindings) -> String {
    let kind = if found.load.figure == Figure::Mbps { "large" } else { "small" };
    let start = doubt_of_start(found).map_or_else(String::new, |start| format!(" {start}"));
    let test = match credit_of(&found.found) {
        None => "",
        Some((_, None)) => " \"Used\" is everything served above the lower rate.",
        Some((_, Some(_))) => {
            " \"Used\" is everything served above the lower rate; the pause and the second burst test whether \
             this rate refills as much."
        }
    };
    let until = match found.found {
        BurstVerdict::NoFall { .. } => "to see whether the rate falls and stays low",
        _ => "until the rate fell and stayed low",
    };
    format!(
        "{} outstanding {kind} random I/Os of {}, for {} at most, {until}.{test}{start}",
        found.outstanding,
        found.load.size_text(),
        two_units(found.time)
    )
}

/// `3,000 IOPS`
fn said(found: &BurstFindings, per_s: f64) -> String {
    format!("{} {}", value(found, per_s), printable(found.load.unit()))
}

fn value(found: &BurstFindings, per_s: f64) -> String {
    number(found.load.rate(Estimate::bare(per_s)).value)
}

/// `4.54M I/Os`, or `120 GiB` if bytes are counted.
pub(super) fn amount(load: &LoadClass, ios: f64) -> String {
    if load.figure == Figure::Mbps {
        let gib = ios * to_f64(load.io_bytes()) / to_f64(GIB);
        return format!("{} GiB", number(gib));
    }
    let ios = ios.max(0.0).round();
    if ios < 10_000.0 { format!("{} I/Os", number(ios)) } else { format!("{} I/Os", short(ios)) }
}

/// `28 min`, of seconds.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "of a time, and it saturates")]
pub(crate) fn lasting(seconds: f64) -> String {
    if seconds < 1.0 {
        return format!("{} s", number(seconds.max(0.0)));
    }
    // Seconds of an hour would be cut off.
    let step = if seconds >= 3600.0 { 60.0 } else { 1.0 };
    two_units(Nanos(((seconds / step).round() * step * to_f64(NS_PER_S)) as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::load::class::Class;

    #[test]
    fn amounts_and_times_are_read_at_once() {
        let (small, large) =
            (LoadClass::random(Class::SMALL, 8192), LoadClass::random(Class::LARGE, 1 << 20));
        let large = LoadClass { figure: Figure::Mbps, ..large };
        assert_eq!(amount(&small, 4_536_000.0), "4.54M I/Os");
        assert_eq!([14.4, 9_001.2].map(|ios| amount(&small, ios)), ["14 I/Os", "9,001 I/Os"]);
        assert_eq!(amount(&large, 122_880.0), "120 GiB");
        assert_eq!([0.5, 1680.0, 17_997.0].map(lasting), ["0.5 s", "28 min", "5 h"]);
    }
}
