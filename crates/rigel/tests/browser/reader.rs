//! What a reader must not stumble over: axes, names, flags, narrow screens.

use crate::devtools::Tab;
use crate::pages::{drawn, flagged_report, open, report, sound};
use crate::support::Place;
use std::path::PathBuf;

/// Types and names of the upright axis of a chart.
fn upright(tab: &mut Tab, id: &str) -> (String, Vec<f64>) {
    let axis = format!("echarts.getInstanceByDom(document.getElementById('{id}')).getOption().yAxis[0]");
    let kind = tab.text(&format!("{axis}.type"));
    let ticks = tab.value(&format!("{axis}.axisTick.customValues ?? []"));
    (kind, ticks.as_array().unwrap().iter().filter_map(serde_json::Value::as_f64).collect())
}

/// Two runs with names that people gave them, and their records.
fn labelled(place: &Place) -> [PathBuf; 2] {
    for (name, label, service) in [("a", "old-san", "2ms"), ("b", "new-san", "1ms")] {
        let engine = format!("sim:service={service},between=1%,spread=exponential");
        let line = format!("run oltp --engine {engine} --seed 3 --name {name} --label {label} --quiet");
        place.line(&line).expect_code(0);
    }
    ["a_", "b_"].map(|name| place.only_of(name, "_record.jsonl"))
}

/// No part of the page is wider than a phone.
fn fits_on_a_phone(tab: &mut Tab, what: &str) {
    tab.size(375, 800, true);
    tab.wait("innerWidth === 375 && [...document.querySelectorAll('.stage svg')].every((svg) => svg.clientWidth <= 375)");
    let width = tab.value("document.documentElement.scrollWidth").as_u64().unwrap();
    assert!(width <= 375, "{what}: {width}");
}

#[test]
fn latencies_have_a_logarithmic_axis() {
    let place = Place::new();
    let file = report(&place, "oltp --engine sim:servers=2,service=1ms,spread=exponential --duration 1s");
    let Some(mut tab) = open("latencies_have_a_logarithmic_axis", &file) else { return };
    drawn(&mut tab);
    let (kind, ticks) = upright(&mut tab, "latency");
    assert_eq!(kind, "log");
    let parts = |tick: &f64| {
        [1.0, 2.0, 5.0].map(|part| (tick / part).log10()).iter().any(|at| (at - at.round()).abs() < 1e-9)
    };
    assert!(ticks.len() > 2 && ticks.iter().all(parts), "{ticks:?}");
    assert_eq!(upright(&mut tab, "rate-small").0, "value");
    sound(&mut tab);
}

#[test]
fn a_single_row_has_no_heat_map() {
    let place = Place::new();
    let file = report(&place, "oltp --engine sim --duration 1s");
    let Some(mut tab) = open("a_single_row_has_no_heat_map", &file) else { return };
    let maps = "document.querySelectorAll('#matrix, [id^=\"heat-\"], #matrix-latency').length";
    assert_eq!(tab.value(maps), 0);
    drop(tab);
    // A row and a column are no matrix either.
    let other = Place::new();
    let file = report(&other, "simple --engine sim --duration 1s");
    let Some(mut tab) = open("a_single_row_has_no_heat_map", &file) else { return };
    assert_eq!(tab.value(maps), 0);
    drawn(&mut tab);
    sound(&mut tab);
}

#[test]
fn the_column_of_flags_is_whole_and_every_flag_can_be_read() {
    let place = Place::new();
    let file = flagged_report(&place);
    let Some(mut tab) = open("the_column_of_flags_is_whole_and_every_flag_can_be_read", &file) else {
        return;
    };
    tab.size(1400, 900, false);
    tab.wait("innerWidth === 1400");
    let beyond = tab.value("(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('#numbers .wide'))");
    assert_eq!(beyond, 0);
    let cut = tab.value(
        "[...document.querySelectorAll('#numbers td.flags > *')].filter((one) => one.getBoundingClientRect().right > document.querySelector('#numbers .wide').getBoundingClientRect().right).length",
    );
    assert_eq!(cut, 0);
    let flag = "[...document.querySelectorAll('#numbers details.flag')].find((one) => one.innerText.startsWith('SIMULATED'))";
    let says = &format!("{flag}.innerText");
    assert!(!tab.text(says).contains("no storage was touched"));
    let summary = format!("{flag}.querySelector('summary')");
    tab.value(&format!("{summary}.scrollIntoView({{ block: 'center' }})"));
    let place = tab.value(&format!("(({{ x, y }}) => [x + 5, y + 5])({summary}.getBoundingClientRect())"));
    tab.click((place[0].as_f64().unwrap(), place[1].as_f64().unwrap()));
    assert!(tab.text(says).contains("no storage was touched"), "{}", tab.text(says));
    let list = tab.text("document.querySelector('.why').innerText");
    for part in ["CACHE", "not to be used", "NOT_REACHED"] {
        assert!(list.contains(part), "{part}: {list}");
    }
    fits_on_a_phone(&mut tab, "a run with flags");
    sound(&mut tab);
}

#[test]
fn runs_are_called_by_their_labels() {
    let place = Place::new();
    let [old, new] = labelled(&place);
    place.rigel(["report".as_ref(), old.as_os_str(), new.as_os_str(), "--html".as_ref()]).expect_code(0);
    let file = place.only("_and_1_more_report.html");
    let Some(mut tab) = open("runs_are_called_by_their_labels", &file) else { return };
    drawn(&mut tab);
    let names = "[...document.querySelectorAll('nav a')].map((link) => link.innerText).join()";
    assert_eq!(tab.text(names), "Overview,1 · old-san,2 · new-san");
    let legend = |id: &str| {
        format!(
            "[...new Set(echarts.getInstanceByDom(document.getElementById('{id}')).getOption().series.map(({{ name }}) => name))].join()"
        )
    };
    assert_eq!(tab.text(&legend("overlay-0")), "1 · old-san,2 · new-san");
    assert_eq!(upright(&mut tab, "overlay-1").0, "log");
    fits_on_a_phone(&mut tab, "several runs");
    tab.value("location.hash = '#r2'");
    tab.wait("!document.getElementById('r2').hidden");
    let heading = tab.text("document.querySelector('#r2 h1').innerText");
    assert_eq!(heading, "new-san: How many IOPS on a simulated device?");
    assert!(tab.text("document.querySelector('#r2 .when').innerText").starts_with("b_"));
    sound(&mut tab);
    drop(tab);
    place.rigel(["compare".as_ref(), old.as_os_str(), new.as_os_str(), "--html".as_ref()]).expect_code(0);
    let file = place.only("_compare.html");
    let Some(mut tab) = open("runs_are_called_by_their_labels", &file) else { return };
    drawn(&mut tab);
    assert_eq!(tab.text(&legend("over-small_iops")), "base: old-san,new: new-san");
    assert_eq!(upright(&mut tab, "over-small_latency").0, "log");
    assert!(tab.text("document.querySelector('.when').innerText").contains("old-san (a_"));
    fits_on_a_phone(&mut tab, "a comparison");
    sound(&mut tab);
}
