//! `cargo xtask long`: tests of the suite at a size that is too much for every change.
//!
//! The tests are those of `cargo test`; variables make them larger. Must not hold a test.

use crate::ci;
use anyhow::Context as _;
use std::path::Path;

/// How often the real binary is killed.
const KILLS: &str = "250";
/// What is asked of the tests, and which they are.
const TESTS: [(&str, &str, &str); 2] = [
    ("RIGEL_KILLS", KILLS, "resume::killed_at_any_moment"),
    ("RIGEL_EVERY_BYTE", "1", "output_faults::the_disk_is_full"),
];

/// Runs each; whether all passed.
pub fn run(root: &Path) -> anyhow::Result<bool> {
    let mut good = true;
    for (variable, value, test) in TESTS {
        println!("long: {variable}={value} {test}");
        let arguments = ["test", "--locked", "-p", "rigel", "--test", "it", test, "--", "--nocapture"];
        let status =
            ci::cargo(root, &arguments).env(variable, value).status().context("cannot start cargo")?;
        good &= status.success();
    }
    Ok(good)
}
