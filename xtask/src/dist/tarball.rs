//! The archive for systems without packages, or without a right to install any. Below its only directory it has what lies below
//! `/usr/local`, so that unpacking there is installing. Must not hold what only works below `/usr`.

use super::{Release, stage};
use std::fs;
use std::process::Command;

/// Directories whose files name `/usr`: the units of systemd.
const ONLY_BELOW_USR: [&str; 1] = ["lib/"];

/// Name of its directory, and of the file without its suffix.
pub fn name(release: &Release) -> String {
    format!("{}-{}", Release::named("rigel"), release.architecture.triple)
}

/// Writes it.
pub fn make(release: &Release) -> anyhow::Result<()> {
    let name = name(release);
    let tree = release.work.join(&name);
    release.finish(Command::new("cp").arg("--archive").arg(stage::usr(release)).arg(&tree))?;
    ONLY_BELOW_USR.iter().try_for_each(|place| fs::remove_dir_all(tree.join(place)))?;
    let list = "share/doc/rigel/FILES";
    let mut files = stage::files(&tree)?;
    files.push(list.to_owned());
    fs::write(tree.join(list), files.join("\n") + "\n")?;
    stage::settle(release, &tree)?;
    let archive = release.out.join(format!("{name}.tar.xz"));
    let script = r#"tar --create --sort=name --owner=0 --group=0 --numeric-owner --format=gnu -- "$0" | xz -9e -T1 >"$1""#;
    release.finish(Command::new("sh").current_dir(&release.work).args(["-c", script]).arg(&name).arg(archive))
}
