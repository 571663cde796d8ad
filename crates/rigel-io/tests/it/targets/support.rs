//! What the tests of targets share. Everything that is attached, mounted or switched on is undone when it is dropped, so
//! also when a test fails; later locals are dropped first.

use rigel_core::error::Problem;
use rigel_core::facts::TargetFacts;
use rigel_core::guard::safety::{Evidence, Verdict, judge};
use rigel_core::guard::scratch::{BLOCK_BYTES, block};
use rigel_io::targets::guard::{WritePermit, permit};
use rigel_io::targets::inspect::{Progress, Scan, Snapshot, TargetEvidence, inspect, target_facts};
use rigel_testdev::{LoopDevice, MissingNeed};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use tempfile::TempDir;

pub const MIB: u64 = 1 << 20;

/// A directory on a disk.
pub fn dir() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// A file of this size that is one hole.
pub fn sparse(dir: &TempDir, name: &str, size: u64) -> PathBuf {
    let path = dir.path().join(name);
    std::fs::File::create_new(&path).unwrap().set_len(size).unwrap();
    path
}

/// Writes bytes into an existing file or device, and to the disk.
pub fn poke(path: &Path, at: u64, bytes: &[u8]) {
    use std::os::unix::fs::FileExt;
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.write_all_at(bytes, at).unwrap();
    file.sync_all().unwrap();
}

/// Compares the block at `offset` with that of a file filled with `seed`; the error is the place of the first wrong byte.
pub fn check_block(seed: u64, offset: u64, found: &[u8]) -> Result<(), usize> {
    let mut wanted = [0; BLOCK_BYTES];
    block(seed, offset, &mut wanted);
    found.iter().zip(&wanted).position(|(found, wanted)| found != wanted).map_or(Ok(()), Err)
}

/// The evidence, looked for as closely as can be. Other tests that look for a free loop device open all of them for a
/// moment; such a look is done again.
pub fn look(path: &Path) -> TargetEvidence {
    let is_losetup = |process: &String| process.ends_with("(losetup)");
    let disturbed =
        |e: &Evidence| matches!(e, Evidence::OpenElsewhere { processes } if processes.iter().all(is_losetup));
    loop {
        let found = evidence(path, Scan::Whole, &mut |_, _| {});
        if !found.iter().any(disturbed) {
            return found;
        }
    }
}

/// The evidence as the host is now.
pub fn evidence(path: &Path, look: Scan, progress: Progress<'_>) -> TargetEvidence {
    let snapshot = Snapshot::take();
    let inspected = inspect(path, &snapshot).unwrap();
    inspected.evidence(&snapshot, look, progress, &AtomicBool::new(false)).unwrap()
}

/// Facts, evidence and what may be done, in one.
pub fn asked(path: &Path, consent: bool) -> Result<(TargetFacts, WritePermit), Problem> {
    let facts = target_facts(path)?;
    let permit = permit(&facts, &look(path), consent)?;
    Ok((facts, permit))
}

#[track_caller]
pub fn assert_verdict(path: &Path, expected: Verdict) {
    let found = look(path);
    assert_eq!(judge(&found), expected, "{found:?}");
}

/// The signatures in the evidence: use and kind.
pub fn signatures(found: &[Evidence]) -> Vec<(&str, &str)> {
    let mut parts = Vec::new();
    for e in found {
        if let Evidence::Signature { usage, kind, .. } = e {
            parts.push((usage.as_str(), kind.as_str()));
        }
    }
    parts
}

/// A whole file, to see that nobody wrote to it.
pub fn bytes_of(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap()
}

/// Runs a system tool.
pub fn tool(name: &str, args: &[&OsStr]) -> Result<String, MissingNeed> {
    let output = Command::new(name).args(args).output();
    let output = output.map_err(|error| MissingNeed::new(format!("{name}: {error}")))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(MissingNeed::new(format!("{name}: {}", String::from_utf8_lossy(&output.stderr))))
    }
}

/// A file of 16 MiB with an ext4 in it, made by mkfs.ext4.
pub fn ext4_image(dir: &TempDir, name: &str) -> Result<PathBuf, MissingNeed> {
    let image = sparse(dir, name, 16 * MIB);
    tool("mkfs.ext4", &["-q".as_ref(), "-L".as_ref(), "precious".as_ref(), image.as_ref()])?;
    Ok(image)
}

/// A block device over a file.
pub fn loop_on(file: &Path) -> Result<LoopDevice, MissingNeed> {
    LoopDevice::attach(file, false)
}

/// A mounted filesystem; unmounted when dropped.
pub struct MountGuard {
    at: PathBuf,
}

impl MountGuard {
    pub fn mount(device: &Path, at: &Path, options: &str) -> Result<Self, MissingNeed> {
        std::fs::create_dir_all(at).unwrap();
        tool("mount", &["-o".as_ref(), options.as_ref(), device.as_ref(), at.as_ref()])?;
        Ok(Self::already(at))
    }

    /// The same of a type that does not show in the source.
    pub fn of_type(kind: &str, source: &Path, at: &Path, options: &str) -> Result<Self, MissingNeed> {
        std::fs::create_dir_all(at).unwrap();
        let args = ["-t".as_ref(), kind.as_ref(), "-o".as_ref(), options.as_ref()];
        tool("mount", &[&args[..], &[source.as_ref(), at.as_ref()]].concat())?;
        Ok(Self::already(at))
    }

    /// A filesystem without direct I/O.
    pub fn ramfs(dir: &TempDir) -> Result<(Self, PathBuf), MissingNeed> {
        let at = dir.path().join("ram");
        std::fs::create_dir(&at).unwrap();
        tool("mount", &["-t".as_ref(), "ramfs".as_ref(), "ramfs".as_ref(), at.as_ref()])?;
        let mounted = Self::already(&at);
        let probe = at.join("probe");
        std::fs::write(&probe, [0; 4096]).unwrap();
        let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::DIRECT;
        let takes_it = rustix::fs::open(&probe, flags, rustix::fs::Mode::empty()).is_ok();
        std::fs::remove_file(probe).unwrap();
        if takes_it {
            Err(MissingNeed::new("this kernel's ramfs takes direct I/O"))
        } else {
            Ok((mounted, at))
        }
    }

    /// What was mounted otherwise.
    pub fn already(at: &Path) -> Self {
        Self { at: at.to_owned() }
    }
}

impl Drop for MountGuard {
    fn drop(&mut self) {
        // A child that is being started may have a copy of a descriptor in it for a moment.
        for _ in 0..100 {
            if tool("umount", &[self.at.as_ref()]).is_ok() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
}

/// A partition that was added to the kernel, with or without a table on the device. A drop removes it.
pub struct Partition {
    disk: PathBuf,
    pub path: PathBuf,
}

impl Partition {
    /// Partition 1 of a loop device, from 1 MiB on.
    pub fn add(disk: &Path, mebibytes: u64) -> Result<Self, MissingNeed> {
        let sectors = (mebibytes * MIB / 512).to_string();
        tool("addpart", &[disk.as_ref(), "1".as_ref(), "2048".as_ref(), sectors.as_ref()])?;
        let mut path = disk.as_os_str().to_owned();
        path.push("p1");
        let partition = Self { disk: disk.to_owned(), path: path.into() };
        if partition.path.exists() {
            Ok(partition)
        } else {
            Err(MissingNeed::new("no device node of a partition"))
        }
    }
}

impl Drop for Partition {
    fn drop(&mut self) {
        let _ = tool("delpart", &[self.disk.as_ref(), "1".as_ref()]);
    }
}

/// Swap that is switched on; off when dropped.
pub struct SwapGuard {
    on: PathBuf,
}

impl SwapGuard {
    pub fn on(path: &Path) -> Result<Self, MissingNeed> {
        tool("mkswap", &[path.as_ref()])?;
        tool("swapon", &[path.as_ref()])?;
        Ok(Self { on: path.to_owned() })
    }
}

impl Drop for SwapGuard {
    fn drop(&mut self) {
        let _ = tool("swapoff", &[self.on.as_ref()]);
    }
}

/// A device that the kernel writes no more; as before when dropped, because the next user of its number would
/// inherit that.
pub struct WriteProtected {
    device: PathBuf,
}

impl WriteProtected {
    pub fn set(device: &Path) -> Result<Self, MissingNeed> {
        tool("blockdev", &["--setro".as_ref(), device.as_ref()])?;
        Ok(Self { device: device.to_owned() })
    }
}

impl Drop for WriteProtected {
    fn drop(&mut self) {
        let _ = tool("blockdev", &["--setrw".as_ref(), self.device.as_ref()]);
    }
}
