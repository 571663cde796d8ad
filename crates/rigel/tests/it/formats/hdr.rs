//! The interval log in the Python port of HdrHistogram.

use super::{FormatRun, HOSTILE, printed, python};

const READ: &str = "
import json, sys
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader
reader = HistogramLogReader(sys.argv[1], HdrHistogram(1, 3600 * 10**9, 3))
lines = {}
while True:
    histogram = reader.get_next_interval_histogram()
    if histogram is None:
        break
    line = lines.setdefault(histogram.get_tag(), {'count': 0, 'visits': 0, 'sum': 0.0, 'p99': []})
    line['count'] += histogram.get_total_count()
    line['sum'] += histogram.get_total_count() * histogram.get_mean_value()
    line['visits'] += 1
    line['p99'].append(histogram.get_value_at_percentile(99))
    line['start'] = histogram.get_start_time_stamp() / 1000
print(json.dumps({'lines': lines, 'start': reader.get_start_time_sec()}))
";

/// Both classes alone and together; the reader takes a second for every dozen visits.
const FEW: &str = "run advanced --matrix max --num-small 2 --num-large 1 --engine sim:servers=4,spread=exponential --seed 5 --name out --quiet";

/// Its two small levels and its large one alone, and both classes of two points.
const FIGURES: usize = 7;

#[test]
fn hdr_histogram_reads_the_latencies_of_every_point() {
    let test = "hdr_histogram_reads_the_latencies_of_every_point";
    let Some(python) = python(test, &["hdrhistogram==0.10.8"]) else { return };
    let ran = FormatRun::new(FEW).renamed(HOSTILE);
    let findings = ran.findings();
    let log = printed(python.command("python").args(["-c", READ]).arg(ran.file("hlog")));
    let mut seen = 0;
    for point in findings["points"].as_array().unwrap() {
        for class in ["small", "large"] {
            let io = &point["classes"][class];
            if io.is_null() {
                continue;
            }
            let tag =
                format!("small{}_large{}_{class}_read", point["levels"]["small"], point["levels"]["large"]);
            let line = &log["lines"][&tag];
            assert_eq!(line["count"], io["reads"], "{tag}");
            assert_eq!(line["visits"], io["iops"]["visits"], "{tag}");
            // Buckets are 1.6 % wide, and the interval of the mean is about visits, which differ little here.
            let mean_us = line["sum"].as_f64().unwrap() / line["count"].as_f64().unwrap() / 1000.0;
            let told_us = io["latency_us"]["mean"]["value"].as_f64().unwrap();
            assert!((mean_us / told_us - 1.0).abs() < 0.02, "{tag}: {mean_us} {told_us}");
            assert!(line["start"].as_f64().unwrap() > log["start"].as_f64().unwrap(), "{tag}");
            seen += 1;
        }
    }
    assert_eq!((seen, log["lines"].as_object().unwrap().len()), (FIGURES, FIGURES));
}
