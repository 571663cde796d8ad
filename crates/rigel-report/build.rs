//! Prepares what every HTML report carries: the charting library, compressed, and the digests by which a browser knows
//! the pages' scripts and style.
//!
//! The library is Apache ECharts as the package of the crate `charming` holds it, so that neither a copy of it lies in
//! this repository nor a build needs node. Must not change a byte of it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Names the script of the library, for those who package it themselves.
const OVERRIDE: &str = "RIGEL_ECHARTS";
const CARRIER: &str = "charming";
/// Where the script lies in the carrier's package, and how it is called there.
const IN_CARRIER: (&str, &str, &str) = ("src/asset", "echarts-", ".min.js");
const PARTS: &str = "src/html/page";
/// What the script of every page begins with, in this order, as one: a part may use what an earlier one says.
const KIT: [&str; 5] = ["kit/write", "kit/look", "kit/figure", "kit/intervals", "kit/start"];
/// The scripts, and what each kind of page adds to the kit.
const SCRIPTS: [(&str, &[Own]); 2] = [
    (
        "report",
        &[
            Own::Parts(&["report/flags"]),
            // A page may hold several runs.
            Own::Function(
                "runPage(root, ids)",
                &["run/data", "run/curves", "run/matrix", "run/point", "run/over_time", "run/report"],
            ),
            Own::Parts(&["report/overview", "report/pages"]),
        ],
    ),
    ("compare", &[Own::Parts(&["compare/curves"])]),
];

/// What a page adds to the kit.
enum Own {
    /// Parts as they are.
    Parts(&'static [&'static str]),
    /// Parts that are the body of a function together.
    Function(&'static str, &'static [&'static str]),
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed={OVERRIDE}");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={PARTS}");
    // Another version of the carrier is another line of it.
    println!("cargo::rerun-if-changed=../../Cargo.lock");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let path = library()?;
    let library = fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    fs::write(out.join("library.txt"), STANDARD.encode(gzip(&library)?))?;
    tell_digest("LIBRARY", &library);
    for (name, own) in SCRIPTS {
        let script = script(own)?;
        fs::write(out.join(name).with_extension("js"), &script)?;
        tell_digest(&name.to_ascii_uppercase(), &script);
    }
    tell_digest("STYLE", &fs::read(Path::new(PARTS).join("style.css"))?);
    println!("cargo::rustc-env=RIGEL_LIBRARY_VERSION={}", version_in(&library)?);
    Ok(())
}

/// How a browser knows these bytes.
fn tell_digest(name: &str, bytes: &[u8]) {
    println!("cargo::rustc-env=RIGEL_{name}_DIGEST=sha256-{}", STANDARD.encode(Sha256::digest(bytes)));
}

/// The kit and what is a page's own, in a scope of their own.
fn script(own: &[Own]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut script = b"(() => {\n\"use strict\";\n".to_vec();
    add(&mut script, &KIT)?;
    for own in own {
        match own {
            Own::Parts(parts) => add(&mut script, parts)?,
            Own::Function(head, parts) => {
                script.extend(format!("function {head} {{\n").bytes());
                add(&mut script, parts)?;
                script.extend(b"}\n");
            }
        }
    }
    script.extend(b"})();\n");
    Ok(script)
}

fn add(script: &mut Vec<u8>, parts: &[&str]) -> Result<(), Box<dyn Error>> {
    for part in parts {
        script.extend(fs::read(Path::new(PARTS).join(part).with_extension("js"))?);
    }
    Ok(())
}

fn gzip(bytes: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(bytes)?;
    Ok(packed.finish()?)
}

/// The version that the library says it has: `t.version="5.5.1"`.
fn version_in(library: &[u8]) -> Result<String, Box<dyn Error>> {
    let text = std::str::from_utf8(library)?;
    let (_, rest) = text.split_once(".version=\"").ok_or("the library does not tell its version")?;
    let version: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    Ok(version)
}

/// The script of the library, wherever cargo put the package that holds it.
fn library() -> Result<PathBuf, Box<dyn Error>> {
    if let Some(path) = env::var_os(OVERRIDE) {
        return Ok(path.into());
    }
    // What is not on this machine is not needed to build; only a second try may ask the network for it.
    let metadata = metadata(&["--offline"]).or_else(|_| metadata(&[]))?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata names no packages")?;
    let carrier = packages.iter().find(|package| package["name"] == CARRIER);
    let manifest = carrier.and_then(|package| package["manifest_path"].as_str());
    let manifest = manifest.ok_or_else(|| format!("cargo metadata does not name {CARRIER}"))?;
    let (folder, start, end) = IN_CARRIER;
    let folder = Path::new(manifest).with_file_name(folder);
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with(start) && name.ends_with(end) {
            return Ok(path);
        }
    }
    Err(format!("no {start}*{end} in {}; name one with {OVERRIDE}", folder.display()).into())
}

fn metadata(more: &[&str]) -> Result<Value, Box<dyn Error>> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let host = env::var("HOST")?;
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked", "--filter-platform", &host])
        .args(more)
        .output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(format!("cargo metadata: {said}; or name the script with {OVERRIDE}").into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}
