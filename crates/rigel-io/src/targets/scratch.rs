//! Scratch files: made, recognised, held and removed. The format is `rigel_core::guard::scratch`.
//!
//! A file that is not ours is never touched, whatever it is called; neither is one that another run works on. A run
//! holds an exclusive lock on its own from the first byte to the last. Must not choose the size.

mod fill;
mod foreign;
mod found;
mod room;

use super::errno::refusal;
use super::node::Node;
use fill::Fresh;
use found::{Found, Misfit, take};
use rigel_core::error::Problem;
use rigel_core::facts::Identity;
use rigel_core::guard::scratch::{self, BLOCK_BYTES, Header, State};
use rigel_core::path_text;
use rustix::fs;
use rustix::io::{Errno, pread, pwrite};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub(crate) use found::{evidence, whole_header};
pub use room::free_bytes;

const BLOCK: u64 = BLOCK_BYTES as u64;
/// Runs that can work in one directory at a time.
const MOST_FILES: u32 = 64;

/// The scratch file that a run wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    /// Bytes of data, without what the format adds.
    pub data_bytes: u64,
    /// Seed of the data.
    pub seed: u64,
    /// Leave it there for further runs.
    pub keep: bool,
    /// Refuse a filesystem without O_DIRECT before anything is written.
    pub direct: bool,
}

/// A whole scratch file, locked as long as this or a [`Hold`] of it lives. It stays when this is dropped;
/// [`ScratchFile::put_away`] removes it.
#[derive(Debug)]
pub struct ScratchFile {
    node: Arc<Node>,
    lock: Arc<OwnedFd>,
    header: Header,
    reused: bool,
}

/// Proof that this process has the lock of a scratch file. The file is then opened for writing without a second lock,
/// which would conflict with the first.
#[derive(Clone, Debug)]
pub struct Hold {
    identity: Identity,
    _lock: Arc<OwnedFd>,
}

impl Hold {
    pub(crate) const fn identity(&self) -> Identity {
        self.identity
    }
}

impl ScratchFile {
    /// Fills a new scratch file, or takes one of the same size that is there and that nobody works on. `place` is a
    /// directory, where the first name that no other run has is used, or the path of a file called
    /// `rigel-scratch*.dat`. `progress` is told bytes done and bytes to do; when `stop` becomes true the fill ends, and
    /// nothing is left of it.
    ///
    /// # Errors
    /// When there is too little space, a file that is not ours has the name, another run works on the named file, the
    /// disk fails, or `stop` was set.
    pub fn create(
        place: &Path,
        wish: &Wish,
        progress: &mut dyn FnMut(u64, u64),
        stop: &AtomicBool,
    ) -> Result<Self, Problem> {
        let names = names(place)?;
        check_size(wish.data_bytes)?;
        // Again when another run took a name in between; each time that run has got on.
        for _ in 0..MOST_FILES {
            let path = match search(&names, wish)? {
                Search::Ours(file) => return Ok(file),
                Search::Free(path) => path,
            };
            if let Some(fresh) = Fresh::create(path, wish)? {
                return fresh.fill(path, wish.keep, progress, stop);
            }
        }
        Err(locked(place))
    }

    /// Takes the very file that an interrupted run left there. None is made, and none removed.
    ///
    /// # Errors
    /// When it is gone or another one, or another run works on it.
    pub fn again(path: &Path, data_bytes: u64, seed: u64) -> Result<Self, Problem> {
        let wish = Wish { data_bytes, seed, keep: false, direct: true };
        let fits = |header: &Header| header.data_bytes == data_bytes && header.seed == seed;
        let there = match Node::pin_no_link(path) {
            Ok(node) => whole_header(&node),
            Err(_) => None,
        };
        if !there.as_ref().is_some_and(fits) {
            return Err(gone(path));
        }
        match take(path, &wish, Misfit::Leave)? {
            Found::Ours(file) if fits(&file.header) => Ok(file),
            Found::Busy => Err(locked(path)),
            Found::Ours(_) | Found::Free => Err(gone(path)),
        }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.node.path()
    }

    /// Bytes of its data.
    #[must_use]
    pub const fn data_bytes(&self) -> u64 {
        self.header.data_bytes
    }

    /// Seed of its blocks.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.header.seed
    }

    /// Whether it was there before.
    #[must_use]
    pub const fn reused(&self) -> bool {
        self.reused
    }

    /// Whether it stays when it is put away.
    #[must_use]
    pub const fn kept(&self) -> bool {
        matches!(self.header.state, State::Kept)
    }

    /// The lock, to be given to whoever opens the file for this run.
    #[must_use]
    pub fn hold(&self) -> Hold {
        Hold { identity: self.node.identity(), _lock: Arc::clone(&self.lock) }
    }

    /// Removes the file unless it is to be kept, if its path still leads to the file that was seen or made here.
    ///
    /// # Errors
    /// When something else has its name now, or it cannot be removed.
    pub fn put_away(self) -> Result<(), Problem> {
        if self.kept() { Ok(()) } else { unlink(&self.node) }
    }
}

/// The whole scratch file that a run in this directory would use again: its path and header. `data_bytes` is the size
/// that it must have, if that is known.
#[must_use]
pub fn left_there(dir: &Path, data_bytes: Option<u64>) -> Option<(PathBuf, Header)> {
    numbered(dir).into_iter().find_map(|path| {
        let header = found::left_header(&path)?;
        data_bytes.is_none_or(|wanted| wanted == header.data_bytes).then_some((path, header))
    })
}

/// Where to make a file, or the one that is there.
enum Search<'a> {
    Ours(ScratchFile),
    Free(&'a Path),
}

/// Looks at all names, because one that is left over behind a free name would never be found again.
fn search<'a>(names: &'a [PathBuf], wish: &Wish) -> Result<Search<'a>, Problem> {
    let mut free = None;
    for (index, path) in names.iter().enumerate() {
        match take(path, wish, if index > 0 { Misfit::SpareKept } else { Misfit::Remove }) {
            Ok(Found::Ours(file)) => return Ok(Search::Ours(file)),
            Ok(Found::Free) => free = free.or(Some(path)),
            Ok(Found::Busy) => {}
            Err(problem) if index == 0 => return Err(problem),
            // With a number behind it the name is only one of many: whatever it is, it is left alone.
            Err(_) => {}
        }
    }
    match (free, names) {
        (Some(path), _) => Ok(Search::Free(path)),
        (None, [only]) => Err(locked(only)),
        (None, _) => Err(Problem::refused("no name is left for a scratch file")
            .at(path_text::encode(names.first().map_or(Path::new("."), PathBuf::as_path)))
            .because(format!("{MOST_FILES} of them are in use or to be kept"))
            .next("remove those that nobody needs, or use another directory")),
    }
}

fn names(place: &Path) -> Result<Vec<PathBuf>, Problem> {
    if place.is_dir() {
        return Ok(numbered(place));
    }
    if place.file_name().is_some_and(scratch::is_scratch_name) {
        return Ok(vec![place.to_owned()]);
    }
    Err(Problem::usage("a scratch file cannot have this name")
        .at(path_text::encode(place))
        .because("scratch files are recognised by their names too")
        .next("name a directory that exists, or a file called rigel-scratch*.dat"))
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
        .because("another run of Rigel works on it")
        .next("wait for it to end, or use another directory")
}

fn gone(path: &Path) -> Problem {
    Problem::refused("the scratch file of the run is not there any more")
        .at(path_text::encode(path))
        .because("a run that ends in order removes it, unless --keep-scratch was given")
        .next("start the run again; visits to another file would not be of one target")
}

fn not_ours(path: &Path) -> Problem {
    Problem::refused("the file is not a scratch file of Rigel and was not touched")
        .at(path_text::encode(path))
        .because("it has the name of one, but not what a scratch file ends with")
        .next("move it away or, if nothing in it is needed, delete it")
}

fn changed_by_another(path: &Path, offset: u64) -> Problem {
    Problem::refused("something else was written into the scratch file: it was not touched")
        .at(path_text::encode(path))
        .because(format!("the block at byte {offset} is not one that Rigel wrote"))
        .next("move the file away or, if nothing in it is needed, delete it")
}

fn not_written(path: &Path, errno: Errno) -> Problem {
    refusal("the scratch file cannot be written", path, errno)
}

/// Removes the name, if it still belongs to the pinned file.
fn unlink(node: &Node) -> Result<(), Problem> {
    if found::is_missing(node.path()) {
        return Err(Problem::refused("the scratch file is no longer where it was")
            .at(node.place())
            .because("it was moved away or removed while it was in use")
            .next("remove it by hand if it is elsewhere now"));
    }
    let now = Node::pin_no_link(node.path())?;
    if now.identity() != node.identity() {
        return Err(Problem::refused("something else has the name of the scratch file and was not touched")
            .at(node.place())
            .because("the scratch file was moved away while it was in use")
            .next("remove it by hand where it is now"));
    }
    std::fs::remove_file(node.path()).map_err(|error| {
        let problem = Problem::refused("the scratch file cannot be removed").at(node.place());
        problem.because(error.to_string()).next("remove it by hand")
    })
}

/// The header, onto the disk.
fn write_header(fd: &OwnedFd, header: &Header) -> Result<(), Errno> {
    write_all(fd, &header.encode(), header.data_bytes)?;
    fs::fsync(fd)
}

fn write_all(fd: &OwnedFd, mut bytes: &[u8], mut at: u64) -> Result<(), Errno> {
    while !bytes.is_empty() {
        match pwrite(fd, bytes, at) {
            Ok(0) => return Err(Errno::IO),
            Ok(done) => {
                bytes = &bytes[done..];
                at += done as u64;
            }
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

/// A whole block; `None` at the end of the file.
fn read_block(fd: &OwnedFd, offset: u64) -> Result<Option<[u8; BLOCK_BYTES]>, Errno> {
    let mut block = [0; BLOCK_BYTES];
    let mut have = 0;
    while have < BLOCK_BYTES {
        match pread(fd, &mut block[have..], offset + have as u64) {
            Ok(0) => return Ok(None),
            Ok(got) => have += got,
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(Some(block))
}
