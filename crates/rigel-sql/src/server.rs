//! The interface between what every database shares and the module of one product: facts about a server, the table in it, its sessions, its
//! counters, and the cleanup.
//!
//! Schedule, bench, counters of the kernel, raw I/O beside SQL and everything above know only these traits. A product is a [`Door`], in the table
//! of [`door`]. Must not name a statement of any product.

use crate::failure::{DATABASE, Leftover, SCHEMA};
use crate::mysql;
use crate::postgresql;
use crate::private::{Kit, PrivateServer};
use crate::programs::Programs;
use crate::prove::{Progress, ProofFacts, ProofRequest};
use crate::query::Query;
use crate::table::{DropOutcome, Ledger, Table, TableSpec};
use rigel_core::error::Problem;
use rigel_core::load::sql::Product;
use rigel_core::measure::ServerCounts;
use rigel_core::path_text::printable;
use rigel_uses::proof::Proof;
use rustix::process::geteuid;
use std::fmt::Debug;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The room of a product.
pub fn door(product: Product) -> &'static dyn Door {
    match product {
        Product::Postgresql => &postgresql::Postgresql,
        Product::Mysql => &mysql::Mysql,
    }
}

/// What a room offers to those above.
pub trait Door: Sync {
    /// What to call things.
    fn words(&self) -> &'static Words;

    /// The server that a connection string names.
    ///
    /// # Errors
    /// When it is none, or asks for what the client cannot do.
    fn reach(&self, dsn: &str) -> Result<Arc<dyn Reach>, Problem>;

    /// The newest programs of this host, or those of a directory.
    ///
    /// # Errors
    /// When there are none that can be started.
    fn programs(&self, given: Option<&Path>) -> Result<Programs, Problem>;

    /// How a private server is made and started.
    fn kit(&self) -> &'static dyn Kit;

    /// What the experiment on settings takes, with a table of that size.
    fn proof_facts(&self, table_bytes: u64) -> ProofFacts;

    /// Settings proven on a private server that was made and not started.
    ///
    /// # Errors
    /// When it refuses something or does not answer, or `stop` was set.
    fn prove(
        &self,
        server: &mut PrivateServer,
        wanted: ProofRequest,
        progress: Progress<'_>,
        stop: &AtomicBool,
    ) -> Result<Proof, Problem>;
}

/// What things are called.
#[derive(Debug)]
pub struct Words {
    /// Its own cache, as its settings have it.
    pub cache: &'static str,
    /// How a server that is there keeps the page cache out of the way.
    pub bypass: &'static str,
    /// What helps where nothing keeps the page cache of a private server small.
    pub small_cache: &'static str,
    /// What it takes to see the files of a server of others, beside its host, for root.
    pub to_see_files: &'static str,
    /// What the tables are in.
    pub home: Home,
    /// It counts blocks of an index, through which every look-up goes, together with those of the table.
    pub counts_index: bool,
    /// Where commits go besides, on a server that copies what is logged.
    pub copied: &'static str,
}

/// What the tables of ours are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// A schema of the database of the connection.
    Schema,
    /// A database of its own.
    Database,
}

impl Home {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Schema => "the schema rigel",
            Self::Database => "the database rigel",
        }
    }

    /// Why it stays when the tables go.
    pub const fn stays(self) -> &'static str {
        match self {
            Self::Schema => "it contains calibrate_io()",
            Self::Database => "others have objects in it",
        }
    }

    /// What may be left of it when a server does not answer.
    pub const fn left(self) -> &'static Leftover {
        match self {
            Self::Schema => &SCHEMA,
            Self::Database => &DATABASE,
        }
    }
}

/// What a server is.
#[derive(Clone, Debug)]
pub struct ServerFacts {
    /// What to call things.
    pub words: &'static Words,
    /// What its makers call it.
    pub product: &'static str,
    /// Such as `15.14`.
    pub version: String,
    /// Bytes of a block.
    pub block_bytes: u64,
    /// Its own cache.
    pub cache_bytes: u64,
    /// Sessions that it has room for beside those that are there.
    pub free_connections: u32,
    /// It bypasses the page cache when it reads tables.
    pub direct: bool,
    /// Who serves a session reads for it; otherwise workers of the server do.
    pub reads_itself: bool,
    /// The database of the connection.
    pub database: String,
    /// Its files, when they are on this host, and the server or `/proc` says where.
    pub directory: Option<PathBuf>,
    /// Where new tables are made, when the files are on this host.
    pub tables: Option<PathBuf>,
    /// Where its log is, as far as this user can see; else the directory of its files.
    pub log: Option<PathBuf>,
    /// What its log may take, as long as nobody holds it back.
    pub log_bytes: u64,
    /// What a new table takes beside its own size at most.
    pub beside_bytes: u64,
}

impl Words {
    /// What it takes to see the files of a server, for those who do not.
    pub fn who_sees_files(&self) -> String {
        if geteuid().is_root() {
            format!("on the server's host they can, unless it runs in a container; {}", self.to_see_files)
        } else {
            "on its host they can, as root or as the server's user".to_owned()
        }
    }
}

impl ServerFacts {
    /// The name of the database, for people.
    pub fn database_name(&self) -> String {
        printable(&self.database).into_owned()
    }

    /// Who has what the tables are in: `the database shop has no schema rigel`.
    pub fn has_none(&self) -> String {
        match self.words.home {
            Home::Schema => format!("the database {} has no schema rigel", self.database_name()),
            Home::Database => "the server has no database rigel".to_owned(),
        }
    }

    /// `the schema rigel with ({what}) would be created in the database shop`.
    pub fn would_have(&self, what: &str) -> String {
        let home = self.words.home.name();
        match self.words.home {
            Home::Schema => {
                format!("{home} with {what} would be created in the database {}", self.database_name())
            }
            Home::Database => format!("{home} with {what} would be created"),
        }
    }

    /// `PostgreSQL 15.14`.
    pub fn title(&self) -> String {
        format!("{} {}", self.product, self.version)
    }
}

/// Where a server is.
pub trait Reach: Debug + Send + Sync {
    /// For people and for records: without a password.
    fn shown(&self) -> &str;

    /// Connects, and looks whether the server can be measured with this many sessions. Gives up on one that does not answer.
    ///
    /// # Errors
    /// When it cannot be reached, cannot be measured, or has too few connections.
    fn open(&self, sessions: u32) -> Result<Box<dyn Server>, Problem>;

    /// Connects and leaves.
    ///
    /// # Errors
    /// When nobody answers yet.
    fn knock(&self) -> Result<(), Problem>;
}

/// A session of a load, and who serves it.
pub type Seat = (Box<dyn Session>, Worker);

/// Makes sessions that ask a kind of queries, each with such a limit on the time of a statement, in nanoseconds.
pub type Opener = Arc<dyn Fn(Query, u64) -> Result<Seat, Problem> + Send + Sync>;

/// Who serves a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worker {
    /// By what the server knows the session.
    pub number: i32,
    /// The entry in `/proc` of the process or thread, when it is on this host.
    pub entry: Option<PathBuf>,
}

/// A connection to a server that was found fit to be measured.
pub trait Server: Send {
    /// Where it is.
    fn place(&self) -> Arc<dyn Reach>;

    /// What it is.
    fn facts(&self) -> ServerFacts;

    /// The table that is there, which nobody removes as long as this connection lives; `None` if there is none of ours.
    ///
    /// # Errors
    /// When its place is taken by somebody else's, or it is not as Rigel makes it.
    fn table(&mut self) -> Result<Option<Table>, Problem>;

    /// Sees whether the sessions can be had and how rows would be looked up, and makes the table. `progress` hears bytes of all bytes.
    ///
    /// # Errors
    /// When the user may not make it, the disk is full, or `stop` was set; nothing is left of it then. Also when the server does not answer.
    fn fill(
        self: Box<Self>,
        wanted: TableSpec,
        progress: &mut dyn FnMut(u64, u64),
        stop: &AtomicBool,
    ) -> Result<(Box<dyn Server>, Table), Problem>;

    /// Makes the table of commits, and keeps others from removing it as long as this connection lives.
    ///
    /// # Errors
    /// When the user may not, something is in its place, or it would harm others.
    fn make_ledger(&mut self) -> Result<Ledger, Problem>;

    /// Keeps the table of commits small.
    fn tidy_ledger(&mut self);

    /// Removes the table of commits.
    ///
    /// # Errors
    /// When others made something of it, or somebody measures.
    fn drop_ledger(&mut self) -> Result<(), Problem>;

    /// Removes all that Rigel made, and nothing that others did.
    ///
    /// # Errors
    /// When something is in the way; then nothing is removed.
    fn drop_tables(&mut self) -> Result<DropOutcome, Problem>;

    /// Has pages that nobody looks up take the place of the table in the server's own cache, a part at a time. Gives how many of all bytes of
    /// the cache that makes; `None` if there is no such part.
    ///
    /// # Errors
    /// When the table cannot be read.
    fn push_out(&mut self, _table: &Table, _part: u32) -> Result<Option<(u64, u64)>, Problem> {
        Ok(None)
    }

    /// Sees that each query is answered in the right way, and has the server read what it needs to tell its counters. Of a server that is not
    /// private, what others do is in some of them.
    ///
    /// # Errors
    /// When it would answer in another way.
    fn prepare(&mut self, table: &Table, queries: &[Query], is_private: bool) -> Result<(), Problem>;

    /// Makes sessions on the same server.
    fn opener(&self) -> Opener;

    /// What it counted until now, as far as it shows. What the sessions and the kernel know stays empty.
    fn counts(&mut self) -> ServerCounts;

    /// How many of these sessions are at what at this moment; `None` if it does not say.
    fn waits(&mut self, sessions: &[i32]) -> Option<Vec<(String, u64)>>;
}

/// Rows that came back, of those that had to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowCount {
    /// Came back.
    pub found: u64,
    /// Are there unless somebody changed the table.
    pub wanted: u64,
}

/// One session, with one statement at a time. `None`: the storage under the server failed.
pub trait Session: Send {
    /// The rows of these blocks, by one statement.
    ///
    /// # Errors
    /// When the server refuses it, or is gone.
    fn look_up(&mut self, blocks: &[u32]) -> Result<Option<RowCount>, Problem>;

    /// All rows of a range of blocks.
    ///
    /// # Errors
    /// As [`Session::look_up`].
    fn report(&mut self, blocks: &Range<u32>) -> Result<Option<RowCount>, Problem>;

    /// A transaction of one row, which is over when the server says that it is durable.
    ///
    /// # Errors
    /// As [`Session::look_up`].
    fn commit(&mut self, session: u32, number: u64) -> Result<Option<RowCount>, Problem>;

    /// Has the server count what was done in this session, before anybody reads the counters.
    ///
    /// # Errors
    /// When the server is gone.
    fn flush(&mut self) -> Result<(), Problem>;
}
