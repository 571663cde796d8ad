//! Which server `rigel sql` measures, and the table in it. Must not connect.

use super::SERVER;
use crate::args::ServerSource;
use crate::args::values::ValueError;
use rigel_core::error::Problem;
use rigel_core::load::sql::Product;
use rigel_core::units::Bytes;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub struct ServerArgs {
    /// Directory for a private server, on the storage to measure [default: .]
    #[arg(value_name = "TARGET_DIR", value_hint = clap::ValueHint::DirPath)]
    pub dir: Option<PathBuf>,

    /// Measure an existing server, such as 'host=/run/postgresql dbname=shop'
    ///
    /// A connection string, as key=value pairs or as postgresql://USER@HOST/DATABASE. The password is taken from PGPASSWORD; there is no prompt. The
    /// table is in its own schema, rigel, which is created only with --create-in and reused by later runs.
    #[arg(long, value_name = "DSN", conflicts_with_all = ["dir", "programs"], help_heading = SERVER)]
    pub dsn: Option<String>,

    /// Allow Rigel to create the schema rigel and its table in this database
    ///
    /// Repeat the name of the database. Look-ups and reports need this only once, as their table stays unless --drop is given; commit and prove need it
    /// for every run, as their tables are removed afterwards. Nothing else in the database is changed.
    #[arg(long, value_name = "DATABASE", requires = "dsn", help_heading = SERVER)]
    pub create_in: Option<String>,

    /// Remove the schema rigel after the run; `rigel sql drop` removes it now
    ///
    /// Removes only a schema that Rigel made, recognized by its comment; if it has calibrate_io(), only the table.
    #[arg(long, requires = "dsn", help_heading = SERVER)]
    pub drop: bool,

    /// Directory of the programs of a private server, such as postgres or mariadbd [default: the newest installed]
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, help_heading = SERVER, hide_short_help = true)]
    pub programs: Option<PathBuf>,

    /// Which database: postgresql or mysql, which is MySQL or MariaDB
    ///
    /// Of MySQL and MariaDB only private servers are measured; MariaDB is taken where both are installed. Loads as they and Oracle make them, without a
    /// server: `rigel run --load mysql`, `rigel run --load oracle`.
    #[arg(long, value_name = "PRODUCT", default_value = "postgresql", value_parser = database, help_heading = SERVER, hide_short_help = true)]
    pub database: Product,

    /// Size of the table [default: four times the caches, at least 1G]
    #[arg(long, value_name = "SIZE", help_heading = SERVER)]
    pub size: Option<Bytes>,
}

/// The databases that can be measured.
fn database(text: &str) -> Result<Product, ValueError> {
    match text.to_ascii_lowercase().as_str() {
        "postgresql" | "postgres" | "pg" => Ok(Product::Postgresql),
        "mysql" | "mariadb" => Ok(Product::Mysql),
        "oracle" => Err(ValueError {
            reason: "cannot be measured through its server; only postgresql and mysql can".into(),
            next: "`rigel run --load oracle` puts its load on the storage without a server".into(),
        }),
        _ => Err(ValueError {
            reason: "is not a database that Rigel knows".into(),
            next: "leave out --database, or write --database postgresql or --database mysql".into(),
        }),
    }
}

impl ServerArgs {
    /// Refuses a server that is there where only a private one can be measured.
    ///
    /// # Errors
    /// When one was named.
    pub fn check(&self) -> Result<(), Problem> {
        if self.database != Product::Mysql || self.dsn.is_none() {
            return Ok(());
        }
        Err(Problem::usage("an existing MySQL or MariaDB server cannot be measured")
            .at("--dsn")
            .because("only private servers of these products are supported")
            .next("leave out --dsn for a private server on the same storage"))
    }

    pub fn source(&self) -> ServerSource {
        ServerSource {
            product: self.database,
            dir: self.dir.clone(),
            programs: self.programs.clone(),
            dsn: self.dsn.clone(),
            create_in: self.create_in.clone(),
            size: self.size,
            drop: self.drop,
            raw: false,
            users: None,
        }
    }
}
