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
use rigel_core::uses::durability::{MOST_WRITERS, Shape};
use std::path::PathBuf;

const SAFETY: &str = "Safety";

const EXAMPLES: &str = "\
Examples:
  ssh lab rigel durability run /dev/sdb --destroy-data /dev/sdb | rigel durability witness acks
      on a host that keeps its power: the host `lab` writes to its disk, and every acknowledgement is kept here; now cut the power of `lab`
  scp acks lab: && ssh lab rigel durability check /dev/sdb acks
      when `lab` is back: which acknowledged writes are gone; exit code 1 when any is
docs/guide/durability.md tells how to cut power, and what the answer excludes.";

const RUN: &str = "\
Examples:
  rigel durability run /dev/sdb --destroy-data /dev/sdb | ssh other rigel durability witness acks
      the witness is on the host `other`
  rigel durability run | ssh other rigel durability witness acks
      on a scratch file in this directory, which stays there for the check
  rigel durability run data.bin --sync fdatasync --block 8K --writers 32 | ssh ..
      writes of 8 KiB that a flush makes durable, as many databases commit";

const WITNESS: &str = "\
Examples:
  ssh lab rigel durability run /dev/sdb --destroy-data /dev/sdb | rigel durability witness acks
      ends when the other end does. A host that lost its power does not say so: end the witness with Ctrl-C, or give ssh -o ServerAliveInterval=5";

const CHECK: &str = "\
Examples:
  rigel durability check /dev/sdb acks
      exit code 0: all are there; 1: some are gone; 2 or 3: not the target or not the file of the run
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
    /// Write until the power is cut, and tell each acknowledgement to standard output
    Run(Box<AcknowledgeArgs>),
    /// Keep the acknowledgements of a run, from standard input, on a host that keeps its power
    Witness(WitnessArgs),
    /// After the cut: which acknowledged writes are still there
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
    /// The file or block device to write to [default: a scratch file here, which stays]
    #[arg(value_name = "TARGET")]
    pub target: Option<PathBuf>,

    /// Write for so long, unless the power goes before
    #[arg(long = "for", value_name = "TIME", default_value = "10m", value_parser = values::duration)]
    pub time: Nanos,

    /// How many write, each one write after the other
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=i64::from(MOST_WRITERS)))]
    pub writers: u16,

    /// How a write becomes durable: dsync or fdatasync
    ///
    /// dsync: each write asks for it (RWF_DSYNC, as O_DSYNC does). fdatasync: a flush follows each write.
    #[arg(long, value_name = "METHOD", default_value = "dsync", ignore_case = true, hide_possible_values = true, value_parser = durable())]
    pub sync: Sync,

    /// Bytes of a write: a power of two from 4K to 1M
    #[arg(long, value_name = "SIZE", default_value = "4K")]
    pub block: Bytes,

    /// How much of the target to write, again and again, from its start on [default: 64M, or all of a smaller one]
    ///
    /// Of each place the last write is judged. A part that is written many times also shows writes that an older one came back for.
    #[arg(long, value_name = "SIZE")]
    pub size: Option<Bytes>,

    /// io_uring, libaio or threads [default: the best that works here]
    #[arg(long, value_name = "ENGINE", default_value = "auto", hide_default_value = true, hide_short_help = true, value_parser = values::engine)]
    engine: EngineRequest,

    /// Allow to overwrite everything on TARGET
    ///
    /// Needed for a target that holds something, or may hold something. What is found on it is shown first. A device that is mounted,
    /// in use as swap or part of another device is refused all the same.
    #[arg(long, value_name = "TARGET", help_heading = SAFETY)]
    pub destroy_data: Vec<PathBuf>,

    /// No progress and no notes
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, clap::Args)]
#[command(after_help = WITNESS)]
pub struct WitnessArgs {
    /// Where to keep them [default: rigel_RUN_acks.jsonl, by the name of the run]
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// Replace an existing file
    #[arg(long)]
    pub force: bool,

    /// No notes
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, clap::Args)]
#[command(after_help = CHECK)]
pub struct CheckArgs {
    /// The file or block device that the run wrote to; it is only read
    #[arg(value_name = "TARGET")]
    pub target: PathBuf,

    /// What the witness kept
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// As JSON
    #[arg(long)]
    pub json: bool,

    /// No progress
    #[arg(long)]
    pub quiet: bool,
}

/// The ways to become durable; `none`, which other commands know, is no such way.
fn durable() -> impl TypedValueParser<Value = Sync> {
    let durable = Sync::all().into_iter().filter(|(_, sync)| *sync != Sync::None).map(|(word, _)| word);
    PossibleValuesParser::new(durable)
        .try_map(|text| words::find(&text).ok_or("not one of the possible values"))
}

impl DurabilityArgs {
    /// What to do, checked as far as it can be without a look at the target.
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

    /// The engine that was asked for.
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

    /// What is written where, on a target with so many bytes to write.
    pub const fn shape(&self, bytes: u64) -> Shape {
        let block_bytes = self.block.0;
        let region_bytes = if block_bytes == 0 { bytes } else { bytes - bytes % block_bytes };
        Shape { region_bytes, block_bytes, writers: self.writers }
    }
}
