//! The table for commits, with a row for each. It is created for a run and removed after it.
//!
//! Not this table is measured, but the log that makes a commit durable. Must not touch any database except `rigel`.

use crate::mysql::database::Database;
use crate::mysql::table::MARK;
use crate::mysql::{BLOCK_BYTES, failure};
use crate::table::{COMMITS, Ledger, SYNC, Table};
use mysql::prelude::Queryable as _;
use rigel_core::error::Problem;
use rigel_core::load::class::Sync;
use rigel_core::path_text::printable;
use rigel_core::units::MIB;
use std::fs;
use std::path::{Path, PathBuf};

/// Larger than the caches of devices that we know of.
const MOST_BYTES: u64 = 64 * MIB;
const SETTINGS: &str =
    "select @@innodb_flush_log_at_trx_commit, @@innodb_flush_method, @@log_bin, @@sync_binlog";

impl Database {
    /// Makes the table.
    pub fn make_ledger(&mut self) -> Result<Ledger, Problem> {
        let refused = |error| failure::statement("the table of commits cannot be created", &error);
        self.lock()?;
        match self.tables()?.get("commits") {
            Some(mark) if !mark.starts_with(MARK) => {
                return Err(Problem::refused("the table of commits cannot be created")
                    .at(self.address.shown())
                    .because(format!("{COMMITS} lacks Rigel's comment"))
                    .next("remove it yourself and try again; nothing was removed"));
            }
            Some(_) => self.drop_table(COMMITS)?,
            // Refuses a database of others.
            None => drop(self.find_table()?),
        }
        self.client.query_drop("create database if not exists rigel").map_err(refused)?;
        // A key that grows, as that of every row that is appended.
        let make = format!(
            "create table {COMMITS} (id bigint unsigned not null auto_increment primary key, session int not null, \
             number bigint not null) engine=InnoDB comment='{MARK}'"
        );
        self.client.query_drop(make).map_err(refused)?;
        self.hold(COMMITS)?;
        self.client.query_drop("do release_lock('rigel')").map_err(refused)?;
        let told: Option<(u64, String, bool, u64)> = self.client.query_first(SETTINGS).map_err(refused)?;
        let (at_commit, method, is_copied, sync_binlog) = told.unwrap_or_default();
        let file = self.facts.directory.as_deref().and_then(log);
        let bytes =
            file.as_ref().and_then(|file| file.metadata().ok()).map_or(BLOCK_BYTES, |facts| facts.len());
        let log = Table {
            name: COMMITS,
            blocks: u32::try_from(bytes / BLOCK_BYTES).unwrap_or(u32::MAX),
            block_bytes: BLOCK_BYTES,
            index_blocks: None,
            file,
            is_logged: true,
        };
        // A second log that each commit waits for, whose flushes are not among those that are counted.
        let binlog =
            if is_copied { format!(", log_bin on, sync_binlog {sync_binlog}") } else { String::new() };
        let settings = format!(
            "innodb_flush_log_at_trx_commit {at_commit}, innodb_flush_method {}{binlog}",
            printable(&method)
        );
        let sync = if method.eq_ignore_ascii_case("O_DSYNC") { Sync::Dsync } else { SYNC };
        Ok(Ledger { log, is_copied, settings, sync })
    }

    /// Keeps the table small.
    pub fn tidy_ledger(&mut self) {
        let file = self.facts.directory.as_ref().map(|dir| dir.join("rigel").join("commits.ibd"));
        if file.and_then(|file| file.metadata().ok()).is_some_and(|facts| facts.len() > MOST_BYTES) {
            // Whoever may not empty it goes on with it.
            let _ = self.client.query_drop(format!("truncate table {COMMITS}"));
            let _ = self.hold(COMMITS);
        }
    }

    /// Removes it, and the database if nothing else is in it.
    pub fn drop_ledger(&mut self) -> Result<(), Problem> {
        self.lock()?;
        if self.tables()?.get("commits").is_some_and(|mark| mark.starts_with(MARK)) {
            self.drop_table(COMMITS)?;
        }
        self.drop_empty()
    }
}

/// The log file that is being written: that of MariaDB, or the last one of MySQL from version 8.0.30 on.
fn log(dir: &Path) -> Option<PathBuf> {
    let one = dir.join("ib_logfile0");
    if one.is_file() {
        return Some(one);
    }
    let all = fs::read_dir(dir.join("#innodb_redo")).ok()?.flatten().map(|entry| entry.path());
    all.filter(|path| !path.to_string_lossy().ends_with("_tmp")).max()
}
