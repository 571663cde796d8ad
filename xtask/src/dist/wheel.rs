//! The wheel: for hosts that have pip and no root. It holds the binary of all the other packages, so that nothing is built twice.
//!
//! Must not depend on Python once it is installed.

use super::{Release, VERSION, stage, tools::Tools};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

/// The name `rigel` is another project's on PyPI.
const NAME: &str = "rigel_storage";
/// Every Linux with this C library: PEP 600, and its name of before for the pip of that time.
const TAGS: [&str; 2] = ["manylinux_2_17", "manylinux2014"];
/// A wheel holds no links.
const ORION: &str = "#!/bin/sh\nexec \"$(dirname \"$0\")/rigel\" orion \"$@\"\n";

/// The platforms that it claims to support.
pub fn platforms(release: &Release) -> [String; 2] {
    TAGS.map(|tag| format!("{tag}_{}", release.architecture.name))
}

/// Name of its file.
pub fn name(release: &Release) -> String {
    format!("{NAME}-{VERSION}-py3-none-{}.whl", platforms(release).join("."))
}

/// Writes it.
pub fn make(release: &Release, tools: &Tools) -> anyhow::Result<()> {
    let tree = release.work.join("wheel");
    let data = tree.join(format!("{NAME}-{VERSION}.data"));
    let usr = stage::usr(release);
    stage::put(&usr.join("bin/rigel"), &data.join("scripts/rigel"), 0o755)?;
    fs::write(data.join("scripts/orion"), ORION)?;
    fs::set_permissions(data.join("scripts/orion"), fs::Permissions::from_mode(0o755))?;
    for file in stage::files(&usr.join("share"))? {
        let from = usr.join("share").join(&file);
        // A link becomes the file.
        if !file.starts_with("doc/") {
            stage::put(&from, &data.join("data/share").join(&file), 0o644)?;
        }
    }
    let about = tree.join(format!("{NAME}-{VERSION}.dist-info"));
    let licences = ["LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY.txt"];
    for name in licences {
        stage::put(&usr.join("share/doc/rigel").join(name), &about.join("licenses").join(name), 0o644)?;
    }
    fs::write(
        about.join("METADATA"),
        metadata(&licences, &fs::read_to_string(release.root.join("packaging/wheel/README.md"))?),
    )?;
    let tags: String = platforms(release).iter().map(|tag| format!("Tag: py3-none-{tag}\n")).collect();
    fs::write(
        about.join("WHEEL"),
        format!("Wheel-Version: 1.0\nGenerator: cargo xtask dist\nRoot-Is-Purelib: false\n{tags}"),
    )?;
    stage::settle(release, &tree)?;
    let mut pack = tools.python();
    pack.args(["-m", "wheel", "pack", "--dest-dir"]).arg(&release.out).arg(&tree);
    release.finish(&mut pack)
}

fn metadata(licences: &[&str], readme: &str) -> String {
    let files: String = licences.iter().map(|name| format!("License-File: {name}\n")).collect();
    format!(
        "Metadata-Version: 2.4\nName: {}\nVersion: {VERSION}\n\
         Summary: Measures what storage can do for a database, and how certain that is\n\
         License-Expression: Apache-2.0 OR MIT\n{files}\
         Keywords: benchmark,storage,iops,latency,database\n\
         Classifier: Environment :: Console\nClassifier: Operating System :: POSIX :: Linux\n\
         Classifier: Topic :: System :: Benchmark\n\
         Description-Content-Type: text/markdown\n\n{readme}",
        NAME.replace('_', "-")
    )
}
