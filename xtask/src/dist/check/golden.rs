//! Everything that this repository generates, the golden corpus included, made once more in an emulator: the same record gives the same bytes on
//! every processor, and so does what is computed of it.
//!
//! Must not write any of it.

use super::super::cross::Emulator;
use super::super::{Release, binary, tools::Tools};
use crate::cargo::cargo;
use std::path::Path;

/// Builds the commands of people who work on Rigel for that processor, and lets them compare.
pub fn same(release: &Release, target: &Path, emulator: &Emulator) -> anyhow::Result<bool> {
    let (tools, architecture) = (Tools::find(target)?, release.architecture);
    let place = binary::build(release);
    // Without optimisation across crates: it is compiled in a part of the time.
    let build = ["zigbuild", "--locked", "--package", "xtask", "--features", "program"];
    let mut build = cargo(&release.root, &build);
    build.args(["--target", &format!("{}.{}", architecture.triple, super::super::GLIBC)]);
    build.arg("--target-dir").arg(&place).arg("--manifest-path").arg(release.root.join("Cargo.toml"));
    build.current_dir(binary::away(release)).env("PATH", tools.path()?);
    if let Some(rustc) = tools.toolchain(architecture)?.rustc {
        build.env("RUSTC", rustc);
    }
    release.finish(&mut build)?;
    let program = place.join(architecture.triple).join("debug/xtask");
    let mut check = emulator.command(&program);
    release.finish(check.current_dir(&release.root).args(["gen", "--check"]))?;
    Ok(true)
}
