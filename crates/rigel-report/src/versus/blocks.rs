//! What is shown about two sides: which is faster and by how much, warnings, gates, both sides overlaid, every ratio, the precision, the run.
//!
//! It has the same tables and charts as a comparison of runs. On a terminal a latency that follows from a rate, and a rate that is given,
//! are left out; nothing else may be.

use super::{VersusReport, names, reason, words};
use crate::compare::page::Figures;
use crate::compare::quantity::title;
use crate::compare::rows::{RowChange, tables};
use crate::compare::{gate_sentence, gate_table, look};
use crate::document::html::Frame;
use crate::document::{Block, Blocks, Card, Document, PageDocument, Room};
use crate::html::assets;
use crate::json_text::compact;
use crate::judgement::Tone;
use crate::verdict::Conclusion;
use crate::{nodes, surroundings, warnings};
use rigel_core::error::Problem;
use rigel_core::judge::flags::FlagCode;
use rigel_core::judge::quantity::Quantity;
use rigel_core::load::sides::Side;
use rigel_core::record::Header;
use rigel_core::units::say::{counted, signed_percent};
use rigel_uses::compare::{Comparison, Effect, SeenChange};
use rigel_uses::versus::OverallRatio;

impl Document for VersusReport<'_> {
    fn blocks(&self, room: Room) -> Blocks {
        let (found, conclusion) = (self.found, Conclusion::of(self.view));
        let figures = figures(self);
        let is_told = |quantity: Quantity| found.leading.contains(&quantity) || quantity.what.is_percentile();
        let told = words::verdict(self).into_iter().chain(gate_sentence(&found.gates));
        let answer = told.chain(words::tails(self)).collect();
        let tone = look(conclusion.look, &found.gates, is_doubtful(self));
        let mut all = vec![match is_in_answer(&conclusion) {
            true => Block::Verdict { tone, sentences: answer },
            false => answered(&conclusion, tone, answer),
        }];
        if room.is_wide() {
            let told = found.overall.iter().filter(|one| is_told(one.quantity));
            all.push(Block::Cards(told.map(|one| card(&found.comparison, one)).collect()));
            all.extend(figures.picture());
        }
        all.extend(warned(&conclusion, room));
        all.push(gate_table(&found.gates, |judged| reason(self, judged)));
        if room.is_wide() {
            all.extend([figures.curves(), figures.changes("B")]);
        }
        let rows = found.comparison.rows.iter().zip(&found.ratios);
        let rows = rows.filter(|(row, _)| room.is_wide() || is_told(row.quantity)).map(|(row, ratio)| {
            let change = ratio.map(|ratio| SeenChange {
                relative: ratio.mean - 1.0,
                ends: Some((ratio.lo95 - 1.0, ratio.hi95 - 1.0)),
                is_judged: true,
            });
            (row, change)
        });
        let rows: Vec<RowChange<'_>> = rows.collect();
        all.extend(tables(&rows, ["A", "B"], Quantity::name, room));
        let sides = Side::BOTH.map(|side| (side.name().to_owned(), words::side(self, side)));
        if self.has_rows() {
            let sure = words::sureness(self);
            let sure = sure.rows().map(|(name, told)| (name.to_owned(), told.to_owned())).to_vec();
            all.push(Block::section(room.either("", "How certain"), vec![Block::Facts(sure)]));
        }
        all.extend(nodes::blocks(
            if room.is_wide() { nodes::all_rows(self.view) } else { nodes::rows(self.view) },
            room,
        ));
        all.push(match room {
            Room::Narrow => Block::part(vec![Block::Facts(sides.to_vec())]),
            Room::Wide => run(&self.view.record.header, sides.to_vec()),
        });
        let guests = surroundings::guests(&self.view.record.header.nodes).filter(|_| !room.is_wide());
        all.push(Block::part(guests.map(Block::paragraph).into_iter().collect()));
        all.push(Block::part(next(&conclusion)));
        all.into()
    }
}

impl PageDocument for VersusReport<'_> {
    fn frame(&self) -> Result<Frame, Problem> {
        let sides = Side::BOTH.map(|side| format!("{}: {}", side.name(), words::side(self, side)));
        Ok(Frame {
            title: "How much faster is B than A?".to_owned(),
            when: [&sides[..], std::slice::from_ref(&self.view.record.header.started)].concat(),
            made_from: "the record of the run",
            script: &assets::COMPARE,
            figures: ("comparison", compact(&figures(self))?),
            tables: "the tables hold every number",
        })
    }
}

/// Whether the only reason against the numbers is the answer itself: a side that does not keep up with a rate.
fn is_in_answer(conclusion: &Conclusion) -> bool {
    let mut forbidding = conclusion.causes.iter().filter(|cause| cause.invalid).peekable();
    forbidding.peek().is_some() && forbidding.all(|cause| cause.code == Some(FlagCode::Overload))
}

/// The answer; if the numbers must not be used, that comes first.
pub(crate) fn answered(conclusion: &Conclusion, tone: Tone, answer: Vec<String>) -> Block {
    let unusable = (conclusion.tone == Tone::DoNotUse).then(|| conclusion.head.clone());
    Block::Verdict { tone, sentences: unusable.into_iter().chain(answer).collect() }
}

/// Doubts about it; on a page also what is worth knowing.
pub(crate) fn warned(conclusion: &Conclusion, room: Room) -> Vec<Block> {
    let notes = conclusion.to_know().filter(|_| room.is_wide()).map(Block::paragraph);
    let limited = conclusion.limited.iter().filter(|_| !room.is_wide()).map(Block::paragraph);
    warnings::list(&conclusion.causes, room).into_iter().chain(limited).chain(notes).collect()
}

/// The next command after doubtful numbers.
pub(crate) fn next(conclusion: &Conclusion) -> Vec<Block> {
    let next = conclusion.next.iter().filter(|_| conclusion.tone != Tone::Good);
    let effect = |purpose: &str| {
        let (first, others) = purpose.split_at_checked(1).unwrap_or(("", purpose));
        first.to_ascii_lowercase() + others
    };
    next.map(|next| Block::Next { command: next.command.clone(), effect: effect(&next.purpose) }).collect()
}

/// The command line, and what was measured.
pub(crate) fn run(header: &Header, measured: Vec<(String, String)>) -> Block {
    let fact = |(name, text): (&str, &str)| (name.to_owned(), text.to_owned());
    let begun = [
        ("Run", header.run_id.as_str()),
        ("Label", header.request.label.as_deref().unwrap_or_default()),
        ("Started", &header.started),
    ];
    let seed = header.request.seed.to_string();
    let asked = [("Command line", header.request.command_line.as_str()), ("Seed", &seed)];
    Block::evidence("Run", begun.into_iter().map(fact).chain(measured).chain(asked.map(fact)).collect())
}

fn is_doubtful(turned: &VersusReport<'_>) -> bool {
    let led = |one: &&OverallRatio| turned.found.leading.contains(&one.quantity);
    turned.found.overall.iter().any(|one| one.effect == Effect::Worse)
        || turned.found.overall.iter().filter(led).all(|one| matches!(one.effect, Effect::Undecided(_)))
}

fn card(comparison: &Comparison, found: &OverallRatio) -> Card {
    let [change, lo, hi] = [found.change.relative, found.change.lo, found.change.hi].map(signed_percent);
    Card {
        title: title(found.quantity),
        value: format!("{change} %"),
        about: vec![
            format!("B to A: {lo} to {hi} %, {}", found.effect.name()),
            format!("over {}{}", counted(found.loads.len(), "load"), words::unshown(comparison, found)),
        ],
        ..Card::default()
    }
}

fn figures(turned: &VersusReport<'_>) -> Figures {
    let sides = Side::BOTH.map(|side| format!("{}: {}", side.name(), words::side(turned, side)));
    let axis = |class| names::load(turned, class).map_or_else(String::new, |load| load.axis());
    Figures::of(&turned.found.comparison, sides, axis).led_by(&turned.found.leading)
}
