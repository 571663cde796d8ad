//! Rules about what this process may use: asynchronous I/O, memory, files, its control group.

use super::Part::{Database, Measurement};
use super::Severity::{Error, Note, Warning};
use super::{Judge, Rule, Status};
use rigel_core::facts::Limit;
use rigel_core::units::Bytes;
use std::fmt::Display;

const FS: &str = "https://docs.kernel.org/admin-guide/sysctl/fs.html";
const KERNEL: &str = "https://docs.kernel.org/admin-guide/sysctl/kernel.html";
const RLIMIT: &str = "https://man7.org/linux/man-pages/man2/getrlimit.2.html";
const ORACLE_KERNEL: &str = "https://docs.oracle.com/en/database/oracle/oracle-database/19/ladbi/minimum-parameter-settings-for-installation.html";
const ORACLE_LIMITS: &str = "https://docs.oracle.com/en/database/oracle/oracle-database/19/ladbi/checking-resource-limits-for-oracle-software-installation-users.html";
const CGROUP: &str = "https://docs.kernel.org/admin-guide/cgroup-v2.html";

/// The value that Oracle's installation requires.
const AIO_MAX_NR: u64 = 1_048_576;
const OPEN_FILES: u64 = 65_536;
const PROCESSES: u64 = 16_384;
/// libaio events that a run or a database start needs to have left.
const AIO_LEFT: u64 = 4096;
/// Rings and registered buffers of a run with 1,000 outstanding I/Os and additional large I/O.
const LOCKED_BYTES: u64 = 64 << 20;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "aio-left",
        setting: "asynchronous I/O left",
        part: Database,
        severity: Error,
        wrong: "asynchronous I/O is nearly used up ({value} left)",
        why: "all or nearly all libaio events of the host are taken: databases start without asynchronous \
              I/O (Oracle: ORA-56708 in a calibration), and the engine libaio is refused",
        show: "sysctl fs.aio-nr fs.aio-max-nr",
        change: "sysctl -w fs.aio-max-nr={want}",
        source: FS,
        judge: Judge::Host(|host, _| {
            Status::known(host.aio_nr.zip(host.aio_max_nr), |(used, most)| {
                let left = most.saturating_sub(used);
                let enough = most.saturating_mul(2).max(AIO_MAX_NR);
                Status::when(left < AIO_LEFT, format_args!("{left} of {most}"), enough)
            })
        }),
    },
    Rule {
        name: "aio-max-nr",
        setting: "asynchronous I/O limit of the host",
        part: Database,
        severity: Note,
        wrong: "enough asynchronous I/O for only a few databases ({value})",
        why: "several databases with libaio exhaust the default of 65536; Oracle's installer asks for 1048576",
        show: "sysctl fs.aio-max-nr",
        change: "sysctl -w fs.aio-max-nr={want}",
        source: ORACLE_KERNEL,
        judge: Judge::Host(|host, _| {
            Status::known(host.aio_max_nr, |most| Status::when(most < AIO_MAX_NR, most, AIO_MAX_NR))
        }),
    },
    Rule {
        name: "io-uring",
        setting: "io_uring",
        part: Database,
        severity: Warning,
        wrong: "io_uring is restricted: I/O costs more CPU time",
        why: "without it Rigel falls back to libaio, and PostgreSQL 18 to its workers, at more CPU time per I/O",
        show: "sysctl kernel.io_uring_disabled; grep Seccomp /proc/self/status",
        change: "sysctl -w kernel.io_uring_disabled=0; in a container, a seccomp profile that allows io_uring_setup, io_uring_enter and io_uring_register",
        source: KERNEL,
        judge: Judge::Host(|host, _| match (&host.io_uring_refusal, host.io_uring_disabled) {
            (Some(reason), _) => Status::bent(format_args!("refused: {reason}"), ""),
            // What this process may says nothing of the database's user.
            (None, Some(disabled @ 1..)) => {
                Status::bent(format_args!("allowed here; kernel.io_uring_disabled is {disabled}"), "")
            }
            (None, _) => Status::fine("allowed"),
        }),
    },
    Rule {
        name: "locked-memory",
        setting: "lockable memory of this login",
        part: Database,
        severity: Note,
        wrong: "this login may lock at most {value} of memory",
        why: "buffers registered with io_uring count against it (all rings before Linux 5.12), as do huge \
              pages of a database's shared memory; this is the limit of this login, a database service has \
              its own",
        show: "ulimit -l (KiB); of a service: systemctl show -p LimitMEMLOCK SERVICE",
        change: "{want} at least: memlock 65536 (KiB) in /etc/security/limits.conf, LimitMEMLOCK=64M in a service",
        source: RLIMIT,
        judge: Judge::Host(|host, _| {
            let soft = host.limits.locked_memory_bytes.map(|limit| limit.soft);
            at_least(soft, LOCKED_BYTES, |bytes| Bytes(bytes).to_string(), Bytes(LOCKED_BYTES))
        }),
    },
    Rule {
        name: "open-files",
        setting: "open files of this login",
        part: Database,
        severity: Warning,
        wrong: "this login may open at most {value} files",
        why: "each target and ring uses a file, as does each data file in each database process; a process \
              can raise its limit up to the hard limit; this is the limit of this login, a database service \
              has its own",
        show: "ulimit -Hn; of a service: systemctl show -p LimitNOFILE SERVICE",
        change: "{want} at least: nofile in /etc/security/limits.conf, LimitNOFILE= in a service",
        source: ORACLE_LIMITS,
        judge: Judge::Host(|host, _| hard(host.limits.open_files, OPEN_FILES)),
    },
    Rule {
        name: "processes",
        setting: "process limit of this login",
        part: Database,
        severity: Note,
        wrong: "this login may have at most {value} processes",
        why: "database processes (one per session) and the threads of io_uring and of engines count against \
              it; this is the limit of this login, a database service has its own",
        show: "ulimit -Hu; of a service: systemctl show -p LimitNPROC SERVICE",
        change: "{want} at least: nproc in /etc/security/limits.conf, LimitNPROC= in a service",
        source: ORACLE_LIMITS,
        judge: Judge::Host(|host, _| hard(host.limits.processes, PROCESSES)),
    },
    Rule {
        name: "priority",
        setting: "priority of this process",
        part: Measurement,
        severity: Warning,
        wrong: "not the normal priority ({value})",
        why: "CPU and disk schedulers serve low-priority processes after others and high-priority ones \
              before them: the same load on the same disk gives different numbers",
        show: "nice; ionice -p $$; chrt -p $$; (cd /sys/fs/cgroup/$(cut -d: -f3- /proc/self/cgroup | tail -1) && cat io.weight cpu.weight); \
               cat /sys/fs/cgroup/cpu$(grep -E '[:,]cpu[:,]' /proc/self/cgroup | cut -d: -f3-)/cpu.shares",
        change: "start it without nice, ionice and chrt; in a service, leave out Nice=, CPUSchedulingPolicy=, IOSchedulingClass=, \
                 IOWeight= and CPUWeight=; a pod gets its share by its CPU request",
        source: "https://man7.org/linux/man-pages/man2/ioprio_set.2.html",
        judge: Judge::Host(|host, _| match (host.rank(), host.priority.told()) {
            (Some((_, why)), _) => Status::bent(why, ""),
            (None, told) => Status::known(told, Status::fine),
        }),
    },
    Rule {
        name: "cgroup-io",
        setting: "I/O limit of the control group",
        part: Measurement,
        severity: Warning,
        wrong: "a control group limit is measured, not the disk",
        why: "the kernel throttles the I/O of this group or of a parent: the limit is measured, not the storage",
        show: "cat /proc/self/cgroup; cat /sys/fs/cgroup/$(cut -d: -f3- /proc/self/cgroup | tail -1)/io.max",
        change: "run outside of the group, or lift IOReadIOPSMax=, IOReadBandwidthMax= .. of its service or container",
        source: CGROUP,
        // Those that are about a device of the system, or all when none of its devices is known.
        judge: Judge::Host(|host, system| {
            let ours = |line: &&String| {
                let device = line.split(' ').next().unwrap_or_default();
                let is = |found: &(u32, u32)| format!("{}:{}", found.0, found.1) == device;
                system.devices.is_empty()
                    || system.devices.iter().filter_map(|device| device.number.as_ref()).any(is)
            };
            let limits: Vec<&str> = host.cgroup.io_max.iter().filter(ours).map(String::as_str).collect();
            if limits.is_empty() { Status::fine("none") } else { Status::bent(limits.join("; "), "") }
        }),
    },
    Rule {
        name: "cgroup-cpu",
        setting: "CPU limit of the control group",
        part: Measurement,
        severity: Warning,
        wrong: "I/O waits for CPU time (limit: {value})",
        why: "once the quota of a period is used up, no thread runs until the next: latencies of tens of milliseconds that are not the storage's",
        show: "cat /sys/fs/cgroup/$(cut -d: -f3- /proc/self/cgroup | tail -1)/cpu.max",
        change: "run outside of the group, or lift CPUQuota= of its service, the CPU limit of its container",
        source: CGROUP,
        judge: Judge::Host(|host, _| match host.cgroup.cpu_max_millis {
            Some(millis) => Status::when(
                millis < u64::from(host.cpus).saturating_mul(1000),
                format_args!("{}.{:03} CPUs", millis / 1000, millis % 1000),
                "",
            ),
            None => Status::fine("none"),
        }),
    },
    Rule {
        name: "cgroup-memory",
        setting: "memory limit of the control group",
        part: Database,
        severity: Note,
        wrong: "page cache and buffers share {value}",
        why: "page cache and buffers count against it; if a database's shared memory nearly fills it, little is left for either",
        show: "cat /sys/fs/cgroup/$(cut -d: -f3- /proc/self/cgroup | tail -1)/memory.max",
        change: "MemoryMax= of its service, the memory limit of its container",
        source: CGROUP,
        judge: Judge::Host(|host, _| match host.cgroup.memory_max_bytes {
            Some(bytes) => Status::when(host.memory_bytes.is_none_or(|all| bytes < all), Bytes(bytes), ""),
            None => Status::fine("none"),
        }),
    },
    Rule {
        name: "cgroup-processes",
        setting: "process limit of the control group",
        part: Database,
        severity: Note,
        wrong: "at most {value} processes and threads",
        why: "threads count as processes: a run with many workers or a database with many sessions may not be able to start more",
        show: "cat /sys/fs/cgroup/$(cut -d: -f3- /proc/self/cgroup | tail -1)/pids.max",
        change: "TasksMax= of its service, the process limit of its container; {want} at least",
        source: CGROUP,
        judge: Judge::Host(|host, _| match host.cgroup.processes_max {
            Some(most) => Status::when(most < PROCESSES, most, PROCESSES),
            None => Status::fine("none"),
        }),
    },
];

/// For the hard limit, up to which a process can raise its own.
fn hard(found: Option<Limit>, least: u64) -> Status {
    at_least(found.map(|limit| limit.hard), least, |most| most.to_string(), least)
}

/// Bent when a limit, `None` inside for unlimited, is below `least`.
fn at_least(
    found: Option<Option<u64>>,
    least: u64,
    shown: impl Fn(u64) -> String,
    want: impl Display,
) -> Status {
    Status::known(found, |limit| {
        let value = limit.map_or_else(|| "unlimited".to_owned(), shown);
        Status::when(limit.is_some_and(|most| most < least), value, want)
    })
}
