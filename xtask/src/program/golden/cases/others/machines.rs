//! The doctor on trees of other machines, and on facts that are made to be wrong.

use super::super::super::Document;
use super::super::super::documents::{ASCII, COLOUR};
use super::super::super::facts;
use super::super::Case;
use super::super::calibrations::with_commits;
use super::super::hostile::NAME;
use anyhow::Context as _;
use rigel_core::facts::{HostFacts, MountFacts};
use rigel_core::units::GIB;
use rigel_io::survey::survey;
use rigel_report::View;
use rigel_report::calibration::Document as Answers;
use rigel_report::doctor::{DoctorReport, json};
use rigel_report::document::Document as _;
use rigel_report::text::Style;
use rigel_uses::doctor::{System, examine};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

macro_rules! machine {
    ($name:literal) => {
        include_str!(concat!("../../../../../../crates/rigel-io/tests-data/machines/", $name, ".tree"))
    };
}

/// The cases.
pub fn all() -> Vec<Case> {
    vec![
        Case::other("doctor-virtio-guest", || surveyed(machine!("virtio-guest"))),
        Case::other("doctor-layers", || surveyed(machine!("layers"))),
        Case::other("doctor-nfs-and-iscsi", || surveyed(machine!("nfs-and-iscsi"))),
        Case::other("doctor-graviton-guest", || surveyed(machine!("graviton-guest"))),
        Case::other("doctor-altra-64k", || surveyed(machine!("altra-64k"))),
        Case::other("doctor-mac-16k", || surveyed(machine!("mac-16k"))),
        Case::other("doctor-of-targets", of_targets),
        Case::other("doctor-good", good),
    ]
}

/// What the doctor says about a captured machine.
fn surveyed(tree: &str) -> anyhow::Result<Vec<Document>> {
    let root = tempfile::tempdir().context("cannot make a directory for a tree of a machine")?;
    unpack(tree, root.path())?;
    let found = survey(root.path());
    told(&System::whole(&found.host, &found.devices, &found.mounts), &[], &[])
}

/// Creates the files of a tree below a directory; `capture.sh` next to the trees describes the form.
fn unpack(tree: &str, root: &Path) -> anyhow::Result<()> {
    let below = |path: &str| -> anyhow::Result<PathBuf> {
        let place = root.join(path.trim_start_matches('/'));
        fs::create_dir_all(place.parent().unwrap_or(root))?;
        Ok(place)
    };
    let mut file = None;
    for line in tree.lines() {
        if let Some(text) = line.strip_prefix('\t') {
            let place: &PathBuf = file.as_ref().context("a line of no file")?;
            let before = fs::read_to_string(place)?;
            fs::write(place, format!("{before}{text}\n"))?;
            continue;
        }
        let (kind, rest) = line.split_once(' ').with_context(|| format!("no line of a tree: {line}"))?;
        match kind {
            "F" => {
                let place = below(rest)?;
                fs::write(&place, "")?;
                file = Some(place);
            }
            "D" => fs::create_dir_all(below(rest)?)?,
            "L" => {
                let (from, to) = rest.split_once(' ').with_context(|| format!("no link: {line}"))?;
                symlink(below(to)?, below(from)?)?;
            }
            _ => anyhow::bail!("no line of a tree: {line}"),
        }
    }
    Ok(())
}

/// Settings that are wrong below targets with other names.
fn of_targets() -> anyhow::Result<Vec<Document>> {
    let mut host = facts::host();
    host.settings.swappiness = Some(60);
    host.swap_bytes = Some(GIB);
    host.clock_source = Some("hpet".into());
    host.transparent_huge_pages = Some("always".into());
    host.cpu_governors = vec!["powersave".into()];
    let mut target = facts::file(0, GIB);
    target.path = NAME.into();
    if let Some(mount) = &mut target.mount {
        mount.options = vec!["rw".into(), "nobarrier".into()];
        mount.mount_point = NAME.into();
    }
    if let Some(device) = &mut target.device {
        device.scheduler = Some("bfq".into());
        device.nomerges = Some(2);
    }
    let targets = [target, facts::device(1, GIB)];
    let named = [NAME.to_owned(), "/dev/sdc".to_owned()];
    let record = with_commits(true)?;
    let answers = Answers::of(&View::of(&record)).context("a calibration has answers")?;
    told(&System::below(&host, &targets), &named, &[("/dev/sdb".to_owned(), answers)])
}

fn good() -> anyhow::Result<Vec<Document>> {
    let host = HostFacts { clock_source: Some("tsc".into()), ..HostFacts::default() };
    let mount = MountFacts {
        mount_point: "/data".into(),
        filesystem: "xfs".into(),
        source: "/dev/sdb".into(),
        options: vec!["rw".into(), "noatime".into()],
        device: None,
        lies_on: None,
    };
    told(&System::whole(&host, &[], &[mount]), &[], &[])
}

/// With the calibrations of the targets that are `known`.
fn told(system: &System<'_>, named: &[String], known: &[(String, Answers)]) -> anyhow::Result<Vec<Document>> {
    let all = examine(system);
    let report = |everything, style| {
        let known = if everything { known } else { &[] };
        DoctorReport { system, all: &all, named, known, everything }.text(style)
    };
    Ok(vec![
        Document::new("text", report(false, Style::default())),
        Document::new("text-all", report(true, Style::default())),
        Document::new("text-colour", report(true, COLOUR)),
        Document::new("text-ascii", report(false, ASCII)),
        Document::new("json", json(&all)?),
    ])
}
