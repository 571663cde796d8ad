//! Whether the compiler that the manifest names is enough for everything that is built in: each package says what it needs itself.
//!
//! What our own code uses of the standard library is judged by clippy (`incompatible_msrv`). Must not need that compiler.

use anyhow::Context as _;
use serde_json::Value;
use std::path::Path;

/// Prints every package that needs a newer compiler; returns whether there is none.
pub fn run(root: &Path) -> anyhow::Result<bool> {
    let arguments = ["metadata", "--locked", "--format-version", "1"];
    let told = crate::cargo::cargo(root, &arguments).output().context("cannot start cargo")?;
    anyhow::ensure!(
        told.status.success(),
        "cargo metadata: {}",
        String::from_utf8_lossy(&told.stderr).trim()
    );
    let metadata: Value = serde_json::from_slice(&told.stdout).context("cargo metadata wrote no JSON")?;
    let (promised, newer) = judge(&metadata).context("the manifest promises no compiler")?;
    for package in &newer {
        println!(
            "msrv: the manifest promises Rust {promised}, but {package}: take an older version of it, or promise less"
        );
    }
    println!("msrv: Rust {promised}, {} packages need a newer one", newer.len());
    Ok(newer.is_empty())
}

/// Compares what our packages promise with what others need.
fn judge(metadata: &Value) -> Option<(String, Vec<String>)> {
    let packages = metadata["packages"].as_array()?;
    let needs = |package: &Value| {
        Some((version(package["rust_version"].as_str()?)?, package["rust_version"].as_str()?.to_owned()))
    };
    let ours = packages.iter().filter(|package| package["source"].is_null());
    let (least, promised) = ours.filter_map(needs).min()?;
    let newer = packages.iter().filter_map(|package| {
        let (needed, text) = needs(package)?;
        (needed > least).then(|| {
            format!(
                "{} {} needs {text}",
                package["name"].as_str().unwrap_or("?"),
                package["version"].as_str().unwrap_or("?")
            )
        })
    });
    Some((promised, newer.collect()))
}

/// `1.88` is `1.88.0`.
fn version(text: &str) -> Option<[u32; 3]> {
    let mut parts = text.split('.').map(|part| part.parse().ok());
    Some([parts.next()??, parts.next().unwrap_or(Some(0))?, parts.next().unwrap_or(Some(0))?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_package_that_needs_more_is_named() {
        let package = |name: &str, source: Value, needs: Value| json!({ "name": name, "version": "1.0.0", "source": source, "rust_version": needs });
        let metadata = json!({ "packages": [
            package("rigel", Value::Null, json!("1.88")),
            package("same", json!("registry"), json!("1.88.0")),
            package("silent", json!("registry"), Value::Null),
            package("newer", json!("registry"), json!("1.90.1")),
        ] });
        assert_eq!(judge(&metadata), Some(("1.88".to_owned(), vec!["newer 1.0.0 needs 1.90.1".to_owned()])));
        assert_eq!(judge(&json!({ "packages": [] })), None);
    }
}
