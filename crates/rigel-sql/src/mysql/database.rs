//! A connection to the server that is measured, what the server is, and what it counted.
//!
//! Must not change anything in it.

use crate::failure::{check_free, silent};
use crate::mysql::address::Address;
use crate::mysql::programs::{MARIADB, named};
use crate::mysql::{BLOCK_BYTES, WORDS, failure};
use crate::patience::{PATIENCE, within};
use crate::server::ServerFacts;
use mysql::Conn;
use mysql::prelude::Queryable as _;
use rigel_core::error::Problem;
use rigel_core::measure::ServerCounts;
use rigel_core::units::Bytes;
use std::collections::BTreeMap;
use std::path::PathBuf;

const FACTS: &str = "select @@version, @@innodb_page_size, @@innodb_buffer_pool_size, @@max_connections, \
    @@innodb_flush_method, @@datadir";
const CONNECTED: &str = "show global status like 'Threads_connected'";
/// The pages that were read are those of the table and of its inner pages; the second one counts calls of the system.
const COUNTS: &str = "show global status where variable_name in \
    ('Innodb_pages_read', 'Innodb_data_reads', 'Innodb_data_fsyncs', 'Innodb_os_log_fsyncs')";

/// Whose server it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    Mariadb,
    Mysql,
}

/// A server that was found fit to be measured.
pub struct Database {
    pub address: Address,
    pub facts: ServerFacts,
    pub flavour: Flavour,
    pub client: Conn,
}

impl Database {
    /// Connects, and looks whether the server can be measured with so many sessions.
    pub fn open(address: Address, sessions: u32) -> Result<Self, Problem> {
        let shown = address.shown().to_owned();
        let opened = within(PATIENCE, move || Self::connect(address, sessions));
        opened.unwrap_or_else(|| Err(silent(&shown, PATIENCE)))
    }

    fn connect(address: Address, sessions: u32) -> Result<Self, Problem> {
        let mut client = address.connect().map_err(|error| failure::connect(address.shown(), &error))?;
        let (flavour, facts) = facts(&mut client)?;
        if facts.block_bytes != BLOCK_BYTES {
            return Err(Problem::refused(format!("the server has pages of {}", Bytes(facts.block_bytes)))
                .at(address.shown())
                .because(format!("a look-up is one page of {}", Bytes(BLOCK_BYTES)))
                .next("measure a server with the default innodb_page_size"));
        }
        check_free(address.shown(), facts.free_connections, sessions)?;
        Ok(Self { address, facts, flavour, client })
    }

    /// What it counted until now. Blocks of the table are not told apart from those of its inner pages.
    pub fn counts(&mut self) -> ServerCounts {
        let Ok(rows) = self.client.query::<(String, u64), _>(COUNTS) else { return ServerCounts::default() };
        let all: BTreeMap<String, u64> = rows.into_iter().collect();
        let of = |name: &str| all.get(name).copied();
        ServerCounts {
            table_blocks: of("Innodb_pages_read"),
            server_reads: of("Innodb_data_reads"),
            // MariaDB counts those of its log among those of its files.
            flushes: of("Innodb_os_log_fsyncs").or_else(|| of("Innodb_data_fsyncs")),
            ..ServerCounts::default()
        }
    }
}

/// What [`FACTS`] gives.
type FactsRow = (String, u64, u64, u64, String, String);

fn facts(client: &mut Conn) -> Result<(Flavour, ServerFacts), Problem> {
    let refused = |error| failure::statement("the server does not identify itself", &error);
    let silent = || Problem::refused("the server does not identify itself");
    let told: Option<FactsRow> = client.query_first(FACTS).map_err(refused)?;
    let (version, block_bytes, cache_bytes, connections, flush_method, data) = told.ok_or_else(silent)?;
    let connected: Option<(String, u64)> = client.query_first(CONNECTED).map_err(refused)?;
    let connected = connected.map_or(0, |(_, count)| count);
    let (product, version) = named(&version);
    let directory = Some(PathBuf::from(data)).filter(|data| data.is_dir());
    let facts = ServerFacts {
        words: &WORDS,
        product,
        version,
        block_bytes,
        cache_bytes,
        // This connection is among those that are there.
        free_connections: u32::try_from(connections.saturating_sub(connected) + 1).unwrap_or(u32::MAX),
        direct: flush_method.to_ascii_uppercase().starts_with("O_DIRECT"),
        reads_itself: true,
        database: "rigel".to_owned(),
        tables: directory.clone(),
        log: directory.clone(),
        directory,
        log_bytes: 0,
    };
    Ok((if product == MARIADB { Flavour::Mariadb } else { Flavour::Mysql }, facts))
}
