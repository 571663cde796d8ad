//! How much sessions of a storage differed: the calibrations of its targets in the history of this host.
//!
//! An unreadable history is not a failure. Must not write to it.

use crate::history;
use crate::streams::Streams;
use rigel_core::facts::{HostFacts, TargetFacts};
use rigel_core::load::class::Class;
use rigel_core::load::sides::Side;
use rigel_core::path_text::printable;
use rigel_core::record::Record;
use rigel_report::calibration;
use rigel_uses::compare::SessionSpread;

/// Of the targets of a run.
pub fn of_run(record: &Record, streams: &Streams) -> SessionSpread {
    of(record, &record.header.targets, [Class::SMALL, Class::LARGE].map(Some), streams)
}

/// Of the targets of each side of a run.
pub fn of_sides(record: &Record, streams: &Streams) -> [SessionSpread; 2] {
    Side::BOTH.map(|side| {
        let targets = record.header.request.of_side(side, &record.header.targets);
        of(record, targets, [Class::SMALL, Class::LARGE].map(|class| class.on(side)), streams)
    })
}

fn of(
    record: &Record,
    targets: &[TargetFacts],
    pair: [Option<Class>; 2],
    streams: &Streams,
) -> SessionSpread {
    let header = &record.header;
    let request = &header.request;
    // A path means something else on another host.
    let is_here = || is_alike(&header.nodes.first().host, &rigel_io::host::host_facts());
    if targets.is_empty() || request.engine.is_simulated() || !is_here() {
        return SessionSpread::default();
    }
    let paths: Vec<String> = targets.iter().map(|target| printable(&target.path).into_owned()).collect();
    let sizes = pair.map(|class| class.map_or(0, |class| request.io_bytes(class)));
    match history::all(&paths) {
        Ok(past) => calibration::past(&past.documents, sizes, request.common_write_percent()),
        Err(problem) => {
            streams.remark(&format!("{}; not used for the interval", problem.what));
            SessionSpread::default()
        }
    }
}

fn is_alike(one: &HostFacts, other: &HostFacts) -> bool {
    let machine = |host: &HostFacts| (host.machine.clone(), host.cpu_model.clone(), host.product.clone());
    machine(one) == machine(other)
}
