//! A request that goes through a database: raw I/O next to it, and who uses which part of the table.
//!
//! Must not know how a server is reached.

use super::{EngineRequest, Request};
use crate::error::Problem;
use crate::load::class::{Class, LoadClass, Sync};
use crate::load::matrix::Grid;
use crate::load::sides::{Side, Sides};
use crate::load::sql::Product;
use std::ops::Range;

impl Request {
    /// The same queries, alternating with their equivalent without a database: side A reads the files that hold the table, or appends to
    /// a log of its own and makes each write durable by `sync`; side B queries the database. With N sessions, N reads or writes of a
    /// block are outstanding.
    ///
    /// # Errors
    /// When the request cannot have two sides, such as one with a fixed time for each point.
    pub fn beside_raw(self, files: u16, sync: Sync) -> Result<Self, Problem> {
        let product = self.product();
        let engine = EngineRequest::Only(product.engine());
        let sides = Sides { targets_of_a: files, engine, buffered: false };
        let points = Grid::of_own(&self.classes, &self.points()).points;
        let mut request = Self { engine: EngineRequest::Auto, ..self }.in_turns(&points, sides)?;
        let is_raw = |class: &&mut LoadClass| class.side == Some(Side::A);
        for class in request.classes.iter_mut().filter(is_raw) {
            let (levels, side) = (std::mem::take(&mut class.levels), class.side);
            let raw = match class.plain_name() {
                Class::COMMIT => LoadClass::log(class.name, product.log_bytes(), sync, "commits/s"),
                _ => LoadClass::random(class.name, product.block_bytes()),
            };
            *class = LoadClass { levels, side, ..raw };
        }
        // The levels of one disk; how many files the table has says nothing of disks.
        request.num_disks = request.num_disks.or(Some(1));
        request.check()?;
        Ok(request)
    }

    /// The product of its server; the usual one if it uses none.
    pub fn product(&self) -> Product {
        self.sql().map(|sql| sql.product).unwrap_or_default()
    }

    /// The part of a table of this many blocks for look-ups, and that for reports. Next to reports, look-ups have their own part:
    /// what a report left in a cache would answer them.
    pub fn table_parts(&self, blocks: u32) -> [Range<u32>; 2] {
        let has = |class| self.class(class).is_some();
        match (has(Class::SIMPLE), has(Class::REPORT)) {
            (true, true) => [0..blocks / 2, blocks / 2..blocks],
            (_, false) => [0..blocks, blocks..blocks],
            (false, true) => [0..0, 0..blocks],
        }
    }

    /// Whether raw I/O alternates with a database.
    pub const fn is_beside_raw(&self) -> bool {
        !self.through.is_kernel() && self.sides.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::engine::EngineKind;
    use crate::load::class::Pattern;
    use crate::load::matrix::RunLevel;
    use crate::load::pace::{Adaptive, Pace};
    use crate::load::sql::{Probe, ReportBy, ServerChoice, SqlLevel, SqlRequest, commits, reports, simple};
    use crate::load::task::Through;
    use crate::units::Nanos;

    fn request(pace: Pace) -> Request {
        Request {
            classes: vec![simple(Product::Postgresql, vec![1, 16])],
            engine: EngineRequest::Only(EngineKind::Postgres),
            through: Through::Sql(SqlRequest {
                product: Product::Postgresql,
                level: SqlLevel::Simple,
                probe: Probe::Batch,
                report: ReportBy::Range,
                server: ServerChoice::Private,
            }),
            ..Request::new(RunLevel::Sql).paced(pace)
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
        assert_eq!((of_raw.io_bytes(), of_raw.pattern), (8192, Pattern::Random));
        assert!(of_raw.check_block_io().is_ok() && of_sql.check_block_io().is_err());
        let levels =
            |request: &Request| -> Vec<u64> { request.points().iter().map(|point| point.sum()).collect() };
        assert_eq!((levels(&raw), levels(&sql)), (vec![1, 16], vec![1, 16]));
        assert_eq!(found.of_side(Side::B, &["a", "b", "c", "table"]), ["table"]);
    }

    #[test]
    fn beside_reports_look_ups_have_a_part_of_their_own() {
        let mut both = request(Pace::Adaptive(Adaptive::default()));
        assert_eq!(both.table_parts(9), [0..9, 9..9]);
        both.classes.push(LoadClass { levels: vec![2], ..reports(8 << 20) });
        assert_eq!((both.check(), both.table_parts(9)), (Ok(()), [0..4, 4..9]));
        both.classes.remove(0);
        assert_eq!(both.table_parts(9), [0..0, 0..9]);
        let report = &both.classes[0];
        assert_eq!((report.noun(), report.axis()), ("report".to_owned(), "report sessions".to_owned()));
        assert_eq!(report.rate_text(2.0), "16.00 MBPS");
        assert!(report.is_query() && !report.is_block_io() && report.check_block_io().is_err());
    }

    #[test]
    fn commits_are_beside_durable_writes_to_a_log() {
        let mut asked = request(Pace::Adaptive(Adaptive::default()));
        asked.classes = vec![commits(Product::Postgresql, vec![1, 4])];
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
