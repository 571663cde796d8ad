//! The page about several runs, as far as it can be judged without a browser.

use crate::support::{Run, SPREAD};
use rigel_core::load::class::Class;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::Request;
use rigel_report::{Format, View, report_of_several};
use serde_json::Value;
use std::collections::BTreeSet;

fn page(runs: &[&Run]) -> String {
    let views: Vec<View<'_>> = runs.iter().map(|run| View::of(&run.record)).collect();
    let file = report_of_several(&views).unwrap();
    assert_eq!(file.suffix, "_report.html");
    String::from_utf8(file.bytes).unwrap()
}

fn between<'a>(page: &'a str, before: &str, after: &str) -> &'a str {
    let (_, rest) = page.split_once(before).unwrap_or_else(|| panic!("no {before}"));
    rest.split_once(after).unwrap_or_else(|| panic!("no {after} behind {before}")).0
}

fn figures(page: &str, id: &str) -> Value {
    serde_json::from_str(between(page, &format!("id=\"{id}\">"), "</script>")).unwrap()
}

#[test]
fn a_run_is_told_as_on_its_own_page() {
    let (one, other) = (Run::visited(RunLevel::Simple, &SPREAD), Run::searched(RunLevel::Oltp));
    let page = page(&[&one, &other]);
    for (number, run) in [(1, &one), (2, &other)] {
        let own = run.file(Format::Html, "_report.html");
        // What tells no part by its id is the same text.
        for part in ["<section class=\"verdict", "<section class=\"cards", "<tbody>"] {
            assert!(page.contains(between(&own, part, "</section>")) || part == "<tbody>", "{number} {part}");
        }
        assert_eq!(figures(&page, &format!("r{number}-findings")), figures(&own, "findings"), "{number}");
        let id = |attribute: &str| between(attribute, "", "\"").to_owned();
        for name in own
            .split(" id=\"")
            .skip(1)
            .map(id)
            .filter(|id| !["theme", "spoken", "library"].contains(&id.as_str()))
        {
            assert!(page.contains(&format!(" id=\"r{number}-{name}\"")), "{name} of run {number}");
        }
    }
}

#[test]
fn no_id_is_there_twice_and_every_link_leads_to_one() {
    let run = Run::visited(RunLevel::Normal, &SPREAD);
    let page = page(&[&run, &run, &run]);
    let (markup, _) = page.split_once("<script type=\"text/plain\"").unwrap();
    let ids: Vec<&str> = markup.split(" id=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    let set: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(set.len(), ids.len());
    let links: Vec<&str> =
        markup.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert_eq!(links.len(), 4 + 3, "the navigation, and the rows of the table");
    for link in links {
        assert!(set.contains(link.strip_prefix('#').unwrap()), "{link}");
    }
    assert_eq!(page.matches("id=\"library\"").count(), 1);
}

#[test]
fn curves_of_one_size_lie_over_each_other() {
    let simple = Run::visited(RunLevel::Simple, &SPREAD);
    let oltp = Run::visited(RunLevel::Oltp, &SPREAD);
    let mut small = Run::visited(RunLevel::Oltp, &SPREAD);
    small.record.header.request.set_size(Class::SMALL, 4096);
    let page = page(&[&simple, &oltp, &small]);
    let overview = figures(&page, "overview-findings");
    let charts = overview["charts"].as_array().unwrap();
    let told: Vec<(&str, Vec<u64>)> = charts
        .iter()
        .map(|chart| {
            let lines = chart["lines"].as_array().unwrap();
            (
                chart["title"].as_str().unwrap(),
                lines.iter().map(|line| line["run"].as_u64().unwrap()).collect(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [("IOPS", vec![0, 1]), ("Mean latency", vec![0, 1])],
        "no other run has large I/O, or 4 KiB"
    );
    let found = View::of(&oltp.record).findings;
    let rows = charts[0]["lines"][1]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), found.points.len());
    for (row, point) in rows.iter().zip(&found.points) {
        let io = point.io(Class::SMALL).unwrap();
        assert_eq!(row["x"], point.point.small());
        assert!((row["estimate"][0].as_f64().unwrap() / io.iops.value - 1.0).abs() < 1e-5);
        assert!(row["estimate"][1].as_f64() < row["estimate"][0].as_f64());
    }
    let alone = between(&page, "In no chart, because no other run has", "</p>");
    assert!(alone.contains("3 · ") && !alone.contains("1 · "), "{alone}");
}

#[test]
fn the_overview_has_the_headline_numbers_and_what_speaks_against_them() {
    let good = Run::visited(RunLevel::Simple, &SPREAD);
    let mut cut = Run::visited(RunLevel::Simple, &SPREAD);
    cut.record.closing = None;
    cut.record.visits.truncate(9);
    let mut empty = Run::new(Request::new(RunLevel::Simple), &[("/dev/sdb", 1 << 34)]);
    empty.record.visits.clear();
    let page = page(&[&good, &cut, &empty]);
    let rows: Vec<&str> = between(&page, "<tbody>", "</tbody>").split("<tr").skip(1).collect();
    assert!(
        rows[0].contains("50,000 <small>±") && rows[0].contains("simple, 8\u{a0}KiB and 1\u{a0}MiB"),
        "{}",
        rows[0]
    );
    assert!(!rows[0].contains("cut short") && rows[1].contains("cut short") && !rows[1].contains(">none<"));
    let is_empty = |row: &str| ["<td></td>", "<td class=\"n\"></td>"].iter().any(|cell| row.contains(cell));
    assert!(!rows.iter().any(|row| is_empty(row)), "what is not there is said, too");
    assert!(rows[2].contains("<td class=\"n\">-</td>"), "{}", rows[2]);
}

#[test]
fn text_of_the_records_stays_text() {
    let hostile = "</script><script>alert(1)</script><img src=x onerror='alert(2)'>\"&\u{202e}\u{1b}";
    let mut run = Run::new(Request::new(RunLevel::Simple), &[(hostile, 1 << 34)]);
    run.small(1, 100).large(1, 5000);
    for text in [&mut run.record.header.run_id, &mut run.record.header.started] {
        *text = hostile.to_owned();
    }
    let page = page(&[&run, &run]);
    for part in ["<script>alert", "<img", "\u{202e}", "\u{1b}"] {
        assert!(!page.contains(part), "{part}");
    }
    assert_eq!(page.matches("</script>").count(), 5, "three blocks of figures, the library, the script");
}

/// What the links to the runs are called.
fn names(page: &str) -> Vec<String> {
    let links = between(page, "<nav", "</nav>").split("<a href=\"#r").skip(1);
    links.map(|link| between(link, ">", "</a>").to_owned()).collect()
}

#[test]
fn a_run_is_called_by_its_label_or_its_target_or_its_name() {
    let [mut one, mut other] = [(); 2].map(|()| Run::visited(RunLevel::Oltp, &SPREAD));
    for (run, path) in [(&mut one, "/srv/old/data"), (&mut other, "/srv/new/data")] {
        let target = &mut run.record.header.targets[0];
        target.path = "data".into();
        target.real_path = path.into();
    }
    assert_eq!(names(&page(&[&one, &other])), ["1 · /srv/old/data", "2 · /srv/new/data"]);
    other.record.header.request.label = Some("new <san>".into());
    assert_eq!(names(&page(&[&one, &other])), ["1 · /srv/old/data", "2 · new &lt;san&gt;"]);
    // The same target twice: the runs' own names tell more.
    other.record.header.request.label = None;
    other.record.header.targets = one.record.header.targets.clone();
    other.record.header.request.name = "after".into();
    assert_eq!(names(&page(&[&one, &other])), ["1 · orion", "2 · after"]);
}
