//! `rigel run open` on a device of the tests whose queue has a formula, at three loads, and fio's `--rate_iops` beside it in turns.
//!
//! Long: a queue near saturation needs many of its own relaxation times to show its mean. With `RIGEL_OPEN_SECONDS` only,
//! where the figures are those of docs/method/open-loop.md.

use crate::support::{Place, asked, tell};
use rigel_core::sim::{OpenTruth, SimLaw};
use rigel_testdev::{DeviceSpec, TestDevice, needs};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const STATIONS: u32 = 4;
const SERVICE_US: u32 = 2000;
/// I/Os per second of all stations.
const CAPACITY: f64 = 2000.0;
/// What the host may add to the mean at this load, relative: the way to the device and back, and 1 % of the capacity, which is lost
/// while the host itself stands still.
fn host(load: f64) -> f64 {
    0.05 + 0.01 / (1.0 - load)
}

/// Mean and 99th percentile in microseconds.
type Latency = [f64; 2];

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn by_rigel(place: &Place, target: &Path, rate: u32, seconds: u32) -> Latency {
    let line = format!(
        "run open --rate {rate} {} --duration {seconds}s --max-outstanding 1024 --json --quiet --no-html",
        target.display()
    );
    let told = place.line(&line);
    let document = told.json();
    let latency = &document["points"][0]["classes"]["open"]["latency_us"];
    ["mean", "p99"].map(|name| number(&latency[name]["value"]))
}

fn by_fio(target: &Path, rate: u32, seconds: u32, depth: u32) -> Latency {
    let mut command = Command::new("fio");
    command.args(["--name=x", "--readonly", "--rw=randread", "--bs=8k", "--direct=1", "--time_based"]);
    command.args([
        "--ioengine=libaio",
        "--rate_process=poisson",
        "--output-format=json",
        "--lat_percentiles=1",
    ]);
    command.args([
        format!("--runtime={seconds}"),
        format!("--rate_iops={rate}"),
        format!("--iodepth={depth}"),
    ]);
    let told = tell(command.arg(format!("--filename={}", target.display())));
    let document = told.expect_code(0).json();
    let latency = &document["jobs"][0]["read"]["lat_ns"];
    [number(&latency["mean"]) / 1e3, number(&latency["percentile"]["99.000000"]) / 1e3]
}

/// One standard error of a mean over so long, relative: of M/M/1 (Whitt 1989, "Planning queueing simulations"), which
/// is more than that of several stations.
fn standard_error(load: f64, seconds: u32) -> f64 {
    (2.0 * (1.0 + load) / (load * CAPACITY * (1.0 - load).powi(2) * f64::from(seconds))).sqrt()
}

fn truth(exponential: bool, rate: u32) -> OpenTruth {
    let spread = if exponential { ",spread=exponential" } else { "" };
    let law = format!("servers={STATIONS},service={SERVICE_US}us,rate=0{spread}");
    SimLaw::parse(&law).unwrap().truth_open(rate.into(), 8192).unwrap()
}

fn device(name: &str, exponential: bool) -> Option<TestDevice> {
    let spec = DeviceSpec {
        size_bytes: 64 << 20,
        servers: STATIONS as usize,
        service_us: SERVICE_US.into(),
        exponential,
        ..DeviceSpec::default()
    };
    needs(name, TestDevice::mount(spec))
}

#[test]
fn a_device_has_the_latency_of_the_formula_at_every_load() {
    let name = "a_device_has_the_latency_of_the_formula_at_every_load";
    let Some(seconds) = asked::<u32>(name, "RIGEL_OPEN_SECONDS") else { return };
    let place = Place::new();
    println!("| queue | load | formula | Rigel | fio, depth 1024 | fio, depth 4 |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: |");
    for exponential in [true, false] {
        let Some(device) = device(name, exponential) else { return };
        for (load, rate) in [(0.5, 1000), (0.8, 1600), (0.95, 1900)] {
            let truth = truth(exponential, rate);
            let expected = [truth.mean_ns() / 1e3, truth.quantile_ns(0.99) / 1e3];
            let ours = by_rigel(&place, &device.disk(), rate, seconds);
            let fios = [1024, STATIONS].map(|depth| by_fio(&device.disk(), rate, seconds, depth));
            let shown = |[mean, p99]: Latency| format!("{:.1}, p99 {:.1} ms", mean / 1e3, p99 / 1e3);
            let queue = if exponential { "M/M/4" } else { "M/D/4" };
            println!(
                "| {queue} | {load} | {} | {} | {} | {} |",
                shown(expected),
                shown(ours),
                shown(fios[0]),
                shown(fios[1])
            );
            let sure = 3.0 * standard_error(load, seconds);
            let off = ours[0] / expected[0] - 1.0;
            assert!(off > -sure && off < sure + host(load), "{queue} at {load}: {ours:?} of {expected:?}");
        }
    }
}
