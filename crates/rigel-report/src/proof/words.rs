//! The result of an experiment, in sentences and in the words of its tables.
//!
//! Must not know how a table is drawn.

use rigel_core::units::say::{full_percent, listed, number, plain_percent};
use rigel_uses::proof::page_cost::{self, PageCostVerdict, Place, Rule};
use rigel_uses::proof::{Proof, Verdict, concurrency};

/// The answers, a sentence or two for each setting.
pub fn sentences(proof: &Proof) -> Vec<String> {
    let mut all = Vec::new();
    if let Some(found) = &proof.page_cost {
        all.extend(of_cost(found));
    }
    all.extend(proof.concurrency.iter().map(of_concurrency));
    for same in proof.skipped.chunk_by(|one, next| one.because == next.because) {
        let names = among(&same.iter().map(|one| one.setting.clone()).collect::<Vec<_>>());
        let because = same.first().map_or("", |one| one.because.as_str());
        all.extend(names.map(|names| format!("Left out: {names}. {because}")));
    }
    all
}

fn of_cost(found: &page_cost::PageCostFindings) -> Vec<String> {
    let passing = among(&found.passing().into_iter().map(number).collect::<Vec<_>>());
    let head = match passing {
        None => "random_page_cost: no tested value passes.".to_owned(),
        Some(values) => format!(
            "random_page_cost: {values} {} here, of the tested values: the chosen plans are at most {} \
             times as slow as the fastest in the \
             median, and nowhere slower than with the default of {}.",
            if found.passing().len() == 1 { "passes" } else { "pass" },
            number(page_cost::MOST_REGRET),
            number(page_cost::DEFAULT)
        ),
    };
    let rules = [Rule::Assumed, Rule::Told, Rule::Raw, Rule::Common];
    let more = rules.into_iter().filter_map(|rule| found.of_rule(rule)).map(of_rule);
    std::iter::once(head).chain(more).collect()
}

fn of_rule(judged: &PageCostVerdict) -> String {
    let what = match judged.rule {
        Rule::Assumed => format!("The {} of rigel advise, which assumes 90 % of hits,", values(judged)),
        Rule::Told => format!("The {} of rigel advise with a given share of hits", values(judged)),
        Rule::Raw => format!("The ratio of the storage itself, {},", values(judged)),
        Rule::Common => format!("The {} that is usual for SSDs", values(judged)),
        Rule::Default => format!("The default of {}", values(judged)),
        Rule::Tried => values(judged),
    };
    format!("{what} {}: {}.", judged.verdict.name(), because(judged))
}

/// Why a value passes or fails.
fn because(judged: &PageCostVerdict) -> String {
    let median = format!("the median is {} times the fastest", number(judged.median_regret));
    let slowest = judged.slower.iter().max_by(|a, b| a.ratio.value.total_cmp(&b.ratio.value));
    match slowest {
        None => format!(
            "{median}; no query is slower than by default, and {} faster",
            queries(judged.faster.len())
        ),
        Some(slowest) => format!(
            "{median}; {} slower than by default ({}{} times, for {}), and {} faster",
            queries(judged.slower.len()),
            if judged.slower.len() == 1 { "" } else { "up to " },
            number(slowest.ratio.value),
            place(slowest),
            queries(judged.faster.len())
        ),
    }
}

fn queries(count: usize) -> String {
    match count {
        0 => "none is".to_owned(),
        1 => "1 query is".to_owned(),
        more => format!("{more} queries are"),
    }
}

/// A query in words.
pub fn place(place: &Place) -> String {
    format!(
        "{} % of the rows with {} % in memory",
        full_percent(place.selectivity),
        full_percent(place.hit_rate)
    )
}

/// The values of a rule: one, or those at the lowest and highest share of hits.
pub fn values(judged: &PageCostVerdict) -> String {
    match (judged.values.first(), judged.values.last()) {
        (Some(first), Some(last)) if first.to_bits() != last.to_bits() => {
            format!("{} to {}", number(*first), number(*last))
        }
        (Some(first), _) => number(*first),
        _ => String::new(),
    }
}

/// Where a value comes from, short.
pub const fn rule(rule: Rule) -> &'static str {
    match rule {
        Rule::Default => "default",
        Rule::Common => "usual (SSD)",
        Rule::Raw => "raw ratio",
        Rule::Assumed => "advised, 90 %",
        Rule::Told => "advised, hit rate",
        Rule::Tried => "tried",
    }
}

fn of_concurrency(found: &concurrency::ConcurrencyFindings) -> String {
    let head = match among(
        &found.passing().into_iter().map(concurrency::ConcurrencyVerdict::shown).collect::<Vec<_>>(),
    ) {
        None => format!("{}: no value is among the best with every number of sessions.", found.setting),
        Some(values) => format!(
            "{}: {values} {} here: at least 95 % of the best rate with every number of sessions, and never below the default \
             of {}.",
            found.setting,
            if found.passing().len() == 1 { "passes" } else { "pass" },
            found.default_shown()
        ),
    };
    let advised = found.advised().map_or_else(String::new, |judged| {
        let low = judged.at.iter().min_by(|a, b| a.share.value.total_cmp(&b.share.value));
        let low = low.map_or_else(String::new, |at| {
            format!(": {} % of the best with {}", plain_percent(at.share.value), sessions(at.sessions))
        });
        format!(
            " The {} that rigel advise derives for this storage {}{low}.",
            judged.shown(),
            verdict_words(judged.verdict)
        )
    });
    head + &advised
}

/// What *passes* means, if the interval of a value that does leaves room for less.
pub fn passes(found: &concurrency::ConcurrencyFindings) -> Option<&'static str> {
    // The best value is compared with itself.
    let may_be_less = |at: &concurrency::SessionsResult| {
        at.share.value < 1.0 && at.share.lo95().is_none_or(|lo95| lo95 < concurrency::LEAST_SHARE)
    };
    let any = found.passing().into_iter().any(|judged| judged.at.iter().any(may_be_less));
    any.then_some(
        "passes: the measured share is at least 95 % of the best rate; as far as its 95 % interval shows, the \
         true one may be less",
    )
}

/// What *undecided* means, if a value is.
pub fn undecided(found: &concurrency::ConcurrencyFindings) -> Option<&'static str> {
    let any = found.values.iter().any(|judged| judged.verdict == Verdict::Undecided);
    any.then_some(
        "undecided: the rounds do not show whether the value is among the best; a quieter host or a larger \
         --size may",
    )
}

const fn verdict_words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passes => "passes",
        Verdict::Fails => "fails",
        Verdict::Undecided => "is undecided",
    }
}

/// `1 session`, `4 sessions`.
pub fn sessions(count: u32) -> String {
    if count == 1 { "1 session".to_owned() } else { format!("{count} sessions") }
}

/// `1.1, 2 and 3`; `None` of none.
fn among(all: &[String]) -> Option<String> {
    (!all.is_empty()).then(|| listed(all))
}
