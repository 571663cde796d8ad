//! What the doctor found, for people: the verdict, then a part for the measurement and one for the database, then the
//! next command. A line for each finding, or everything. Must not judge.

use super::commits::commits;
use super::facts::looked_at;
use super::opening::verdict;
use super::{Counts, DoctorReport, word};
use crate::document::{Block, Blocks, Document, Paragraph, Room};
use crate::text::{COLUMNS, Ink};
use rigel_core::path_text::{printable, shell_word};
use rigel_core::units::say::counted;
use rigel_uses::doctor::{Part, RuleResult, Severity, Status, System};
use std::cmp::Reverse;

/// Names of devices with the same finding, before the rest is a number.
pub(super) const MOST_NAMES: usize = 6;
/// Below the first word after number and severity.
const INDENT: &str = "             ";

/// How a change survives a reboot. Commands of systemctl do on their own.
const KEEP: [&str; 6] = [
    "A reboot undoes what sysctl, echo and mount change. To keep it:",
    "  sysctl -w NAME=VALUE      the line NAME = VALUE in a file in /etc/sysctl.d",
    "  echo > /sys/block/..      a udev rule in /etc/udev/rules.d:",
    r#"      ACTION=="add|change", KERNEL=="sda", ATTR{queue/scheduler}="mq-deadline""#,
    "  echo > another file       the line w FILE - - - - VALUE in /etc/tmpfiles.d",
    "  mount -o remount,OPTION   the option in /etc/fstab",
];

/// Findings that differ in nothing but what they are about, under one number.
pub(super) struct Finding<'a> {
    number: usize,
    same: Vec<&'a RuleResult>,
}

impl Finding<'_> {
    pub(super) fn severity(&self) -> Option<Severity> {
        self.same.first().map(|judged| judged.rule.severity)
    }

    /// How many settings it stands for.
    pub(super) const fn settings(&self) -> usize {
        self.same.len()
    }
}

/// A line for each finding; with `everything` all that is known about it, and what is fine, too.
impl Document for DoctorReport<'_> {
    fn blocks(&self, _room: Room) -> Blocks {
        let (all, everything) = (self.all, self.everything);
        let parts = numbered(all);
        let mut blocks = vec![verdict(&parts)];
        if everything {
            blocks.extend(looked_at(self.system));
        }
        blocks.extend(parts.iter().map(|(part, found)| section(*part, found, everything)));
        let mut last = Vec::new();
        if everything {
            let fine = |judged: &&RuleResult| matches!(judged.verdict, Status::Fine(_));
            blocks.push(rest("Nothing to change", all.iter().filter(fine), &parts));
            let unknown = |judged: &&RuleResult| judged.verdict == Status::Unknown;
            blocks.push(rest("Could not be read", all.iter().filter(unknown), &parts));
        } else {
            last.push(extent(self.system, Counts::of(all)));
        }
        last.extend(commits(all, self.known));
        let has_findings = parts.iter().any(|(_, found)| !found.is_empty());
        last.extend(next(self.named, has_findings, everything));
        blocks.push(Block::part(last));
        blocks.into()
    }
}

/// The findings of each part, the most serious first, numbered throughout. The part with the most serious one comes first.
fn numbered(all: &[RuleResult]) -> [(Part, Vec<Finding<'_>>); 2] {
    let bent = |part| all.iter().filter(move |judged| judged.is_bent() && judged.rule.part == part);
    let mut parts = Part::ALL;
    parts.sort_by_key(|part| Reverse(bent(*part).map(|judged| judged.rule.severity).max()));
    let mut number = 0;
    parts.map(|part| {
        let mut numbered = |same| {
            number += 1;
            Finding { number, same }
        };
        (part, groups(bent(part)).into_iter().map(&mut numbered).collect())
    })
}

fn section(part: Part, found: &[Finding<'_>], everything: bool) -> Block {
    let title = match part {
        Part::Measurement => "Affects this measurement",
        Part::Database => "Affects the database",
    };
    let order = if found.len() > 1 { ", worst first" } else { "" };
    let all = found.iter().map(|finding| {
        let mut blocks = line(finding, everything);
        if everything {
            blocks.extend(details(finding));
            return vec![Block::part(blocks)];
        }
        if let Some(first) = finding.same.first().filter(|_| finding.severity() > Some(Severity::Note)) {
            // A command is pasted, so it stays in one line.
            blocks.push(Block::whole(format!("{INDENT}change: "), printable(&first.change())));
        }
        blocks
    });
    let nothing = found.is_empty().then(|| Block::whole("    ", "nothing"));
    Block::section(format!("{title}{order}"), all.flatten().chain(nothing).collect())
}

/// The problem, with as many names as the line has room for, or as many as are shown at all.
fn line(Finding { number, same }: &Finding<'_>, all_names: bool) -> Vec<Block> {
    let Some(first) = same.first() else { return Vec::new() };
    let ink = match first.rule.severity {
        Severity::Error => Ink::Invalid,
        Severity::Warning => Ink::Flag,
        Severity::Note => Ink::Small,
    };
    let word = word(first);
    let wrong = first.wrong();
    let text = |most: usize| format!("{}: {}", names(same, most), printable(&wrong));
    let fits = |most: &usize| all_names || INDENT.len() + text(*most).chars().count() <= COLUMNS;
    let most = (1..=MOST_NAMES).rev().find(fits).unwrap_or(1);
    let label = format!("{number:>3} {word:<8} ");
    vec![Paragraph::labelled(label, INDENT.len(), text(most)).with_word(ink, word).into()]
}

fn details(Finding { same, .. }: &Finding<'_>) -> Vec<Block> {
    let Some(first) = same.first() else { return Vec::new() };
    let setting = format!("{}: {}", first.rule.setting, value(first));
    vec![
        Paragraph::labelled("    setting  ", INDENT.len(), setting).into(),
        Paragraph::labelled("    why      ", INDENT.len(), first.rule.why).into(),
        // A command is pasted, so it stays in one line.
        Block::whole("    show     ", printable(&first.show())),
        Block::whole("    change   ", printable(&first.change())),
        Block::whole("    source   ", first.rule.source),
    ]
}

/// What is not a finding; `None` if everything is.
fn rest<'a>(
    title: &str,
    all: impl Iterator<Item = &'a RuleResult>,
    parts: &[(Part, Vec<Finding<'_>>)],
) -> Block {
    let line = |same: Vec<&RuleResult>| {
        let first = same.first()?;
        let but = doubted_by(&same, parts).map_or_else(String::new, |number| format!(", but see {number}"));
        let text = format!("{}: {}: {}{but}", names(&same, MOST_NAMES), first.rule.setting, value(first));
        Some(Paragraph::labelled("  ", 6, text).into())
    };
    Block::section(title, groups(all).into_iter().filter_map(line).collect())
}

/// The number of a finding that leaves open whether these settings are right.
fn doubted_by(same: &[&RuleResult], parts: &[(Part, Vec<Finding<'_>>)]) -> Option<usize> {
    let doubts = |found: &&RuleResult| {
        same.iter().any(|one| one.about == found.about && one.rests_on().contains(&found.rule.name))
    };
    let mut all = parts.iter().flat_map(|(_, found)| found);
    all.find(|finding| finding.same.iter().any(&doubts)).map(|finding| finding.number)
}

/// How much was examined.
fn extent(system: &System<'_>, counts: Counts) -> Block {
    let kinds =
        [(system.targets.len(), "target"), (system.mounts.len(), "mount"), (system.devices.len(), "device")];
    let among = kinds.into_iter().filter(|(count, _)| *count > 0).map(|(count, kind)| counted(count, kind));
    let looked: Vec<String> = std::iter::once("the host".to_owned()).chain(among).collect();
    let fine = counted(counts.fine, "other setting");
    let unknown = match counts.unknown {
        0 => String::new(),
        count => format!(", {count} could not be read"),
    };
    let need = if counts.fine == 1 { "needs" } else { "need" };
    Block::paragraph(format!("Checked {}: {fine} {need} no change{unknown}.", looked.join(", ")))
}

/// The next command, ready to paste.
fn next(named: &[String], has_findings: bool, everything: bool) -> Vec<Block> {
    let mut blocks = Vec::new();
    let (verb, option, effect) = match (has_findings, everything) {
        (true, false) => (
            "doctor",
            Some("--all"),
            "shows why each matters, how to change it and how to make that permanent",
        ),
        (true, true) => {
            blocks.extend(KEEP.map(|line| Block::whole("", line)));
            ("doctor", None, "checks again after a change")
        }
        (false, _) => ("calibrate", None, "measures IOPS, throughput, latency and the cost of a commit"),
    };
    let words =
        ["rigel", verb].into_iter().map(str::to_owned).chain(named.iter().map(|name| shell_word(name)));
    let words: Vec<String> = words.chain(option.map(str::to_owned)).collect();
    blocks.push(Block::Next { command: words.join(" "), effect: effect.to_owned() });
    blocks
}

/// Findings that differ only in the device are grouped.
fn groups<'a>(all: impl Iterator<Item = &'a RuleResult>) -> Vec<Vec<&'a RuleResult>> {
    let mut found: Vec<Vec<&RuleResult>> = Vec::new();
    for judged in all {
        let same = |group: &&mut Vec<&RuleResult>| {
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

/// What settings are about; behind this many names the rest is a number.
pub(super) fn names(same: &[&RuleResult], most: usize) -> String {
    let shown: Vec<String> =
        same.iter().take(most).map(|judged| printable(&judged.about.to_string()).into_owned()).collect();
    let more = same.len().saturating_sub(most);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", shown.join(", "))
}

fn value(judged: &RuleResult) -> String {
    match &judged.verdict {
        Status::Fine(value) | Status::Bent { value, .. } => printable(value).into_owned(),
        Status::Unknown | Status::NotAsked => "?".to_owned(),
    }
}
