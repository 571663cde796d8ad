//! Installs every package in a fresh root, tries what people do there, upgrades, removes, and looks for what is left.
//!
//! Must not judge speed, and must not use anything of this host but its kernel.

mod crates;
mod examples;
mod old_calls;
mod others;
mod room;
mod systemd;
mod trial;

use super::{Release, VERSION, linux_packages, stage, tools::Tools};
use crate::ci::steps::Steps;
use anyhow::Context as _;
use room::Room;
use std::path::Path;
use std::process::Command;

/// The distributions in which deb and archive are tried; the second is the oldest that mirrors still have. All else is tried in the first.
const DEBIANS: [&str; 3] = ["bookworm", "bullseye", "trixie"];

/// A way to install, and what is done with it.
type Trial<'a> = (&'static str, String, Box<dyn FnOnce() -> anyhow::Result<bool> + 'a>);

/// Adds a step for each way to install, or for the one that is wanted.
pub fn run(release: &Release, target: &Path, only: Option<&str>, steps: &mut Steps) {
    let roots = target.join("dist-roots");
    for (name, what, trial) in trials(release, target, &roots) {
        if only.is_none_or(|only| only == name) {
            steps.run(name, &what, trial);
        }
    }
}

/// Refuses a name that no check has, before anything is built.
pub fn knows(release: &Release, target: &Path, only: &str) -> anyhow::Result<()> {
    // Those of several distributions follow each other under turns of two names.
    let mut names: Vec<&str> = Vec::new();
    for (name, ..) in trials(release, target, target) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    anyhow::ensure!(names.contains(&only), "--only {only}: no check has that name: {}", names.join(", "));
    Ok(())
}

fn trials<'a>(release: &'a Release, target: &'a Path, roots: &'a Path) -> Vec<Trial<'a>> {
    let debian = DEBIANS[0];
    let fresh = move || Room::fresh(roots, debian);
    let mut trials: Vec<Trial<'a>> = Vec::new();
    let mut add = |name, what: &str, trial: Box<dyn FnOnce() -> anyhow::Result<bool> + 'a>| {
        trials.push((name, what.to_owned(), trial));
    };
    add("first", "from nothing to the first number", Box::new(move || first(release, &fresh()?)));
    for debian in DEBIANS {
        let room = move || Room::fresh(roots, debian);
        let what = format!("apt-get install, upgrade, purge in {debian}");
        add("deb", &what, Box::new(move || deb(release, &room()?, target)));
        let what = format!("the archive below /usr/local of {debian}");
        add("tarball", &what, Box::new(move || tarball(release, &room()?)));
    }
    add("rpm", "rpm --install, --erase", Box::new(move || rpm(release, &fresh()?, target)));
    let what = "the job of kubernetes.yaml in what its image holds";
    add("image", what, Box::new(move || image(release, &fresh()?)));
    let what = "what the rpms of rigel-mpi and of the extension hold";
    add("other-rpms", what, Box::new(move || others::rpms(release, &fresh()?)));
    add("mpi", "two nodes by mpirun", Box::new(move || others::mpi(release, roots, debian)));
    let what = "CREATE EXTENSION, calibrate_io()";
    add("extension", what, Box::new(move || others::extensions(release, roots, debian)));
    let what = "the playbook on a host of its own";
    add("ansible", what, Box::new(move || examples::ansible(release, roots, debian)));
    let what = "the packed binary, newer system calls than Linux 3.10 refused";
    add("old-calls", what, Box::new(move || old_calls::refused(release)));
    let what = "pip install in an environment of its own";
    add("wheel", what, Box::new(move || wheel(release, &Room::with(roots, debian, &["python3-venv"])?)));
    let what = "cargo package: what would be published is built from what is packed";
    add("crates", what, Box::new(move || crates::packed(release, target)));
    add("systemd", "systemd-analyze verify", Box::new(move || systemd::judged(release)));
    let what = "a calibration by systemd, told by the node exporter";
    add(
        "timer",
        what,
        Box::new(move || systemd::booted(release, &Room::with(roots, debian, &systemd::PACKAGES)?, target)),
    );
    trials
}

/// Of a package of ours; what it needs is in the root.
const INSTALL: &str = "apt-get install --yes --no-install-recommends";

fn first(release: &Release, room: &Room) -> anyhow::Result<bool> {
    room.take_in(&release.out, &format!("rigel_{VERSION}-1_amd64.deb"))?;
    trial::first_number(room, &format!("{INSTALL} /parts/rigel_{VERSION}-1_amd64.deb"))?;
    Ok(true)
}

fn deb(release: &Release, room: &Room, target: &Path) -> anyhow::Result<bool> {
    let before = room.list()?;
    room.take_in(&release.out, &format!("rigel_{VERSION}-1_amd64.deb"))?;
    room.run(&format!("{INSTALL} /parts/rigel_{VERSION}-1_amd64.deb"))?;
    trial::of_root(room, "/usr")?;
    trial::weekly(room)?;
    let newer = newer(release, target, "deb")?;
    room.take_in(&release.work.join("newer"), &newer)?;
    room.run(&format!("{INSTALL} /parts/{newer}"))?;
    let told = room.run("dpkg-query --show --showformat='${Version}' rigel; rigel --version")?;
    anyhow::ensure!(told.starts_with(NEWER), "the upgrade is not there: {told}");
    room.run("apt-get purge --yes rigel")?;
    Room::as_before(&before, &room.list()?)
}

fn rpm(release: &Release, room: &Room, target: &Path) -> anyhow::Result<bool> {
    let before = room.list()?;
    let rpm = |arguments: &[&str]| release.finish(&mut room.rpm(arguments));
    // It says what it needs.
    let package = release.out.join(format!("rigel-{VERSION}-1.x86_64.rpm"));
    let package = package.to_string_lossy();
    let told = room.rpm(&["--install", &package]).env("LC_ALL", "C").output().context("cannot start rpm")?;
    let said = String::from_utf8_lossy(&told.stderr);
    anyhow::ensure!(!told.status.success(), "a database without a C library took it");
    anyhow::ensure!(lacks_the_c_library(&said), "rpm refused it for another reason: {said}");
    // Debian's C library is in no database of rpm.
    rpm(&["--upgrade", "--nodeps", &package])?;
    trial::of_root(room, "/usr")?;
    trial::names_contents(room)?;
    rpm(&["--verify", "--nodeps", "rigel"])?;
    let newer = release.work.join("newer").join(newer(release, target, "rpm")?);
    rpm(&["--upgrade", "--nodeps", &newer.to_string_lossy()])?;
    rpm(&["--erase", "rigel"])?;
    Room::as_before(&before, &room.list()?)
}

/// Whether rpm refused a package because no package has the C library.
fn lacks_the_c_library(said: &str) -> bool {
    said.lines()
        .any(|line| line.trim_start().starts_with("glibc >= ") && line.contains(" is needed by rigel-"))
}

/// By its version only.
const NEWER: &str = "99.0";

/// A package of a later version, for the upgrade; its name.
fn newer(release: &Release, target: &Path, kind: &str) -> anyhow::Result<String> {
    let later = Release {
        root: release.root.clone(),
        out: release.work.join("newer"),
        work: release.work.clone(),
        epoch: release.epoch,
        left_out: std::cell::RefCell::default(),
    };
    std::fs::create_dir_all(&later.out)?;
    let package = linux_packages::of_program(&later);
    linux_packages::write(&later, &Tools::find(target)?, &package, kind, NEWER)?;
    let names = stage::names(&later.out)?;
    names.into_iter().find(|name| name.ends_with(kind)).ok_or_else(|| anyhow::anyhow!("nfpm made no {kind}"))
}

fn tarball(release: &Release, room: &Room) -> anyhow::Result<bool> {
    let before = room.list_files()?;
    let name = stage::names(&release.out)?.into_iter().find(|name| name.ends_with(".tar.xz"));
    let name = name.ok_or_else(|| anyhow::anyhow!("there is no archive"))?;
    // A minimal Debian has no xz.
    let unpacked = name.trim_end_matches(".xz");
    room.take_in(&release.out, &name)?;
    release.finish(
        Command::new("xz").args(["--decompress", "--force"]).arg(room.path().join("parts").join(&name)),
    )?;
    room.run(&format!(
        "tar -xf /parts/{unpacked} --strip-components=1 --no-same-owner --no-overwrite-dir -C /usr/local"
    ))?;
    trial::of_root(room, "/usr/local")?;
    // As the guide says; directories may be those of others and stay.
    room.run("cd /usr/local && xargs rm < share/doc/rigel/FILES")?;
    Room::as_before(&before, &room.list_files()?)
}

fn image(release: &Release, room: &Room) -> anyhow::Result<bool> {
    room.take_in(&release.out, &format!("rigel_{VERSION}-1_amd64.deb"))?;
    room.take_in(&release.out, "collect")?;
    // As in the small images of Debian, with which the recipe begins.
    let excluded = "path-exclude /usr/share/doc/*\npath-include /usr/share/doc/*/copyright\n";
    std::fs::write(room.path().join("etc/dpkg/dpkg.cfg.d/docker"), excluded)?;
    let recipe = std::fs::read_to_string(release.out.join("Containerfile"))?;
    let line = recipe.lines().find_map(|line| line.strip_prefix("RUN "));
    room.run(line.context("Containerfile has no RUN")?)?;
    let inside = Room::at(&room.path().join("image"));
    for file in ["rigel/THIRD-PARTY.txt", "libc6/copyright", "libblkid1/copyright"] {
        let text = std::fs::read_to_string(inside.path().join("usr/share/doc").join(file));
        anyhow::ensure!(text.is_ok_and(|text| text.len() > 1000), "the image has no {file}");
    }
    let job = examples::job(release)?;
    let line: Vec<&str> = job.iter().map(String::as_str).chain(["--out", "/data"]).collect();
    trial::has_a_rate(&inside.run_directly("/usr/bin/rigel", &line)?)?;
    Ok(true)
}

fn wheel(release: &Release, room: &Room) -> anyhow::Result<bool> {
    let name = stage::names(&release.out)?.into_iter().find(|name| name.ends_with(".whl"));
    let name = name.context("there is no wheel")?;
    room.take_in(&release.out, &name)?;
    room.run("python3 -m venv /opt/rigel")?;
    // pip leaves directories that it made.
    let before = room.list_files()?;
    // Compiled parts of pip are not ours.
    let pip = "PYTHONDONTWRITEBYTECODE=1 /opt/rigel/bin/pip";
    room.run(&format!("{pip} install --quiet --no-compile --no-index /parts/{name}"))?;
    trial::calibrates(
        |line| {
            room.run(&format!(
                "mkdir -p /parts/data && cd /parts/data && /opt/rigel/bin/rigel {}",
                line.join(" ")
            ))
        },
        "/parts/data",
    )?;
    room.run("/opt/rigel/bin/orion -help")?;
    // man finds the pages beside the programs of its path.
    let place = room.run("PATH=/opt/rigel/bin:$PATH man --where rigel-calibrate")?;
    anyhow::ensure!(place.starts_with("/opt/rigel/share/man"), "man --where rigel-calibrate: {place}");
    room.run(&format!("{pip} uninstall --quiet --yes rigel-storage"))?;
    Room::as_before(&before, &room.list_files()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release(place: &Path) -> Release {
        let [root, out, work] = ["", "packages", "work"].map(|name| place.join(name));
        Release { root, out, work, epoch: 0, left_out: std::cell::RefCell::default() }
    }

    #[test]
    fn a_check_that_nobody_has_is_refused_with_the_names_of_all() {
        let place = Path::new("/nowhere");
        let release = release(place);
        for name in ["first", "deb", "rpm", "old-calls", "timer"] {
            knows(&release, place, name).unwrap();
        }
        let told = knows(&release, place, "debs").unwrap_err().to_string();
        assert!(told.contains("debs") && told.contains(": first, deb, tarball, rpm, "), "{told}");
    }

    #[test]
    fn what_is_left_out_is_counted_or_an_error() {
        let release = release(Path::new("/nowhere"));
        assert_eq!(release.leave_out("no strace").is_ok(), !crate::ci::in_ci());
        let counted = release.left_out.borrow().len();
        assert_eq!(counted, usize::from(!crate::ci::in_ci()));
    }

    #[test]
    fn rpm_tells_why_it_refuses() {
        assert!(lacks_the_c_library(
            "error: Failed dependencies:\n\tglibc >= 2.17 is needed by rigel-0.2.0-1.x86_64\n"
        ));
        for other in [
            "error: open of /nowhere/glibc.rpm failed: No such file or directory\n",
            "error: Failed dependencies:\n\tlibblkid is needed by rigel-0.2.0-1.x86_64\n",
        ] {
            assert!(!lacks_the_c_library(other), "{other}");
        }
    }
}
