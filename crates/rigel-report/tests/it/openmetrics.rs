//! OpenMetrics text, as far as it can be judged without a parser of others.

use crate::support::{MINUTE, Run, SPREAD, file_of, steady};
use rigel_core::judge::flags::{Flag, FlagCode};
use rigel_core::load::class::Class;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::Request;
use rigel_report::{Format, View};
use std::collections::BTreeSet;

fn text(run: &Run) -> String {
    run.file(Format::OpenMetrics, "_metrics.prom")
}

/// The value of the one sample that begins so and has those labels.
fn sample(text: &str, name: &str, labels: &[&str]) -> f64 {
    let start = format!("{name}{{");
    let is_it = |line: &&str| line.starts_with(&start) && labels.iter().all(|label| line.contains(label));
    let found: Vec<&str> = text.lines().filter(is_it).collect();
    let [line] = found.as_slice() else { panic!("{name} {labels:?}: {found:?}") };
    line.rsplit_once(' ').unwrap().1.parse().unwrap()
}

#[test]
fn figures_are_in_base_units_with_their_intervals() {
    let run = Run::visited(RunLevel::Simple, &SPREAD);
    let view = View::of(&run.record);
    let text = text(&run);
    let found = view.findings.points.iter().find(|found| found.point.small() == 2).unwrap();
    let (io, point) = (&found.ios[&Class::SMALL], "small=\"2\",large=\"0\",class=\"small\"");
    let sure = io.iops.interval.unwrap();
    assert_eq!(sample(&text, "rigel_iops", &[point, "bound=\"value\""]), io.iops.value);
    assert_eq!(sample(&text, "rigel_iops", &[point, "bound=\"lo95\""]), sure.lo95);
    assert_eq!(sample(&text, "rigel_iops", &[point, "bound=\"hi95\""]), sure.hi95);
    let bytes = sample(&text, "rigel_throughput_bytes_per_second", &[point, "bound=\"value\""]);
    assert!((bytes / (io.iops.value * 8192.0) - 1.0).abs() < 1e-12, "{bytes}");
    let p99 = sample(&text, "rigel_latency_seconds", &[point, "percentile=\"99\"", "bound=\"value\""]);
    assert!((p99 / (io.latency_us.unwrap().p99.value / 1e6) - 1.0).abs() < 1e-12, "{p99}");
    assert_eq!(
        sample(&text, "rigel_ios", &[point, "direction=\"read\""]),
        rigel_core::units::to_f64(io.reads.count())
    );
    assert_eq!(sample(&text, "rigel_run_start_timestamp_seconds", &[]), 1_767_265_200.0);
    assert_eq!(sample(&text, "rigel_precision_reached", &[point]), 1.0);
}

#[test]
fn the_layout_is_that_of_the_format() {
    let text = text(&Run::visited(RunLevel::Normal, &SPREAD));
    assert!(text.ends_with("# EOF\n"));
    assert!(!text.contains("quantile="), "promtool refuses that of a gauge");
    let (mut families, mut series, mut current) = (BTreeSet::new(), BTreeSet::new(), String::new());
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').unwrap();
            assert!(families.insert(name.to_owned()) && kind == "gauge", "{line}");
            current = name.to_owned();
        } else if let Some(rest) = line.strip_prefix("# UNIT ") {
            let (name, unit) = rest.split_once(' ').unwrap();
            assert!(name == current && name.ends_with(&format!("_{unit}")), "{line}");
        } else if !line.starts_with('#') {
            assert!(line.starts_with(&format!("{current}{{")), "{line} under {current}");
            assert!(series.insert(line.rsplit_once(' ').unwrap().0.to_owned()), "twice: {line}");
        }
    }
    assert!(families.len() > 12, "{families:?}");
}

#[test]
fn names_and_flags_cannot_leave_their_labels() {
    let mut run = Run::new(Request::new(RunLevel::Oltp), &[("/dev/sdb", 1 << 34)]);
    run.visit((1, 0), MINUTE, Some(steady(8192, 1, MINUTE, 6000)), None);
    run.record.header.run_id = "a\"} 5\nrigel_iops 7\\".into();
    run.record.header.targets[0].path = "/\u{1b}[2J\"".into();
    let mut view = View::of(&run.record);
    view.findings.flags = vec![Flag::new(FlagCode::FewPoints, "one \"two\"\nthree").invalidating(); 2];
    let text = file_of(&view, Format::OpenMetrics, "_metrics.prom");
    assert!(text.contains("{run=\"a\\\"} 5\\\\x0arigel_iops 7\\\\\",small=\"1\""), "{text}");
    assert!(text.contains("targets=\"/\\\\x1b[2J\\\"\""), "{text}");
    let flags: Vec<&str> = text.lines().filter(|line| line.starts_with("rigel_flag_info{")).collect();
    assert_eq!(flags.len(), 1, "the same flag twice is one sample: {flags:?}");
    assert!(
        flags[0].ends_with("invalid=\"true\",note=\"false\",text=\"one \\\"two\\\"\\\\x0athree\"} 1.0"),
        "{}",
        flags[0]
    );
    assert!(!text.lines().any(|line| line.starts_with("rigel_iops 7")));
}

#[test]
fn a_run_without_points_has_no_empty_families() {
    let text = text(&Run::adaptive(RunLevel::Simple));
    assert!(!text.contains("rigel_iops") && text.contains("rigel_run_info{") && text.ends_with("# EOF\n"));
}
