//! Comparisons of runs, opened from disk.

use crate::pages::{drawn, item, open, sound, tip};
use crate::runs;
use crate::support::Place;
use std::fs;

/// The records of two runs on simulated devices, the second one slower by a fifth.
pub fn records(place: &Place) -> [String; 2] {
    for (name, service, seed) in [("base", "1ms", 1), ("new", "1250us", 2)] {
        let engine = format!("sim:service={service},between=1%,spread=exponential");
        let line = format!("run normal --engine {engine} --seed {seed} --name {name} --no-html --quiet");
        runs::run(place, &line);
    }
    ["base_", "new_"].map(|name| place.only_of(name, "_record.jsonl").to_str().unwrap().to_owned())
}

#[test]
fn a_comparison_of_two_runs() {
    let place = Place::new();
    let [base, new] = records(&place);
    place.rigel(["compare", &base, &new, "--html", "--fail-if", "small_iops < -5%"]).expect_code(1);
    let Some(mut tab) = open("a_comparison_of_two_runs", &place.only("_compare.html")) else { return };
    let shown = drawn(&mut tab);
    for id in ["over-small_iops", "over-large_mbps", "over-small_latency", "over-small_p99", "changes"] {
        assert!(shown.contains(&id.to_owned()), "{id}: {shown:?}");
    }
    let verdict = tab.text("document.querySelector('.verdict').innerText");
    assert!(verdict.contains("is worse") && verdict.contains("1 of 1 gate failed"), "{verdict}");
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
    tab.phone("over-small_iops");
    tab.picture("compare-phone");
    sound(&mut tab);
}

/// Whoever wrote a record: its text stays text.
#[test]
fn a_comparison_of_hostile_names() {
    let place = Place::new();
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

/// The page of two sides has the same charts.
#[test]
fn two_sides_in_turns() {
    let place = Place::new();
    let line = "versus simple --engine sim:between=1%,spread=exponential --and-engine sim:service=900us,between=1%,spread=exponential \
                --seed 1 --fast --quiet";
    place.line(line).expect_code(0);
    let Some(mut tab) = open("two_sides_in_turns", &place.only("_versus.html")) else { return };
    let shown = drawn(&mut tab);
    for id in ["over-small_iops", "over-large_mbps", "over-small_p99", "changes"] {
        assert!(shown.contains(&id.to_owned()), "{id}: {shown:?}");
    }
    let verdict = tab.text("document.querySelector('.verdict').innerText");
    assert!(verdict.contains("faster than A"), "{verdict}");
    let at = item(&mut tab, "over-small_iops", 2, 1);
    tab.point_at(at);
    let told = tip(&mut tab, "over-small_iops");
    assert!(told.contains("B: simulated") && told.contains("better"), "{told}");
    tab.picture("versus");
    sound(&mut tab);
}

/// Classes with names of their own: their levels are the axis, and what is beside them is chosen.
#[test]
fn two_sides_at_given_rates() {
    let place = Place::new();
    let load = "load = \"rigel.load/1\"\npoints = [{ reads = 1000 }, { reads = 2000 }, { reads = 1000, scans = 1 }, { reads = 2000, scans = 1 }]\n\
                [[class]]\nname = \"reads\"\nsize = \"8K\"\narrival = { shape = \"poisson\" }\n[[class]]\nname = \"scans\"\nsize = \"64K\"\n";
    fs::write(place.path().join("shop.toml"), load).unwrap();
    let engines =
        ["1ms", "900us"].map(|service| format!("sim:servers=8,service={service},spread=exponential"));
    let line = format!(
        "versus --load shop.toml --engine {} --and-engine {} --seed 1 --fast --quiet",
        engines[0], engines[1]
    );
    place.line(&line).expect_code(0);
    let Some(mut tab) = open("two_sides_at_given_rates", &place.only("_versus.html")) else { return };
    let shown = drawn(&mut tab);
    for id in ["over-reads_latency", "over-reads_p99", "over-scans_per_s", "changes"] {
        assert!(shown.contains(&id.to_owned()), "{id}: {shown:?}");
    }
    let at = item(&mut tab, "over-reads_latency", 2, 1);
    tab.point_at(at);
    let told = tip(&mut tab, "over-reads_latency");
    assert!(told.starts_with("Reads=2000") && told.contains("B: simulated"), "{told}");
    let choices = tab.text(
        "[...document.querySelectorAll('#level-reads_latency option')].map((one) => one.innerText).join(';')",
    );
    assert_eq!(choices, "alone;Scans=1");
    tab.value(
        "{ const beside = document.getElementById('level-reads_latency'); beside.value = '1'; beside.dispatchEvent(new Event('change')); }",
    );
    let at = item(&mut tab, "over-reads_latency", 0, 0);
    tab.point_at(at);
    tab.wait(
        "document.querySelector('#over-reads_latency .tip')?.innerText.startsWith('Reads=1000, Scans=1')",
    );
    tab.picture("versus-rates");
    sound(&mut tab);
}
