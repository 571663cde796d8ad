//! A load that goes through a database: what its sessions ask, and of which server.
//!
//! Must not know how a server is reached; names and passwords stay out of the record.

use crate::error::Problem;
use crate::facts::engine::EngineKind;
use crate::load::class::{Class, Figure, LoadClass, Pattern, Sizes, Sync};
use crate::load::matrix::{Grid, Point};
use crate::load::request::{EngineRequest, Request};
use crate::load::sides::{Side, Sides};
use crate::load::workload::WritePercent;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Bytes of a block of PostgreSQL, and so of a probe.
pub const BLOCK_BYTES: u64 = 8192;

/// What is asked of a database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SqlRequest {
    /// Which kinds of queries.
    pub level: SqlLevel,
    /// How a simple query finds its row.
    pub probe: Probe,
    /// How a report reads.
    #[serde(default)]
    pub report: ReportBy,
    /// The server that is loaded.
    pub server: ServerChoice,
}

/// Which kinds of queries are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SqlLevel {
    /// Look-ups of single rows.
    Simple,
    /// Look-ups beside reports, in all combinations.
    Normal,
    /// Look-ups only, with more sessions.
    Oltp,
    /// Reports only.
    Dss,
    /// Few to hundreds of sessions.
    Users,
    /// Transactions of one row, each made durable.
    Commit,
}

impl SqlLevel {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Simple, Self::Normal, Self::Oltp, Self::Dss, Self::Users, Self::Commit];

    /// The word on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Simple => "simple",
            Self::Normal => "normal",
            Self::Oltp => "oltp",
            Self::Dss => "dss",
            Self::Users => "users",
            Self::Commit => "commit",
        }
    }
}

/// How simple queries look rows up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Probe {
    /// Many in one statement, by a nested loop: the client costs little, and a latency is the mean of a statement.
    #[default]
    Batch,
    /// One in each statement: every latency is that of one look-up, as a program sees it.
    Single,
    /// Many in one statement, each through a b-tree: what the index costs is in it.
    Index,
}

impl Probe {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Batch, Self::Single, Self::Index];

    /// The word on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Batch => "batch",
            Self::Single => "single",
            Self::Index => "index",
        }
    }

    /// Whether a statement has many look-ups, so that a latency is their mean.
    pub const fn is_batch(self) -> bool {
        matches!(self, Self::Batch | Self::Index)
    }
}

/// How reports read their part of the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportBy {
    /// A range of blocks, one after the other.
    #[default]
    Range,
    /// Two ranges, joined by a hash, and sorted on disk.
    Join,
}

impl ReportBy {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Range, Self::Join];

    /// The word on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Range => "range",
            Self::Join => "join",
        }
    }
}

/// Which server is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerChoice {
    /// One that the run makes and removes.
    Private,
    /// One that is there.
    There,
}

/// The class of simple queries: sessions that look one row up after the other, each in a block of its own.
pub fn simple(levels: Vec<u32>) -> LoadClass {
    LoadClass {
        sizes: Sizes::None,
        pattern: Pattern::Sessions,
        // Whether they are reads, the counters tell.
        figure: Figure::Rate("look-ups/s".into()),
        levels,
        ..LoadClass::random(Class::SIMPLE, BLOCK_BYTES)
    }
}

/// The class of reports: sessions that read one range of `bytes` after the other.
pub fn reports(bytes: u64) -> LoadClass {
    LoadClass { pattern: Pattern::Sessions, figure: Figure::Mbps, ..LoadClass::random(Class::REPORT, bytes) }
}

/// The class of commits: sessions that write a row and wait until it is durable, one transaction after the other.
pub fn commits(levels: Vec<u32>) -> LoadClass {
    LoadClass {
        sizes: Sizes::None,
        pattern: Pattern::Sessions,
        write_percent: WritePercent::ALL,
        figure: Figure::Rate("commits/s".into()),
        levels,
        ..LoadClass::random(Class::COMMIT, BLOCK_BYTES)
    }
}

/// Numbers of users up to this one, each half of the next, so that half of each is measured as well.
pub fn users(most: u32) -> Vec<u32> {
    let mut all = vec![most.max(1)];
    while let Some(next) = all.last().filter(|last| **last > 1).map(|last| last.div_ceil(2)) {
        all.push(next);
    }
    all.reverse();
    all
}

/// The points of so many sessions, of which that share in per cent makes reports.
pub fn shared(sessions: &[u32], report_share: u8) -> Vec<Point> {
    let point = |all: &u32| {
        let part = (u64::from(*all) * u64::from(report_share) + 50) / 100;
        let reports = u32::try_from(part).unwrap_or(*all);
        Point::alone(Class::SIMPLE, all - reports).with(Class::REPORT, reports)
    };
    sessions.iter().map(point).collect()
}

/// The part of a table of so many blocks that look-ups have, and that of reports. Beside reports, look-ups have a part of their own:
/// what a report left in a cache would answer them.
pub fn parts(request: &Request, blocks: u32) -> [Range<u32>; 2] {
    let has = |class| request.class(class).is_some();
    match (has(Class::SIMPLE), has(Class::REPORT)) {
        (true, true) => [0..blocks / 2, blocks / 2..blocks],
        (_, false) => [0..blocks, blocks..blocks],
        (false, true) => [0..0, 0..blocks],
    }
}

impl Request {
    /// The same queries, in turns with what they are without a database: side A reads the files that hold the table, or appends to a
    /// log of its own and makes each write durable in the way of `sync`; side B asks the database. Where there are N sessions, N reads
    /// or writes of a block are outstanding.
    ///
    /// # Errors
    /// When the request cannot be one of two sides, such as one with a fixed time for each point.
    pub fn beside_raw(self, files: u16, sync: Sync) -> Result<Self, Problem> {
        let sides =
            Sides { targets_of_a: files, engine: EngineRequest::Only(EngineKind::Postgres), buffered: false };
        let points = Grid::of_own(&self.classes, &self.points).points;
        let mut request = Self { engine: EngineRequest::Auto, ..self }.in_turns(&points, sides)?;
        let is_raw = |class: &&mut LoadClass| class.side == Some(Side::A);
        for class in request.classes.iter_mut().filter(is_raw) {
            let (levels, side) = (std::mem::take(&mut class.levels), class.side);
            let raw = match class.plain_name() {
                Class::COMMIT => LoadClass::log(class.name, BLOCK_BYTES, sync, "commits/s"),
                _ => LoadClass::random(class.name, BLOCK_BYTES),
            };
            *class = LoadClass { levels, side, ..raw };
        }
        // The levels of one disk; how many files the table has says nothing of disks.
        request.num_disks = request.num_disks.or(Some(1));
        request.check()?;
        Ok(request)
    }

    /// Whether raw I/O takes turns with a database.
    pub const fn is_beside_raw(&self) -> bool {
        self.sql.is_some() && self.sides.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::matrix::RunLevel;
    use crate::load::pace::{Adaptive, LevelChoice, Pace};
    use crate::units::Nanos;

    fn request(pace: Pace) -> Request {
        Request {
            classes: vec![simple(vec![1, 16])],
            levels: LevelChoice::Own,
            engine: EngineRequest::Only(EngineKind::Postgres),
            sql: Some(SqlRequest {
                level: SqlLevel::Simple,
                probe: Probe::Batch,
                report: ReportBy::Range,
                server: ServerChoice::Private,
            }),
            pace,
            ..Request::new(RunLevel::Sql)
        }
    }

    #[test]
    fn raw_reads_have_as_many_blocks_outstanding_as_there_are_sessions() {
        let found = request(Pace::Adaptive(Adaptive::default())).beside_raw(3, Sync::None).unwrap();
        assert!(found.is_beside_raw());
        let [raw, sql] = Side::BOTH.map(|side| found.alone(side));
        assert_eq!(
            (raw.engine, sql.engine),
            (EngineRequest::Auto, EngineRequest::Only(EngineKind::Postgres))
        );
        let [of_raw, of_sql] = [&raw.classes[0], &sql.classes[0]];
        assert_eq!((of_raw.io_bytes(), of_raw.pattern), (BLOCK_BYTES, Pattern::Random));
        assert!(of_raw.check_block_io().is_ok() && of_sql.check_block_io().is_err());
        let levels =
            |request: &Request| -> Vec<u64> { request.points.iter().map(|point| point.sum()).collect() };
        assert_eq!((levels(&raw), levels(&sql)), (vec![1, 16], vec![1, 16]));
        assert_eq!(found.of_side(Side::B, &["a", "b", "c", "table"]), ["table"]);
    }

    #[test]
    fn beside_reports_look_ups_have_a_part_of_their_own() {
        let mut both = request(Pace::Adaptive(Adaptive::default()));
        assert_eq!(parts(&both, 9), [0..9, 9..9]);
        both.classes.push(LoadClass { levels: vec![2], ..reports(8 << 20) });
        assert_eq!((both.check(), parts(&both, 9)), (Ok(()), [0..4, 4..9]));
        both.classes.remove(0);
        assert_eq!(parts(&both, 9), [0..0, 0..9]);
        let report = &both.classes[0];
        assert_eq!((report.noun(), report.axis()), ("report".to_owned(), "report sessions".to_owned()));
        assert_eq!(report.rate_text(2.0), "16.00 MBPS");
        assert!(report.is_query() && !report.is_block_io() && report.check_block_io().is_err());
    }

    #[test]
    fn half_of_each_number_of_users_is_measured_as_well() {
        assert_eq!(users(500), [1, 2, 4, 8, 16, 32, 63, 125, 250, 500]);
        assert_eq!((users(1), users(0)), (vec![1], vec![1]));
        let points = shared(&[1, 4, 5, 20], 10);
        let both = |point: &Point| (point.of(Class::SIMPLE), point.of(Class::REPORT));
        assert_eq!(points.iter().map(both).collect::<Vec<_>>(), [(1, 0), (4, 0), (4, 1), (18, 2)]);
    }

    #[test]
    fn commits_are_beside_durable_writes_to_a_log() {
        let mut asked = request(Pace::Adaptive(Adaptive::default()));
        asked.classes = vec![commits(vec![1, 4])];
        let found = asked.beside_raw(1, Sync::Fdatasync).unwrap();
        let [raw, sql] = Side::BOTH.map(|side| found.alone(side).classes.remove(0));
        assert_eq!(
            (raw.pattern, raw.sync, raw.noun().as_str()),
            (Pattern::Log, Sync::Fdatasync, "commit of A")
        );
        assert_eq!((sql.pattern, sql.noun().as_str()), (Pattern::Sessions, "commit of B"));
        assert!(raw.check_block_io().is_ok() && found.writes_at_all());
    }

    #[test]
    fn a_fixed_time_leaves_no_turns() {
        assert!(request(Pace::Fixed(Nanos::from_secs(5))).beside_raw(1, Sync::None).is_err());
    }
}
