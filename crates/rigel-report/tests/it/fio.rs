//! fio's form: what its readers look for, and the same figures as everywhere.

use crate::support::{MINUTE, Run, SPREAD, classes, same, steady};
use rigel_core::load::class::{Class, Pattern};
use rigel_core::load::matrix::{MatrixShape, RunLevel};
use rigel_core::load::request::Request;
use rigel_core::load::task::Task;
use rigel_core::units::NS_PER_S;
use rigel_report::{Format, View};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// All files by what follows the name of the run.
fn files(run: &Run) -> BTreeMap<String, Value> {
    let files = rigel_report::render(Format::Fio, &View::of(&run.record)).unwrap();
    assert_eq!(files[0].suffix, "_fio.json", "the first is the one with all jobs");
    let read = |bytes: &[u8]| serde_json::from_slice(bytes).unwrap();
    files.into_iter().map(|file| (file.suffix.into_owned(), read(&file.bytes))).collect()
}

fn findings(run: &Run) -> Value {
    serde_json::from_str(&run.file(Format::Json, "_findings.json")).unwrap()
}

/// The class of the point that a job is of, in the document of Rigel's own.
fn class_of<'a>(findings: &'a Value, job: &Value) -> &'a Value {
    let at = |point: &&Value| {
        point["levels"]["small"] == job["rigel"]["small"] && point["levels"]["large"] == job["rigel"]["large"]
    };
    let point = findings["points"].as_array().unwrap().iter().find(at).unwrap();
    &point["classes"][job["rigel"]["class"].as_str().unwrap()]
}

fn near(left: &Value, right: f64) -> bool {
    (left.as_f64().unwrap() - right).abs() <= 1e-9 * right.abs().max(1.0)
}

#[test]
fn every_class_of_every_point_is_a_job_with_the_figures_of_other_outputs() {
    let run = Run::visited(RunLevel::Normal, &SPREAD);
    let (files, findings) = (files(&run), findings(&run));
    let document = &files["_fio.json"];
    let jobs = document["jobs"].as_array().unwrap();
    assert_eq!(jobs.len(), 5 + 2 + 2 * 10);
    assert_eq!(document["fio version"], "rigel-0.1.0");
    assert_eq!(document["timestamp"], 1_767_265_680, "the end of the run");
    assert_eq!(document["global options"]["filename"], "/dev/sdb");
    assert_eq!(
        (&document["global options"]["ioengine"], &document["global options"]["direct"]),
        (&json!("io_uring"), &json!("1"))
    );
    let names: BTreeSet<&str> = jobs.iter().map(|job| job["jobname"].as_str().unwrap()).collect();
    assert_eq!(names.len(), jobs.len());
    assert!(names.contains("small3_large2_small") && names.contains("small3_large2_large"), "{names:?}");
    for job in jobs {
        let io = class_of(&findings, job);
        let read = &job["read"];
        assert!(near(&read["iops"], io["iops"]["value"].as_f64().unwrap()), "{job}");
        assert!(
            near(&read["lat_ns"]["mean"], 1000.0 * io["latency_us"]["mean"]["value"].as_f64().unwrap()),
            "{job}"
        );
        let p99 = read["clat_ns"]["percentile"]["99.000000"].as_f64().unwrap();
        assert!(
            (p99 - 1000.0 * io["latency_us"]["p99"]["value"].as_f64().unwrap()).abs() <= 0.5,
            "{p99} of {io}"
        );
        assert_eq!((&read["total_ios"], &read["lat_ns"]["N"]), (&io["reads"], &io["reads"]));
        assert_eq!(job["rigel"]["iops"], io["iops"]);
        assert_eq!((&job["write"]["total_ios"], &job["trim"]["iops"]), (&json!(0), &json!(0.0)));
        let bins = read["clat_ns"]["bins"].as_object().unwrap();
        let counted: u64 = bins.values().map(|ios| ios.as_u64().unwrap()).sum();
        assert_eq!(json!(counted), read["total_ios"], "the bins hold every I/O");
        let shares =
            ["latency_ns", "latency_us", "latency_ms"].map(|unit| job[unit].as_object().unwrap().values());
        let sum: f64 = shares.into_iter().flatten().map(|share| share.as_f64().unwrap()).sum();
        assert!((sum - 100.0).abs() < 1e-6, "{sum}");
    }
}

#[test]
fn rates_of_half_a_second_are_of_what_counts() {
    let run = Run::visited(RunLevel::Simple, &[-200, 100, 0, 100]);
    let files = files(&run);
    let read = &files["_fio/small/randread-1-1.json"]["jobs"][0]["read"];
    // Four visits of two seconds at 8000, 11000, 10000 and 11000 IOPS.
    assert_eq!(
        (&read["iops_samples"], &read["iops_min"], &read["iops_max"]),
        (&json!(16), &json!(8000), &json!(11_000))
    );
    assert!(near(&read["iops_mean"], 10_000.0) && near(&read["bw_mean"], 80_000.0), "{read}");
    // Deviations -2000, 1000, 0 and 1000, four times each.
    let stddev = (4.0 * 6e6_f64 / 15.0).sqrt();
    assert!(near(&read["iops_stddev"], stddev), "{} {stddev}", read["iops_stddev"]);
    assert_eq!((&read["bw"], &read["bw_bytes"]), (&json!(80_000), &json!(81_920_000)));
}

#[test]
fn within_a_directory_only_the_load_changes() {
    let run = Run::visited(RunLevel::Normal, &SPREAD);
    let files = files(&run);
    let mut loads = BTreeSet::new();
    for (suffix, document) in files.iter().filter(|(suffix, _)| *suffix != "_fio.json") {
        let (directory, name) = suffix.rsplit_once('/').unwrap();
        let [job] = document["jobs"].as_array().unwrap().as_slice() else { panic!("{suffix}") };
        let options = &job["job options"];
        let load = ["rw", "iodepth", "numjobs"].map(|key| options[key].as_str().unwrap());
        assert_eq!(name, format!("{}.json", load.join("-")));
        assert!(loads.insert((directory, load)), "{suffix}");
        assert!(files["_fio.json"]["jobs"].as_array().unwrap().contains(job), "{suffix}");
    }
    let directories: BTreeSet<&str> = loads.iter().map(|load| load.0).collect();
    assert!(directories.contains("_fio/small") && directories.contains("_fio/large"));
    assert!(
        directories.contains("_fio/small_beside_2_large")
            && directories.contains("_fio/large_beside_5_small")
    );
    assert_eq!(loads.len(), 5 + 2 + 2 * 10);
}

fn mixed_writes(percent: u8, pattern: Pattern) -> Run {
    let request = Request {
        classes: classes(pattern, percent),
        ..Request::of(Task::advanced(MatrixShape::Point { small: 2, large: 3 }))
    };
    let mut run = Run::new(request, &[("/dev/sdb", 1 << 34)]);
    let mut small = steady(8192, 2, MINUTE, 6000);
    small.reads = same(4500, 10_000_000);
    small.writes = same(1500, 50_000_000);
    run.visit((2, 3), MINUTE, Some(small), Some(steady(1 << 20, 12, MINUTE, 600)));
    run
}

#[test]
fn reads_and_writes_share_the_rate() {
    let run = mixed_writes(25, Pattern::Random);
    let files = files(&run);
    let job = &files["_fio/small_beside_3_large/randrw-2-1.json"]["jobs"][0];
    assert_eq!(job["job options"]["rwmixwrite"], "25");
    assert!(near(&job["read"]["iops"], 75.0) && near(&job["write"]["iops"], 25.0), "{job}");
    assert!(near(&job["read"]["lat_ns"]["mean"], 1e7) && near(&job["write"]["lat_ns"]["mean"], 5e7), "{job}");
    assert_eq!(job["write"]["io_bytes"], 1500 * 8192);
    assert_eq!(job["write"]["runtime"], 60_000);
}

#[test]
fn streams_are_jobs() {
    let run = mixed_writes(0, Pattern::Streams { ios_per_stream: 4 });
    let files = files(&run);
    let job = &files["_fio/large_beside_2_small/read-4-3.json"]["jobs"][0];
    let options = &job["job options"];
    assert_eq!(
        *options,
        json!({"rw": "read", "bs": "1024k", "iodepth": "4", "numjobs": "3", "group_reporting": "1"})
    );
}

#[test]
fn what_cannot_be_told_is_told_as_nothing() {
    let mut run = mixed_writes(0, Pattern::Random);
    run.record.header.started = "\u{1b}[2Jyesterday".into();
    run.record.closing = None;
    run.record.header.targets[0].path = "/dev/a:b\n\u{202e}".into();
    run.record.visits[0].tallies.get_mut(&Class::SMALL).unwrap().reads.clear();
    run.record.visits[0].tallies.get_mut(&Class::SMALL).unwrap().writes.clear();
    let files = files(&run);
    let document = &files["_fio.json"];
    assert_eq!((&document["timestamp"], &document["time"]), (&Value::Null, &json!("\\x1b[2Jyesterday")));
    assert_eq!(document["global options"]["filename"], "/dev/a\\:b\\x0a\\xe2\\x80\\xae");
    let read = &document["jobs"][0]["read"];
    assert_eq!((&read["iops"], &read["runtime"], &read["iops_samples"]), (&json!(0.0), &json!(0), &json!(0)));
    assert_eq!(document["rigel"]["complete"], false);
    assert_eq!(document["jobs"][0]["rigel"]["flags"][0]["code"], "NO_DATA");
}

#[test]
fn a_short_run_is_long_enough() {
    let mut run = Run::new(Request::new(RunLevel::Oltp), &[("/dev/sdb", 1 << 34)]);
    let tally = steady(8192, 1, NS_PER_S / 10, 10);
    run.visit((1, 0), NS_PER_S / 10, Some(tally), None);
    let files = files(&run);
    let job = &files["_fio/small/randread-1-1.json"]["jobs"][0];
    assert!(near(&job["read"]["iops"], 100.0), "{job}");
    assert_eq!((&job["read"]["iops_samples"], &job["read"]["runtime"]), (&json!(0), &json!(100)));
}
