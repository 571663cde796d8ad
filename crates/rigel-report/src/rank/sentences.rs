//! The result of a ranking, in sentences: who is first and how certain that is, who cannot be told apart, what to buy.
//!
//! Must not judge; each sentence follows from rows and pairs.

use super::words::{best, names, noun, price, storages, why};
use super::{RankView, offers};
use crate::compare::{SourceView, value};
use crate::document::Room;
use crate::judgement::Tone;
use crate::verdict::Conclusion;
use crate::warnings;
use rigel_core::units::say::{listed, plain_percent, signed_percent};
use rigel_uses::compare::change::{Doubt, RestsOn};
use rigel_uses::compare::{Effect, MARGIN, SideUsability};
use rigel_uses::rank::{Fulfilment, Pair, RankRow};

/// The order in which reasons are reported.
const DOUBTS: [Doubt; 7] = [
    Doubt::Invalid,
    Doubt::NoData,
    Doubt::NoInterval,
    Doubt::OneVisit,
    Doubt::FewVisits,
    Doubt::FewRuns,
    Doubt::UnequalLevels,
];

const ONE_RUN: &str = "Each storage has one run, so a difference may be day-to-day variation. Measure each \
    storage on three days, and give \
                       all runs: NAME=RECORD,RECORD,RECORD.";

/// The verdict on a storage that is behind in one run of each.
pub(super) const BEHIND_SO_FAR: &str = "behind so far";

/// The tone of the verdict.
pub(super) fn tone(ranked: &RankView<'_>) -> Tone {
    let ranking = ranked.ranking;
    let is_missed = !ranked.required.is_empty() && ranked.purchase.meeting(Fulfilment::Surely).is_empty();
    if is_missed
        || !ranking.same_runs.is_empty()
        || ranking.rows.iter().any(|row| row.usability == SideUsability::Invalid)
    {
        return Tone::DoNotUse;
    }
    let verdicts = ranked.storages.iter().flat_map(|storage| &storage.runs).filter_map(conclusion);
    let worst = verdicts.map(|verdict| verdict.tone).max().unwrap_or_default();
    let is_alike = ranking.differences.iter().all(|difference| !difference.incomparable);
    match worst {
        Tone::Good if is_alike && ranking.rivals().is_empty() => Tone::Good,
        _ => Tone::UseWithCare,
    }
}

/// The first one says which storage is first, or what to buy if there are requirements.
pub(super) fn sentences(ranked: &RankView<'_>) -> Vec<String> {
    let mut all = money(ranked);
    all.insert(if ranked.required.is_empty() { 0 } else { all.len() }, first(ranked));
    let same = ranked.ranking.same_runs.iter().map(|(one, other)| {
        format!("Do not use this ranking: {} have the same run.", storages(ranked, &[*one, *other]))
    });
    all.splice(0..0, same);
    all.extend(apart(ranked));
    all.extend(unjudged(ranked));
    all
}

fn first(ranked: &RankView<'_>) -> String {
    let ranking = ranked.ranking;
    let row = &ranking.rows[0];
    let (name, figure) = (ranked.name(row), value(ranking.quantity, row.estimate.value));
    let rivals = ranking.rivals();
    if row.estimate.value <= 0.0 {
        return format!("No storage has a figure for the {}.", noun(ranked));
    }
    if rivals.is_empty() {
        let next = &ranking.rows[1];
        let next_figure = value(ranking.quantity, next.estimate.value);
        let range = ranking.pair(0, 1).and_then(range).unwrap_or_default();
        let is_first = if ranking.pairs.iter().any(|pair| pair.ahead == 0 && is_of_one_run(pair)) {
            "is first so far, judging by one run of each storage,"
        } else {
            "is clearly first"
        };
        return format!(
            "{name} {is_first} with the {}: {figure}. Next is {} with {next_figure}{range}.",
            best(ranked),
            ranked.name(next)
        );
    }
    format!(
        "No storage is clearly first. {name} has the {} ({figure}), but {} may be as good.",
        best(ranked),
        names(ranked, rivals)
    )
}

/// `, -25.1 % (from -27.0 to -23.2)`
fn range(pair: &Pair) -> Option<String> {
    let change = pair.change.as_ref().ok()?;
    let [relative, lo, hi] = [change.relative, change.lo, change.hi].map(signed_percent);
    Some(format!(", {relative} % (from {lo} to {hi} %)"))
}

/// The storages that cannot be told apart, by groups in which all pairs are judged.
fn apart(ranked: &RankView<'_>) -> Option<String> {
    let ranking = ranked.ranking;
    let is_judged = |place: &usize| {
        ranking
            .pairs
            .iter()
            .any(|pair| (pair.ahead == *place || pair.behind == *place) && pair.change.is_ok())
    };
    let group = |group: &Vec<usize>| {
        let own: Vec<usize> = group.iter().copied().filter(is_judged).collect();
        let pairs =
            || ranking.pairs.iter().filter(|pair| own.contains(&pair.ahead) && own.contains(&pair.behind));
        if own.len() < 2 || pairs().any(|pair| pair.change.is_err()) {
            return None;
        }
        let is_alike = pairs().all(|pair| pair.effect == Effect::Alike);
        let same = if is_alike {
            format!(" (the same within ±{} %)", plain_percent(MARGIN))
        } else {
            String::new()
        };
        Some(format!("{}{same}", names(ranked, own)))
    };
    let mut groups: Vec<String> = ranking.groups.iter().filter_map(group).collect();
    groups.dedup();
    (!groups.is_empty()).then(|| format!("Cannot be told apart: {}.", groups.join("; ")))
}

/// The storages without a certain verdict, with the reason.
fn unjudged(ranked: &RankView<'_>) -> Vec<String> {
    let ranking = ranked.ranking;
    let sentence = |doubt: Doubt| {
        let of_doubt = || ranking.pairs.iter().filter(move |pair| pair.change == Err(doubt));
        let has_cause = |row: &RankRow| match doubt {
            Doubt::Invalid => row.usability == SideUsability::Invalid,
            Doubt::NoData => row.estimate.value <= 0.0,
            Doubt::NoInterval => row.estimate.interval.is_none() && row.estimate.value > 0.0,
            _ => true,
        };
        let places = (0..ranking.rows.len()).filter(|&place| {
            of_doubt().any(|pair| pair.ahead == place || pair.behind == place)
                && has_cause(&ranking.rows[place])
        });
        let places: Vec<usize> = places.collect();
        (!places.is_empty()).then(|| format!("Not judged: {}, as {}.", names(ranked, places), why(doubt)))
    };
    DOUBTS.into_iter().filter_map(sentence).collect()
}

/// The purchase advice.
fn money(ranked: &RankView<'_>) -> Vec<String> {
    let purchase = ranked.purchase;
    if ranked.required.is_empty() {
        return offers::notes(ranked);
    }
    let wanted: Vec<String> = purchase.required.iter().map(|one| format!("'{one}'")).collect();
    let wanted = listed(&wanted);
    let surely = purchase.meeting(Fulfilment::Surely);
    let cost = |storage: usize| ranked.offers.price(storage).map(price);
    let with_price = |&storage: &usize| {
        let name = &ranked.storages[storage].name;
        cost(storage).map_or_else(|| name.clone(), |cost| format!("{name} ({cost})"))
    };
    let list = |storages: &[usize]| listed(&storages.iter().map(with_price).collect::<Vec<_>>());
    let answer = match (purchase.cheapest, surely.as_slice()) {
        (Some(storage), _) => {
            let by = by_one_run(ranked, &[storage]);
            format!("The cheapest that certainly meets {wanted}{by} is {}.", list(&[storage]))
        }
        (None, []) => format!("No storage certainly meets {wanted}."),
        (None, some) => {
            format!("Storages that certainly meet {wanted}{}: {}.", by_one_run(ranked, some), list(some))
        }
    };
    let others: Vec<usize> = surely
        .iter()
        .copied()
        .filter(|&one| purchase.cheapest.is_some_and(|cheapest| cheapest != one))
        .collect();
    let perhaps = purchase.meeting(Fulfilment::Perhaps);
    let also = (!others.is_empty()).then(|| format!("Others that certainly do: {}.", list(&others)));
    let perhaps = (!perhaps.is_empty())
        .then(|| format!("Perhaps: {}; the interval includes the limit, or there is none.", list(&perhaps)));
    std::iter::once(answer).chain(also).chain(perhaps).chain(offers::notes(ranked)).collect()
}

/// The basis of a certainty that no interval between days covers.
fn by_one_run(ranked: &RankView<'_>, storages: &[usize]) -> &'static str {
    let has_one_run = |&storage: &usize| ranked.storages[storage].runs.len() == 1;
    match storages {
        some if !some.iter().all(has_one_run) => "",
        [_] => " (judging by one run)",
        _ => " (judging by one run of each)",
    }
}

/// Notes on the storages and their figures, a line each.
pub(super) fn warnings(ranked: &RankView<'_>, room: Room) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for storage in ranked.storages {
        let verdicts = storage.runs.iter().filter_map(conclusion);
        let worst = verdicts.max_by_key(|verdict| verdict.tone);
        let cause = worst.as_ref().and_then(|verdict| verdict.causes.first());
        all.extend(cause.map(|cause| format!("{}: {}", storage.name, warnings::line(cause, room))));
        for run in &storage.runs {
            if let SourceView::Tool(tool, _) = run {
                let own = tool.lacks.iter().map(|lack| format!("{}: {lack}.", tool.tool.name()));
                all.extend(own.filter(|one| !all.contains(one)).collect::<Vec<_>>());
            }
        }
    }
    if ranked.ranking.has_other_bounds {
        all.push("The rates within a limit on the latency are not ranked, as the limits differ.".to_owned());
    }
    all.extend(one_run(ranked));
    all
}

/// The verdict on a run; `None` for a result of another tool.
fn conclusion(run: &SourceView<'_>) -> Option<Conclusion> {
    match run {
        SourceView::Run(view) => Some(Conclusion::of(view)),
        SourceView::Tool(..) => None,
    }
}

/// That one run of each storage may differ as two days do.
fn one_run(ranked: &RankView<'_>) -> Option<String> {
    if !has_one_run(ranked) {
        return None;
    }
    if all_have_one_run(ranked) {
        return Some(ONE_RUN.to_owned());
    }
    let pairs = || ranked.ranking.pairs.iter().filter(|pair| is_of_one_run(pair));
    let of_pair = |place: &usize| pairs().any(|pair| pair.ahead == *place || pair.behind == *place);
    let places = (0..ranked.ranking.rows.len()).filter(of_pair);
    Some(format!(
        "{} have only one run each, so a difference between them may be day-to-day variation. Measure each \
         of them on three days, and give all \
         runs: NAME=RECORD,RECORD,RECORD.",
        names(ranked, places)
    ))
}

/// Whether a pair is judged by a single run of each, so that day-to-day variation counts as a difference.
fn is_of_one_run(pair: &Pair) -> bool {
    pair.change.is_ok_and(|change| change.rests_on == RestsOn::Intervals)
}

/// Whether some pair is.
pub(super) fn has_one_run(ranked: &RankView<'_>) -> bool {
    ranked.ranking.pairs.iter().any(is_of_one_run)
}

/// Whether every pair with a difference is.
pub(super) fn all_have_one_run(ranked: &RankView<'_>) -> bool {
    ranked.ranking.pairs.iter().filter(|pair| pair.change.is_ok()).all(is_of_one_run)
}

/// How much the storages of a pair of rows differ, in a table.
pub(super) fn effect(pair: &Pair) -> &'static str {
    match pair.effect {
        Effect::Worse if is_of_one_run(pair) => BEHIND_SO_FAR,
        Effect::Worse => "clearly behind",
        Effect::Better => "clearly ahead",
        Effect::Alike => "same",
        Effect::Undecided(Doubt::Wide) => "not told apart",
        other => crate::compare::effect(other),
    }
}
