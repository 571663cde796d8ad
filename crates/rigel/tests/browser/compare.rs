//! Comparisons of runs, opened from disk.

use crate::pages::{drawn, item, open, sound, tip};
use crate::support::Place;
use std::fs;

/// A comparison of two runs on simulated devices, the second one slower by a fifth.
fn compared(place: &Place) {
    for (name, service, seed) in [("base", "1ms", 1), ("new", "1250us", 2)] {
        let engine = format!("sim:service={service},between=1%,spread=exponential");
        let line = format!("run normal --engine {engine} --seed {seed} --name {name} --no-html --quiet");
        place.line(&line).expect_code(0);
    }
}

fn records(place: &Place) -> [String; 2] {
    ["base_", "new_"].map(|name| place.only_of(name, "_record.jsonl").to_str().unwrap().to_owned())
}

#[test]
fn a_comparison_of_two_runs() {
    let place = Place::new();
    compared(&place);
    let [base, new] = records(&place);
    place.rigel(["compare", &base, &new, "--html", "--fail-if", "small_iops < -5%"]).expect_code(1);
    let Some(mut tab) = open("a_comparison_of_two_runs", &place.only("_compare.html")) else { return };
    let shown = drawn(&mut tab);
    for id in ["over-small_iops", "over-large_mbps", "over-small_latency", "over-small_p99", "changes"] {
        assert!(shown.contains(&id.to_owned()), "{id}: {shown:?}");
    }
    let verdict = tab.text("document.querySelector('.verdict').innerText");
    assert!(verdict.contains("is worse") && verdict.contains("1 failed"), "{verdict}");
    // Series: base and its whiskers, then new and its own.
    let at = item(&mut tab, "over-small_iops", 2, 1);
    tab.point_at(at);
    let told = tip(&mut tab, "over-small_iops");
    assert!(
        told.starts_with("Small=2, Large=0") && told.contains("base") && told.contains("worse"),
        "{told}"
    );
    let change = item(&mut tab, "changes", 0, 0);
    tab.point_at(change);
    assert!(tip(&mut tab, "changes").contains("IOPS, 95 %"));
    tab.value(
        "{ const level = document.getElementById('level-small_iops'); level.value = '1'; level.dispatchEvent(new Event('change')); }",
    );
    let at = item(&mut tab, "over-small_iops", 0, 0);
    tab.point_at(at);
    tab.wait("document.querySelector('#over-small_iops .tip')?.innerText.startsWith('Small=1, Large=1')");
    tab.picture("compare");
    tab.prefer("dark");
    tab.wait("getComputedStyle(document.body).backgroundColor === 'rgb(21, 24, 28)'");
    drawn(&mut tab);
    tab.picture("compare-dark");
    tab.size(390, 844, true);
    let too_wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    tab.wait(&format!(
        "{too_wide} <= 0 && document.querySelector('#over-small_iops svg').clientWidth <= 390"
    ));
    tab.picture("compare-phone");
    sound(&mut tab);
}

/// Whoever wrote a record: its text stays text.
#[test]
fn a_comparison_of_hostile_names() {
    let place = Place::new();
    compared(&place);
    let [base, new] = records(&place);
    let name = "</title></script><script>window.owned=1</script><img src=x onerror='window.owned=1'>\\\"><b>";
    let text = fs::read_to_string(&new).unwrap();
    let hostile = text
        .replacen("\"path\":\"simulated\"", &format!("\"path\":\"{name}\""), 1)
        .replacen("\"command_line\":\"", &format!("\"command_line\":\"{name}"), 1)
        .replacen("\"kernel\":\"", &format!("\"kernel\":\"{name}"), 1);
    fs::write(&new, hostile).unwrap();
    place.rigel(["compare", &base, &new, "--html"]).expect_code(0);
    let Some(mut tab) = open("a_comparison_of_hostile_names", &place.only("_compare.html")) else { return };
    assert_eq!(tab.value("window.owned === undefined"), true);
    assert_eq!(tab.value("document.querySelectorAll('img, b:not(figcaption b, .about b)').length"), 0);
    assert!(tab.text("document.querySelector('#evidence').innerText").contains("</title></script><script>"));
    drawn(&mut tab);
}
