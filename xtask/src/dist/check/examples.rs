//! The examples that packages hold, started as they stand: the playbook on a host of its own, the job's command in what its image holds.
//!
//! Must not need a cluster: what Kubernetes itself makes of the manifest is not tried here.

use super::super::{Release, stage};
use super::room::Room;
use super::trial;
use anyhow::Context as _;
use std::fs;
use std::path::Path;

/// debootstrap does not see that the last one is needed.
const PACKAGES: [&str; 3] = ["ansible-core", "python3-apt", "python3-cffi-backend"];

/// The playbook installs the package, calibrates and keeps the answers.
pub fn ansible(release: &Release, roots: &Path, debian: &str) -> anyhow::Result<bool> {
    let room = Room::with(roots, debian, &PACKAGES)?;
    let package = release.deb("rigel");
    room.take_in(&release.out, &package)?;
    room.take_in(&stage::usr(release).join("share/doc/rigel/examples"), "ansible.yml")?;
    let variables = format!("-e package=/parts/{package} -e budget=20s -e directory=/parts/data");
    room.run(&format!(
        "mkdir /parts/data && cd /parts && ansible-playbook --inventory here, --connection local {variables} ansible.yml >&2"
    ))?;
    let told = fs::read_to_string(room.path().join("parts/here_calibration.json"));
    trial::has_a_rate(&told.context("the playbook kept no answers")?)?;
    Ok(true)
}

/// The arguments of the job in `kubernetes.yaml`, with less time and room than there.
pub fn job(release: &Release) -> anyhow::Result<Vec<String>> {
    let manifest = fs::read_to_string(stage::usr(release).join("share/doc/rigel/examples/kubernetes.yaml"))?;
    words(&manifest).context("kubernetes.yaml has no line of args")
}

fn words(manifest: &str) -> Option<Vec<String>> {
    let line = manifest.lines().find_map(|line| line.trim().strip_prefix("args: [")?.strip_suffix(']'))?;
    let shorter = |word: &str| match word {
        "60s" => "20s".to_owned(),
        "10G" => "256M".to_owned(),
        other => other.to_owned(),
    };
    Some(line.split(", ").map(shorter).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_job_of_the_example_is_found() {
        let manifest = include_str!("../../../../packaging/examples/kubernetes.yaml");
        let words = words(manifest).unwrap();
        assert_eq!(words.first().map(String::as_str), Some("calibrate"));
        assert!(words.contains(&"20s".to_owned()) && words.contains(&"--json".to_owned()), "{words:?}");
    }
}
