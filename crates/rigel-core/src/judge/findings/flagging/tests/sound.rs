//! What reads brought back, how fast, and whether rate and latency fit together: which of these flags make a number invalid.

use super::*;
use crate::load::matrix::Point;
use crate::load::workload::Direction;
use crate::measure::{ByTarget, FirstError, Histogram, OpenTally, ReadLook};
use crate::record::Purpose;
use crate::record::tests::visit;
use crate::units::NS_PER_US;
use crate::witness::{Counts, DeviceTransfer, Witness, WitnessSample};

/// The device answers a small I/O in 1 ms and a large one in 10 ms. Points of one class, one and two outstanding.
const SMALL: (usize, Class) = (1, Class::SMALL);
const LARGE: (usize, Class) = (6, Class::LARGE);

/// The flags of one of them after a change of its tally, each with whether it makes the point invalid.
fn flags(
    (step, class): (usize, Class),
    pattern: Pattern,
    change: impl FnOnce(&mut ClassTally),
) -> Vec<(FlagCode, bool)> {
    of_record(step, |record| {
        record.header.request.set_large(pattern);
        change(record.visits[step].tallies.get_mut(&class).unwrap());
    })
}

/// The same after a change of anything.
fn of_record(step: usize, change: impl FnOnce(&mut Record)) -> Vec<(FlagCode, bool)> {
    let latency_ns = |step: usize| if step < 5 { NS_PER_MS } else { 10 * NS_PER_MS };
    let visits = (0..7).map(|step| visit(step, latency_ns(step))).collect();
    let mut record = Record { visits, ..Record::begun(header()) };
    change(&mut record);
    let found = Findings::of(&record);
    found.points[step].flags.iter().map(|flag| (flag.code, flag.invalid)).collect()
}

/// Reads with these latencies and no others.
fn answered(tally: &mut ClassTally, kinds: &[(u64, u64)]) {
    tally.reads = Histogram::default();
    for &(count, latency_ns) in kinds {
        (0..count).for_each(|_| tally.reads.record(latency_ns));
    }
}

#[test]
fn a_sound_point_has_none() {
    for place in [SMALL, LARGE] {
        assert_eq!(flags(place, Pattern::Random, |_| {}), []);
    }
}

#[test]
fn reads_without_data_are_invalid() {
    let zero = |tally: &mut ClassTally| {
        tally.looked = ReadLook { sampled: 2000, zero_blocks: 1000, ..ReadLook::default() };
    };
    for place in [SMALL, LARGE] {
        assert_eq!(flags(place, Pattern::Random, zero), [(FlagCode::Zeros, true)]);
    }
}

/// Half a second without a completion, and one I/O of that time while the others go on.
#[test]
fn a_device_that_stood_still_is_told_with_the_length() {
    let silent = |tally: &mut ClassTally| {
        let buckets = tally.series.ops.len();
        tally.series.ops[buckets / 2..buckets / 2 + 50].fill(0);
        tally.reads.record(503 * NS_PER_MS);
    };
    let one = |tally: &mut ClassTally| tally.reads.record(503 * NS_PER_MS);
    let text = |change: &dyn Fn(&mut ClassTally)| {
        let mut told = Vec::new();
        let found = of_record(1, |record| {
            change(record.visits[1].tallies.get_mut(&Class::SMALL).unwrap());
            let found = Findings::of(record);
            told = found.points[1].flags.iter().map(|flag| flag.text.clone()).collect();
        });
        (found, told.join("; "))
    };
    let (found, told) = text(&silent);
    assert_eq!(found, [(FlagCode::Stalled, false)]);
    assert!(told.contains("nothing completed for 503 ms"), "{told}");
    let (found, told) = text(&one);
    assert_eq!(found, [(FlagCode::Stalled, false)]);
    assert!(told.contains("the longest I/O took 503 ms, 50"), "{told}");
    // One that began before the window is in no histogram.
    let before = |tally: &mut ClassTally| tally.edges.longest_before_ns = 503 * NS_PER_MS;
    assert_eq!(text(&before).0, [(FlagCode::Stalled, false)]);
    let short = |tally: &mut ClassTally| tally.reads.record(249 * NS_PER_MS);
    assert_eq!(text(&short).0, []);
}

/// No point is made of the visits of a search, so the run has the flag.
#[test]
fn a_standstill_in_a_search_is_told() {
    let mut told = Vec::new();
    of_record(1, |record| {
        let mut found = |change: &dyn Fn(&mut ClassTally)| {
            let mut visit = record.visits[1].clone();
            visit.purpose = Purpose::Search(Class::SMALL);
            change(visit.tallies.get_mut(&Class::SMALL).unwrap());
            record.search = vec![visit];
            let flags = Findings::of(record).flags;
            let stalled = flags.iter().filter(|flag| flag.code == FlagCode::Stalled);
            told.push(stalled.map(|flag| flag.text.clone()).collect::<Vec<_>>().join("; "));
        };
        found(&|_| {});
        found(&|tally| {
            let buckets = tally.series.ops.len();
            tally.series.ops[buckets / 2..buckets / 2 + 50].fill(0);
            tally.reads.record(503 * NS_PER_MS);
        });
        record.search.clear();
    });
    assert_eq!(told[0], "");
    assert!(told[1].contains("in the search before the points: "), "{told:?}");
    assert!(told[1].contains("nothing completed for 503 ms, from "), "{told:?}");
}

/// A visit of a search that saw hardly more than what the standstill held: at another level, I/Os take far less.
#[test]
fn a_standstill_that_is_most_of_a_short_visit_is_told() {
    let told = |levels: &[(u32, u64)]| {
        let mut told = String::new();
        of_record(1, |record| {
            let visit = |(outstanding, latency_ms): (u32, u64)| {
                let mut visit = record.visits[1].clone();
                (visit.purpose, visit.point) =
                    (Purpose::Search(Class::SMALL), Point::alone(Class::SMALL, outstanding));
                let tally = visit.tallies.get_mut(&Class::SMALL).unwrap();
                (tally.planned, tally.reads) = (outstanding, Histogram::default());
                (0..outstanding * 2).for_each(|_| tally.reads.record(latency_ms * NS_PER_MS));
                visit
            };
            record.search = levels.iter().copied().map(visit).collect();
            let flags = Findings::of(record).flags;
            told = flags
                .iter()
                .find(|flag| flag.code == FlagCode::Stalled)
                .map(|flag| flag.text.clone())
                .unwrap_or_default();
            record.search.clear();
        });
        told
    };
    assert!(
        told(&[(4, 1), (16, 503)]).contains("the longest I/O took 503 ms"),
        "{}",
        told(&[(4, 1), (16, 503)])
    );
    // More that wait, wait longer.
    assert_eq!(told(&[(4, 100), (16, 503)]), "");
    assert_eq!(told(&[(16, 503)]), "");
}

/// An open loop with an I/O in every tenth bucket, none of them missing by chance.
#[test]
fn a_standstill_among_few_arrivals_has_a_range() {
    let told = |held_ms: u64| {
        let mut told = String::new();
        of_record(1, |record| {
            let visit = &mut record.visits[1];
            visit.loaded_ns = visit.settle_ns + visit.measured_ns;
            let tally = visit.tallies.get_mut(&Class::SMALL).unwrap();
            let mut open = OpenTally::default();
            tally.reads = Histogram::default();
            let silent = 30..80;
            for (bucket, ops) in tally.series.ops.iter_mut().enumerate() {
                *ops = u32::from(bucket % 10 == 0 && !silent.contains(&bucket));
                tally.series.latency_sum_ns[bucket] = u64::from(*ops) * NS_PER_MS;
                (0..*ops).for_each(|_| tally.reads.record(NS_PER_MS));
                (0..*ops).for_each(|_| open.service.record(NS_PER_MS));
            }
            tally.reads.record(held_ms * NS_PER_MS);
            open.service.record(held_ms * NS_PER_MS);
            tally.series.latency_sum_ns[80] += held_ms * NS_PER_MS;
            tally.open = Some(Box::new(open));
            let flags = &Findings::of(record).points[1].flags;
            let stalled = flags.iter().find(|flag| flag.code == FlagCode::Stalled);
            told = stalled.map(|flag| flag.text.clone()).unwrap_or_default();
        });
        told
    };
    let rough = told(480);
    assert!(
        rough.contains("nothing completed for 544 ms (at least 479 ms, at most 610 ms, as few I/Os arrived)"),
        "{rough}"
    );
    let exact = told(600);
    assert!(exact.contains("nothing completed for 600 ms, from "), "{exact}");
    assert_eq!(told(200), "");
}

/// The standstill began before the window and outlasts it, so the window holds nothing at all.
#[test]
fn a_window_that_lies_in_a_standstill_tells_its_length() {
    let silent = |longest_ns: u64| {
        let mut told = String::new();
        let codes = of_record(1, |record| {
            let tally = record.visits[1].tallies.get_mut(&Class::SMALL).unwrap();
            tally.reads = Histogram::default();
            tally.series.ops.fill(0);
            tally.edges.longest_before_ns = longest_ns;
            let flags = &Findings::of(record).points[1].flags;
            let stalled = flags.iter().find(|flag| flag.code == FlagCode::Stalled);
            told = stalled.map(|flag| flag.text.clone()).unwrap_or_default();
        });
        assert!(codes.contains(&(FlagCode::NoData, true)), "{codes:?}");
        told
    };
    let told = silent(20 * NS_PER_S);
    assert!(told.contains("nothing completed for 20.0 s"), "{told}");
    assert_eq!(silent(249 * NS_PER_MS), "");
}

/// 18 % of the reads are answered in a twentieth of the time; Little's law holds.
#[test]
fn a_cache_before_random_reads_is_invalid_and_the_read_ahead_of_streams_is_none() {
    let small = |tally: &mut ClassTally| answered(tally, &[(400, NS_PER_MS / 20), (1800, 1_100_000)]);
    let large = |tally: &mut ClassTally| answered(tally, &[(40, NS_PER_MS / 2), (180, 11_000_000)]);
    let streams = Pattern::Streams { ios_per_stream: 1 };
    let is_cache = |flags: &[(FlagCode, bool)]| flags.contains(&(FlagCode::Cache, true));
    assert!(is_cache(&flags(SMALL, Pattern::Random, small)));
    assert!(is_cache(&flags(LARGE, Pattern::Random, large)));
    assert!(is_cache(&flags(SMALL, streams, small)));
    assert!(!is_cache(&flags(LARGE, streams, large)));
}

/// The same latencies: of one slow target among four, which is not a cache, and of one fast target, before which there is one.
#[test]
fn a_slow_target_among_fast_ones_is_no_cache() {
    let is_cache = |slow_targets: usize| {
        let found = flags(SMALL, Pattern::Random, |tally| {
            answered(tally, &[(400, NS_PER_MS / 20), (1800, 1_100_000)]);
            let latency = |target: usize| if target < slow_targets { 1_100_000 } else { NS_PER_MS / 20 };
            tally.by_target = Some(Box::new(ByTarget {
                ops: vec![100; 4],
                errors: vec![0; 4],
                latency_sum_ns: (0..4).map(|target| 100 * latency(target)).collect(),
                longest_ns: (0..4).map(latency).collect(),
            }));
        });
        found.contains(&(FlagCode::Cache, true))
    };
    assert_eq!([0, 1, 2, 3, 4].map(is_cache), [true, false, true, true, true]);
}

/// The read that is alone waited for a CPU nine tenths of the time, so its mean says little of the device.
#[test]
fn on_a_host_that_others_use_a_slow_mean_alone_makes_no_cache() {
    let fast = |tally: &mut ClassTally| answered(tally, &[(400, NS_PER_MS / 20), (1800, 1_100_000)]);
    let is_cache = |foreign_us: u64| {
        let found = of_record(1, |record| {
            record.header.nodes.first_mut().host.cpus = 2;
            let visit = &mut record.visits[0];
            let counts = Counts {
                busy_us: Some(foreign_us),
                own_us: Some(0),
                cpu_pressure_us: None,
                ..Counts::default()
            };
            let end_ns = visit.began_ns + visit.measured_ns;
            let witness = Witness {
                period_ns: visit.measured_ns,
                cpus: Some(2),
                devices: Vec::new(),
                kernel_us: None,
                carried: None,
                began_ns: visit.began_ns,
                samples: vec![WitnessSample { at_ns: end_ns, counts }],
            };
            visit.nodes = vec![NodeVisit { witness: Some(witness), ..NodeVisit::default() }];
            fast(record.visits[1].tallies.get_mut(&Class::SMALL).unwrap());
        });
        found.contains(&(FlagCode::Cache, true))
    };
    let measured_us = visit(0, NS_PER_MS).measured_ns / NS_PER_US;
    assert!(is_cache(0) && !is_cache(2 * measured_us * 95 / 100));
}

#[test]
fn rate_and_latency_that_do_not_fit_together_are_told_and_far_apart_invalid() {
    let of = |latency_ns: u64| flags(SMALL, Pattern::Random, |tally| answered(tally, &[(2000, latency_ns)]));
    assert_eq!(of(NS_PER_MS), []);
    for latency_ns in [970_000, 1_030_000] {
        assert_eq!(of(latency_ns), [(FlagCode::Little, false)], "{latency_ns}");
    }
    for latency_ns in [940_000, 1_060_000] {
        assert_eq!(of(latency_ns), [(FlagCode::Little, true)], "{latency_ns}");
    }
}

#[test]
fn numbers_of_the_page_cache_are_invalid_also_where_they_were_asked_for() {
    assert_eq!(of_record(1, |record| record.header.request.buffered = true), [(FlagCode::Buffered, true)]);
}

#[test]
fn what_never_came_back_and_what_did_nothing_is_invalid() {
    let hung = crate::measure::HungIo {
        target: 0,
        offset: 4096,
        direction: Direction::Read,
        age_ns: 60 * NS_PER_S,
        count: 1,
        taken_back: false,
    };
    assert_eq!(of_record(1, |record| record.visits[1].hung = Some(hung)), [(FlagCode::Hung, true)]);
    let nothing = |tally: &mut ClassTally| {
        *tally = ClassTally::new(8192, 2, NS_PER_S);
        tally.in_flight_ns = 2 * NS_PER_S;
    };
    assert_eq!(flags(SMALL, Pattern::Random, nothing), [(FlagCode::NoData, true)]);
}

/// Of 2,000 I/Os in a second.
#[test]
fn what_is_left_of_many_failures_is_no_rate() {
    let of = |errors: u64| {
        let error = FirstError { errno: 5, target: 0, offset: 4096, direction: Direction::Read };
        let flags = flags(SMALL, Pattern::Random, |tally| {
            answered(tally, &[(2000 - errors, NS_PER_MS)]);
            (tally.errors, tally.first_error) = (errors, Some(error));
        });
        flags.into_iter().filter(|(code, _)| *code == FlagCode::Errors).collect::<Vec<_>>()
    };
    assert_eq!((of(1), of(10)), (vec![(FlagCode::Errors, false)], vec![(FlagCode::Errors, false)]));
    assert_eq!((of(11), of(1999)), (vec![(FlagCode::Errors, true)], vec![(FlagCode::Errors, true)]));
}

/// Rigel asked for 15.6 MiB.
#[test]
fn devices_that_moved_far_less_than_was_asked_for_did_not_answer() {
    let read = |read_bytes| DeviceTransfer { read_bytes, written_bytes: 0 };
    let of = |on_top: Option<u64>, at_bottom: Option<u64>, filesystem: &str| {
        of_record(1, |record| {
            let visit = &mut record.visits[1];
            let counts = Counts { moved: vec![on_top.map(read)], ..Counts::default() };
            let witness = Witness {
                period_ns: NS_PER_S / 10,
                cpus: None,
                devices: vec![(8, 0)],
                kernel_us: None,
                carried: at_bottom.map(read),
                began_ns: visit.began_ns,
                samples: vec![WitnessSample { at_ns: visit.began_ns + NS_PER_S, counts }],
            };
            let node = NodeVisit { moved_bytes: ASKED, witness: Some(witness), ..NodeVisit::default() };
            visit.nodes = vec![node];
            record.header.targets[0].filesystem = Some(filesystem.to_owned());
        })
    };
    const ASKED: u64 = 2000 * 8192;
    for little in [0, 4096, 8_100_000] {
        for seen in [(Some(little), None), (Some(ASKED), Some(little)), (None, Some(little))] {
            assert_eq!(of(seen.0, seen.1, "ext4"), [(FlagCode::Cache, true)], "{seen:?}");
        }
    }
    for enough in [8_200_000, ASKED] {
        for seen in
            [(Some(enough), None), (Some(ASKED), Some(2 * enough)), (None, Some(enough)), (None, None)]
        {
            assert_eq!(of(seen.0, seen.1, "ext4"), [], "{seen:?}");
        }
    }
    // Known already, and by its own name.
    assert_eq!(of(Some(0), Some(0), "tmpfs"), [(FlagCode::Memory, true)]);
}
