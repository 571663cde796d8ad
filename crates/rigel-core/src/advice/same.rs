//! Whether runs can be put together: reads and writes of one target, measured on one host.
//!
//! Must not judge numbers.

use crate::compare::Run;
use crate::error::Problem;
use crate::path_text::printable;

/// Refuses runs of different targets.
pub fn check(runs: &[Run<'_>]) -> Result<(), Problem> {
    let Some((first, others)) = runs.split_first() else {
        return Err(Problem::usage("no record is named").at("RECORD").next("name the record of a run"));
    };
    let own = places(first);
    let other = others.iter().find(|other| places(other) != own);
    other.map_or(Ok(()), |other| {
        Err(Problem::usage("the runs are not of one target")
            .at(printable(&other.record.header.run_id))
            .because(format!(
                "it measured {}, and {} measured {}",
                told(&places(other)),
                printable(&first.record.header.run_id),
                told(&own)
            ))
            .next("give the records of runs on the same device or filesystem of the same host"))
    })
}

/// Host and devices. A scratch file is another file in every run, so files count by the filesystem that they are on.
fn places(run: &Run<'_>) -> Vec<String> {
    let header = &run.record.header;
    let mut places: Vec<String> = header
        .targets
        .iter()
        .map(|target| {
            let (major, minor) = target.identity.device;
            let at = target.mount_point.as_ref().map_or(String::new(), |mount| format!(" at {mount}"));
            format!("device {major}:{minor}{at}")
        })
        .collect();
    places.sort_unstable();
    places.dedup();
    let cpu = header.host.cpu_model.as_deref().unwrap_or("an unknown CPU");
    places.push(format!("a host with {cpu}"));
    places
}

fn told(places: &[String]) -> String {
    printable(&places.join(", ")).into_owned()
}
