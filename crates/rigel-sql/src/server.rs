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

/// What a room offers to the layers above.
pub trait Door: Sync {
    /// The product's terms.
    fn words(&self) -> &'static Words;

    /// The server that a connection string names.
    ///
    /// # Errors
    /// When it is not one, or requires what the client does not support.
    fn reach(&self, dsn: &str) -> Result<Arc<dyn Reach>, Problem>;

    /// The newest programs on this host, or those in a directory.
    ///
    /// # Errors
    /// When there are none that can be started.
    fn programs(&self, given: Option<&Path>) -> Result<Programs, Problem>;

    /// How a private server is created and started.
    fn kit(&self) -> &'static dyn Kit;

    /// Requirements of the experiment on settings with a table of that size.
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

/// The product's terms.
#[derive(Debug)]
pub struct Words {
    /// Its own cache, as its settings name it.
    pub cache: &'static str,
    /// How an existing server can bypass the page cache.
    pub bypass: &'static str,
    /// What helps when nothing limits the page cache of a private server.
    pub small_cache: &'static str,
    /// What is needed, besides being on its host, to see the files of another user's server; for root.
    pub to_see_files: &'static str,
    /// What contains the tables.
    pub home: Home,
    /// It counts blocks of an index, which every look-up passes through, together with those of the table.
    pub counts_index: bool,
    /// Where commits go besides, on a server that copies what is logged.
    pub copied: &'static str,
}

/// What contains our tables.
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

/// Facts about a server.
#[derive(Clone, Debug)]
pub struct ServerFacts {
    /// The product's terms.
    pub words: &'static Words,
    /// The vendor's name for it.
    pub product: &'static str,
    /// Such as `15.14`.
    pub version: String,
    /// Bytes of a block.
    pub block_bytes: u64,
    /// Its own cache.
    pub cache_bytes: u64,
    /// Sessions that it still has room for.
    pub free_connections: u32,
    /// It bypasses the page cache when it reads tables.
    pub direct: bool,
    /// The process that serves a session also reads for it; otherwise workers of the server do.
    pub reads_itself: bool,
    /// The database of the connection.
    pub database: String,
    /// Its files, if they are on this host, and the server or `/proc` reports where.
    pub directory: Option<PathBuf>,
    /// Where new tables are created, if the files are on this host.
    pub tables: Option<PathBuf>,
    /// Directory of its log, as far as this user can see it; otherwise the directory of its files.
    pub log: Option<PathBuf>,
    /// How large its log may grow, unless something retains it.
    pub log_bytes: u64,
    /// The most that a new table needs in addition to its own size.
    pub beside_bytes: u64,
}

impl Words {
    /// What users need who cannot see the files of a server.
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

    /// The container of the tables as a subject: `the database shop has no schema rigel`.
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

/// How a server is reached.
pub trait Reach: Debug + Send + Sync {
    /// For people and for records: without a password.
    fn shown(&self) -> &str;

    /// Connects, and checks whether the server can be measured with this many sessions. Abandons one that does not answer.
    ///
    /// # Errors
    /// When it cannot be reached, cannot be measured, or has too few connections.
    fn open(&self, sessions: u32) -> Result<Box<dyn Server>, Problem>;

    /// Connects and disconnects.
    ///
    /// # Errors
    /// When nothing answers yet.
    fn knock(&self) -> Result<(), Problem>;
}

/// A session of a load, and who serves it.
pub type Seat = (Box<dyn Session>, Worker);

/// Makes sessions that ask a kind of queries, each with such a limit on the time of a statement, in nanoseconds.
pub type Opener = Arc<dyn Fn(Query, u64) -> Result<Seat, Problem> + Send + Sync>;

/// The process or thread that serves a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worker {
    /// The server's number for the session.
    pub number: i32,
    /// The entry in `/proc` of the process or thread, if it is on this host.
    pub entry: Option<PathBuf>,
}

/// A connection to a server that was found fit to be measured.
pub trait Server: Send {
    /// Its address.
    fn place(&self) -> Arc<dyn Reach>;

    /// Its facts.
    fn facts(&self) -> ServerFacts;

    /// What all connections to the same place on this running server have in common, and no other server.
    ///
    /// # Errors
    /// When it does not say.
    fn identity(&mut self) -> Result<String, Problem>;

    /// The existing table, which nobody removes while this connection lives; `None` if there is none of ours.
    ///
    /// # Errors
    /// When its name is taken by another object, or it is not as Rigel creates it.
    fn table(&mut self) -> Result<Option<Table>, Problem>;

    /// Checks that the sessions are available and how rows would be looked up, and creates the table. `progress`
    /// receives the bytes done and the total.
    ///
    /// # Errors
    /// When the user may not create it, the disk is full, or `stop` was set; nothing is left of it then. Also when the server does not answer.
    fn fill(
        self: Box<Self>,
        wanted: TableSpec,
        progress: &mut dyn FnMut(u64, u64),
        stop: &AtomicBool,
    ) -> Result<(Box<dyn Server>, Table), Problem>;

    /// Creates the table of commits, and keeps others from removing it while this connection lives.
    ///
    /// # Errors
    /// When the user may not, the name is taken, or it would harm others.
    fn make_ledger(&mut self) -> Result<Ledger, Problem>;

    /// Keeps the table of commits small.
    fn tidy_ledger(&mut self);

    /// Removes the table of commits.
    ///
    /// # Errors
    /// When others have used it for something else, or somebody measures.
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

    /// Checks that each query is answered in the right way, and lets the server read what it needs to report its
    /// counters. On a server that is not private, some of them include the activity of others.
    ///
    /// # Errors
    /// When it would answer in another way.
    fn prepare(&mut self, table: &Table, queries: &[Query], is_private: bool) -> Result<(), Problem>;

    /// Makes sessions on the same server.
    fn opener(&self) -> Opener;

    /// What it has counted so far, as far as it shows. What the sessions and the kernel know stays empty.
    fn counts(&mut self) -> ServerCounts;

    /// What these sessions are doing now, as counts; `None` if it does not say.
    fn waits(&mut self, sessions: &[i32]) -> Option<Vec<(String, u64)>>;
}

/// Rows returned, out of those expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowCount {
    /// Rows returned.
    pub found: u64,
    /// All exist, unless somebody changed the table.
    pub wanted: u64,
}

/// One session, with one statement at a time. `None`: the storage under the server failed.
pub trait Session: Send {
    /// The rows of these blocks, with one statement.
    ///
    /// # Errors
    /// When the server refuses it or has disappeared.
    fn look_up(&mut self, blocks: &[u32]) -> Result<Option<RowCount>, Problem>;

    /// All rows of a range of blocks.
    ///
    /// # Errors
    /// As [`Session::look_up`].
    fn report(&mut self, blocks: &Range<u32>) -> Result<Option<RowCount>, Problem>;

    /// A transaction of one row, which ends when the server reports it durable.
    ///
    /// # Errors
    /// As [`Session::look_up`].
    fn commit(&mut self, session: u32, number: u64) -> Result<Option<RowCount>, Problem>;

    /// Lets the server count the work of this session before the counters are read.
    ///
    /// # Errors
    /// When the server has disappeared.
    fn flush(&mut self) -> Result<(), Problem>;
}
