//! What a file changes in the store, within the open transaction.
//!
//! Must not begin or end a transaction.

use super::{damaged, of_sqlite};
use rigel_capacity::{Key, Kind, MergeCounts, Table, packed};
use rigel_core::error::Problem;
use rusqlite::{Connection, OptionalExtension as _};
use std::collections::BTreeMap;
use std::path::Path;

/// A change of the store that is not complete yet.
pub struct Change<'a> {
    pub(super) path: &'a Path,
    pub(super) database: &'a Connection,
}

impl Change<'_> {
    /// Adds tables; existing values stay.
    pub fn merge(&self, tables: &BTreeMap<Key, Table>) -> Result<MergeCounts, Problem> {
        let mut merged = MergeCounts::default();
        for (key, table) in tables.iter().filter(|(_, table)| !table.is_empty()) {
            let series = self.asked(|| self.series(key))?;
            for (start, part) in table.blocks(key.source.block_ms()) {
                let mut block = self.block(series, start)?.unwrap_or_default();
                let came = block.merge(&part);
                if came.added > 0 {
                    self.asked(|| self.put(series, start, &block))?;
                }
                merged.add(came);
            }
        }
        Ok(merged)
    }

    /// Puts a table in place of all from a moment on in its block.
    pub fn replace(&self, key: &Key, start_ms: i64, from_ms: i64, table: &Table) -> Result<(), Problem> {
        let series = self.asked(|| self.series(key))?;
        let mut block = self.block(series, start_ms)?.unwrap_or_default().slice(i64::MIN, from_ms);
        block.merge(table);
        if block.is_empty() { Ok(()) } else { self.asked(|| self.put(series, start_ms, &block)) }
    }

    fn asked<T>(&self, ask: impl FnOnce() -> rusqlite::Result<T>) -> Result<T, Problem> {
        ask().map_err(|error| of_sqlite(self.path, &error))
    }

    fn series(&self, key: &Key) -> rusqlite::Result<i64> {
        let Key { host, subject, source } = key;
        let named = (host, subject.kind.name(), &subject.name, &subject.id, source.name());
        let find = "SELECT id FROM capacity_series WHERE host = ?1 AND kind = ?2 AND name = ?3 AND ident = ?4 AND source = ?5";
        let found = self.database.prepare(find)?.query_row(named, |row| row.get(0)).optional()?;
        if let Some(id) = found {
            return Ok(id);
        }
        if let Some(id) = self.nameless(key)? {
            return Ok(id);
        }
        let add = "INSERT INTO capacity_series (host, kind, name, ident, source) VALUES (?1, ?2, ?3, ?4, ?5)";
        self.database.execute(add, named)?;
        Ok(self.database.last_insert_rowid())
    }

    /// A database whose number only one of two files reported; from now on it has that number.
    fn nameless(&self, key: &Key) -> rusqlite::Result<Option<i64>> {
        let Key { host, subject, source } = key;
        if subject.kind != Kind::Database {
            return Ok(None);
        }
        let find = "SELECT id, ident FROM capacity_series WHERE host = ?1 AND kind = ?2 AND name = ?3 AND source = ?4
                    AND (ident = '' OR ?5 = '')";
        let named = (host, subject.kind.name(), &subject.name, source.name(), &subject.id);
        let mut rows = self.database.prepare(find)?;
        let found: Vec<(i64, String)> =
            rows.query_map(named, |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<rusqlite::Result<_>>()?;
        // Two of different numbers under one name leave open which of them it is.
        let [(id, ident)] = found.as_slice() else { return Ok(None) };
        if ident.is_empty() {
            let put = "UPDATE capacity_series SET ident = ?1 WHERE id = ?2";
            self.database.execute(put, (&subject.id, id))?;
        }
        Ok(Some(*id))
    }

    fn block(&self, series: i64, start: i64) -> Result<Option<Table>, Problem> {
        let find = "SELECT data FROM capacity_block WHERE series = ?1 AND start_ms = ?2";
        let found: Option<Vec<u8>> = self
            .asked(|| self.database.prepare(find)?.query_row((series, start), |row| row.get(0)).optional())?;
        found.map(|bytes| packed::unpack(&bytes).ok_or_else(|| damaged(self.path))).transpose()
    }

    fn put(&self, series: i64, start: i64, block: &Table) -> rusqlite::Result<()> {
        let spans = block.spans();
        let (Some(first), Some(last)) = (spans.first(), spans.last()) else { return Ok(()) };
        let covered: i64 = spans.iter().map(|span| i64::from(span.length_ms)).sum();
        let metrics = block.metrics().fold(0_i64, |all, metric| all | 1 << metric.code());
        let rows = i64::try_from(spans.len()).unwrap_or(i64::MAX);
        let put = "INSERT OR REPLACE INTO capacity_block (series, start_ms, first_ms, last_ms, covered_ms, rows, metrics, data)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let values =
            (series, start, first.start_ms, last.end_ms(), covered, rows, metrics, packed::pack(block));
        self.database.prepare(put)?.execute(values).map(drop)
    }
}
