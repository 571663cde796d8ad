//! The documents of a run: what is shown after it, everything that can be reported about it, and its page.
//!
//! Must not choose a figure or a word about one.

mod bounds;
mod cards;
mod charts;
mod evidence;
mod hero;
mod numbers;
mod overview;
mod points;

pub(crate) use charts::across;
pub(crate) use overview::blocks as overview;
pub(crate) use points::number;

use crate::calibration::{Document as CalibrationDocument, figures};
use crate::document::{Block, Blocks, Card, Document as _, Kind, Paragraph, Room};
use crate::html::ids::Ids;
use crate::judgement::{Cause, Tone};
use crate::sure::SurenessText;
use crate::text::Ink;
use crate::verdict::Conclusion;
use crate::view::View;
use crate::{by_reader, by_target, change, nodes, notes, open, scaling, slo, surroundings, words};
use rigel_core::judge::answer::Answer;
use rigel_core::judge::findings::SloFindings;
use rigel_core::path_text::shell_word;

/// Headline numbers next to the picture; more are below.
const MOST_CARDS: usize = 5;
/// Warnings that are shown without a request.
const MOST_WARNINGS: usize = 3;
/// The label of the command that shows everything else.
const LABEL: &str = "more: ";
/// The ending of a record's name.
const RECORD: &str = "_record.jsonl";

/// What is shown after a run: the answer, the most important warnings, the table, and where the `files` are.
pub(crate) fn brief(view: &View<'_>, files: &[String]) -> Blocks {
    let mut all = match CalibrationDocument::of(view) {
        Some(document) => document.blocks(Room::Narrow),
        None => answered(view).into(),
    };
    let guests = surroundings::guests(&view.record.header.nodes).map(Block::paragraph);
    all.push(Block::part(guests.into_iter().collect()));
    let record = files.iter().find(|path| path.ends_with(RECORD));
    all.push(more(record));
    all.push(Block::part(vec![Block::Files(files.to_vec())]));
    all
}

/// The answer with the table that it comes from.
fn answered(view: &View<'_>) -> Vec<Block> {
    let mut all = answer(&Conclusion::of(view));
    if let Answer::Rate(found) = view.answer() {
        all.extend(slo::blocks(found, Room::Narrow));
    } else if change::is_of(view) {
        all.extend(change::blocks(view, Room::Narrow));
    } else if !view.findings.points.is_empty() {
        all.extend(points::tables(view, None));
        all.push(Block::part(vec![points::short_legend(view)]));
        all.extend(points::phases(view));
        all.extend(open::blocks(view, Room::Narrow));
        all.extend(nodes::blocks(nodes::rows(view), Room::Narrow));
    }
    all
}

/// The line with the command that shows everything else: unbroken, however long the path is, so it can be pasted.
fn more(record: Option<&String>) -> Block {
    let record = record.map_or("RECORD", String::as_str);
    Block::part(vec![Block::whole(LABEL, format!("rigel report {} --explain", shell_word(record)))])
}

/// The answer to the question, and the strongest doubts about it.
pub(crate) fn answer(verdict: &Conclusion) -> Vec<Block> {
    let mut all = vec![Block::Verdict { tone: verdict.look, sentences: verdict.answer() }];
    all.extend(verdict.causes.iter().take(MOST_WARNINGS).map(warning));
    let more = verdict.causes.len().saturating_sub(MOST_WARNINGS);
    if more > 0 {
        all.push(Block::whole("  ", format!("and {more} more")));
    }
    let limited = verdict.limited.iter();
    all.extend(limited.map(|text| Paragraph::labelled("! ", 2, text.clone()).painted(Ink::Flag).into()));
    // A run that can be resumed, whose numbers are of no use or for which its time was too short is not done.
    let is_open = verdict.tone == Tone::DoNotUse || verdict.causes.iter().any(|cause| cause.code.is_none());
    let next = verdict.next.clone().filter(|next| is_open || next.is_longer);
    all.extend(next.map(Block::Suggestion));
    all
}

/// `! FOREIGN: Something else used the CPUs.`
pub(crate) fn warning(cause: &Cause) -> Block {
    let sentence = cause.means.split_inclusive(". ").next().unwrap_or_default().trim_end();
    let code = cause.code.map_or_else(String::new, |code| format!("{}: ", code.name()));
    let ink = if cause.invalid { Ink::Invalid } else { Ink::Flag };
    Paragraph::labelled("! ", 2, format!("{code}{sentence}")).painted(ink).into()
}

/// Everything, for a terminal.
pub(crate) fn explained(view: &View<'_>, files: &[String]) -> Blocks {
    let mut all = Conclusion::of(view).blocks();
    match (view.answer(), CalibrationDocument::of(view)) {
        (Answer::Rate(found), _) => all.extend(slo::blocks(found, Room::Narrow)),
        _ if change::is_of(view) => {
            all.extend(change::blocks(view, Room::Narrow));
            all.push(Block::part(hero::of(view, Room::Narrow).into_iter().collect()));
        }
        (_, document) => {
            let best = notes::headlines(view).into_iter().map(Block::hanging);
            // A calibration has answers, which are the best numbers.
            let best = if document.is_some() { Vec::new() } else { best.collect() };
            all.extend(document.as_ref().map(|document| Block::part(figures(document))));
            all.extend(points::blocks(view));
            all.push(Block::part(hero::of(view, Room::Narrow).into_iter().collect()));
            all.push(Block::part(best));
        }
    }
    all.extend(scaling::blocks(view, Room::Narrow));
    all.extend(by_reader::blocks(view, Room::Narrow));
    all.extend(by_target::blocks(view, Room::Narrow));
    let cpus = surroundings::cpus(view).map(|told| Block::paragraph(format!("CPUs of the host: {told}.")));
    all.push(Block::part(cpus.into_iter().collect()));
    all.push(Block::part(vec![Block::Files(files.to_vec())]));
    all.into()
}

/// The table alone.
pub(crate) fn table(view: &View<'_>) -> Blocks {
    points::blocks(view).into()
}

/// The page; its ids are those of a run.
pub(crate) fn page(view: &View<'_>, ids: &Ids) -> Vec<Block> {
    let verdict = Conclusion::of(view);
    let bound = match view.answer() {
        Answer::Rate(found) => Some(found),
        _ => None,
    };
    let mut cards =
        change::cards(view).unwrap_or_else(|| bound.map_or_else(|| cards::of(view), bounds::cards));
    let others = cards.split_off(cards.len().min(MOST_CARDS));
    let mut all =
        vec![Block::Verdict { tone: verdict.look, sentences: verdict.two_lines() }, Block::Cards(cards)];
    all.extend(hero::of(view, Room::Wide));
    all.push(why(&verdict));
    all.extend((!others.is_empty()).then(|| more_numbers(others)));
    all.extend(bound.map(|found| of_bounds(found, ids)).into_iter().flatten());
    all.push(Block::about(about(view)));
    all.extend(charts::blocks(view, ids));
    all.push(numbers::block(view, ids));
    all.push(SurenessText::of_run(view).block().named(ids.of("sure")));
    all.extend(change::blocks(view, Room::Wide));
    all.extend(scaling::blocks(view, Room::Wide));
    all.extend(by_reader::blocks(view, Room::Wide));
    all.extend(open::blocks(view, Room::Wide));
    all.extend(nodes::blocks(nodes::all_rows(view), Room::Wide));
    all.extend(by_target::blocks(view, Room::Wide));
    all.push(evidence::block(view, ids));
    all
}

fn of_bounds(found: &SloFindings, ids: &Ids) -> Vec<Block> {
    std::iter::once(bounds::curves(found, ids)).chain(slo::blocks(found, Room::Wide)).collect()
}

fn more_numbers(cards: Vec<Card>) -> Block {
    Block::section("More numbers", vec![Block::Cards(cards)])
}

/// What does not fit on the first screen.
fn why(verdict: &Conclusion) -> Block {
    Block::section("Why", verdict.others()).of_kind(Kind::Why)
}

/// The meaning of the numbers and their intervals.
fn about(view: &View<'_>) -> String {
    let unseen =
        view.findings.unseen_share.map_or_else(String::new, |share| format!(" {}", words::unseen(share)));
    format!("Every number is {}. {}{unseen}", words::ESTIMAND, interval(view))
}

fn interval(view: &View<'_>) -> String {
    if view.is_adaptive() {
        format!(
            "± is half the width of {}: on another day, or next to other load, conditions differ, and one \
             run does not show by how much.",
            words::INTERVAL
        )
    } else {
        format!("± shows {}.", words::ONE_VISIT)
    }
}
