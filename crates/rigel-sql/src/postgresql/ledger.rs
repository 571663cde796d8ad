//! The table for commits, with a row for each. It is created for a run and removed after it.
//!
//! Not this table is measured, but the log that makes a commit durable. Must not touch a schema that is not ours.

use crate::postgresql::BLOCK_BYTES;
use crate::postgresql::database::Database;
use crate::postgresql::failure;
use crate::postgresql::schema::Schema;
use crate::postgresql::table::{COPIED, NAMED, OURS};
use crate::table::{COMMITS, Ledger, SYNC, Table};
use postgres::{Client, GenericClient};
use rigel_core::error::Problem;
use rigel_core::load::class::Sync;
use rigel_core::path_text::printable;
use std::path::Path;

const MAKE: &str = "drop table if exists rigel.commits restrict; \
    create table rigel.commits (session int, number bigint) using heap with (autovacuum_enabled = false)";
/// Whether all tables are published: subscribers have none of this name, and would fail at its first row.
const PUBLISHED: &str = "select exists (select from pg_publication where puballtables)";
const NOT_MADE: &str = "the table of commits cannot be created";
const NOT_REMOVED: &str = "the table of commits cannot be removed";
/// Whether the schema contains nothing of any kind.
const UNUSED: &str = "select not exists (select from pg_depend d join pg_namespace n on n.oid = d.refobjid \
    where d.refclassid = 'pg_namespace'::regclass and n.nspname = 'rigel')";
/// The file of the log that is written now.
const LOG_FILE: &str = "select pg_walfile_name(pg_current_wal_lsn())";
const SETTINGS: &str = "select format('fsync %s, synchronous_commit %s, wal_sync_method %s', current_setting('fsync'), \
    current_setting('synchronous_commit'), current_setting('wal_sync_method')), \
    current_setting('wal_sync_method') like 'open%'";
/// Empties the table once it is larger than the device caches we know of.
const EMPTY: &str =
    "do $$ begin if pg_relation_size('rigel.commits') > 67108864 then truncate rigel.commits; end if; end $$";

impl Database {
    /// Creates the table, and keeps others from removing it while this connection lives.
    ///
    /// # Errors
    /// When the schema or a table of that name belongs to somebody else, all tables are published, the user may not
    /// create the table, or somebody measures.
    pub fn make_ledger(&mut self) -> Result<Ledger, Problem> {
        let refused = |error| failure::statement(NOT_MADE, &error);
        self.lock("pg_advisory_lock")?;
        let before = match Schema::of(&mut self.client)? {
            Schema::Other => return Err(self.not_ours()),
            Schema::Ours | Schema::Shared { .. } => String::new(),
            Schema::None => Schema::None.creation().unwrap_or_default(),
        };
        self.check_unpublished()?;
        let is_copied = self.client.query_one(COPIED, &[]).map_err(refused)?.get(0);
        let mut transaction = self.client.transaction().map_err(refused)?;
        check_ours(&mut transaction, NOT_MADE)?;
        transaction.batch_execute(&format!("{before} {MAKE}")).map_err(refused)?;
        transaction.commit().map_err(refused)?;
        self.lock("pg_advisory_lock_shared")?;
        self.unlock_own()?;
        let name: String = self.client.query_one(LOG_FILE, &[]).map_err(refused)?.get(0);
        let file = self.facts.directory.as_ref().map(|dir| dir.join("pg_wal").join(name));
        let file = file.filter(|file| file.is_file());
        let row = self.client.query_one(SETTINGS, &[]).map_err(refused)?;
        let settings = printable(row.get(0)).into_owned();
        let sync = if row.get::<_, bool>(1) { Sync::Dsync } else { SYNC };
        let log = Table {
            name: COMMITS,
            blocks: file.as_deref().map_or(1, blocks),
            block_bytes: BLOCK_BYTES,
            index_blocks: None,
            file,
            is_logged: true,
        };
        Ok(Ledger { log, is_copied, settings, sync })
    }

    /// Removes it, and the schema of a run if nothing else is in it.
    ///
    /// # Errors
    /// When the table now belongs to somebody else, other objects depend on it, or a run uses it.
    pub fn drop_ledger(&mut self) -> Result<(), Problem> {
        let refused = |error| failure::statement(NOT_REMOVED, &error);
        self.lock("pg_advisory_lock").map_err(|problem| {
            problem.next(format!(
                "once that run has ended, the next `rigel sql commit` removes {COMMITS}, as does `rigel sql drop`"
            ))
        })?;
        let is_of_a_run = Schema::of(&mut self.client)? == Schema::Ours;
        let mut transaction = self.client.transaction().map_err(refused)?;
        check_ours(&mut transaction, NOT_REMOVED)?;
        transaction.batch_execute(&format!("drop table if exists {COMMITS} restrict")).map_err(refused)?;
        if is_of_a_run && transaction.query_one(UNUSED, &[]).map_err(refused)?.get(0) {
            transaction.batch_execute("drop schema rigel restrict").map_err(refused)?;
        }
        transaction.commit().map_err(refused)
    }

    fn check_unpublished(&mut self) -> Result<(), Problem> {
        let row = self.client.query_one(PUBLISHED, &[]);
        if !row.map_err(|error| failure::statement(NOT_MADE, &error))?.get::<_, bool>(0) {
            return Ok(());
        }
        Err(Problem::refused(NOT_MADE)
            .at(self.address.shown())
            .because(format!(
                "a publication of the database {} covers all tables: its subscribers lack {COMMITS}, so their replication would stop",
                self.name()
            ))
            .next("measure commits in another database of the server, or on a private server on the same storage"))
    }
}

/// Refuses to touch what others made under that name.
fn check_ours(client: &mut impl GenericClient, what: &str) -> Result<(), Problem> {
    let ask = format!("select exists (select from {NAMED} ('commits') and not ({OURS}))");
    let row = client.query_one(&ask, &[]).map_err(|error| failure::statement(what, &error))?;
    if !row.get::<_, bool>(0) {
        return Ok(());
    }
    Err(Problem::refused(what)
        .because(format!("{COMMITS} belongs to another user, or is not a table"))
        .next("remove it yourself and try again; nothing was removed"))
}

/// Keeps the table small. A user who may not empty it continues with it.
pub fn tidy(client: &mut Client) {
    let _ = client.batch_execute(EMPTY);
}

fn blocks(file: &Path) -> u32 {
    let bytes = file.metadata().map_or(BLOCK_BYTES, |facts| facts.len());
    u32::try_from(bytes / BLOCK_BYTES).unwrap_or(u32::MAX)
}
