//! What Debian wants of every package: its licence in `copyright`, and a changelog of the package.
//!
//! Must not repeat what other files of the package say; it names them.

use super::{Release, linux_packages};
use serde_json::{Value, json};
use std::fs;
use std::process::Command;

/// Makes both; the entries for the list of files.
pub fn documents(release: &Release, package: &str, version: &str) -> anyhow::Result<[Value; 2]> {
    let place = release.work.join(format!("debian-{package}"));
    if place.exists() {
        fs::remove_dir_all(&place)?;
    }
    fs::create_dir_all(&place)?;
    let mit = fs::read_to_string(release.root.join("LICENSE-MIT"))?;
    fs::write(place.join("copyright"), copyright(&mit))?;
    let day = linux_packages::date(release.epoch, "+%a, %d %b %Y %T +0000")?;
    fs::write(place.join("changelog.Debian"), changelog(package, version, &day))?;
    release.finish(Command::new("gzip").args(["-9", "--no-name"]).arg(place.join("changelog.Debian")))?;
    Ok(["copyright", "changelog.Debian.gz"].map(|name| {
        let to = format!("/usr/share/doc/{package}/{name}");
        json!({ "src": place.join(name), "dst": to, "file_info": { "mode": 0o644, "owner": "root", "group": "root" } })
    }))
}

/// <https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/>
fn copyright(mit: &str) -> String {
    let expat: String = mit
        .lines()
        .skip_while(|line| !line.starts_with("Permission"))
        .map(|line| if line.trim().is_empty() { " .\n".to_owned() } else { format!(" {line}\n") })
        .collect();
    format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\
         Upstream-Name: rigel\n\
         Comment: THIRD-PARTY.txt beside this file has the licences of what is built in.\n\
         \n\
         Files: *\n\
         Copyright: The Rigel developers\n\
         License: Apache-2.0 or Expat\n\
         \n\
         License: Apache-2.0\n \
         The text is in /usr/share/common-licenses/Apache-2.0.\n\
         \n\
         License: Expat\n{expat}"
    )
}

fn changelog(package: &str, version: &str, day: &str) -> String {
    let maintainer = linux_packages::MAINTAINER;
    format!(
        "{package} ({version}-1) unstable; urgency=medium\n\n  * CHANGELOG.md beside this file tells what is new.\n\n -- {maintainer}  {day}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copyright_has_the_whole_licence_in_debians_form() {
        let told = copyright(include_str!("../../../LICENSE-MIT"));
        assert!(told.contains("\nLicense: Expat\n Permission is hereby granted"), "{told}");
        let expat = told.split("License: Expat\n").last().unwrap();
        assert!(expat.lines().all(|line| line.starts_with(' ')) && expat.contains("\n .\n"), "{expat}");
        let told = changelog("a", "1.0", "Thu, 26 Nov 2026 09:00:00 +0000");
        assert!(
            told.starts_with("a (1.0-1) unstable;") && told.ends_with(">  Thu, 26 Nov 2026 09:00:00 +0000\n")
        );
    }
}
