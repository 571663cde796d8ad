//! Arrivals, commits, places, and the headline of a run, on devices whose figures are formulas.

use super::*;
use rigel_uses::selftest::{Grade, Score};

/// The score of a few trials, in the eyes of somebody who takes the device for another one.
fn score(case: &Case, records: &[Record], law: &str) -> Grade {
    let seen = |record: &Record| {
        let mut record = record.clone();
        record.header.request.engine = EngineRequest::Sim(SimLaw::parse(law).unwrap());
        Trial::of(&record)
    };
    Score { case: case.clone(), trials: records.iter().map(seen).collect() }.verdict()
}

#[test]
fn the_figures_are_those_of_the_law_and_of_no_other() {
    let changes = [
        ("highest of alike", ("service=4ms", "service=3600us")),
        ("highest at a peak", ("service=4ms", "service=3600us")),
        ("highest at the end", ("service=4ms", "service=3600us")),
        ("arrivals at", ("service=1ms", "service=950us")),
        ("commits: a flush", ("flush=2ms", "flush=1800us")),
        ("places: even", ("between=1%", "between=1%,slope=20%")),
        ("places: half", ("slope=50%", "slope=40%")),
        ("loads: two sizes", ("rate=100M", "rate=90M")),
        ("streams: 1, 4", ("rate=100M", "rate=90M")),
    ];
    let cases: Vec<Case> =
        selftest::all().into_iter().filter(|case| matches!(case.promise, Promise::Figures(_))).collect();
    assert_eq!(cases.len(), changes.len(), "every case has a wrong law here");
    for (case, (name, (right, wrong))) in cases.iter().zip(changes) {
        assert!(case.name.starts_with(name), "{}", case.name);
        let records: Vec<Record> = (1..=4).map(|seed| trial(&case.request(seed).unwrap()).unwrap()).collect();
        assert_eq!(score(case, &records, &case.law), Grade::Kept, "{}", case.name);
        let wrong = case.law.replace(right, wrong);
        assert_ne!(wrong, case.law);
        assert!(matches!(score(case, &records, &wrong), Grade::Broken(_)), "{}: {wrong}", case.name);
    }
}
