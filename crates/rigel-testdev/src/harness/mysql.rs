//! A MySQL or MariaDB server of a test's own.
//!
//! It listens on a socket in its own directory, on a port of this host if a test asks for one, and ends with the value or with the process. Must not
//! touch any other server of the machine.

use super::keeper;
use super::needs::MissingNeed;
use super::postgres_home::{as_user, new_dir};
use std::fs::{self, OpenOptions};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A machine that is busy starts it late.
const PATIENCE: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(20);
/// Where packages have a server, of which the path of a user often lacks the first.
const PLACES: [&str; 4] = ["/usr/sbin", "/usr/bin", "/usr/libexec", "/usr/local/bin"];
/// Small and quiet; the log is as small as it can be, and nobody waits for pages to become old.
const SETTINGS: [&str; 9] = [
    "--no-defaults",
    "--innodb-buffer-pool-size=8M",
    "--innodb-log-file-size=8M",
    "--innodb-flush-method=O_DIRECT",
    "--innodb-buffer-pool-dump-at-shutdown=OFF",
    "--innodb-buffer-pool-load-at-startup=OFF",
    "--innodb-flush-log-at-trx-commit=2",
    "--innodb-old-blocks-time=0",
    "--max-connections=40",
];

static TEMPLATE: LazyLock<Result<PathBuf, MissingNeed>> = LazyLock::new(|| {
    let home = new_dir()?.keep();
    let data = home.join("data");
    let mut maker = as_user(program(&["mariadb-install-db", "mysql_install_db"])?);
    maker.args(["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db", "--force"]);
    maker.args(["--innodb-log-file-size=8M"]).arg(format!("--datadir={}", data.display()));
    succeed(&mut maker)?;
    Ok(data)
});

/// See the module.
#[derive(Debug)]
pub struct MysqlServer {
    home: TempDir,
    settings: Vec<String>,
    port: Option<u16>,
    server: Child,
}

impl MysqlServer {
    /// Makes a database and starts its server with these settings more, such as `--read-only`.
    ///
    /// # Errors
    /// Without a server of MariaDB on this machine.
    ///
    /// # Panics
    /// When the server does not start with those settings, with what it says.
    pub fn start(settings: &[&str]) -> Result<Self, MissingNeed> {
        Self::start_at(settings, None)
    }

    /// The same on a port of this host as well.
    ///
    /// # Errors
    /// As [`MysqlServer::start`].
    ///
    /// # Panics
    /// As [`MysqlServer::start`].
    pub fn start_on_port(settings: &[&str]) -> Result<Self, MissingNeed> {
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        Self::start_at(settings, Some(free.map_err(MissingNeed::new)?.port()))
    }

    fn start_at(settings: &[&str], port: Option<u16>) -> Result<Self, MissingNeed> {
        program(&["mariadb", "mysql"])?;
        let home = new_dir()?;
        let template = TEMPLATE.as_ref().map_err(Clone::clone)?;
        let mut copy = as_user(PathBuf::from("cp"));
        copy.args(["-a", "--reflink=auto", "--sparse=always", "--"]).arg(template);
        succeed(copy.arg(home.path().join("data")))?;
        let mut all: Vec<String> = SETTINGS.iter().chain(settings).map(|text| (*text).to_owned()).collect();
        all.extend(match port {
            Some(port) => vec!["--bind-address=127.0.0.1".to_owned(), format!("--port={port}")],
            None => vec!["--skip-networking".to_owned()],
        });
        let server = serve(home.path(), &all)?;
        let mut started = Self { home, settings: all, port, server };
        started.wait();
        Ok(started)
    }

    /// How a client connects to it over its socket, as the superuser.
    #[must_use]
    pub fn dsn(&self) -> String {
        self.dsn_of("root")
    }

    /// The same as another user.
    #[must_use]
    pub fn dsn_of(&self, user: &str) -> String {
        format!("socket={} user={user}", self.socket().display())
    }

    /// How a client connects to it over the network of this host: `mysql://LOGIN@127.0.0.1:PORT/`.
    ///
    /// # Panics
    /// When it has no port.
    #[must_use]
    pub fn url_of(&self, login: &str) -> String {
        format!("mysql://{login}@127.0.0.1:{}/", self.port.expect("it was started on a port"))
    }

    /// The directory of its database.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.home.path().join("data")
    }

    fn socket(&self) -> PathBuf {
        self.home.path().join("s")
    }

    /// The process of the server.
    #[must_use]
    pub fn process(&self) -> u32 {
        self.server.id()
    }

    /// What statements give, without heading.
    ///
    /// # Errors
    /// With what the server says when it refuses one.
    ///
    /// # Panics
    /// Without the client, which was there when the server was started.
    pub fn ask(&self, sql: &str) -> Result<String, String> {
        let mut client = Command::new(program(&["mariadb", "mysql"]).expect("the client was there"));
        client.args(["--no-defaults", "-N", "-B", "-u", "root", "-e", sql]);
        client.arg(format!("--socket={}", self.socket().display())).env_remove("MYSQL_PWD");
        let output = client.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }

    /// Kills the server, as a crash does.
    pub fn crash(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }

    /// Starts it again.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start_again(&mut self) {
        self.server = serve(self.home.path(), &self.settings).expect("the server started before");
        self.wait();
    }

    fn wait(&mut self) {
        let began = Instant::now();
        while self.ask("select 1").is_err() {
            let ended = self.server.try_wait().ok().flatten();
            let log = || fs::read_to_string(self.home.path().join("log")).unwrap_or_default();
            assert!(ended.is_none(), "the server ended: {ended:?}\n{}", log());
            assert!(began.elapsed() < PATIENCE, "no answer in {} s\n{}", PATIENCE.as_secs(), log());
            thread::sleep(PAUSE);
        }
    }
}

impl Drop for MysqlServer {
    fn drop(&mut self) {
        self.crash();
    }
}

fn serve(home: &Path, settings: &[String]) -> Result<Child, MissingNeed> {
    let log =
        OpenOptions::new().create(true).append(true).open(home.join("log")).map_err(MissingNeed::new)?;
    let mut server = as_user(program(&["mariadbd", "mysqld"])?);
    server.args(settings).arg(format!("--datadir={}", home.join("data").display()));
    server.arg(format!("--socket={}", home.join("s").display()));
    server.arg(format!("--pid-file={}", home.join("pid").display()));
    server.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    keeper::spawn(server).map_err(MissingNeed::new)
}

fn program(names: &[&str]) -> Result<PathBuf, MissingNeed> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let dirs: Vec<PathBuf> = std::env::split_paths(&paths)
        .chain(PLACES.map(PathBuf::from))
        .filter(|dir| dir.is_absolute())
        .collect();
    let all = names.iter().flat_map(|name| dirs.iter().map(move |dir| dir.join(name)));
    let mut all = all.filter(|path| path.is_file());
    all.next().ok_or_else(|| MissingNeed::new(format!("{} is not installed", names[0])))
}

fn succeed(command: &mut Command) -> Result<(), MissingNeed> {
    let output = command.stdin(Stdio::null()).output().map_err(MissingNeed::new)?;
    if output.status.success() {
        return Ok(());
    }
    Err(MissingNeed::new(String::from_utf8_lossy(&output.stderr)))
}
