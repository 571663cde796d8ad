//! Where a file of an overlay really lies: on one of the directories that the overlay is made of, by the options of its
//! mount.
//!
//! Those paths are of the namespace that mounted it and may be another directory here, as in a container. So a layer
//! counts only if it shows that it is the one, and nothing is said otherwise. Must not judge.

use super::snapshot::Snapshot;
use crate::mounts::Mount;
use crate::targets::node::{Node, mount_id};
use rigel_core::path_text;
use rustix::fs::{self, FileType, Mode, OFlags, Stat};
use std::ffi::OsString;
use std::os::fd::AsFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Overlays on one another that are followed; the kernel stacks two.
const MOST: usize = 4;

/// A file or directory, as it shows itself.
#[derive(Debug)]
pub(super) struct Place {
    pub path: PathBuf,
    /// Number of its mount.
    pub mount: Option<u64>,
    pub stat: Stat,
}

impl Place {
    fn at(path: PathBuf, flags: OFlags) -> Option<Self> {
        let fd = fs::open(&path, OFlags::PATH | OFlags::CLOEXEC | flags, Mode::empty()).ok()?;
        let stat = fs::fstat(&fd).ok()?;
        Some(Self { path: path.canonicalize().unwrap_or(path), mount: mount_id(fd.as_fd()), stat })
    }

    /// Of a pinned file.
    pub(super) fn of(node: &Node) -> Self {
        Self { path: node.real_path(), mount: node.mount_id(), stat: node.stat }
    }

    fn is_directory(&self) -> bool {
        FileType::from_raw_mode(self.stat.st_mode) == FileType::Directory
    }
}

/// The same place below every overlay; `None` if there is no overlay, or a layer cannot be found from here.
pub(super) fn below(place: &Place, snapshot: &Snapshot) -> Option<Place> {
    let overlay = |place: &Place| {
        let mount = snapshot.mount_of(place.mount, &place.path).map(|(mount, _)| mount);
        mount.filter(|mount| mount.filesystem == "overlay")
    };
    let mut at = in_layer(overlay(place)?, place)?;
    for _ in 1..MOST {
        match overlay(&at) {
            None => return Some(at),
            Some(mount) => at = in_layer(mount, &at)?,
        }
    }
    None
}

/// Where the layers of an overlay have a place: for a directory the upper one, which gets each new file.
fn in_layer(mount: &Mount, place: &Place) -> Option<Place> {
    let layers = Layers::of(&mount.options);
    let upper = layers.upper_directory();
    if place.is_directory() {
        return upper;
    }
    let inside = mount.root.strip_prefix("/").ok()?.join(place.path.strip_prefix(&mount.mount_point).ok()?);
    let file = |layer: &Path| {
        let found = Place::at(layer.join(&inside), OFlags::NOFOLLOW)?;
        (FileType::from_raw_mode(found.stat.st_mode) == FileType::RegularFile).then_some(found)
    };
    let above = upper.and_then(|upper| file(&upper.path));
    // A file in use may change between two looks, but its number stays.
    let above = above.filter(|found| is_same(found, place) || found.stat.st_ino == place.stat.st_ino);
    above.or_else(|| layers.lower.iter().filter_map(|layer| file(layer)).find(|found| is_same(found, place)))
}

/// Whether an overlay would show this file as that one: it passes on the attributes of the file with the data, so one
/// with metadata only (`metacopy`) does not count.
fn is_same(found: &Place, shown: &Place) -> bool {
    let of = |place: &Place| {
        let stat = &place.stat;
        (stat.st_size, stat.st_blocks, stat.st_mtime, stat.st_mtime_nsec)
    };
    of(found) == of(shown)
}

/// The directories of an overlay.
#[derive(Debug, Default, PartialEq, Eq)]
struct Layers {
    upper: Option<PathBuf>,
    work: Option<PathBuf>,
    /// The topmost first.
    lower: Vec<PathBuf>,
}

impl Layers {
    fn of(options: &[String]) -> Self {
        let mut found = Self::default();
        for (name, value) in options.iter().filter_map(|option| option.split_once('=')) {
            let value = path_text::decode(value);
            match name {
                "upperdir" => found.upper = Some(value),
                "workdir" => found.work = Some(value),
                "lowerdir" => found.lower.extend(lower_directories(value.as_os_str().as_bytes())),
                "lowerdir+" => found.lower.push(value),
                _ => {}
            }
        }
        // A relative path is one of a directory that is long left.
        found.lower.retain(|path| path.is_absolute());
        found
    }

    /// The upper directory, if its work directory is here as well: the kernel requires both on one filesystem.
    fn upper_directory(&self) -> Option<Place> {
        let at = |path: &Option<PathBuf>| {
            let path = path.clone().filter(|path| path.is_absolute())?;
            Place::at(path, OFlags::DIRECTORY)
        };
        let (upper, work) = (at(&self.upper)?, at(&self.work)?);
        (upper.stat.st_dev == work.stat.st_dev).then_some(upper)
    }
}

/// The directories of a list separated by colons; a backslash escapes the next byte. What follows two colons is data that no name leads to.
fn lower_directories(list: &[u8]) -> Vec<PathBuf> {
    let mut found: Vec<Vec<u8>> = vec![Vec::new()];
    let mut bytes = list.iter();
    while let Some(&byte) = bytes.next() {
        let byte = match byte {
            b':' => {
                found.push(Vec::new());
                continue;
            }
            b'\\' => bytes.next().copied().unwrap_or(byte),
            _ => byte,
        };
        if let Some(last) = found.last_mut() {
            last.push(byte);
        }
    }
    let named = found.into_iter().take_while(|path| !path.is_empty());
    named.map(|path| PathBuf::from(OsString::from_vec(path))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Directories that look like those of an overlay, and the mount that names them.
    struct Overlay {
        dir: tempfile::TempDir,
        mount: Mount,
    }

    impl Overlay {
        fn new(root: &str) -> Self {
            let dir = tempfile::tempdir().unwrap();
            let at = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
            for name in ["upper/sub", "work", "low1/sub", "low2/sub", "merged/sub"] {
                std::fs::create_dir_all(at(name)).unwrap();
            }
            let options = vec![
                "rw".to_owned(),
                format!("lowerdir={}:{}", at("low1"), at("low2")),
                format!("upperdir={}", at("upper")),
                format!("workdir={}", at("work")),
            ];
            let mount = Mount {
                id: 1,
                device: (0, 99),
                root: root.into(),
                mount_point: at("merged").into(),
                options,
                filesystem: "overlay".into(),
                source: "overlay".into(),
            };
            Self { dir, mount }
        }

        fn path(&self, name: &str) -> PathBuf {
            self.dir.path().canonicalize().unwrap().join(name)
        }

        /// The file of a layer, as the overlay would show it.
        fn shown(&self, real: &str, shown: &str) -> Place {
            let place = Place::at(self.path(real), OFlags::empty()).unwrap();
            Place { path: self.mount.mount_point.join(shown), ..place }
        }

        fn write(&self, name: &str, text: &str) {
            std::fs::write(self.path(name), text).unwrap();
        }

        fn found(&self, place: &Place) -> Option<PathBuf> {
            in_layer(&self.mount, place).map(|place| place.path)
        }
    }

    #[test]
    fn a_file_lies_on_the_topmost_layer_that_shows_itself_in_it() {
        let overlay = Overlay::new("/");
        overlay.write("low2/sub/a", "far below");
        let place = overlay.shown("low2/sub/a", "sub/a");
        assert_eq!(overlay.found(&place), Some(overlay.path("low2/sub/a")));
        // A directory of this name hides nothing, and another file is not the one that is shown.
        std::fs::create_dir(overlay.path("upper/sub/a")).unwrap();
        overlay.write("low1/sub/a", "other");
        assert_eq!(overlay.found(&place), Some(overlay.path("low2/sub/a")));
        overlay.write("upper/b", "on top");
        overlay.write("low1/b", "below");
        let place = overlay.shown("upper/b", "b");
        assert_eq!(overlay.found(&place), Some(overlay.path("upper/b")));
        // In use: it grew since.
        overlay.write("upper/b", "on top, and longer");
        assert_eq!(overlay.found(&place), Some(overlay.path("upper/b")));
        std::fs::remove_file(overlay.path("upper/b")).unwrap();
        assert_eq!(overlay.found(&place), None);
    }

    #[test]
    fn new_files_lie_on_the_upper_directory() {
        let mut overlay = Overlay::new("/");
        let place = overlay.shown("merged/sub", "sub");
        assert_eq!(overlay.found(&place), Some(overlay.path("upper")));
        // Directories of another namespace, and an overlay that cannot be written.
        std::fs::remove_dir(overlay.path("work")).unwrap();
        assert_eq!(overlay.found(&place), None);
        overlay.mount.options.truncate(2);
        assert_eq!(overlay.found(&place), None);
    }

    /// As a directory of an overlay that is mounted elsewhere too.
    #[test]
    fn a_part_of_an_overlay_is_followed() {
        let overlay = Overlay::new("/sub");
        overlay.write("low1/sub/a", "text");
        assert_eq!(overlay.found(&overlay.shown("low1/sub/a", "a")), Some(overlay.path("low1/sub/a")));
    }

    #[test]
    fn layers_are_read_from_the_options() {
        let of =
            |options: &[&str]| Layers::of(&options.iter().map(|&one| one.to_owned()).collect::<Vec<_>>());
        let found = of(&["rw", "lowerdir=/a\\:b:/c\\\\d:l/REL::/data", "upperdir=/u=1:2", "workdir=/w"]);
        assert_eq!(found.lower, [Path::new("/a:b"), Path::new("/c\\d")]);
        assert_eq!(found.upper.as_deref(), Some(Path::new("/u=1:2")));
        let found = of(&["lowerdir+=/a:b", "lowerdir+=/c", "datadir+=/d"]);
        assert_eq!(found.lower, [Path::new("/a:b"), Path::new("/c")]);
        assert_eq!(of(&["rw", "lowerdir="]), Layers::default());
    }
}
