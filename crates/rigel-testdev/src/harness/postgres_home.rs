//! The directory of all that the servers of a test process keep, and in it the database that each begins with.
//!
//! `initdb` takes a second of CPU time, a copy of what it made a tenth of that. Values of the process are never dropped, so a shell
//! of its own removes the directory once the process has ended, in whatever way. Must not start a server.

use super::needs::MissingNeed;
use super::postgres_programs::installed;
use rustix::fs::{Gid, Uid, chown};
use rustix::process::geteuid;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use tempfile::TempDir;

/// Whom the server runs as when the tests are run by root, which it refuses: nobody, on every Linux.
const NOBODY: u32 = 65_534;
/// Waits for the end of its input, which is that of the process. A server that ends at the same time may still write.
const SWEEP: &str = "trap '' HUP INT TERM; cat >/dev/null; tries=0; \
    until rm -rf -- \"$0\" 2>/dev/null || [ $tries -ge 100 ]; do tries=$((tries + 1)); sleep 0.1; done";

struct Home {
    path: PathBuf,
    /// Its input ends with this process.
    _sweeper: Child,
}

static HOME: LazyLock<Result<Home, MissingNeed>> = LazyLock::new(|| Home::make().map_err(MissingNeed::new));
static TEMPLATE: LazyLock<Result<PathBuf, MissingNeed>> = LazyLock::new(|| {
    let home = new_dir()?.keep();
    let data = home.join("data");
    let mut initdb = as_user(installed()?.join("initdb"));
    initdb.arg("-D").arg(&data);
    initdb.args(["-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"]);
    succeed("initdb", &mut initdb)?;
    Ok(data)
});

impl Home {
    fn make() -> std::io::Result<Self> {
        // Every user can reach it there, unlike directories of the build.
        let path = TempDir::with_prefix("rigel-postgres-")?.keep();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        let mut shell = Command::new("sh");
        shell.args(["-c", SWEEP]).arg(&path).current_dir("/");
        // Whoever reads what the tests print does not wait for it.
        let sweeper = shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        Ok(Self { path, _sweeper: sweeper })
    }
}

/// A directory for a server, of the user whom it runs as.
pub(super) fn new_dir() -> Result<TempDir, MissingNeed> {
    let home = HOME.as_ref().map_err(Clone::clone)?;
    let dir = TempDir::new_in(&home.path).map_err(MissingNeed::new)?;
    if geteuid().is_root() {
        chown(dir.path(), Some(Uid::from_raw(NOBODY)), Some(Gid::from_raw(NOBODY)))
            .map_err(MissingNeed::new)?;
    }
    Ok(dir)
}

/// A new database, as `initdb` makes it.
pub(super) fn copy_database(to: &Path) -> Result<(), MissingNeed> {
    let template = TEMPLATE.as_ref().map_err(Clone::clone)?;
    let mut copy = as_user(PathBuf::from("cp"));
    succeed("cp", copy.args(["-a", "--reflink=auto", "--sparse=always", "--"]).arg(template).arg(to))
}

/// A program as a user that the server accepts, which ends when this process does.
pub(super) fn as_user(program: PathBuf) -> Command {
    let mut command = Command::new("setpriv");
    if geteuid().is_root() {
        let id = NOBODY.to_string();
        command.args(["--reuid", &id, "--regid", &id, "--clear-groups"]);
    }
    // The tests may run in a directory that the user cannot enter.
    command.args(["--pdeathsig", "QUIT", "--"]).arg(program).current_dir("/");
    command
}

fn succeed(what: &str, command: &mut Command) -> Result<(), MissingNeed> {
    let output = command.output().map_err(|error| MissingNeed::new(format!("{what}: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    Err(MissingNeed::new(format!("{what}: {}", String::from_utf8_lossy(&output.stderr))))
}
