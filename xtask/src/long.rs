//! `cargo xtask long`: tests of the suite at a size that is too much for every change.
//!
//! The tests are those of `cargo test`; variables make them larger. Must not hold a test.

use crate::ci;
use anyhow::Context as _;
use std::path::Path;

/// How often the real binary is killed.
const KILLS: &str = "250";
/// What is asked of the tests, and which they are.
const TESTS: [(&str, &str, &str); 3] = [
    ("RIGEL_KILLS", KILLS, "resume::killed_at_any_moment_it_ends_as_if_it_had_not_been"),
    ("RIGEL_EVERY_BYTE", "1", "output_faults::the_disk_is_full_at_every_byte"),
    ("RIGEL_COMMIT_ROUNDS", "12", "commit_agreement::on_real_storage_all_tools_agree"),
];

/// Runs each; whether all passed.
pub fn run(root: &Path) -> anyhow::Result<bool> {
    let mut good = true;
    for (variable, value, test) in TESTS {
        println!("long: {variable}={value} {test}");
        let of = |more: &str| {
            let arguments = ["test", "--locked", "-p", "rigel", "--test", "it", test, "--", "--exact", more];
            ci::cargo(root, &arguments)
        };
        let listed = of("--list").output().context("cannot start cargo")?;
        let known = String::from_utf8_lossy(&listed.stdout).contains(&format!("{test}: test"));
        anyhow::ensure!(known, "there is no test {test}");
        good &= of("--nocapture").env(variable, value).status()?.success();
    }
    Ok(good)
}
