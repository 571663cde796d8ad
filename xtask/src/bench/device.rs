//! What the cases run on: made when first wanted, removed at the end. Must not measure.

use super::cases::{Case, On};
use anyhow::Context as _;
use rigel_testdev::{ZramDevice, random_file};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Larger than what a cache behind the storage holds for long.
const FILE_BYTES: u64 = 4 << 30;
const PART_BYTES: u64 = 16 << 20;
const ZRAM_BYTES: u64 = 4 << 30;

/// The devices of one session.
pub struct Devices {
    parent: PathBuf,
    place: Option<TempDir>,
    zram: Option<ZramDevice>,
}

impl Devices {
    /// Files go to a directory of their own inside `parent`.
    pub fn new(parent: &Path) -> Self {
        Self { parent: parent.to_owned(), place: None, zram: None }
    }

    /// The targets of a case; none for one that touches no storage.
    pub fn targets(&mut self, case: &Case) -> anyhow::Result<Vec<PathBuf>> {
        match case.on {
            On::Nothing | On::Ring => Ok(Vec::new()),
            On::Zram => Ok(vec![self.zram()?.path()]),
            On::File => Ok(vec![self.file("file", FILE_BYTES)?]),
            On::Files(count) => {
                (0..count).map(|number| self.file(&format!("part{number}"), PART_BYTES)).collect()
            }
        }
    }

    fn zram(&mut self) -> anyhow::Result<&ZramDevice> {
        if self.zram.is_none() {
            self.zram = Some(ZramDevice::create(ZRAM_BYTES)?);
        }
        self.zram.as_ref().context("it was just made")
    }

    /// Random data: zeros could be answered by something that stores nothing.
    fn file(&mut self, name: &str, bytes: u64) -> anyhow::Result<PathBuf> {
        if self.place.is_none() {
            let made = tempfile::Builder::new().prefix("rigel-bench").tempdir_in(&self.parent);
            self.place = Some(made.with_context(|| format!("no directory in {}", self.parent.display()))?);
        }
        let place = self.place.as_ref().context("it was just made")?;
        let path = place.path().join(name);
        if !path.exists() {
            random_file(&path, bytes).with_context(|| format!("cannot fill {}", path.display()))?;
        }
        Ok(path)
    }
}
