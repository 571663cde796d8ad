//! Rules about the queue of a disk.

use super::Part::{Database, Measurement};
use super::Severity::{Note, Warning};
use super::{Judge, Rule, Status};
use rigel_core::facts::DeviceFacts;
use rigel_core::units::{Bytes, KIB};

const BLOCK: &str = "https://www.kernel.org/doc/Documentation/ABI/stable/sysfs-block";
const SCHEDULERS: &str = "https://docs.kernel.org/block/switching-sched.html";
const SCSI: &str = "https://docs.kernel.org/scsi/index.html";

/// The usual size of large I/O, unless another was requested, in KiB.
const LARGE_KB: u32 = 1024;
/// Requests below which a fast device waits for the queue.
const FEW_REQUESTS: u32 = 128;
/// Commands that one SCSI disk should be able to queue.
const FEW_COMMANDS: u32 = 32;
const LEAST_READ_AHEAD_KB: u64 = 128;
const MOST_READ_AHEAD_KB: u64 = 16 << 10;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "io-scheduler",
        setting: "I/O scheduler",
        part: Measurement,
        severity: Warning,
        wrong: "the scheduler {value} delays requests",
        why: "bfq shares a disk fairly among programs at a cost per request, and delays requests for the \
              sake of others; on flash it costs much of the IOPS",
        show: "cat /sys/block/{device}/queue/scheduler",
        change: "echo {want} > /sys/block/{device}/queue/scheduler",
        source: SCHEDULERS,
        judge: Judge::Device(|device, _| {
            disk_value(device, device.scheduler.as_ref(), |scheduler| {
                let want = if device.rotational == Some(true) { "mq-deadline" } else { "none" };
                Status::when(matches!(scheduler.as_str(), "bfq" | "cfq"), scheduler, want)
            })
        }),
    },
    Rule {
        name: "nvme-scheduler",
        setting: "I/O scheduler of an NVMe drive",
        part: Measurement,
        severity: Note,
        wrong: "the scheduler {value} costs CPU time and a lock",
        why: "the drive has a queue per CPU and orders requests itself; a scheduler in front of it only costs CPU time and a lock",
        show: "cat /sys/block/{device}/queue/scheduler",
        change: "echo {want} > /sys/block/{device}/queue/scheduler",
        source: SCHEDULERS,
        judge: Judge::Device(|device, _| {
            if device.transport.as_deref() != Some("nvme") {
                return Status::NotAsked;
            }
            disk_value(device, device.scheduler.as_ref(), |scheduler| {
                Status::when(!matches!(scheduler.as_str(), "none" | "bfq"), scheduler, "none")
            })
        }),
    },
    Rule {
        name: "disk-scheduler",
        setting: "I/O scheduler of a spinning disk",
        part: Measurement,
        severity: Note,
        wrong: "requests are not sorted (scheduler {value})",
        why: "without a scheduler requests reach the disk unsorted, and writes can starve reads",
        show: "cat /sys/block/{device}/queue/scheduler",
        change: "echo {want} > /sys/block/{device}/queue/scheduler",
        source: SCHEDULERS,
        judge: Judge::Device(|device, _| {
            let is_physical = matches!(device.transport.as_deref(), Some("sata" | "sas" | "scsi"));
            if !is_physical || device.rotational != Some(true) {
                return Status::NotAsked;
            }
            disk_value(device, device.scheduler.as_ref(), |scheduler| {
                Status::when(*scheduler == "none", scheduler, "mq-deadline")
            })
        }),
    },
    Rule {
        name: "nr-requests",
        setting: "queue size",
        part: Measurement,
        severity: Warning,
        wrong: "I/O waits outside the queue ({value})",
        why: "further I/O waits outside the queue, in the submitting thread, and does not reach the device",
        show: "cat /sys/block/{device}/queue/nr_requests",
        change: "echo {want} > /sys/block/{device}/queue/nr_requests",
        source: BLOCK,
        // Without a scheduler this is what the hardware has, and for SATA that is 32.
        judge: Judge::Device(|device, _| {
            disk_value(device, device.nr_requests, |&requests| {
                let queues = device.hardware_queues.unwrap_or(1);
                // Twice what the device takes is the kernel's own choice.
                let taken = device
                    .queue_depth
                    .map_or(FEW_REQUESTS, |depth| depth.saturating_mul(2).min(FEW_REQUESTS));
                let where_to = match queues {
                    1 => "its only queue".to_owned(),
                    queues => format!("each of {queues} queues"),
                };
                let few = requests.saturating_mul(queues) < taken;
                let can_be_set = device.scheduler.as_deref().is_some_and(|name| name != "none");
                Status::when(few && can_be_set, format_args!("{requests} in {where_to}"), 256)
            })
        }),
    },
    Rule {
        name: "queue-depth",
        setting: "queue depth of a SCSI disk",
        part: Measurement,
        severity: Warning,
        wrong: "at most {value} commands reach it at once",
        why: "an array's LUN has many disks behind it and needs more concurrent commands than one disk; I/O beyond this waits in the host",
        show: "cat /sys/block/{device}/device/queue_depth",
        change: "echo {want} > /sys/block/{device}/device/queue_depth",
        source: SCSI,
        judge: Judge::Device(|device, _| {
            // A SATA disk has 32 tags, of which the kernel may use 31 or 32.
            if device.transport.as_deref() == Some("sata") || device.transport.as_deref() == Some("usb") {
                return Status::NotAsked;
            }
            disk_value(device, device.queue_depth, |&depth| Status::when(depth < FEW_COMMANDS, depth, 64))
        }),
    },
    Rule {
        name: "nomerges",
        setting: "request merging",
        part: Measurement,
        severity: Warning,
        wrong: "sequential I/O is not merged (nomerges {value})",
        why: "adjacent requests are not merged, so sequential I/O in small pieces costs one request per piece",
        show: "cat /sys/block/{device}/queue/nomerges",
        change: "echo {want} > /sys/block/{device}/queue/nomerges",
        source: BLOCK,
        judge: Judge::Device(|device, _| {
            disk_value(device, device.nomerges, |&merges| Status::when(merges > 0, merges, 0))
        }),
    },
    Rule {
        name: "rq-affinity",
        setting: "CPU on which requests complete",
        part: Measurement,
        severity: Note,
        wrong: "I/O completes on a CPU that did not submit it",
        why: "with 0 a request completes on the CPU that took the interrupt, far from the caches of the one that submitted it",
        show: "cat /sys/block/{device}/queue/rq_affinity",
        change: "echo {want} > /sys/block/{device}/queue/rq_affinity",
        source: BLOCK,
        judge: Judge::Device(|device, _| {
            disk_value(device, device.rq_affinity, |&affinity| Status::when(affinity == 0, affinity, 1))
        }),
    },
    Rule {
        name: "max-sectors",
        setting: "largest request",
        part: Measurement,
        severity: Warning,
        wrong: "1 MiB is split into requests of {value}",
        why: "a 1 MiB I/O is split into several requests although the device takes it whole",
        show: "cat /sys/block/{device}/queue/max_sectors_kb",
        change: "echo {want} > /sys/block/{device}/queue/max_sectors_kb",
        source: BLOCK,
        judge: Judge::Device(|device, _| {
            disk_value(device, device.max_sectors_kb.zip(device.max_hw_sectors_kb), |&(kb, hardware_kb)| {
                let cut = kb < LARGE_KB && hardware_kb > kb;
                Status::when(cut, kib(kb.into()), hardware_kb.min(LARGE_KB))
            })
        }),
    },
    Rule {
        name: "hardware-sectors",
        setting: "largest request that the device takes",
        part: Measurement,
        severity: Note,
        wrong: "the device takes 1 MiB in pieces of {value}",
        why: "a 1 MiB I/O always takes several requests on this device, and its latency covers all of them",
        show: "cat /sys/block/{device}/queue/max_hw_sectors_kb",
        change: "nothing to set; measure with --size-large {want}K as well",
        source: BLOCK,
        judge: Judge::Device(|device, _| {
            disk_value(device, device.max_hw_sectors_kb, |&kb| {
                Status::when(kb < LARGE_KB, kib(kb.into()), kb)
            })
        }),
    },
    Rule {
        name: "read-ahead",
        setting: "read-ahead of buffered reads",
        part: Database,
        severity: Note,
        wrong: "read-ahead of {value} does not suit buffered scans",
        why: "too little makes sequential scans through the page cache wait for the device again and again; \
              too much reads unneeded data. Direct I/O is not affected",
        show: "cat /sys/block/{device}/queue/read_ahead_kb",
        change: "echo {want} > /sys/block/{device}/queue/read_ahead_kb",
        source: BLOCK,
        // With stripes the rule about stripes is asked.
        judge: Judge::Device(|device, _| {
            if device.stripe().is_some() {
                return Status::NotAsked;
            }
            disk_value(device, device.read_ahead_kb, |&kb| {
                let value = kib(kb);
                if kb < LEAST_READ_AHEAD_KB {
                    Status::bent(value, LEAST_READ_AHEAD_KB)
                } else {
                    Status::when(kb > MOST_READ_AHEAD_KB, value, MOST_READ_AHEAD_KB)
                }
            })
        }),
    },
    Rule {
        name: "writeback-throttle",
        setting: "throttling of buffered writes",
        part: Database,
        severity: Note,
        wrong: "checkpoints through the page cache are slowed",
        why: "buffered writes are throttled to keep reads at this latency; a database that checkpoints \
              through the page cache writes slower than direct I/O measures",
        show: "cat /sys/block/{device}/queue/wbt_lat_usec",
        change: "echo {want} > /sys/block/{device}/queue/wbt_lat_usec",
        source: BLOCK,
        judge: Judge::Device(|device, _| {
            disk_value(device, device.writeback_throttle_us, |&us| {
                Status::when(us > 0, format_args!("{us} us"), 0)
            })
        }),
    },
];

/// Converts KiB in sysfs to the unit of all other sizes.
fn kib(kb: u64) -> String {
    Bytes(kb.saturating_mul(KIB)).to_string()
}

/// For whole disks with this setting; unknown if a disk with a queue does not show it.
pub(super) fn disk_value<T>(
    device: &DeviceFacts,
    value: Option<T>,
    judge: impl FnOnce(&T) -> Status,
) -> Status {
    Status::if_any(value.filter(|_| device.is_leaf()), |value| judge(&value))
}
