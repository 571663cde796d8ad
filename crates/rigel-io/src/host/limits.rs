//! The resource limits of this process, as the kernel lists them. Must not change one.

use crate::system::System;
use rigel_core::facts::{Limit, ProcessLimits};

pub(super) fn of_process(system: &System) -> ProcessLimits {
    let list = std::fs::read_to_string(system.proc.join("self/limits")).unwrap_or_default();
    ProcessLimits {
        open_files: limit(&list, "Max open files"),
        processes: limit(&list, "Max processes"),
        locked_memory_bytes: limit(&list, "Max locked memory"),
        address_room_bytes: limit(&list, "Max address space")
            .and_then(|limit| Some(limit.soft?.saturating_sub(mapped_bytes(system)?))),
    }
}

/// The address space that the process has now.
fn mapped_bytes(system: &System) -> Option<u64> {
    let status = std::fs::read_to_string(system.proc.join("self/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok()?.checked_mul(1024)
}

/// `Max open files            1024                 1048576              files`.
fn limit(list: &str, name: &str) -> Option<Limit> {
    let mut words = list.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace();
    let mut end = || match words.next()? {
        "unlimited" => Some(None),
        number => number.parse().ok().map(Some),
    };
    Some(Limit { soft: end()?, hard: end()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_list() {
        let list = "Limit   Soft Limit  Hard Limit  Units\nMax open files   1024   1048576   files\nMax processes unlimited unlimited processes\n";
        assert_eq!(limit(list, "Max open files"), Some(Limit { soft: Some(1024), hard: Some(1 << 20) }));
        assert_eq!(limit(list, "Max processes"), Some(Limit { soft: None, hard: None }));
        assert_eq!(limit(list, "Max locked memory"), None);
        assert_eq!(limit("Max open files 12", "Max open files"), None);
    }
}
