//! The targets of a fill: an existing device or file, a new file, or a scratch file for a directory.
//!
//! Must not write, nor open anything for writing.

use crate::commands::answer::answering;
use rigel_core::error::Problem;
use rigel_core::facts::{Identity, MemoryReason, TargetFacts, TargetKind};
use rigel_core::guard::scratch::{BLOCK_BYTES, is_scratch_name};
use rigel_core::load::request::DEFAULT_IO_TIMEOUT;
use rigel_core::path_text::encode;
use rigel_core::units::Bytes;
use rigel_io::targets::fill::SIZE;
use rigel_io::targets::inspect::{InspectedTarget, Snapshot, directory_facts, inspect_any};
use rigel_io::targets::no_path;
use rigel_io::targets::scratch::{dir_of, header_at};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub enum Place {
    /// A device or a file. A file may be shorter.
    There { facts: Box<TargetFacts>, bytes: u64 },
    /// A file that will be made.
    New { path: PathBuf, bytes: u64 },
    /// A scratch file, or the directory that gets one.
    Scratch { path: PathBuf, bytes: u64 },
}

/// Two places with the same one are one.
#[derive(Debug, PartialEq, Eq)]
enum Key {
    Node(TargetKind, Identity),
    Path(PathBuf),
}

impl Place {
    /// Finds out what a path leads to, and how much would be filled.
    pub fn find(path: &Path, size: Option<Bytes>) -> Result<Self, Problem> {
        let metadata = std::fs::metadata(path);
        if metadata.as_ref().is_ok_and(std::fs::Metadata::is_dir) {
            check_not_memory(path)?;
            return Ok(Self::Scratch { path: path.to_owned(), bytes: needed(path, size)? });
        }
        // A link to a scratch file stands for it: its trailer is no place for data.
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if let Some(header) = header_at(&real) {
            let path = if path.is_symlink() { &real } else { path };
            let bytes = size.map_or(header.data_bytes, |size| size.0);
            if bytes != header.data_bytes {
                return Err(of_another_size(path, header.data_bytes));
            }
            return Ok(Self::Scratch { path: path.to_owned(), bytes });
        }
        if metadata.is_err_and(|error| error.kind() == ErrorKind::NotFound) {
            check_is_a_name(path)?;
            check_not_memory(dir_of(path))?;
            let (path, bytes) = (path.to_owned(), needed(path, size)?);
            let is_scratch = path.file_name().is_some_and(is_scratch_name);
            return Ok(if is_scratch { Self::Scratch { path, bytes } } else { Self::New { path, bytes } });
        }
        let facts = answering(path, DEFAULT_IO_TIMEOUT, || {
            inspect_any(path, &Snapshot::take()).map(InspectedTarget::into_facts)
        })?;
        let bytes = size_of(&facts, path, size)?;
        Ok(Self::There { facts: Box::new(facts), bytes })
    }

    /// The facts about the existing target.
    pub fn facts(&self) -> Option<&TargetFacts> {
        match self {
            Self::There { facts, .. } => Some(facts),
            Self::New { .. } | Self::Scratch { .. } => None,
        }
    }

    fn key(&self) -> Key {
        match self {
            Self::There { facts, .. } => Key::Node(facts.kind, facts.identity),
            Self::New { path, .. } | Self::Scratch { path, .. } => {
                let dir = dir_of(path).canonicalize().unwrap_or_else(|_| dir_of(path).to_owned());
                let by_name = path.file_name().map_or(dir.clone(), |name| dir.join(name));
                Key::Path(path.canonicalize().unwrap_or(by_name))
            }
        }
    }
}

/// Refuses a target that is named twice, also under different names.
pub fn check_distinct(names: &[PathBuf], places: &[Place]) -> Result<(), Problem> {
    let keys: Vec<Key> = places.iter().map(Place::key).collect();
    for (index, key) in keys.iter().enumerate() {
        if let Some(earlier) = keys[..index].iter().position(|other| other == key) {
            return Err(Problem::usage("a target is named twice")
                .at(format!("{} and {}", encode(&names[earlier]), encode(&names[index])))
                .because("both lead to the same file, device or directory")
                .next("name it once"));
        }
    }
    Ok(())
}

/// A file with such a name was hardly intended: a name of ASM, an operand of dd. With its directory, as in `./+DATA`, it was.
fn check_is_a_name(path: &Path) -> Result<(), Problem> {
    let name = encode(path);
    match no_path::in_command(&name).filter(|_| !name.starts_with(['/', '.'])) {
        Some((cause, next)) => Err(Problem::refused("there is no such target")
            .at(name.clone())
            .because(cause)
            .next(format!("{next}; a new file of this name is ./{name}"))),
        None => Ok(()),
    }
}

/// A file in memory is not storage, and takes memory from everything else. A mistyped name in /dev would be one.
fn check_not_memory(dir: &Path) -> Result<(), Problem> {
    match directory_facts(dir, &Snapshot::take())?.memory() {
        Some(MemoryReason::Filesystem(name) | MemoryReason::Layer(name)) => {
            Err(Problem::refused("no file is created in memory")
                .at(encode(dir))
                .because(format!(
                    "its filesystem is {name}: it is not storage, and the file would use up memory"
                ))
                .next("name a directory on a disk, or check the spelling of a device"))
        }
        _ => Ok(()),
    }
}

fn needed(path: &Path, size: Option<Bytes>) -> Result<u64, Problem> {
    size.map(|size| size.0).ok_or_else(|| {
        Problem::usage("the size of the file is missing")
            .at(encode(path))
            .next("give a size well above the caches, such as --size 4G")
    })
}

/// How much will be filled: all of the target, or more of a file.
fn size_of(facts: &TargetFacts, path: &Path, size: Option<Bytes>) -> Result<u64, Problem> {
    let there = facts.size_bytes;
    if facts.kind != TargetKind::File {
        return match size {
            None => Ok(there),
            Some(_) => Err(Problem::usage("a device is always filled completely")
                .at(SIZE)
                .because(format!("{} has {}", facts.path, Bytes(there)))
                .next("leave out --size, which is for files")),
        };
    }
    if there == 0 || size.is_some() {
        let wanted = needed(path, size)?;
        return if wanted >= there { Ok(wanted) } else { Err(shorter(facts, wanted)) };
    }
    let whole = there.next_multiple_of(BLOCK_BYTES as u64);
    if whole == there {
        return Ok(there);
    }
    Err(Problem::refused(format!("a file of {there} bytes cannot be filled"))
        .at(facts.path.as_str())
        .because(format!("direct writes need blocks of {BLOCK_BYTES} bytes"))
        .next(format!("make it longer with --size {whole}, or name another file")))
}

fn shorter(facts: &TargetFacts, wanted: u64) -> Problem {
    Problem::usage("a fill does not make a file shorter")
        .at(facts.path.as_str())
        .because(format!("it has {}, but {} were requested", Bytes(facts.size_bytes), Bytes(wanted)))
        .next("leave out --size, or name another file")
}

fn of_another_size(path: &Path, data_bytes: u64) -> Problem {
    Problem::refused("the existing scratch file has another size")
        .at(encode(path))
        .because(format!("it has {} of data", Bytes(data_bytes)))
        .next("leave out --size, delete the file if you do not need it, or name its directory to create another one")
}
