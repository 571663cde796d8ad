//! Answers in the documented forms, because no cloud is available; rates are computed by hand.

use crate::read::tests::{disk, named, read, try_read};
use crate::read::{Format, Options};
use crate::{Kind, Metric, Source, Subject};

/// An answer of `get-metric-data`, newest sample first as CloudWatch gives them by default.
fn metric_data(results: &[(&str, [f64; 3])]) -> String {
    let result = |(label, [one, two, three]): &(&str, [f64; 3])| {
        format!(
            r#"{{"Id": "m", "Label": "{label}", "Timestamps": ["2026-11-29T11:10:00+00:00", "2026-11-29T11:05:00+00:00", "2026-11-29T11:00:00+00:00"], "Values": [{three:.1}, {two:.1}, {one:.1}], "StatusCode": "Complete"}}"#
        )
    };
    let results: Vec<String> = results.iter().map(result).collect();
    format!("{{\n    \"MetricDataResults\": [{}],\n    \"Messages\": []\n}}\n", results.join(",\n"))
}

#[test]
fn sums_of_cloudwatch_become_rates() {
    let text = metric_data(&[
        ("vol-0a1 VolumeReadOps", [30_000.0, 60_000.0, 0.0]),
        ("vol-0a1 VolumeWriteBytes", [3e9, 6e9, 9e9]),
        ("vol-0a1 VolumeTotalReadTime Sum 300", [60.0, 150.0, 0.0]),
        ("vol-0a1 VolumeIdleTime", [300.0, 150.0, 60.0]),
        ("vol-0b2 VolumeReadOps", [300.0, 300.0, 300.0]),
        ("vol-0a1 BurstBalance", [100.0, 99.0, 98.0]),
    ]);
    let (format, seen, tables) = try_read(text.as_bytes(), named("db1"), 1 << 20).unwrap();
    assert_eq!((format, seen.values, seen.unusable), (Format::CloudWatch, 15, 0));
    assert_eq!(seen.left_out, [("vol-0a1 BurstBalance".to_owned(), 3)].into());
    let of = |name: &str| {
        let key =
            |key: &&crate::Key| key.subject == Subject::disk(name, "") && key.source == Source::CloudWatch;
        &tables[tables.keys().find(key).unwrap()]
    };
    let data = of("vol-0a1");
    let spans: Vec<(String, u32)> =
        data.spans().iter().map(|span| (crate::when::shown(span.start_ms), span.length_ms / 1000)).collect();
    let starts = ["2026-11-29 11:00", "2026-11-29 11:05", "2026-11-29 11:10"];
    assert_eq!(spans, starts.map(|start| (start.to_owned(), 300)));
    assert_eq!(data.column(Metric::ReadOps).unwrap(), [100.0, 200.0, 0.0]);
    assert_eq!(data.column(Metric::WriteBytes).unwrap(), [1e7, 2e7, 3e7]);
    assert_eq!(data.column(Metric::ReadTime).unwrap(), [0.2, 0.5, 0.0]);
    assert_eq!(data.column(Metric::Busy).unwrap(), [0.0, 0.5, 0.8]);
    assert_eq!(of("vol-0b2").column(Metric::ReadOps).unwrap(), [1.0; 3]);
    let own = crate::layers::own_disks(tables.keys().map(|key| key.subject.clone()).collect());
    assert_eq!(own.len(), 2);
    assert!(try_read(text.as_bytes(), Options::default(), 99).unwrap_err().to_string().contains("--host"));
    let two = text.clone() + &text.replace("11-29T", "11-30T");
    assert_eq!(read(two.as_bytes(), named("db1")).0.values, 30);
    let (seen, tables) = read(&text.as_bytes()[..text.len() / 2], named("db1"));
    assert_eq!((seen.values, tables.len()), (6, 1), "the metrics before the cut");
    assert!(seen.notes.iter().any(|note| note.contains("ends in the middle")), "{seen:?}");
    let cut = try_read(&text.as_bytes()[..60], named("db1"), 99).unwrap_err().to_string();
    assert!(cut.contains("cut off"), "{cut}");
}

#[test]
fn times_may_be_seconds_of_the_epoch_and_need_an_offset() {
    let rates = |times: &str| {
        let text = format!(
            "{{\"MetricDataResults\": [{{\"Label\": \"vol-0a1 VolumeReadOps\", \"Timestamps\": [{times}], \"Values\": [30000, 60000]}}]}}"
        );
        let (_, _, tables) = try_read(text.as_bytes(), named("db1"), 1 << 16)?;
        let volume = tables.into_values().next().unwrap();
        Ok::<_, rigel_core::error::Problem>((
            volume.spans()[0].start_ms,
            volume.column(Metric::ReadOps).unwrap().to_vec(),
        ))
    };
    let same = (1_781_337_600_000, vec![100.0, 200.0]);
    for times in [
        "1781337600, 1781337900",
        "1781337600.0, 1781337900.0",
        "\"2026-06-13T08:00:00Z\", \"2026-06-13 08:05:00+00:00\"",
    ] {
        assert_eq!(rates(times).unwrap(), same, "{times}");
    }
    let told = rates("\"2026-06-13T08:00:00\", \"2026-06-13T08:05:00\"").unwrap_err().to_string();
    assert!(told.contains("not a time with an offset"), "{told}");
}

/// A volume that was idle has samples now and then, and its label no period.
#[test]
fn the_period_of_a_sparse_series_is_that_of_others() {
    let result = |label: &str, minutes: &[u32]| {
        let times: Vec<String> =
            minutes.iter().map(|minute| format!("\"2026-06-13T08:{minute:02}:00+00:00\"")).collect();
        let values: Vec<&str> = minutes.iter().map(|_| "30000.0").collect();
        format!(
            "{{\"Label\": \"{label}\", \"Timestamps\": [{}], \"Values\": [{}]}}",
            times.join(","),
            values.join(",")
        )
    };
    let rates = |results: &[String]| {
        let text = format!("{{\"MetricDataResults\": [{}]}}", results.join(","));
        let (seen, tables) = read(text.as_bytes(), named("db1"));
        let found =
            tables.iter().find(|(key, _)| key.subject.name == "vol-0a1").unwrap().1.column(Metric::ReadOps);
        (found.map(<[f64]>::to_vec), seen.notes.len())
    };
    let dense = result("vol-0b2 VolumeReadOps", &[0, 5, 10, 15]);
    for sparse in [&[0, 15][..], &[0, 15, 45], &[5]] {
        let found = rates(&[result("vol-0a1 VolumeReadOps", sparse), dense.clone()]);
        assert_eq!(found, (Some(vec![100.0; sparse.len()]), 0), "{sparse:?}");
    }
    assert_eq!(rates(&[result("vol-0a1 VolumeReadOps", &[0, 10, 15])]).0.unwrap(), [100.0; 3], "their grid");
    let apart: Vec<u32> = (0..8).map(|at| at * 5).chain((0..3).map(|at| 42 + at * 5)).collect();
    assert_eq!(rates(&[result("vol-0a1 VolumeReadOps", &apart)]).0.unwrap(), [100.0; 11], "two answers");
    let own = rates(&[result("vol-0a1 VolumeReadOps", &[0, 15, 30]), dense]);
    assert_eq!(own.0.unwrap(), [30_000.0 / 900.0; 3], "a period of its own");
}

/// `get-metric-statistics` gives samples in no order, and names neither volume nor period.
#[test]
fn statistics_of_cloudwatch_have_the_volume_in_the_name_of_the_file() {
    let text = r#"{"Label": "VolumeReadOps", "Datapoints": [
        {"Timestamp": "2026-11-29T11:05:00Z", "Sum": 1200.0, "Unit": "Count"},
        {"Timestamp": "2026-11-29T11:00:00Z", "Sum": 600.0, "Unit": "Count"},
        {"Timestamp": "2026-11-29T11:15:00Z", "Sum": 1800.0, "Unit": "Count"}]}"#;
    let file = |name: &str| Options { file: Some(name.to_owned()), ..named("db1") };
    let tables = read(text.as_bytes(), file("vol-0a1-reads.json")).1;
    let (key, table) = tables.iter().next().unwrap();
    assert_eq!((key.subject.name.as_str(), table.spans().len()), ("vol-0a1", 3));
    assert_eq!(table.column(Metric::ReadOps).unwrap(), [2.0, 4.0, 6.0], "also before a gap");
    let told = |text: &str, name: &str| try_read(text.as_bytes(), file(name), 99).unwrap_err().to_string();
    assert!(told(text, "reads.json").contains("Dim.VolumeId"), "{}", told(text, "reads.json"));
    let average = text.replace("Sum", "Average");
    assert!(told(&average, "vol-0a1.json").contains("ask again with the statistic Sum"));
    let nameless = told(&metric_data(&[("ReadIOPS", [1.0; 3])]), "vol-0a1.json");
    assert!(nameless.contains("DBInstanceIdentifier") && !nameless.contains("vol-"), "{nameless}");
    let label = metric_data(&[("vol-0a1 VolumeReadOps Average", [1.0; 3])]);
    assert!(told(&label, "x").contains("a statistic other than Sum"));
}

#[test]
fn databases_of_rds_have_means() {
    let text =
        metric_data(&[("shop ReadIOPS", [10.0, 20.0, 30.0]), ("shop WriteThroughput", [1e6, 2e6, 3e6])]);
    let tables = read(text.as_bytes(), named("rds")).1;
    let (key, table) = tables.iter().next().unwrap();
    assert_eq!((key.subject.clone(), tables.len()), (Subject::named(Kind::Database, "shop"), 1));
    assert_eq!(table.column(Metric::ReadOps).unwrap(), [10.0, 20.0, 30.0]);
}

#[test]
fn instances_of_ec2_have_their_volumes_together_and_their_own_disks() {
    let text = metric_data(&[
        ("i-0abc1 EBSReadOps Sum 300", [30_000.0, 60_000.0, 0.0]),
        ("i-0abc1 DiskReadOps Sum 300", [300.0, 600.0, 0.0]),
    ]);
    let own = |text: &str, options: Options| {
        let tables = try_read(text.as_bytes(), options, 99).unwrap().2;
        let of = |table: &crate::Table| table.column(Metric::ReadOps).unwrap().to_vec();
        let hosts: Vec<(String, Vec<f64>)> =
            tables.iter().map(|(key, table)| (key.host.clone(), of(table))).collect();
        let own = crate::layers::own_disks(tables.into_keys().map(|key| key.subject).collect());
        (hosts, own.into_iter().map(|disk| disk.name).collect::<Vec<_>>())
    };
    let (hosts, disks) = own(&text, Options::default());
    assert_eq!(
        hosts,
        [("i-0abc1".to_owned(), vec![100.0, 200.0, 0.0]), ("i-0abc1".to_owned(), vec![1.0, 2.0, 0.0])]
    );
    assert_eq!(disks, ["ebs", "instance-store"]);
    // The volumes one by one count in the place of their sum.
    let volume = text.replacen("i-0abc1 DiskReadOps", "vol-0a1 VolumeReadOps", 1);
    assert_eq!(own(&volume, named("db1")).1, ["vol-0a1"]);
    let average = try_read(text.replace("EBSReadOps Sum", "EBSReadOps Average").as_bytes(), named("db1"), 99);
    assert!(average.unwrap_err().to_string().contains("ask again with the statistic Sum"));
    let cpu = metric_data(&[("i-0abc1 CPUUtilization", [1.0; 3])]);
    let told = try_read(cpu.as_bytes(), named("db1"), 99).unwrap_err().to_string();
    assert!(told.contains("CPUUtilization"), "{told}");
}

/// An answer of `az monitor metrics list`.
fn azure(metrics: &[(&str, &str, &str, f64)]) -> String {
    let metric = |(name, dimension, statistic, value): &(&str, &str, &str, f64)| {
        let sample = |minute: u32| {
            format!(r#"{{"{statistic}": {value}, "timeStamp": "2026-11-29T11:0{minute}:00Z"}}"#)
        };
        format!(
            r#"{{"id": "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/db1/providers/Microsoft.Insights/metrics/x",
            "name": {{"localizedValue": "x", "value": "{name}"}}, "type": "Microsoft.Insights/metrics", "unit": "CountPerSecond",
            "timeseries": [{{"data": [{}, {}, {{"{statistic}": null, "timeStamp": "2026-11-29T11:02:00Z"}}], "metadatavalues": [{dimension}]}}]}}"#,
            sample(0),
            sample(1)
        )
    };
    let all: Vec<String> = metrics.iter().map(metric).collect();
    format!(
        r#"{{"cost": 0, "interval": "PT1M", "namespace": "Microsoft.Compute/virtualMachines", "value": [{}]}}"#,
        all.join(", ")
    )
}

/// A minute without a value counts as a minute, and the next value does not cover two.
#[test]
fn a_sample_without_a_value_keeps_the_clock_of_azure() {
    let text = azure(&[("Disk Read Bytes", "", "total", 6e7)]);
    let text = text.replacen(
        "\"total\": 60000000, \"timeStamp\": \"2026-11-29T11:01",
        "\"total\": null, \"timeStamp\": \"2026-11-29T11:01",
        1,
    );
    assert!(text.matches("null").count() == 2, "{text}");
    let (_, _, tables) = try_read(text.as_bytes(), Options::default(), 1 << 20).unwrap();
    let all = disk(&tables, "ALL");
    assert_eq!((all.spans()[0].length_ms, all.column(Metric::ReadBytes).unwrap()), (60_000, &[1e6][..]));
}

#[test]
fn disks_of_azure_count_once() {
    let lun = |number: u32| {
        format!(r#"{{"name": {{"localizedValue": "lun", "value": "lun"}}, "value": "{number}"}}"#)
    };
    let text = azure(&[
        ("Disk Read Operations/Sec", "", "average", 60.0),
        ("Disk Read Bytes", "", "total", 6e7),
        ("Data Disk Read Operations/Sec", lun(0).as_str(), "average", 40.0),
        ("Data Disk Read Operations/Sec", lun(1).as_str(), "average", 15.0),
        ("Data Disk Read Operations/Sec", "", "average", 27.5),
        ("OS Disk Read Operations/Sec", "", "average", 5.0),
        ("OS Disk Queue Depth", "", "average", 1.0),
    ]);
    let (format, seen, tables) = try_read(text.as_bytes(), Options::default(), 1 << 20).unwrap();
    assert_eq!((format, seen.values), (Format::Azure, 12));
    assert!(tables.keys().all(|key| key.host == "db1" && key.source == Source::Azure));
    assert_eq!(seen.left_out, [("OS Disk Queue Depth".to_owned(), 3)].into());
    let all = disk(&tables, "ALL");
    assert_eq!((all.spans().len(), all.spans()[0].length_ms), (2, 60_000));
    assert_eq!(all.column(Metric::ReadBytes).unwrap(), [1e6; 2]);
    let own = crate::layers::own_disks(tables.keys().map(|key| key.subject.clone()).collect());
    let own: Vec<&str> = own.iter().map(|disk| disk.name.as_str()).collect();
    assert_eq!(own, ["lun0", "lun1", "os"], "and neither their sum nor their mean");
    assert!(seen.notes.iter().any(|note| note.contains("--dimension LUN")), "{:?}", seen.notes);
}

/// What is whole of an answer that was cut off anywhere is what the whole answer has there.
#[test]
fn an_answer_that_is_cut_off_gives_its_whole_samples_and_no_disk_another_ones() {
    let lun = |number: u32| {
        format!(r#"{{"name": {{"localizedValue": "lun", "value": "lun"}}, "value": "{number}"}}"#)
    };
    let of_azure = azure(&[
        ("Data Disk Read Operations/Sec", lun(0).as_str(), "average", 40.0),
        ("Data Disk Read Operations/Sec", lun(1).as_str(), "average", 15.0),
        ("Disk Read Operations/Sec", "", "average", 60.0),
    ]);
    let of_statistics = r#"{"Label": "VolumeReadOps", "Datapoints": [
        {"Timestamp": "2026-11-29T11:00:00Z", "Sum": 600.0, "Unit": "Count"},
        {"Timestamp": "2026-11-29T11:05:00Z", "Sum": 1200.0, "Unit": "Count"},
        {"Timestamp": "2026-11-29T11:10:00Z", "Sum": 1800.0, "Unit": "Count"}]}"#;
    let of_data = metric_data(&[
        ("vol-0a1 VolumeReadOps Sum 300", [600.0; 3]),
        ("vol-0a1 VolumeWriteOps Sum 300", [300.0; 3]),
    ]);
    for text in [of_azure.as_str(), of_statistics, of_data.as_str()] {
        let options = || Options { file: Some("vol-0a1.json".to_owned()), ..named("db1") };
        let whole = read(text.as_bytes(), options()).1;
        let mut most = 0;
        for end in (1..text.trim_end().len()).step_by(7).chain([text.trim_end().len() - 1]) {
            match try_read(&text.as_bytes()[..end], options(), 1 << 16) {
                Err(problem) => assert!(problem.kind.code() == 2 && most == 0, "{end}: {problem}"),
                Ok((_, seen, tables)) => {
                    most = most.max(seen.values);
                    assert!(
                        seen.notes.iter().any(|note| note.contains("ends in the middle")),
                        "{end}: {seen:?}"
                    );
                    for (key, table) in &tables {
                        let all = |table: &crate::Table| {
                            table.columns().map(|(_, values)| values.to_vec()).next().unwrap()
                        };
                        assert!(all(&whole[key]).starts_with(&all(table)), "{end}: {key:?}");
                    }
                }
            }
        }
        assert!(most > 0);
    }
    // Wherever its host stands.
    let late = of_azure.replacen("\"id\": ", "\"later\": ", 2).replacen("\"later\": ", "\"id\": ", 1);
    let (second, _) = late.match_indices("\"timeseries\"").nth(1).unwrap();
    assert!(read(&late.as_bytes()[..second], Options::default()).0.values > 0);
    let highest = azure(&[("Disk Read Operations/Sec", "", "maximum", 60.0)]);
    let told = try_read(highest.as_bytes(), Options::default(), 99).unwrap_err().to_string();
    assert!(told.contains("ask again with --aggregation average"), "{told}");
}
