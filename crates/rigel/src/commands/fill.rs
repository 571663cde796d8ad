//! `rigel fill`: random data over devices and files, so later reads measure the storage.
//!
//! Everything that can be refused is refused before the first write: targets, consent, room. Must not write without a permit, except to a scratch
//! file of ours.

mod dry_run;
mod place;

use crate::args::FillArgs;
use crate::args::values::draw_seed;
use crate::commands::run;
use crate::progress::WorkProgress;
use crate::signals::Signals;
use crate::streams::Streams;
use place::{Place, check_distinct};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::TargetFacts;
use rigel_core::load::request::DEFAULT_IO_TIMEOUT;
use rigel_core::path_text::{encode, shell_word};
use rigel_core::units::say::{short, two_units};
use rigel_core::units::{Bytes, MIB, Nanos, to_f64};
use rigel_io::targets::OpenTargets;
use rigel_io::targets::fill::{Ground, NewFile, SIZE};
use rigel_io::targets::inspect::{Scan, Snapshot, inspect_any};
use rigel_io::targets::open::Access;
use rigel_io::targets::scratch::{EmptyScratch, ScratchRequest, check_room};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Fills all targets, one after the other.
pub fn fill(options: &FillArgs, streams: &Streams) -> Result<(), Problem> {
    let signals = Signals::listen()?;
    let looked = |path: &PathBuf| Place::find(path, options.size);
    let places = options.targets.iter().map(looked).collect::<Result<Vec<_>, _>>()?;
    check_distinct(&options.targets, &places)?;
    let there: Vec<TargetFacts> = places.iter().filter_map(Place::facts).cloned().collect();
    run::check_names(&options.destroy_data, &there)?;
    if options.dry_run {
        return dry_run::dry_run(&places, options, streams);
    }
    let ready = FillContext { options, streams, stop: signals.flag() };
    // Permits come before anything is made, room before anything is written.
    let opened = places.iter().map(|place| ready.open(place)).collect::<Result<Vec<_>, _>>()?;
    let begun = places.iter().zip(opened).map(|(place, opened)| ready.begin(place, opened));
    let begun = begun.collect::<Result<Vec<_>, _>>()?;
    let mut told = FillReport::default();
    for one in begun {
        told.add(ready.write(one)?);
    }
    streams.results(told.text().as_bytes())
}

/// A target that has been examined and, if it exists, opened with a permit.
type OpenFillTarget = Option<OpenTargets>;

/// What every step needs.
struct FillContext<'a> {
    options: &'a FillArgs,
    streams: &'a Streams,
    stop: &'a AtomicBool,
}

/// A target with its room.
enum Work {
    Scratch(EmptyScratch),
    Ground {
        ground: Ground,
        /// The exclusive open or the lock.
        open: OpenTargets,
        /// Dropped last: it is removed if it was reset to its old size.
        made: Option<NewFile>,
    },
}

/// The result for one target.
struct FillResult {
    path: PathBuf,
    bytes: u64,
    before: u64,
    took: Duration,
}

impl FillContext<'_> {
    fn open(&self, place: &Place) -> Result<OpenFillTarget, Problem> {
        place.facts().map(|facts| self.open_target(facts)).transpose()
    }

    fn open_target(&self, facts: &TargetFacts) -> Result<OpenTargets, Problem> {
        let FillArgs { destroy_data, quiet, .. } = self.options;
        let limit = (self.streams, *quiet, DEFAULT_IO_TIMEOUT);
        let look = (&Snapshot::take(), Scan::Fill);
        let (permit, why) = run::permit_for(facts, destroy_data, limit, look, self.stop)?;
        self.note(&why);
        let direct = facts.direct_io == Some(true);
        if !direct {
            self.note(&format!(
                "{} is written through the page cache: it does not support direct I/O",
                facts.path
            ));
        }
        let open = OpenTargets::open(std::slice::from_ref(facts), Access::Permits(&[Some(permit)]), direct)?;
        open.announce(false)?;
        Ok(open)
    }

    fn begin(&self, place: &Place, opened: OpenFillTarget) -> Result<Work, Problem> {
        match (place, opened) {
            (Place::There { facts, bytes }, Some(open)) => self.ground(open, facts, *bytes, None),
            (Place::New { path, bytes }, _) => {
                check_room(path, *bytes, SIZE)?;
                let made = NewFile::make(path)?;
                let facts = inspect_any(path, &Snapshot::take())?.into_facts();
                self.ground(self.open_target(&facts)?, &facts, *bytes, Some(made))
            }
            (Place::Scratch { path, bytes }, _) => {
                let wish = ScratchRequest {
                    data_bytes: *bytes,
                    seed: draw_seed()?,
                    keep: true,
                    direct: true,
                    resume: true,
                    size_option: SIZE,
                };
                EmptyScratch::begin(path, &wish).map(Work::Scratch)
            }
            (Place::There { .. }, None) => Err(Problem::new(ExitKind::Bug, "a target was not opened")),
        }
    }

    fn ground(
        &self,
        open: OpenTargets,
        facts: &TargetFacts,
        bytes: u64,
        made: Option<NewFile>,
    ) -> Result<Work, Problem> {
        let [target] = &*open else {
            return Err(Problem::new(ExitKind::Bug, "one target was opened as none"));
        };
        Ok(Work::Ground { ground: Ground::prepare(target, facts, bytes)?, open, made })
    }

    fn write(&self, work: Work) -> Result<FillResult, Problem> {
        let (path, bytes, before) = (work.path(), work.bytes(), work.filled_bytes());
        let mut bar =
            WorkProgress::of_bytes(self.streams, self.options.quiet, &format!("filling {}", encode(&path)));
        let began = Instant::now();
        let mut done = before;
        let mut progress = |at: u64| {
            done = at;
            bar.done_of(at, bytes);
        };
        let ended = match work {
            Work::Scratch(begun) => begun.fill(&mut |at, _| progress(at), self.stop).map(drop),
            Work::Ground { ground, open, made: _made } => {
                // Another seed for each, so that no array finds the same data on two of them.
                let ended = ground.fill(draw_seed()?, &mut progress, self.stop);
                open.forget_cached();
                ended
            }
        };
        drop(bar);
        match ended {
            Ok(()) => Ok(FillResult { path, bytes, before, took: began.elapsed() }),
            Err(problem) if problem.kind == ExitKind::CutShort => Err(problem.because(format!(
                "stopped by you; {} of {} are filled",
                Bytes(done),
                Bytes(bytes)
            ))),
            Err(problem) => Err(problem),
        }
    }

    fn note(&self, text: &str) {
        if !self.options.quiet {
            self.streams.aside(&format!("{text}\n"));
        }
    }
}

impl Work {
    fn path(&self) -> PathBuf {
        match self {
            Self::Scratch(begun) => begun.path().to_owned(),
            Self::Ground { ground, .. } => ground.path().to_owned(),
        }
    }

    const fn bytes(&self) -> u64 {
        match self {
            Self::Scratch(begun) => begun.bytes(),
            Self::Ground { ground, .. } => ground.bytes(),
        }
    }

    const fn filled_bytes(&self) -> u64 {
        match self {
            Self::Scratch(begun) => begun.filled_bytes(),
            Self::Ground { ground, .. } => ground.filled_bytes(),
        }
    }
}

/// What is reported at the end.
#[derive(Debug, Default)]
struct FillReport {
    lines: String,
    paths: Vec<PathBuf>,
    written: u64,
    took: Duration,
}

impl FillReport {
    fn add(&mut self, filled: FillResult) {
        let FillResult { path, bytes, before, took } = filled;
        let (place, whole, old) = (encode(&path), Bytes(bytes), Bytes(before));
        let text = match before {
            0 => format!("{place}: {whole} filled"),
            _ if before == bytes => format!("{place}: {whole} were already filled"),
            _ => format!("{place}: {whole} filled, {old} of it earlier"),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(self.lines, "{text}");
        self.written += bytes - before;
        if before < bytes {
            self.took += took;
        }
        self.paths.push(path);
    }

    fn text(&self) -> String {
        let words: Vec<String> = self.paths.iter().map(|path| shell_word(&encode(path))).collect();
        format!("{}{}\nto measure: rigel run simple {}\n", self.lines, self.rate(), words.join(" "))
    }

    fn rate(&self) -> String {
        if self.written == 0 {
            return "nothing was written".to_owned();
        }
        let seconds = self.took.as_secs_f64().max(1e-9);
        let mbps = to_f64(self.written) / to_f64(MIB) / seconds;
        let took = match self.took.as_secs() {
            0..60 => format!("{} s", short(seconds)),
            whole => two_units(Nanos::from_secs(whole)),
        };
        format!(
            "{} written in {took}, {} MBPS (a few writes at a time; not a benchmark)",
            Bytes(self.written),
            short(mbps)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(parts: &[(u64, u64)]) -> String {
        let mut told = FillReport::default();
        for (number, &(bytes, before)) in parts.iter().enumerate() {
            let path = format!("/u 1/{number}").into();
            told.add(FillResult { path, bytes, before, took: Duration::from_secs(2) });
        }
        told.text()
    }

    #[test]
    fn the_end_tells_what_was_written_how_fast_and_what_comes_next() {
        assert_eq!(
            told(&[(8 * MIB, 0), (8 * MIB, 2 * MIB), (MIB, MIB)]),
            "/u 1/0: 8 MiB filled\n/u 1/1: 8 MiB filled, 2 MiB of it earlier\n/u 1/2: 1 MiB were already filled\n\
             14 MiB written in 4 s, 3.50 MBPS (a few writes at a time; not a benchmark)\n\
             to measure: rigel run simple '/u 1/0' '/u 1/1' '/u 1/2'\n"
        );
        assert_eq!(
            told(&[(MIB, MIB)]),
            "/u 1/0: 1 MiB were already filled\nnothing was written\nto measure: rigel run simple '/u 1/0'\n"
        );
    }
}
