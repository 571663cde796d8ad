//! Shows others that a process loads a target: two runs on one target would measure each other.
//!
//! Each process holds a shared lock on a byte with its own number; others can see it without the right to write, and it ends with its process. The
//! bytes lie where no file reaches, and apart from those of runs that write. On a filesystem without such locks, nothing can be seen.

use super::range::{Kind, Range, held, release, set};
use std::fs;
use std::os::fd::AsFd;
use std::thread::sleep;
use std::time::Duration;

/// The bytes of all processes: those that read, followed by those that write.
const ALL: Range = Range { start: 1 << 61, end: (1 << 61) + 2 * BYTES - 1 };
const BYTES: i64 = 1 << 52;
const WRITERS: Range = Range { start: ALL.start + BYTES, ..ALL };
/// The same for processes that load something above the file: a partition, or a volume.
const ABOVE: Range = Range { start: ALL.end + 1, end: ALL.end + 2 * BYTES };
/// A number of a process is smaller (PID_MAX_LIMIT).
const PROCESSES: i64 = 1 << 22;
/// Two that begin together see each other; one of them yields, and the other one waits for that.
const LOOKS: u32 = 10;
const PAUSE: Duration = Duration::from_millis(50);

/// Another process that loads the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherProcess {
    /// Its process ID, if visible from here: it may be in another container, or on another host.
    pub process: Option<u32>,
    /// Whether it writes to the target.
    pub writes: bool,
}

/// Announces that this process loads the target, as long as the file is open, and whether it writes.
///
/// # Errors
/// With another one that does; then this one is not announced.
pub fn announce(file: &impl AsFd, writes: bool) -> Result<(), OtherProcess> {
    announce_at(file, own_byte(writes))
}

/// The same for a process that only reads, whatever else reads.
///
/// # Errors
/// With one that writes; then this one is not announced.
pub fn announce_beside(file: &impl AsFd) -> Result<(), OtherProcess> {
    let own = own_byte(false);
    match other_within(file, own, WRITERS) {
        Some(at) => Err(OtherProcess::at(at)),
        None => {
            // Where there are no such locks, nobody is seen.
            let _ = set(file, Kind::Shared, byte(own));
            Ok(())
        }
    }
}

/// Another process that loads the target, as a process that does or does not write sees it; `None` if there is none, or none can be seen.
pub fn other(file: &impl AsFd, writes: bool) -> Option<OtherProcess> {
    other_than(file, own_byte(writes)).map(OtherProcess::at)
}

/// Another process that writes to the target, as a process that reads sees it.
pub fn other_writer(file: &impl AsFd) -> Option<OtherProcess> {
    other_within(file, own_byte(false), WRITERS).map(OtherProcess::at)
}

/// Announces on a device that this process loads something above it; others that do the same do not matter.
///
/// # Errors
/// With one that loads the device itself; `beside`: with one that writes to it.
pub fn announce_above(file: &impl AsFd, writes: bool, beside: bool) -> Result<(), OtherProcess> {
    let own = own_byte(writes);
    let above = byte(own + (ABOVE.start - ALL.start));
    // Where there are no such locks, nobody is seen.
    let _ = set(file, Kind::Shared, above);
    let Some(at) = other_within(file, own, if beside { WRITERS } else { ALL }) else { return Ok(()) };
    let _ = release(file, above);
    Err(OtherProcess::at(at))
}

/// Another process that loads something on the device.
pub fn other_above(file: &impl AsFd) -> Option<OtherProcess> {
    let at = other_within(file, own_byte(false), ABOVE)?;
    Some(OtherProcess::at(at - (ABOVE.start - ALL.start)))
}

impl OtherProcess {
    fn at(at: i64) -> Self {
        Self { process: process_at(at), writes: at >= WRITERS.start }
    }
}

fn announce_at(file: &impl AsFd, own: i64) -> Result<(), OtherProcess> {
    let mut seen = None;
    for _ in 0..LOOKS {
        seen = try_at(file, own);
        if seen.is_none() {
            break;
        }
        sleep(PAUSE);
    }
    seen.map_or(Ok(()), |at| Err(OtherProcess::at(at)))
}

/// The byte of another process; `None` when this one has its own now.
fn try_at(file: &impl AsFd, own: i64) -> Option<i64> {
    if let Some(at) = other_than(file, own) {
        return Some(at);
    }
    // Where there are no such locks, nobody is seen.
    set(file, Kind::Shared, byte(own)).ok()?;
    let mut met = other_than(file, own)?;
    if met > own {
        // It gives way, unless it is there on purpose.
        sleep(PAUSE);
        met = other_than(file, own)?;
    }
    let _ = release(file, byte(own));
    Some(met)
}

const fn byte(own: i64) -> Range {
    Range { start: own, end: own }
}

fn other_than(file: &impl AsFd, own: i64) -> Option<i64> {
    other_within(file, own, ALL)
}

/// The byte of another process than that of `own`, which may have several files open. A lock that begins before all
/// of them is that of a whole file, as
/// some filesystems report it.
fn other_within(file: &impl AsFd, own: i64, all: Range) -> Option<i64> {
    if all.start > all.end {
        return None;
    }
    let found = held(file, all).ok().flatten()?.start;
    let is_ours = (found - ALL.start).rem_euclid(BYTES) == (own - ALL.start).rem_euclid(BYTES);
    match (all.start..=all.end).contains(&found) {
        true if is_ours => other_within(file, own, Range { end: found - 1, ..all })
            .or_else(|| other_within(file, own, Range { start: found + 1, ..all })),
        true => Some(found),
        false => None,
    }
}

/// The byte of this process: its ID and its start time, because IDs repeat from container to container.
fn own_byte(writes: bool) -> i64 {
    let process = i64::from(std::process::id()) % PROCESSES;
    let first = if writes { WRITERS.start } else { ALL.start };
    first + (began() % (BYTES / PROCESSES)) * PROCESSES + process
}

/// In ticks since the start of the host, proc_pid_stat(5).
fn began() -> i64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name stands in brackets, and may hold blanks.
    let field = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(19));
    field.and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// The process of a byte, if one with that number is a Rigel here.
fn process_at(at: i64) -> Option<u32> {
    let number = u32::try_from((at - ALL.start) % PROCESSES).ok()?;
    let name = fs::read_to_string(format!("/proc/{number}/comm")).ok()?;
    name.starts_with("rigel").then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    #[test]
    fn a_target_has_one_process_and_all_of_its_descriptors() {
        let named = tempfile::NamedTempFile::new().unwrap();
        let open = || File::open(named.path()).unwrap();
        let (first, again, second) = (open(), open(), open());
        let (low, high) = (ALL.start + 7, ALL.start + PROCESSES + 9);
        assert_eq!(announce_at(&first, low), Ok(()));
        assert_eq!(announce_at(&again, low), Ok(()), "both sides of a run may be one file");
        assert!(announce_at(&second, high).is_err());
        assert_eq!(other_than(&first, low), None, "who is refused leaves no trace");
        set(&second, Kind::Shared, byte(high)).unwrap();
        assert_eq!((other_than(&first, low), other_than(&second, high)), (Some(high), Some(low)));
        drop((first, again));
        assert_eq!(other_than(&second, high), None, "it goes with the descriptor");
        let elsewhere = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(announce_at(&File::open(elsewhere.path()).unwrap(), low), Ok(()));
    }

    #[test]
    fn the_lock_of_a_whole_file_is_nobody() {
        let named = tempfile::NamedTempFile::new().unwrap();
        let theirs = File::options().read(true).write(true).open(named.path()).unwrap();
        set(&theirs, Kind::Shared, Range { start: 0, end: i64::MAX }).unwrap();
        assert_eq!(announce_at(&File::open(named.path()).unwrap(), ALL.start + 7), Ok(()));
    }

    #[test]
    fn the_byte_of_this_process_is_its_own() {
        for (writes, first) in [(false, ALL.start), (true, WRITERS.start)] {
            let own = own_byte(writes);
            assert!((first..first + BYTES).contains(&own) && began() > 0);
            assert_eq!((own - ALL.start) % PROCESSES, i64::from(std::process::id()));
        }
    }

    /// A partition and its disk are one device; two partitions are two targets.
    #[test]
    fn what_lies_on_a_device_and_the_device_see_each_other() {
        let named = tempfile::NamedTempFile::new().unwrap();
        let open = || File::open(named.path()).unwrap();
        let (disk, partition, other) = (open(), open(), open());
        let shift = ABOVE.start - ALL.start;
        let theirs = ALL.start + PROCESSES + 9;
        set(&partition, Kind::Shared, byte(theirs + shift)).unwrap();
        assert!(other_above(&disk).is_some_and(|other| !other.writes));
        assert_eq!(announce_above(&other, false, false), Ok(()), "both are partitions");
        assert_eq!(announce_at(&disk, ALL.start + 7), Ok(()));
        drop(partition);
        assert_eq!(other_above(&disk), None, "its own partition is no other process");
        drop((disk, other));
        let disk = open();
        set(&disk, Kind::Shared, byte(WRITERS.start + PROCESSES + 9)).unwrap();
        assert!(announce_above(&open(), false, true).unwrap_err().writes);
    }

    /// Readers may share a target with readers, and nobody with a writer.
    #[test]
    fn who_writes_is_beside_nobody() {
        let named = tempfile::NamedTempFile::new().unwrap();
        let open = || File::open(named.path()).unwrap();
        let (reader, writer) = (open(), open());
        let (low, high) = (ALL.start + 7, WRITERS.start + 9);
        set(&writer, Kind::Shared, byte(high)).unwrap();
        let met = other_within(&reader, low, WRITERS).map(OtherProcess::at);
        assert_eq!(met, Some(OtherProcess { process: None, writes: true }));
        assert!(announce_beside(&reader).is_err());
        drop(writer);
        assert_eq!(announce_beside(&reader), Ok(()));
        let writer = open();
        assert!(!announce_at(&writer, high).unwrap_err().writes);
        assert_eq!(other_within(&open(), low, WRITERS), None);
    }
}
