//! Which facts show that a target is memory of this host, not storage. Must not gather anything.
//!
//! What a hypervisor or an array keeps in its own memory shows in no fact of this host.

use super::{DeviceFacts, ExtentFacts, LoopFile, MountFacts, TargetFacts, TargetKind};
use std::fmt;

/// Filesystems whose files are memory. A regular file in /dev is on devtmpfs; `rootfs` is the root before any disk is mounted.
const FILESYSTEMS: [&str; 5] = ["tmpfs", "ramfs", "devtmpfs", "rootfs", "hugetlbfs"];
/// Drivers of block devices that keep their contents in memory or discard them, by the word in [`DeviceFacts::transport`].
const DRIVERS: [&str; 3] = ["zram", "ram", "null_blk"];
/// SCSI disks that are memory, by model: the kernel's test disk, and the RAM disk of its SCSI target.
const MODELS: [&str; 2] = ["scsi_debug", "RAMDISK-MCP"];

/// Whether files of such a filesystem are memory.
fn is_memory_filesystem(filesystem: &str) -> bool {
    FILESYSTEMS.contains(&filesystem)
}

/// Why memory of this host answers for a target. Its text is a clause with the evidence, without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryReason {
    /// The file lies on a filesystem in memory.
    Filesystem(String),
    /// The file lies on a layer of an overlay that is on a filesystem in memory.
    Layer(String),
    /// A device, the target or one below it, is memory.
    Device {
        /// Kernel name.
        name: String,
        /// Driver or model.
        kind: String,
    },
    /// A loop device whose file is in memory.
    LoopFile {
        /// Kernel name.
        name: String,
        /// Filesystem of its file.
        filesystem: String,
    },
    /// A loop device goes through the page cache of its file, so memory answers.
    PageCache {
        /// Kernel name.
        name: String,
    },
    /// The filesystem accepts direct I/O for this file, and answers it from the page cache, as ext4 with `data=journal`.
    NoDirectIo {
        /// The filesystem, if known.
        filesystem: String,
    },
    /// The filesystem compresses the file, and reads it through the page cache.
    Compressed {
        /// Per cent of the file.
        percent: u64,
    },
    /// A loop device asks for direct I/O, and the filesystem of its file answers from the page cache.
    LoopNoDirectIo {
        /// Kernel name.
        name: String,
        /// Filesystem of its file.
        filesystem: String,
    },
    /// A loop device whose file is compressed by its filesystem.
    LoopCompressed {
        /// Kernel name.
        name: String,
        /// Per cent of the file.
        percent: u64,
    },
}

impl MemoryReason {
    /// What this does to a number, as a clause.
    pub const fn effect(&self) -> &'static str {
        if self.is_page_cache() {
            "memory answers for everything in that cache"
        } else {
            "no storage is measured"
        }
    }

    /// Whether the target is storage for which the page cache of this host answers.
    pub const fn is_page_cache(&self) -> bool {
        match self {
            Self::PageCache { .. }
            | Self::NoDirectIo { .. }
            | Self::Compressed { .. }
            | Self::LoopNoDirectIo { .. }
            | Self::LoopCompressed { .. } => true,
            Self::Filesystem(_) | Self::Layer(_) | Self::Device { .. } | Self::LoopFile { .. } => false,
        }
    }

    /// The command that makes the storage answer, if there is one.
    pub fn remedy(&self) -> Option<String> {
        match self {
            Self::PageCache { name } => Some(format!("losetup --direct-io=on /dev/{name}")),
            _ => None,
        }
    }
}

impl fmt::Display for MemoryReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Filesystem(filesystem) => write!(f, "{filesystem} keeps its files in memory"),
            Self::Layer(filesystem) => {
                write!(f, "this overlay has it on {filesystem}, which keeps its files in memory")
            }
            Self::Device { name, kind } if kind == "null_blk" => {
                write!(f, "{name} stores nothing, or stores it in memory ({kind})")
            }
            Self::Device { name, kind } => write!(f, "{name} is memory ({kind})"),
            Self::LoopFile { name, filesystem } => {
                write!(f, "{name} is a file on {filesystem}, which keeps its files in memory")
            }
            Self::PageCache { name } => {
                write!(f, "{name} reads and writes its file through the page cache of this host")
            }
            Self::NoDirectIo { filesystem } => {
                write!(
                    f,
                    "{filesystem} does not support direct I/O for this file, so this host's page cache answers"
                )
            }
            Self::Compressed { percent } => {
                write!(
                    f,
                    "{percent} % of this file is compressed, and the filesystem reads that part through \
                     this host's page cache"
                )
            }
            Self::LoopNoDirectIo { name, filesystem } => {
                write!(
                    f,
                    "{name} is a file for which {filesystem} does not support direct I/O, so this host's page \
                     cache answers"
                )
            }
            Self::LoopCompressed { name, percent } => {
                write!(
                    f,
                    "{percent} % of the file of {name} is compressed, and its filesystem reads that part through \
                     this host's page cache"
                )
            }
        }
    }
}

impl TargetFacts {
    /// Why memory of this host answers for the target, as far as the facts show; `None` if nothing suggests it.
    pub fn memory(&self) -> Option<MemoryReason> {
        let filesystem = self.filesystem.as_ref().filter(|filesystem| is_memory_filesystem(filesystem));
        let layer = || self.mount.as_ref()?.layer_in_memory().cloned();
        let layers = || self.device.iter().chain(&self.below);
        filesystem
            .map(|filesystem| MemoryReason::Filesystem(filesystem.clone()))
            .or_else(|| layer().map(MemoryReason::Layer))
            .or_else(|| layers().find_map(DeviceFacts::memory))
            .or_else(|| layers().find_map(DeviceFacts::page_cache))
            .or_else(|| self.no_direct_io())
            .or_else(|| self.compressed())
    }

    /// For files only: a device returns an error instead.
    fn no_direct_io(&self) -> Option<MemoryReason> {
        let filesystem = self.filesystem.clone().unwrap_or_else(|| "the filesystem".to_owned());
        (self.kind == TargetKind::File && self.direct_io == Some(false))
            .then_some(MemoryReason::NoDirectIo { filesystem })
    }

    fn compressed(&self) -> Option<MemoryReason> {
        let percent = self.extents.as_ref()?.compressed_percent()?;
        Some(MemoryReason::Compressed { percent })
    }
}

impl ExtentFacts {
    /// Per cent of the written bytes that are compressed; `None` below 1.
    pub fn compressed_percent(&self) -> Option<u64> {
        let percent = self.encoded_bytes.saturating_mul(100) / self.written_bytes.max(1);
        (percent > 0).then_some(percent.min(100))
    }
}

impl MountFacts {
    /// The filesystem below an overlay, if it is memory.
    fn layer_in_memory(&self) -> Option<&String> {
        self.lies_on.as_ref().filter(|filesystem| is_memory_filesystem(filesystem))
    }

    /// The filesystem that keeps its files in memory: this one, or the one below an overlay.
    pub fn memory(&self) -> Option<&String> {
        Some(&self.filesystem)
            .filter(|filesystem| is_memory_filesystem(filesystem))
            .or_else(|| self.layer_in_memory())
    }
}

impl DeviceFacts {
    /// Why the contents of the device are memory. Of the devices below it, only the file of a loop device is examined.
    pub fn memory(&self) -> Option<MemoryReason> {
        let listed = |word: &Option<String>, known: &[&str]| {
            word.clone().filter(|word| known.contains(&word.as_str()))
        };
        let own = listed(&self.transport, &DRIVERS).or_else(|| listed(&self.model, &MODELS));
        if let Some(kind) = own {
            return Some(MemoryReason::Device { name: self.name.clone(), kind });
        }
        let file = self.loop_file.as_ref()?;
        match file.filesystem.as_ref().filter(|filesystem| is_memory_filesystem(filesystem)) {
            Some(filesystem) => {
                Some(MemoryReason::LoopFile { name: self.name.clone(), filesystem: filesystem.clone() })
            }
            None => file.below.iter().find_map(Self::memory),
        }
    }

    /// A loop device, this one or one below its file, for which the page cache answers.
    fn page_cache(&self) -> Option<MemoryReason> {
        let below = |file: &LoopFile| file.below.iter().find_map(Self::page_cache);
        match self.loop_direct {
            Some(false) => Some(MemoryReason::PageCache { name: self.name.clone() }),
            _ => self.cached_file().or_else(|| self.loop_file.as_ref().and_then(below)),
        }
    }

    /// Why the page cache answers for the file of this loop device, whatever the device itself requests.
    pub fn cached_file(&self) -> Option<MemoryReason> {
        let (name, file) = (self.name.clone(), self.loop_file.as_ref()?);
        if file.direct_io == Some(false) {
            let filesystem = file.filesystem.clone().unwrap_or_else(|| "its filesystem".to_owned());
            return Some(MemoryReason::LoopNoDirectIo { name, filesystem });
        }
        let percent = file.compressed_percent.filter(|&percent| percent != 0)?;
        Some(MemoryReason::LoopCompressed { name, percent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, transport: &str) -> DeviceFacts {
        DeviceFacts { name: name.into(), transport: Some(transport.into()), ..DeviceFacts::default() }
    }

    fn on_loop(name: &str, filesystem: Option<&str>, below: Vec<DeviceFacts>) -> DeviceFacts {
        let filesystem = filesystem.map(str::to_owned);
        let file = LoopFile { path: "/x".into(), filesystem, below, ..LoopFile::default() };
        DeviceFacts { loop_direct: Some(true), loop_file: Some(file), ..named(name, "loop") }
    }

    fn target(device: DeviceFacts, below: Vec<DeviceFacts>) -> Option<String> {
        let facts = TargetFacts { device: Some(device), below, ..TargetFacts::default() };
        facts.memory().map(|memory| memory.to_string())
    }

    #[test]
    fn every_kind_of_memory_is_told() {
        let disk = || named("nvme0n1", "nvme");
        let model = |model: &str| DeviceFacts { model: Some(model.into()), ..named("sda", "scsi") };
        let cached =
            || DeviceFacts { loop_direct: Some(false), ..on_loop("loop0", Some("ext4"), vec![disk()]) };
        let tmpfs = || on_loop("loop1", Some("tmpfs"), vec![]);
        for (found, told) in [
            (target(named("zram0", "zram"), vec![]), Some("zram0 is memory (zram)")),
            (target(named("ram3", "ram"), vec![]), Some("ram3 is memory (ram)")),
            (
                target(named("nullb0", "null_blk"), vec![]),
                Some("nullb0 stores nothing, or stores it in memory (null_blk)"),
            ),
            (target(model("scsi_debug"), vec![]), Some("sda is memory (scsi_debug)")),
            (target(model("SAMSUNG MZ7"), vec![]), None),
            (target(disk(), vec![]), None),
            // A volume over zram, and a file system on a loop device over a loop device over tmpfs.
            (
                target(named("dm-0", "device mapper"), vec![named("zram1", "zram")]),
                Some("zram1 is memory (zram)"),
            ),
            (target(tmpfs(), vec![]), Some("loop1 is a file on tmpfs, which keeps its files in memory")),
            (
                target(on_loop("loop2", Some("ext4"), vec![tmpfs()]), vec![]),
                Some("loop1 is a file on tmpfs, which keeps its files in memory"),
            ),
            (
                target(on_loop("loop2", None, vec![named("ram0", "ram")]), vec![]),
                Some("ram0 is memory (ram)"),
            ),
            (target(on_loop("loop2", Some("ext4"), vec![disk()]), vec![]), None),
            (
                target(cached(), vec![]),
                Some("loop0 reads and writes its file through the page cache of this host"),
            ),
            (
                target(on_loop("loop2", Some("xfs"), vec![cached()]), vec![]),
                Some("loop0 reads and writes its file through the page cache of this host"),
            ),
        ] {
            assert_eq!(found.as_deref(), told);
        }
    }

    #[test]
    fn files_in_memory_and_others() {
        for (filesystem, memory) in [
            ("tmpfs", true),
            ("ramfs", true),
            ("devtmpfs", true),
            ("ext4", false),
            ("overlay", false),
            ("virtiofs", false),
        ] {
            let facts = TargetFacts { filesystem: Some(filesystem.into()), ..TargetFacts::default() };
            assert_eq!(facts.memory().is_some(), memory, "{filesystem}");
        }
        assert_eq!(TargetFacts::simulated(1 << 30).memory(), None);
    }

    /// As `data=journal` of ext4 and compression of btrfs show themselves.
    #[test]
    fn direct_io_that_the_page_cache_answers_is_memory() {
        let told = |direct_io, encoded_bytes| {
            let extents = ExtentFacts { written_bytes: 1000, encoded_bytes, ..ExtentFacts::default() };
            let file = TargetFacts {
                kind: TargetKind::File,
                filesystem: Some("ext4".into()),
                ..TargetFacts::default()
            };
            let facts = TargetFacts { direct_io, extents: Some(extents), ..file };
            facts.memory().map(|memory| memory.to_string())
        };
        assert_eq!((told(Some(true), 0), told(None, 9)), (None, None));
        let text = told(Some(false), 0).unwrap();
        assert!(text.starts_with("ext4 does not support direct I/O for this file"), "{text}");
        let text = told(Some(true), 250).unwrap();
        assert!(text.starts_with("25 % of this file is compressed"), "{text}");
        let device =
            TargetFacts { kind: TargetKind::BlockDevice, direct_io: Some(false), ..TargetFacts::default() };
        assert_eq!(device.memory(), None);
    }

    /// As a loop device with direct I/O on a file of ext4 with `data=journal`, or of btrfs with compression.
    #[test]
    fn the_file_of_a_loop_device_may_be_answered_from_the_page_cache() {
        let with = |name: &str, direct_io, compressed_percent, below| {
            let mut device = on_loop(name, Some("ext4"), below);
            let file = device.loop_file.take().unwrap();
            device.loop_file = Some(LoopFile { direct_io, compressed_percent, ..file });
            device
        };
        let journaled = || with("loop3", Some(false), None, vec![]);
        let told =
            "loop3 is a file for which ext4 does not support direct I/O, so this host's page cache answers";
        assert_eq!(target(journaled(), vec![]).as_deref(), Some(told));
        // A loop device on it, a file system on that, and a volume over it.
        let above = with("loop4", Some(true), None, vec![journaled()]);
        assert_eq!(target(above, vec![]).as_deref(), Some(told));
        assert_eq!(target(named("dm-0", "device mapper"), vec![journaled()]).as_deref(), Some(told));
        let told = target(with("loop3", Some(true), Some(40), vec![]), vec![]).unwrap();
        assert!(told.starts_with("40 % of the file of loop3 is compressed"), "{told}");
        for (direct_io, percent) in [(None, None), (Some(true), None), (None, Some(0))] {
            assert_eq!(target(with("loop3", direct_io, percent, vec![]), vec![]), None);
        }
        // Memory itself says more than the page cache.
        let on_zram = with("loop3", Some(false), None, vec![named("zram0", "zram")]);
        assert_eq!(target(on_zram, vec![]).as_deref(), Some("zram0 is memory (zram)"));
        assert_eq!(
            journaled().cached_file().unwrap().effect(),
            "memory answers for everything in that cache"
        );
    }

    #[test]
    fn an_overlay_is_what_its_layer_lies_on() {
        let overlay = |lies_on: Option<&str>, device| {
            let lies_on = lies_on.map(str::to_owned);
            let mount = MountFacts { filesystem: "overlay".into(), lies_on, ..MountFacts::default() };
            let filesystem = Some("overlay".to_owned());
            TargetFacts { filesystem, mount: Some(mount), device, ..TargetFacts::default() }.memory()
        };
        let told = overlay(Some("tmpfs"), None).unwrap();
        assert_eq!(told, MemoryReason::Layer("tmpfs".into()));
        assert_eq!(told.to_string(), "this overlay has it on tmpfs, which keeps its files in memory");
        assert_eq!((overlay(None, None), overlay(Some("ext4"), None)), (None, None));
        let cached = DeviceFacts { loop_direct: Some(false), ..named("loop5", "loop") };
        let told = overlay(Some("ext4"), Some(cached)).unwrap();
        assert_eq!(told, MemoryReason::PageCache { name: "loop5".into() });
    }

    /// Records of before have neither fact, and what has none is written as before.
    #[test]
    fn the_facts_of_layers_are_left_out_where_there_are_none() {
        let file = LoopFile { path: "/x".into(), ..LoopFile::default() };
        let text = serde_json::to_string(&file).unwrap();
        assert_eq!(text, r#"{"path":"/x","filesystem":null,"below":[]}"#);
        assert_eq!(serde_json::from_str::<LoopFile>(&text).unwrap(), file);
        let text = serde_json::to_string(&MountFacts::default()).unwrap();
        assert!(!text.contains("lies_on"), "{text}");
        assert_eq!(serde_json::from_str::<MountFacts>(&text).unwrap(), MountFacts::default());
    }
}
