//! The directory of a private server: created, locked and removed, even if its run was killed.
//!
//! The directory is locked as long as its run lives. One whose lock is free was left behind: its server is stopped, its memory, its
//! control groups and its files are removed. All of it goes through the open directory, so no name can lead elsewhere meanwhile. Must
//! not touch a directory without our mark, nor one of another user.

use super::tree;
use crate::own;
use crate::server::door;
use rigel_core::error::Problem;
use rigel_core::load::sql::Product;
use rigel_core::path_text;
use rigel_io::group;
use rustix::fs::{
    Access, AtFlags, FlockOperation, Mode, OFlags, access, fchmod, flock, fstat, mkdirat, openat, unlinkat,
};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Prefix of the names of these directories.
const NAME: &str = "rigel-sql-server";
const LOCK: &str = "rigel.lock";
/// The first line of that file.
const MARK: &str = "private server of Rigel, removed when its run is over";
/// Holds the database and the socket.
pub const DATA: &str = "data";
/// See [`DATA`].
pub const SOCKET: &str = "socket";
/// Runs in one directory at a time.
const MOST: u32 = 16;
/// The server's user passes through it; anyone who could read it could hold its lock.
const RIGHTS: Mode = Mode::from_raw_mode(0o711);

/// Whether a directory has the name of one of ours.
pub fn has_name(dir: &Path) -> bool {
    let name = dir.file_name().and_then(|name| name.to_str());
    let number = name.and_then(|name| name.strip_prefix(NAME));
    number.is_some_and(|rest| {
        rest.is_empty() || rest.strip_prefix('-').is_some_and(|n| n.parse::<u32>().is_ok())
    })
}

/// A directory of ours, locked.
#[derive(Debug)]
pub struct Home {
    pub dir: PathBuf,
    place: OwnedFd,
    name: String,
    /// The directory itself, even if its name now belongs to another; it holds the lock.
    fd: OwnedFd,
    notes: File,
    /// Removed with it, even if somebody removed the directory with the notes.
    groups: Vec<PathBuf>,
}

impl Home {
    /// Makes a directory in `place`, and removes what killed runs left there.
    pub fn make(place: &Path) -> Result<Self, Problem> {
        let (path, opened) = open(place)?;
        let mut made = None;
        // All names, so that nothing is left behind one that is free.
        for name in names() {
            remove_left(opened.as_fd(), &name);
            if made.is_none() {
                made = Self::take(&path, opened.as_fd(), name).map_err(|error| unusable(place, &error))?;
            }
        }
        made.ok_or_else(|| unusable(place, &io::Error::other(format!("{MOST} of them already exist"))))
    }

    /// `None` when the name is taken.
    fn take(path: &Path, place: BorrowedFd<'_>, name: String) -> io::Result<Option<Self>> {
        match mkdirat(place, &name, RIGHTS) {
            Err(Errno::EXIST) => return Ok(None),
            made => made?,
        }
        let Some(fd) = locked(place, &name) else { return Ok(None) };
        // The umask may have taken some away.
        fchmod(&fd, RIGHTS)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let notes = File::from(openat(&fd, LOCK, flags, Mode::from_raw_mode(0o644))?);
        let place = place.try_clone_to_owned()?;
        let mut home = Self { dir: path.join(&name), place, name, fd, notes, groups: Vec::new() };
        home.note(&format!("{MARK}\npid {}", std::process::id()))?;
        Ok(Some(home))
    }

    /// Keeps in the file what is to be removed with the directory.
    fn note(&mut self, line: &str) -> io::Result<()> {
        self.notes.write_all(format!("{line}\n").as_bytes())
    }

    /// Keeps a control group in mind.
    pub fn note_group(&mut self, dir: &Path) -> io::Result<()> {
        self.groups.push(dir.to_owned());
        self.note(&format!("group {}", dir.display()))
    }

    /// Makes a directory in it, for us alone.
    pub fn make_dir(&self, name: &str) -> io::Result<OwnedFd> {
        mkdirat(&self.fd, name, Mode::RWXU)?;
        Ok(tree::dir_at(self.fd.as_fd(), name)?)
    }

    /// A new, empty file in it, in place of an existing one.
    pub fn make_file(&self, name: &str) -> io::Result<File> {
        match unlinkat(&self.fd, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(errno) => return Err(errno.into()),
        }
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(File::from(openat(&self.fd, name, flags, Mode::from_raw_mode(0o644))?))
    }

    /// A file in it.
    pub fn read(&self, name: &str) -> io::Result<String> {
        io::read_to_string(tree::file_at(self.fd.as_fd(), name)?)
    }

    /// Visits the files of the tables, which are in this directory of the database.
    pub fn each_table(&self, dir: &str, work: &mut dyn FnMut(File) -> io::Result<()>) -> io::Result<()> {
        let data = tree::dir_at(self.fd.as_fd(), DATA)?;
        tree::each_file(tree::dir_at(data.as_fd(), dir)?.as_fd(), work)
    }

    /// Removes it, with its server and its groups, if they are still there.
    pub fn remove(&self) -> Result<(), Problem> {
        let cleared = clear(self.place.as_fd(), &self.name, self.fd.as_fd());
        self.groups.iter().for_each(|dir| group::remove(dir));
        cleared.map_err(|error| {
            Problem::refused("the directory of the private server cannot be removed")
                .at(path_text::encode(&self.dir))
                .because(error.to_string())
                .next("remove it by hand; the next run in this directory tries again")
        })
    }
}

fn names() -> impl Iterator<Item = String> {
    (1..=MOST).map(|number| if number == 1 { NAME.to_owned() } else { format!("{NAME}-{number}") })
}

/// The directory for one of ours, and its path.
fn open(place: &Path) -> Result<(PathBuf, OwnedFd), Problem> {
    let path = place.canonicalize().map_err(|error| unusable(place, &error))?;
    check_own(&path)?;
    let opened = rustix::fs::open(&path, tree::DIRECTORY, Mode::empty());
    let opened = opened.map_err(|errno| unusable(place, &errno.into()))?;
    Ok((path, opened))
}

/// Refuses a place where this user may create nothing, before anything is planned for it.
pub fn check_writable(place: &Path) -> Result<(), Problem> {
    access(place, Access::WRITE_OK | Access::EXEC_OK).map_err(|errno| unusable(place, &errno.into()))
}

fn unusable(place: &Path, error: &io::Error) -> Problem {
    Problem::refused("a directory for the private server cannot be created")
        .at(path_text::encode(place))
        .because(error.to_string())
        .next("name a writable directory on the storage to measure")
}

/// Removes all that killed runs left there.
pub fn remove_all_left(place: &Path) -> Result<(), Problem> {
    let (_, opened) = open(place)?;
    names().for_each(|name| remove_left(opened.as_fd(), &name));
    Ok(())
}

/// Whether a directory contains one of ours.
pub fn is_used(place: &Path) -> bool {
    names().any(|name| place.join(name).exists())
}

/// Others must not be able to change what root creates and removes: they could replace it.
pub fn check_own(place: &Path) -> Result<(), Problem> {
    let Some(dir) = own::of_others(place, None) else { return Ok(()) };
    Err(Problem::refused("Rigel as root does not create a private server where other users can rename it")
        .at(path_text::encode(place))
        .because(format!("users other than root may write to {}", path_text::encode(dir)))
        .next("name a directory that root owns along with all its parents, or run Rigel as the owner of this one"))
}

/// The directory of that name, if it is ours and nobody else holds it.
fn locked(place: BorrowedFd<'_>, name: &str) -> Option<OwnedFd> {
    let fd = tree::dir_at(place, name).ok()?;
    let ours = fstat(&fd).is_ok_and(|found| found.st_uid == geteuid().as_raw());
    let locked = ours && flock(&fd, FlockOperation::NonBlockingLockExclusive).is_ok();
    // Another run may have removed it, and made it again, before we had the lock.
    (locked && tree::is_still(place, name, fd.as_fd())).then_some(fd)
}

/// Removes a directory that a killed run left behind. If there is any doubt, it stays.
fn remove_left(place: BorrowedFd<'_>, name: &str) {
    let Some(fd) = locked(place, name) else { return };
    let Ok(file) = tree::file_at(fd.as_fd(), LOCK) else {
        // A run that was killed before it had its file leaves an empty directory; a full one is not removed so.
        let _ = unlinkat(place, name, AtFlags::REMOVEDIR);
        return;
    };
    let ours = file.metadata().is_ok_and(|found| found.uid() == geteuid().as_raw());
    let Some(text) = io::read_to_string(file).ok().filter(|text| ours && text.starts_with(MARK)) else {
        return;
    };
    let _ = clear(place, name, fd.as_fd());
    text.lines().filter_map(|line| line.strip_prefix("group ")).for_each(|dir| group::remove(Path::new(dir)));
}

/// Stops the server of a directory of ours, and removes the directory, the mark at last.
fn clear(place: BorrowedFd<'_>, name: &str, home: BorrowedFd<'_>) -> io::Result<()> {
    // Whatever product it had: the run that removes it may be one of another.
    Product::ALL.iter().for_each(|product| door(*product).kit().clear(home));
    tree::empty(home, LOCK)?;
    match unlinkat(home, LOCK, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => {}
        Err(errno) => return Err(errno.into()),
    }
    if !tree::is_still(place, name, home) {
        // Gone already, or something else has the name: that is not ours.
        return match fstat(home)?.st_nlink {
            0 => Ok(()),
            _ => Err(io::Error::other("it was renamed while the server ran, and is empty now")),
        };
    }
    match unlinkat(place, name, AtFlags::REMOVEDIR) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::thread;
    use std::time::Duration;

    /// The name leads elsewhere by the time everything is removed.
    #[test]
    fn a_link_in_the_place_of_the_directory_leads_nowhere() {
        let (place, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(other.path().join("precious"), "x").unwrap();
        let home = Home::make(place.path()).unwrap();
        home.make_dir(DATA).unwrap();
        symlink(other.path(), home.dir.join(DATA).join("link")).unwrap();
        fs::rename(&home.dir, place.path().join("moved")).unwrap();
        symlink(other.path(), &home.dir).unwrap();
        drop(home.make_file("log").unwrap());
        let told = home.remove().unwrap_err().to_string();
        assert!(told.contains("it was renamed"), "{told}");
        assert!(other.path().join("precious").exists() && !other.path().join("log").exists());
        assert_eq!(fs::read_dir(place.path().join("moved")).unwrap().count(), 0);
        // The same before a run begins.
        fs::write(other.path().join(LOCK), format!("{MARK}\n")).unwrap();
        let next = Home::make(place.path()).unwrap();
        assert!(next.dir.ends_with("rigel-sql-server-2") && other.path().join("precious").exists());
        next.remove().unwrap();
    }

    #[test]
    fn a_directory_that_is_gone_is_removed() {
        let place = tempfile::tempdir().unwrap();
        let home = Home::make(place.path()).unwrap();
        fs::remove_dir_all(&home.dir).unwrap();
        home.remove().unwrap();
        // And a new one of that name is not the one that is locked.
        fs::create_dir(&home.dir).unwrap();
        home.remove().unwrap();
        assert!(home.dir.exists());
    }

    #[test]
    fn where_nothing_may_be_created_nothing_is_planned() {
        let place = tempfile::tempdir().unwrap();
        check_writable(place.path()).unwrap();
        let told = |place: &Path| check_writable(place).map_err(|problem| problem.to_string());
        assert!(told(&place.path().join("none")).unwrap_err().contains("name a writable directory"));
        fs::set_permissions(place.path(), fs::Permissions::from_mode(0o555)).unwrap();
        // Root may.
        assert_eq!(told(place.path()).is_ok(), geteuid().is_root());
    }

    #[test]
    fn where_others_may_rename_root_makes_nothing() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().canonicalize().unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).unwrap();
        let told = Home::make(&path).map_err(|problem| problem.to_string());
        match geteuid().is_root() {
            true => assert!(told.unwrap_err().contains("users other than root may write to")),
            false => told.unwrap().remove().unwrap(),
        }
    }

    #[test]
    fn what_a_killed_run_left_is_removed_and_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        let first = Home::make(place.path()).unwrap();
        assert!(first.dir.ends_with(NAME));
        assert_eq!(fs::metadata(&first.dir).unwrap().mode() & 0o7777, 0o711, "no stranger may lock it");
        let second = Home::make(place.path()).unwrap();
        assert!(second.dir.ends_with("rigel-sql-server-2"), "the first one is locked");
        fs::create_dir_all(second.dir.join("data/base")).unwrap();
        fs::write(second.dir.join("data/base/1"), "x").unwrap();
        fs::write(second.dir.join("log"), "x").unwrap();
        // Killed: the lock is gone, the directory is not.
        drop(second);
        // A database of the user's own, by chance of that name.
        fs::create_dir_all(at("rigel-sql-server-3/data")).unwrap();
        fs::create_dir_all(at("rigel-sql-server-4")).unwrap();
        fs::write(at("rigel-sql-server-4").join(LOCK), "something else\n").unwrap();
        // A program that another test starts holds the lock from its fork to its exec.
        let try_again = |_: u32| {
            let home = Home::make(place.path()).unwrap();
            if home.dir.ends_with("rigel-sql-server-2") {
                return Some(home);
            }
            home.remove().unwrap();
            thread::sleep(Duration::from_millis(20));
            None
        };
        let third = (0..100).find_map(try_again).unwrap();
        assert!(!third.dir.join("log").exists() && third.dir.join(LOCK).exists());
        assert!(at("rigel-sql-server-3/data").exists() && at("rigel-sql-server-4").join(LOCK).exists());
        fs::create_dir(at("rigel-sql-server-5")).unwrap();
        fs::write(at("rigel-sql-server-5").join(LOCK), "").unwrap();
        drop(Home::make(place.path()).unwrap());
        assert!(at("rigel-sql-server-5").join(LOCK).exists(), "an empty file is not our mark");
        first.remove().unwrap();
        third.remove().unwrap();
        assert!(!at(NAME).exists() && !at("rigel-sql-server-2").exists());
    }
}
