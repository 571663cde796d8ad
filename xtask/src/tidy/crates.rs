//! Rules about dependencies between crates: nothing points upwards, and what must do no I/O cannot even name it.

use super::Finding;
use super::source::TextFile;
use anyhow::Context as _;
use serde_json::Value;
use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// Each crate of the workspace and the others that it may depend on; tests may also use `TEST_ONLY`.
const MAY_DEPEND_ON: [(&str, &[&str]); 16] = [
    ("rigel-stats", &[]),
    ("rigel-core", &["rigel-stats"]),
    ("rigel-capacity", &["rigel-core"]),
    ("rigel-uses", &["rigel-core"]),
    // Only its tests examine machines.
    ("rigel-io", &["rigel-core", "rigel-uses"]),
    // With scrubbing and durability only if asked for, so that a server need not link what it never uses.
    ("rigel-run", &["rigel-core", "rigel-io", "rigel-uses"]),
    ("rigel-report", &["rigel-capacity", "rigel-core", "rigel-uses"]),
    // A bench of its own, for it alone needs the client of a database.
    ("rigel-sql", &["rigel-capacity", "rigel-core", "rigel-io", "rigel-run", "rigel-uses"]),
    // Is linked by a program of its own as well, which alone needs MPI.
    ("rigel-cluster", &["rigel-core", "rigel-io", "rigel-run"]),
    (
        "rigel",
        &[
            "rigel-capacity",
            "rigel-core",
            "rigel-io",
            "rigel-run",
            "rigel-report",
            "rigel-sql",
            "rigel-cluster",
            "rigel-uses",
        ],
    ),
    // Out of what others build, for it alone needs MPI.
    ("rigel-mpi", &["rigel", "rigel-core", "rigel-cluster"]),
    // Out of what others build, for it alone needs the headers of a server.
    ("rigel-postgresql", &["rigel-core", "rigel-io", "rigel-run"]),
    ("rigel-testdev", &[]),
    ("rigel-loop-cost", &["rigel-run"]),
    // Hands hostile input to every reader.
    ("rigel-fuzz", &["rigel", "rigel-capacity", "rigel-core", "rigel-io", "rigel-report", "rigel-uses"]),
    // The golden corpus makes records and examines machines, as the program does.
    (
        "xtask",
        &[
            "rigel",
            "rigel-capacity",
            "rigel-core",
            "rigel-io",
            "rigel-run",
            "rigel-report",
            "rigel-testdev",
            "rigel-uses",
        ],
    ),
];
const TEST_ONLY: &str = "rigel-testdev";
/// Its benchmarks need devices, too.
const NEVER_SHIPPED: &str = "xtask";
/// Crates without I/O, and libraries that would give it to them.
pub const PURE: [&str; 5] = ["rigel-capacity", "rigel-core", "rigel-report", "rigel-stats", "rigel-uses"];
const DOORS_OUTSIDE: [&str; 8] =
    ["getrandom", "io-uring", "libc", "libloading", "nix", "procfs", "rustix", "signal-hook"];

/// A crate of the workspace, from its `Cargo.toml`.
pub struct Package {
    name: String,
    manifest: String,
    dependencies: Vec<Dependency>,
}

struct Dependency {
    name: String,
    only_in_tests: bool,
}

/// The crates of the workspace.
pub fn read(root: &Path) -> anyhow::Result<Vec<Package>> {
    let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")))
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(root)
        .output()
        .context("cannot start cargo")?;
    anyhow::ensure!(
        output.status.success(),
        "cargo metadata: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).context("cargo metadata wrote no JSON")?;
    let packages = metadata["packages"].as_array().context("cargo metadata names no packages")?;
    packages
        .iter()
        .map(|package| package_of(root, package).context("cargo metadata has changed its format"))
        .collect()
}

fn package_of(root: &Path, package: &Value) -> Option<Package> {
    let manifest = Path::new(package["manifest_path"].as_str()?);
    let dependencies = package["dependencies"].as_array()?.iter().map(|dependency| {
        let name = dependency["name"].as_str()?.to_owned();
        Some(Dependency { name, only_in_tests: dependency["kind"] == "dev" })
    });
    Some(Package {
        name: package["name"].as_str()?.to_owned(),
        manifest: manifest.strip_prefix(root).unwrap_or(manifest).to_str()?.to_owned(),
        dependencies: dependencies.collect::<Option<_>>()?,
    })
}

/// Findings for the dependencies of one crate; `files` only serve to find the line.
pub fn check(package: &Package, files: &[TextFile]) -> Vec<Finding> {
    let Some((_, permitted)) = MAY_DEPEND_ON.iter().find(|(name, _)| *name == package.name) else {
        let to_do = "say in xtask's `MAY_DEPEND_ON` which crates of Rigel it may build on";
        return vec![Finding::new(&package.manifest, 1, "dependency", to_do)];
    };
    let manifest = files.iter().find(|file| file.path == package.manifest).map_or("", |file| &file.text);
    let judged = package.dependencies.iter().filter_map(|dependency| {
        let to_do = judge(&package.name, permitted, dependency)?;
        Some(Finding::new(&package.manifest, line_of(manifest, &dependency.name), "dependency", to_do))
    });
    judged.collect()
}

/// What is wrong with a dependency, if anything.
fn judge(package: &str, permitted: &[&str], dependency: &Dependency) -> Option<String> {
    let name = dependency.name.as_str();
    if name == TEST_ONLY {
        let to_do = format!("`{name}` is never shipped: move it to [dev-dependencies]");
        let in_what_is_shipped = !dependency.only_in_tests && package != NEVER_SHIPPED;
        return in_what_is_shipped.then_some(to_do);
    }
    let ours = MAY_DEPEND_ON.iter().any(|(ours, _)| *ours == name);
    // Tests may switch on features of their own crate.
    if ours && name != package && !permitted.contains(&name) {
        return Some(match permitted {
            [] => format!("{package} must not depend on `{name}`: it builds on no crate of Rigel"),
            _ => format!("{package} must not depend on `{name}`: it builds on {} only", permitted.join(", ")),
        });
    }
    let door = PURE.contains(&package) && DOORS_OUTSIDE.contains(&name) && !dependency.only_in_tests;
    door.then(|| format!("{package} does no I/O and so must not depend on `{name}`: that is rigel-io's part"))
}

/// The line that names the dependency; the first if it cannot be found.
fn line_of(manifest: &str, dependency: &str) -> usize {
    let names = |line: &str| {
        let key = line.split(['=', '.', ' ', ']']).next().unwrap_or_default();
        key == dependency || line.ends_with(&format!("dependencies.{dependency}]"))
    };
    manifest.lines().position(names).map_or(1, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::super::snippet::{places, text};
    use super::*;

    fn found(name: &str, dependency: &str, only_in_tests: bool) -> usize {
        let dependencies = vec![Dependency { name: dependency.to_owned(), only_in_tests }];
        let package = Package { name: name.to_owned(), manifest: "Cargo.toml".to_owned(), dependencies };
        check(&package, &[]).len()
    }

    #[test]
    fn nothing_points_upwards_not_even_in_tests() {
        for (name, dependency) in [
            ("rigel-core", "rigel-io"),
            ("rigel-core", "rigel-run"),
            ("rigel-stats", "rigel-core"),
            ("rigel-core", "rigel-uses"),
            ("rigel-uses", "rigel-capacity"),
            ("rigel-postgresql", "rigel-uses"),
            ("rigel-report", "rigel-run"),
            ("rigel-run", "rigel-report"),
            ("rigel-io", "rigel-run"),
            ("rigel-run", "rigel"),
            ("xtask", "rigel-sql"),
            ("rigel-testdev", "rigel-core"),
        ] {
            assert_eq!(found(name, dependency, false), 1, "{name} on {dependency}");
            assert_eq!(found(name, dependency, true), 1, "{name} on {dependency}");
        }
        assert_eq!(found("rigel", "rigel-run", false), 0);
    }

    #[test]
    fn the_test_device_is_for_tests_only() {
        assert_eq!(found("rigel-io", "rigel-testdev", false), 1);
        assert_eq!(found("rigel-io", "rigel-testdev", true), 0);
        assert_eq!(found("xtask", "rigel-testdev", false), 0, "nor is xtask shipped");
    }

    #[test]
    fn the_pure_crates_get_no_door_outside() {
        assert_eq!(found("rigel-core", "libc", false), 1);
        assert_eq!(found("rigel-report", "rustix", false), 1);
        assert_eq!(found("rigel-io", "rustix", false), 0);
        assert_eq!(found("rigel-core", "serde", false), 0);
    }

    #[test]
    fn a_new_crate_must_take_its_place() {
        assert_eq!(found("rigel-new", "serde", false), 1);
    }

    #[test]
    fn a_finding_points_to_the_line() {
        let dependencies = vec![Dependency { name: "libc".to_owned(), only_in_tests: false }];
        let package =
            Package { name: "rigel-core".to_owned(), manifest: "a/Cargo.toml".to_owned(), dependencies };
        let manifest = text("a/Cargo.toml", "[dependencies]\nlibc.workspace = true\n");
        assert_eq!(places(check(&package, &[manifest])), [(2, "dependency")]);
    }
}
