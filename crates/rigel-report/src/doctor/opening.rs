//! The first sentences of what the doctor says: what the findings come to. Must not judge a setting.

use super::text::Finding;
use crate::numbers::counted;
use crate::page::Page;
use crate::text::{Ink, Style, wrapped};
use rigel_core::uses::doctor::{Part, Severity};

/// By the gravest finding, as the exit code is. Counts what has a line.
pub(super) fn verdict(page: &mut Page, parts: &[(Part, Vec<Finding<'_>>)], style: Style) {
    let of = |severity| move |found: &&Finding<'_>| found.severity() == Some(severity);
    let count = |severity| parts.iter().flat_map(|(_, found)| found).filter(of(severity)).count();
    let warnings = |wanted: Part| {
        let own = parts.iter().filter(|(part, _)| *part == wanted);
        own.flat_map(|(_, found)| found).filter(of(Severity::Warning)).count()
    };
    let kinds = [Severity::Error, Severity::Warning, Severity::Note].map(|kind| (kind, count(kind)));
    let gravest = kinds.into_iter().find(|(_, count)| *count > 0).map(|(kind, _)| kind);
    let listed = |from: usize| {
        let found = kinds.into_iter().skip(from).filter(|(_, count)| *count > 0);
        found.map(|(kind, count)| counted(count, kind.name())).collect::<Vec<_>>().join(", ")
    };
    let (ink, word, rest) = match gravest {
        Some(Severity::Error) => (
            Ink::Invalid,
            "Do not measure yet".to_owned(),
            format!(
                ": {}. An error means that data may be lost, or that the numbers would be about something else than the storage.",
                listed(0)
            ),
        ),
        Some(Severity::Warning) => {
            let (word, meaning) = harm(warnings(Part::Measurement), warnings(Part::Database));
            let notes = if count(Severity::Note) > 0 { format!("; {}", listed(2)) } else { String::new() };
            (Ink::Flag, word, format!("{notes}. {meaning}"))
        }
        Some(Severity::Note) => (
            Ink::Heading,
            "Good".to_owned(),
            format!(": {}. A note is right for many: nothing has to change before you measure.", listed(0)),
        ),
        None => (
            Ink::Heading,
            "Good".to_owned(),
            ": no findings. Nothing has to change before you measure.".into(),
        ),
    };
    painted(page, "", "", &format!("{word}{rest}"), (ink, &word), style);
}

/// What warnings about each part come to, and what to do about them.
fn harm(measurement: usize, database: usize) -> (String, &'static str) {
    let settings = |count: usize| counted(count, "setting");
    let harm = |count: usize| if count == 1 { "harms" } else { "harm" };
    let bend = |count: usize| if count == 1 { "changes" } else { "change" };
    let (of_numbers, of_database) = (bend(measurement), harm(database));
    let decide = "Decide for each warning whether it may stay.";
    match (measurement, database) {
        (0, _) => (
            format!("{} {of_database} a database", settings(database)),
            "A measurement does not show what they cost.",
        ),
        (_, 0) => (format!("{} {of_numbers} what is measured", settings(measurement)), decide),
        _ => (
            format!(
                "{} {of_numbers} what is measured, {database} {of_database} a database",
                settings(measurement)
            ),
            decide,
        ),
    }
}

/// Text in lines, with a word of it in a colour. Painted after it was broken into lines, because colours have no width.
pub(super) fn painted(
    page: &mut Page,
    first: &str,
    others: &str,
    text: &str,
    (ink, word): (Ink, &str),
    style: Style,
) {
    let mut lines = Page::default();
    wrapped(&mut lines, first, others, text);
    page.push(lines.into_string().replacen(word, &style.painted(ink, word), 1));
}
