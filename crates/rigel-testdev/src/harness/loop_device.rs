//! [`LoopDevice`]: a block device over a file, for the code that wants a real one.
//!
//! It must be dropped before what it stands on: detaching waits for the requests below.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::needs::Unavailable;

/// A loop device with 512-byte sectors; detached when dropped.
#[derive(Debug)]
pub struct LoopDevice {
    path: PathBuf,
}

impl LoopDevice {
    /// Attaches the file to a free loop device; `direct_io` passes the page cache below by, without which
    /// the law of a [`TestDevice`](super::test_device::TestDevice) does not show.
    ///
    /// # Errors
    ///
    /// Without root, loop devices or losetup, or when the kernel does not grant direct I/O on this file.
    pub fn attach(file: impl AsRef<Path>, direct_io: bool) -> Result<Self, Unavailable> {
        let direct = if direct_io { "--direct-io=on" } else { "--direct-io=off" };
        let mut losetup = Command::new("losetup");
        losetup.args(["--find", "--show", "--sector-size", "512", direct]).arg(file.as_ref());
        let output = losetup.output().map_err(|error| Unavailable::new(format!("losetup: {error}")))?;
        if !output.status.success() {
            return Err(Unavailable::new(complaint(&output)));
        }
        let device = Self { path: PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()) };
        if direct_io && !device.is_direct() {
            return Err(Unavailable::new(format!("no direct I/O from {}", device.path.display())));
        }
        Ok(device)
    }

    /// The block device, such as `/dev/loop3`.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The kernel falls back to buffered I/O without an error.
    fn is_direct(&self) -> bool {
        let name = self.path.file_name().unwrap_or_default();
        let state = Path::new("/sys/block").join(name).join("loop/dio");
        std::fs::read_to_string(state).is_ok_and(|state| state.trim() == "1")
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("--detach").arg(&self.path).output();
    }
}

fn complaint(output: &Output) -> String {
    format!("losetup: {}", String::from_utf8_lossy(&output.stderr))
}
