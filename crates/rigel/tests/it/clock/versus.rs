//! `rigel versus` on real targets that are equally fast, or whose speed is known.

use crate::busy_host::of_a_few;
use crate::support::{Place, asked};
use crate::versus::{rows, short};
use rigel_testdev::{DeviceSpec, MissingNeed, TestDevice, needs};
use serde_json::Value;

/// How long two devices take turns: four rounds at least. Two that are a twentieth apart need a minute.
const SECONDS: &str = "RIGEL_VERSUS_SECONDS";

/// Whether a difference was found that the verdict is about.
fn differs(document: &Value) -> bool {
    let overall = document["overall"].as_array().unwrap();
    assert!(!overall.is_empty(), "{document}");
    overall
        .iter()
        .any(|one| one["leading"] == true && (one["effect"] == "better" || one["effect"] == "worse"))
}

/// A difference is found by chance in 5 of 100 runs. On simulated devices they are counted in every test
/// (`rigel_run::trial::tests::versus`).
#[test]
fn the_same_disk_twice_has_no_difference() {
    let Some(runs) = asked::<u32>("the_same_disk_twice_has_no_difference", "RIGEL_SAME_RUNS") else { return };
    let place = Place::new();
    place.random_file("data", 64 << 20);
    let found = || differs(&short(&place, "data --and data --same --force --precision 5%", 25));
    let differences = (0..runs).filter(|_| found()).count();
    println!("no difference in {} of {runs}", runs as usize - differences);
    let expected = 0.05 * f64::from(runs);
    assert!(differences as f64 <= expected + 2.0 * expected.sqrt(), "{differences} of {runs}");
}

fn device(service_us: u64) -> Result<TestDevice, MissingNeed> {
    TestDevice::mount(DeviceSpec { size_bytes: 16 << 20, servers: 4, service_us, ..DeviceSpec::default() })
}

/// The ratio of the only load with its interval, and what speaks against it. So many I/Os wait that a device is never idle, however
/// late the tool is.
fn ratio(a: &TestDevice, b: &TestDevice, seconds: u32, more: &str) -> ([f64; 3], String) {
    let place = Place::new();
    let line = format!(
        "versus advanced {} --and {} --matrix point --num-small 64 --num-large 0 --fast --max-duration {seconds}s --json --quiet {more}",
        a.disk().display(),
        b.disk().display()
    );
    let told = place.line(&line).expect_measured();
    let document = told.json();
    let rate = rows(&document, "small_iops")[0];
    assert!(rate["ratio"].is_object(), "{document}\n{}", told.stderr);
    assert_eq!(place.files().len(), 2, "record and page: {:?}", place.files());
    (
        ["value", "lo95", "hi95"].map(|end| rate["ratio"][end].as_f64().unwrap()),
        document["verdict"]["causes"].to_string(),
    )
}

/// Four stations whose service takes 4 ms on A, and a tenth longer on B. Where others leave the devices no CPU, the interval says so.
#[test]
fn two_devices_whose_service_differs_by_a_tenth() {
    let name = "two_devices_whose_service_differs_by_a_tenth";
    let Some(a) = needs(name, device(4000)) else { return };
    let Some(b) = needs(name, device(4400)) else { return };
    let seconds = std::env::var(SECONDS).map_or(25, |seconds| seconds.parse().unwrap());
    of_a_few(name, 3, || {
        let ([mean, lo, hi], flags) = ratio(&a, &b, seconds, "--precision 2%");
        let truth = 1.0 / 1.1;
        assert!(lo <= truth * 1.005 && truth * 0.995 <= hi, "{lo} {mean} {hi}, {flags}");
        // One interval of 20 misses the truth by chance, though not by much.
        let holds = lo <= truth && truth <= hi && (mean / truth - 1.0).abs() < 0.02;
        (holds, format!("{mean} ({lo} to {hi}) instead of {truth}, {flags}"))
    });
    let gauges = [a.gauge().unwrap(), b.gauge().unwrap()];
    assert!(gauges.iter().all(|gauge| gauge.reads > 1000), "both were read: {gauges:?}");
}

/// Caps of 3,000 and 3,150 I/Os per second: four stations of 4/3000 and of 4/3150 s.
#[test]
fn two_caps_a_twentieth_apart() {
    let name = "two_caps_a_twentieth_apart";
    let Some(seconds) = asked(name, SECONDS) else { return };
    let Some(a) = needs(name, device(1333)) else { return };
    let Some(b) = needs(name, device(1270)) else { return };
    let truth = 1333.0 / 1270.0;
    // Where other tests leave the device no CPU for seconds, the interval says so.
    let found = (0..3).map(|_| ratio(&a, &b, seconds, "--precision 1%").0).find(|[mean, lo, hi]| {
        assert!(*lo <= truth * 1.005 && truth * 0.995 <= *hi, "{lo} {mean} {hi}");
        *lo > 1.0
    });
    let [mean, ..] = found.expect("the difference is found");
    assert!((mean / truth - 1.0).abs() < 0.02, "{mean}");
}
