//! A PostgreSQL server of a test's own, to see what it makes of settings.
//!
//! It listens on a socket in its own directory only, and ends with the value or with the process. Must not touch any other
//! server of the machine.

use super::keeper;
use super::needs::Unavailable;
use rustix::fs::{Gid, Uid, chown};
use rustix::process::{Pid, Signal, geteuid, kill_process};
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Where Debian has the programs, a directory for each version.
const VERSIONS: &str = "/usr/lib/postgresql";
/// Whom the server runs as when the tests are run by root, which it refuses: nobody, on every Linux.
const NOBODY: u32 = 65_534;
/// A machine that is busy starts it late.
const PATIENCE: Duration = Duration::from_secs(120);

/// See the module.
#[derive(Debug)]
pub struct PostgresServer {
    home: TempDir,
    programs: PathBuf,
    server: Child,
}

impl PostgresServer {
    /// Makes a database and starts its server, whose configuration includes a file of this text.
    ///
    /// # Errors
    /// Without a server on this machine, or when there is no user that it would run as.
    ///
    /// # Panics
    /// When the server does not start with that configuration, with what it says.
    pub fn start(configuration: &str) -> Result<Self, Unavailable> {
        let programs = programs()?;
        // Every user can reach it there, unlike directories of the build.
        let home = TempDir::new().map_err(Unavailable::new)?;
        give_away(home.path())?;
        let data = home.path().join("data");
        let mut initdb = as_user(programs.join("initdb"));
        initdb.arg("-D").arg(&data).args([
            "-U",
            "postgres",
            "-A",
            "trust",
            "--no-sync",
            "-E",
            "UTF8",
            "--locale=C",
        ]);
        let made = initdb.output().map_err(|error| Unavailable::new(format!("initdb: {error}")))?;
        if !made.status.success() {
            return Err(Unavailable::new(format!("initdb: {}", String::from_utf8_lossy(&made.stderr))));
        }
        include(&data, configuration).map_err(Unavailable::new)?;
        let log = File::create(home.path().join("log")).map_err(Unavailable::new)?;
        let mut server = as_user(programs.join("postgres"));
        server.arg("-D").arg(&data).arg("-k").arg(home.path()).args(["-c", "listen_addresses=", "-F"]);
        server.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        let server = keeper::spawn(server).map_err(|error| Unavailable::new(format!("postgres: {error}")))?;
        let mut started = Self { home, programs, server };
        started.wait();
        Ok(started)
    }

    /// What a statement gives, without heading and alignment.
    ///
    /// # Errors
    /// With what the server says when it refuses it.
    pub fn ask(&self, sql: &str) -> Result<String, String> {
        let output = self.psql(sql).map_err(|error| error.to_string())?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }

    /// Asks again until the answer is as wanted; gives the last one.
    #[must_use]
    pub fn ask_until(&self, sql: &str, wanted: impl Fn(&str) -> bool) -> String {
        let began = Instant::now();
        loop {
            let answer = self.ask(sql).unwrap_or_else(|error| error);
            if wanted(&answer) || began.elapsed() > PATIENCE {
                return answer;
            }
            thread::sleep(Duration::from_millis(50));
        }
    }

    fn psql(&self, sql: &str) -> std::io::Result<Output> {
        let mut psql = Command::new(self.programs.join("psql"));
        // Nothing of the environment may lead to another server.
        for name in ["PGHOST", "PGPORT", "PGSERVICE", "PGOPTIONS", "PGDATABASE", "PGUSER"] {
            psql.env_remove(name);
        }
        psql.args(["-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-d", "postgres", "-h"]);
        psql.arg(self.home.path()).args(["-c", sql]).output()
    }

    fn wait(&mut self) {
        let began = Instant::now();
        while self.ask("SELECT 1").is_err() {
            let ended = self.server.try_wait().ok().flatten();
            let log = || fs::read_to_string(self.home.path().join("log")).unwrap_or_default();
            assert!(ended.is_none(), "the server ended: {ended:?}\n{}", log());
            assert!(began.elapsed() < PATIENCE, "no answer in {} s\n{}", PATIENCE.as_secs(), log());
            thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        // An immediate shutdown: nobody wants the database again.
        let told = i32::try_from(self.server.id())
            .ok()
            .and_then(Pid::from_raw)
            .map(|pid| kill_process(pid, Signal::QUIT));
        if !matches!(told, Some(Ok(()))) {
            let _ = self.server.kill();
        }
        let _ = self.server.wait();
    }
}

/// The newest version that Debian installed, else what is in the path.
fn programs() -> Result<PathBuf, Unavailable> {
    let version =
        |path: &PathBuf| path.file_name().and_then(OsStr::to_str).and_then(|name| name.parse::<u32>().ok());
    let versions = fs::read_dir(VERSIONS).into_iter().flatten().flatten().map(|entry| entry.path());
    let newest =
        versions.filter(|path| version(path).is_some()).max_by_key(version).map(|path| path.join("bin"));
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let all = newest.into_iter().chain(std::env::split_paths(&paths));
    let whole =
        |dir: &PathBuf| ["initdb", "postgres", "psql"].iter().all(|program| dir.join(program).is_file());
    all.into_iter().find(whole).ok_or_else(|| Unavailable::new("no PostgreSQL server is installed"))
}

/// A program as a user that the server accepts, which ends when this process does.
fn as_user(program: PathBuf) -> Command {
    let mut command = Command::new("setpriv");
    if geteuid().is_root() {
        let id = NOBODY.to_string();
        command.args(["--reuid", &id, "--regid", &id, "--clear-groups"]);
    }
    // The tests may run in a directory that the user cannot enter.
    command.args(["--pdeathsig", "QUIT", "--"]).arg(program).current_dir("/");
    command
}

fn give_away(home: &Path) -> Result<(), Unavailable> {
    if !geteuid().is_root() {
        return Ok(());
    }
    chown(home, Some(Uid::from_raw(NOBODY)), Some(Gid::from_raw(NOBODY))).map_err(Unavailable::new)
}

/// Whoever owns the database must be able to read what is included.
fn include(data: &Path, configuration: &str) -> std::io::Result<()> {
    fs::write(data.join("included.conf"), configuration)?;
    let mut main = OpenOptions::new().append(true).open(data.join("postgresql.conf"))?;
    main.write_all(b"include = 'included.conf'\n")
}
