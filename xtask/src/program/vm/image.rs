//! The machine's file system in memory: programs, the libraries that they load, kernel modules, scripts. Must not
//! install anything on this host.

use super::case::{Case, write_scripts};
use super::cases;
use super::kernel::Kernel;
use super::programs::Programs;
use super::tools::{Tools, output};
use anyhow::Context as _;
use std::collections::BTreeSet;
use std::fs::{self, File, Permissions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const INIT: &str = include_str!("init.sh");
/// What `init.sh` itself needs.
const MODULES: [&str; 2] = ["virtio_pci", "virtio_blk"];
const DIRECTORIES: [&str; 6] = ["bin", "proc", "sys", "dev", "tmp", "target/debug/deps"];
/// Loaded by `rigel` if it exists, so no program names it.
const LOADED_LATER: &str = "libblkid.so.1";

/// Lays the tree out in `stage` and packs it.
pub fn pack(
    stage: &Path,
    to: &Path,
    cases: &[Case],
    kernel: &Kernel,
    programs: &Programs,
    tools: &Tools,
) -> anyhow::Result<()> {
    for directory in DIRECTORIES {
        fs::create_dir_all(stage.join(directory))?;
    }
    copy_programs(stage, programs, tools)?;
    let wanted = cases.iter().flat_map(|case| case.modules);
    let modules: BTreeSet<&str> = wanted.chain(&MODULES).copied().collect();
    kernel.copy_modules(&modules, stage, tools)?;
    write_scripts(cases, stage)?;
    let init = stage.join("init");
    fs::write(&init, INIT)?;
    fs::set_permissions(&init, Permissions::from_mode(0o755))?;
    archive(stage, to, &tools.cpio)
}

fn copy_programs(stage: &Path, programs: &Programs, tools: &Tools) -> anyhow::Result<()> {
    let tests = Path::new(cases::TESTS_PLACE);
    let places = [
        (&tools.busybox, PathBuf::from("bin/busybox")),
        (&tools.dmsetup, "bin/dmsetup".into()),
        (&tools.losetup, "bin/losetup".into()),
        (&programs.rigel, "bin/rigel".into()),
        (&programs.testdev, tests.join("rigel-testdev")),
        (&programs.engine_tests, tests.join("deps/rigel_io")),
    ];
    // By this file the tests know the top of cargo's directory.
    fs::write(stage.join("target/.rustc_info.json"), "{}")?;
    let mut libraries = BTreeSet::new();
    for (program, place) in places {
        fs::copy(program, stage.join(place)).with_context(|| format!("cannot copy {}", program.display()))?;
        libraries.extend(libraries_of(program)?);
    }
    if let Some(later) = beside(&libraries, LOADED_LATER) {
        libraries.extend(libraries_of(&later)?);
        libraries.insert(later);
    }
    for library in libraries {
        let place = stage.join(library.strip_prefix("/").unwrap_or(&library));
        fs::create_dir_all(place.parent().context("a library lies in a directory")?)?;
        fs::copy(&library, place).with_context(|| format!("cannot copy {}", library.display()))?;
    }
    Ok(())
}

/// Shared libraries that a program or library loads, the loader included.
fn libraries_of(program: &Path) -> anyhow::Result<Vec<PathBuf>> {
    match output(Command::new("ldd").arg(program)) {
        Ok(told) => Ok(libraries_in(&told)),
        // A static program has none, and ldd then fails.
        Err(error) if format!("{error:#}").contains("not a dynamic executable") => Ok(Vec::new()),
        Err(error) => Err(error.context(format!("which libraries {} needs", program.display()))),
    }
}

fn libraries_in(told: &str) -> Vec<PathBuf> {
    let paths = told.lines().filter_map(|line| line.split_whitespace().find(|word| word.starts_with('/')));
    paths.map(PathBuf::from).collect()
}

/// A library in a directory with others.
fn beside(libraries: &BTreeSet<PathBuf>, name: &str) -> Option<PathBuf> {
    libraries.iter().map(|library| library.with_file_name(name)).find(|path| path.exists())
}

/// Packs a tree in the kernel's format.
fn archive(tree: &Path, to: &Path, cpio: &Path) -> anyhow::Result<()> {
    let mut names = Vec::new();
    list(tree, tree, &mut names)?;
    let mut command = Command::new(cpio);
    command.args(["--quiet", "--create", "--format=newc", "--owner=0:0", "--null"]);
    let child = command.current_dir(tree).stdin(Stdio::piped()).stdout(File::create(to)?).spawn();
    let mut child = child.context("cannot start cpio")?;
    let mut stdin = child.stdin.take().context("cpio reads names")?;
    for name in names {
        stdin.write_all(name.as_os_str().as_encoded_bytes())?;
        stdin.write_all(b"\0")?;
    }
    drop(stdin);
    anyhow::ensure!(child.wait()?.success(), "cpio failed");
    Ok(())
}

/// Everything below `place`, a directory before its contents, relative to `top`.
fn list(top: &Path, place: &Path, names: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in fs::read_dir(place)? {
        let entry = entry?;
        names.push(entry.path().strip_prefix(top)?.to_owned());
        if entry.file_type()?.is_dir() {
            list(top, &entry.path(), names)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_what_the_loader_found() {
        let told = "\tlinux-vdso.so.1 (0x00007f)\n\tlibc.so.6 => /lib/x/libc.so.6 (0x00007f)\n\
                    \t/lib64/ld-linux-x86-64.so.2 (0x00007f)\n";
        assert_eq!(
            libraries_in(told),
            [Path::new("/lib/x/libc.so.6"), Path::new("/lib64/ld-linux-x86-64.so.2")]
        );
        assert!(libraries_in("\tstatically linked\n").is_empty());
    }

    #[test]
    fn a_library_is_looked_for_beside_others() {
        let place = tempfile::tempdir().unwrap();
        let libraries: BTreeSet<PathBuf> = ["/nowhere/libc.so".into(), place.path().join("libc.so")].into();
        assert_eq!(beside(&libraries, "libx.so"), None);
        fs::write(place.path().join("libx.so"), "").unwrap();
        assert_eq!(beside(&libraries, "libx.so"), Some(place.path().join("libx.so")));
    }

    #[test]
    fn a_directory_is_listed_before_what_is_in_it() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir_all(place.path().join("a/b")).unwrap();
        fs::write(place.path().join("a/b/c"), "").unwrap();
        let mut names = Vec::new();
        list(place.path(), place.path(), &mut names).unwrap();
        assert_eq!(names, [Path::new("a"), Path::new("a/b"), Path::new("a/b/c")]);
    }

    #[test]
    fn the_first_process_is_a_script_that_a_shell_understands() {
        let told = Command::new("sh").args(["-n", "-c", INIT]).output().unwrap();
        assert!(told.status.success(), "{told:?}");
    }
}
