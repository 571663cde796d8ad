//! `CALIBRATE_IO` however it was pasted, and the table of Rigel that has its columns.

use super::*;

#[test]
fn every_way_to_paste_calibrate_io_has_the_same_numbers() {
    for (name, _) in SAMPLES.iter().filter(|one| one.0.starts_with("calibrate")) {
        assert_numbers(name, &[("max_iops", 4120.0), ("max_large_mbps", 310.0)]);
        let has_pmbps = numbers(&sample(name)).iter().any(|one| one == &("max_pmbps".to_owned(), 182.0));
        assert_eq!(has_pmbps, !name.contains("printed"), "{name}");
    }
    let latency =
        |name: &str| sample(name).conditions.iter().find(|one| one.0.contains("latency")).unwrap().1.clone();
    assert_eq!(
        (latency("calibrate_io.csv"), latency("calibrate_io_printed.txt")),
        ("9.5 ms".into(), "9.513 ms".into())
    );
    let status = "STATUS        CALIBRATION_TIME\n------------- ----------------\nREADY         14-MAY-12 10.11.52 AM\n";
    let problem = Baseline::read(status.as_bytes()).unwrap().unwrap_err();
    assert!(problem.cause.unwrap().contains("V$IO_CALIBRATION_STATUS"));
}

/// A session in which the procedure ran again prints every result, and each of them twice.
#[test]
fn a_second_calibration_in_a_text_is_named() {
    let result = |iops: u32| format!("max_iops = {iops}\nlatency = 19\nmax_mbps = 18579\n").repeat(2);
    let once = read(&result(154)).unwrap();
    assert_eq!((number_of(&once, "max_iops"), once.passed_over.len()), (Some(154.0), 0));
    let again = read(&(result(154) + "SQL> /\n" + &result(1_353_418))).unwrap();
    assert_eq!(number_of(&again, "max_iops"), Some(154.0));
    assert!(again.passed_over.iter().any(|one| one.contains("several calibrations")), "{again:?}");
}

/// PostgreSQL's table `rigel.io_calibration` has Oracle's columns, and some of its own.
#[test]
fn the_row_of_rigels_own_view_is_a_calibration_of_rigel() {
    for (name, _) in SAMPLES.iter().filter(|one| one.0.starts_with("rigel")) {
        let found = sample(name);
        assert_eq!((found.tool, found.name().as_str()), (Tool::Calibration, "Rigel calibration"), "{name}");
        let figures = found.results(&LoadFacts::new()).figures;
        let max_iops = figures.iter().find(|one| one.quantity.name() == "max_iops").unwrap();
        assert!(max_iops.estimate.interval.is_some(), "{name}: its document has the interval");
        assert_eq!(found.bound.map(|bound| bound.limit.0), Some(20_000_000), "{name}");
    }
    // Some of its columns, without the document.
    let some =
        "max_iops,max_mbps,max_pmbps,latency,num_physical_disks,max_latency\n18341,1420,611,0.872,4,20\n";
    let found = read(some).unwrap();
    assert_eq!((found.tool, number_of(&found, "max_iops")), (Tool::Calibration, Some(18_341.0)));
    assert!(found.lacks.iter().any(|lack| lack.starts_with("no interval")), "{:?}", found.lacks);
    assert_eq!(found.bound.map(|bound| bound.limit.0), Some(20_000_000));
    // Oracle's own is Oracle's.
    assert_eq!(sample("calibrate_io.csv").tool, Tool::CalibrateIo);
}

#[test]
fn whole_numbers_with_separators_are_not_a_thousandth() {
    for (text, value) in [
        ("11518", 11_518.0),
        ("11,518", 11_518.0),
        ("11.518", 11_518.0),
        ("1.234.567", 1_234_567.0),
        ("9.5", 9.5),
    ] {
        assert_eq!(text::whole(text), Some(value), "{text}");
    }
    let psql = "-[ RECORD 1 ]------\nmax_iops  | 11518\nmax_mbps  | 812\nmax_pmbps | 401\nlatency   | 9.5\n";
    let found = Baseline::read(psql.as_bytes()).unwrap().unwrap();
    assert!(numbers(&found).contains(&("max_iops".to_owned(), 11_518.0)), "{:?}", numbers(&found));
}
