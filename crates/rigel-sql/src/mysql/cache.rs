//! How the rows behind those that are looked up take the place of the table in the buffer pool.
//!
//! InnoDB keeps five eighths of its pool for pages that are used again some time after they were read. What fills an empty pool gets there as well,
//! and look-ups never push it out, because each reads a page once. So the rows behind are read, and read again after that time, in parts that stay
//! until then. Must not change a setting.

use crate::mysql::database::Database;
use crate::mysql::table::{ROWS, behind};
use crate::mysql::{BLOCK_BYTES, failure};
use crate::table::{NAME, Table};
use mysql::prelude::Queryable as _;
use rigel_core::error::Problem;
use rigel_core::units::MIB;
use std::thread;
use std::time::Duration;

/// Parts of the pool: three eighths of it are for what was read once.
const PARTS: u64 = 4;
/// Takes a few seconds, twice.
const MOST_BYTES: u64 = 256 * MIB;
/// A server whose users set more keeps what it has.
const LONGEST_MS: u64 = 10_000;
const OLD_MS: &str = "select @@innodb_old_blocks_time";

impl Database {
    /// Has a part of the rows behind take the place of as many pages, of all bytes of the pool; `None` if there is no such part.
    pub fn push_out(&mut self, table: &Table, part: u32) -> Result<Option<(u64, u64)>, Problem> {
        let pool = self.facts.cache_bytes;
        let Some((first, end)) = keys(pool, table.blocks, part) else { return Ok(None) };
        let ask = format!("select count(v) from {NAME} where id >= {first} and id < {end}");
        if self.number(&ask)? == 0 {
            return Ok(None);
        }
        let old_ms = self.number(OLD_MS)?;
        // At that time, and not before it.
        thread::sleep(Duration::from_millis(if old_ms == 0 { 0 } else { old_ms.min(LONGEST_MS) + 20 }));
        self.number(&ask)?;
        Ok(Some(((end - behind(table.blocks)) / ROWS * BLOCK_BYTES, pool)))
    }

    fn number(&mut self, ask: &str) -> Result<u64, Problem> {
        let told: Result<Option<u64>, _> = self.client.query_first(ask);
        told.map(Option::unwrap_or_default)
            .map_err(|error| failure::statement("the table cannot be read", &error))
    }
}

/// The rows of a part; none beyond the size of the pool.
fn keys(pool_bytes: u64, blocks: u32, part: u32) -> Option<(u64, u64)> {
    let bytes = (pool_bytes / PARTS).clamp(BLOCK_BYTES, MOST_BYTES);
    let rows = bytes / BLOCK_BYTES * ROWS;
    let first = behind(blocks) + u64::from(part) * rows;
    (u64::from(part) * bytes < pool_bytes).then_some((first, first + rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_follow_the_table_up_to_the_size_of_the_pool() {
        let all =
            |pool_bytes| -> Vec<(u64, u64)> { (0..).map_while(|part| keys(pool_bytes, 100, part)).collect() };
        let small = all(128 * MIB);
        assert_eq!((small.len(), small[0], small[3].1), (4, (301, 301 + 3 * 2048), 301 + 3 * 8192));
        assert!(small.windows(2).all(|two| two[0].1 == two[1].0));
        assert_eq!(all(64 * 1024 * MIB).len(), 256, "a part is read in a few seconds");
        assert_eq!(all(0), []);
    }
}
