//! OpenMetrics text in the parsers of Prometheus' Python client: the strict one of the format, and that of the older one.

use super::{FormatRun, HOSTILE, assert_near, printed, python};
use crate::support::point;
use serde_json::Value;

const READ: &str = "
import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as strict
from prometheus_client.parser import text_string_to_metric_families as older
text = open(sys.argv[1]).read()
families = list(strict(text))
samples = [[s.name, s.labels, s.value] for f in families for s in f.samples]
assert samples == [[s.name, s.labels, s.value] for f in older(text) for s in f.samples]
print(json.dumps({'samples': samples, 'units': {f.name: f.unit for f in families}}))
";

#[test]
fn parsers_of_prometheus_read_every_figure() {
    let test = "parsers_of_prometheus_read_every_figure";
    let Some(python) = python(test, &["prometheus-client==0.26.0"]) else { return };
    let ran = FormatRun::calibration().renamed(HOSTILE);
    let findings = ran.findings();
    let told = printed(python.command("python").args(["-c", READ]).arg(ran.file("openmetrics")));
    assert_eq!(told["units"]["rigel_latency_seconds"], "seconds");
    let samples = told["samples"].as_array().unwrap();
    let name = &findings["run"]["name"];
    assert!(name.as_str().unwrap().contains("\\x1b[2J"), "{name}");
    assert!(samples.iter().all(|sample| sample[1]["run"] == *name), "the name comes back as it is elsewhere");
    let value = |family: &str, labels: &[(&str, &str)]| -> f64 {
        let is_it = |sample: &&Value| {
            sample[0] == family && labels.iter().all(|(label, text)| sample[1][label] == *text)
        };
        let found: Vec<&Value> = samples.iter().filter(is_it).collect();
        assert_eq!(found.len(), 1, "{family} {labels:?}: {found:?}");
        found[0][2].as_f64().unwrap()
    };
    let io = &point(&findings, 3, 2)["classes"]["small"];
    let here = [("small", "3"), ("large", "2"), ("class", "small")];
    for bound in ["value", "lo95", "hi95"] {
        let labels = [&here[..], &[("bound", bound)]].concat();
        assert_near(value("rigel_iops", &labels), io["iops"][bound].as_f64().unwrap());
        let latency = &io["latency_us"]["p50"][bound];
        let labels = [&labels[..], &[("percentile", "50")]].concat();
        assert_near(value("rigel_latency_seconds", &labels), latency.as_f64().unwrap() / 1e6);
    }
    let flags: Vec<&Value> = samples.iter().filter(|sample| sample[0] == "rigel_flag_info").collect();
    for flag in findings["flags"].as_array().unwrap() {
        let same = |sample: &&&Value| sample[1]["code"] == flag["code"] && sample[1]["text"] == flag["text"];
        assert_eq!(flags.iter().filter(same).count(), 1, "{flag}");
    }
    assert_eq!(value("rigel_run_complete", &[]), 1.0);
}
