//! The module of PostgreSQL: its client and statements, its programs, the plans that make a look-up one read, its counters; and what only
//! PostgreSQL has: settings proven by experiment, `calibrate_io()`, counters next to production.

pub mod address;
mod counters;
pub mod database;
mod failure;
mod index;
pub mod install;
mod kit;
mod ledger;
mod plan;
mod programs;
pub mod prove;
mod remains;
mod schema;
mod session;
mod table;
mod waits;
pub mod watch;

pub use address::Address;
pub use database::Database;

use crate::private::{Kit, PrivateServer};
use crate::programs::Programs;
use crate::prove::{Progress, ProofFacts, ProofRequest};
use crate::query::Query;
use crate::server::{Door, Home, Opener, Reach, Server, ServerFacts, Words};
use crate::table::{DropOutcome, Ledger, Table, TableSpec};
use rigel_core::error::Problem;
use rigel_core::load::sql::{Probe, Product};
use rigel_core::measure::ServerCounts;
use rigel_uses::proof::Proof;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub(crate) const BLOCK_BYTES: u64 = Product::Postgresql.block_bytes();

const NAME: &str = "PostgreSQL";
const WORDS: Words = Words {
    cache: "shared_buffers",
    bypass: "debug_io_direct=data (since version 16) or a control group with little memory bypasses it",
    small_cache: "PostgreSQL 16 and later bypass the page cache",
    to_see_files: "if /proc does not show its processes, the role also needs pg_read_all_settings or pg_monitor",
    home: Home::Schema,
    counts_index: false,
    copied: "the server archives or replicates its log, including these commits, or keeps it for that",
};

/// See the module.
#[derive(Debug)]
pub struct Postgresql;

impl Door for Postgresql {
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
        &kit::PostgresqlKit
    }

    fn proof_facts(&self, table_bytes: u64) -> ProofFacts {
        prove::facts(table_bytes, self.kit().cache_bytes(prove::SESSIONS))
    }

    fn prove(
        &self,
        server: &mut PrivateServer,
        wanted: ProofRequest,
        progress: Progress<'_>,
        stop: &AtomicBool,
    ) -> Result<Proof, Problem> {
        prove::prove_private(server, wanted, progress, stop)
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
        let facts = self.facts.clone();
        let log = facts.directory.as_ref().map(|dir| dir.join("pg_wal")).filter(|log| log.is_dir());
        ServerFacts {
            words: &WORDS,
            product: NAME,
            version: facts.version,
            block_bytes: BLOCK_BYTES,
            cache_bytes: facts.shared_buffers,
            free_connections: facts.free_connections,
            direct: facts.direct,
            reads_itself: facts.io_method != "worker",
            database: facts.database,
            log: log.or_else(|| facts.directory.clone()),
            directory: facts.directory,
            tables: facts.tables,
            log_bytes: facts.log_bytes,
            beside_bytes: 0,
        }
    }

    fn identity(&mut self) -> Result<String, Problem> {
        self.identity()
    }

    fn table(&mut self) -> Result<Option<Table>, Problem> {
        self.table()
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
        ledger::tidy(&mut self.client);
    }

    fn drop_ledger(&mut self) -> Result<(), Problem> {
        self.drop_ledger()
    }

    fn drop_tables(&mut self) -> Result<DropOutcome, Problem> {
        self.drop_schema()
    }

    fn prepare(&mut self, table: &Table, queries: &[Query], is_private: bool) -> Result<(), Problem> {
        for query in queries {
            plan::check(&mut self.client, self.facts.version_number, *query)?;
        }
        if queries.contains(&Query::LookUp(Probe::Index)) {
            index::warm(self, table)?;
        }
        self.waiting = waits::prepare(&mut self.client);
        self.counting = counters::CounterAccess::prepare(self, is_private, queries);
        // This connection may have filled the table, and the server counts that late.
        session::flush(&mut self.client, self.facts.version_number)
    }

    fn opener(&self) -> Opener {
        let (address, version_number) = (self.address.clone(), self.facts.version_number);
        Arc::new(move |query, timeout_ns| session::open(&address, version_number, query, timeout_ns))
    }

    fn counts(&mut self) -> ServerCounts {
        self.counting.counts(&mut self.client)
    }

    fn waits(&mut self, sessions: &[i32]) -> Option<Vec<(String, u64)>> {
        waits::sample(&mut self.client, self.waiting.as_ref()?, sessions)
    }
}
