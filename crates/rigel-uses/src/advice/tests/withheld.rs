//! The rule by which a figure gives a setting, at its edges, and what is reported otherwise.

use super::*;
use rigel_core::stats::Basis;

/// The ends of the latency of one read, 100 us, are set.
fn with_latency(lo: f64, hi: f64) -> KnownRun {
    let mut reads = KnownRun::reads();
    let mean =
        &mut reads.findings.points[0].ios.get_mut(&Class::SMALL).unwrap().latency_us.as_mut().unwrap().mean;
    let interval = Interval { lo95: lo, hi95: hi, ..mean.interval.unwrap() };
    *mean = Estimate { interval: Some(interval), ..*mean };
    reads
}

fn page_cost(known: &KnownRun) -> Result<SettingAdvice, Refusal> {
    find(&advised(std::slice::from_ref(known)), Product::Postgresql, "random_page_cost").outcome
}

fn kept_back(known: &KnownRun) -> Refusal {
    let refusal = page_cost(known).unwrap_err();
    assert_eq!(refusal.kind, Kind::InDoubt, "{refusal:?}");
    refusal
}

/// What makes a value rough, which stands there anyway.
fn rough_for(given: &SettingAdvice) -> Refusal {
    let rough = given.rough.as_deref().unwrap_or_else(|| panic!("{given:?}")).clone();
    assert_eq!(rough.kind, Kind::Rough, "{rough:?}");
    rough
}

fn told(refusal: &Refusal) -> &str {
    assert!(refusal.because.chars().count() <= 120, "{}", refusal.because);
    refusal.details.as_deref().unwrap()
}

#[test]
fn an_interval_may_span_a_factor_of_1_3_either_way_and_ten_for_a_rough_value() {
    for (lo, hi) in [(90.0, 130.0), (100.0 / 1.3, 110.0), (100.0, 100.0)] {
        assert_eq!(page_cost(&with_latency(lo, hi)).unwrap().rough, None);
    }
    for (lo, hi, factor) in
        [(90.0, 130.1, "1.301"), (76.9, 110.0, "1.3"), (50.0, 120.0, "2"), (95.0, 769.5, "7.695")]
    {
        let rough = rough_for(&page_cost(&with_latency(lo, hi)).unwrap());
        let because = format!(
            "latency of a random read of 8 KiB, one outstanding: its interval spans a factor of {factor}"
        );
        assert_eq!(rough.because, because);
        assert!(told(&rough).contains("one outstanding, 100 us ("), "{rough:?}");
        assert_eq!(rough.command.as_deref(), Some("rigel calibrate /data/lun1 --for 5m"));
    }
    rough_for(&page_cost(&with_latency(10.0, 110.0)).unwrap());
    let unknown = kept_back(&with_latency(9.9, 110.0));
    assert!(unknown.because.ends_with("its interval spans a factor of 10.1"), "{unknown:?}");
}

/// "317.8 us (0 to 769.5)" was a random_page_cost of 5.9.
#[test]
fn an_interval_that_reaches_0_is_never_usable() {
    for lo in [0.0, -1.0] {
        let refusal = kept_back(&with_latency(lo, 110.0));
        assert!(refusal.because.contains("reaches 0"), "{refusal:?}");
        let withheld = refusal.withheld.unwrap();
        assert_eq!(
            (withheld.value.text.as_str(), withheld.measured.len()),
            ("2.18", 2),
            "--explain shows it"
        );
    }
}

#[test]
fn a_figure_without_an_interval_gives_no_setting() {
    let mut reads = KnownRun::reads();
    let io = reads.findings.points[5].ios.get_mut(&Class::LARGE).unwrap();
    io.iops = Estimate { interval: None, basis: Basis::Nothing, ..io.iops };
    let refusal = kept_back(&reads);
    assert_eq!(refusal.because, "one stream of 1 MiB reads: has no interval");
    assert!(
        told(&refusal).contains("1 MiB reads, 1,000 MBPS (no interval): it has no interval"),
        "{refusal:?}"
    );
}

/// Whole numbers are never nearer than one: 3 (2 to 4) spans more than 1.3 and is as precise as a level gets.
#[test]
fn a_level_may_be_off_by_one() {
    let with = |found: u32, lo: u32, hi: u32| {
        let mut reads = KnownRun::reads();
        let mut curve = rising(Class::SMALL);
        curve.curve.saturated = true;
        curve.curve.n_sat = Bracket { lo, found, hi };
        reads.findings.curves.push(curve);
        find(&advised(&[reads]), Product::Postgresql, "effective_io_concurrency").outcome
    };
    for (found, lo, hi) in [(3, 2, 4), (1, 1, 2), (8, 7, 8), (100, 77, 130)] {
        assert_eq!(with(found, lo, hi).unwrap().value.text, found.to_string());
    }
    for (found, lo, hi) in [(3, 1, 3), (3, 3, 5), (59, 46, 128), (100, 76, 100)] {
        assert!(rough_for(&with(found, lo, hi).unwrap()).because.contains("a factor of"), "{found}");
    }
}

fn flagged(place: usize, flag: &Flag) -> KnownRun {
    let mut reads = KnownRun::reads();
    reads.findings.points[place].flags.push(flag.clone());
    reads
}

#[test]
fn what_others_disturbed_is_rough_where_it_is_used() {
    let foreign = Flag::new(FlagCode::Foreign, "3 of 12 visits: 12 % of the CPU time was stolen");
    let disturbed = page_cost(&flagged(0, &foreign)).unwrap();
    assert_eq!(disturbed.value, page_cost(&KnownRun::reads()).unwrap().value, "with its range");
    let refusal = rough_for(&disturbed);
    assert!(refusal.because.ends_with("other programs used the CPUs or the device (FOREIGN)"), "{refusal:?}");
    assert!(told(&refusal).contains("FOREIGN: 3 of 12 visits: 12 %"), "{refusal:?}");
    assert!(refusal.next.contains("another time") && refusal.next.contains("neighbours"), "{refusal:?}");
    assert_eq!(
        page_cost(&flagged(0, &foreign.clone().noting())).unwrap().rough,
        None,
        "a note bends no value"
    );
    let elsewhere = advised(&[flagged(2, &foreign)]);
    assert_eq!(given(&elsewhere, Product::Postgresql, "random_page_cost").rough, None);
    assert!(elsewhere.flags.is_empty(), "no value rests on that point: {:?}", elsewhere.flags);
    // The stream alone bends other figures than the latency of one read.
    let stream = advised(&[flagged(5, &foreign)]);
    rough_for(&given(&stream, Product::Postgresql, "random_page_cost"));
    rough_for(&given(&stream, Product::Oracle, "MAX_PMBPS"));
    assert_eq!(given(&stream, Product::Oracle, "MAX_IOPS").rough, None);
    assert!(!stream.is_all_in_doubt());
}

/// A search is disturbed where its bracket is based on the visit: just below it or above.
#[test]
fn a_disturbed_search_gives_a_rough_level() {
    let with = |level: u32| {
        let mut reads = KnownRun::reads();
        let mut curve = rising(Class::SMALL);
        curve.curve.saturated = true;
        let mut visit = reads.findings.points[0].each_visit[0].clone();
        visit.point = Point::alone(Class::SMALL, level);
        visit.foreign =
            Some(vec![rigel_core::witness::Disturbance::Steal(rigel_core::witness::VisitMeasure {
                mean: 0.2,
                median: 0.2,
                limit: 0.05,
                above: 0.5,
                samples: 20,
            })]);
        visit.foreign_effect = 0.2;
        visit.counts = true;
        curve.visits.push(visit);
        reads.findings.curves.push(curve);
        find(&advised(&[reads]), Product::Postgresql, "effective_io_concurrency").outcome
    };
    let rough = rough_for(&with(5).unwrap());
    let because = told(&rough);
    let words = [
        "other programs used the CPUs or the device (FOREIGN: in 1 of the 1 measurements",
        "with 4 or more outstanding, of 1 in all: for example, the hypervisor took 20.0 % of the CPU time",
    ];
    assert!(words.iter().all(|words| because.contains(words)), "{because}");
    rough_for(&with(4).unwrap());
    assert_eq!(with(3).unwrap().rough, None);
}

#[test]
fn numbers_that_must_not_be_used_give_no_setting() {
    let zeros = Flag::new(FlagCode::Zeros, "half of the blocks\u{1b}").invalidating();
    let refusal = kept_back(&flagged(0, &zeros));
    assert!(refusal.because.ends_with(": must not be used (ZEROS)"), "{refusal:?}");
    assert!(told(&refusal).contains("ZEROS: half of the blocks\\x1b"), "{refusal:?}");
    assert_eq!(refusal.command.as_deref(), Some("cd /data && rigel calibrate"), "on data");
    let mut twice = flagged(0, &zeros);
    twice.findings.points[0].flags.insert(0, Flag::new(FlagCode::Little, "off").invalidating());
    assert!(kept_back(&twice).because.ends_with(": must not be used (LITTLE, ZEROS)"), "each flag is named");
    let mut of_run = KnownRun::reads();
    of_run.findings.flags.push(zeros.clone());
    let found = advised(&[of_run]);
    assert!(found.is_all_in_doubt());
    assert!(refused(&found, Product::Oracle, "MAX_MBPS").because.contains("ZEROS"));
    let buffered = Flag::new(FlagCode::Buffered, "measured through the page cache: memory, not storage");
    assert!(kept_back(&flagged(0, &buffered)).because.contains("BUFFERED"));
    // What is not needed may be as it is.
    let unused = advised(&[flagged(6, &zeros)]);
    given(&unused, Product::Postgresql, "random_page_cost");
    assert!(!unused.is_all_in_doubt());
}

/// What the search of a file in memory found is about memory as well, though the flag stands at the points.
#[test]
fn a_flag_that_all_points_share_forbids_what_the_search_found() {
    for (code, command) in
        [(FlagCode::Memory, "rigel calibrate"), (FlagCode::Zeros, "cd /data && rigel calibrate")]
    {
        let mut reads = KnownRun::reads();
        let mut curve = rising(Class::SMALL);
        curve.curve.saturated = true;
        reads
            .findings
            .points
            .iter_mut()
            .for_each(|found| found.flags.push(Flag::new(code, "x").invalidating()));
        curve.flags.clear();
        reads.findings.curves.push(curve);
        let found = advised(&[reads]);
        let refusal = refused(&found, Product::Postgresql, "effective_io_concurrency");
        assert!(refusal.because.contains(code.name()), "{refusal:?}");
        assert_eq!(refusal.command.as_deref(), Some(command));
    }
}

/// All points of small I/O alone are in doubt and a mixed one is not: the reason is reported, not that nothing was measured.
#[test]
fn a_mixed_point_does_not_hide_why_the_others_are_in_doubt() {
    let zeros = Flag::new(FlagCode::Zeros, "holes").invalidating();
    let mut reads = KnownRun::reads();
    reads.findings.points[..5].iter_mut().for_each(|found| found.flags.push(zeros.clone()));
    let mut mixed = reads.findings.points[4].clone();
    mixed.point = Point::pair(5, 1);
    mixed.flags.clear();
    mixed.ios.extend(reads.findings.points[5].ios.clone());
    reads.findings.points.push(mixed);
    let found = advised(&[reads]);
    for (product, setting) in
        [(Product::CgroupMax, "riops"), (Product::Postgresql, "effective_io_concurrency")]
    {
        let refusal = refused(&found, product, setting);
        assert!(refusal.kind == Kind::InDoubt && told(&refusal).contains("ZEROS: holes"), "{refusal:?}");
    }
}

/// Measured again and named with the first record, the better figure counts.
#[test]
fn of_several_runs_the_first_good_figure_counts() {
    let mut better = KnownRun::reads();
    better.record.header.run_id = "again".into();
    let found = advised(&[with_latency(0.0, 770.0), better]);
    let given = given(&found, Product::Postgresql, "random_page_cost");
    assert_eq!(
        [given.measured[0].run_id.as_str(), given.measured[1].run_id.as_str()],
        ["again", "orion_20260101_1200"]
    );
}

#[test]
fn a_command_has_the_target_and_the_options_of_the_run() {
    let command = |change: &dyn Fn(&mut rigel_core::record::Header)| {
        let mut reads = with_latency(0.0, 770.0);
        change(&mut reads.record.header);
        kept_back(&reads).command.unwrap()
    };
    assert_eq!(
        command(&|header| {
            header.targets[0].path = "old disk/it's".into();
            header.targets[0].real_path = "/mnt/old disk/it's".into();
        }),
        "rigel calibrate '/mnt/old disk/it'\\''s' --for 5m"
    );
    assert_eq!(
        command(&|header| {
            header.targets[0].scratch =
                Some(rigel_core::facts::ScratchFacts { seed: 1, used_before: false, own: true, kept: false });
        }),
        "cd /data && rigel calibrate --for 5m"
    );
    assert_eq!(
        command(&|header| {
            header.request.num_disks = Some(4);
            header.request.engine =
                rigel_core::load::request::EngineRequest::Only(rigel_core::facts::engine::EngineKind::Libaio);
            header.request.calibrate(LatencyBound { limit: Nanos::from_millis(2), of: LatencyOf::P99 }, None);
        }),
        "rigel calibrate /data/lun1 --engine libaio --num-disks 4 --max-latency 2ms --percentile p99 --for 5m"
    );
    // A mean is no percentile, and is what a bound is about without the option.
    assert_eq!(
        command(&|header| {
            header
                .request
                .calibrate(LatencyBound { limit: Nanos::from_millis(2), of: LatencyOf::Mean }, None);
        }),
        "rigel calibrate /data/lun1 --max-latency 2ms --for 5m"
    );
    let sim = command(&|header| {
        header.request.engine =
            rigel_core::load::request::EngineRequest::Sim(rigel_core::sim::SimLaw::default());
        header.targets[0].kind = rigel_core::facts::TargetKind::Simulated;
        header.request.command_line = "rigel calibrate --engine sim:servers=8,between=1% --seed 3 ".into();
    });
    assert_eq!(sim, "rigel calibrate --engine sim:servers=8,between=1% --for 5m");
}

/// What was not visited in the time has to have more of it.
#[test]
fn a_run_that_was_cut_short_gets_more_time() {
    let mut cut = KnownRun::new(0, 4 * KIB, MIB);
    cut.record.closing = None;
    let refusal = refused(&advised(&[cut]), Product::Postgresql, "random_page_cost");
    assert_eq!(refusal.command.as_deref(), Some("rigel calibrate /data/lun1 --for 5m"));
}
