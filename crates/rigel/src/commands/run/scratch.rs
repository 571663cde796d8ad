//! The scratch files of a run: one in each named directory, or in the current one. Planned, filled and cleaned up.
//!
//! Must not touch a file that is not Rigel's; `rigel_io::targets::scratch` ensures that.

use super::life::{Ending, PutAway};
use super::memory::check_not_memory;
use super::present::Reporter;
use crate::args::{RunOptions, TargetSource};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::{HostFacts, ScratchFacts, TargetFacts, TargetKind};
use rigel_core::guard::scratch::{self, State};
use rigel_core::load::request::Request;
use rigel_core::path_text;
use rigel_core::units::{Bytes, GIB};
use rigel_io::targets::Hold;
use rigel_io::targets::inspect::{Snapshot, directory_facts, target_facts};
use rigel_io::targets::lun_list;
use rigel_io::targets::scratch::{
    ScratchFile, ScratchRequest, check_creatable, foresee, free_bytes, left_there,
};
use rigel_report::text::ScratchIntent;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// The option that gives the size of a scratch file.
const SIZE_OPTION: &str = "--scratch-size";

/// The facts of scratch files that do not exist yet, as they will be.
pub fn facts_of_new(
    dirs: &[PathBuf],
    (size, kept): (Option<Bytes>, bool),
    request: &Request,
    host: &HostFacts,
) -> Result<Vec<TargetFacts>, Problem> {
    let snapshot = Snapshot::take();
    let found = dirs.iter().map(|dir| directory_facts(dir, &snapshot)).collect::<Result<Vec<_>, _>>()?;
    for (_, part) in request.parts(&found) {
        let named: Vec<_> = part.iter().map(|dir| (dir.path.clone(), dir.clone())).collect();
        lun_list::check_distinct(&named)?;
    }
    found.iter().try_for_each(|dir| check_not_memory(dir, request.allow_memory))?;
    let size_bytes = size.map_or_else(|| chosen_size(dirs, &found, host), |size| Ok(size.0))?;
    let scratch = Some(ScratchFacts { seed: request.seed, used_before: false, own: true, kept });
    let new = |(dir, facts): (&PathBuf, TargetFacts)| {
        let (path, real_path) = if is_here(dir) {
            (scratch::FILE_NAME.to_owned(), scratch::FILE_NAME.to_owned())
        } else {
            let in_dir = |dir: &Path| path_text::encode(&dir.join(scratch::FILE_NAME));
            (in_dir(dir), in_dir(&path_text::decode(&facts.real_path)))
        };
        TargetFacts { path, real_path, size_bytes, logical_block_bytes: 512, scratch, ..facts }
    };
    Ok(dirs.iter().zip(found).map(new).collect())
}

fn is_here(dir: &Path) -> bool {
    dir == Path::new(".")
}

/// One size for all, so that like is compared with like. Directories of one filesystem share its space.
fn chosen_size(dirs: &[PathBuf], found: &[TargetFacts], host: &HostFacts) -> Result<u64, Problem> {
    let memory_bytes = host.memory_bytes.unwrap_or(4 * GIB);
    let distinct = TargetFacts::each_once(found);
    let sizes = dirs.iter().zip(found).map(|(dir, facts)| {
        // An existing one is used again, however much space is free now.
        if let Some((_, header)) = left_there(dir, None) {
            return Ok(header.data_bytes);
        }
        // A read-only filesystem has no free space either.
        check_creatable(dir)?;
        let is_beside = |other: &&&TargetFacts| other.identity.device == facts.identity.device;
        let beside = distinct.iter().filter(is_beside).count().max(1) as u64;
        scratch::choose_size(free_bytes(dir)? / beside, memory_bytes)
    });
    let sizes = sizes.collect::<Result<Vec<u64>, Problem>>()?;
    Ok(sizes.into_iter().min().unwrap_or(0))
}

/// The directories of the scratch files of a run; none if it has other targets.
fn dirs_of(options: &RunOptions) -> &[PathBuf] {
    match &options.targets {
        TargetSource::Scratch { dirs, .. } => dirs,
        _ => &[],
    }
}

/// What a run would do about its scratch files.
pub fn intent(options: &RunOptions, data_bytes: u64) -> Option<ScratchIntent> {
    let TargetSource::Scratch { dirs, keep, .. } = &options.targets else { return None };
    let left: Vec<_> = distinct(dirs).into_iter().map(|dir| left_there(dir, Some(data_bytes))).collect();
    let new = left.iter().filter(|left| left.is_none()).count();
    let kept = left.iter().flatten().any(|(_, header)| header.state == State::Kept);
    Some(ScratchIntent { new_files: new, fill_bytes: data_bytes * new as u64, kept: *keep || kept })
}

/// Refuses the scratch files that a run would not get.
pub fn foresee_all(options: &RunOptions, data_bytes: u64) -> Result<(), Problem> {
    distinct(dirs_of(options)).into_iter().try_for_each(|dir| foresee(dir, data_bytes, SIZE_OPTION))
}

/// Each directory once.
fn distinct(dirs: &[PathBuf]) -> Vec<&Path> {
    let mut once: Vec<&Path> = Vec::new();
    for dir in dirs {
        if !once.iter().any(|other| is_same_dir(other, dir)) {
            once.push(dir);
        }
    }
    once
}

fn is_same_dir(one: &Path, other: &Path) -> bool {
    one == other || matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// The scratch files of one run; cleaned up when this goes out of scope.
#[derive(Debug, Default)]
pub struct Scratch {
    files: Vec<ScratchFile>,
    /// The file of each target.
    of_targets: Vec<usize>,
    /// For a run that is resumed.
    is_of_record: bool,
}

impl Scratch {
    /// Fills a scratch file in each directory, or takes the existing one.
    pub fn fill(
        options: &RunOptions,
        data_bytes: u64,
        progress: &mut dyn FnMut(u64, u64),
        stop: &AtomicBool,
    ) -> Result<Self, Problem> {
        let TargetSource::Scratch { dirs, keep, .. } = &options.targets else { return Ok(Self::default()) };
        let (seed, direct) = (options.request.seed, !options.request.buffered);
        let wish =
            ScratchRequest { data_bytes, seed, keep: *keep, direct, resume: false, size_option: SIZE_OPTION };
        let mut all = Self::default();
        let places = distinct(dirs);
        for dir in &places {
            all.files.push(ScratchFile::create(dir, &wish, progress, stop)?);
        }
        let file_of = |dir: &PathBuf| places.iter().position(|place| is_same_dir(place, dir)).unwrap_or(0);
        all.of_targets = dirs.iter().map(file_of).collect();
        Ok(all)
    }

    /// The scratch file of an interrupted run, if its record names one. A record is foreign text: only a file in the
    /// current directory is taken. Refuses one that another run works on.
    pub fn again(targets: &[TargetFacts]) -> Result<Self, Problem> {
        let real = targets.iter().filter(|target| target.kind != TargetKind::Simulated);
        let own: Vec<_> =
            real.filter_map(|target| Some((target, target.scratch.filter(|scratch| scratch.own)?))).collect();
        let Some((target, scratch)) = own.first() else { return Ok(Self::default()) };
        if own.len() > 1 {
            return Err(Problem::refused("the run had scratch files in several directories")
                .at(path_text::printable(&target.real_path))
                .because("a resumed run only uses a scratch file in the current directory")
                .next("start the run again"));
        }
        let path = path_text::decode(&target.real_path);
        let here = std::env::current_dir().and_then(|dir| dir.canonicalize()).ok();
        if here.is_none() || path.parent() != here.as_deref() {
            return Err(Problem::refused("the scratch file of the run is in another directory")
                .at(path_text::printable(&target.real_path))
                .because("a resumed run only uses a scratch file in the current directory")
                .next("change to that directory and start it again there"));
        }
        let file = Some(ScratchFile::again(&path, target.size_bytes, scratch.seed)?);
        let mut own = Self::holding(file);
        own.is_of_record = true;
        Ok(own)
    }

    /// A file that was filled elsewhere; `None` if there is none to clean up.
    pub fn holding(file: Option<ScratchFile>) -> Self {
        let files: Vec<ScratchFile> = file.into_iter().collect();
        Self { of_targets: (0..files.len()).collect(), files, is_of_record: false }
    }

    /// One line about each.
    pub fn describe(&self) -> Vec<String> {
        let line = |file: &ScratchFile| {
            let made = if file.reused { "the existing one is reused" } else { "filled with random data" };
            let fate = if file.header.is_kept() { "kept" } else { "removed afterwards" };
            let path = path_text::encode(file.path());
            format!("scratch file {path}: {}, {made}, {fate}", Bytes(file.header.data_bytes))
        };
        self.files.iter().map(line).collect()
    }

    /// Their facts, one for each target; `None` without a scratch file.
    pub fn facts(&self) -> Result<Option<Vec<TargetFacts>>, Problem> {
        if self.files.is_empty() {
            return Ok(None);
        }
        let found = |file: &ScratchFile| {
            let facts = target_facts(file.path())?;
            let (seed, kept) = (file.header.seed, file.header.is_kept());
            let scratch = ScratchFacts { seed, used_before: file.reused, own: true, kept };
            Ok(TargetFacts { scratch: Some(scratch), ..facts })
        };
        let facts = self.files.iter().map(found).collect::<Result<Vec<_>, Problem>>()?;
        Ok(Some(self.of_targets.iter().filter_map(|at| facts.get(*at).cloned()).collect()))
    }

    /// The locks on them, one for each target, for the descriptors that the run opens.
    pub fn holds(&self) -> Vec<Hold> {
        self.of_targets.iter().filter_map(|at| self.files.get(*at)).map(ScratchFile::hold).collect()
    }

    /// Whether the end of the run removes one.
    pub fn goes_away(&self) -> bool {
        self.files.iter().any(|file| !file.header.is_kept())
    }

    /// Whether a run that ends early could find them again: [`Self::again`] takes one file.
    pub const fn is_one(&self) -> bool {
        self.files.len() <= 1
    }

    /// Removes them, unless they are to be kept; continues if one cannot be removed.
    fn remove(&mut self) -> Result<(), Problem> {
        let ended: Vec<_> = self.files.drain(..).map(ScratchFile::put_away).collect();
        ended.into_iter().collect()
    }
}

impl Drop for Scratch {
    /// Only if not all of them could be filled; everything else goes through [`PutAway`].
    fn drop(&mut self) {
        let _ = self.remove();
    }
}

impl PutAway for Scratch {
    /// A soak that is not over, or found something, leaves its file: it can be resumed, and somebody may examine it.
    fn put_away(&mut self, reporter: Reporter<'_>, ending: Ending<'_>) -> Result<(), Problem> {
        let continues = ending
            .problem()
            .is_some_and(|problem| matches!(problem.kind, ExitKind::CutShort | ExitKind::GateFailed));
        // The user may have mistyped something, and without its scratch file the run could never continue.
        if self.is_of_record && matches!(ending, Ending::Failed(_)) {
            self.files.clear();
            return Ok(());
        }
        if !reporter.options.request.is_soak() || !continues || !self.goes_away() || !self.is_one() {
            return self.remove();
        }
        self.files.clear();
        reporter.note(
            "scratch file kept so that the soak can be resumed; delete it when you no longer need it"
                .to_owned(),
        );
        Ok(())
    }
}

/// Which scratch files are about to be filled; nothing if the run has other targets.
pub fn announcement(options: &RunOptions, size: Bytes) -> Option<String> {
    let dirs = distinct(dirs_of(options));
    match dirs.as_slice() {
        [] => None,
        [dir] if is_here(dir) => Some(format!("measuring a scratch file of {size} in this directory")),
        [dir] => Some(format!("measuring a scratch file of {size} in {}", path_text::encode(dir))),
        dirs => {
            let names: Vec<String> = dirs.iter().map(|dir| path_text::encode(dir)).collect();
            Some(format!("measuring scratch files of {size} in {}", names.join(" and ")))
        }
    }
}
