//! The table that is probed: three rows in each page of the clustered index, of which the middle one is looked up.
//!
//! A page of InnoDB takes no row that is larger than half of it, so that one row to a page cannot be. Of two rows each is the first or the last one, and
//! for those its search reads the page before or behind as well. Rows are inserted in the order of their keys, which splits no page but the very
//! first: row 0 stays in a page of its own. Must not touch a database but `rigel`.

use crate::failure::silent;
use crate::mysql::database::Database;
use crate::mysql::{BLOCK_BYTES, failure, session};
use crate::patience::{LongWait, PATIENCE, TICK};
use crate::session::died;
use crate::table::{COMMITS, DropOutcome, NAME, Table, TableSpec, letters, not_finished, unlike, writing};
use mysql::Value;
use mysql::prelude::Queryable as _;
use rigel_core::error::Problem;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;

/// Rows in a page.
const ROWS: u64 = 3;
/// The first row of the first whole page.
const FIRST: u64 = 1;
/// By this the table is known as ours.
const MARK: &str = "made by Rigel to measure; rigel sql drop removes it";
/// Bytes of the longest column: three rows fill less than fifteen sixteenths of a page, which is what inserts in order fill, and four more than all.
const PAD_BYTES: usize = 4860;
/// Pages that are handed to the server at once.
const AT_ONCE: u32 = 16;

/// What comes from the thread that fills a table.
enum FillMessage {
    Bytes(u64, u64),
    Ended(Box<Result<(Database, Table), Problem>>),
}

/// The row of a block that is looked up.
pub fn middle(block: u32) -> u64 {
    rows(block..block.saturating_add(1)).start + 1
}

/// The rows of a range of blocks.
fn rows(blocks: Range<u32>) -> Range<u64> {
    u64::from(blocks.start) * ROWS + FIRST..u64::from(blocks.end) * ROWS + FIRST
}

impl Database {
    /// The table that is there.
    pub fn find_table(&mut self) -> Result<Option<Table>, Problem> {
        let refused = |error| failure::statement("the table cannot be read", &error);
        let ask = "select table_comment from information_schema.tables where table_schema = 'rigel' and table_name = 'big'";
        let Some(mark) = self.client.query_first::<String, _>(ask).map_err(refused)? else { return Ok(None) };
        if mark != MARK {
            return Err(unlike("it lacks Rigel's comment"));
        }
        let last: Option<Option<u64>> =
            self.client.query_first(format!("select max(id) from {NAME}")).map_err(refused)?;
        let last = last.flatten().ok_or_else(|| unlike("it is empty"))?;
        let blocks = u32::try_from((last + 1).saturating_sub(FIRST) / ROWS);
        let blocks = blocks.map_err(|_| unlike("it has too many rows"))?;
        let places = BTreeSet::from([0, FIRST, middle(blocks / 2), last]);
        let list = places.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        let ask = format!("select count(*) from {NAME} where id in ({list}) and length(pad) = {PAD_BYTES}");
        let found: Option<u64> = self.client.query_first(ask).map_err(refused)?;
        if rows(0..blocks).end != last + 1 || found != Some(places.len() as u64) {
            return Err(unlike("rows of it are missing"));
        }
        let file = self.facts.directory.as_ref().map(|dir| dir.join("rigel").join("big.ibd"));
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

    /// Sees whether the sessions can be had and how rows would be looked up, and fills the table.
    pub fn fill(
        mut self,
        wanted: TableSpec,
        progress: &mut dyn FnMut(u64, u64),
        stop: &AtomicBool,
    ) -> Result<(Self, Table), Problem> {
        let (told, hear) = mpsc::channel();
        let shown = self.address.shown().to_owned();
        // A statement is short; what takes long behind the last one nobody can end.
        let mut waiting = LongWait::new(Box::new(|| ()));
        let end = waiting.stopped();
        thread::spawn(move || {
            let mut rows = |done, total| drop(told.send(FillMessage::Bytes(done, total)));
            let made = self.make(&wanted, &mut rows, &end);
            // Nobody hears it any more when it is late.
            let _ = told.send(FillMessage::Ended(Box::new(made.map(|table| (self, table)))));
        });
        while !waiting.is_over() {
            match hear.recv_timeout(TICK) {
                Ok(FillMessage::Ended(made)) => return *made,
                Ok(FillMessage::Bytes(done, total)) => {
                    progress(done, total);
                    waiting.heard(Some(if done == total { writing(total) } else { PATIENCE }));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(died()),
            }
            waiting.heed(stop, PATIENCE);
        }
        Err(silent(&shown, PATIENCE))
    }

    fn make(
        &mut self,
        wanted: &TableSpec,
        progress: &mut dyn FnMut(u64, u64),
        stop: &AtomicBool,
    ) -> Result<Table, Problem> {
        let refused = |error| failure::statement("the table cannot be created", &error);
        self.client.query_drop("create database if not exists rigel").map_err(refused)?;
        let make = format!(
            "create table {NAME} (id bigint unsigned not null primary key, v int not null, \
             pad varchar({PAD_BYTES}) character set latin1 collate latin1_bin not null) \
             engine=InnoDB row_format=dynamic comment='{MARK}'"
        );
        self.client.query_drop(make).map_err(refused)?;
        session::try_out(self, wanted)?;
        self.insert(wanted, progress, stop)?;
        self.find_table()?.ok_or_else(|| unlike("it no longer exists"))
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
        let mut from = 0;
        while from < blocks {
            let to = (from + AT_ONCE).min(blocks);
            let whole = rows(from..to);
            // What is before the first whole page comes with it.
            let all = if from == 0 { 0 } else { whole.start }..whole.end;
            let places = vec!["(?, ?, ?)"; usize::try_from(all.end - all.start).unwrap_or(0)];
            // Kept by the client, so that the server reads each of its few forms once.
            let statement = self.client.prep(format!("insert into {NAME} values {}", places.join(", ")));
            let values: Vec<Value> = all.flat_map(|row| values(row, &letters)).collect();
            self.client.exec_drop(&statement.map_err(refused)?, values).map_err(refused)?;
            progress(bytes(to), bytes(blocks));
            if stop.load(Ordering::Relaxed) {
                return Err(not_finished(bytes(blocks)));
            }
            from = to;
        }
        Ok(())
    }

    /// Removes the tables of ours, and their database when nothing else is in it.
    pub fn drop_tables(&mut self) -> Result<DropOutcome, Problem> {
        let refused = |error| failure::statement("the database of Rigel's table cannot be dropped", &error);
        let count = "select count(*) from information_schema.tables where table_schema = 'rigel'";
        if self.client.query_first::<u64, _>(count).map_err(refused)?.unwrap_or(0) == 0 {
            return Ok(DropOutcome::Nothing);
        }
        self.find_table()?;
        self.client.query_drop(format!("drop table if exists {NAME}, {COMMITS}")).map_err(refused)?;
        if self.client.query_first::<u64, _>(count).map_err(refused)?.unwrap_or(0) > 0 {
            return Ok(DropOutcome::Table);
        }
        self.client.query_drop("drop database rigel").map_err(refused)?;
        Ok(DropOutcome::Schema)
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
