//! Whether there is room for what a run writes, checked before it writes anything.
//!
//! Must not create anything.

use super::{LEAST_TABLE, LOG_BYTES, PRIVATE, SqlRun, TIMES_CACHES};
use rigel_core::error::Problem;
use rigel_core::path_text;
use rigel_core::units::Bytes;
use rigel_io::targets::scratch::free_bytes;
use rigel_sql::{Server, ServerFacts, door};
use std::path::Path;

impl SqlRun<'_> {
    /// The bytes of the table that may be made.
    pub(super) fn consented(&self, server: &dyn Server) -> Result<u64, Problem> {
        self.check_consent(server, true)?;
        let facts = server.facts();
        let Some(size) = self.source.size else { return self.suits(&facts) };
        let size = self.whole_blocks(size.0);
        self.check_room_there(&facts, size, self.index_bytes(size))?;
        Ok(size)
    }

    /// Refuses a private server that has no room for its table or for the logs of commits, and for this much more.
    pub(super) fn check_room_private(
        &self,
        dir: &Path,
        table_bytes: u64,
        more_bytes: u64,
    ) -> Result<(), Problem> {
        if !self.commits() {
            return check_room(dir, PRIVATE, table_bytes, more_bytes);
        }
        check_room(dir, "a private server with logs of commits", LOG_BYTES + self.raw_log_bytes(), more_bytes)
            .map_err(|problem| {
                problem.next("free some space, or measure in another directory on the same storage")
            })
    }

    /// Refuses a table, and this much more, for which an existing server has no room.
    pub(super) fn check_room_there(
        &self,
        facts: &ServerFacts,
        table_bytes: u64,
        more_bytes: u64,
    ) -> Result<(), Problem> {
        let Some(dir) = &facts.tables else {
            self.room_is_unknown("the table");
            return Ok(());
        };
        // A full disk would end the server for everybody. Its log must still be able to grow.
        let beside = facts.beside_bytes.min(table_bytes);
        let more_bytes = facts.log_bytes.saturating_add(more_bytes).saturating_add(beside);
        check_room(dir, "the table", table_bytes, more_bytes)
    }

    /// The log grows by what is committed, until a checkpoint. A full disk would end the server for everybody.
    pub(super) fn check_log_room(&self, facts: &ServerFacts) -> Result<(), Problem> {
        // It may lie on another disk, in a place that this user cannot see.
        let Some(dir) = &facts.log else {
            self.room_is_unknown("the log of commits");
            return Ok(());
        };
        let room = check_room(dir, "a log of commits", LOG_BYTES, facts.log_bytes);
        room.map_err(|problem| {
            problem.next("free some space, or measure a private server on the same storage")
        })
    }

    fn room_is_unknown(&self, what: &str) {
        self.reporter.remarks(&[format!(
            "it is unknown whether there is space for {what}, and a full disk would stop the server for \
            everyone: its files cannot be read from here; {}",
            door(self.source.product).words().who_sees_files()
        )]);
    }

    /// Four times what the server and its host may keep.
    fn suits(&self, facts: &ServerFacts) -> Result<u64, Problem> {
        let unknown = |why: &str| {
            Problem::usage("the size of the table is required")
                .at("--size")
                .because(why)
                .next("give four times what the server and its host can cache, such as --size 100G")
        };
        let caches = self.caches_there(facts);
        let caches = caches.ok_or_else(|| unknown("the memory of the server's host is unknown here"))?;
        let size = caches.saturating_mul(TIMES_CACHES).max(LEAST_TABLE);
        let tables = facts.tables.as_ref();
        let free = tables.and_then(|dir| free_bytes(dir).ok()).unwrap_or(u64::MAX);
        if size > free / 2 {
            let why = format!("four times its caches is {}, but {} are free", Bytes(size), Bytes(free));
            return Err(unknown(&why));
        }
        Ok(self.whole_blocks(size))
    }
}

/// Refuses a table for which there is no room, with this much more.
pub fn check_room(dir: &Path, what: &str, table_bytes: u64, more_bytes: u64) -> Result<(), Problem> {
    let (free, needed) = (free_bytes(dir)?, table_bytes.saturating_add(more_bytes));
    if needed <= free {
        return Ok(());
    }
    Err(Problem::refused(format!("{what} of {} does not fit", Bytes(table_bytes)))
        .at(path_text::encode(dir))
        .because(format!("{} are needed, but {} are free", Bytes(needed), Bytes(free)))
        .next("free some space, use a smaller table with --size, or measure in another directory or database on the same storage"))
}
