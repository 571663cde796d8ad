//! Sections and options of a job file, line by line, as fio's own reader takes them.
//!
//! Must not know what an option means.

use super::wrong;
use crate::error::Problem;
use crate::path_text::printable;

/// Words that fio replaces by facts of the host.
const KEYWORDS: [&str; 3] = ["$pagesize", "$mb_memory", "$ncpus"];

/// An option of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its number in the file, from 1.
    pub number: usize,
    /// Its name as written.
    pub option: &'a str,
    /// The text after the equals sign.
    pub value: Option<&'a str>,
}

/// A section: a job, or `[global]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section<'a> {
    /// The line with its name.
    pub number: usize,
    /// Its name.
    pub name: &'a str,
    /// Its options, in order.
    pub lines: Vec<Line<'a>>,
}

impl Section<'_> {
    /// Whether later sections inherit its options.
    pub fn is_global(&self) -> bool {
        self.name.eq_ignore_ascii_case("global")
    }
}

/// The first line with content.
pub fn first(text: &str) -> Option<&str> {
    without_mark(text).lines().map(without_comment).find(|line| !line.is_empty())
}

/// Windows editors begin a text with a byte order mark.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// fio cuts a line at either sign, wherever it is.
fn without_comment(line: &str) -> &str {
    line.split([';', '#']).next().unwrap_or_default().trim()
}

/// The sections of a file.
pub fn sections<'a>(name: &str, text: &'a str) -> Result<Vec<Section<'a>>, Problem> {
    let mut sections: Vec<Section<'a>> = Vec::new();
    for (number, line) in (1..).zip(without_mark(text).lines()) {
        let line = without_comment(line);
        if line.is_empty() {
            continue;
        }
        if let Some(rest) = line.strip_prefix('[') {
            let section = rest.strip_suffix(']').map(str::trim).filter(|name| !name.is_empty());
            let section = section.ok_or_else(|| {
                wrong(name, number, format!("'{}' is not the name of a section", printable(line)))
                    .next("write it as [name]")
            })?;
            sections.push(Section { number, name: section, lines: Vec::new() });
            continue;
        }
        if sections.is_empty() && (line.starts_with("fio ") || line.starts_with("--")) {
            return Err(wrong(name, number, "this is an fio command line, not a job file")
                .because("a job file has a line for each option, without dashes, below the [name] of a job")
                .next("write [reads], and below it a line such as rw=randread for each option"));
        }
        let found = option(name, number, line)?;
        let Some(section) = sections.last_mut() else {
            return Err(wrong(name, number, format!("the option '{}' is in no section", printable(line)))
                .because("the options of a job file follow [global] or the [name] of a job")
                .next("write the section first"));
        };
        section.lines.push(found);
    }
    Ok(sections)
}

fn option<'a>(name: &str, number: usize, line: &'a str) -> Result<Line<'a>, Problem> {
    if line.split_whitespace().next() == Some("include") {
        return Err(wrong(name, number, "the job file includes another one")
            .because("Rigel reads one file, and does not look for others")
            .next("copy the included lines to this place"));
    }
    if line.contains("${") || KEYWORDS.iter().any(|word| line.contains(word)) {
        return Err(wrong(name, number, format!("'{}' has a variable", printable(line)))
            .because(
                "fio would take its value from the environment or the host of each run, but a load is \
                the same everywhere",
            )
            .next("write its value; for environment variables: envsubst < FILE > job.fio"));
    }
    let (option, value) = line.split_once('=').map_or((line, None), |(option, value)| (option, Some(value)));
    Ok(Line { number, option: option.trim(), value: value.map(str::trim) })
}
