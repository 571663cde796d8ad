//! `rigel durability run | witness | check`: the arguments.
//!
//! Must not look at a target.

use super::words::{self, Words as _};
use super::{Invocation, values};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use rigel_core::error::Problem;
use rigel_core::facts::engine::EngineKind;
use rigel_core::load::class::Sync;
use rigel_core::load::request::EngineRequest;
use rigel_core::units::{Bytes, Nanos};
use rigel_uses::durability::{MOST_WRITERS, Shape};
use std::path::PathBuf;

const SAFETY: &str = "Safety";

const EXAMPLES: &str = "\
Examples:
  ssh lab rigel durability run /dev/sdb --destroy-data /dev/sdb | rigel durability witness acks
      on a host that keeps its power: `lab` writes to its disk, and this host stores every acknowledgement; now cut the power of `lab`
  scp acks lab: && ssh lab rigel durability check /dev/sdb acks
      after `lab` has restarted: list acknowledged writes that are lost; exit code 1 if there are any
docs/guide/durability.md describes how to cut power, and what this test cannot detect.";

const RUN: &str = "\
Examples:
  rigel durability run /dev/sdb --destroy-data /dev/sdb | ssh other rigel durability witness acks
      the witness runs on the host `other`
  rigel durability run | ssh other rigel durability witness acks
      with a scratch file in this directory, which is kept for the check
  rigel durability run data.bin --sync fdatasync --block 8K --writers 32 | ssh ..
      writes of 8 KiB followed by a flush, as many databases commit";

const WITNESS: &str = "\
Examples:
  ssh lab rigel durability run /dev/sdb --destroy-data /dev/sdb | rigel durability witness acks
      ends when the run does. A host that lost its power sends nothing: stop the witness with Ctrl-C, or use ssh -o ServerAliveInterval=5";

const CHECK: &str = "\
Examples:
  rigel durability check /dev/sdb acks
      exit code 0: nothing lost; 1: writes lost; 2 or 3: not the target or the file of the run
  rigel durability check rigel-scratch.dat acks --json
      for programs";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, disable_help_subcommand = true)]
pub struct DurabilityArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Write until the power is cut, and print each acknowledgement
    Run(Box<AcknowledgeArgs>),
    /// Store the acknowledgements of a run, read from standard input, on another host
    Witness(WitnessArgs),
    /// After the power cut: find acknowledged writes that are lost
    Check(CheckArgs),
}

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Durability {
    Run(Box<AcknowledgeArgs>),
    Witness(WitnessArgs),
    Check(CheckArgs),
}

#[derive(Clone, Debug, PartialEq, Eq, clap::Args)]
#[command(after_help = RUN)]
pub struct AcknowledgeArgs {
    /// File or block device to write to, or a directory for a scratch file, which is kept [default: .]
    #[arg(value_name = "TARGET")]
    pub target: Option<PathBuf>,

    /// Stop writing after TIME if the power has not been cut
    #[arg(long = "for", value_name = "TIME", default_value = "10m", value_parser = values::duration)]
    pub time: Nanos,

    /// Number of writers, each making one write after the other
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=i64::from(MOST_WRITERS)))]
    pub writers: u16,

    /// How a write becomes durable: dsync or fdatasync
    ///
    /// dsync: each write is durable on its own (RWF_DSYNC, like O_DSYNC). fdatasync: a flush follows each write.
    #[arg(long, value_name = "METHOD", default_value = "dsync", ignore_case = true, hide_possible_values = true, value_parser = durable())]
    pub sync: Sync,

    /// Size of a write: a power of two from 4K to 1M
    #[arg(long, value_name = "SIZE", default_value = "4K")]
    pub block: Bytes,

    /// Size of the region at the start of the target that is overwritten repeatedly [default: 64M or the whole target]
    ///
    /// The last write to each block is checked. A small region also reveals blocks that went back to an older version.
    #[arg(long, value_name = "SIZE")]
    pub size: Option<Bytes>,

    /// io_uring, libaio or threads [default: the fastest that works]
    #[arg(long, value_name = "ENGINE", default_value = "auto", hide_default_value = true, hide_short_help = true, value_parser = values::engine)]
    engine: EngineRequest,

    /// Allow Rigel to overwrite all data on TARGET
    ///
    /// Required for a target that holds data, or may. What is found on it is shown first. A device that is mounted, in use as swap or part of another
    /// device is always refused.
    #[arg(long, value_name = "TARGET", help_heading = SAFETY)]
    pub destroy_data: Vec<PathBuf>,

    /// Show no progress and no notes
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, clap::Args)]
#[command(after_help = WITNESS)]
pub struct WitnessArgs {
    /// File for the acknowledgements [default: rigel_RUN_acks.jsonl, by the name of the run]
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// Replace an existing file
    #[arg(long)]
    pub force: bool,

    /// Show no notes
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, clap::Args)]
#[command(after_help = CHECK)]
pub struct CheckArgs {
    /// File or block device that the run wrote to; it is only read
    #[arg(value_name = "TARGET")]
    pub target: PathBuf,

    /// File of the witness
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,

    /// Show no progress
    #[arg(long)]
    pub quiet: bool,
}

/// The ways to become durable; `none`, which other commands know, is not one.
fn durable() -> impl TypedValueParser<Value = Sync> {
    let durable = Sync::all().into_iter().filter(|(_, sync)| *sync != Sync::None).map(|(word, _)| word);
    PossibleValuesParser::new(durable)
        .try_map(|text| words::find(&text).ok_or("not one of the possible values"))
}

impl DurabilityArgs {
    /// What to do, checked as far as possible without reading the target.
    pub fn invocation(self) -> Result<Invocation, Problem> {
        let durability = match self.command {
            Command::Run(run) => Durability::Run(Box::new(run.checked()?)),
            Command::Witness(witness) => Durability::Witness(witness),
            Command::Check(check) => Durability::Check(check),
        };
        Ok(Invocation::Durability(Box::new(durability)))
    }
}

impl AcknowledgeArgs {
    fn checked(self) -> Result<Self, Problem> {
        if self.time.0 == 0 {
            return Err(Problem::usage("nothing would be written")
                .at("--for")
                .next("give a time, such as 10m"));
        }
        // Of a target that is large enough; what it is follows later.
        self.shape(self.size.map_or(u64::MAX, |size| size.0)).check().map_err(|problem| {
            let at = if problem.what.contains("too few") { "--size" } else { "--block" };
            problem.at(at)
        })?;
        self.engine().map(|_| self.clone())
    }

    /// The requested engine.
    pub fn engine(&self) -> Result<Option<EngineKind>, Problem> {
        match self.engine {
            EngineRequest::Auto => Ok(None),
            EngineRequest::Only(kind @ (EngineKind::IoUring | EngineKind::Libaio | EngineKind::Threads)) => {
                Ok(Some(kind))
            }
            EngineRequest::Only(EngineKind::Sync) => {
                Err(Problem::usage("the engine sync has a worker for each outstanding I/O")
                    .at("--engine sync")
                    .because("here one worker has all of them")
                    .next("use io_uring, libaio or threads, or leave --engine out"))
            }
            _ => Err(Problem::usage("this engine cannot write durably")
                .at("--engine")
                .because("it stores nothing, or nothing that can be read again by its offset")
                .next("use io_uring, libaio or threads, or leave --engine out")),
        }
    }

    /// What is written where, on a target with this many bytes to write.
    pub const fn shape(&self, bytes: u64) -> Shape {
        let block_bytes = self.block.0;
        let region_bytes = if block_bytes == 0 { bytes } else { bytes - bytes % block_bytes };
        Shape { region_bytes, block_bytes, writers: self.writers }
    }
}
