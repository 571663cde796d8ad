use super::*;
use rigel_core::units::GIB;

/// A level of 1000 that grows by 1 a day, for a year.
fn course(scenario: &Scenario) -> Course {
    let daily =
        Daily { levels: (0..365).map(|day| Some(1000.0 + f64::from(day))).collect(), ..Daily::default() };
    Course::of(Resource::Iops, daily, 730, scenario)
}

fn limit(value: f64, lower: f64, upper: f64) -> Limit {
    Limit {
        resource: Resource::Iops,
        figure: EstimateForm { lo95: Some(lower), hi95: Some(upper), ..EstimateForm::bare(value) },
        from: "p99 < 5 ms".to_owned(),
        keeps_bound: true,
    }
}

fn surface(limits: Vec<Limit>) -> Surface {
    Surface { limits, ..Surface::default() }
}

#[test]
fn a_line_reaches_a_limit_on_the_day_that_it_is_due() {
    let ends = Ends::of(&course(&Scenario::default()), &limit(1600.0, 1500.0, 1700.0));
    let [likely, earliest, latest] =
        [ends.likely, ends.earliest, ends.latest].map(|when| when.day().unwrap());
    assert!((likely - 600).abs() <= 7, "{likely}");
    assert!(
        earliest < likely - 80 && latest > likely + 80,
        "{earliest} {likely} {latest}: the limit's interval counts"
    );
    // The end of the last day is 1364.5, and a busy day two more than the middle of its week.
    assert!((ends.used().unwrap() - 1366.5 / 1600.0).abs() < 0.005);
    let far = Ends::of(&course(&Scenario::default()), &limit(1e6, 1e6, 1e6));
    assert_eq!(
        (far.likely, far.likely.shown()),
        (ReachTime::Beyond(365 + 7 * 105), "after 1973-01".to_owned())
    );
}

#[test]
fn scenarios_change_what_comes_and_nothing_before() {
    let add = |text: &str| Scenario { added: vec![text.parse().unwrap()], ..Scenario::default() };
    let plain = course(&Scenario::default()).ahead;
    let more = course(&add("500IOPS@1971-06-01")).ahead;
    let from = usize::try_from((day::read("1971-06-01").unwrap() - 365 + 6) / 7).unwrap();
    assert_eq!(more[..from], plain[..from]);
    assert!(
        more[from..]
            .iter()
            .zip(&plain[from..])
            .all(|(more, plain)| (more.value - plain.value - 500.0).abs() < 1e-9)
    );
    assert_eq!(course(&add("500MBPS@1971-06")).ahead, plain, "another resource");
    let less = course(&add("-50%@1971-01")).ahead;
    assert!(less.iter().zip(&plain).all(|(less, plain)| (less.value - plain.value / 2.0).abs() < 1e-9));
    let grown = course(&Scenario { growth: Some(Growth(1.0)), ..Scenario::default() });
    let doubled = grown.ahead[52].value / grown.ahead[0].value;
    assert!((doubled - 2.0).abs() < 0.02, "{doubled}");
    let shrinking = course(&Scenario { growth: Some(Growth(-0.5)), ..Scenario::default() });
    assert!(Ends::of(&shrinking, &limit(1600.0, 1500.0, 1700.0)).likely.day().is_none());
}

#[test]
fn scenarios_are_read_and_refused() {
    let change = |text: &str| text.parse::<DemandStep>().map(|added| added.change);
    assert_eq!(change("200GB@2027-04"), Ok(Change::Space(200.0 * GIB as f64)));
    assert_eq!(change("-20%@2027-04-15"), Ok(Change::All(-0.2)));
    assert_eq!(
        (change("500 iops@2027-04"), change("80MBPS@2027-04")),
        (Ok(Change::Iops(500.0)), Ok(Change::Mbps(80.0)))
    );
    for wrong in
        ["200GB", "200GB@soon", "@2027-04", "xIOPS@2027-04", "200@2027-04", "NaN%@2027-04", "--5IOPS@2027-04"]
    {
        assert!(change(wrong).is_err(), "{wrong}");
    }
    assert_eq!(("30%/y".parse(), "-10 %".parse()), (Ok(Grow::ByYear(Growth(0.3))), Ok(Grow::AtOnce(-0.1))));
    for wrong in ["30", "-100%/y", "inf%", "30%/month", ""] {
        assert!(wrong.parse::<Grow>().is_err(), "{wrong}");
    }
    let addition = |text: &str| text.parse::<Addition>();
    assert!(matches!(addition("20%@2027-04"), Ok(Addition::Step(_))));
    for file in ["db7.csv", "./200GB", "awr/db7.html.gz"] {
        assert_eq!(addition(file), Ok(Addition::File(file.into())));
    }
    assert!(addition("5GB").unwrap_err().contains("no date"));
}

#[test]
fn what_ends_first_comes_first_and_gates_are_judged() {
    let all = [course(&Scenario::default())];
    let day = |text: &str| day::read(text).unwrap();
    let storage = Storage::of("here", surface(vec![limit(1600.0, 1500.0, 1700.0)]), &all);
    // 1600 is reached on day 600, the 24th of August 1971; 1500 in May.
    assert_eq!(storage.gate(day("1971-12")), Gate::Failed);
    assert_eq!(storage.gate(day("1971-08")), Gate::Undecided);
    assert_eq!(storage.gate(day("1971-03")), Gate::Passed);
    assert_eq!(storage.gate(day("1990-01")), Gate::Failed);
    let wide = Storage::of("wide", surface(vec![limit(1e6, 1e6, 1e6)]), &all);
    assert_eq!((wide.gate(day("1972-12")), wide.gate(day("1990-01"))), (Gate::Passed, Gate::Unknown));
    let short = Daily { levels: vec![Some(1.0); 3], ..Daily::default() };
    let unknown = [Course::of(Resource::Iops, short, 730, &Scenario::default())];
    let storage = Storage::of("here", surface(vec![limit(1.0, 1.0, 1.0)]), &unknown);
    assert_eq!((storage.gate(0), storage.ends[0].likely.shown()), (Gate::Unknown, "not known".to_owned()));
    // A limit that nobody found may be reached any day, whatever is known of the others.
    let unknown =
        Surface { unknown: vec![(Resource::Iops, "none was found".to_owned())], ..Surface::default() };
    let beside = Surface { unknown: unknown.unknown.clone(), ..surface(vec![limit(1e6, 1e6, 1e6)]) };
    assert_eq!(Storage::of("here", beside, &all).gate(day("1972-12")), Gate::Unknown);
    let storage = Storage::of("here", unknown, &all);
    assert_eq!((storage.gate(0), storage.is_measured()), (Gate::Unknown, false));
    assert!(wide.is_measured());
    let both = Storage::of("here", surface(vec![limit(1e6, 1e6, 1e6), limit(1600.0, 1500.0, 1700.0)]), &all);
    assert_eq!(both.ends[0].limit.figure.value, 1600.0);
}

#[test]
fn a_surface_of_another_disk_is_found_out() {
    use super::super::Subject;
    let of =
        |id: &str| Surface { disks: vec![Disk { name: "sdb".into(), id: id.into() }], ..Surface::default() };
    let history = [Subject::disk("sda", "wwn-1")];
    assert_eq!(of("wwn-1").is_of(&history), Some(true), "under another name");
    assert_eq!(of("wwn-2").is_of(&history), Some(false));
    assert_eq!(of("").is_of(&history), Some(false), "by name, for want of better");
    assert_eq!(of("").is_of(&[Subject::disk("sdb", "")]), Some(true));
    assert_eq!((Surface::default().is_of(&history), of("wwn-2").is_of(&[])), (None, None));
}
