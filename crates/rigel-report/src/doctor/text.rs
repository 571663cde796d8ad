//! What the doctor found, for people: the verdict, then a part for the measurement and one for the database, then the
//! next command. A line for each finding, or everything. Must not judge.

use super::facts::looked_at;
use super::opening::{painted, verdict};
use super::{Counts, word};
use crate::numbers::counted;
use crate::page::Page;
use crate::text::{Ink, Style, wrapped};
use rigel_core::path_text::{printable, shell_word};
use rigel_core::uses::doctor::{Checked, Part, Severity, Status, System};
use std::cmp::Reverse;

/// The width of a line, which only names that are longer exceed.
const COLUMNS: usize = 80;
/// Names of devices with the same finding, before the rest is a number.
const MOST_NAMES: usize = 6;
/// Below the first word after number and severity.
const INDENT: &str = "             ";

/// How a change outlasts a boot. Commands of systemctl do by themselves.
const KEEP: [&str; 6] = [
    "What sysctl, echo and mount change is lost at the next boot. To keep it:",
    "  sysctl -w NAME=VALUE      the line NAME = VALUE in a file in /etc/sysctl.d",
    "  echo > /sys/block/..      a udev rule in /etc/udev/rules.d:",
    r#"      ACTION=="add|change", KERNEL=="sda", ATTR{queue/scheduler}="mq-deadline""#,
    "  echo > another file       the line w FILE - - - - VALUE in /etc/tmpfiles.d",
    "  mount -o remount,OPTION   the option in /etc/fstab",
];

/// Findings that differ in nothing but what they are about, under one number.
pub(super) struct Finding<'a> {
    number: usize,
    same: Vec<&'a Checked>,
}

impl Finding<'_> {
    pub(super) fn severity(&self) -> Option<Severity> {
        self.same.first().map(|judged| judged.rule.severity)
    }
}

/// The text: a line for each finding; with `everything` all that is known of it, and what is fine, too. `named` has the
/// targets as they were named, printable, for the command that leads on.
pub fn findings(
    system: &System<'_>,
    all: &[Checked],
    named: &[String],
    everything: bool,
    style: Style,
) -> String {
    let mut page = Page::default();
    let parts = numbered(all);
    verdict(&mut page, &parts, style);
    page.blank();
    if everything {
        looked_at(&mut page, system);
        page.blank();
    }
    for (part, found) in &parts {
        section(&mut page, *part, found, everything, style);
        page.blank();
    }
    if everything {
        let fine = |judged: &&Checked| matches!(judged.verdict, Status::Fine(_));
        rest(&mut page, "Nothing to change", all.iter().filter(fine), &parts, style);
        let unknown = |judged: &&Checked| judged.verdict == Status::Unknown;
        rest(&mut page, "Could not be read", all.iter().filter(unknown), &parts, style);
    } else {
        extent(&mut page, system, Counts::of(all));
    }
    let has_findings = parts.iter().any(|(_, found)| !found.is_empty());
    next(&mut page, named, has_findings, everything);
    style.spelled(page.into_string())
}

/// The findings of each part, the gravest first, numbered through. The part with the gravest of all stands first.
fn numbered(all: &[Checked]) -> [(Part, Vec<Finding<'_>>); 2] {
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

fn section(page: &mut Page, part: Part, found: &[Finding<'_>], everything: bool, style: Style) {
    let title = match part {
        Part::Measurement => "What bends this measurement",
        Part::Database => "What matters to the database",
    };
    let order = if found.len() > 1 { " (the worst first)" } else { "" };
    page.line(style.painted(Ink::Heading, &format!("{title}{order}")));
    if found.is_empty() {
        page.line("    nothing");
    }
    for (index, finding) in found.iter().enumerate() {
        if everything && index > 0 {
            page.blank();
        }
        line(page, finding, everything, style);
        if everything {
            details(page, finding);
        } else if finding.severity() > Some(Severity::Note) {
            // A command is pasted, so it stays in one line.
            let change = finding.same.first().map(|first| printable(&first.change()).into_owned());
            page.line(format_args!("{INDENT}change: {}", change.unwrap_or_default()));
        }
    }
}

/// What is wrong, with as many names as the line has room for, or as many as are shown at all.
fn line(page: &mut Page, Finding { number, same }: &Finding<'_>, all_names: bool, style: Style) {
    let Some(first) = same.first() else { return };
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
    painted(page, &format!("{number:>3} {word:<8} "), INDENT, &text(most), (ink, word), style);
}

fn details(page: &mut Page, Finding { same, .. }: &Finding<'_>) {
    let Some(first) = same.first() else { return };
    wrapped(page, "    setting  ", INDENT, &format!("{}: {}", first.rule.setting, value(first)));
    wrapped(page, "    why      ", INDENT, first.rule.why);
    // A command is pasted, so it stays in one line.
    page.line(format_args!("    show     {}", printable(&first.show())));
    page.line(format_args!("    change   {}", printable(&first.change())));
    page.line(format_args!("    source   {}", first.rule.source));
}

/// What is no finding, in a paragraph of its own; nothing when there is none.
fn rest<'a>(
    page: &mut Page,
    title: &str,
    all: impl Iterator<Item = &'a Checked>,
    parts: &[(Part, Vec<Finding<'_>>)],
    style: Style,
) {
    let found = groups(all);
    if found.is_empty() {
        return;
    }
    page.line(style.painted(Ink::Heading, title));
    for same in found {
        let Some(first) = same.first() else { continue };
        let but = doubted_by(&same, parts).map_or_else(String::new, |number| format!(", but see {number}"));
        let text = format!("{}: {}: {}{but}", names(&same, MOST_NAMES), first.rule.setting, value(first));
        wrapped(page, "  ", "      ", &text);
    }
    page.blank();
}

/// The number of a finding that leaves open whether these settings are right.
fn doubted_by(same: &[&Checked], parts: &[(Part, Vec<Finding<'_>>)]) -> Option<usize> {
    let doubts = |found: &&Checked| {
        same.iter().any(|one| one.about == found.about && one.rests_on().contains(&found.rule.name))
    };
    let mut all = parts.iter().flat_map(|(_, found)| found);
    all.find(|finding| finding.same.iter().any(&doubts)).map(|finding| finding.number)
}

/// How much was looked at.
fn extent(page: &mut Page, system: &System<'_>, counts: Counts) {
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
    wrapped(page, "", "", &format!("Looked at {}: {fine} {need} no change{unknown}.", looked.join(", ")));
}

/// The command that leads on, to be pasted as it is.
fn next(page: &mut Page, named: &[String], has_findings: bool, everything: bool) {
    let (verb, option, effect) = match (has_findings, everything) {
        (true, false) => (
            "doctor",
            Some("--all"),
            "says why each matters, how to change it, and how a change outlasts a boot",
        ),
        (true, true) => {
            KEEP.iter().for_each(|line| page.line(line));
            ("doctor", None, "after a change, looks again")
        }
        (false, _) => ("calibrate", None, "measures the figures that matter most"),
    };
    let words =
        ["rigel", verb].into_iter().map(str::to_owned).chain(named.iter().map(|name| shell_word(name)));
    let words: Vec<String> = words.chain(option.map(str::to_owned)).collect();
    page.line(format_args!("Next: {}", words.join(" ")));
    page.line(format_args!("      {effect}"));
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

fn names(same: &[&Checked], most: usize) -> String {
    let shown: Vec<String> =
        same.iter().take(most).map(|judged| printable(&judged.about.to_string()).into_owned()).collect();
    let more = same.len().saturating_sub(most);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", shown.join(", "))
}

fn value(judged: &Checked) -> String {
    match &judged.verdict {
        Status::Fine(value) | Status::Bent { value, .. } => printable(value).into_owned(),
        Status::Unknown | Status::NotAsked => "?".to_owned(),
    }
}
