//! The interval log, read back by the library of HdrHistogram.

use crate::support::{MINUTE, Run, SPREAD, classes, same, steady};
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
use rigel_core::judge::findings::Findings;
use rigel_core::load::class::Pattern;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::Request;
use rigel_report::Format;
use std::collections::BTreeMap;

struct Line {
    tag: String,
    start_s: f64,
    length_s: f64,
    most_ms: f64,
    histogram: Histogram<u64>,
}

fn log(run: &Run) -> String {
    run.file(Format::Hlog, "_latency.hlog")
}

/// The start of the log and its lines.
fn read(log: &str) -> (Option<f64>, Vec<Line>) {
    let mut start = None;
    let mut lines = Vec::new();
    for entry in IntervalLogIterator::new(log.as_bytes()) {
        match entry.unwrap() {
            LogEntry::StartTime(time) => start = Some(time.as_secs_f64()),
            LogEntry::BaseTime(time) => assert_eq!(Some(time.as_secs_f64()), start),
            LogEntry::Interval(line) => {
                let bytes = base64_decode(line.encoded_histogram());
                lines.push(Line {
                    tag: line.tag().unwrap().as_str().to_owned(),
                    start_s: line.start_timestamp().as_secs_f64(),
                    length_s: line.duration().as_secs_f64(),
                    most_ms: line.max(),
                    histogram: Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap(),
                });
            }
        }
    }
    (start, lines)
}

fn base64_decode(text: &str) -> Vec<u8> {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.decode(text).unwrap()
}

#[test]
fn a_line_for_each_visit_and_class_that_counts() {
    let run = Run::visited(RunLevel::Normal, &SPREAD);
    let log = log(&run);
    assert!(log.contains(
        "\n\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n"
    ));
    let (start, lines) = read(&log);
    assert_eq!(start, Some(1_767_265_200.0));
    let text_lines = log.lines().filter(|line| line.starts_with("Tag=")).count();
    assert_eq!(
        (lines.len(), text_lines),
        (4 * (5 + 2 + 2 * 10), 4 * (5 + 2 + 2 * 10)),
        "the long visit counts for nothing"
    );
    assert!(lines.is_sorted_by(|a, b| a.start_s <= b.start_s));
    assert!(lines.iter().all(|line| (line.length_s - 2.0).abs() < 1e-9));
    let mut sums: BTreeMap<&str, Histogram<u64>> = BTreeMap::new();
    for line in &lines {
        let sum = sums.entry(&line.tag).or_insert_with(|| Histogram::new_from(&line.histogram));
        sum.add(&line.histogram).unwrap();
    }
    for found in &Findings::of(&run.record).points {
        for (class, io) in found.classes() {
            let tag =
                format!("small{}_large{}_{}_read", found.point.small(), found.point.large(), class.name());
            let sum = &sums[tag.as_str()];
            assert_eq!(sum.len(), io.reads.count(), "{tag}");
            let mean_ns = io.reads.mean_ns().unwrap();
            assert!((sum.mean() / mean_ns - 1.0).abs() < 0.01, "{tag}: {} {mean_ns}", sum.mean());
        }
    }
}

#[test]
fn reads_and_writes_have_lines_of_their_own() {
    let request = Request { classes: classes(Pattern::Random, 50), ..Request::new(RunLevel::Oltp) };
    let mut run = Run::new(request, &[("/dev/sdb", 1 << 34)]);
    let mut tally = steady(8192, 1, MINUTE, 6000);
    tally.reads = same(4000, 5_000_000);
    tally.writes = same(2000, 20_000_000);
    run.visit((1, 0), MINUTE, Some(tally), None);
    let (_, lines) = read(&log(&run));
    let seen: Vec<(&str, u64)> = lines.iter().map(|line| (line.tag.as_str(), line.histogram.len())).collect();
    assert_eq!(seen, [("small1_large0_small_read", 4000), ("small1_large0_small_write", 2000)]);
    // The middle of a bucket is off by 0.8 % at most.
    for (line, ns) in lines.iter().zip([5e6, 2e7]) {
        let median = line.histogram.value_at_quantile(0.5);
        assert!((rigel_core::units::to_f64(median) / ns - 1.0).abs() < 0.01, "{median} {ns}");
        assert!((line.most_ms * 1e6 / ns - 1.0).abs() < 0.01, "{}", line.most_ms);
    }
}

#[test]
fn names_stay_in_their_comment_and_a_start_that_is_none_is_left_out() {
    let mut run = Run::visited(RunLevel::Simple, &SPREAD);
    run.record.header.run_id = "a\n#[StartTime: 1.0 (x)]\nTag=x,0.0,1.0,1.0,A".into();
    run.record.header.started = "]\n#[BaseTime: 5.0 (x)]".into();
    let (start, lines) = read(&log(&run));
    assert_eq!(start, None);
    assert!(lines.iter().all(|line| line.tag.starts_with("small")));
}

/// A record can say more than a library of others takes.
#[test]
fn numbers_that_no_run_has_do_no_harm() {
    let mut run = Run::new(Request::new(RunLevel::Oltp), &[("/dev/sdb", 1 << 34)]);
    let mut tally = steady(8192, 1, MINUTE, 6000);
    tally.reads = serde_json::from_value(serde_json::json!({
        "count": u64::MAX, "min_ns": 0, "max_ns": u64::MAX, "sum_ns": 0, "sum_squares": [0, 0],
        "buckets": [[0, 1], [100, u64::MAX / 2], [3775, u64::MAX - u64::MAX / 2 - 1]],
    }))
    .unwrap();
    run.visit((1, 0), MINUTE, Some(tally), None);
    let (_, lines) = read(&log(&run));
    assert_eq!(lines.len(), 1);
    assert!(lines[0].histogram.max() > u64::MAX / 2);
}
