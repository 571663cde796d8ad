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

    /// Measure an existing server, such as 'host=/run/postgresql dbname=shop' or mysql://USER@HOST
    ///
    /// A connection string, as key=value pairs or as postgresql://USER@HOST/DATABASE; for MySQL and MariaDB as mysql://USER@HOST:PORT or as
    /// 'socket=/run/mysqld/mysqld.sock user=USER'. The password is taken from PGPASSWORD or MYSQL_PWD; there is no prompt. The table is in its own schema
    /// (for MySQL and MariaDB: database), rigel, which is created only with --create-in and reused by later runs.
    #[arg(long, value_name = "DSN", conflicts_with_all = ["dir", "programs"], help_heading = SERVER)]
    pub dsn: Option<String>,

    /// Allow Rigel to create the schema rigel and its table in this database
    ///
    /// Repeat the name of the database; for MySQL and MariaDB it is rigel. Look-ups and reports need this only once, as their table stays unless
    /// --drop is given; commit and prove need it
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

    /// Database product: postgresql or mysql (MySQL or MariaDB) [default: that of --dsn, else postgresql]
    ///
    /// MariaDB is used for a private server if both are installed. Loads like theirs and Oracle's, without a server: `rigel run --load mysql`,
    /// `rigel run --load oracle`.
    #[arg(long, value_name = "PRODUCT", value_parser = database, help_heading = SERVER, hide_short_help = true)]
    pub database: Option<Product>,

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
    /// The product that was named, or whose connection string was given.
    pub fn product(&self) -> Product {
        self.database.or_else(|| Product::of_dsn(self.dsn.as_deref()?)).unwrap_or_default()
    }

    /// Refuses a connection string of another product than was named, and what only a server that is there can have.
    ///
    /// # Errors
    /// When it is.
    pub fn check(&self) -> Result<(), Problem> {
        // clap does not ask for the connection string where a directory, which excludes one, was named.
        let of_others = [("--create-in", self.create_in.is_some()), ("--drop", self.drop)];
        if let Some((option, _)) = of_others.into_iter().find(|(_, given)| *given && self.dsn.is_none()) {
            return Err(Problem::usage(format!("{option} is for an existing server"))
                .at(option)
                .because("a private server is created and removed with its run")
                .next(format!("leave out {option}, or name the server with --dsn")));
        }
        let Some((dsn, asked)) = self.dsn.as_deref().zip(self.database) else { return Ok(()) };
        match Product::of_dsn(dsn).unwrap_or(asked) {
            of_dsn if of_dsn == asked => Ok(()),
            of_dsn => Err(Problem::usage(format!(
                "--database {} is given, but the connection string is one of {}",
                asked.name(),
                of_dsn.name()
            ))
            .at("--dsn")
            .next("leave out --database, or give the connection string of such a server")),
        }
    }

    pub fn source(&self) -> ServerSource {
        ServerSource {
            product: self.product(),
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
