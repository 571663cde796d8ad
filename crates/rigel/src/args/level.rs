//! A load that is a level or a file, with the options that shape it: `rigel run` and `rigel versus` take the same ones, ORION's command
//! line fills them.
//!
//! Must not judge combinations; [`super::rules`] does.

use super::burst::{self, BurstArgs};
use super::by_place::{self, PlaceArgs};
use super::commit::CommitArgs;
use super::load::LoadArgs;
use super::names::Front;
use super::open::{self, OpenArgs};
use super::own::OwnArgs;
use super::scaling::{self, ScalingArgs};
use super::shaping;
use super::through;
use super::working_set::{self, WorkingSetArgs};
use rigel_core::error::Problem;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::Request;
use std::path::PathBuf;

const LOAD: &str = "Load";

#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct LevelArgs {
    /// Use the load in FILE, or of postgresql, mysql or oracle
    ///
    /// A load of your own: several classes of I/O with sizes, percentages of writes, rates and phases. FILE is TOML; docs/reference/load-files.md
    /// describes its keys. The presets imitate these databases: pages, log and scans together, with sizes and sync from their documentation.
    /// They write. FILE may also be a job file of fio. --dry-run --as-load prints a preset for editing; write ./postgresql for a file of that name.
    #[arg(long = "load", value_name = "FILE", value_hint = clap::ValueHint::FilePath, help_heading = LOAD, display_order = 0)]
    pub load_file: Option<PathBuf>,

    #[command(flatten)]
    pub load: LoadArgs,

    #[command(flatten)]
    pub commit: CommitArgs,

    #[command(flatten)]
    pub open: OpenArgs,

    #[command(flatten)]
    pub places: PlaceArgs,

    #[command(flatten)]
    pub scaling: ScalingArgs,

    #[command(flatten)]
    pub burst: BurstArgs,

    #[command(flatten)]
    pub working_set: WorkingSetArgs,

    #[command(flatten)]
    pub own: OwnArgs,
}

/// Writers of commits in a minute.
const FEW_WRITERS: [u32; 2] = [1, 16];

impl LevelArgs {
    /// Limits commits to a minute, with one writer and with many, unless more was requested; returns whether it did.
    pub fn be_brief_on_commits(&mut self) -> bool {
        let (load, commit, precision) = (&self.load, &mut self.commit, &mut self.own.precision);
        let is_free = commit.writers.is_empty() && commit.beside_reads.is_none() && load.duration.is_none();
        let is_brief = is_free && precision.max_duration.is_none() && precision.take_a_minute();
        if is_brief {
            commit.writers = FEW_WRITERS.into();
        }
        is_brief
    }

    /// The request of a level, without name and command line. For a load in a file only the rest is known yet.
    ///
    /// # Errors
    /// When no such run is possible.
    pub fn request(&self, front: Front, level: RunLevel) -> Result<Request, Problem> {
        let mut request = match level {
            RunLevel::Open => open::request(self)?,
            RunLevel::Zones | RunLevel::Streams => by_place::request(level, self)?,
            RunLevel::Scaling => scaling::request(self)?,
            RunLevel::Through => return Err(through::for_one_side()),
            RunLevel::Burst => burst::request(self)?,
            RunLevel::WorkingSet => working_set::request(self)?,
            _ => shaping::request(front, level, &self.load, &self.own)?,
        };
        if level == RunLevel::Commit {
            self.commit.shape(&mut request)?;
        }
        if let Some(span) = self.load.span {
            request.set_span(span);
        }
        Ok(request)
    }
}
