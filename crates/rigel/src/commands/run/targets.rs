//! From what the user named to targets with facts: a `.lun` file, paths, a scratch file, a simulated device.
//!
//! Must not open anything for writing but a scratch file of ours.

use crate::args::{RunOptions, TargetSource};
use crate::commands::answer::facts_of;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::{HostFacts, InMemory, ScratchFacts, TargetFacts, TargetKind};
use rigel_core::guard::scratch::State;
use rigel_core::load::class::Class;
use rigel_core::load::request::Request;
use rigel_core::units::{Bytes, GIB, Nanos};
use rigel_core::{guard::scratch, path_text};
use rigel_io::targets::Hold;
use rigel_io::targets::inspect::{Snapshot, directory_facts, target_facts};
use rigel_io::targets::lun_list;
use rigel_io::targets::scratch::{ScratchFile, Wish, check_creatable, foresee, free_bytes, left_there};
use rigel_report::text::ScratchIntent;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// The facts of the targets. A scratch file that does not exist yet is described as it will be.
pub fn look(options: &RunOptions, host: &HostFacts) -> Result<Vec<TargetFacts>, Problem> {
    match &options.targets {
        TargetSource::LunFile(list) => from_list(list, &options.request, &Snapshot::take()),
        TargetSource::Named(paths) => {
            // A target may be on both sides.
            let snapshot = Snapshot::take();
            let limit = options.request.io_timeout;
            let of = |(_, paths): (Request, &[PathBuf])| from_paths(paths, limit, &snapshot);
            let parts = options.request.parts(paths).into_iter().map(of);
            Ok(parts.collect::<Result<Vec<_>, _>>()?.concat())
        }
        TargetSource::Scratch { size, keep } => {
            let here = directory_facts(Path::new("."), &Snapshot::take())?;
            check_not_memory(&here, options.request.allow_memory)?;
            let size_bytes = size.map_or_else(|| chosen_size(host), |size| Ok(size.0))?;
            let (path, real_path) = (scratch::FILE_NAME.to_owned(), scratch::FILE_NAME.to_owned());
            let scratch =
                Some(ScratchFacts { seed: options.request.seed, used_before: false, own: true, kept: *keep });
            Ok(vec![TargetFacts { path, real_path, size_bytes, logical_block_bytes: 512, scratch, ..here }])
        }
        TargetSource::Simulated => Ok(options.request.simulated_targets()),
        TargetSource::Server(_) => {
            Err(Problem::new(ExitKind::Bug, "a table of a server is no target of these engines"))
        }
    }
}

fn from_list(list: &Path, request: &Request, snapshot: &Snapshot) -> Result<Vec<TargetFacts>, Problem> {
    let entries = lun_list::read(list)?;
    let facts = entries
        .iter()
        .map(|entry| {
            let found = facts_of(&entry.path, request.io_timeout, snapshot);
            let facts = found.map_err(|problem| lun_list::at_line(list, entry, problem))?;
            Ok((format!("{}:{}", path_text::encode(list), entry.line), facts))
        })
        .collect::<Result<Vec<_>, Problem>>()?;
    lun_list::check_distinct(&facts)?;
    lun_list::check_sizes(&facts, request.io_bytes(Class::LARGE))?;
    Ok(facts.into_iter().map(|(_, facts)| facts).collect())
}

fn from_paths(paths: &[PathBuf], limit: Nanos, snapshot: &Snapshot) -> Result<Vec<TargetFacts>, Problem> {
    let facts = paths
        .iter()
        .map(|path| Ok((path_text::encode(path), facts_of(path, limit, snapshot)?)))
        .collect::<Result<Vec<_>, Problem>>()?;
    lun_list::check_distinct(&facts)?;
    Ok(facts.into_iter().map(|(_, facts)| facts).collect())
}

/// A scratch file is made where nobody said that memory is meant, so memory is refused.
pub fn check_not_memory(here: &TargetFacts, allowed: bool) -> Result<(), Problem> {
    let Some(memory) = here.memory().filter(|_| !allowed) else { return Ok(()) };
    let what = match &memory {
        InMemory::PageCache { .. } => "this directory lies behind the page cache, which is memory",
        _ => "this is memory, and no storage",
    };
    let first = memory.remedy().map_or_else(String::new, |command| format!("{command}, "));
    Err(Problem::refused(what).at(path_text::printable(&here.real_path)).because(memory.to_string()).next(format!(
        "{first}go to a directory on the disk, or name a file or a device there; --allow-memory measures memory all the same"
    )))
}

/// What gives the size of a scratch file.
const SIZE_OPTION: &str = "--scratch-size";

fn chosen_size(host: &HostFacts) -> Result<u64, Problem> {
    let here = Path::new(".");
    // An existing one is used again, however much space is free now.
    if let Some((_, header)) = left_there(here, None) {
        return Ok(header.data_bytes);
    }
    // A read-only filesystem has no free space either.
    check_creatable(here)?;
    scratch::choose_size(free_bytes(here)?, host.memory_bytes.unwrap_or(4 * GIB))
}

/// What a run without a target would do about its scratch file.
pub fn scratch_intent(options: &RunOptions, data_bytes: u64) -> Option<ScratchIntent> {
    let TargetSource::Scratch { keep, .. } = options.targets else { return None };
    let left = left_there(Path::new("."), Some(data_bytes));
    let kept = left.as_ref().is_some_and(|(_, header)| header.state == State::Kept);
    Some(ScratchIntent { fill_bytes: if left.is_some() { 0 } else { data_bytes }, kept: keep || kept })
}

/// Refuses the scratch file that a run would not get.
pub fn foresee_scratch(options: &RunOptions, data_bytes: u64) -> Result<(), Problem> {
    match options.targets {
        TargetSource::Scratch { .. } => foresee(Path::new("."), data_bytes, SIZE_OPTION),
        _ => Ok(()),
    }
}

/// A scratch file for one run; put away when this goes out of scope.
#[derive(Debug)]
pub struct Scratch {
    file: Option<ScratchFile>,
}

impl Scratch {
    /// Fills a scratch file in the current directory, or takes the one that is there.
    pub fn fill(
        options: &RunOptions,
        data_bytes: u64,
        progress: &mut dyn FnMut(u64, u64),
        stop: &AtomicBool,
    ) -> Result<Self, Problem> {
        let TargetSource::Scratch { keep, .. } = options.targets else { return Ok(Self { file: None }) };
        let (seed, direct) = (options.request.seed, !options.request.buffered);
        let wish = Wish { data_bytes, seed, keep, direct, resume: false, size_option: SIZE_OPTION };
        Ok(Self { file: Some(ScratchFile::create(Path::new("."), &wish, progress, stop)?) })
    }

    /// The scratch file of an interrupted run, if its record names one. A record is foreign text: only a file in the
    /// current directory is taken, as by any run. Refuses one that another run works on.
    pub fn again(target: Option<&TargetFacts>) -> Result<Self, Problem> {
        let real = target.filter(|target| target.kind != TargetKind::Simulated);
        let own = real.and_then(|target| Some((target, target.scratch.filter(|scratch| scratch.own)?)));
        let Some((target, scratch)) = own else { return Ok(Self { file: None }) };
        let path = path_text::decode(&target.real_path);
        let here = std::env::current_dir().and_then(|dir| dir.canonicalize()).ok();
        if here.is_none() || path.parent() != here.as_deref() {
            return Err(Problem::refused("the scratch file of the run is in another directory")
                .at(path_text::printable(&target.real_path))
                .because("a run makes and takes scratch files in the current directory only")
                .next("go to that directory and start it again there"));
        }
        Ok(Self { file: Some(ScratchFile::again(&path, target.size_bytes, scratch.seed)?) })
    }

    /// A file that was filled elsewhere; `None` where there is none to put away.
    pub const fn holding(file: Option<ScratchFile>) -> Self {
        Self { file }
    }

    /// One line about it; `None` without a scratch file.
    pub fn describe(&self) -> Option<String> {
        let file = self.file.as_ref()?;
        let made =
            if file.reused { "the one that was there is used again" } else { "filled with random data" };
        let fate = if file.header.is_kept() { "kept" } else { "removed afterwards" };
        Some(format!(
            "scratch file {}: {}, {made}, {fate}",
            path_text::encode(file.path()),
            Bytes(file.header.data_bytes)
        ))
    }

    /// Its facts; `None` without a scratch file.
    pub fn facts(&self) -> Result<Option<TargetFacts>, Problem> {
        let Some(file) = &self.file else { return Ok(None) };
        let facts = target_facts(file.path())?;
        let (seed, kept) = (file.header.seed, file.header.is_kept());
        let scratch = ScratchFacts { seed, used_before: file.reused, own: true, kept };
        Ok(Some(TargetFacts { scratch: Some(scratch), ..facts }))
    }

    /// The lock on it, for the descriptors that the run opens.
    pub fn hold(&self) -> Option<Hold> {
        self.file.as_ref().map(ScratchFile::hold)
    }

    pub fn leave(mut self) {
        self.file = None;
    }

    /// Whether the end of the run removes it.
    pub fn goes_away(&self) -> bool {
        self.file.as_ref().is_some_and(|file| !file.header.is_kept())
    }

    /// Removes it, unless it is to be kept.
    pub fn finish(mut self) -> Result<(), Problem> {
        self.file.take().map_or(Ok(()), ScratchFile::put_away)
    }
}

impl Drop for Scratch {
    /// Only on the way out of a panic, or of a problem before the load; everything else goes through [`Scratch::finish`].
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            let _ = file.put_away();
        }
    }
}
