//! A connection to the measured server, facts about the server, and its counters.
//!
//! Must not change anything in it.

use crate::failure::{check_free, silent};
use crate::mysql::address::Address;
use crate::mysql::programs::{self, MARIADB, named};
use crate::mysql::table::HOME;
use crate::mysql::{BLOCK_BYTES, WORDS, failure, session};
use crate::patience::{PATIENCE, within};
use crate::server::ServerFacts;
use mysql::prelude::Queryable as _;
use mysql::{Conn, Row};
use rigel_core::error::Problem;
use rigel_core::measure::ServerCounts;
use rigel_core::units::Bytes;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

/// Not every product and version has all of them.
const VARIABLES: &str = "show global variables where variable_name in ('version', 'innodb_page_size', \
    'innodb_buffer_pool_size', 'max_connections', 'innodb_flush_method', 'innodb_data_file_buffering', 'datadir', \
    'read_only', 'wsrep_on', 'log_bin', 'thread_handling', 'innodb_log_file_size', 'innodb_log_files_in_group', \
    'innodb_redo_log_capacity', 'innodb_data_home_dir')";
/// MySQL has a number of its own, MariaDB from 10.5 on; without one, host, port and files distinguish servers.
const IDENTITY: &str = "show global variables where variable_name in \
    ('server_uuid', 'server_uid', 'hostname', 'port', 'datadir', 'pid_file')";
const CONNECTED: &str = "show global status like 'Threads_connected'";
/// What a replica follows; the terms changed, and only some users may see them.
const FOLLOWS: [&str; 2] = ["show all slaves status", "show replica status"];
/// Pages read, which include inner pages, and system calls.
const COUNTS: &str = "show global status where variable_name in \
    ('Innodb_pages_read', 'Innodb_data_reads', 'Innodb_data_fsyncs', 'Innodb_os_log_fsyncs')";
/// The same for the file of the table only, if the server counts by file.
const OF_FILE: &str = "select sum_number_of_bytes_read, count_read from performance_schema.file_summary_by_instance \
    where file_name like '%/rigel/big.ibd'";

/// The vendor of the server.
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
    /// It keeps a log of all changes, for replicas and backups.
    pub is_copied: bool,
    /// It counts reads of the table's file separately.
    counts_file: bool,
}

/// What a server reports about itself.
struct Variables(BTreeMap<String, String>);

impl Variables {
    fn ask(client: &mut Conn) -> Result<Self, mysql::Error> {
        let all: Vec<(String, Option<String>)> = client.query(VARIABLES)?;
        Ok(Self(all.into_iter().map(|(name, value)| (name, value.unwrap_or_default())).collect()))
    }

    fn text(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    fn number(&self, name: &str) -> u64 {
        self.text(name).parse().unwrap_or(0)
    }

    /// Newer versions know more ways to be read-only than on and off.
    fn is_on(&self, name: &str) -> bool {
        !matches!(self.text(name).to_ascii_uppercase().as_str(), "" | "0" | "OFF" | "NO")
    }
}

impl Database {
    /// Connects, and checks whether the server can be measured with this many sessions.
    pub fn open(address: Address, sessions: u32) -> Result<Self, Problem> {
        let shown = address.shown().to_owned();
        let opened = within(PATIENCE, move || Self::connect(address, sessions));
        opened.unwrap_or_else(|| Err(silent(&shown, PATIENCE)))
    }

    fn connect(address: Address, sessions: u32) -> Result<Self, Problem> {
        let mut client = address.connect().map_err(|error| failure::connect(&address, &error))?;
        let asked = |error| failure::statement("the server does not identify itself", &error);
        let variables = Variables::ask(&mut client).map_err(asked)?;
        let (product, version) = named(variables.text("version"));
        let flavour = if product == MARIADB { Flavour::Mariadb } else { Flavour::Mysql };
        check_fit(&mut client, &address, &variables)?;
        let connected: Option<(String, u64)> = client.query_first(CONNECTED).map_err(asked)?;
        let connected = connected.map_or(0, |(_, count)| count);
        let directory = directory(&mut client, &address, &variables, flavour);
        let facts = ServerFacts {
            words: &WORDS,
            product,
            version,
            block_bytes: variables.number("innodb_page_size"),
            cache_bytes: variables.number("innodb_buffer_pool_size"),
            // This connection is among those that are there.
            free_connections: u32::try_from(
                variables.number("max_connections").saturating_sub(connected).saturating_add(1),
            )
            .unwrap_or(u32::MAX),
            direct: match variables.text("innodb_data_file_buffering") {
                "" => variables.text("innodb_flush_method").to_ascii_uppercase().starts_with("O_DIRECT"),
                buffering => buffering.eq_ignore_ascii_case("OFF"),
            },
            reads_itself: matches!(variables.text("thread_handling"), "" | "one-thread-per-connection"),
            database: HOME.to_owned(),
            tables: directory.clone(),
            log: directory.clone(),
            directory,
            log_bytes: log_bytes(&variables),
            // See the room `table`: what fills its own cache behind the table.
            beside_bytes: if address.is_private() { 0 } else { variables.number("innodb_buffer_pool_size") },
        };
        check_free(address.shown(), facts.free_connections, sessions)?;
        let is_copied = variables.is_on("log_bin");
        Ok(Self { address, facts, flavour, client, is_copied, counts_file: false })
    }

    /// What no other server has.
    pub fn identity(&mut self) -> Result<String, Problem> {
        let told: Result<Vec<(String, Option<String>)>, _> = self.client.query(IDENTITY);
        let mut all =
            told.map_err(|error| failure::statement("the server does not identify itself", &error))?;
        all.sort();
        let values: Vec<String> = all.into_iter().filter_map(|(_, value)| value).collect();
        Ok(values.join(" "))
    }

    /// Whether what it reads of the table can be distinguished from what others read of theirs.
    pub fn prepare_counts(&mut self) {
        let told: Result<Option<(u64, u64)>, _> = self.client.query_first(OF_FILE);
        // The table has been read by now, so a count of zero means that nothing is counted.
        self.counts_file = told.ok().flatten().is_some_and(|(bytes, _)| bytes > 0);
    }

    /// What it has counted so far. Blocks of the table and of its inner pages are one count.
    pub fn counts(&mut self) -> ServerCounts {
        let Ok(rows) = self.client.query::<(String, u64), _>(COUNTS) else { return ServerCounts::default() };
        let all: BTreeMap<String, u64> = rows.into_iter().collect();
        let of = |name: &str| all.get(name).copied();
        let mut counts = ServerCounts {
            table_blocks: of("Innodb_pages_read"),
            server_reads: of("Innodb_data_reads"),
            // MariaDB counts those of its log among those of its files.
            flushes: of("Innodb_os_log_fsyncs").or_else(|| of("Innodb_data_fsyncs")),
            ..ServerCounts::default()
        };
        if self.counts_file {
            let told: Option<(u64, u64)> = self.client.query_first(OF_FILE).ok().flatten();
            counts.table_blocks = told.map(|(bytes, _)| bytes / BLOCK_BYTES);
            counts.server_reads = told.map(|(_, reads)| reads);
        }
        counts
    }
}

/// Refuses a server that is too old, follows another one, or has other pages than the table is made for.
fn check_fit(client: &mut Conn, address: &Address, variables: &Variables) -> Result<(), Problem> {
    let unfit = |what: String, why: &str, next: &str| {
        Err(Problem::refused(what).at(address.shown()).because(why).next(next))
    };
    let (product, version) = named(variables.text("version"));
    if let Err(oldest) = programs::check_version(product, &version) {
        return unfit(
            format!("{product} {version} is too old"),
            &format!("version {oldest} is the oldest supported"),
            "measure a newer server",
        );
    }
    if variables.number("innodb_page_size") != BLOCK_BYTES {
        return unfit(
            format!("the server has pages of {}", Bytes(variables.number("innodb_page_size"))),
            &format!("a look-up is one page of {}", Bytes(BLOCK_BYTES)),
            "measure a server with the default innodb_page_size",
        );
    }
    let follows = FOLLOWS.iter().any(|ask| client.query::<Row, _>(*ask).is_ok_and(|rows| !rows.is_empty()));
    if follows {
        return unfit(
            "the server is a replica".to_owned(),
            "what is created in it would not be in its primary",
            "measure the primary, or a private server on the host of the replica",
        );
    }
    if variables.is_on("read_only") {
        return unfit(
            "the server is read-only".to_owned(),
            "read_only is on, as on a replica: nothing can be created in it",
            "measure the primary, or a private server on this host",
        );
    }
    if variables.is_on("wsrep_on") {
        return unfit(
            "the server is a node of a cluster".to_owned(),
            "wsrep_on is on: everything that is created would be copied to the other nodes",
            "measure a private server on the host of the node",
        );
    }
    Ok(())
}

/// Its files, if the thread that serves this connection belongs to a server on this host with this working directory.
/// Another server may have the same path in a container, or behind a tunnel.
fn directory(
    client: &mut Conn,
    address: &Address,
    variables: &Variables,
    flavour: Flavour,
) -> Option<PathBuf> {
    let data = PathBuf::from(variables.text("datadir"));
    if address.is_private() {
        return Some(data).filter(|data| data.is_dir());
    }
    let thread = session::thread(client, flavour).filter(|_| !address.is_remote())?;
    let process = session::process(thread)?;
    let (here, works) = (data.metadata().ok()?, fs::metadata(format!("/proc/{process}/cwd")).ok()?);
    Some(data).filter(|_| (here.dev(), here.ino()) == (works.dev(), works.ino()))
}

/// How large its log may grow; MySQL 8.0.30 changed the names, and MariaDB has one file.
fn log_bytes(variables: &Variables) -> u64 {
    match variables.number("innodb_redo_log_capacity") {
        0 => {
            let files = variables.number("innodb_log_files_in_group").max(1);
            variables.number("innodb_log_file_size").saturating_mul(files)
        }
        bytes => bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_by_whatever_name_a_version_has() {
        let all = |pairs: &[(&str, &str)]| {
            Variables(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
        };
        let two = all(&[("innodb_log_file_size", "100"), ("innodb_log_files_in_group", "2")]);
        assert_eq!(log_bytes(&two), 200);
        assert_eq!(log_bytes(&all(&[("innodb_log_file_size", "100")])), 100);
        let new = all(&[("innodb_log_file_size", "100"), ("innodb_redo_log_capacity", "500")]);
        assert_eq!(log_bytes(&new), 500);
        let on = |value| all(&[("read_only", value)]).is_on("read_only");
        assert_eq!(["ON", "1", "NO_LOCK", "OFF", "0"].map(on), [true, true, true, false, false]);
        assert!(!all(&[]).is_on("read_only"));
    }
}
