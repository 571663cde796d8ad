//! A comparison in which results of other tools are a side: what each of them is and lacks, then the numbers as in any comparison.
//!
//! Must not compare, and must not judge a tool.

use super::blocks::{cards, changes, differences, explanations};
use super::json::{ToolDocument, document_of, run, tool_run};
use super::measured::of_side;
use super::page::Figures;
use super::quantity::io_of;
use super::words::named;
use super::{CompareFormat, ComparisonView, gates, junit, look, outcome, points};
use crate::document::html::Frame;
use crate::document::{Block, Blocks, Document, PageDocument, Room};
use crate::html::assets;
use crate::json_text::{compact, text as json_text};
use crate::judgement::Tone;
use crate::label;
use crate::output_file::OutputFile;
use crate::text::Style;
use crate::view::View;
use crate::words::listed;
use rigel_core::error::Problem;
use rigel_core::load::class::{Class, LoadClass};
use rigel_core::path_text::printable;
use rigel_uses::baseline::{Baseline, ToolResults};
use rigel_uses::compare::gate::GateResult;
use rigel_uses::compare::tools::ToolComparison;

/// A run of a side.
pub enum SourceView<'a> {
    /// Of Rigel.
    Run(&'a View<'a>),
    /// Of another tool, with the name of its file.
    Tool(&'a Baseline, &'a str),
}

/// A comparison with the runs of both sides.
pub struct ToolComparisonView<'a> {
    /// The base.
    pub base: &'a [SourceView<'a>],
    /// The new side.
    pub new: &'a [SourceView<'a>],
    /// The comparison.
    pub found: &'a ToolComparison,
    /// The gates that were requested.
    pub gates: &'a [GateResult],
    /// Whether an undecided gate fails.
    pub undecided_fails: bool,
}

/// One output.
///
/// # Errors
/// Only when a library refuses to write to memory, which is a bug.
pub fn render(format: CompareFormat, compared: &ToolComparisonView<'_>) -> Result<OutputFile, Problem> {
    let numbers = compared.numbers();
    match format {
        CompareFormat::Text => Ok(OutputFile::new("_compare.txt", compared.text(Style::default()))),
        CompareFormat::Json => {
            let sides = [(compared.base, &compared.found.base), (compared.new, &compared.found.new)];
            let document =
                |(view, results): (&SourceView<'_>, &Option<ToolResults>)| document(view, results.as_ref());
            let sides = sides.map(|(views, results)| views.iter().zip(results).map(document).collect());
            Ok(OutputFile::new("_compare.json", document_of(sides, &numbers)?))
        }
        CompareFormat::Junit => Ok(OutputFile::new("_compare.xml", junit::suite(&numbers)?)),
        CompareFormat::Markdown => Ok(OutputFile::new("_compare.md", compared.markdown())),
        CompareFormat::Html => compared.page("_compare.html"),
    }
}

/// A run of a side in documents.
pub(crate) fn document(view: &SourceView<'_>, results: Option<&ToolResults>) -> super::json::RunDocument {
    match view {
        SourceView::Run(view) => run(view),
        SourceView::Tool(tool, file) => {
            let passed_over = results.into_iter().flat_map(|found| &found.passed_over);
            tool_run(
                file,
                ToolDocument {
                    name: tool.tool.name(),
                    version: tool.version.as_deref().map(json_text),
                    lacks: tool.lacks.iter().map(|lack| (*lack).to_owned()).collect(),
                    passed_over: passed_over.map(|one| json_text(one)).collect(),
                },
            )
        }
    }
}

impl Document for ToolComparisonView<'_> {
    /// Like a comparison of two runs, with what each tool leaves out as warnings.
    fn blocks(&self, room: Room) -> Blocks {
        let numbers = self.numbers();
        let found = &self.found.comparison;
        let same = outcome::same_run(found);
        let tone = if same.is_some() { Tone::DoNotUse } else { Tone::UseWithCare };
        let answer = same.into_iter().chain(gates::sentence(self.gates)).chain(outcome::sentences(&numbers));
        let warnings = self.lacks().into_iter().chain(refused(self.found));
        let tone = look(tone, self.gates, true);
        let mut all = vec![Block::Verdict { tone, sentences: answer.collect() }];
        let figures = self.figures();
        if room.is_wide() {
            all.push(Block::Cards(cards(found)));
            all.extend(figures.picture());
        }
        all.push(Block::List(warnings.chain(points::best_loads(&self.found.best_loads)).collect()));
        all.push(gates::table(self.gates, |judged| gates::reason(judged, found)));
        all.extend(changes(found, &figures, room));
        all.push(Block::part(explanations(&numbers)));
        all.push(differences(&found.differences, room));
        let only = [("base", &self.found.only[0]), ("new", &self.found.only[1])];
        let only = only.iter().filter(|(_, points)| !points.is_empty());
        let only: Vec<String> = only.map(|(name, points)| format!("{name} {}", named(points))).collect();
        let only = (!only.is_empty())
            .then(|| Block::hanging(format!("Load levels that only one side has: {}", only.join("; "))));
        all.push(Block::part(only.into_iter().collect()));
        let sides = [("Base", self.base, &self.found.base), ("New", self.new, &self.found.new)];
        all.push(Block::part(vec![Block::Facts(
            sides.map(|(name, views, results)| (name.to_owned(), side(views, results))).to_vec(),
        )]));
        all.into()
    }
}

impl PageDocument for ToolComparisonView<'_> {
    fn frame(&self) -> Result<Frame, Problem> {
        let sides = [("Base", self.base, &self.found.base), ("New", self.new, &self.found.new)];
        Ok(Frame {
            title: "What changed?".to_owned(),
            when: sides.map(|(name, views, results)| format!("{name}: {}", side(views, results))).to_vec(),
            made_from: "the records of the runs and the results of other tools",
            script: &assets::COMPARE,
            figures: ("comparison", compact(&self.figures())?),
            tables: "the tables hold every number",
        })
    }
}

impl ToolComparisonView<'_> {
    /// The page's figures. The first run of Rigel knows what the levels of a class count; other tools count outstanding I/Os.
    fn figures(&self) -> Figures {
        let mut views = self.base.iter().chain(self.new);
        let request = views.find_map(|view| match view {
            SourceView::Run(view) => Some(&view.record.header.request),
            SourceView::Tool(..) => None,
        });
        let axis = |class: Class| {
            let load = request.and_then(|request| request.class(class));
            load.map_or_else(|| LoadClass::random(class, 0).axis(), LoadClass::axis)
        };
        Figures::of(&self.found.comparison, [legend("base", self.base), legend("new", self.new)], axis)
    }

    /// The numbers, as those of a comparison of two runs of Rigel.
    fn numbers(&self) -> ComparisonView<'_> {
        ComparisonView {
            base: &[],
            new: &[],
            comparison: &self.found.comparison,
            gates: self.gates,
            undecided_fails: self.undecided_fails,
        }
    }

    /// What the tools leave out, each once.
    fn lacks(&self) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for view in self.base.iter().chain(self.new) {
            if let SourceView::Tool(tool, _) = view {
                let own = tool.lacks.iter().map(|lack| format!("{}: {lack}.", tool.tool.name()));
                all.extend(own.filter(|one| !all.contains(one)).collect::<Vec<_>>());
            }
        }
        all
    }
}

/// The name of a side in a picture: `base: ORION`, or the label of its runs.
fn legend(side: &str, views: &[SourceView<'_>]) -> String {
    let name = |view: &SourceView<'_>| match view {
        SourceView::Run(view) => label::names(&[*view]).concat(),
        SourceView::Tool(tool, _) => tool.tool.name().to_owned(),
    };
    let names: Vec<String> = views.iter().map(name).collect();
    let same = names.first().filter(|first| names.iter().all(|one| one == *first));
    same.map_or_else(|| side.to_owned(), |name| format!("{side}: {name}"))
}

/// The classes that have no rows, as their loads differ.
fn refused(found: &ToolComparison) -> Option<String> {
    let classes: Vec<String> = found.refused.iter().map(|class| io_of(*class)).collect();
    (!classes.is_empty()).then(|| {
        format!(
            "Not compared, as the loads differ (below the table): {}. --allow-differences compares them \
             anyway.",
            listed(&classes)
        )
    })
}

/// The runs of a side.
fn side(views: &[SourceView<'_>], results: &[Option<ToolResults>]) -> String {
    let lines = views.iter().zip(results).flat_map(|(view, results)| lines(view, results.as_ref()));
    lines.collect::<Vec<_>>().join("; ")
}

/// A run, and what it measured.
pub(crate) fn lines(view: &SourceView<'_>, results: Option<&ToolResults>) -> Vec<String> {
    match view {
        SourceView::Run(view) => of_side(std::slice::from_ref::<View<'_>>(view)),
        SourceView::Tool(tool, file) => {
            let name = format!("{}: {}", tool.name(), printable(file));
            std::iter::once(name)
                .chain(results.into_iter().flat_map(|results| of_tool(tool, results)))
                .collect()
        }
    }
}

fn of_tool(tool: &Baseline, results: &ToolResults) -> Vec<String> {
    let loads = results.facts.iter().map(|(class, facts)| format!("{class}: {}", facts.words()));
    let facts =
        tool.conditions.iter().map(|(name, text)| format!("{name}: {}", printable(&text.replace('\t', " "))));
    let passed_over: Vec<_> = results.passed_over.iter().map(|one| printable(one)).collect();
    let passed_over = (!passed_over.is_empty()).then(|| format!("not used: {}", passed_over.join(", ")));
    loads.chain(facts).chain(passed_over).collect()
}
