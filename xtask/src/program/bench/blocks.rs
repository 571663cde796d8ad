//! How fast verified blocks are made and checked in memory, by one thread. Must not compare it with other tools: they keep that inside an I/O.

use super::ratio;
use crate::cargo::cargo;
use anyhow::Context as _;
use std::path::Path;
use std::process::Command;

/// Its name in `--only`.
pub const NAME: &str = "verified blocks in memory";
/// Much more than caches hold.
const MIB: &str = "512";
const EXAMPLE: &str = "verified_speed";

/// GB/s of one thread, medians over the rounds.
#[derive(Clone, Copy, Debug)]
pub struct Speed {
    fill: f64,
    check: f64,
}

/// Measures both in this many rounds.
pub fn measure(root: &Path, rounds: u32) -> anyhow::Result<Speed> {
    let arguments = ["build", "--release", "--locked", "-p", "rigel-run", "--example", EXAMPLE];
    let built = cargo(root, &arguments).status().context("cannot start cargo")?;
    anyhow::ensure!(built.success(), "the example {EXAMPLE} does not build");
    let program = crate::target_dir(root).join("release/examples").join(EXAMPLE);
    let (mut fill, mut check) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let told = Command::new(&program).arg(MIB).output().context("cannot start it")?;
        let text = String::from_utf8_lossy(&told.stdout).into_owned();
        let rates: Option<Vec<f64>> = text.split_whitespace().map(|rate| rate.parse().ok()).collect();
        let rates = rates.unwrap_or_default();
        let [filled, checked] = rates[..] else {
            anyhow::bail!("{EXAMPLE}: {text}{}", String::from_utf8_lossy(&told.stderr));
        };
        fill.push(filled);
        check.push(checked);
    }
    Ok(Speed { fill: ratio::median(fill), check: ratio::median(check) })
}

impl Speed {
    /// For the terminal.
    pub fn row(self) -> String {
        format!("  rigel: filled {:.1} GB/s, checked {:.1} GB/s\n", self.fill, self.check)
    }

    /// A part of the page.
    pub fn section(self) -> String {
        format!(
            "\n## Verified blocks\n\nOne thread in memory ({MIB} MiB): [verified blocks](verified-blocks.md) are filled at {:.1} GB/s and checked at {:.1} GB/s.\n",
            self.fill, self.check
        )
    }
}
