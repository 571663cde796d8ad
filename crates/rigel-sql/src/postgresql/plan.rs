//! What a session asks, and the one plan that answers it: each row is read by its place, and nothing else is read. Must not run it.

use crate::postgresql::failure;
use crate::query::Query;
use crate::table;
use postgres::{GenericClient, SimpleQueryMessage};
use rigel_core::error::Problem;
use rigel_core::load::sql::{Probe, ReportBy};
use rigel_core::path_text::printable;

/// Disables all other plans. A plan is made once.
const SETTINGS: &str = "set enable_tidscan = on; set enable_nestloop = on; set enable_hashjoin = off; set enable_mergejoin = off; \
    set enable_seqscan = off; set enable_bitmapscan = off; set enable_material = off; set jit = off; \
    set max_parallel_workers_per_gather = 0; set plan_cache_mode = force_generic_plan";
/// A report that joins does so by a hash, and has too little memory to sort in.
const OF_JOINS: &str = "; set enable_hashjoin = on; set enable_nestloop = off; set work_mem = '1MB'";
/// A look-up through the index must not know another way.
const OF_INDEX: &str =
    "; set enable_tidscan = off; set enable_indexscan = on; set enable_indexonlyscan = off";
/// Its name in a plan.
const BY_PLACE: &str = "Tid Scan on big";
const BY_INDEX: &str = "Index Scan using big_id on big";
const OF_ONE: &str = "Index Cond: (id = p.id)";
const BY_RANGE: &str = "Tid Range Scan on big";
/// The first version that reads a range of places without reading the rest.
const RANGES_SINCE: i64 = 140_000;

/// The statement.
pub fn statement(query: Query) -> String {
    let big = table::NAME;
    match query {
        Query::LookUp(Probe::Batch) => {
            format!("select count(b.v) from unnest($1::tid[]) p(place) join {big} b on b.ctid = p.place")
        }
        Query::LookUp(Probe::Index) => {
            format!("select count(b.v) from unnest($1::int[]) p(id) join {big} b on b.id = p.id")
        }
        Query::LookUp(Probe::Single) => format!("select count(b.v) from {big} b where b.ctid = $1::tid"),
        Query::Report(ReportBy::Range) => {
            format!("select count(b.v) from {big} b where b.ctid >= $1::tid and b.ctid <= $2::tid")
        }
        Query::Commit => format!("insert into {} values ($1::int, $2::bigint)", table::COMMITS),
        // A row of the first half of the range has its fellow in the second one.
        Query::Report(ReportBy::Join) => format!(
            "select count(s.pad) from (select b.pad from {big} a join {big} b on b.id = a.id + $5::int \
            where a.ctid >= $1::tid and a.ctid <= $2::tid and b.ctid >= $3::tid and b.ctid <= $4::tid order by b.pad) s"
        ),
    }
}

/// The same with values for its parameters.
fn example(query: Query) -> String {
    let values: &[&str] = match query {
        Query::LookUp(Probe::Batch) => &["'{\"(0,1)\"}'"],
        Query::LookUp(Probe::Single) => &["'(0,1)'"],
        Query::LookUp(Probe::Index) => &["'{0}'"],
        Query::Report(_) => &["'(0,1)'", "'(3,1)'", "'(4,1)'", "'(7,1)'", "4"],
        Query::Commit => &["0", "0"],
    };
    let put =
        |text: String, (number, value): (usize, &&str)| text.replace(&format!("${}", number + 1), value);
    values.iter().enumerate().fold(statement(query), put)
}

/// Whether that plan reads what was requested, and nothing else.
fn is_right(query: Query, plan: &[String]) -> bool {
    let has = |part: &str| plan.iter().filter(|line| line.contains(part)).count();
    match query {
        Query::LookUp(Probe::Index) => has(BY_INDEX) == 1 && has(OF_ONE) == 1 && has(" Scan ") == 2,
        Query::LookUp(_) => has(BY_PLACE) == 1,
        Query::Commit => true,
        Query::Report(ReportBy::Range) => has(BY_RANGE) == 1,
        Query::Report(ReportBy::Join) => has(BY_RANGE) == 2 && has("Hash Join") == 1,
    }
}

/// Settings of a session that give the plan.
pub fn settings(version_number: i64, query: Query) -> String {
    // Came with version 14.
    let memoize = if version_number >= 140_000 { "; set enable_memoize = off" } else { "" };
    let own = match query {
        Query::Report(ReportBy::Join) => OF_JOINS,
        Query::LookUp(Probe::Index) => OF_INDEX,
        _ => "",
    };
    format!("{SETTINGS}{memoize}{own}")
}

/// Refuses a server that would answer in another way. The table exists, and may be empty.
///
/// # Errors
/// When it would, or is too old for it.
pub fn check(client: &mut impl GenericClient, version_number: i64, query: Query) -> Result<(), Problem> {
    if matches!(query, Query::Report(_)) && version_number < RANGES_SINCE {
        return Err(Problem::refused("the server cannot scan a range of a table")
            .because(format!(
                "reports need PostgreSQL 14 or later, and this is version {}",
                version_number / 10_000
            ))
            .next("measure look-ups with `rigel sql oltp`, or a newer server"));
    }
    let refused = |error| failure::statement("the query plan cannot be seen", &error);
    client.batch_execute(&settings(version_number, query)).map_err(refused)?;
    // Not prepared: what is open in a transaction would keep rows from being copied frozen.
    let told = client.simple_query(&format!("explain (costs off) {}", example(query))).map_err(refused)?;
    let line = |message: &SimpleQueryMessage| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    };
    let plan: Vec<String> = told.iter().filter_map(line).collect();
    // What a join sets holds for joins only.
    client.batch_execute("reset work_mem").map_err(refused)?;
    if is_right(query, &plan) {
        return Ok(());
    }
    let way = if query == Query::LookUp(Probe::Index) { "through the index" } else { "by their locations" };
    Err(Problem::refused(format!("the server would not look rows up {way}"))
        .because(printable(&plan.join("; ")).into_owned())
        .next("check whether a server extension changes plans, and do not load it into these sessions"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_up_through_the_index_reads_one_entry_and_one_row() {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<String>>();
        let by_index = Query::LookUp(Probe::Index);
        let right = "Aggregate\n  ->  Nested Loop\n        ->  Function Scan on unnest p\n        ->  Index Scan using big_id on big b\n              Index Cond: (id = p.id)";
        assert!(is_right(by_index, &lines(right)));
        // All of the index, and the list searched for each entry.
        let whole = right.replace("              Index Cond: (id = p.id)", "");
        assert!(!is_right(by_index, &lines(&whole)));
        assert!(!is_right(by_index, &lines(&right.replace("Index Scan using", "Index Only Scan using"))));
        assert!(!is_right(Query::LookUp(Probe::Batch), &lines(right)));
    }
}
