//! Rules about memory, CPUs and what the host runs on.

use super::Part::{Database, Measurement};
use super::Severity::{Note, Warning};
use super::{Judge, Rule, Status};
use rigel_core::facts::USUAL_PAGE_BYTES;
use rigel_core::units::Bytes;

const VM: &str = "https://docs.kernel.org/admin-guide/sysctl/vm.html";
const PAGES: &str = "https://www.postgresql.org/docs/current/kernel-resources.html";

/// The block of PostgreSQL and Oracle by default; InnoDB's is twice as large.
const DATABASE_BLOCK_BYTES: u64 = 8 << 10;
/// Bytes that may wait in memory before anything is written.
const DIRTY_BYTES: u64 = 1 << 30;
/// A time to wake from idle that matters next to the latency of flash.
const SLOW_WAKE_US: u64 = 50;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "transparent-huge-pages",
        setting: "transparent huge pages",
        part: Database,
        severity: Warning,
        wrong: "transparent huge pages ({value}) stall a database",
        why: "the kernel merges and moves a database's pages in the background: stalls of milliseconds that \
              look like storage stalls; Oracle and others recommend switching them off",
        show: "cat /sys/kernel/mm/transparent_hugepage/enabled",
        change: "echo {want} > /sys/kernel/mm/transparent_hugepage/enabled",
        source: "https://docs.kernel.org/admin-guide/mm/transhuge.html",
        judge: Judge::Host(|host, _| {
            let words = host.transparent_huge_pages.as_ref();
            Status::if_any(words, |word| Status::when(word == "always", word, "madvise"))
        }),
    },
    Rule {
        name: "huge-pages",
        setting: "reserved huge pages",
        part: Database,
        severity: Note,
        wrong: "no huge pages, so every process has large page tables",
        why: "a large shared memory in normal pages needs page tables in every process; databases use huge pages if available",
        show: "grep Huge /proc/meminfo",
        change: "sysctl -w vm.nr_hugepages=N, N x page size a little above the database's shared memory",
        source: PAGES,
        judge: Judge::Host(|host, _| {
            Status::if_any(host.huge_pages, |pages| {
                let free = host.huge_pages_free.unwrap_or(0);
                let value = format!("{pages} of {}, {free} free", Bytes(host.huge_page_bytes.unwrap_or(0)));
                Status::when(pages == 0, value, "")
            })
        }),
    },
    Rule {
        name: "page-size",
        setting: "pages of memory",
        part: Database,
        severity: Note,
        wrong: "the page cache moves pages of {value}, more than a block",
        why: "a buffered read or write of 8 KiB moves at least one kernel page: with pages of 64 KiB that \
            is eight times as much, \
              for PostgreSQL and for InnoDB without O_DIRECT; direct I/O, and so what is measured here, \
              moves only what is requested",
        show: "getconf PAGESIZE",
        change: "use direct I/O where the database can, or boot a kernel with pages of {want} bytes, which distributions offer for Arm",
        source: "https://docs.kernel.org/arch/arm64/memory.html",
        judge: Judge::Host(|host, _| {
            Status::if_any(host.page_bytes, |bytes| {
                Status::when(bytes > DATABASE_BLOCK_BYTES, Bytes(bytes), USUAL_PAGE_BYTES)
            })
        }),
    },
    Rule {
        name: "swappiness",
        setting: "swappiness",
        part: Database,
        severity: Note,
        wrong: "memory is swapped out early (vm.swappiness {value})",
        why: "the higher it is, the sooner database memory is swapped out for the page cache, which is of little use to a database with its own cache",
        show: "sysctl vm.swappiness",
        change: "sysctl -w vm.swappiness={want}",
        source: VM,
        judge: Judge::Host(|host, _| {
            Status::known(host.settings.swappiness, |readiness| match host.swap_bytes {
                Some(0) => Status::fine(format_args!("{readiness}, without effect: there is no swap")),
                _ => Status::when(readiness > 10, readiness, 10),
            })
        }),
    },
    Rule {
        name: "dirty-limits",
        setting: "buffered writes that may wait in memory",
        part: Database,
        severity: Note,
        wrong: "buffered writes pile up ({value})",
        why: "they pile up until the background writer starts, then come all at once: checkpoints and \
             backups through the page cache block everything else",
        show: "sysctl vm.dirty_background_ratio vm.dirty_background_bytes vm.dirty_ratio vm.dirty_bytes",
        change: "sysctl -w vm.dirty_background_bytes=268435456 vm.dirty_bytes=1073741824",
        source: VM,
        judge: Judge::Host(|host, _| {
            let settings = &host.settings;
            let in_bytes = settings.dirty_background_bytes.filter(|&bytes| bytes > 0);
            let in_percent = || {
                let percent = u64::from(settings.dirty_background_percent?);
                // Of what is free and can be made so; of all memory it is the most.
                host.memory_bytes.map(|memory| memory / 100 * percent)
            };
            Status::known(in_bytes.or_else(in_percent), |bytes| {
                Status::when(bytes > DIRTY_BYTES, format_args!("{} before writing starts", Bytes(bytes)), "")
            })
        }),
    },
    Rule {
        name: "free-memory",
        setting: "memory kept free",
        part: Database,
        severity: Note,
        wrong: "too little free memory ({value})",
        why: "buffered scans take pages faster than the kernel frees them: a program that requests a page \
            then waits until one has been written or dropped",
        show: "sysctl vm.min_free_kbytes; cat /sys/block/*/queue/read_ahead_kb",
        change: "sysctl -w vm.min_free_kbytes={want}, or a smaller read-ahead",
        source: VM,
        judge: Judge::Host(|host, system| {
            Status::if_any(host.settings.min_free_kb, |kept_kb| {
                let ahead_kb =
                    system.devices.iter().filter_map(|device| device.read_ahead_kb).max().unwrap_or(0);
                // Each CPU may have a scan that reads ahead.
                let need_kb = ahead_kb.saturating_mul(u64::from(host.cpus));
                let value = format!(
                    "{}, read-ahead {} x {}",
                    Bytes(kept_kb.saturating_mul(1024)),
                    host.cpus,
                    Bytes(ahead_kb.saturating_mul(1024))
                );
                Status::when(kept_kb < need_kb, value, need_kb)
            })
        }),
    },
    Rule {
        name: "zone-reclaim",
        setting: "memory reclaim per NUMA node",
        part: Database,
        severity: Warning,
        wrong: "page cache of the local node is dropped (mode {value})",
        why: "the kernel drops page cache of the local node rather than use another node's memory, although that is much faster than storage",
        show: "sysctl vm.zone_reclaim_mode",
        change: "sysctl -w vm.zone_reclaim_mode={want}",
        source: VM,
        judge: Judge::Host(|host, _| {
            Status::if_any(host.settings.zone_reclaim_mode, |mode| Status::when(mode > 0, mode, 0))
        }),
    },
    Rule {
        name: "cpu-governor",
        setting: "frequency governor",
        part: Measurement,
        severity: Warning,
        wrong: "CPUs slow down while they wait ({value})",
        why: "CPUs waiting for storage are idle and clock down; every I/O pays for it, and the faster the \
            device, the more",
        show: "cat /sys/devices/system/cpu/cpufreq/policy*/scaling_governor",
        change: "cpupower frequency-set --governor {want}",
        source: "https://docs.kernel.org/admin-guide/pm/cpufreq.html",
        judge: Judge::Host(|host, _| {
            let used = Some(&host.cpu_governors).filter(|governors| !governors.is_empty());
            let slow = host.cpu_governors.iter().any(|governor| governor != "performance");
            Status::if_any(used, |governors| Status::when(slow, governors.join(", "), "performance"))
        }),
    },
    Rule {
        name: "cpu-idle",
        setting: "deepest idle state",
        part: Measurement,
        severity: Warning,
        wrong: "waiting CPUs enter deep sleep ({value})",
        why: "a CPU waiting for I/O falls asleep and wakes up that much later: with few outstanding I/Os this adds to every latency",
        show: "grep . /sys/devices/system/cpu/cpu0/cpuidle/state*/{name,latency,disable}",
        change: "cpupower idle-set --disable-by-latency {want}, or a tuned profile such as latency-performance",
        source: "https://docs.kernel.org/admin-guide/pm/cpuidle.html",
        judge: Judge::Host(|host, _| {
            Status::if_any(host.deepest_idle.as_ref(), |state| {
                let value = format!("{} wakes in {} us", state.name, state.exit_latency_us);
                Status::when(state.exit_latency_us > SLOW_WAKE_US, value, SLOW_WAKE_US)
            })
        }),
    },
    Rule {
        name: "clock-source",
        setting: "clock source",
        part: Measurement,
        severity: Warning,
        wrong: "reading the clock is slow ({value})",
        why: "the clock is read before and after every batch of I/O; one outside the CPU costs a microsecond or an exit to the hypervisor",
        show: "cat /sys/devices/system/clocksource/clocksource0/current_clocksource",
        change: "echo {want} > /sys/devices/system/clocksource/clocksource0/current_clocksource, if it is among the available ones",
        source: "https://docs.kernel.org/timers/timekeeping.html",
        judge: Judge::Host(|host, _| {
            let slow = ["hpet", "acpi_pm", "jiffies", "xen", "refined-jiffies"];
            // Each architecture has a clock in its CPUs.
            let fast = if host.machine == "aarch64" { "arch_sys_counter" } else { "tsc" };
            Status::known(host.clock_source.as_deref(), |name| Status::when(slow.contains(&name), name, fast))
        }),
    },
    Rule {
        name: "virtual-machine",
        setting: "virtual machine",
        part: Measurement,
        severity: Note,
        wrong: "a virtual machine, shared with other guests",
        why: "disks are shared with other guests and may be limited or cached by the host, and CPU time is stolen: results vary with the neighbours",
        show: "systemd-detect-virt; cat /sys/class/dmi/id/sys_vendor /sys/class/dmi/id/product_name",
        change: "nothing to set here; measure at different times and compare (rigel compare)",
        source: "https://docs.kernel.org/virt/index.html",
        judge: Judge::Host(|host, _| match (&host.hypervisor, &host.product) {
            (Some(hypervisor), product) => {
                let kind = if hypervisor == "unknown" { "yes, of unknown type" } else { hypervisor };
                let machine = product.as_ref().map_or_else(String::new, |product| format!(", {product}"));
                Status::bent(format_args!("{kind}{machine}"), "")
            }
            (None, _) => Status::NotAsked,
        }),
    },
];
