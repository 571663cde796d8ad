//! Rules about storage behind a network: NFS and iSCSI.

use super::Part::{Database, Measurement};
use super::Severity::{Error, Note, Warning};
use super::layers::is_multipath;
use super::{Judge, Rule, Status, System};
use rigel_core::facts::{DeviceFacts, IscsiFacts, MountFacts};
use rigel_core::units::Bytes;

const NFS: &str = "https://man7.org/linux/man-pages/man5/nfs.5.html";
const ISCSI: &str = "https://github.com/open-iscsi/open-iscsi";
const NET: &str = "https://docs.kernel.org/networking/ip-sysctl.html";

/// Least bytes of an NFS request that a large I/O should not be cut below.
const NFS_REQUEST_BYTES: u64 = 1 << 20;
/// The kernel's own number for NFS 4.1 is 64.
const FEW_NFS_SLOTS: u64 = 128;
/// Least buffers of a socket for storage at 10 Gbit/s and more.
const SOCKET_BYTES: u64 = 4 << 20;
/// A session below multipath should fail soon, so another path is taken.
const MULTIPATH_RECOVERY_S: u64 = 30;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "nfs-soft",
        setting: "soft NFS mount",
        part: Database,
        severity: Error,
        wrong: "a {value} mount can silently corrupt files",
        why: "a soft mount fails a request after some retries, even in the middle of a write: silent corruption of database files",
        show: "nfsstat -m",
        change: "{want} instead of soft in /etc/fstab, then mount it again",
        source: NFS,
        judge: Judge::Mount(|mount, _| {
            // What is only read cannot be corrupted, and softreval is about attributes in the cache.
            let soft = (mount.has("soft") || mount.has("softerr")) && !mount.has("ro");
            of_nfs(mount, || Status::when(soft, if soft { "soft" } else { "hard" }, "hard"))
        }),
    },
    Rule {
        name: "nfs-udp",
        setting: "NFS over UDP",
        part: Database,
        severity: Error,
        wrong: "NFS over {value} can silently corrupt data",
        why: "at gigabit speeds fragments of different requests can be reassembled as one: silent data corruption",
        show: "nfsstat -m",
        change: "proto={want} in /etc/fstab, then mount it again",
        source: NFS,
        judge: Judge::Mount(|mount, _| {
            let judge = |proto: &str| Status::when(proto.starts_with("udp"), proto, "tcp");
            of_nfs(mount, || Status::known(mount.value("proto"), judge))
        }),
    },
    Rule {
        name: "nfs-request",
        setting: "largest NFS request",
        part: Measurement,
        severity: Warning,
        wrong: "1 MiB is split ({value})",
        why: "a 1 MiB I/O becomes several requests; the smaller of the mount option and the server's limit applies",
        show: "nfsstat -m",
        change: "rsize={want},wsize={want} in /etc/fstab, and the limit of the server; then mount it again",
        source: NFS,
        judge: Judge::Mount(|mount, _| {
            let judge = |(read, write): (u64, u64)| {
                let value = format!("rsize {}, wsize {}", Bytes(read), Bytes(write));
                Status::when(read.min(write) < NFS_REQUEST_BYTES, value, NFS_REQUEST_BYTES)
            };
            of_nfs(mount, || Status::known(mount.number("rsize").zip(mount.number("wsize")), judge))
        }),
    },
    Rule {
        name: "nfs-connections",
        setting: "connections to an NFS server",
        part: Measurement,
        severity: Note,
        wrong: "all I/O goes over one TCP connection",
        why: "all I/O goes through one TCP connection, served by one CPU and one link of a bond",
        show: "nfsstat -m",
        change: "nconnect={want} in /etc/fstab, then mount it again (Linux 5.3 and later)",
        source: NFS,
        judge: Judge::Mount(|mount, _| {
            of_nfs(mount, || {
                let connections = mount.number("nconnect").unwrap_or(1);
                Status::when(connections < 2, connections, 4)
            })
        }),
    },
    Rule {
        name: "nfs-slots",
        setting: "requests in flight to an NFS server",
        part: Measurement,
        severity: Note,
        wrong: "at most {value} requests are in flight",
        why: "this is NFS's queue depth: further I/O waits in this host; the server may allow less",
        show: "cat /sys/module/nfs/parameters/max_session_slots /proc/sys/sunrpc/tcp_max_slot_table_entries",
        change: "options nfs max_session_slots={want} in /etc/modprobe.d (NFS 3: sysctl -w \
             sunrpc.tcp_max_slot_table_entries={want}), then mount it again",
        source: "https://docs.kernel.org/admin-guide/kernel-parameters.html",
        judge: Judge::Mount(|mount, system| {
            let settings = &system.host.settings;
            of_nfs(mount, || match mount.value("vers") {
                Some(version) if version.starts_with('4') => slots(settings.nfs_session_slots),
                Some(_) => slots(settings.nfs_slots),
                None => Status::Unknown,
            })
        }),
    },
    Rule {
        name: "nfs-locks",
        setting: "locks on an NFS server",
        part: Database,
        severity: Warning,
        wrong: "two hosts can open one database (locks: {value})",
        why: "with nolock two hosts can open the same database at the same time",
        show: "nfsstat -m",
        change: "leave nolock out of /etc/fstab, then mount it again",
        source: NFS,
        judge: Judge::Mount(|mount, _| {
            let off = mount.has("nolock") || mount.value("local_lock").is_some_and(|kind| kind != "none");
            of_nfs(mount, || Status::when(off, if off { "local only" } else { "on the server" }, ""))
        }),
    },
    Rule {
        name: "iscsi-recovery",
        setting: "time until a broken iSCSI session fails its I/O",
        part: Database,
        severity: Warning,
        wrong: "a broken session holds its I/O for {value}",
        why: "under multipath the I/O of a broken session waits that long before another path is tried",
        show: "iscsiadm -m session -P 2",
        change: "node.session.timeo.replacement_timeout = {want} (iscsiadm -m node -o update -n .. -v ..), then log in again",
        source: ISCSI,
        judge: Judge::Device(|device, system| {
            if !system.above(device).any(is_multipath) {
                return Status::NotAsked;
            }
            let judge = |s| Status::when(s > MULTIPATH_RECOVERY_S, format_args!("{s} s"), 5);
            of_iscsi(device, |session| Status::known(session.recovery_timeout_s, judge))
        }),
    },
    Rule {
        name: "iscsi-bursts",
        setting: "unsolicited burst",
        part: Measurement,
        severity: Note,
        wrong: "larger I/O needs additional round trips",
        why: "writes above the first burst wait for the target to request their data, a round trip each; reads come in bursts of this size",
        show: "iscsiadm -m session -P 2",
        change: "node.session.iscsi.FirstBurstLength = {want}, node.session.iscsi.MaxBurstLength = \
             16776192, and the same on the target; then log in again",
        source: ISCSI,
        judge: Judge::Device(|device, _| {
            let judge = |(first, most): (u64, u64)| {
                let value = format!("first burst {}, bursts up to {}", Bytes(first), Bytes(most));
                Status::when(first < 256 << 10 || most < 1 << 20, value, 262_144)
            };
            let bursts = |session: &IscsiFacts| session.first_burst_bytes.zip(session.max_burst_bytes);
            of_iscsi(device, |session| Status::known(bursts(session), judge))
        }),
    },
    Rule {
        name: "iscsi-r2t",
        setting: "initial R2T",
        part: Measurement,
        severity: Note,
        wrong: "every write waits for an additional round trip",
        why: "with InitialR2T every write costs a round trip before its first byte",
        show: "iscsiadm -m session -P 2",
        change: "node.session.iscsi.InitialR2T = {want}, and the same on the target; then log in again",
        source: ISCSI,
        judge: Judge::Device(|device, _| {
            let judge = |waits| Status::when(waits, if waits { "yes" } else { "no" }, "No");
            of_iscsi(device, |session| Status::known(session.initial_r2t, judge))
        }),
    },
    Rule {
        name: "socket-receive",
        setting: "largest receive buffer of TCP",
        part: Measurement,
        severity: Warning,
        wrong: "a receive buffer of {value} slows a fast network",
        why: "storage on a fast network needs bandwidth x round-trip time bytes in flight; a connection's buffer cannot grow beyond this",
        show: "sysctl net.ipv4.tcp_rmem",
        change: "sysctl -w net.ipv4.tcp_rmem='4096 131072 {want}'",
        source: NET,
        judge: Judge::Host(|host, system| socket(host.settings.tcp_receive_max_bytes, system)),
    },
    Rule {
        name: "socket-send",
        setting: "largest send buffer of TCP",
        part: Measurement,
        severity: Warning,
        wrong: "a send buffer of {value} slows a fast network",
        why: "as for receiving: writes to storage on a fast network need bandwidth x round-trip time bytes in flight",
        show: "sysctl net.ipv4.tcp_wmem",
        change: "sysctl -w net.ipv4.tcp_wmem='4096 16384 {want}'",
        source: NET,
        judge: Judge::Host(|host, system| socket(host.settings.tcp_send_max_bytes, system)),
    },
];

fn of_nfs(mount: &MountFacts, judge: impl FnOnce() -> Status) -> Status {
    if mount.is_nfs() { judge() } else { Status::NotAsked }
}

fn of_iscsi(device: &DeviceFacts, judge: impl FnOnce(&IscsiFacts) -> Status) -> Status {
    match &device.iscsi {
        Some(session) if device.partition_of.is_none() => judge(session),
        _ => Status::NotAsked,
    }
}

fn slots(count: Option<u64>) -> Status {
    Status::known(count, |count| Status::when(count < FEW_NFS_SLOTS, count, 180))
}

fn socket(bytes: Option<u64>, system: &System<'_>) -> Status {
    let networked = system.mounts.iter().any(|mount| mount.is_nfs())
        || system.devices.iter().any(|device| device.iscsi.is_some());
    Status::if_any(networked.then_some(bytes), |bytes| {
        Status::known(bytes, |bytes| Status::when(bytes < SOCKET_BYTES, Bytes(bytes), SOCKET_BYTES))
    })
}
