//! The answer of a search for the largest scale of a load, in sentences.
//!
//! Must not choose a figure.

use super::lightest;
use super::text::{all_break, lowest};
use crate::words::listed;
use rigel_core::judge::findings::{SloAnswer, SloFindings, SloRate, SloScale};
use rigel_core::load::slo::Requirement;
use rigel_core::path_text::printable;
use rigel_core::stats::share::BoundVerdict;
use rigel_core::units::say::{counted, trimmed};

/// The column headings of the table.
pub(super) const HEADS: [&str; 8] = ["Scale", "phase", "limit used", "met", "mean", "p50", "p99", "p99.9"];
/// What the columns mean.
pub(super) const MEANING: &str = "Scale: the load as a multiple of the load in the file. Limit used: the \
    slow I/Os (or the mean) as a share of what \
     the tightest limit allows, with its 95 % interval. Latencies count from the intended start.";

/// A scale in few digits; `down` and `up` round to the side that is certainly right.
#[derive(Clone, Copy)]
pub(crate) enum ScaleRounding {
    Nearest,
    Down,
    Up,
}

/// `2.31`, `0.42`, `17.2`, `130`
pub(crate) fn digits(scale: f64, to: ScaleRounding) -> String {
    let unit = match scale {
        _ if scale >= 99.5 => 1.0,
        _ if scale >= 9.95 => 10.0,
        _ if scale >= 0.1 => 100.0,
        _ => 1000.0,
    };
    // What a rate of whole I/Os per second is off by does not count.
    let exact = scale * unit;
    let value = match to {
        ScaleRounding::Nearest => exact.round(),
        ScaleRounding::Down => (exact + 1e-6).floor(),
        ScaleRounding::Up => (exact - 1e-6).ceil(),
    };
    trimmed(value / unit)
}

/// A requirement as written.
pub(crate) fn requirement(scale: Option<&SloScale>, one: &Requirement) -> String {
    scale.map_or_else(
        || one.to_string(),
        |scale| {
            format!(
                "{} @ {} times the load",
                one.bound,
                digits(scale.of(f64::from(one.rate)), ScaleRounding::Nearest)
            )
        },
    )
}

/// The answer.
pub(super) fn answer(found: &SloFindings, scale: &SloScale) -> String {
    let bounds = listed(&found.bounds.iter().map(ToString::to_string).collect::<Vec<_>>());
    let times = |rate: f64, to: ScaleRounding| format!("{} times the load", digits(scale.of(rate), to));
    let first = match &found.answer {
        SloAnswer::Rate(rate) => of_rate(found, scale, rate, &bounds),
        SloAnswer::Nowhere(rate, BoundVerdict::No) => format!(
            "This storage does not even carry {} with {bounds}, the lowest scale tried: {}.{}",
            times(f64::from(*rate), ScaleRounding::Nearest),
            lowest(found),
            lightest::sentence(found)
        ),
        SloAnswer::Nowhere(rate, _) => format!(
            "No scale was found at which this storage meets {bounds}: at {}, the lowest scale tried, {}; \
             that is no proof about the storage.{}",
            times(f64::from(*rate), ScaleRounding::Nearest),
            lowest(found),
            lightest::sentence(found)
        ),
        SloAnswer::Everywhere(rate, BoundVerdict::Yes) => format!(
            "This storage carries {} with {bounds}, the highest scale tried (--max-rate tries more).",
            times(f64::from(*rate), ScaleRounding::Nearest)
        ),
        SloAnswer::Everywhere(rate, kept) => format!(
            "No scale up to {}, the highest tried, was found at which this storage breaks {bounds}, but the \
             visits {} this for each.",
            times(f64::from(*rate), ScaleRounding::Nearest),
            if *kept == BoundVerdict::No { "contradict" } else { "do not prove" }
        ),
        SloAnswer::Unfinished => return "The scale was not found: the run ended too early.".to_owned(),
        SloAnswer::NotSearched => return String::new(),
    };
    let what_if: String = what_if(scale).iter().map(|text| format!("{text}. ")).collect();
    format!("{what_if}{first} {}", phases(scale))
}

/// The assumptions about the load, a sentence for each.
pub(super) fn what_if(scale: &SloScale) -> Vec<String> {
    let more = scale.scaled.more.map(|more| {
        let times = 1.0 + f64::from(more) / 1000.0;
        format!("What if: all rates are {} times those of the file", trimmed(times))
    });
    let of_file = scale.scaled.what_if.iter().map(|text| printable(text).into_owned());
    of_file.chain(more).collect()
}

fn of_rate(found: &SloFindings, scale: &SloScale, rate: &SloRate, bounds: &str) -> String {
    let lower = rate.lower.map(|rate| digits(scale.of(rate), ScaleRounding::Down));
    let at = rate.at.map(|rate| digits(scale.of(rate), ScaleRounding::Nearest));
    let upper = rate.upper.map(|rate| digits(scale.of(rate), ScaleRounding::Up));
    let with = format!("with {bounds}{}", if scale.scaled.of > 1 { " in every phase" } else { "" });
    let told = match (lower, at, upper) {
        (Some(lower), Some(at), Some(upper)) => {
            format!("This storage carries {at} times the load ({lower} to {upper}, 95 %) {with}.")
        }
        (Some(lower), Some(at), None) => format!(
            "This storage carries {lower} times the load (97.5 %) {with}; where that ends is uncertain, \
             most likely at {at} times."
        ),
        (None, Some(at), Some(upper)) => format!(
            "This storage does not carry {upper} times the load (97.5 %) {with}; what it carries is \
             uncertain, most likely {at} times."
        ),
        (None, Some(at), None) => format!(
            "This storage carries about {at} times the load {with}; the visits do not show how certain that \
             is."
        ),
        (Some(lower), None, Some(upper)) => format!(
            "This storage carries {lower} times the load {with}, and not {upper} times (95 %); no scale in between was visited."
        ),
        (Some(lower), None, None) => format!(
            "This storage carries {lower} times the load or more (97.5 %) {with}: no scale that was visited \
             clearly breaks a limit."
        ),
        (None, None, Some(upper)) if all_break(found, |ratio| ratio.value) => format!(
            "This storage does not carry {upper} times the load (97.5 %) {with}, and no other scale that was visited: {}.{}",
            lowest(found),
            lightest::sentence(found)
        ),
        (None, None, Some(upper)) => format!(
            "This storage does not carry {upper} times the load (97.5 %) {with}; what it carries is not known."
        ),
        (None, None, None) if all_break(found, |ratio| ratio.value) => format!(
            "No scale that was visited meets that: {}, the lowest of them.{}",
            lowest(found),
            lightest::sentence(found)
        ),
        (None, None, None) => {
            "It is unknown how many times the load this storage carries: no visit shows whether a scale meets the limits.".to_owned()
        }
    };
    let by_bound =
        rate.decided_by.and_then(|place| found.bounds.get(place)).filter(|_| found.bounds.len() > 1);
    let first = match (by_bound, rate.decided_in.filter(|_| scale.scaled.phases.len() > 1)) {
        (Some(bound), Some(phase)) => {
            format!(" {bound} of phase {} is reached first.", phase.saturating_add(1))
        }
        (Some(bound), None) => format!(" {bound} is reached first."),
        (None, Some(phase)) => format!(" Phase {} is the first that breaks it.", phase.saturating_add(1)),
        (None, None) => String::new(),
    };
    let tool = if rate.is_by_tool {
        " Beyond it, this host does not begin the I/Os in time, so the storage may do more."
    } else {
        ""
    };
    told + &first + tool
}

/// Which phases were searched, and what is known about the others.
fn phases(scale: &SloScale) -> String {
    let scaled = &scale.scaled;
    let names: Vec<String> = scaled.phases.iter().map(|phase| phase.saturating_add(1).to_string()).collect();
    let reference = rigel_core::units::say::number(scale.reference);
    let once = format!("One time the load is {reference} I/Os per second");
    if scaled.of <= 1 {
        return format!("{once}.");
    }
    let which = match names.as_slice() {
        [only] => format!("Phase {only} of {} decides", scaled.of),
        _ => format!("Phases {} of {} decide", listed(&names), scaled.of),
    };
    let in_first = names.first().map_or_else(String::new, |first| format!(" in phase {first}"));
    let rest = match scaled.left_out {
        0 => ": no other phase that can be judged has more of anything, larger I/Os or a higher share of \
            writes."
            .to_owned(),
        more => format!(
            " here, as the heaviest; {} more of something than each of them and {} not searched.",
            if more == 1 { "1 other has".to_owned() } else { format!("{} have", counted(more, "other")) },
            if more == 1 { "was" } else { "were" }
        ),
    };
    format!("{which}{rest} {once}{in_first}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_go_to_the_side_that_is_surely_right() {
        assert_eq!(
            (digits(2.318, ScaleRounding::Down), digits(2.311, ScaleRounding::Up)),
            ("2.31".to_owned(), "2.32".to_owned())
        );
        assert_eq!(
            (digits(1.5, ScaleRounding::Down), digits(1.5, ScaleRounding::Up)),
            ("1.5".to_owned(), "1.5".to_owned())
        );
        assert_eq!(
            [0.0421, 0.5, 17.23, 130.4].map(|scale| digits(scale, ScaleRounding::Nearest)),
            ["0.042", "0.5", "17.2", "130"]
        );
    }
}
