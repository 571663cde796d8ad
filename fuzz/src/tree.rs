//! A tree of sysfs, procfs and tables of the device mapper out of text, in the form that `capture.sh` prints: `F PATH` and the lines of the
//! file behind a tab, `D PATH`, `L FROM TO`.
//!
//! Takes any text: what cannot be made is left out. Must not make anything outside its root.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// A tree of more entries takes longer to make than to read.
const MOST_ENTRIES: usize = 1000;

/// Makes it below a directory.
pub fn unpack(text: &[u8], root: &Path) {
    let mut file: Option<File> = None;
    for line in text.split(|&byte| byte == b'\n').take(MOST_ENTRIES) {
        if let Some(content) = line.strip_prefix(b"\t") {
            if let Some(file) = &mut file {
                let _ = file.write_all(content).and_then(|()| file.write_all(b"\n"));
            }
            continue;
        }
        let Some((kind, rest)) = line.split_first() else { continue };
        let rest = rest.strip_prefix(b" ").unwrap_or(rest);
        match kind {
            b'F' => {
                file = below(rest, root)
                    .and_then(|place| OpenOptions::new().append(true).create(true).open(place).ok())
            }
            b'D' => drop(below(rest, root).map(fs::create_dir_all)),
            b'L' => link(rest, root),
            _ => {}
        }
    }
}

/// Both ends of a link lie in the tree.
fn link(rest: &[u8], root: &Path) {
    let mut words = rest.splitn(2, |&byte| byte == b' ');
    let (Some(from), Some(to)) = (words.next(), words.next()) else { return };
    if let (Some(from), Some(to)) = (below(from, root), below(to, root)) {
        let _ = symlink(to, from);
    }
}

/// The place of a path, with the directories above it.
fn below(path: &[u8], root: &Path) -> Option<PathBuf> {
    let mut place = root.to_owned();
    for part in path.split(|&byte| byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => return None,
            part => place.push(std::ffi::OsStr::from_bytes(part)),
        }
    }
    if place == root {
        return None;
    }
    fs::create_dir_all(place.parent()?).ok()?;
    Some(place)
}
