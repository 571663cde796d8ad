//! `rigel capacity import`: files of other tools into the store, each as a whole or not at all.
//!
//! Must not understand a file.

use crate::args::ImportArgs;
use crate::capacity_store::{Change, Store, place};
use crate::progress::WorkProgress;
use crate::signals::Signals;
use crate::streams::Streams;
use jiff::tz::TimeZone;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::path_text::{self, encode};
use rigel_core::uses::capacity::read::{Options, Reader};
use rigel_core::uses::capacity::when::shown;
use rigel_core::uses::capacity::{Harvest, MOST_ROWS, Merged};
use rigel_report::capacity::{Imported, imported};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::atomic::Ordering;

/// Bytes that are read at once.
const PIECE_BYTES: usize = 1 << 20;

/// Of more files those of one format and host have a line together.
const MOST_LINES: usize = 10;

/// Imports each file; the first that cannot be ends it, and those before stay.
pub fn import(arguments: &ImportArgs, streams: &Streams) -> Result<(), Problem> {
    let options = Options {
        host: arguments.host.clone(),
        zone: arguments.zone.as_deref().map(zone).transpose()?,
        dates: arguments.dates.map(|dates| dates.order()),
        renamed: arguments.rename.clone(),
    };
    let signals = Signals::listen()?;
    let total: u64 =
        arguments.files.iter().filter_map(|file| file.metadata().ok()).map(|there| there.len()).sum();
    let mut progress = WorkProgress::of_bytes(streams, arguments.quiet, "importing");
    let mut store = Store::open(&place(arguments.store.file.as_deref())?)?;
    let mut done = 0;
    let joins = arguments.files.len() > MOST_LINES;
    let mut together: Option<Imported> = None;
    for (at, path) in arguments.files.iter().enumerate() {
        let read = store.change(|change| {
            let mut work = Work { change, harvest: Harvest::default(), merged: Merged::default() };
            let read = work.file(path, &options, |bytes| {
                done += bytes;
                progress.done_of(done, total);
                signals.flag().load(Ordering::Relaxed)
            })?;
            work.check(arguments.keep_first)?;
            Ok(Imported { file: encode(path), others: 0, format: read.0, seen: read.1, merged: work.merged })
        });
        let read = match read {
            Ok(read) => read,
            Err(problem) => {
                // Its own problem is the one to tell.
                let _ = tell(together, streams);
                return Err(of_file(problem, path, at));
            }
        };
        if !joins {
            tell(Some(read), streams)?;
        } else if !together.as_mut().is_some_and(|all| all.join(&read)) {
            tell(together.replace(read), streams)?;
        }
    }
    tell(together, streams)
}

fn tell(file: Option<Imported>, streams: &Streams) -> Result<(), Problem> {
    file.map_or(Ok(()), |file| streams.results(imported(&file).as_bytes()))
}

/// A zone by its name.
fn zone(name: &str) -> Result<TimeZone, Problem> {
    let found = if name == "local" { TimeZone::try_system() } else { TimeZone::get(name) };
    found.map_err(|error| {
        Problem::usage(format!("the time zone '{}' is not known", path_text::printable(name)))
            .at("--zone")
            .because(format!(
                "the system's data of time zones says: {}",
                path_text::printable(&error.to_string())
            ))
            .next("give a name such as Europe/Berlin or UTC; the package tzdata has them")
    })
}

/// With the file, and what became of the others.
fn of_file(mut problem: Problem, path: &Path, before: usize) -> Problem {
    let file = encode(path);
    problem.place = Some(match problem.place {
        Some(place) if place.starts_with("line ") => format!("{file}, {place}"),
        Some(place) => place,
        None => file,
    });
    if before > 0 {
        problem.what = format!("{} (the {before} before it are imported)", problem.what);
    }
    problem
}

struct Work<'a> {
    change: &'a Change<'a>,
    harvest: Harvest,
    merged: Merged,
}

impl Work<'_> {
    fn file(
        &mut self,
        path: &Path,
        options: &Options,
        mut read_on: impl FnMut(u64) -> bool,
    ) -> Result<(rigel_core::uses::capacity::read::Format, rigel_core::uses::capacity::read::Seen), Problem>
    {
        let unreadable = |error: &std::io::Error| {
            Problem::refused("the file cannot be read")
                .next("see whether its name is right and who may read it")
                .at(encode(path))
                .because(format!("the system says: {error}"))
        };
        let mut file = File::open(path).map_err(|error| unreadable(&error))?;
        let mut reader = Reader::new(options.clone());
        let mut piece = vec![0; PIECE_BYTES];
        loop {
            let length = file.read(&mut piece).map_err(|error| unreadable(&error))?;
            if length == 0 {
                break;
            }
            reader.bytes(&piece[..length], &mut self.harvest)?;
            if self.harvest.values() >= MOST_ROWS {
                self.keep()?;
            }
            if read_on(u64::try_from(length).unwrap_or_default()) {
                return Err(Problem::new(ExitKind::CutShort, "the import was ended")
                    .at(encode(path))
                    .next("import this file again; what was imported of it is not kept"));
            }
        }
        let read = reader.end(&mut self.harvest)?;
        self.keep()?;
        Ok(read)
    }

    fn keep(&mut self) -> Result<(), Problem> {
        let tables = self.harvest.take();
        self.merged.add(self.change.merge(&tables)?);
        Ok(())
    }

    /// Refuses other values of samples that are there.
    fn check(&mut self, keep_first: bool) -> Result<(), Problem> {
        self.merged.add(self.harvest.merged);
        let Merged { differing, known, added, first_differing_ms, .. } = self.merged;
        let Some(first) = first_differing_ms.filter(|_| !keep_first) else { return Ok(()) };
        let all = differing + known + added;
        Err(Problem::usage(format!(
            "{differing} of {all} values are there with another value, the first of {} UTC",
            shown(first)
        ))
        .because("the file is of another host or disk that has the same name; nothing of it was imported")
        .next("name the host with --host or the disk with --rename, or keep what is there with --keep-first"))
    }
}
