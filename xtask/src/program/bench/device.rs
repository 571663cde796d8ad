//! What the cases run on: made when first wanted, removed at the end. Must not measure.

use super::cases::{BenchTarget, Case};
use anyhow::Context as _;
use rigel_core::units::MIB;
use rigel_testdev::{DeviceSpec, LoopDevice, TestDevice, ZramDevice, random_file};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Larger than what a cache behind the storage holds for long.
const FILE_BYTES: u64 = 4 << 30;
/// All parts together.
const PARTS_MIB: u64 = 6400;
const TWIN_BYTES: u64 = 2 << 30;
/// Written once in a few seconds, so that most of what is read has been written.
const WRITTEN_BYTES: u64 = 512 << 20;
const ZRAM_BYTES: u64 = 4 << 30;
/// The memory that it takes.
const FILLED_ZRAM_BYTES: u64 = 256 << 20;
const LOOP_BYTES: u64 = 1 << 30;
const FUSE_BYTES: u64 = 256 << 20;

/// The devices of one session.
pub struct Devices {
    parent: PathBuf,
    place: Option<TempDir>,
    zram: Option<ZramDevice>,
    filled_zram: Option<ZramDevice>,
    looped: Option<LoopDevice>,
    fuse: Option<TestDevice>,
}

impl Devices {
    /// Files go to a directory of their own inside `parent`.
    pub fn new(parent: &Path) -> Self {
        Self {
            parent: parent.to_owned(),
            place: None,
            zram: None,
            filled_zram: None,
            looped: None,
            fuse: None,
        }
    }

    /// The targets of a case; none for one that touches no storage.
    pub fn targets(&mut self, case: &Case) -> anyhow::Result<Vec<PathBuf>> {
        match case.on {
            BenchTarget::Nothing | BenchTarget::Ring => Ok(Vec::new()),
            BenchTarget::Zram => Ok(vec![self.zram()?.path()]),
            BenchTarget::FilledZram => Ok(vec![self.filled_zram()?.path()]),
            BenchTarget::Loop => Ok(vec![self.looped()?.path().to_owned()]),
            BenchTarget::Fuse => Ok(vec![self.fuse()?.disk()]),
            BenchTarget::File => Ok(vec![self.file("file", FILE_BYTES)?]),
            BenchTarget::Written => Ok(vec![self.file("written", WRITTEN_BYTES)?]),
            BenchTarget::Twins => {
                let first = self.file("twins/a", TWIN_BYTES)?;
                let second = first.with_file_name("b");
                if !second.exists() {
                    fs::copy(&first, &second).context("cannot copy a file")?;
                    fs::File::open(&second)?.sync_all()?;
                }
                Ok(vec![first, second])
            }
            BenchTarget::Files(count) => {
                let bytes = PARTS_MIB / u64::from(count) * MIB;
                // fio's list of names has room for 4096 characters.
                (0..count).map(|number| self.file(&format!("of{count}/{number}"), bytes)).collect()
            }
        }
    }

    fn zram(&mut self) -> anyhow::Result<&ZramDevice> {
        if self.zram.is_none() {
            self.zram = Some(ZramDevice::create(ZRAM_BYTES)?);
        }
        self.zram.as_ref().context("it was just made")
    }

    fn filled_zram(&mut self) -> anyhow::Result<&ZramDevice> {
        if self.filled_zram.is_none() {
            let device = ZramDevice::create(FILLED_ZRAM_BYTES)?;
            device.fill(FILLED_ZRAM_BYTES).context("cannot fill zram")?;
            self.filled_zram = Some(device);
        }
        self.filled_zram.as_ref().context("it was just made")
    }

    fn looped(&mut self) -> anyhow::Result<&LoopDevice> {
        if self.looped.is_none() {
            let file = self.file("looped", LOOP_BYTES)?;
            self.looped = Some(LoopDevice::attach(&file, true)?);
        }
        self.looped.as_ref().context("it was just made")
    }

    fn fuse(&mut self) -> anyhow::Result<&TestDevice> {
        if self.fuse.is_none() {
            let spec = DeviceSpec {
                mbps: None,
                size_bytes: FUSE_BYTES,
                servers: 8,
                service_us: 200,
                exponential: false,
                flush_us: 0,
            };
            self.fuse = Some(TestDevice::mount(spec)?);
        }
        self.fuse.as_ref().context("it was just made")
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
            let parent = path.parent().context("a file is in a directory")?;
            fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
            random_file(&path, bytes).with_context(|| format!("cannot fill {}", path.display()))?;
        }
        Ok(path)
    }
}
