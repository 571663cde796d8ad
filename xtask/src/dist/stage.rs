//! The files of a package as they will lie below `/usr`: the one list from which archive, deb, rpm and wheel are made.
//!
//! Must not know how a package is written.

use super::{PROGRAM, Release, binary, licences, parts::Part};
use anyhow::Context as _;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What stands for `/usr`.
pub fn usr(release: &Release) -> PathBuf {
    release.work.join("tree/usr")
}

/// The documents that each package of ours has.
pub const DOCUMENTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

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
    ] {
        put(&root.join(from), &usr.join(to), 0o644)?;
    }
    put(&root.join("packaging/systemd/calibrate-metrics"), &usr.join("lib/rigel/calibrate-metrics"), 0o755)?;
    documents(release, &usr.join("share/doc/rigel"))?;
    pages(release, &usr.join("share/doc/rigel"))?;
    licences::write(&usr.join("share/doc/rigel"), parts)?;
    same_time(release, &release.work.join("tree"))
}

/// Copies the documents.
pub fn documents(release: &Release, to: &Path) -> anyhow::Result<()> {
    DOCUMENTS.iter().try_for_each(|name| put(&release.root.join(name), &to.join(name), 0o644))
}

/// Copies the pages that help and messages name, where there is no network to read them.
fn pages(release: &Release, to: &Path) -> anyhow::Result<()> {
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

/// Gives everything the time of the sources, and directories the rights that packages have.
pub fn same_time(release: &Release, tree: &Path) -> anyhow::Result<()> {
    let directories = ["-type", "d", "-exec", "chmod", "755", "{}", "+"];
    release.finish(Command::new("find").arg(tree).args(directories))?;
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
