//! The page of a soak that found a wrong block, opened from disk.

use crate::pages::{drawn, item, open, sound, tip};
use crate::support::Place;
use rigel_testdev::{DeviceSpec, TestDevice, needs};
use std::fs;

const LOAD: &str = r#"load = "rigel.load/1"
[[class]]
name = "data"
size = "4K"
write = 30
verify = true
arrival = { outstanding = 1 }
[[phase]]
for = "2s"
[[phase]]
for = "1s"
"#;

#[test]
fn a_page_of_a_soak_with_a_wrong_block() {
    let name = "a_page_of_a_soak_with_a_wrong_block";
    let spec = DeviceSpec { size_bytes: 2 << 20, ..DeviceSpec::default() };
    let Some(device) = needs(name, TestDevice::mount(spec)) else { return };
    let place = Place::new();
    fs::write(place.path().join("data.toml"), LOAD).unwrap();
    // A read of a block that was written: what is damaged by a write may be written again before anybody reads it. With one I/O outstanding no read meets
    // a write of its block under way, of which both contents are right.
    device.command("stale nth 200").unwrap();
    let disk = device.disk();
    let disk = disk.display();
    let line = format!("soak --load data.toml {disk} --destroy-data {disk} --for 10s --every 1s --quiet");
    place.line(&line).expect_code(1);
    let Some(mut tab) = open(name, &place.only("_report.html")) else { return };
    assert_eq!(drawn(&mut tab), ["rate-data", "latency-data"]);
    let verdict = tab.text("document.querySelector('.verdict').innerText");
    assert!(verdict.contains("1 block did not hold what was written to it"), "{verdict}");
    let series =
        |id: &str| format!("echarts.getInstanceByDom(document.getElementById('{id}')).getOption().series");
    // A point for each interval; the line is broken where the phase changes.
    let rate = series("rate-data");
    assert_eq!(tab.text(&format!("{rate}.map(({{ name }}) => name).join()")), "IOPS,failed or wrong");
    let found = "JSON.parse(document.getElementById('soak').textContent)";
    let points = format!("{rate}[0].data.filter(({{ value }}) => value[1] !== null).length");
    assert_eq!(tab.value(&format!("{points} === {found}.classes[0].rows.length && {points} >= 8")), true);
    assert_eq!(tab.value(&format!("{rate}[0].data.some(({{ value }}) => value[1] === null)")), true);
    // The cross stands at an interval that told of it, as often as the page has such rows.
    let wrong = format!("{found}.classes[0].rows.filter((row) => row[5] > 0).length");
    assert_eq!(tab.value(&format!("{rate}[1].data.length === {wrong} && {wrong} > 0")), true);
    assert_eq!(
        tab.text(&format!("{}.map(({{ name }}) => name).slice(0, 3).join()", series("latency-data"))),
        "median,99 of 100 within,longest"
    );
    tab.picture("soak");
    let at = item(&mut tab, "rate-data", 0, 1);
    tab.point_at(at);
    let told = tip(&mut tab, "rate-data");
    assert!(told.contains("IOPS") && told.contains("of load") && told.contains("phase"), "{told}");
    tab.open_on_phone();
    tab.wait("innerWidth === 390 && [...document.querySelectorAll('.stage svg')].every((svg) => svg.clientWidth <= 390)");
    assert!(tab.value("document.documentElement.scrollWidth").as_u64().unwrap() <= 390);
    tab.picture("soak-narrow");
    sound(&mut tab);
}
