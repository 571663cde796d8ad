//! The environment of a run that is not a dedicated machine: a virtual machine, a control group with limits.
//!
//! Must not state the effect; a flag does, if there is one.

use crate::view::View;
use crate::words::listed;
use rigel_core::facts::HostFacts;
use rigel_core::path_text::printable;
use rigel_core::record::Nodes;
use rigel_core::units::Bytes;
use rigel_core::units::say::percent;
use rigel_core::witness::HostCpu;
use std::collections::BTreeSet;

/// `It ran in a KVM virtual machine (QEMU Standard PC), whose host may cache and limit its I/O.` For texts; elsewhere
/// the flag `GUEST` says it. `None` on a physical machine, and if no storage was touched.
pub(crate) fn guests(nodes: &Nodes) -> Option<String> {
    if nodes.first().engine.kind.is_simulated() {
        return None;
    }
    let guests = each(nodes, HostFacts::guest);
    let whose = if guests.len() > 1 { "whose hosts" } else { "whose host" };
    (!guests.is_empty())
        .then(|| format!("It ran in {}, {whose} may cache and limit its I/O.", listed(&guests)))
}

/// `Its control group was limited to 1.5 of 4 CPUs.`
pub(crate) fn groups(nodes: &Nodes) -> Option<String> {
    if nodes.first().engine.kind.is_simulated() {
        return None;
    }
    let groups = each(nodes, limits);
    (!groups.is_empty())
        .then(|| format!("Its control group was limited to {}.", groups.join("; on another node to ")))
}

/// The texts about the hosts, each once.
fn each(nodes: &Nodes, of: fn(&HostFacts) -> Option<String>) -> Vec<String> {
    let once: BTreeSet<String> = nodes.all().iter().filter_map(|node| of(&node.host)).collect();
    once.into_iter().collect()
}

/// Limits of its control group on CPUs and on the I/O of its targets, and an unusual priority, in one sentence with what to do; for
/// the first node that has any.
pub(crate) fn limited(view: &View<'_>) -> Option<String> {
    let header = &view.record.header;
    if header.nodes.first().engine.kind.is_simulated() {
        return None;
    }
    header.nodes.all().iter().find_map(|node| {
        let io = node.host.cgroup.io_limits(&header.targets);
        let io: Vec<String> = io.iter().map(|limit| printable(&limit.told()).into_owned()).collect();
        let io = (!io.is_empty()).then(|| format!("I/O ({})", io.join("; ")));
        let cpus = node.host.cgroup.cpu_quota_millis(node.host.cpus);
        let cpus = cpus.map(|millis| of_cpus(millis, node.host.cpus));
        let group: Vec<String> = cpus.into_iter().chain(io).collect();
        let group =
            (!group.is_empty()).then(|| format!("limited by its control group to {}", listed(&group)));
        let rank = node.host.rank().map(|(_, why)| format!("not at normal priority ({})", printable(&why)));
        let parts: Vec<String> = group.into_iter().chain(rank).collect();
        let told = parts.join(", and ");
        (!parts.is_empty()).then(|| {
            format!(
                "Rigel ran {told}: start it outside of that to measure the storage; rigel doctor shows how."
            )
        })
    })
}

/// `1.5 of 4 CPUs`.
fn of_cpus(millis: u64, cpus: u32) -> String {
    let decimals = format!("{:03}", millis % 1000);
    let point = if decimals == "000" { "" } else { "." };
    format!("{}{point}{} of {cpus} CPUs", millis / 1000, decimals.trim_end_matches('0'))
}

/// How the CPU time of a node's host was spent during its visits: `43 % idle, 2.1 % interrupts`; `None` if nothing watched.
pub(crate) fn cpus_of(view: &View<'_>, node: usize) -> Option<HostCpu> {
    let visits = view.record.visits.iter();
    let watched = visits.filter_map(|visit| visit.nodes.get(node)?.witness.as_ref());
    HostCpu::of(watched.map(Some))
}

/// The same in words, for the first host.
pub(crate) fn cpus(view: &View<'_>) -> Option<String> {
    cpus_of(view, 0).map(cpus_in_words)
}

/// `43 % idle, 2.1 % interrupts, 0.3 % taken by the hypervisor`.
pub(crate) fn cpus_in_words(cpu: HostCpu) -> String {
    let mut parts = vec![format!("{} % idle", percent(cpu.idle))];
    parts.extend(cpu.interrupts.map(|share| format!("{} % interrupts", percent(share))));
    let stolen = cpu.steal.filter(|&share| share > 0.0);
    parts.extend(stolen.map(|share| format!("{} % taken by the hypervisor", percent(share))));
    parts.join(", ")
}

/// `1.5 of 4 CPUs, 512 MiB of memory and I/O (8:0 riops=500)`. Limits at or above the host's own size are left out.
pub(crate) fn limits(host: &HostFacts) -> Option<String> {
    let group = &host.cgroup;
    let of_memory = group.memory_max_bytes.filter(|bytes| host.memory_bytes.is_none_or(|all| *bytes < all));
    let parts = [
        group.cpu_quota_millis(host.cpus).map(|millis| of_cpus(millis, host.cpus)),
        of_memory.map(|bytes| format!("{} of memory", Bytes(bytes))),
        (!group.io_max.is_empty()).then(|| format!("I/O ({})", printable(&group.io_max.join("; ")))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| listed(&parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guest_is_named_as_far_as_it_shows() {
        let of = |kind: Option<&str>, product: Option<&str>| {
            let (hypervisor, product) = (kind.map(str::to_owned), product.map(str::to_owned));
            HostFacts { hypervisor, product, ..HostFacts::default() }.guest()
        };
        assert_eq!(of(None, Some("QEMU")), None);
        assert_eq!(of(Some("KVM"), None).as_deref(), Some("a KVM virtual machine"));
        assert_eq!(of(Some("unknown"), Some("X\u{1b}")).as_deref(), Some("a virtual machine (X\\x1b)"));
    }

    #[test]
    fn only_limits_that_limit_are_told() {
        let with = |millis, bytes, io: &[&str]| {
            let mut host = HostFacts { cpus: 4, memory_bytes: Some(8 << 30), ..HostFacts::default() };
            host.cgroup.cpu_max_millis = millis;
            host.cgroup.memory_max_bytes = bytes;
            host.cgroup.io_max = io.iter().map(|&line| line.to_owned()).collect();
            limits(&host)
        };
        assert_eq!(with(None, None, &[]), None);
        assert_eq!(with(Some(4000), Some(8 << 30), &[]), None);
        assert_eq!(
            with(Some(1500), Some(512 << 20), &["8:0 riops=500"]).as_deref(),
            Some("1.5 of 4 CPUs, 512 MiB of memory and I/O (8:0 riops=500)")
        );
        assert_eq!(with(Some(2000), None, &[]).as_deref(), Some("2 of 4 CPUs"));
    }
}
