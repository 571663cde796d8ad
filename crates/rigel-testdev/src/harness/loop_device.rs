//! [`LoopDevice`]: a block device over a file, for the code that wants a real one.
//!
//! It must be dropped before what it stands on: detaching waits for the requests below.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::needs::MissingNeed;

/// A loop device with 512-byte sectors; detached when dropped.
#[derive(Debug)]
pub struct LoopDevice {
    path: PathBuf,
    /// As the kernel names it.
    file: PathBuf,
}

impl LoopDevice {
    /// Attaches the file to a free loop device; `direct_io` passes the page cache below by, without which
    /// the law of a [`TestDevice`](super::test_device::TestDevice) does not show.
    ///
    /// # Errors
    ///
    /// Without root, loop devices or losetup, or when the kernel does not grant direct I/O on this file.
    pub fn attach(file: impl AsRef<Path>, direct_io: bool) -> Result<Self, MissingNeed> {
        let direct = if direct_io { "--direct-io=on" } else { "--direct-io=off" };
        let mut losetup = Command::new("losetup");
        losetup.args(["--find", "--show", "--sector-size", "512", direct]).arg(file.as_ref());
        let output = losetup.output().map_err(|error| MissingNeed::new(format!("losetup: {error}")))?;
        if !output.status.success() {
            return Err(MissingNeed::new(complaint(&output)));
        }
        let file = file.as_ref().canonicalize().map_err(MissingNeed::new)?;
        let device = Self { path: PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()), file };
        if direct_io && !device.is_direct() {
            return Err(MissingNeed::new(format!("no direct I/O from {}", device.path.display())));
        }
        device.make_writable();
        Ok(device)
    }

    /// A number that `blockdev --setro` was said of stays read-only for whoever gets it next.
    fn make_writable(&self) {
        let _ = Command::new("blockdev").arg("--setrw").arg(&self.path).output();
    }

    /// The block device, such as `/dev/loop3`.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Detaches it; the kernel waits with that for the last one who has it open, and gives its number to others then.
    pub fn detach(&self) {
        if self.is_ours() {
            let _ = Command::new("losetup").arg("--detach").arg(&self.path).output();
        }
    }

    /// Once it was detached, another test may have the number.
    fn is_ours(&self) -> bool {
        self.state("backing_file").is_some_and(|file| file.starts_with(&*self.file.to_string_lossy()))
    }

    /// The kernel falls back to buffered I/O without an error.
    fn is_direct(&self) -> bool {
        self.state("dio").is_some_and(|state| state.trim() == "1")
    }

    /// None without a file below it.
    fn state(&self, name: &str) -> Option<String> {
        let device = Path::new("/sys/block").join(self.path.file_name()?);
        std::fs::read_to_string(device.join("loop").join(name)).ok()
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        self.detach();
    }
}

fn complaint(output: &Output) -> String {
    format!("losetup: {}", String::from_utf8_lossy(&output.stderr))
}
