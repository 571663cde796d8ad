//! The host and the targets that the records of the corpus tell of.
//!
//! Must not ask this machine for anything.

use rigel_core::facts::engine::{Backing, BufferFacts, EngineFacts, EngineKind};
use rigel_core::facts::{
    DeviceFacts, ExtentFacts, ExtentSource, HostFacts, Identity, IdleState, MountFacts, TargetFacts,
    TargetKind,
};
use rigel_core::record::Node;
use rigel_core::units::GIB;

/// A server with eight CPUs.
pub fn host() -> HostFacts {
    HostFacts {
        kernel: "Linux 6.12.0-golden".into(),
        machine: "x86_64".into(),
        cpu_model: Some("Golden CPU 8 @ 2.40GHz".into()),
        cpus: 8,
        memory_bytes: Some(32 * GIB),
        swap_bytes: Some(0),
        huge_pages_free: Some(0),
        huge_page_bytes: Some(2 << 20),
        transparent_huge_pages: Some("madvise".into()),
        memlock_limit_bytes: Some(8 << 20),
        io_uring_disabled: Some(0),
        cpu_governors: vec!["performance".into()],
        deepest_idle: Some(IdleState { name: "C1".into(), exit_latency_us: 2 }),
        numa_nodes: vec![0],
        own_numa_nodes: vec![0],
        clock_source: Some("tsc".into()),
        ..HostFacts::default()
    }
}

/// io_uring with everything that it can have.
pub fn engine() -> EngineFacts {
    EngineFacts {
        registered_buffers: true,
        registered_files: true,
        single_issuer: true,
        defer_taskrun: true,
        ..EngineFacts::plain(EngineKind::IoUring)
    }
}

/// The only node of a run.
pub fn node() -> Node {
    let buffers = BufferFacts {
        backing: Backing::TransparentHuge,
        bytes: 4 << 20,
        large_segments_max: Some(1),
        large_segments_mean: Some(1.0),
    };
    Node { host: host(), engine: engine(), buffers, member: None }
}

/// A disk, `/dev/sdb` and so on.
pub fn disk(number: u8) -> DeviceFacts {
    DeviceFacts {
        name: format!("sd{}", char::from(b'b' + number)),
        model: Some("GOLDEN SSD".into()),
        identifier: Some(format!("wwn-0x5000c5000000000{number}")),
        rotational: Some(false),
        scheduler: Some("none".into()),
        nr_requests: Some(256),
        write_cache: Some("write back".into()),
        transport: Some("sas".into()),
        number: Some((8, 16 * (u32::from(number) + 1))),
        size_bytes: Some(16 * GIB),
        logical_block_bytes: Some(512),
        physical_block_bytes: Some(4096),
        ..DeviceFacts::default()
    }
}

/// That disk as a target of this many bytes.
pub fn device(number: u8, size_bytes: u64) -> TargetFacts {
    let disk = disk(number);
    let path = format!("/dev/{}", disk.name);
    TargetFacts {
        path: path.clone(),
        real_path: path,
        kind: TargetKind::BlockDevice,
        size_bytes,
        identity: Identity { device: disk.number.unwrap_or_default(), inode: 0 },
        logical_block_bytes: 512,
        physical_block_bytes: Some(4096),
        direct_io: Some(true),
        device: Some(disk),
        ..TargetFacts::default()
    }
}

/// A file of this many bytes on a filesystem on that disk, completely written.
pub fn file(number: u8, size_bytes: u64) -> TargetFacts {
    let path = format!("/u0{}/data.dbf", number + 1);
    let disk = disk(number);
    let mount = MountFacts {
        mount_point: format!("/u0{}", number + 1),
        filesystem: "xfs".into(),
        source: format!("/dev/{}", disk.name),
        options: vec!["rw".into(), "noatime".into()],
        device: Some(disk.name.clone()),
        lies_on: None,
    };
    let extents = ExtentFacts {
        source: ExtentSource::Fiemap,
        written_bytes: size_bytes,
        extents: 3,
        ..ExtentFacts::default()
    };
    TargetFacts {
        path: path.clone(),
        real_path: path,
        kind: TargetKind::File,
        size_bytes,
        identity: Identity { device: disk.number.unwrap_or_default(), inode: 130 + u64::from(number) },
        logical_block_bytes: 512,
        physical_block_bytes: Some(4096),
        direct_io: Some(true),
        filesystem: Some("xfs".into()),
        mount_point: Some(mount.mount_point.clone()),
        allocated_bytes: Some(size_bytes),
        extents: Some(extents),
        device: Some(disk),
        mount: Some(mount),
        ..TargetFacts::default()
    }
}
