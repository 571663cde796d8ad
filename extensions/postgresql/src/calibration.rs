//! A calibration of files in memory: what `rigel calibrate --no-commits` does, and its figures.
//!
//! Runs in a thread, and so must not call PostgreSQL. Reads only: no file is opened for writing, and no record is written.

use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::TargetFacts;
use rigel_core::judge::answers::AnswersForm;
use rigel_core::judge::findings::Findings;
use rigel_core::load::plan::Plan;
use rigel_core::load::request::Request;
use rigel_core::load::team::Team;
use rigel_core::record::Record;
use rigel_core::record::resume::RecordPast;
use rigel_core::stats::bound::{LatencyBound, LatencyOf};
use rigel_core::units::Nanos;
use rigel_io::host::host_facts;
use rigel_io::targets::inspect::{InspectedTarget, Snapshot, inspect};
use rigel_run::bench::make::{self, Start};
use rigel_run::execute::{Beginning, Run, execute};
use rigel_run::job::Stop;
use rigel_run::journal::Memory;
use rigel_run::wall::Wall;
use std::path::PathBuf;

/// What a session asked for.
#[derive(Debug)]
pub struct CalibrationCall {
    /// Relative to the directory of the server, where a session works.
    pub files: Vec<PathBuf>,
    /// Disks below them.
    pub disks: u32,
    /// The mean latency that small I/O may have.
    pub max_latency: Nanos,
    /// No visit begins after it.
    pub budget: Nanos,
}

/// Measures, and gives the answers in the form of `rigel.calibration/1`, with what speaks against them.
pub fn figures(asked: &CalibrationCall, stop: &Stop) -> Result<String, Problem> {
    let record = record(asked, stop)?;
    let findings = Findings::of(&record);
    let answers = AnswersForm::of(&findings).ok_or_else(|| bug("a calibration has no answers"))?;
    let unwritable = |error: serde_json::Error| bug(&format!("the answers cannot be written: {error}"));
    let mut document = serde_json::to_value(answers).map_err(unwritable)?;
    document["flags"] = serde_json::to_value(findings.flags_once()).map_err(unwritable)?;
    Ok(document.to_string())
}

fn record(asked: &CalibrationCall, stop: &Stop) -> Result<Record, Problem> {
    let host = host_facts();
    let snapshot = Snapshot::take();
    let looked = asked.files.iter().map(|file| inspect(file, &snapshot).map(InspectedTarget::into_facts));
    let looked: Vec<TargetFacts> = looked.collect::<Result<_, _>>()?;
    let bound = LatencyBound { limit: asked.max_latency, of: LatencyOf::Mean };
    let request = Request {
        num_disks: Some(asked.disks),
        seed: getrandom::u32().map_err(|error| bug(&format!("no seed could be drawn: {error}")))?.into(),
        ..Request::calibration(bound, asked.budget)
    };
    request.check()?;
    make::check(&request)?;
    let plan = Plan::new(&request, &host, &looked)?;
    let (program_version, run_id) = (env!("CARGO_PKG_VERSION").to_owned(), "calibrate_io".to_owned());
    let run = Run { program_version, run_id, request, plan };
    let mut bench =
        make::bench(&run, host, looked, &[], Start::behind(&RecordPast::default(), &Team::default()))?;
    let mut memory = Memory::default();
    let beginning = Beginning::new(Wall::system());
    let outcome = execute(&run, beginning, bench.as_mut(), &mut memory, stop, &mut |_| {})?;
    drop(bench);
    if let Some(problem) = outcome.problem("start it again") {
        return Err(problem);
    }
    memory.into_record().ok_or_else(|| bug("a calibration left no record"))
}

fn bug(what: &str) -> Problem {
    Problem::new(ExitKind::Bug, what).next("please report this")
}
