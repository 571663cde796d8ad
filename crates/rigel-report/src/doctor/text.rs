//! What the doctor found, for people: what was looked at, then each finding with why it matters and what to do. Must not judge.

use super::{Counts, word};
use crate::numbers::counted;
use crate::page::Page;
use crate::text::{Ink, Style, wrapped};
use crate::words::yes_or_no;
use rigel_core::facts::{DeviceFacts, MountFacts};
use rigel_core::path_text::printable;
use rigel_core::units::Bytes;
use rigel_core::uses::doctor::{Checked, Severity, Status, System};

/// Room for the names of what a device is made of.
const MOST_OF_ROW: usize = 40;
/// Names of devices with the same finding, before the rest is a number.
const MOST_NAMES: usize = 6;

/// The text; with `everything` also what is fine.
pub fn findings(system: &System<'_>, all: &[Checked], everything: bool, style: Style) -> String {
    let mut page = Page::default();
    looked_at(&mut page, system);
    for same in groups(all.iter().filter(|judged| judged.is_bent())) {
        page.blank();
        finding(&mut page, &same, style);
    }
    if everything {
        page.blank();
        page.line(style.painted(Ink::Heading, "Nothing to change"));
        let fine = |judged: &&Checked| matches!(judged.verdict, Status::Fine(_));
        groups(all.iter().filter(fine)).iter().for_each(|same| line(&mut page, same));
    }
    let unknown: Vec<Vec<&Checked>> = groups(all.iter().filter(|judged| judged.verdict == Status::Unknown));
    if !unknown.is_empty() {
        page.blank();
        page.line(style.painted(Ink::Heading, "Could not be read"));
        unknown.iter().for_each(|same| line(&mut page, same));
    }
    page.blank();
    summary(&mut page, Counts::of(all), everything);
    style.spelled(page.into_string())
}

/// Findings that differ in nothing but the device stand together.
fn groups<'a>(all: impl Iterator<Item = &'a Checked>) -> Vec<Vec<&'a Checked>> {
    let mut found: Vec<Vec<&Checked>> = Vec::new();
    for judged in all {
        let same = |group: &&mut Vec<&Checked>| {
            group
                .first()
                .is_some_and(|first| std::ptr::eq(first.rule, judged.rule) && first.verdict == judged.verdict)
        };
        match found.iter_mut().find(same) {
            Some(group) => group.push(judged),
            None => found.push(vec![judged]),
        }
    }
    found
}

fn names(same: &[&Checked]) -> String {
    let shown: Vec<String> = same
        .iter()
        .take(MOST_NAMES)
        .map(|judged| printable(&judged.about.to_string()).into_owned())
        .collect();
    let more = same.len().saturating_sub(MOST_NAMES);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", shown.join(", "))
}

fn value(judged: &Checked) -> String {
    match &judged.verdict {
        Status::Fine(value) | Status::Bent { value, .. } => printable(value).into_owned(),
        Status::Unknown | Status::NotAsked => "?".to_owned(),
    }
}

fn finding(page: &mut Page, same: &[&Checked], style: Style) {
    let Some(first) = same.first() else { return };
    let ink = match first.rule.severity {
        Severity::Error => Ink::Invalid,
        Severity::Warning => Ink::Flag,
        Severity::Note => Ink::Small,
    };
    let word = word(first);
    // Painted after it was broken into lines, because colours have no width.
    let mut head = Page::default();
    let text = format!("{}: {}: {}", names(same), first.rule.setting, value(first));
    wrapped(&mut head, &format!("{word:<8} "), "         ", &text);
    page.push(head.into_string().replacen(word, &style.painted(ink, word), 1));
    wrapped(page, "  why     ", "          ", first.rule.why);
    // A command is pasted, so it stays in one line.
    page.line(format_args!("  show    {}", printable(&first.show())));
    page.line(format_args!("  change  {}", printable(&first.change())));
    page.line(format_args!("  source  {}", first.rule.source));
}

fn line(page: &mut Page, same: &[&Checked]) {
    let Some(first) = same.first() else { return };
    wrapped(page, "  ", "      ", &format!("{}: {}: {}", names(same), first.rule.setting, value(first)));
}

fn looked_at(page: &mut Page, system: &System<'_>) {
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

fn summary(page: &mut Page, counts: Counts, everything: bool) {
    let mut text = format!(
        "{}, {}, {}; {} need no change",
        counted(counts.errors, "error"),
        counted(counts.warnings, "warning"),
        counted(counts.notes, "note"),
        counted(counts.fine, "setting")
    );
    if counts.unknown > 0 {
        text.push_str(&format!(", {} could not be read", counts.unknown));
    }
    wrapped(page, "", "", &text);
    if !everything {
        wrapped(
            page,
            "",
            "",
            "What is changed by a command lasts until the next boot. --all shows every setting.",
        );
    }
}
