//! Which queries `rigel sql` asks, and from how many sessions: its levels are ORION's, with look-ups for small I/O and reports for large.
//!
//! Must not know a server.

use super::super::load::LoadArgs;
use super::super::names::Front;
use super::super::shaping;
use super::super::words::{self, Words};
use super::{LOAD, MOST_SESSIONS};
use rigel_core::error::Problem;
use rigel_core::load::class::{Class, LoadClass};
use rigel_core::load::levels;
use rigel_core::load::matrix::{Grid, MatrixShape, Point, RunLevel};
use rigel_core::load::sql::{self, Probe, Product, ReportBy, SqlLevel};
use rigel_core::units::{Bytes, GIB, KIB, MIB};

const REPORTS: &str = "Reports (normal, dss and users)";
/// Disks of the levels unless others are named.
const DISKS: u32 = 1;
/// Bytes of a report, unless others are named, and how many it may have.
const REPORT_BYTES: u64 = 8 * MIB;
const REPORT_SIZES: (u64, u64) = (64 * 1024, GIB);
/// Sessions that commit: few wait for each other's flush, many share it.
const COMMITTING: [u32; 6] = [1, 2, 4, 8, 16, 32];
/// Sessions of the level users, where the server allows as many.
pub const MOST_USERS: u32 = 500;

#[derive(Clone, Debug, Default, clap::Args)]
pub struct QueryArgs {
    /// Numbers of concurrent look-up sessions, such as 1,4,16 [default: by level; simple 1 to 5]
    ///
    /// Default: 1 to 5 per disk, oltp 1 to 20, like ORION's levels of small I/O; users 1 to 500 (with --dsn at most half of the free connections),
    /// commit 1 to 32.
    #[arg(long, value_name = "N,..", value_delimiter = ',', help_heading = LOAD)]
    pub sessions: Vec<u32>,

    /// Disks behind the table; sets the numbers of sessions, like ORION's levels [default: 1]
    #[arg(long, value_name = "N", conflicts_with_all = ["sessions", "report_sessions"], help_heading = LOAD, value_parser = clap::value_parser!(u32).range(1..=400))]
    pub num_disks: Option<u32>,

    /// How rows are looked up: batch, single or index [default: batch; users: single]
    ///
    /// batch: up to 1000 per statement by a nested loop, which minimizes the server's other work; latency is the mean of a statement. single: one per
    /// statement, as programs do; latency is that of a look-up including the round trip. index: like batch, but through a b-tree; index blocks read
    /// are counted separately. MySQL and MariaDB look rows up by the primary key: batch is index there.
    #[arg(long, value_name = "HOW", ignore_case = true, hide_possible_values = true, value_parser = words::parser::<Probe>(), help_heading = LOAD)]
    pub probe: Option<Probe>,

    /// Numbers of concurrent report sessions, such as 1,2 (normal, dss) [default: normal 1 and 2, dss 1 to 15]
    ///
    /// The defaults are per disk, like ORION's levels of large I/O.
    #[arg(long, value_name = "N,..", value_delimiter = ',', help_heading = REPORTS)]
    pub report_sessions: Vec<u32>,

    /// How a report reads: range or join [default: range]
    ///
    /// range: all rows of a range of blocks. join: two ranges, joined by a hash and sorted on disk.
    #[arg(long, value_name = "HOW", ignore_case = true, hide_possible_values = true, hide_short_help = true, value_parser = words::parser::<ReportBy>(), help_heading = REPORTS)]
    pub report_by: Option<ReportBy>,

    /// Bytes that a report reads, a multiple of 16K from 64K to 1G [default: 8M]
    #[arg(long, value_name = "SIZE", hide_short_help = true, help_heading = REPORTS)]
    pub report_size: Option<Bytes>,

    /// Percentage of the sessions of users that run reports; the others look up rows [default: 0]
    #[arg(long, value_name = "PERCENT", hide_short_help = true, value_parser = clap::value_parser!(u8).range(0..=100), help_heading = REPORTS)]
    pub report_share: Option<u8>,

    /// Combinations of both kinds for normal: detailed, basic, point, col, row or max, as in `rigel run` [default: detailed]
    ///
    /// detailed: all combinations. basic: each kind alone. point: one combination (--num-small look-up and --num-large report sessions). col: --num-small
    /// fixed, reports vary. row: --num-large fixed, look-ups vary. max: all combinations up to both numbers.
    #[arg(long, value_name = "MATRIX", ignore_case = true, hide_possible_values = true, hide_short_help = true, conflicts_with_all = ["sessions", "report_sessions"], value_parser = words::parser::<MatrixShape>(), help_heading = REPORTS)]
    pub matrix: Option<MatrixShape>,

    /// Sessions with look-ups, for the matrices point, col and max
    #[arg(long, value_name = "N", hide_short_help = true, help_heading = REPORTS)]
    pub num_small: Option<u64>,

    /// Sessions with reports, for the matrices point, row and max
    #[arg(long, value_name = "N", hide_short_help = true, help_heading = REPORTS)]
    pub num_large: Option<u64>,
}

/// The queries: the classes, and the points besides each of them alone.
#[derive(Debug, PartialEq)]
pub struct QueryChoice {
    pub classes: Vec<LoadClass>,
    pub points: Vec<Point>,
    pub probe: Probe,
    pub report: ReportBy,
}

impl Words for ReportBy {
    fn all() -> Vec<(&'static str, Self)> {
        Self::ALL.map(|report| (report.name(), report)).into()
    }
}

impl QueryArgs {
    /// The load of a level.
    ///
    /// # Errors
    /// When an option names more sessions than possible.
    pub fn asked(&self, product: Product, level: SqlLevel) -> Result<QueryChoice, Problem> {
        self.check_report_size(product)?;
        self.check_report_by(product)?;
        let bytes = self.report_size.map_or(REPORT_BYTES, |size| size.0);
        let mut asked = QueryChoice {
            classes: vec![
                sql::simple(product, Vec::new()),
                sql::reports(bytes),
                sql::commits(product, Vec::new()),
            ],
            points: self.points(level)?,
            probe: match self.probe {
                Some(Probe::Batch) if product.is_an_index() => Probe::Index,
                Some(probe) => probe,
                None if is_single(level) => Probe::Single,
                None if product.is_an_index() => Probe::Index,
                None => Probe::Batch,
            },
            report: self.report_by.unwrap_or_default(),
        };
        asked.classes.retain(|class| asked.points.iter().any(|point| point.of(class.name) > 0));
        if let [class] = asked.classes.as_mut_slice() {
            class.levels = asked.points.drain(..).map(|point| point.of(class.name)).collect();
        }
        Ok(asked)
    }

    fn points(&self, level: SqlLevel) -> Result<Vec<Point>, Problem> {
        let disks = self.num_disks.unwrap_or(DISKS);
        let small =
            |usual: fn(u32) -> Vec<u32>| session_counts(&self.sessions, "--sessions", || usual(disks));
        let large = |usual: fn(u32) -> Vec<u32>| {
            session_counts(&self.report_sessions, "--report-sessions", || usual(disks))
        };
        let grid = match (level, self.matrix) {
            (SqlLevel::Simple, _) => Grid::around(RunLevel::Oltp, &small(levels::small)?, &[]),
            (SqlLevel::Oltp, _) => Grid::around(RunLevel::Oltp, &small(levels::oltp_small)?, &[]),
            (SqlLevel::Dss, _) => Grid::around(RunLevel::Dss, &[], &large(levels::dss_large)?),
            (SqlLevel::Normal, None) => {
                Grid::around(RunLevel::Normal, &small(levels::small)?, &large(levels::large)?)
            }
            (SqlLevel::Normal, Some(_)) => Grid::new(RunLevel::Advanced, self.shape()?, disks),
            (SqlLevel::Commit, _) => {
                let all = small(|_| COMMITTING.to_vec())?;
                return Ok(all.into_iter().map(|sessions| Point::alone(Class::COMMIT, sessions)).collect());
            }
            (SqlLevel::Users, _) => {
                let all = small(|_| sql::users(MOST_USERS))?;
                return Ok(sql::shared(&all, self.report_share.unwrap_or(0)));
            }
        };
        let pair =
            |point: &Point| Point::alone(Class::SIMPLE, point.small()).with(Class::REPORT, point.large());
        Ok(grid.points.iter().map(pair).collect())
    }

    fn shape(&self) -> Result<MatrixShape, Problem> {
        let Self { matrix, num_small, num_large, .. } = *self;
        let shape =
            shaping::shape(Front::Rigel, &LoadArgs { matrix, num_small, num_large, ..LoadArgs::default() })?;
        let (small, large) = shape.counts();
        for (option, count) in [("--num-small", small), ("--num-large", large)] {
            check_sessions(&count.filter(|count| *count > 0).into_iter().collect::<Vec<_>>(), option)?;
        }
        if shape == (MatrixShape::Point { small: 0, large: 0 }) {
            return Err(Problem::usage("a point without sessions is not a load")
                .at("--matrix")
                .next("give --num-small or --num-large a number above 0"));
        }
        Ok(shape)
    }

    /// Rows of two ranges are joined by their places, which an index does not have.
    fn check_report_by(&self, product: Product) -> Result<(), Problem> {
        if !product.is_an_index() || self.report_by != Some(ReportBy::Join) {
            return Ok(());
        }
        Err(Problem::usage("reports of MySQL and MariaDB cannot join")
            .at("--report-by")
            .because("only PostgreSQL's reports do")
            .next("leave out --report-by: each report reads a range of the table"))
    }

    fn check_report_size(&self, product: Product) -> Result<(), Problem> {
        let (least, most) = REPORT_SIZES;
        let step = 2 * product.block_bytes();
        match self.report_size {
            Some(size) if !(least..=most).contains(&size.0) || !size.0.is_multiple_of(step) => {
                Err(Problem::usage(format!("a report of {size} cannot be made")).at("--report-size").next(
                    format!(
                        "give a multiple of {}K from {} to {}, such as 8M",
                        step / KIB,
                        Bytes(least),
                        Bytes(most)
                    ),
                ))
            }
            _ => Ok(()),
        }
    }
}

/// Whether a program would ask so at this level.
const fn is_single(level: SqlLevel) -> bool {
    matches!(level, SqlLevel::Users | SqlLevel::Commit)
}

fn session_counts(
    given: &[u32],
    option: &'static str,
    usual: impl Fn() -> Vec<u32>,
) -> Result<Vec<u32>, Problem> {
    let mut all = if given.is_empty() { usual() } else { given.to_vec() };
    all.sort_unstable();
    all.dedup();
    check_sessions(&all, option)?;
    Ok(all)
}

fn check_sessions(all: &[u32], option: &'static str) -> Result<(), Problem> {
    match all.iter().find(|level| !(1..=MOST_SESSIONS).contains(*level)) {
        None => Ok(()),
        Some(wrong) => Err(Problem::usage(format!("{wrong} sessions cannot be measured"))
            .at(option)
            .next(format!("give numbers from 1 to {MOST_SESSIONS}, such as 1,4,16"))),
    }
}
