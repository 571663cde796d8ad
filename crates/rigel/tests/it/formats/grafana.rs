//! The dashboard for Grafana and the alert rules for Prometheus: every metric and every label that they ask for is in what the program writes.

use super::FormatRun;
use crate::support::{Place, tell};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::LazyLock;

const DASHBOARD: &str = include_str!("../../../../../packaging/grafana/rigel.json");
const RULES: &str = include_str!("../../../../../packaging/prometheus/rigel.rules.yml");
/// What only a host with a drive below the directory of the build shows.
const OF_DRIVES: &str = "rigel_soak_drive_log";
const SMARTCTL: &str = r#"#!/bin/sh
echo '{"model_name": "Fast Disk", "nvme_smart_health_information_log": {"media_errors": 2}}'
"#;

/// Names of metrics with the labels of their samples.
type Families = BTreeMap<String, BTreeSet<String>>;

fn families(text: &str) -> Families {
    let mut families = Families::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (name, rest) = line.split_once('{').unwrap();
        let labels =
            rest.split("=\"").map(|before| before.rsplit([',', '{', '"']).next().unwrap().to_owned());
        families.entry(name.to_owned()).or_default().extend(labels);
    }
    families
}

/// What both tests read.
static WRITTEN: LazyLock<Families> = LazyLock::new(written);

/// Metrics of a run, of a soak and of one beside production, as the collector of the node exporter would read them.
fn written() -> Families {
    let ran = FormatRun::calibration();
    let mut found = families(&ran.text("openmetrics"));
    let place = Place::new();
    place.random_file("data", 2 << 20);
    let bin = place.path().join("bin");
    fs::create_dir(&bin).unwrap();
    fs::write(bin.join("smartctl"), SMARTCTL).unwrap();
    fs::set_permissions(bin.join("smartctl"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    for (name, more) in [("plain", ""), ("beside", "--beside-production=50")] {
        let line = format!("soak --for 2s --every 1s --quiet --no-html --name {name} {more} data");
        tell(place.command().env("PATH", &path).args(line.split_whitespace())).expect_code(0);
        let text = fs::read_to_string(place.only_of(name, "_metrics.prom")).unwrap();
        for (name, labels) in families(&text) {
            found.entry(name).or_default().extend(labels);
        }
    }
    found
}

/// Every text under a key, however deep.
fn texts<'a>(value: &'a Value, keys: &[&str], found: &mut Vec<&'a str>) {
    match value {
        Value::Object(table) => {
            for (key, value) in table {
                found.extend(value.as_str().filter(|_| keys.contains(&key.as_str())));
                texts(value, keys, found);
            }
        }
        Value::Array(list) => list.iter().for_each(|value| texts(value, keys, found)),
        _ => {}
    }
}

/// The words of a query that may be names.
fn words(query: &str) -> impl Iterator<Item = &str> {
    query.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_').filter(|word| !word.is_empty())
}

#[test]
fn the_dashboard_asks_for_metrics_that_are_written_and_for_no_other() {
    let mut known = WRITTEN.clone();
    known.entry(OF_DRIVES.to_owned()).or_default();
    let dashboard: Value = serde_json::from_str(DASHBOARD).unwrap();
    let mut queries = Vec::new();
    texts(&dashboard, &["expr", "query"], &mut queries);
    let asked: BTreeSet<&str> =
        queries.iter().flat_map(|query| words(query)).filter(|word| word.starts_with("rigel_")).collect();
    assert!(asked.len() > 20, "{asked:?}");
    for name in &asked {
        assert!(known.contains_key(*name), "{name} is in no output: {:?}", known.keys());
    }
    let unused: Vec<&String> = known.keys().filter(|name| !asked.contains(name.as_str())).collect();
    let left_out =
        ["rigel_ios", "rigel_latency_min_seconds", "rigel_latency_stddev_seconds", "rigel_measured_seconds"];
    assert_eq!(unused, left_out, "what has no place in the dashboard");
}

/// A legend with a label that no sample has would be the same for all lines.
#[test]
fn the_labels_of_queries_and_legends_are_those_of_the_samples() {
    let known: BTreeSet<String> =
        WRITTEN.values().flatten().cloned().chain(["instance".to_owned()]).collect();
    let dashboard: Value = serde_json::from_str(DASHBOARD).unwrap();
    let mut legends = Vec::new();
    texts(&dashboard, &["legendFormat"], &mut legends);
    let named = legends
        .iter()
        .flat_map(|legend| legend.split("{{").skip(1))
        .map(|part| part.split("}}").next().unwrap());
    let mut queries = Vec::new();
    texts(&dashboard, &["expr"], &mut queries);
    let listed = queries.iter().flat_map(|query| {
        let lists =
            ["by (", "ignoring (", "without ("].map(|word| query.split(word).skip(1).collect::<Vec<_>>());
        lists.concat().into_iter().flat_map(|rest| words(rest.split(')').next().unwrap()))
    });
    let selected = queries.iter().flat_map(|query| {
        let braces = query.split('{').skip(1).map(|rest| rest.split('}').next().unwrap());
        braces.flat_map(|inside| inside.split(',')).map(|one| one.split(['=', '!']).next().unwrap())
    });
    let all: Vec<&str> = named.chain(listed).chain(selected).collect();
    assert!(all.len() > 100, "{}", all.len());
    for label in all {
        assert!(known.contains(label), "{label}: {known:?}");
    }
}

/// Names of recorded series have colons, so that only what is read from the program begins with `rigel_`.
#[test]
fn the_alert_rules_ask_for_metrics_that_are_written() {
    let lines = RULES.lines().filter(|line| !line.trim_start().starts_with('#'));
    let asked: BTreeSet<&str> = lines.flat_map(words).filter(|word| word.starts_with("rigel_")).collect();
    assert!(asked.len() > 5, "{asked:?}");
    for name in asked {
        assert!(WRITTEN.contains_key(name), "{name} is in no output: {:?}", WRITTEN.keys());
    }
}
