//! Copies by a list of extents, as Oracle ASM has them.

use super::{flip, ranges};
use crate::support::Place;
use std::fs;
use std::os::unix::fs::symlink;

const HEAD: &str = "disk,au,copy,file,extent\n";

/// Three disks; extents of two files with two copies each, and one with a single copy.
fn disks(place: &Place) {
    let unit = 1 << 20;
    place.random_file("content", 4 * unit);
    let content = fs::read(place.path().join("content")).unwrap();
    let piece = |number: usize| content[number * 1_048_576..(number + 1) * 1_048_576].to_vec();
    let noise = |salt: u8| vec![salt; 1_048_576];
    fs::write(place.path().join("d0"), [noise(1), piece(0), piece(1), piece(3)].concat()).unwrap();
    fs::write(place.path().join("d1"), [piece(0), noise(2), piece(2)].concat()).unwrap();
    fs::write(place.path().join("d2"), [piece(2), noise(3), noise(4), piece(1)].concat()).unwrap();
    let rows =
        "d0,1,0,256,0\nd1,0,1,256,0\nd0,2,0,256,1\nd2,3,1,256,1\nd1,2,0,257,0\nd2,0,1,257,0\nd0,3,0,257,1\n";
    fs::write(place.path().join("list.csv"), format!("{HEAD}{rows}")).unwrap();
}

#[test]
fn copies_of_extents_are_compared_where_they_lie() {
    let place = Place::new();
    disks(&place);
    let told = place.line("scrub --extents list.csv").expect_code(0);
    assert!(told.stderr.contains("1 extent with only one copy"), "{}", told.stderr);
    assert!(told.stdout.contains("3 MiB of each copy"), "{}", told.stdout);
    flip(&place, "d2", 3 * 1_048_576 + 4096);
    let document = place.line("scrub --extents list.csv --json --quiet").expect_code(1).json();
    assert_eq!(ranges(&document), [(1_048_576 + 4096, 4096)], "{document}");
    let range = &document["differences"][0];
    assert_eq!((&range["of"]["file"], &range["of"]["extent"]), (&256.into(), &1.into()));
    let second = &range["copies"][1];
    assert_eq!((&second["disk"], &second["offset"]), (&2.into(), &(3 * 1_048_576 + 4096).into()));
    let text = place.line("scrub --extents list.csv --quiet").expect_code(1).stdout;
    assert!(text.contains("file 256 extent 1") && text.contains("B  d2 from"), "{text}");
}

#[test]
fn lists_that_cannot_be_are_refused_with_the_line() {
    let place = Place::new();
    disks(&place);
    for (rows, code, parts) in [
        ("d0,1,0,256,0\nd0,1,1,256,0\n", 2, ["line 3", "already in line 2"]),
        ("d0,1,0,256,0\nsdz,0,1,256,0\n", 2, ["line 3", "sdz is unknown here"]),
        ("d0,1,0,256,0\n", 2, ["list.csv", "no extent in the list has two copies"]),
        ("d0,1,0,256,0\nd1,9,1,256,0\n", 3, ["list.csv, line 3", "beyond the end of d1"]),
        ("d0,1,0,256,0\nd1,9,1,256,0\n", 3, ["--au-size, here 1 MiB", "1048576 bytes from 9437184,"]),
        ("d0,1,0,256,0\nd0,1,1,256,0\n", 2, ["unit 1 of d0", "while no rebalance runs"]),
        ("d0,1,0,256,0\nORCL:DISK1,0,1,256,0\n", 2, ["line 3", "/dev/oracleasm/disks/DISK1"]),
    ] {
        fs::write(place.path().join("list.csv"), format!("{HEAD}{rows}")).unwrap();
        let told = place.line("scrub --extents list.csv").expect_code(code);
        assert!(parts.iter().all(|part| told.stderr.contains(part)), "{rows}: {}", told.stderr);
    }
}

#[test]
fn two_names_of_a_disk_are_not_two_disks() {
    let place = Place::new();
    disks(&place);
    symlink("d0", place.path().join("alias")).unwrap();
    let scrub = |rows: &str| {
        fs::write(place.path().join("list.csv"), format!("{HEAD}{rows}")).unwrap();
        place.line("scrub --extents list.csv")
    };
    for (rows, part) in [
        ("d0,1,0,256,0\nalias,1,1,256,0\n", "unit 1 of alias is already in line 2, where it is called d0"),
        (
            "d0,1,0,256,0\nd1,0,1,256,0\nd1,2,0,257,0\nalias,1,1,257,0\n",
            "unit 1 of alias is already in line 2",
        ),
        ("d0,1,0,256,0\nalias,2,1,256,0\n", "on one disk: d0 in line 2 and alias in line 3"),
    ] {
        let told = scrub(rows).expect_code(2);
        let text = told.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(part) && text.contains("give each disk one name"), "{rows}: {text}");
    }
    let told = scrub("d0,1,0,256,0\nd1,0,1,256,0\nalias,2,0,256,1\nd2,3,1,256,1\n").expect_code(0);
    assert!(told.stderr.contains("d0 and alias are the same disk"), "{}", told.stderr);
    assert!(told.stdout.contains("2 MiB of each copy"), "{}", told.stdout);
}
