//! The files of a package as they will lie below `/usr`: the one list from which archive, deb, rpm and wheel are made.
//!
//! Must not know how a package is written.

use super::{PROGRAM, Release, binary, licences, parts::Part};
use anyhow::Context as _;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The directory that becomes `/usr`.
pub fn usr(release: &Release) -> PathBuf {
    release.work.join("tree/usr")
}

/// The documents that each package of ours has.
pub const DOCUMENTS: [&str; 5] =
    ["README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// Names every page.
const INDEX: &str = "docs/README.md";

/// The pages for those who use it.
const PAGES: [&str; 4] = ["docs/guide", "docs/method", "docs/reference", "docs/reference/schemas"];

/// Lays out the program.
pub fn program(release: &Release, parts: &[Part]) -> anyhow::Result<()> {
    let (usr, root) = (usr(release), release.root.as_path());
    put(&binary::program(release, PROGRAM), &usr.join("bin/rigel"), 0o755)?;
    symlink("rigel", usr.join("bin/orion"))?;
    for name in names(&root.join("docs/reference/man"))? {
        let page = usr.join("share/man/man1").join(&name);
        put(&root.join("docs/reference/man").join(&name), &page, 0o644)?;
        release.finish(Command::new("gzip").args(["-9", "--no-name"]).arg(&page))?;
    }
    symlink("rigel-orion.1.gz", usr.join("share/man/man1/orion.1.gz"))?;
    for (from, to) in [
        ("completions/rigel.bash", "share/bash-completion/completions/rigel"),
        ("completions/_rigel", "share/zsh/site-functions/_rigel"),
        ("completions/rigel.fish", "share/fish/vendor_completions.d/rigel.fish"),
        ("packaging/systemd/rigel-calibrate.service", "lib/systemd/system/rigel-calibrate.service"),
        ("packaging/systemd/rigel-calibrate.timer", "lib/systemd/system/rigel-calibrate.timer"),
        ("packaging/systemd/rigel-capacity.service", "lib/systemd/system/rigel-capacity.service"),
        ("packaging/examples/ansible.yml", "share/doc/rigel/examples/ansible.yml"),
        ("packaging/examples/kubernetes.yaml", "share/doc/rigel/examples/kubernetes.yaml"),
        ("packaging/grafana/rigel.json", "share/doc/rigel/examples/grafana.json"),
        ("packaging/prometheus/rigel.rules.yml", "share/doc/rigel/examples/prometheus.rules.yml"),
    ] {
        put(&root.join(from), &usr.join(to), 0o644)?;
    }
    put(&root.join("packaging/systemd/calibrate-metrics"), &usr.join("lib/rigel/calibrate-metrics"), 0o755)?;
    documents(release, &usr.join("share/doc/rigel"))?;
    pages(release, &usr.join("share/doc/rigel"))?;
    licences::write(&usr.join("share/doc/rigel"), parts)?;
    settle(release, &release.work.join("tree"))
}

/// Copies the documents.
pub fn documents(release: &Release, to: &Path) -> anyhow::Result<()> {
    DOCUMENTS.iter().try_for_each(|name| put(&release.root.join(name), &to.join(name), 0o644))
}

/// Copies the pages that help and messages refer to, for hosts without a network.
fn pages(release: &Release, to: &Path) -> anyhow::Result<()> {
    put(&release.root.join(INDEX), &to.join(INDEX), 0o644)?;
    for place in PAGES {
        for name in names(&release.root.join(place))? {
            let from = release.root.join(place).join(&name);
            if from.is_file() {
                put(&from, &to.join(place).join(&name), 0o644)?;
            }
        }
    }
    Ok(())
}

/// Copies a file with the directories above it.
pub fn put(from: &Path, to: &Path, mode: u32) -> anyhow::Result<()> {
    fs::create_dir_all(to.parent().context("a place in a package")?)?;
    fs::copy(from, to).with_context(|| format!("cannot copy {}", from.display()))?;
    Ok(fs::set_permissions(to, fs::Permissions::from_mode(mode))?)
}

/// Sets the time of the sources and the permissions of packages, whatever the umask was.
pub fn settle(release: &Release, tree: &Path) -> anyhow::Result<()> {
    for (which, mode) in [
        (&["-type", "d"][..], "755"),
        (&["-type", "f", "-perm", "/111"], "755"),
        (&["-type", "f", "!", "-perm", "/111"], "644"),
    ] {
        let change = ["-exec", "chmod", mode, "{}", "+"];
        release.finish(Command::new("find").arg(tree).args(which).args(change))?;
    }
    let time = format!("--date=@{}", release.epoch);
    let touch = ["-exec", "touch", "--no-dereference", &time, "{}", "+"];
    release.finish(Command::new("find").arg(tree).arg("-depth").args(touch))
}

/// The names in a directory, sorted.
pub fn names(directory: &Path) -> anyhow::Result<Vec<String>> {
    let entries = fs::read_dir(directory).with_context(|| format!("cannot read {}", directory.display()))?;
    let mut names: Vec<String> = entries
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<anyhow::Result<_>>()?;
    names.sort();
    Ok(names)
}

/// Every file and link below a directory, sorted, as paths from there.
pub fn files(directory: &Path) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    for name in names(directory)? {
        let path = directory.join(&name);
        if path.is_dir() && !path.is_symlink() {
            found.extend(files(&path)?.into_iter().map(|below| format!("{name}/{below}")));
        } else {
            found.push(name);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt as _;

    #[test]
    fn rights_and_times_are_those_of_packages_whatever_the_umask_was() {
        let place = tempfile::tempdir().unwrap();
        let tree = place.path().join("tree");
        fs::create_dir_all(tree.join("bin")).unwrap();
        for (file, mode) in [("bin/program", 0o700), ("text", 0o600), ("wide", 0o666)] {
            fs::write(tree.join(file), "").unwrap();
            fs::set_permissions(tree.join(file), fs::Permissions::from_mode(mode)).unwrap();
        }
        symlink("program", tree.join("bin/link")).unwrap();
        for directory in ["bin", ""] {
            fs::set_permissions(tree.join(directory), fs::Permissions::from_mode(0o700)).unwrap();
        }
        let [root, out, work] = ["root", "out", "work"].map(|name| place.path().join(name));
        let architecture = &super::super::architecture::X86_64;
        let left_out = std::rc::Rc::default();
        settle(&Release { root, out, work, epoch: 86_400, architecture, left_out }, &tree).unwrap();
        for (file, mode) in
            [("", 0o755), ("bin", 0o755), ("bin/program", 0o755), ("text", 0o644), ("wide", 0o644)]
        {
            let found = fs::symlink_metadata(tree.join(file)).unwrap();
            assert_eq!((found.mode() & 0o7777, found.mtime()), (mode, 86_400), "{file}");
        }
        assert_eq!(fs::symlink_metadata(tree.join("bin/link")).unwrap().mtime(), 86_400);
    }
}
