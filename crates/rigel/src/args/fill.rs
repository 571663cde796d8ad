//! `rigel fill`: the arguments.
//!
//! Must not look at a target.

use rigel_core::error::Problem;
use rigel_core::guard::scratch::BLOCK_BYTES;
use rigel_core::units::Bytes;
use std::path::PathBuf;

const SAFETY: &str = "Safety";

const EXAMPLES: &str = "\
Examples:
  rigel fill /dev/sdb --destroy-data /dev/sdb
      a whole device that holds data, or may; what is found on it is shown first
  rigel fill data.bin --size 100G
      a file of this size; a shorter file is extended
  rigel fill /u01/oradata --size 100G
      the file rigel-scratch.dat in that directory, which `rigel run simple /u01/oradata` then measures
  rigel fill /dev/sdb /dev/sdc --dry-run
      what would be written, and which consent is needed; nothing is written
Repeat the command to resume a fill that was interrupted.";

#[derive(Clone, Debug, PartialEq, Eq, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct FillArgs {
    /// Block devices and files to fill, or directories for a scratch file
    #[arg(value_name = "TARGET", required = true)]
    pub targets: Vec<PathBuf>,

    /// Size of each file [default: existing files and devices are filled completely]
    ///
    /// A multiple of 4K. An existing file can be extended, but not shortened.
    #[arg(long, value_name = "SIZE")]
    pub size: Option<Bytes>,

    /// Allow Rigel to overwrite all data on TARGET
    ///
    /// Required for a target that holds data, or may. What is found on it is shown first. A device that is mounted, in use as swap or part of another
    /// device is always refused. Data from an earlier fill needs no consent.
    #[arg(long, value_name = "TARGET", help_heading = SAFETY)]
    pub destroy_data: Vec<PathBuf>,

    /// Show what would be written; write nothing
    #[arg(long, help_heading = SAFETY)]
    pub dry_run: bool,

    /// Show no progress and no notes
    #[arg(long)]
    pub quiet: bool,
}

impl FillArgs {
    /// Checks what can be checked without reading the targets.
    pub fn checked(self) -> Result<Self, Problem> {
        let Some(size) = self.size else { return Ok(self) };
        if size.0 == 0 {
            return Err(Problem::usage("nothing would be written")
                .at("--size")
                .next("give a size above 0, such as 4G"));
        }
        if !size.0.is_multiple_of(BLOCK_BYTES as u64) {
            let next = Bytes(size.0.next_multiple_of(BLOCK_BYTES as u64));
            return Err(Problem::usage(format!("a file of {} bytes cannot be filled", size.0))
                .at("--size")
                .because(format!("it is filled in blocks of {BLOCK_BYTES} bytes"))
                .next(format!("give --size {}", next.0)));
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Environment, Invocation, read};
    use std::ffi::OsString;

    fn fill(line: &str) -> Result<Box<FillArgs>, Problem> {
        let argv: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        match read(&argv, &Environment::default())? {
            Invocation::Fill(args) => Ok(args),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_size_is_some_blocks() {
        let args =
            fill("rigel fill f /dev/b --size 1.5G --destroy-data f --destroy-data /dev/b --dry-run").unwrap();
        assert_eq!((args.size, args.targets.len(), args.destroy_data.len()), (Some(Bytes(3 << 29)), 2, 2));
        assert!(args.dry_run && !args.quiet);
        for (line, next) in [
            ("fill f --size 0", "above 0"),
            ("fill f --size 4097", "--size 8192"),
            ("fill f --size 511", "--size 4096"),
        ] {
            let problem = fill(&format!("rigel {line}")).unwrap_err();
            assert!(problem.next.as_deref().is_some_and(|found| found.contains(next)), "{line}: {problem}");
            assert_eq!(problem.place.as_deref(), Some("--size"));
        }
        assert!(fill("rigel fill").is_err());
    }
}
