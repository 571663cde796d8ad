//! `cargo xtask dist`: what people install, all of it around one binary that runs on every Linux since 2014. `dist/check.rs` installs
//! it in fresh roots.
//!
//! The same sources give the same bytes: nothing here may read a clock, and every list is sorted. Must not change the sources, and
//! must not publish.

mod binary;
mod check;
mod container;
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

use crate::ci::{cargo, finished_well, steps::Steps};
use anyhow::Context as _;
use std::cell::RefCell;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tools::Tools;

/// What is done.
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
    /// Of the checks only this one, such as `deb`
    #[arg(long, value_name = "NAME", requires = "check")]
    only: Option<String>,
    /// Build nothing: the packages are there
    #[arg(long)]
    built: bool,
}

/// One build of everything.
pub struct Release {
    /// The sources.
    root: PathBuf,
    /// What is made, and nothing else.
    out: PathBuf,
    /// Where it is put together.
    work: PathBuf,
    /// Seconds since 1970 that every file has.
    epoch: u64,
    /// What could not be made or tried on this host.
    left_out: RefCell<Vec<String>>,
}

/// The one of every crate.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The program, and the package of cargo that it is.
const PROGRAM: &str = "rigel";
/// What is compiled for. Other architectures need a machine to try them on.
const TRIPLE: &str = "x86_64-unknown-linux-gnu";
/// Enterprise Linux 7, SLES 12 and Debian 8 have it.
const GLIBC: &str = "2.17";

/// Whether all went well.
pub fn run(root: &Path, options: &Options) -> anyhow::Result<bool> {
    let target = crate::target_dir(root);
    let release = Release::of(root, &target.join("dist"))?;
    if let Some(only) = &options.only {
        check::knows(&release, &target, only)?;
    }
    let mut steps = Steps::default();
    if options.setup {
        let good =
            steps.run("setup", "what packages are made with", || tools::set_up(&target).map(|()| true));
        if !good {
            // It said what is missing.
            return Ok(steps.conclude("dist"));
        }
    }
    if !options.built {
        let tools = Tools::find(&target)?;
        make(&release, &tools, &mut steps)?;
        if options.twice {
            steps.run("twice", "the same bytes from another directory", || again(&release, &tools));
        }
    }
    if options.check && steps.all_went_well() {
        check::run(&release, &target, options.only.as_deref(), &mut steps);
    }
    let good = steps.conclude("dist");
    release.tell_left_out();
    Ok(good)
}

impl Release {
    fn of(root: &Path, place: &Path) -> anyhow::Result<Self> {
        Ok(Self {
            root: root.to_owned(),
            out: place.join("packages"),
            work: place.join("work"),
            epoch: epoch(root)?,
            left_out: RefCell::default(),
        })
    }

    /// Says that something cannot be made or tried on this host, and counts it. Where packages are made for others (`CI=true`) that is an
    /// error.
    fn leave_out(&self, what: &str) -> anyhow::Result<()> {
        anyhow::ensure!(!crate::ci::in_ci(), "{what}");
        println!("LEFT OUT {what}");
        self.left_out.borrow_mut().push(what.to_owned());
        Ok(())
    }

    /// Says it again where nobody overlooks it.
    fn tell_left_out(&self) {
        let all = self.left_out.borrow();
        if !all.is_empty() {
            println!("dist: {} LEFT OUT on this host:\n  {}", all.len(), all.join("\n  "));
        }
    }

    /// Runs a command to its end, in an environment that is the same everywhere.
    fn finish(&self, command: &mut Command) -> anyhow::Result<()> {
        command.env("SOURCE_DATE_EPOCH", self.epoch.to_string()).env("LC_ALL", "C").env("TZ", "UTC");
        let name = command.get_program().to_owned();
        anyhow::ensure!(finished_well(command)?, "{} failed", name.display());
        Ok(())
    }

    /// `rigel-0.1.0` and the like.
    fn named(name: &str) -> String {
        format!("{name}-{VERSION}")
    }
}

/// Of the last commit, unless the environment says so: <https://reproducible-builds.org/specs/source-date-epoch>.
fn epoch(root: &Path) -> anyhow::Result<u64> {
    if let Some(told) = env::var_os("SOURCE_DATE_EPOCH") {
        return told.to_string_lossy().parse().context("SOURCE_DATE_EPOCH is no number of seconds");
    }
    let git = Command::new("git").current_dir(root).args(["log", "-1", "--format=%ct"]).output();
    let told = git.context("cannot start git, which knows the date of the sources")?.stdout;
    let told = String::from_utf8_lossy(&told).trim().parse();
    told.context("git does not tell the date of the last commit: set SOURCE_DATE_EPOCH")
}

fn make(release: &Release, tools: &Tools, steps: &mut Steps) -> anyhow::Result<()> {
    for place in [&release.out, &release.work] {
        if place.exists() {
            fs::remove_dir_all(place)?;
        }
        fs::create_dir_all(place)?;
    }
    steps.run("binary", "one for every Linux since 2014", || {
        binary::make(release, tools, PROGRAM, &[PROGRAM])
    });
    if !binary::program(release, PROGRAM).exists() {
        return Ok(());
    }
    let parts = parts::of(&release.root, tools, &["--package", PROGRAM])?;
    let mut step = |name, what, make: &mut dyn FnMut() -> anyhow::Result<()>| {
        steps.run(name, what, || make().map(|()| true));
    };
    step("sbom", "what it is made of", &mut || sbom::write(release, PROGRAM, PROGRAM, &parts));
    step("tree", "the files of a package", &mut || stage::program(release, &parts));
    step("tarball", "for a system without packages", &mut || tarball::make(release));
    step("packages", "deb and rpm", &mut || linux_packages::program(release, tools));
    step("extension", "calibrate_io() for the servers that are here", &mut || {
        extension::make(release, tools)
    });
    step("mpi", "rigel-mpi, with the MPI that is here", &mut || mpi::make(release, tools));
    step("wheel", "for pip", &mut || wheel::make(release, tools));
    step("container", "what an image is built with", &mut || container::make(release));
    step("sums", "SHA256SUMS", &mut || sums(release));
    Ok(())
}

fn sums(release: &Release) -> anyhow::Result<()> {
    let names = stage::names(&release.out)?;
    let told = Command::new("sha256sum").current_dir(&release.out).arg("--").args(&names).output();
    let told = told.context("cannot start sha256sum")?;
    anyhow::ensure!(told.status.success(), "sha256sum: {}", String::from_utf8_lossy(&told.stderr));
    fs::write(release.out.join("SHA256SUMS"), &told.stdout)?;
    print!("{}", String::from_utf8_lossy(&told.stdout));
    Ok(())
}

/// Builds what is committed once more, elsewhere, and compares.
fn again(first: &Release, tools: &Tools) -> anyhow::Result<bool> {
    let dirty = Command::new("git").current_dir(&first.root).args(["status", "--porcelain"]).output()?.stdout;
    anyhow::ensure!(dirty.is_empty(), "only what is committed can be built elsewhere: commit it first");
    let place = tempfile::Builder::new().prefix("rigel-again").tempdir_in(crate::target_dir(&first.root))?;
    let sources = place.path().join("other/directory");
    let clone = ["clone", "--quiet", "--local", "--depth=1", "--no-tags", "--"];
    let from = format!("file://{}", first.root.display());
    first.finish(Command::new("git").args(clone).arg(from).arg(&sources))?;
    let second = Release::of(&sources, &place.path().join("dist"))?;
    let mut steps = Steps::default();
    make(&second, tools, &mut steps)?;
    if !steps.conclude("again") {
        return Ok(false);
    }
    let sums = |release: &Release| fs::read_to_string(release.out.join("SHA256SUMS"));
    let (one, other) = (sums(first)?, sums(&second)?);
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

/// What a command of cargo wrote.
fn cargo_says(root: &Path, arguments: &[&str]) -> anyhow::Result<Vec<u8>> {
    let told = cargo(root, arguments).output().context("cannot start cargo")?;
    let line = arguments.join(" ");
    anyhow::ensure!(told.status.success(), "cargo {line}: {}", String::from_utf8_lossy(&told.stderr).trim());
    Ok(told.stdout)
}
