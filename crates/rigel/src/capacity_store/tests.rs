use super::*;
use rigel_capacity::{Span, Table};
use std::collections::BTreeMap;
use std::fs;

fn table(first: i64, rows: i64, value: f64) -> Table {
    let mut table = Table::default();
    for row in first..first + rows {
        assert!(table.push(Span { start_ms: row * 60_000, length_ms: 60_000 }, &[(Metric::ReadOps, value)]));
    }
    table
}

fn of(disk: &str, table: Table) -> BTreeMap<Key, Table> {
    [(Key::new("db1", Subject::disk(disk, ""), Source::Sadf), table)].into()
}

#[test]
fn a_directory_that_was_named_by_mistake_is_not_made() {
    let dir = tempfile::tempdir().unwrap();
    let problem = Store::open(&dir.path().join("nope/store.sqlite")).map(drop).unwrap_err();
    assert!(problem.what.contains("does not exist") && problem.place.unwrap().ends_with("/nope"));
    assert!(!dir.path().join("nope").exists());
}

#[test]
fn what_is_merged_comes_back_and_twice_adds_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.sqlite");
    let mut store = Store::open(&path).unwrap();
    let days = of("sda", table(0, 3 * 1_440, 5.0));
    assert_eq!(store.change(|change| change.merge(&days)).unwrap().added, 4_320);
    let before = fs::read(&path).unwrap();
    let again = store.change(|change| change.merge(&days)).unwrap();
    assert_eq!((again.added, again.known), (0, 4_320));
    assert_eq!(fs::read(&path).unwrap(), before, "not even a byte");
    let held = Store::open_to_read(&path).unwrap().held().unwrap();
    assert_eq!((held.len(), held[0].rows, held[0].interval_ms()), (1, 4_320, 60_000));
    let selection =
        Selection { from_ms: Some(86_400_000), to_ms: Some(2 * 86_400_000), ..Selection::default() };
    let history = store.history(&selection).unwrap();
    let series = history.series("db1", &Subject::disk("sda", ""), Metric::ReadOps);
    assert_eq!((series.samples.len(), series.mean()), (1_440, Some(5.0)));
    let coarse = store.history(&Selection { step_ms: Some(3_600_000), ..Selection::default() }).unwrap();
    assert_eq!(coarse.series("db1", &Subject::disk("sda", ""), Metric::ReadOps).samples.len(), 72);
}

#[test]
fn work_that_fails_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(&dir.path().join("s")).unwrap();
    let failed: Result<(), Problem> = store.change(|change| {
        change.merge(&of("sda", table(0, 10, 1.0)))?;
        Err(Problem::usage("the file is cut off"))
    });
    assert!(failed.is_err() && store.held().unwrap().is_empty());
}

#[test]
fn the_recorder_replaces_its_hour_and_keeps_what_was_before_it() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(&dir.path().join("s")).unwrap();
    let key = Key::new("db1", Subject::disk("sda", ""), Source::Recorder);
    let put = |store: &mut Store, from: i64, table: &Table| {
        store.change(|change| change.replace(&key, 0, from * 60_000, table)).unwrap();
        let history = store.history(&Selection::default()).unwrap();
        history
            .series("db1", &key.subject, Metric::ReadOps)
            .samples
            .iter()
            .map(|sample| sample.value)
            .collect::<Vec<_>>()
    };
    assert_eq!(put(&mut store, 0, &table(0, 2, 1.0)), [1.0, 1.0]);
    assert_eq!(put(&mut store, 2, &table(2, 2, 2.0)), [1.0, 1.0, 2.0, 2.0]);
    assert_eq!(put(&mut store, 2, &table(2, 1, 3.0)), [1.0, 1.0, 3.0]);
}

#[test]
fn files_of_others_stay_as_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("theirs");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE theirs (x);").unwrap();
    let before = fs::read(&path).unwrap();
    assert!(Store::open(&path).is_err_and(|problem| problem.what.contains("another program")));
    assert!(Store::open_to_read(&path).is_err_and(|problem| problem.what.contains("not a capacity store")));
    assert_eq!(fs::read(&path).unwrap(), before);
    let newer = dir.path().join("newer");
    Store::open(&newer).unwrap().database.pragma_update(None, "user_version", LAYOUT + 1).unwrap();
    assert!(Store::open(&newer).is_err_and(|problem| problem.what.contains("newer Rigel")));
    assert!(Store::open(Path::new("/dev/null")).is_err());
}
