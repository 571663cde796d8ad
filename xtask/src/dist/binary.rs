//! A binary that packages hold, and its symbols apart. Must not be built twice for two packages: people compare digests.

use super::{GLIBC, Release, cross::Toolchain, linker, tools::Tools};
use crate::cargo::cargo;
use anyhow::Context as _;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// People call it in scripts, once for each device.
const MOST_TO_START: Duration = Duration::from_millis(10);
const STARTS: usize = 20;

/// Parts of SQLite that nothing here uses: full-text search, R-trees, JSON, loadable extensions. They are 300 KB.
const WITHOUT: [&str; 10] = [
    "-USQLITE_ENABLE_DBSTAT_VTAB",
    "-USQLITE_ENABLE_FTS3",
    "-USQLITE_ENABLE_FTS3_PARENTHESIS",
    "-USQLITE_ENABLE_FTS5",
    "-USQLITE_ENABLE_LOAD_EXTENSION",
    "-USQLITE_ENABLE_RTREE",
    "-USQLITE_ENABLE_STAT4",
    "-USQLITE_SOUNDEX",
    "-DSQLITE_OMIT_JSON",
    "-DSQLITE_OMIT_LOAD_EXTENSION",
];

/// A program, before it is packed.
pub fn program(release: &Release, name: &str) -> PathBuf {
    release.work.join(name)
}

/// Builds the programs of a package of cargo, takes the symbols out, and judges sizes and needs.
pub fn make(release: &Release, tools: &Tools, package: &str, programs: &[&str]) -> anyhow::Result<bool> {
    let (built, architecture) = (build(release), release.architecture);
    let target = format!("{}.{GLIBC}", architecture.triple);
    let toolchain = tools.toolchain(architecture)?;
    let mut build =
        cargo(&release.root, &["zigbuild", "--profile", "dist", "--locked", "--package", package, "--bins"]);
    build.args(["--target", &target, "--target-dir"]).arg(&built);
    build.arg("--manifest-path").arg(release.root.join("Cargo.toml")).current_dir(away(release));
    build
        .env(linker::variable(architecture), linker::write(release, &toolchain.objcopy)?)
        .env("LIBSQLITE3_FLAGS", WITHOUT.join(" "));
    // A developer may have set another script for charts; packages have the published one.
    build.env_remove("RIGEL_ECHARTS");
    // The directories of this machine would stand in what a debugger reads of SQLite.
    build.env(format!("CFLAGS_{}", architecture.variable()), "-g0");
    if let Some(rustc) = &toolchain.rustc {
        build.env("RUSTC", rustc);
    }
    release.finish(build.env("PATH", tools.path()?).env("RUSTFLAGS", rust_flags(release)?))?;
    let mut good = true;
    for name in programs {
        good &= strip(release, &toolchain, &built.join(architecture.triple).join("dist").join(name), name)?;
    }
    Ok(good)
}

/// The target directory of cargo. Each compiler has its own, and what it made before stays useful.
pub fn build(release: &Release) -> PathBuf {
    release.work.with_file_name(release.architecture.step("build"))
}

/// The working directory of a build. Zig names its headers by a relative path if they are below it, and a build
/// script, which runs elsewhere, does not find them there.
pub fn away(release: &Release) -> &Path {
    &release.work
}

fn strip(release: &Release, toolchain: &Toolchain, whole: &Path, name: &str) -> anyhow::Result<bool> {
    let program = program(release, name);
    let symbols = release.work.join(format!("{name}.debug"));
    let objcopy = || Command::new(&toolchain.objcopy);
    release.finish(
        objcopy().args(["--only-keep-debug", "--compress-debug-sections=zlib"]).arg(whole).arg(&symbols),
    )?;
    let mut link = std::ffi::OsString::from("--add-gnu-debuglink=");
    link.push(&symbols);
    release.finish(objcopy().arg("--strip-all").arg(link).arg(whole).arg(&program))?;
    let archive =
        release.out.join(format!("{}-{}.debug.xz", Release::named(name), release.architecture.triple));
    release.finish(Command::new("sh").args(["-c", r#"xz -6 -T1 <"$0" >"$1""#]).arg(&symbols).arg(archive))?;
    let is_quick = !release.architecture.is_native() || starts_quickly(&program)?;
    Ok(judge(toolchain, &program, release.architecture.most_bytes)? && is_quick)
}

/// Keeps the directories of this machine out of the binary: those of the sources, of what cargo fetched, and of what build scripts wrote.
pub fn rust_flags(release: &Release) -> anyhow::Result<String> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(Path::new(&env::var_os("HOME")?).join(".cargo")));
    let home = home.context("neither CARGO_HOME nor HOME is set")?;
    let built = release.work.parent().context("a build has a directory")?;
    let (root, home, built) = (release.root.display(), home.display(), built.display());
    // The last one that fits counts: a build may lie below the sources.
    Ok(format!(
        "--remap-path-prefix={root}=/rigel --remap-path-prefix={home}=/cargo --remap-path-prefix={built}=/build"
    ))
}

/// The quickest of several starts, because others may use this host meanwhile. `rigel-mpi` without MPI only reports that, and takes no longer.
fn starts_quickly(program: &Path) -> anyhow::Result<bool> {
    let mut quickest = Duration::MAX;
    for _ in 0..STARTS {
        let start = Instant::now();
        Command::new(program).arg("--version").output().context("the program does not start")?;
        quickest = quickest.min(start.elapsed());
    }
    println!(
        "binary {}: starts in {:.1} ms (at most {})",
        program.display(),
        1e3 * quickest.as_secs_f64(),
        MOST_TO_START.as_millis()
    );
    Ok(quickest <= MOST_TO_START)
}

fn judge(toolchain: &Toolchain, program: &Path, most_bytes: u64) -> anyhow::Result<bool> {
    let bytes = fs::metadata(program)?.len();
    let told =
        Command::new(&toolchain.objdump).arg("-T").arg(program).output().context("cannot start objdump")?;
    let newest =
        newest(&String::from_utf8_lossy(&told.stdout)).context("objdump names no symbol of the C library")?;
    println!(
        "binary {}: {bytes} bytes (at most {most_bytes}), needs GLIBC {newest:?} (at most {GLIBC})",
        program.display()
    );
    Ok(bytes <= most_bytes && newest <= version(GLIBC).context("a version")?)
}

/// The newest version of the C library that a dynamic symbol asks for.
fn newest(symbols: &str) -> Option<Vec<u32>> {
    let versions =
        symbols.split("GLIBC_").skip(1).map(|rest| rest.split([')', ' ', '\n']).next().unwrap_or_default());
    versions.filter_map(version).max()
}

fn version(text: &str) -> Option<Vec<u32>> {
    text.split('.').map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_symbol_is_found() {
        let told = "0000 DF *UND* 0000 (GLIBC_2.2.5) read\n0000 DF *UND* 0000 (GLIBC_2.17) clock_gettime\n\
                    0000 DF *UND* 0000 (GLIBC_2.9) pipe2\n0000  w   D  *UND*  0000 __gmon_start__\n";
        assert_eq!(newest(told), Some(vec![2, 17]));
        assert!(newest(told) <= version(GLIBC));
        assert!(version("2.34") > version(GLIBC) && version("2.4") < version(GLIBC));
        assert_eq!(newest("no symbols"), None);
    }
}
