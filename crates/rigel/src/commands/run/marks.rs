//! Sources of marks in a run through a failure: people, over a socket of this process, and the host, which is checked once a second.
//!
//! The socket has a name and no file (Linux's abstract namespace), so nothing is left behind, and no planted link can be followed. Must not write
//! the record; the walk does.

use super::present::Reporter;
use crate::args::mark_text;
use rigel_core::event::Event;
use rigel_core::facts::TargetFacts;
use rigel_core::facts::states::{amiss, changes};
use rigel_core::load::through::MOST_TEXT;
use rigel_core::record::MarkContent;
use rigel_core::units::Nanos;
use rigel_core::units::say::two_units;
use rigel_io::{peer, states};
use rigel_run::execute::Run;
use rigel_run::marks::Marks;
use std::io::{Read as _, Write as _};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How often the host is checked.
const LOOK: Duration = Duration::from_secs(1);
/// The time after which a thread notices the end of the run, or a new connection.
const TURN: Duration = Duration::from_millis(20);
/// The time in which a connection has to send its text.
const SPEAK: Duration = Duration::from_secs(1);
/// The walk writes marks several times a second.
const WRITE: Duration = Duration::from_secs(5);
/// Bytes of the longest text.
const MOST_BYTES: u64 = 4 * MOST_TEXT as u64;

/// Prefix of the socket's name; the number of the process follows.
pub const fn prefix() -> &'static str {
    "rigel-mark/"
}

/// The threads that listen; they end with it.
pub struct MarkListener {
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Drop for MarkListener {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // One that hangs in a file of a dead device is left alone.
            let until = Instant::now() + 5 * TURN;
            while !thread.is_finished() && Instant::now() < until {
                thread::sleep(TURN / 4);
            }
        }
    }
}

impl MarkListener {
    /// For a run that is held through trouble, in real time; `None` for any other.
    pub fn of(reporter: Reporter<'_>, run: &Run, targets: &[TargetFacts], marks: &Marks) -> Option<Self> {
        let request = &run.request;
        request.soak().filter(|soak| soak.through && !request.engine.is_simulated())?;
        let over = Arc::new(AtomicBool::new(false));
        let mut threads = Vec::new();
        let name = format!("{}{}", prefix(), std::process::id());
        let listener =
            SocketAddr::from_abstract_name(name).and_then(|address| UnixListener::bind_addr(&address));
        match listener.and_then(|listener| listener.set_nonblocking(true).map(|()| listener)) {
            Ok(listener) => {
                let (run_id, over, marks) = (run.run_id.clone(), Arc::clone(&over), marks.clone());
                let listen = move || listen(&listener, &run_id, &marks, &over);
                threads.extend(thread::Builder::new().name("rigel-marks".to_owned()).spawn(listen));
                reporter.note("mark what you do from any terminal: rigel mark 'path A pulled'".to_owned());
            }
            Err(error) => reporter.note(format!("note: `rigel mark` cannot reach this run: {error}")),
        }
        let devices: Vec<(u32, u32)> = targets
            .iter()
            .filter(|target| target.kind.is_counted())
            .map(|target| target.identity.device)
            .collect();
        let (over_too, marks) = (Arc::clone(&over), marks.clone());
        let watch = move || watch(&devices, &marks, &over_too);
        threads.extend(thread::Builder::new().name("rigel-states".to_owned()).spawn(watch));
        Some(Self { over, threads })
    }
}

/// Watches the host until the run is over.
fn watch(devices: &[(u32, u32)], marks: &Marks, over: &AtomicBool) {
    let root = Path::new("/");
    let mut before = states::look(root, devices);
    for old in amiss(&before) {
        drop(marks.put(MarkContent::Host(old)));
    }
    let mut next = Instant::now() + LOOK;
    while !over.load(Ordering::Relaxed) {
        if Instant::now() < next {
            thread::sleep(TURN);
            continue;
        }
        next = Instant::now() + LOOK;
        let after = states::look(root, devices);
        for change in changes(&before, &after) {
            // Of more than a record takes there is nothing to be told.
            drop(marks.put(MarkContent::Host(change)));
        }
        before = after;
    }
}

fn listen(listener: &UnixListener, run_id: &str, marks: &Marks, over: &AtomicBool) {
    while !over.load(Ordering::Relaxed) {
        match listener.accept() {
            Ok((stream, _)) => hear(stream, run_id, marks),
            Err(_) => thread::sleep(TURN),
        }
    }
}

/// Serves a connection: says which run this is, receives one text, and replies with the result.
fn hear(mut stream: UnixStream, run_id: &str, marks: &Marks) {
    let answer = |stream: &mut UnixStream, text: &str| {
        // Who has gone needs no answer.
        drop(stream.write_all(format!("{text}\n").as_bytes()));
    };
    let is_set = stream.set_nonblocking(false).and_then(|()| stream.set_read_timeout(Some(SPEAK)));
    let is_set = is_set.and_then(|()| stream.set_write_timeout(Some(SPEAK)));
    if is_set.is_err() {
        return;
    }
    answer(&mut stream, run_id);
    let own = rustix::process::geteuid().as_raw();
    if !peer::of(&stream).is_ok_and(|peer| peer.uid == own || peer.uid == 0) {
        return answer(&mut stream, "no: it belongs to another user");
    }
    let mut bytes = Vec::new();
    if (&stream).take(MOST_BYTES + 1).read_to_end(&mut bytes).is_err() || bytes.is_empty() {
        return;
    }
    let Ok(text) = String::from_utf8(bytes) else { return answer(&mut stream, "no: the text is not UTF-8") };
    if let Err(reason) = mark_text(&text) {
        return answer(&mut stream, &format!("no: {reason}"));
    }
    let Some(receipt) = marks.put(MarkContent::Person(text)) else {
        return answer(&mut stream, "no: the run has too many marks");
    };
    let until = Instant::now() + WRITE;
    while receipt.run_ns().is_none() && Instant::now() < until {
        thread::sleep(TURN / 4);
    }
    match receipt.run_ns() {
        Some(ns) => answer(&mut stream, &format!("ok {}", two_units(Nanos(ns)))),
        None => answer(
            &mut stream,
            "no: the run did not write it within 5 s: its load has not begun, or its record cannot be written",
        ),
    }
}

/// Reports a mark that is in the record.
pub fn announce(reporter: Reporter<'_>, event: &Event<'_>) {
    let Event::MarkKept { mark } = event else { return };
    if !reporter.options.display.tui && !reporter.options.display.quiet {
        let at = two_units(Nanos(mark.run_ns));
        reporter.streams.remark(&format!("after {at}: {}", mark.marked.words()));
    }
}
