//! A server with the extension, which is built for it, and a table to read from.

use rigel_testdev::{MissingNeed, PostgresServer, needs};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The call of most tests: a minute, unless something ends it.
pub const CALL: &str = "SELECT * FROM rigel.calibrate_io()";
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../extensions/postgresql/install.sh");

/// The table `big`.
pub struct Table {
    /// Rounded down to whole rows of almost 8 KiB, of which there are 128 in one.
    pub megabytes: u32,
}

/// A server with the extension, or word that there is none.
pub fn extension(name: &str) -> Option<PostgresServer> {
    let server = needs(name, PostgresServer::start_with("checkpoint_timeout = 1h", install))?;
    server.ask("CREATE EXTENSION rigel").unwrap();
    Some(server)
}

/// The same, with a way to panic, and a table.
pub fn server(name: &str, table: Table) -> Option<PostgresServer> {
    let server = extension(name)?;
    let hook = "CREATE FUNCTION rigel_test_panic(boolean) RETURNS text LANGUAGE c \
                AS '$libdir/rigel', 'rigel_test_panic_wrapper'";
    server.ask(hook).unwrap();
    fill(&server, &table);
    Some(server)
}

pub fn fill(server: &PostgresServer, table: &Table) {
    server.ask("CREATE TABLE big (id integer, pad text)").unwrap();
    server.ask("ALTER TABLE big ALTER pad SET STORAGE PLAIN").unwrap();
    // A little less than 1 MiB is not read by any calibration.
    let rows = table.megabytes * 128 - 2;
    server
        .ask(&format!(
            "INSERT INTO big SELECT i, repeat(md5(i::text), 247) FROM generate_series(1, {rows}) AS i"
        ))
        .unwrap();
    server.ask("VACUUM FREEZE big").unwrap();
    server.ask("CHECKPOINT").unwrap();
}

/// Puts the extension with its hooks for tests below `root`. `cargo xtask test` builds it with the other tests and says where it is
/// (`RIGEL_EXTENSION`); else it is built in a place of its own, which takes minutes the first time.
fn install(root: &Path, pg_config: &Path) -> Result<(), MissingNeed> {
    let told = Command::new(pg_config).arg("--includedir-server").output().map_err(MissingNeed::new)?;
    let headers = PathBuf::from(String::from_utf8_lossy(&told.stdout).trim());
    if !headers.join("postgres.h").is_file() {
        return Err(MissingNeed::new(
            "the headers of the server are not installed (postgresql-server-dev-all)",
        ));
    }
    let mut script = Command::new(SCRIPT);
    script.arg(pg_config).env("DESTDIR", root);
    // It is for one version of the server.
    match std::env::var_os("RIGEL_EXTENSION").filter(|_| std::env::var_os("RIGEL_POSTGRES").is_none()) {
        Some(library) => script.env("LIBRARY", library),
        None => {
            let built = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("extension");
            script.env("CARGO_TARGET_DIR", built).envs([("PROFILE", "dev"), ("FEATURES", "test-hooks")])
        }
    };
    let told = script.output().map_err(MissingNeed::new)?;
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    Ok(())
}
