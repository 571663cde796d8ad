//! The files in unreadable parts of a device, within the time that a user can wait. Must not wait for a file system that does not answer.

use rigel_core::facts::{OwnerFacts, TargetFacts, TargetKind};
use rigel_io::targets::owners;
use rigel_uses::scrub::ScrubFindings;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The search ends by itself after this time.
const SEARCH: Duration = Duration::from_secs(120);
/// And is left alone after that.
const SILENCE: Duration = Duration::from_secs(150);

/// Searches them, if there is something to search for. A file is its own owner.
pub fn on(disk: &TargetFacts, found: &ScrubFindings) -> Option<OwnerFacts> {
    let place = |range: &rigel_uses::scrub::Difference| Some((range.copies.first()?.offset, range.len));
    let ranges: Vec<(u64, u64)> = found.differences.iter().filter_map(place).collect();
    if disk.kind != TargetKind::BlockDevice || ranges.is_empty() {
        return None;
    }
    let (device, (answer, answered)) = (disk.identity.device, mpsc::channel());
    // On a disk that fails, a directory may be what cannot be read.
    thread::spawn(move || answer.send(owners(device, &ranges, SEARCH)));
    let silent = || OwnerFacts {
        doubt: Some(format!("the file system did not answer for {} s", SILENCE.as_secs())),
        ..OwnerFacts::default()
    };
    Some(answered.recv_timeout(SILENCE).unwrap_or_else(|_| silent()))
}
