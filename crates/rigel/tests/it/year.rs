//! A history of a host whose growth is known, in the store of a place, and the record of a simulated storage.

use crate::support::Place;
use std::fmt::Write as _;
use std::fs;

/// The first of January 2026.
const BEGIN: u64 = 1_767_225_600;
const STEP: u64 = 1800;

/// Days of a host whose disk gets 100 reads a second and `growth` times 100 more after a year, by a line, and a third of it in writes of 16 KiB; a filesystem of 100 GiB of which
/// 40 to 60 are used.
pub fn year(days: u64, growth: f64) -> String {
    // No day is an hour.
    let steps = if days == 0 { 2 } else { days * 48 };
    let rate = |step: u64| {
        let day = step / 48;
        let hour = step % 48 / 2;
        let busy = if (9..18).contains(&hour) { 1.0 } else { 0.3 };
        let weekday = if (day + 3) % 7 > 4 { 0.5 } else { 1.0 };
        busy * weekday * (100.0 + 100.0 * growth * day as f64 / 365.0)
    };
    let series = |name: &str, of: &dyn Fn(u64, &mut f64) -> f64, labels: &str| {
        let mut sum = 0.0;
        let mut values = String::new();
        for step in 0..=steps {
            let value = of(step, &mut sum);
            let comma = if step == 0 { "" } else { "," };
            let _ = write!(values, "{comma}[{},\"{value}\"]", BEGIN + step * STEP);
        }
        format!(
            "{{\"metric\":{{\"__name__\":\"{name}\",\"instance\":\"db1:9100\",{labels}}},\"values\":[{values}]}}"
        )
    };
    let counter = |factor: f64| {
        move |step: u64, sum: &mut f64| {
            *sum += factor * rate(step) * STEP as f64;
            sum.round()
        }
    };
    let gib = 1024.0_f64.powi(3);
    let free = |step: u64, _: &mut f64| (60.0 - 20.0 * step as f64 / (365.0 * 48.0)) * gib;
    let size = |_: u64, _: &mut f64| 100.0 * gib;
    let disk = "\"device\":\"sda\"";
    let mount = "\"device\":\"/dev/sda1\",\"fstype\":\"ext4\",\"mountpoint\":\"/data\"";
    let all = [
        series("node_disk_read_bytes_total", &counter(8192.0), disk),
        series("node_disk_reads_completed_total", &counter(1.0), disk),
        series("node_disk_writes_completed_total", &counter(0.5), disk),
        series("node_disk_written_bytes_total", &counter(8192.0), disk),
        series("node_filesystem_free_bytes", &free, mount),
        series("node_filesystem_size_bytes", &size, mount),
    ];
    format!(
        "{{\"status\":\"success\",\"data\":{{\"resultType\":\"matrix\",\"result\":[{}]}}}}",
        all.join(",")
    )
}

/// A place with a store of so many days and the record of a simulated storage.
pub fn place(days: u64) -> Place {
    let place = Place::new();
    fs::write(place.path().join("year.json"), year(days, 1.0)).unwrap();
    place.line("capacity import year.json --store s.sqlite --quiet").expect_code(0);
    // Eight stations of 20 ms: 400 small I/Os per second.
    place.line("calibrate --engine sim:servers=8,service=20ms --max-latency 40ms --no-history --name here --quiet").expect_code(0);
    let record = place.only("_record.jsonl");
    fs::rename(record, place.path().join("here.jsonl")).unwrap();
    place
}
