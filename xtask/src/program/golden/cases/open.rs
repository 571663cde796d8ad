//! What arrives at a rate, and searches for the highest rate within bounds on the latency.

use super::super::simulated::{made_once, on_disk, own, request, rounds};
use super::Case;
use rigel_core::load::class::{Arrival, Class, LoadClass, Shape, Spread};
use rigel_core::load::file;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::{Adaptive, Precision};
use rigel_core::load::request::{CacheWarmUp, DEFAULT_SMALL, Request};
use rigel_core::load::slo::{Requirement, ScaledPhases, Slo, SloBound};
use rigel_core::load::task::Task;
use rigel_core::load::workload::WritePercent;
use rigel_core::record::Record;
use rigel_core::units::{NS_PER_MS, Nanos};
use std::sync::OnceLock;

/// Four stations: at most 400 I/Os per second.
const FOUR: &str = "servers=4,service=10ms,rate=0,spread=lognormal:20%";
/// Two quick stations for searches, whose visits last as long as the latency that is bounded asks for: at most 250 I/Os per second.
const TWO: &str = "servers=2,service=8ms,rate=0,spread=lognormal:20%";

/// The cases.
pub fn all() -> Vec<Case> {
    vec![
        Case::of("open-rates", || open(Shape::Poisson, &[100, 250], 0)),
        Case::of("open-bursts", || {
            open(Shape::Bursty(Spread::new(4.0).unwrap_or(Spread::LEAST)), &[100, 250], 20)
        }),
        Case::of("open-overload", || open(Shape::Even, &[200, 500], 0)),
        Case::of("open-late", late),
        Case::of("slo-rate", rate),
        Case::of("slo-two-bounds", || {
            slo(&["p50 < 20ms", "p99 < 22ms"], &["p99 < 22ms @ 50", "p99 < 22ms @ 245"], 2000)
        }),
        Case::of("slo-nowhere", || slo(&["p99 < 6ms"], &[], 2000)),
        Case::of("slo-everywhere", || slo(&["p99 < 20ms"], &[], 50)),
        Case::of("slo-unfinished", unfinished),
        Case::of("slo-required-only", required_only),
        Case::of("fit-phases", fit),
    ]
}

/// A class of small I/Os with these arrivals.
pub fn arrivals(shape: Shape) -> LoadClass {
    let arrival = Arrival::Open { shape, most_outstanding: 256 };
    LoadClass { arrival, ..LoadClass::random(Class::constant("open"), DEFAULT_SMALL.0) }
}

fn open(shape: Shape, rates: &[u32], write_percent: u8) -> anyhow::Result<Record> {
    let write_percent = WritePercent::new(write_percent).unwrap_or_default();
    let class = LoadClass { levels: rates.into(), write_percent, ..arrivals(shape) };
    let writes = if write_percent.writes() { " --write 20" } else { "" };
    let command_line = format!("{}{writes} /dev/sdb ", typed(rates));
    on_disk(FOUR, Request { command_line, ..own(RunLevel::Open, vec![class]).paced(rounds(100)) })
}

/// What was typed for rates.
pub fn typed(rates: &[u32]) -> String {
    let rates: Vec<String> = rates.iter().map(ToString::to_string).collect();
    format!("open --rate {}", rates.join(","))
}

/// The tool began late though it had a slot.
fn late() -> anyhow::Result<Record> {
    let mut record = open(Shape::Poisson, &[100, 250], 0)?;
    let tallies = record.visits.iter_mut().flat_map(|visit| visit.tallies.values_mut());
    for open in tallies.filter_map(|tally| tally.open.as_mut()) {
        (0..10).for_each(|late| open.lag.record((20 + late) * NS_PER_MS));
    }
    Ok(record)
}

fn slo(bounds: &[&str], required: &[&str], most_rate: u32) -> anyhow::Result<Record> {
    on_disk(TWO, asked(bounds, required, most_rate)?)
}

fn asked(bounds: &[&str], required: &[&str], most_rate: u32) -> anyhow::Result<Request> {
    let told = bounds.iter().map(|text| format!("--bound '{text}' "));
    let told = told.chain(required.iter().map(|text| format!("--require '{text}' ")));
    let command_line = told.chain(["/dev/sdb ".to_owned()]).collect();
    let bounds = bounds.iter().map(|text| text.parse::<SloBound>()).collect::<Result<_, _>>();
    let required = required.iter().map(|text| text.parse::<Requirement>()).collect::<Result<_, _>>();
    let (bounds, required) = (bounds.map_err(anyhow::Error::msg)?, required.map_err(anyhow::Error::msg)?);
    let slo = Slo { bounds, required, most_rate, required_only: false, scaled: None };
    let task = Task::rate(RunLevel::Open, slo, within(180));
    Ok(Request { task, command_line, ..own(RunLevel::Open, vec![arrivals(Shape::Poisson)]) })
}

/// Short visits for this many seconds, to a width that any search reaches.
fn within(seconds: u64) -> Adaptive {
    let max_duration = Some(Nanos::from_secs(seconds));
    Adaptive { precision: Precision(200), max_duration, fast: true }
}

fn rate() -> anyhow::Result<Record> {
    static KEPT: OnceLock<Record> = OnceLock::new();
    made_once(&KEPT, || slo(&["p99 < 20ms"], &[], 2000))
}

/// Only whether two rates are low enough.
fn required_only() -> anyhow::Result<Record> {
    let mut request = asked(&["p99 < 22ms"], &["p99 < 22ms @ 50", "p99 < 22ms @ 245"], 2000)?;
    if let Task::Rate { slo, pace, .. } = &mut request.task {
        slo.required_only = true;
        pace.max_duration = Some(Nanos::from_secs(60));
    }
    on_disk(TWO, request)
}

/// A search that was ended in its first half.
fn unfinished() -> anyhow::Result<Record> {
    let mut record = rate()?;
    super::interrupted::stop_in_search(&mut record, 6);
    Ok(record)
}

/// A busy and a written phase of a day, scaled together.
const DAY: &str = r#"
load = "rigel.load/1"
[[class]]
name = "reads"
size = "8K"
arrival = { rate = 100, shape = "poisson" }
[[class]]
name = "writes"
size = "16K"
write = 100
arrival = { rate = 20, shape = "poisson" }
[[phase]]
for = "10m"
[[phase]]
for = "10m"
scale = { reads = 0.2, writes = 3 }
[[phase]]
for = "10m"
scale = 0.5
"#;

fn fit() -> anyhow::Result<Record> {
    let bounds = vec!["p99 < 20ms".parse().map_err(anyhow::Error::msg)?];
    let scaled = Some(ScaledPhases { required: Some(1500), ..ScaledPhases::default() });
    let slo = Slo { bounds, required: Vec::new(), most_rate: 2000, required_only: false, scaled };
    let command_line = "--load day.toml --p99 20ms --require 1.5 /dev/sdb ".into();
    let asked = Request {
        task: Task::rate(RunLevel::Load, slo, within(360)),
        cache: CacheWarmUp::Off,
        command_line,
        ..request(RunLevel::Load)
    };
    on_disk(TWO, file::read("day.toml", DAY.as_bytes())?.request(asked)?)
}
