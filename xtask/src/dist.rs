//! `cargo xtask dist`: what people install, for each processor around one binary that runs on every Linux since 2014. `dist/check.rs` installs
//! it in fresh roots, and starts what is made for another processor in an emulator.
//!
//! The same sources give the same bytes: nothing here may read a clock, and every list is sorted. Must not change the sources, and
//! must not publish.

mod architecture;
mod binary;
mod check;
mod container;
mod cross;
mod debian;
mod extension;
mod licences;
mod linker;
mod linux_packages;
mod mpi;
mod parts;
mod sbom;
mod stage;
mod tarball;
mod tools;
mod wheel;

use crate::cargo::{cargo, succeed};
use crate::ci::steps::Steps;
use anyhow::Context as _;
use architecture::{Architecture, Which};
use std::cell::RefCell;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use tools::Tools;

/// What to do.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// First install what is needed: zig and a maker of wheels from PyPI, nfpm by Go, Debian packages
    #[arg(long)]
    setup: bool,
    /// Build everything a second time, in another directory, and compare the bytes
    #[arg(long)]
    twice: bool,
    /// Install each package in a fresh root and try it there; needs root and a Debian mirror
    #[arg(long)]
    check: bool,
    /// Of packages and checks only this one, such as `deb`, with what it needs
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Processors to make packages for
    #[arg(long, value_enum, default_value_t = Which::All)]
    arch: Which,
    /// Build nothing: the packages are there
    #[arg(long)]
    built: bool,
}

/// A build of everything for one processor.
#[derive(Clone)]
pub struct Release {
    /// The sources.
    root: PathBuf,
    /// The results, and nothing else.
    out: PathBuf,
    /// Where they are put together.
    work: PathBuf,
    /// Seconds since 1970 that every file has.
    epoch: u64,
    /// The processor.
    architecture: &'static Architecture,
    /// What could not be built or tested on this host, for any processor.
    left_out: Rc<RefCell<Vec<String>>>,
}

/// The one of every crate.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The program, and the package of cargo that it is.
const PROGRAM: &str = "rigel";
/// Enterprise Linux 7, SLES 12 and Debian 8 have it.
const GLIBC: &str = "2.17";

/// Returns whether all went well.
pub fn run(root: &Path, options: &Options) -> anyhow::Result<bool> {
    let target = crate::target_dir(root);
    let architectures = options.arch.architectures();
    let releases = Release::all(root, &target.join("dist"), &architectures)?;
    let only = options.only.as_deref();
    if let Some(only) = only {
        check::knows(only)?;
    }
    let mut steps = Steps::default();
    if options.setup {
        let set_up = || tools::set_up(&target, &architectures).map(|()| true);
        if !steps.run("setup", "what packages are made with", set_up) {
            // It said what is missing.
            return Ok(steps.conclude("dist"));
        }
    }
    let made = if options.built {
        already_made(&releases)?
    } else {
        let tools = Tools::find(&target)?;
        let made = make(&releases, &tools, only, &mut steps)?;
        if options.twice {
            steps.run("twice", "the same bytes from another directory", || again(&made, &tools));
        }
        made
    };
    if options.check && steps.all_went_well() {
        check::run(&made, &target, only, &mut steps);
    }
    let good = steps.conclude("dist");
    if let Some(first) = releases.first() {
        first.tell_left_out();
    }
    Ok(good)
}

impl Release {
    /// One for each processor; they share the output directory, and the list of what is left out.
    fn all(root: &Path, place: &Path, architectures: &[&'static Architecture]) -> anyhow::Result<Vec<Self>> {
        let (epoch, left_out) = (epoch(root)?, Rc::default());
        let of = |architecture: &&'static Architecture| Self {
            root: root.to_owned(),
            out: place.join("packages"),
            work: place.join(architecture.step("work")),
            epoch,
            architecture,
            left_out: Rc::clone(&left_out),
        };
        Ok(architectures.iter().map(of).collect())
    }

    /// The file of a package for Debian.
    fn deb(&self, name: &str) -> String {
        format!("{name}_{VERSION}-1_{}.deb", self.architecture.debian)
    }

    /// The file of an rpm.
    fn rpm(&self, name: &str) -> String {
        format!("{name}-{VERSION}-1.{}.rpm", self.architecture.name)
    }

    /// Reports that something cannot be built or tested on this host, and counts it. If packages are built for others (`CI=true`) that is an error.
    fn leave_out(&self, what: &str) -> anyhow::Result<()> {
        anyhow::ensure!(!crate::ci::in_ci(), "{what}");
        println!("LEFT OUT {what}");
        self.left_out.borrow_mut().push(what.to_owned());
        Ok(())
    }

    /// Counts what this command cannot do on any host yet, so that it is not an error anywhere.
    fn cannot(&self, what: &str) {
        println!("LEFT OUT {what}");
        self.left_out.borrow_mut().push(what.to_owned());
    }

    /// Repeats it where nobody overlooks it.
    fn tell_left_out(&self) {
        let all = self.left_out.borrow();
        if !all.is_empty() {
            println!("dist: {} LEFT OUT on this host:\n  {}", all.len(), all.join("\n  "));
        }
    }

    /// Runs a command to its end, in an environment that is the same everywhere.
    fn finish(&self, command: &mut Command) -> anyhow::Result<()> {
        command.env("SOURCE_DATE_EPOCH", self.epoch.to_string()).env("LC_ALL", "C").env("TZ", "UTC");
        succeed(command)
    }

    /// `rigel-0.1.0` and the like.
    fn named(name: &str) -> String {
        format!("{name}-{VERSION}")
    }
}

/// Time of the last commit, unless the environment sets it: <https://reproducible-builds.org/specs/source-date-epoch>.
fn epoch(root: &Path) -> anyhow::Result<u64> {
    if let Some(told) = env::var_os("SOURCE_DATE_EPOCH") {
        return told.to_string_lossy().parse().context("SOURCE_DATE_EPOCH is no number of seconds");
    }
    let git = Command::new("git").current_dir(root).args(["log", "-1", "--format=%ct"]).output();
    let told = git.context("cannot start git, which knows the date of the sources")?.stdout;
    let told = String::from_utf8_lossy(&told).trim().parse();
    told.context("git does not tell the date of the last commit: set SOURCE_DATE_EPOCH")
}

/// The releases of an earlier call. That of this host is always requested, and its checks say what is missing.
fn already_made(releases: &[Release]) -> anyhow::Result<Vec<Release>> {
    let mut made = Vec::new();
    for release in releases {
        if release.architecture.is_native() || binary::program(release, PROGRAM).exists() {
            made.push(release.clone());
        } else {
            release.leave_out(&format!(
                "{}: no package of it is here: nothing is tried",
                release.architecture.name
            ))?;
        }
    }
    Ok(made)
}

/// Builds what is requested for each processor; returns the releases. A processor without a compiler is left out.
fn make(
    releases: &[Release],
    tools: &Tools,
    only: Option<&str>,
    steps: &mut Steps,
) -> anyhow::Result<Vec<Release>> {
    let mut made = Vec::new();
    for release in releases {
        if only.is_none() && made.is_empty() && release.out.exists() {
            fs::remove_dir_all(&release.out)?;
        }
        if release.work.exists() {
            fs::remove_dir_all(&release.work)?;
        }
        fs::create_dir_all(&release.out)?;
        fs::create_dir_all(&release.work)?;
        if let Err(error) = tools.toolchain(release.architecture) {
            release.leave_out(&error.to_string())?;
        } else if one(release, tools, only, steps)? {
            made.push(release.clone());
        }
    }
    if let Some(release) = made.first() {
        steps.run("container", "what an image is built with", || container::make(release).map(|()| true));
        steps.run("sums", "SHA256SUMS", || sums(release).map(|()| true));
    }
    Ok(made)
}

/// Everything for one processor; returns whether its binary was built.
fn one(release: &Release, tools: &Tools, only: Option<&str>, steps: &mut Steps) -> anyhow::Result<bool> {
    let named = |name: &str| release.architecture.step(name);
    let what = format!("one for every Linux on {} since 2014", release.architecture.name);
    steps.run(named("binary"), &what, || binary::make(release, tools, PROGRAM, &[PROGRAM]));
    if !binary::program(release, PROGRAM).exists() {
        return Ok(false);
    }
    let parts = parts::of(release, tools, &["--package", PROGRAM])?;
    let mut step = |name, what, make: &mut dyn FnMut() -> anyhow::Result<()>| {
        steps.run(named(name), what, || make().map(|()| true));
    };
    step("sbom", "what it is made of", &mut || sbom::write(release, PROGRAM, PROGRAM, &parts));
    step("tree", "the files of a package", &mut || stage::program(release, &parts));
    let mut package = |name, what, make: &mut dyn FnMut() -> anyhow::Result<()>| {
        if only.is_none_or(|only| check::needs(only).contains(&name)) {
            step(name, what, make);
        }
    };
    package("tarball", "for a system without packages", &mut || tarball::make(release));
    for kind in linux_packages::KINDS {
        package(kind, "for a package manager", &mut || linux_packages::program(release, tools, kind));
    }
    package("extension", "calibrate_io() for the servers that are here", &mut || {
        extension::make(release, tools)
    });
    package("mpi", "rigel-mpi, with the MPI that is here", &mut || mpi::make(release, tools));
    package("wheel", "for pip", &mut || wheel::make(release, tools));
    Ok(true)
}

fn sums(release: &Release) -> anyhow::Result<()> {
    // Of a part that was made again the others are those of before.
    let list = "SHA256SUMS";
    let names: Vec<String> = stage::names(&release.out)?.into_iter().filter(|name| name != list).collect();
    let told = Command::new("sha256sum").current_dir(&release.out).arg("--").args(&names).output();
    let told = told.context("cannot start sha256sum")?;
    anyhow::ensure!(told.status.success(), "sha256sum: {}", String::from_utf8_lossy(&told.stderr));
    fs::write(release.out.join(list), &told.stdout)?;
    print!("{}", String::from_utf8_lossy(&told.stdout));
    Ok(())
}

/// Repeats the build of what is committed, elsewhere, and compares.
fn again(made: &[Release], tools: &Tools) -> anyhow::Result<bool> {
    let first = made.first().context("nothing was made that can be compared")?;
    let dirty = Command::new("git").current_dir(&first.root).args(["status", "--porcelain"]).output()?.stdout;
    anyhow::ensure!(dirty.is_empty(), "only what is committed can be built elsewhere: commit it first");
    let place = tempfile::Builder::new().prefix("rigel-again").tempdir_in(crate::target_dir(&first.root))?;
    let sources = place.path().join("other/directory");
    let clone = ["clone", "--quiet", "--local", "--depth=1", "--no-tags", "--"];
    let from = format!("file://{}", first.root.display());
    first.finish(Command::new("git").args(clone).arg(from).arg(&sources))?;
    let architectures: Vec<&'static Architecture> = made.iter().map(|release| release.architecture).collect();
    let others = Release::all(&sources, &place.path().join("dist"), &architectures)?;
    let mut steps = Steps::default();
    make(&others, tools, None, &mut steps)?;
    if !steps.conclude("again") {
        return Ok(false);
    }
    let sums = |release: &Release| fs::read_to_string(release.out.join("SHA256SUMS"));
    let second = others.first().context("nothing was made again")?;
    let (one, other) = (sums(first)?, sums(second)?);
    for line in other.lines().filter(|line| !one.lines().any(|known| known == *line)) {
        println!("twice: differs: {line}");
    }
    println!(
        "twice: {} files, {}",
        one.lines().count(),
        if one == other { "the same bytes" } else { "not the same" }
    );
    Ok(one == other)
}

/// What a cargo command printed.
fn cargo_says(root: &Path, arguments: &[&str]) -> anyhow::Result<Vec<u8>> {
    let told = cargo(root, arguments).output().context("cannot start cargo")?;
    let line = arguments.join(" ");
    anyhow::ensure!(told.status.success(), "cargo {line}: {}", String::from_utf8_lossy(&told.stderr).trim());
    Ok(told.stdout)
}
