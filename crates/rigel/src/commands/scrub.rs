//! `rigel scrub`: can every block be read, and are copies alike? Reads everything and reports what cannot be read or stays different.
//!
//! Writes nothing but the state file that the user asked for. Must not judge a difference.

mod files;
mod legs;

use crate::args::ScrubArgs;
use crate::output::write_whole;
use crate::progress::WorkProgress;
use crate::signals::Signals;
use crate::streams::Streams;
use legs::Copies;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::load::request::DEFAULT_IO_TIMEOUT;
use rigel_core::path_text::{decode, encode, shell_word};
use rigel_core::units::Nanos;
use rigel_core::units::say::counted;
use rigel_io::engine;
use rigel_report::document::Document as _;
use rigel_report::scrub::{ScrubReport, json};
use rigel_run::scrub::{End, Job, Listener, scrub as compare};
use rigel_uses::scrub::{Source, State};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// MB per second from a device that is read alone: slow enough not to disturb its other users much.
const GENTLE_MBPS: u64 = 100;
/// A larger file is not a state: ten thousand ranges take a few megabytes.
const MOST_STATE_BYTES: u64 = 1 << 30;

/// Reads or compares, and prints what was found. What cannot be read, and copies that differ, are a problem of exit code 1.
pub fn scrub(options: &ScrubArgs, streams: &Streams) -> Result<(), Problem> {
    let signals = Signals::listen()?;
    if let Some(file) = &options.state {
        check_new(file)?;
    }
    let kept = options.resume.as_deref().map(read_state).transpose()?;
    let file = options.state.clone().or_else(|| options.resume.clone());
    let source = kept.as_ref().map(|state| state.source.clone()).or_else(|| options.source());
    let source = source.ok_or_else(|| Problem::new(ExitKind::Bug, "an empty scrub was not refused"))?;
    let io_timeout = options.io_timeout.unwrap_or(DEFAULT_IO_TIMEOUT);
    let copies = Copies::find(&source, &base(kept.as_ref()), io_timeout)?;
    let mut state = begun(kept, source, &copies, io_timeout)?;
    state.max_mbps = options.max_mbps.or(state.max_mbps);
    if !options.quiet {
        copies.notes.iter().for_each(|note| streams.remark(note));
    }
    let targets = copies.open()?;
    let slots = rigel_run::scrub::slots(&copies.map);
    let job = Job {
        map: &copies.map,
        targets,
        unit: copies.unit,
        engine: engine::choose(None, false, &[slots])?.kind,
        in_file: copies.in_file,
        stop: signals.flag(),
        io_timeout_ns: io_timeout.0,
    };
    let mut hears = ScrubListener {
        bar: WorkProgress::of_reading(streams, options.quiet, &doing(&copies)),
        file: file.as_deref(),
        // An older file of this name is somebody's; one that is gone on with is replaced.
        replace: options.resume.is_some(),
        told: state.found.ranges,
        total: copies.map.total(),
        what: if state.source.is_one() {
            "that cannot be read"
        } else {
            "where copies differ or cannot be read"
        },
    };
    // Where it cannot be kept is better known before the hours than after.
    hears.keep(&state)?;
    let compared = compare(&job, &mut state, &mut hears);
    drop(hears);
    let end = match compared {
        // What was found is told, whatever ended it.
        Err(problem) if !state.found.is_clean() => {
            streams.remark(&format!("the scrub failed: {}", problem.to_string().replace("\n  ", "; ")));
            End::Stopped
        }
        compared => compared?,
    };
    let owners = copies.lone().and_then(|disk| files::on(disk, &state.found));
    let shown = ScrubReport {
        state: &state,
        owners: owners.as_ref(),
        first: copies.first(),
        disks: &copies.names(),
        total: copies.map.total(),
        notes: &copies.notes,
        complete: end == End::Whole,
    };
    if options.json {
        streams.results(&json(&shown)?)?;
    } else {
        streams.results(shown.text(streams.style()).as_bytes())?;
    }
    ended(&state, end, file)
}

/// What progress is about.
fn doing(copies: &Copies) -> String {
    copies.lone().map_or_else(|| "comparing".to_owned(), |disk| format!("reading {}", disk.path))
}

/// The start of relative paths: the directory that the scrub began in. Empty if that is the current one, so that names are shown as they were given.
fn base(kept: Option<&State>) -> PathBuf {
    let directory = kept.and_then(|state| state.directory.as_deref()).map(decode);
    directory.filter(|directory| env::current_dir().ok().as_ref() != Some(directory)).unwrap_or_default()
}

/// The state to resume, checked, or a new one.
fn begun(kept: Option<State>, source: Source, copies: &Copies, io_timeout: Nanos) -> Result<State, Problem> {
    let who = copies.who(io_timeout);
    if let Some(state) = kept {
        state.check(&copies.map, &who)?;
        return Ok(state);
    }
    let max_mbps = source.is_one().then_some(GENTLE_MBPS);
    let mut state = State::new(source, max_mbps, &copies.map, &who);
    state.directory = env::current_dir().ok().map(|directory| encode(&directory));
    Ok(state)
}

/// The findings come first, also if it was stopped.
fn ended(state: &State, end: End, file: Option<PathBuf>) -> Result<(), Problem> {
    let go_on = match file {
        Some(file) => format!("resume: rigel scrub --resume {}", shell_word(&encode(&file))),
        None => "start again with --state FILE, so that --resume can continue it".to_owned(),
    };
    let found = &state.found;
    if found.is_clean() {
        return match end {
            End::Whole => Ok(()),
            End::Stopped => Err(Problem::new(ExitKind::CutShort, "the scrub was cut short")
                .because("stopped by the user")
                .next(go_on)),
        };
    }
    let (what, cause, mend) = if state.source.is_one() {
        (
            "not every block can be read",
            "a medium that lost what it held, or a path that fails",
            "check the kernel log (dmesg) and the disk's own counters, and restore the files from a backup; docs/guide/scrub.md has more",
        )
    } else {
        (
            if found.unreadable == found.ranges { "copies cannot be read" } else { "the copies differ" },
            "a write that reached one copy only, or storage that changed or lost what it held",
            "if you know which leg is right, copy it over the other; docs/guide/scrub.md shows how",
        )
    };
    let next = match end {
        End::Whole => mend.to_owned(),
        End::Stopped => format!("the scrub is not finished; {go_on}; then {mend}"),
    };
    Err(Problem::new(ExitKind::GateFailed, what).because(cause).next(next))
}

/// Refuses an existing file: it belongs to somebody, or is perhaps the state of an unfinished scrub.
fn check_new(file: &Path) -> Result<(), Problem> {
    if fs::symlink_metadata(file).is_err() {
        return Ok(());
    }
    let next = match read_state(file) {
        Ok(_) => format!(
            "resume it with `rigel scrub --resume {}`, or name another file",
            shell_word(&encode(file))
        ),
        Err(_) => "name another file".to_owned(),
    };
    Err(Problem::refused("the state file already exists")
        .at(encode(file))
        .because("existing files are not replaced by default")
        .next(next))
}

fn read_state(file: &Path) -> Result<State, Problem> {
    let refused = |error: &dyn std::fmt::Display| {
        Problem::usage(format!("the state file cannot be read: {error}"))
            .at(encode(file))
            .next("give the file that `rigel scrub .. --state FILE` wrote")
    };
    let found = fs::metadata(file).map_err(|error| refused(&error))?;
    if !found.is_file() || found.len() > MOST_STATE_BYTES {
        return Err(refused(&"it is not a regular file, or is too large"));
    }
    let text = fs::read_to_string(file).map_err(|error| refused(&error))?;
    State::parse(&text).map_err(|problem| problem.at(encode(file)))
}

struct ScrubListener<'a> {
    bar: WorkProgress,
    file: Option<&'a Path>,
    replace: bool,
    /// Ranges that were reported.
    told: u64,
    total: u64,
    /// What kind of ranges these are.
    what: &'static str,
}

impl Listener for ScrubListener<'_> {
    fn progress(&mut self, done: u64, total: u64) {
        self.bar.done_of(done, total);
    }

    fn keep(&mut self, state: &State) -> Result<(), Problem> {
        // At the end the result tells it. Where nearly all differs, it is not told for each part.
        let is_news = self.told == 0 || state.found.ranges >= self.told.saturating_mul(2);
        if state.found.ranges > 0 && is_news && state.done < self.total {
            self.told = state.found.ranges;
            let ranges = counted(self.told, "range");
            self.bar.say(&format!("found so far: {ranges} {}", self.what));
        }
        let Some(file) = self.file else { return Ok(()) };
        let text = state
            .to_json()
            .map_err(|error| Problem::new(ExitKind::Bug, format!("the state is not JSON: {error}")))?;
        write_whole(file, text.as_bytes(), self.replace)?;
        // From now on it is ours.
        self.replace = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_uses::scrub::{Map, Place, ScrubFindings, SlowFindings, Strip};

    #[test]
    fn copies_that_differ_end_with_1_and_a_scrub_that_was_stopped_with_4() {
        let clean = ScrubFindings::default();
        let differ = ScrubFindings { ranges: 2, unreadable: 1, ..ScrubFindings::default() };
        let all_read = ScrubFindings { ranges: 1, ..ScrubFindings::default() };
        let unreadable = ScrubFindings { ranges: 2, unreadable: 2, ..ScrubFindings::default() };
        let place = |disk| Place { disk, offset: 0 };
        let map = |copies| Map::new(vec![Strip { len: 4096, copies, of: None }]);
        let of = |source: &Source, found: &ScrubFindings| {
            let mut state = State::new(source.clone(), None, &map(vec![place(0), place(1)]), &[]);
            state.found = found.clone();
            state
        };
        let two = Source::Md("/dev/md0".to_owned());
        let one = Source::One { path: "/dev/sdb".to_owned(), offset: 0, length: None };
        let told = |source: &Source, found: &ScrubFindings, end| {
            let problem = ended(&of(source, found), end, Some(PathBuf::from("s.json"))).err()?;
            Some((problem.kind.code(), problem.what, problem.next.unwrap().contains("--resume s.json")))
        };
        let text = str::to_owned;
        assert_eq!(told(&two, &clean, End::Whole), None);
        assert_eq!(told(&two, &clean, End::Stopped), Some((4, text("the scrub was cut short"), true)));
        // What was found outweighs that the scrub can go on.
        assert_eq!(told(&two, &differ, End::Whole), Some((1, text("the copies differ"), false)));
        assert_eq!(told(&two, &all_read, End::Whole), Some((1, text("the copies differ"), false)));
        assert_eq!(told(&two, &differ, End::Stopped), Some((1, text("the copies differ"), true)));
        assert_eq!(told(&two, &unreadable, End::Whole), Some((1, text("copies cannot be read"), false)));
        // What is slow only can be read.
        let slow = ScrubFindings {
            slow: Some(SlowFindings { ranges: 3, ..SlowFindings::default() }),
            ..clean.clone()
        };
        assert_eq!(told(&one, &slow, End::Whole), None);
        assert_eq!(told(&one, &slow, End::Stopped), Some((4, text("the scrub was cut short"), true)));
        assert_eq!(
            told(&one, &unreadable, End::Whole),
            Some((1, text("not every block can be read"), false))
        );
        assert_eq!(
            told(&one, &unreadable, End::Stopped),
            Some((1, text("not every block can be read"), true))
        );
    }
}
