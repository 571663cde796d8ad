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
/// So it is called in a plan.
const BY_PLACE: &str = "Tid Scan on big";
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
        let bug = || Problem::new(ExitKind::Bug, "the request has no load for a database");
        let sql = request.sql.as_ref().ok_or_else(bug)?;
        match class.sided().map_or(class, |(plain, _)| plain) {
            Class::SIMPLE => Ok(Self::LookUp(sql.probe)),
            Class::REPORT => Ok(Self::Report(sql.report)),
            Class::COMMIT => Ok(Self::Commit),
            _ => Err(bug()),
        }
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
    let join = if query == Query::Report(ReportBy::Join) { OF_JOINS } else { "" };
    format!("{SETTINGS}{memoize}{join}")
}

/// Refuses a server that would answer in another way. The table is there, and may be empty.
///
/// # Errors
/// When it would, or is too old for it.
pub fn check(client: &mut impl GenericClient, version_number: i64, query: Query) -> Result<(), Problem> {
    if matches!(query, Query::Report(_)) && version_number < RANGES_SINCE {
        return Err(Problem::refused("the server cannot read a range of a table")
            .because(format!(
                "reports need PostgreSQL 14 or later, and this is version {}",
                version_number / 10_000
            ))
            .next("measure look-ups with `rigel sql oltp`, or a newer server"));
    }
    let refused = |error| failure::statement("the plan of the queries cannot be seen", &error);
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
    Err(Problem::refused("the server would not look rows up by their places")
        .because(printable(&plan.join("; ")).into_owned())
        .next("see whether an extension of the server changes plans, and load it not into these sessions"))
}
