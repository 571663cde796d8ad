//! The table for look-ups: three rows in each page of the clustered index, and the middle one is looked up.
//!
//! An InnoDB page takes no row larger than half of it, so one row per page is impossible. Of two rows, each is the first or the last one, and for
//! those the search also reads the previous or the next page. Rows are inserted in the order of their keys, which splits no page but the very
//! first: row 0 stays in a page of its own.
//!
//! A server of others is not started again behind the fill, and what went through its own cache last would stay there: pages of new rows push out
//! what was read once. So more rows follow those that are looked up, as many as the cache holds. Statements that make tables are no part of a
//! transaction here: a comment tells a table that is not whole. Must not touch a database but `rigel`.

use crate::mysql::database::{Database, Flavour};
use crate::mysql::{BLOCK_BYTES, failure, session};
use crate::patience::TICK;
use crate::table::{
    COMMITS, DropOutcome, NAME, Table, TableSpec, fill_in_thread, letters, not_finished, unlike,
};
use mysql::Value;
use mysql::prelude::Queryable as _;
use rigel_core::error::{ExitKind, Problem};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The database of all tables of ours: of these products it is what PostgreSQL calls a schema.
pub const HOME: &str = "rigel";
/// Rows in a page.
pub const ROWS: u64 = 3;
/// The first row of the first whole page.
pub const FIRST: u64 = 1;
/// Marks a table as ours.
pub const MARK: &str = "made by Rigel to measure; rigel sql drop removes it";
/// And by what follows as one that a run did not finish.
const UNFINISHED: &str = "; not finished";
/// Otherwise the number of pages looked up follows.
const PAGES: &str = "; pages: ";
/// Bytes of the longest column: three rows fill less than fifteen sixteenths of a page, which is what inserts in order fill, and four more than all.
const PAD_BYTES: usize = 4860;
/// Pages that are sent to the server in one statement.
const AT_ONCE: u32 = 16;
/// Held by whoever creates or removes a table; released with the connection.
const LOCK: &str = "select get_lock('rigel', 5)";
const UNLOCK: &str = "do release_lock('rigel')";
/// Nobody has it, or this connection.
const IS_FREE: &str = "select coalesce(is_used_lock('rigel') = connection_id(), 1)";
/// Keeps others from removing a table until the transaction ends, and nothing else: it reads the current rows, so no old row is kept for it.
const HOLD: &str = "set session transaction isolation level read uncommitted; start transaction";
/// MariaDB writes to pages again once nobody needs the transaction of their rows. Rigel waits while the amount shrinks.
const HISTORY: &str = "show global status like 'Innodb_history_list_length'";
const LITTLE_HISTORY: u64 = 2;
const HISTORY_STANDS: Duration = Duration::from_secs(3);

/// The row of a block that is looked up.
pub fn middle(block: u32) -> u64 {
    rows(block..block.saturating_add(1)).start + 1
}

/// The first row behind those of all blocks that are looked up.
pub fn behind(blocks: u32) -> u64 {
    rows(0..blocks).end
}

/// The rows of a range of blocks.
fn rows(blocks: Range<u32>) -> Range<u64> {
    u64::from(blocks.start) * ROWS + FIRST..u64::from(blocks.end) * ROWS + FIRST
}

impl Database {
    /// The tables in the database that this user may see, each with its comment.
    pub(super) fn tables(&mut self) -> Result<BTreeMap<String, String>, Problem> {
        let ask =
            "select table_name, table_comment from information_schema.tables where table_schema = 'rigel'";
        let rows: Vec<(String, String)> = self
            .client
            .query(ask)
            .map_err(|error| failure::statement("the tables cannot be listed", &error))?;
        Ok(rows.into_iter().collect())
    }

    /// The existing table, which nobody removes while this connection lives; `None` if there is none, or one that was never completed.
    pub fn find_table(&mut self) -> Result<Option<Table>, Problem> {
        let refused = |error| failure::statement("the table cannot be read", &error);
        let all = self.tables()?;
        let Some(mark) = all.get("big") else {
            let is_ours = all.is_empty() || all.values().any(|mark| mark.starts_with(MARK));
            return if is_ours { Ok(None) } else { Err(self.not_ours()) };
        };
        let Some(rest) = mark.strip_prefix(MARK) else { return Err(self.not_ours()) };
        if rest == UNFINISHED {
            let is_free: Option<Option<u8>> = self.client.query_first(IS_FREE).map_err(refused)?;
            return if is_free.flatten() == Some(1) { Ok(None) } else { Err(self.in_use()) };
        }
        let blocks: Option<u32> = rest.strip_prefix(PAGES).and_then(|count| count.parse().ok());
        let blocks = blocks.filter(|blocks| *blocks > 0).ok_or_else(|| unlike("its comment was changed"))?;
        self.hold(NAME)?;
        let last = rows(0..blocks).end - 1;
        let places = BTreeSet::from([0, FIRST, middle(blocks / 2), last]);
        let list = places.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        let ask = format!("select count(*) from {NAME} where id in ({list}) and length(pad) = {PAD_BYTES}");
        let found: Option<u64> = self.client.query_first(ask).map_err(refused)?;
        if found != Some(places.len() as u64) {
            return Err(unlike("rows of it are missing"));
        }
        let file = self.facts.directory.as_ref().map(|dir| dir.join(HOME).join("big.ibd"));
        Ok(Some(Table {
            name: NAME,
            blocks,
            block_bytes: BLOCK_BYTES,
            // Its rows are the leaves of it.
            index_blocks: Some(0),
            file: file.filter(|file| file.is_file()),
            is_logged: true,
        }))
    }

    /// Keeps others from removing this table, as long as this connection neither makes nor removes one.
    pub(super) fn hold(&mut self, name: &str) -> Result<(), Problem> {
        let refused = |error| failure::statement("the table cannot be locked", &error);
        for statement in HOLD.split(';') {
            self.client.query_drop(statement).map_err(refused)?;
        }
        self.client.query_drop(format!("select 1 from {name} limit 1")).map_err(refused)
    }

    /// Waits a moment for whoever creates or removes tables.
    pub(super) fn lock(&mut self) -> Result<(), Problem> {
        let locked: Result<Option<Option<u8>>, _> = self.client.query_first(LOCK);
        match locked.map_err(|error| failure::statement("the table cannot be locked", &error))?.flatten() {
            Some(1) => Ok(()),
            _ => Err(self.in_use()),
        }
    }

    fn in_use(&self) -> Problem {
        failure::in_use().at(self.address.shown())
    }

    pub(super) fn not_ours(&self) -> Problem {
        Problem::refused("the database 'rigel' is not Rigel's")
            .at(self.address.shown())
            .because("its tables lack Rigel's comment")
            .next("rename that database, or measure a private server on the same storage")
    }

    /// Checks that the sessions are available and how rows would be looked up, and fills the table.
    pub fn fill(
        self,
        wanted: TableSpec,
        progress: &mut dyn FnMut(u64, u64),
        stop: &AtomicBool,
    ) -> Result<(Self, Table), Problem> {
        let shown = self.address.shown().to_owned();
        // A statement is short; what takes long behind the last one nobody can end.
        let cancel = Box::new(|| ());
        fill_in_thread(
            self,
            &shown,
            cancel,
            move |database, progress, stop| database.make(&wanted, progress, stop),
            progress,
            stop,
        )
    }

    fn make(
        &mut self,
        wanted: &TableSpec,
        progress: &mut dyn FnMut(u64, u64),
        stop: &AtomicBool,
    ) -> Result<Table, Problem> {
        self.lock()?;
        match self.tables()?.get("big").map(|mark| mark.strip_prefix(MARK)) {
            None => {}
            // Whoever were still filling it would hold the lock.
            Some(Some(UNFINISHED)) => self.drop_table(NAME)?,
            Some(Some(_)) => return Err(self.made_meanwhile()),
            Some(None) => return Err(self.not_ours()),
        }
        self.keep_out_of_log()?;
        let refused = |error| failure::statement("the table cannot be created", &error);
        self.client.query_drop("create database if not exists rigel").map_err(refused)?;
        // A server that looks at pages by itself, for its statistics, would read beside the load.
        let make = format!(
            "create table {NAME} (id bigint unsigned not null primary key, v int not null, \
             pad varchar({PAD_BYTES}) character set latin1 collate latin1_bin not null) \
             engine=InnoDB row_format=dynamic stats_persistent=0 stats_auto_recalc=0 \
             comment='{MARK}{UNFINISHED}'"
        );
        let made = self.client.query_drop(make).map_err(refused);
        made.and_then(|()| self.make_whole(wanted, progress, stop)).map_err(|problem| self.undo(problem))
    }

    fn make_whole(
        &mut self,
        wanted: &TableSpec,
        progress: &mut dyn FnMut(u64, u64),
        stop: &AtomicBool,
    ) -> Result<Table, Problem> {
        let refused = |error| failure::statement("the table cannot be finished", &error);
        session::try_out(self, wanted)?;
        self.insert(wanted, progress, stop)?;
        if !self.address.is_private() {
            self.settle(stop);
        }
        let whole = format!("alter table {NAME} comment='{MARK}{PAGES}{}'", wanted.blocks);
        self.client.query_drop(whole).map_err(refused)?;
        let table = self.find_table()?.ok_or_else(|| unlike("it no longer exists"))?;
        self.client.query_drop(UNLOCK).map_err(refused)?;
        Ok(table)
    }

    /// Nothing is to be left of a table that was not finished. Of a server that is gone, or whose disk is so full that nothing can be removed, the
    /// next run replaces it.
    fn undo(&mut self, problem: Problem) -> Problem {
        let is_left = self.drop_table(NAME).and_then(|()| self.drop_empty()).is_err();
        if !is_left || self.address.is_private() {
            return problem;
        }
        let first = match (problem.kind, &problem.next) {
            (ExitKind::CutShort, _) | (_, None) => "check the server log, and start again once it runs",
            (_, Some(next)) => next.as_str(),
        };
        let next = format!(
            "{first}; the next run replaces the part of the table that is left, and `rigel sql drop` removes it"
        );
        problem.next(next)
    }

    /// The fill is not for replicas or backups, and not every user may leave it out of their log.
    fn keep_out_of_log(&mut self) -> Result<(), Problem> {
        if !self.is_copied {
            return Ok(());
        }
        self.client.query_drop("set session sql_log_bin = 0").map_err(|error| {
            Problem::refused("the table would be copied to the server's binary log and its replicas")
                .at(self.address.shown())
                .because(failure::text(&error))
                .next(
                    "name a user that may leave it out (GRANT BINLOG ADMIN of MariaDB, SESSION_VARIABLES_ADMIN of MySQL), or measure a \
                     private server on the same storage",
                )
        })
    }

    /// Lets the server write the table to storage, so that it does not during measurements. Not every user may.
    fn settle(&mut self, stop: &AtomicBool) {
        let (mut least, mut since) = (u64::MAX, Instant::now());
        while self.flavour == Flavour::Mariadb && since.elapsed() < HISTORY_STANDS {
            let told: Option<(String, u64)> = self.client.query_first(HISTORY).ok().flatten();
            let Some((_, history)) = told.filter(|told| told.1 > LITTLE_HISTORY) else { break };
            if stop.load(Ordering::Relaxed) {
                break;
            }
            if history < least {
                (least, since) = (history, Instant::now());
            }
            thread::sleep(TICK);
        }
        if self.client.query_drop(format!("flush tables {NAME} for export")).is_ok() {
            // It ends with the connection at the latest.
            let _ = self.client.query_drop("unlock tables");
        }
    }

    fn insert(
        &mut self,
        &TableSpec { blocks, seed, .. }: &TableSpec,
        progress: &mut dyn FnMut(u64, u64),
        stop: &AtomicBool,
    ) -> Result<(), Problem> {
        let refused = |error| failure::statement("the table cannot be filled", &error);
        let letters = letters(seed);
        let bytes = |blocks: u32| u64::from(blocks) * BLOCK_BYTES;
        // More than the table has need not be pushed out.
        let behind = u32::try_from(self.facts.beside_bytes / BLOCK_BYTES).unwrap_or(u32::MAX).min(blocks);
        let (mut from, end) = (0, blocks.saturating_add(behind));
        while from < end {
            let to = from.saturating_add(AT_ONCE).min(end);
            let whole = rows(from..to);
            // What is before the first whole page comes with it.
            let all = if from == 0 { 0 } else { whole.start }..whole.end;
            let places = vec!["(?, ?, ?)"; usize::try_from(all.end - all.start).unwrap_or(0)];
            // Kept by the client, so that the server reads each of its few forms once.
            let statement = self.client.prep(format!("insert into {NAME} values {}", places.join(", ")));
            let values: Vec<Value> = all.flat_map(|row| values(row, &letters)).collect();
            self.client.exec_drop(&statement.map_err(refused)?, values).map_err(refused)?;
            progress(bytes(to), bytes(end));
            if stop.load(Ordering::Relaxed) {
                return Err(not_finished(bytes(blocks)));
            }
            from = to;
        }
        Ok(())
    }

    /// It did not exist when this run looked for it.
    fn made_meanwhile(&self) -> Problem {
        Problem::refused(format!("the server now has the table {NAME}"))
            .at(self.address.shown())
            .because("another run created it in the meantime")
            .next("run again without --create-in to measure that table")
    }

    /// Removes our tables, and their database if nothing else is in it.
    pub fn drop_tables(&mut self) -> Result<DropOutcome, Problem> {
        self.lock()?;
        let all = self.tables()?;
        if all.is_empty() {
            return Ok(DropOutcome::Nothing);
        }
        let is_ours = |name: &str| all.get(name).is_some_and(|mark| mark.starts_with(MARK));
        if !["big", "commits"].into_iter().any(is_ours) {
            return Err(self.not_ours());
        }
        // Removing those of commits is logged as making them was.
        if is_ours("commits") {
            self.drop_table(COMMITS)?;
        }
        if is_ours("big") {
            let _ = self.keep_out_of_log();
            self.drop_table(NAME)?;
        }
        self.drop_empty()?;
        let is_left = all.keys().any(|name| !is_ours(name)) || self.has_home()?;
        let _ = self.client.query_drop(UNLOCK);
        Ok(if is_left { DropOutcome::Table } else { DropOutcome::Schema })
    }

    pub(super) fn drop_table(&mut self, name: &str) -> Result<(), Problem> {
        let dropped = self.client.query_drop(format!("drop table if exists {name}"));
        dropped.map_err(|error| match failure::code(&error) {
            Some(failure::LOCK_TIMEOUT) => self.in_use(),
            _ => failure::statement(&format!("the table {name} cannot be removed"), &error),
        })
    }

    /// Removes the database if it contains nothing of any kind.
    pub(super) fn drop_empty(&mut self) -> Result<(), Problem> {
        let refused = |error| failure::statement("the database 'rigel' cannot be removed", &error);
        let ask = "select (select count(*) from information_schema.tables where table_schema = 'rigel') \
            + (select count(*) from information_schema.routines where routine_schema = 'rigel') \
            + (select count(*) from information_schema.events where event_schema = 'rigel')";
        if self.client.query_first::<u64, _>(ask).map_err(refused)? != Some(0) || !self.has_home()? {
            return Ok(());
        }
        // Replicas keep theirs, which is empty as far as it is ours.
        let _ = self.keep_out_of_log();
        self.client.query_drop("drop database if exists rigel").map_err(refused)
    }

    fn has_home(&mut self) -> Result<bool, Problem> {
        let ask = "select count(*) from information_schema.schemata where schema_name = 'rigel'";
        let count: Option<u64> = self
            .client
            .query_first(ask)
            .map_err(|error| failure::statement("the databases cannot be listed", &error))?;
        Ok(count.unwrap_or(0) > 0)
    }
}

/// A row: its number, a number to count, and a pad that neighbours have nothing of.
fn values(row: u64, letters: &[u8]) -> [Value; 3] {
    let own = format!("{row:010}");
    // A stride without a common divisor with the number of places; both fit.
    let places = (letters.len() - PAD_BYTES) as u64;
    let from = usize::try_from(row.wrapping_mul(7919) % places).unwrap_or(0);
    let pad = [own.as_bytes(), &letters[from..from + PAD_BYTES - own.len()]].concat();
    [Value::UInt(row), Value::Int(i64::try_from(row % 1_000_000).unwrap_or(0)), Value::Bytes(pad)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pad(values: &[Value; 3]) -> Vec<u8> {
        match &values[2] {
            Value::Bytes(pad) => pad.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn three_rows_fit_into_a_page_that_is_filled_in_order_and_four_into_none() {
        // Header, directory and trailer of a page; header, hidden columns and fields of a row.
        const PAGE: usize = 16_384 - 38 - 56 - 26 - 8;
        const FOR_UPDATES: usize = 16_384 / 16;
        let row = 5 + 2 + 8 + 6 + 7 + 4 + pad(&values(5, &letters(1))).len();
        assert!(3 * row <= PAGE - FOR_UPDATES - 8 && 4 * row > PAGE && row < 8126, "{row}");
    }

    #[test]
    fn the_row_that_is_looked_up_is_neither_the_first_nor_the_last_of_its_page() {
        assert_eq!((rows(0..1), middle(0)), (1..4, 2));
        assert_eq!((rows(5..7), middle(6)), (16..22, 20));
    }

    #[test]
    fn neighbours_have_pads_of_their_own() {
        let letters = letters(1);
        let [one, next] = [5, 6].map(|row| values(row, &letters));
        assert_eq!((pad(&one).len(), &pad(&one)[..10]), (PAD_BYTES, b"0000000005".as_slice()));
        assert_ne!(pad(&one)[10..200], pad(&next)[10..200]);
        assert_eq!(values(5, &letters), one, "the same seed gives the same rows");
    }
}
