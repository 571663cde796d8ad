//! The page of when a storage is full or slow, opened from disk.

use crate::pages::{drawn, item, open, sound, tip};
use crate::support::Place;
use crate::year::place;
use std::fs;
use std::path::PathBuf;

/// A year, the storage at hand and another of four times as many stations.
fn page(place: &Place) -> PathBuf {
    let other =
        "calibrate --engine sim:servers=32,service=20ms --max-latency 40ms --no-history --name other --quiet";
    place.line(other).expect_code(0);
    fs::rename(place.only_of("other", "_record.jsonl"), place.path().join("offer.jsonl")).unwrap();
    place.line("capacity forecast here.jsonl --on offer.jsonl --store s.sqlite --html .").expect_code(0);
    place.only("_capacity.html")
}

fn series(id: &str) -> String {
    format!("echarts.getInstanceByDom(document.getElementById('{id}')).getOption().series")
}

#[test]
fn a_page_of_dates_and_headroom() {
    let place = place(365);
    let Some(mut tab) = open("a_page_of_dates_and_headroom", &page(&place)) else { return };
    assert_eq!(drawn(&mut tab), ["year-iops", "week-iops", "year-mbps", "week-mbps", "year-space"]);
    let verdict = tab.text("document.querySelector('.verdict').innerText");
    assert!(verdict.contains("the limit is small IOPS") && verdict.contains("offer.jsonl"), "{verdict}");
    // The history, what will be with its band, and the limit of each storage.
    let of_year = series("year-iops");
    assert_eq!(tab.text(&format!("{of_year}.map(({{ name }}) => name).join()")), "history,forecast,forecast");
    assert_eq!(tab.value(&format!("{of_year}[0].data.length > 360 && {of_year}[1].data.length > 90")), true);
    let limits = tab.text(&format!(
        "{of_year}[0].markLine.data.map((line) => line.label.formatter.split(':')[0]).join()"
    ));
    assert_eq!(limits, "here.jsonl,offer.jsonl");
    // Both ends of the band are around the line.
    let found = "JSON.parse(document.getElementById('capacity').textContent)";
    let band = format!(
        "{found}.courses[0].ahead.every(([, level, lower, upper]) => lower <= level && level <= upper)"
    );
    assert_eq!(tab.value(&band), true);
    // Office hours are busier than nights.
    let week = format!("{found}.courses[0].week");
    assert_eq!(tab.value(&format!("{week}.length === 168 && {week}[10] > 2 * {week}[3]")), true);
    tab.picture("forecast");
    let at = item(&mut tab, "year-iops", 1, 10);
    tab.point_at(at);
    let told = tip(&mut tab, "year-iops");
    assert!(told.starts_with("week of 20") && told.contains("95 %") && told.contains("IOPS"), "{told}");
    let at = item(&mut tab, "week-iops", 0, 10);
    tab.point_at(at);
    assert!(tip(&mut tab, "week-iops").starts_with("Mon 10:00"));
    tab.open_on_phone();
    tab.wait("innerWidth === 390 && [...document.querySelectorAll('.stage svg')].every((svg) => svg.clientWidth <= 390)");
    assert!(tab.value("document.documentElement.scrollWidth").as_u64().unwrap() <= 390);
    tab.picture("forecast-narrow");
    // A printed forecast has its limits.
    tab.on_paper();
    let limits = "[...document.querySelectorAll('.paper table')]";
    assert_eq!(tab.value(&format!("{limits}.length")), 2);
    assert_eq!(tab.value(&format!("{limits}.every((one) => one.offsetHeight > 0)")), true);
    sound(&mut tab);
}

/// Nothing is told of a future that is not known; the page says why, and draws what there is.
#[test]
fn a_page_of_a_history_that_is_too_short() {
    let place = place(3);
    place.line("capacity forecast here.jsonl --store s.sqlite --html .").expect_code(0);
    let Some(mut tab) = open("a_page_of_a_history_that_is_too_short", &place.only("_capacity.html")) else {
        return;
    };
    let verdict = tab.text("document.querySelector('.verdict').innerText");
    assert!(verdict.contains("No forecast: "), "{verdict}");
    let of_year = series("year-iops");
    assert_eq!(tab.text(&format!("{of_year}.map(({{ name }}) => name).join()")), "history");
    tab.picture("forecast-short");
    sound(&mut tab);
}
