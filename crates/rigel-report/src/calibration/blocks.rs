//! Answers for people: the answer, warnings, a row for each figure, what was measured, the next command.
//!
//! Must not depend on where a document came from: a run or the history.

use super::Document;
use super::past::another;
use crate::document::{self, Block, Blocks, Column, Document as _, Paragraph, Room, Table};
use crate::judgement::Tone;
use crate::text::{Ink, Style};
use crate::verdict::Conclusion;
use crate::{versus, warnings};
use rigel_core::judge::answers::{ANSWERS, Answer, AnswersForm, COMMIT_LATENCY, MAX_IOPS};
use rigel_core::judge::flags::Flag;
use rigel_core::judge::quantity::{Scope, Unit};
use rigel_core::path_text::printable;
use rigel_core::stats::EstimateForm;
use rigel_core::units::say::{percent, time};

impl document::Document for Document {
    fn blocks(&self, room: Room) -> Blocks {
        let what = format!("Calibration of {}", self.targets.join(", "));
        let run = format!("run {}, {}", self.run, self.started);
        let mut all = self.verdict.as_ref().map_or_else(Vec::new, |found| conclusion(found, room));
        // The verdict has said that it ended before.
        if self.complete || self.answers.has_figures() {
            all.push(Block::part(figures(self)));
        }
        if self.verdict.is_none() {
            all.push(Block::part(flags(&self.flags)));
        }
        all.push(Block::part(vec![Block::hanging(printable(&what)), Block::hanging(printable(&run))]));
        all.push(Block::part(self.verdict.iter().flat_map(versus::next).collect()));
        all.into()
    }
}

/// The answers of one calibration.
pub fn answers(found: &Document, style: Style) -> String {
    found.text(style)
}

/// The results, then doubts about them; if they must not be used, that comes first.
fn conclusion(found: &Conclusion, room: Room) -> Vec<Block> {
    let is_bad = found.tone == Tone::DoNotUse || found.reached.is_empty();
    let reached = std::iter::once(&found.reached).chain(&found.working).chain([&found.sureness]);
    let reached = reached.filter(|text| !text.is_empty()).cloned();
    let sentences = is_bad.then(|| found.head.clone()).into_iter().chain(reached).collect();
    let verdict = Block::Verdict { tone: found.look.max(found.tone), sentences };
    let limited = found.limited.iter().filter(|_| !room.is_wide()).map(Block::paragraph);
    std::iter::once(verdict).chain(warnings::list(&found.causes, room)).chain(limited).collect()
}

/// A row for each figure, and why one is missing.
pub(crate) fn figures(found: &Document) -> Vec<Block> {
    let answers = &found.answers;
    let has_commits = answers.figure(COMMIT_LATENCY).is_some();
    let rows: Vec<&Answer> = ANSWERS.iter().filter(|answer| has_commits || !answer.is_of_commits()).collect();
    let table = Table::of("figure", &rows)
        .column(Column::left("Figure"), |answer| answer.label)
        .column(Column::right("Value"), |answer| value_of(answer, answers))
        .column(Column::left("±").gap(1), |answer| {
            let width = answers.figure(answer.quantity).and_then(|found| found.width());
            width.map_or_else(String::new, |width| format!("±{} %", percent(width)))
        })
        .column(Column::left("What"), |answer| {
            (answer.about)(answers).trim_start_matches([' ', ',']).to_owned()
        })
        .below(|answer| {
            let reason = answers.reason.as_ref().filter(|_| answer.quantity == MAX_IOPS);
            reason.map(|reason| Paragraph::labelled("  ", 2, printable(reason)).into()).into_iter().collect()
        })
        .done();
    let saturation = answers.n_sat.map(|n_sat| {
        let least = if n_sat.saturated { "" } else { "at least " };
        let range = match (n_sat.lo, n_sat.hi) {
            (lo, hi) if lo == hi => lo.to_string(),
            (lo, hi) => format!("{lo} to {hi}"),
        };
        Block::hanging(format!("n_sat: {least}{range} outstanding small I/Os saturate it."))
    });
    let news = found
        .commits_news()
        .map(|why| Block::hanging(format!("Commits: not measured, because {}.", printable(why))));
    std::iter::once(table).chain(saturation).chain(news).collect()
}

/// A latency in the unit that suits it.
fn value_of(answer: &Answer, answers: &AnswersForm) -> String {
    let found = answers.figure(answer.quantity);
    match (answer.quantity.unit(), found) {
        (Unit::Us, Some(found)) => time(found.value / answer.scale),
        (Unit::Mbps, _) => format!("{} {}", value(found, 2), answer.quantity.unit().name()),
        (unit, _) => format!("{} {}", value(found, 0), unit.name()),
    }
}

fn value(found: Option<EstimateForm>, decimals: usize) -> String {
    found.map_or_else(|| "-".to_owned(), |found| format!("{:.decimals$}", found.value))
}

/// Every flag of an answer from before verdicts existed.
fn flags(flags: &[Flag]) -> Vec<Block> {
    let line = |flag: &Flag| {
        let (mark, ink) = if flag.invalid { ("Do not use: ", Ink::Invalid) } else { ("", Ink::Flag) };
        let text = format!("{mark}{}: {}", flag.code.name(), printable(&flag.text));
        Paragraph::labelled("- ", 2, text).painted(ink).into()
    };
    flags.iter().map(line).collect()
}

/// Calibrations of the past, the newest first: a row each, as DBA_RSRC_IO_CALIBRATE had one row.
pub struct CalibrationHistory<'a>(pub &'a [Document]);

impl document::Document for CalibrationHistory<'_> {
    fn blocks(&self, _room: Room) -> Blocks {
        let all = self.0;
        if all.is_empty() {
            return vec![Block::paragraph("No calibration yet: `rigel calibrate TARGET` makes one.")].into();
        }
        let columns = ANSWERS.iter().filter_map(|answer| Some((answer, answer.column?)));
        let (bounded, others): (Vec<_>, Vec<_>) =
            columns.partition(|(answer, _)| answer.quantity.of == Scope::WithinBound);
        let cell = |found: &Document, (answer, column): (&Answer, rigel_core::judge::answers::Column)| {
            value(found.answers.figure(answer.quantity), column.decimals)
        };
        let start = |found: &Document| {
            let start: String = found.started.chars().take(16).collect();
            printable(&start.replace('T', " ")).into_owned()
        };
        let head = |(_, column): (&Answer, rigel_core::judge::answers::Column)| {
            Column::right(column.head).width(column.width)
        };
        let table = Table::of("calibration", all)
            .column(Column::left("Start").width(16), start)
            .columns(bounded, head, cell)
            .column(Column::right("at").width(6), |found| {
                found.answers.outstanding.map(|level| level.to_string())
            })
            .columns(others, head, cell)
            .column(Column::left("Targets").gap(2), |found| printable(&found.targets.join(", ")).into_owned())
            .done();
        vec![table, Block::part(another(all).into_iter().map(Block::hanging).collect())].into()
    }
}

/// The history for a terminal.
pub fn history(all: &[Document]) -> String {
    CalibrationHistory(all).text(Style::default())
}
