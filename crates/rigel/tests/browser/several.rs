//! The report of several runs, opened from disk.

use crate::devtools::TOO_WIDE;
use crate::pages::{drawn, open, sound, tip};
use crate::runs;
use crate::support::Place;
use std::fs;
use std::path::PathBuf;

/// One page about runs on simulated devices.
fn report(place: &Place, runs: &[&str]) -> PathBuf {
    let mut names = Vec::new();
    for (number, arguments) in runs.iter().enumerate() {
        let name = format!("run{number}");
        let device = engine(number);
        runs::run(
            place,
            &format!("run {arguments} --engine {device} --seed 7 --quiet --name {name} --no-html"),
        );
        names.push(place.only_of(&name, "_record.jsonl").into_os_string().into_string().unwrap());
    }
    place.line(&format!("report {} --html", names.join(" "))).expect_code(0);
    place.only(&format!("_and_{}_more_report.html", runs.len() - 1))
}

/// Devices that differ.
fn engine(number: usize) -> String {
    format!("sim:servers={},service=1ms,spread=exponential,between=1%", 4 + 2 * number)
}

const THREE: [&str; 3] = ["normal", "oltp", "dss"];

#[test]
fn a_report_of_several_runs() {
    let place = Place::new();
    let file = report(&place, &THREE);
    let singles: u64 = THREE.len() as u64 * 600_000;
    let bytes = fs::metadata(&file).unwrap().len();
    assert!(bytes < 1_500_000 + singles, "{bytes} bytes");
    let Some(mut tab) = open("a_report_of_several_runs", &file) else { return };
    let shown = "[...document.querySelectorAll('.leaf:not([hidden])')].map((leaf) => leaf.id).join()";
    assert_eq!(tab.text(shown), "overview");
    assert_eq!(drawn(&mut tab), ["overlay-0", "overlay-1", "overlay-2", "overlay-3"]);
    tab.picture("several-overview");
    let place = crate::pages::item(&mut tab, "overlay-0", 0, 4);
    tab.point_at(place);
    let told = tip(&mut tab, "overlay-0");
    assert!(told.contains("1 · run0\n") && told.contains("outstanding") && told.contains("95 %"), "{told}");

    // A link turns the page, the way back turns it back.
    tab.value("document.querySelector('nav a[href=\"#r2\"]').click()");
    tab.wait(&format!("{shown} === 'r2'"));
    assert_eq!(
        tab.text("document.activeElement.innerText"),
        "How many IOPS on a simulated device?",
        "the heading has the focus"
    );
    assert_eq!(tab.text("document.querySelector('nav a[aria-current]').getAttribute('href')"), "#r2");
    let charts = drawn(&mut tab);
    assert!(
        charts.iter().all(|id| id.starts_with("r2-")) && charts.contains(&"r2-rate-small".to_owned()),
        "{charts:?}"
    );
    tab.value("document.querySelector('#r2 button[data-point=\"1\"]').click()");
    let chosen = tab.text("document.getElementById('r2-chosen').innerText");
    assert!(chosen.starts_with("Small=2, Large=0, small I/O: "), "{chosen}");
    tab.picture("several-run");
    tab.value("history.back()");
    tab.wait(&format!("{shown} === 'overview'"));
    // A point of the overview leads to its run; so does an address, also of a part of its page.
    tab.value("document.getElementById('overlay-0').focus()");
    for key in ["ArrowRight", "Enter"] {
        tab.press(key);
    }
    tab.wait(&format!("{shown} === 'r1'"));
    tab.value("location.hash = '#r3-numbers'");
    tab.wait(&format!("{shown} === 'r3'"));
    tab.wait("(({ top, bottom }) => top < innerHeight && bottom > 0)(document.getElementById('r3-numbers').getBoundingClientRect())");
    assert!(drawn(&mut tab).contains(&"r3-rate-large".to_owned()));
    sound(&mut tab);
}

#[test]
fn a_report_of_several_runs_in_the_dark_on_a_phone_and_on_paper() {
    let place = Place::new();
    let file = report(&place, &THREE[..2]);
    let Some(mut tab) = open("a_report_of_several_runs_in_the_dark_on_a_phone_and_on_paper", &file) else {
        return;
    };
    tab.value("location.hash = '#r1'");
    tab.wait("document.querySelector('#r1-rate-small svg') !== null");
    // What is turned away is drawn in its new colours when it is turned to.
    tab.prefer("dark");
    tab.wait("getComputedStyle(document.body).backgroundColor === 'rgb(21, 24, 28)'");
    drawn(&mut tab);
    tab.picture("several-run-dark");
    tab.value("location.hash = ''");
    tab.wait("!document.getElementById('overview').hidden");
    let inks = "[...new Set([...document.querySelectorAll('#overview svg text')].map((text) => text.getAttribute('fill') ?? text.style.fill))].join()";
    tab.wait(&format!("{inks}.includes('#e8eaed')"));
    assert!(!tab.text(inks).contains("#1b1f24"), "{}", tab.text(inks));
    tab.picture("several-dark");
    tab.prefer("light");
    tab.phone("overview");
    tab.picture("several-phone");
    tab.value("location.hash = '#r2'");
    tab.wait(&format!("!document.getElementById('r2').hidden && {TOO_WIDE} <= 0"));
    drawn(&mut tab);
    tab.picture("several-phone-run");
    tab.size(1280, 900, false);
    let pdf = tab.printed(crate::paper::A4);
    crate::devtools::keep("several-paper.pdf", &pdf);
    assert!(pdf.starts_with(b"%PDF") && pdf.len() > 40_000, "{} bytes", pdf.len());
    tab.wait("document.getElementById('r1').hidden && !document.getElementById('r2').hidden");
    drawn(&mut tab);
    sound(&mut tab);
}

/// Whoever wrote the records: their names lead nowhere but to their pages.
#[test]
fn a_report_of_runs_with_hostile_names() {
    let place = Place::new();
    report(&place, &["oltp --duration 1s", "oltp --duration 1s"]);
    let name =
        "</title></script><script>window.owned=1</script><img src=x onerror='window.owned=1'>__proto__";
    let other = Place::new();
    for run in ["run0", "run1"] {
        let text = fs::read_to_string(place.only_of(run, "_record.jsonl")).unwrap();
        let hostile = text.replacen("\"started\":\"", &format!("\"started\":\"{name}"), 1).replacen(
            "\"path\":\"simulated\"",
            &format!("\"path\":\"{name}\""),
            1,
        );
        fs::write(other.path().join(format!("{run}.jsonl")), hostile).unwrap();
    }
    // The name of a run may hold anything but a slash; only the first one names the file. A label may hold anything.
    let label = "</title></script><script>window.owned=1</script>__proto__";
    let second = other.path().join("run1.jsonl");
    let text = fs::read_to_string(&second).unwrap();
    let hostile = text.replacen("\"run_id\":\"", &format!("\"run_id\":\"{name}"), 1).replacen(
        "\"request\":{",
        &format!("\"request\":{{\"label\":\"{label}\","),
        1,
    );
    assert!(hostile.contains(label));
    fs::write(&second, hostile).unwrap();
    other.line("report run0.jsonl run1.jsonl --html").expect_code(0);
    let Some(mut tab) = open("a_report_of_runs_with_hostile_names", &other.only("_report.html")) else {
        return;
    };
    assert_eq!(drawn(&mut tab), ["overlay-0", "overlay-1"]);
    assert_eq!(tab.value("window.owned === undefined"), true);
    assert_eq!(tab.value("document.querySelectorAll('img').length"), 0);
    assert!(tab.text("document.querySelectorAll('nav a')[2].innerText").contains("</title></script>"));
    tab.picture("several-hostile");
    tab.value("document.querySelectorAll('tbody a')[1].click()");
    tab.wait("!document.getElementById('r2').hidden");
    drawn(&mut tab);
    sound(&mut tab);
}
