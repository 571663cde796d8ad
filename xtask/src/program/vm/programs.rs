//! The programs under test, built as the tests build them. Must not run them.

use crate::cargo::cargo;
use anyhow::Context as _;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// What can be built without MPI and without a server's headers.
const WORKSPACE: [&str; 5] =
    ["--workspace", "--exclude", crate::mpi::PACKAGE, "--exclude", crate::extension::PACKAGE];

/// Built, with overflow checks and assertions.
pub struct Programs {
    /// `rigel` itself.
    pub rigel: PathBuf,
    /// The daemon of the test device.
    pub testdev: PathBuf,
    /// The unit tests of `rigel-io`.
    pub engine_tests: PathBuf,
}

impl Programs {
    /// Builds all of them.
    pub fn build(root: &Path) -> anyhow::Result<Self> {
        // The whole workspace, as `cargo xtask ci` builds it: parts of it would need other builds of the same crates.
        let built = messages(root, &[&["build"], &WORKSPACE[..], &["--bins"]].concat())?;
        let tests = messages(root, &[&["test"], &WORKSPACE[..], &["--lib", "--no-run"]].concat())?;
        let get = |messages: &str, name: &str| {
            executable(messages, name).with_context(|| format!("cargo told no executable of {name}"))
        };
        Ok(Self {
            rigel: get(&built, "rigel")?,
            testdev: get(&built, "rigel-testdev")?,
            engine_tests: get(&tests, "rigel_io")?,
        })
    }
}

/// What cargo built, a JSON document per line; its own messages go to the terminal.
fn messages(root: &Path, arguments: &[&str]) -> anyhow::Result<String> {
    let mut command = cargo(root, arguments);
    command.args(["--locked", "--message-format=json-render-diagnostics"]);
    let told = command.stderr(Stdio::inherit()).output().context("cannot start cargo")?;
    anyhow::ensure!(told.status.success(), "`cargo {}` failed", arguments.join(" "));
    Ok(String::from_utf8(told.stdout)?)
}

/// The executable of a target in cargo's messages.
fn executable(messages: &str, name: &str) -> Option<PathBuf> {
    let artifacts = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut named = artifacts.filter(|artifact| artifact["target"]["name"] == name);
    named.find_map(|artifact| artifact["executable"].as_str().map(PathBuf::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_named_target_with_an_executable_counts() {
        let messages = concat!(
            "not json\n",
            r#"{"reason":"compiler-artifact","target":{"name":"rigel_io"},"executable":null}"#,
            "\n",
            r#"{"reason":"compiler-artifact","target":{"name":"rigel_io"},"executable":"/t/rigel_io-1"}"#,
            "\n",
            r#"{"reason":"compiler-artifact","target":{"name":"rigel"},"executable":"/t/rigel"}"#,
        );
        assert_eq!(executable(messages, "rigel_io"), Some("/t/rigel_io-1".into()));
        assert_eq!(executable(messages, "rigel"), Some("/t/rigel".into()));
        assert_eq!(executable(messages, "rigel-testdev"), None);
    }
}
