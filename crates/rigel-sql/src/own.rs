//! Whether other users could replace what root uses. Must not change any rights.

use rustix::process::geteuid;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

const ROOT: u32 = 0;
const STICKY: u32 = 0o1000;
const OTHERS_WRITE: u32 = 0o022;

/// For root: the path, or its first ancestor, that a user other than root and `trusted` may replace; `None` for other
/// users, who can only harm themselves. The path is absolute and has no links.
pub fn of_others(path: &Path, trusted: Option<u32>) -> Option<&Path> {
    if !geteuid().is_root() {
        return None;
    }
    let theirs = |path: &&Path| fs::metadata(path).is_ok_and(|found| is_of_others(&found, trusted));
    path.ancestors().find(theirs)
}

/// Judged by the usual permissions. In a sticky directory only the owner may rename a file.
fn is_of_others(found: &Metadata, trusted: Option<u32>) -> bool {
    let sticky = found.is_dir() && found.mode() & STICKY != 0;
    let owner = found.uid();
    (owner != ROOT && Some(owner) != trusted) || (found.mode() & OTHERS_WRITE != 0 && !sticky)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn what_others_may_replace_is_found() {
        let place = tempfile::tempdir().unwrap();
        let with = |mode| {
            fs::set_permissions(place.path(), fs::Permissions::from_mode(mode)).unwrap();
            is_of_others(&fs::metadata(place.path()).unwrap(), None)
        };
        let not_root = !geteuid().is_root();
        assert_eq!([0o755, 0o1777, 0o775, 0o757].map(with), [not_root, not_root, true, true]);
        let found = fs::metadata(place.path()).unwrap();
        assert!(is_of_others(&found, Some(found.uid())), "others write to it");
        with(0o755);
        let found = fs::metadata(place.path()).unwrap();
        assert!(!is_of_others(&found, Some(found.uid())), "its owner is trusted");
        let file = place.path().join("program");
        fs::write(&file, "").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o1777)).unwrap();
        assert!(is_of_others(&fs::metadata(&file).unwrap(), Some(found.uid())), "a file is not sticky");
        let path = place.path().canonicalize().unwrap();
        with(0o777);
        assert_eq!(of_others(&path.join("program"), None).is_some(), !not_root);
    }
}
