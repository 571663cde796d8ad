//! Facts of the host. What cannot be read is left out, never guessed. Must not change a setting.

mod cgroup;
mod limits;
mod priority;
mod processor;

pub(crate) use cgroup::{IoLimits, groups};

use crate::cpus;
use crate::limits::memlock_limit_bytes;
use crate::system::{System, chosen_word, text, value};
use crate::uring;
use procfs::FromBufRead as _;
use rigel_core::facts::{HostFacts, KernelSettings, Limit, ProcessPriority};
use rigel_core::path_text;
use rustix::system::uname;
use rustix::thread::sched_getaffinity;
use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The facts of this host now.
pub fn host_facts() -> HostFacts {
    let name = uname();
    let printable = |text: &CStr| path_text::encode_os(OsStr::from_bytes(text.to_bytes()));
    HostFacts {
        kernel: format!("{} {}", printable(name.sysname()), printable(name.release())),
        machine: printable(name.machine()),
        cpus: cpus(),
        page_bytes: u64::try_from(rustix::param::page_size()).ok(),
        memlock_limit_bytes: memlock_limit_bytes(),
        io_uring_refusal: uring::refused(),
        priority: priority::of_process(),
        ..of_files(&System::default())
    }
}

/// The limits that the control groups of this process set on I/O now, as in [`rigel_core::facts::CgroupFacts::io_max`].
pub fn io_limits() -> Vec<String> {
    IoLimits::of(System::default()).read()
}

/// Distinguishes this boot of the host from every other.
pub fn boot_id() -> Option<String> {
    text(&System::default().proc.join("sys/kernel/random/boot_id"))
}

/// The facts of another host, from a captured tree of its files. `cpus` are those that the captured process could use.
pub(crate) fn host_facts_at(root: &Path) -> HostFacts {
    let system = System::at(root);
    HostFacts { page_bytes: processor::page_bytes(&system), ..of_files(&system) }
}

fn of_files(system: &System) -> HostFacts {
    let memory = std::fs::read(system.proc.join("meminfo"))
        .ok()
        .and_then(|bytes| procfs::Meminfo::from_buf_read(bytes.as_slice()).ok());
    let cpuinfo = std::fs::read(system.proc.join("cpuinfo")).unwrap_or_default();
    let kernel = |name: &str| text(&system.proc.join("sys/kernel").join(name));
    let limits = limits::of_process(system);
    let allowed = processor::allowed(system);
    let product = processor::product(system);
    let nodes = cpus::nodes(&system.sys.join("devices/system"));
    let is_own = |(_, cpus): &&(u32, Vec<u32>)| cpus.iter().any(|cpu| allowed.contains(cpu));
    HostFacts {
        kernel: [kernel("ostype"), kernel("osrelease")].into_iter().flatten().collect::<Vec<_>>().join(" "),
        machine: kernel("arch").unwrap_or_default(),
        cpu_model: processor::model(&cpuinfo),
        cpus: u32::try_from(allowed.len()).unwrap_or(u32::MAX),
        page_bytes: None,
        memory_bytes: memory.as_ref().map(|memory| memory.mem_total),
        swap_bytes: memory.as_ref().map(|memory| memory.swap_total),
        huge_pages_free: memory.as_ref().and_then(|memory| memory.hugepages_free),
        huge_pages: memory.as_ref().and_then(|memory| memory.hugepages_total),
        huge_page_bytes: memory.as_ref().and_then(|memory| memory.hugepagesize),
        transparent_huge_pages: text(&system.sys.join("kernel/mm/transparent_hugepage/enabled"))
            .map(|list| chosen_word(&list)),
        memlock_limit_bytes: limits.locked_memory_bytes.and_then(|limit: Limit| limit.soft),
        aio_nr: system.sysctl("fs/aio-nr"),
        aio_max_nr: system.sysctl("fs/aio-max-nr"),
        io_uring_disabled: system.sysctl("kernel/io_uring_disabled"),
        io_uring_refusal: None,
        settings: settings(system),
        limits,
        priority: ProcessPriority::default(),
        cgroup: cgroup::of_process(system),
        cpu_governors: processor::governors(system),
        deepest_idle: processor::deepest_idle(system),
        numa_nodes: nodes.iter().map(|(node, _)| *node).collect(),
        own_numa_nodes: nodes.iter().filter(is_own).map(|(node, _)| *node).collect(),
        boot_id: text(&system.proc.join("sys/kernel/random/boot_id")),
        clock_source: text(&system.sys.join("devices/system/clocksource/clocksource0/current_clocksource")),
        hypervisor: processor::hypervisor(system, &cpuinfo, product.as_deref()),
        product,
    }
}

fn settings(system: &System) -> KernelSettings {
    // Numbers between tabs.
    let last_of = |name: &str| {
        let numbers = std::fs::read_to_string(system.proc.join("sys").join(name)).ok()?;
        numbers.split_whitespace().last()?.parse().ok()
    };
    KernelSettings {
        swappiness: system.sysctl("vm/swappiness"),
        dirty_percent: system.sysctl("vm/dirty_ratio"),
        dirty_bytes: system.sysctl("vm/dirty_bytes"),
        dirty_background_percent: system.sysctl("vm/dirty_background_ratio"),
        dirty_background_bytes: system.sysctl("vm/dirty_background_bytes"),
        min_free_kb: system.sysctl("vm/min_free_kbytes"),
        zone_reclaim_mode: system.sysctl("vm/zone_reclaim_mode"),
        tcp_receive_max_bytes: last_of("net/ipv4/tcp_rmem"),
        tcp_send_max_bytes: last_of("net/ipv4/tcp_wmem"),
        nfs_slots: system.sysctl("sunrpc/tcp_max_slot_table_entries"),
        nfs_session_slots: value(&system.sys.join("module/nfs/parameters/max_session_slots")),
    }
}

/// The number of CPUs that this process may run on. A kernel with more than 1,024 CPUs refuses the set of rustix; then
/// the count of the standard library is taken, which includes quotas.
fn cpus() -> u32 {
    let by_affinity = sched_getaffinity(None).map(|set| set.count()).ok();
    by_affinity.or_else(|| u32::try_from(std::thread::available_parallelism().ok()?.get()).ok()).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_host() {
        let facts = host_facts();
        assert!(facts.kernel.starts_with("Linux "), "{}", facts.kernel);
        assert_eq!(facts.machine, std::env::consts::ARCH);
        assert!(facts.cpus >= 1);
        assert!(facts.memory_bytes.unwrap() > 1 << 20);
        assert_eq!(facts.page_bytes, processor::page_bytes(&System::default()), "two ways to ask");
        assert!(facts.aio_nr.unwrap_or(0) <= facts.aio_max_nr.unwrap_or(u64::MAX));
        assert_eq!(
            facts.limits.locked_memory_bytes.unwrap().soft,
            facts.memlock_limit_bytes,
            "two ways to ask"
        );
        assert!(facts.settings.swappiness.is_some() && !facts.numa_nodes.is_empty());
        assert!(facts.settings.tcp_receive_max_bytes.is_none_or(|most| most >= 4096));
        assert!(facts.own_numa_nodes.iter().all(|node| facts.numa_nodes.contains(node)));
    }

    #[test]
    fn an_empty_tree_is_no_host() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(host_facts_at(root.path()), HostFacts::default());
    }
}
