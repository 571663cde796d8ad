//! One program for all targets; `cargo xtask fuzz` names the one to run in the environment.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rigel_fuzz::targets;
use std::sync::LazyLock;

static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("RIGEL_FUZZ_TARGET").expect("RIGEL_FUZZ_TARGET names the target");
    targets::called(&name).unwrap_or_else(|| panic!("RIGEL_FUZZ_TARGET={name}: no such target"))
});

fuzz_target!(|bytes: &[u8]| TARGET(bytes));
