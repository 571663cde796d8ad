//! `rigel capacity import`: files of other tools into the store, each as a whole or not at all.
//!
//! Must not understand a file.

mod opened;
mod walk;

use crate::args::ImportArgs;
use crate::capacity_store::{Store, place};
use crate::progress::WorkProgress;
use crate::signals::Signals;
use crate::streams::Streams;
use jiff::tz::TimeZone;
use opened::OpenedFile;
use rigel_capacity::read::{Format, Options, Reader, ReaderNotes};
use rigel_capacity::when::shown;
use rigel_capacity::{Harvest, History, Key, MOST_ROWS, MergeCounts, Table};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::path_text::{self, encode};
use rigel_core::units::say::counted;
use rigel_report::capacity::{DirectoryReport, ImportReport};
use rigel_report::document::Document as _;
use std::collections::BTreeMap;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Bytes that are read in one step.
const PIECE_BYTES: usize = 1 << 20;

/// With more files, those of one format and host share a line.
const MOST_LINES: usize = 10;

/// Imports each file and all files of each directory. The first file that cannot be ends it, and those before stay; of a directory it is left out.
pub fn import(arguments: &ImportArgs, streams: &Streams) -> Result<(), Problem> {
    let options = Options {
        host: arguments.host.clone(),
        zone: arguments.zone.as_deref().map(zone).transpose()?,
        dates: arguments.dates.map(|dates| dates.order()),
        file: None,
        host_of_nameless: None,
        renamed: arguments.rename.clone(),
    };
    let signals = Signals::listen()?;
    let places: Vec<Place> = arguments.files.iter().map(|path| Place::of(path)).collect::<Result<_, _>>()?;
    let total = places.iter().flat_map(Place::files).filter_map(|file| file.metadata().ok());
    let total = total.map(|there| there.len()).sum();
    let mut import = Import {
        store: Store::open(&place(arguments.store.file.as_deref())?)?,
        progress: WorkProgress::of_bytes(streams, arguments.quiet, "importing"),
        options,
        keep_first: arguments.keep_first,
        signals,
        done: 0,
        total,
    };
    let read = import.all(places, arguments.files.len() > MOST_LINES, streams);
    // What was imported before a file that cannot be stays.
    let kept = import.store.end_batch();
    read.and(kept)
}

/// What was named.
enum Place {
    File(PathBuf),
    Directory(FoundFiles),
}

/// Files of a directory, and what within cannot be read.
struct FoundFiles {
    dir: PathBuf,
    files: Vec<PathBuf>,
    unreadable: Vec<(PathBuf, Problem)>,
}

impl Place {
    fn of(path: &Path) -> Result<Self, Problem> {
        if !path.is_dir() {
            return Ok(Self::File(path.to_path_buf()));
        }
        let mut unreadable = Vec::new();
        let files = walk::files(path, &mut |dir, problem| unreadable.push((dir.to_path_buf(), problem)))?;
        Ok(Self::Directory(FoundFiles { dir: path.to_path_buf(), files, unreadable }))
    }

    fn files(&self) -> &[PathBuf] {
        match self {
            Self::File(path) => std::slice::from_ref(path),
            Self::Directory(found) => &found.files,
        }
    }
}

/// Why a file is not in the store, and whether that says something about other files.
struct Fault {
    problem: Problem,
    is_of_file: bool,
}

/// An import that is under way.
struct Import {
    store: Store,
    progress: WorkProgress,
    options: Options,
    keep_first: bool,
    signals: Signals,
    done: u64,
    total: u64,
}

impl Import {
    /// Everything that was named. A line is reported once its files are stored permanently.
    fn all(&mut self, places: Vec<Place>, joins: bool, streams: &Streams) -> Result<(), Problem> {
        let mut together: Option<ImportReport> = None;
        for (at, place) in places.into_iter().enumerate() {
            let read = match place {
                Place::File(path) => self.file(&path).map_err(|fault| {
                    let lost = usize::try_from(self.store.lost()).unwrap_or(at);
                    of_file(fault.problem, &path, at.saturating_sub(lost))
                }),
                Place::Directory(found) => {
                    self.tell(together.take(), streams)?;
                    let report = self.directory(found)?;
                    self.store.end_batch()?;
                    streams.results(report.text(streams.style()).as_bytes())?;
                    continue;
                }
            };
            let read = match read {
                Ok(read) => read,
                Err(problem) => {
                    // Its own problem is the one to tell.
                    if self.store.lost() == 0 {
                        let _ = self.tell(together, streams);
                    }
                    return Err(problem);
                }
            };
            if !joins {
                self.tell(Some(read), streams)?;
            } else if !together.as_mut().is_some_and(|all| all.join(&read)) {
                self.tell(together.replace(read), streams)?;
            }
        }
        self.tell(together, streams)
    }

    fn tell(&mut self, file: Option<ImportReport>, streams: &Streams) -> Result<(), Problem> {
        let Some(file) = file else { return Ok(()) };
        self.store.end_batch()?;
        streams.results(file.text(streams.style()).as_bytes())
    }

    /// A file into the store.
    fn file(&mut self, path: &Path) -> Result<ImportReport, Fault> {
        let Self { store, progress, options, keep_first, signals, done, total } = self;
        // What opens or reads the file sets it; the store and a signal do not.
        let mut is_of_file = false;
        let read = store.change_in_batch(|change| {
            let mut harvest = Harvest::default();
            let mut merged = MergeCounts::default();
            let mut keep = |harvest: &mut Harvest| {
                merged.add(change.merge(&harvest.take())?);
                Ok(())
            };
            let (format, seen) =
                read_whole(path, options, &mut is_of_file, &mut harvest, &mut keep, |bytes| {
                    *done += bytes;
                    progress.done_of(*done, *total);
                    signals.flag().load(Ordering::Relaxed)
                })?;
            let within = harvest.merged;
            merged.add(within);
            is_of_file = true;
            check(merged, within, *keep_first)?;
            is_of_file = false;
            Ok(ImportReport { file: encode(path), others: 0, format, seen, merged })
        });
        read.map_err(|problem| Fault { problem, is_of_file })
    }

    /// All readable files of a directory.
    fn directory(&mut self, found: FoundFiles) -> Result<DirectoryReport, Problem> {
        let FoundFiles { dir, files, unreadable } = found;
        let name = |path: &Path| encode(path.strip_prefix(&dir).unwrap_or(path));
        let mut report = DirectoryReport::of(encode(&dir));
        let mut first: Option<Problem> = None;
        let mut leave_out = |report: &mut DirectoryReport, path: &Path, problem: Problem| {
            report.leaves_out(reason(&problem), name(path));
            first.get_or_insert(problem);
        };
        for (path, problem) in unreadable {
            leave_out(&mut report, &path, problem);
        }
        let count = files.len();
        for path in files {
            match self.file(&path) {
                Ok(read) => report.add(read),
                Err(fault) if fault.is_of_file => {
                    leave_out(&mut report, &path, of_file(fault.problem, &path, 0))
                }
                Err(fault) => return Err(fault.problem),
            }
        }
        match first {
            None if report.kinds.is_empty() => Err(Problem::usage("the directory has no files")
                .at(encode(&dir))
                .because("it is empty, or everything in it is hidden")
                .next("name the directory that holds the files")),
            Some(first) if report.kinds.is_empty() => {
                let what = format!(
                    "none of {} can be imported; the first: {}",
                    counted(u64::try_from(count).unwrap_or_default(), "file"),
                    first.what
                );
                Err(Problem { what, ..first })
            }
            _ => Ok(report),
        }
    }
}

/// Why a file was left out, without its name and line; with the option that would help, if there is one.
fn reason(problem: &Problem) -> String {
    let has_option = |next: &&String| {
        next.match_indices("--")
            .any(|(at, _)| next[at + 2..].starts_with(|sign: char| sign.is_ascii_lowercase()))
    };
    let next = problem.next.as_ref().filter(has_option);
    let parts = [problem.cause.as_ref(), next].into_iter().flatten();
    parts.fold(problem.what.clone(), |all, part| format!("{all}; {part}"))
}

/// A zone by its name.
pub fn zone(name: &str) -> Result<TimeZone, Problem> {
    let found = if name == "local" { TimeZone::try_system() } else { TimeZone::get(name) };
    found.map_err(|error| {
        Problem::usage(format!("unknown time zone '{}'", path_text::printable(name)))
            .at("--zone")
            .because(format!(
                "the system's time zone data says: {}",
                path_text::printable(&error.to_string())
            ))
            .next("give a name such as Europe/Berlin or UTC; the package tzdata has them")
    })
}

/// With the file, and what happened to the others.
fn of_file(mut problem: Problem, path: &Path, before: usize) -> Problem {
    let file = encode(path);
    problem.place = Some(match problem.place {
        Some(place) if place.starts_with("line ") => format!("{file}, {place}"),
        Some(place) => place,
        None => file,
    });
    if before > 0 {
        let files = if before == 1 {
            "the file before it is".to_owned()
        } else {
            format!("the {before} files before it are")
        };
        problem.what = format!("{} ({files} imported)", problem.what);
    }
    problem
}

/// All of a file in memory.
pub fn tables(path: &Path, options: &Options) -> Result<BTreeMap<Key, Table>, Problem> {
    let mut harvest = Harvest::default();
    let mut is_of_file = false;
    let mut all = History::default();
    let mut keep = |harvest: &mut Harvest| {
        harvest.take().into_iter().for_each(|(key, table)| all.add(key, &table));
        Ok(())
    };
    read_whole(path, options, &mut is_of_file, &mut harvest, &mut keep, |_| false)
        .map_err(|problem| of_file(problem, path, 0))?;
    Ok(all.tables().map(|(key, table)| (key.clone(), table.clone())).collect())
}

/// Reads a file into a harvest, which is stored from time to time.
fn read_whole(
    path: &Path,
    options: &Options,
    is_of_file: &mut bool,
    harvest: &mut Harvest,
    keep: &mut dyn FnMut(&mut Harvest) -> Result<(), Problem>,
    mut read_on: impl FnMut(u64) -> bool,
) -> Result<(Format, ReaderNotes), Problem> {
    let mut blamed = |problem| {
        *is_of_file = true;
        problem
    };
    let mut file = OpenedFile::open(path).map_err(|error| blamed(unreadable(path, &error)))?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let mut reader = Reader::new(Options { file: name, ..options.clone() });
    let mut piece = vec![0; PIECE_BYTES];
    let mut on_disk = 0;
    loop {
        let length = file.read(&mut piece).map_err(|error| blamed(unreadable(path, &error)))?;
        if length == 0 {
            break;
        }
        reader.bytes(&piece[..length], harvest).map_err(&mut blamed)?;
        if harvest.values() >= MOST_ROWS {
            keep(harvest)?;
        }
        let before = std::mem::replace(&mut on_disk, file.bytes_on_disk());
        if read_on(on_disk - before) {
            return Err(Problem::new(ExitKind::CutShort, "the import was stopped")
                .at(encode(path))
                .next("import this file again; none of it was kept"));
        }
    }
    let mut read = reader.end(harvest).map_err(blamed)?;
    if file.is_cut {
        read.1.notes.insert("the packed file is cut off: what could be unpacked of it is used");
    }
    if file.has_rest() {
        read.1.notes.insert("bytes behind the packed text are not gzip, and are ignored");
    }
    keep(harvest)?;
    Ok(read)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Problem {
    match error.kind() {
        ErrorKind::FileTooLarge | ErrorKind::InvalidData | ErrorKind::InvalidInput => {
            Problem::usage("the packed file cannot be unpacked")
                .at(encode(path))
                .because(error.to_string())
                .next("check it with gzip -t, or unpack it first: gzip -d FILE")
        }
        _ => Problem::refused("the file cannot be read")
            .next("check its name and who may read it")
            .at(encode(path))
            .because(format!("the system says: {error}")),
    }
}

/// Refuses values that differ from existing samples, in the store or in the file itself.
fn check(merged: MergeCounts, within: MergeCounts, keep_first: bool) -> Result<(), Problem> {
    let MergeCounts { differing, known, added, first_differing_ms, .. } = merged;
    let Some(first) = first_differing_ms.filter(|_| !keep_first) else { return Ok(()) };
    let all = differing + known + added;
    if within.differing == differing {
        return Err(Problem::usage(format!(
            "the file has {differing} of {all} samples twice with different values, the first from {} UTC",
            shown(first)
        ))
        .because("rows of several instances, disks or hosts have the same name in it; none of it was imported")
        .next("export what tells them apart, such as INSTANCE_NUMBER, or one at a time, or keep the first values with --keep-first"));
    }
    Err(Problem::usage(format!(
        "{differing} of {all} samples already exist with different values, the first from {} UTC",
        shown(first)
    ))
    .because("the file is from another host or disk with the same name; none of it was imported")
    .next(
        "name the host with --host or the disk with --rename, or keep the existing samples with --keep-first",
    ))
}
