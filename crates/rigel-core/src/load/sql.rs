//! A load that goes through a database: what its sessions ask of which server.
//!
//! Must not know how a server is reached; names and passwords stay out of the record.

use crate::facts::engine::EngineKind;
use crate::load::class::{Class, Figure, LoadClass, Pattern, Sizes};
use crate::load::matrix::Point;
use crate::load::workload::WritePercent;
use serde::{Deserialize, Serialize};

/// A product whose servers can be loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Product {
    /// PostgreSQL.
    #[default]
    Postgresql,
    /// `InnoDB` of MySQL and MariaDB.
    Mysql,
}

crate::named!(Product { Postgresql: "postgresql", Mysql: "mysql" });

impl Product {
    /// Bytes of a block, and so of a look-up: the default of its servers.
    pub const fn block_bytes(self) -> u64 {
        match self {
            Self::Postgresql => 8192,
            Self::Mysql => 16_384,
        }
    }

    /// The product that a connection string names: by its scheme, or by a word that only one of them uses.
    pub fn of_dsn(text: &str) -> Option<Self> {
        let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
        match scheme.as_deref() {
            Some("mysql" | "mariadb") => Some(Self::Mysql),
            Some("postgresql" | "postgres") => Some(Self::Postgresql),
            _ => text.split_whitespace().any(|word| word.starts_with("socket=")).then_some(Self::Mysql),
        }
    }

    /// Bytes of a raw write that represents a commit: a block of the log, or the smallest write of a device.
    pub const fn log_bytes(self) -> u64 {
        match self {
            Self::Postgresql => 8192,
            Self::Mysql => 4096,
        }
    }

    /// Whether rows are in the leaves of an index, so that every look-up uses one.
    pub const fn is_an_index(self) -> bool {
        matches!(self, Self::Mysql)
    }

    /// Its sessions as the engine of a run.
    pub const fn engine(self) -> EngineKind {
        match self {
            Self::Postgresql => EngineKind::Postgres,
            Self::Mysql => EngineKind::Mysql,
        }
    }
}

/// The parameters of a database load.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SqlRequest {
    /// The product of the server.
    #[serde(default)]
    pub product: Product,
    /// The kinds of queries.
    pub level: SqlLevel,
    /// How a simple query finds its row.
    pub probe: Probe,
    /// How a report reads.
    #[serde(default)]
    pub report: ReportBy,
    /// The server to load.
    pub server: ServerChoice,
}

/// The kinds of queries that are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SqlLevel {
    /// Look-ups of single rows.
    Simple,
    /// Look-ups and reports, in all combinations.
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

crate::named!(SqlLevel {
    Simple: "simple",
    Normal: "normal",
    Oltp: "oltp",
    Dss: "dss",
    Users: "users",
    Commit: "commit"
});

/// How simple queries look rows up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Probe {
    /// Many in one statement, by a nested loop: little client overhead, and a latency is the mean of a statement.
    #[default]
    Batch,
    /// One in each statement: every latency is that of one look-up, as a program sees it.
    Single,
    /// Many in one statement, each through a b-tree: includes the cost of the index.
    Index,
}

crate::named!(Probe { Batch: "batch", Single: "single", Index: "index" });

impl Probe {
    /// Whether a statement has many look-ups, so a latency is their mean.
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

crate::named!(ReportBy { Range: "range", Join: "join" });

/// The server to load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerChoice {
    /// One that the run creates and removes.
    Private,
    /// An existing one.
    There,
}

/// The class of simple queries: sessions that look up one row after another, each in a block of its own.
pub fn simple(product: Product, levels: Vec<u32>) -> LoadClass {
    LoadClass {
        sizes: Sizes::None,
        pattern: Pattern::Sessions,
        // Whether they are reads, the counters tell.
        figure: Figure::Rate("look-ups/s".into()),
        levels,
        ..LoadClass::random(Class::SIMPLE, product.block_bytes())
    }
}

/// The class of reports: sessions that read one range of `bytes` after another.
pub fn reports(bytes: u64) -> LoadClass {
    LoadClass { pattern: Pattern::Sessions, figure: Figure::Mbps, ..LoadClass::random(Class::REPORT, bytes) }
}

/// The class of commits: sessions that write a row and wait until it is durable, one transaction after another.
pub fn commits(product: Product, levels: Vec<u32>) -> LoadClass {
    LoadClass {
        sizes: Sizes::None,
        pattern: Pattern::Sessions,
        write_percent: WritePercent::ALL,
        figure: Figure::Rate("commits/s".into()),
        levels,
        ..LoadClass::random(Class::COMMIT, product.block_bytes())
    }
}

/// Numbers of users up to this one, each half of the next, so half of each is measured, too.
pub fn users(most: u32) -> Vec<u32> {
    let mut all = vec![most.max(1)];
    while let Some(next) = all.last().filter(|last| **last > 1).map(|last| last.div_ceil(2)) {
        all.push(next);
    }
    all.reverse();
    all
}

/// The points with this many sessions, this percentage of them with reports.
pub fn shared(sessions: &[u32], report_share: u8) -> Vec<Point> {
    let point = |all: &u32| {
        let part = (u64::from(*all) * u64::from(report_share) + 50) / 100;
        let reports = u32::try_from(part).unwrap_or(*all);
        Point::alone(Class::SIMPLE, all - reports).with(Class::REPORT, reports)
    };
    sessions.iter().map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_string_may_name_its_product() {
        let of = Product::of_dsn;
        assert_eq!(of("mysql://u@h:3306/d").zip(of("MariaDB://u@h")), Some((Product::Mysql, Product::Mysql)));
        assert_eq!(of("socket=/run/s user=u"), Some(Product::Mysql));
        assert_eq!(of("postgresql://u@h/d"), Some(Product::Postgresql));
        assert_eq!(of("host=/run/postgresql dbname=shop"), None);
    }

    #[test]
    fn half_of_each_number_of_users_is_measured_as_well() {
        assert_eq!(users(500), [1, 2, 4, 8, 16, 32, 63, 125, 250, 500]);
        assert_eq!((users(1), users(0)), (vec![1], vec![1]));
        let points = shared(&[1, 4, 5, 20], 10);
        let both = |point: &Point| (point.of(Class::SIMPLE), point.of(Class::REPORT));
        assert_eq!(points.iter().map(both).collect::<Vec<_>>(), [(1, 0), (4, 0), (4, 1), (18, 2)]);
    }
}
