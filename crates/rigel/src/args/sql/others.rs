//! `rigel sql prove | install | drop | resume | record`: what can be done with a server, or with a record of it, besides putting a load on it. Each
//! has the options that it needs.
//!
//! Must not connect.

use super::server::ServerArgs;
use super::{SERVER, adapted, of_server, size};
use crate::args::build::display;
use crate::args::output::OutputArgs;
use crate::args::own::{HowArgs, ShowArgs};
use crate::args::{Environment, Invocation, ResumeOptions, ServerSource, Versus, VersusRecord, values};
use clap::Arg;
use rigel_core::error::Problem;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::{Adaptive, Pace};
use rigel_core::load::request::Request;
use rigel_core::load::sql::Product;
use rigel_core::units::{Bytes, MIB, Nanos};
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

const OUTPUT: &str = "Output";
/// A smaller table is nothing but noise.
const LEAST_PROOF: u64 = 4 * MIB;

const PROVE: &str = "\
Examples:
  rigel sql prove /mnt/fast
      find the right random_page_cost and effective_io_concurrency for queries there, in a few minutes
  rigel sql prove --dsn 'dbname=shop' --create-in shop --size 1G
      the same on your own server, with a table that is removed afterwards
  rigel sql prove --database mysql /mnt/fast
      find the right innodb_io_capacity and more for MySQL or MariaDB there, in about 20 minutes";

const INSTALL: &str = "\
Examples:
  rigel sql install --dsn 'host=/run/postgresql dbname=shop'
      create rigel.calibrate_io(), which calibrates the storage of that database when called
  rigel sql install --dry-run
      show the SQL, and change nothing";

const DROP: &str = "\
Examples:
  rigel sql drop --dsn 'host=/run/postgresql dbname=shop'
      remove the schema rigel and its table; measure nothing
  rigel sql drop --dsn mysql://rigel@localhost
      the same on a MySQL or MariaDB server, whose table is in the database rigel";

const RESUME: &str = "\
Examples:
  rigel sql resume sql_20260101_1200_record.jsonl --dsn 'host=/run/postgresql dbname=shop'
      resume a run that was stopped, or whose server was
  rigel sql resume sql_20260101_1200_record.jsonl
      resume a run on a private server, which is created again";

const RECORD: &str = "\
Examples:
  rigel sql record sql_20260101_1200_record.jsonl --json
      show the results of a run again
  rigel sql record sql_20260101_1200_record.jsonl --html
      write the page with charts, next to the record";

#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Find the right settings for queries by experiment
    Prove(Box<ProveArgs>),
    /// Create the function calibrate_io() in a database
    Install(InstallArgs),
    /// Remove the schema rigel; measure nothing
    Drop(DropArgs),
    /// Resume an interrupted run, except commit and prove
    Resume(ResumeArgs),
    /// Show the results of a finished run
    Record(RecordArgs),
}

/// Runs queries with each value of random_page_cost and effective_io_concurrency, from version 18 on also of io_workers and io_method, and checks
/// whether the advice of `rigel advise` holds. With --database mysql: of innodb_io_capacity, innodb_flush_neighbors, innodb_log_file_size and
/// innodb_read_io_threads, on a private server.
#[derive(Debug, clap::Args)]
#[command(after_help = PROVE, mut_args(adapted_to_proof))]
pub struct ProveArgs {
    #[command(flatten)]
    server: ServerArgs,

    /// Stop measuring after TIME, such as 10m; no measurement begins after it
    #[arg(long = "for", alias = "max-duration", value_name = "TIME", value_parser = values::duration, help_heading = super::LOAD)]
    max_duration: Option<Nanos>,

    #[command(flatten)]
    how: HowArgs,

    #[command(flatten)]
    output: OutputArgs,
}

fn adapted_to_proof(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "size" => arg.help("Size of the table [default: 256M]"),
        "seed" => adapted(arg).help("Seed of the table [default: random, printed]"),
        _ => adapted(arg),
    }
}

/// Creates rigel.calibrate_io(), which starts this program on the server.
#[derive(Debug, clap::Args)]
#[command(after_help = INSTALL)]
pub struct InstallArgs {
    /// The database, such as 'host=/run/postgresql dbname=shop'; a password comes from PGPASSWORD
    #[arg(long, value_name = "DSN", required_unless_present = "dry_run")]
    dsn: Option<String>,

    /// Path of this program on the server [default: its current path]
    #[arg(long, value_name = "PATH", value_hint = clap::ValueHint::FilePath)]
    rigel_path: Option<PathBuf>,

    /// Print the SQL and do nothing
    #[arg(long)]
    dry_run: bool,
}

/// Removes only a schema that Rigel made, recognized by its comment; if it has calibrate_io(), only the table. For MySQL and MariaDB: tables with
/// that comment, and the database rigel when nothing else is in it.
#[derive(Debug, clap::Args)]
#[command(after_help = DROP)]
pub struct DropArgs {
    /// The database, such as 'host=/run/postgresql dbname=shop' or mysql://USER@HOST; a password comes from PGPASSWORD or MYSQL_PWD
    #[arg(long, value_name = "DSN")]
    dsn: String,
}

/// The record holds all options except --dsn. Server, table and host must be the same. A private server was removed with its run: it is created again in the
/// same directory with the same table. Look-ups continue after the last completed measurement.
#[derive(Debug, clap::Args)]
#[command(after_help = RESUME)]
pub struct ResumeArgs {
    /// Record of the run, its NAME_record.jsonl
    #[arg(value_name = "RECORD", value_hint = clap::ValueHint::FilePath)]
    record: PathBuf,

    /// Connection string of an existing server
    #[arg(long, value_name = "DSN", conflicts_with = "programs", help_heading = SERVER)]
    dsn: Option<String>,

    /// Remove the schema rigel after the run
    #[arg(long, requires = "dsn", help_heading = SERVER)]
    drop: bool,

    /// Directory of the programs of a private server, such as postgres or mariadbd [default: the newest installed]
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, help_heading = SERVER)]
    programs: Option<PathBuf>,

    #[command(flatten)]
    show: ShowArgs,

    /// Show a live view; ? shows help, q ends the run
    #[arg(long, help_heading = OUTPUT)]
    tui: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = RECORD)]
pub struct RecordArgs {
    /// Record of the run, its NAME_record.jsonl
    #[arg(value_name = "RECORD", value_hint = clap::ValueHint::FilePath)]
    record: PathBuf,

    /// Print the results as JSON
    #[arg(long)]
    json: bool,

    /// Write the page with charts, next to the record or into --out
    #[arg(long)]
    html: bool,

    /// Directory of the page [default: that of the record]
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    out: Option<PathBuf>,
}

/// A function of a database that calibrates.
#[derive(Clone, PartialEq, Eq)]
pub struct InstallOptions {
    /// The database; only the SQL is shown without one.
    pub dsn: Option<String>,
    /// Where the server finds this program.
    pub program: Option<PathBuf>,
}

/// Without the connection string, which may contain a password.
impl fmt::Debug for InstallOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InstallOptions").field("program", &self.program).finish_non_exhaustive()
    }
}

impl Command {
    /// What was requested; `arguments` are what was typed, for the echo.
    pub fn invocation(
        self,
        arguments: &[OsString],
        environment: &Environment,
    ) -> Result<Invocation, Problem> {
        match self {
            Self::Prove(prove) => prove.invocation(arguments, environment),
            Self::Install(InstallArgs { dsn, rigel_path, dry_run }) => {
                let dsn = dsn.filter(|_| !dry_run);
                Ok(Invocation::SqlInstall(InstallOptions { dsn, program: rigel_path }))
            }
            Self::Drop(DropArgs { dsn }) => Ok(Invocation::SqlDrop(dsn)),
            Self::Resume(resume) => resume.invocation(environment),
            Self::Record(RecordArgs { record, json, html, out }) => {
                let (force, wish) = (false, Versus::default());
                Ok(Invocation::VersusRecord(VersusRecord { record, json, html, out, force, wish }))
            }
        }
    }
}

impl ProveArgs {
    fn invocation(self, arguments: &[OsString], environment: &Environment) -> Result<Invocation, Problem> {
        self.server.check()?;
        if self.server.product() != Product::Postgresql && self.server.dsn.is_some() {
            return Err(Problem::usage("settings of an existing MySQL or MariaDB server are not tested")
                .at("--dsn")
                .because("they apply to the whole server, and it would have to be restarted with each value")
                .next("leave out --dsn for a private server on the same storage: rigel sql prove --database mysql DIR"));
        }
        size::check(self.server.product(), self.server.size)?;
        if let Some(size) = self.server.size.filter(|size| size.0 < LEAST_PROOF) {
            return Err(Problem::usage(format!("a {size} table is too small to show any effect"))
                .at("--size")
                .because("whatever a setting changes takes the time of a few reads")
                .next(format!("give {} or more", Bytes(LEAST_PROOF))));
        }
        let pace = Pace::Adaptive(Adaptive { max_duration: self.max_duration, ..Adaptive::default() });
        let request = self.how.request(Request::new(RunLevel::Simple).paced(pace))?;
        request.check()?;
        let source = self.server.source();
        let options = of_server(source, request, self.how, self.output, arguments, environment)?;
        Ok(Invocation::SqlProve(Box::new(options)))
    }
}

impl ResumeArgs {
    fn invocation(self, environment: &Environment) -> Result<Invocation, Problem> {
        let Self { record, dsn, drop, programs, show, tui } = self;
        let server = ServerSource {
            // Without a connection string, that of the record holds.
            product: dsn.as_deref().and_then(Product::of_dsn).unwrap_or_default(),
            dir: None,
            programs,
            dsn,
            create_in: None,
            size: None,
            drop,
            raw: false,
            users: None,
        };
        Ok(Invocation::Resume(ResumeOptions {
            record,
            destroy: Vec::new(),
            dry_run: false,
            display: display(show, tui, None, environment)?,
            versus: Versus::default(),
            server: Some(server),
        }))
    }
}
