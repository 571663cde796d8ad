//! For each rule, a host or target that it reports, and one that it must not.

use super::*;

/// For every rule a case in which it finds something, and one in which it does not, with what is shown as the value.
pub(super) fn cases() -> Vec<(&'static str, Case, Case)> {
    [
        queue_cases(),
        block_cases(),
        loop_cases(),
        layer_cases(),
        volume_cases(),
        mount_cases(),
        network_cases(),
        target_cases(),
        limit_cases(),
        host_cases(),
    ]
    .concat()
}

fn scheduled(scheduler: &str, transport: &str, rotational: bool) -> Case {
    device(DeviceFacts {
        scheduler: text(scheduler),
        transport: text(transport),
        rotational: Some(rotational),
        ..DeviceFacts::default()
    })
}

fn queue_cases() -> Vec<(&'static str, Case, Case)> {
    let requests = |nr_requests, hardware_queues, scheduler| {
        device(DeviceFacts {
            nr_requests: Some(nr_requests),
            hardware_queues: Some(hardware_queues),
            scheduler: text(scheduler),
            ..DeviceFacts::default()
        })
    };
    let depth = |queue_depth, transport| {
        device(DeviceFacts {
            queue_depth: Some(queue_depth),
            transport: text(transport),
            ..DeviceFacts::default()
        })
    };
    let with = |change: fn(&mut DeviceFacts, u32), value| {
        let mut facts = DeviceFacts::default();
        change(&mut facts, value);
        device(facts)
    };
    let sectors = |set, hardware| {
        device(DeviceFacts {
            max_sectors_kb: Some(set),
            max_hw_sectors_kb: Some(hardware),
            ..DeviceFacts::default()
        })
    };
    vec![
        ("io-scheduler", scheduled("bfq", "sata", false), scheduled("mq-deadline", "sata", false)),
        ("nvme-scheduler", scheduled("mq-deadline", "nvme", false), scheduled("none", "nvme", false)),
        ("disk-scheduler", scheduled("none", "sas", true), scheduled("mq-deadline", "sas", true)),
        ("nr-requests", requests(64, 1, "mq-deadline"), requests(64, 4, "mq-deadline")),
        ("queue-depth", depth(8, "fc"), depth(64, "fc")),
        ("nomerges", with(|d, v| d.nomerges = Some(v), 2), with(|d, v| d.nomerges = Some(v), 0)),
        ("rq-affinity", with(|d, v| d.rq_affinity = Some(v), 0), with(|d, v| d.rq_affinity = Some(v), 1)),
        ("max-sectors", sectors(128, 1024), sectors(1280, 32767)),
        ("hardware-sectors", sectors(128, 128), sectors(128, 1024)),
        (
            "read-ahead",
            with(|d, v| d.read_ahead_kb = Some(v.into()), 0),
            with(|d, v| d.read_ahead_kb = Some(v.into()), 128),
        ),
        (
            "writeback-throttle",
            with(|d, v| d.writeback_throttle_us = Some(v.into()), 2000),
            with(|d, v| d.writeback_throttle_us = Some(v.into()), 0),
        ),
    ]
}

fn block_cases() -> Vec<(&'static str, Case, Case)> {
    let cache = |kernel: &str, own: &str| {
        device(DeviceFacts { write_cache: text(kernel), scsi_cache: text(own), ..DeviceFacts::default() })
    };
    let blocks = |physical, logical| {
        device(DeviceFacts {
            physical_block_bytes: Some(physical),
            logical_block_bytes: Some(logical),
            ..DeviceFacts::default()
        })
    };
    let partition = |start| {
        device(DeviceFacts {
            partition_of: text("sdx"),
            start_bytes: Some(start),
            physical_block_bytes: Some(4096),
            ..DeviceFacts::default()
        })
    };
    let model = |model: &str, spins| {
        device(DeviceFacts { model: text(model), rotational: Some(spins), ..DeviceFacts::default() })
    };
    let numa = |node| {
        let mut case = device(DeviceFacts { numa_node: Some(node), ..DeviceFacts::default() });
        case.host = HostFacts { numa_nodes: vec![0, 1], own_numa_nodes: vec![0], ..HostFacts::default() };
        case
    };
    let polled = |polled| {
        device(DeviceFacts { transport: text("nvme"), polled: Some(polled), ..DeviceFacts::default() })
    };
    let state = |state: &str, transport| {
        device(DeviceFacts { state: text(state), transport: text(transport), ..DeviceFacts::default() })
    };
    let loop_device = |direct| {
        let mut case = device(DeviceFacts { loop_direct: Some(direct), ..DeviceFacts::default() });
        case.targets = vec![TargetFacts::simulated(1)];
        case
    };
    let memory = |named: bool| {
        let mut case = device(DeviceFacts { transport: text("zram"), ..DeviceFacts::default() });
        case.targets = if named { vec![TargetFacts::simulated(1)] } else { vec![] };
        case
    };
    vec![
        ("write-cache", cache("write back", "write back"), cache("write through", "write through")),
        (
            "write-cache-hidden",
            cache("write through", "write back, no read (daft)"),
            cache("write back", "write back"),
        ),
        ("physical-block", blocks(4096, 512), blocks(4096, 4096)),
        ("partition-alignment", partition(63 * 512), partition(1 << 20)),
        ("rotational", model("Samsung SSD 860", true), model("Samsung SSD 860", false)),
        ("virtual-rotational", scheduled("none", "virtio", true), scheduled("none", "virtio", false)),
        ("poll-queues", polled(false), polled(true)),
        ("device-state", state("offline", "fc"), state("Connected", "xen")),
        ("device-state", state("dead", "nvme"), state("live", "nvme")),
        ("device-state", state("blocked", "iscsi"), state("running", "iscsi")),
        ("loop-direct-io", loop_device(false), loop_device(true)),
        ("memory-device", memory(true), memory(false)),
        ("numa-node", numa(1), numa(0)),
        ("cloud-volume", model("Amazon Elastic Block Store", false), model("Samsung SSD", false)),
    ]
}

fn loop_cases() -> Vec<(&'static str, Case, Case)> {
    let on = |direct_io: Option<bool>, compressed_percent, direct| {
        let file = LoopFile { direct_io, compressed_percent, ..LoopFile::default() };
        let above = DeviceFacts { loop_direct: Some(direct), ..DeviceFacts::default() };
        let mut case = device(DeviceFacts { loop_file: Some(file), ..above });
        case.targets = vec![TargetFacts::simulated(1)];
        case
    };
    vec![
        ("loop-file", on(Some(false), None, true), on(Some(true), None, true)),
        // One rule for one setting.
        ("loop-file", on(None, Some(50), true), on(None, Some(50), false)),
    ]
}

pub(super) fn raid(md: MdFacts, read_ahead_kb: u64) -> Case {
    device(DeviceFacts { md: Some(md), read_ahead_kb: Some(read_ahead_kb), ..DeviceFacts::default() })
}

pub(super) fn layer_cases() -> Vec<(&'static str, Case, Case)> {
    let md = |degraded, action: &str| MdFacts {
        level: "raid5".into(),
        chunk_bytes: 128 << 10,
        disks: 7,
        degraded: Some(degraded),
        sync_action: text(action),
    };
    let parts = |spins: [bool; 2], kind: &str| {
        let mut above = mapped(kind, "8:0 0");
        above.name = "dm-0".into();
        above.made_of = vec!["a".into(), "b".into()];
        let part = |name: &str, spins| DeviceFacts {
            name: name.into(),
            rotational: Some(spins),
            ..DeviceFacts::default()
        };
        Case { devices: vec![above, part("a", spins[0]), part("b", spins[1])], ..Case::default() }
    };
    let policy = |line: &str| device(mapped("multipath", line));
    let crypt = |options: &str| {
        let facts = mapped("crypt", &format!("aes-xts-plain64 - 0 8:0 0 {options}"));
        device(DeviceFacts { rotational: Some(false), ..facts })
    };
    let below = |facts| Case { targets: vec![TargetFacts::simulated(1)], ..device(facts) };
    let works = "0 1000 multipath 2 0 0 0 1 1 A 0 2 0 8:0 A 0 8:16 A 0";
    let failed = "0 1000 multipath 2 0 0 0 1 1 A 0 2 0 8:0 A 0 8:16 F 1";
    vec![
        ("md-degraded", raid(md(1, "idle"), 1024), raid(md(0, "idle"), 1024)),
        ("md-sync", raid(md(0, "check"), 1024), raid(md(0, "idle"), 1024)),
        ("stripe-read-ahead", raid(md(0, "idle"), 512), raid(md(0, "idle"), 1024)),
        ("mixed-disks", parts([true, false], "linear"), parts([true, false], "cache")),
        (
            "multipath-paths",
            multipath(&["running", "running"], failed),
            multipath(&["running", "running"], works),
        ),
        ("multipath-paths", multipath(&["running", "offline"], works), multipath(&["live", "live"], works)),
        ("mixed-disks", parts([true, false], "linear"), parts([false, false], "linear")),
        ("multipath-single", multipath(&["running"], works), multipath(&["running", "running"], works)),
        (
            "multipath-policy",
            policy("0 0 1 1 round-robin 0 1 1 8:0 1"),
            policy("0 0 1 1 service-time 0 1 1 8:0 1"),
        ),
        (
            "multipath-queueing",
            policy("1 queue_if_no_path 0 1 1 service-time"),
            policy("0 0 1 1 service-time"),
        ),
        ("crypt-workqueues", crypt(""), crypt("2 no_read_workqueue no_write_workqueue")),
        ("thin-or-snapshot", device(mapped("thin", "253:1 5")), device(mapped("linear", "8:0 0"))),
        ("test-target", below(mapped("flakey", "8:0 0 1 1")), device(mapped("flakey", "8:0 0 1 1"))),
    ]
}

fn volume_cases() -> Vec<(&'static str, Case, Case)> {
    let volume = |name: &str, table: &[&str]| {
        let mut facts = mapped("linear", "8:0 0");
        facts.name = format!("dm-{name}");
        let mapped = facts.mapped.as_mut().unwrap();
        (mapped.name, mapped.maker) = (name.to_owned(), text("LVM"));
        mapped.table = table.iter().map(|line| (*line).to_owned()).collect();
        facts
    };
    let volumes = |second: &str| {
        let across = volume("data--1-redo", &["0 8 linear 8:0 0", "8 8 linear 8:16 0"]);
        Case { devices: vec![across, volume("data--1-temp", &[second])], ..Case::default() }
    };
    let linear = |table: &[&str]| Case { devices: vec![volume("a-b", table)], ..Case::default() };
    vec![
        (
            "linear-volume",
            linear(&["0 8 linear 8:0 0", "8 8 linear 8:16 0"]),
            linear(&["0 16 striped 2 128 8:0 0 8:16 0"]),
        ),
        (
            "linear-volume",
            linear(&["0 8 linear 8:0 0", "8 8 linear 8:16 0"]),
            linear(&["0 8 linear 8:0 0", "8 8 linear 8:0 64"]),
        ),
        ("volume-starts", volumes("0 8 linear 8:0 16"), volumes("0 8 linear 8:16 16")),
    ]
}

fn mount_cases() -> Vec<(&'static str, Case, Case)> {
    let striped = |options: &str| {
        let mut case = mount("xfs", options);
        let md = MdFacts { level: "raid0".into(), chunk_bytes: 64 << 10, disks: 4, ..MdFacts::default() };
        case.devices = raid(md, 1024).devices;
        case
    };
    let overlay = |lies_on: &str| {
        let mut case = mount("overlay", "rw");
        case.mounts[0].lies_on = Some(lies_on.into());
        case
    };
    vec![
        ("barriers", mount("ext4", "rw,nobarrier"), mount("ext4", "rw,relatime")),
        ("access-times", mount("ext4", "rw"), mount("ext4", "rw,noatime")),
        ("online-discard", mount("ext4", "rw,discard"), mount("ext4", "rw")),
        ("dax", mount("xfs", "rw,dax=always"), mount("xfs", "rw,dax=inode")),
        ("data-journal", mount("ext4", "rw,data=journal"), mount("ext4", "rw,data=ordered")),
        ("synchronous-mount", mount("ext4", "rw,sync"), mount("ext4", "rw")),
        ("memory-filesystem", mount("tmpfs", "rw"), mount("xfs", "rw")),
        ("memory-filesystem", overlay("tmpfs"), overlay("ext4")),
        ("filesystem", mount("fuse.sshfs", "rw"), mount("xfs", "rw")),
        ("copy-on-write", mount("btrfs", "rw"), mount("btrfs", "rw,nodatacow")),
        ("stripe-alignment", striped("rw,sunit=128,swidth=384"), striped("rw,sunit=128,swidth=512")),
    ]
}

fn network_cases() -> Vec<(&'static str, Case, Case)> {
    let good = "rw,hard,proto=tcp,rsize=1048576,wsize=1048576,nconnect=4,local_lock=none";
    let nfs = |from: &str, to: &str| mount("nfs4", &good.replace(from, to));
    let session = |change: fn(&mut IscsiFacts)| {
        let mut session = IscsiFacts {
            first_burst_bytes: Some(262_144),
            max_burst_bytes: Some(16_776_192),
            max_receive_bytes: Some(262_144),
            initial_r2t: Some(false),
            recovery_timeout_s: Some(5),
        };
        change(&mut session);
        let mut case = multipath(&["running", "running"], "");
        case.devices[1].iscsi = Some(session);
        case
    };
    let with_slots = |slots| {
        let mut case = mount("nfs4", &format!("{good},vers=4.2"));
        case.host.settings.nfs_session_slots = Some(slots);
        case
    };
    let buffers = |bytes| {
        let mut case = mount("nfs", good);
        case.host.settings.tcp_receive_max_bytes = Some(bytes);
        case.host.settings.tcp_send_max_bytes = Some(bytes);
        case
    };
    vec![
        ("nfs-soft", nfs("hard", "soft"), nfs("", "")),
        ("nfs-udp", nfs("tcp", "udp"), nfs("", "")),
        ("nfs-request", nfs("wsize=1048576", "wsize=65536"), nfs("", "")),
        ("nfs-connections", nfs(",nconnect=4", ""), nfs("", "")),
        ("nfs-slots", with_slots(64), with_slots(180)),
        ("nfs-locks", nfs("local_lock=none", "local_lock=all"), nfs("", "")),
        ("iscsi-recovery", session(|s| s.recovery_timeout_s = Some(120)), session(|_| ())),
        ("iscsi-bursts", session(|s| s.first_burst_bytes = Some(65536)), session(|_| ())),
        ("iscsi-r2t", session(|s| s.initial_r2t = Some(true)), session(|_| ())),
        ("socket-receive", buffers(212_992), buffers(16 << 20)),
        ("socket-send", buffers(212_992), buffers(16 << 20)),
    ]
}

fn target_cases() -> Vec<(&'static str, Case, Case)> {
    let direct = |possible| target(|target| target.direct_io = Some(possible));
    let unit = |bytes| {
        target(|target| {
            target.direct_io = Some(true);
            target.logical_block_bytes = bytes;
        })
    };
    vec![
        ("direct-io", direct(false), direct(true)),
        ("direct-io-alignment", unit(16384), unit(4096)),
        ("log-alignment", unit(4096), unit(512)),
        (
            "never-written",
            target(|t| t.extents = extents(1 << 20, 4096, 1)),
            target(|t| t.extents = extents(1 << 20, 0, 1)),
        ),
        (
            "fragments",
            target(|t| t.extents = extents(1 << 20, 0, 100)),
            target(|t| t.extents = extents(1 << 30, 0, 100)),
        ),
    ]
}

fn limit_cases() -> Vec<(&'static str, Case, Case)> {
    let aio =
        |used, most| host(HostFacts { aio_nr: Some(used), aio_max_nr: Some(most), ..HostFacts::default() });
    let limits = |soft, hard| {
        let mut case = host(HostFacts::default());
        let limit = Some(Limit { soft, hard });
        case.host.limits.open_files = limit;
        case.host.limits.processes = limit;
        case.host.limits.locked_memory_bytes = limit;
        case
    };
    let group = |io: &[&str], cpu, memory, processes| {
        let mut case = device(DeviceFacts { number: Some((8, 0)), ..DeviceFacts::default() });
        case.host.memory_bytes = Some(8 << 30);
        case.host.cgroup.io_max = io.iter().map(|&line| line.to_owned()).collect();
        case.host.cpus = 2;
        case.host.cgroup.cpu_max_millis = cpu;
        case.host.cgroup.memory_max_bytes = memory;
        case.host.cgroup.processes_max = processes;
        case
    };
    let priority = |nice| {
        let priority = ProcessPriority { nice: Some(nice), io: IoPriority::from_kernel(0), policy: None };
        host(HostFacts { priority, ..HostFacts::default() })
    };
    let other = group(&["8:16 rbps=1 wbps=max riops=max wiops=max"], None, Some(8 << 30), Some(100_000));
    let limited = group(&["8:0 rbps=max wbps=max riops=500 wiops=max"], Some(1500), Some(1 << 30), Some(100));
    vec![
        ("aio-left", aio(65_000, 65_536), aio(0, 65_536)),
        ("aio-max-nr", aio(0, 65_536), aio(0, 1 << 20)),
        (
            "io-uring",
            host(HostFacts { io_uring_refusal: text("no"), ..HostFacts::default() }),
            host(HostFacts { io_uring_disabled: Some(0), ..HostFacts::default() }),
        ),
        ("locked-memory", limits(Some(8 << 20), None), limits(None, None)),
        ("open-files", limits(Some(1024), Some(4096)), limits(Some(1024), Some(1 << 20))),
        ("processes", limits(Some(1024), Some(4096)), limits(None, None)),
        ("priority", priority(19), priority(0)),
        ("cgroup-io", limited.clone(), other.clone()),
        ("cgroup-cpu", limited.clone(), other.clone()),
        ("cgroup-memory", limited.clone(), other.clone()),
        ("cgroup-processes", limited, other),
    ]
}

fn host_cases() -> Vec<(&'static str, Case, Case)> {
    let with = |change: fn(&mut HostFacts, u32), value| {
        let mut facts = HostFacts { memory_bytes: Some(64 << 30), ..HostFacts::default() };
        change(&mut facts, value);
        host(facts)
    };
    let pages = |word: &str| host(HostFacts { transparent_huge_pages: text(word), ..HostFacts::default() });
    let kept = |kb, read_ahead_kb| {
        let mut case = device(DeviceFacts { read_ahead_kb: Some(read_ahead_kb), ..DeviceFacts::default() });
        case.host.cpus = 8;
        case.host.settings.min_free_kb = Some(kb);
        case
    };
    let governor = |name: &str| host(HostFacts { cpu_governors: vec![name.into()], ..HostFacts::default() });
    let clock = |name: &str| host(HostFacts { clock_source: text(name), ..HostFacts::default() });
    let idle = |exit_latency_us| {
        let state = IdleState { name: "C6".into(), exit_latency_us };
        host(HostFacts { deepest_idle: Some(state), ..HostFacts::default() })
    };
    vec![
        ("transparent-huge-pages", pages("always"), pages("madvise")),
        (
            "huge-pages",
            with(|h, v| h.huge_pages = Some(v.into()), 0),
            with(|h, v| h.huge_pages = Some(v.into()), 512),
        ),
        (
            "page-size",
            with(|h, v| h.page_bytes = Some(v.into()), 65_536),
            with(|h, v| h.page_bytes = Some(v.into()), 4096),
        ),
        (
            "swappiness",
            with(|h, v| h.settings.swappiness = Some(v), 60),
            with(|h, v| h.settings.swappiness = Some(v), 1),
        ),
        (
            "dirty-limits",
            with(|h, v| h.settings.dirty_background_percent = Some(v), 10),
            with(|h, v| h.settings.dirty_background_bytes = Some(v.into()), 1 << 28),
        ),
        ("free-memory", kept(4096, 1024), kept(65_536, 1024)),
        (
            "zone-reclaim",
            with(|h, v| h.settings.zone_reclaim_mode = Some(v), 1),
            with(|h, v| h.settings.zone_reclaim_mode = Some(v), 0),
        ),
        ("cpu-governor", governor("powersave"), governor("performance")),
        ("cpu-idle", idle(133), idle(2)),
        ("clock-source", clock("hpet"), clock("tsc")),
        (
            "virtual-machine",
            host(HostFacts { hypervisor: text("KVM"), ..HostFacts::default() }),
            host(HostFacts::default()),
        ),
    ]
}
