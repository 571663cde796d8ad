//! The answer of a search for a rate in sentences, and the table of what was observed at each rate, 80 columns wide.
//!
//! Must not choose a figure.

use super::scale::{self, ScaleRounding};
use super::{lightest, open};
use crate::document::{Block, Column, Room, Table};
use crate::view::View;
use crate::words::listed;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::judge::findings::{
    RequiredRate, SloAnswer, SloFindings, SloOpen, SloPoint, SloRate, SloRole,
};
use rigel_core::load::slo::SloBound;
use rigel_core::stats::Estimate;
use rigel_core::stats::share::{BoundVerdict, Ratio};
use rigel_core::units::say::{counted, fine, short_ratio, thousands, time};
use rigel_core::units::{to_f64, us_from_ns};

/// The results for the required rates, the worst first.
pub(crate) fn gates(found: &SloFindings) -> Option<String> {
    let told = |one: &RequiredRate| required(found, one);
    let of = |kept: BoundVerdict| found.required.iter().filter(move |one| one.kept == kept).map(told);
    let all: Vec<String> =
        [BoundVerdict::No, BoundVerdict::Undecided, BoundVerdict::Yes].into_iter().flat_map(of).collect();
    (!all.is_empty()).then(|| all.join(" "))
}

/// The answer; `None` if only required rates were requested.
pub(crate) fn reached(found: &SloFindings) -> String {
    if let Some(scale) = &found.scale {
        return scale::answer(found, scale);
    }
    let (kept, not_kept) = (subject(found, "is", "are all"), |not_all: &str| not_kept(found, not_all));
    match &found.answer {
        SloAnswer::Rate(rate) => of_rate(found, rate),
        SloAnswer::Nowhere(_, BoundVerdict::No) => {
            format!(
                "{} at any rate: {}, the lightest load.{}",
                not_kept("Not all"),
                lowest(found),
                lightest::sentence(found)
            )
        }
        SloAnswer::Nowhere(..) => format!(
            "No rate was found at which {kept} met: {}, the lightest load, though too few I/Os were seen to \
             be sure.{}",
            lowest(found),
            lightest::sentence(found)
        ),
        SloAnswer::Everywhere(rate, BoundVerdict::Yes) => format!(
            "{kept} met at every rate up to {}, the highest tried (--max-rate tries more).",
            thousands(f64::from(*rate))
        ),
        SloAnswer::Everywhere(rate, BoundVerdict::No) => format!(
            "{} at every rate up to {}, the highest tried: the search found none that breaks it, the later \
             visits did (see the table).",
            not_kept("Not all"),
            thousands(f64::from(*rate))
        ),
        SloAnswer::Everywhere(rate, _) => format!(
            "No rate up to {}, the highest tried, was found at which {}, but the visits do not prove this \
             for each.",
            thousands(f64::from(*rate)),
            not_kept("not all")
        ),
        SloAnswer::Unfinished => "The rate was not found: the run ended too early.".to_owned(),
        SloAnswer::NotSearched => String::new(),
    }
}

/// `p99 < 1 ms is`, `p50 < 1 ms and p99 < 2 ms are all`
fn subject(found: &SloFindings, one: &str, several: &str) -> String {
    let bounds = listed(&found.bounds.iter().map(ToString::to_string).collect::<Vec<_>>());
    format!("{bounds} {}", if found.bounds.len() == 1 { one } else { several })
}

/// One that is not met is enough: `p99 < 1 ms is not met`, `not all of p50 < 1 ms and p99 < 2 ms are met`. `not_all`: these words, as they
/// begin or continue a sentence.
fn not_kept(found: &SloFindings, not_all: &str) -> String {
    let of = if found.bounds.len() == 1 { String::new() } else { format!("{not_all} of ") };
    format!("{of}{} met", subject(found, "is not", "are"))
}

/// The observation of the limit that is broken most at the lowest rate: `at 10 I/Os per second 63 % take longer than 1 ms (61 to 65 %)`
pub(super) fn lowest(found: &SloFindings) -> String {
    let Some(point) = found.points.first() else { return "nothing was seen".to_owned() };
    let all =
        found.bounds.iter().zip(&point.ratios).filter_map(|(bound, ratio)| Some((bound, ratio.as_ref()?)));
    let worst = all.max_by(|one, other| one.1.value.total_cmp(&other.1.value));
    let seen = worst.map_or_else(|| "nothing was seen".to_owned(), |(bound, ratio)| seen(bound, ratio));
    match &found.scale {
        Some(scale) => {
            format!(
                "even at {} of it {seen}",
                scale::digits(scale.of(f64::from(point.rate)), ScaleRounding::Nearest)
            )
        }
        None => format!("even at {} I/Os per second {seen}", thousands(f64::from(point.rate))),
    }
}

/// Whether every visited rate breaks a limit, by this end or the middle of the observation.
pub(super) fn all_break(found: &SloFindings, of: impl Fn(&Ratio) -> f64) -> bool {
    let breaks = |point: &SloPoint| point.ratios.iter().flatten().any(|ratio| of(ratio) > 1.0);
    !found.points.is_empty() && found.points.iter().all(breaks)
}

fn of_rate(found: &SloFindings, rate: &SloRate) -> String {
    let (kept, not_kept) = (subject(found, "is", "are all"), not_kept(found, "Not all"));
    let (lower, upper) =
        (rate.lower.map(|rate| thousands(rate.floor())), rate.upper.map(|rate| thousands(rate.ceil())));
    let first = match (lower, rate.at.map(thousands), upper) {
        (Some(lower), Some(at), Some(upper)) => format!(
            "{kept} met up to {lower} I/Os per second, but not at {upper} or more (95 %); most likely up to \
             {at}."
        ),
        (Some(lower), Some(at), None) => format!(
            "{kept} met up to {lower} I/Os per second (97.5 %); where that ends is uncertain, most likely \
             at {at}."
        ),
        (None, Some(at), Some(upper)) => format!(
            "{not_kept} at {upper} I/Os per second or more (97.5 %); how far they are met is uncertain, most likely \
             up to {at}."
        ),
        (None, Some(at), None) => {
            format!(
                "{kept} met up to about {at} I/Os per second; the visits do not show how certain that \
                is."
            )
        }
        (Some(lower), None, Some(upper)) => format!(
            "{kept} met up to {lower} I/Os per second, but not at {upper} or more (95 %); no rate in between \
             was visited."
        ),
        (Some(lower), None, None) => format!(
            "{kept} met up to {lower} I/Os per second or more (97.5 %): no rate that was visited clearly \
             breaks a limit."
        ),
        (None, None, Some(upper)) if all_break(found, |ratio| ratio.value) => format!(
            "{not_kept} at any rate that was visited, certainly at {upper} I/Os per second or more (97.5 %): \
             {}.{}",
            lowest(found),
            lightest::sentence(found)
        ),
        (None, None, Some(upper)) => {
            format!(
                "{not_kept} at {upper} I/Os per second or more (97.5 %); how far they are met is not known."
            )
        }
        (None, None, None) if all_break(found, |ratio| ratio.value) => format!(
            "No rate that was visited meets that: {}, the lowest of them.{}",
            lowest(found),
            lightest::sentence(found)
        ),
        (None, None, None) => {
            let what = if found.bounds.len() == 1 { "the limit" } else { "the limits" };
            format!("The rate is not known: the visits around it do not show which rates meet {what}.")
        }
    };
    let decided =
        rate.decided_by.and_then(|place| found.bounds.get(place)).filter(|_| found.bounds.len() > 1);
    let decided = decided.map_or_else(String::new, |bound| format!(" {bound} is reached first."));
    let tool = if rate.is_by_tool {
        " Beyond it, this host does not begin the I/Os in time, so the storage may do more."
    } else {
        ""
    };
    first + &decided + tool
}

/// `Required p99 < 2 ms @ 12000: met, 0.31 % take longer than 2 ms (0.2 to 0.4 %).`
fn required(found: &SloFindings, one: &RequiredRate) -> String {
    let what = open::verdict(one);
    let seen = one
        .ratio
        .map_or_else(|| "nothing was seen there".to_owned(), |ratio| seen(&one.requirement.bound, &ratio));
    let between = if one.kept == BoundVerdict::Undecided { ';' } else { ',' };
    format!(
        "Required {}: {what}{between} {seen}.",
        scale::requirement(found.scale.as_ref(), &one.requirement)
    )
}

/// `0.31 % take longer than 2 ms (0.2 to 0.4 %)`
pub(crate) fn seen(bound: &SloBound, ratio: &Ratio) -> String {
    match bound.judged.allowed() {
        Some(allowed) => {
            let per_cent = |ratio: f64| fine((100.0 * ratio * allowed).min(100.0));
            let high = ratio.hi95.map_or_else(|| "?".to_owned(), per_cent);
            let (share, low) = (per_cent(ratio.value), per_cent(ratio.lo95));
            format!("{share} % take longer than {} ({low} to {high} %)", bound.limit)
        }
        None => {
            let us = |ratio: f64| time(ratio * us_from_ns(to_f64(bound.limit.0)));
            let high = ratio.hi95.map_or_else(|| "?".to_owned(), us);
            format!("the mean is {} ({} to {high})", us(ratio.value), us(ratio.lo95))
        }
    }
}

/// How certain the bracket is, and its basis; `None` if no end is known.
pub(crate) fn sureness(found: &SloFindings) -> String {
    let Some(rate) = found.rate() else { return String::new() };
    let ladder: Vec<&SloPoint> = found.points.iter().filter(|point| point.role == SloRole::Ladder).collect();
    let visits: usize = ladder.iter().filter_map(|point| Some(point.ratios.first()?.as_ref()?.visits)).sum();
    let ends = match (rate.lower, rate.upper) {
        (Some(_), Some(_)) => "Each end of the bracket has a 2.5 % chance of being wrong",
        (Some(_), None) | (None, Some(_)) => "The known end has a 2.5 % chance of being wrong",
        (None, None) => return String::new(),
    };
    format!(
        "{ends}; it is based on {} to {}, in random order, which the search did not use.",
        counted(visits, "visit"),
        counted(ladder.len(), if found.scale.is_some() { "load" } else { "rate" })
    )
}

/// The problem of a run whose required rate does not certainly meet its limit.
pub fn unkept(view: &View<'_>) -> Option<Problem> {
    let found = view.findings.slo.as_ref()?;
    let all: Vec<&RequiredRate> = found.unkept().collect();
    let broken = all.iter().any(|one| one.kept == BoundVerdict::No);
    let names = |kept: BoundVerdict| {
        let own = all.iter().filter(|one| one.kept == kept);
        let name = |one: &&RequiredRate| scale::requirement(found.scale.as_ref(), &one.requirement);
        listed(&own.map(|one| format!("'{}'", name(one))).collect::<Vec<_>>())
    };
    if all.is_empty() {
        return None;
    }
    let mut steps: Vec<String> = all.iter().filter_map(|one| one.open).filter_map(open::step).collect();
    steps.dedup();
    let what = if broken {
        // Where the host was busy, less load is not what the storage needs.
        let is_surely = all
            .iter()
            .any(|one| one.kept == BoundVerdict::No && matches!(one.open, None | Some(SloOpen::Around)));
        steps.extend((is_surely || steps.is_empty()).then(|| mended(found)));
        format!("{} is not met", names(BoundVerdict::No))
    } else {
        format!("{} is undecided", names(BoundVerdict::Undecided))
    };
    let next = steps.join("; ");
    let why: Vec<String> =
        all.iter().map(|one| required(found, one).trim_end_matches('.').to_owned()).collect();
    Some(Problem::new(ExitKind::GateFailed, what).because(why.join("; ")).next(next))
}

/// What helps if a required rate does not meet its limit: less load only if some load meets it.
fn mended(found: &SloFindings) -> String {
    let within = found.rate().and_then(|rate| rate.lower).filter(|lower| {
        let broken = found.required.iter().filter(|one| one.kept == BoundVerdict::No);
        let mut broken = broken.map(|one| (one.requirement.rate, &one.requirement.bound));
        broken.all(|(rate, bound)| f64::from(rate) > *lower && found.bounds.contains(bound))
    });
    if let Some(lower) = within {
        return match &found.scale {
            Some(scale) => {
                let lower = scale::digits(scale.of(lower), ScaleRounding::Down);
                format!("give the storage at most {lower} times the load, or allow a longer latency")
            }
            None => {
                let lower = thousands(lower.floor());
                format!("give the storage at most {lower} I/Os per second, or allow a longer latency")
            }
        };
    }
    // Of required rates alone no lower one was tried.
    let is_hopeless = matches!(found.answer, SloAnswer::Nowhere(..))
        || found.answer != SloAnswer::NotSearched && all_break(found, |ratio| ratio.value);
    let (load, or) = match (is_hopeless, &found.scale) {
        (true, _) => ("no load is light enough: ", ""),
        (false, None) => ("require a lower rate, ", "or "),
        (false, Some(_)) => ("require a smaller scale, ", "or "),
    };
    let possible = lightest::possible(found).filter(|_| is_hopeless);
    let possible = possible.map_or_else(String::new, |limits| format!(" ({limits} is possible)"));
    format!("{load}{or}allow a longer latency{possible}, or use faster storage")
}

/// The column of the share of the highest rate.
const SHARE: usize = 1;
const HEADS: [&str; 8] = ["Rate", "of max", "limit used", "met", "mean", "p50", "p99", "p99.9"];
const MEANING: &str = "Rate: I/Os that arrive per second; of max: share of the highest rate found. Limit used: \
     the slow I/Os (or the mean) as a share of what the tightest limit allows, with its 95 % interval. \
     Latencies count from the intended start. The answer is based on all rows together, so it can be more \
     certain than a single row.";

const MEANING_OF_CHECK: &str = "Rate: I/Os that arrive per second. Limit used: the slow I/Os (or the mean) as a share of what is allowed, \
     with its 95 % interval. Latencies count from the intended start.";

/// Widths of the columns on a terminal.
const WIDTHS: [usize; 8] = [9, 6, 17, 5, 9, 9, 9, 9];

/// A row for each rate, ascending: the used part of the limit, whether it is met, and the latencies. Empty without a rate.
pub(crate) fn blocks(found: &SloFindings, room: Room) -> Vec<Block> {
    if found.points.is_empty() {
        return Vec::new();
    }
    let (title, what, heads, meaning) = match found.scale {
        Some(_) => ("Scales", "scale", scale::HEADS, scale::MEANING),
        None if found.answer == SloAnswer::NotSearched => ("Rates", "rate", HEADS, MEANING_OF_CHECK),
        None => ("Rates", "rate", HEADS, MEANING),
    };
    let rows: Vec<[String; 8]> = found.points.iter().map(|point| row(found, point)).collect();
    // Where no highest rate was searched there is no share of one.
    let has_share = found.scale.is_some() || found.answer != SloAnswer::NotSearched;
    let columns = heads.into_iter().zip(WIDTHS).enumerate();
    let table = Table::of(what, &rows)
        .columns(
            columns.filter(|(place, _)| has_share || *place != SHARE),
            |(_, (head, width))| Column::right(head).width(width),
            |row, (place, _)| row.get(place).cloned(),
        )
        .done();
    Block::explained(title, vec![table], meaning, room)
}

fn row(found: &SloFindings, point: &SloPoint) -> [String; 8] {
    let share = found.share(point).map_or_else(String::new, |share| match 100.0 * share {
        far if far > 999.5 => ">999 %".to_owned(),
        share => format!("{share:.0} %"),
    });
    let (rate, share) = match &found.scale {
        Some(scale) => {
            let phase = point.phase.map_or_else(String::new, |phase| phase.saturating_add(1).to_string());
            (scale::digits(scale.of(f64::from(point.rate)), ScaleRounding::Nearest), phase)
        }
        None => (point.rate.to_string(), share),
    };
    let worst = point.ratios.iter().flatten().max_by(|one, other| one.value.total_cmp(&other.value));
    let used = worst.map_or_else(
        || "-".to_owned(),
        |ratio| {
            let high = ratio.hi95.map_or_else(|| "?".to_owned(), short_ratio);
            format!("{} ({}-{high})", short_ratio(ratio.value), short_ratio(ratio.lo95))
        },
    );
    let kept = if point.kept.contains(&BoundVerdict::No) {
        "no"
    } else if point.kept.iter().all(|kept| *kept == BoundVerdict::Yes) {
        "yes"
    } else {
        "?"
    };
    let us = |of: fn(&rigel_core::judge::findings::LatencyUs) -> Estimate| {
        point.latency_us.as_ref().map_or_else(|| "-".to_owned(), |us| time(of(us).value))
    };
    let latencies = [us(|us| us.mean), us(|us| us.p50), us(|us| us.p99), us(|us| us.p99_9)];
    let [mean, p50, p99, p99_9] = latencies;
    [rate, share, used, kept.to_owned(), mean, p50, p99, p99_9]
}
