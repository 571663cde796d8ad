//! `rigel capacity import | record | list | show | forecast | replay | fit`: the arguments; those of the last three are in [`super::forecast`],
//! [`super::replay`] and [`super::fit`].
//!
//! Must not open a file or the store.

use super::fit::FitArgs;
use super::forecast::{ForecastArgs, ForecastOptions};
use super::replay::{ReplayArgs, ReplayOptions};
use super::store_args::StoreArgs;
use super::whose::{CommandStem, WhoseArgs};
use super::{Environment, Invocation, typed, values};
use clap::ValueEnum;
use rigel_capacity::read::DateOrder;
use rigel_core::error::Problem;
use rigel_core::units::{Bytes, Nanos};
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  sadf -j /var/log/sysstat/sa24 -- -b -d > sa24.json && rigel capacity import sa24.json
      one day recorded by sysstat; importing a file again adds nothing
  rigel capacity record --every 1s
      record this host's disks from now on; `systemctl enable --now rigel-capacity` does so permanently
  rigel capacity show --from 2026-11-01
      history of each disk: mean, busy hours, maximum, and the course over time";

const IMPORT: &str = "\
Examples:
  rigel capacity import sa*.json
      files of `sadf -j FILE -- -b -d`, `sar -d`, `iostat -x -t` (JSON or text), nmon, collectl, Prometheus's query_range,
      OpenMetrics with times, and CSV of AWR, Statspack or pg_stat_io; docs/reference/capacity.md has the commands and queries
  rigel capacity import archive/oswiostat/ --zone Europe/Berlin
      an archive of OSWatcher, also packed; ExaWatcher's Iostat.ExaWatcher works the same way
  rigel capacity import awr/ --zone Europe/Berlin
      all AWR and Statspack reports (text or HTML, packed or not) and other files below a directory; what cannot be read is counted
  rigel capacity import awr.csv --zone Europe/Berlin --host ora1
      times without a UTC offset need a zone, and a file without a host name needs one
  rigel capacity import old.json --rename dev8-0=sda
      a disk that an older version named by its device numbers";

const RECORD: &str = "\
Examples:
  rigel capacity record
      reads, writes, bytes and times of all disks, pressure stall and filesystem space, every second, until Ctrl-C
  rigel capacity record --every 10s --for 8h --dsn 'host=/run/postgresql dbname=shop'
      a working day, including counters of PostgreSQL: pg_stat_io, commits, log, database sizes";

const SHOW: &str = "\
Examples:
  rigel capacity show
      all hosts and disks
  rigel capacity show --host rac1,rac2
      the sum of two hosts that share the storage, and each of their disks; --database PROD sums its instances
  rigel capacity show sda --host db1 --from 2026-11-01 --to 2026-12-01
      one disk of one host in November";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, disable_help_subcommand = true)]
pub struct CapacityArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Import measurements of production from other tools
    Import(ImportArgs),
    /// Record the load on this host's disks from now on
    Record(RecordArgs),
    /// List the hosts, disks, metrics and times in the store
    List(ListArgs),
    /// Show mean, busy hours, maximum and course of each disk
    Show(ShowArgs),
    /// Forecast when this storage will be full or slow
    Forecast(Box<ForecastArgs>),
    /// Turn recorded production load into a load file, to run on other storage
    Replay(Box<ReplayArgs>),
    /// Find how many times such a load a storage can take within latency limits
    Fit(Box<FitArgs>),
}

/// What to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Capacity {
    Import(ImportArgs),
    Record(RecordArgs),
    List(ListArgs),
    Show(ShowArgs),
    Forecast(ForecastOptions),
    Replay(ReplayOptions),
}

/// The order of a date that does not begin with a year of four digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Dates {
    MonthDay,
    DayMonth,
    YearMonth,
}

impl Dates {
    pub const fn order(self) -> DateOrder {
        match self {
            Self::MonthDay => DateOrder::MonthDay,
            Self::DayMonth => DateOrder::DayMonth,
            Self::YearMonth => DateOrder::YearMonth,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, clap::Args)]
#[command(after_help = IMPORT)]
pub struct ImportArgs {
    /// Files written by other tools, or directories of them; gzip and UTF-16 are decoded
    ///
    /// In a directory, files that cannot be imported are left out and counted with their reason. Hidden files and links to directories are skipped.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,

    /// Name of the host, instead of the name in the files
    #[arg(long, value_name = "NAME")]
    pub host: Option<String>,

    /// Time zone of times without a UTC offset: Europe/Berlin, UTC, or local
    #[arg(long, value_name = "ZONE")]
    pub zone: Option<String>,

    /// Order of dates such as 11/12/26: month-day, day-month, or year-month where the year is first
    #[arg(long, value_name = "ORDER", hide_possible_values = true)]
    pub dates: Option<Dates>,

    /// Rename a disk, OLD=NEW
    #[arg(long, value_name = "OLD=NEW", value_parser = renamed)]
    pub rename: Vec<(String, String)>,

    /// If a sample already exists with a different value, keep the existing one
    ///
    /// Otherwise such a file is refused as a whole: it is probably from another host of the same name.
    #[arg(long)]
    pub keep_first: bool,

    #[command(flatten)]
    pub store: StoreArgs,

    /// Show no progress and no notes
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Clone, PartialEq, Eq, clap::Args)]
#[command(after_help = RECORD)]
pub struct RecordArgs {
    /// Time between samples
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = values::duration)]
    pub every: Nanos,

    /// Stop after TIME [default: on Ctrl-C or SIGTERM]
    #[arg(long = "for", value_name = "TIME", value_parser = values::duration)]
    pub time: Option<Nanos>,

    /// Store at most this many bytes per hour, averaging over longer intervals if needed
    #[arg(long, value_name = "BYTES", default_value = "100K")]
    pub per_hour: Bytes,

    /// Also record this PostgreSQL server; the password is taken from PGPASSWORD
    #[arg(long, value_name = "DSN")]
    pub dsn: Option<String>,

    /// Name of this host in the store [default: its host name]
    #[arg(long, value_name = "NAME")]
    pub host: Option<String>,

    #[command(flatten)]
    pub store: StoreArgs,

    /// Show no progress and no notes
    #[arg(long)]
    pub quiet: bool,
}

impl fmt::Debug for RecordArgs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { every, time, per_hour, dsn, host, store, quiet } = self;
        // It may hold a password.
        let dsn = dsn.as_ref().map(|_| "..");
        write!(f, "Record {:?}", (every, time, per_hour, dsn, host, store, quiet))
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct ListArgs {
    #[command(flatten)]
    pub whose: WhoseArgs,

    #[command(flatten)]
    pub store: StoreArgs,
}

#[derive(Clone, Debug, PartialEq, Eq, clap::Args)]
#[command(after_help = SHOW)]
pub struct ShowArgs {
    /// Only these disks, filesystems or databases
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,

    #[command(flatten)]
    pub whose: WhoseArgs,

    /// From this moment on: 2026-11, 2026-11-01, or 2026-11-01T08:00:00+01:00; months and days begin in UTC
    #[arg(long, value_name = "TIME")]
    pub from: Option<String>,

    /// Up to this moment, or to the beginning of this month or day
    #[arg(long, value_name = "TIME")]
    pub to: Option<String>,

    #[command(flatten)]
    pub store: StoreArgs,
}

fn renamed(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((old, new)) if !old.is_empty() && !new.is_empty() => Ok((old.to_owned(), new.to_owned())),
        _ => Err("is not a pair of names; give OLD=NEW, such as dev8-0=sda".to_owned()),
    }
}

const SHORTEST: Nanos = Nanos(100_000_000);
const LONGEST: Nanos = Nanos(600_000_000_000);

impl CapacityArgs {
    /// What to do, checked as far as possible without reading files.
    pub fn invocation(
        self,
        arguments: &[OsString],
        environment: &Environment,
    ) -> Result<Invocation, Problem> {
        let capacity = match self.command {
            Command::Import(import) => Capacity::Import(import),
            Command::Record(record) => Capacity::Record(record.checked()?),
            Command::List(list) => Capacity::List(list),
            Command::Show(show) => Capacity::Show(show),
            Command::Forecast(forecast) => Capacity::Forecast(forecast.options(CommandStem::of(arguments))?),
            Command::Replay(replay) => {
                Capacity::Replay(replay.options(typed(arguments), CommandStem::of(arguments))?)
            }
            // A run, whose command line is what stands behind the two words.
            Command::Fit(fit) => {
                return fit.invocation(typed(arguments.get(1..).unwrap_or_default()), environment);
            }
        };
        Ok(Invocation::Capacity(Box::new(capacity)))
    }
}

impl RecordArgs {
    fn checked(self) -> Result<Self, Problem> {
        if !(SHORTEST.0..=LONGEST.0).contains(&self.every.0) {
            return Err(Problem::usage(format!("{} is not a valid time between readings", self.every))
                .at("--every")
                .next("give 100ms to 10m; 1s shows bursts"));
        }
        if self.time.is_some_and(|time| time.0 < self.every.0) {
            return Err(Problem::usage("nothing would be recorded")
                .at("--for")
                .next("give more than --every"));
        }
        if self.per_hour.0 < 1024 {
            return Err(Problem::usage(format!("{} cannot hold an hour", self.per_hour))
                .at("--per-hour")
                .next("give 1K or more"));
        }
        Ok(self)
    }
}
