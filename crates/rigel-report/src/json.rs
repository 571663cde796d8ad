//! The findings as one JSON document, `rigel.findings/1`, and its JSON Schema.
//!
//! The types here and in the rooms below are the interface: a field is added under the same name of the schema, a change
//! that a reader could misread needs a new one. Must not compute anything that is not in the findings.

mod curve;
mod places;
mod point;
mod visit;

use crate::burst::{self, BurstDocument};
use crate::by_reader::{self, ReadersDocument};
use crate::by_target::{self, ByTargetDocument};
use crate::json_text::{flags, pretty, schema_of, text};
use crate::phases::{self, PhaseDocument};
use crate::scaling::{self, ScalingDocument};
use crate::sure::SurenessText;
use crate::surroundings;
use crate::verdict::Conclusion;
use crate::view::View;
use crate::words;
use crate::working_set::{self, WorkingSetDocument};
use curve::CurveDocument;
use places::PlacesDocument;
use point::PointDocument;
use rigel_core::error::Problem;
use rigel_core::facts::engine::EngineKind;
use rigel_core::facts::engine::trials::EngineTrial;
use rigel_core::judge::findings::{Extreme, Findings};
use rigel_core::judge::flags::Flag;
use rigel_core::load::class::{Class, LoadClass, PerClass, Sizes};
use rigel_core::load::matrix::RunLevel;
use rigel_core::path_text::printable;
use rigel_core::record::Node;
use rigel_core::witness::HostCpu;
use schemars::JsonSchema;
use serde::Serialize;

/// Name and version of the document's form.
pub const SCHEMA: &str = "rigel.findings/1";

/// What a run found. Rates are per second, one MB is 2^20 bytes, latencies are in microseconds. A number that has a 95 %
/// interval is an estimate: `value`, `lo95`, `hi95`, `visits` and `basis`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "rigel.findings/1")]
struct Document<'a> {
    /// Name and version of this form.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Which run.
    run: Run,
    /// What the numbers of a point estimate, and what their intervals cover, as a sentence.
    estimand: String,
    /// What is certain.
    sure: SurenessText,
    /// The half-width of the interval of a rate, divided by its mean, that every point should reach: 0.05 is ±5 %. Null when each point had one
    /// visit.
    target: Option<f64>,
    /// All visits may have missed states of the device that lasted a smaller share of the time (at 95 %). Null
    /// when each point had one visit.
    unseen_share: Option<f64>,
    /// Whether the numbers may be used, what casts doubt on them, and what to do.
    verdict: Conclusion,
    /// Remarks on the run as a whole.
    flags: Vec<Flag>,
    /// The measured points in the order of the plan.
    points: Vec<PointDocument<'a>>,
    /// The phases of a load with phases, in their order.
    phases: Vec<PhaseDocument>,
    /// Results of the search for load levels, by class; empty if there was none.
    curves: Vec<CurveDocument<'a>>,
    /// How figures change over the places of the targets, by class; empty when nothing was measured by place.
    places: Vec<PlacesDocument>,
    /// How the rate grows with the targets; null for any other run.
    scaling: Option<ScalingDocument>,
    /// How long the rate of a burst lasts; null for any other run.
    burst: Option<BurstDocument>,
    /// The effect of a cache, for a run over working sets; null for any other run.
    working_set: Option<WorkingSetDocument>,
    /// The results of each of several targets, by class; empty for one target.
    by_target: Vec<ByTargetDocument>,
    /// The results of each of several sequential readers, by their number; empty for any other run, and with more than 1024 readers.
    readers: Vec<ReadersDocument>,
    /// The extremes over all points.
    best: PerClass<ExtremesDocument>,
}

/// Which run.
#[derive(Debug, Serialize, JsonSchema)]
struct Run {
    /// Common prefix of the names of all files of the run.
    name: String,
    /// Run level.
    #[schemars(extend("enum" = RunLevel::ALL.map(RunLevel::name)))]
    level: &'static str,
    /// Local time of the start, RFC 3339.
    started: String,
    /// Local time of the end, RFC 3339; null when the end was not recorded.
    ended: Option<String>,
    /// Seed of all random draws; below 2^53, which every reader of JSON keeps exactly.
    #[schemars(extend("maximum" = 9_007_199_254_740_991_u64))]
    seed: u64,
    /// Version of Rigel that measured.
    version: String,
    /// How the I/O reached the kernel.
    #[schemars(extend("enum" = EngineKind::ALL.map(EngineKind::name)))]
    engine: &'static str,
    /// Completions were polled on the device instead of being signalled by interrupts.
    polled: bool,
    /// The CPU of each worker; empty when the scheduler chose.
    worker_cpus: Vec<u32>,
    /// The hosts that measured; most runs have one.
    nodes: Vec<NodeDocument>,
    /// The load, by class.
    classes: PerClass<ClassDocument>,
    /// Every point was measured in full.
    complete: bool,
}

/// A host that measured.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Node")]
struct NodeDocument {
    /// Its name, if there are several.
    name: Option<String>,
    /// Its own parts of the load, if there are several.
    share: Option<u32>,
    /// Release of its kernel.
    kernel: String,
    /// Its CPUs.
    cpus: u32,
    /// The hypervisor under which it runs; null on a physical machine, as far as can be seen.
    hypervisor: Option<String>,
    /// The limits of its control group, in words; null where there are none.
    limits: Option<String>,
    /// Nice value, I/O class, I/O level and weight, if they are not the defaults; in words.
    priority: Option<String>,
    /// How its I/O reached the kernel.
    engine: &'static str,
    /// The results of short trials of several engines on the targets before the run, the usual engine first; empty where none were made.
    engine_trials: Vec<EngineTrialDocument>,
    /// How the time of its CPUs was spent during the visits, by all users; null where it was not recorded.
    cpu: Option<HostCpu>,
}

impl NodeDocument {
    fn of(view: &View<'_>, number: usize, node: &Node) -> Self {
        Self {
            cpu: surroundings::cpus_of(view, number),
            name: node.member.as_ref().map(|member| text(&member.name)),
            share: node.member.as_ref().map(|member| member.share),
            kernel: printable(&node.host.kernel).into_owned(),
            cpus: node.host.cpus,
            hypervisor: node.host.hypervisor.as_deref().map(text),
            limits: surroundings::limits(&node.host),
            priority: node.host.rank().map(|(_, why)| text(&why)),
            engine: node.engine.kind.name(),
            engine_trials: node.engine.trials.iter().flat_map(|all| &all.trials).map(Into::into).collect(),
        }
    }
}

/// An engine that was tried.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EngineTrial")]
struct EngineTrialDocument {
    /// The engine.
    #[schemars(extend("enum" = EngineKind::ALL.map(EngineKind::name)))]
    engine: &'static str,
    /// Reads per second in each turn.
    iops: Vec<f64>,
}

impl From<&EngineTrial> for EngineTrialDocument {
    fn from(trial: &EngineTrial) -> Self {
        Self { engine: trial.engine.name(), iops: trial.iops.clone() }
    }
}

/// The extremes over all points; a point whose numbers must not be used counts only when there is no other.
#[derive(Debug, Serialize, JsonSchema)]
struct ExtremesDocument {
    /// Highest rate, in the unit of the class.
    rate: Option<Extreme>,
    /// Lowest mean latency in microseconds, reads and writes together; null for a class whose rate is a bandwidth.
    latency_us: Option<Extreme>,
    /// Whether the highest rate is that of the highest load tried, and half of that load gives clearly less: the storage may reach more. False if
    /// the levels were searched; then see the flags of `curves`.
    still_rising: bool,
}

/// A load class of the run.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LoadClass")]
struct ClassDocument {
    /// Bytes of one I/O, of the largest where there are several sizes; 0 for what is not a block I/O.
    io_bytes: u64,
    /// If there are several sizes: each with its share of the I/Os.
    sizes: Vec<SizeDocument>,
    /// The part of every target that it uses, such as `0-25%`.
    span: String,
    /// Into how many places that is divided; null where it is used as a whole.
    places: Option<u8>,
    /// What its load levels count; `places`: a load level is the number of one, where one stream or one I/O is outstanding.
    #[schemars(extend("enum" = ["I/Os", "streams", "writers", "sessions", "arrivals per second", "places", "targets"]))]
    counted: &'static str,
    /// Share of writes in per cent.
    write_percent: u8,
    /// The unit of its rate in reports: `IOPS`, `MBPS` or another one.
    unit: String,
}

/// One of several sizes of a class.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Size")]
struct SizeDocument {
    /// Bytes of an I/O.
    bytes: u64,
    /// Share of the I/Os in per cent, as it was written.
    percent: u8,
}

impl From<&LoadClass> for ClassDocument {
    fn from(class: &LoadClass) -> Self {
        Self {
            io_bytes: class.io_bytes(),
            sizes: match &class.sizes {
                Sizes::Mixed(sizes) => {
                    sizes.iter().map(|&(bytes, percent)| SizeDocument { bytes, percent }).collect()
                }
                Sizes::Fixed(_) | Sizes::None => Vec::new(),
            },
            span: class.span.to_string(),
            places: class.places,
            counted: class.counted(),
            write_percent: class.write_percent.get(),
            unit: text(class.unit()),
        }
    }
}

/// The JSON Schema of the document, pretty-printed.
pub fn schema() -> String {
    schema_of::<Document<'_>>()
}

/// The document, pretty-printed.
pub(crate) fn document(view: &View<'_>) -> Result<Vec<u8>, Problem> {
    let findings = &view.findings;
    let document = Document {
        schema: SCHEMA,
        run: run(view),
        estimand: words::estimand(view),
        sure: SurenessText::of_run(view),
        target: findings.target,
        unseen_share: findings.unseen_share,
        verdict: Conclusion::of(view),
        flags: flags(&findings.flags),
        points: findings
            .points
            .iter()
            .zip(&findings.contrasts())
            .map(|(found, contrasts)| PointDocument::new(found, contrasts, findings.target))
            .collect(),
        phases: phases::documents(view),
        curves: findings.curves.iter().map(CurveDocument::from).collect(),
        places: findings.places.iter().map(|found| PlacesDocument::new(view, found)).collect(),
        scaling: scaling::document(view),
        burst: burst::document(view),
        working_set: working_set::document(view),
        by_target: by_target::documents(view),
        readers: by_reader::documents(view),
        best: view.loads().into_iter().map(|class| (class.name, best(findings, class.name))).collect(),
    };
    pretty(&document)
}

fn best(findings: &Findings, class: Class) -> ExtremesDocument {
    let best = &findings.best;
    ExtremesDocument {
        rate: best.rate(class),
        latency_us: best.latency_us(class),
        still_rising: findings.still_rising.contains(&class),
    }
}

fn run(view: &View<'_>) -> Run {
    let header = &view.record.header;
    let closing = view.record.closing.as_ref();
    let first = header.nodes.first();
    Run {
        name: text(&header.run_id),
        level: header.request.level().name(),
        started: text(&header.started),
        ended: closing.map(|closing| text(&closing.ended)),
        seed: header.request.seed,
        version: text(&header.program_version),
        engine: first.engine.kind.name(),
        polled: first.engine.polled,
        worker_cpus: first.engine.cpus.clone(),
        nodes: header
            .nodes
            .all()
            .iter()
            .enumerate()
            .map(|(number, node)| NodeDocument::of(view, number, node))
            .collect(),
        classes: view.shown().into_iter().map(|class| (class.name, class.into())).collect(),
        complete: view.record.complete(),
    }
}
