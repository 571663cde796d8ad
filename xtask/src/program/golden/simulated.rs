//! Records of whole runs on simulated devices, in virtual time.
//!
//! The walk, the workers and the judgement are those of any run. Devices are slow, so that a record costs milliseconds. Must not use a law of
//! which a test does not know that the same seed gives the same record.

use super::facts;
use anyhow::Context as _;
use rigel_core::facts::TargetFacts;
use rigel_core::load::class::LoadClass;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::{Adaptive, Pace, Precision};
use rigel_core::load::request::{EngineRequest, Request};
use rigel_core::load::task::Task;
use rigel_core::record::Record;
use rigel_core::sim::SimLaw;
use rigel_core::units::Nanos;
use rigel_run::trial::trial;
use std::sync::OnceLock;

/// The program version in all records of the corpus.
pub const VERSION: &str = "1.2.3";
/// When all of them began; the runs of [`trial`] begin when time did.
const DAY: &str = "2026-03-01";

/// A request, with a name and a command line as users type it.
pub fn request(level: RunLevel) -> Request {
    let name = level.name();
    Request { command_line: format!("{name} /dev/sdb "), seed: 7, ..Request::new(level) }
}

/// Rounds of short visits, to a width of this many tenths of a per cent.
pub fn rounds(tenths: u16) -> Pace {
    Pace::Adaptive(Adaptive { precision: Precision(tenths), max_duration: None, fast: true })
}

/// The same for at most this many seconds.
pub fn rounds_within(tenths: u16, seconds: u64) -> Pace {
    let max_duration = Some(Nanos::from_secs(seconds));
    Pace::Adaptive(Adaptive { precision: Precision(tenths), max_duration, fast: true })
}

/// One visit of this many seconds to each point.
pub const fn once(seconds: u64) -> Pace {
    Pace::Fixed(Nanos::from_secs(seconds))
}

/// Load classes with levels of their own.
pub fn own(level: RunLevel, classes: Vec<LoadClass>) -> Request {
    Request { classes, task: Task::named(level, Vec::new(), Pace::ORION), ..request(level) }
}

/// The law of a device, as after `--engine sim:`.
pub fn law(text: &str) -> anyhow::Result<SimLaw> {
    SimLaw::parse(text).map_err(anyhow::Error::msg).context("the law of a simulated device")
}

/// A run on a simulated device, as its record shows it.
pub fn on_sim(law: &str, request: Request) -> anyhow::Result<Record> {
    let request = Request { engine: EngineRequest::Sim(self::law(law)?), ..request };
    let mut record = trial(&request)?;
    dated(&mut record);
    Ok(record)
}

/// The same run as one on a disk, as if the simulation had been that disk.
pub fn on_disk(law: &str, request: Request) -> anyhow::Result<Record> {
    let mut record = on_sim(law, request)?;
    as_on_disk(&mut record);
    Ok(record)
}

/// A record that several cases begin with, made for the first of them.
pub fn made_once(
    kept: &OnceLock<Record>,
    make: impl FnOnce() -> anyhow::Result<Record>,
) -> anyhow::Result<Record> {
    if let Some(record) = kept.get() {
        return Ok(record.clone());
    }
    let made = make()?;
    Ok(kept.get_or_init(|| made).clone())
}

/// A version, a name and times like those of real runs.
fn dated(record: &mut Record) {
    let header = &mut record.header;
    header.program_version = VERSION.into();
    header.run_id = format!("{}_20260301_0000", header.request.name);
    header.started = on_the_day(&header.started);
    if let Some(closing) = &mut record.closing {
        closing.ended = on_the_day(&closing.ended);
    }
    record.drives.iter_mut().for_each(|look| look.at = on_the_day(&look.at));
}

fn on_the_day(time: &str) -> String {
    time.replacen("1970-01-01", DAY, 1)
}

/// Puts a host, an engine and disks in the place of what is simulated.
fn as_on_disk(record: &mut Record) {
    let header = &mut record.header;
    header.nodes = rigel_core::record::Nodes::one(facts::node());
    let disks = (0..).zip(&header.targets).map(|(number, target)| facts::device(number, target.size_bytes));
    header.targets = disks.collect::<Vec<TargetFacts>>();
    header.request.engine = EngineRequest::Auto;
    if let Some(sides) = &mut header.request.sides {
        sides.engine = EngineRequest::Auto;
    }
    for visit in record.search.iter_mut().chain(&mut record.visits) {
        visit.worker_cpu_ns = Some(visit.loaded_ns / 20);
        visit.busiest_worker_cpu_ns = Some(visit.loaded_ns / 25);
    }
}
