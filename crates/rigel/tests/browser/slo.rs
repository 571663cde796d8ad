//! The page of a search for the rate within a bound, opened from disk.

use crate::pages::{drawn, item, open, sound, tip};
use crate::support::Place;

#[test]
fn a_page_of_a_rate_within_bounds() {
    let place = Place::new();
    let device = "sim:servers=1,service=200us,rate=0,spread=exponential";
    let bounds = ["--p99", "2ms", "--p50", "1ms", "--require", "p99 < 2ms @ 4500", "--duration", "3m"];
    let common = ["slo", "--quiet", "--seed", "3", "--engine", device];
    place.rigel(common.iter().chain(&bounds)).expect_code(1);
    let Some(mut tab) = open("a_page_of_a_rate_within_bounds", &place.only("_report.html")) else { return };
    let shown = drawn(&mut tab);
    assert!(shown.starts_with(&["slo-0".to_owned(), "slo-1".to_owned()]), "{shown:?}");
    let verdict = tab.text("document.querySelector('.verdict.bad').innerText").replace('\u{a0}', " ");
    assert!(verdict.starts_with("Required p99 < 2 ms @ 4500: NOT met, "), "{verdict}");
    // The bound and the rate are beside the line, which has a point for each rate of the table.
    let line = "echarts.getInstanceByDom(document.getElementById('slo-1')).getOption().series[0]";
    let points = tab.text(&format!("String({line}.data.length)"));
    let has_table = format!(
        "String([...document.querySelectorAll('tbody')].some((one) => one.rows.length === {points}))"
    );
    assert_eq!(tab.text(&has_table), "true", "a table with a row for each of {points} rates");
    assert_eq!(tab.text(&format!("String({line}.markLine.data[0].yAxis)")), "2000");
    assert_eq!(tab.text(&format!("String({line}.markArea.data[0].length)")), "2");
    tab.picture("slo");
    tab.phone("slo-1");
    tab.picture("slo-phone");
    tab.size(1280, 900, false);
    tab.wait("document.querySelector('#slo-1 svg').clientWidth > 390");
    let at = item(&mut tab, "slo-1", 0, 0);
    tab.point_at(at);
    let told = tip(&mut tab, "slo-1");
    assert!(told.contains("I/Os per second") && told.contains("p99 < 2 ms: met, "), "{told}");
    sound(&mut tab);
}
