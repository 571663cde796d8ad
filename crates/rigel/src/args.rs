//! The command line, read and checked.
//!
//! Nothing here opens a file or looks at a device. The environment is one variable ([`Environment`]), and a seed that was
//! not given is drawn. The commands find out what the arguments mean on this machine.

mod advise;
mod build;
mod burst;
mod by_place;
mod calibrate;
mod capacity;
mod clap_problem;
mod cli;
mod commit;
mod compare;
mod copied;
mod depth;
mod doctor;
mod durability;
mod fill;
mod fio;
mod fit;
mod forecast;
mod judgement;
pub mod level;
pub mod load;
mod load_command;
mod manual;
mod mark;
mod meant;
pub mod names;
mod no_command;
mod no_option;
mod offer;
mod open;
pub mod output;
mod overview;
pub mod own;
mod rank;
mod replay;
mod report;
pub mod rules;
pub mod run;
mod scaling;
mod scrub;
mod selftest;
mod shaping;
mod slo;
mod soak;
mod sql;
mod store_args;
mod synonyms;
pub mod target_args;
mod targets;
mod through;
pub mod values;
mod versus;
mod whose;
pub mod words;
mod working_set;

pub use advise::AdviseOptions;
pub use calibrate::HistoryOptions;
pub use capacity::{Capacity, ImportArgs, ListArgs, RecordArgs, ShowArgs};
pub use clap_problem::problem as clap_problem;
pub use cli::{command, read};
pub use compare::CompareArgs;
pub use doctor::DoctorArgs;
pub use durability::{AcknowledgeArgs, CheckArgs, Durability, WitnessArgs};
pub use fill::FillArgs;
pub use fio::hint as fio_hint;
pub use forecast::ForecastOptions;
pub use load_command::FromFioArgs;
pub use manual::ManOptions;
pub use mark::{MarkArgs, check_text as mark_text};
pub use names::Front;
pub use rank::{RankArgs, StorageArg};
pub use replay::ReplayOptions;
pub use report::ReportOptions;
pub use scrub::ScrubArgs;
pub use selftest::SelftestArgs;
pub use soak::of_targets as soak_of_targets;
pub use sql::InstallOptions;
pub use store_args::StoreArgs;
pub use targets::TargetsArgs;
pub use versus::{VersusRecord, on_both, same_sides};
pub use whose::{CommandStem, WhoseArgs};

use clap_complete::Shell;
use rigel_core::load::demands::Demands;
use rigel_core::load::request::Request;
use rigel_core::load::sql::Product;
use rigel_core::load::workload::WritePercent;
use rigel_core::path_text;
use rigel_core::units::Bytes;
use rigel_report::OrionVersion;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq)]
pub enum Invocation {
    Run(Box<RunOptions>),
    /// A run whose load goes through a database.
    Sql(Box<RunOptions>),
    /// An experiment on settings of a database server.
    SqlProve(Box<RunOptions>),
    /// Create the calibration function in a database.
    SqlInstall(InstallOptions),
    /// Remove what such a run made in the database of this connection string.
    SqlDrop(String),
    /// Resume an interrupted run.
    Resume(ResumeOptions),
    /// Show calibrations of the past.
    History(HistoryOptions),
    Report(ReportOptions),
    Compare(CompareArgs),
    /// Rank several storages.
    Rank(RankArgs),
    /// Show what a run of two sides found.
    VersusRecord(VersusRecord),
    Advise(AdviseOptions),
    Targets(TargetsArgs),
    Doctor(DoctorArgs),
    /// Find acknowledged writes that a power cut lost.
    Durability(Box<Durability>),
    /// The load in production.
    Capacity(Box<Capacity>),
    /// Compare copies of data.
    Scrub(Box<ScrubArgs>),
    /// Write random data over targets.
    Fill(Box<FillArgs>),
    /// Print the load of a fio job file.
    LoadFromFio(FromFioArgs),
    /// Write a mark into a running run.
    Mark(MarkArgs),
    Selftest(SelftestArgs),
    Completions(Shell),
    Man(ManOptions),
    /// Help or version: to standard output, exit code 0.
    Show(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetSource {
    /// A list of paths, one per line.
    LunFile(PathBuf),
    /// Named on the command line; at least one.
    Named(Vec<PathBuf>),
    /// One of our scratch files in each of these directories; a directory occurs twice if both sides use it.
    Scratch {
        /// At least one; the current one where no target is named.
        dirs: Vec<PathBuf>,
        /// Its size; `None` for one that suits the host.
        size: Option<Bytes>,
        /// Leave it there afterwards.
        keep: bool,
    },
    /// One target that exists only in this process.
    Simulated,
    /// A table of a database server.
    Server(ServerSource),
}

/// A database server, and the table in it.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerSource {
    /// The product of the server.
    pub product: Product,
    /// For a private server; `None` for the current directory.
    pub dir: Option<PathBuf>,
    /// Directory of the programs of a private server.
    pub programs: Option<PathBuf>,
    /// For an existing server. It may contain a password.
    pub dsn: Option<String>,
    /// The database in which the schema may be made.
    pub create_in: Option<String>,
    /// Size of the table; `None` for one that suits the caches.
    pub size: Option<Bytes>,
    /// Remove the schema afterwards.
    pub drop: bool,
    /// Alternately read the files of the table without the database, if they can be read.
    pub raw: bool,
    /// As many sessions as the server allows, a percentage of them with reports.
    pub users: Option<u8>,
}

impl fmt::Debug for ServerSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { product, dir, programs, dsn, create_in, size, drop, raw, users } = self;
        let dsn = dsn.as_ref().map(|_| "..");
        write!(f, "Server {:?}", (product, dir, programs, dsn, create_in, size, drop, raw, users))
    }
}

/// What is required of a two-sided run in addition to the measurement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Versus {
    /// The gates; without any, those of the resumed or shown record apply.
    pub demands: Demands,
    /// Both sides may be equal.
    pub same: bool,
    /// The history of calibrations is not used.
    pub no_history: bool,
}

/// A run, whichever command asks for it.
#[derive(Clone, Debug, PartialEq)]
pub struct RunOptions {
    /// The command that asks for it.
    pub front: Front,
    pub request: Request,
    pub targets: TargetSource,
    pub out_dir: PathBuf,
    /// Targets that may be overwritten, as the user named them.
    pub destroy: Vec<PathBuf>,
    pub dry_run: bool,
    /// The file that describes the load; the request has none before it is read.
    pub load: Option<PathBuf>,
    /// The factor that shortens its phases.
    pub compress: Option<f64>,
    /// Print the load as such a file.
    pub as_load: bool,
    /// For a soak: write the usual share if its targets turn out to be scratch files.
    pub own_writes: Option<WritePercent>,
    /// Keep the answers of a calibration in the history.
    pub history: bool,
    /// Also measure commits in a calibration, where it may write.
    pub commits: bool,
    pub force: bool,
    pub display: Display,
    /// For a run of two sides.
    pub versus: Versus,
    /// Remarks for the user on arguments that are accepted without effect.
    pub notes: Vec<String>,
}

impl RunOptions {
    /// Whether date and time of the run are in the names of its outputs; they were not in ORION 10.2.
    pub fn dates_its_files(&self) -> bool {
        self.front != Front::Orion || self.display.orion_version.dates_its_files()
    }
}

/// A run to resume; its record has the other options.
#[derive(Clone, Debug, PartialEq)]
pub struct ResumeOptions {
    pub record: PathBuf,
    pub destroy: Vec<PathBuf>,
    pub dry_run: bool,
    pub display: Display,
    /// For a run of two sides.
    pub versus: Versus,
    /// For a run through a database: the record does not say how its server is reached.
    pub server: Option<ServerSource>,
}

/// What the user sees of a run, and in which form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Display {
    pub json: bool,
    pub no_html: bool,
    /// Problems only.
    pub quiet: bool,
    pub verbose: bool,
    /// A live view instead of the progress bar.
    pub tui: bool,
    pub orion_version: OrionVersion,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    pub orion_version: Option<OsString>,
}

impl Environment {
    /// The environment of this process. An empty variable counts as unset.
    pub fn of_process() -> Self {
        Self { orion_version: std::env::var_os("RIGEL_ORION_VERSION").filter(|text| !text.is_empty()) }
    }
}

/// The arguments as ORION echoes them in its summary: printable, a blank after each.
pub fn echo(arguments: &[OsString]) -> String {
    arguments.iter().map(|argument| path_text::encode_os(argument) + " ").collect()
}

/// The arguments as they can be typed again, quoted unless they consist of plain characters. Each is followed by a blank, as above.
pub fn typed(arguments: &[OsString]) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+=:,@%".contains(c);
    let word = |argument: &OsString| match path_text::encode_os(argument) {
        text if !text.is_empty() && text.chars().all(is_plain) => text + " ",
        text => format!("'{}' ", text.replace('\'', "'\\''")),
    };
    arguments.iter().map(word).collect()
}

#[cfg(test)]
mod tests;
