//! Packages of the extension for PostgreSQL, one for each server whose headers are here: its library is made for one version.
//!
//! Must not know how it is built; its script does.

use super::{GLIBC, Release, binary, licences, linux_packages, parts, sbom, stage, tools::Tools};
use anyhow::Context as _;
use linux_packages::{KINDS, Needs, Package};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The sources under a fixed name, wherever they are: cargo passes full paths for crates outside the extension's
/// workspace, symbol names depend on that, and code is ordered by symbol.
struct OnePlace;

const ONE_PLACE: &str = "/tmp/rigel-extension-sources";

impl OnePlace {
    fn of(root: &Path) -> anyhow::Result<Self> {
        // A build of these sources that was killed may have left it.
        if fs::read_link(ONE_PLACE).is_ok_and(|to| to == root) {
            return Ok(Self);
        }
        symlink(root, ONE_PLACE).with_context(|| {
            format!("{ONE_PLACE}: packages are being made of other sources; remove it when that is not so")
        })?;
        Ok(Self)
    }
}

impl Drop for OnePlace {
    fn drop(&mut self) {
        let _ = fs::remove_file(ONE_PLACE);
    }
}

/// Builds and packs it for every server.
pub fn make(release: &Release, tools: &Tools) -> anyhow::Result<()> {
    if !release.architecture.is_native() {
        let name = release.architecture.name;
        release.cannot(&format!(
            "extension: the library of {name} is not linked on another processor: no package is made"
        ));
        return Ok(());
    }
    let servers = crate::extension::with_headers();
    if servers.is_empty() {
        release.leave_out(
            "extension: the headers of no server are here (postgresql-server-dev-all): no package is made",
        )?;
    }
    let _place = OnePlace::of(&release.root)?;
    servers.iter().try_for_each(|(version, pg_config)| one(release, tools, *version, pg_config))
}

fn one(release: &Release, tools: &Tools, version: u32, pg_config: &Path) -> anyhow::Result<()> {
    let tree = release.work.join(format!("extension-{version}"));
    let mut script = Command::new(Path::new(ONE_PLACE).join("extensions/postgresql/install.sh"));
    script.current_dir(binary::away(release)).arg(pg_config).env("DESTDIR", &tree).env("PATH", tools.path()?);
    script.env("CARGO_TARGET_DIR", release.work.with_file_name("build-extension"));
    script.env("BUILD", "zigbuild").env("TARGET", format!("{}.{GLIBC}", release.architecture.triple));
    // The headers of zig alone: those of clang beside them would leave types out, as both have the same guards.
    script.env("PGRX_BINDGEN_NO_DETECT_INCLUDES", "1");
    let flags = format!("{} --remap-path-prefix={ONE_PLACE}=/rigel", binary::rust_flags(release)?);
    release.finish(script.env("RUSTFLAGS", flags))?;
    for library in stage::files(&tree)?.iter().filter(|file| file.ends_with(".so")) {
        release.finish(Command::new("objcopy").arg("--strip-all").arg(tree.join(library)))?;
    }
    let feature = format!("{}/pg{version}", crate::extension::PACKAGE);
    let which = ["--package", crate::extension::PACKAGE, "--features", &feature];
    let parts = parts::of(release, tools, &which)?;
    sbom::write(release, "rigel-postgresql", &format!("postgresql-{version}-rigel"), &parts)?;
    for kind in KINDS {
        let name = name(kind, version);
        let documents = format!("/usr/share/doc/{name}");
        let tree = laid_out(release, &tree, kind, version)?;
        stage::documents(release, &tree.join(&documents[1..]))?;
        licences::write(&tree.join(&documents[1..]), &parts)?;
        stage::settle(release, &tree)?;
        let (deb, rpm) = (format!("postgresql-{version}"), format!("postgresql{version}-server"));
        let package = Package {
            name,
            summary: "calibrate_io() inside PostgreSQL: what the storage below a database can do",
            description: "The extension `rigel`: CREATE EXTENSION rigel; SELECT * FROM rigel.calibrate_io();",
            tree,
            directories: &[&documents],
            shared: &[],
            needs: Needs { deb: vec![&deb, "libc6 (>= 2.17)"], rpm: vec![&rpm], deb_recommends: Vec::new() },
            scripts: &[],
        };
        linux_packages::write(release, tools, &package, kind, super::VERSION)?;
    }
    Ok(())
}

/// The usual name of an extension in either package format.
fn name(kind: &str, version: u32) -> String {
    if kind == "deb" { format!("postgresql-{version}-rigel") } else { format!("rigel_{version}") }
}

/// The files in PGDG's layout: `/usr/pgsql-17` on Enterprise Linux. The build has Debian's layout.
fn laid_out(release: &Release, built: &Path, kind: &str, version: u32) -> anyhow::Result<PathBuf> {
    let tree = release.work.join(format!("extension-{version}-{kind}"));
    for file in stage::files(built)? {
        let place = match kind {
            "rpm" => file
                .replace(&format!("usr/lib/postgresql/{version}/"), &format!("usr/pgsql-{version}/"))
                .replace(&format!("usr/share/postgresql/{version}/"), &format!("usr/pgsql-{version}/share/")),
            _ => file.clone(),
        };
        let mode = if place.ends_with(".so") { 0o755 } else { 0o644 };
        stage::put(&built.join(&file), &tree.join(place), mode)?;
    }
    fs::create_dir_all(&tree)?;
    Ok(tree)
}
