//! The module of MySQL and MariaDB: client and statements, programs, the rows of a page, the counters of InnoDB.
//!
//! A table of InnoDB is a b-tree by its primary key: a look-up reads the leaf of its row, and the inner pages that the server's own cache did not
//! keep. Must not touch a database but `rigel`.

mod address;
mod cache;
mod database;
mod failure;
mod kit;
mod ledger;
mod programs;
mod prove;
mod session;
mod table;

pub use address::Address;

use crate::private::{Kit, PrivateServer};
use crate::programs::Programs;
use crate::prove::{Progress, ProofFacts, ProofRequest};
use crate::query::Query;
use crate::server::{Door, Home, Opener, Reach, Server, ServerFacts, Words};
use crate::table::{DropOutcome, Ledger, Table, TableSpec};
use database::Database;
use rigel_core::error::Problem;
use rigel_core::load::sql::Product;
use rigel_core::measure::ServerCounts;
use rigel_uses::proof::Proof;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub(crate) const BLOCK_BYTES: u64 = Product::Mysql.block_bytes();

const WORDS: Words = Words {
    cache: "innodb_buffer_pool_size",
    bypass: "innodb_flush_method=O_DIRECT bypasses it",
    small_cache: "innodb_flush_method=O_DIRECT bypasses the page cache",
    to_see_files: "the files in its datadir must be readable, and with MySQL the user needs SELECT on performance_schema.threads",
    home: Home::Database,
    counts_index: true,
    copied: "the commits also go to the server's binary log, and from there to its replicas and backups",
};

/// See the module.
#[derive(Debug)]
pub struct Mysql;

impl Door for Mysql {
    fn words(&self) -> &'static Words {
        &WORDS
    }

    fn reach(&self, dsn: &str) -> Result<Arc<dyn Reach>, Problem> {
        Ok(Arc::new(Address::of_user(dsn)?))
    }

    fn programs(&self, given: Option<&Path>) -> Result<Programs, Problem> {
        programs::find(given)
    }

    fn kit(&self) -> &'static dyn Kit {
        &kit::MysqlKit
    }

    fn proof_facts(&self, table_bytes: u64) -> ProofFacts {
        prove::facts(table_bytes)
    }

    fn prove(
        &self,
        server: &mut PrivateServer,
        wanted: ProofRequest,
        progress: Progress<'_>,
        stop: &AtomicBool,
    ) -> Result<Proof, Problem> {
        prove::prove(server, wanted, progress, stop)
    }
}

impl Reach for Address {
    fn shown(&self) -> &str {
        self.shown()
    }

    fn open(&self, sessions: u32) -> Result<Box<dyn Server>, Problem> {
        Ok(Box::new(Database::open(self.clone(), sessions)?))
    }

    fn knock(&self) -> Result<(), Problem> {
        self.connect().map(drop).map_err(|error| failure::connect(self, &error))
    }
}

impl Server for Database {
    fn place(&self) -> Arc<dyn Reach> {
        Arc::new(self.address.clone())
    }

    fn facts(&self) -> ServerFacts {
        self.facts.clone()
    }

    fn identity(&mut self) -> Result<String, Problem> {
        self.identity()
    }

    fn table(&mut self) -> Result<Option<Table>, Problem> {
        self.find_table()
    }

    fn fill(
        self: Box<Self>,
        wanted: TableSpec,
        progress: &mut dyn FnMut(u64, u64),
        stop: &AtomicBool,
    ) -> Result<(Box<dyn Server>, Table), Problem> {
        let (database, table) = Self::fill(*self, wanted, progress, stop)?;
        Ok((Box::new(database), table))
    }

    fn make_ledger(&mut self) -> Result<Ledger, Problem> {
        self.make_ledger()
    }

    fn tidy_ledger(&mut self) {
        self.tidy_ledger();
    }

    fn drop_ledger(&mut self) -> Result<(), Problem> {
        self.drop_ledger()
    }

    fn drop_tables(&mut self) -> Result<DropOutcome, Problem> {
        self.drop_tables()
    }

    fn push_out(&mut self, table: &Table, part: u32) -> Result<Option<(u64, u64)>, Problem> {
        self.push_out(table, part)
    }

    fn prepare(&mut self, _: &Table, queries: &[Query], is_private: bool) -> Result<(), Problem> {
        queries.iter().try_for_each(|query| session::check(self, *query))?;
        if !is_private && !queries.contains(&Query::Commit) {
            self.prepare_counts();
        }
        Ok(())
    }

    fn opener(&self) -> Opener {
        let (address, flavour) = (self.address.clone(), self.flavour);
        Arc::new(move |query, timeout_ns| session::open(&address, flavour, query, timeout_ns))
    }

    fn counts(&mut self) -> ServerCounts {
        self.counts()
    }

    /// The server knows what a session does only through tables that are off by default and slow every session down.
    fn waits(&mut self, _: &[i32]) -> Option<Vec<(String, u64)>> {
        None
    }
}
