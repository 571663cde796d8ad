//! The programs that packages are made with, each in one version, below cargo's target directory.
//!
//! zig compiles and links against the C library of 2014 wherever it runs; nfpm makes deb and rpm of one list of files, so that they
//! cannot differ. Must not use or change what a developer has installed.

use crate::ci::setup;
use anyhow::Context as _;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const NFPM: (&str, &str) = ("github.com/goreleaser/nfpm/v2/cmd/nfpm", "v2.45.2");
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
    ("golang-go", "builds nfpm, which makes deb and rpm; a Go that is there will do"),
    ("libclang-dev", "rigel-mpi: reads the headers of MPI"),
    ("libopenmpi-dev", "rigel-mpi is linked with it"),
    ("openmpi-bin", "rigel-mpi: its compiler tells where MPI is"),
    ("postgresql-server-dev-all", "headers for the extension, a package for each server"),
    ("python3-venv", "zig and the maker of wheels come from PyPI"),
    ("rpm", "installs an rpm"),
    ("systemd-container", "boots a root, in which the timer is started"),
    ("xz-utils", "the archive"),
];

/// Where they are.
pub struct Tools {
    venv: PathBuf,
    nfpm: PathBuf,
}

fn places(target: &Path) -> Tools {
    let tools = target.join("tools");
    Tools { venv: tools.join("dist-1"), nfpm: tools.join(format!("nfpm-{}", NFPM.1)) }
}

/// Installs what is missing.
pub fn set_up(target: &Path) -> anyhow::Result<()> {
    let go_is_here = Command::new("go").arg("version").output().is_ok();
    let wanted = FROM_DEBIAN.iter().filter(|(package, _)| !(go_is_here && *package == "golang-go"));
    setup::run(&wanted.copied().collect::<Vec<_>>(), "packages");
    let Tools { venv, nfpm } = places(target);
    if !venv.join("bin/cargo-zigbuild").is_file() {
        succeed(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
        let list = venv.join("requirements.txt");
        fs::write(&list, FROM_PYPI)?;
        let mut pip = Command::new(venv.join("bin/pip"));
        pip.args([
            "install",
            "--quiet",
            "--no-deps",
            "--only-binary=:all:",
            "--require-hashes",
            "--requirement",
        ]);
        succeed(pip.arg(&list))?;
    }
    if !nfpm.join("nfpm").is_file() {
        fs::create_dir_all(&nfpm)?;
        let mut go = Command::new("go");
        succeed(go.env("GOBIN", &nfpm).arg("install").arg(format!("{}@{}", NFPM.0, NFPM.1)))?;
    }
    Ok(())
}

impl Tools {
    pub fn find(target: &Path) -> anyhow::Result<Self> {
        let tools = places(target);
        let here = tools.venv.join("bin/cargo-zigbuild").is_file() && tools.nfpm.join("nfpm").is_file();
        anyhow::ensure!(here, "the tools are not there: cargo xtask dist --setup installs them");
        Ok(tools)
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

fn succeed(command: &mut Command) -> anyhow::Result<()> {
    let name = command.get_program().to_owned();
    anyhow::ensure!(crate::ci::finished_well(command)?, "{} failed", name.display());
    Ok(())
}
