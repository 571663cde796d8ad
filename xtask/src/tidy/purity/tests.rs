//! Every way to write the same reach outside, and what must stay permitted.

use super::super::snippet::{places, rust};
use super::*;

const NONE: [usize; 0] = [];

fn lines(content: &str) -> Vec<usize> {
    places(check(&rust("crates/rigel-core/src/plan.rs", content))).into_iter().map(|(line, _)| line).collect()
}

#[test]
fn imports_are_found_however_they_are_grouped() {
    assert_eq!(lines("use std::fs;\n"), [1]);
    assert_eq!(lines("use std::{fmt, fs::File as F};\n"), [1]);
    assert_eq!(lines("use std::{time::{self, Duration}};\nfn a() { time::Instant::now(); }\n"), [2]);
    assert_eq!(lines("use std::time::*;\n"), [1]);
    assert_eq!(lines("fn a() { use std::env; }\n"), [1]);
}

#[test]
fn paths_are_found_directly_through_imports_and_in_macros() {
    assert_eq!(lines("fn a() {\n    std::process::exit(1);\n}\n"), [2]);
    assert_eq!(lines("fn a() { io::stdin(); }\nuse std::io;\n"), [1]);
    assert_eq!(lines("fn a(t: ::std::time::SystemTime) {}\n"), [1]);
    assert_eq!(lines("fn a() {\n    format!(\"{:?}\", std::env::args());\n}\n"), [2]);
    assert_eq!(lines("use std::time as t;\nfn a() { vec![t::Instant::now()]; }\n"), [2]);
}

#[test]
fn the_pure_part_of_the_standard_library_is_fine() {
    assert_eq!(lines("use std::io::{self, Write};\nuse std::time::Duration;\nfn a(e: io::Error) {}\n"), NONE);
    assert_eq!(lines("use std::path::Path;\nuse std::os::unix::ffi::OsStrExt;\nfn fs(env: u8) {}\n"), NONE);
    assert_eq!(lines("use crate::fs;\nfn a() { fs::read(); env!(\"CARGO_PKG_VERSION\"); }\n"), NONE);
}

#[test]
fn tests_and_other_crates_are_free() {
    assert_eq!(lines("#[cfg(test)]\nmod tests {\n    use std::fs;\n}\n"), NONE);
    assert_eq!(lines("#[test]\nfn a() { std::fs::read(\"x\"); }\n"), NONE);
    let elsewhere = [
        "crates/rigel-core/src/plan/tests.rs",
        "crates/rigel-core/tests/it/main.rs",
        "crates/rigel-io/src/a.rs",
    ];
    for path in elsewhere {
        assert_eq!(check(&rust(path, "use std::fs;\n")), [], "{path}");
    }
    assert_eq!(check(&rust("crates/rigel-report/src/csv.rs", "use std::fs;\n")).len(), 1);
}
