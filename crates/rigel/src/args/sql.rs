//! `rigel sql`: the arguments. What is measured is a run whose load goes through a database.
//!
//! Must not connect, and must not look at a path.

mod queries;
mod size;

use super::load::LoadArgs;
use super::names::Front;
use super::output::OutputArgs;
use super::own::{ConsentArgs, OwnArgs};
use super::run::RunArgs;
use super::words::{self, Words};
use super::{
    Environment, Invocation, ResumeOptions, RunOptions, ServerSource, TargetSource, Versus, VersusRecord,
    typed, values,
};
use clap::Arg;
use queries::QueryArgs;
use rigel_core::error::Problem;
use rigel_core::facts::engine::EngineKind;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::{LevelChoice, Precision};
use rigel_core::load::request::{EngineRequest, Request};
use rigel_core::load::sql::{Probe, ServerChoice, SqlLevel, SqlRequest};
use rigel_core::units::{Bytes, MIB, Nanos};
use std::ffi::OsString;
use std::fmt;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

const SERVER: &str = "Server";
const LOAD: &str = "Load";
const OUTPUT: &str = "Output";
/// A smaller table is nothing but noise.
const LEAST_PROOF: u64 = 4 * MIB;
/// More threads than this wait for one another.
const MOST_SESSIONS: u32 = 2000;

/// The options that may stand beside --resume: its record says everything else, but for how the server is reached.
pub const BESIDE_RESUME: [&str; 8] = ["resume", "dsn", "drop", "programs", "json", "no_html", "quiet", "tui"];

/// What a fixed time leaves out.
const NO_TURNS: &str = "with --duration every point is visited once, which leaves no turns: only SQL is measured, and no raw I/O";

const SUMMARY: &str = "\
Examples:
  rigel sql simple /mnt/fast                    a private server there, made and removed
  rigel sql simple --dsn 'dbname=shop' --create-in shop --drop
                                                your own server; Rigel's table is removed
  rigel sql normal /mnt/fast                    look-ups beside reports
  rigel sql prove /mnt/fast                     which settings are right for queries there
All options and more examples: rigel help sql";

const EXAMPLES: &str = "\
Examples:
  rigel sql simple
      look-ups through a private PostgreSQL server in this directory, which is removed afterwards
  rigel sql simple /mnt/fast --sessions 1,4,16,64
      the same on another disk, with these numbers of sessions
  rigel sql simple --probe single
      one look-up in each statement, so that percentiles are those of look-ups
  rigel sql normal /mnt/fast
      look-ups beside reports: what each of them costs the other
  rigel sql users /mnt/fast --report-share 10
      from 1 to 500 sessions, every tenth of them with reports: the knee, and the response times at half of it
  rigel sql commit /mnt/fast
      commits per second by 1 to 32 sessions, and how many of them share a flush of the log
  rigel sql simple --dsn 'host=/run/postgresql dbname=shop' --create-in shop --size 100G
      a server that is there; the table stays in its schema rigel, for the next run
  rigel sql prove /mnt/fast
      settings by experiment, in some minutes: which random_page_cost and effective_io_concurrency are right for queries there
  rigel sql --dsn 'host=/run/postgresql dbname=shop' --resume sql_20260101_1200_record.jsonl
      the rest of a run that was stopped, or whose server was; without --dsn of one on a private server, which is made again
  rigel sql --record sql_20260101_1200_record.jsonl --json
      the outputs again, from the record of a run
  rigel sql --dsn 'host=/run/postgresql dbname=shop' --drop
      remove that schema with its table, and measure nothing
  rigel sql install --dsn 'host=/run/postgresql dbname=shop'
      give that database rigel.calibrate_io(), which calibrates the storage below it on call; --dry-run shows the SQL

What is measured:
      simple: SQL, and in turns with it raw reads of the files that hold the table, with as many outstanding as there are sessions. The result is
      the part of the raw rate that reaches SQL, and what the limit is: the storage, the CPU, or the time of each session. commit: the same with
      durable writes to a log. The other levels measure SQL only.

What a look-up is:
      A query reads a row by its place (--probe index: through a b-tree). The table has one row in each block of 8 KiB, and no row is read twice before all were read, so
      that each look-up is one read, if no cache is in between. A report reads all rows of a range of blocks. Counters of the server, the kernel and the device are read beside every
      visit. When they do not agree within 1 % or 4 reads, the numbers are flagged UNVERIFIED.";

#[derive(Debug, clap::Args)]
#[command(after_help = SUMMARY, after_long_help = EXAMPLES, mut_args(adapted))]
pub struct SqlArgs {
    /// What to do: simple or oltp (look-ups), dss (reports), normal (both), users (up to 500 sessions), commit, prove (test settings), or install (calibrate_io)
    ///
    /// simple: sessions that look up single rows all over a table, one after the other (--probe: up to 1000 in a statement), in turns with raw I/O. oltp: the same with more
    /// sessions. dss: reports, each of which reads a long part of the table. normal: look-ups beside reports in all combinations, and what one
    /// costs the other. users: 1 to 500 sessions: from how many on further ones only wait (the knee), and the response times at half of that.
    /// commit: sessions that write a row and wait until it is durable. prove: queries under each value of random_page_cost and
    /// effective_io_concurrency, and from version 18 on of io_workers and io_method, and whether what `rigel advise` would give stands. install:
    /// makes the function rigel.calibrate_io() in the database of --dsn; a call of it starts this program on the server.
    #[arg(value_name = "LEVEL", ignore_case = true, hide_possible_values = true, required_unless_present_any = ["drop", "record", "resume"], value_parser = words::parser::<Wish>())]
    level: Option<Wish>,

    /// Directory for a private server, on the storage that is to be measured [default: .]
    #[arg(value_name = "TARGET_DIR", value_hint = clap::ValueHint::DirPath)]
    dir: Option<PathBuf>,

    /// Measure a server that is there, such as 'host=/run/postgresql dbname=shop'
    ///
    /// A connection string, as key=value or as postgresql://USER@HOST/DATABASE. A password comes from PGPASSWORD, and nobody is asked for one. The
    /// table lies in a schema of its own, rigel, which is made only with --create-in and used again by later runs.
    #[arg(long, value_name = "DSN", conflicts_with_all = ["dir", "programs"], help_heading = SERVER)]
    dsn: Option<String>,

    /// Allow to make the schema rigel with its table in this database
    ///
    /// Repeats the name of the database. Look-ups and reports need it only while their table is not there, since it stays unless --drop is given;
    /// commit and prove need it for every run, since their tables are removed after it. Nothing else in the database is changed.
    #[arg(long, value_name = "DATABASE", requires = "dsn", help_heading = SERVER)]
    create_in: Option<String>,

    /// Remove the schema rigel when the run is over, or at once without LEVEL
    ///
    /// Only a schema that Rigel made, which it knows by its comment; where it has calibrate_io(), only the table.
    #[arg(long, requires = "dsn", help_heading = SERVER)]
    drop: bool,

    /// Directory of initdb and postgres for a private server [default: the newest that is found]
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, help_heading = SERVER, hide_short_help = true)]
    programs: Option<PathBuf>,

    /// Of install: where the server finds this program [default: where it is now]
    #[arg(long, value_name = "PATH", value_hint = clap::ValueHint::FilePath, help_heading = SERVER, hide_short_help = true)]
    rigel_path: Option<PathBuf>,

    /// Size of the table [default: four times the caches below it, 1G or more; of prove 256M]
    #[arg(long, value_name = "SIZE", help_heading = SERVER)]
    size: Option<Bytes>,

    #[command(flatten)]
    queries: QueryArgs,

    /// Of simple and commit: measure SQL only, and leave out the raw I/O that takes turns with it
    ///
    /// Raw I/O of simple reads the files of the table without the database, with as many reads outstanding as there are sessions; they are only
    /// opened for reading. That of commit has as many writers append to a log of its own beside the private server. It is left out by itself where
    /// the files cannot be read, of commit with --dsn, and with --duration.
    #[arg(long, help_heading = LOAD)]
    sql_only: bool,

    /// Half of the width that every 95 % interval has to reach: that of SQL over raw I/O, or else that of each rate [default: 5%]
    #[arg(long, value_name = "PERCENT", help_heading = LOAD)]
    precision: Option<Precision>,

    /// Begin no further measurement after that time, such as 10m
    #[arg(long, value_name = "TIME", value_parser = values::duration, help_heading = LOAD)]
    max_duration: Option<Nanos>,

    /// Measure each point once, for a time such as 60s
    #[arg(long, value_name = "TIME", value_parser = values::duration, help_heading = LOAD, hide_short_help = true)]
    duration: Option<Nanos>,

    /// A statement that takes longer is ended, and the run with it [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = values::duration, help_heading = LOAD, hide_short_help = true)]
    io_timeout: Option<Nanos>,

    /// Seed of the table and of the order of look-ups [default: drawn, and printed]
    #[arg(long, value_name = "N", value_parser = values::seed, help_heading = LOAD, hide_short_help = true)]
    seed: Option<u64>,

    /// Measure memory on purpose: allow a private server in memory, and end such a run with 0
    #[arg(long, help_heading = SERVER, hide_short_help = true)]
    allow_memory: bool,

    /// Show what would be done and do nothing
    #[arg(long, help_heading = SERVER)]
    dry_run: bool,

    /// Measure nothing: show what the record of such a run holds
    #[arg(long, value_name = "RECORD", value_hint = clap::ValueHint::FilePath, help_heading = OUTPUT, hide_short_help = true, conflicts_with_all = ["level", "dsn"])]
    record: Option<PathBuf>,

    /// With --record: write the page with charts, beside the record or into --out
    #[arg(long, requires = "record", help_heading = OUTPUT, hide_short_help = true)]
    html: bool,

    /// Go on with an interrupted run, but not of commit or prove
    ///
    /// RECORD is its NAME_record.jsonl. What was asked for is in it, but for --dsn, which says again how a server that is there is reached: the
    /// server, its table and the host have to be what they were. A private server was removed with its run: it is made again in the same directory,
    /// and its table filled as it was. Look-ups go on where the last visit ended.
    #[arg(long, value_name = "RECORD", value_hint = clap::ValueHint::FilePath, help_heading = OUTPUT, hide_short_help = true)]
    resume: Option<PathBuf>,

    #[command(flatten)]
    output: OutputArgs,
}

/// The options of every run, as the help of this command has them.
fn adapted(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "name" => arg.help("Name of the run; every output begins with it").default_value("sql"),
        "out" => {
            arg.help("Directory of the outputs [default: the current one; with --record that of the record]")
        }
        "tui" => arg.help("Watch the run in a live view, ? helps and q ends it"),
        _ => arg,
    }
}

/// A function of a database that calibrates.
#[derive(Clone, PartialEq, Eq)]
pub struct InstallOptions {
    /// The database; only the SQL is shown without one.
    pub dsn: Option<String>,
    /// Where the server finds this program.
    pub program: Option<PathBuf>,
}

/// Without the connection string, which may hold a password.
impl fmt::Debug for InstallOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InstallOptions").field("program", &self.program).finish_non_exhaustive()
    }
}

/// What may be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// A load.
    Measure(SqlLevel),
    /// An experiment on settings.
    Prove,
    /// A function of the database that calibrates.
    Install,
}

impl Words for Wish {
    fn all() -> Vec<(&'static str, Self)> {
        let levels = SqlLevel::ALL.map(|level| (level.name(), Self::Measure(level)));
        levels.into_iter().chain([("prove", Self::Prove), ("install", Self::Install)]).collect()
    }
}

impl Words for Probe {
    fn all() -> Vec<(&'static str, Self)> {
        Self::ALL.map(|probe| (probe.name(), probe)).into()
    }
}

impl SqlArgs {
    /// What was asked for; `arguments` are what was typed, for the echo.
    pub fn invocation(
        self,
        arguments: &[OsString],
        environment: &Environment,
    ) -> Result<Invocation, Problem> {
        if let Some(record) = self.record {
            return Ok(Invocation::VersusRecord(VersusRecord {
                record,
                json: self.output.show.json,
                html: self.html,
                out: self.output.out,
                force: false,
                wish: Versus::default(),
            }));
        }
        if self.rigel_path.is_some() && self.level != Some(Wish::Install) {
            return Err(Problem::usage("it has a meaning only for install")
                .at("--rigel-path")
                .because("nothing else has the server start this program")
                .next("leave it out"));
        }
        if let Some(record) = self.resume.clone() {
            let server = Some(self.source());
            let display = self.run().display(Front::Rigel, environment)?;
            let (destroy, versus) = (Vec::new(), Versus::default());
            return Ok(Invocation::Resume(ResumeOptions { record, destroy, display, versus, server }));
        }
        let level = match self.level {
            Some(Wish::Measure(level)) => level,
            Some(Wish::Prove) => return self.proof(arguments, environment),
            Some(Wish::Install) => return self.installation(),
            None => return Ok(Invocation::SqlDrop(self.dsn.unwrap_or_default())),
        };
        size::check(self.size, Some(level))?;
        let asked = self.queries.asked(level)?;
        let server = if self.dsn.is_some() { ServerChoice::There } else { ServerChoice::Private };
        let sql = SqlRequest { level, probe: asked.probe, report: asked.report, server };
        let is_usual = self.queries.sessions.is_empty();
        // Nothing is written beside the log of a server of others.
        let has_raw = level == SqlLevel::Simple || level == SqlLevel::Commit && self.dsn.is_none();
        let source = ServerSource {
            raw: has_raw && !self.sql_only && self.duration.is_none(),
            users: (level == SqlLevel::Users && is_usual).then(|| self.queries.report_share.unwrap_or(0)),
            ..self.source()
        };
        let no_turns = has_raw && !self.sql_only && self.duration.is_some();
        let mut options = self.run().options(Front::Rigel, typed(&without_dsn(arguments)), environment)?;
        options.notes.extend(no_turns.then(|| NO_TURNS.to_owned()));
        let request = Request {
            level: RunLevel::Sql,
            classes: asked.classes,
            points: asked.points,
            levels: LevelChoice::Own,
            engine: EngineRequest::Only(EngineKind::Postgres),
            sql: Some(sql),
            ..options.request
        };
        request.check()?;
        let targets = TargetSource::Server(source);
        Ok(Invocation::Sql(Box::new(RunOptions { request, targets, ..options })))
    }

    /// An experiment on settings has the server in common with a load, and little else.
    fn proof(self, arguments: &[OsString], environment: &Environment) -> Result<Invocation, Problem> {
        if let Some(option) = self.of_load() {
            return Err(Problem::usage("it has no meaning for prove")
                .at(option)
                .because("the experiment has its own queries and sessions")
                .next("leave it out; --size and --max-duration make it smaller"));
        }
        size::check(self.size, None)?;
        if let Some(size) = self.size.filter(|size| size.0 < LEAST_PROOF) {
            return Err(Problem::usage(format!("with a table of {size} nothing can be proven"))
                .at("--size")
                .because("all plans take the time of a few reads")
                .next(format!("give {} or more", Bytes(LEAST_PROOF))));
        }
        let source = self.source();
        let options = self.run().options(Front::Rigel, typed(&without_dsn(arguments)), environment)?;
        let targets = TargetSource::Server(source);
        Ok(Invocation::SqlProve(Box::new(RunOptions { targets, ..options })))
    }

    /// The first option of a load that is given.
    fn of_load(&self) -> Option<&'static str> {
        let given = [
            ("--sql-only", self.sql_only),
            ("--precision", self.precision.is_some()),
            ("--duration", self.duration.is_some()),
            ("--io-timeout", self.io_timeout.is_some()),
            ("--tui", self.output.tui),
        ];
        let option = given.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option);
        self.queries.first_given().or(option)
    }

    /// Nothing is measured, so that nearly no option has a meaning.
    fn installation(self) -> Result<Invocation, Problem> {
        let others = [
            ("TARGET_DIR", self.dir.is_some()),
            ("--programs", self.programs.is_some()),
            ("--create-in", self.create_in.is_some()),
            ("--drop", self.drop),
            ("--size", self.size.is_some()),
            ("--max-duration", self.max_duration.is_some()),
        ];
        let other = others.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option);
        if let Some(option) = self.of_load().or(other) {
            return Err(Problem::usage("it has no meaning for install")
                .at(option)
                .because("nothing is measured")
                .next("leave it out; rigel.calibrate_io() has arguments of its own"));
        }
        if self.dsn.is_none() && !self.dry_run {
            return Err(Problem::usage("no database is named")
                .at("--dsn")
                .next("name it, as in --dsn 'dbname=shop'; --dry-run shows the SQL without one"));
        }
        let dsn = self.dsn.filter(|_| !self.dry_run);
        Ok(Invocation::SqlInstall(InstallOptions { dsn, program: self.rigel_path }))
    }

    fn source(&self) -> ServerSource {
        ServerSource {
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

    fn run(self) -> RunArgs {
        let load = LoadArgs {
            num_disks: self.queries.num_disks.map(u64::from),
            duration: self.duration,
            ..LoadArgs::default()
        };
        let consent =
            ConsentArgs { allow_memory: self.allow_memory, dry_run: self.dry_run, ..ConsentArgs::default() };
        let own = OwnArgs {
            precision: self.precision,
            max_duration: self.max_duration,
            io_timeout: self.io_timeout,
            seed: self.seed,
            consent,
            ..OwnArgs::default()
        };
        RunArgs { level: Some(RunLevel::Simple), load, ..self.output.of_run(own) }
    }
}

/// A connection string may hold a password, and what was typed is kept in the record.
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
            assert!(request.points.is_empty());
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
            request.points.iter().map(pair).collect::<Vec<_>>()
        };
        assert_eq!(pairs("normal").len(), 6 * 3 - 1, "all but nothing at all");
        assert_eq!(pairs("normal --matrix row --num-large 2")[..2], [(0, 2), (1, 2)]);
        assert_eq!(pairs("normal --sessions 4 --report-sessions 1"), [(4, 0), (0, 1), (4, 1)]);
        assert_eq!(pairs("users --sessions 20,10 --report-share 10"), [(9, 1), (18, 2)]);
        let sql = |line: &str| request(line).sql.unwrap();
        assert_eq!((sql("users").probe, sql("oltp").probe), (Probe::Single, Probe::Batch));
        assert_eq!(sql("dss --report-by join").report, ReportBy::Join);
    }

    #[test]
    fn a_connection_string_is_not_kept() {
        for dsn in ["--dsn password=secret", "--dsn=password=secret"] {
            let options = run(&format!("simple {dsn} --create-in d"));
            assert!(!options.request.command_line.contains("secret"), "{}", options.request.command_line);
            assert!(matches!(&options.targets, TargetSource::Server(source) if source.dsn.is_some()));
            assert_eq!(options.request.sql.as_ref().unwrap().server, ServerChoice::There);
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
