//! A comparison in which a side is a result of another tool.
//!
//! Must not compare; the rules are in `rigel_uses::compare::tools`.

use super::source::LoadedRun;
use super::{NARROWER, check_gates};
use crate::args::CompareArgs;
use crate::commands::report::run_id;
use crate::output::{self, dir_of};
use crate::streams::Streams;
use rigel_core::error::Problem;
use rigel_core::judge::answer::Answer;
use rigel_core::judge::quantity::Scope;
use rigel_core::path_text::{self, printable};
use rigel_report::View;
use rigel_report::compare::{CompareFormat, SourceView, ToolComparisonView, reason, render_tools, same_run};
use rigel_uses::baseline::{Baseline, ToolResults};
use rigel_uses::compare::Run;
use rigel_uses::compare::gate::GateResult;
use rigel_uses::compare::tools::{Source, ToolComparison};

/// Quantities of a tool that a message has.
const MOST_NAMED: usize = 4;

/// A run with what is computed of it once.
#[expect(clippy::large_enum_variant, reason = "there are a few, one for each file that was named")]
pub(in crate::commands) enum PreparedRun<'a> {
    Run(View<'a>),
    Tool(&'a Baseline, String),
}

impl<'a> PreparedRun<'a> {
    pub(in crate::commands) fn new(run: &'a LoadedRun) -> Self {
        match run {
            LoadedRun::Record(loaded) => Self::Run(View::of(&loaded.record)),
            LoadedRun::Tool(path, tool) => Self::Tool(tool, path_text::encode(path)),
        }
    }

    pub(in crate::commands) fn source(&self) -> Source<'_> {
        match self {
            Self::Run(view) => Source::Run(Run { record: view.record, findings: &view.findings }),
            Self::Tool(tool, file) => Source::Tool(tool, file),
        }
    }

    pub(in crate::commands) fn view(&self) -> SourceView<'_> {
        match self {
            Self::Run(view) => SourceView::Run(view),
            Self::Tool(tool, file) => SourceView::Tool(tool, file),
        }
    }
}

pub(super) fn compare(
    options: &CompareArgs,
    base: &[LoadedRun],
    new: &[LoadedRun],
    streams: &Streams,
) -> Result<(), Problem> {
    [base, new].into_iter().try_for_each(no_tool_twice)?;
    let sides = [base, new].map(|side| side.iter().map(PreparedRun::new).collect::<Vec<_>>());
    let sources = sides.each_ref().map(|side| side.iter().map(PreparedRun::source).collect::<Vec<_>>());
    let found = ToolComparison::new(&sources[0], &sources[1], options.judgement.allow_differences);
    check(&found, &sides, [base, new])?;
    same_run(&found.comparison).into_iter().for_each(|told| streams.remark(&told));
    let gates: Vec<GateResult> =
        options.gates.iter().map(|gate| gate.clone().judge(&found.comparison)).collect::<Result<_, _>>()?;
    let views = sides.each_ref().map(|side| side.iter().map(PreparedRun::view).collect::<Vec<_>>());
    let compared = ToolComparisonView {
        base: &views[0],
        new: &views[1],
        found: &found,
        gates: &gates,
        undecided_fails: options.fail_undecided,
    };
    if let Some(path) = &options.junit {
        output::write_whole(
            path,
            &render_tools(CompareFormat::Junit, &compared)?.bytes,
            options.judgement.force,
        )?;
    }
    let file = render_tools(options.format, &compared)?;
    let dir = match (&options.judgement.out, options.format) {
        (Some(dir), _) => Some(dir.as_path()),
        (None, CompareFormat::Html) => Some(dir_of(new[0].path())),
        (None, _) => None,
    };
    match dir {
        None => streams.results(&file.bytes)?,
        Some(dir) => {
            let name = format!("{}_to_{}", name(&base[0])?, name(&new[0])?);
            streams.list(&output::write_files(dir, &name, &[file], options.judgement.force)?)?;
        }
    }
    check_gates(&gates, |gate| reason(gate, &found.comparison), (options.fail_undecided, NARROWER), streams)
}

/// The common prefix of a run's outputs.
pub(in crate::commands) fn name(run: &LoadedRun) -> Result<String, Problem> {
    match run {
        LoadedRun::Record(loaded) => run_id(&loaded.record, &loaded.path),
        LoadedRun::Tool(path, _) => {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            Ok(printable(&stem).trim_start_matches('.').replace('/', "_"))
        }
    }
}

/// Refuses a duplicate result, because its copy would make the intervals too narrow, and results from the same time.
pub(in crate::commands) fn no_tool_twice(side: &[LoadedRun]) -> Result<(), Problem> {
    for (at, run) in side.iter().enumerate() {
        let LoadedRun::Tool(path, own) = run else { continue };
        let same = |other: &&LoadedRun| matches!(other, LoadedRun::Tool(_, other) if other == own);
        if let Some(other) = side[..at].iter().find(same) {
            return Err(Problem::usage("one side has the same result twice")
                .at(path_text::encode(path))
                .because(format!("{} holds the same numbers", path_text::encode(other.path())))
                .next("give every result once"));
        }
        let beside = |other: &&LoadedRun| matches!(other, LoadedRun::Tool(_, other) if own.is_beside(other));
        if let Some(other) = side[..at].iter().find(beside) {
            return Err(Problem::usage("two results of one side were measured at the same time")
                .at(format!("{} and {}", path_text::encode(other.path()), path_text::encode(path)))
                .because("each had only part of the storage, so they do not count as repetitions")
                .next("run them as jobs of one fio, which adds them up, or give runs of different times"));
        }
    }
    Ok(())
}

/// The content of a run: the numbers of a tool, or the question that a record answers.
fn content(run: &PreparedRun<'_>, results: Option<&ToolResults>) -> String {
    let name = printable(&run.source().name()).into_owned();
    match (run, results) {
        (PreparedRun::Run(view), _) => {
            let answer = Answer::of(&view.record.header.request, &view.findings);
            format!("{name} answers {}", answer.question())
        }
        (PreparedRun::Tool(..), results) => {
            let mut quantities: Vec<String> = Vec::new();
            for figure in results.iter().flat_map(|one| &one.figures) {
                let quantity = figure.quantity.name();
                if !quantities.contains(&quantity) {
                    quantities.push(quantity);
                }
            }
            quantities.truncate(MOST_NAMED);
            format!("{name} has {}", quantities.join(", "))
        }
    }
}

/// The command that measures what a tool did.
fn same_load(found: &ToolComparison) -> &'static str {
    let results = || found.base.iter().chain(&found.new).flatten();
    let classes = || results().flat_map(|one| one.facts.keys());
    if results().flat_map(|one| &one.figures).any(|figure| figure.quantity.of == Scope::WithinBound) {
        "measure what CALIBRATE_IO does: `rigel calibrate TARGET`"
    } else if classes().next().is_some() && classes().all(|class| class.is_of_commits()) {
        "measure commits as well: `rigel run commit TARGET`"
    } else if classes().any(|class| class.to_string() == "open") {
        "measure the same rate: `rigel run open --rate N TARGET`, with the size of the other tool"
    } else {
        "measure the load of the other tool: `rigel run advanced --matrix point --num-small N --num-large 0` with its size and outstanding I/Os"
    }
}

/// Refuses what is not comparable, unless the user insists.
fn check(
    found: &ToolComparison,
    sides: &[Vec<PreparedRun<'_>>; 2],
    [base, new]: [&[LoadedRun]; 2],
) -> Result<(), Problem> {
    let comparison = &found.comparison;
    if !comparison.rows.is_empty() {
        return Ok(());
    }
    if found.refused.is_empty() {
        let results = || found.base.iter().chain(&found.new).flatten();
        let unused = results().filter(|one| one.figures.is_empty()).flat_map(|one| &one.passed_over).next();
        let cause = unused.map_or_else(
            || {
                format!(
                    "{}; {}",
                    content(&sides[0][0], found.base[0].as_ref()),
                    content(&sides[1][0], found.new[0].as_ref())
                )
            },
            |why| format!("not used: {}", printable(why)),
        );
        return Err(Problem::usage("the two sides have no number in common")
            .at(format!("{} and {}", path_text::encode(base[0].path()), path_text::encode(new[0].path())))
            .because(cause)
            .next(same_load(found)));
    }
    let differences: Vec<String> = comparison
        .incomparable()
        .map(|one| format!("{} ({}; {} has {})", one.what, one.base, printable(&one.run_id), one.other))
        .collect();
    Err(Problem::usage(format!("the sides are not comparable: they differ in {}", differences.join(", ")))
        .because("numbers that differ in this do not measure the same thing")
        .next(
            "measure with the sizes and the share of writes of the other tool, or compare anyway with \
            --allow-differences",
        ))
}
