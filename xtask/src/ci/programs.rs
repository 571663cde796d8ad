//! The test programs of the workspace: built once, and run as they are.
//!
//! `cargo test --test NAME` would build most of the workspace a second time: what it builds for some of the targets has other hashes than
//! what it builds for all (syn and proc-macro2, and so everything that derives). So cargo builds everything in one call, says which
//! programs came of it, and is not asked again. Must not decide which tests run.

use anyhow::Context as _;
use serde::Deserialize;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A program of tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestProgram {
    /// The package whose tests they are.
    pub package: String,
    /// The name of the target: that of the folder in `tests`, or of the library or program that contains its own tests.
    pub target: String,
    /// Whether the tests are in the sources of the library or program.
    pub is_unit: bool,
    /// The source that the others are modules of.
    root_source: PathBuf,
    /// The folder of the package, in which cargo would start it.
    package_folder: PathBuf,
    program: PathBuf,
}

/// Builds the tests of `arguments`, those of `cargo test --no-run`; `None` if something could not be built.
///
/// # Errors
/// When cargo cannot be started, or prints something that cannot be parsed.
pub fn build(cargo: &mut Command) -> anyhow::Result<Option<Vec<TestProgram>>> {
    let mut child = cargo
        .arg("--message-format=json-render-diagnostics")
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start cargo")?;
    let stdout = child.stdout.take().context("cargo has no output")?;
    let mut programs = Vec::new();
    for line in BufReader::new(stdout).lines() {
        programs.extend(test_program(&line.context("the output of cargo ended early")?)?);
    }
    let built = child.wait().context("cargo did not end")?.success();
    programs.sort_by(|one, other| (&one.package, &one.target).cmp(&(&other.package, &other.target)));
    Ok(built.then_some(programs))
}

/// Cargo's message about a target that it built; fields as in <https://doc.rust-lang.org/cargo/reference/external-tools.html>.
#[derive(Deserialize)]
struct Artifact {
    package_id: String,
    manifest_path: PathBuf,
    target: Target,
    profile: Profile,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
    src_path: PathBuf,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

fn test_program(line: &str) -> anyhow::Result<Option<TestProgram>> {
    // Other lines have other fields.
    if !line.starts_with("{\"reason\":\"compiler-artifact\"") {
        return Ok(None);
    }
    let artifact: Artifact =
        serde_json::from_str(line).context("cargo says something new of what it built")?;
    let Artifact { package_id, manifest_path, target, profile, executable: Some(program) } = artifact else {
        return Ok(None);
    };
    if !profile.test {
        return Ok(None);
    }
    let folder = manifest_path.parent().context("a manifest lies in no folder")?;
    // `path+file:///folder#name@version`, without the name where the folder has it.
    let package = match package_id.rsplit_once('#').and_then(|(_, behind)| behind.split_once('@')) {
        Some((name, _)) => name.to_owned(),
        None => folder.file_name().unwrap_or_default().to_string_lossy().into_owned(),
    };
    Ok(Some(TestProgram {
        package,
        is_unit: !target.kind.iter().any(|kind| kind == "test"),
        target: target.name,
        root_source: target.src_path,
        package_folder: folder.to_owned(),
        program,
    }))
}

impl TestProgram {
    #[cfg(test)]
    pub fn unit(name: &str) -> Self {
        let nowhere = PathBuf::new();
        let (root_source, package_folder) = (nowhere.clone(), nowhere.clone());
        Self {
            package: name.to_owned(),
            target: name.to_owned(),
            is_unit: true,
            root_source,
            package_folder,
            program: nowhere,
        }
    }

    /// The program, started as cargo does.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(&self.package_folder).env("CARGO_MANIFEST_DIR", &self.package_folder);
        command.env("CARGO_PKG_NAME", &self.package);
        command
    }

    /// What cargo put next to it.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.program.with_file_name(name)
    }

    /// The command that runs one of its tests by hand.
    pub fn by_hand(&self, test: &str) -> String {
        let which = if self.is_unit { "--lib --bins".to_owned() } else { format!("--test {}", self.target) };
        format!("cargo test -p {} {which} -- --exact {test}", self.package)
    }

    /// The file that contains the test of that name, relative to `root`: its path follows the modules as far as they are files.
    pub fn file_of(&self, test: &str, root: &Path) -> PathBuf {
        let mut file = self.root_source.clone();
        let mut folder = self.root_source.parent().unwrap_or(root).to_owned();
        for module in test.split("::") {
            let (own, in_folder) = (folder.join(format!("{module}.rs")), folder.join(module).join("mod.rs"));
            folder.push(module);
            let Some(found) = [own, in_folder].into_iter().find(|file| file.is_file()) else { break };
            file = found;
        }
        file.strip_prefix(root).unwrap_or(&file).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"reason":"compiler-artifact","package_id":"path+file:///x/crates/rigel#0.2.0","manifest_path":"/x/crates/rigel/Cargo.toml",
        "target":{"kind":["test"],"crate_types":["bin"],"name":"it","src_path":"/x/crates/rigel/tests/it/main.rs","edition":"2024","test":true},
        "profile":{"opt_level":"0","test":true},"features":[],"filenames":[],"executable":"/x/target/debug/deps/it-1","fresh":true}"#;

    #[test]
    fn only_programs_of_tests_are_taken() {
        let program = test_program(LINE).unwrap().unwrap();
        assert_eq!(
            (program.package.as_str(), program.target.as_str(), program.is_unit),
            ("rigel", "it", false)
        );
        assert_eq!(program.command().get_current_dir(), Some(Path::new("/x/crates/rigel")));
        let named = LINE.replace("crates/rigel#0.2.0", "extensions/postgresql#rigel-postgresql@0.2.0");
        assert_eq!(test_program(&named).unwrap().unwrap().package, "rigel-postgresql");
        let plain = LINE.replace(r#""test":true},"features""#, r#""test":false},"features""#);
        assert_eq!(test_program(&plain).unwrap(), None, "a program that is no test");
        assert_eq!(test_program(r#"{"reason":"build-finished","success":true}"#).unwrap(), None);
        assert!(test_program(r#"{"reason":"compiler-artifact","of":1}"#).is_err());
    }

    #[test]
    fn the_name_of_a_test_leads_to_its_file() {
        let root = crate::workspace_root().unwrap();
        let source = root.join("xtask/src/main.rs");
        let program = TestProgram { root_source: source, ..test_program(LINE).unwrap().unwrap() };
        let file = |test| program.file_of(test, &root);
        assert_eq!(file("ci::programs::tests::any"), Path::new("xtask/src/ci/programs.rs"));
        assert_eq!(file("tidy::text::tests::any"), Path::new("xtask/src/tidy/text/tests.rs"));
        assert_eq!(file("nowhere::any"), Path::new("xtask/src/main.rs"));
        assert_eq!(program.by_hand("a::b"), "cargo test -p rigel --test it -- --exact a::b");
    }
}
