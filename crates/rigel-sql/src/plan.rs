//! What a session asks, and the one plan that answers it: each row is read by its place, and nothing else is. Must not ask it.

use crate::failure;
use crate::{ledger, table};
use postgres::{GenericClient, SimpleQueryMessage};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::load::class::Class;
use rigel_core::load::request::Request;
use rigel_core::load::sql::{Probe, ReportBy};
use rigel_core::load::workload::Direction;
use rigel_core::path_text::printable;

/// All other ways are closed. A plan is made once.
const SETTINGS: &str = "set enable_tidscan = on; set enable_nestloop = on; set enable_hashjoin = off; set enable_mergejoin = off; \
    set enable_seqscan = off; set enable_bitmapscan = off; set enable_material = off; set jit = off; \
    set max_parallel_workers_per_gather = 0; set plan_cache_mode = force_generic_plan";
/// A report that joins does so by a hash, and has too little memory to sort in.
const OF_JOINS: &str = "; set enable_hashjoin = on; set enable_nestloop = off; set work_mem = '1MB'";
/// A look-up through the index must not know another way.
const OF_INDEX: &str =
    "; set enable_tidscan = off; set enable_indexscan = on; set enable_indexonlyscan = off";
/// So it is called in a plan.
const BY_PLACE: &str = "Tid Scan on big";
const BY_INDEX: &str = "Index Scan using big_id on big";
const OF_ONE: &str = "Index Cond: (id = p.id)";
const BY_RANGE: &str = "Tid Range Scan on big";
/// The first version that reads a range of places without reading the rest.
const RANGES_SINCE: i64 = 140_000;

/// A kind of statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// Rows, by their places.
    LookUp(Probe),
    /// All rows of a range of blocks.
    Report(ReportBy),
    /// A row that is made durable.
    Commit,
}

impl Query {
    /// What the sessions of a class ask.
    ///
    /// # Errors
    /// When the class is none of a database.
    pub fn of(request: &Request, class: Class) -> Result<Self, Problem> {
        let bug = || Problem::new(ExitKind::Bug, "the request has no database load");
        let sql = request.sql().ok_or_else(bug)?;
        match class.sided().map_or(class, |(plain, _)| plain) {
            Class::SIMPLE => Ok(Self::LookUp(sql.probe)),
            Class::REPORT => Ok(Self::Report(sql.report)),
            Class::COMMIT => Ok(Self::Commit),
            _ => Err(bug()),
        }
    }

    /// Whether a statement has many of them.
    pub const fn is_batch(self) -> bool {
        matches!(self, Self::LookUp(probe) if probe.is_batch())
    }

    /// Whether it reads or writes.
    pub const fn direction(self) -> Direction {
        match self {
            Self::LookUp(_) | Self::Report(_) => Direction::Read,
            Self::Commit => Direction::Write,
        }
    }

    /// Those of all classes.
    ///
    /// # Errors
    /// As [`Query::of`].
    pub fn all(request: &Request) -> Result<Vec<Self>, Problem> {
        request.classes.iter().map(|class| Self::of(request, class.name)).collect()
    }

    /// The statement.
    pub fn statement(self) -> String {
        let big = table::NAME;
        match self {
            Self::LookUp(Probe::Batch) => {
                format!("select count(b.v) from unnest($1::tid[]) p(place) join {big} b on b.ctid = p.place")
            }
            Self::LookUp(Probe::Index) => {
                format!("select count(b.v) from unnest($1::int[]) p(id) join {big} b on b.id = p.id")
            }
            Self::LookUp(Probe::Single) => format!("select count(b.v) from {big} b where b.ctid = $1::tid"),
            Self::Report(ReportBy::Range) => {
                format!("select count(b.v) from {big} b where b.ctid >= $1::tid and b.ctid <= $2::tid")
            }
            Self::Commit => format!("insert into {} values ($1::int, $2::bigint)", ledger::NAME),
            // A row of the first half of the range has its fellow in the second one.
            Self::Report(ReportBy::Join) => format!(
                "select count(s.pad) from (select b.pad from {big} a join {big} b on b.id = a.id + $5::int \
                where a.ctid >= $1::tid and a.ctid <= $2::tid and b.ctid >= $3::tid and b.ctid <= $4::tid order by b.pad) s"
            ),
        }
    }

    /// The same with values for its parameters.
    fn example(self) -> String {
        let values: &[&str] = match self {
            Self::LookUp(Probe::Batch) => &["'{\"(0,1)\"}'"],
            Self::LookUp(Probe::Single) => &["'(0,1)'"],
            Self::LookUp(Probe::Index) => &["'{0}'"],
            Self::Report(_) => &["'(0,1)'", "'(3,1)'", "'(4,1)'", "'(7,1)'", "4"],
            Self::Commit => &["0", "0"],
        };
        let put =
            |text: String, (number, value): (usize, &&str)| text.replace(&format!("${}", number + 1), value);
        values.iter().enumerate().fold(self.statement(), put)
    }

    /// Whether that plan reads what was asked for, and nothing else.
    fn is_right(self, plan: &[String]) -> bool {
        let has = |part: &str| plan.iter().filter(|line| line.contains(part)).count();
        match self {
            Self::LookUp(Probe::Index) => has(BY_INDEX) == 1 && has(OF_ONE) == 1 && has(" Scan ") == 2,
            Self::LookUp(_) => has(BY_PLACE) == 1,
            Self::Commit => true,
            Self::Report(ReportBy::Range) => has(BY_RANGE) == 1,
            Self::Report(ReportBy::Join) => has(BY_RANGE) == 2 && has("Hash Join") == 1,
        }
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

/// Refuses a server that would answer in another way. The table is there, and may be empty.
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
    let told = client.simple_query(&format!("explain (costs off) {}", query.example())).map_err(refused)?;
    let line = |message: &SimpleQueryMessage| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    };
    let plan: Vec<String> = told.iter().filter_map(line).collect();
    // What a join sets holds for joins only.
    client.batch_execute("reset work_mem").map_err(refused)?;
    if query.is_right(&plan) {
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
        assert!(by_index.is_right(&lines(right)));
        // All of the index, and the list searched for each entry.
        let whole = right.replace("              Index Cond: (id = p.id)", "");
        assert!(!by_index.is_right(&lines(&whole)));
        assert!(!by_index.is_right(&lines(&right.replace("Index Scan using", "Index Only Scan using"))));
        assert!(!Query::LookUp(Probe::Batch).is_right(&lines(right)));
    }
}
