//! `random_page_cost`: each plan of each query, timed on its own, and the planner's choice under every value.
//!
//! Values are set by SET in one session. Two values under which the planner chooses the same plan are equal to the storage, so it is the plans
//! that take turns. Must not judge.

use super::ask::{self, Answer};
use super::{Progress, ProofStep, Prover, keys, shuffled};
use postgres::Client;
use rigel_core::error::Problem;
use rigel_core::load::draw::Generator;
use rigel_core::path_text::printable;
use rigel_uses::proof::page_cost::{Cell, Choice, Execution, PageCostFindings, Plan, values};

const NAME: &str = "random_page_cost";
/// Shares of the rows.
const SELECTIVITIES: [f64; 6] = [0.0001, 0.001, 0.003, 0.01, 0.03, 0.1];
/// Shares of the table in the page cache.
const HIT_RATES: [f64; 4] = [0.0, 0.5, 0.9, 0.99];

/// Asks everything.
pub fn prove(
    prover: &mut Prover<'_>,
    ratio: f64,
    progress: Progress<'_>,
) -> Result<PageCostFindings, Problem> {
    let mut client = prover.session()?;
    let choices = choices(prover, &mut client, ratio)?;
    let cell = |hit_rate| SELECTIVITIES.map(|selectivity| Cell { selectivity, hit_rate, ..Cell::default() });
    let mut cells: Vec<Cell> = HIT_RATES.into_iter().flat_map(cell).collect();
    let order: Vec<(usize, Plan)> =
        (0..cells.len()).flat_map(|place| Plan::ALL.map(|plan| (place, plan))).collect();
    let total = order.len() as u64 * u64::from(prover.wanted.rounds);
    let (mut round, mut done) = (0, 0);
    while prover.next_round(round) {
        let mut draw = Generator::new(prover.wanted.seed, &[3, u64::from(round)]);
        for (place, plan) in shuffled(order.clone(), &mut draw) {
            ask_one(prover, &mut client, (&mut cells[place], plan), round, &mut draw)?;
            done += 1;
            progress(ProofStep::Timing(NAME), done, total);
        }
        round += 1;
    }
    Ok(PageCostFindings::of(cells, choices, ratio))
}

/// Times a plan, unless it took too long before.
fn ask_one(
    prover: &mut Prover<'_>,
    client: &mut Client,
    (cell, plan): (&mut Cell, Plan),
    round: u32,
    draw: &mut Generator,
) -> Result<(), Problem> {
    let times = cell.times.entry(plan).or_default();
    if times.iter().any(|timed| timed.cut) {
        return Ok(());
    }
    let keys = keys(prover.tables.rows, cell.selectivity);
    let query = query(prover.range(draw, keys), keys);
    ask::set(client, &only(plan))?;
    prover.set_caches(cell.hit_rate)?;
    let (seconds, cut) = match ask::timed(client, &query, prover.stop)? {
        Answer::Took(seconds) => (seconds, false),
        Answer::Cut(seconds) => (seconds, true),
    };
    times.push(Execution { round, seconds, cut });
    Ok(())
}

/// What the planner chooses, and whether it can be made to choose each plan.
fn choices(prover: &Prover<'_>, client: &mut Client, ratio: f64) -> Result<Vec<Choice>, Problem> {
    let mut all = Vec::new();
    for selectivity in SELECTIVITIES {
        let keys = keys(prover.tables.rows, selectivity);
        // In the middle; where a range lies makes no difference to an estimate.
        let query = query((prover.tables.rows - keys) / 2, keys);
        for plan in Plan::ALL {
            ask::set(client, &only(plan))?;
            let chosen = chosen(client, &query)?;
            if chosen != plan {
                return Err(unlike(&format!(
                    "{} was asked for, and it chooses {}",
                    plan.name(),
                    chosen.name()
                )));
            }
        }
        ask::set(client, "set enable_indexscan = on; set enable_bitmapscan = on; set enable_seqscan = on")?;
        for cost in values(ratio, &HIT_RATES) {
            ask::set(client, &format!("set {NAME} = {cost}"))?;
            all.push(Choice { selectivity, cost, plan: chosen(client, &query)? });
        }
        ask::set(client, &format!("reset {NAME}"))?;
    }
    Ok(all)
}

fn query(first: u32, keys: u32) -> String {
    format!("select count(pad) from rigel.proof where k >= {first} and k < {}", first + keys)
}

/// Settings under which the planner has this plan alone.
fn only(plan: Plan) -> String {
    let set =
        |(name, of): (&str, Plan)| format!("set enable_{name} = {}", if of == plan { "on" } else { "off" });
    [("indexscan", Plan::Index), ("bitmapscan", Plan::Bitmap), ("seqscan", Plan::Sequential)]
        .map(set)
        .join("; ")
}

fn chosen(client: &mut Client, query: &str) -> Result<Plan, Problem> {
    let told = ask::lines(client, &format!("explain (costs off) {query}"))?.join("\n");
    let known = [
        ("Index Scan using", Plan::Index),
        ("Bitmap Heap Scan", Plan::Bitmap),
        ("Seq Scan", Plan::Sequential),
    ];
    let found = known.into_iter().find(|(words, _)| told.contains(words));
    found.map(|(_, plan)| plan).ok_or_else(|| unlike(&told))
}

fn unlike(told: &str) -> Problem {
    Problem::refused("the server chose an unknown plan")
        .because(printable(told).into_owned())
        .next("check whether a server extension changes plans, and do not load it into these sessions")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_plan_is_left() {
        assert_eq!(
            only(Plan::Bitmap),
            "set enable_indexscan = off; set enable_bitmapscan = on; set enable_seqscan = off"
        );
        assert!(query(5, 10).ends_with("k >= 5 and k < 15"));
    }
}
