//! A calibration of files in memory: what `rigel calibrate --no-commits` does, and its figures.
//!
//! Runs in a thread, and so must not call PostgreSQL. Reads only: no file is opened for writing, and no record is written.

use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::TargetFacts;
use rigel_core::judge::findings::{Extreme, Findings};
use rigel_core::judge::flags::Flag;
use rigel_core::load::plan::Plan;
use rigel_core::load::request::Request;
use rigel_core::load::team::Team;
use rigel_core::record::Record;
use rigel_core::record::resume::Past;
use rigel_core::stats::Estimate;
use rigel_core::stats::bound::{LatencyBound, LatencyOf};
use rigel_core::units::Nanos;
use rigel_io::host::host_facts;
use rigel_io::targets::inspect::{Inspected, Snapshot, inspect};
use rigel_run::bench::make::{self, Start};
use rigel_run::execute::{Beginning, Run, execute};
use rigel_run::job::Stop;
use rigel_run::journal::Memory;
use rigel_run::wall::Wall;
use serde_json::{Value, json};
use std::path::PathBuf;

/// What a session asked for.
#[derive(Debug)]
pub struct Asked {
    /// Relative to the directory of the server, where a session works.
    pub files: Vec<PathBuf>,
    /// Disks below them.
    pub disks: u32,
    /// The mean latency that small I/O may have.
    pub max_latency: Nanos,
    /// No visit begins after it.
    pub budget: Nanos,
}

/// Measures, and gives the figures by the names of `rigel.calibration/1`.
pub fn figures(asked: &Asked, stop: &Stop) -> Result<String, Problem> {
    let record = record(asked, stop)?;
    let findings = Findings::of(&record);
    let Some(found) = &findings.answers else { return Err(bug("a calibration has no answers")) };
    let within = found.max_iops.as_ref();
    let extreme = |best: Option<Extreme>| best.map(|best| figure(best.estimate));
    let document = json!({
        "max_iops": within.map(|within| figure(within.iops)).ok(),
        "reason": within.err(),
        "actual_latency_ms": within.map(|within| figure(within.latency_us.scaled(1e-3))).ok(),
        "outstanding": within.map(|within| within.outstanding).ok(),
        "unbounded_iops": extreme(found.unbounded_iops),
        "max_mbps": extreme(found.max_mbps),
        "max_pmbps": extreme(found.max_pmbps),
        "latency_at_1_us": found.latency_at_1_us.map(figure),
        "flags": findings.flags_once().iter().map(flag).collect::<Vec<_>>(),
    });
    Ok(document.to_string())
}

fn record(asked: &Asked, stop: &Stop) -> Result<Record, Problem> {
    let host = host_facts();
    let snapshot = Snapshot::take();
    let looked = asked.files.iter().map(|file| inspect(file, &snapshot).map(Inspected::into_facts));
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
    let mut bench = make::bench(&run, host, looked, &[], Start::behind(&Past::default(), &Team::default()))?;
    let mut memory = Memory::default();
    let beginning = Beginning::new(Wall::system());
    let outcome = execute(&run, beginning, bench.as_mut(), &mut memory, stop, &mut |_| {})?;
    drop(bench);
    if let Some(problem) = outcome.problem("start it again") {
        return Err(problem);
    }
    memory.into_record().ok_or_else(|| bug("a calibration left no record"))
}

fn figure(found: Estimate) -> Value {
    json!({ "mean": found.value, "lo95": found.lo95(), "hi95": found.hi95() })
}

fn flag(flag: &Flag) -> Value {
    json!({ "code": flag.code, "text": flag.text, "invalid": flag.invalid, "note": flag.note })
}

fn bug(what: &str) -> Problem {
    Problem::new(ExitKind::Bug, what).next("please report this")
}
