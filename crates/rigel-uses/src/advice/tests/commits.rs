//! What a commit costs, and the settings that follow from it.

use super::*;

/// A run of commits whose latencies of one writer are known to a tenth, in us.
fn commits(dsync: u64, fdatasync: u64, is_free: bool) -> KnownRun {
    let mut known = KnownRun::reads();
    let mut commit = |class: Class, us: u64| {
        let mut found = known.findings.points[0].clone();
        found.point = Point::alone(class, 1);
        let mut io = found.ios.remove(&Class::SMALL).unwrap();
        io.latency_us.as_mut().unwrap().mean = Interval::symmetric(to_f64(us), 0.1, 8, 7.0).unwrap().into();
        found.ios.insert(class, io);
        known.findings.points.push(found);
    };
    commit(Class::DSYNC, dsync);
    commit(Class::FDATASYNC, fdatasync);
    known.findings.flags.extend(is_free.then(|| Flag::new(FlagCode::FlushFree, "no cost")));
    known
}

#[test]
fn the_way_to_commit_is_the_quicker_one_where_the_intervals_tell_it() {
    let method = |dsync, fdatasync| {
        let found =
            given(&advised(&[commits(dsync, fdatasync, false)]), Product::Postgresql, "wal_sync_method");
        (found.value.text, found.is_hint)
    };
    assert_eq!(method(500, 1000), ("open_datasync".into(), false));
    assert_eq!(method(1000, 500), ("fdatasync".into(), false));
    assert_eq!(method(1000, 1100), ("fdatasync".into(), true), "450 to 550 would not be sure");
    let without = advised(&[KnownRun::reads()]);
    assert!(without.of_product(Product::Postgresql).all(|one| one.setting != "wal_sync_method"));
}

#[test]
fn a_log_of_mariadb_is_written_through_where_that_is_surely_quicker() {
    let advice = |dsync, fdatasync, is_free| {
        let found = advised(&[commits(dsync, fdatasync, is_free)]);
        given(&found, Product::Mysql, "innodb_log_file_write_through")
    };
    for (dsync, fdatasync, value, part) in [
        (500, 1000, "ON", "do not overlap"),
        (1000, 500, "OFF", "the faster one is the default"),
        (1000, 1100, "OFF", "overlap, so the default"),
    ] {
        let found = advice(dsync, fdatasync, false);
        assert!(found.is_hint, "neither MySQL nor an older MariaDB knows it");
        assert_eq!((found.value.text.as_str(), found.remark.is_none()), (value, true));
        assert!(found.why.contains(part) && found.why.contains("11.0"), "{}", found.why);
    }
    let free = advice(500, 1000, true).remark.unwrap();
    assert!(free.contains("make sure that the cache is protected"), "{free}");
    let without = advised(&[KnownRun::reads()]);
    assert!(without.of_product(Product::Mysql).all(|one| one.setting != "innodb_log_file_write_through"));
}

#[test]
fn a_delay_is_half_of_a_commit_unless_a_sleep_is_coarser() {
    let advised_by = |us: u64, is_free: bool| advised(&[commits(us, us, is_free)]);
    assert_eq!(
        value(&advised_by(4000, false), Product::Postgresql, "commit_delay"),
        ["2000", "1800", "2200"]
    );
    let short = given(&advised_by(150, false), Product::Postgresql, "commit_delay");
    assert_eq!((short.value.text.as_str(), short.is_hint), ("0", true));
    let free = given(&advised_by(4000, true), Product::Postgresql, "commit_delay");
    assert!(free.remark.unwrap().contains("make sure that the cache is protected"));
}

#[test]
fn commits_that_others_disturbed_are_rough_and_those_that_nobody_knows_withheld() {
    let mut known = commits(500, 1000, false);
    let last = known.findings.points.len() - 1;
    known.findings.points[last].flags.push(Flag::new(FlagCode::Foreign, "others"));
    let foreign = given(&advised(&[known.clone()]), Product::Postgresql, "wal_sync_method").rough.unwrap();
    assert!(foreign.details.unwrap().contains("other programs used"), "{}", foreign.because);
    assert!(foreign.command.unwrap().ends_with("rigel run commit --for 5m"));
    assert!(
        find(&advised(&[known, commits(500, 1000, false)]), Product::Postgresql, "wal_sync_method")
            .outcome
            .is_ok_and(|given| given.rough.is_none())
    );
    let mut wide = commits(500, 1000, false);
    let io = wide.findings.points[last].ios.get_mut(&Class::FDATASYNC).unwrap();
    io.latency_us.as_mut().unwrap().mean = Interval::symmetric(1000.0, 0.4, 3, 2.0).unwrap().into();
    let of = |setting| find(&advised(&[wide.clone()]), Product::Postgresql, setting).outcome;
    assert!(of("commit_delay").unwrap().rough.is_some(), "a number needs a narrow interval");
    let method = of("wal_sync_method").unwrap();
    assert_eq!((method.value.text.as_str(), method.rough), ("open_datasync", None), "which of both does not");
}
