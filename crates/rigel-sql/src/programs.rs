//! The programs of a server on this host. Must not start a server.

use crate::own;
use crate::private::user::User;
use rigel_core::error::Problem;
use rigel_core::load::sql::Product;
use rigel_core::path_text;
use std::path::{Path, PathBuf};

/// The programs of one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Programs {
    /// The product.
    pub product: Product,
    /// The vendor's name for it.
    pub name: &'static str,
    /// Their directory.
    pub dir: PathBuf,
    /// The first number of the version.
    pub major: u32,
    /// The version as the server reports it, such as `15.14`.
    pub version: String,
}

impl Programs {
    /// `PostgreSQL 15.14`.
    pub fn title(&self) -> String {
        format!("{} {}", self.name, self.version)
    }
}

/// Whether root would start a program that users other than root and the server's may replace.
pub(crate) fn is_of_others(dir: &Path, programs: &[&str], user: Option<User>) -> bool {
    let theirs = |path: PathBuf| own::of_others(&path, user.map(|user| user.uid)).is_some();
    // The directory may lead there by a link, and so may each program.
    programs.iter().filter_map(|program| dir.join(program).canonicalize().ok()).any(theirs)
        || dir.canonicalize().is_ok_and(theirs)
}

/// See [`is_of_others`].
pub(crate) fn replaceable(dir: &Path, user: &str) -> Problem {
    Problem::refused("Rigel as root does not start server programs that other users can replace")
        .at(path_text::encode(dir))
        .because(format!(
            "they, or a parent directory, are owned or writable by users other than root and {user}"
        ))
        .next("run Rigel as their owner, or name root-owned programs with --programs")
}

/// The directories of `PATH`.
pub(crate) fn in_path() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    // An empty part would be the current directory, where anybody may have put a program.
    std::env::split_paths(&path).filter(|dir| dir.is_absolute()).collect()
}
