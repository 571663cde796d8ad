//! Words that the outputs of a ranking share.
//!
//! Must not know a layout.

use super::RankView;
use crate::compare::io_of;
use rigel_core::judge::answers::Answer;
use rigel_core::judge::quantity::{Quantity, Scope, What};
use rigel_core::load::matrix::Point;
use rigel_core::units::say::{grouped, listed, number};
use rigel_uses::compare::change::Doubt;
use rigel_uses::rank::RankRow;
use rigel_uses::rank::offers::Price;

/// `Which of 5 storages has the highest rate of small I/O?`
pub(super) fn question(ranked: &RankView<'_>) -> String {
    format!("Which of {} storages has the {}?", ranked.storages.len(), best(ranked))
}

/// What is ranked, as a superlative: `highest rate of small I/O`, `lowest p99 of open at load level 5000`.
pub(super) fn best(ranked: &RankView<'_>) -> String {
    let noun = noun(ranked);
    let has_one = ["highest ", "lowest ", "most "].iter().any(|word| noun.starts_with(word));
    match (has_one, ranked.ranking.quantity.more_is_better()) {
        (true, _) => noun,
        (false, true) => format!("highest {noun}"),
        (false, false) => format!("lowest {noun}"),
    }
}

/// What is ranked, in a sentence.
pub(super) fn noun(ranked: &RankView<'_>) -> String {
    let (quantity, point) = (ranked.ranking.quantity, ranked.ranking.point);
    let of_run = of_quantity(quantity);
    point.map_or(of_run.clone(), |point| format!("{of_run} {}", place(quantity, point)))
}

fn of_quantity(quantity: Quantity) -> String {
    let io = io_of(quantity.class);
    match (quantity.of, quantity.what, Answer::of(quantity)) {
        (_, _, Some(answer)) => answer.noun.to_owned(),
        (Scope::Ratio, what, _) if what.is_rate() => format!("ratio of B to A in the rate of {io}"),
        (Scope::Ratio, ..) => format!("ratio of B to A in the mean latency of {io}"),
        (Scope::WithinBound, ..) => format!("rate of {io} within the limits"),
        (Scope::Best, what, _) if what.is_rate() => format!("highest rate of {io}"),
        (Scope::Best, ..) => format!("lowest mean latency of {io}"),
        (_, what, _) if what.is_rate() => format!("rate of {io}"),
        (_, What::Mean | What::Bounded, _) => format!("mean latency of {io}"),
        _ => format!("p99 of {io}"),
    }
}

fn place(quantity: Quantity, point: Point) -> String {
    let class = quantity.class;
    match (point.is_alone(class), class.is_of_pair()) {
        (true, true) => format!("at {} outstanding", point.of(class)),
        (true, false) => format!("at load level {}", point.of(class)),
        _ => format!("at {}", point.words()),
    }
}

/// `a, b and c`, by their rows.
pub(super) fn names(ranked: &RankView<'_>, rows: impl IntoIterator<Item = usize>) -> String {
    let name = |place: usize| ranked.name(&ranked.ranking.rows[place]).to_owned();
    listed(&rows.into_iter().map(name).collect::<Vec<_>>())
}

/// The same in the order in which they were given.
pub(super) fn storages(ranked: &RankView<'_>, storages: &[usize]) -> String {
    listed(&storages.iter().map(|&storage| ranked.storages[storage].name.clone()).collect::<Vec<_>>())
}

/// The places that a storage may have: `2`, `1 or 2`, `2 to 4`.
pub(super) fn places(row: &RankRow) -> String {
    match row.to - row.from {
        0 => row.from.to_string(),
        1 => format!("{} or {}", row.from, row.to),
        _ => format!("{} to {}", row.from, row.to),
    }
}

/// `48,000 EUR`
pub(super) fn price(price: &Price) -> String {
    let whole = format!("{:.2}", price.amount);
    let (digits, cents) = whole.split_once('.').unwrap_or((&whole, "00"));
    let cents = if cents == "00" { String::new() } else { format!(".{cents}") };
    format!("{}{cents} {}", grouped(digits), price.currency)
}

/// A rate per thousand of a currency.
pub(super) fn per_money(currency: &str) -> String {
    format!("IOPS per {} {currency}", number(MONEY))
}

/// Rates are reported for this much money.
pub(super) const MONEY: f64 = 1000.0;

/// Why storages are never called certainly ahead or behind.
pub(super) const fn why(doubt: Doubt) -> &'static str {
    match doubt {
        Doubt::Wide => "the range of the difference includes no difference",
        Doubt::Invalid => "a flag says that the number must not be used",
        Doubt::NoData => "there is no such figure: nothing completed, or no load met the limit",
        Doubt::OneVisit => {
            "one visit to a load level does not show what another would give; measure with --precision, or measure each storage three times"
        }
        Doubt::FewVisits => {
            "fewer than four visits do not show how much visits differ; measure longer, or measure each storage three times"
        }
        Doubt::FewRounds | Doubt::FewRuns => {
            "two runs do not show how much runs differ; measure each storage three times"
        }
        Doubt::NoInterval => "the figure of one of them has no interval",
        Doubt::UnequalLevels => {
            "one was best at a load level that the other was not given; measure all of them at the same levels"
        }
    }
}
