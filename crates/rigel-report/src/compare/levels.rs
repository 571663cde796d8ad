//! The load levels of both sides: how many are the same, which are not, and the command that measures one more.
//!
//! Must not guess: a command is only told where every word of it was typed before.

use super::Compared;
use super::words::named;
use crate::numbers::counted;
use crate::verdict::{Suggestion, again, there};
use crate::view::View;
use rigel_core::load::class::Class;
use rigel_core::load::matrix::{Point, RunLevel};

/// More load levels are not named above the table.
const MOST_NAMED: usize = 6;
/// Options that say on what and how is measured: the same for another load. Those in the second list have no value.
const KEPT: [&str; 6] = ["--lun", "--scratch-size", "--label", "--size-small", "--engine", "--workers"];
const KEPT_ALONE: [&str; 1] = ["--keep-scratch"];
/// Options of the load, of the time and of the outputs.
const DROPPED: [&str; 17] = [
    "--max-latency",
    "--percentile",
    "--budget",
    "--num-disks",
    "--name",
    "--out",
    "--seed",
    "--size-large",
    "--type",
    "--stream-ios",
    "--matrix",
    "--num-small",
    "--num-large",
    "--levels",
    "--max-duration",
    "--precision",
    "--cache-size",
];
const DROPPED_ALONE: [&str; 6] = ["--json", "--quiet", "--tui", "--force", "--no-html", "--fast"];

/// `Only 3 of 9 load levels are on both sides: ..`; `None` when all are.
pub(super) fn coverage(compared: &Compared<'_>) -> Option<String> {
    let left_out = &compared.comparison.left_out;
    let all = compared.base.iter().chain(compared.new).next()?;
    let points = all.findings.points.iter().map(|found| found.point);
    let mut common: Vec<Point> = points.filter(|point| !left_out.contains(point)).collect();
    common.sort_by_key(|point| point.by_rows());
    let total = counted(common.len() + left_out.len(), "load level");
    let names = if common.len() > MOST_NAMED { String::new() } else { format!(" ({})", named(&common)) };
    let there = if is_pair(compared) { "on both sides" } else { "in every run" };
    let verb = if common.len() == 1 { "is" } else { "are" };
    (!left_out.is_empty()).then(|| {
        format!(
            "Only {} of {total} {verb} {there}{names}. The others are not compared; they stand at the end.",
            common.len()
        )
    })
}

/// The points that are not compared, by the side that has them; `text` writes one.
pub(super) fn left_out(compared: &Compared<'_>, text: impl Fn(Point) -> String) -> Option<String> {
    let points = &compared.comparison.left_out;
    let of = |name: &str, views: &[View<'_>]| {
        let own = points.iter().filter(|point| views.iter().any(|view| view.at(**point).is_some()));
        let own: Vec<String> = own.map(|point| text(*point)).collect();
        (!own.is_empty()).then(|| format!("{name} {}", own.join(" ")))
    };
    let sides: Vec<String> =
        [of("base", compared.base), of("new", compared.new)].into_iter().flatten().collect();
    (!points.is_empty()).then(|| sides.join("; "))
}

fn is_pair(compared: &Compared<'_>) -> bool {
    (compared.base.len(), compared.new.len()) == (1, 1)
}

/// The command that measures one side at the load where the other one had its highest rate of small I/O.
pub(super) fn next(compared: &Compared<'_>) -> Option<Suggestion> {
    let (base, new) = (compared.base.first()?, compared.new.first()?);
    let of = |what: (&str, &View<'_>), other: (&str, &View<'_>)| {
        let level = missing(compared, what.1)?;
        let command = at_level(other.1, level)?;
        Some(Suggestion {
            purpose: format!(
                "To compare both at {level} outstanding small I/Os, where the {} was best, measure the {} so and compare the two \
                 records",
                what.0, other.0
            ),
            command,
        })
    };
    let (base, new) = (("base", base), ("new side", new));
    of(base, new).or_else(|| of(new, base)).filter(|_| is_pair(compared))
}

/// The load of the highest rate of small I/O, where the other side was not measured at it.
fn missing(compared: &Compared<'_>, view: &View<'_>) -> Option<u32> {
    let best = view.findings.best.rate(Class::SMALL)?.point;
    let is_missing = best.is_alone(Class::SMALL) && compared.comparison.left_out.contains(&best);
    is_missing.then(|| best.of(Class::SMALL))
}

/// A run as this one was, with so many small I/Os outstanding; `None` when a word of its command line is not known to allow that.
fn at_level(view: &View<'_>, level: u32) -> Option<String> {
    let echo = again(view)?;
    let mut words = typed(&echo)?.into_iter().skip(1).peekable();
    let command = words.next()?;
    if !["run", "calibrate"].contains(&command.as_str()) {
        return None;
    }
    if command == "run" {
        words.next_if(|word| RunLevel::ALL.iter().any(|level| level.name() == word))?;
    }
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        let name = word.split('=').next().unwrap_or(&word).to_owned();
        let has_value = KEPT.contains(&name.as_str()) || DROPPED.contains(&name.as_str());
        let value = if has_value && !word.contains('=') { Some(words.next()?) } else { None };
        if KEPT.contains(&name.as_str()) || KEPT_ALONE.contains(&name.as_str()) || !word.starts_with('-') {
            kept.push(word);
            kept.extend(value);
        } else if !DROPPED.contains(&name.as_str()) && !DROPPED_ALONE.contains(&name.as_str()) {
            return None;
        }
    }
    let options = format!("--matrix point --num-small {level} --num-large 0");
    let words = ["rigel", "run", "advanced"].map(str::to_owned).into_iter().chain(kept).chain([options]);
    Some(there(view, &words.collect::<Vec<_>>().join(" ")))
}

/// The words of a command line, each as it was typed: what stands in single quotes is part of one word.
fn typed(line: &str) -> Option<Vec<String>> {
    let mut words: Vec<String> = Vec::new();
    let mut is_quoted = false;
    for piece in line.split(' ').filter(|piece| !piece.is_empty()) {
        match words.last_mut() {
            Some(word) if is_quoted => {
                word.push(' ');
                word.push_str(piece);
            }
            _ => words.push(piece.to_owned()),
        }
        is_quoted ^= piece.matches('\'').count() % 2 == 1;
    }
    (!is_quoted).then_some(words)
}
