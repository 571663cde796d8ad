//! The table for look-ups: a row in each block, in the schema `rigel`.
//!
//! The rows are copied frozen in the transaction that creates the table, so reading them later writes nothing: no hint bits, no vacuum. Only that
//! transaction may do so, which is why one session fills it. Must not touch a schema that is not ours.

pub(crate) mod standing;

use crate::postgresql::BLOCK_BYTES;
use crate::postgresql::database::Database;
use crate::postgresql::schema::Schema;
use crate::postgresql::{failure, index, plan, session};
use crate::query::Query;
use crate::table::{DropOutcome, NAME, Table, TableSpec, fill_in_thread, letters, not_finished, unlike};
use postgres::error::SqlState;
use postgres::{Client, Transaction};
use rigel_core::error::Problem;
use rigel_core::load::sql::Probe;
use standing::OpenTransaction;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

const AS_IT_IS: &str = "table rigel.big (id int, v int, pad text) using heap with (autovacuum_enabled = false); \
    alter table rigel.big alter pad set storage plain";
/// Whether what is logged goes to a replica or an archive, or is kept for one: then the table is not logged.
/// Otherwise it is, and survives a killed server.
pub(crate) const COPIED: &str = "select current_setting('archive_mode') <> 'off' or current_setting('wal_keep_size') <> '0' \
    or exists (select from pg_replication_slots) or exists (select from pg_stat_replication)";
/// The relations of these names, and whether one is a table of ours.
pub(crate) const NAMED: &str =
    "pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'rigel' and c.relname in";
pub(crate) const OURS: &str = "c.relkind = 'r' and pg_get_userbyid(c.relowner) = current_user";
/// What an experiment on settings and a run of commits have there instead.
const OF_OTHERS: &str = "rigel.proof, rigel.proof_sweep, rigel.commits";
/// Runs that measure share this lock of the database; whoever creates or removes the table has it exclusively.
const LOCK: i64 = 0x72_6967_656c;
/// Nothing of ours waits longer for a lock.
const LOCK_TIMEOUT: &str = "set lock_timeout = '5s'";
/// Bytes that make a row fill more than half of a block.
const PAD_BYTES: usize = 7900;
/// A server extends a table by this many blocks in one step (from version 16 on): fewer of them may stay empty after the last row.
const EXTENDED_BY: u32 = 64;
/// Rows that are sent to the server in one statement.
const AT_ONCE: u32 = 32;
/// `PGCOPY`, then no flags and no extension of the header (the manual of COPY).
pub const BEGIN: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
/// The end of that form.
pub const END: &[u8] = &(-1_i16).to_be_bytes();

impl Database {
    /// The existing table, which nobody removes while this connection lives; `None` if there is none of ours.
    ///
    /// # Errors
    /// When the schema belongs to somebody else, or the table is not as Rigel creates it.
    pub fn table(&mut self) -> Result<Option<Table>, Problem> {
        self.lock("pg_advisory_lock_shared")?;
        match Schema::of(&mut self.client)? {
            Schema::None | Schema::Shared { has_tables: false } => Ok(None),
            Schema::Other => Err(self.not_ours()),
            Schema::Ours | Schema::Shared { has_tables: true } => self.look().map(Some),
        }
    }

    /// Checks that the sessions are available, creates the schema, checks how rows would be looked up, and fills the
    /// table. `progress` receives the bytes done and the total.
    ///
    /// # Errors
    /// When the user may not create it, the disk is full, or `stop` was set; nothing is left of it then. Also when the server does not answer.
    pub fn fill(
        self,
        wanted: TableSpec,
        progress: &mut dyn FnMut(u64, u64),
        stop: &AtomicBool,
    ) -> Result<(Self, Table), Problem> {
        let (shown, cancel) = (self.address.shown().to_owned(), self.cancel());
        fill_in_thread(
            self,
            &shown,
            cancel,
            move |database, progress, stop| database.make(wanted, progress, stop),
            progress,
            stop,
        )
    }

    fn make(
        &mut self,
        wanted: TableSpec,
        progress: &mut dyn FnMut(u64, u64),
        stop: &AtomicBool,
    ) -> Result<Table, Problem> {
        let TableSpec { blocks, sessions, timeout_ns, .. } = wanted;
        let version_number = self.facts.version_number;
        let query = wanted.queries.first().copied().unwrap_or(Query::LookUp(Probe::Batch));
        session::try_out(&self.address, (version_number, query), timeout_ns, sessions)?;
        // Two that only share it would wait for each other.
        self.unlock("pg_advisory_unlock_all()")?;
        self.lock("pg_advisory_lock")?;
        let found = Schema::of(&mut self.client)?;
        let Some(creation) = found.creation() else {
            return Err(if found == Schema::Other { self.not_ours() } else { self.made_meanwhile() });
        };
        let refused = |error| failure::statement("the table cannot be created", &error);
        let mut transaction = self.client.transaction().map_err(refused)?;
        let is_copied: bool = transaction.query_one(COPIED, &[]).map_err(refused)?.get(0);
        let unlogged = if is_copied { "unlogged " } else { "" };
        let make = format!("{creation} create {unlogged}{AS_IT_IS}");
        transaction.batch_execute(&make).map_err(refused)?;
        let by_index = wanted.queries.contains(&Query::LookUp(Probe::Index));
        if by_index {
            // Seen with an empty one, which is made again from all rows at once: that is far faster than row by row, and its blocks are full.
            transaction.batch_execute(index::MAKE).map_err(refused)?;
        }
        for query in &wanted.queries {
            plan::check(&mut transaction, version_number, *query)?;
        }
        if by_index {
            transaction.batch_execute(index::REMOVE).map_err(refused)?;
        }
        let standing = OpenTransaction::of(&mut transaction, &self.address)?;
        copy(&mut transaction, standing, &wanted, (progress, stop))?;
        if by_index {
            transaction.batch_execute(index::MAKE).map_err(|error| not_filled(&error, blocks, stop))?;
        }
        transaction.commit().map_err(refused)?;
        self.lock("pg_advisory_lock_shared")?;
        self.unlock_own()?;
        let table = self.look()?;
        // So that nothing is written later on because of it. The user may have no right to it, or end it.
        let _ = self.client.batch_execute("checkpoint");
        if table.blocks == blocks { Ok(table) } else { Err(unlike("its rows are in other blocks")) }
    }

    /// Removes the table and its schema, and nothing that others created. A schema with `calibrate_io()` stays.
    ///
    /// # Errors
    /// When it belongs to somebody else, is being measured, others have added to it or changed it, or the user may not.
    pub fn drop_schema(&mut self) -> Result<DropOutcome, Problem> {
        let refused = |error| failure::statement("the schema rigel cannot be dropped", &error);
        self.lock("pg_advisory_lock")?;
        let mut transaction = self.client.transaction().map_err(refused)?;
        let (more, gone) = match Schema::of(&mut transaction)? {
            Schema::Ours => ("; drop schema rigel restrict", DropOutcome::Schema),
            Schema::Shared { has_tables: true } => ("", DropOutcome::Table),
            Schema::None | Schema::Shared { has_tables: false } => return Ok(DropOutcome::Nothing),
            Schema::Other => {
                drop(transaction);
                return Err(self.not_ours());
            }
        };
        let others = transaction
            .query(
                &format!(
                    "select c.relname::text from {NAMED} ('big', 'proof', 'proof_sweep', 'commits') and not ({OURS})"
                ),
                &[],
            )
            .map_err(refused)?;
        if let Some(row) = others.first() {
            let name: &str = row.get(0);
            return Err(Problem::refused("the schema rigel cannot be dropped")
                .because(format!("rigel.{name} belongs to another user, or is not a table"))
                .next("remove it yourself and try again; nothing was removed"));
        }
        let dropped =
            transaction.batch_execute(&format!("drop table if exists {NAME}, {OF_OTHERS} restrict{more}"));
        dropped.and_then(|()| transaction.commit()).map(|()| gone).map_err(|error| in_the_way(&error))
    }

    /// The connection, which alone may make tables in the schema now, and the statements before those for a table.
    pub(crate) fn for_making(&mut self) -> Result<(&mut Client, String), Problem> {
        self.lock("pg_advisory_lock")?;
        let Some(creation) = Schema::of(&mut self.client)?.creation() else {
            return Err(Problem::refused(format!("the database {} already has a schema rigel", self.name()))
                .at(self.address.shown())
                .because("the experiment creates its own and removes it")
                .next(
                    "if it is Rigel's, remove it first with `rigel sql drop`; otherwise name another database",
                ));
        };
        Ok((&mut self.client, creation))
    }

    pub(crate) fn lock(&mut self, function: &str) -> Result<(), Problem> {
        let locked = self.client.batch_execute(&format!("{LOCK_TIMEOUT}; select {function}({LOCK})"));
        locked.map_err(|error| match error.code() {
            Some(code) if *code == SqlState::LOCK_NOT_AVAILABLE => {
                Problem::refused(format!("{NAME} is in use"))
                    .at(self.address.shown())
                    .because("another run is measuring, creating or removing it")
                    .next("wait until that run has ended")
            }
            _ => failure::statement("the table cannot be locked", &error),
        })
    }

    /// Shares again what was locked exclusively.
    pub(crate) fn unlock_own(&mut self) -> Result<(), Problem> {
        self.unlock(&format!("pg_advisory_unlock({LOCK})"))
    }

    fn unlock(&mut self, call: &str) -> Result<(), Problem> {
        let unlocked = self.client.batch_execute(&format!("select {call}"));
        unlocked.map_err(|error| failure::statement("the table cannot be unlocked", &error))
    }

    pub(crate) fn not_ours(&self) -> Problem {
        Problem::refused(format!("the schema rigel of the database {} is not Rigel's", self.name()))
            .at(self.address.shown())
            .because("it lacks Rigel's comment, or belongs to a user other than the connection's")
            .next("name another database, or rename that schema")
    }

    /// It did not exist when this run looked for it.
    fn made_meanwhile(&self) -> Problem {
        Problem::refused(format!("the database {} now has the table {NAME}", self.name()))
            .at(self.address.shown())
            .because("another run created it in the meantime")
            .next("run again without --create-in to measure that table")
    }

    fn look(&mut self) -> Result<Table, Problem> {
        let refused = |error| failure::statement("the table cannot be read", &error);
        let row = self
            .client
            .query_opt(
                &format!(
                    "select pg_relation_size(c.oid), pg_relation_filepath(c.oid), c.relpersistence <> 'u' \
                    from {NAMED} ('big') and {OURS}"
                ),
                &[],
            )
            .map_err(refused)?
            .ok_or_else(|| unlike("it does not exist, or belongs to another user"))?;
        let bytes = u64::try_from(row.get::<_, i64>(0)).unwrap_or(0);
        let end = u32::try_from(bytes / BLOCK_BYTES).map_err(|_| unlike("it has too many blocks"))?;
        let (path, is_logged): (Option<String>, bool) = (row.get(1), row.get(2));
        if end == 0 {
            return Err(if is_logged { unlike("it is empty") } else { emptied() });
        }
        let mut looked_at = |places: &[u32]| {
            with_rows(&mut self.client, places).map_err(|error| match error.code() {
                Some(code) if *code == SqlState::UNDEFINED_COLUMN => unlike("it has other columns"),
                _ => refused(error),
            })
        };
        let behind: Vec<u32> = (end.saturating_sub(EXTENDED_BY)..end).collect();
        let last = looked_at(&behind)?.into_iter().max();
        let last = last.ok_or_else(|| unlike("its last blocks have no rows"))?;
        let mut places = [0, last / 2, last].to_vec();
        places.dedup();
        if looked_at(&places)?.len() != places.len() {
            return Err(unlike("a block of it has no row"));
        }
        let blocks = last + 1;
        let directory = self.facts.directory.as_ref();
        let file = directory.zip(path).map(|(dir, path)| dir.join(path)).filter(|file| file.is_file());
        let index_blocks = index::look(&mut self.client).map_err(refused)?;
        Ok(Table { name: NAME, blocks, block_bytes: BLOCK_BYTES, index_blocks, file, is_logged })
    }
}

/// Names what others made of the table or added to the schema.
fn in_the_way(error: &postgres::Error) -> Problem {
    let problem = failure::statement("the schema rigel cannot be dropped", error);
    let depends = error.code() == Some(&SqlState::DEPENDENT_OBJECTS_STILL_EXIST);
    match error.as_db_error().and_then(|told| told.detail()).filter(|_| depends) {
        None => problem,
        Some(detail) => {
            let detail: Vec<String> =
                detail.lines().map(|line| rigel_core::path_text::printable(line).into_owned()).collect();
            problem
                .because(detail.join("; "))
                .next("remove or move those yourself and try again; nothing was removed")
        }
    }
}

fn with_rows(client: &mut Client, blocks: &[u32]) -> Result<Vec<u32>, postgres::Error> {
    let places: Vec<String> = blocks.iter().map(|block| format!("\"({block},1)\"")).collect();
    let all = format!("{{{}}}", places.join(","));
    let found = client.query(
        &format!("select (ctid::text::point)[0]::int8 from {NAME} where ctid = any($1::text::tid[]) and length(pad) > 0 and v is not null"),
        &[&all],
    )?;
    Ok(found.iter().filter_map(|row| u32::try_from(row.get::<_, i64>(0)).ok()).collect())
}

fn emptied() -> Problem {
    Problem::refused(format!("the table {NAME} is empty"))
        .because("the server crashed or was killed, and the table is unlogged")
        .next(
            "remove it with `rigel sql drop`, and start a new run, which creates a new one; runs on the old \
             table cannot be resumed",
        )
}

/// Copies the rows, each with its own padding.
fn copy(
    transaction: &mut Transaction<'_>,
    mut standing: OpenTransaction,
    &TableSpec { blocks, seed, .. }: &TableSpec,
    (progress, stop): (&mut dyn FnMut(u64, u64), &AtomicBool),
) -> Result<(), Problem> {
    let refused = |error: &postgres::Error| not_filled(error, blocks, stop);
    let statement = format!("copy {NAME} from stdin (format binary, freeze)");
    let mut server = transaction.copy_in(&statement).map_err(|error| refused(&error))?;
    let letters = letters(seed);
    let mut bytes = BEGIN.to_vec();
    for row in 0..blocks {
        put_row(&mut bytes, row, &letters);
        if (row + 1) % AT_ONCE != 0 && row + 1 != blocks {
            continue;
        }
        if row + 1 == blocks {
            bytes.extend_from_slice(END);
        }
        server.write_all(&bytes).map_err(|error| not_sent(&error, blocks, stop))?;
        bytes.clear();
        if standing.is_over() {
            // The end of the rows is answered with what went wrong.
            break;
        }
        progress(u64::from(row + 1) * BLOCK_BYTES, u64::from(blocks) * BLOCK_BYTES);
        if stop.load(Ordering::Relaxed) {
            return Err(ended(blocks));
        }
    }
    server.finish().map(drop).map_err(|error| refused(&error))
}

fn not_sent(error: &std::io::Error, blocks: u32, stop: &AtomicBool) -> Problem {
    match error.get_ref().and_then(|inner| inner.downcast_ref()) {
        Some(told) => not_filled(told, blocks, stop),
        None => Problem::refused("the table cannot be filled").because(error.to_string()),
    }
}

/// The server's message when it did not take all rows, or did not index them.
fn not_filled(error: &postgres::Error, blocks: u32, stop: &AtomicBool) -> Problem {
    match error.code() {
        Some(code) if *code == SqlState::QUERY_CANCELED && stop.load(Ordering::Relaxed) => ended(blocks),
        _ => failure::statement("the table cannot be filled", error),
    }
}

fn ended(blocks: u32) -> Problem {
    not_finished(u64::from(blocks) * BLOCK_BYTES)
}

/// A row in the binary form: the count of its fields, then each with its length.
fn put_row(bytes: &mut Vec<u8>, row: u32, letters: &[u8]) {
    let number = row.cast_signed().to_be_bytes();
    bytes.extend_from_slice(&3_i16.to_be_bytes());
    for _ in 0..2 {
        bytes.extend_from_slice(&4_i32.to_be_bytes());
        bytes.extend_from_slice(&number);
    }
    // A stride without a common divisor with the number of places, so that neighbours have nothing in common.
    let from = (row as usize).wrapping_mul(7919) % (letters.len() - PAD_BYTES);
    let own = format!("{row:010}");
    let length = i32::try_from(PAD_BYTES).unwrap_or(i32::MAX);
    bytes.extend_from_slice(&length.to_be_bytes());
    bytes.extend_from_slice(own.as_bytes());
    bytes.extend_from_slice(&letters[from..from + PAD_BYTES - own.len()]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_takes_more_than_half_of_a_block_and_fits_into_one() {
        let letters = letters(1);
        let mut bytes = Vec::new();
        put_row(&mut bytes, 5, &letters);
        assert_eq!(bytes.len(), 2 + 8 + 8 + 4 + PAD_BYTES);
        // Header of a block and of a row, an item, the fields with the length of the pad.
        let in_block = 24 + 4 + (24 + 4 + 4 + 4 + PAD_BYTES).next_multiple_of(8);
        assert!(in_block <= 8192 && 2 * (in_block - 24) > 8192 - 24, "{in_block}");
        assert_eq!(&bytes[..10], [0, 3, 0, 0, 0, 4, 0, 0, 0, 5]);
        let mut next = Vec::new();
        put_row(&mut next, 6, &letters);
        assert_ne!(bytes[40..200], next[40..200]);
        assert!(bytes[22..].iter().all(u8::is_ascii));
    }
}
