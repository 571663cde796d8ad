use super::*;
use rigel_core::error::ExitKind;
use rigel_core::facts::{Identity, TargetKind};

fn lines(bytes: &[u8]) -> Vec<(u32, Vec<u8>)> {
    let entries = parse(bytes).unwrap();
    entries.into_iter().map(|entry| (entry.line, entry.path.into_os_string().into_vec())).collect()
}

#[test]
fn what_counts_as_a_line() {
    for (bytes, expected) in [
        (&b"/dev/sda"[..], vec![(1, &b"/dev/sda"[..])]),
        (b"/dev/sda\n", vec![(1, b"/dev/sda")]),
        (b"/dev/sda\r\n/dev/sdb\r\n", vec![(1, b"/dev/sda"), (2, b"/dev/sdb")]),
        (b"\n\r\n \t\n/dev/sda \t \n\n\n/dev/sdb", vec![(4, b"/dev/sda"), (7, b"/dev/sdb")]),
        (b"/with a blank/\xff\xfe\x1b[2J\n", vec![(1, b"/with a blank/\xff\xfe\x1b[2J")]),
        // Blanks before a path belong to it, and so does a number sign.
        (b" /a\n# /dev/sdc\n", vec![(1, b" /a"), (2, b"# /dev/sdc")]),
        (b"\xef\xbb\xbf/dev/sda\n", vec![(1, b"/dev/sda")]),
    ] {
        let expected: Vec<(u32, Vec<u8>)> =
            expected.into_iter().map(|(line, path)| (line, path.to_vec())).collect();
        assert_eq!(lines(bytes), expected, "{bytes:?}");
    }
}

#[test]
fn what_is_no_list() {
    for empty in [&b""[..], b"\n\n", b" \t\r\n", b"\xef\xbb\xbf"] {
        let problem = parse(empty).unwrap_err();
        assert_eq!(problem.kind, ExitKind::Usage);
        assert!(problem.what.contains("empty"), "{problem}");
    }
    let problem = parse(b"/dev/sda\n/dev\0sdb\n").unwrap_err();
    assert_eq!((problem.kind, problem.place.as_deref()), (ExitKind::Usage, Some("2")));
}

#[test]
fn problems_of_files() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("no\x1bsuch.lun");
    let problem = read(&missing).unwrap_err();
    assert_eq!(problem.kind, ExitKind::Usage);
    assert!(problem.place.clone().unwrap().ends_with("no\\x1bsuch.lun"), "{problem}");
    assert!(problem.next.clone().unwrap().contains("one target path per line"), "{problem}");

    assert_eq!(read(dir.path()).unwrap_err().kind, ExitKind::Usage);
    assert_eq!(read(Path::new("/dev/zero")).unwrap_err().kind, ExitKind::Usage);

    let list = dir.path().join("t.lun");
    std::fs::write(&list, b"/a\n\n/b\0\n").unwrap();
    assert!(read(&list).unwrap_err().place.unwrap().ends_with("t.lun:3"));
    std::fs::write(&list, b"/a\n\n/b").unwrap();
    assert_eq!(read(&list).unwrap()[1], LunEntry { line: 3, path: "/b".into() });
}

#[test]
fn a_comment_is_a_path_that_is_explained() {
    let list = Path::new("t.lun");
    let entry = |path: &str| LunEntry { line: 4, path: path.into() };
    let missing = || Problem::refused("the target cannot be accessed").because("no such file or device");
    let problem = at_line(list, &entry("# my disks"), missing());
    assert_eq!(problem.place.as_deref(), Some("t.lun:4: # my disks"));
    assert!(problem.cause.unwrap().contains("has no comments"));
    let problem = at_line(list, &entry("'/dev/no'"), missing());
    assert!(problem.cause.unwrap().contains("quotation marks"));
    let problem = at_line(list, &entry("/dev/no"), missing());
    assert_eq!(problem.cause.as_deref(), Some("no such file or device"));
}

fn facts(path: &str, size_bytes: u64, device: (u32, u32), inode: u64, kind: TargetKind) -> TargetFacts {
    TargetFacts {
        path: path.to_owned(),
        real_path: format!("/real{path}"),
        kind,
        size_bytes,
        identity: Identity { device, inode },
        ..TargetFacts::simulated(size_bytes)
    }
}

#[test]
fn the_same_target_under_two_names() {
    let block = TargetKind::BlockDevice;
    let mut targets = vec![
        ("t.lun:1".to_owned(), facts("/dev/sda", 1 << 30, (8, 0), 0, block)),
        ("t.lun:2".to_owned(), facts("/dev/sdb", 1 << 20, (8, 16), 0, block)),
        // The same numbers, but those of a character device and of a file.
        ("t.lun:3".to_owned(), facts("/dev/raw/raw1", 1 << 30, (8, 0), 0, TargetKind::CharDevice)),
        ("t.lun:4".to_owned(), facts("/file", 1 << 30, (8, 0), 12, TargetKind::File)),
    ];
    check_distinct(&targets).unwrap();
    targets.push(("t.lun:9".to_owned(), facts("/dev/disk/by-id/x", 1 << 20, (8, 16), 0, block)));
    let problem = check_distinct(&targets).unwrap_err();
    assert_eq!(problem.kind, ExitKind::Usage);
    assert_eq!(problem.place.as_deref(), Some("t.lun:2 and t.lun:9"));

    check_sizes(&targets, 1 << 20).unwrap();
    let problem = check_sizes(&targets, (1 << 20) + 1).unwrap_err();
    assert_eq!((problem.kind, problem.place.as_deref()), (ExitKind::Refused, Some("t.lun:2")));
}
