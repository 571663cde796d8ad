use super::cases::{Case, CaseSource};
use super::*;
use rigel_core::judge::flags::FlagCode;
use rigel_core::record::Record;
use rigel_report::View;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The records of all cases that have one.
pub static RECORDS: LazyLock<Vec<(&'static str, Record)>> = LazyLock::new(|| {
    let record = |case: Case| match case.made {
        CaseSource::OfRecord(make) => {
            Some((case.name, make().unwrap_or_else(|error| panic!("{}: {error:#}", case.name))))
        }
        CaseSource::Otherwise(_) => None,
    };
    cases::all().into_iter().filter_map(record).collect()
});

/// A flag that no case has would be one whose words nothing holds.
#[test]
fn every_flag_is_raised_by_some_case() {
    let mut raised = BTreeSet::new();
    for (_, record) in RECORDS.iter() {
        let view = View::of(record);
        let findings = &view.findings;
        let of_points = findings.points.iter().flat_map(|point| &point.flags);
        let of_curves = findings.curves.iter().flat_map(|curve| &curve.flags);
        raised.extend(findings.flags.iter().chain(of_points).chain(of_curves).map(|flag| flag.code));
    }
    let missing: Vec<FlagCode> = FlagCode::ALL.into_iter().filter(|code| !raised.contains(code)).collect();
    assert_eq!(missing, [], "give each a case in which it is raised");
}

#[test]
fn every_record_reads_back_and_says_the_same() {
    for (name, record) in RECORDS.iter() {
        let bytes = documents::lines(record).unwrap();
        let again = Record::read(&bytes).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        assert!(again.header == record.header, "{name}: the header");
        for (part, is_same) in [
            ("search", again.search == record.search),
            ("visits", again.visits == record.visits),
            ("intervals", again.intervals == record.intervals),
            ("resumed", again.resumed == record.resumed),
            ("set aside", again.set_aside == record.set_aside),
            ("drives", again.drives == record.drives),
            ("marks", again.marks == record.marks),
            ("closing", again.closing == record.closing),
        ] {
            assert!(is_same, "{name}: {part}");
        }
        let json =
            |record: &Record| rigel_report::render(rigel_report::Format::Json, &View::of(record)).unwrap();
        assert_eq!(json(&again), json(record), "{name}");
    }
}

#[test]
fn what_differs_is_named() {
    let before = "aa  a/json\nbb  a/text\ncc  b/text\n";
    let now = "aa  a/json\nb0  a/text\ndd  c/text\n";
    let found = differing(before, now);
    let found: Vec<(&str, &str)> = found.iter().map(|(path, what)| (path.as_str(), *what)).collect();
    assert_eq!(found, [("a/text", "differs"), ("b/text", "is gone"), ("c/text", "is new")]);
    assert_eq!(differing(now, now), []);
}
