//! The texts under which the parts of the program may be given on; each text once, with those that it is for.
//!
//! Must not judge them: `cargo xtask deny` does.

use super::parts::Part;
use anyhow::Context as _;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// Writes them as `THIRD-PARTY.txt` into a directory.
pub fn write(to: &Path, parts: &[Part]) -> anyhow::Result<()> {
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut list = String::from("Rigel is built of these parts, under these licences. The texts follow.\n\n");
    for part in parts.iter().filter(|part| !part.name.starts_with("rigel")) {
        writeln!(list, "{} {}: {}", part.name, part.version, part.licence)?;
        let mut known = part.place.as_deref().map(texts_of).transpose()?.unwrap_or_default();
        for file in &part.texts {
            let text = fs::read_to_string(file);
            let text =
                text.with_context(|| format!("the licence of {} is not at {}", part.name, file.display()))?;
            known.push(text.replace('\r', ""));
        }
        known.into_iter().for_each(|text| texts.entry(text).or_default().push(part.name.clone()));
    }
    let mut by_part: Vec<_> = texts.into_iter().map(|(text, names)| (names, text)).collect();
    by_part.sort();
    for (names, text) in by_part {
        write!(list, "\n{}\n{}\n\n{}\n", "=".repeat(80), names.join(", "), text.trim_end())?;
    }
    fs::create_dir_all(to)?;
    let file = to.join("THIRD-PARTY.txt");
    fs::write(&file, list)?;
    Ok(fs::set_permissions(&file, fs::Permissions::from_mode(0o644))?)
}

/// The licences and notices of a crate.
fn texts_of(place: &Path) -> anyhow::Result<Vec<String>> {
    let mut texts = Vec::new();
    for entry in fs::read_dir(place)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_uppercase();
        let is_one = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"]
            .iter()
            .any(|start| name.starts_with(start));
        if is_one && entry.path().is_file() {
            texts.push(String::from_utf8_lossy(&fs::read(entry.path())?).replace('\r', ""));
        }
    }
    texts.sort();
    Ok(texts)
}
