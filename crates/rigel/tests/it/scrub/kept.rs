//! States that are kept: gone on with from elsewhere, with other files, and never replaced unasked.

use super::{MIB, flip, interrupted, ranges, twins};
use crate::support::{Place, ProgramOutput, tell};
use std::fs;
use std::path::Path;

/// As from another directory.
fn from(place: &Place, directory: &Path, line: &str) -> ProgramOutput {
    tell(place.command().args(line.split_whitespace()).current_dir(directory))
}

#[test]
fn a_scrub_goes_on_from_another_directory_with_the_same_files() {
    let place = Place::new();
    twins(&place, 16 * MIB);
    flip(&place, "b", 15 * MIB);
    interrupted(&place).expect_code(4);
    // Files of these names are here as well, and are alike.
    let other = place.path().join("other");
    fs::create_dir(&other).unwrap();
    for name in ["a", "b"] {
        fs::copy(place.path().join("a"), other.join(name)).unwrap();
    }
    let line = "scrub --resume ../s.json --max-mbps 4000 --json --quiet";
    let document = from(&place, &other, line).expect_code(1).json();
    assert_eq!(ranges(&document), [(15 * MIB, 4096)]);
    let path = fs::canonicalize(place.path().join("b")).unwrap();
    assert_eq!(document["disks"][1], path.to_str().unwrap(), "shown by a name that means it here");
}

#[test]
fn a_list_goes_on_from_another_directory_with_the_same_disks() {
    let place = Place::new();
    twins(&place, 2 * MIB);
    flip(&place, "b", MIB);
    fs::write(place.path().join("list"), "disk,au,copy,file,extent\na,1,0,256,0\nb,1,1,256,0\n").unwrap();
    place.line("scrub --extents list --state s.json --quiet").expect_code(1);
    let other = place.path().join("other");
    fs::create_dir(&other).unwrap();
    let document = from(&place, &other, "scrub --resume ../s.json --json --quiet").expect_code(1).json();
    assert_eq!(ranges(&document), [(0, 4096)]);
}

/// Where the filesystem keeps the numbers of its files; where it does not, only names tell.
#[test]
fn a_file_that_another_took_the_name_of_is_refused() {
    let place = Place::new();
    twins(&place, MIB);
    place.line("scrub a b --state s.json --quiet").expect_code(0);
    let state = fs::read_to_string(place.path().join("s.json")).unwrap();
    place.line("scrub --resume s.json --quiet").expect_code(0);
    fs::copy(place.path().join("b"), place.path().join("c")).unwrap();
    fs::rename(place.path().join("c"), place.path().join("b")).unwrap();
    if !state.contains("\"inode\"") {
        println!("not tested: the filesystem here does not keep the numbers of files");
        return;
    }
    let told = place.line("scrub --resume s.json").expect_code(3);
    assert!(told.stderr.contains("a file has changed since the scrub started"), "{}", told.stderr);
}

#[test]
fn a_state_is_not_replaced_unasked() {
    let place = Place::new();
    twins(&place, MIB);
    place.line("scrub a b --state s.json --quiet").expect_code(0);
    let told = place.line("scrub a b --state s.json --quiet").expect_code(3);
    assert!(told.stderr.contains("resume it with `rigel scrub --resume s.json`"), "{}", told.stderr);
    let told = place.line("scrub a b --state a --quiet").expect_code(3);
    assert!(told.stderr.contains("next step: name another file"), "{}", told.stderr);
    assert!(!told.stderr.contains("--force"), "{}", told.stderr);
}
