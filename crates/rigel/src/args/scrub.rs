//! `rigel scrub`: the arguments.
//!
//! Must not open a copy.

use super::values::{self, ValueError};
use rigel_core::error::Problem;
use rigel_core::path_text::encode;
use rigel_core::units::{Bytes, MIB, Nanos};
use rigel_uses::scrub::Source;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  rigel scrub /dev/sdb
      can every block be read? 100 MB per second; exit code 1 if not, with the places and files
  rigel scrub /dev/sdb --max-mbps 20 --state sdb.state
      the same, gentler; --resume sdb.state resumes it after a stop or a reboot
  rigel scrub /dev/sdb /dev/sdc
      where do they differ? Nothing is written, and both may be in use
  rigel scrub --md /dev/md0 --max-mbps 100 --state md0.state
      both legs of a mirror in production, throttled; --resume md0.state resumes it
  rigel scrub --lvm vg0/data --json
      the legs of a mirrored logical volume, as JSON; exit code 1 if they differ
  rigel scrub /dev/sdb1 /dev/sdc1 --offset-a 1M --offset-b 2M --length 10G
      only a part, at a different offset on each
  rigel scrub --extents extents.csv --au-size 4M
      the copies of Oracle ASM; the columns are disk,au,copy,file,extent and optionally size;
      docs/guide/scrub.md has the query";

/// The largest allocation unit of ASM.
const MOST_UNIT_BYTES: u64 = 64 * MIB;
const DEFAULT_UNIT_BYTES: u64 = MIB;
const HOW: &str =
    "name a file or device, or two that should be alike, or one of --md, --lvm, --extents and --resume";

#[derive(Clone, Debug, PartialEq, Eq, clap::Args)]
#[command(after_help = EXAMPLES, override_usage = "rigel scrub [OPTIONS] DEVICE\n       rigel scrub [OPTIONS] A B\n       rigel scrub [OPTIONS] --md DEVICE | --lvm VG/LV | --extents FILE\n       rigel scrub --resume FILE")]
pub struct ScrubArgs {
    /// A file or block device to read, or two that should hold the same data
    #[arg(value_name = "DEVICE", num_args = 1..=2)]
    paths: Vec<PathBuf>,

    /// Offset of the copy in A, or where to begin in a single device [default: 0]
    #[arg(long, value_name = "BYTES", requires = "paths")]
    offset_a: Option<Bytes>,

    /// Offset of the copy in B [default: 0]
    #[arg(long, value_name = "BYTES", requires = "paths")]
    offset_b: Option<Bytes>,

    /// Bytes to read or to compare [default: up to the end, of the shorter one]
    #[arg(long, value_name = "BYTES", requires = "paths")]
    length: Option<Bytes>,

    /// The legs of a Linux software RAID (md) of level 1
    #[arg(long, value_name = "DEVICE", conflicts_with_all = ["paths", "lvm", "extents", "resume"])]
    md: Option<PathBuf>,

    /// The legs of a mirrored logical volume (raid1, mirror)
    #[arg(long, value_name = "VG/LV", conflicts_with_all = ["paths", "extents", "resume"])]
    lvm: Option<String>,

    /// The copies in a list of extents, as Oracle ASM stores them
    ///
    /// CSV with a header line and the columns disk, au, copy, file and extent; optionally size, in allocation units.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["paths", "resume"])]
    extents: Option<PathBuf>,

    /// Size of an allocation unit of these extents [default: 1M]
    #[arg(long, value_name = "BYTES", requires = "extents")]
    au_size: Option<Bytes>,

    /// Read at most MBPS (2^20 bytes per second) from each copy [default: 100 for a single device, else no limit]
    #[arg(long, value_name = "MBPS", value_parser = most_mbps)]
    pub max_mbps: Option<u64>,

    /// Treat a disk as hung if no read completes for TIME, and end the scrub [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    pub io_timeout: Option<Nanos>,

    /// Save progress and findings to FILE every ten seconds
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub state: Option<PathBuf>,

    /// Resume an interrupted scrub from its state file; --max-mbps may differ
    #[arg(long, value_name = "FILE", conflicts_with = "paths")]
    pub resume: Option<PathBuf>,

    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,

    /// Show no progress
    #[arg(long)]
    pub quiet: bool,
}

/// Reads the limit of a scrub.
fn most_mbps(text: &str) -> Result<u64, ValueError> {
    let number = text.trim().parse::<u64>().ok().filter(|number| *number > 0);
    number.ok_or_else(|| ValueError {
        reason: "is not a whole number of MBPS from 1".into(),
        next: "give the most that each copy is read at, such as --max-mbps 100".into(),
    })
}

impl ScrubArgs {
    /// Checks that it is known what to read.
    pub fn checked(self) -> Result<Self, Problem> {
        self.check_unit()?;
        self.check_parts()?;
        if self.io_timeout == Some(Nanos(0)) {
            return Err(Problem::usage("--io-timeout must be longer than 0")
                .at("--io-timeout")
                .next("give a time such as 60s"));
        }
        if self.length == Some(Bytes(0)) {
            return Err(Problem::usage("nothing would be read").at("--length").next("give a length above 0"));
        }
        if self.source().is_none() && self.resume.is_none() {
            return Err(Problem::usage("there is nothing to read").next(HOW));
        }
        Ok(self)
    }

    fn check_unit(&self) -> Result<(), Problem> {
        let Some(unit) = self.au_size else { return Ok(()) };
        if self.extents.is_none() {
            return Err(of_another("--au-size", "a list of extents", self.resume.is_some()));
        }
        if unit.0.is_power_of_two() && (4096..=MOST_UNIT_BYTES).contains(&unit.0) {
            return Ok(());
        }
        Err(Problem::usage(format!("{unit} is not a valid size of an allocation unit"))
            .at("--au-size")
            .next("give a power of two from 4K to 64M, as V$ASM_DISKGROUP has it in ALLOCATION_UNIT_SIZE"))
    }

    /// Clap accepts an option even if its required option conflicts with another one.
    fn check_parts(&self) -> Result<(), Problem> {
        let parts = [("--offset-a", self.offset_a), ("--offset-b", self.offset_b), ("--length", self.length)];
        match parts.into_iter().find(|(_, bytes)| bytes.is_some()) {
            Some((name, _)) if self.paths.is_empty() => {
                let what = if name == "--offset-b" { "two files or devices" } else { "files or devices" };
                Err(of_another(name, what, self.resume.is_some()))
            }
            _ if self.paths.len() == 1 && self.offset_b.is_some() => {
                Err(Problem::usage("--offset-b is for two files or devices only")
                    .at("--offset-b")
                    .next("give --offset-a to begin later, or name a second file or device"))
            }
            _ => Ok(()),
        }
    }

    /// What to read; `None` if a state file has to say.
    pub fn source(&self) -> Option<Source> {
        let offset = |bytes: Option<Bytes>| bytes.map_or(0, |bytes| bytes.0);
        if let [path] = self.paths.as_slice() {
            let length = self.length.map(|bytes| bytes.0);
            return Some(Source::One { path: encode(path), offset: offset(self.offset_a), length });
        }
        if let [a, b] = self.paths.as_slice() {
            return Some(Source::Pair {
                paths: [encode(a), encode(b)],
                offsets: [offset(self.offset_a), offset(self.offset_b)],
                length: self.length.map(|bytes| bytes.0),
            });
        }
        let unit_bytes = self.au_size.map_or(DEFAULT_UNIT_BYTES, |bytes| bytes.0);
        let file = |file: &PathBuf| Source::Extents { file: encode(file), unit_bytes };
        let md = self.md.as_ref().map(|device| Source::Md(encode(device)));
        md.or_else(|| self.lvm.clone().map(Source::Lvm)).or_else(|| self.extents.as_ref().map(file))
    }
}

/// An option that does not say what is compared.
fn of_another(name: &str, what: &str, goes_on: bool) -> Problem {
    let cause = if goes_on {
        "the state file says where the copies lie, and a resumed scrub reads the same ones"
    } else {
        "arrays, volumes and lists of extents already say where their copies lie"
    };
    Problem::usage(format!("{name} is for {what} only"))
        .at(name)
        .because(cause)
        .next(format!("leave {name} out, or name {what}"))
}
