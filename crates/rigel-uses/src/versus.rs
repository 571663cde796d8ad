//! Two alternating sides in one run: by how much B differs from A, and how certain that is.
//!
//! The input is a record with its findings, the output is rows as those of [`super::compare`], each judged by the ratios of the
//! rounds. Must not format, and must not choose an exit code.

mod overall;
mod rounds;

pub use overall::OverallRatio;

use super::compare::change::{Change, Doubt, RestsOn};
use super::compare::comparison::{Comparison, Row, SideUsability};
use super::compare::effect::Effect;
use super::compare::gate::{Gate, GateBound, GateResult, Outcome, demanded};
use rigel_core::judge::findings::{Findings, IoFindings, PointFindings, forbidding};
use rigel_core::judge::flags::FlagCode;
use rigel_core::judge::quantity::{Quantity, What};
use rigel_core::load::class::Class;
use rigel_core::load::request::Request;
use rigel_core::load::sides::Side;
use rigel_core::record::Record;
use rigel_core::stats::sample::count;
use rigel_core::stats::special::student_t_quantile;
use rigel_core::stats::turns::{FEWEST_ROUNDS, Ratio, Turn, ratios};
use rigel_core::stats::{Estimate, Interval};
use std::collections::BTreeMap;

/// The joint confidence of all intervals of one quantity.
const CONFIDENCE: f64 = 0.95;

/// The result of a comparison of two sides in turns.
#[derive(Clone, Debug, PartialEq)]
pub struct Versus {
    /// A as the base, B as the new side; each change with an interval that holds together with the others of its quantity.
    pub comparison: Comparison,
    /// For each of these rows B over A, with the 95 % interval of this row alone.
    pub ratios: Vec<Option<Interval>>,
    /// The quantities, in the order of the rows.
    pub quantities: Vec<Quantity>,
    /// The quantities that the verdict is about, one for each class: its rate, or its mean latency where the rate is given.
    pub leading: Vec<Quantity>,
    /// The mean over all loads, a quantity each; none of a quantity that too few rounds report on.
    pub overall: Vec<OverallRatio>,
    /// Rounds in which both sides had a visit that counts, at the load that has the most of them.
    pub rounds: usize,
    /// The half-width that was requested, relative.
    pub target: f64,
    /// How many times as many visits would have been needed without turns: the variance of two rates over that of
    /// their ratio. `None` if it is not known.
    pub worth: Option<f64>,
    /// The gates that the request has, judged. One that the visits so far say nothing about is undecided.
    pub gates: Vec<GateResult>,
}

/// A load on both sides.
struct Pair<'a> {
    a: &'a PointFindings,
    b: &'a PointFindings,
}

/// One quantity of one load.
struct PairedRates<'a> {
    pair: &'a Pair<'a>,
    quantity: Quantity,
    /// It follows from another one.
    follows: bool,
    /// The points of a phase lend each other their spread.
    phase: Option<usize>,
    sides: [Estimate; 2],
    turns: Vec<Turn>,
    doubt: Option<Doubt>,
    /// Whether the numbers of A and of B may be used on their own.
    standings: [SideUsability; 2],
}

impl Versus {
    /// Compares the sides of a run; `None` if it has none.
    pub fn of(record: &Record, findings: &Findings) -> Option<Self> {
        let request = &record.header.request;
        request.sides?;
        let target = findings.target.unwrap_or(f64::INFINITY);
        let pairs = pairs(request, findings);
        let (quantities, leading) = quantities(request);
        let of_pairs =
            |&quantity: &Quantity| pairs.iter().filter_map(move |pair| compared(request, pair, quantity));
        let all: Vec<PairedRates<'_>> = quantities.iter().flat_map(of_pairs).collect();
        let found = judged(&all, target);
        let left_out = findings.points.iter().map(|found| found.point.plain());
        let is_compared = |point| pairs.iter().any(|pair| pair.a.point.plain() == point);
        let mut left_out: Vec<_> = left_out.filter(|&point| !is_compared(point)).collect();
        left_out.dedup();
        let (rows, ratios) = rows(&all, &found);
        let comparison = Comparison { rows, left_out, ..Comparison::default() };
        // What cannot be read was refused when the run began.
        let gates = demanded(request).unwrap_or_default().into_iter().map(|gate| judge(gate, &comparison));
        Some(Self {
            gates: gates.collect(),
            overall: overall::of(&all, &comparison.rows, &found, &leading),
            comparison,
            ratios,
            rounds: all.iter().map(|one| one.turns.len()).max().unwrap_or(0),
            target,
            worth: rounds::worth(&all, &leading),
            quantities,
            leading,
        })
    }

    /// Whether the ratio of everything behind the verdict is as precise as requested.
    pub fn reached(&self) -> bool {
        let (reached, all) = self.reached_of();
        reached == all
    }

    /// For how many of the ratios behind the verdict that is so, and how many there are.
    pub fn reached_of(&self) -> (usize, usize) {
        let narrow = |interval: &Option<Interval>| {
            interval.is_some_and(|interval| interval.relative_half_width <= self.target)
        };
        (self.led().filter(|one| narrow(one.1)).count(), self.led().count())
    }

    /// Whether the run was only asked about bounds on numbers, and each is certainly kept or broken: then no ratio has to be more certain.
    pub fn is_decided(&self) -> bool {
        let is_decided = |found: &GateResult| {
            matches!(found.gate.bound, GateBound::Value(_)) && found.outcome != Outcome::Undecided
        };
        !self.gates.is_empty() && self.gates.iter().all(is_decided)
    }

    /// The rows that the verdict is about.
    pub fn led(&self) -> impl Iterator<Item = (&Row, &Option<Interval>)> {
        let rows = self.comparison.rows.iter().zip(&self.ratios);
        rows.filter(|(row, _)| self.leading.contains(&row.quantity))
    }
}

/// The outcome of a gate; undecided if the run ended before it could be judged.
fn judge(gate: Gate, comparison: &Comparison) -> GateResult {
    gate.clone().judge(comparison).unwrap_or_else(|_| gate.unjudged())
}

/// The quantities of a run of two sides, rates first, and those that its verdict is about.
fn quantities(request: &Request) -> (Vec<Quantity>, Vec<Quantity>) {
    let classes = request.classes.iter().filter_map(|load| Some((load, load.name.sided()?)));
    let of_a = classes.filter(|(_, (_, side))| *side == Side::A);
    let mut own: Vec<(bool, [Quantity; 3])> =
        of_a.map(|(load, (plain, _))| (load.is_open(), Quantity::of_class(load, plain))).collect();
    own.sort_by_key(|(_, three)| three[0].class);
    let all = (0..3).flat_map(|kind| own.iter().map(move |(_, three)| three[kind])).collect();
    (all, own.iter().map(|(is_open, three)| three[usize::from(*is_open)]).collect())
}

/// The loads that were measured on both sides, in the order of tables.
fn pairs<'a>(request: &Request, findings: &'a Findings) -> Vec<Pair<'a>> {
    let points: Vec<_> = findings.points.iter().map(|found| found.point).collect();
    let pair = |[a, b]: [usize; 2]| Pair { a: &findings.points[a], b: &findings.points[b] };
    let mut pairs: Vec<Pair<'_>> = request.pairs(&points).into_iter().map(pair).collect();
    pairs.sort_by_key(|pair| pair.a.point.plain().by_rows());
    pairs
}

/// What a side has of a class.
fn io_of(found: &PointFindings, class: Class) -> Option<&IoFindings> {
    found.classes().find(|(name, _)| name.sided().is_some_and(|(plain, _)| plain == class)).map(|one| one.1)
}

/// `None` when the load has no I/O of that class.
fn compared<'a>(request: &Request, pair: &'a Pair<'a>, quantity: Quantity) -> Option<PairedRates<'a>> {
    let [a, b] = [io_of(pair.a, quantity.class)?, io_of(pair.b, quantity.class)?];
    let sides = [a, b].map(|io| quantity.of_io(io));
    let turns = rounds::turns(pair, quantity);
    let both = [pair.a, pair.b];
    let doubt = if both.into_iter().any(|found| forbidding(found, request).next().is_some()) {
        Some(Doubt::Invalid)
    } else if sides.iter().any(|side| side.value <= 0.0) {
        Some(Doubt::NoData)
    } else {
        few(turns.len())
    };
    let standings = [standing(pair.a, pair.b, request), standing(pair.b, pair.a, request)];
    let follows = quantity.follows(&a.load);
    Some(PairedRates { pair, quantity, follows, phase: pair.a.phase, sides, turns, doubt, standings })
}

/// Why this many rounds give no ratio. None have a percentile if some visit has too few I/Os.
const fn few(rounds: usize) -> Option<Doubt> {
    match rounds {
        0 => Some(Doubt::NoInterval),
        1..FEWEST_ROUNDS => Some(Doubt::FewRounds),
        _ => None,
    }
}

/// Whether the numbers of a side may be used on their own. With several classes at given rates it is not known which one is behind.
fn standing(own: &PointFindings, other: &PointFindings, request: &Request) -> SideUsability {
    let against: Vec<FlagCode> = forbidding(own, request).map(|flag| flag.code).collect();
    let given = own.classes().filter(|(_, io)| io.load.is_open()).count();
    if against.is_empty() {
        let is_late = own.flags.iter().any(|flag| flag.code == FlagCode::PacingLate);
        if is_late { SideUsability::Late } else { SideUsability::Usable }
    } else if given == 1 && against.iter().all(|&code| code == FlagCode::Overload) {
        SideUsability::Behind { alone: forbidding(other, request).next().is_none() }
    } else {
        SideUsability::Invalid
    }
}

/// The ratio of each quantity. Rates of one phase share their spread, and so do latencies of one kind.
fn judged(all: &[PairedRates<'_>], target: f64) -> Vec<Ratio> {
    let kind = |quantity: Quantity| match quantity.what {
        what if what.is_percentile() => 2,
        What::Mean => 1,
        _ => 0,
    };
    let mut groups: BTreeMap<(Option<usize>, u8, bool), Vec<usize>> = BTreeMap::new();
    for (place, one) in all.iter().enumerate() {
        // What must not be used lends nothing.
        let key = (one.phase, kind(one.quantity), one.doubt.is_some());
        groups.entry(key).or_default().push(place);
    }
    let of_group = |places: Vec<usize>| {
        let turns: Vec<Vec<Turn>> = places.iter().map(|&place| all[place].turns.clone()).collect();
        places.into_iter().zip(ratios(&turns, target)).collect::<Vec<_>>()
    };
    let mut found: Vec<(usize, Ratio)> = groups.into_values().flat_map(of_group).collect();
    found.sort_by_key(|&(place, _)| place);
    let widened = |(place, ratio): (usize, Ratio)| rounds::widened(all[place].quantity, ratio);
    found.into_iter().map(widened).collect()
}

fn rows(all: &[PairedRates<'_>], found: &[Ratio]) -> (Vec<Row>, Vec<Option<Interval>>) {
    let judged = |quantity| all.iter().filter(|one| one.quantity == quantity && one.doubt.is_none()).count();
    let row = |(one, ratio): (&PairedRates<'_>, &Ratio)| {
        let PairedRates { pair, quantity, follows, sides: [base, new], doubt, .. } = *one;
        let [base_standing, standing] = one.standings;
        let change = match (doubt, ratio.interval) {
            (Some(doubt), _) => Err(doubt),
            (None, None) => Err(Doubt::NoInterval),
            (None, Some(interval)) => Ok(together(&interval, judged(quantity))),
        };
        let row = Row {
            quantity,
            follows,
            point: Some(pair.a.point.plain()),
            base,
            new,
            standing,
            base_standing,
            verdict: Effect::of(quantity, &change),
            change,
        };
        (row, ratio.interval.filter(|_| change.is_ok()))
    };
    all.iter().zip(found).map(row).unzip()
}

/// The change of one of this many rows, whose intervals hold together in 95 of 100 runs (Bonferroni).
fn together(alone: &Interval, judged: usize) -> Change {
    let of = |tail: f64| student_t_quantile(1.0 - tail, alone.df);
    let (one, all) = (of((1.0 - CONFIDENCE) / 2.0), of((1.0 - CONFIDENCE) / 2.0 / count(judged.max(1))));
    let half = (alone.hi95 / alone.mean).ln() * all / one;
    let log = alone.mean.ln();
    let [relative, lo, hi] = [log, log - half, log + half].map(f64::exp_m1);
    Change { relative, lo, hi, df: alone.df, rests_on: RestsOn::Rounds }
}

#[cfg(test)]
mod tests;
