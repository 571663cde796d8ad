//! `rigel capacity replay`: the arguments.
//!
//! Must not open the store.

use super::store_args::StoreArgs;
use super::values::{self, ValueError};
use super::whose::{CommandStem, WhoseArgs};
use rigel_capacity::Source;
use rigel_capacity::headroom::{Grow, WhatIf};
use rigel_capacity::replay::{PhaseLimit, is_step};
use rigel_core::error::Problem;
use rigel_core::load::phase::MOST_PHASES;
use rigel_core::path_text::encode;
use rigel_core::units::{NS_PER_MS, Nanos};
use std::path::PathBuf;

/// A day and a night of each day of a week, and some spikes.
const USUAL_PHASES: &str = "24";
/// The largest factor for rates.
const MOST_SCALE: f64 = 1000.0;

const SUMMARY: &str = "\
Examples:
  rigel capacity replay --from 2026-11-02 --to 2026-11-09 > week.toml
  rigel run --load week.toml --compress 24 /dev/sdx
All options and more examples: rigel help capacity replay";

const EXAMPLES: &str = "\
Examples:
  rigel capacity replay --from 2026-11-02 --to 2026-11-09 > week.toml
      a week of this host's disks as a load file; it lists the assumptions made, as does standard error
  rigel run --load week.toml --compress 24 /dev/sdx
      run that week on other storage in 7 hours: the same rates for a 24th of the time
  rigel capacity fit --load week.toml --bound 'p99 < 5ms' /dev/sdx
      how many times that load the storage can take
  rigel capacity replay --host rac1,rac2 --nodes > week.toml
      the sum of two hosts that share the storage, with the share of each for a run of two nodes
  rigel capacity replay --database PROD --add db7.csv --zone Europe/Berlin --grow 30% > week.toml
      what if another database moves here, and all rates are 1.3 times as high? `rigel capacity fit` says so first
  rigel capacity replay --from 2026-11-30T08:00:00+01:00 --to 2026-11-30T18:00:00+01:00 --disk sdb --scale 1.5 --phases 60
      a working day of one disk, times 1.5, in finer phases";

#[derive(Debug, clap::Args)]
#[command(after_help = SUMMARY, after_long_help = EXAMPLES)]
pub struct ReplayArgs {
    /// Start: 2026-11, 2026-11-02, or 2026-11-02T08:00:00+01:00; months and days begin in UTC [default: 7 days before the end]
    #[arg(long, value_name = "TIME")]
    from: Option<String>,

    /// End: a moment, or the beginning of a month or day [default: end of the history]
    #[arg(long, value_name = "TIME")]
    to: Option<String>,

    #[command(flatten)]
    whose: WhoseArgs,

    /// Only these disks, by name or a permanent ID; several become one load [default: all disks of the host, or its databases]
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = super::values::name)]
    disk: Vec<String>,

    /// Only data from this source: recorder, prometheus, iostat, sadf, oswatcher, nmon, collectl, cloudwatch, azure, awr, statspack, pg_stat_io
    #[arg(long, value_name = "SOURCE", value_parser = source)]
    source: Option<Source>,

    /// Write each host's share of the load (node_share), for rigel-mpi with one node per host in this order
    #[arg(long)]
    nodes: bool,

    /// What if: this host is gone, and its load moves to the others; the sum stays, and the shares of --nodes change
    #[arg(long, value_name = "HOST", value_delimiter = ',', value_parser = super::values::name, requires = "nodes")]
    without: Vec<String>,

    /// What if: the load in a file that `rigel capacity import` reads moves here; repeatable
    ///
    /// The file is read, but not stored. Where its time differs from that of the history, its usual week is taken.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    add: Vec<PathBuf>,

    /// What if: raise (30%) or lower (-10%) all rates
    #[arg(long, value_name = "SHARE", value_parser = grow, allow_hyphen_values = true)]
    grow: Option<f64>,

    /// Time zone of times without a UTC offset in a file of --add: Europe/Berlin, UTC, or local
    #[arg(long, value_name = "ZONE", requires = "add")]
    zone: Option<String>,

    /// Multiply the rates by N
    #[arg(long, value_name = "N", default_value = "1", value_parser = scale)]
    scale: f64,

    /// Most phases, or all: one for each interval
    ///
    /// Adjacent intervals with similar rates become one phase, so there may be fewer.
    #[arg(long, value_name = "N", default_value = USUAL_PHASES, value_parser = most)]
    phases: PhaseLimit,

    /// Length of the intervals that are merged into phases [default: 2000 intervals in total, or that of the source]
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    every: Option<Nanos>,

    /// Write the load file to FILE [default: standard output]
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    out: Option<PathBuf>,

    /// Replace an existing file
    #[arg(long, requires = "out")]
    force: bool,

    #[command(flatten)]
    store: StoreArgs,

    /// Show no progress and no notes
    #[arg(long)]
    quiet: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ReplayOptions {
    /// As it can be typed again, without the program.
    pub command: String,
    pub from: Option<String>,
    pub to: Option<String>,
    pub whose: WhoseArgs,
    /// The command without the options of `whose`.
    pub stem: CommandStem,
    pub nodes: bool,
    pub what_if: WhatIf,
    /// Files with load that is added.
    pub files: Vec<PathBuf>,
    pub zone: Option<String>,
    pub disks: Vec<String>,
    pub source: Option<Source>,
    pub scale: f64,
    pub most: PhaseLimit,
    pub step_ms: Option<u32>,
    pub out: Option<PathBuf>,
    pub force: bool,
    pub store: Option<PathBuf>,
    pub quiet: bool,
}

fn source(text: &str) -> Result<Source, ValueError> {
    Source::of_name(text).ok_or_else(|| ValueError {
        reason: "is not a known source".into(),
        next: format!("give one of {}", Source::ALL.map(Source::name).join(", ")),
    })
}

pub fn scale(text: &str) -> Result<f64, ValueError> {
    let scale = text.parse::<f64>().ok().filter(|scale| *scale > 0.0 && *scale <= MOST_SCALE);
    scale.ok_or_else(|| ValueError {
        reason: "is not a valid factor".into(),
        next: format!("give a number above 0, at most {MOST_SCALE}, such as 1.5"),
    })
}

fn grow(text: &str) -> Result<f64, String> {
    match text.parse()? {
        Grow::AtOnce(share) => Ok(share),
        Grow::ByYear(_) => {
            Err(format!("'{text}' is growth per year, and a time of the past has none: write 30%"))
        }
    }
}

fn most(text: &str) -> Result<PhaseLimit, ValueError> {
    if text == "all" {
        return Ok(PhaseLimit::Stretches);
    }
    let number = text.parse::<usize>().ok().filter(|number| (1..=MOST_PHASES).contains(number));
    number.map(PhaseLimit::Phases).ok_or_else(|| ValueError {
        reason: "is not a valid number of phases".into(),
        next: format!("give 1 to {MOST_PHASES}, or all"),
    })
}

impl ReplayArgs {
    /// What to do, checked as far as possible without reading the store.
    pub fn options(self, command: String, stem: CommandStem) -> Result<ReplayOptions, Problem> {
        let step = self.every.map(step_ms).transpose()?;
        Ok(ReplayOptions {
            command,
            from: self.from,
            to: self.to,
            whose: self.whose,
            stem,
            nodes: self.nodes,
            what_if: WhatIf {
                without: self.without,
                files: self.add.iter().map(|file| encode(file)).collect(),
                more: self.grow,
            },
            files: self.add,
            zone: self.zone,
            disks: self.disk,
            source: self.source,
            scale: self.scale,
            most: self.phases,
            step_ms: step,
            out: self.out,
            force: self.force,
            store: self.store.file,
            quiet: self.quiet,
        })
    }
}

fn step_ms(every: Nanos) -> Result<u32, Problem> {
    let ms = every.0 / NS_PER_MS;
    let fits = every.0.is_multiple_of(NS_PER_MS) && is_step(i64::try_from(ms).unwrap_or(i64::MAX));
    u32::try_from(ms).ok().filter(|_| fits).ok_or_else(|| {
        Problem::usage(format!("a day cannot be cut into intervals of {every}"))
            .at("--every")
            .next("give a whole part of a day of 1 s or more, such as 1m, 5m or 1h")
    })
}
