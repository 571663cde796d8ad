//! A PostgreSQL server of a test's own, to see what it makes of settings.
//!
//! It listens on a socket in its own directory only, and ends with the value or with the process. Must not touch any other
//! server of the machine.

use super::keeper;
use super::needs::MissingNeed;
use super::postgres_home::{as_user, copy_database, new_dir};
use super::postgres_programs::{copied, installed};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A machine that is busy starts it late.
const PATIENCE: Duration = Duration::from_secs(120);
/// Before something is checked again.
const PAUSE: Duration = Duration::from_millis(20);

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
    pub fn start(configuration: &str) -> Result<Self, MissingNeed> {
        Self::start_in(new_dir()?, installed()?, configuration)
    }

    /// The same from a copy of the installation, to which `install` adds an extension. It gets a root, before the directories that the
    /// second one, `pg_config`, tells.
    ///
    /// # Errors
    /// As [`PostgresServer::start`], and when `install` has one.
    ///
    /// # Panics
    /// As [`PostgresServer::start`].
    pub fn start_with(
        configuration: &str,
        install: impl FnOnce(&Path, &Path) -> Result<(), MissingNeed>,
    ) -> Result<Self, MissingNeed> {
        let original = installed()?;
        let home = new_dir()?;
        let programs = copied(&original, home.path())?;
        install(home.path(), &original.join("pg_config"))?;
        Self::start_in(home, programs, configuration)
    }

    fn start_in(home: TempDir, programs: PathBuf, configuration: &str) -> Result<Self, MissingNeed> {
        let data = home.path().join("data");
        copy_database(&data)?;
        include(&data, configuration).map_err(MissingNeed::new)?;
        let server = serve(&programs, home.path()).map_err(MissingNeed::new)?;
        let mut started = Self { home, programs, server };
        started.wait();
        Ok(started)
    }

    /// Ends the server at once, as a crash does.
    pub fn crash(&mut self) {
        self.end();
    }

    /// Starts it again.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start_again(&mut self) {
        self.server = serve(&self.programs, self.home.path()).expect("the server started before");
        self.wait();
    }

    /// Gives every page a checksum, for which the server is stopped.
    ///
    /// # Errors
    /// Without the program, which came with version 12.
    ///
    /// # Panics
    /// When the server does not start again.
    pub fn enable_checksums(&mut self) -> Result<(), MissingNeed> {
        self.stop();
        let mut program = as_user(self.programs.join("pg_checksums"));
        let output = program.args(["--enable", "--no-sync", "-D"]).arg(self.data()).output();
        self.start_again();
        match output {
            Ok(output) if output.status.success() => Ok(()),
            Ok(output) => {
                Err(MissingNeed::new(format!("pg_checksums: {}", String::from_utf8_lossy(&output.stderr))))
            }
            Err(error) => Err(MissingNeed::new(format!("pg_checksums: {error}"))),
        }
    }

    /// The directory of its database.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.home.path().join("data")
    }

    /// How a client connects to it as the superuser.
    #[must_use]
    pub fn dsn(&self) -> String {
        self.dsn_of("postgres", "postgres")
    }

    /// How a client connects to it as this user, to this database.
    #[must_use]
    pub fn dsn_of(&self, user: &str, database: &str) -> String {
        format!("host={} user={user} dbname={database}", self.home.path().display())
    }

    /// The directory of its socket.
    #[must_use]
    pub fn socket(&self) -> &Path {
        self.home.path()
    }

    /// What a statement gives, without heading and alignment.
    ///
    /// # Errors
    /// With what the server says when it refuses it.
    pub fn ask(&self, sql: &str) -> Result<String, String> {
        self.ask_in("postgres", sql)
    }

    /// The same in another database.
    pub(super) fn ask_in(&self, database: &str, sql: &str) -> Result<String, String> {
        let output = self.client("postgres", database).args(["-c", sql]).output();
        let output = output.map_err(|error| error.to_string())?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }

    /// psql, connected as this user to this database; the statement is an argument of its own.
    #[must_use]
    pub fn client(&self, user: &str, database: &str) -> Command {
        let mut psql = Command::new(self.programs.join("psql"));
        // Nothing of the environment may lead to another server.
        for name in ["PGHOST", "PGPORT", "PGSERVICE", "PGOPTIONS", "PGDATABASE", "PGUSER"] {
            psql.env_remove(name);
        }
        psql.args(["-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-U", user, "-d", database, "-h"]);
        psql.arg(self.home.path());
        psql
    }

    /// The process of the server; its sessions are its children.
    #[must_use]
    pub fn process(&self) -> u32 {
        self.server.id()
    }

    /// A fast shutdown: every session is ended; whether the server said that all went well.
    pub fn stop(&mut self) -> bool {
        let pid = i32::try_from(self.server.id()).ok().and_then(Pid::from_raw);
        let told = pid.is_some_and(|pid| kill_process(pid, Signal::INT).is_ok());
        told && self.server.wait().is_ok_and(|status| status.success())
    }

    /// Its log.
    #[must_use]
    pub fn log(&self) -> String {
        fs::read_to_string(self.home.path().join("log")).unwrap_or_default()
    }

    /// Asks again until the answer is as wanted; gives the last one.
    #[must_use]
    pub fn ask_until(&self, sql: &str, wanted: impl Fn(&str) -> bool) -> String {
        self.ask_in_until("postgres", sql, wanted)
    }

    pub(super) fn ask_in_until(&self, database: &str, sql: &str, wanted: impl Fn(&str) -> bool) -> String {
        let began = Instant::now();
        loop {
            let answer = self.ask_in(database, sql).unwrap_or_else(|error| error);
            if wanted(&answer) || began.elapsed() > PATIENCE {
                return answer;
            }
            thread::sleep(PAUSE);
        }
    }

    fn wait(&mut self) {
        let began = Instant::now();
        while !self.is_ready() || self.ask("SELECT 1").is_err() {
            let ended = self.server.try_wait().ok().flatten();
            assert!(ended.is_none(), "the server ended: {ended:?}\n{}", self.log());
            assert!(began.elapsed() < PATIENCE, "no answer in {} s\n{}", PATIENCE.as_secs(), self.log());
            thread::sleep(PAUSE);
        }
    }

    /// What it writes beside its number: to look there costs less than to ask.
    fn is_ready(&self) -> bool {
        let notes = fs::read_to_string(self.data().join("postmaster.pid")).unwrap_or_default();
        notes.lines().last().is_some_and(|status| status.trim_end() == "ready")
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        // Nobody wants the database again.
        self.end();
    }
}

impl PostgresServer {
    /// An immediate shutdown.
    fn end(&mut self) {
        // Its number may be another process's by now.
        if matches!(self.server.try_wait(), Ok(Some(_))) {
            return;
        }
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

fn serve(programs: &Path, home: &Path) -> std::io::Result<Child> {
    let log = OpenOptions::new().create(true).append(true).open(home.join("log"))?;
    let mut server = as_user(programs.join("postgres"));
    server.arg("-D").arg(home.join("data")).arg("-k").arg(home).args(["-c", "listen_addresses=", "-F"]);
    server.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    keeper::spawn(server)
}

/// Whoever owns the database must be able to read what is included.
fn include(data: &Path, configuration: &str) -> std::io::Result<()> {
    fs::write(data.join("included.conf"), configuration)?;
    let mut main = OpenOptions::new().append(true).open(data.join("postgresql.conf"))?;
    main.write_all(b"include = 'included.conf'\n")
}
