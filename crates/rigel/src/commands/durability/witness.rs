//! `rigel durability witness`: keeps the acknowledgements of a run in a file, whatever happens at the other end.
//!
//! Whole lines only, flushed to the disk ten times a second. Must not judge them.

use crate::args::WitnessArgs;
use crate::output::{self, GrowingFile};
use crate::signals::Signals;
use crate::streams::Streams;
use rigel_core::error::Problem;
use rigel_core::path_text::{encode, printable, shell_word};
use rigel_core::units::say::counted;
use rigel_uses::durability::{Head, Line, MOST_LINE_BYTES};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, IsTerminal as _, Read as _};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Time between two flushes, and between two checks for signals.
const FLUSH: Duration = Duration::from_millis(100);
const FLUSH_WAIT: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
/// After this the user is told that nothing arrives.
const SILENT: Duration = Duration::from_secs(10);
/// Bytes that are read in one step.
const PIECE_BYTES: usize = 1 << 16;
/// Bytes of a foreign line that are shown.
const MOST_SHOWN_BYTES: usize = 60;

/// Keeps what arrives until the other end is gone.
pub fn witness(options: &WitnessArgs, streams: &Streams) -> Result<(), Problem> {
    if io::stdin().is_terminal() {
        return Err(Problem::usage("there is nothing to receive")
            .at("standard input")
            .because("a witness reads the output of `rigel durability run`, but this is a terminal")
            .next("rigel durability run .. | ssh other rigel durability witness acks"));
    }
    if let Some(file) = options.file.as_deref().filter(|_| !options.force) {
        // Better known now than when the run has begun.
        output::check_new(file)?;
    }
    let signals = Signals::listen()?;
    let mut keeper = Keeper::new(options, streams);
    let mut flushed = Instant::now();
    let mut heard = Instant::now();
    let mut told = false;
    let mut piece = vec![0; PIECE_BYTES];
    while !signals.flag().load(Ordering::Relaxed) {
        if is_ready()? {
            let bytes = read(&mut piece)?;
            if bytes.is_empty() {
                break;
            }
            keeper.take(bytes)?;
            (heard, told) = (Instant::now(), false);
        }
        if flushed.elapsed() >= FLUSH {
            keeper.flush()?;
            flushed = Instant::now();
        }
        if heard.elapsed() >= SILENT && !told && keeper.open.is_some() && !options.quiet {
            told = true;
            streams.remark(
                "nothing received for 10 s; if the power was cut, stop the witness with Ctrl-C: everything is kept",
            );
        }
    }
    keeper.end()
}

/// Waits a short time for something to read.
fn is_ready() -> Result<bool, Problem> {
    let stdin = io::stdin();
    let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
    match poll(&mut fds, Some(&FLUSH_WAIT)) {
        Ok(ready) => Ok(ready > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(errno) => Err(not_heard(&errno.into())),
    }
}

/// Reads what is there; nothing if the other end is gone.
fn read(piece: &mut [u8]) -> Result<&[u8], Problem> {
    loop {
        match io::stdin().lock().read(piece) {
            Ok(len) => return Ok(&piece[..len]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // A connection that broke is an end like any other.
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return Ok(&[]),
            Err(error) => return Err(not_heard(&error)),
        }
    }
}

fn not_heard(error: &io::Error) -> Problem {
    Problem::refused("standard input cannot be read")
        .because(format!("the system says: {error}"))
        .next("everything received so far is kept")
}

/// The file of a run, from its first line on.
struct Open {
    run: String,
    path: PathBuf,
    file: GrowingFile,
}

struct Keeper<'a> {
    options: &'a WitnessArgs,
    streams: &'a Streams,
    open: Option<Open>,
    /// The beginning of a line.
    rest: Vec<u8>,
    /// The rest of a line that is too long for one of ours.
    skipping: bool,
    count: u64,
    /// Lines that do not belong to the run.
    stray: u64,
    /// The beginning of the first stray line before the run's first line.
    first_stray: Option<String>,
}

/// The title that a login gives its terminal has no line feed: the first line of the run follows it directly.
fn behind_greeting(line: &[u8]) -> &[u8] {
    const HEAD: &[u8] = br#"{"schema":"rigel."#;
    line.windows(HEAD.len()).position(|part| part == HEAD).map_or(line, |at| &line[at..])
}

impl<'a> Keeper<'a> {
    const fn new(options: &'a WitnessArgs, streams: &'a Streams) -> Self {
        Self {
            options,
            streams,
            open: None,
            rest: Vec::new(),
            skipping: false,
            count: 0,
            stray: 0,
            first_stray: None,
        }
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        let mut whole = Vec::with_capacity(bytes.len());
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.rest.extend_from_slice(part);
            if part.ends_with(b"\n") {
                let line = std::mem::take(&mut self.rest);
                let skipped = std::mem::take(&mut self.skipping);
                self.line(&line, skipped, &mut whole)?;
            } else if self.rest.len() > MOST_LINE_BYTES {
                self.rest.clear();
                self.skipping = true;
            }
        }
        match &mut self.open {
            Some(Open { file, path, .. }) => file.write(path, &whole),
            None => Ok(()),
        }
    }

    /// A line with its end.
    fn line(&mut self, line: &[u8], is_rest: bool, whole: &mut Vec<u8>) -> Result<(), Problem> {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let Some(Open { run, .. }) = &self.open else {
            let (line, text) = (behind_greeting(line), behind_greeting(text));
            // What a login prints comes before the first line of the run.
            if is_rest || !is_object(text) {
                self.stray += 1;
                self.first_stray.get_or_insert_with(|| start_of(text));
                return Ok(());
            }
            return self.begin(line);
        };
        match Line::parse(run, text).filter(|_| !is_rest) {
            Some(parsed) => {
                self.count += u64::from(matches!(parsed, Line::Ack(_)));
                whole.extend_from_slice(line);
            }
            None => self.stray += 1,
        }
        Ok(())
    }

    fn begin(&mut self, line: &[u8]) -> Result<(), Problem> {
        let head = Head::parse(line).map_err(|problem| {
            problem.at("standard input").next(
                "start the witness together with the run, using the same version: rigel durability run .. | rigel durability witness acks",
            )
        })?;
        let path = self.options.file.clone();
        let path = path.unwrap_or_else(|| PathBuf::from(format!("rigel_{}_acks.jsonl", head.run)));
        let file = GrowingFile::begin(&path, line, self.options.force)?;
        if !self.options.quiet {
            let (run, path) = (&head.run, encode(&path));
            self.streams.aside(&format!("keeping the acknowledgements of the run {run} in {path}\n"));
        }
        self.open = Some(Open { run: head.run, path, file });
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Problem> {
        match &mut self.open {
            Some(Open { file, path, .. }) => file.flush(path),
            None => Ok(()),
        }
    }

    fn end(mut self) -> Result<(), Problem> {
        self.flush()?;
        let Some(Open { run, path, .. }) = &self.open else {
            return Err(self.not_heard_of());
        };
        if self.stray > 0 {
            self.streams.remark(&format!("{} not written by the run ignored", counted(self.stray, "line")));
        }
        if !self.rest.is_empty() || self.skipping {
            self.streams.remark("the connection ended in the middle of a line, which is ignored");
        }
        let (path, count) = (shell_word(&encode(path)), counted(self.count, "acknowledgement"));
        self.streams.results(
            format!("kept {count} of the run {run}; after the cut: rigel durability check TARGET {path}\n")
                .as_bytes(),
        )
    }

    fn not_heard_of(&self) -> Problem {
        let problem = Problem::refused("no run was received").at("standard input");
        let Some(first) = &self.first_stray else {
            return problem
                .because("it ended before the first line of `rigel durability run`")
                .next("check the run's standard error");
        };
        let lines = counted(self.stray, "line");
        problem
            .because(format!("{lines} did not come from `rigel durability run`, the first: {first}"))
            .next("check the run's standard error, and what a login prints on that host")
    }
}

/// Whether a line may be the first of a run, or what another program than this one wrote.
fn is_object(line: &[u8]) -> bool {
    serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(line).is_ok()
}

/// The beginning of a foreign line, safe to print.
fn start_of(line: &[u8]) -> String {
    let start = line.get(..MOST_SHOWN_BYTES).unwrap_or(line);
    printable(String::from_utf8_lossy(start).trim_end()).into_owned()
}
