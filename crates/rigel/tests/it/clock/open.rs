//! `rigel run open` on real engines: the times of the arrivals, and a device whose latency has a formula.

use crate::busy_host::of_a_few;
use crate::open::{at, number};
use crate::support::Place;
use rigel_core::sim::SimLaw;
use rigel_testdev::{DeviceSpec, TestDevice, needs};
use serde_json::Value;

#[test]
fn every_engine_keeps_the_times() {
    let place = Place::new();
    let file = place.random_file("data", 16 << 20);
    for engine in ["io_uring", "libaio", "threads"] {
        let line = format!(
            "run open --rate 50,400 {} --engine {engine} --arrivals even --duration 1s --json --max-outstanding 64 --name {engine}",
            file.display()
        );
        let document = place.line(&line).expect_measured().json();
        for rate in [50, 400] {
            let io = &at(&document, rate)["classes"]["open"];
            let open = &io["open"];
            // Of a second.
            let arrived = open["arrived"].as_u64().unwrap();
            assert!(arrived.abs_diff(rate.into()) <= 1, "{engine}: {arrived} of {rate}");
            let all = |us: &Value| number(&us["mean"]["value"]);
            // What waited for its start and what took its time are the latency.
            assert!(all(&io["latency_us"]) >= all(&open["service_us"]) && all(&open["lag_us"]) > 0.0, "{io}");
            assert_eq!(io["outstanding"]["planned"], 64);
        }
    }
}

/// The device adds to its law what the host takes, and takes nothing away. 1,500 I/Os are known to 4 % or so; a host that is busy
/// with something else makes a run slower, so one of a few tries has to come near.
#[test]
fn a_device_with_a_law_has_the_latency_of_the_formula() {
    let name = "a_device_with_a_law_has_the_latency_of_the_formula";
    const LAW: &str = "servers=4,service=10ms,rate=0,spread=exponential";
    let spec = DeviceSpec {
        size_bytes: 64 << 20,
        servers: 4,
        service_us: 10_000,
        exponential: true,
        ..DeviceSpec::default()
    };
    let Some(device) = needs(name, TestDevice::mount(spec)) else { return };
    let place = Place::new();
    let truth = SimLaw::parse(LAW).unwrap().truth_open(300.0, 8192).unwrap().mean_ns() / 1e3;
    let mut seed = 0;
    of_a_few(name, 5, || {
        seed += 1;
        let target = device.disk().display().to_string();
        let line = format!("run open --rate 300 {target} --duration 5s --json --seed {seed} --name t{seed}");
        let document = place.line(&line).expect_measured().json();
        let point = at(&document, 300);
        let found = number(&point["classes"]["open"]["latency_us"]["mean"]["value"]);
        assert!(found > 0.8 * truth, "faster than the device can be: {found} of {truth} us");
        ((found / truth - 1.0).abs() < 0.1, format!("{found} us instead of {truth}, {}", point["flags"]))
    });
}
