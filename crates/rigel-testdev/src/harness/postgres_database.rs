//! A database of a test's own on the one server of the process: for tests that neither crash, stop, fill nor reconfigure their server, and do not
//! count its connections.
//!
//! Roles belong to the whole server, so each test has names of its own for them. Must not change a setting of the server.

use super::needs::MissingNeed;
use super::postgres::PostgresServer;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Little of a table fits into its own cache, so it has to read.
const SETTINGS: &str = "shared_buffers = '1MB'\nmax_connections = 100\n";

static SERVER: LazyLock<Result<PostgresServer, MissingNeed>> =
    LazyLock::new(|| PostgresServer::start(SETTINGS));
static COUNT: AtomicU32 = AtomicU32::new(0);

/// See the module.
#[derive(Debug)]
pub struct PostgresDatabase {
    server: &'static PostgresServer,
    name: String,
}

impl PostgresDatabase {
    /// An empty one, on the server that the first of them starts.
    ///
    /// # Errors
    /// Without a server on this machine, or when there is no user that it would run as.
    pub fn create() -> Result<Self, MissingNeed> {
        let server = SERVER.as_ref().map_err(Clone::clone)?;
        let name = format!("of_test_{}", COUNT.fetch_add(1, Ordering::Relaxed));
        server.ask(&format!("CREATE DATABASE {name}")).map_err(MissingNeed::new)?;
        Ok(Self { server, name })
    }

    /// How it is called, for `--create-in`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A name for a role that no other test has.
    #[must_use]
    pub fn role(&self, role: &str) -> String {
        format!("{role}_{}", self.name)
    }

    /// How a client connects to it as the superuser.
    #[must_use]
    pub fn dsn(&self) -> String {
        self.dsn_of("postgres")
    }

    /// How a client connects to it as this user.
    #[must_use]
    pub fn dsn_of(&self, user: &str) -> String {
        self.server.dsn_of(user, &self.name)
    }

    /// What a statement gives, without heading and alignment.
    ///
    /// # Errors
    /// With what the server says when it refuses it.
    pub fn ask(&self, sql: &str) -> Result<String, String> {
        self.server.ask_in(&self.name, sql)
    }

    /// Asks again until the answer is as wanted; gives the last one.
    #[must_use]
    pub fn ask_until(&self, sql: &str, wanted: impl Fn(&str) -> bool) -> String {
        self.server.ask_in_until(&self.name, sql, wanted)
    }

    /// psql, connected to it as this user; the statement is an argument of its own.
    #[must_use]
    pub fn client(&self, user: &str) -> Command {
        self.server.client(user, &self.name)
    }

    /// The directory of the socket of the server.
    #[must_use]
    pub fn socket(&self) -> &Path {
        self.server.socket()
    }

    /// The directory of all databases of the server.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.server.data()
    }
}
