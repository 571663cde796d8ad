//! What comes of a check that some machines cannot run. Must not decide whether that is tolerated.

use anyhow::Context as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

/// The result of a check.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It ran: whether all is well.
    Judged(bool),
    /// It could not run here, with the reason.
    Skipped(String),
}

impl Outcome {
    /// If only this check was requested: one that did not run is a failure.
    pub fn alone(self, name: &str) -> anyhow::Result<bool> {
        match self {
            Self::Judged(good) => Ok(good),
            Self::Skipped(reason) => anyhow::bail!("{name}: not judged: {reason}"),
        }
    }

    /// For CI: one that did not run is reported and counted like a test that cannot run.
    pub fn among_others(self, name: &str, skip_file: &Path) -> anyhow::Result<bool> {
        match self {
            Self::Judged(good) => Ok(good),
            Self::Skipped(reason) => {
                println!("SKIPPED {name}: {reason}");
                let file = OpenOptions::new().append(true).open(skip_file);
                let mut file = file.context("cannot open the file that collects skipped tests")?;
                writeln!(file, "{name}\t{}", reason.replace('\n', " "))?;
                Ok(true)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_did_not_run_fails_alone_and_is_counted_among_others() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let skipped = || Outcome::Skipped("no\nnetwork".into());
        assert!(skipped().alone("x").is_err());
        assert!(skipped().among_others("x", file.path()).unwrap());
        assert_eq!(std::fs::read_to_string(file.path()).unwrap(), "x\tno network\n");
        assert!(!Outcome::Judged(false).among_others("x", file.path()).unwrap());
        assert!(Outcome::Judged(true).alone("x").unwrap());
    }
}
