//! The crates as cargo would publish them: each is packed, and built from what was packed, with the others as a registry would give them.
//!
//! Must not publish, and must not ask whether a name is free.

use super::super::Release;
use crate::cargo::cargo;
use std::path::Path;

/// The crates with `publish = false`.
const OWN: [&str; 4] = ["rigel-mpi", "rigel-postgresql", "rigel-testdev", "xtask"];

pub fn packed(release: &Release, target: &Path) -> anyhow::Result<bool> {
    let mut pack = cargo(&release.root, &["package", "--workspace", "--locked", "--quiet"]);
    for name in OWN {
        pack.args(["--exclude", name]);
    }
    pack.arg("--target-dir").arg(target.join("dist-crates"));
    release.finish(&mut pack)?;
    Ok(true)
}
