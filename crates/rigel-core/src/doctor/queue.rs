//! Rules about the queue of a disk, its blocks and its cache.

use super::Severity::{Error, Note, Warning};
use super::{Judge, Patient, Rule, Verdict};
use crate::facts::DeviceFacts;
use crate::units::Bytes;

const BLOCK: &str = "https://www.kernel.org/doc/Documentation/ABI/stable/sysfs-block";
const SCHEDULERS: &str = "https://docs.kernel.org/block/switching-sched.html";
const PARAMETERS: &str = "https://docs.kernel.org/admin-guide/kernel-parameters.html";
const EBS: &str = "https://docs.aws.amazon.com/ebs/latest/userguide/ebs-volume-types.html";
const LOSETUP: &str = "https://man7.org/linux/man-pages/man8/losetup.8.html";
const SCSI: &str = "https://docs.kernel.org/scsi/index.html";

/// Large I/O as it is measured unless it was asked for otherwise, in KiB.
const LARGE_KB: u32 = 1024;
/// Requests below which a fast device waits for the queue.
const FEW_REQUESTS: u32 = 128;
/// Commands that one SCSI disk should get at once.
const FEW_COMMANDS: u32 = 32;
/// Partitions below hold nothing that is read often.
const LEAST_PARTITION_BYTES: u64 = 8 << 20;
const LEAST_READ_AHEAD_KB: u64 = 128;
const MOST_READ_AHEAD_KB: u64 = 16 << 10;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "io-scheduler",
        setting: "I/O scheduler",
        severity: Warning,
        why: "bfq shares a disk fairly among programs at a price for every request, and holds requests back for others; on flash it \
              costs much of the IOPS",
        show: "cat /sys/block/{device}/queue/scheduler",
        change: "echo {want} > /sys/block/{device}/queue/scheduler",
        source: SCHEDULERS,
        judge: Judge::Device(scheduler),
    },
    Rule {
        name: "nvme-scheduler",
        setting: "I/O scheduler of an NVMe drive",
        severity: Note,
        why: "the drive has queues for every CPU and orders requests itself; a scheduler in front of it takes CPU time and a lock",
        show: "cat /sys/block/{device}/queue/scheduler",
        change: "echo {want} > /sys/block/{device}/queue/scheduler",
        source: SCHEDULERS,
        judge: Judge::Device(nvme_scheduler),
    },
    Rule {
        name: "disk-scheduler",
        setting: "I/O scheduler of a spinning disk",
        severity: Note,
        why: "without a scheduler nothing puts requests in the order of their places before the disk sees them, and writes can starve reads",
        show: "cat /sys/block/{device}/queue/scheduler",
        change: "echo {want} > /sys/block/{device}/queue/scheduler",
        source: SCHEDULERS,
        judge: Judge::Device(disk_scheduler),
    },
    Rule {
        name: "nr-requests",
        setting: "requests that the queue holds",
        severity: Warning,
        why: "I/O beyond it waits before the queue, in the thread that submits: the outstanding I/O never reaches the device",
        show: "cat /sys/block/{device}/queue/nr_requests",
        change: "echo {want} > /sys/block/{device}/queue/nr_requests",
        source: BLOCK,
        judge: Judge::Device(nr_requests),
    },
    Rule {
        name: "queue-depth",
        setting: "commands that a SCSI disk is given at once",
        severity: Warning,
        why: "a LUN of an array has many disks behind it and needs more commands at once than one disk; more outstanding I/O than this waits in the host",
        show: "cat /sys/block/{device}/device/queue_depth",
        change: "echo {want} > /sys/block/{device}/device/queue_depth",
        source: SCSI,
        judge: Judge::Device(queue_depth),
    },
    Rule {
        name: "nomerges",
        setting: "merging of requests",
        severity: Warning,
        why: "requests that follow each other are not put together, so that sequential I/O in small pieces costs a request each",
        show: "cat /sys/block/{device}/queue/nomerges",
        change: "echo {want} > /sys/block/{device}/queue/nomerges",
        source: BLOCK,
        judge: Judge::Device(|device, _| {
            disk_value(device, device.nomerges, |&merges| Verdict::when(merges > 0, merges, 0))
        }),
    },
    Rule {
        name: "rq-affinity",
        setting: "CPU on which requests complete",
        severity: Note,
        why: "with 0 a request completes on the CPU that took the interrupt, far from the caches of the one that asked",
        show: "cat /sys/block/{device}/queue/rq_affinity",
        change: "echo {want} > /sys/block/{device}/queue/rq_affinity",
        source: BLOCK,
        judge: Judge::Device(|device, _| {
            disk_value(device, device.rq_affinity, |&affinity| Verdict::when(affinity == 0, affinity, 1))
        }),
    },
    Rule {
        name: "max-sectors",
        setting: "largest request",
        severity: Warning,
        why: "a large I/O of 1 MiB is cut into several requests although the hardware takes it whole",
        show: "cat /sys/block/{device}/queue/max_sectors_kb",
        change: "echo {want} > /sys/block/{device}/queue/max_sectors_kb",
        source: BLOCK,
        judge: Judge::Device(max_sectors),
    },
    Rule {
        name: "hardware-sectors",
        setting: "largest request of the hardware",
        severity: Note,
        why: "a large I/O of 1 MiB is several requests for this device, whatever it is set to: its latency is that of all of them",
        show: "cat /sys/block/{device}/queue/max_hw_sectors_kb",
        change: "nothing to set; measure with --size-large {want}K as well",
        source: BLOCK,
        judge: Judge::Device(|device, _| {
            disk_value(device, device.max_hw_sectors_kb, |&kb| {
                Verdict::when(kb < LARGE_KB, format_args!("{kb} KiB"), kb)
            })
        }),
    },
    Rule {
        name: "read-ahead",
        setting: "read-ahead of buffered reads",
        severity: Note,
        why: "too little makes sequential scans through the page cache wait for the device again and again; too much reads what nobody asked for. \
              Direct I/O is not concerned",
        show: "cat /sys/block/{device}/queue/read_ahead_kb",
        change: "echo {want} > /sys/block/{device}/queue/read_ahead_kb",
        source: BLOCK,
        judge: Judge::Device(read_ahead),
    },
    Rule {
        name: "writeback-throttle",
        setting: "throttle of buffered writes",
        severity: Note,
        why: "buffered writes are held back so that reads keep this latency; a database whose checkpoints go through the page cache writes slower than a \
              measurement with direct I/O says",
        show: "cat /sys/block/{device}/queue/wbt_lat_usec",
        change: "echo {want} > /sys/block/{device}/queue/wbt_lat_usec",
        source: BLOCK,
        judge: Judge::Device(|device, _| {
            disk_value(device, device.writeback_throttle_us, |&us| {
                Verdict::when(us > 0, format_args!("{us} us"), 0)
            })
        }),
    },
    Rule {
        name: "write-cache",
        setting: "write cache",
        severity: Note,
        why: "the device acknowledges writes from a cache that forgets without power, unless it is protected; a database flushes it at every commit, \
              which a test of writes alone does not show",
        show: "cat /sys/block/{device}/queue/write_cache",
        change: "nothing to set while the cache is not protected; see what a commit costs with a test that flushes",
        source: "https://docs.kernel.org/block/writeback_cache_control.html",
        judge: Judge::Device(|device, _| {
            disk_value(device, device.write_cache.as_ref(), |mode| {
                Verdict::when(*mode == "write back", mode, "")
            })
        }),
    },
    Rule {
        name: "write-cache-hidden",
        setting: "what the kernel believes of the write cache",
        severity: Warning,
        why: "the disk says that it has a write cache, and the kernel was told that it has none: it sends no flush, and unless the cache is protected, a \
              power failure loses writes that the database believes to be safe",
        show: "cat /sys/block/{device}/queue/write_cache; grep . /sys/block/{device}/device/scsi_disk/*/cache_type",
        change: "echo {want} > /sys/block/{device}/queue/write_cache",
        source: "https://docs.kernel.org/block/writeback_cache_control.html",
        judge: Judge::Device(hidden_cache),
    },
    Rule {
        name: "physical-block",
        setting: "physical and logical block",
        severity: Note,
        why: "the device takes writes smaller than its physical block by reading the rest first: redo logs and pages should be aligned to it",
        show: "grep . /sys/block/{device}/queue/*_block_size",
        change: "use files and pages of multiples of {want} bytes; some drives can be formatted to larger logical blocks",
        source: BLOCK,
        judge: Judge::Device(physical_block),
    },
    Rule {
        name: "partition-alignment",
        setting: "beginning of the partition",
        severity: Warning,
        why: "it does not begin at a physical block (or chunk of the RAID), so that I/O which looks aligned touches two of them",
        show: "cat /sys/class/block/{device}/start /sys/class/block/{device}/alignment_offset",
        change: "make the partition anew at a multiple of {want} bytes (parted -a optimal); its contents have to be moved",
        source: BLOCK,
        judge: Judge::Device(alignment),
    },
    Rule {
        name: "rotational",
        setting: "whether the disk spins",
        severity: Warning,
        why: "flash that is said to spin gets the scheduler and the read-ahead of disks; filesystems and databases choose by it, too",
        show: "cat /sys/block/{device}/queue/rotational",
        change: "echo {want} > /sys/block/{device}/queue/rotational",
        source: BLOCK,
        judge: Judge::Device(rotational),
    },
    Rule {
        name: "virtual-rotational",
        setting: "whether the virtual disk spins",
        severity: Note,
        why: "a virtual disk says that it spins unless its host says otherwise; on flash, the scheduler and the read-ahead of disks are wrong for it",
        show: "cat /sys/block/{device}/queue/rotational",
        change: "if there is flash below it: echo {want} > /sys/block/{device}/queue/rotational",
        source: BLOCK,
        judge: Judge::Device(virtual_rotational),
    },
    Rule {
        name: "poll-queues",
        setting: "queues that can be polled",
        severity: Note,
        why: "without them --poll cannot be used, and every completion is an interrupt: some microseconds on a drive that answers in ten",
        show: "cat /sys/block/{device}/queue/io_poll",
        change: "boot with nvme.poll_queues={want}",
        source: PARAMETERS,
        judge: Judge::Device(|device, _| match (device.transport.as_deref(), device.polled) {
            (Some("nvme"), Some(polled)) if device.partition_of.is_none() => {
                Verdict::when(!polled, if polled { "yes" } else { "none" }, 2)
            }
            _ => Verdict::NotAsked,
        }),
    },
    Rule {
        name: "device-state",
        setting: "state of the disk",
        severity: Error,
        why: "the kernel sends nothing to a disk that is not running: I/O waits or fails",
        show: "cat /sys/block/{device}/device/state",
        change: "see the kernel's log for what happened (dmesg); a SCSI disk is tried again by: echo running > /sys/block/{device}/device/state",
        source: SCSI,
        judge: Judge::Device(|device, _| {
            disk_value(device, device.state.as_ref(), |state| {
                // Drivers of other kinds have words of their own there (Xen: Connected).
                match device.transport.as_deref() {
                    Some("nvme") => Verdict::when(!works(state), state, "live"),
                    Some("virtio" | "xen") | None => Verdict::NotAsked,
                    Some(_) => Verdict::when(!works(state), state, "running"),
                }
            })
        }),
    },
    Rule {
        name: "loop-direct-io",
        setting: "direct I/O of a loop device",
        severity: Warning,
        why: "it reads and writes its file through the page cache: what is measured is memory",
        show: "losetup --list --output NAME,DIO,BACK-FILE /dev/{device}",
        change: "losetup --direct-io={want} /dev/{device}",
        source: LOSETUP,
        // Packages and images are mounted like that on every desktop; it is a mistake below a target.
        judge: Judge::Device(|device, patient| match device.loop_direct {
            Some(direct) if !patient.targets.is_empty() => {
                Verdict::when(!direct, if direct { "on" } else { "off" }, "on")
            }
            _ => Verdict::NotAsked,
        }),
    },
    Rule {
        name: "memory-device",
        setting: "a device of memory",
        severity: Error,
        why: "it keeps its bytes in the memory of this host: a measurement says nothing of storage, and its contents end with the power",
        show: "lsblk /dev/{device}",
        change: "measure another device",
        source: "https://docs.kernel.org/admin-guide/blockdev/index.html",
        // A host may well have one; it is a mistake below a target.
        judge: Judge::Device(|device, patient| match device.transport.as_deref() {
            Some(kind @ ("zram" | "ram")) if !patient.targets.is_empty() => Verdict::bent(kind, ""),
            _ => Verdict::NotAsked,
        }),
    },
    Rule {
        name: "numa-node",
        setting: "NUMA node of the device",
        severity: Warning,
        why: "this process may run on no CPU of the device's node: every I/O crosses the sockets",
        show: "cat /sys/block/{device}/device/numa_node; grep Cpus_allowed_list /proc/self/status",
        change: "let it run there (numactl --cpunodebind={want}, or the CPU set of its service or container)",
        source: "https://docs.kernel.org/admin-guide/mm/numa_memory_policy.html",
        judge: Judge::Device(numa),
    },
    Rule {
        name: "cloud-volume",
        setting: "a volume of a cloud",
        severity: Note,
        why: "its IOPS and MBPS are limited by its type, its size and the type of the machine, some types save up credit for bursts: short runs can show \
              the burst",
        show: "cat /sys/block/{device}/device/model",
        change: "compare the numbers with the limits of {want}, and measure for longer than a burst lasts",
        source: EBS,
        judge: Judge::Device(cloud),
    },
];

/// Of whole disks that show this setting; unknown where a disk that has a queue does not.
fn disk_value<T>(device: &DeviceFacts, value: Option<T>, judge: impl FnOnce(&T) -> Verdict) -> Verdict {
    match value {
        Some(value) if device.is_leaf() => judge(&value),
        _ => Verdict::NotAsked,
    }
}

/// Of a SCSI disk and of the controller of an NVMe drive.
pub(super) fn works(state: &str) -> bool {
    matches!(state, "running" | "live")
}

fn is_physical(device: &DeviceFacts) -> bool {
    matches!(device.transport.as_deref(), Some("sata" | "sas" | "scsi"))
}

fn scheduler(device: &DeviceFacts, _: &Patient<'_>) -> Verdict {
    disk_value(device, device.scheduler.as_ref(), |scheduler| {
        let want = if device.rotational == Some(true) { "mq-deadline" } else { "none" };
        Verdict::when(matches!(scheduler.as_str(), "bfq" | "cfq"), scheduler, want)
    })
}

fn nvme_scheduler(device: &DeviceFacts, _: &Patient<'_>) -> Verdict {
    if device.transport.as_deref() != Some("nvme") {
        return Verdict::NotAsked;
    }
    disk_value(device, device.scheduler.as_ref(), |scheduler| {
        Verdict::when(!matches!(scheduler.as_str(), "none" | "bfq"), scheduler, "none")
    })
}

fn disk_scheduler(device: &DeviceFacts, _: &Patient<'_>) -> Verdict {
    if !is_physical(device) || device.rotational != Some(true) {
        return Verdict::NotAsked;
    }
    disk_value(device, device.scheduler.as_ref(), |scheduler| {
        Verdict::when(*scheduler == "none", scheduler, "mq-deadline")
    })
}

/// Without a scheduler this is what the hardware has, and for SATA that is 32.
fn nr_requests(device: &DeviceFacts, _: &Patient<'_>) -> Verdict {
    disk_value(device, device.nr_requests, |&requests| {
        let queues = device.hardware_queues.unwrap_or(1);
        // Twice what the device takes is the kernel's own choice.
        let taken =
            device.queue_depth.map_or(FEW_REQUESTS, |depth| depth.saturating_mul(2).min(FEW_REQUESTS));
        let few = requests.saturating_mul(queues) < taken;
        let can_be_set = device.scheduler.as_deref().is_some_and(|name| name != "none");
        Verdict::when(few && can_be_set, format_args!("{requests} in each of {queues} queues"), 256)
    })
}

fn queue_depth(device: &DeviceFacts, _: &Patient<'_>) -> Verdict {
    // A SATA disk has 32 tags, of which the kernel may use 31 or 32.
    if device.transport.as_deref() == Some("sata") || device.transport.as_deref() == Some("usb") {
        return Verdict::NotAsked;
    }
    disk_value(device, device.queue_depth, |&depth| Verdict::when(depth < FEW_COMMANDS, depth, 64))
}

fn max_sectors(device: &DeviceFacts, _: &Patient<'_>) -> Verdict {
    disk_value(device, device.max_sectors_kb.zip(device.max_hw_sectors_kb), |&(kb, hardware_kb)| {
        let cut = kb < LARGE_KB && hardware_kb > kb;
        Verdict::when(cut, format_args!("{kb} KiB"), hardware_kb.min(LARGE_KB))
    })
}

/// With stripes the rule about stripes is asked.
fn read_ahead(device: &DeviceFacts, _: &Patient<'_>) -> Verdict {
    if device.stripe().is_some() {
        return Verdict::NotAsked;
    }
    disk_value(device, device.read_ahead_kb, |&kb| {
        let value = format!("{kb} KiB");
        if kb < LEAST_READ_AHEAD_KB {
            Verdict::bent(value, LEAST_READ_AHEAD_KB)
        } else {
            Verdict::when(kb > MOST_READ_AHEAD_KB, value, MOST_READ_AHEAD_KB)
        }
    })
}

fn hidden_cache(device: &DeviceFacts, _: &Patient<'_>) -> Verdict {
    disk_value(device, device.scsi_cache.as_ref().zip(device.write_cache.as_ref()), |(own, believed)| {
        let hidden = own.starts_with("write back") && *believed == "write through";
        Verdict::when(hidden, format_args!("disk: {own}, kernel: {believed}"), "write back")
    })
}

fn physical_block(device: &DeviceFacts, _: &Patient<'_>) -> Verdict {
    disk_value(device, device.physical_block_bytes.zip(device.logical_block_bytes), |&(physical, logical)| {
        Verdict::when(physical > logical, format_args!("{physical} and {logical} bytes"), physical)
    })
}

fn alignment(device: &DeviceFacts, patient: &Patient<'_>) -> Verdict {
    let (Some(start), Some(disk)) = (device.start_bytes, &device.partition_of) else {
        return Verdict::NotAsked;
    };
    // The container of logical partitions, and what boot loaders keep: nobody measures or stores anything in them.
    if device.size_bytes.is_some_and(|bytes| bytes < LEAST_PARTITION_BYTES) {
        return Verdict::NotAsked;
    }
    let Some(block) = device.physical_block_bytes else { return Verdict::Unknown };
    let chunk = patient.device(disk).and_then(DeviceFacts::stripe).map_or(0, |stripe| stripe.chunk_bytes);
    let unit = chunk.max(u64::from(block));
    let off =
        unit > 0 && !start.is_multiple_of(unit) || device.alignment_offset_bytes.is_some_and(|off| off > 0);
    Verdict::when(off, format_args!("byte {start}, blocks of {}", Bytes(unit)), unit.max(1 << 20))
}

fn rotational(device: &DeviceFacts, _: &Patient<'_>) -> Verdict {
    let flash = matches!(device.transport.as_deref(), Some("nvme"))
        || device.model.as_deref().is_some_and(|model| model.to_ascii_uppercase().contains("SSD"));
    if !flash {
        return Verdict::NotAsked;
    }
    disk_value(device, device.rotational, |&spins| Verdict::when(spins, u8::from(spins), 0))
}

fn virtual_rotational(device: &DeviceFacts, _: &Patient<'_>) -> Verdict {
    let virtual_disk = matches!(device.transport.as_deref(), Some("virtio" | "xen"))
        || device.model.as_deref().is_some_and(|model| model.to_ascii_lowercase().starts_with("virtual"));
    if !virtual_disk {
        return Verdict::NotAsked;
    }
    disk_value(device, device.rotational, |&spins| Verdict::when(spins, u8::from(spins), 0))
}

fn numa(device: &DeviceFacts, patient: &Patient<'_>) -> Verdict {
    let host = patient.host;
    let Some(node) = device.numa_node.and_then(|node| u32::try_from(node).ok()) else {
        return Verdict::NotAsked;
    };
    if host.numa_nodes.len() < 2 || device.partition_of.is_some() {
        return Verdict::NotAsked;
    }
    let value = format!("node {node}, this process on {:?}", host.own_numa_nodes);
    Verdict::when(!host.own_numa_nodes.contains(&node), value, node)
}

/// Volumes by the model that they show.
const CLOUD_MODELS: [(&str, &str); 5] = [
    ("Amazon Elastic Block Store", "its EBS type (gp2, gp3, io1, io2, st1, sc1)"),
    ("Amazon EC2 NVMe Instance Storage", "its instance type"),
    ("PersistentDisk", "its Persistent Disk type"),
    ("nvme_card-pd", "its Persistent Disk or Hyperdisk type"),
    ("MSFT NVMe Accelerator", "its Azure disk type"),
];

fn cloud(device: &DeviceFacts, _: &Patient<'_>) -> Verdict {
    let Some(model) = device.model.as_deref() else { return Verdict::NotAsked };
    match CLOUD_MODELS.iter().find(|(start, _)| model.starts_with(start)) {
        Some((_, limits)) if device.is_leaf() => Verdict::bent(model, limits),
        _ => Verdict::NotAsked,
    }
}
