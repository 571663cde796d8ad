//! What the doctor looked at: the host, the targets, the mounts, a table of the devices. Must not judge.

use crate::page::Page;
use crate::text::wrapped;
use crate::words::yes_or_no;
use rigel_core::facts::{DeviceFacts, MountFacts};
use rigel_core::path_text::printable;
use rigel_core::units::Bytes;
use rigel_core::uses::doctor::System;

/// Room for the names of what a device is made of.
const MOST_OF_ROW: usize = 40;

pub(super) fn looked_at(page: &mut Page, system: &System<'_>) {
    let host = system.host;
    let memory = host.memory_bytes.map_or_else(String::new, |bytes| format!(", {} of memory", Bytes(bytes)));
    let kernel = format!("{} {}", printable(&host.kernel), printable(&host.machine));
    wrapped(page, "", "  ", &format!("{}, {} CPUs{memory}", kernel.trim(), host.cpus));
    for target in system.targets {
        let on = target
            .device
            .as_ref()
            .map_or_else(String::new, |device| format!(" on {}", printable(&device.name)));
        wrapped(page, "", "  ", &format!("{}, {}{on}", printable(&target.path), Bytes(target.size_bytes)));
    }
    for mount in &system.mounts {
        wrapped(page, "", "  ", &mounted(mount));
    }
    if !system.devices.is_empty() {
        page.blank();
        page.line("Device               Attached      Spins Scheduler   Queue  Read-ahead  Made of");
        system.devices.iter().for_each(|device| row(page, device));
    }
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

fn row(page: &mut Page, device: &DeviceFacts) {
    let dash = || "-".to_owned();
    let number = |value: Option<u64>, unit: &str| value.map_or_else(dash, |value| format!("{value}{unit}"));
    let spins = yes_or_no(device.rotational);
    let title = match &device.mapped {
        Some(mapped) => format!("{} ({})", device.name, mapped.name),
        None => device.name.clone(),
    };
    let row = format!(
        "{:<20} {:<13} {spins:<5} {:<11} {:>5} {:>11}  {}",
        clipped(&title, 20),
        printable(device.transport.as_deref().unwrap_or("-")),
        printable(device.scheduler.as_deref().unwrap_or("-")),
        number(device.nr_requests.map(u64::from), ""),
        number(device.read_ahead_kb, " KiB"),
        printable(&made_of(device))
    );
    page.line(row.trim_end());
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
