//! `rigel sql`: the arguments. It measures a run whose load goes through a database; everything else is in separate commands ([`others`]).
//!
//! Must not connect, and must not look at a path.

mod former;
mod others;
mod queries;
mod server;
mod size;

use super::build::Frame;
use super::names::Front;
use super::output::OutputArgs;
use super::own::HowArgs;
use super::target_args::TargetArgs;
use super::words::{self, Words};
use super::{Environment, Invocation, RunOptions, ServerSource, TargetSource, typed, values};
use clap::Arg;
pub use former::with_command;
pub use others::InstallOptions;
use queries::QueryArgs;
use rigel_core::error::Problem;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::{Adaptive, Pace, Precision};
use rigel_core::load::request::{EngineRequest, Request};
use rigel_core::load::sql::{Probe, ServerChoice, SqlLevel, SqlRequest};
use rigel_core::load::task::{Task, Through};
use rigel_core::units::Nanos;
use server::ServerArgs;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;

const SERVER: &str = "Server";
const LOAD: &str = "Load";
/// More threads than this wait for one another.
const MOST_SESSIONS: u32 = 2000;

/// What a fixed time excludes.
const NO_TURNS: &str = "with --duration every data point is measured once, which leaves no turns: only SQL is measured, not raw I/O";

const SUMMARY: &str = "\
Examples:
  rigel sql simple /mnt/fast                    look-ups, with a temporary server there
  rigel sql simple --dsn 'dbname=shop' --create-in shop --drop
                                                on your server; Rigel's table is removed
  rigel sql normal /mnt/fast                    look-ups and reports together
  rigel sql prove /mnt/fast                     which settings suit queries there?
All options and more examples: rigel help sql";

const EXAMPLES: &str = "\
Examples:
  rigel sql simple
      look-ups through a private PostgreSQL server in this directory, removed afterwards
  rigel sql simple /mnt/fast --sessions 1,4,16,64
      the same on another disk with 1, 4, 16 and 64 sessions
  rigel sql simple --probe single
      one look-up per statement, so that percentiles are those of look-ups
  rigel sql normal /mnt/fast
      look-ups and reports together: how much do they slow each other down?
  rigel sql users /mnt/fast --report-share 10
      1 to 500 sessions, a tenth of them with reports: the knee, and response times at half of it
  rigel sql commit /mnt/fast
      commits per second of 1 to 32 sessions, and how many share a flush of the log
  rigel sql simple --database mysql /mnt/fast
      the same through a private MariaDB or MySQL server
  rigel sql simple --dsn 'host=/run/postgresql dbname=shop' --create-in shop --size 100G
      an existing server; the table stays in its schema rigel for the next run
  rigel sql simple --dsn mysql://rigel@localhost --create-in rigel --size 100G
      an existing MySQL or MariaDB server; the table stays in its own database, rigel
  rigel sql prove /mnt/fast
      find the right random_page_cost and effective_io_concurrency by experiment, in a few minutes
  rigel sql resume sql_20260101_1200_record.jsonl --dsn 'host=/run/postgresql dbname=shop'
      resume a run that was stopped, or whose server was; without --dsn on a private server, which is created again
  rigel sql record sql_20260101_1200_record.jsonl --json
      show the results of a finished run again
  rigel sql drop --dsn 'host=/run/postgresql dbname=shop'
      remove that schema and its table; measure nothing
  rigel sql install --dsn 'host=/run/postgresql dbname=shop'
      create rigel.calibrate_io(), which calibrates the storage of that database when called; --dry-run shows the SQL

Former names of these commands:
      --resume, --record and --drop, each without a level; they still work

What is measured:
      simple: SQL, alternating with raw reads of the table's files, with as many outstanding reads as sessions. The result is the share of the raw
      rate that reaches SQL, and what limits it: storage, CPU, or the time of each session. commit: the same with durable writes to a log. The
      other levels measure SQL only.

What a look-up is:
      A query reads a row by its location (--probe index: through a b-tree). The table has one row per block of 8 KiB, and no row is read twice before
      all have been read, so that each look-up causes one read unless a cache intervenes. With MySQL and \
          MariaDB it reads the row by its primary key, one per page of 16 KiB; pages of the index that are \
          read as well are counted. A report reads all rows of a range of blocks. Counters of
      server, kernel and device are read with every measurement. If they differ by more than 1 % or 4 reads, the numbers are flagged UNVERIFIED.";

#[derive(Debug, clap::Args)]
#[command(
    after_help = SUMMARY,
    after_long_help = EXAMPLES,
    mut_args(adapted),
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    disable_help_subcommand = true
)]
pub struct SqlArgs {
    #[command(subcommand)]
    command: Option<others::Command>,

    #[command(flatten)]
    load: SqlLoadArgs,
}

/// A load through a database.
#[derive(Debug, clap::Args)]
struct SqlLoadArgs {
    /// Load: simple or oltp (look-ups), dss (reports), normal (both), users (up to 500 sessions), or commit
    ///
    /// simple: sessions look up single random rows, one after the other (--probe: up to 1000 per statement), alternating with raw I/O. oltp: the same
    /// with more sessions. dss: reports that read long parts of the table. normal: look-ups and reports in all combinations. users: 1 to 500
    /// sessions, to find the number beyond which sessions only wait (the knee), and the response times at half of it. commit: sessions write a row
    /// and wait until it is durable.
    #[arg(value_name = "LEVEL", ignore_case = true, hide_possible_values = true, required = true, value_parser = words::parser::<SqlLevel>())]
    level: Option<SqlLevel>,

    #[command(flatten)]
    server: ServerArgs,

    #[command(flatten)]
    queries: QueryArgs,

    /// Measure SQL only, without raw I/O in between (simple, commit)
    ///
    /// Raw I/O of simple reads the table's files without the database, with as many outstanding reads as sessions; the files are opened read-only. Raw
    /// I/O of commit appends to a separate log next to the private server, with as many writers. Rigel omits it if the files cannot be read, for
    /// commit with --dsn, and with --duration.
    #[arg(long, help_heading = LOAD)]
    sql_only: bool,

    /// Measure until every 95 % interval, of SQL to raw I/O or else of each rate, is at most ±PERCENT [default: 5%]
    #[arg(long, value_name = "PERCENT", help_heading = LOAD)]
    precision: Option<Precision>,

    /// Stop measuring after TIME, such as 10m; no measurement begins after it
    #[arg(long = "for", alias = "max-duration", value_name = "TIME", value_parser = values::duration, help_heading = LOAD)]
    max_duration: Option<Nanos>,

    /// Measure each data point once for TIME, such as 60s; --for limits the whole run
    #[arg(long, value_name = "TIME", value_parser = values::duration, help_heading = LOAD, hide_short_help = true)]
    duration: Option<Nanos>,

    #[command(flatten)]
    how: HowArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// The options of every run, as the help of these commands has them.
fn adapted(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "io_timeout" => arg
            .help("Cancel a statement that takes longer, and end the run [default: 60s]")
            .long_help(None::<&str>)
            .help_heading(LOAD),
        "seed" => arg
            .help("Seed of the table and of the order of look-ups [default: random, printed]")
            .long_help(None::<&str>)
            .help_heading(LOAD),
        "allow_memory" => arg
            .help("Measure memory on purpose: allow a private server in memory, and exit with 0")
            .long_help(None::<&str>)
            .help_heading(SERVER),
        "dry_run" => arg.help("Show the plan and do nothing").long_help(None::<&str>).help_heading(SERVER),
        "name" => arg.help("Name of the run; all output files start with it").default_value("sql"),
        "out" => arg.help("Directory of the outputs [default: the current one]"),
        "tui" => arg.help("Show a live view; ? shows help, q ends the run"),
        _ => arg,
    }
}

impl Words for SqlLevel {
    fn all() -> Vec<(&'static str, Self)> {
        Self::ALL.map(|level| (level.name(), level)).into()
    }
}

impl Words for Probe {
    fn all() -> Vec<(&'static str, Self)> {
        Self::ALL.map(|probe| (probe.name(), probe)).into()
    }
}

impl SqlArgs {
    /// What was requested; `arguments` are what was typed, for the echo.
    pub fn invocation(
        self,
        arguments: &[OsString],
        environment: &Environment,
    ) -> Result<Invocation, Problem> {
        match self.command {
            Some(other) => other.invocation(arguments, environment),
            None => self.load.invocation(arguments, environment),
        }
    }
}

impl SqlLoadArgs {
    fn invocation(self, arguments: &[OsString], environment: &Environment) -> Result<Invocation, Problem> {
        // clap asks for a level.
        let level = self.level.unwrap_or(SqlLevel::Simple);
        let request = self.request(level)?;
        // Nothing is written beside the log of a server of others.
        let has_raw = level == SqlLevel::Simple || level == SqlLevel::Commit && self.server.dsn.is_none();
        let is_usual = self.queries.sessions.is_empty();
        let users = (level == SqlLevel::Users && is_usual).then(|| self.queries.report_share.unwrap_or(0));
        let raw = has_raw && !self.sql_only && self.duration.is_none();
        let no_turns = has_raw && !self.sql_only && self.duration.is_some();
        let source = ServerSource { raw, users, ..self.server.source() };
        let mut options = of_server(source, request, self.how, self.output, arguments, environment)?;
        options.notes.extend(no_turns.then(|| NO_TURNS.to_owned()));
        Ok(Invocation::Sql(Box::new(options)))
    }

    /// The request, without name and command line.
    fn request(&self, level: SqlLevel) -> Result<Request, Problem> {
        self.server.check()?;
        let product = self.server.product();
        size::check(product, self.server.size)?;
        let asked = self.queries.asked(product, level)?;
        let server = if self.server.dsn.is_some() { ServerChoice::There } else { ServerChoice::Private };
        let pace = match self.duration {
            Some(duration) => Pace::Fixed(duration),
            None => Pace::Adaptive(Adaptive {
                precision: self.precision.unwrap_or_default(),
                max_duration: self.max_duration,
                fast: false,
            }),
        };
        let request = Request {
            num_disks: self.queries.num_disks,
            through: Through::Sql(SqlRequest {
                product,
                level,
                probe: asked.probe,
                report: asked.report,
                server,
            }),
            classes: asked.classes,
            engine: EngineRequest::Only(product.engine()),
            ..self.how.request(Request::of(Task::named(RunLevel::Sql, asked.points, pace)))?
        };
        request.check()?;
        Ok(request)
    }
}

/// The options of a run on a server.
fn of_server(
    source: ServerSource,
    request: Request,
    how: HowArgs,
    output: OutputArgs,
    arguments: &[OsString],
    environment: &Environment,
) -> Result<RunOptions, Problem> {
    let frame = Frame {
        front: Front::Rigel,
        command_line: typed(&without_dsn(arguments)),
        environment,
        targets: TargetArgs::default(),
        load_file: None,
        how,
        output,
        orion_version: None,
    };
    Ok(RunOptions { targets: TargetSource::Server(source), ..frame.options(request)? })
}

/// A connection string may contain a password, and what was typed is kept in the record.
fn without_dsn(arguments: &[OsString]) -> Vec<OsString> {
    let mut is_value = false;
    let kept = |argument: &OsString| {
        if std::mem::replace(&mut is_value, argument == "--dsn") {
            return OsString::from("DSN");
        }
        if argument.as_bytes().starts_with(b"--dsn=") {
            OsString::from("--dsn=DSN")
        } else {
            argument.clone()
        }
    };
    arguments.iter().map(kept).collect()
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;
    use rigel_core::load::class::Class;
    use rigel_core::load::matrix::Point;
    use rigel_core::load::sql::ReportBy;
    use rigel_core::units::{Bytes, MIB};

    fn asked(line: &str) -> Result<Invocation, Problem> {
        let argv: Vec<OsString> =
            format!("rigel sql {line}").split_whitespace().map(OsString::from).collect();
        read(&argv, &Environment::default())
    }

    fn run(line: &str) -> RunOptions {
        match asked(line).unwrap() {
            Invocation::Sql(options) => *options,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_sessions_are_orions_levels_or_those_given() {
        let levels = |line: &str| run(line).request.classes[0].levels.clone();
        assert_eq!(levels("simple"), [1, 2, 3, 4, 5]);
        assert_eq!(levels("simple --num-disks 8").last(), Some(&40));
        assert_eq!(levels("simple /data --sessions 16,1,4,4"), [1, 4, 16]);
        let text = asked("simple --sessions 0").unwrap_err().to_string();
        assert!(text.contains("0 sessions cannot be measured"), "{text}");
    }

    #[test]
    fn look_ups_and_reports_have_the_levels_of_small_and_large() {
        let request = |line: &str| run(line).request;
        let alone = |line: &str| {
            let request = request(line);
            let [class] = request.classes.as_slice() else { panic!("{:?}", request.classes) };
            assert!(request.points().is_empty());
            (class.name, class.levels.len(), *class.levels.last().unwrap())
        };
        assert_eq!(alone("oltp"), (Class::SIMPLE, 20, 20));
        assert_eq!(alone("dss --num-disks 2"), (Class::REPORT, 16, 30));
        assert_eq!(alone("users"), (Class::SIMPLE, 10, 500));
        assert_eq!(alone("normal --matrix col --num-small 0"), (Class::REPORT, 2, 2));
        let pairs = |line: &str| {
            let request = request(line);
            assert_eq!(request.classes.len(), 2);
            let pair = |point: &Point| (point.of(Class::SIMPLE), point.of(Class::REPORT));
            request.points().iter().map(pair).collect::<Vec<_>>()
        };
        assert_eq!(pairs("normal").len(), 6 * 3 - 1, "all but nothing at all");
        assert_eq!(pairs("normal --matrix row --num-large 2")[..2], [(0, 2), (1, 2)]);
        assert_eq!(pairs("normal --sessions 4 --report-sessions 1"), [(4, 0), (0, 1), (4, 1)]);
        assert_eq!(pairs("users --sessions 20,10 --report-share 10"), [(9, 1), (18, 2)]);
        let sql = |line: &str| request(line).sql().unwrap().clone();
        assert_eq!((sql("users").probe, sql("oltp").probe), (Probe::Single, Probe::Batch));
        assert_eq!(sql("dss --report-by join").report, ReportBy::Join);
    }

    #[test]
    fn a_connection_string_is_not_kept() {
        for dsn in ["--dsn password=secret", "--dsn=password=secret"] {
            let options = run(&format!("simple {dsn} --create-in d"));
            assert!(!options.request.command_line.contains("secret"), "{}", options.request.command_line);
            assert!(matches!(&options.targets, TargetSource::Server(source) if source.dsn.is_some()));
            assert_eq!(options.request.sql().unwrap().server, ServerChoice::There);
            assert!(!format!("{:?}", options.targets).contains("secret"), "{:?}", options.targets);
        }
    }

    #[test]
    fn an_experiment_has_the_same_server() {
        let asked =
            asked("prove /data --programs /opt/pg --size 64M --seed 7 --max-duration 5m --name x").unwrap();
        let Invocation::SqlProve(options) = asked else { panic!("{asked:?}") };
        let TargetSource::Server(source) = &options.targets else { panic!("{options:?}") };
        assert_eq!((source.size, source.dir.as_deref()), (Some(Bytes(64 * MIB)), Some("/data".as_ref())));
        assert_eq!((options.request.seed, options.request.name.as_str()), (7, "x"));
    }

    #[test]
    fn an_installation_needs_a_database_or_shows_its_sql() {
        let Ok(Invocation::SqlInstall(options)) = asked("install --dsn dbname=d --rigel-path /opt/rigel")
        else {
            panic!("no installation")
        };
        assert_eq!(
            (options.dsn.as_deref(), options.program.as_deref()),
            (Some("dbname=d"), Some("/opt/rigel".as_ref()))
        );
        assert!(!format!("{options:?}").contains("dbname"));
        let shown = asked("install --dry-run --dsn dbname=d").unwrap();
        assert_eq!(shown, Invocation::SqlInstall(InstallOptions { dsn: None, program: None }));
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        for line in [
            "",
            "simple --drop",
            "simple --create-in d",
            "simple d --dsn x=y",
            "simple --size 100K",
            "dss --sessions 4",
            "oltp --report-size 8M",
            "oltp --matrix basic",
            "normal --num-small 4",
            "normal --matrix point --num-small 0 --num-large 0",
            "prove --report-by join",
            "nonsense",
            "prove --sessions 4",
            "prove --size 2M",
            "prove --precision 1%",
            "install",
            "install --dsn dbname=d --drop",
            "install --dsn dbname=d --sessions 4",
            "install /data --dry-run",
            "simple --rigel-path /opt/rigel",
            "prove --rigel-path /opt/rigel",
        ] {
            assert_eq!(asked(line).unwrap_err().kind.code(), 2, "{line}");
        }
        assert!(matches!(asked("--dsn dbname=d --drop"), Ok(Invocation::SqlDrop(_))));
    }

    #[test]
    fn a_run_goes_on_with_the_server_named_again() {
        let Ok(Invocation::Resume(options)) = asked("--dsn password=secret --resume x.jsonl --json") else {
            panic!()
        };
        let source = options.server.as_ref().unwrap();
        assert_eq!((options.display.json, source.dsn.as_deref()), (true, Some("password=secret")));
        assert!(!format!("{options:?}").contains("secret"));
        let Ok(Invocation::Resume(options)) = asked("--resume x.jsonl --programs /opt/pg") else { panic!() };
        let source = options.server.as_ref().unwrap();
        assert_eq!((source.dsn.as_ref(), source.programs.as_deref()), (None, Some("/opt/pg".as_ref())));
        for line in [
            "simple --dsn d=e --resume x.jsonl",
            "--dsn d=e --resume x.jsonl --seed 1",
            "--resume x.jsonl --size 1G",
            "--resume x.jsonl --drop",
        ] {
            assert_eq!(asked(line).unwrap_err().kind.code(), 2, "{line}");
        }
    }

    #[test]
    fn raw_reads_take_turns_unless_they_cannot() {
        let raw = |line: &str| {
            let options = run(line);
            let TargetSource::Server(source) = options.targets else { panic!("{:?}", options.targets) };
            (source.raw, options.notes.len())
        };
        assert_eq!(raw("simple"), (true, 0));
        assert_eq!(raw("simple --sql-only"), (false, 0));
        assert_eq!(raw("simple --duration 5s"), (false, 1), "which is told");
        let Ok(Invocation::VersusRecord(asked)) = asked("--record x.jsonl --json") else { panic!() };
        assert!(asked.json && asked.out.is_none());
    }
}
