//! The facts of a block device that go into the record. Must not judge.

use super::{Block, mapper};
use crate::system::{System, chosen_word, numbered, text, value};
use rigel_core::facts::{DeviceFacts, IscsiFacts, MdFacts};
use std::ffi::OsStr;
use std::path::Path;

impl Block {
    /// Its facts. A partition has no queue of its own, so queue settings come from its disk.
    pub(crate) fn facts(&self, system: &System) -> DeviceFacts {
        let partition_of = self.disk();
        let disk = partition_of.clone().unwrap_or_else(|| self.clone());
        let mut made_of: Vec<String> = disk.made_of().into_iter().map(|part| part.name).collect();
        made_of.dedup();
        let flag = |file: &str| disk.value::<u8>(file).map(|flag| flag != 0);
        DeviceFacts {
            name: self.name.clone(),
            model: disk.text("device/model"),
            disk_sequence: self.generation().map(|generation| generation.disk),
            identifier: disk.identifier(),
            rotational: flag("queue/rotational"),
            scheduler: disk.text("queue/scheduler").map(|list| chosen_word(&list)),
            nr_requests: disk.value("queue/nr_requests"),
            max_sectors_kb: disk.value("queue/max_sectors_kb"),
            max_hw_sectors_kb: disk.value("queue/max_hw_sectors_kb"),
            max_segments: disk.value("queue/max_segments"),
            write_cache: disk.text("queue/write_cache"),
            numa_node: disk.numa_node(),
            polled: flag("queue/io_poll"),
            generic: self.generic().map(|generic| generic.name),
            transport: disk.transport(system).map(str::to_owned),
            made_of,
            number: Some(self.number),
            md: if partition_of.is_none() { self.md() } else { None },
            size_bytes: self.value::<u64>("size").and_then(|sectors| sectors.checked_mul(512)),
            start_bytes: partition_of.as_ref().and_then(|_| Some(self.region_bytes()?.0)),
            partition_of: partition_of.map(|disk| disk.name),
            alignment_offset_bytes: self.value("alignment_offset"),
            logical_block_bytes: disk.value("queue/logical_block_size"),
            physical_block_bytes: disk.value("queue/physical_block_size"),
            minimum_io_bytes: disk.value("queue/minimum_io_size"),
            optimal_io_bytes: disk.value("queue/optimal_io_size").filter(|&bytes| bytes > 0),
            read_ahead_kb: disk.value("queue/read_ahead_kb"),
            nomerges: disk.value("queue/nomerges"),
            rq_affinity: disk.value("queue/rq_affinity"),
            writeback_throttle_us: disk.value("queue/wbt_lat_usec"),
            hardware_queues: disk.hardware_queues(),
            queue_depth: disk.value("device/queue_depth"),
            state: disk.text("device/state"),
            scsi_cache: disk.scsi_cache(),
            read_only: disk.value::<u8>("ro").map(|flag| flag == 1),
            loop_direct: flag("loop/dio"),
            loop_file: None,
            mapped: self.text("dm/name").map(|name| mapper::facts(self, name, system)),
            iscsi: disk.iscsi(&system.sys),
        }
    }

    /// Its permanent identifier; `None` for devices without one, such as loop devices.
    fn identifier(&self) -> Option<String> {
        let named = ["wwid", "device/wwid", "serial", "device/serial", "dm/uuid", "md/uuid"];
        named.into_iter().find_map(|file| self.text(file)).filter(|text| !text.is_empty())
    }

    /// How it is attached. For virtual devices the name shows it, for all others the path in sysfs.
    fn transport(&self, system: &System) -> Option<&'static str> {
        let made = [
            ("loop", "loop"),
            ("dm-", "device mapper"),
            ("md", "md"),
            ("zram", "zram"),
            ("ram", "ram"),
            ("nullb", "null_blk"),
            ("nbd", "nbd"),
            ("rbd", "rbd"),
        ];
        if let Some((_, name)) = made.iter().find(|(start, _)| self.name.starts_with(start)) {
            return Some(name);
        }
        // A disk behind USB or iSCSI has a SCSI host above it as well, so the specific words come first.
        let ways = [
            ("usb", "usb"),
            ("session", "iscsi"),
            ("rport-", "fc"),
            ("end_device-", "sas"),
            ("ata", "sata"),
            ("nvme", "nvme"),
            ("virtio", "virtio"),
            ("mmc", "mmc"),
            ("vbd-", "xen"),
            ("host", "scsi"),
        ];
        let way = ways.iter().find(|(starts, _)| self.above(starts).is_some()).map(|&(_, name)| name);
        way.or_else(|| self.is_of_null_blk(system).then_some("null_blk"))
    }

    /// A device of null_blk may have any name; the kernel's list of drivers identifies them by major number.
    fn is_of_null_blk(&self, system: &System) -> bool {
        let list = std::fs::read_to_string(system.proc.join("devices")).unwrap_or_default();
        let blocks = list.split("Block devices:").nth(1).unwrap_or_default();
        let mut drivers = blocks.lines().filter_map(|line| line.trim().split_once(' '));
        drivers.any(|(major, driver)| driver == "nullb" && major.parse() == Ok(self.number.0))
    }

    /// The first part of its path in sysfs that begins with this word and a number: `ata3`, `rport-1:0-2`.
    fn above(&self, starts: &str) -> Option<&OsStr> {
        let rest =
            |part: &'_ OsStr| Some(part.to_str()?.strip_prefix(starts)?.as_bytes().first()?.is_ascii_digit());
        self.dir.iter().find(|part| rest(part) == Some(true))
    }

    /// The NUMA node of the nearest device above that has one; -1 is the kernel's "none".
    fn numa_node(&self) -> Option<i32> {
        let node = self.dir.ancestors().find_map(|dir| value::<i32>(&dir.join("numa_node")))?;
        (node >= 0).then_some(node)
    }

    fn hardware_queues(&self) -> Option<u32> {
        let queues = numbered(&self.dir.join("mq"), "").len();
        u32::try_from(queues).ok().filter(|&queues| queues > 0)
    }

    /// The disk's own report on its cache. The directory is named by host, channel, target and LUN.
    fn scsi_cache(&self) -> Option<String> {
        let dir = std::fs::read_dir(self.dir.join("device/scsi_disk")).ok()?.flatten().next()?;
        text(&dir.path().join("cache_type"))
    }

    fn md(&self) -> Option<MdFacts> {
        Some(MdFacts {
            level: self.text("md/level")?,
            chunk_bytes: self.value("md/chunk_size").unwrap_or(0),
            disks: self.value("md/raid_disks").unwrap_or(0),
            degraded: self.value("md/degraded"),
            sync_action: self.text("md/sync_action"),
        })
    }

    fn iscsi(&self, sys: &Path) -> Option<IscsiFacts> {
        let name = self.above("session")?;
        let session = sys.join("class/iscsi_session").join(name);
        let number = name.to_str()?.strip_prefix("session")?;
        // `connection1:0` of session 1.
        let connections = numbered(&sys.join("class/iscsi_connection"), &format!("connection{number}:"));
        let of = |file: &str| value(&session.join(file));
        Some(IscsiFacts {
            first_burst_bytes: of("first_burst_len"),
            max_burst_bytes: of("max_burst_len"),
            max_receive_bytes: connections.first().and_then(|(_, dir)| value(&dir.join("max_recv_dlength"))),
            initial_r2t: value::<u8>(&session.join("initial_r2t")).map(|flag| flag != 0),
            recovery_timeout_s: of("recovery_tmo"),
        })
    }
}
