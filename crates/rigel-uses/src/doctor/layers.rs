//! Rules about what lies between a target and its disks: RAID, device mapper, multipath.

use super::Part::{Database, Measurement};
use super::Severity::{Error, Note, Warning};
use super::disk::works;
use super::{Judge, Rule, Status, System};
use rigel_core::facts::DeviceFacts;
use rigel_core::units::Bytes;
use std::collections::BTreeMap;

const MD: &str = "https://docs.kernel.org/admin-guide/md.html";
const MAPPER: &str = "https://docs.kernel.org/admin-guide/device-mapper/index.html";
const CRYPT: &str = "https://docs.kernel.org/admin-guide/device-mapper/dm-crypt.html";
const LVM: &str = "https://man7.org/linux/man-pages/man8/lvcreate.8.html";
const MULTIPATH: &str = "https://github.com/opensvc/multipath-tools";
const BLOCK: &str = "https://www.kernel.org/doc/Documentation/ABI/stable/sysfs-block";

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "md-degraded",
        setting: "RAID disks",
        part: Database,
        severity: Error,
        wrong: "the RAID has lost disks ({value})",
        why: "disks are missing: there is less redundancy or none, and with parity every read of a lost disk reads all others",
        show: "mdadm --detail /dev/{device}",
        change: "replace the failed disk: mdadm /dev/{device} --add DISK",
        source: MD,
        judge: Judge::Device(|device, _| {
            let missing = device.md.as_ref().and_then(|md| md.degraded);
            Status::if_any(missing, |count| Status::when(count > 0, format_args!("{count} missing"), 0))
        }),
    },
    Rule {
        name: "md-sync",
        setting: "RAID resync",
        part: Measurement,
        severity: Warning,
        wrong: "the RAID is busy in the background ({value})",
        why: "the RAID reads and writes all of its disks in the background: a measurement only sees what is left",
        show: "cat /proc/mdstat",
        change: "wait until it is over, or for a check: echo {want} > /sys/block/{device}/md/sync_action",
        source: MD,
        judge: Judge::Device(|device, _| {
            let action = device.md.as_ref().and_then(|md| md.sync_action.as_deref());
            Status::if_any(action, |word| Status::when(!matches!(word, "idle" | "frozen"), word, "idle"))
        }),
    },
    Rule {
        name: "stripe-read-ahead",
        setting: "read-ahead per stripe",
        part: Database,
        severity: Warning,
        wrong: "a buffered scan does not keep all its disks busy",
        why: "a sequential scan through the page cache keeps all disks busy only when it reads a whole stripe ahead: chunk x data disks, rounded up to a \
              power of two",
        show: "cat /sys/block/{device}/queue/read_ahead_kb",
        change: "echo {want} > /sys/block/{device}/queue/read_ahead_kb",
        source: BLOCK,
        judge: Judge::Device(|device, _| {
            let (Some(stripe), Some(kb), None) =
                (device.stripe(), device.read_ahead_kb, &device.partition_of)
            else {
                return Status::NotAsked;
            };
            let Some(whole) = stripe.bytes().checked_next_power_of_two() else { return Status::Unknown };
            let value = format!(
                "{kb} KiB; a stripe is {} x {} disks = {}",
                Bytes(stripe.chunk_bytes),
                stripe.data_disks,
                Bytes(stripe.bytes())
            );
            Status::when(kb.saturating_mul(1024) < whole, value, whole / 1024)
        }),
    },
    Rule {
        name: "mixed-disks",
        setting: "kinds of disks in one volume",
        part: Measurement,
        severity: Warning,
        wrong: "spinning disks and flash in one volume ({value})",
        why: "spinning disks and flash share one volume: its latency has two modes, and the slower kind sets the pace of a stripe",
        show: "lsblk --output NAME,ROTA,MODEL /dev/{device}",
        change: "move the volume to disks of one kind, or let a cache (dm-cache, bcache) use the flash",
        source: MAPPER,
        judge: Judge::Device(mixed),
    },
    Rule {
        name: "linear-volume",
        setting: "order of a volume's disks",
        part: Database,
        severity: Note,
        wrong: "one disk after the other, not a stripe ({value})",
        why: "the volume fills one disk before it begins on the next, so files that lie together keep one disk busy while the others are idle; disks \
              that a storage array stripes itself are no reason to change",
        show: "lvs --segments --options +devices; dmsetup table /dev/{device}",
        change: "copy the files to a volume made with lvcreate --stripes {want}",
        source: LVM,
        judge: Judge::Device(linear),
    },
    Rule {
        name: "volume-starts",
        setting: "disk on which volumes begin",
        part: Database,
        severity: Note,
        wrong: "all volumes begin on the same disk ({value})",
        why: "the first files of every volume, often its busiest, share one disk while the others of the volume group are idle",
        show: "lvs --segments --options +devices",
        change: "spread them: pvmove --name VG/VOLUME {want} OTHER_DISK, or volumes made with lvcreate --stripes",
        source: LVM,
        judge: Judge::Host(|_, system| starts(system)),
    },
    Rule {
        name: "multipath-paths",
        setting: "paths of a multipath device",
        part: Database,
        severity: Error,
        wrong: "a path is broken ({value})",
        why: "a failed path carries nothing: half of the bandwidth may be gone, and the next failure stops the database",
        show: "multipath -ll /dev/{device}",
        change: "see why the path failed (multipath -ll, dmesg), then: multipathd reinstate path PATH",
        source: MULTIPATH,
        judge: Judge::Device(paths),
    },
    Rule {
        name: "multipath-single",
        setting: "number of paths",
        part: Database,
        severity: Warning,
        wrong: "too few paths for redundancy ({value})",
        why: "a single path gives no redundancy and the bandwidth of one port",
        show: "multipath -ll /dev/{device}",
        change: "connect a second path, or see why it is not found: multipath -v3",
        source: MULTIPATH,
        judge: Judge::Device(|device, _| {
            let count = device.made_of.len();
            if is_multipath(device) { Status::when(count < 2, count, 2) } else { Status::NotAsked }
        }),
    },
    Rule {
        name: "multipath-policy",
        setting: "path selector",
        part: Measurement,
        severity: Note,
        wrong: "slow paths get as much as fast ones ({value})",
        why: "round-robin sends as much over a slow or busy path as over the others; service-time and queue-length consider what is outstanding",
        show: "dmsetup table /dev/{device}",
        change: "path_selector \"{want}\" in /etc/multipath.conf, then: multipathd reconfigure",
        source: MULTIPATH,
        judge: Judge::Device(|device, _| {
            let known =
                ["round-robin", "queue-length", "service-time", "historical-service-time", "io-affinity"];
            Status::if_any(table(device, "multipath").first(), |line| {
                let policy = line.split_whitespace().find(|word| known.contains(word));
                Status::known(policy, |policy| {
                    Status::when(policy == "round-robin", policy, "service-time 0")
                })
            })
        }),
    },
    Rule {
        name: "multipath-queueing",
        setting: "what happens when all paths fail",
        part: Database,
        severity: Note,
        wrong: "when all paths fail, a database hangs",
        why: "with queue_if_no_path I/O waits, forever unless no_path_retry lets multipathd end it: a \
              database hangs instead of failing over, and so does a measurement",
        show: "dmsetup table /dev/{device}; multipathd show config | grep no_path_retry",
        change: "no_path_retry {want} (or another number) in /etc/multipath.conf, then: multipathd reconfigure",
        source: MULTIPATH,
        judge: Judge::Device(|device, _| {
            Status::if_any(table(device, "multipath").first(), |line| {
                let waits = line.contains("queue_if_no_path");
                Status::when(waits, if waits { "I/O waits" } else { "I/O fails" }, 12)
            })
        }),
    },
    Rule {
        name: "crypt-workqueues",
        setting: "work queues of an encrypted volume",
        part: Measurement,
        severity: Note,
        wrong: "dm-crypt sends every I/O through its own threads",
        why: "dm-crypt passes every I/O to its own threads before and after encryption; on flash that costs more than the encryption",
        show: "dmsetup table /dev/{device}",
        change: "cryptsetup refresh --perf-no_read_workqueue --perf-no_write_workqueue NAME (Linux 5.9 and later)",
        source: CRYPT,
        judge: Judge::Device(|device, _| {
            let Some(line) = table(device, "crypt").first().copied() else { return Status::NotAsked };
            if device.rotational != Some(false) {
                return Status::NotAsked;
            }
            let direct = line.contains("no_read_workqueue") && line.contains("no_write_workqueue");
            Status::when(!direct, if direct { "left out" } else { "in use" }, "")
        }),
    },
    Rule {
        name: "thin-or-snapshot",
        setting: "blocks allocated on first write",
        part: Measurement,
        severity: Warning,
        wrong: "unwritten blocks read as zeros, first writes are slow",
        why: "the first write to a block allocates or copies it: the first write is slow and later ones are \
              fast, and reads of unwritten blocks return zeros",
        show: "dmsetup table /dev/{device}",
        change: "fill the volume before writes are measured, and measure without snapshots",
        source: "https://docs.kernel.org/admin-guide/device-mapper/thin-provisioning.html",
        judge: Judge::Device(|device, _| kind_of(device, &["thin", "snapshot", "snapshot-origin"])),
    },
    Rule {
        name: "test-target",
        setting: "a test target",
        part: Measurement,
        severity: Error,
        wrong: "delays, fails or forgets I/O on purpose ({value})",
        why: "this volume delays, fails or forgets I/O on purpose",
        show: "dmsetup table /dev/{device}",
        change: "measure the device below it",
        source: MAPPER,
        // A host may have one that nobody uses; it is a mistake below a target.
        judge: Judge::Device(|device, system| match system.targets {
            [] => Status::NotAsked,
            _ => kind_of(device, &["delay", "flakey", "error", "zero", "dust"]),
        }),
    },
];

/// Lines of a device's table of one kind.
fn table<'a>(device: &'a DeviceFacts, kind: &str) -> Vec<&'a str> {
    let lines = device.mapped.iter().flat_map(|mapped| &mapped.table).map(String::as_str);
    lines.filter(|line| kind_of_line(line) == Some(kind)).collect()
}

fn kind_of_line(line: &str) -> Option<&str> {
    line.split_whitespace().nth(2)
}

/// Bent when the table has a target of one of these kinds.
fn kind_of(device: &DeviceFacts, kinds: &[&str]) -> Status {
    let Some(mapped) = &device.mapped else { return Status::NotAsked };
    if mapped.table.is_empty() {
        return Status::Unknown;
    }
    let mut all = mapped.table.iter().filter_map(|line| kind_of_line(line));
    Status::if_any(all.find(|kind| kinds.contains(kind)), |kind| Status::bent(kind, ""))
}

/// The devices of a linear volume, in its order, as `8:16`: `START LENGTH linear DEVICE OFFSET`.
fn linear_disks(device: &DeviceFacts) -> Vec<&str> {
    table(device, "linear").iter().filter_map(|line| line.split_whitespace().nth(3)).collect()
}

fn linear(device: &DeviceFacts, system: &System<'_>) -> Status {
    if !table(device, "striped").is_empty() {
        return Status::fine("striped");
    }
    // Partitions of one disk are one disk.
    let whole = |name: String| {
        let partition = system.device(&name).and_then(|device| device.partition_of.clone());
        partition.unwrap_or(name)
    };
    let mut disks: Vec<String> =
        linear_disks(device).into_iter().map(|number| whole(name_of(number, system))).collect();
    disks.sort();
    disks.dedup();
    let count = disks.len();
    match disks.as_slice() {
        [] | [_] => Status::NotAsked,
        [first, second] => Status::bent(format_args!("{first}, {second}"), count),
        [first, ..] => Status::bent(format_args!("{first} and {} more", count - 1), count),
    }
}

/// The volume group of an LVM volume; its name contains `-` doubled: `data--1-redo`.
fn volume_group(device: &DeviceFacts) -> Option<String> {
    let mapped = device.mapped.as_ref().filter(|mapped| mapped.maker.as_deref() == Some("LVM"))?;
    let name = mapped.name.replace("--", "\0");
    // What LVM makes for itself is no volume: the parts of pools, snapshots and arrays.
    let is_part = name.matches('-').count() > 1
        || ["_tdata", "_tmeta", "_pmspare"].iter().any(|end| name.ends_with(end))
        || ["_rimage_", "_rmeta_", "_mimage_", "_mlog"].iter().any(|part| name.contains(part));
    (!is_part).then(|| name.split('-').next().map(|group| group.replace('\0', "-")))?
}

/// A group with more than one disk in use, but with the start of all volumes on one of them.
fn starts(system: &System<'_>) -> Status {
    let mut groups: BTreeMap<String, Vec<Vec<&str>>> = BTreeMap::new();
    for device in &system.devices {
        let (Some(group), disks) = (volume_group(device), linear_disks(device)) else { continue };
        if !disks.is_empty() {
            groups.entry(group).or_default().push(disks);
        }
    }
    let shared = groups.iter().find_map(|(group, volumes)| {
        let first = *volumes.first()?.first()?;
        let has_others = volumes.iter().flatten().any(|disk| *disk != first);
        let is_same = volumes.len() > 1 && volumes.iter().all(|disks| disks.first() == Some(&first));
        (is_same && has_others).then(|| (group, volumes.len(), name_of(first, system)))
    });
    match shared {
        Some((group, count, disk)) => {
            Status::bent(format_args!("{count} of {group} on {disk}"), format_args!("/dev/{disk}"))
        }
        None => Status::NotAsked,
    }
}

fn mixed(device: &DeviceFacts, system: &System<'_>) -> Status {
    // Caches put the two together on purpose.
    let is_cache = |kind| !table(device, kind).is_empty();
    if device.name.starts_with("bcache") || ["cache", "writecache"].into_iter().any(is_cache) {
        return Status::NotAsked;
    }
    let kinds: Vec<bool> = system.parts(device).filter_map(|part| part.rotational).collect();
    if kinds.len() < 2 {
        return Status::NotAsked;
    }
    let spinning = kinds.iter().filter(|&&spins| spins).count();
    let value = format!("{spinning} of {} spin", kinds.len());
    let are_mixed = spinning > 0 && spinning < kinds.len();
    match &device.mapped {
        // Without its table nobody knows whether it is a cache.
        Some(mapped) if are_mixed && mapped.table.is_empty() => Status::Unknown,
        _ => Status::when(are_mixed, value, ""),
    }
}

/// By the prefix of its UUID, because only root may read its table.
pub(super) fn is_multipath(device: &DeviceFacts) -> bool {
    device.mapped.as_ref().is_some_and(|mapped| mapped.maker.as_deref() == Some("mpath"))
}

/// By the state of each path's disk, and by what the multipath target says: `8:16 F 1` is a failed path, `A` an active one.
fn paths(device: &DeviceFacts, system: &System<'_>) -> Status {
    if !is_multipath(device) {
        return Status::NotAsked;
    }
    let offline = |path: &&DeviceFacts| path.state.as_deref().is_some_and(|state| !works(state));
    let mut bad: Vec<String> = system.parts(device).filter(offline).map(|path| path.name.clone()).collect();
    for line in device.mapped.iter().flat_map(|mapped| &mapped.status) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let failed = words.windows(2).filter(|pair| pair[1] == "F" && pair[0].contains(':'));
        bad.extend(failed.map(|pair| name_of(pair[0], system)));
    }
    bad.sort();
    bad.dedup();
    let count = device.made_of.len();
    let value = if bad.is_empty() {
        format!("all {count} work")
    } else {
        format!("{} of {count} failed: {}", bad.len(), bad.join(", "))
    };
    Status::when(!bad.is_empty(), value, "")
}

/// The name of the device with a number written as `8:16`.
fn name_of(number: &str, system: &System<'_>) -> String {
    let is = |device: &&&DeviceFacts| {
        device.number.is_some_and(|(major, minor)| format!("{major}:{minor}") == number)
    };
    system.devices.iter().find(is).map_or_else(|| number.to_owned(), |device| device.name.clone())
}
