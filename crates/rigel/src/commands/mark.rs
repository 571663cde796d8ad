//! `rigel mark`: finds the current run, and sends it a text.
//!
//! Must not write a file: the run writes its own record.

use super::run::mark_prefix;
use crate::args::MarkArgs;
use crate::streams::Streams;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::path_text::printable;
use rigel_core::units::say::listed;
use rigel_io::peer;
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::Shutdown;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::time::Duration;

/// The run answers immediately; it writes within a few seconds.
const PATIENCE: Duration = Duration::from_secs(8);
/// No answer is longer.
const MOST_ANSWER: u64 = 1024;

/// A run that takes marks.
struct RunPeer {
    pid: u32,
    run_id: String,
    stream: BufReader<UnixStream>,
    /// Whether it belongs to this user.
    is_own: bool,
}

pub fn mark(options: &MarkArgs, streams: &Streams) -> Result<(), Problem> {
    let mut found = chosen(options, listening())?;
    if !found.is_own {
        return Err(of_another(&found));
    }
    let at = send(&mut found, &options.text)?;
    streams.results(format!("marked in {} after {at}: {}\n", found.run_id, options.text).as_bytes())
}

/// Adds a mark to the run of this process, as its live view does; returns the time of the run.
///
/// # Errors
/// When it accepts none, or took too long.
pub fn mark_own(text: &str) -> Result<String, Problem> {
    send(&mut connected(std::process::id()).ok_or_else(gone)?, text)
}

/// Adds a mark to a run; returns the time of the run, in words.
fn send(found: &mut RunPeer, text: &str) -> Result<String, Problem> {
    let sent = found.stream.get_mut().write_all(text.as_bytes());
    sent.and_then(|()| found.stream.get_ref().shutdown(Shutdown::Write)).map_err(|_| gone())?;
    let answer = line(&mut found.stream).ok_or_else(gone)?;
    match answer.strip_prefix("ok ") {
        Some(at) => Ok(printable(at).into_owned()),
        None => Err(Problem::refused(format!("the run {} did not take the mark", found.run_id))
            .because(printable(answer.trim_start_matches("no: ")).into_owned())
            .next("mark while its load is running")),
    }
}

/// The run that is meant.
fn chosen(options: &MarkArgs, all: Vec<RunPeer>) -> Result<RunPeer, Problem> {
    let names = |all: &[RunPeer]| {
        listed(&all.iter().map(|one| format!("{} (process {})", one.run_id, one.pid)).collect::<Vec<_>>())
    };
    let told = names(&all);
    let is_meant = |one: &RunPeer| {
        options.run.as_ref().is_none_or(|run| {
            let rest = one.run_id.strip_prefix(run.as_str());
            *run == one.pid.to_string() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
        })
    };
    let mut meant: Vec<RunPeer> = all.into_iter().filter(is_meant).collect();
    // Those of others matter only where there is none of one's own.
    if meant.iter().any(|one| one.is_own) {
        meant.retain(|one| one.is_own);
    }
    match (meant.len(), &options.run) {
        (1, _) => Ok(meant.remove(0)),
        (0, Some(run)) if !told.is_empty() => {
            Err(Problem::refused(format!("no run '{}' takes marks now", printable(run)))
                .at("--run")
                .because(format!("these do: {told}"))
                .next("give the name or the process of one of them"))
        }
        (0, _) => Err(Problem::refused("no run takes marks now")
            .because("only `rigel run through` takes marks, and only while its load is running")
            .next("start one in another terminal, such as `rigel run through --rate 1000`")),
        _ => {
            let one = meant[0].pid;
            Err(Problem::usage(format!("several runs take marks now: {}", names(&meant)))
                .at("--run")
                .next(format!("choose one by its name or process: `rigel mark --run {one} TEXT`")))
        }
    }
}

fn of_another(found: &RunPeer) -> Problem {
    Problem::refused(format!("the run {} belongs to another user", found.run_id))
        .because("only its user and root may write into its record")
        .next("mark it as that user, or with sudo")
}

fn gone() -> Problem {
    Problem::new(ExitKind::Refused, "the run ended before it took the mark")
        .next("`rigel report` shows its record")
}

/// Every run on this host that listens. A socket with that name that does not answer like a run does not count.
fn listening() -> Vec<RunPeer> {
    let table = std::fs::read("/proc/net/unix").unwrap_or_default();
    let table = String::from_utf8_lossy(&table);
    let name = |line: &str| line.rsplit_once('@')?.1.strip_prefix(mark_prefix())?.parse::<u32>().ok();
    let pids: BTreeSet<u32> = table.lines().filter_map(name).collect();
    pids.into_iter().filter(|pid| is_of_user(*pid)).filter_map(connected).collect()
}

/// Whether this user may mark the run of a process. Anybody can listen under such a name, and would only keep others waiting.
fn is_of_user(pid: u32) -> bool {
    let own = rustix::process::geteuid().as_raw();
    own == 0 || std::fs::metadata(format!("/proc/{pid}")).is_ok_and(|found| found.uid() == own)
}

fn connected(pid: u32) -> Option<RunPeer> {
    let address = SocketAddr::from_abstract_name(format!("{}{pid}", mark_prefix())).ok()?;
    let stream = UnixStream::connect_addr(&address).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    let (peer, own) = (peer::of(&stream).ok()?, rustix::process::geteuid().as_raw());
    // Another process may have taken the name.
    if peer.pid != pid {
        return None;
    }
    let mut stream = BufReader::new(stream);
    let run_id = printable(&line(&mut stream)?).into_owned();
    Some(RunPeer { pid, run_id, stream, is_own: own == 0 || peer.uid == own })
}

/// A line of bounded length.
fn line(stream: &mut BufReader<UnixStream>) -> Option<String> {
    let mut bytes = Vec::new();
    std::io::Read::take(stream, MOST_ANSWER).read_until(b'\n', &mut bytes).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    Some(text.strip_suffix('\n')?.to_owned())
}
