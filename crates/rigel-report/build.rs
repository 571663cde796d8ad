//! Prepares what every HTML report carries: the charting library, compressed, and the digests by which a browser knows
//! the pages' scripts and style.
//!
//! The library is Apache ECharts as its makers published it. It lies in `assets`, so that a build needs neither node nor a
//! network. Must not change a byte of it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};
use std::env;
use std::error::Error;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

/// Names another script of the library, for those who package it themselves.
const OVERRIDE: &str = "RIGEL_ECHARTS";
/// The library as it was published, by gzip.
const PACKED: &str = "assets/echarts-5.5.1.min.js.gz";
/// SHA-256 of its script, the one of `dist/echarts.min.js` in the package of its makers.
const PUBLISHED: &str = "e84270bd0cd5bdf60fefc26d00c2a391cb2e81f4d26a7a9ee16185a54773a3cf";
const PARTS: &str = "src/html/page";
/// What the script of every page begins with, in this order, as one: a part may use what an earlier one says.
const KIT: [&str; 5] = ["kit/write", "kit/look", "kit/figure", "kit/intervals", "kit/start"];
/// The scripts, and what each kind of page adds to the kit.
const SCRIPTS: [(&str, &[PageAsset]); 5] = [
    (
        "report",
        &[
            PageAsset::Parts(&["report/flags"]),
            // A page may hold several runs.
            PageAsset::Function(
                "runPage(root, ids)",
                &[
                    "run/data",
                    "run/curves",
                    "run/matrix",
                    "run/point",
                    "run/over_time",
                    "run/slo",
                    "run/report",
                ],
            ),
            PageAsset::Parts(&["report/overview", "report/pages"]),
        ],
    ),
    ("capacity", &[PageAsset::Parts(&["capacity/year"])]),
    ("compare", &[PageAsset::Parts(&["compare/curves"])]),
    ("proof", &[PageAsset::Parts(&["proof/lines"])]),
    ("soak", &[PageAsset::Parts(&["soak/course"])]),
];

/// What a page adds to the kit.
enum PageAsset {
    /// Parts as they are.
    Parts(&'static [&'static str]),
    /// Parts that are the body of a function together.
    Function(&'static str, &'static [&'static str]),
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed={OVERRIDE}");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={PARTS}");
    println!("cargo::rerun-if-changed={PACKED}");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let (library, packed) = match env::var_os(OVERRIDE) {
        Some(path) => named(Path::new(&path))?,
        None => kept()?,
    };
    fs::write(out.join("library.gz"), packed)?;
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
fn script(own: &[PageAsset]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut script = b"(() => {\n\"use strict\";\n".to_vec();
    add(&mut script, &KIT)?;
    for own in own {
        match own {
            PageAsset::Parts(parts) => add(&mut script, parts)?,
            PageAsset::Function(head, parts) => {
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

/// The script that lies here, and as it is packed.
fn kept() -> Result<(Vec<u8>, Vec<u8>), Box<dyn Error>> {
    let packed = fs::read(PACKED)?;
    let mut script = Vec::new();
    GzDecoder::new(packed.as_slice()).read_to_end(&mut script)?;
    let digest: String = Sha256::digest(&script).iter().map(|byte| format!("{byte:02x}")).collect();
    if digest != PUBLISHED {
        return Err(format!("{PACKED} holds another script: its digest is {digest}").into());
    }
    Ok((script, packed))
}

/// The script that somebody names, and packed.
fn named(path: &Path) -> Result<(Vec<u8>, Vec<u8>), Box<dyn Error>> {
    let script = fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let packed = gzip(&script)?;
    Ok((script, packed))
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
