//! From running counters to samples, and to the record and back.

use super::{ALWAYS, PERIOD_NS};
use crate::units::NS_PER_S;
use crate::witness::{Counts, DeviceTransfer, Reading, Witness, judge};

/// A reading at a tenth of a second in which everything has counted `of` as often.
fn reading(tenth: u64, of: u64) -> Reading {
    let total = Counts {
        busy_us: Some(1000 + 50_000 * of),
        interrupts_us: Some(7 * of),
        steal_us: Some(10_000 * of),
        own_us: Some(20_000 * of),
        cpu_pressure_us: Some(300 * of),
        io_pressure_us: Some(90_000 * of),
        moved: vec![Some(DeviceTransfer { read_bytes: 4096 * of, written_bytes: 512 * of }), None],
        carried: None,
    };
    Reading { at_ns: tenth * PERIOD_NS, total }
}

fn between(readings: &[Reading]) -> Option<Witness> {
    let readings: Vec<&Reading> = readings.iter().collect();
    Witness::between(&readings, PERIOD_NS, Some(2), &[(8, 0), (8, 16)])
}

#[test]
fn samples_are_what_was_counted_in_between() {
    let witness = between(&[reading(10, 3), reading(11, 4), reading(13, 6)]).unwrap();
    assert_eq!((witness.began_ns, witness.span_ns()), (10 * PERIOD_NS, 3 * PERIOD_NS));
    let [first, second] = &witness.samples[..] else { panic!("two samples") };
    assert_eq!((first.at_ns, second.at_ns), (11 * PERIOD_NS, 13 * PERIOD_NS));
    let expected = Counts {
        busy_us: Some(50_000),
        interrupts_us: Some(7),
        steal_us: Some(10_000),
        own_us: Some(20_000),
        cpu_pressure_us: Some(300),
        io_pressure_us: Some(90_000),
        moved: vec![Some(DeviceTransfer { read_bytes: 4096, written_bytes: 512 }), None],
        carried: None,
    };
    assert_eq!(first.counts, expected);
    assert_eq!(second.counts.busy_us, Some(100_000));
}

#[test]
fn a_counter_that_goes_back_tells_nothing_and_spoils_no_other() {
    let mut back = reading(11, 4);
    back.total.busy_us = Some(12);
    back.total.moved[0] = Some(DeviceTransfer { read_bytes: 0, written_bytes: 1 << 20 });
    let witness = between(&[reading(10, 3), back, reading(12, 5)]).unwrap();
    let first = &witness.samples[0].counts;
    assert_eq!((first.busy_us, first.moved[0]), (None, None));
    assert_eq!((first.own_us, first.steal_us), (Some(20_000), Some(10_000)));
}

#[test]
fn a_counter_that_cannot_be_right_tells_nothing() {
    let mut wild = reading(11, 4);
    // Two CPUs in a tenth of a second, and two seconds late each.
    wild.total.busy_us = Some(1000 + 150_000 + 4_200_000);
    wild.total.steal_us = Some(u64::MAX - 5);
    wild.total.io_pressure_us = Some(270_000 + 2_100_001);
    let counts = &between(&[reading(10, 3), wild.clone()]).unwrap().samples[0].counts;
    assert_eq!((counts.busy_us, counts.steal_us, counts.io_pressure_us), (Some(4_200_000), None, None));
    wild.total.busy_us = wild.total.busy_us.map(|busy_us| busy_us + 1);
    assert_eq!(between(&[reading(10, 3), wild]).unwrap().samples[0].counts.busy_us, None);
}

#[test]
fn no_time_is_no_witness() {
    assert_eq!(between(&[]), None);
    assert_eq!(between(&[reading(10, 3)]), None);
    assert_eq!(between(&[reading(10, 3), reading(10, 4)]), None);
    // A reading that adds no time is left out; nothing that was counted is lost.
    let witness = between(&[reading(10, 3), reading(10, 4), reading(11, 5)]).unwrap();
    assert_eq!(witness.samples.len(), 1);
    assert_eq!(witness.samples[0].counts.own_us, Some(40_000));
}

#[test]
fn a_long_visit_has_longer_samples_and_the_same_sums() {
    for intervals in [600, 601, 1200, 7001] {
        let readings: Vec<Reading> = (0..=intervals).map(|tenth| reading(tenth, tenth)).collect();
        let witness = between(&readings).unwrap();
        assert!((300..=600).contains(&witness.samples.len()), "{}", witness.samples.len());
        assert_eq!(witness.span_ns(), intervals * PERIOD_NS);
        let own_us: u64 = witness.samples.iter().filter_map(|sample| sample.counts.own_us).sum();
        assert_eq!(own_us, 20_000 * intervals);
    }
}

#[test]
fn the_record_holds_lists_and_reads_back_the_same() {
    let mut odd = reading(11, 4);
    odd.total.own_us = None;
    let mut witness = between(&[reading(10, 3), odd, reading(12, 5), reading(13, 6)]).unwrap();
    for sample in &mut witness.samples {
        sample.counts.steal_us = None;
    }
    let json = serde_json::to_string(&witness).unwrap();
    assert_eq!(
        json,
        r#"{"period_ns":100000000,"cpus":2,"began_ns":1000000000,"at_ns":[1100000000,1200000000,1300000000],"#
            .to_owned()
            + r#""busy_us":[50000,50000,50000],"interrupts_us":[7,7,7],"own_us":[null,null,20000],"#
            + r#""cpu_pressure_us":[300,300,300],"io_pressure_us":[90000,90000,90000],"#
            + r#""devices":[{"device":[8,0],"read_bytes":[4096,4096,4096],"written_bytes":[512,512,512]},"#
            + r#"{"device":[8,16]}]}"#
    );
    assert_eq!(serde_json::from_str::<Witness>(&json).unwrap(), witness);
}

#[test]
fn a_damaged_witness_is_refused() {
    let read = |json: &str| serde_json::from_str::<Witness>(json).map_err(|error| error.to_string());
    assert!(read(r#"{"period_ns":1,"began_ns":5,"at_ns":[6,7],"busy_us":[1,2]}"#).is_ok());
    for (json, reason) in [
        (r#"{"period_ns":1,"began_ns":5,"at_ns":[6,7],"busy_us":[1]}"#, "not as long as its times"),
        (
            r#"{"began_ns":5,"at_ns":[6],"devices":[{"device":[8,0],"read_bytes":[1,2]}]}"#,
            "not as long as its times",
        ),
        (r#"{"period_ns":1,"began_ns":5,"at_ns":[6,6]}"#, "time order"),
        (r#"{"period_ns":1,"began_ns":6,"at_ns":[6]}"#, "time order"),
        (r#"{"period_ns":1,"began_ns":6,"at_ns":[]}"#, "time order"),
        ("{}", "time order"),
    ] {
        assert!(read(json).unwrap_err().contains(reason), "{json}");
    }
}

#[test]
fn a_witness_is_no_larger_than_its_text_allows() {
    let text = |samples: u64, silent: usize| {
        let at_ns: Vec<String> = (1..=samples).map(|at| at.to_string()).collect();
        let devices = vec![r#"{"device":[8,0]}"#; silent].join(",");
        format!(r#"{{"began_ns":0,"at_ns":[{}],"devices":[{devices}]}}"#, at_ns.join(","))
    };
    let read = |samples, silent| {
        serde_json::from_str::<Witness>(&text(samples, silent)).map_err(|error| error.to_string())
    };
    assert!(read(600, 0).is_ok());
    assert!(read(601, 0).unwrap_err().contains("601 samples"));
    assert!(read(600, 8).is_ok() && read(25, 200).is_ok(), "devices that do not count are no damage");
    assert!(read(600, 5000).unwrap_err().contains("5000 devices"));
}

#[test]
fn samples_without_length_are_smoothed_all_the_same() {
    let json = |at_ns: Vec<u64>| {
        let own: Vec<u64> = (0..at_ns.len() as u64).collect();
        serde_json::json!({"began_ns": 0, "at_ns": at_ns, "busy_us": own, "own_us": own})
    };
    let witness: Witness = serde_json::from_value(json((1..=600).collect())).unwrap();
    assert_eq!(judge(&witness, ALWAYS, None).cpu, None, "600 ns are no microsecond each");
    // The first and the last sample fill half a second, those between them nothing.
    let half = NS_PER_S / 2;
    let ends = (half..half + 598).chain([2 * half + 600]).collect();
    let witness: Witness = serde_json::from_value(json(ends)).unwrap();
    assert_eq!(judge(&witness, ALWAYS, None).cpu.unwrap().mean, 0.0);
}

/// Only the first and the last reading count, whatever lies between.
#[test]
fn what_the_bottom_carried_is_the_difference_of_the_ends() {
    let carried =
        |bytes: Option<u64>| bytes.map(|read_bytes| DeviceTransfer { read_bytes, written_bytes: 7 });
    let at = |tenth: u64, bytes: Option<u64>| {
        let mut reading = reading(tenth, tenth);
        reading.total.carried = carried(bytes);
        reading
    };
    let of = |all: [Option<u64>; 3]| {
        let readings: Vec<Reading> = (10..).zip(all).map(|(tenth, bytes)| at(tenth, bytes)).collect();
        let witness = between(&readings).unwrap();
        assert!(witness.samples.iter().all(|sample| sample.counts.carried.is_none()));
        let text = serde_json::to_string(&witness).unwrap();
        assert_eq!(serde_json::from_str::<Witness>(&text).unwrap(), witness);
        witness.carried.map(|moved| (moved.read_bytes, moved.written_bytes))
    };
    assert_eq!(of([Some(100), None, Some(350)]), Some((250, 0)));
    for unknown in [[None, Some(1), Some(2)], [Some(1), Some(2), None], [Some(2), Some(3), Some(1)]] {
        assert_eq!(of(unknown), None, "{unknown:?}");
    }
}
