//! Rules about a disk itself: its cache, its blocks, whether it spins, its state, and what is behind it.

use super::Part::{Database, Measurement};
use super::Severity::{Error, Note, Warning};
use super::queue::disk_value;
use super::{Judge, Rule, Status, System};
use rigel_core::facts::{DeviceFacts, MountFacts};
use rigel_core::units::Bytes;

const BLOCK: &str = "https://www.kernel.org/doc/Documentation/ABI/stable/sysfs-block";
const PARAMETERS: &str = "https://docs.kernel.org/admin-guide/kernel-parameters.html";
const EBS: &str = "https://docs.aws.amazon.com/ebs/latest/userguide/ebs-volume-types.html";
const LOSETUP: &str = "https://man7.org/linux/man-pages/man8/losetup.8.html";
const SCSI: &str = "https://docs.kernel.org/scsi/index.html";

/// Partitions below hold nothing that is read often.
const LEAST_PARTITION_BYTES: u64 = 8 << 20;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "write-cache",
        setting: "write cache",
        part: Database,
        severity: Note,
        wrong: "volatile write cache: lost in a power cut unless protected",
        why: "the device acknowledges writes that are still in its cache, and a power cut empties the cache unless it is protected; \
              a database flushes the cache at every commit, which a plain write test does not show",
        show: "cat /sys/block/{device}/queue/write_cache",
        change: "nothing to set if the cache is not protected; `rigel run commit` shows what a commit costs",
        source: "https://docs.kernel.org/block/writeback_cache_control.html",
        judge: Judge::Device(|device, _| {
            disk_value(device, device.write_cache.as_ref(), |mode| {
                Status::when(*mode == "write back", mode, "")
            })
        }),
    },
    Rule {
        name: "write-cache-hidden",
        setting: "write cache according to the kernel",
        part: Database,
        severity: Warning,
        wrong: "it gets no flushes: a power failure may lose writes",
        why: "the disk reports a write cache, but the kernel is set to treat it as having none: it sends no \
              flushes, so unless the cache is protected, a power failure loses writes that the database \
              considers safe",
        show: "cat /sys/block/{device}/queue/write_cache; grep . /sys/block/{device}/device/scsi_disk/*/cache_type",
        change: "echo {want} > /sys/block/{device}/queue/write_cache",
        source: "https://docs.kernel.org/block/writeback_cache_control.html",
        judge: Judge::Device(|device, _| {
            disk_value(
                device,
                device.scsi_cache.as_ref().zip(device.write_cache.as_ref()),
                |(own, believed)| {
                    let hidden = own.starts_with("write back") && *believed == "write through";
                    Status::when(hidden, format_args!("disk: {own}, kernel: {believed}"), "write back")
                },
            )
        }),
    },
    Rule {
        name: "physical-block",
        setting: "physical and logical block",
        part: Database,
        severity: Note,
        wrong: "small writes need a read first ({value})",
        why: "the device reads before it writes less than a physical block: redo logs and pages should be aligned to it",
        show: "grep . /sys/block/{device}/queue/*_block_size",
        change: "use files and pages of multiples of {want} bytes; some drives can be formatted to larger logical blocks",
        source: BLOCK,
        judge: Judge::Device(|device, _| {
            disk_value(
                device,
                device.physical_block_bytes.zip(device.logical_block_bytes),
                |&(physical, logical)| {
                    Status::when(physical > logical, format_args!("{physical} and {logical} bytes"), physical)
                },
            )
        }),
    },
    Rule {
        name: "partition-alignment",
        setting: "start of the partition",
        part: Measurement,
        severity: Warning,
        wrong: "I/O that looks aligned touches two blocks",
        why: "it does not start at a physical block (or RAID chunk), so I/O that looks aligned touches two of them",
        show: "cat /sys/class/block/{device}/start /sys/class/block/{device}/alignment_offset",
        change: "recreate the partition at a multiple of {want} bytes (parted -a optimal), after moving its contents",
        source: BLOCK,
        judge: Judge::Device(alignment),
    },
    Rule {
        name: "rotational",
        setting: "whether the disk spins",
        part: Database,
        severity: Warning,
        wrong: "flash is treated as a spinning disk",
        why: "flash reported as rotational gets the scheduler and read-ahead of disks; filesystems and databases also look at it",
        show: "cat /sys/block/{device}/queue/rotational",
        change: "echo {want} > /sys/block/{device}/queue/rotational",
        source: BLOCK,
        judge: Judge::Device(|device, _| {
            let flash = matches!(device.transport.as_deref(), Some("nvme"))
                || device.model.as_deref().is_some_and(|model| model.to_ascii_uppercase().contains("SSD"));
            if !flash {
                return Status::NotAsked;
            }
            disk_value(device, device.rotational, |&spins| Status::when(spins, u8::from(spins), 0))
        }),
    },
    Rule {
        name: "virtual-rotational",
        setting: "whether the virtual disk spins",
        part: Database,
        severity: Note,
        wrong: "treated as a spinning disk; is it flash?",
        why: "a virtual disk reports itself as rotational unless its host says otherwise; if it is on \
             flash, the scheduler and read-ahead of disks are wrong for it",
        show: "cat /sys/block/{device}/queue/rotational",
        change: "if it is on flash: echo {want} > /sys/block/{device}/queue/rotational",
        source: BLOCK,
        judge: Judge::Device(|device, _| {
            let virtual_disk = matches!(device.transport.as_deref(), Some("virtio" | "xen"))
                || device
                    .model
                    .as_deref()
                    .is_some_and(|model| model.to_ascii_lowercase().starts_with("virtual"));
            if !virtual_disk {
                return Status::NotAsked;
            }
            disk_value(device, device.rotational, |&spins| Status::when(spins, u8::from(spins), 0))
        }),
    },
    Rule {
        name: "poll-queues",
        setting: "queues that can be polled",
        part: Measurement,
        severity: Note,
        wrong: "completions cannot be polled: each is an interrupt",
        why: "without them --poll cannot be used, and every completion is an interrupt: a few microseconds on a drive that answers in ten",
        show: "cat /sys/block/{device}/queue/io_poll",
        change: "boot with nvme.poll_queues={want}",
        source: PARAMETERS,
        judge: Judge::Device(|device, _| match (device.transport.as_deref(), device.polled) {
            (Some("nvme"), Some(polled)) if device.partition_of.is_none() => {
                Status::when(!polled, if polled { "yes" } else { "none" }, 2)
            }
            _ => Status::NotAsked,
        }),
    },
    Rule {
        name: "device-state",
        setting: "state of the disk",
        part: Database,
        severity: Error,
        wrong: "the disk is {value}: its I/O waits or fails",
        why: "the kernel sends nothing to a disk that is not running: I/O waits or fails",
        show: "cat /sys/block/{device}/device/state",
        change: "check the kernel log for what happened (dmesg); to retry a SCSI disk: echo running > /sys/block/{device}/device/state",
        source: SCSI,
        judge: Judge::Device(|device, _| {
            disk_value(device, device.state.as_ref(), |state| {
                // Drivers of other kinds have words of their own there (Xen: Connected).
                match device.transport.as_deref() {
                    Some("nvme") => Status::when(!works(state), state, "live"),
                    Some("virtio" | "xen") | None => Status::NotAsked,
                    Some(_) => Status::when(!works(state), state, "running"),
                }
            })
        }),
    },
    Rule {
        name: "loop-direct-io",
        setting: "direct I/O of a loop device",
        part: Measurement,
        severity: Warning,
        wrong: "goes through the page cache: memory is measured",
        why: "it reads and writes its file through the page cache: what is measured is memory, and whatever is stored on it \
              is cached twice",
        show: "losetup --list --output NAME,DIO,BACK-FILE /dev/{device}",
        change: "losetup --direct-io={want} /dev/{device}",
        source: LOSETUP,
        judge: Judge::Device(|device, system| match device.loop_direct {
            Some(direct) if system.is_chosen || !is_image(device, system) => {
                Status::when(!direct, if direct { "on" } else { "off" }, "on")
            }
            _ => Status::NotAsked,
        }),
    },
    Rule {
        name: "loop-file",
        setting: "the file of a loop device",
        part: Measurement,
        severity: Warning,
        wrong: "the page cache answers for its file: memory is measured",
        why: "its filesystem answers direct I/O from the page cache: what is measured is memory, and whatever is stored on \
              the device is cached twice",
        show: "losetup --list --output NAME,DIO,BACK-FILE /dev/{device}",
        change: "put the file on a filesystem that does direct I/O for it (ext4 without data=journal, btrfs without compression)",
        source: LOSETUP,
        judge: Judge::Device(|device, system| match device.cached_file() {
            // Without direct I/O the device itself is at fault, and `loop-direct-io` says so.
            Some(memory) if system.is_chosen && device.loop_direct != Some(false) => Status::bent(memory, ""),
            _ => Status::NotAsked,
        }),
    },
    Rule {
        name: "memory-device",
        setting: "a memory device",
        part: Measurement,
        severity: Error,
        wrong: "not storage: {value}",
        why: "it keeps its data in this host's memory, or drops it: a measurement says nothing about \
             storage, and its contents are lost with the power",
        show: "lsblk /dev/{device}",
        change: "measure another device",
        source: "https://docs.kernel.org/admin-guide/blockdev/index.html",
        // A host may well have one; it is a mistake below a target.
        judge: Judge::Device(|device, system| match device.memory() {
            Some(memory) if system.is_chosen => Status::bent(memory, ""),
            _ => Status::NotAsked,
        }),
    },
    Rule {
        name: "numa-node",
        setting: "NUMA node of the device",
        part: Measurement,
        severity: Warning,
        wrong: "every I/O crosses CPU sockets",
        why: "this process may not run on any CPU of the device's node: every I/O crosses CPU sockets",
        show: "cat /sys/block/{device}/device/numa_node; grep Cpus_allowed_list /proc/self/status",
        change: "let it run there (numactl --cpunodebind={want}, or the CPU set of its service or container)",
        source: "https://docs.kernel.org/admin-guide/mm/numa_memory_policy.html",
        judge: Judge::Device(|device, system| {
            let host = system.host;
            let Some(node) = device.numa_node.and_then(|node| u32::try_from(node).ok()) else {
                return Status::NotAsked;
            };
            if host.numa_nodes.len() < 2 || device.partition_of.is_some() {
                return Status::NotAsked;
            }
            let value = format!("node {node}, this process on {:?}", host.own_numa_nodes);
            Status::when(!host.own_numa_nodes.contains(&node), value, node)
        }),
    },
    Rule {
        name: "cloud-volume",
        setting: "a cloud volume",
        part: Measurement,
        severity: Note,
        wrong: "limited by its type and size, with possible bursts",
        why: "its IOPS and MBPS are limited by its type, its size and the machine type; some types save up \
              burst credit, so short runs may only show the burst",
        show: "cat /sys/block/{device}/device/model",
        change: "compare the numbers with the limits of {want}, and measure for longer than a burst lasts",
        source: EBS,
        judge: Judge::Device(|device, _| {
            let Some(model) = device.model.as_deref() else { return Status::NotAsked };
            match CLOUD_MODELS.iter().find(|(start, _)| model.starts_with(start)) {
                Some((_, limits)) if device.is_leaf() => Status::bent(model, limits),
                _ => Status::NotAsked,
            }
        }),
    },
];

/// Whether a loop device only provides a package or an image, which nobody writes to: it is read-only, or each
/// filesystem on it is mounted so. Every desktop has many of them, and a page cache suits them.
fn is_image(device: &DeviceFacts, system: &System<'_>) -> bool {
    if device.read_only == Some(true) {
        return true;
    }
    let is_own = |name: &&str| {
        *name == device.name
            || system.device(name).is_some_and(|part| part.partition_of.as_deref() == Some(&device.name))
    };
    let own = |mount: &&&MountFacts| mount.device.as_deref().filter(is_own).is_some();
    let mut mounts = system.mounts.iter().filter(own).peekable();
    mounts.peek().is_some() && mounts.all(|mount| mount.has("ro"))
}

fn alignment(device: &DeviceFacts, system: &System<'_>) -> Status {
    let (Some(start), Some(disk)) = (device.start_bytes, &device.partition_of) else {
        return Status::NotAsked;
    };
    // The container of logical partitions, and what boot loaders keep: nobody measures or stores anything in them.
    if device.size_bytes.is_some_and(|bytes| bytes < LEAST_PARTITION_BYTES) {
        return Status::NotAsked;
    }
    let Some(block) = device.physical_block_bytes else { return Status::Unknown };
    let chunk = system.device(disk).and_then(DeviceFacts::stripe).map_or(0, |stripe| stripe.chunk_bytes);
    let unit = chunk.max(u64::from(block));
    let off =
        unit > 0 && !start.is_multiple_of(unit) || device.alignment_offset_bytes.is_some_and(|off| off > 0);
    Status::when(off, format_args!("byte {start}, blocks of {}", Bytes(unit)), unit.max(1 << 20))
}

/// For a SCSI disk and for the controller of an NVMe drive.
pub(super) fn works(state: &str) -> bool {
    matches!(state, "running" | "live")
}

/// Volumes by the model that they show.
const CLOUD_MODELS: [(&str, &str); 5] = [
    ("Amazon Elastic Block Store", "its EBS type (gp2, gp3, io1, io2, st1, sc1)"),
    ("Amazon EC2 NVMe Instance Storage", "its instance type"),
    ("PersistentDisk", "its Persistent Disk type"),
    ("nvme_card-pd", "its Persistent Disk or Hyperdisk type"),
    ("MSFT NVMe Accelerator", "its Azure disk type"),
];
