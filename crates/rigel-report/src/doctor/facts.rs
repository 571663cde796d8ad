//! What the doctor looked at: the host, the targets, the mounts, a table of the devices. Must not judge.

use crate::document::{Block, Column, Table};
use crate::words::yes_or_no;
use rigel_core::facts::{DeviceFacts, MountFacts, TargetFacts, USUAL_PAGE_BYTES};
use rigel_core::path_text::printable;
use rigel_core::units::Bytes;
use rigel_uses::doctor::System;

/// Width for the names of the parts of a device.
const MOST_OF_ROW: usize = 40;

pub(super) fn looked_at(system: &System<'_>) -> [Block; 2] {
    let host = system.host;
    let memory = host.memory_bytes.map_or_else(String::new, |bytes| format!(", {} of memory", Bytes(bytes)));
    let pages = host.page_bytes.filter(|bytes| *bytes != USUAL_PAGE_BYTES);
    let pages = pages.map_or_else(String::new, |bytes| format!(" in pages of {}", Bytes(bytes)));
    let kernel = format!("{} {}", printable(&host.kernel), printable(&host.machine));
    let host = format!("{}, {} CPUs{memory}{pages}", kernel.trim(), host.cpus);
    let target = |target: &TargetFacts| {
        let on =
            target.device.as_ref().map_or_else(String::new, |one| format!(" on {}", printable(&one.name)));
        format!("{}, {}{on}", printable(&target.path), Bytes(target.size_bytes))
    };
    let targets = system.targets.iter().map(target);
    let mounts = system.mounts.iter().map(|mount| mounted(mount));
    let lines = std::iter::once(host).chain(targets).chain(mounts);
    let devices = if system.devices.is_empty() { Vec::new() } else { vec![devices(&system.devices)] };
    [Block::part(lines.map(Block::hanging).collect()), Block::part(devices)]
}

fn mounted(mount: &MountFacts) -> String {
    format!(
        "{}: {} of {} ({})",
        printable(&mount.mount_point),
        printable(&mount.filesystem),
        printable(&mount.source),
        printable(&mount.options.join(","))
    )
}

fn devices(all: &[&DeviceFacts]) -> Block {
    let printed = |text: Option<&str>| printable(text.unwrap_or("-")).into_owned();
    let title = |device: &DeviceFacts| match &device.mapped {
        Some(mapped) => format!("{} ({})", device.name, mapped.name),
        None => device.name.clone(),
    };
    Table::of("device", all)
        .column(Column::left("Device").width(20), |one| clipped(&title(one), 20))
        .column(Column::left("Attached").width(13), |one| printed(one.transport.as_deref()))
        .column(Column::left("Spins").width(5), |one| yes_or_no(one.rotational))
        .column(Column::left("Scheduler").width(11), |one| printed(one.scheduler.as_deref()))
        .column(Column::right("Queue").width(5), |one| one.nr_requests.map(u64::from))
        .column(Column::right("Read-ahead").width(11), |one| one.read_ahead_kb.map(|kb| format!("{kb} KiB")))
        .column(Column::left("Made of").gap(2), |one| printable(&made_of(one)).into_owned())
        .done()
}

fn made_of(device: &DeviceFacts) -> String {
    if let Some(disk) = &device.partition_of {
        return format!("a part of {disk}");
    }
    let raid = device.md.as_ref().map_or_else(String::new, |md| format!("{} of ", md.level));
    let all = device.made_of.join(", ");
    let many = format!("{} devices", device.made_of.len());
    format!("{raid}{}", if all.chars().count() > MOST_OF_ROW { many } else { all })
}

/// A name cut to a column.
fn clipped(name: &str, columns: usize) -> String {
    printable(name).chars().take(columns).collect()
}
