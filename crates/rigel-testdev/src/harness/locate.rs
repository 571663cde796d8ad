//! Finds the daemon beside the test executable, or has cargo build it there.
//!
//! Cargo builds the library for the tests of another crate, but not the daemon; and one that lies there may
//! be older than the library. It must not run a daemon of another fingerprint.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use super::needs::MissingNeed;
use crate::FINGERPRINT;

const NAME: &str = "rigel-testdev";

/// The daemon that belongs to this library; looked for, or built, once per process.
pub(super) fn daemon() -> Result<&'static Path, MissingNeed> {
    static FOUND: OnceLock<Result<PathBuf, MissingNeed>> = OnceLock::new();
    FOUND.get_or_init(find_or_build).as_deref().map_err(Clone::clone)
}

fn find_or_build() -> Result<PathBuf, MissingNeed> {
    let executable = std::env::current_exe().map_err(MissingNeed::new)?;
    let place = BuildPlace::of(&executable)
        .ok_or_else(|| MissingNeed::new(format!("{} is in no cargo target", executable.display())))?;
    let daemon = place.profile_dir.join(NAME);
    if is_ours(&daemon) {
        return Ok(daemon);
    }
    let output = place.build_command().output().map_err(|error| failed(&error.to_string()))?;
    if is_ours(&daemon) { Ok(daemon) } else { Err(failed(&complaint(&output))) }
}

fn failed(why: &str) -> MissingNeed {
    MissingNeed::new(format!("cargo did not build the daemon {NAME}: {why}"))
}

/// The last lines of what cargo wrote: there it says what went wrong.
fn complaint(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(8)..].join(" ")
}

fn is_ours(daemon: &Path) -> bool {
    let output = Command::new(daemon).arg("--fingerprint").output();
    output.is_ok_and(|output| output.stdout.trim_ascii() == FINGERPRINT.as_bytes())
}

/// Where in a cargo target directory an executable was built.
#[derive(Debug, PartialEq, Eq)]
struct BuildPlace {
    target_dir: PathBuf,
    triple: Option<OsString>,
    profile: OsString,
    profile_dir: PathBuf,
}

impl BuildPlace {
    /// Tests lie in TARGET/[TRIPLE/]PROFILE/deps, programs one directory higher.
    fn of(executable: &Path) -> Option<Self> {
        let mut profile_dir = executable.parent()?;
        if profile_dir.ends_with("deps") || profile_dir.ends_with("examples") {
            profile_dir = profile_dir.parent()?;
        }
        // Cargo leaves this file at the top of the target directory only.
        let is_top = |directory: &&Path| directory.join(".rustc_info.json").exists();
        let target_dir = profile_dir.ancestors().skip(1).take(2).find(is_top)?;
        let between = profile_dir.parent()?;
        Some(Self {
            target_dir: target_dir.to_owned(),
            triple: (between != target_dir).then(|| between.file_name()).flatten().map(OsString::from),
            profile: match profile_dir.file_name()? {
                name if name == "debug" => OsString::from("dev"),
                name => name.to_owned(),
            },
            profile_dir: profile_dir.to_owned(),
        })
    }

    fn build_command(&self) -> Command {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
        cargo.args(["build", "--quiet", "--package", NAME, "--bin", NAME]);
        cargo.args(["--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")]);
        cargo.arg("--target-dir").arg(&self.target_dir).arg("--profile").arg(&self.profile);
        if let Some(triple) = &self.triple {
            cargo.arg("--target").arg(triple);
        }
        cargo
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(executable: &str) -> Option<(Option<OsString>, OsString, PathBuf)> {
        let top = tempfile::tempdir().unwrap();
        std::fs::write(top.path().join(".rustc_info.json"), "").unwrap();
        let place = BuildPlace::of(&top.path().join(executable))?;
        assert_eq!(place.target_dir, top.path());
        let below = place.profile_dir.strip_prefix(top.path()).unwrap().to_owned();
        Some((place.triple, place.profile, below))
    }

    #[test]
    fn the_place_of_a_test_tells_target_triple_and_profile() {
        assert_eq!(place("debug/deps/it-0123"), Some((None, "dev".into(), "debug".into())));
        assert_eq!(place("release/rigel"), Some((None, "release".into(), "release".into())));
        let triple = Some(OsString::from("x86_64-unknown-linux-musl"));
        assert_eq!(
            place("x86_64-unknown-linux-musl/ci/deps/it"),
            Some((triple, "ci".into(), "x86_64-unknown-linux-musl/ci".into()))
        );
        assert_eq!(place("a/b/c/deps/it"), None);
    }

    #[test]
    fn only_a_daemon_of_the_same_fingerprint_is_ours() {
        assert!(!is_ours(Path::new("/nowhere/rigel-testdev")));
        assert!(!is_ours(Path::new("/bin/echo")));
    }
}
