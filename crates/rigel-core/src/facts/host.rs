//! Facts of the host. Must not gather anything.

use super::priority::{ProcessPriority, Rank, USUAL_SHARES, USUAL_WEIGHT};
use crate::path_text::printable;
use serde::{Deserialize, Serialize};

/// The host that measures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostFacts {
    /// `uname -sr`.
    pub kernel: String,
    /// Machine architecture.
    pub machine: String,
    /// First `model name` of /proc/cpuinfo; on Arm the names of the cores that it numbers, each once.
    pub cpu_model: Option<String>,
    /// CPUs that this process may run on.
    pub cpus: u32,
    /// A normal page of memory: 4 KiB on x86, on Arm 4, 16 or 64 KiB, as the kernel was built. `None` in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_bytes: Option<u64>,
    /// Memory of the host.
    pub memory_bytes: Option<u64>,
    /// Swap space; 0 on a host without swap.
    #[serde(default)]
    pub swap_bytes: Option<u64>,
    /// Free explicit huge pages.
    pub huge_pages_free: Option<u64>,
    /// Size of an explicit huge page.
    pub huge_page_bytes: Option<u64>,
    /// The selected word of /sys/kernel/mm/transparent_hugepage/enabled.
    pub transparent_huge_pages: Option<String>,
    /// RLIMIT_MEMLOCK, soft; `None` when unlimited.
    pub memlock_limit_bytes: Option<u64>,
    /// fs.aio-nr: libaio events in use on the whole host.
    pub aio_nr: Option<u64>,
    /// fs.aio-max-nr: the limit of these events.
    pub aio_max_nr: Option<u64>,
    /// kernel.io_uring_disabled: 0 allowed, 1 for a group, 2 disabled; `None` before Linux 6.6.
    pub io_uring_disabled: Option<u32>,
    /// Why this process cannot use io_uring; `None` if it can, or did not try.
    pub io_uring_refusal: Option<String>,
    /// Explicit huge pages, free or not.
    pub huge_pages: Option<u64>,
    /// Kernel settings.
    #[serde(default)]
    pub settings: KernelSettings,
    /// Limits of this process.
    #[serde(default)]
    pub limits: ProcessLimits,
    /// How the kernel ranks this process among others.
    #[serde(default)]
    pub priority: ProcessPriority,
    /// The control group of this process, with its limits.
    #[serde(default)]
    pub cgroup: CgroupFacts,
    /// Frequency governors in use, each once.
    #[serde(default)]
    pub cpu_governors: Vec<String>,
    /// The enabled idle state of CPU 0 with the slowest wake-up.
    pub deepest_idle: Option<IdleState>,
    /// NUMA nodes, by number.
    #[serde(default)]
    pub numa_nodes: Vec<u32>,
    /// Of these, the nodes with a CPU that this process may use.
    #[serde(default)]
    pub own_numa_nodes: Vec<u32>,
    /// /proc/sys/kernel/random/boot_id: differs after each boot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot_id: Option<String>,
    /// The kernel's clock source.
    pub clock_source: Option<String>,
    /// The hypervisor, as far as visible: `KVM`, `VMware` .., or `unknown`.
    pub hypervisor: Option<String>,
    /// Maker and name of the machine, from its firmware.
    pub product: Option<String>,
}

/// What a run needs besides its buffers: calibrations with all outputs used up to 20 MiB.
pub const OWN_MEMORY_BYTES: u64 = 24 << 20;

/// The page size of x86, and of most kernels for Arm.
pub const USUAL_PAGE_BYTES: u64 = 4 << 10;

/// What limits the memory of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryLimit {
    /// The host's memory.
    Host,
    /// The control groups of the process.
    Cgroup,
    /// RLIMIT_AS.
    AddressSpace,
}

impl HostFacts {
    /// A normal page; without a fact in the record, that of x86, where older records come from.
    pub fn page_bytes(&self) -> u64 {
        self.page_bytes.unwrap_or(USUAL_PAGE_BYTES)
    }

    /// How many CPUs this process may use at the same time.
    pub fn usable_cpus(&self) -> u32 {
        let quota = self.cgroup.cpu_max_millis.and_then(|millis| u32::try_from(millis.div_ceil(1000)).ok());
        self.cpus.min(quota.unwrap_or(u32::MAX))
    }

    /// `a KVM virtual machine (QEMU Standard PC)`; `None` if nothing says that the host is one.
    pub fn guest(&self) -> Option<String> {
        let kind = match printable(self.hypervisor.as_deref()?) {
            unknown if unknown == "unknown" => "virtual machine".to_owned(),
            kind => format!("{kind} virtual machine"),
        };
        let product = self.product.as_deref().map(|product| format!(" ({})", printable(product)));
        Some(format!("a {kind}{}", product.unwrap_or_default()))
    }

    /// The rank of this process among others, and why: `nice 19, I/O class idle`. `None` if it is the usual one.
    pub fn rank(&self) -> Option<(Rank, String)> {
        let own = self.priority.rank();
        let told = self.priority.told().filter(|_| own > Rank::Usual);
        let weights = self.cgroup.weights();
        let rank = weights.iter().map(|weight| weight.0).fold(own, Rank::max);
        let parts: Vec<String> = told.into_iter().chain(weights.into_iter().map(|weight| weight.1)).collect();
        (rank > Rank::Usual).then(|| (rank, parts.join(", ")))
    }

    /// The memory that a run can use, and what limits it; `None` if unknown.
    pub fn memory_room(&self) -> Option<(u64, MemoryLimit)> {
        let known = [
            (self.memory_bytes, MemoryLimit::Host),
            (self.cgroup.memory_room_bytes, MemoryLimit::Cgroup),
            (self.limits.address_room_bytes, MemoryLimit::AddressSpace),
        ];
        known.into_iter().filter_map(|(bytes, limit)| Some((bytes?, limit))).min_by_key(|room| room.0)
    }

    /// What buffers may use of it: half, as counts and outputs need memory, too, and a kernel short of memory kills processes.
    /// Less where little is left.
    pub fn buffer_room_bytes(&self) -> Option<u64> {
        self.memory_room().map(|(left, _)| (left / 2).min(left.saturating_sub(OWN_MEMORY_BYTES)))
    }
}

/// Kernel settings that affect storage, from /proc/sys; memory and time in the units of their files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelSettings {
    /// vm.swappiness.
    pub swappiness: Option<u32>,
    /// vm.dirty_ratio: per cent of memory; without effect when `dirty_bytes` is above 0.
    pub dirty_percent: Option<u32>,
    /// vm.dirty_bytes.
    pub dirty_bytes: Option<u64>,
    /// vm.dirty_background_ratio: per cent of memory.
    pub dirty_background_percent: Option<u32>,
    /// vm.dirty_background_bytes.
    pub dirty_background_bytes: Option<u64>,
    /// vm.min_free_kbytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_free_kb: Option<u64>,
    /// vm.zone_reclaim_mode.
    pub zone_reclaim_mode: Option<u32>,
    /// The last number of net.ipv4.tcp_rmem: the largest receive buffer of a connection.
    pub tcp_receive_max_bytes: Option<u64>,
    /// The last number of net.ipv4.tcp_wmem: the largest send buffer.
    pub tcp_send_max_bytes: Option<u64>,
    /// sunrpc.tcp_max_slot_table_entries: requests in flight to an NFS 3 server.
    pub nfs_slots: Option<u64>,
    /// Parameter max_session_slots of the module nfs: requests in flight with NFS 4.1 and later.
    pub nfs_session_slots: Option<u64>,
}

/// A limit of a process; `None` is unlimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limit {
    /// In force.
    pub soft: Option<u64>,
    /// The highest value that the process may set.
    pub hard: Option<u64>,
}

/// Limits of this process, from /proc/self/limits; `None` if the kernel does not show them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessLimits {
    /// RLIMIT_NOFILE.
    pub open_files: Option<Limit>,
    /// RLIMIT_NPROC.
    pub processes: Option<Limit>,
    /// RLIMIT_MEMLOCK, in bytes.
    pub locked_memory_bytes: Option<Limit>,
    /// Address space left below RLIMIT_AS; `None` without that limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address_room_bytes: Option<u64>,
}

/// Control groups of this process. A limit is the lowest of its own group and all groups above.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CgroupFacts {
    /// Its path in the hierarchy.
    pub path: Option<String>,
    /// Limits on I/O, each as the kernel writes it: `8:0 rbps=1048576 wbps=max riops=max wiops=max`.
    pub io_max: Vec<String>,
    /// CPU time in thousandths of a CPU.
    pub cpu_max_millis: Option<u64>,
    /// memory.max.
    pub memory_max_bytes: Option<u64>,
    /// Memory left: the lowest, over all groups up the hierarchy, of the limit less what the group uses and cannot reclaim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_room_bytes: Option<u64>,
    /// pids.max.
    pub processes_max: Option<u64>,
    /// The I/O weight of its own group, 1 to 10000, unless it is the usual 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub io_weight: Option<u64>,
    /// The CPU weight of its own group, 1 to 10000, unless it is the usual 100 (`cpu.weight`, version 2). A lower weight of a
    /// group above applies to everything in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_weight: Option<u64>,
    /// The same, unless it is the usual 1024 (`cpu.shares`, version 1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_shares: Option<u64>,
}

impl CgroupFacts {
    /// The unusual weights, with their effect. At a tenth of the CPU time other processes come first.
    fn weights(&self) -> Vec<(Rank, String)> {
        let io = self.io_weight.filter(|weight| *weight != USUAL_WEIGHT);
        let io = io.map(|weight| (Rank::Shifted, format!("io.weight {weight} of the control group")));
        let cpu = |file: &str, weight: Option<u64>, usual: u64| {
            let weight = weight.filter(|weight| *weight != usual)?;
            let rank = if weight <= usual / 10 { Rank::Behind } else { Rank::Shifted };
            Some((rank, format!("{file} {weight} of the control group, usually {usual}")))
        };
        let cpus = [
            cpu("cpu.weight", self.cpu_weight, USUAL_WEIGHT),
            cpu("cpu.shares", self.cpu_shares, USUAL_SHARES),
        ];
        io.into_iter().chain(cpus.into_iter().flatten()).collect()
    }

    /// The CPU quota in thousandths of a CPU, if it is below the CPUs there are.
    pub fn cpu_quota_millis(&self, cpus: u32) -> Option<u64> {
        self.cpu_max_millis.filter(|millis| *millis < u64::from(cpus).saturating_mul(1000))
    }
}

/// An idle state of a CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdleState {
    /// The driver's name of it: `C6`.
    pub name: String,
    /// Time to wake from it.
    pub exit_latency_us: u64,
}
