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
      all of a device that holds something, or may hold something; what is found on it is shown first
  rigel fill data.bin --size 100G
      a file of this size; an empty or shorter one is made longer
  rigel fill /u01/oradata --size 100G
      the file rigel-scratch.dat in this directory, which `rigel run simple` measures when it is started there
  rigel fill /dev/sdb /dev/sdc --dry-run
      what would be written and which consent it needs; nothing is written
A fill that was stopped or killed goes on where it ended when the same command is given again.";

#[derive(Clone, Debug, PartialEq, Eq, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct FillArgs {
    /// Block devices, files and directories to fill; a directory gets a file
    #[arg(value_name = "TARGET", required = true)]
    pub targets: Vec<PathBuf>,

    /// Size of each file; a device is filled whole, and so is a file that is there
    ///
    /// A multiple of 4K. A file that is there may be made longer, but not shorter.
    #[arg(long, value_name = "SIZE")]
    pub size: Option<Bytes>,

    /// Allow to overwrite everything on TARGET
    ///
    /// Needed for a target that holds something, or may hold something. What is found on it is shown first. A device that is mounted,
    /// in use as swap or part of another device is refused all the same. What an earlier fill wrote to a file needs no consent.
    #[arg(long, value_name = "TARGET", help_heading = SAFETY)]
    pub destroy_data: Vec<PathBuf>,

    /// Show what would be written, and write nothing
    #[arg(long, help_heading = SAFETY)]
    pub dry_run: bool,

    /// No progress and no notes
    #[arg(long)]
    pub quiet: bool,
}

impl FillArgs {
    /// Checks what can be checked without a look at the targets.
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
