//! [`ZramDevice`]: memory as a block device, the fastest one a machine has, for a rate under a cap.
//!
//! Always a device added for us, whatever its number: those already there belong to others and must never
//! be touched. Pages that were never written read as zeros without any work, about twice as fast.

use std::fs;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use super::aligned::{AlignedBytes, open_direct};
use super::needs::MissingNeed;
use crate::law::SplitMix;

const CONTROL: &str = "/sys/class/zram-control";
const FILL_CHUNK_BYTES: usize = 1 << 20;

/// A zram block device with 4096-byte sectors; removed when dropped.
#[derive(Debug)]
pub struct ZramDevice {
    id: u32,
    size_bytes: u64,
}

impl ZramDevice {
    /// Adds a device of this size.
    ///
    /// # Errors
    ///
    /// Without root or the zram driver.
    pub fn create(size_bytes: u64) -> Result<Self, MissingNeed> {
        let zram = |error: io::Error| MissingNeed::new(format!("zram: {error}"));
        let added = fs::read_to_string(Path::new(CONTROL).join("hot_add")).map_err(zram)?;
        let id = added.trim().parse().map_err(|_| MissingNeed::new(format!("zram: device {added:?}")))?;
        let device = Self { id, size_bytes };
        fs::write(device.attribute("disksize"), size_bytes.to_string()).map_err(zram)?;
        Ok(device)
    }

    /// The block device, such as `/dev/zram1`.
    pub fn path(&self) -> PathBuf {
        PathBuf::from(format!("/dev/zram{}", self.id))
    }

    /// The size it was created with.
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Writes data that cannot be compressed to the first `length_bytes`, a multiple of 4096.
    ///
    /// # Errors
    ///
    /// What the device says, such as ENOSPC or, when memory is short, ENOMEM.
    pub fn fill(&self, length_bytes: u64) -> io::Result<()> {
        let device = open_direct(self.path())?;
        let mut random = SplitMix(u64::from(self.id));
        let mut chunk = AlignedBytes::zeroed(FILL_CHUNK_BYTES);
        let mut offset_bytes = 0;
        while offset_bytes < length_bytes {
            for word in chunk.chunks_exact_mut(8) {
                word.copy_from_slice(&random.next().to_le_bytes());
            }
            let left = usize::try_from(length_bytes - offset_bytes).unwrap_or(FILL_CHUNK_BYTES);
            let length = left.min(FILL_CHUNK_BYTES);
            device.write_all_at(&chunk[..length], offset_bytes)?;
            offset_bytes += length as u64;
        }
        Ok(())
    }

    fn attribute(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("/sys/block/zram{}/{name}", self.id))
    }
}

impl Drop for ZramDevice {
    fn drop(&mut self) {
        // Whoever probes new block devices may have it open for a moment.
        for _ in 0..100 {
            let reset = fs::write(self.attribute("reset"), "1");
            let remove = || fs::write(Path::new(CONTROL).join("hot_remove"), self.id.to_string());
            if reset.and_then(|()| remove()).is_ok() {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}
