use super::*;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use tempfile::{TempDir, tempdir};

const STAMP: &str = "20260101_1200";

fn file(suffix: &'static str, text: &str) -> OutputFile {
    OutputFile { suffix: suffix.into(), bytes: text.into() }
}

fn names(dir: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn runs_of_one_minute_do_not_collide() {
    let dir = tempdir().unwrap();
    let ids: Vec<String> =
        (0..3).map(|_| OutputSet::reserve(dir.path(), "orion", Some(STAMP)).unwrap().0.run_id).collect();
    assert_eq!(ids, ["orion_20260101_1200", "orion_20260101_1200_2", "orion_20260101_1200_3"]);
    let mode = fs::metadata(dir.path().join("orion_20260101_1200_record.jsonl")).unwrap();
    assert_eq!(mode.permissions().mode() & 0o777 & !0o644, 0);
}

#[test]
fn names_without_a_time_are_not_taken_by_those_with_one() {
    let dir = tempdir().unwrap();
    let reserve = |stamp| OutputSet::reserve(dir.path(), "orion", stamp).unwrap().0.run_id;
    assert_eq!(reserve(Some(STAMP)), "orion_20260101_1200");
    assert_eq!([reserve(None), reserve(None), reserve(None)], ["orion", "orion_2", "orion_3"]);
}

#[test]
fn outputs_without_a_record_get_a_name_that_no_run_has() {
    let dir = tempdir().unwrap();
    let set = |name: &str| OutputSet::without_record(dir.path(), name, STAMP).unwrap();
    assert_eq!(set("orion").run_id, "orion_20260101_1200");
    assert!(names(&dir).is_empty(), "nothing is created");
    OutputSet::reserve(dir.path(), "orion", Some(STAMP)).unwrap();
    let second = set("orion");
    assert_eq!(second.run_id, "orion_20260101_1200_2");
    second.write(&[file("_proof.json", "{}")], false).unwrap();
    assert_eq!(set("orion").run_id, "orion_20260101_1200_3");
}

#[test]
fn what_is_no_regular_file_is_never_replaced() {
    let dir = tempdir().unwrap();
    let socket = dir.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let link = dir.path().join("link");
    symlink(&socket, &link).unwrap();
    for path in [&socket, &link] {
        let problem = write_whole(path, b"text", true).unwrap_err();
        assert!(problem.to_string().contains("not a regular file"), "{problem}");
    }
    assert!(!fs::metadata(&socket).unwrap().is_file());
    assert_eq!(names(&dir), ["link", "socket"]);
}

#[test]
fn a_planted_link_does_not_lead_outputs_away() {
    let (dir, elsewhere) = (tempdir().unwrap(), tempdir().unwrap());
    symlink(elsewhere.path(), dir.path().join("a_fio")).unwrap();
    let placed = PlacedFile::named(dir.path(), "a_fio/small/x.json", b"{}");
    assert!(write_all(&[placed], true).is_err());
    assert!(names(&elsewhere).is_empty());
    let placed = || PlacedFile::named(dir.path(), "b_fio/small/x.json", b"{}");
    write_all(&[placed()], false).unwrap();
    write_all(&[placed()], true).unwrap();
}

#[test]
fn runs_that_begin_together_get_names_of_their_own() {
    let dir = tempdir().unwrap();
    let reserve = || OutputSet::reserve(dir.path(), "orion", Some(STAMP)).unwrap().0.run_id;
    let ids: std::collections::BTreeSet<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..16).map(|_| scope.spawn(reserve)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(ids.len(), 16);
}

/// The original ORION may have run in the same minute; its files are not to be met at the end of a long run.
#[test]
fn files_of_another_program_are_left_alone() {
    let dir = tempdir().unwrap();
    fs::write(dir.path().join("orion_20260101_1200_summary.txt"), "theirs").unwrap();
    let (set, _) = OutputSet::reserve(dir.path(), "orion", Some(STAMP)).unwrap();
    assert_eq!(set.run_id, "orion_20260101_1200_2");
}

#[test]
fn a_planted_link_is_not_followed() {
    let dir = tempdir().unwrap();
    let victim = dir.path().join("victim");
    symlink(&victim, dir.path().join("orion_20260101_1200_record.jsonl")).unwrap();
    let (set, _) = OutputSet::reserve(dir.path(), "orion", Some(STAMP)).unwrap();
    assert_eq!(set.run_id, "orion_20260101_1200_2");
    symlink(&victim, dir.path().join("out.txt")).unwrap();
    write_whole(&dir.path().join("out.txt"), b"ours", false).unwrap_err();
    write_whole(&dir.path().join("out.txt"), b"ours", true).unwrap();
    assert!(!victim.exists());
    assert!(!dir.path().join("out.txt").is_symlink());
}

#[test]
fn a_set_is_written_beside_its_record() {
    let dir = tempdir().unwrap();
    let (set, _record) = OutputSet::reserve(dir.path(), "orion", Some(STAMP)).unwrap();
    let files = [file("_summary.txt", "summary\n"), file("_iops.csv", "")];
    let paths = set.write(&files, false).unwrap();
    assert_eq!(fs::read(&paths[0]).unwrap(), b"summary\n");
    assert_eq!(
        names(&dir),
        [
            "orion_20260101_1200_iops.csv",
            "orion_20260101_1200_record.jsonl",
            "orion_20260101_1200_summary.txt"
        ]
    );
}

#[test]
fn nothing_is_replaced_unasked() {
    let dir = tempdir().unwrap();
    let old = dir.path().join("run_iops.csv");
    fs::write(&old, "old").unwrap();
    let files = [file("_summary.txt", "new"), file("_iops.csv", "new")];
    let problem = write_files(dir.path(), "run", &files, false).unwrap_err();
    assert_eq!(problem.kind.code(), 3);
    let told = problem.to_string();
    assert!(told.contains("run_iops.csv") && told.contains("--force"), "{told}");
    assert_eq!(names(&dir), ["run_iops.csv"], "not even the file before it");
    assert!(write_whole(&old, b"new", false).is_err());
    assert_eq!(fs::read(&old).unwrap(), b"old");
    write_files(dir.path(), "run", &files, true).unwrap();
    assert_eq!(fs::read(&old).unwrap(), b"new");
}

#[test]
fn a_failed_write_leaves_the_old_file_and_nothing_else() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("summary.txt");
    fs::write(&path, "old").unwrap();
    let full = whole::put(&path, true, |file| {
        file.write_all(b"half")?;
        Err(io::ErrorKind::StorageFull.into())
    });
    assert_eq!(full.unwrap_err().kind(), io::ErrorKind::StorageFull);
    assert_eq!(names(&dir), ["summary.txt"]);
    assert_eq!(fs::read(&path).unwrap(), b"old");
}

#[test]
fn a_stale_temporary_file_is_in_nobodys_way() {
    let dir = tempdir().unwrap();
    let stale = dir.path().join(format!(".a.tmp-{}", std::process::id()));
    fs::write(&stale, "stale").unwrap();
    write_whole(&dir.path().join("a"), b"whole", false).unwrap();
    assert_eq!(fs::read(&stale).unwrap(), b"stale");
    assert_eq!(fs::read(dir.path().join("a")).unwrap(), b"whole");
}

#[test]
fn the_directory_is_tried_before_the_run() {
    let dir = tempdir().unwrap();
    check_directory(dir.path(), 1).unwrap();
    assert_eq!(names(&dir), [""; 0]);
    let told = |result: Result<(), Problem>| result.unwrap_err().to_string();
    let missing = dir.path().join("missing");
    assert!(told(check_directory(&missing, 1)).contains("does not exist"));
    fs::write(dir.path().join("file"), "").unwrap();
    assert!(told(check_directory(&dir.path().join("file"), 1)).contains("not a directory"));
    assert!(told(check_directory(dir.path(), u64::MAX)).contains("not enough space"));
    let makes_its_own = told(check_directory(Path::new("/proc"), 1));
    assert!(!makes_its_own.contains("does not exist"), "{makes_its_own}");
    let reserved = OutputSet::reserve(&missing, "orion", Some(STAMP)).unwrap_err();
    assert_eq!(reserved.kind.code(), 3);
    assert!(reserved.to_string().contains("does not exist"));
}

#[test]
fn what_the_system_says_becomes_advice() {
    for (errno, words) in [
        (Errno::NOSPC, "full"),
        (Errno::DQUOT, "quota"),
        (Errno::ACCESS, "may not write"),
        (Errno::ROFS, "read-only"),
        (Errno::NAMETOOLONG, "too long"),
        (Errno::ISDIR, "it is a directory"),
        (Errno::IO, "the system says"),
    ] {
        let told = trouble(Path::new("/out/\u{1b}x"), &errno.into()).to_string();
        assert!(told.contains(words) && told.contains("/out/\\x1bx"), "{told}");
    }
}
