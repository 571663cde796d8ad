//! What a run prints besides its progress: remarks, the plan, the results, the paths of the outputs.
//!
//! Results go to standard output, everything else to standard error. Must not compute a figure.

use super::{soak, through};
use crate::args::{Front, RunOptions};
use crate::commands::{report, versus};
use crate::history;
use crate::output::OutputSet;
use crate::streams::Streams;
use rigel_core::error::Problem;
use rigel_core::event::{Event, VisitPosition};
use rigel_core::facts::TargetFacts;
use rigel_core::facts::engine::BufferFacts;
use rigel_core::judge::wrong_data;
use rigel_core::load::pace::Pace;
use rigel_core::load::placement::ranges;
use rigel_core::load::plan::Plan;
use rigel_core::load::request::Request;
use rigel_core::path_text::{self, shell_word};
use rigel_core::record::Purpose;
use rigel_core::record::{Node, Nodes};
use rigel_core::units::Bytes;
use rigel_core::units::say::{counted, two_units};
use rigel_report::soak::SoakReport;
use rigel_report::through::ThroughReport;
use rigel_report::{Format, OrionVersion, OutputFile, View, calibration, duration, orion, render, slo, text};
use rigel_run::execute::Run;
use rigel_uses::soak::SoakFindings;
use rigel_uses::through::ThroughFindings;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Prints as the options ask for it.
#[derive(Clone, Copy, Debug)]
pub struct Reporter<'a> {
    pub options: &'a RunOptions,
    pub streams: &'a Streams,
}

impl Reporter<'_> {
    pub fn note(&self, text: impl Into<Option<String>>) {
        if let Some(text) = text.into().filter(|_| !self.options.display.quiet) {
            self.streams.aside(&format!("{text}\n"));
        }
    }

    pub fn remarks(&self, notes: &[String]) {
        notes.iter().for_each(|note| self.note(format!("note: {note}")));
    }

    /// Warns before anything is measured that it will be memory.
    pub fn memory(&self, targets: &[TargetFacts]) {
        let told = |target: &TargetFacts| {
            let memory = target.memory()?;
            let first =
                memory.remedy().map_or_else(String::new, |command| format!(". Before the run: {command}"));
            Some(format!("{}: {memory}; its numbers will be flagged MEMORY{first}", target.path))
        };
        let once = TargetFacts::each_once(targets);
        self.remarks(&once.into_iter().filter_map(told).collect::<Vec<_>>());
    }

    /// A problem besides the one that the run ends with. Printed even when quiet.
    pub fn trouble(&self, problem: &Problem) {
        let parts =
            [Some(&problem.what), problem.place.as_ref(), problem.cause.as_ref(), problem.next.as_ref()];
        let parts: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
        self.streams.remark(&parts.join("; "));
    }

    /// Writes the page of a run that has documents of its own and, even if that fails, prints what `result` makes of
    /// the paths of all outputs, the record first.
    pub fn page_and_result(
        &self,
        set: &OutputSet,
        page: Option<OutputFile>,
        result: impl FnOnce(&[String]) -> Result<Vec<u8>, Problem>,
    ) -> Result<(), Problem> {
        let written = set.write(page.as_slice(), self.options.force);
        let mut files = vec![path_text::encode(&set.record_path())];
        files.extend(written.iter().flatten().map(|path| path_text::encode(path)));
        self.streams.results(&result(&files)?)?;
        written.map(drop)
    }

    /// Prints text to the results. A run continues if nobody reads it: its outputs are on disk.
    fn say(&self, text: &str) {
        let _ = self.streams.results(text.as_bytes());
    }

    pub fn begin(&self, run: &Run, goes_on: bool, nodes: &Nodes) {
        let Node { engine, buffers, .. } = nodes.first();
        let polled = if engine.polled { " with polled completions" } else { "" };
        let cpus = match engine.cpus.as_slice() {
            [] => String::new(),
            numbers => format!(" on CPU {}", ranges(numbers)),
        };
        let reason = engine.reason.as_ref().map_or(String::new(), |reason| format!(" ({reason})"));
        self.note(format!(
            "engine {}{polled}{reason}, {}{cpus}, seed {}",
            engine.kind.name(),
            counted(run.plan.workers_of(&run.request, engine.kind), "worker"),
            run.request.seed
        ));
        if run.request.workers.is_some_and(|asked| asked != run.plan.workers) {
            self.note("note: the simulated device always has one worker: its time is not real".to_owned());
        }
        self.note(buffers_line(buffers));
        self.remarks(&engine.notes);
        if run.request.buffered {
            self.note(
                "note: through the page cache, as requested: memory is measured, not storage".to_owned(),
            );
        }
        match self.options.front {
            Front::Orion if !self.options.display.json => {
                let minutes = run.plan.estimate_minutes;
                self.say(&orion::banner(
                    self.options.display.orion_version,
                    &run.program_version,
                    &run.run_id,
                    minutes,
                ));
                self.beside_orions_rule(run);
            }
            Front::Orion | Front::Rigel | Front::Calibrate | Front::Slo | Front::Soak => {
                let whole = if goes_on { "as a whole " } else { "" };
                self.note(format!("{}: {whole}{}", run.run_id, prospect(&run.request, &run.plan)));
            }
        }
    }

    /// The minutes of the banner are what ORION prints: each begun one, and one more. Progress counts what is really left.
    fn beside_orions_rule(&self, run: &Run) {
        let says_minutes = self.options.display.orion_version != OrionVersion::V10_2;
        if says_minutes && matches!(run.request.pace(), Some(Pace::Fixed(_))) {
            self.note(format!(
                "note: {}; the minutes are by ORION's rule",
                prospect(&run.request, &run.plan)
            ));
        }
    }
}

/// The number of points, and how long they take as far as that is known.
fn prospect(request: &Request, plan: &Plan) -> String {
    let points = match request.sides {
        Some(_) => format!("{} on each of two sides", counted(plan.steps.len() / 2, "load")),
        None => counted(plan.steps.len(), "point"),
    };
    let usually = duration::range(plan.prospect(request));
    match (&plan.search, request.pace()) {
        _ if plan.rates.is_some() && plan.steps.is_empty() => {
            if let Some(rates) = required_alone(request) {
                return format!("{}, {usually} in total", counted(rates, "required rate"));
            }
            format!("searching for the rate first; {usually} in total")
        }
        (Some(_), _) if plan.steps.is_empty() => {
            format!("searching for load levels first; usually {usually} in total")
        }
        (_, Some(Pace::Fixed(_))) => format!("{points}, about {}", plan.known_time()),
        (_, None) => {
            if let Some(burst) = request.burst() {
                return format!("a burst of at most {}, a pause, a second burst", two_units(burst.time));
            }
            if let Some(asked) = request.working_set() {
                let sizes = counted(plan.steps.len() / 2, "working set");
                return format!("{sizes}, each read until it is warm, at most {}", two_units(asked.time));
            }
            let phases = counted(plan.phases.len(), "phase");
            let Some(soak) = request.soak() else { return format!("{phases}, {} in all", plan.known_time()) };
            let beside =
                rigel_report::soak::bound(&soak).map_or_else(String::new, |bound| format!(", {bound}"));
            if soak.through {
                let rate = request.phases().first().map_or(0, |phase| phase.point.sum());
                return format!(
                    "{rate} I/Os per second for {}; cause the failure once there is a level before it, after {} or more",
                    two_units(soak.time),
                    two_units(rigel_core::units::Nanos(soak.every.0.saturating_mul(10)))
                );
            }
            format!("{phases} in rotation for {}{beside}", two_units(soak.time))
        }
        (_, Some(Pace::Adaptive(adaptive))) => {
            format!("{points} to {}, usually {usually}", adaptive.precision)
        }
    }
}

/// How many rates are checked, if no highest one is searched for.
fn required_alone(request: &Request) -> Option<usize> {
    let slo = request.slo().filter(|slo| slo.required_only)?;
    Some(slo.required.iter().map(|one| one.rate).collect::<BTreeSet<_>>().len())
}

fn buffers_line(buffers: &BufferFacts) -> String {
    use rigel_core::facts::engine::Backing;
    let backing = match buffers.backing {
        Backing::HugeTlb => "explicit huge pages",
        Backing::TransparentHuge => "transparent huge pages",
        Backing::Normal => "normal pages",
        Backing::None => return "buffers none".to_owned(),
    };
    let segments = match buffers.large_segments_max {
        Some(most) => format!(", at most {} per large buffer", counted(most, "physical segment")),
        None => String::new(),
    };
    format!("buffers {} in {backing}{segments}", Bytes(buffers.bytes))
}

/// What casts doubt on a run that measured.
pub struct RunTrouble {
    /// Blocks did not contain what was written to them.
    pub wrong_data: Option<Problem>,
    /// No number may be used, or a gate failed.
    pub unusable: Option<Problem>,
    /// How far a run came that its user stopped.
    pub stopped: Option<String>,
}

impl RunTrouble {
    /// The problem of a run that was cut short or not. What the storage did to data outweighs that the run could go on.
    pub fn problem(self, reporter: Reporter<'_>, cut_short: Option<Problem>) -> Option<Problem> {
        if let (Some(_), Some(cut)) = (&self.wrong_data, &cut_short) {
            reporter.trouble(cut);
        }
        self.gravest(cut_short)
    }

    fn gravest(self, cut_short: Option<Problem>) -> Option<Problem> {
        self.wrong_data.or(cut_short).or(self.unusable)
    }
}

/// Reads the record back, writes every other output and prints the results. `unkept`: its lines that could not be stored anywhere.
pub fn outputs(reporter: Reporter<'_>, set: &OutputSet, unkept: &[&[u8]]) -> Result<RunTrouble, Problem> {
    let mut record = report::read_own(&set.record_path(), unkept, reporter.streams)?;
    if let Some(found) = ThroughFindings::of(&record) {
        let told = ThroughReport { record: &record, found: &found };
        through::outputs(reporter, &told, set)?;
        let unusable = rigel_report::through::unkept(&found);
        return Ok(RunTrouble { wrong_data: None, unusable, stopped: None });
    }
    if let Some(found) = SoakFindings::of(&record) {
        let told = SoakReport { record: &record, found: &found, lost: unkept.len() };
        let written = soak::outputs(reporter, &told, set);
        let wrong_data = wrong_data::problem(&record).or_else(|| soak::problem(&found));
        match (written, &wrong_data) {
            (Err(problem), Some(_)) => reporter.trouble(&problem),
            (written, _) => written?,
        }
        return Ok(RunTrouble { wrong_data, unusable: None, stopped: text::stopped_soak(&record) });
    }
    // A run that goes on may be asked for other gates than when it began.
    versus::judge_by(&mut record, &reporter.options.versus)?;
    let view = View::of(&record);
    let gates = write_and_print(reporter, set, &view)?;
    let wrong = wrong_data::problem(&record);
    let unusable = view.findings.unusable(&record.header.request).or(gates);
    Ok(RunTrouble { wrong_data: wrong, unusable, stopped: text::stopped(&view) })
}

/// Where the results are that nobody read (`rigel calibrate | true`): the reader of a pipe may have gone long before
/// the end, which is not a reason to end a run.
pub fn unread(reporter: Reporter<'_>, set: &OutputSet) {
    if reporter.streams.is_unread() {
        let record = path_text::encode(&set.record_path());
        let record = shell_word(&record);
        reporter.streams.remark(&format!(
            "the program that reads standard output ended before it read the results: rigel report \
             {record} shows them"
        ));
    }
}

/// `Ok(Some(_))`: a gate failed.
fn write_and_print(
    reporter: Reporter<'_>,
    set: &OutputSet,
    view: &View<'_>,
) -> Result<Option<Problem>, Problem> {
    let options = reporter.options;
    if let Some(compared) = versus::SidesOutcome::of(view, &options.versus, reporter.streams) {
        let is_shown = !options.display.no_html && (compared.has_rows() || text::stopped(view).is_none());
        let page = if !is_shown { Vec::new() } else { vec![compared.page()?] };
        let written = set.write(&page, options.force)?;
        let files: Vec<PathBuf> = std::iter::once(set.record_path()).chain(written).collect();
        compared.show(options.display.json, &files, reporter.streams)?;
        return Ok(compared.gated(reporter.streams).err());
    }
    print_run(reporter, set, view)?;
    Ok(slo::unkept(view))
}

fn print_run(reporter: Reporter<'_>, set: &OutputSet, view: &View<'_>) -> Result<(), Problem> {
    let Reporter { options, streams } = reporter;
    let record = view.record;
    let answers = calibration::Document::of(view).filter(|_| options.front == Front::Calibrate);
    let is_shown = text::has_figures(view);
    let mut files = match options.front {
        // Nobody needs files without a figure.
        _ if !is_shown => Vec::new(),
        // ORION had neither, and its files no place for the answers.
        Front::Calibrate | Front::Slo | Front::Soak => Vec::new(),
        Front::Orion | Front::Rigel => render(Format::Orion(options.display.orion_version), view)?,
    };
    if is_shown && !options.display.no_html {
        files.extend(render(Format::Html, view)?);
    }
    let written = set.write(&files, options.force)?;
    // The history holds complete calibrations of real targets only.
    let kept = options.history && !options.request.engine.is_simulated() && record.complete();
    if let Some(answers) = answers.as_ref().filter(|_| kept)
        && let Err(problem) = history::keep(answers, &set.record_path(), &record.header.targets)
    {
        reporter.trouble(&problem);
    }
    if let (true, Some(answers)) = (options.display.json, &answers) {
        return streams.results(&answers.json()?);
    }
    if options.display.json {
        return render(Format::Json, view)?.iter().try_for_each(|file| streams.results(&file.bytes));
    }
    if matches!(options.front, Front::Rigel | Front::Slo) {
        let files: Vec<PathBuf> = std::iter::once(set.record_path()).chain(written).collect();
        return report::shown(view, &files, streams);
    }
    // Scripts read ORION's standard output, so the paths of the files go to standard error.
    let results = match &answers {
        _ if options.front == Front::Orion => orion::result_block(options.display.orion_version, view),
        Some(answers) => calibration::answers(answers, streams.style()),
        None => text::report(view, streams.style(), &[]),
    };
    if options.front == Front::Orion && options.display.verbose {
        streams.results(trace_lines(&files).as_bytes())?;
    }
    streams.results(results.as_bytes())?;
    if options.front == Front::Orion {
        reporter.note(text::verdict_of(view).trim_end().to_owned());
    }
    reporter.note(format!("record  {}", path_text::encode(&set.record_path())));
    for path in &written {
        reporter.note(format!("output  {}", path_text::encode(path)));
    }
    Ok(())
}

/// ORION's `-verbose`: what the trace says about each point.
fn trace_lines(files: &[OutputFile]) -> String {
    let trace = files.iter().find(|file| file.suffix == "_trace.txt");
    let text = trace.map(|file| String::from_utf8_lossy(&file.bytes)).unwrap_or_default();
    text.lines().filter(|line| line.starts_with("ran (")).map(|line| format!("{line}\n")).collect()
}

/// ORION's `-verbose`: each point on standard output as it begins, if it is visited once.
pub fn begun_point(reporter: Reporter<'_>, event: &Event<'_>, plan: &Plan) {
    if let Event::VisitStarted { at: VisitPosition { step, point, purpose: Purpose::Only } } = event {
        let (number, all) = (plan.point_number(*step), plan.grid.total_points);
        reporter.say(&format!("Running point: {}\nPoint {number} out of {all}\n", point.named(", ")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::error::ExitKind;

    /// Scripts hear of the first of them that there is, by its exit code.
    #[test]
    fn wrong_data_outweighs_a_run_that_was_cut_and_that_outweighs_its_numbers() {
        let wrong = || Some(Problem::new(ExitKind::GateFailed, "wrong blocks"));
        let cut = || Some(Problem::new(ExitKind::CutShort, "cut short"));
        let unusable = || Some(Problem::new(ExitKind::GateFailed, "no number is usable"));
        for (wrong_data, cut_short, unusable, what, code) in [
            (wrong(), cut(), unusable(), "wrong blocks", 1),
            (wrong(), None, unusable(), "wrong blocks", 1),
            (None, cut(), unusable(), "cut short", 4),
            (None, None, unusable(), "no number is usable", 1),
        ] {
            let found = RunTrouble { wrong_data, unusable, stopped: None }.gravest(cut_short).unwrap();
            assert_eq!((found.what.as_str(), found.kind.code()), (what, code));
        }
        assert_eq!(RunTrouble { wrong_data: None, unusable: None, stopped: None }.gravest(None), None);
    }
}
