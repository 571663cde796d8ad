//! `rigel scrub`: the arguments.
//!
//! Must not open a copy.

use super::values;
use rigel_core::error::Problem;
use rigel_core::path_text::encode;
use rigel_core::units::{Bytes, MIB, Nanos};
use rigel_core::uses::scrub::Source;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  rigel scrub /dev/sdb /dev/sdc
      what of the one is not what the other has; nothing is written, and both may be in use
  rigel scrub --md /dev/md0 --max-mbps 100 --state md0.state
      both legs of a mirror, beside production; --resume md0.state goes on with it
  rigel scrub --lvm vg0/data --json
      the legs of a mirrored logical volume, for programs; exit code 1 when they differ
  rigel scrub /dev/sdb1 /dev/sdc1 --offset-a 1M --offset-b 2M --length 10G
      only a part, which begins at another place on each
  rigel scrub --extents extents.csv --au-size 4M
      the copies of Oracle ASM; the columns are disk,au,copy,file,extent and perhaps size, and
      docs/guide/scrub.md has the query";

/// The largest allocation unit of ASM.
const MOST_UNIT_BYTES: u64 = 64 * MIB;
const DEFAULT_UNIT_BYTES: u64 = MIB;
const HOW: &str = "name two files or devices, or one of --md, --lvm, --extents and --resume";

#[derive(Clone, Debug, PartialEq, Eq, clap::Args)]
#[command(after_help = EXAMPLES, override_usage = "rigel scrub [OPTIONS] A B\n       rigel scrub [OPTIONS] --md DEVICE | --lvm VG/LV | --extents FILE\n       rigel scrub --resume FILE")]
pub struct ScrubArgs {
    /// Two files or block devices that should hold the same
    #[arg(value_names = ["A", "B"], num_args = 2)]
    paths: Vec<PathBuf>,

    /// Where the copy in A begins [default: 0]
    #[arg(long, value_name = "BYTES", requires = "paths")]
    offset_a: Option<Bytes>,

    /// Where the copy in B begins [default: 0]
    #[arg(long, value_name = "BYTES", requires = "paths")]
    offset_b: Option<Bytes>,

    /// How much to compare [default: all that both have]
    #[arg(long, value_name = "BYTES", requires = "paths")]
    length: Option<Bytes>,

    /// The legs of an array of the kernel's RAID driver, of level 1
    #[arg(long, value_name = "DEVICE", conflicts_with_all = ["paths", "lvm", "extents", "resume"])]
    md: Option<PathBuf>,

    /// The legs of a mirrored logical volume (raid1, mirror)
    #[arg(long, value_name = "VG/LV", conflicts_with_all = ["paths", "extents", "resume"])]
    lvm: Option<String>,

    /// The copies that a list of extents names, as Oracle ASM keeps them
    ///
    /// A file of lines with the columns disk, au, copy, file and extent, which the first line names; perhaps size, in allocation units.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["paths", "resume"])]
    extents: Option<PathBuf>,

    /// Bytes of an allocation unit of these extents [default: 1M]
    #[arg(long, value_name = "BYTES", requires = "extents")]
    au_size: Option<Bytes>,

    /// Read no more than so many MB (2^20 bytes) in a second from each copy
    #[arg(long, value_name = "MBPS", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_mbps: Option<u64>,

    /// When no read comes back for that time, a disk hangs, and the scrub ends [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    pub io_timeout: Option<Nanos>,

    /// Keep in this file how far it is and what was found, every ten seconds
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub state: Option<PathBuf>,

    /// Go on with a scrub that was cut short; --max-mbps may be another
    #[arg(long, value_name = "FILE", conflicts_with = "paths")]
    pub resume: Option<PathBuf>,

    /// As JSON
    #[arg(long)]
    pub json: bool,

    /// No progress
    #[arg(long)]
    pub quiet: bool,
}

impl ScrubArgs {
    /// Checks that it is known what to compare.
    pub fn checked(self) -> Result<Self, Problem> {
        self.check_unit()?;
        self.check_parts()?;
        if self.io_timeout == Some(Nanos(0)) {
            return Err(Problem::usage("no read comes back in no time")
                .at("--io-timeout")
                .next("give a time such as 60s"));
        }
        if self.length == Some(Bytes(0)) {
            return Err(Problem::usage("nothing would be compared")
                .at("--length")
                .next("give a length above 0"));
        }
        if self.source().is_none() && self.resume.is_none() {
            return Err(Problem::usage("there is nothing to compare").next(HOW));
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
        Err(Problem::usage(format!("{unit} is no size of an allocation unit"))
            .at("--au-size")
            .next("give a power of two from 4K to 64M, as V$ASM_DISKGROUP has it in ALLOCATION_UNIT_SIZE"))
    }

    /// Clap lets an option pass whose required one conflicts with another that is there.
    fn check_parts(&self) -> Result<(), Problem> {
        let parts = [("--offset-a", self.offset_a), ("--offset-b", self.offset_b), ("--length", self.length)];
        match parts.into_iter().find(|(_, bytes)| bytes.is_some()) {
            Some((name, _)) if self.paths.is_empty() => {
                Err(of_another(name, "two files or devices", self.resume.is_some()))
            }
            _ => Ok(()),
        }
    }

    /// What to compare; `None` when a state file has to tell.
    pub fn source(&self) -> Option<Source> {
        if let [a, b] = self.paths.as_slice() {
            let offset = |bytes: Option<Bytes>| bytes.map_or(0, |bytes| bytes.0);
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

/// An option that says nothing of what is compared.
fn of_another(name: &str, what: &str, goes_on: bool) -> Problem {
    let cause = if goes_on {
        "the state file has where the copies lie, and a scrub goes on with the same"
    } else {
        "arrays, volumes and lists of extents say themselves where their copies lie"
    };
    Problem::usage(format!("{name} is for {what} only"))
        .at(name)
        .because(cause)
        .next(format!("leave {name} out, or name {what}"))
}
