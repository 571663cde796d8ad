//! Scratch files: created, reused and removed. The format is `rigel_core::guard::scratch`.
//!
//! A file that is not ours is never touched, whatever its name is. Neither is a file that another run uses: a run
//! holds an exclusive lock on its scratch file from creation to removal. Must not choose the size.

mod fill;
mod found;

use super::errno::refusal;
use super::filler::write_all;
use super::lock::Hold;
use super::node::Node;
use super::own_file::{self, whole_header};
use fill::FillGuard;
use found::{Misfit, ScratchState, take};
use rigel_core::error::Problem;
use rigel_core::guard::scratch::{self, BLOCK_BYTES, Header, State};
use rigel_core::path_text;
use rustix::fs;
use rustix::io::Errno;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub use super::room::{check_creatable, check_room, dir_of, free_bytes, is_read_only};

const BLOCK: u64 = BLOCK_BYTES as u64;
/// Names that are tried in a directory, and so the runs that can work in it at a time.
const MOST_FILES: u32 = 64;

/// The scratch file that a run wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScratchRequest {
    /// Bytes of data, without the trailer that the format adds.
    pub data_bytes: u64,
    /// Seed of the data.
    pub seed: u64,
    /// Keep the file for later runs.
    pub keep: bool,
    /// Refuse a filesystem without O_DIRECT before anything is written.
    pub direct: bool,
    /// Continue an unfinished fill of this size, and leave a file if this one does not finish. A kept file is not replaced.
    pub resume: bool,
    /// The option for the size, for the next step if there is no space.
    pub size_option: &'static str,
}

/// A whole scratch file. It is locked as long as this or a [`Hold`] of it lives. Dropping this leaves the file there;
/// [`ScratchFile::put_away`] removes it.
#[derive(Debug)]
pub struct ScratchFile {
    node: Arc<Node>,
    hold: Hold,
    /// Size, seed and state of it.
    pub header: Header,
    /// Whether an earlier run filled it.
    pub reused: bool,
}

impl ScratchFile {
    /// Fills a new scratch file, or takes an existing one of the same size that no run works on. `place` is the path of a
    /// file called `rigel-scratch*.dat`, or a directory: there the first name is used that no other run has. `progress`
    /// gets the bytes done and the bytes to do. When `stop` becomes true, the fill ends and the file is removed.
    ///
    /// # Errors
    /// When there is too little space, a file that is not ours has the name, another run works on the named file, the
    /// disk fails, or `stop` was set.
    pub fn create(
        place: &Path,
        wish: &ScratchRequest,
        progress: &mut dyn FnMut(u64, u64),
        stop: &AtomicBool,
    ) -> Result<Self, Problem> {
        EmptyScratch::begin(place, wish)?.fill(progress, stop)
    }

    /// Takes the file that an interrupted run left behind. Creates and removes no file.
    ///
    /// # Errors
    /// When it is gone, when another file has its name, or when another run uses it.
    pub fn again(path: &Path, data_bytes: u64, seed: u64) -> Result<Self, Problem> {
        let wish =
            ScratchRequest { data_bytes, seed, keep: false, direct: true, resume: false, size_option: "" };
        let fits = |header: &Header| header.data_bytes == data_bytes && header.seed == seed;
        let there = Node::pin_no_link(path).ok().and_then(|node| whole_header(&node));
        if !there.as_ref().is_some_and(fits) {
            return Err(gone(path));
        }
        match take(path, &wish, Misfit::Leave)? {
            ScratchState::Ours(file) if fits(&file.header) => Ok(file),
            ScratchState::Busy => Err(locked(path)),
            ScratchState::Ours(_) | ScratchState::Begun(_) | ScratchState::Free => Err(gone(path)),
        }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.node.path
    }

    /// The lock, for the permit to write to the file.
    pub fn hold(&self) -> Hold {
        self.hold.clone()
    }

    /// Removes the file unless it is to be kept. Its path must still lead to the same file.
    ///
    /// # Errors
    /// When something else has its name now, or it cannot be removed.
    pub fn put_away(self) -> Result<(), Problem> {
        if self.header.is_kept() { Ok(()) } else { unlink(&self.node) }
    }
}

/// A scratch file that has its name and its room, before it is filled.
#[derive(Debug)]
pub struct EmptyScratch(ScratchOwnership);

#[derive(Debug)]
enum ScratchOwnership {
    Whole(ScratchFile),
    Fresh(FillGuard),
}

impl EmptyScratch {
    /// Does everything that can be refused. As [`ScratchFile::create`].
    ///
    /// # Errors
    /// As [`ScratchFile::create`], but for the writes of the fill.
    pub fn begin(place: &Path, wish: &ScratchRequest) -> Result<Self, Problem> {
        let names = names(place)?;
        check_size(wish.data_bytes)?;
        // Tried again when another run took the free name in between. Every round means that some run got its file.
        for _ in 0..MOST_FILES {
            let path = match search(&names, wish)? {
                Search::Ours(ours) => return Ok(Self(ours)),
                Search::Free(path) => path,
            };
            if let Some(fresh) = FillGuard::create(path, wish)? {
                return Ok(Self(ScratchOwnership::Fresh(fresh)));
            }
        }
        Err(locked(place))
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        match &self.0 {
            ScratchOwnership::Whole(file) => file.path(),
            ScratchOwnership::Fresh(fresh) => &fresh.node.path,
        }
    }

    /// Bytes of data that it will have.
    pub const fn bytes(&self) -> u64 {
        match &self.0 {
            ScratchOwnership::Whole(file) => file.header.data_bytes,
            ScratchOwnership::Fresh(fresh) => fresh.header.data_bytes,
        }
    }

    /// Bytes of it that an earlier fill wrote.
    pub const fn filled_bytes(&self) -> u64 {
        match &self.0 {
            ScratchOwnership::Whole(file) => file.header.data_bytes,
            ScratchOwnership::Fresh(fresh) => fresh.from,
        }
    }

    /// Fills what is left.
    ///
    /// # Errors
    /// When the disk fails, or `stop` was set.
    pub fn fill(self, progress: &mut dyn FnMut(u64, u64), stop: &AtomicBool) -> Result<ScratchFile, Problem> {
        match self.0 {
            ScratchOwnership::Whole(file) => Ok(file),
            ScratchOwnership::Fresh(fresh) => fresh.fill(progress, stop),
        }
    }
}

/// The header of a scratch file at a path, whole or not; `None` for anything else.
pub fn header_at(path: &Path) -> Option<Header> {
    own_file::header(&Node::pin_no_link(path).ok()?)
}

/// Path and header of the scratch file that a run in this directory would use again. `data_bytes` is the size that it
/// must have, if that is known.
pub fn left_there(dir: &Path, data_bytes: Option<u64>) -> Option<(PathBuf, Header)> {
    numbered(dir).into_iter().find_map(|path| {
        let header = found::left_header(&path)?;
        data_bytes.is_none_or(|wanted| wanted == header.data_bytes).then_some((path, header))
    })
}

/// Refuses what [`ScratchFile::create`] would refuse for a new file in this directory, as far as it can be known without writing.
///
/// # Errors
/// When no file can be created there, or there is too little space.
pub fn foresee(dir: &Path, data_bytes: u64, size_option: &str) -> Result<(), Problem> {
    if left_there(dir, Some(data_bytes)).is_some() {
        return Ok(());
    }
    check_size(data_bytes)?;
    let header = Header { data_bytes, seed: 0, state: State::Filling };
    check_creatable(dir)?;
    check_room(&dir.join(scratch::FILE_NAME), header.file_bytes(), size_option)
}

enum Search<'a> {
    /// A file to use again, or to resume.
    Ours(ScratchOwnership),
    /// The first free name.
    Free(&'a Path),
}

/// Tries all names, also those after a free one: otherwise a file left over there would never be found again.
fn search<'a>(names: &'a [PathBuf], wish: &ScratchRequest) -> Result<Search<'a>, Problem> {
    let mut free = None;
    for (index, path) in names.iter().enumerate() {
        let misfit = if index > 0 || wish.resume { Misfit::SpareKept } else { Misfit::Remove };
        match take(path, wish, misfit) {
            Ok(ScratchState::Ours(file)) => return Ok(Search::Ours(ScratchOwnership::Whole(file))),
            Ok(ScratchState::Begun(fresh)) => return Ok(Search::Ours(ScratchOwnership::Fresh(fresh))),
            Ok(ScratchState::Free) => free = free.or(Some(path)),
            Ok(ScratchState::Busy) => {}
            Err(problem) if index == 0 => return Err(problem),
            // A numbered name is only one of many: whatever has it is left alone.
            Err(_) => {}
        }
    }
    match (free, names) {
        (Some(path), _) => Ok(Search::Free(path)),
        (None, [only]) => Err(locked(only)),
        (None, _) => Err(Problem::refused("no name is free for a scratch file")
            .at(path_text::encode(names.first().map_or(Path::new("."), PathBuf::as_path)))
            .because(format!("{MOST_FILES} scratch files are in use or kept"))
            .next("remove those you no longer need, or use another directory")),
    }
}

fn names(place: &Path) -> Result<Vec<PathBuf>, Problem> {
    if place.is_dir() {
        return Ok(numbered(place));
    }
    if place.file_name().is_some_and(scratch::is_scratch_name) {
        return Ok(vec![place.to_owned()]);
    }
    Err(Problem::usage("this is not a valid name for a scratch file")
        .at(path_text::encode(place))
        .because("scratch files are also recognised by their names")
        .next("name an existing directory, or a file called rigel-scratch*.dat"))
}

fn numbered(dir: &Path) -> Vec<PathBuf> {
    (1..=MOST_FILES).map(|number| dir.join(scratch::numbered_name(number))).collect()
}

fn check_size(data_bytes: u64) -> Result<(), Problem> {
    if data_bytes.is_multiple_of(BLOCK) && data_bytes > 0 {
        return Ok(());
    }
    Err(Problem::usage(format!("a scratch file cannot have {data_bytes} bytes"))
        .next(format!("choose a multiple of {BLOCK}")))
}

fn locked(path: &Path) -> Problem {
    Problem::refused("the scratch file is locked")
        .at(path_text::encode(path))
        .because("another run of Rigel is using it")
        .next("wait for it to end, or use another directory")
}

fn not_locked(path: &Path, errno: Errno) -> Problem {
    refusal("the scratch file cannot be locked", path, errno)
}

fn gone(path: &Path) -> Problem {
    Problem::refused("the scratch file of the run no longer exists")
        .at(path_text::encode(path))
        .because("a run that ends normally removes it, unless --keep-scratch was given")
        .next("start a new run; samples from different files cannot be combined")
}

fn not_ours(path: &Path) -> Problem {
    Problem::refused("the file is not a scratch file of Rigel and was not touched")
        .at(path_text::encode(path))
        .because("its name matches, but it lacks the end mark of a scratch file")
        .next("move it away or, if you do not need it, delete it")
}

fn changed_by_another(path: &Path, offset: u64) -> Problem {
    Problem::refused("something else wrote into the scratch file, so it was not touched")
        .at(path_text::encode(path))
        .because(format!("the block at byte {offset} was not written by Rigel"))
        .next("move the file away or, if you do not need it, delete it")
}

/// Removes the name if it still belongs to the pinned file.
fn unlink(node: &Node) -> Result<(), Problem> {
    if found::is_missing(&node.path) {
        return Err(Problem::refused("the scratch file is no longer where it was")
            .at(node.place())
            .because("it was moved or removed while in use")
            .next("if it was moved, delete it by hand"));
    }
    let now = Node::pin_no_link(&node.path)?;
    if now.identity() != node.identity() {
        return Err(Problem::refused("another file took the name of the scratch file and was not touched")
            .at(node.place())
            .because("the scratch file was moved while in use")
            .next("delete it by hand where it is now"));
    }
    std::fs::remove_file(&node.path).map_err(|error| {
        let problem = Problem::refused("the scratch file cannot be removed").at(node.place());
        problem.because(error.to_string()).next("delete it by hand")
    })
}

/// Writes the header and waits until it is on the disk.
fn write_header(file: &File, header: &Header) -> Result<(), Errno> {
    write_all(file, &header.encode(), header.data_bytes)?;
    fs::fsync(file)
}
