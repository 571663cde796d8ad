//! Facts of the host. What cannot be read is left out, never guessed. Must not change a setting.

use crate::targets::inspect::chosen_word;
use procfs::Current;
use rigel_core::facts::HostFacts;
use rigel_core::path_text;
use rustix::process::{Resource, getrlimit};
use rustix::system::uname;
use rustix::thread::sched_getaffinity;
use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::str::FromStr;

/// The host as it is now.
#[must_use]
pub fn host_facts() -> HostFacts {
    let name = uname();
    let printable = |text: &CStr| path_text::encode_os(OsStr::from_bytes(text.to_bytes()));
    let memory = procfs::Meminfo::current().ok();
    HostFacts {
        kernel: format!("{} {}", printable(name.sysname()), printable(name.release())),
        machine: printable(name.machine()),
        cpu_model: cpu_model(&std::fs::read("/proc/cpuinfo").unwrap_or_default()),
        cpus: cpus(),
        memory_bytes: memory.as_ref().map(|memory| memory.mem_total),
        huge_pages_free: memory.as_ref().and_then(|memory| memory.hugepages_free),
        huge_page_bytes: memory.as_ref().and_then(|memory| memory.hugepagesize),
        transparent_huge_pages: text("/sys/kernel/mm/transparent_hugepage/enabled")
            .map(|list| chosen_word(&list)),
        memlock_limit_bytes: getrlimit(Resource::Memlock).current,
        aio_nr: value("/proc/sys/fs/aio-nr"),
        aio_max_nr: value("/proc/sys/fs/aio-max-nr"),
        io_uring_disabled: value("/proc/sys/kernel/io_uring_disabled"),
    }
}

/// CPUs that this process may run on. The set that rustix asks with has room for 1,024; a larger host refuses it, and
/// the standard library's count (which heeds quotas too) is the next best.
fn cpus() -> u32 {
    let by_affinity = sched_getaffinity(None).map(|set| set.count()).ok();
    by_affinity.or_else(|| u32::try_from(std::thread::available_parallelism().ok()?.get()).ok()).unwrap_or(1)
}

/// The first `model name`; ARM has none.
fn cpu_model(cpuinfo: &[u8]) -> Option<String> {
    let mut lines = cpuinfo.split(|&byte| byte == b'\n');
    let line = lines.find_map(|line| line.strip_prefix(b"model name"))?;
    let value = line.trim_ascii_start().strip_prefix(b":")?;
    Some(path_text::encode_os(OsStr::from_bytes(value.trim_ascii())))
}

fn text(file: &str) -> Option<String> {
    let bytes = std::fs::read(file).ok()?;
    Some(path_text::encode_os(OsStr::from_bytes(bytes.trim_ascii())))
}

fn value<T: FromStr>(file: &str) -> Option<T> {
    text(file)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_models() {
        let x86 =
            b"processor\t: 0\nvendor_id\t: X\nmodel\t\t: 1\nmodel name\t: A CPU @ 2 GHz\n\nmodel name : B\n";
        assert_eq!(cpu_model(x86).as_deref(), Some("A CPU @ 2 GHz"));
        assert_eq!(cpu_model(b"processor\t: 0\nBogoMIPS\t: 50.00\n"), None);
        assert_eq!(cpu_model(b"model name\t: \x1b[2J\xff").as_deref(), Some("\\x1b[2J\\xff"));
        assert_eq!(cpu_model(b""), None);
    }

    #[test]
    fn this_host() {
        let facts = host_facts();
        assert!(facts.kernel.starts_with("Linux "), "{}", facts.kernel);
        assert_eq!(facts.machine, std::env::consts::ARCH);
        assert!(facts.cpus >= 1);
        assert!(facts.memory_bytes.unwrap() > 1 << 20);
        assert!(facts.aio_nr.unwrap_or(0) <= facts.aio_max_nr.unwrap_or(u64::MAX));
    }
}
