//! The roots of procfs and sysfs, and the reading of their small files. The roots can lie in a tree that was captured
//! on another machine, or in one made up by a test.
//!
//! A value that cannot be read is left out, never guessed. Must not change a setting.

use rigel_core::path_text;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The location of the kernel's files.
#[derive(Clone, Debug)]
pub(crate) struct System {
    /// The mount point of procfs.
    pub proc: PathBuf,
    /// The mount point of sysfs.
    pub sys: PathBuf,
    /// A directory with device-mapper tables as text, `NAME.table` and `NAME.status`; `None` asks the kernel.
    pub mapper: Option<PathBuf>,
}

impl Default for System {
    fn default() -> Self {
        Self { proc: "/proc".into(), sys: "/sys".into(), mapper: None }
    }
}

impl System {
    /// This host if `root` is `/`, otherwise a tree that looks like one.
    pub(crate) fn at(root: &Path) -> Self {
        let live = root == Path::new("/");
        let mapper = (!live).then(|| root.join("mapper"));
        Self { proc: root.join("proc"), sys: root.join("sys"), mapper }
    }

    /// Whether paths in its tables can be followed: only those of the running host can.
    pub(crate) const fn is_this_host(&self) -> bool {
        self.mapper.is_none()
    }

    /// A number from /proc/sys.
    pub(crate) fn sysctl<T: FromStr>(&self, name: &str) -> Option<T> {
        value(&self.proc.join("sys").join(name))
    }

    /// Maps a path below `/sys`, as the kernel writes it, into this tree.
    pub(crate) fn of_sys(&self, absolute: &Path) -> Option<PathBuf> {
        absolute.strip_prefix("/sys").ok().map(|rest| self.sys.join(rest))
    }
}

/// A file of the kernel without its last newline. Blanks stay, because a name may end in one.
pub(crate) fn read(file: &Path) -> Option<Vec<u8>> {
    let mut bytes = std::fs::read(file).ok()?;
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    }
    Some(bytes)
}

/// The text of a file, printable and trimmed; `None` if it is empty.
pub(crate) fn text(file: &Path) -> Option<String> {
    Some(path_text::encode_os(OsStr::from_bytes(read(file)?.trim_ascii()))).filter(|text| !text.is_empty())
}

/// The word in brackets of `none [mq-deadline]`, which the kernel marks as chosen; the whole text without brackets.
pub(crate) fn chosen_word(list: &str) -> String {
    let bracketed = list.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    bracketed.map_or(list, |(word, _)| word).to_owned()
}

pub(crate) fn value<T: FromStr>(file: &Path) -> Option<T> {
    std::str::from_utf8(&read(file)?).ok()?.trim().parse().ok()
}

/// The entries of a directory that are named `prefix` and a number, in the order of the numbers.
pub(crate) fn numbered(dir: &Path, prefix: &str) -> Vec<(u32, PathBuf)> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let number = |path: &Path| path.file_name()?.to_str()?.strip_prefix(prefix)?.parse().ok();
    let mut found: Vec<(u32, PathBuf)> =
        entries.filter_map(|entry| Some((number(&entry.path())?, entry.path()))).collect();
    found.sort();
    found
}
