//! Whether runs can be combined: reads and writes of one target, measured on one host.
//!
//! Must not judge numbers.

use crate::compare::Run;
use rigel_core::error::Problem;
use rigel_core::facts::{DeviceFacts, HostFacts, TargetKind};
use rigel_core::load::request::EngineRequest;
use rigel_core::path_text::printable;

/// The memory that different kernels reserve on one host differs by less than this share.
const MEMORY_PART: u64 = 64;

pub fn check(runs: &[Run<'_>]) -> Result<(), Problem> {
    let Some((first, others)) = runs.split_first() else {
        return Err(Problem::usage("no record was given").at("RECORD").next("name the record of a run"));
    };
    let difference = |other: &Run<'_>| Some((other.record.header.run_id.clone(), difference(first, other)?));
    let found = others.iter().find_map(difference);
    found.map_or(Ok(()), |(run_id, (own, other))| {
        Err(Problem::usage("the runs are not of the same target")
            .at(printable(&run_id))
            .because(format!(
                "it measured {}, but {} measured {}",
                printable(&other),
                printable(&first.record.header.run_id),
                printable(&own)
            ))
            .next("give the records of runs on the same device or filesystem of the same host"))
    })
}

/// What a run measured, as a phrase; `None` if its record does not say, which does not indicate another target.
type Property = fn(&Run<'_>) -> Option<String>;

/// Equal in all runs of one target.
const PROPERTIES: [Property; 6] = [
    devices,
    sizes,
    models,
    |run| host(run).cpu_model.as_ref().map(|model| format!("on a host with {model}")),
    |run| host(run).product.as_ref().map(|product| format!("on a host that is a {product}")),
    law,
];

/// The first thing in which two runs differ, as the first and as the other has it.
fn difference(first: &Run<'_>, other: &Run<'_>) -> Option<(String, String)> {
    let pair = |property: &Property| Some((property(first)?, property(other)?));
    let differs = PROPERTIES.iter().filter_map(pair).find(|(own, other)| own != other);
    differs.or_else(|| memory(first, other))
}

/// A scratch file is another file in every run, so files count by the filesystem that they are on.
fn devices(run: &Run<'_>) -> Option<String> {
    let targets = run.record.header.targets.iter();
    joined(targets.map(|target| {
        let (major, minor) = target.identity.device;
        let at = target.mount_point.as_ref().map_or(String::new(), |mount| format!(" at {mount}"));
        format!("device {major}:{minor}{at}")
    }))
}

/// Another disk may have had the same number. The size of a file is up to its creator.
fn sizes(run: &Run<'_>) -> Option<String> {
    let targets = run.record.header.targets.iter();
    let devices =
        targets.filter(|target| matches!(target.kind, TargetKind::BlockDevice | TargetKind::CharDevice));
    joined(devices.map(|target| format!("a device of {} bytes", target.size_bytes)))
}

fn models(run: &Run<'_>) -> Option<String> {
    let targets = run.record.header.targets.iter();
    let layers = targets.flat_map(|target| target.device.iter().chain(&target.below));
    let model = |layer: &DeviceFacts| layer.model.as_ref().map(|model| format!("a disk of model {model}"));
    joined(layers.filter_map(model))
}

fn host<'a>(run: &Run<'a>) -> &'a HostFacts {
    &run.record.header.nodes.first().host
}

/// All simulated devices have the same number.
fn law(run: &Run<'_>) -> Option<String> {
    match &run.record.header.request.engine {
        EngineRequest::Sim(law) => Some(format!("a simulated device: {}", serde_json::to_string(law).ok()?)),
        EngineRequest::Auto | EngineRequest::Only(_) => None,
    }
}

/// Another kernel leaves a little more or less of the same memory.
fn memory(first: &Run<'_>, other: &Run<'_>) -> Option<(String, String)> {
    let (own, other) = (host(first).memory_bytes?, host(other).memory_bytes?);
    let told = |bytes: u64| format!("on a host with {bytes} bytes of memory");
    (own.abs_diff(other) > own / MEMORY_PART).then(|| (told(own), told(other)))
}

/// Each phrase once, in an order that does not depend on that of the targets.
fn joined(phrases: impl Iterator<Item = String>) -> Option<String> {
    let mut all: Vec<String> = phrases.collect();
    all.sort_unstable();
    all.dedup();
    (!all.is_empty()).then(|| all.join(", "))
}
