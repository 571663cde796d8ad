//! The programs that packages are made with, each in one version, below cargo's target directory.
//!
//! zig compiles and links against the C library of 2014 wherever it runs; nfpm makes deb and rpm of one list of files, so that they
//! cannot differ. Must not use or change what a developer has installed.

use super::architecture::Architecture;
use super::cross::{self, Toolchain};
use crate::cargo::succeed;
use crate::ci::{setup, tool};
use anyhow::Context as _;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const NFPM: (&str, &str) = ("github.com/goreleaser/nfpm/v2/cmd/nfpm", "v2.45.2");
/// The Go version that nfpm requires.
const NFPM_NEEDS_GO: &str = "1.25";
/// From this version on, Go fetches a newer one itself if a program requires it.
const OLDEST_GO: (u32, u32) = (1, 21);
/// Packages of PyPI, known by their digests.
const FROM_PYPI: &str = "\
cargo-zigbuild==0.24.1 --hash=sha256:238a1ab54a95053a4eadc34775c81f795a8ad75f80bfed63f3f445f518102375
packaging==26.3 --hash=sha256:d7193f7c8e4e93f444fde0262bf90af30e16fa0ad0ad44cb553c87339b23cd1c
wheel==0.48.0 --hash=sha256:3217dcc807155e45db462d7ef2431f5ddda0d7273b700d05a67b271ceb1287ab
ziglang==0.17.1 --hash=sha256:ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54
";
const FROM_DEBIAN: &[(&str, &str)] = &[
    ("binutils", "objcopy takes the symbols out, objdump tells which C library is needed"),
    ("debootstrap", "a fresh Debian to install in"),
    ("libclang-dev", "rigel-mpi: reads the headers of MPI"),
    ("libopenmpi-dev", "rigel-mpi is linked with it"),
    ("openmpi-bin", "rigel-mpi: its compiler tells where MPI is"),
    ("postgresql-server-dev-all", "headers for the extension, a package for each server"),
    ("python3-venv", "zig and the maker of wheels come from PyPI"),
    ("rpm", "installs an rpm"),
    ("strace", "refuses system calls, as old kernels do"),
    ("systemd-container", "boots a root, in which the timer is started"),
    ("xz-utils", "the archive"),
];

/// Where they are.
pub struct Tools {
    target: PathBuf,
    venv: PathBuf,
    nfpm: PathBuf,
}

fn places(target: &Path) -> Tools {
    let tools = target.join("tools");
    let nfpm = tools.join(format!("nfpm-{}", NFPM.1));
    Tools { target: target.to_owned(), venv: tools.join("dist-1"), nfpm }
}

/// Installs what is missing.
pub fn set_up(target: &Path, architectures: &[&Architecture]) -> anyhow::Result<()> {
    let Tools { venv, nfpm, .. } = places(target);
    if !nfpm.join("nfpm").is_file() {
        go_will_do()?;
    }
    setup::run(FROM_DEBIAN, "packages");
    if !venv.join("bin/cargo-zigbuild").is_file() {
        tool::make_venv(&venv, FROM_PYPI)?;
    }
    if !nfpm.join("nfpm").is_file() {
        fs::create_dir_all(&nfpm)?;
        let mut go = Command::new("go");
        // Distributions may have switched this off.
        go.env("GOTOOLCHAIN", "auto");
        succeed(go.env("GOBIN", &nfpm).arg("install").arg(format!("{}@{}", NFPM.0, NFPM.1)))?;
    }
    architectures.iter().for_each(|one| cross::set_up(target, one));
    Ok(())
}

/// Go is not installed here: Debian 12's is too old, and nobody wants a second one next to their own.
fn go_will_do() -> anyhow::Result<()> {
    let why = format!("nfpm {}, which makes deb and rpm, is built with Go {NFPM_NEEDS_GO} or later", NFPM.1);
    let next =
        "install Go from https://go.dev/dl, put its directory bin into PATH, and start this command again";
    let told = Command::new("go").arg("version").output();
    let told = told.with_context(|| format!("cannot start go: {why}: {next}"))?;
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    let version = go_version(&told)
        .with_context(|| format!("`go version` names no version ({told:?}): {why}: {next}"))?;
    anyhow::ensure!(
        version >= OLDEST_GO,
        "the go of PATH is {}: {why}, and only {}.{} or later fetches a newer one by itself: {next}",
        told.trim(),
        OLDEST_GO.0,
        OLDEST_GO.1
    );
    Ok(())
}

/// 1 and 22 of `go version go1.22.3 linux/amd64`.
fn go_version(told: &str) -> Option<(u32, u32)> {
    let (major, rest) = told.split_whitespace().find_map(|word| word.strip_prefix("go")?.split_once('.'))?;
    // A release candidate is `go1.26rc1`, one from the sources `go1.27-5f3a1c`.
    let minor: String = rest.chars().take_while(char::is_ascii_digit).collect();
    Some((major.parse().ok()?, minor.parse().ok()?))
}

impl Tools {
    pub fn find(target: &Path) -> anyhow::Result<Self> {
        let tools = places(target);
        let here = tools.venv.join("bin/cargo-zigbuild").is_file() && tools.nfpm.join("nfpm").is_file();
        anyhow::ensure!(here, "the tools are not there: cargo xtask dist --setup installs them");
        Ok(tools)
    }

    /// The tools that compile for a processor.
    pub fn toolchain(&self, architecture: &Architecture) -> anyhow::Result<Toolchain> {
        cross::toolchain(&self.target, architecture).map_err(anyhow::Error::msg)
    }

    pub fn nfpm(&self) -> Command {
        Command::new(self.nfpm.join("nfpm"))
    }

    pub fn python(&self) -> Command {
        Command::new(self.venv.join("bin/python"))
    }

    /// The version of zig, and the directory with its libraries and licences.
    pub fn zig(&self) -> anyhow::Result<(String, PathBuf)> {
        let asked = "import importlib.metadata as m, ziglang; print(m.version('ziglang')); print(ziglang.__path__[0])";
        let told = self.python().args(["-c", asked]).output().context("cannot start Python")?;
        let told = String::from_utf8_lossy(&told.stdout).into_owned();
        let (version, place) = told.trim().split_once('\n').context("there is no package ziglang")?;
        Ok((version.to_owned(), PathBuf::from(place)))
    }

    /// The search path with the tools in front, for cargo to find `cargo zigbuild`.
    pub fn path(&self) -> anyhow::Result<OsString> {
        let old = env::var_os("PATH").unwrap_or_default();
        let all = [self.venv.join("bin")].into_iter().chain(env::split_paths(&old));
        env::join_paths(all).context("PATH cannot be put together")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_go_is_read() {
        let read = |version| go_version(&format!("go version {version} linux/amd64\n"));
        assert_eq!(read("go1.19.8"), Some((1, 19)));
        assert_eq!(read("go1.21.0"), Some(OLDEST_GO));
        assert_eq!(read("go1.26rc1"), Some((1, 26)));
        assert_eq!(read("devel go1.27-5f3a1c Mon Nov 2 09:00:00 2026 +0000"), Some((1, 27)));
        assert!(read("go1.19.8") < Some(OLDEST_GO) && read("go1.100") > Some(OLDEST_GO));
        for text in ["", "go version", "command not found", "go1.x"] {
            assert_eq!(go_version(text), None, "{text}");
        }
    }

    #[test]
    fn debian_packages_are_sorted_and_have_a_reason() {
        assert!(FROM_DEBIAN.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(FROM_DEBIAN.iter().all(|(_, reason)| !reason.is_empty()));
    }
}
