//! A made-up sysfs and procfs, for devices that no test machine has. Test only.

use crate::system::System;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

pub(crate) struct Fixture {
    root: tempfile::TempDir,
}

impl Fixture {
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for dir in ["sys/block", "sys/dev/block", "sys/dev/char", "sys/fs", "proc/self"] {
            std::fs::create_dir_all(root.path().join(dir)).unwrap();
        }
        Self { root }
    }

    /// With these files and their texts.
    pub fn of(files: &[(&str, &str)]) -> Self {
        let fixture = Self::new();
        files.iter().for_each(|(file, text)| fixture.write(file, text));
        fixture
    }

    pub fn root(&self) -> &Path {
        self.root.path()
    }

    pub fn system(&self) -> System {
        System::at(self.root.path())
    }

    pub fn write(&self, file: &str, text: impl AsRef<[u8]>) {
        let path = self.root.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// A disk with its links; `at` is its directory below /sys/devices.
    pub fn disk(&self, at: &str, number: (u32, u32)) {
        self.device(at, number);
        let dir = self.dir(at);
        symlink(&dir, self.root.path().join("sys/block").join(dir.file_name().unwrap())).unwrap();
    }

    /// A partition; `at` is below its disk.
    pub fn partition(&self, at: &str, number: (u32, u32), start: u64, sectors: u64) {
        self.device(at, number);
        for (file, value) in [("partition", 1), ("start", start), ("size", sectors)] {
            self.write(&format!("sys/devices/{at}/{file}"), format!("{value}\n"));
        }
    }

    /// A character device.
    pub fn character(&self, at: &str, number: (u32, u32)) {
        self.numbered(at, "char", number);
    }

    fn device(&self, at: &str, number: (u32, u32)) {
        self.numbered(at, "block", number);
    }

    fn numbered(&self, at: &str, kind: &str, number: (u32, u32)) {
        self.write(&format!("sys/devices/{at}/dev"), format!("{}:{}\n", number.0, number.1));
        let link = format!("sys/dev/{kind}/{}:{}", number.0, number.1);
        symlink(self.dir(at), self.root.path().join(link)).unwrap();
    }

    /// `above` is made of `below`.
    pub fn holds(&self, above: &str, below: &str) {
        for (of, kind, what) in [(above, "slaves", below), (below, "holders", above)] {
            let links = self.dir(of).join(kind);
            std::fs::create_dir_all(&links).unwrap();
            let name = Path::new(what).file_name().unwrap();
            symlink(self.dir(what), links.join(name)).unwrap();
        }
    }

    /// A device of a btrfs.
    pub fn holds_btrfs(&self, uuid: &str, device: &str) {
        let links = self.root.path().join("sys/fs/btrfs").join(uuid).join("devices");
        std::fs::create_dir_all(&links).unwrap();
        symlink(self.dir(device), links.join(Path::new(device).file_name().unwrap())).unwrap();
    }

    fn dir(&self, at: &str) -> PathBuf {
        self.root.path().join("sys/devices").join(at)
    }

    /// The mount table: device, mount point, filesystem, source.
    pub fn mounts(&self, rows: &[(&str, &str, &str, &str)]) {
        let row = |(device, point, kind, source): &(&str, &str, &str, &str)| {
            format!("40 30 {device} / {point} rw,relatime shared:1 - {kind} {source} rw\n")
        };
        self.write("proc/self/mountinfo", rows.iter().map(row).collect::<String>());
    }
}
