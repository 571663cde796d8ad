//! CPUs, their NUMA nodes, and the machine that they are in. Must not judge.

mod arm;

use crate::system::{System, numbered, read, text, value};
use rigel_core::facts::IdleState;
use rigel_core::load::placement::parse_ranges;
use rigel_core::path_text;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// The first `model name`. Arm numbers its cores instead; a kernel that also writes a name there writes that of the architecture.
pub(super) fn model(cpuinfo: &[u8]) -> Option<String> {
    let named = || field(cpuinfo, b"model name").map(|value| path_text::encode_os(OsStr::from_bytes(value)));
    arm::model(cpuinfo).or_else(named)
}

/// A normal page, as the kernel shows it of the first mapping of a process.
pub(super) fn page_bytes(system: &System) -> Option<u64> {
    let mappings = BufReader::new(File::open(system.proc.join("self/smaps")).ok()?);
    let line = mappings.lines().map_while(Result::ok).find(|line| line.starts_with("KernelPageSize:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    kib.checked_mul(1024).filter(|bytes| bytes.is_power_of_two())
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
    if words.is_empty() { device_tree(system, "model") } else { Some(words.join(" ")) }
}

/// A text of the device tree, which firmware without DMI hands over; it ends in a zero byte.
fn device_tree(system: &System, property: &str) -> Option<String> {
    let bytes = read(&system.sys.join("firmware/devicetree/base").join(property))?;
    let first = bytes.split(|&byte| byte == 0).next().unwrap_or_default().trim_ascii();
    Some(path_text::encode_os(OsStr::from_bytes(first))).filter(|text| !text.is_empty())
}

/// The beginning of product names of virtual machines, and their hypervisors.
const GUESTS: [(&str, &str); 10] = [
    ("Amazon EC2", "KVM"),
    ("QEMU", "KVM"),
    ("Google", "KVM"),
    ("Alibaba Cloud", "KVM"),
    ("OpenStack", "KVM"),
    ("VMware", "VMware"),
    ("Microsoft Corporation Virtual Machine", "Hyper-V"),
    ("innotek GmbH", "VirtualBox"),
    ("Xen", "Xen"),
    // The machine of QEMU for Arm, where it starts a kernel without firmware.
    ("linux,dummy-virt", "KVM"),
];

/// How the device tree of a guest begins to name its hypervisor: `xen,xen-4.17`.
const IN_DEVICE_TREE: [(&str, &str); 2] = [("linux,kvm", "KVM"), ("xen,xen", "Xen")];

/// The hypervisor, if there is one: x86 shows a CPU flag, Xen a file.
pub(super) fn hypervisor(system: &System, cpuinfo: &[u8], product: Option<&str>) -> Option<String> {
    if let Some(kind) = text(&system.sys.join("hypervisor/type")) {
        return Some(kind);
    }
    if let Some(kind) = device_tree(system, "hypervisor/compatible") {
        let known = IN_DEVICE_TREE.iter().find(|(name, _)| kind.starts_with(name));
        return Some(known.map_or(kind, |(_, hypervisor)| (*hypervisor).to_owned()));
    }
    let flags = field(cpuinfo, b"flags").unwrap_or_default();
    let flagged = flags.split(u8::is_ascii_whitespace).any(|flag| flag == b"hypervisor");
    let named = product.and_then(|name| GUESTS.iter().find(|(start, _)| name.starts_with(start)));
    match (flagged, named) {
        // A bare-metal EC2 machine has the name and no hypervisor. Arm shows no flags at all, and is known by its type.
        (false, _) if !flags.is_empty() || product.is_some_and(is_metal) => None,
        (_, Some((_, hypervisor))) => Some((*hypervisor).to_owned()),
        (true, None) => Some("unknown".to_owned()),
        (false, None) => None,
    }
}

/// `Amazon EC2 m7g.metal`, `Amazon EC2 c8g.metal-24xl`.
fn is_metal(product: &str) -> bool {
    product.contains(".metal")
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
        let arm = b"model name\t: ARMv8 Processor rev 1 (v8l)\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n";
        assert_eq!(model(arm).as_deref(), Some("Arm Neoverse-N1"));
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
        assert_eq!(found(b"Features\t: fp asimd\n", Some("Amazon EC2 c8g.metal-24xl")), None);
    }

    #[test]
    fn a_device_tree_tells_machine_and_hypervisor() {
        let root = tempfile::tempdir().unwrap();
        let system = System::at(root.path());
        let base = system.sys.join("firmware/devicetree/base");
        std::fs::create_dir_all(base.join("hypervisor")).unwrap();
        std::fs::write(base.join("model"), "linux,dummy-virt\0").unwrap();
        assert_eq!(product(&system).as_deref(), Some("linux,dummy-virt"));
        assert_eq!(hypervisor(&system, b"", product(&system).as_deref()).as_deref(), Some("KVM"));
        for (compatible, kind) in
            [("linux,kvm\0", "KVM"), ("xen,xen-4.17\0xen,xen\0", "Xen"), ("other,one\0", "other,one")]
        {
            std::fs::write(base.join("hypervisor/compatible"), compatible).unwrap();
            assert_eq!(hypervisor(&system, b"", None).as_deref(), Some(kind));
        }
    }

    #[test]
    fn pages_of_every_size() {
        let root = tempfile::tempdir().unwrap();
        let system = System::at(root.path());
        std::fs::create_dir_all(system.proc.join("self")).unwrap();
        let found = |kib: &str| {
            let smaps = format!(
                "aaaa0000-aaab0000 r-xp 00000000 fd:01 7 /bin/cat\nSize:  64 kB\nKernelPageSize:  {kib} kB\n"
            );
            std::fs::write(system.proc.join("self/smaps"), smaps).unwrap();
            page_bytes(&system)
        };
        assert_eq!(["4", "16", "64"].map(found), [4096, 16_384, 65_536].map(Some));
        assert_eq!(["", "x", "0", "5", "18446744073709551615"].map(found), [None; 5]);
        assert_eq!(page_bytes(&System::at(std::path::Path::new("/nowhere"))), None);
    }
}
