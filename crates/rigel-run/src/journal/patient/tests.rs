use super::*;
use rigel_core::record::ClosingLine;
use std::os::unix::fs::symlink;

fn closing() -> Line {
    Line::Closing(ClosingLine { ended: "now".into(), complete: false, reason: None, end: None })
}

#[test]
fn the_rest_begins_in_a_file_of_its_own_and_follows_nothing_that_was_planted() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("mine"), "mine").unwrap();
    symlink(at("mine"), at("link")).unwrap();
    symlink(at("nowhere"), at("dangling")).unwrap();
    let places: Vec<PathBuf> = ["mine", "link", "dangling", "gone/rest", "rest"].map(at).into();
    let rest = begin_somewhere(places, b"line\n").unwrap();
    assert_eq!(rest.path, at("rest"));
    assert_eq!(fs::read(at("rest")).unwrap(), b"line\n");
    assert_eq!(fs::read(at("mine")).unwrap(), b"mine");
    assert!(!at("nowhere").exists());
    let why = begin_somewhere(vec![at("mine"), at("gone/rest")], b"line\n").err().unwrap();
    assert!(why.contains("mine (") && why.contains("gone/rest ("), "{why}");
}

/// A record that cannot be written, and a place that takes nothing.
#[test]
fn a_line_that_was_written_nowhere_is_handed_over() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("record");
    fs::write(&path, "head\n").unwrap();
    let mut journal = patient(File::open(&path).unwrap(), Vec::new());
    assert_eq!(journal.append(&closing()).unwrap_err().kind.code(), 4);
    assert_eq!(journal.unkept(), [record::write_line(&closing()).unwrap()]);
}

fn patient(file: File, places: Vec<PathBuf>) -> Patient {
    let record = RecordFile::new(file, "record".into());
    Patient::new(record, Box::new(move || places.clone()), "rigel again".into(), Box::new(|_| ())).unwrap()
}

#[test]
fn lines_that_nothing_takes_stay_in_memory_and_the_end_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let mut journal = patient(File::create(dir.path().join("record")).unwrap(), Vec::new());
    journal.waiting.extend([b"one\n".to_vec(), b"two\n".to_vec()]);
    journal.found_none(false).unwrap();
    assert!(journal.is_in_danger);
    let problem = journal.found_none(true).unwrap_err();
    assert_eq!(journal.unkept(), [b"one\n", b"two\n"]);
    let told = problem.to_string();
    assert!(told.contains("2 lines") && told.contains("are lost") && told.contains("rigel again"), "{told}");
}

#[test]
fn lines_that_wait_elsewhere_are_there_at_once_and_go_back_as_soon_as_there_is_room() {
    let dir = tempfile::tempdir().unwrap();
    let (record, rest) = (dir.path().join("record"), dir.path().join("rest"));
    fs::write(&record, "head\n").unwrap();
    let file = OpenOptions::new().append(true).open(&record).unwrap();
    let mut journal = patient(file, vec![rest.clone()]);
    for (line, there) in [("one\n", "one\n"), ("two\n", "one\ntwo\n")] {
        journal.waiting.push_back(line.into());
        journal.found_none(false).unwrap();
        assert_eq!(fs::read_to_string(&rest).unwrap(), there);
        assert!(journal.unkept().is_empty());
    }
    let problem = journal.found_none(true).unwrap_err();
    assert!(problem.next.unwrap().contains("cat "));
    journal.append(&closing()).unwrap();
    let read = fs::read_to_string(&record).unwrap();
    assert!(read.starts_with("head\none\ntwo\n{") && read.lines().count() == 4, "{read}");
    assert!(!rest.exists());
}

/// Two places, of which each takes some lines and no more.
#[test]
fn where_a_place_is_full_too_the_next_one_takes_what_follows() {
    let dir = tempfile::tempdir().unwrap();
    let (record, first, second) =
        (dir.path().join("record"), dir.path().join("first"), dir.path().join("second"));
    fs::write(&record, "head\n").unwrap();
    let file = OpenOptions::new().append(true).open(&record).unwrap();
    let mut journal = patient(file, vec![first.clone(), second.clone()]);
    let wait = |journal: &mut Patient, line: &str| {
        journal.waiting.push_back(line.into());
        journal.found_none(false).unwrap();
    };
    wait(&mut journal, "one\n");
    // It can be read, and takes nothing any more.
    journal.rests[0].file = File::open(&first).unwrap();
    wait(&mut journal, "two\n");
    wait(&mut journal, "three\n");
    let there = [&first, &second].map(|path| fs::read_to_string(path).unwrap());
    assert_eq!(there, ["one\n", "two\nthree\n"]);
    assert!(journal.unkept().is_empty() && !journal.is_in_danger);
    let next = journal.found_none(true).unwrap_err().next.unwrap();
    assert!(next.contains(&format!("{} {}", first.display(), second.display())), "{next}");
    // Nothing in front of them is tried: its lines would be read before theirs.
    fs::remove_file(&first).unwrap();
    journal.rests[1].file = File::open(&second).unwrap();
    journal.waiting.push_back(b"four\n".to_vec());
    journal.found_none(false).unwrap();
    assert_eq!((journal.unkept(), first.exists()), (vec![&b"four\n"[..]], false));
    journal.append(&closing()).unwrap();
    let read = fs::read_to_string(&record).unwrap();
    assert!(read.starts_with("head\none\ntwo\nthree\nfour\n{"), "{read}");
    assert!(!second.exists());
}
