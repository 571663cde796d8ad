//! What the drives said about themselves before and after a soak, in words. Must not judge; [`rigel_uses::soak`] does.

use crate::words::listed;
use rigel_core::facts::DriveLook;
use rigel_core::facts::drive::{Counter, Kind};
use rigel_core::path_text::printable;
use rigel_core::units::say::{counted, number};
use rigel_core::units::{Bytes, to_f64};
use rigel_uses::soak::{Change, DriveFound, Drives, SilentDrive, SoakFindings};

/// Drives that are named in a sentence.
const MOST_NAMED: usize = 3;

/// The bits of the critical warning of an NVMe drive, from the lowest.
const WARNINGS: [&str; 6] = [
    "spare blocks are below the threshold",
    "the temperature is out of its limits",
    "errors have made it unreliable",
    "it takes no more writes",
    "the backup of its volatile memory failed",
    "its persistent memory region fails",
];

/// The part of the verdict that is about drives.
pub(super) fn verdict(found: &SoakFindings) -> Option<String> {
    match found.worse_drives() {
        0 => None,
        1 => Some("1 drive reports damage or an alarm".to_owned()),
        drives => Some(format!("{drives} drives report damage or an alarm")),
    }
}

/// The sentences: doubts about drives, what is known, and what is not.
pub(super) fn sentences(found: &SoakFindings) -> Vec<String> {
    let Some(drives) = &found.drives else { return Vec::new() };
    let mut sentences: Vec<String> = drives
        .worse()
        .take(MOST_NAMED)
        .map(|drive| {
            let what: Vec<String> = drive.worse().map(|change| against(drive, change)).collect();
            format!("{} reports: {}.", name(drive), what.join("; "))
        })
        .collect();
    if let more @ 1.. = found.worse_drives().saturating_sub(MOST_NAMED) {
        sentences.push(format!("{} more with damage or an alarm are in the table.", counted(more, "drive")));
    }
    sentences.extend(known(drives, found));
    sentences.extend(unknown(drives));
    sentences
}

/// The logs as a whole.
fn known(drives: &Drives, found: &SoakFindings) -> Option<String> {
    let whose = counted(drives.told.len(), "drive");
    let looks = drives.fewest_looks()?;
    if looks == 0 {
        return Some(format!(
            "Not every log of {whose} (SMART, NVMe) reports damage or alarms, so nothing is known about them."
        ));
    }
    let is_once = looks == 1;
    let is_over = found.complete || drives.told.iter().any(|drive| drive.lost.is_some());
    match (is_once, is_over, found.worse_drives()) {
        (true, true, _) => Some(format!(
            "Not every log of {whose} (SMART, NVMe) was read twice: growth is not known for all."
        )),
        (true, false, _) => Some(format!(
            "The SMART or NVMe logs of {whose} have been read once so far; growth shows when the load is \
             over."
        )),
        (false, _, 1..) => None,
        (false, _, 0) => Some(format!("The SMART or NVMe logs of {whose} show no new damage and no alarm.")),
    }
}

/// What is not known, and why.
fn unknown(drives: &Drives) -> Option<String> {
    if drives.told.is_empty() && drives.silent.is_empty() {
        return Some(
            "SMART and NVMe logs were not read: no drive below the targets is known to this host.".to_owned(),
        );
    }
    let lost = drives.told.iter().filter_map(|drive| Some((&drive.name, drive.lost.as_ref()?)));
    let silent = drives.silent.iter().map(|SilentDrive { name, why }| (name, why));
    let all: Vec<(&String, &String)> = lost.chain(silent).collect();
    let (_, why) = all.first()?;
    let of: Vec<String> = all.iter().take(MOST_NAMED).map(|(name, _)| printable(name).into_owned()).collect();
    let others = match all.len().saturating_sub(of.len()) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let reasons = if all.iter().all(|(_, other)| other == why) { "" } else { " (and other reasons)" };
    Some(format!(
        "SMART and NVMe logs of {}{others} could not be read{}: {}{reasons}.",
        if others.is_empty() { listed(&of) } else { of.join(", ") },
        if drives.told.is_empty() { "" } else { " at the last reading" },
        printable(why).trim_end_matches('.')
    ))
}

/// A remark before the load, about drives that cannot be queried; `None` if all answered.
pub fn remark(look: &DriveLook) -> Option<String> {
    unknown(&Drives::of(std::slice::from_ref(look))?)
}

/// A drive with what tells it from others.
pub(super) fn name(drive: &DriveFound) -> String {
    let serial = drive.serial.as_ref().map(|serial| format!("serial {}", printable(serial)));
    let model = drive.model.as_ref().map(|model| printable(model).into_owned());
    let more: Vec<String> = [model, serial].into_iter().flatten().collect();
    match more.as_slice() {
        [] => printable(&drive.name).into_owned(),
        more => format!("{} ({})", printable(&drive.name), more.join(", ")),
    }
}

fn against(drive: &DriveFound, change: &Change) -> String {
    let is_old = change.first == change.last && change.looks > 1;
    let before = if is_old { ", as at the first reading" } else { "" };
    match change.counter {
        Counter::Failing if change.last > 0 => format!("it says that it is failing{before}"),
        Counter::Failing => "it reported that it was failing, but no longer does".to_owned(),
        Counter::CriticalWarning if change.last == 0 => {
            format!("it warned, but no longer does: {}", warnings(change.most))
        }
        Counter::CriticalWarning => {
            let over = change.most & !change.last;
            let over =
                if over == 0 { String::new() } else { format!("; and warned before: {}", warnings(over)) };
            format!("it warns: {}{before}{over}", warnings(change.last))
        }
        Counter::SparePercent => {
            let of = |change: &&Change| change.counter == Counter::SpareThresholdPercent;
            let threshold = drive.changes.iter().find(of).map_or(0, |change| change.last);
            format!("{} % of its spare blocks are left, its threshold is {threshold} %{before}", change.last)
        }
        counter => {
            let new = change.most.saturating_sub(change.first);
            let (grown, before) = (number(to_f64(new)), number(to_f64(change.first)));
            format!("{} rose by {grown}, from {before}", label(counter))
        }
    }
}

fn warnings(bits: u64) -> String {
    let known = WARNINGS.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1);
    let known: Vec<String> = known.map(|(_, words)| (*words).to_owned()).collect();
    if known.is_empty() { format!("bits {bits:#x}") } else { listed(&known) }
}

/// The name of a counter for people.
pub(super) const fn label(counter: Counter) -> &'static str {
    match counter {
        Counter::Failing => "failing by its own report",
        Counter::CriticalWarning => "critical warning",
        Counter::MediaErrors => "media errors",
        Counter::ReportedUncorrected => "errors it could not correct",
        Counter::UncorrectedErrors => "uncorrected errors",
        Counter::ReallocatedSectors => "reallocated sectors",
        Counter::ReallocationEvents => "reallocations",
        Counter::PendingSectors => "pending sectors",
        Counter::OfflineUncorrectable => "sectors its own scan could not read",
        Counter::GrownDefects => "grown defects",
        Counter::TransferErrors => "transfer errors (cable)",
        Counter::SparePercent => "spare blocks left",
        Counter::SpareThresholdPercent => "spare threshold",
        Counter::WearPercent => "endurance used",
        Counter::CommandTimeouts => "commands timed out",
        Counter::ErrorLogEntries => "error log entries",
        Counter::UnsafeShutdowns => "unsafe shutdowns",
        Counter::HotMinutes => "minutes too hot",
        Counter::PowerOnHours => "power-on hours",
        Counter::WrittenBytes => "written",
    }
}

/// A value of a counter for people.
pub(super) fn value(counter: Counter, value: u64) -> String {
    match counter {
        Counter::SparePercent | Counter::SpareThresholdPercent | Counter::WearPercent => format!("{value} %"),
        Counter::WrittenBytes => Bytes(value).to_string(),
        Counter::CriticalWarning => format!("{value:#x}"),
        Counter::Failing => if value == 0 { "no" } else { "yes" }.to_owned(),
        _ => number(to_f64(value)),
    }
}

/// The drives, those against which something speaks first.
pub(super) fn sorted(found: &SoakFindings) -> Vec<&DriveFound> {
    let mut drives: Vec<&DriveFound> = found.drives.iter().flat_map(|drives| &drives.told).collect();
    drives.sort_by_key(|drive| !drive.is_worse());
    drives
}

/// A line for each drive: what is wrong with it, what changed, and how worn it is.
pub(super) fn lines(found: &SoakFindings) -> Vec<String> {
    let is_shown = |change: &&Change| {
        let counter = change.counter;
        let is_told = matches!(counter, Counter::PowerOnHours | Counter::WearPercent | Counter::SparePercent);
        is_told || change.first != change.most || (counter.kind() != Kind::Use && change.last > 0)
    };
    let one = |drive: &&DriveFound| {
        let figures = drive.changes.iter().filter(is_shown).map(figure);
        format!("{}: {}", name(drive), listed(&figures.collect::<Vec<_>>()))
    };
    sorted(found).iter().map(one).collect()
}

fn figure(change: &Change) -> String {
    let Change { counter, first, last, .. } = *change;
    let (name, after) = (label(counter), value(counter, last));
    match change.looks {
        1 => format!("{name} {after}"),
        _ => format!("{name} {after} (before {})", value(counter, first)),
    }
}
