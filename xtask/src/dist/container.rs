//! What an image is built with: the recipe and the script that collects what the program loads. Must not build one: that needs a
//! registry for the image that it begins with.

use super::{Release, stage};

/// Puts both next to the package that they install.
pub fn make(release: &Release) -> anyhow::Result<()> {
    let from = release.root.join("packaging/container");
    stage::put(&from.join("Containerfile"), &release.out.join("Containerfile"), 0o644)?;
    stage::put(&from.join("collect"), &release.out.join("collect"), 0o755)
}
