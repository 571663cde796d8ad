//! The tests that could not run on this machine: listed loudly, and in CI only the known ones are tolerated.
//!
//! A skipped test passes, so without this a machine that can test nothing would look like one that tested all.

use anyhow::Context as _;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The skips that CI tolerates, one test name a line; it may only get shorter without a good reason.
const ALLOWED: &str = "xtask/skips-allowed.txt";

/// A new file that collects skipped tests.
pub fn file() -> anyhow::Result<tempfile::NamedTempFile> {
    tempfile::NamedTempFile::new().context("cannot create the file that collects skipped tests")
}

/// Prints the list; false if CI runs this and a test is skipped that is not allowed to be. Without `all_ran` the list
/// may be too short, since tests that were not built or stopped early skip nothing.
pub fn run(root: &Path, skip_file: &Path, all_ran: bool) -> anyhow::Result<bool> {
    let skipped = fs::read_to_string(skip_file).context("cannot read the list of skipped tests")?;
    let allowed = fs::read_to_string(root.join(ALLOWED)).with_context(|| format!("cannot read {ALLOWED}"))?;
    let skips = Skips::new(&skipped, &allowed);
    let in_ci = super::in_ci();
    print!("{}", skips.report(in_ci));
    if !all_ran {
        println!("note: the tests failed, so there may be more");
    }
    Ok(skips.pass(in_ci))
}

struct Skips {
    reasons: BTreeMap<String, String>,
    not_allowed: BTreeSet<String>,
}

impl Skips {
    /// `skipped` holds lines of name, tab, reason; a test may have several.
    fn new(skipped: &str, allowed: &str) -> Self {
        let allowed: BTreeSet<&str> =
            allowed.lines().map(|line| line.split('#').next().unwrap_or_default().trim()).collect();
        let lines = skipped.lines().filter(|line| !line.trim().is_empty());
        let reasons: BTreeMap<String, String> = lines
            .map(|line| line.split_once('\t').unwrap_or((line, "no reason given")))
            .map(|(name, reason)| (name.trim().to_owned(), reason.trim().to_owned()))
            .collect();
        let not_allowed = reasons.keys().filter(|name| !allowed.contains(name.as_str())).cloned().collect();
        Self { reasons, not_allowed }
    }

    fn pass(&self, in_ci: bool) -> bool {
        !in_ci || self.not_allowed.is_empty()
    }

    fn report(&self, in_ci: bool) -> String {
        let mut text = format!("{} tests could not run on this machine", self.reasons.len());
        text += if self.reasons.is_empty() { "\n" } else { ":\n" };
        for (name, reason) in &self.reasons {
            let mark = if self.not_allowed.contains(name) { "NEW" } else { "   " };
            text += &format!("  {mark} {name}: {reason}\n");
        }
        if !self.not_allowed.is_empty() {
            let word = if in_ci { "error" } else { "warning (an error in CI)" };
            let count = self.not_allowed.len();
            text += &format!(
                "{word}: {count} not in {ALLOWED}: give the machine what they need, or list them there\n"
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SKIPPED: &str = "knee\tno /dev/fuse\nknee\tno /dev/fuse\ncap\tno cgroup\n";

    #[test]
    fn no_skip_passes_everywhere() {
        let skips = Skips::new("", "");
        assert!(skips.pass(true));
        assert_eq!(skips.report(true), "0 tests could not run on this machine\n");
    }

    #[test]
    fn a_skip_that_is_not_listed_fails_in_ci_only() {
        let skips = Skips::new(SKIPPED, "# known\ncap # needs cgroup v1\n");
        assert!(!skips.pass(true));
        assert!(skips.pass(false));
        assert_eq!(
            skips.report(true),
            "2 tests could not run on this machine:\n      cap: no cgroup\n  NEW knee: no /dev/fuse\n\
             error: 1 not in xtask/skips-allowed.txt: give the machine what they need, or list them there\n"
        );
    }

    #[test]
    fn listed_skips_pass_but_are_shown() {
        let skips = Skips::new(SKIPPED, "cap\nknee\n");
        assert!(skips.pass(true));
        assert!(skips.report(true).contains("    knee: no /dev/fuse\n"));
    }

    #[test]
    fn a_line_without_a_reason_counts() {
        assert!(!Skips::new("knee\n", "").pass(true));
    }
}
