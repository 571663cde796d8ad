//! Reports of every kind, opened from disk.

use crate::devtools::{READY, Tab, keep};
use crate::paper::A4;
use crate::runs;
use crate::support::Place;
use rigel_testdev::needs;
use std::fs;
use std::path::{Path, PathBuf};

/// The promise of the documentation for the matrix `normal`.
const MOST_BYTES: u64 = 1_500_000;

/// The report of a run on a simulated device.
pub fn report(place: &Place, arguments: &str) -> PathBuf {
    runs::run(place, &format!("run {arguments} --seed 7 --quiet"));
    place.only("_report.html")
}

/// The report of a run of which `CACHE` forbids some numbers; no interval is as narrow as was asked for, and other things speak against it.
pub fn flagged_report(place: &Place) -> PathBuf {
    report(place, "normal --engine sim:spread=exponential,between=6%,hits=40%:40us,stalls=0.2:100ms")
}

/// Opens a report; everything that holds for every report is looked at here. `None` without a browser.
pub fn open(test: &str, file: &Path) -> Option<Tab> {
    let mut tab = needs(test, Tab::open(file))?;
    assert_eq!(tab.text(READY), "yes", "{}", tab.text("document.body.innerText"));
    sound(&mut tab);
    Some(tab)
}

/// Nothing was complained about, nothing was asked for.
pub fn sound(tab: &mut Tab) {
    let (complaints, requests) = (tab.complaints(), tab.requests());
    assert!(complaints.is_empty(), "{complaints:#?}");
    assert!(requests.is_empty(), "{requests:#?}");
}

/// The charts that are shown have shapes of data in them; which they are. They are painted with the next picture.
pub fn drawn(tab: &mut Tab) -> Vec<String> {
    let shown = "[...document.querySelectorAll('.stage')].filter((stage) => !stage.closest('[hidden]'))";
    tab.wait(&format!("{shown}.every((stage) => stage.querySelectorAll('svg path').length > 3)"));
    let ids = tab.value(&format!("{shown}.map((stage) => stage.id)"));
    ids.as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned()).collect()
}

/// Where on the screen an item of a chart is.
pub fn item(tab: &mut Tab, id: &str, series: usize, index: usize) -> (f64, f64) {
    let place = tab.value(&format!(
        "(() => {{
            const stage = document.getElementById('{id}');
            stage.scrollIntoView({{ block: 'center' }});
            const chart = echarts.getInstanceByDom(stage);
            const item = chart.getOption().series[{series}].data[{index}];
            const [x, y] = chart.convertToPixel({{ seriesIndex: {series} }}, item.value.slice(0, 2));
            const box = stage.getBoundingClientRect();
            return [box.left + x, box.top + y];
        }})()"
    ));
    (place[0].as_f64().unwrap(), place[1].as_f64().unwrap())
}

/// The text of the tooltip that is shown in a chart.
pub fn tip(tab: &mut Tab, id: &str) -> String {
    let shown = format!(
        "[...document.querySelectorAll('#{id} .tip')].filter((tip) => getComputedStyle(tip).visibility !== 'hidden' && tip.style.display !== 'none').map((tip) => tip.innerText).join('')"
    );
    tab.wait(&format!("{shown} !== ''"));
    tab.text(&shown)
}

fn chosen(tab: &mut Tab) -> String {
    tab.text("document.getElementById('chosen').innerText")
}

#[test]
fn a_report_of_one_point() {
    let place = Place::new();
    let file =
        report(&place, "advanced --matrix point --num-small 3 --num-large 0 --engine sim:spread=exponential");
    let Some(mut tab) = open("a_report_of_one_point", &file) else { return };
    let shown = drawn(&mut tab);
    for id in ["rate-small", "latency", "histogram", "percentiles", "latency-time", "inside", "run-small"] {
        assert!(shown.contains(&id.to_owned()), "{id}: {shown:?}");
    }
    assert!(!shown.contains(&"rate-large".to_owned()), "there is no large I/O: {shown:?}");
    assert!(chosen(&mut tab).starts_with("Small=3, Large=0, small I/O: "), "{}", chosen(&mut tab));
    tab.picture("one-point");
}

#[test]
fn a_report_of_a_matrix() {
    let place = Place::new();
    let file = report(&place, "normal --engine sim:servers=4,service=1ms,spread=exponential,between=1%");
    let bytes = fs::metadata(&file).unwrap().len();
    assert!(bytes < MOST_BYTES, "{bytes} bytes");
    let Some(mut tab) = open("a_report_of_a_matrix", &file) else { return };
    tab.picture("normal");
    let all = [
        "rate-small",
        "latency",
        "rate-large",
        "heat-small",
        "heat-large",
        "matrix-latency",
        "loss-small",
        "loss-large",
        "histogram",
        "percentiles",
        "latency-time",
        "inside",
        "run-small",
        "run-large",
    ];
    assert_eq!(drawn(&mut tab), all);

    let place = item(&mut tab, "rate-small", 0, 2);
    tab.point_at(place);
    let told = tip(&mut tab, "rate-small");
    assert!(told.contains("Small=3, Large=") && told.contains("95 %") && told.contains('±'), "{told}");

    let place = item(&mut tab, "heat-large", 0, 0);
    tab.click(place);
    assert!(chosen(&mut tab).starts_with("Small=0, Large=1, large I/O: "), "{}", chosen(&mut tab));
    tab.point_at((place.0 + 20.0, place.1 + 10.0));
    assert!(tip(&mut tab, "heat-large").contains("MBPS"));
    tab.value("{ const point = document.getElementById('point'); point.value = '16'; point.dispatchEvent(new Event('change')); }");
    assert!(chosen(&mut tab).starts_with("Small=5, Large=2"), "{}", chosen(&mut tab));
    assert_eq!(drawn(&mut tab), all, "all is there after another point was chosen");
    tab.value("document.querySelector('button[data-point=\"1\"]').click()");
    assert!(chosen(&mut tab).starts_with("Small=2, Large=0, small I/O: "), "{}", chosen(&mut tab));
    sound(&mut tab);
}

#[test]
fn a_report_with_the_keyboard() {
    let place = Place::new();
    let file = report(&place, "normal --engine sim --duration 1s");
    let Some(mut tab) = open("a_report_with_the_keyboard", &file) else { return };
    tab.value("document.getElementById('heat-small').focus()");
    for key in ["ArrowRight", "ArrowRight"] {
        tab.press(key);
    }
    let spoken = tab.text("document.getElementById('spoken').textContent");
    assert!(spoken.starts_with("Small=2, Large=0"), "{spoken}");
    assert!(tip(&mut tab, "heat-small").starts_with("Small=2, Large=0"));
    tab.press("Enter");
    assert!(chosen(&mut tab).starts_with("Small=2, Large=0"), "{}", chosen(&mut tab));
    tab.value("document.getElementById('rate-small').focus()");
    let zoom = "(({ start, end }) => end - start)(echarts.getInstanceByDom(document.getElementById('rate-small')).getOption().dataZoom[0])";
    // The bar is below the charts only while somebody zooms.
    let bars = "[...document.querySelectorAll('.stage')].flatMap((stage) => echarts.getInstanceByDom(stage).getOption().dataZoom.filter(({ type, show }) => type === 'slider' && show)).length";
    assert_eq!(tab.value(zoom).as_f64(), Some(100.0));
    assert_eq!(tab.value(bars), 0);
    tab.press("+");
    assert_eq!(tab.value(zoom).as_f64(), Some(50.0));
    assert_eq!(tab.value(bars), 1);
    tab.press("0");
    assert_eq!(tab.value(zoom).as_f64(), Some(100.0));
    assert_eq!(tab.value(bars), 0);
    tab.press("+");
    tab.press("-");
    assert_eq!(tab.value(bars), 0);
    sound(&mut tab);
}

#[test]
fn a_report_of_a_search() {
    let place = Place::new();
    let file = report(&place, "oltp --levels auto --engine sim:servers=8,spread=exponential");
    let Some(mut tab) = open("a_report_of_a_search", &file) else { return };
    let shown = drawn(&mut tab);
    assert!(!shown.contains(&"search-small".to_owned()), "it lies in the curve of the rate: {shown:?}");
    let rows = "echarts.getInstanceByDom(document.getElementById('rate-small')).getOption().series[0].data";
    let of_search = format!("{rows}.findIndex(({{ read }}) => read.includes('only in the search'))");
    let found = tab.value(&of_search).as_u64().expect("a level that only the search visited");
    let levels = tab.value(&format!("{rows}.map(({{ value }}) => value[0])"));
    let levels: Vec<u64> = levels.as_array().unwrap().iter().map(|level| level.as_u64().unwrap()).collect();
    assert!(levels.is_sorted_by(|one, other| one < other), "one curve, each level once: {levels:?}");
    let place = item(&mut tab, "rate-small", 0, usize::try_from(found).unwrap());
    tab.point_at(place);
    let told = tip(&mut tab, "rate-small");
    assert!(told.contains("only in the search") && told.contains("IOPS"), "{told}");
    tab.picture("search");
    sound(&mut tab);
}

#[test]
fn a_report_of_400_points() {
    let place = Place::new();
    let file =
        report(&place, "advanced --matrix max --num-small 19 --num-large 19 --engine sim --duration 100ms");
    let Some(mut tab) = open("a_report_of_400_points", &file) else { return };
    assert_eq!(tab.value("document.querySelectorAll('button[data-point]').length"), 399);
    drawn(&mut tab);
    let place = item(&mut tab, "matrix-latency", 0, 200);
    tab.point_at(place);
    assert!(tip(&mut tab, "matrix-latency").contains("Small="));
    tab.picture("400-points");
}

#[test]
fn a_report_with_flags() {
    let place = Place::new();
    let file = flagged_report(&place);
    let Some(mut tab) = open("a_report_with_flags", &file) else { return };
    drawn(&mut tab);
    let flags = tab.value("document.querySelectorAll('#evidence .flag').length");
    assert!(flags.as_u64().unwrap() > 1, "{flags}");
    let marks = tab.value("[...document.querySelectorAll('#heat-small svg text')].filter((text) => /[!✕]/.test(text.textContent)).length");
    assert!(marks.as_u64().unwrap() > 0, "{marks}");
    assert!(tab.text("document.querySelector('.why').innerText").contains("not to be used"));
    let cells = tab.value("document.querySelectorAll('#numbers tr.bad').length");
    assert!(cells.as_u64().unwrap() > 0, "{cells}");
    tab.picture("flags");
    tab.prefer("dark");
    let dark = "getComputedStyle(document.body).backgroundColor";
    tab.wait(&format!("{dark} === 'rgb(21, 24, 28)'"));
    drawn(&mut tab);
    tab.picture("flags-dark");
    tab.prefer("light");
    sound(&mut tab);
}

#[test]
fn a_report_on_a_phone_and_on_paper() {
    let place = Place::new();
    let file = report(&place, "normal --engine sim --duration 1s");
    let Some(mut tab) = open("a_report_on_a_phone_and_on_paper", &file) else { return };
    tab.phone("rate-small");
    drawn(&mut tab);
    tab.picture("phone");
    tab.size(1280, 900, false);
    let pdf = tab.printed(A4);
    keep("paper.pdf", &pdf);
    assert!(pdf.starts_with(b"%PDF") && pdf.len() > 20_000, "{} bytes", pdf.len());
    sound(&mut tab);
}

/// A run that was killed leaves a record that ends somewhere.
#[test]
fn a_report_of_a_run_that_was_aborted() {
    let place = Place::new();
    report(&place, "normal --engine sim");
    let text = place.read("_record.jsonl");
    let other = Place::new();
    let cut: String = text.split_inclusive('\n').take(8).collect();
    fs::write(other.path().join("cut_record.jsonl"), cut).unwrap();
    other.line("report cut_record.jsonl --html").expect_code(0);
    let Some(mut tab) = open("a_report_of_a_run_that_was_aborted", &other.only("_report.html")) else {
        return;
    };
    drawn(&mut tab);
    let verdict = tab.text("document.querySelector('.why').innerText");
    assert!(verdict.contains("cut short") && verdict.contains("of 17 points"), "{verdict}");
    tab.picture("aborted");
    // Nothing at all was measured.
    let header: String = text.split_inclusive('\n').take(1).collect();
    fs::write(other.path().join("cut_record.jsonl"), header).unwrap();
    other.line("report cut_record.jsonl --html --force").expect_code(0);
    drop(tab);
    let Some(mut tab) = open("a_report_of_a_run_that_was_aborted", &other.only("_report.html")) else {
        return;
    };
    assert!(tab.text("document.body.innerText").contains("Nothing was measured"));
}

/// Whoever wrote the record: its text stays text.
#[test]
fn a_report_of_hostile_names() {
    let place = Place::new();
    report(&place, "oltp --engine sim --duration 1s");
    let name =
        "</title></script><script>window.owned=1</script><img src=x onerror='window.owned=1'>\\\"><b>&amp;";
    let text = place.read("_record.jsonl");
    let hostile = text
        .replacen("\"path\":\"simulated\"", &format!("\"path\":\"{name}\""), 1)
        .replacen("\"command_line\":\"", &format!("\"command_line\":\"{name}"), 1)
        .replacen("\"started\":\"", &format!("\"started\":\"{name}"), 1)
        .replacen("\"program_version\":\"", &format!("\"program_version\":\"{name}"), 1)
        .replacen("\"kernel\":\"", &format!("\"kernel\":\"{name}"), 1);
    assert_eq!(hostile.matches("window.owned=1</script>").count(), 5);
    let other = Place::new();
    fs::write(other.path().join("evil_record.jsonl"), hostile).unwrap();
    other.line("report evil_record.jsonl --html").expect_code(0);
    let Some(mut tab) = open("a_report_of_hostile_names", &other.only("_report.html")) else { return };
    assert_eq!(tab.value("window.owned === undefined"), true);
    assert_eq!(tab.value("document.querySelectorAll('img, b:not(figcaption b, .about b)').length"), 0);
    assert!(
        tab.text("document.querySelector('#evidence code').innerText")
            .starts_with("</title></script><script>")
    );
    drawn(&mut tab);
    tab.picture("hostile");
    // Even what got past all that would neither run nor load.
    tab.value(
        "{ const script = document.createElement('script'); script.textContent = 'window.owned = 1'; document.body.append(script); }",
    );
    assert_eq!(tab.value("window.owned === undefined"), true);
    assert_eq!(tab.value("fetch('http://127.0.0.1:9/').then(() => true, () => false)"), false);
    let complaints = tab.complaints().join("\n");
    assert!(complaints.contains("Content Security Policy") && tab.requests().is_empty(), "{complaints}");
}
