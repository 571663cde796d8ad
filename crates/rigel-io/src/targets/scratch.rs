//! Scratch files: made, recognised and removed. The format is `rigel_core::scratch`.
//!
//! A file that is not ours is never touched, whatever it is called. The header is written last, so that a fill that
//! was cut short is not taken for whole. Must not choose the size.

use super::aligned::AlignedBuffer;
use super::errno::{self, patiently, refusal};
use super::node::Node;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::TargetKind;
use rigel_core::path_text;
use rigel_core::scratch::{self, BLOCK_BYTES, FILE_NAME, Header};
use rigel_core::units::{Bytes, MIB};
use rustix::fs::{self, FallocateFlags, FlockOperation, Mode, OFlags};
use rustix::io::{Errno, pread, pwrite};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

const BLOCK: u64 = BLOCK_BYTES as u64;
/// Bytes of one write of the fill.
const PIECE: u64 = 4 * MIB;

/// A whole scratch file. It stays when this is dropped; [`ScratchFile::remove`] removes it.
#[derive(Debug)]
pub struct ScratchFile {
    node: Node,
    header: Header,
    reused: bool,
}

impl ScratchFile {
    /// Fills a new scratch file, or takes the one of the same size that is there. `place` is a directory, or the path
    /// of a file called `rigel-scratch*.dat`. `progress` is told bytes done and bytes to do; when `stop` becomes true
    /// the fill ends, and nothing is left of it.
    ///
    /// # Errors
    /// When there is too little space, a file that is not ours has the name, the disk fails, or `stop` was set.
    pub fn create(
        place: &Path,
        size_bytes: u64,
        seed: u64,
        progress: &mut dyn FnMut(u64, u64),
        stop: &AtomicBool,
    ) -> Result<Self, Problem> {
        let path = file_path(place)?;
        if !size_bytes.is_multiple_of(BLOCK) || size_bytes < 2 * BLOCK {
            let problem = Problem::usage(format!("a scratch file cannot have {size_bytes} bytes"));
            return Err(problem.next(format!("choose a multiple of {BLOCK} of at least {}", 2 * BLOCK)));
        }
        let header = Header { size_bytes, seed };
        if let Some(found) = take_existing(&path, size_bytes)? {
            return Ok(found);
        }
        let fresh = Fresh::create(&path, size_bytes)?;
        fresh.fill(&header, progress, stop)?;
        fresh.finish(&header)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.node.path()
    }

    /// Its whole size.
    #[must_use]
    pub const fn size_bytes(&self) -> u64 {
        self.header.size_bytes
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

    /// Writes the header again: a run that wrote to the file has overwritten it, and without it no later run would
    /// know the file for ours. To be called when nothing writes to it any more, if the file is to be kept.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn renew_header(&self) -> Result<(), Problem> {
        let fd = self.node.open(OFlags::WRONLY).map_err(|errno| not_written(self.path(), errno))?;
        write_all(&fd, &self.header.encode(), 0)
            .and_then(|()| fs::fsync(&fd))
            .map_err(|errno| not_written(self.path(), errno))
    }

    /// Removes the file, if its path still leads to the file whose header was seen or written here.
    ///
    /// # Errors
    /// When something else has its name now, or it cannot be removed.
    pub fn remove(self) -> Result<(), Problem> {
        unlink(&self.node)
    }
}

/// Removes a scratch file that is recognised by name and header.
///
/// # Errors
/// When it is not ours, another run works on it, or it cannot be removed.
pub fn remove(path: &Path) -> Result<(), Problem> {
    let node = Node::pin_no_link(path)?;
    if recognise(&node) != Some(Found::Whole) {
        return Err(not_ours(path));
    }
    let _lock = lock_alone(&node)?;
    unlink(&node)
}

/// Whether a target is a whole scratch file of ours, by name and header.
pub(crate) fn is_ours(node: &Node) -> bool {
    recognise(node) == Some(Found::Whole)
}

fn file_path(place: &Path) -> Result<PathBuf, Problem> {
    if place.is_dir() {
        return Ok(place.join(FILE_NAME));
    }
    if place.file_name().is_some_and(scratch::is_scratch_name) {
        return Ok(place.to_owned());
    }
    Err(Problem::usage("a scratch file cannot have this name")
        .at(path_text::encode(place))
        .because("scratch files are recognised by their names too")
        .next("name a directory that exists, or a file called rigel-scratch*.dat"))
}

/// What a file turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Whole,
    /// Its fill was cut short: no header yet, but our blocks.
    Unfinished,
}

/// Ours or not, judged by what it is really called and by what it holds.
fn recognise(node: &Node) -> Option<Found> {
    if node.kind() != TargetKind::File || !node.real_path().file_name().is_some_and(scratch::is_scratch_name)
    {
        return None;
    }
    let fd = node.open(OFlags::RDONLY).ok()?;
    let size = u64::try_from(node.stat().st_size).ok()?;
    let first = read_block(&fd, 0)?;
    match Header::decode(&first) {
        Ok(header) if header.size_bytes == size => return Some(Found::Whole),
        Ok(_) => return None,
        Err(_) => {}
    }
    // The first block that a fill writes proves itself: all of it follows from its stamp.
    let second = read_block(&fd, BLOCK)?;
    let (_, seed) = scratch::stamp(&second)?;
    let ours = first.iter().all(|&byte| byte == 0) && scratch::check_block(seed, BLOCK, &second).is_ok();
    ours.then_some(Found::Unfinished)
}

fn read_block(fd: &OwnedFd, offset: u64) -> Option<[u8; BLOCK_BYTES]> {
    let mut block = [0; BLOCK_BYTES];
    let mut have = 0;
    while have < BLOCK_BYTES {
        match pread(fd, &mut block[have..], offset + have as u64) {
            Ok(0) => return None,
            Ok(got) => have += got,
            Err(Errno::INTR) => {}
            Err(_) => return None,
        }
    }
    Some(block)
}

/// The file that is already there: reused when it fits, removed when it is ours and does not, refused otherwise.
fn take_existing(path: &Path, size_bytes: u64) -> Result<Option<ScratchFile>, Problem> {
    if std::fs::symlink_metadata(path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
        return Ok(None);
    }
    let node = Node::pin_no_link(path)?;
    let Some(found) = recognise(&node) else { return Err(not_ours(path)) };
    let _lock = lock_alone(&node)?;
    let header =
        node.open(OFlags::RDONLY).ok().and_then(|fd| read_block(&fd, 0)).map(|block| Header::decode(&block));
    match (found, header) {
        (Found::Whole, Some(Ok(header))) if header.size_bytes == size_bytes => {
            Ok(Some(ScratchFile { node, header, reused: true }))
        }
        _ => unlink(&node).map(|()| None),
    }
}

fn not_ours(path: &Path) -> Problem {
    Problem::refused("the file is not a scratch file of Rigel and was not touched")
        .at(path_text::encode(path))
        .because("it has no whole header; a run that wrote to it may have been cut short")
        .next("move it away or, if nothing in it is needed, delete it")
}

fn not_written(path: &Path, errno: Errno) -> Problem {
    refusal("the scratch file cannot be written", path, errno)
}

/// Held by whoever works on the file.
fn lock_alone(node: &Node) -> Result<OwnedFd, Problem> {
    let fd = node.open_to_read()?;
    match patiently(Errno::WOULDBLOCK, || fs::flock(&fd, FlockOperation::NonBlockingLockExclusive)) {
        Err(Errno::WOULDBLOCK) => Err(Problem::refused("the scratch file is locked")
            .at(node.place())
            .because("another run of Rigel works on it")
            .next("wait for it to end, or use another directory")),
        // A filesystem without locks cannot tell.
        _ => Ok(fd),
    }
}

/// Removes the name, if it still belongs to the pinned file.
fn unlink(node: &Node) -> Result<(), Problem> {
    let now = Node::pin_no_link(node.path())?;
    if now.identity() != node.identity() {
        return Err(not_ours(node.path()));
    }
    std::fs::remove_file(node.path()).map_err(|error| {
        let problem = Problem::refused("the scratch file cannot be removed").at(node.place());
        problem.because(error.to_string()).next("remove it by hand")
    })
}

/// A file that is being filled; removed unless it is finished.
struct Fresh {
    node: Option<Node>,
    fd: OwnedFd,
    path: PathBuf,
}

impl Fresh {
    fn create(path: &Path, size_bytes: u64) -> Result<Self, Problem> {
        check_room(path, size_bytes)?;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        // Without O_DIRECT: some filesystems would create the file, then refuse the open and leave it behind.
        let created = fs::open(path, flags, Mode::RUSR | Mode::WUSR);
        let fd = created.map_err(|errno| refusal("the scratch file cannot be made", path, errno))?;
        let node = Node::pin_no_link(path)?;
        // Nobody else can hold it yet; where locks do not work it stays unlocked.
        let _ = fs::flock(&fd, FlockOperation::NonBlockingLockExclusive);
        let fresh = Self { node: Some(node), fd, path: path.to_owned() };
        // One extent where that can be had, and no surprise about space later.
        match fs::fallocate(&fresh.fd, FallocateFlags::empty(), 0, size_bytes) {
            Err(errno @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG | Errno::IO)) => {
                Err(no_room(path, size_bytes, errno))
            }
            // Not every filesystem can; the writes will allocate.
            _ => Ok(fresh),
        }
    }

    fn fill(
        &self,
        header: &Header,
        progress: &mut dyn FnMut(u64, u64),
        stop: &AtomicBool,
    ) -> Result<(), Problem> {
        let direct = self.node.as_ref().and_then(|node| node.open(OFlags::RDWR | OFlags::DIRECT).ok());
        let fd = direct.as_ref().unwrap_or(&self.fd);
        let mut buffer = AlignedBuffer::new(usize::try_from(PIECE).unwrap_or(usize::MAX));
        let mut at = 0;
        while at < header.size_bytes {
            if stop.load(Ordering::Relaxed) {
                let problem = Problem::new(ExitKind::CutShort, "the fill of the scratch file was stopped");
                return Err(problem
                    .at(path_text::encode(&self.path))
                    .next("nothing is left of it; start again"));
            }
            let len = PIECE.min(header.size_bytes - at);
            let piece = &mut buffer.bytes()[..usize::try_from(len).unwrap_or(usize::MAX)];
            let mut offset = at;
            for block in piece.chunks_exact_mut(BLOCK_BYTES) {
                // Zeros until everything else is there.
                if offset > 0 {
                    scratch::block(header.seed, offset, block);
                }
                offset += BLOCK;
            }
            write_all(fd, piece, at).map_err(|errno| self.failed(header.size_bytes, at, errno))?;
            at += len;
            progress(at, header.size_bytes);
        }
        fs::fsync(fd).map_err(|errno| self.failed(header.size_bytes, at, errno))
    }

    /// Only now, with everything else on the disk, the header.
    fn finish(mut self, header: &Header) -> Result<ScratchFile, Problem> {
        write_all(&self.fd, &header.encode(), 0)
            .and_then(|()| fs::fsync(&self.fd))
            .map_err(|errno| self.failed(header.size_bytes, 0, errno))?;
        // Pinned again, for its final size.
        let node = Node::pin_no_link(&self.path)?;
        self.node = None;
        Ok(ScratchFile { node, header: *header, reused: false })
    }

    fn failed(&self, size_bytes: u64, at: u64, errno: Errno) -> Problem {
        match errno {
            Errno::NOSPC | Errno::DQUOT | Errno::FBIG => no_room(&self.path, size_bytes, errno),
            _ => refusal(&format!("the scratch file cannot be written at byte {at}"), &self.path, errno),
        }
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        if let Some(node) = &self.node {
            // Nothing can be told from here; what could not be removed is seen at the next start.
            let _ = unlink(node);
        }
    }
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

/// Bytes that this user may still take on the filesystem of a directory or file.
///
/// # Errors
/// When it cannot be asked.
pub fn free_bytes(place: &Path) -> Result<u64, Problem> {
    let answer =
        fs::statvfs(place).map_err(|errno| refusal("the free space cannot be found out", place, errno))?;
    Ok(answer.f_bavail.saturating_mul(answer.f_frsize))
}

fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn check_room(path: &Path, size_bytes: u64) -> Result<(), Problem> {
    // A write beyond this limit does not fail: it kills the process.
    let limit = rustix::process::getrlimit(rustix::process::Resource::Fsize).current;
    if limit.is_some_and(|limit| limit < size_bytes) {
        return Err(no_room(path, size_bytes, Errno::FBIG));
    }
    if free_bytes(directory_of(path))? < size_bytes {
        Err(no_room(path, size_bytes, Errno::NOSPC))
    } else {
        Ok(())
    }
}

fn no_room(path: &Path, size_bytes: u64, errno: Errno) -> Problem {
    let problem = Problem::refused("there is no room for the scratch file").at(path_text::encode(path));
    let needed = Bytes(size_bytes);
    match errno {
        Errno::NOSPC => {
            let free = free_bytes(directory_of(path))
                .map_or_else(|_| "?".to_owned(), |free| Bytes(free).to_string());
            problem
                .because(format!("{needed} are needed, {free} are free"))
                .next("free space, choose a smaller size, or another directory")
        }
        Errno::DQUOT => problem
            .because(format!("{needed} are needed, which is more than this user's quota allows"))
            .next("choose a smaller size, or another directory"),
        Errno::FBIG => problem
            .because(format!("{needed} are needed, which is more than a file may have here"))
            .next("raise the limit (ulimit -f), or choose a smaller size"),
        errno => problem.because(errno::text(errno)).next("choose another directory"),
    }
}
