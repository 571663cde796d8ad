//! deb and rpm by nfpm, both from one list of files, so that they cannot differ. A package is a [`Package`] and a tree of its files.
//!
//! Must not run anything of a package, and must not add files to the tree.

use super::{Release, VERSION, debian, stage, tools::Tools};
use anyhow::Context as _;
use serde_json::{Map, Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The metadata of a package.
pub struct Package<'a> {
    pub name: String,
    pub summary: &'a str,
    pub description: &'a str,
    /// The directory that becomes `/`.
    pub tree: PathBuf,
    /// Its own directories, which are removed with it.
    pub directories: &'a [&'a str],
    /// Directories that others may have as well. dpkg handles them itself; an rpm has to name them, or they stay.
    pub shared: &'a [&'a str],
    pub needs: Needs<'a>,
    /// Scripts of the package manager: nfpm's name for the moment, and the script.
    pub scripts: &'a [(&'a str, &'a str)],
}

/// The packages that it needs, by their names in either world.
#[derive(Default)]
pub struct Needs<'a> {
    pub deb: Vec<&'a str>,
    pub rpm: Vec<&'a str>,
    pub deb_recommends: Vec<&'a str>,
}

/// Whoever publishes packages puts an address of theirs here.
pub const MAINTAINER: &str = "The Rigel developers <rigel@localhost>";
/// The kinds that are made.
pub const KINDS: [&str; 2] = ["deb", "rpm"];

/// Writes a package of the program.
pub fn program(release: &Release, tools: &Tools, kind: &str) -> anyhow::Result<()> {
    write(release, tools, &of_program(release), kind, VERSION)
}

/// Their content.
pub fn of_program(release: &Release) -> Package<'static> {
    Package {
        name: "rigel".to_owned(),
        summary: "measures what storage can do for a database, and how certain that is",
        description: "IOPS, throughput and latency of files and block devices under a matrix of small and large\n\
                      I/O, commits, and loads of your own, each with a 95 % interval and its warnings.\n\
                      An open successor of ORION and CALIBRATE_IO.",
        tree: release.work.join("tree"),
        directories: &[
            "/usr/lib/rigel",
            "/usr/share/doc/rigel",
            "/usr/share/doc/rigel/docs",
            "/usr/share/doc/rigel/docs/guide",
            "/usr/share/doc/rigel/docs/method",
            "/usr/share/doc/rigel/docs/reference",
            "/usr/share/doc/rigel/docs/reference/schemas",
            "/usr/share/doc/rigel/examples",
        ],
        shared: &[
            "/usr/share/bash-completion",
            "/usr/share/bash-completion/completions",
            "/usr/share/fish",
            "/usr/share/fish/vendor_completions.d",
            "/usr/share/zsh",
            "/usr/share/zsh/site-functions",
        ],
        needs: Needs {
            deb: vec!["libc6 (>= 2.17)"],
            rpm: vec!["glibc >= 2.17"],
            deb_recommends: vec!["libblkid1"],
        },
        scripts: &[
            ("postinstall", "packaging/systemd/after-install"),
            ("preremove", "packaging/systemd/before-removal"),
            ("postremove", "packaging/systemd/after-removal"),
        ],
    }
}

/// Writes a package of one kind.
pub fn write(
    release: &Release,
    tools: &Tools,
    package: &Package<'_>,
    kind: &str,
    version: &str,
) -> anyhow::Result<()> {
    let mut described = described(release, package, kind, version)?;
    if kind == "deb" {
        let more = debian::documents(release, &package.name, version)?;
        described["contents"].as_array_mut().context("a list")?.extend(more);
    }
    let config = release.work.join(format!("{}.{kind}.json", package.name));
    // JSON is YAML.
    fs::write(&config, serde_json::to_string_pretty(&described)?)?;
    let mut nfpm = tools.nfpm();
    nfpm.current_dir(&release.root).args(["package", "--packager", kind, "--config"]).arg(config);
    release.finish(nfpm.arg("--target").arg(&release.out))
}

fn described(release: &Release, package: &Package<'_>, kind: &str, version: &str) -> anyhow::Result<Value> {
    let needs = &package.needs;
    let (depends, recommends) =
        if kind == "deb" { (&needs.deb, needs.deb_recommends.clone()) } else { (&needs.rpm, Vec::new()) };
    let scripts: Map<String, Value> =
        package.scripts.iter().map(|(moment, file)| ((*moment).to_owned(), json!(file))).collect();
    Ok(json!({
        "name": package.name,
        "arch": release.architecture.debian,
        "platform": "linux",
        "version": version,
        "release": "1",
        "section": "admin",
        "priority": "optional",
        "maintainer": MAINTAINER,
        "license": "Apache-2.0 OR MIT",
        "description": format!("{}\n{}", package.summary, package.description),
        "mtime": date(release.epoch, "+%FT%TZ")?,
        "depends": depends,
        "recommends": recommends,
        "scripts": scripts,
        "contents": contents(package, kind)?,
        "deb": { "compression": "xz" },
        "rpm": { "summary": package.summary, "compression": "xz", "buildhost": "localhost", "group": "Applications/System" },
    }))
}

fn contents(package: &Package<'_>, kind: &str) -> anyhow::Result<Vec<Value>> {
    let shared = if kind == "rpm" { package.shared } else { &[] };
    let directories = package.directories.iter().chain(shared);
    let directories =
        directories.map(|place| json!({ "dst": place, "type": "dir", "file_info": { "mode": 0o755 } }));
    let files = stage::files(&package.tree)?.into_iter().map(|file| one(&package.tree, &file, kind));
    directories.map(Ok).chain(files).collect()
}

fn one(tree: &Path, file: &str, kind: &str) -> anyhow::Result<Value> {
    let path = tree.join(file);
    let mut place = format!("/{file}");
    if kind == "deb" {
        // The zsh of Debian looks there.
        place = place.replace("/zsh/site-functions/", "/zsh/vendor-completions/");
    }
    if path.is_symlink() {
        return Ok(json!({ "src": fs::read_link(&path)?, "dst": place, "type": "symlink" }));
    }
    let mode = fs::metadata(&path)?.permissions().mode() & 0o777;
    Ok(json!({ "src": path, "dst": place, "file_info": { "mode": mode, "owner": "root", "group": "root" } }))
}

/// A moment as `date` writes it.
pub fn date(epoch: u64, format: &str) -> anyhow::Result<String> {
    let told = Command::new("date")
        .args(["--utc", format])
        .env("LC_ALL", "C")
        .arg(format!("--date=@{epoch}"))
        .output()?;
    anyhow::ensure!(told.status.success(), "date cannot tell {epoch}");
    Ok(String::from_utf8_lossy(&told.stdout).trim().to_owned())
}
