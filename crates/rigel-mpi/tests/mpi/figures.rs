//! What it costs to begin together, and that devices of a known rate on several hosts add up. `cargo xtask long` makes them long enough for docs/guide/cluster.md.
//!
//! Must not fail where a host is slow: a short run only looks at what no load on the machine can change.

use crate::hosts::{HOSTS, Hosts};
use crate::support::Place;
use rigel_core::record::{NodeVisit, Record, Visit};
use rigel_core::units::to_f64;
use rigel_testdev::{DeviceSpec, MissingNeed, TestDevice, needs};
use serde_json::Value;
use std::env;
use std::fs;

/// IOPS of 4 stations of 4 ms.
const CAP: f64 = 1000.0;
const WORDS: &str =
    "--oversubscribe run --load load.toml --lun disks.lun --engine threads --workers 1 --no-html";

/// What `cargo xtask long` asks for.
fn asked(variable: &str) -> Option<u32> {
    env::var(variable).ok().map(|text| text.parse().unwrap())
}

/// A device for each host, and the lists that name them.
fn disks(place: &Place) -> Result<Vec<TestDevice>, MissingNeed> {
    let spec = DeviceSpec { size_bytes: 16 << 20, servers: 4, service_us: 4000, ..DeviceSpec::default() };
    let devices: Vec<TestDevice> = (0..HOSTS).map(|_| TestDevice::mount(spec)).collect::<Result<_, _>>()?;
    for (host, device) in (1..).zip(&devices) {
        place.fill(&device.raw(), 16 << 20);
        let list = place.path().join(format!("disks.rgl{host}.lun"));
        fs::write(list, format!("{}\n", device.disk().display())).unwrap();
    }
    Ok(devices)
}

fn load(place: &Place, levels: &[u32]) {
    let points: Vec<String> = levels.iter().map(|level| format!("{{ small = {level} }}")).collect();
    let text = format!(
        "load = \"rigel.load/1\"\npoints = [ {} ]\n[[class]]\nname = \"small\"\nsize = \"8K\"\n",
        points.join(", ")
    );
    fs::write(place.path().join("load.toml"), text).unwrap();
}

/// From the end of one visit to the beginning of the next one: what everybody says and writes, and the lead.
fn between_ns(visits: &[Visit]) -> Vec<u64> {
    visits.windows(2).map(|two| two[1].began_ns - two[1].settle_ns - two[0].ended_ns()).collect()
}

/// In microseconds.
fn percentile_us(ns: &[u64], per_cent: usize) -> f64 {
    let mut sorted = ns.to_vec();
    sorted.sort_unstable();
    to_f64(sorted[((sorted.len() - 1) * per_cent + 50) / 100]) / 1e3
}

/// On two CPUs three loading hosts share one, where whoever is second begins when the first one has; without the first host the others have one each.
#[test]
fn what_it_costs_to_begin_together() {
    let Some(hosts) = needs("rigel-mpi: the skew of three hosts", Hosts::up()) else { return };
    for (loading, options) in [(HOSTS, ""), (HOSTS - 1, "--coordinator-only ")] {
        let place = Place::new();
        let Some(_devices) = needs("rigel-mpi: the skew of three hosts", disks(&place)) else { return };
        // Each level is a visit of a second.
        let most = 3 + asked("RIGEL_SKEW_SECONDS").unwrap_or(3);
        load(&place, &(3..most).collect::<Vec<u32>>());
        // On a busy host none of the numbers may be used.
        let words = format!("{options}{WORDS} --duration 1s");
        place.run(&hosts.script(&place), HOSTS, &words).expect_measured();
        let visits = Record::read(place.read("_record.jsonl").as_bytes()).unwrap().visits;
        assert!(visits.len() > 2, "{}", visits.len());
        assert!(visits.iter().all(|visit| visit.nodes.len() == loading), "{options}");
        println!("{loading} loading hosts, {}", told(&visits));
    }
}

fn told(visits: &[Visit]) -> String {
    let skews: Vec<u64> = visits.iter().map(|visit| NodeVisit::skew_ns(&visit.nodes).unwrap()).collect();
    // Clocks a thousand seconds apart: what is off by more than a visit was never the same moment.
    assert!(percentile_us(&skews, 50) < 1e6, "{skews:?}");
    let nodes = visits.iter().flat_map(|visit| &visit.nodes);
    let ways: Vec<u64> = nodes.map(|node| node.joined.as_ref().unwrap().round_trip_ns).collect();
    let between = between_ns(visits);
    format!(
        "{} visits: skew p50 {:.1} us, p99 {:.1} us, clocks known to {:.1} us; between two visits {:.1} ms (p99 {:.1})",
        visits.len(),
        percentile_us(&skews, 50),
        percentile_us(&skews, 99),
        percentile_us(&ways, 100) / 2.0,
        percentile_us(&between, 50) / 1e3,
        percentile_us(&between, 99) / 1e3
    )
}

#[test]
fn the_rates_of_capped_devices_add_up() {
    let Some(hosts) = needs("rigel-mpi: capped devices", Hosts::up()) else { return };
    let place = Place::new();
    let Some(_devices) = needs("rigel-mpi: capped devices", disks(&place)) else { return };
    let seconds = asked("RIGEL_CAP_SECONDS");
    load(&place, &[48]);
    let words = format!("{WORDS} --duration {}s", seconds.unwrap_or(2));
    place.run(&hosts.script(&place), HOSTS, &words).expect_measured();
    let found: Value = serde_json::from_str(&place.report("--format json")).unwrap();
    let point = &found["points"][0];
    let total = point["classes"]["small"]["iops"]["value"].as_f64().unwrap();
    let nodes: Vec<f64> = point["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| node["classes"]["small"]["iops"].as_f64().unwrap())
        .collect();
    println!("{HOSTS} devices of {CAP} IOPS: {total:.1} in all, {nodes:.1?}");
    let all = CAP * HOSTS as f64;
    assert_eq!(nodes.len(), HOSTS);
    assert!((nodes.iter().sum::<f64>() / total - 1.0).abs() < 0.005, "{total} {nodes:?}");
    // A device never serves more; how much less it serves depends on the CPU that it gets.
    assert!(total < all * 1.01, "{total}");
    assert!(seconds.is_none() || total > all * 0.99, "{total}");
}
