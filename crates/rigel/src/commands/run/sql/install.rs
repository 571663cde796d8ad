//! `rigel sql install`: adds a function to a database that calibrates its storage with this program.
//!
//! Must not measure, and must not change existing objects.

use crate::args::InstallOptions;
use crate::streams::Streams;
use rigel_core::error::Problem;
use rigel_core::load::sql::Product;
use rigel_core::path_text;
use rigel_sql::postgresql::{Address, Database, install};
use std::env;
use std::path::PathBuf;

/// Installs it, or shows its SQL.
pub fn install(options: &InstallOptions, streams: &Streams) -> Result<(), Problem> {
    let program = program(options)?;
    let Some(dsn) = &options.dsn else {
        return streams.results(install::script(&program).as_bytes());
    };
    if Product::of_dsn(dsn) == Some(Product::Mysql) {
        return Err(Problem::usage("rigel.calibrate_io() is a function of PostgreSQL")
            .at("--dsn")
            .because("servers of MySQL and MariaDB start no programs")
            .next("calibrate the directory of that server: rigel calibrate DIR"));
    }
    let shown = path_text::printable(&program).into_owned();
    let (database, ()) =
        Database::open(Address::of_user(dsn)?, 0)?.asked(move |database| database.install(&program))?;
    streams.remark(&format!(
        "the database {} has rigel.calibrate_io(), which starts {shown}; initially only its owner and superusers may call it",
        database.name()
    ));
    Ok(())
}

/// The server starts it in its own directory, so a relative path would lead elsewhere.
fn program(options: &InstallOptions) -> Result<String, Problem> {
    let wrong = |why: &str| {
        Problem::usage("the server cannot start this program").at("--rigel-path").because(why.to_owned())
    };
    let path = match &options.program {
        Some(path) => path.clone(),
        None => env::current_exe()
            .map_err(|error| wrong(&format!("its location cannot be determined: {error}")))?,
    };
    if !path.is_absolute() {
        return Err(wrong("the path is relative")
            .next("give the whole path on the server, such as /usr/local/bin/rigel"));
    }
    path.into_os_string().into_string().map_err(|path| {
        wrong(&format!("'{}' is not UTF-8", path_text::encode(&PathBuf::from(path))))
            .next("give it another name")
    })
}
