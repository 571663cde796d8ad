//! A private PostgreSQL server: creating, starting and stopping it, and what a killed one leaves behind.
//!
//! It bypasses the page cache from version 16 on. Must not touch any other server.

use crate::postgresql::address::{Address, LEADER};
use crate::postgresql::{programs, remains};
use crate::private::{Call, Farewells, Kit, PageCache, Purpose, Serve};
use crate::programs::Programs;
use crate::server::Reach;
use rigel_core::units::MIB;
use rustix::process::Signal;
use std::ffi::OsString;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::sync::Arc;

/// The first version whose reads bypass the page cache.
const DIRECT_SINCE: u32 = 16;
/// The server's own cache.
const SHARED_BUFFERS: u64 = 16 * MIB;
/// Connections besides those of the sessions.
const MORE_CONNECTIONS: u32 = 10;
/// Size of a fresh cluster and its log.
const CLUSTER_BYTES: u64 = 256 * MIB;
/// Arguments of `initdb`, besides the directory: nobody else reaches the socket.
const MAKE: [&str; 8] = ["-U", LEADER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];

/// See the module.
#[derive(Debug)]
pub struct PostgresqlKit;

impl Kit for PostgresqlKit {
    fn users(&self) -> &'static [&'static str] {
        &[programs::USER]
    }

    fn variables(&self) -> &'static str {
        "PG"
    }

    fn make(&self, programs: &Programs, data: &Path) -> Call {
        let arguments = [OsString::from("-D"), data.into()].into_iter().chain(MAKE.map(OsString::from));
        Call { program: programs.dir.join("initdb"), arguments: arguments.collect() }
    }

    fn serve(&self, programs: &Programs, serve: &Serve<'_>, more: Option<&str>) -> Call {
        let mut arguments: Vec<OsString> =
            vec!["-D".into(), serve.data.into(), "-k".into(), serve.socket.into()];
        let settings = self.settings(serve);
        for setting in settings.iter().map(String::as_str).chain(more) {
            arguments.extend(["-c".into(), setting.into()]);
        }
        Call { program: programs.dir.join("postgres"), arguments }
    }

    fn is_direct(&self, programs: &Programs) -> bool {
        programs.major >= DIRECT_SINCE
    }

    fn cache_bytes(&self, sessions: u32) -> u64 {
        SHARED_BUFFERS.max(u64::from(sessions) * MIB / 8).next_multiple_of(MIB)
    }

    fn empty_bytes(&self) -> u64 {
        CLUSTER_BYTES
    }

    fn tables(&self) -> &'static str {
        "base"
    }

    fn reach(&self, socket: &Path) -> Arc<dyn Reach> {
        Arc::new(Address::private(socket))
    }

    fn farewells(&self) -> Farewells {
        Farewells { stop: Signal::INT, at_once: Signal::QUIT, orphan: Signal::QUIT }
    }

    fn errors(&self) -> &'static [&'static str] {
        &["PANIC:", "FATAL:", "ERROR:", "error:"]
    }

    fn clear(&self, home: BorrowedFd<'_>) {
        remains::clear(home);
    }
}

impl PostgresqlKit {
    fn settings(&self, serve: &Serve<'_>) -> Vec<String> {
        let connections = serve.room.sessions.saturating_add(MORE_CONNECTIONS);
        let mut settings = vec![
            "listen_addresses=".to_owned(),
            format!("max_connections={connections}"),
            format!("shared_buffers={}MB", self.cache_bytes(serve.room.sessions) / MIB),
            // What works by itself would load the disk meanwhile.
            "autovacuum=off".to_owned(),
            "checkpoint_timeout=1d".to_owned(),
            "bgwriter_lru_maxpages=0".to_owned(),
            // Rows that are copied into a new table need no log then.
            "wal_level=minimal".to_owned(),
            "max_wal_senders=0".to_owned(),
            "huge_pages=off".to_owned(),
            // Files of its directory, which go with it; those in /dev/shm would stay behind a server that was killed.
            "dynamic_shared_memory_type=mmap".to_owned(),
        ];
        if serve.purpose == Purpose::Measure && serve.page_cache == PageCache::PassedBy {
            settings.push("debug_io_direct=data".to_owned());
        }
        settings
    }
}
