//! The table that commits go to: a row for each. It is made for a run and removed behind it.
//!
//! What is measured is not this table but the log that makes a commit durable. Must not touch a database but `rigel`.

use crate::mysql::database::Database;
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
const SETTINGS: &str = "select @@innodb_flush_log_at_trx_commit, @@innodb_flush_method, @@log_bin";

impl Database {
    /// Makes the table.
    pub fn make_ledger(&mut self) -> Result<Ledger, Problem> {
        let refused = |error| failure::statement("the table of commits cannot be created", &error);
        self.client.query_drop("create database if not exists rigel").map_err(refused)?;
        self.client.query_drop(format!("drop table if exists {COMMITS}")).map_err(refused)?;
        // A key that grows, as that of every row that is appended.
        let make = format!(
            "create table {COMMITS} (id bigint unsigned not null auto_increment primary key, session int not null, \
             number bigint not null) engine=InnoDB"
        );
        self.client.query_drop(make).map_err(refused)?;
        let told: Option<(u64, String, bool)> = self.client.query_first(SETTINGS).map_err(refused)?;
        let (at_commit, method, is_copied) = told.unwrap_or_default();
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
        let settings =
            format!("innodb_flush_log_at_trx_commit {at_commit}, innodb_flush_method {}", printable(&method));
        let sync = if method.eq_ignore_ascii_case("O_DSYNC") { Sync::Dsync } else { SYNC };
        Ok(Ledger { log, is_copied, settings, sync })
    }

    /// Keeps the table small.
    pub fn tidy_ledger(&mut self) {
        let file = self.facts.directory.as_ref().map(|dir| dir.join("rigel").join("commits.ibd"));
        if file.and_then(|file| file.metadata().ok()).is_some_and(|facts| facts.len() > MOST_BYTES) {
            // Whoever may not empty it goes on with it.
            let _ = self.client.query_drop(format!("truncate table {COMMITS}"));
        }
    }

    /// Removes it.
    pub fn drop_ledger(&mut self) -> Result<(), Problem> {
        let dropped = self.client.query_drop(format!("drop table if exists {COMMITS}"));
        dropped.map_err(|error| failure::statement("the table of commits cannot be removed", &error))
    }
}

/// The file of the log that is written now: that of MariaDB, or the last one of MySQL from version 8.0.30 on.
fn log(dir: &Path) -> Option<PathBuf> {
    let one = dir.join("ib_logfile0");
    if one.is_file() {
        return Some(one);
    }
    let all = fs::read_dir(dir.join("#innodb_redo")).ok()?.flatten().map(|entry| entry.path());
    all.filter(|path| !path.to_string_lossy().ends_with("_tmp")).max()
}
