mod highest;

use super::*;
use crate::facts::engine::EngineKind;
use crate::judge::flags::FlagCode;
use crate::load::matrix::RunLevel;
use crate::load::pace::Pace;
use crate::load::plan::Plan;
use crate::load::task::Task;
use crate::load::workload::Direction;
use crate::measure::FirstError;
use crate::record::tests::{header, visit, visit_to};
use crate::record::{Header, Visit};
use crate::stats::Interval;
use crate::witness::{Counts, DeviceTransfer, Witness, WitnessSample};

const FIRST_ERROR: FirstError = FirstError { errno: 5, target: 0, offset: 4096, direction: Direction::Read };

fn record(visits: Vec<Visit>) -> Record {
    Record { visits, ..Record::begun(header()) }
}

#[test]
fn rates_latency_and_extremes() {
    // Steps 0..4 are 1..5 small outstanding at 1 ms each, 5 and 6 are 1 and 2 large at 10 ms.
    let mut visits: Vec<Visit> = (0..5).map(|step| visit(step, 1_000_000)).collect();
    visits.extend([visit(5, 10_000_000), visit(6, 10_000_000)]);
    let found = Findings::of(&record(visits));
    assert_eq!(found.points.len(), 7);
    let small = &found.points[4].ios[&Class::SMALL];
    assert!((small.iops.value - 5000.0).abs() < 1e-9);
    assert!((small.mbps().unwrap().value - 5000.0 * 8.0 / 1024.0).abs() < 1e-9);
    assert!((small.mean_outstanding - 5.0).abs() < 1e-9);
    assert!((small.latency_us.unwrap().mean.value - 1000.0).abs() < 1e-9);
    assert_eq!(found.best.rate(Class::SMALL).unwrap().point, Point::pair(5, 0));
    let most = found.best.rate(Class::LARGE).unwrap();
    assert_eq!((most.estimate.value, most.point), (200.0, Point::pair(0, 2)));
    assert_eq!(found.best.latency_us(Class::SMALL).unwrap().point, Point::pair(1, 0), "the first of equals");
    assert!(found.points.iter().all(|p| p.flags.is_empty()), "{:?}", found.points);
}

/// Two stations of 1 ms each: with one session a query takes 1 ms, and 2,000 a second are the most.
#[test]
fn the_knee_of_two_stations_is_at_two_sessions() {
    let latencies = [1_000_000, 1_000_000, 1_500_000, 2_000_000, 2_500_000];
    let visits = latencies.into_iter().zip(0..).map(|(latency_ns, step)| visit(step, latency_ns));
    let found = Findings::of(&record(visits.collect()));
    let knee = found.knee().unwrap();
    assert!((knee.sessions - 2.0).abs() < 1e-9, "{knee:?}");
    assert_eq!((knee.class, knee.half), (Class::SMALL, Point::pair(1, 0)));
    assert!(!knee.is_least && !knee.is_most, "{knee:?}");
    let (mean, p99) = knee.response_us(&found, Class::SMALL).unwrap();
    assert_eq!((mean.value, p99.value), (1000.0, 1000.0));
    assert_eq!(knee.response_us(&found, Class::LARGE), None);
    // Four times the stations: every session that was tried has one for itself.
    let found = Findings::of(&record((0..5).map(|step| visit(step, 1_000_000)).collect()));
    let knee = found.knee().unwrap();
    assert!((knee.sessions - 5.0).abs() < 1e-9, "{knee:?}");
    assert!(knee.is_least && !knee.is_most, "{knee:?}");
    assert_eq!(Findings::of(&record(Vec::new())).knee(), Err(NoKnee::Nothing));
}

/// Of 9 users one makes reports: the look-ups are alone only with the fewest sessions, which says nothing of the highest rate.
#[test]
fn the_knee_of_a_mix_is_that_of_its_highest_rate() {
    let points =
        [(1, 0), (2, 0), (4, 0), (8, 1), (16, 2), (32, 4)].map(|(one, other)| Point::pair(one, other));
    let knee = |latencies_ms: [u64; 6]| {
        let Header { request, nodes, targets, .. } = header();
        let task = Task::named(RunLevel::Load, points.to_vec(), Pace::ORION);
        let request = Request { task, ..request };
        let plan = Plan::new(&request, &nodes.first().host, &targets).unwrap();
        let made = points.into_iter().zip(latencies_ms).enumerate();
        let visits = made.map(|(step, (point, ms))| visit_to(step, point, ms * 1_000_000)).collect();
        Findings::of(&Record { visits, ..Record::begun(Header { request, plan, ..header() }) })
            .knee()
            .unwrap()
    };
    // 8 look-ups at a time need 1 ms each, and more of them wait: 8,000 a second, from 9 sessions on.
    let found = knee([1, 1, 1, 1, 2, 4]);
    assert!((found.sessions - 9.0).abs() < 1e-9, "{found:?}");
    assert_eq!((found.class, found.half), (Class::SMALL, Point::pair(4, 0)));
    assert!(!found.is_least && !found.is_most, "{found:?}");
    // Nobody waits.
    let found = knee([1; 6]);
    assert!((found.sessions - 36.0).abs() < 1e-9 && found.is_least, "{found:?}");
    // The reports leave the look-ups 2,000 a second, whatever these reach without them: 2 sessions of theirs, of 2.25 in all.
    let found = knee([1, 1, 1, 4, 8, 16]);
    // Latencies are known to the width of a bucket, 1/64.
    assert!((found.sessions / 2.25 - 1.0).abs() < 1.0 / 64.0 && found.is_mix && !found.is_least, "{found:?}");
}

#[test]
fn without_one_session_alone_the_knee_is_at_most_what_is_found() {
    let knee = |latencies: &[(usize, u64)]| {
        let visits = latencies.iter().map(|(step, ms)| visit(*step, ms * 1_000_000)).collect();
        Findings::of(&record(visits)).knee().unwrap()
    };
    // One station: two sessions wait for one another, and the bound is twice as high as the knee.
    let found = knee(&[(1, 2), (3, 4)]);
    assert!((found.sessions - 2.0).abs() < 1e-9 && found.is_most && !found.is_least, "{found:?}");
    let found = knee(&[(0, 1), (1, 2), (3, 4)]);
    assert!((found.sessions - 1.0).abs() < 1e-9 && !found.is_most && !found.is_least, "{found:?}");
}

/// With the others cached, one number of sessions is left, whose own rate is the highest: no knee at 1.0 sessions.
#[test]
fn numbers_that_must_not_be_used_make_no_knee_and_one_makes_none() {
    let knee = |unusable: &[usize], steps: usize| {
        let visits = (0..steps).map(|step| visit(step, 1_000_000)).collect();
        let mut found = Findings::of(&record(visits));
        for step in unusable {
            found.points[*step].flags.push(Flag::new(FlagCode::Unverified, "cached").invalidating());
        }
        found.knee().map(|knee| knee.sessions.round().to_string())
    };
    assert_eq!(knee(&[], 3), Ok("3".to_owned()));
    assert_eq!(knee(&[1, 2], 3), Err(NoKnee::Unusable { unusable: 2, of: 3 }));
    assert_eq!(knee(&[], 1), Err(NoKnee::OnePoint));
    assert_eq!(
        knee(&[4], 5),
        Err(NoKnee::Unusable { unusable: 1, of: 5 }),
        "more sessions may have brought more"
    );
    assert_eq!(knee(&[1], 5), Ok("5".to_owned()), "what is left tells it");
}

#[test]
fn visits_to_one_point_add_up() {
    let found = Findings::of(&record(vec![visit(4, 1_000_000), visit(4, 2_000_000)]));
    let small = &found.points[0].ios[&Class::SMALL];
    assert!((small.iops.value - 3750.0).abs() < 1e-9, "the mean of 5000 and 2500");
    assert!((found.points[0].seconds - 2.0).abs() < 1e-12);
    assert_eq!(small.planned_outstanding, 5);
    assert!(found.points[0].flags.is_empty(), "{:?}", found.points[0].flags);
}

#[test]
fn every_visit_says_what_it_found_by_itself() {
    let found = Findings::of(&record(vec![visit(4, 1_000_000), visit(4, 2_000_000)]));
    let point = &found.points[0];
    assert_eq!((point.each_visit.len(), point.phase), (2, None));
    let second = &point.each_visit[1];
    assert!(second.counts && !second.cut_short && !second.ios.contains_key(&Class::LARGE));
    assert_eq!((second.settle_ns, second.measured_ns), (100_000_000, 1_000_000_000));
    let io = second.ios[&Class::SMALL];
    assert_eq!((io.ios, io.iops, io.latency_us, io.p99_us), (2500, 2500.0, Some(2000.0), Some(2000.0)));
    assert_eq!((io.little, io.mean_outstanding, io.standard_error), (Some(1.0), 5.0, Some(0.0)));
}

#[test]
fn a_visit_in_which_nothing_completed_has_no_error_of_its_own() {
    let mut idle = visit(4, 1_000_000);
    let small = idle.tallies.get_mut(&Class::SMALL).unwrap();
    small.reads.clear();
    small.series.ops.fill(0);
    let found = Findings::of(&record(vec![idle]));
    let small = &found.points[0].ios[&Class::SMALL];
    assert_eq!((small.sure.within, small.iops.interval), (None, None));
    let io = found.points[0].each_visit[0].ios[&Class::SMALL];
    assert_eq!((io.iops, io.standard_error, io.latency_us, io.little), (0.0, None, None, None));
}

fn codes(change: impl FnOnce(&mut Record)) -> Vec<FlagCode> {
    let mut record = record(vec![visit(4, 1_000_000)]);
    change(&mut record);
    Findings::of(&record).points[0].flags.iter().map(|flag| flag.code).collect()
}

#[test]
fn every_flag_has_its_cause() {
    assert_eq!(codes(|_| {}), []);
    assert_eq!(codes(|r| r.header.request.buffered = true), [FlagCode::Buffered]);
    assert_eq!(codes(|r| r.header.targets[0].filesystem = Some("ramfs".into())), [FlagCode::Memory]);
    assert_eq!(codes(|r| r.header.nodes.first_mut().engine.kind = EngineKind::Sim), [FlagCode::Simulated]);
    assert_eq!(codes(|r| r.visits[0].cut_short = true), [FlagCode::CutShort]);
    assert_eq!(
        codes(|r| r.visits[0].tallies.get_mut(&Class::SMALL).unwrap().in_flight_ns /= 2),
        [FlagCode::QueueNotFilled]
    );
    assert_eq!(
        codes(|r| r.visits[0].tallies.get_mut(&Class::SMALL).unwrap().planned = 4),
        [FlagCode::Little]
    );
    let no_data = codes(|r| {
        let small = r.visits[0].tallies.get_mut(&Class::SMALL).unwrap();
        small.reads.clear();
        small.errors = 3;
        small.first_error = Some(FIRST_ERROR);
    });
    assert_eq!(no_data, [FlagCode::NoData, FlagCode::Errors]);
    // Nobody has to look for a fault where the user left no time for an I/O.
    let stopped = codes(|r| {
        r.visits[0].cut_short = true;
        r.visits[0].tallies.get_mut(&Class::SMALL).unwrap().reads.clear();
    });
    assert!(stopped.contains(&FlagCode::CutShort) && !stopped.contains(&FlagCode::NoData), "{stopped:?}");
}

#[test]
fn what_failed_is_no_io_of_others() {
    let beside_ours = |errors| {
        codes(|r| {
            let visit = &mut r.visits[0];
            let moved = DeviceTransfer { read_bytes: 20 << 20, written_bytes: 0 };
            let counts = Counts { moved: vec![Some(moved)], ..Counts::default() };
            let samples = vec![WitnessSample { at_ns: 1_000_000_000, counts }];
            let devices = vec![(8, 0)];
            visit.nodes[0].witness = Some(Witness {
                period_ns: 1_000_000_000,
                cpus: None,
                devices,
                kernel_us: None,
                carried: None,
                began_ns: 0,
                samples,
            });
            visit.nodes[0].moved_bytes = 16 << 20;
            let small = visit.tallies.get_mut(&Class::SMALL).unwrap();
            small.errors = errors;
            small.first_error = (errors > 0).then_some(FIRST_ERROR);
        })
    };
    assert_eq!(beside_ours(0), [FlagCode::Foreign]);
    assert_eq!(
        beside_ours(512),
        [FlagCode::Errors],
        "512 of 8 KiB are the 4 MiB that the device counted beside"
    );
}

/// One in four visits on a host of which others take a part: the mean over the visits is what can be off.
#[test]
fn others_that_can_hardly_matter_are_a_note() {
    let flag = |cpus: u32, foreign_us: u64, disturbed: usize| {
        let mut record = record(vec![visit(4, 1_000_000); 4]);
        record.header.nodes.first_mut().host.cpus = cpus;
        for (place, visit) in record.visits.iter_mut().enumerate() {
            let busy_us = if place < disturbed { 500_000 + foreign_us } else { 500_000 };
            let counts = Counts { busy_us: Some(busy_us), own_us: Some(500_000), ..Counts::default() };
            let end_ns = visit.began_ns + visit.measured_ns;
            visit.nodes[0].witness = Some(Witness {
                period_ns: end_ns,
                cpus: Some(cpus),
                devices: Vec::new(),
                kernel_us: None,
                carried: None,
                began_ns: end_ns - 1_000_000_000,
                samples: vec![WitnessSample { at_ns: end_ns, counts }],
            });
        }
        let flags = Findings::of(&record).points.remove(0).flags;
        flags.into_iter().find(|flag| flag.code == FlagCode::Foreign)
    };
    assert_eq!(flag(2, 200_000, 4), None);
    let caution = flag(2, 400_000, 4).unwrap();
    assert!(caution.speaks_against() && !caution.text.contains("at most"), "{caution:?}");
    for (cpus, disturbed, effect) in [(16, 4, "2.5 % at most"), (2, 1, "5.0 % at most")] {
        let note = flag(cpus, 400_000, disturbed).unwrap();
        assert!(!note.speaks_against() && note.text.ends_with(effect), "{cpus} CPUs: {note:?}");
    }
    assert!(flag(4, 1_200_000, 1).unwrap().speaks_against(), "a quarter of 30 %");
}

#[test]
fn scattered_buffers_are_flagged_on_large_points_only() {
    let mut record = record(vec![visit(0, 1_000_000), visit(5, 10_000_000)]);
    record.header.nodes.first_mut().buffers.large_segments_max = Some(256);
    let found = Findings::of(&record);
    assert!(found.points[0].flags.is_empty());
    assert_eq!(found.points[1].flags[0].code, FlagCode::Buffers);
    assert!(found.points[1].flags[0].text.contains("256"));
}

/// A slot of verified blocks waits for the look at its data, and one of a worker that has a single I/O for that worker: the latency is that of
/// fewer I/Os, and no time is wrong. With other engines a slot has no reason to wait.
#[test]
fn slots_that_wait_for_their_worker_leave_the_queue_unfilled_and_no_time_wrong() {
    let with = |engine: EngineKind, verify: bool, in_flight_tenths: u64| {
        codes(|r| {
            r.header.nodes.first_mut().engine.kind = engine;
            r.header.request.classes[0].verify = verify;
            let small = r.visits[0].tallies.get_mut(&Class::SMALL).unwrap();
            // Made for 5 outstanding.
            small.planned = 6;
            small.in_flight_ns = small.in_flight_ns * in_flight_tenths / 50;
        })
    };
    for (engine, verify) in [(EngineKind::IoUring, true), (EngineKind::Sync, false)] {
        assert_eq!(with(engine, verify, 50), [FlagCode::QueueNotFilled]);
        assert_eq!(
            with(engine, verify, 60),
            [FlagCode::Little],
            "6 were in flight, and the times are those of 5"
        );
    }
    assert_eq!(with(EngineKind::IoUring, false, 50), [FlagCode::QueueNotFilled, FlagCode::Little]);
}

/// What failed took its time in flight and left no latency: a failure explains that much, and no more.
#[test]
fn failures_explain_less_than_littles_law() {
    // Made for 5 outstanding: for more the rate is too low, for fewer too high.
    let with = |planned: u32, errors| {
        codes(|r| {
            let small = r.visits[0].tallies.get_mut(&Class::SMALL).unwrap();
            small.in_flight_ns = small.in_flight_ns / u64::from(small.planned) * u64::from(planned);
            small.planned = planned;
            small.errors = errors;
            small.first_error = (errors > 0).then_some(FIRST_ERROR);
        })
    };
    assert_eq!(with(5, 3), [FlagCode::Errors]);
    assert_eq!(with(10, 0), [FlagCode::Little]);
    assert_eq!(with(10, 5), [FlagCode::Errors]);
    assert_eq!(with(10, 3), [FlagCode::Errors, FlagCode::Little], "3 cannot have been in the way of 5");
    assert_eq!(with(4, 9), [FlagCode::Errors, FlagCode::Little], "more than there can be");
}

/// No row is above the headline, and I/Os of which many failed have no rate that stands for the storage.
#[test]
fn a_point_that_was_cut_short_counts_and_one_whose_ios_failed_never() {
    let fail = |visit: &mut Visit| {
        let small = visit.tallies.get_mut(&Class::SMALL).unwrap();
        small.errors = 1000;
        small.first_error = Some(FIRST_ERROR);
    };
    let best = |visits| {
        let found = Findings::of(&record(visits));
        [&found.best, &found.plainly_best].map(|best| best.rate(Class::SMALL).map(|best| best.point.small()))
    };
    let with = |change: fn(&mut Visit)| {
        let mut last = visit(4, 1_000_000);
        change(&mut last);
        best(vec![visit(3, 1_000_000), last])
    };
    assert_eq!(with(|_| ()), [Some(5), Some(5)]);
    assert_eq!(with(|visit| visit.cut_short = true), [Some(5), Some(5)]);
    assert_eq!(with(fail), [Some(4), Some(4)]);
    let mut only = visit(4, 1_000_000);
    fail(&mut only);
    assert_eq!(best(vec![only]), [None, None]);
}

#[test]
fn errors_tell_target_offset_and_errno() {
    let mut record = record(vec![visit(4, 1_000_000)]);
    let small = record.visits[0].tallies.get_mut(&Class::SMALL).unwrap();
    small.errors = 2;
    small.first_error = Some(FirstError { errno: 5, target: 0, offset: 8192, direction: Direction::Write });
    let flags = &Findings::of(&record).points[0].flags;
    assert!(
        flags[0].text.contains("2 failed")
            && flags[0].text.contains("a write at byte 8192 of /data/lun1, errno 5 (I/O error)")
    );
}

/// Which of several equal points is named does not fall on one whose rate changed. How much is reported leaves none out.
#[test]
fn a_point_whose_rate_changed_is_no_headline_unless_none_is_as_good() {
    let latencies_ns = [1_000_000, 1_000_000, 1_500_000, 2_000_000, 3_000_000];
    let visits = latencies_ns.into_iter().enumerate().map(|(step, ns)| visit(step, ns)).collect();
    let mut found = Findings::of(&record(visits));
    let wide = Interval::symmetric(1638.0, 0.87, 1, 9.0);
    let best = |found: &mut Findings| {
        for (place, point) in found.points.iter_mut().enumerate().filter(|one| [0, 4].contains(&one.0)) {
            let io = point.ios.get_mut(&Class::SMALL).unwrap();
            io.iops.interval = if place == 4 { wide } else { None };
            io.latency_us.as_mut().unwrap().mean.interval = wide;
        }
        found.choose(&Request::new(RunLevel::Simple));
        let at = |best: Option<Extreme>| best.map(|best| best.point.small());
        let plain = &found.plainly_best;
        (
            [at(found.best.rate(Class::SMALL)), at(found.best.latency_us(Class::SMALL))],
            [at(plain.rate(Class::SMALL)), at(plain.latency_us(Class::SMALL))],
        )
    };
    let (_, plain) = best(&mut found);
    let flag = |code| Flag::new(code, "moved");
    found.points[4].flags = vec![flag(FlagCode::LevelShift)];
    found.points[0].flags = vec![flag(FlagCode::Drift)];
    assert_eq!(best(&mut found), ([Some(4), Some(2)], plain), "ORION's are what they were");
    assert!(found.working.values().all(|working| working.highest.outstanding == 4));
    found.points.iter_mut().for_each(|point| point.flags = vec![flag(FlagCode::LevelShift)]);
    assert_eq!(best(&mut found), ([Some(4), Some(1)], plain), "all of them are alike");
    found.points.iter_mut().take(4).for_each(|point| point.flags.clear());
    found.points[4].ios.get_mut(&Class::SMALL).unwrap().iops.value = 2100.0;
    found.choose(&Request::new(RunLevel::Simple));
    let rate =
        |best: &Extremes| best.rate(Class::SMALL).map(|best| (best.point.small(), best.estimate.value));
    let changed = Some((5, 2100.0));
    assert_eq!((rate(&found.best), rate(&found.plainly_best)), (changed, changed), "no row is above it");
}

#[test]
fn an_empty_record_has_no_extremes() {
    let found = Findings::of(&record(vec![]));
    assert_eq!((found.points.len(), found.best.rate(Class::SMALL)), (0, None));
}

#[test]
fn a_good_working_point_is_told_where_the_highest_rate_costs_far_more() {
    // 1 to 5 outstanding of 1 ms each: the rate follows the load, and there is nothing to tell.
    let linear: Vec<Visit> = (0..5).map(|step| visit(step, 1_000_000)).collect();
    assert!(Findings::of(&record(linear)).working.is_empty());
    // Saturated at 2: 3, 4 and 5 wait 1.5, 2 and 2.4 ms; the last has a little more of the rate.
    let latencies_ns = [1_000_000, 1_000_000, 1_500_000, 2_000_000, 2_400_000];
    let visits = latencies_ns.into_iter().enumerate().map(|(step, ns)| visit(step, ns)).collect();
    let found = Findings::of(&record(visits)).working[&Class::SMALL];
    assert_eq!((found.at.outstanding, found.highest.outstanding), (2, 5));
    let close = |one: f64, other: f64| (one / other - 1.0).abs() < 0.01;
    assert!(close(found.at.rate.value, 2000.0) && close(found.at.latency_us, 1000.0), "{found:?}");
    assert!(close(found.highest.rate.value, 2083.0) && close(found.highest.latency_us, 2400.0));
    // The highest power is at 1, which would leave more than half of the rate unused.
    let latencies_ns = [1_000_000, 2_400_000, 3_000_000, 4_000_000, 2_300_000];
    let visits = latencies_ns.into_iter().enumerate().map(|(step, ns)| visit(step, ns)).collect();
    assert!(Findings::of(&record(visits)).working.is_empty());
}
