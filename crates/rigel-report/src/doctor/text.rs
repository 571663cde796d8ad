//! What the doctor found, for people: the verdict, then a part for the measurement and one for the database, then the
//! next command. A line for each finding, or everything. Must not judge.

use super::facts::looked_at;
use super::{Counts, word};
use crate::numbers::counted;
use crate::page::Page;
use crate::text::{Ink, Style, wrapped};
use rigel_core::path_text::printable;
use rigel_core::uses::doctor::{Checked, Part, Severity, Status, System, quoted};

/// The width of a line, which only names that are longer exceed.
const COLUMNS: usize = 80;
/// Names of devices with the same finding, before the rest is a number.
const MOST_NAMES: usize = 6;
/// Below the first word after number and severity.
const INDENT: &str = "             ";

/// Findings that differ in nothing but what they are about, under one number.
struct Finding<'a> {
    number: usize,
    same: Vec<&'a Checked>,
}

impl Finding<'_> {
    fn severity(&self) -> Option<Severity> {
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
        rest(&mut page, "Nothing to change", all.iter().filter(fine), style);
        let unknown = |judged: &&Checked| judged.verdict == Status::Unknown;
        rest(&mut page, "Could not be read", all.iter().filter(unknown), style);
    } else {
        extent(&mut page, system, Counts::of(all));
    }
    let has_findings = parts.iter().any(|(_, found)| !found.is_empty());
    next(&mut page, named, has_findings, everything);
    style.spelled(page.into_string())
}

/// The findings of each part, the gravest first, numbered through.
fn numbered(all: &[Checked]) -> [(Part, Vec<Finding<'_>>); 2] {
    let mut number = 0;
    Part::ALL.map(|part| {
        let bent = all.iter().filter(|judged| judged.is_bent() && judged.rule.part == part);
        let mut numbered = |same| {
            number += 1;
            Finding { number, same }
        };
        (part, groups(bent).into_iter().map(&mut numbered).collect())
    })
}

/// By the gravest finding, as the exit code is. Counts what has a line.
fn verdict(page: &mut Page, parts: &[(Part, Vec<Finding<'_>>)], style: Style) {
    let of = |severity| move |found: &&Finding<'_>| found.severity() == Some(severity);
    let count = |severity| parts.iter().flat_map(|(_, found)| found).filter(of(severity)).count();
    let kinds = [Severity::Error, Severity::Warning, Severity::Note].map(|kind| (kind, count(kind)));
    let gravest = kinds.into_iter().find(|(_, count)| *count > 0).map(|(kind, _)| kind);
    let bends = |(part, found): &(Part, Vec<Finding<'_>>)| {
        *part == Part::Measurement && found.iter().any(|found| of(Severity::Warning)(&found))
    };
    let (ink, word, meaning) = match gravest {
        Some(Severity::Error) => (
            Ink::Invalid,
            "Do not measure yet",
            "An error means that data may be lost, or that the numbers would be about something else than the storage",
        ),
        Some(Severity::Warning) if parts.iter().any(bends) => (
            Ink::Flag,
            "Use with care",
            "A warning costs performance, or changes what is measured: decide whether it may stay",
        ),
        Some(Severity::Warning) => (
            Ink::Flag,
            "Use with care",
            "All warnings are about the database: a measurement does not show what they cost",
        ),
        Some(Severity::Note) => {
            (Ink::Heading, "Good", "A note is right for many: nothing has to change before you measure")
        }
        None => (Ink::Heading, "Good", "Nothing has to change before you measure"),
    };
    let found = kinds.into_iter().filter(|(_, count)| *count > 0);
    let found: Vec<String> = found.map(|(kind, count)| counted(count, kind.name())).collect();
    let found = if found.is_empty() { "no findings".to_owned() } else { found.join(", ") };
    painted(page, "", "", &format!("{word}: {found}. {meaning}."), (ink, word), style);
}

fn section(page: &mut Page, part: Part, found: &[Finding<'_>], everything: bool, style: Style) {
    let title = match part {
        Part::Measurement => "What bends this measurement",
        Part::Database => "What matters to the database",
    };
    page.line(style.painted(Ink::Heading, title));
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
fn rest<'a>(page: &mut Page, title: &str, all: impl Iterator<Item = &'a Checked>, style: Style) {
    let found = groups(all);
    if found.is_empty() {
        return;
    }
    page.line(style.painted(Ink::Heading, title));
    for same in found {
        let Some(first) = same.first() else { continue };
        let text = format!("{}: {}: {}", names(&same, MOST_NAMES), first.rule.setting, value(first));
        wrapped(page, "  ", "      ", &text);
    }
    page.blank();
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
            "says by these numbers why each matters, and the command that changes it",
        ),
        (true, true) => {
            page.line("What is changed by a command lasts until the next boot.");
            ("doctor", None, "after a change, looks again")
        }
        (false, _) => ("calibrate", None, "measures the figures that matter most"),
    };
    let words = ["rigel", verb].into_iter().map(str::to_owned).chain(named.iter().map(|name| quoted(name)));
    let words: Vec<String> = words.chain(option.map(str::to_owned)).collect();
    page.line(format_args!("Next: {}", words.join(" ")));
    page.line(format_args!("      {effect}"));
}

/// Text in lines, with a word of it in a colour. Painted after it was broken into lines, because colours have no width.
fn painted(page: &mut Page, first: &str, others: &str, text: &str, (ink, word): (Ink, &str), style: Style) {
    let mut lines = Page::default();
    wrapped(&mut lines, first, others, text);
    page.push(lines.into_string().replacen(word, &style.painted(ink, word), 1));
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
