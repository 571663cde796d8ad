//! `random_page_cost`: the cost of the plans that the planner chooses under each value.
//!
//! Every plan of a query is timed on its own, in turn. The regret of a value is the time of the plan that the planner would choose
//! under it over that of the fastest plan. Must not time a value apart from its plan: two values with the same plan are the same.

use super::{Verdict, over_rounds, together};
use crate::advice::page_cost_at;
use rigel_core::stats::Estimate;
use rigel_core::stats::sample::{mean, median};
use rigel_core::stats::turns::{Turn, turns};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// The server's default.
pub const DEFAULT: f64 = 4.0;
/// The usual recommendation for SSDs.
const COMMON: f64 = 1.1;
/// The share of hits that the rule of `advise` takes if none is given.
const ASSUMED_HITS: f64 = 0.9;
/// Values that are tried in any case.
const TRIED: [f64; 13] = [1.0, 1.1, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 25.0, 40.0, 64.0];
/// Most regret of an advised value in the median.
pub const MOST_REGRET: f64 = 1.1;

/// A way to get at the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(description = "An access path to the rows.")]
pub enum Plan {
    /// Row by row, in the order of the keys.
    Index,
    /// Block by block, in the order of the table, only those that contain rows.
    Bitmap,
    /// The whole table.
    Sequential,
}

rigel_core::named!(Plan { Index: "index", Bitmap: "bitmap", Sequential: "sequential" });

/// One execution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Execution {
    /// Its round.
    pub round: u32,
    /// How long it took, or was allowed to run.
    pub seconds: f64,
    /// It was ended then: the plan takes longer.
    pub cut: bool,
}

/// A query for a share of the rows, with a share of the table in memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// Share of the rows.
    pub selectivity: f64,
    /// Share of the table in the page cache when the query begins.
    pub hit_rate: f64,
    /// The executions of each plan.
    pub times: BTreeMap<Plan, Vec<Execution>>,
}

impl Cell {
    /// The geometric mean; of one that was ended a lower bound. `None` without an execution.
    pub fn seconds(&self, plan: Plan) -> Option<f64> {
        let times = self.times.get(&plan).filter(|times| !times.is_empty())?;
        Some(mean(&times.iter().map(|timed| timed.seconds.ln()).collect::<Vec<_>>()).exp())
    }

    /// Whether it was ended early.
    pub fn is_cut(&self, plan: Plan) -> bool {
        self.times.get(&plan).is_some_and(|times| times.iter().any(|timed| timed.cut))
    }

    /// The fastest plan with its time.
    pub fn best(&self) -> Option<(Plan, f64)> {
        let all = Plan::ALL.into_iter().filter_map(|plan| Some((plan, self.seconds(plan)?)));
        all.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    fn turns(&self, a: Plan, b: Plan) -> Vec<Turn> {
        let visits = |plan| {
            let times = self.times.get(&plan).into_iter().flatten();
            times.map(|timed| (timed.round, timed.seconds, None)).collect::<Vec<_>>()
        };
        turns(&visits(a), &visits(b))
    }
}

/// What the planner chooses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// For a query of that share of the rows.
    pub selectivity: f64,
    /// With this `random_page_cost`.
    pub cost: f64,
    /// The plan it would execute.
    pub plan: Plan,
}

/// A rule that makes a value of what is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(description = "Where a value comes from.")]
pub enum Rule {
    /// The default of the server.
    Default,
    /// The usual advice for SSDs.
    Common,
    /// The measured ratio of a random read to a page of a stream.
    Raw,
    /// The value that `advise` derives from that ratio without a given share of hits: 90 %.
    Assumed,
    /// The value that `advise` derives from it with a given share of hits.
    Told,
    /// A value that was tried.
    Tried,
}

/// What is requested: the values that the planner has to be asked about.
pub fn values(ratio: f64, hit_rates: &[f64]) -> Vec<f64> {
    let ruled = rules(ratio, hit_rates).into_iter().flat_map(|(_, values)| values);
    let mut all: Vec<f64> = ruled.chain(TRIED).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

/// The value of each rule at each share of hits.
fn rules(ratio: f64, hit_rates: &[f64]) -> Vec<(Rule, Vec<f64>)> {
    let always = |rule, value: f64| (rule, vec![value; hit_rates.len()]);
    let told = hit_rates.iter().map(|hits| page_cost_at(ratio, 1.0 - hits)).collect();
    vec![
        always(Rule::Default, DEFAULT),
        always(Rule::Common, COMMON),
        // Not held below the bound of what is advised: this is what the bound is judged by.
        always(Rule::Raw, ratio.max(1.0)),
        always(Rule::Assumed, page_cost_at(ratio, 1.0 - ASSUMED_HITS)),
        (Rule::Told, told),
    ]
}

/// The results of all values.
#[derive(Clone, Debug, PartialEq)]
pub struct PageCostFindings {
    /// What was executed.
    pub cells: Vec<Cell>,
    /// What the planner chooses.
    pub choices: Vec<Choice>,
    /// Shares of hits, ascending.
    pub hit_rates: Vec<f64>,
    /// The rules, then the values that were tried, ascending.
    pub judged: Vec<PageCostVerdict>,
}

/// The verdict on the values of a rule.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(description = "Result for a value of random_page_cost, or for those of a rule.")]
pub struct PageCostVerdict {
    /// Where the values come from.
    pub rule: Rule,
    /// The value at each share of hits.
    pub values: Vec<f64>,
    /// The median regret at each share of hits: the time of the chosen plan divided by that of the fastest.
    pub regrets: Vec<f64>,
    /// The median over all cells.
    pub median_regret: f64,
    /// The highest regret of a cell.
    pub worst: Place,
    /// Cells in which it is slower than the default by more than the noise.
    pub slower: Vec<Place>,
    /// Cells in which it is faster than the default by more than the noise.
    pub faster: Vec<Place>,
    /// Whether it may be advised.
    pub verdict: Verdict,
}

/// A cell, with the time under a value over another time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(description = "A cell, with the ratio of two times.")]
pub struct Place {
    /// Share of the rows.
    pub selectivity: f64,
    /// Share of hits.
    pub hit_rate: f64,
    /// The ratio. Its interval is valid together with those of the other cells.
    pub ratio: Estimate,
}

impl PageCostFindings {
    /// Judges every rule and every value that was tried.
    pub fn of(cells: Vec<Cell>, choices: Vec<Choice>, ratio: f64) -> Self {
        let mut hit_rates: Vec<f64> = cells.iter().map(|cell| cell.hit_rate).collect();
        hit_rates.sort_by(f64::total_cmp);
        hit_rates.dedup();
        let mut found = Self { cells, choices, hit_rates, judged: Vec::new() };
        let tried = TRIED.into_iter().map(|value| (Rule::Tried, vec![value; found.hit_rates.len()]));
        let all = rules(ratio, &found.hit_rates).into_iter().chain(tried);
        found.judged = all.filter_map(|(rule, values)| found.judge(rule, values)).collect();
        found
    }

    /// What `advise` gives without a share of hits.
    pub fn advised(&self) -> Option<&PageCostVerdict> {
        self.of_rule(Rule::Assumed)
    }

    /// The verdict on a rule.
    pub fn of_rule(&self, rule: Rule) -> Option<&PageCostVerdict> {
        self.judged.iter().find(|judged| judged.rule == rule)
    }

    /// The values that were tried and pass.
    pub fn passing(&self) -> Vec<f64> {
        let tried = self.judged.iter().filter(|one| one.rule == Rule::Tried);
        tried
            .filter(|one| one.verdict == Verdict::Passes)
            .filter_map(|one| one.values.first().copied())
            .collect()
    }

    /// The plan of a value for a query.
    pub fn chosen(&self, selectivity: f64, cost: f64) -> Option<Plan> {
        let same = |choice: &&Choice| {
            choice.selectivity.to_bits() == selectivity.to_bits() && choice.cost.to_bits() == cost.to_bits()
        };
        self.choices.iter().find(same).map(|choice| choice.plan)
    }

    /// `None` when something of it was not measured.
    fn judge(&self, rule: Rule, values: Vec<f64>) -> Option<PageCostVerdict> {
        let value_at = |hits: f64| {
            let place = self.hit_rates.iter().position(|one| one.to_bits() == hits.to_bits())?;
            values.get(place).copied()
        };
        let (mut all, mut pairs) = (Vec::new(), Vec::new());
        for cell in &self.cells {
            let plan = self.chosen(cell.selectivity, value_at(cell.hit_rate)?)?;
            let usual = self.chosen(cell.selectivity, DEFAULT)?;
            let regret = cell.seconds(plan)? / cell.best()?.1;
            all.push(place(cell, Estimate::bare(regret)));
            if plan != usual {
                pairs.push((cell, usual, plan));
            }
        }
        let median_of = |places: &mut dyn Iterator<Item = &Place>| {
            median(&places.map(|one| one.ratio.value).collect::<Vec<_>>())
        };
        let of_hits =
            |hits: &f64| median_of(&mut all.iter().filter(|one| one.hit_rate.to_bits() == hits.to_bits()));
        let regrets = self.hit_rates.iter().map(of_hits).collect();
        let median_regret = median_of(&mut all.iter());
        let worst = all.iter().copied().max_by(|a, b| a.ratio.value.total_cmp(&b.ratio.value))?;
        let (slower, faster) = beside_default(&pairs);
        let verdict =
            if median_regret > MOST_REGRET || !slower.is_empty() { Verdict::Fails } else { Verdict::Passes };
        Some(PageCostVerdict { rule, values, regrets, median_regret, worst, slower, faster, verdict })
    }
}

const fn place(cell: &Cell, ratio: Estimate) -> Place {
    Place { selectivity: cell.selectivity, hit_rate: cell.hit_rate, ratio }
}

/// The cells in which the plan is slower than that of the default, and those in which it is faster, beyond noise.
fn beside_default(pairs: &[(&Cell, Plan, Plan)]) -> (Vec<Place>, Vec<Place>) {
    let turns: Vec<Vec<Turn>> = pairs.iter().map(|(cell, usual, plan)| cell.turns(*usual, *plan)).collect();
    let (mut slower, mut faster) = (Vec::new(), Vec::new());
    for ((cell, usual, plan), interval) in pairs.iter().zip(together(&turns)) {
        let Some(ratio) = cell.seconds(*plan).zip(cell.seconds(*usual)).map(|(new, old)| new / old) else {
            continue;
        };
        let one = place(cell, over_rounds(ratio, interval));
        match (cell.is_cut(*usual), cell.is_cut(*plan)) {
            // Both take longer than anybody waited.
            (true, true) => {}
            // One that was ended took as long as the other at least, or it would be the other's limit.
            (false, true) if ratio > 1.0 => slower.push(one),
            (true, false) if ratio < 1.0 => faster.push(one),
            _ if interval.is_some_and(|interval| interval.lo95 > 1.0) => slower.push(one),
            _ if interval.is_some_and(|interval| interval.hi95 < 1.0) => faster.push(one),
            _ => {}
        }
    }
    (slower, faster)
}
