//! Each rule about text on a line that keeps it and a line that breaks it.

use super::super::snippet::{places, rust, text};
use super::*;

fn found(path: &str, content: &str) -> Vec<(usize, &'static str)> {
    places(check(&text(path, content)))
}

fn found_in_rust(path: &str, content: &str) -> Vec<(usize, &'static str)> {
    places(check_rust(&rust(path, content)))
}

#[test]
fn paths_of_one_machine_are_found_anywhere() {
    // Their first folder is put in here, as this file is judged too.
    for (around, top) in [
        ("%/x", "root"),
        ("%/x", "work"),
        ("`%`", "work"),
        ("\"%/ann/data.lun\"", "home"),
        ("a=%/ann", "home"),
    ] {
        let line = around.replace('%', &format!("/{top}"));
        assert_eq!(found("notes.txt", &format!("one\n{line}\n")), [(2, "machine-path")], "{line}");
    }
}

#[test]
fn other_paths_are_no_machine_paths() {
    for path in
        ["/home/oracle/x.lun", "crates/root/x", "https://a.example/root/x", "/workshop/x", "{}/root/x"]
    {
        assert_eq!(found("notes.txt", path), [], "{path}");
    }
    assert_eq!(found("notes.txt", "users live in /home, 36 35 98:0 /root /mnt rw - ext3 /dev/root"), []);
}

#[test]
fn marks_of_unfinished_work_are_found_as_words() {
    for mark in UNFINISHED {
        assert_eq!(found("a.rs", &format!("// {mark}: later\n")), [(1, "unfinished")]);
        assert_eq!(found("a.rs", &format!("// x{mark}\n// {mark}S\n")), []);
    }
}

#[test]
fn layout_is_judged_in_files_written_by_hand() {
    assert_eq!(found("a.md", "one \ntwo"), [(1, "trailing-blank"), (2, "last-newline")]);
    assert_eq!(found("golden.csv", "one \ntwo"), []);
    assert_eq!(found("a.md", "one\ntwo\n"), []);
    assert_eq!(found("a.md", ""), []);
}

#[test]
fn a_module_opens_with_what_it_is_for() {
    assert_eq!(found_in_rust("crates/a/src/b.rs", "// b\n"), [(1, "module-doc")]);
    assert_eq!(found_in_rust("crates/a/src/b.rs", "//! b\n"), []);
    assert_eq!(found_in_rust("crates/a/build.rs", "fn main() {}\n"), []);
}

#[test]
fn blanks_and_tabs_count_outside_literals_only() {
    assert_eq!(found_in_rust("a.rs", "fn a() { \n\tb();\n}\n"), [(1, "trailing-blank"), (2, "tab")]);
    assert_eq!(found_in_rust("a.rs", "const A: &str = \"one \n\ttwo \n  three\";\n"), []);
    assert_eq!(found_in_rust("a.rs", "const A: &str = \"one\n two\"; \n"), [(2, "trailing-blank")]);
}
