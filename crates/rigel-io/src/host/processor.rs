//! CPUs, their NUMA nodes, and the machine that they are in. Must not judge.

use crate::system::{System, numbered, text, value};
use rigel_core::facts::IdleState;
use rigel_core::load::placement::parse_ranges;
use rigel_core::path_text;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// The first `model name`; ARM has none.
pub(super) fn model(cpuinfo: &[u8]) -> Option<String> {
    field(cpuinfo, b"model name").map(|value| path_text::encode_os(OsStr::from_bytes(value)))
}

fn field<'a>(cpuinfo: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let mut lines = cpuinfo.split(|&byte| byte == b'\n');
    let line = lines.find_map(|line| line.strip_prefix(name))?;
    Some(line.trim_ascii_start().strip_prefix(b":")?.trim_ascii())
}

pub(super) fn allowed(system: &System) -> Vec<u32> {
    let status = std::fs::read_to_string(system.proc.join("self/status")).unwrap_or_default();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    list.and_then(|list| parse_ranges(list).ok()).unwrap_or_default()
}

/// The frequency governors in use, each once.
pub(super) fn governors(system: &System) -> Vec<String> {
    let policies = numbered(&system.sys.join("devices/system/cpu/cpufreq"), "policy");
    let governors = policies.iter().filter_map(|(_, dir)| text(&dir.join("scaling_governor")));
    governors.collect::<BTreeSet<_>>().into_iter().collect()
}

/// The enabled idle state of CPU 0 that takes longest to leave.
pub(super) fn deepest_idle(system: &System) -> Option<IdleState> {
    let states = numbered(&system.sys.join("devices/system/cpu/cpu0/cpuidle"), "state");
    let state = |(_, dir): &(u32, PathBuf)| {
        let may_be_entered = value::<u8>(&dir.join("disable")).is_none_or(|off| off == 0);
        let state =
            IdleState { name: text(&dir.join("name"))?, exit_latency_us: value(&dir.join("latency"))? };
        may_be_entered.then_some(state)
    };
    states.iter().filter_map(state).max_by_key(|state| state.exit_latency_us)
}

pub(super) fn product(system: &System) -> Option<String> {
    let word = |file: &str| text(&system.sys.join("class/dmi/id").join(file));
    let words: Vec<String> = [word("sys_vendor"), word("product_name")].into_iter().flatten().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// The beginning of product names of virtual machines, and their hypervisors.
const GUESTS: [(&str, &str); 9] = [
    ("Amazon EC2", "KVM"),
    ("QEMU", "KVM"),
    ("Google", "KVM"),
    ("Alibaba Cloud", "KVM"),
    ("OpenStack", "KVM"),
    ("VMware", "VMware"),
    ("Microsoft Corporation Virtual Machine", "Hyper-V"),
    ("innotek GmbH", "VirtualBox"),
    ("Xen", "Xen"),
];

/// The hypervisor, if there is one: x86 shows a CPU flag, Xen a file.
pub(super) fn hypervisor(system: &System, cpuinfo: &[u8], product: Option<&str>) -> Option<String> {
    if let Some(kind) = text(&system.sys.join("hypervisor/type")) {
        return Some(kind);
    }
    let flags = field(cpuinfo, b"flags").unwrap_or_default();
    let flagged = flags.split(u8::is_ascii_whitespace).any(|flag| flag == b"hypervisor");
    let named = product.and_then(|name| GUESTS.iter().find(|(start, _)| name.starts_with(start)));
    match (flagged, named) {
        // A bare-metal EC2 machine has the name and no hypervisor. ARM shows no flags at all.
        (false, _) if !flags.is_empty() => None,
        (_, Some((_, hypervisor))) => Some((*hypervisor).to_owned()),
        (true, None) => Some("unknown".to_owned()),
        (false, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_models() {
        let x86 =
            b"processor\t: 0\nvendor_id\t: X\nmodel\t\t: 1\nmodel name\t: A CPU @ 2 GHz\n\nmodel name : B\n";
        assert_eq!(model(x86).as_deref(), Some("A CPU @ 2 GHz"));
        assert_eq!(model(b"processor\t: 0\nBogoMIPS\t: 50.00\n"), None);
        assert_eq!(model(b"model name\t: \x1b[2J\xff").as_deref(), Some("\\x1b[2J\\xff"));
        assert_eq!(model(b""), None);
    }

    #[test]
    fn guests_and_metal() {
        let nowhere = System::at(std::path::Path::new("/nowhere"));
        let found = |cpuinfo: &[u8], product| hypervisor(&nowhere, cpuinfo, product);
        let guest = b"flags\t\t: fpu vme hypervisor lahf_lm\n";
        let metal = b"flags\t\t: fpu vme lahf_lm\n";
        assert_eq!(found(guest, Some("QEMU Standard PC (Q35)")).as_deref(), Some("KVM"));
        assert_eq!(found(guest, Some("Nobody Knows")).as_deref(), Some("unknown"));
        assert_eq!(found(metal, Some("Amazon EC2 m5.metal")), None);
        assert_eq!(found(b"Features\t: fp asimd\n", Some("Amazon EC2 m7g.large")).as_deref(), Some("KVM"));
        assert_eq!(found(b"Features\t: fp asimd\n", Some("Ampere Altra")), None);
    }
}
