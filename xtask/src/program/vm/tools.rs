//! The programs and packages that the machine is made of. Must not use them.

use anyhow::Context as _;
use std::env;
use std::path::{Path, PathBuf};

/// Packages of Debian, for `cargo xtask vm --setup`.
pub const PACKAGES: &[(&str, &str)] = &[
    ("busybox-static", "the shell and the small programs inside the machine"),
    ("cpio", "packs the machine's file system"),
    ("dmsetup", "makes the devices of the device mapper inside the machine"),
    ("kmod", "depmod, modprobe: which kernel modules need which"),
    ("mount", "losetup: loop devices inside the machine"),
    ("qemu-system-x86", "the machine"),
];

/// Directories of the administrator's programs, which a user's PATH may lack.
const MORE_PLACES: [&str; 3] = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/// Paths of the programs.
pub struct Tools {
    pub qemu: PathBuf,
    pub busybox: PathBuf,
    pub cpio: PathBuf,
    pub dmsetup: PathBuf,
    pub losetup: PathBuf,
    pub depmod: PathBuf,
    pub modprobe: PathBuf,
}

impl Tools {
    /// Finds all of them.
    ///
    /// # Errors
    /// When some are missing; says which, and how to get them.
    pub fn find() -> anyhow::Result<Self> {
        let arch = env::consts::ARCH;
        anyhow::ensure!(arch == "x86_64", "the emulated machine is an x86_64 one, and this host is {arch}");
        let mut missing = Vec::new();
        let mut get = |program: &'static str, package: &'static str| {
            find(program).unwrap_or_else(|| {
                missing.push((program, package));
                PathBuf::new()
            })
        };
        let tools = Self {
            qemu: get("qemu-system-x86_64", "qemu-system-x86"),
            busybox: get("busybox", "busybox-static"),
            cpio: get("cpio", "cpio"),
            dmsetup: get("dmsetup", "dmsetup"),
            losetup: get("losetup", "mount"),
            depmod: get("depmod", "kmod"),
            modprobe: get("modprobe", "kmod"),
        };
        anyhow::ensure!(missing.is_empty(), "{}", complaint(&missing));
        Ok(tools)
    }
}

fn complaint(missing: &[(&str, &str)]) -> String {
    let programs: Vec<&str> = missing.iter().map(|(program, _)| *program).collect();
    let mut packages: Vec<&str> = missing.iter().map(|(_, package)| *package).collect();
    packages.dedup();
    format!(
        "missing: {}; `cargo xtask vm --setup` installs them, and so does\n  \
         apt-get install --no-install-recommends {}",
        programs.join(", "),
        packages.join(" ")
    )
}

fn find(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let places = env::split_paths(&path).chain(MORE_PLACES.iter().map(PathBuf::from));
    places.map(|place| place.join(program)).find(|path| path.is_file())
}

/// The standard output of a command.
///
/// # Errors
/// When it cannot be started or fails; with the end of its output.
pub fn output(command: &mut std::process::Command) -> anyhow::Result<String> {
    let program = Path::new(command.get_program()).display().to_string();
    let told = command.output().with_context(|| format!("cannot start {program}"))?;
    let said = String::from_utf8_lossy(&told.stderr).into_owned();
    anyhow::ensure!(told.status.success(), "{program} failed: {}", super::outcome::shown(&said));
    Ok(String::from_utf8_lossy(&told.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn what_is_missing_is_named_with_the_way_to_get_it() {
        let told = complaint(&[("cpio", "cpio"), ("depmod", "kmod"), ("modprobe", "kmod")]);
        assert!(told.starts_with("missing: cpio, depmod, modprobe; `cargo xtask vm --setup`"), "{told}");
        assert!(told.ends_with("apt-get install --no-install-recommends cpio kmod"), "{told}");
    }

    #[test]
    fn programs_are_found_by_name() {
        assert!(find("sh").is_some());
        assert_eq!(find("no-program-has-this-name"), None);
    }

    #[test]
    fn a_command_that_fails_says_why() {
        assert_eq!(output(Command::new("echo").arg("a")).unwrap(), "a\n");
        let told = output(Command::new("sh").args(["-c", "echo no >&2; exit 1"])).unwrap_err().to_string();
        assert_eq!(told, "sh failed: no");
    }

    #[test]
    fn packages_are_sorted_named_once_and_have_a_reason() {
        assert!(PACKAGES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(PACKAGES.iter().all(|(_, reason)| !reason.is_empty()));
    }
}
