//! `rigel calibrate --last` and `--history`: the answers of earlier calibrations.
//!
//! Must not measure.

use crate::args::HistoryOptions;
use crate::history;
use crate::streams::Streams;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::path_text;
use rigel_report::calibration;

pub fn show(options: &HistoryOptions, streams: &Streams) -> Result<(), Problem> {
    let targets: Vec<String> = options.targets.iter().map(|path| path_text::encode(path)).collect();
    let past = history::all(&targets)?;
    if past.unreadable > 0 {
        streams.remark(&format!("{} past calibrations cannot be read and are left out", past.unreadable));
    }
    let mut found = past.documents;
    if found.is_empty() {
        let of = if targets.is_empty() { String::new() } else { format!(" of {}", targets.join(", ")) };
        return Err(none_known(&of));
    }
    if options.last {
        found.truncate(1);
    }
    match (options.json, found.as_slice()) {
        (true, [last]) if options.last => streams.results(&last.json()?),
        (true, all) => {
            let text = serde_json::to_string_pretty(all).map_err(|error| {
                Problem::new(ExitKind::Bug, format!("the history cannot be written as JSON: {error}"))
            })?;
            streams.results(format!("{text}\n").as_bytes())
        }
        (false, [last]) if options.last => {
            streams.results(calibration::answers(last, streams.style()).as_bytes())
        }
        (false, all) => streams.results(calibration::history(all).as_bytes()),
    }
}

/// The history has no calibration. `of` names its targets, with a blank before.
pub fn none_known(of: &str) -> Problem {
    Problem::new(ExitKind::Refused, format!("no calibration{of} is known"))
        .because("this user has made none on this host; calibrations of simulated devices, incomplete ones and those with --no-history are not kept")
        .next("calibrate first: rigel calibrate [TARGET..]")
}
