//! Installs every package in a fresh root, tries what people do there, upgrades, removes, and looks for what is left. What is made for another
//! processor is installed in a root that takes its packages too, and started in an emulator.
//!
//! Must not judge speed, and must not use anything of this host but its kernel.

mod crates;
mod emulated;
mod examples;
mod golden;
mod installs;
mod old_calls;
mod others;
mod room;
mod systemd;
mod trial;

use super::{Release, cross, cross::Emulator};
use crate::ci::steps::Steps;
use installs::{INSTALL, newer};
use room::Room;
use std::path::Path;

/// The distributions in which deb and archive are tried; the second is the oldest that mirrors still have. All else is tried in the first.
const DEBIANS: [&str; 3] = ["bookworm", "bullseye", "trixie"];

/// A way to install, and what is done with it.
type Trial<'a> = (&'static str, String, Box<dyn FnOnce() -> anyhow::Result<bool> + 'a>);

/// Each check with the packages that it needs; a package that is not the name of a check stands for itself.
const NEEDS: [(&str, &[&str]); 18] = [
    ("first", &["deb"]),
    ("deb", &["deb"]),
    ("tarball", &["tarball"]),
    ("rpm", &["rpm"]),
    ("image", &["deb"]),
    ("other-rpms", &["extension", "mpi"]),
    ("mpi", &["mpi"]),
    ("extension", &["extension"]),
    ("ansible", &["deb"]),
    ("old-calls", &["tarball"]),
    ("wheel", &["wheel"]),
    ("crates", &[]),
    ("systemd", &[]),
    ("timer", &["deb"]),
    ("emulated", &["tarball"]),
    ("golden", &[]),
    ("no-emulator", &[]),
    ("container", &[]),
];

/// The packages that a check needs.
pub fn needs(only: &str) -> &'static [&'static str] {
    NEEDS.iter().find(|(name, _)| *name == only).map_or(&[], |(_, packages)| packages)
}

/// Adds a step for each way to install, or for the requested one.
pub fn run(releases: &[Release], target: &Path, only: Option<&str>, steps: &mut Steps) {
    let roots = target.join("dist-roots");
    for release in releases {
        for (name, what, trial) in trials(release, releases, target, &roots) {
            if only.is_none_or(|only| only == name) {
                steps.run(release.architecture.step(name), &what, trial);
            }
        }
    }
}

/// Refuses a name that no check has, before anything is built.
pub fn knows(only: &str) -> anyhow::Result<()> {
    let names: Vec<&str> = NEEDS.iter().map(|(name, _)| *name).collect();
    anyhow::ensure!(
        names.contains(&only),
        "--only {only}: no package and no check has that name: {}",
        names.join(", ")
    );
    Ok(())
}

fn trials<'a>(
    release: &'a Release,
    releases: &'a [Release],
    target: &'a Path,
    roots: &'a Path,
) -> Vec<Trial<'a>> {
    if release.architecture.is_native() {
        return native(release, target, roots);
    }
    match cross::emulator(target, release.architecture) {
        Some(emulator) => foreign(release, releases, target, roots, &emulator),
        None => {
            let name = release.architecture.name;
            let what = format!("{name}: no emulator is here (cargo xtask dist --setup): nothing is tried");
            let told = what.clone();
            vec![("no-emulator", what, Box::new(move || release.leave_out(&told).map(|()| true)))]
        }
    }
}

/// What is built for this host.
fn native<'a>(release: &'a Release, target: &'a Path, roots: &'a Path) -> Vec<Trial<'a>> {
    let debian = DEBIANS[0];
    let fresh = move || Room::fresh(roots, debian);
    let mut trials: Vec<Trial<'a>> = Vec::new();
    let mut add = |name, what: &str, trial: Box<dyn FnOnce() -> anyhow::Result<bool> + 'a>| {
        trials.push((name, what.to_owned(), trial));
    };
    add("first", "from nothing to the first number", Box::new(move || installs::first(release, &fresh()?)));
    for debian in DEBIANS {
        let room = move || Room::fresh(roots, debian);
        let what = format!("apt-get install, upgrade, purge in {debian}");
        add("deb", &what, Box::new(move || installs::deb(release, &room()?, target)));
        let what = format!("the archive below /usr/local of {debian}");
        add("tarball", &what, Box::new(move || installs::tarball(release, &room()?)));
    }
    add("rpm", "rpm --install, --erase", Box::new(move || installs::rpm(release, &fresh()?, target)));
    let what = "the job of kubernetes.yaml in what its image holds";
    add("image", what, Box::new(move || installs::image(release, &fresh()?)));
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
    add(
        "wheel",
        what,
        Box::new(move || installs::wheel(release, &Room::with(roots, debian, &["python3-venv"])?)),
    );
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

/// What is built for another processor. Checks that boot a root, or start its programs directly, would need a kernel
/// that knows the emulator: image, playbook and timer are tested natively only.
fn foreign<'a>(
    release: &'a Release,
    releases: &'a [Release],
    target: &'a Path,
    roots: &'a Path,
    emulator: &Emulator,
) -> Vec<Trial<'a>> {
    let room = |debian: &'static str| {
        let emulator = emulator.clone();
        move || Room::foreign(roots, debian, release.architecture, &emulator)
    };
    let debian = DEBIANS[0];
    let (deb, tarball, rpm, wheel) = (room(debian), room(debian), room(debian), emulator.clone());
    let (program, corpus) = (emulator.clone(), emulator.clone());
    let name = release.architecture.name;
    let trial =
        |name, what: String, trial: Box<dyn FnOnce() -> anyhow::Result<bool> + 'a>| (name, what, trial);
    vec![
        trial(
            "deb",
            format!("apt-get install, upgrade, purge of {name} in {debian}, started in an emulator"),
            Box::new(move || installs::deb(release, &deb()?, target)),
        ),
        trial(
            "tarball",
            format!("the archive of {name} below /usr/local"),
            Box::new(move || installs::tarball(release, &tarball()?)),
        ),
        trial(
            "rpm",
            format!("rpm --install, --erase of {name}"),
            Box::new(move || installs::rpm(release, &rpm()?, target)),
        ),
        trial(
            "wheel",
            format!("what pip takes of the wheel for {name}"),
            Box::new(move || {
                emulated::wheel(release, &Room::with(roots, debian, &["python3-venv"])?, &wheel)
            }),
        ),
        trial(
            "emulated",
            format!("what people do, and the same bytes of the same records, in an emulator of {name}"),
            Box::new(move || emulated::tried(release, releases, &program)),
        ),
        trial(
            "golden",
            format!("every document of the golden corpus, made in an emulator of {name}"),
            Box::new(move || golden::same(release, target, &corpus)),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release() -> Release {
        let [root, out, work] = ["", "packages", "work"].map(|name| Path::new("/nowhere").join(name));
        let architecture = &super::super::architecture::X86_64;
        Release { root, out, work, epoch: 0, architecture, left_out: std::rc::Rc::default() }
    }

    #[test]
    fn a_check_that_nobody_has_is_refused_with_the_names_of_all() {
        for name in ["first", "deb", "rpm", "old-calls", "timer", "container"] {
            knows(name).unwrap();
        }
        let told = knows("debs").unwrap_err().to_string();
        assert!(told.contains("debs") && told.contains(": first, deb, tarball, rpm, "), "{told}");
    }

    #[test]
    fn every_check_says_which_packages_it_needs() {
        let (release, nowhere) = (release(), Path::new("/nowhere"));
        let other = Release { architecture: &super::super::architecture::AARCH64, ..release.clone() };
        let emulator = Emulator { program: nowhere.into(), sysroot: nowhere.into() };
        let all = native(&release, nowhere, nowhere)
            .into_iter()
            .chain(foreign(&other, &[], nowhere, nowhere, &emulator))
            .chain(trials(&other, &[], nowhere, nowhere));
        all.for_each(|(name, ..)| knows(name).unwrap());
        assert_eq!(needs("mpi"), ["mpi"]);
        assert_eq!((needs("timer"), needs("golden").len()), (&["deb"][..], 0));
    }

    #[test]
    fn what_is_left_out_is_counted_or_an_error() {
        let release = release();
        assert_eq!(release.leave_out("no strace").is_ok(), !crate::ci::in_ci());
        let counted = release.left_out.borrow().len();
        assert_eq!(counted, usize::from(!crate::ci::in_ci()));
        release.cannot("a server of another processor");
        assert_eq!(release.left_out.borrow().len(), counted + 1);
    }
}
