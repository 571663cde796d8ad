//! A root of a distribution that one trial has for itself, and commands in it. Must not be left behind, nor any mount.

use super::super::architecture::Architecture;
use super::super::cross::Emulator;
use anyhow::Context as _;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What it has in addition to the smallest Debian: tools to read pages and complete words.
const PACKAGES: &str = "bash-completion,man-db";
/// What the package manager itself writes, and what a program leaves for the next start.
const NOT_OURS: [&str; 7] =
    ["./var/lib/dpkg/", "./var/lib/apt/", "./var/cache/", "./var/log/", "./var/lib/rpm", "./parts", "./run/"];

/// A script in the first directory starts programs of another processor.
const PATH: &str = "/parts/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/// Starts a program of another processor that is installed, as a kernel of that processor would.
const EMULATED: &str = r#"#!/bin/sh
name=${0##*/}
for place in /usr/local/bin /usr/bin; do
    if [ -x "$place/$name" ]; then
        exec /parts/emulator -0 "$name" "$place/$name" "$@"
    fi
done
echo "$name: not found" >&2
exit 127
"#;

pub struct Room {
    path: PathBuf,
    /// Packages are for another processor than the root's.
    is_foreign: bool,
    /// Removes it on the way out.
    _copy: Option<tempfile::TempDir>,
}

impl Room {
    /// A copy of the smallest root.
    pub fn fresh(roots: &Path, debian: &str) -> anyhow::Result<Self> {
        Self::with(roots, debian, &[])
    }

    /// A copy of a root that has more packages; it is made once.
    pub fn with(roots: &Path, debian: &str, more: &[&str]) -> anyhow::Result<Self> {
        let packages = [&[PACKAGES], more].concat().join(",");
        let name = [&[debian], more].concat().join("+");
        let whole = roots.join(format!("{name}.whole"));
        let root = roots.join(name);
        if !whole.exists() {
            if root.exists() {
                fs::remove_dir_all(&root)?;
            }
            fs::create_dir_all(roots)?;
            let mut make = Command::new("debootstrap");
            make.args(["--variant=minbase", &format!("--include={packages}"), debian]).arg(&root);
            anyhow::ensure!(crate::cargo::finished_well(&mut make)?, "debootstrap made no {debian}");
            fs::write(&whole, "")?;
        }
        let copy = tempfile::Builder::new().prefix("room").tempdir_in(roots)?;
        let path = copy.path().join("root");
        output(Command::new("cp").args(["--archive", "--reflink=auto"]).arg(&root).arg(&path))?;
        fs::create_dir_all(path.join("parts"))?;
        Ok(Self { path, is_foreign: false, _copy: Some(copy) })
    }

    /// A copy of the smallest root that takes packages of another processor: with its C library, and the emulator for its programs.
    pub fn foreign(
        roots: &Path,
        debian: &str,
        architecture: &Architecture,
        emulator: &Emulator,
    ) -> anyhow::Result<Self> {
        let other = architecture.debian;
        let (whole, root) =
            (roots.join(format!("{debian}:{other}.whole")), roots.join(format!("{debian}:{other}")));
        if !whole.exists() {
            let room = Self::fresh(roots, debian)?;
            let libraries = ["libc6", "libblkid1"].map(|name| format!("{name}:{other}")).join(" ");
            room.run(&format!(
                "dpkg --add-architecture {other}; apt-get update --quiet; \
                 apt-get install --yes --no-install-recommends {libraries}"
            ))?;
            if root.exists() {
                fs::remove_dir_all(&root)?;
            }
            output(Command::new("cp").args(["--archive", "--reflink=auto"]).arg(&room.path).arg(&root))?;
            fs::write(&whole, "")?;
        }
        let copy = tempfile::Builder::new().prefix("room").tempdir_in(roots)?;
        let path = copy.path().join("root");
        output(Command::new("cp").args(["--archive", "--reflink=auto"]).arg(&root).arg(&path))?;
        let bin = path.join("parts/bin");
        fs::create_dir_all(&bin)?;
        fs::copy(&emulator.program, path.join("parts/emulator"))?;
        for name in ["rigel", "orion"] {
            fs::write(bin.join(name), EMULATED)?;
            fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755))?;
        }
        Ok(Self { path, is_foreign: true, _copy: Some(copy) })
    }

    /// An existing directory.
    pub fn at(path: &Path) -> Self {
        Self { path: path.to_owned(), is_foreign: false, _copy: None }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts a file into `/parts`.
    pub fn take_in(&self, from: &Path, name: &str) -> anyhow::Result<()> {
        let to = self.path.join("parts").join(name);
        fs::copy(from.join(name), to).with_context(|| format!("there is no {name} in {}", from.display()))?;
        Ok(())
    }

    /// Runs a script of the shell inside; what it wrote.
    pub fn run(&self, script: &str) -> anyhow::Result<String> {
        self.run_directly("/bin/sh", &["-ec", script])
    }

    /// Runs a program inside, without a shell. Its mounts go with it.
    pub fn run_directly(&self, program: &str, arguments: &[&str]) -> anyhow::Result<String> {
        let mounts = r#"mount -t proc proc "$0/proc" && mount --rbind /sys "$0/sys" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@""#;
        let mut command = Command::new("unshare");
        command
            .args(["--mount", "--propagation", "private", "--fork", "sh", "-c", mounts])
            .arg(&self.path)
            .arg(program);
        let environment = [("PATH", PATH), ("HOME", "/root")];
        command
            .env_clear()
            .envs(environment)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .env("LC_ALL", "C.UTF-8");
        output(command.args(arguments))
    }

    /// This host's rpm on the root: it needs no package manager of its own.
    pub fn rpm(&self, arguments: &[&str]) -> Command {
        let mut rpm = Command::new("rpm");
        rpm.arg("--root").arg(&self.path).args(["--dbpath", "/var/lib/rpm"]);
        if self.is_foreign {
            rpm.arg("--ignorearch");
        }
        rpm.args(arguments);
        rpm
    }

    /// Every path inside, except what is not ours.
    pub fn list(&self) -> anyhow::Result<BTreeSet<String>> {
        self.find(&[])
    }

    /// The same without directories.
    pub fn list_files(&self) -> anyhow::Result<BTreeSet<String>> {
        self.find(&["!", "-type", "d"])
    }

    fn find(&self, which: &[&str]) -> anyhow::Result<BTreeSet<String>> {
        let told = output(Command::new("find").current_dir(&self.path).args([".", "-xdev"]).args(which))?;
        let ours = |path: &&str| !NOT_OURS.iter().any(|other| path.starts_with(other));
        Ok(told.lines().filter(ours).map(str::to_owned).collect())
    }

    /// Whether everything is as it was.
    pub fn as_before(before: &BTreeSet<String>, now: &BTreeSet<String>) -> anyhow::Result<bool> {
        let left: Vec<&str> = now.difference(before).map(String::as_str).collect();
        let gone: Vec<&str> = before.difference(now).map(String::as_str).collect();
        anyhow::ensure!(left.is_empty(), "left behind: {}", left.join(", "));
        anyhow::ensure!(gone.is_empty(), "taken along: {}", gone.join(", "));
        Ok(true)
    }
}

/// The output of a command; an error contains what it printed.
pub fn output(command: &mut Command) -> anyhow::Result<String> {
    let told = command.output().with_context(|| format!("cannot start {:?}", command.get_program()))?;
    let said = String::from_utf8_lossy(&told.stderr);
    anyhow::ensure!(told.status.success(), "{command:?}: {}: {said}", told.status);
    Ok(String::from_utf8_lossy(&told.stdout).into_owned())
}
