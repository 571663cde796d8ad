//! The packages of the program, each put into a root, tried, upgraded and removed. Must not know which processor it is for: the root starts the
//! program.

use super::super::{Release, linux_packages, stage, tools::Tools};
use super::room::Room;
use super::{examples, trial};
use anyhow::Context as _;
use std::path::Path;
use std::process::Command;

/// Installs one of our packages; its dependencies are in the root.
pub const INSTALL: &str = "apt-get install --yes --no-install-recommends";

pub fn first(release: &Release, room: &Room) -> anyhow::Result<bool> {
    let package = release.deb("rigel");
    room.take_in(&release.out, &package)?;
    trial::first_number(room, &format!("{INSTALL} /parts/{package}"))?;
    Ok(true)
}

pub fn deb(release: &Release, room: &Room, target: &Path) -> anyhow::Result<bool> {
    let before = room.list()?;
    let package = release.deb("rigel");
    room.take_in(&release.out, &package)?;
    room.run(&format!("{INSTALL} /parts/{package}"))?;
    trial::of_root(room, "/usr", release.architecture)?;
    trial::weekly(room)?;
    let newer = newer(release, target, "deb")?;
    room.take_in(&release.work.join("newer"), &newer)?;
    room.run(&format!("{INSTALL} /parts/{newer}"))?;
    let told = room.run("dpkg-query --show --showformat='${Version}' rigel; rigel --version")?;
    anyhow::ensure!(told.starts_with(NEWER), "the upgrade is not there: {told}");
    room.run(&format!("apt-get purge --yes rigel:{}", release.architecture.debian))?;
    Room::as_before(&before, &room.list()?)
}

pub fn rpm(release: &Release, room: &Room, target: &Path) -> anyhow::Result<bool> {
    let before = room.list()?;
    let rpm = |arguments: &[&str]| release.finish(&mut room.rpm(arguments));
    // It says what it needs.
    let package = release.out.join(release.rpm("rigel"));
    let package = package.to_string_lossy();
    let told = room.rpm(&["--install", &package]).env("LC_ALL", "C").output().context("cannot start rpm")?;
    let said = String::from_utf8_lossy(&told.stderr);
    anyhow::ensure!(!told.status.success(), "a database without a C library took it");
    anyhow::ensure!(lacks_the_c_library(&said), "rpm refused it for another reason: {said}");
    // Debian's C library is in no database of rpm.
    rpm(&["--upgrade", "--nodeps", &package])?;
    trial::of_root(room, "/usr", release.architecture)?;
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

/// Differs only in its version.
const NEWER: &str = "99.0";

/// A package of a later version, for the upgrade; its name.
pub fn newer(release: &Release, target: &Path, kind: &str) -> anyhow::Result<String> {
    let later = Release { out: release.work.join("newer"), ..release.clone() };
    std::fs::create_dir_all(&later.out)?;
    let package = linux_packages::of_program(&later);
    linux_packages::write(&later, &Tools::find(target)?, &package, kind, NEWER)?;
    let names = stage::names(&later.out)?;
    names.into_iter().find(|name| name.ends_with(kind)).ok_or_else(|| anyhow::anyhow!("nfpm made no {kind}"))
}

pub fn tarball(release: &Release, room: &Room) -> anyhow::Result<bool> {
    let before = room.list_files()?;
    let name = format!("{}.tar.xz", super::super::tarball::name(release));
    // A minimal Debian has no xz.
    let unpacked = name.trim_end_matches(".xz");
    room.take_in(&release.out, &name)?;
    release.finish(
        Command::new("xz").args(["--decompress", "--force"]).arg(room.path().join("parts").join(&name)),
    )?;
    room.run(&format!(
        "tar -xf /parts/{unpacked} --strip-components=1 --no-same-owner --no-overwrite-dir -C /usr/local"
    ))?;
    trial::of_root(room, "/usr/local", release.architecture)?;
    // As the guide says; directories may be those of others and stay.
    room.run("cd /usr/local && xargs rm < share/doc/rigel/FILES")?;
    Room::as_before(&before, &room.list_files()?)
}

pub fn image(release: &Release, room: &Room) -> anyhow::Result<bool> {
    room.take_in(&release.out, &release.deb("rigel"))?;
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

pub fn wheel(release: &Release, room: &Room) -> anyhow::Result<bool> {
    let name = super::super::wheel::name(release);
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
