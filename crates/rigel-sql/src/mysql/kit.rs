//! A private MySQL or MariaDB server: creating, starting and stopping it, and what a killed one leaves behind.
//!
//! InnoDB bypasses the page cache, one page at a time, and nothing is warm after a start. Must not touch any other server.

use crate::mysql::address::Address;
use crate::mysql::programs::{self, MARIADB};
use crate::private::home::DATA;
use crate::private::{Call, Farewells, Kit, Purpose, Serve, tree};
use crate::processes::of_server_in;
use crate::programs::Programs;
use crate::server::Reach;
use rigel_core::units::MIB;
use rustix::process::{Signal, kill_process};
use std::ffi::OsString;
use std::fs::File;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::sync::Arc;

/// The name of the socket.
pub const SOCKET: &str = "s";
/// The cache of pages; it must not be below 6 MiB.
const POOL: u64 = 16 * MIB;
/// The same while the table is filled.
const POOL_TO_FILL: u64 = 256 * MIB;
/// Connections besides those of the sessions.
const MORE_CONNECTIONS: u32 = 10;
/// Size of a fresh server, its log and its temporary tables.
const EMPTY: u64 = 512 * MIB;
/// Nobody else reaches it, nothing is copied, and what was cached before a start does not come back.
const OWN: [&str; 6] = [
    "--skip-networking",
    "--skip-log-bin",
    "--innodb-flush-method=O_DIRECT",
    "--innodb-buffer-pool-dump-at-shutdown=OFF",
    "--innodb-buffer-pool-load-at-startup=OFF",
    "--innodb-stats-auto-recalc=OFF",
];
/// One read is one page.
const PLAIN: [&str; 6] = [
    "--innodb-read-ahead-threshold=0",
    "--innodb-random-read-ahead=OFF",
    "--innodb-adaptive-hash-index=OFF",
    // An inner page that is read again stays; else the many leaves that are read once push it out within a second.
    "--innodb-old-blocks-time=0",
    // What works by itself would load the disk meanwhile.
    "--innodb-stats-persistent=OFF",
    "--innodb-flush-neighbors=0",
];
/// A table being filled need not survive a crash, and its pages are written once. At its end the server marks every
/// row as visible to all; otherwise it would read and write all pages again after the next start (MariaDB resets the
/// transaction of an inserted row).
const TO_FILL: [&str; 3] =
    ["--innodb-flush-log-at-trx-commit=0", "--innodb-doublewrite=OFF", "--innodb-fast-shutdown=0"];
/// MySQL listens on a second port unless it is told not to.
const OF_MYSQL: &str = "--mysqlx=OFF";

/// See the module.
#[derive(Debug)]
pub struct MysqlKit;

impl Kit for MysqlKit {
    fn users(&self) -> &'static [&'static str] {
        &programs::USERS
    }

    fn variables(&self) -> &'static str {
        "MYSQL"
    }

    fn make(&self, programs: &Programs, data: &Path) -> Call {
        let mut arguments = vec![OsString::from("--no-defaults"), option("--datadir=", data)];
        let program = if programs.name == MARIADB {
            let plain = ["--auth-root-authentication-method=normal", "--skip-test-db", "--force"];
            arguments.extend(plain.map(OsString::from));
            programs::maker(&programs.dir).unwrap_or_else(|| programs.dir.join(programs::MAKERS[0]))
        } else {
            arguments.push("--initialize-insecure".into());
            programs::server(&programs.dir).unwrap_or_else(|| programs.dir.join(programs::SERVERS[0]))
        };
        Call { program, arguments }
    }

    fn serve(&self, programs: &Programs, serve: &Serve<'_>, more: Option<&str>) -> Call {
        let least = self.cache_bytes(serve.room.sessions);
        let (pool, more_plain): (u64, &[&[&str]]) = match serve.purpose {
            Purpose::Fill => (least.max(POOL_TO_FILL), &[&PLAIN, &TO_FILL]),
            Purpose::Measure => (least, &[&PLAIN]),
            Purpose::Prove { cache_bytes } => (least.max(cache_bytes.next_multiple_of(MIB)), &[]),
        };
        let mut arguments = vec![
            OsString::from("--no-defaults"),
            option("--datadir=", serve.data),
            option("--tmpdir=", serve.data),
            option("--socket=", &serve.socket.join(SOCKET)),
            option("--pid-file=", &serve.data.join("server.pid")),
            format!("--innodb-buffer-pool-size={pool}").into(),
            format!("--max-connections={}", serve.room.sessions.saturating_add(MORE_CONNECTIONS)).into(),
        ];
        let plain = OWN.iter().chain(more_plain.iter().copied().flatten());
        arguments.extend(plain.map(OsString::from));
        arguments.extend((programs.name != MARIADB).then(|| OsString::from(OF_MYSQL)));
        arguments.extend(more.map(|more| OsString::from(format!("--{more}"))));
        let program = programs::server(&programs.dir);
        Call { program: program.unwrap_or_else(|| programs.dir.join(programs::SERVERS[0])), arguments }
    }

    fn is_direct(&self, _: &Programs) -> bool {
        true
    }

    fn cache_bytes(&self, sessions: u32) -> u64 {
        POOL.max(u64::from(sessions) * MIB / 8).next_multiple_of(MIB)
    }

    fn empty_bytes(&self) -> u64 {
        EMPTY
    }

    fn tables(&self) -> &'static str {
        "rigel"
    }

    fn reach(&self, socket: &Path) -> Arc<dyn Reach> {
        Arc::new(Address::private(&socket.join(SOCKET)))
    }

    fn farewells(&self) -> Farewells {
        // It has no way to end at once but this; its log makes up for it, and nobody wants the database again.
        Farewells { stop: Signal::TERM, at_once: Signal::KILL, orphan: Signal::KILL }
    }

    fn errors(&self) -> &'static [&'static str] {
        &["[ERROR]", "ERROR:", "error:"]
    }

    /// It has one process, and no memory that survives it.
    fn clear(&self, home: BorrowedFd<'_>) {
        let Ok(data) = tree::dir_at(home, DATA) else { return };
        let left = File::from(data).metadata().map(|data| of_server_in(&data, &programs::SERVERS));
        for process in left.into_iter().flatten() {
            let _ = kill_process(process, Signal::KILL);
        }
    }
}

fn option(name: &str, path: &Path) -> OsString {
    let mut option = OsString::from(name);
    option.push(path);
    option
}
