//! The list of what the program is made of, for those who compare it with known weaknesses: CycloneDX 1.5 as JSON.
//!
//! Written here and not by cargo-cyclonedx, because that one knows crates only, and would have to be compiled for it. Must not say what
//! `parts` does not know.

use super::{Release, VERSION, parts::Part};
use serde_json::{Value, json};
use std::fs;

/// Writes it among the packages, for a crate that is a separate program or library.
pub fn write(release: &Release, program: &str, file: &str, parts: &[Part]) -> anyhow::Result<()> {
    let name = format!("{}-{}.cdx.json", Release::named(file), release.architecture.name);
    let text = serde_json::to_string_pretty(&document(program, parts))? + "\n";
    Ok(fs::write(release.out.join(name), text)?)
}

/// Without a time and a serial number, which would differ from build to build.
fn document(program: &str, parts: &[Part]) -> Value {
    let (ours, others): (Vec<&Part>, Vec<&Part>) =
        parts.iter().partition(|part| part.name == program && part.version == VERSION);
    let component = |part: &&Part| component(part, "library");
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": ours.first().map(|part| self::component(part, "application")) },
        "components": others.iter().map(component).collect::<Vec<_>>(),
        "dependencies": ours.iter().map(|part| json!({
            "ref": url(part),
            "dependsOn": others.iter().map(|other| url(other)).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
    })
}

fn component(part: &Part, kind: &str) -> Value {
    let mut value = json!({
        "type": kind,
        "bom-ref": url(part),
        "name": part.name,
        "version": part.version,
        "purl": url(part),
    });
    if !part.licence.is_empty() {
        value["licenses"] = json!([{ "expression": part.licence.replace('/', " OR ") }]);
    }
    if let Some(sha256) = &part.sha256 {
        value["hashes"] = json!([{ "alg": "SHA-256", "content": sha256 }]);
    }
    if let Some(repository) = &part.repository {
        value["externalReferences"] = json!([{ "type": "vcs", "url": repository }]);
    }
    value
}

/// <https://github.com/package-url/purl-spec>
fn url(part: &Part) -> String {
    let kind = if part.place.is_some() { "cargo" } else { "generic" };
    format!("pkg:{kind}/{}@{}", part.name, part.version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_its_digest_and_its_licence() {
        let part = |name: &str, version: &str| Part {
            name: name.to_owned(),
            version: version.to_owned(),
            licence: "MIT/Apache-2.0".to_owned(),
            repository: None,
            sha256: Some("ab".to_owned()),
            place: Some("/".into()),
            texts: Vec::new(),
        };
        let told = document("rigel", &[part("rigel", VERSION), part("serde", "1.0.2")]);
        assert_eq!(told["metadata"]["component"]["purl"], format!("pkg:cargo/rigel@{VERSION}"));
        assert_eq!(told["components"][0]["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(told["components"][0]["hashes"][0]["content"], "ab");
        assert_eq!(told["dependencies"][0]["dependsOn"], json!(["pkg:cargo/serde@1.0.2"]));
    }
}
