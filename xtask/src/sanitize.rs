//! `cargo xtask sanitize`: the unit tests of `rigel-io`, where all unsafe code lies, under AddressSanitizer.
//!
//! It sees reads and writes outside of what Rust allocated, or after it was freed, and memory that is never freed; not what
//! the kernel does with the buffers of I/O, which are mappings. Needs a nightly compiler with the standard library of this
//! host, and builds everything again in a directory of its own. Must not run anything but tests.

use crate::target_dir;
use anyhow::Context as _;
use std::path::Path;
use std::process::Command;

/// Selects the nightly toolchain.
pub const NIGHTLY: &str = "+nightly";

/// Builds and runs; whether all tests passed and nothing was found.
pub fn run(root: &Path) -> anyhow::Result<bool> {
    let host = host(&[NIGHTLY])?;
    // Naming the target keeps the sanitizer out of build scripts and macros.
    let status = Command::new("cargo")
        .args([NIGHTLY, "test", "--locked", "--package", "rigel-io", "--lib", "--target", &host])
        .env("RUSTFLAGS", "-Zsanitizer=address")
        .env("CARGO_TARGET_DIR", target_dir(root).join("sanitize"))
        .current_dir(root)
        .status()
        .context("cargo cannot be started")?;
    Ok(status.success())
}

/// The target triple of this host; `toolchain` selects the compiler.
pub fn host(toolchain: &[&str]) -> anyhow::Result<String> {
    let output = Command::new("rustc").args(toolchain).args(["--version", "--verbose"]).output();
    let output = output.context("rustc cannot be started")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).with_context(|| {
        let advice = if toolchain.is_empty() { "" } else { ": rustup toolchain install nightly" };
        format!("there is no such compiler{advice}")
    })
}
