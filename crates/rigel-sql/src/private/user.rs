//! The user that a private server runs as: the current one, except root, which no server accepts. Must not change anything of a user.

use rigel_core::error::Problem;
use rustix::fs::{Gid, Uid, fchown};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

/// A user other than ourselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct User {
    pub name: &'static str,
    pub uid: u32,
    gid: u32,
}

/// The user to run the server as when root starts it: the first one that exists. `None` for ourselves.
pub fn choose(names: &[&'static str]) -> Result<Option<User>, Problem> {
    if !geteuid().is_root() {
        return Ok(None);
    }
    let table = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let user = names.iter().find_map(|name| find(&table, name)).ok_or_else(|| {
        Problem::refused("there is no user for a private server to run as")
            .at("/etc/passwd")
            .because(format!("a server refuses to run as root, and there is no user {}", names.join(" or ")))
            .next("run Rigel as a user other than root, or install the server package, which creates one")
    })?;
    Ok(Some(user))
}

fn find(table: &str, name: &'static str) -> Option<User> {
    let line = table.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    let mut numbers = line.split(':').skip(1).map(str::parse);
    let (Some(Ok(uid)), Some(Ok(gid))) = (numbers.next(), numbers.next()) else { return None };
    Some(User { name, uid, gid }).filter(|user| user.uid != 0)
}

/// Makes a program run as the user.
pub fn becomes(command: &mut Command, user: Option<User>) {
    if let Some(User { uid, gid, .. }) = user {
        command.uid(uid).gid(gid);
    }
}

/// Gives an open directory to the user.
pub fn give(dir: &OwnedFd, user: Option<User>) -> Result<(), Errno> {
    let Some(User { uid, gid, .. }) = user else { return Ok(()) };
    fchown(dir, Some(Uid::from_raw(uid)), Some(Gid::from_raw(gid)))
}

/// The first directory on the path that the user may not enter, judged by the usual permissions.
pub fn barred(dir: &Path, user: Option<User>) -> Option<&Path> {
    let User { uid, gid, .. } = user?;
    let mut way: Vec<&Path> = dir.ancestors().collect();
    way.reverse();
    way.into_iter().find(|dir| {
        let Ok(found) = fs::metadata(dir) else { return false };
        let needed = if found.uid() == uid {
            0o100
        } else if found.gid() == gid {
            0o010
        } else {
            0o001
        };
        found.mode() & needed == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn the_user_of_the_packages_is_found() {
        let table =
            "root:x:0:0:root:/root:/bin/sh\npostgresql:x:5:6::/:\npostgres:x:101:104:admin:/var:/bin/bash\n";
        assert_eq!(find(table, "postgres"), Some(User { name: "postgres", uid: 101, gid: 104 }));
        assert_eq!(find("postgres:x:0:0::/:\n", "postgres"), None, "another name of root");
        assert_eq!(find("postgres:x\n", "postgres"), None);
    }

    #[test]
    fn a_directory_that_bars_the_way_is_named() {
        let root = tempfile::tempdir().unwrap();
        let inner = root.path().join("inner");
        fs::create_dir(&inner).unwrap();
        let stranger = Some(User { name: "stranger", uid: 54_321, gid: 54_321 });
        fs::set_permissions(root.path(), fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!(barred(&inner, stranger), Some(root.path()));
        fs::set_permissions(root.path(), fs::Permissions::from_mode(0o711)).unwrap();
        fs::set_permissions(&inner, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!((barred(&inner, stranger), barred(&inner, None)), (None, None));
    }
}
