//! The page with charts, as far as it can be judged without a browser.

use crate::support::{MINUTE, Run, SPREAD, file_of, in_this_order, steady};
use rigel_core::facts::DeviceFacts;
use rigel_core::judge::flags::{Flag, FlagCode};
use rigel_core::load::class::Class;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::Request;
use rigel_report::{Format, View};
use serde_json::Value;

fn page(run: &Run) -> String {
    run.file(Format::Html, "_report.html")
}

/// What stands between two texts, the first time.
fn between<'a>(page: &'a str, before: &str, after: &str) -> &'a str {
    let (_, rest) = page.split_once(before).unwrap_or_else(|| panic!("no {before}"));
    rest.split_once(after).unwrap_or_else(|| panic!("no {after} behind {before}")).0
}

/// The verdict, the first screen, and why.
fn verdict(page: &str) -> &str {
    between(page, "<section class=\"verdict", "<p class=\"about\">Every number is")
}

/// The figures of the charts.
fn figures(page: &str) -> Value {
    serde_json::from_str(between(page, "id=\"findings\">", "</script>")).unwrap()
}

/// The page without the library, the script and the style, which are the same for every record.
fn own(page: &str) -> String {
    let mut own = page.to_owned();
    for (before, after) in
        [("<style>", "</style>"), ("id=\"library\">", "</script>"), ("<script>", "</script>")]
    {
        let part = between(page, before, after);
        own = own.replacen(part, "", 1);
    }
    own
}

#[test]
fn the_verdict_says_whether_the_numbers_may_be_used_why_and_what_to_do() {
    let mut run = Run::visited(RunLevel::Simple, &SPREAD);
    run.record.header.request.command_line = "simple /dev/sdb ".into();
    let page = page(&run);
    in_this_order(
        verdict(&page),
        &[
            "<strong>Use with care: 1 warning.</strong>",
            "<p>This storage reached 50,000 small I/Os per second (±",
            "MB per second of large I/O (±",
            "<svg viewBox=",
            "<polyline",
            "<p>The requested ±5\u{a0}% was reached at all 7 points.</p>",
            "<ul class=\"causes\">\n<li><b>",
            "</b> <span class=\"flag\">",
            " <span class=\"do\">",
            "<p class=\"next\">",
            "<code>rigel run simple /dev/sdb</code>",
        ],
    );
}

#[test]
fn a_number_that_must_not_be_used_makes_the_verdict_bad() {
    let mut run = Run::new(Request::new(RunLevel::Simple), &[("/dev/sdb", 1 << 34)]);
    run.small(1, 100).small(2, 200).large(1, 5000);
    run.record.visits[1].tallies.insert(Class::SMALL, steady(8192, 1, MINUTE, 60 * 200));
    let mut view = View::of(&run.record);
    let flag = Flag::new(FlagCode::Little, "rate <b> off").invalidating();
    view.findings.points[1].flags = vec![flag.clone()];
    let some = file_of(&view, Format::Html, "_report.html");
    assert!(some.contains("<section class=\"verdict care\""), "another point has a number that may be used");
    view.findings.points[0].flags = vec![flag];
    let page = file_of(&view, Format::Html, "_report.html");
    assert!(page.contains("<section class=\"verdict bad\""));
    in_this_order(
        verdict(&page),
        &[
            "<strong>Do not use the numbers of small I/O.</strong>",
            "<p>This storage seemed to reach",
            "<li><b>Rate and latency do not match the outstanding I/Os",
            "<span class=\"flag bad\">LITTLE</span> 2 of 3 points, not to be used: rate &lt;b&gt; off. <span class=\"do\">Repeat",
            "visited once",
        ],
    );
    let evidence = between(&page, "<section id=\"evidence\">", "</section>");
    assert!(evidence.contains("rate &lt;b&gt; off; the numbers must not be used"), "{evidence}");
    let figures = figures(&page);
    assert_eq!(figures["points"][1]["invalid"], true);
    assert_eq!(figures["points"][1]["flags"][0], "LITTLE");
}

#[test]
fn a_run_that_was_cut_short_says_so_first() {
    let mut run = Run::visited(RunLevel::Simple, &SPREAD);
    run.record.closing = None;
    run.record.visits.truncate(9);
    let page = page(&run);
    in_this_order(verdict(&page), &["Use with care", "<b>Run cut short: "]);
    run.record.visits.clear();
    let empty = self::page(&run);
    in_this_order(
        verdict(&empty),
        &["There are no numbers yet.", "<p>Nothing was measured.</p>", "Run cut short"],
    );
    assert!(!empty.contains("<figure>"));
}

#[test]
fn the_title_asks_the_question_of_the_storage() {
    let mut run = Run::visited(RunLevel::Simple, &SPREAD);
    assert!(page(&run).contains("<h1>How many IOPS and MBPS on /dev/sdb?</h1>"));
    let target = &mut run.record.header.targets[0];
    target.path = "./rigel-scratch.dat".into();
    target.real_path = "/u01/data/rigel-scratch.dat".into();
    target.mount_point = Some("/u01".into());
    target.device =
        Some(DeviceFacts { name: "nvme0n1".into(), model: Some("PM9A3".into()), ..DeviceFacts::default() });
    assert!(page(&run).contains("<h1>How many IOPS and MBPS on /u01 (PM9A3)?</h1>"));
    run.record.header.request.label = Some("old <san>".into());
    assert!(page(&run).contains("<h1>old &lt;san&gt;: How many IOPS and MBPS on /u01 (PM9A3)?</h1>"));
}

/// All that a browser could load has an address; the policy would refuse it, and there is none.
#[test]
fn the_page_loads_nothing() {
    let own = own(&page(&Run::visited(RunLevel::Normal, &SPREAD)));
    for part in ["http:", "https:", "src=", "href=", "url(", "@import", " on"] {
        let before_tags = own.split('<').any(|tag| tag.split('>').next().unwrap_or_default().contains(part));
        assert!(!before_tags, "{part}");
    }
    let policy = between(&own, "Content-Security-Policy\" content=\"", "\"");
    assert!(
        policy.starts_with("default-src 'none'; script-src 'sha256-") && !policy.contains("http"),
        "{policy}"
    );
}

#[test]
fn text_of_a_record_stays_text() {
    let hostile = "</script><script>alert(1)</script><img src=x onerror='alert(2)'>\"&\u{202e}\u{1b}";
    let mut run = Run::new(Request::new(RunLevel::Simple), &[(hostile, 1 << 34)]);
    run.small(1, 100).large(1, 5000);
    let header = &mut run.record.header;
    for text in [
        &mut header.run_id,
        &mut header.started,
        &mut header.program_version,
        &mut header.request.command_line,
        &mut header.nodes.first_mut().host.kernel,
    ] {
        *text = hostile.to_owned();
    }
    header.nodes.first_mut().engine.notes = vec![hostile.to_owned()];
    run.record.closing.as_mut().unwrap().reason = Some(hostile.to_owned());
    run.record.closing.as_mut().unwrap().complete = false;
    let page = page(&run);
    for part in ["<script>alert", "<img", "\u{202e}", "\u{1b}"] {
        assert!(!page.contains(part), "{part}");
    }
    assert_eq!(page.matches("</script>").count(), 3, "those of the page");
    assert!(page.matches("&lt;/script&gt;&lt;script&gt;alert(1)").count() >= 7);
}

/// What the charts show are the numbers of the findings, with their intervals.
#[test]
fn figures_are_those_of_the_findings() {
    let run = Run::visited(RunLevel::Normal, &SPREAD);
    let view = View::of(&run.record);
    let figures = figures(&file_of(&view, Format::Html, "_report.html"));
    let close = |told: &Value, exact: f64| (told.as_f64().unwrap() / exact - 1.0).abs() < 1e-5;
    assert_eq!(figures["points"].as_array().unwrap().len(), view.findings.points.len());
    for (told, found) in figures["points"].as_array().unwrap().iter().zip(&view.findings.points) {
        assert_eq!(
            (told["levels"]["small"].as_u64(), told["levels"]["large"].as_u64()),
            (Some(found.point.small().into()), Some(found.point.large().into()))
        );
        for (class, io) in found.classes() {
            let told = &told["ios"][class.name()];
            let (lo, hi) = io.rate().ends().unwrap();
            assert!(
                close(&told["rate"][0], io.rate().value)
                    && close(&told["rate"][1], lo)
                    && close(&told["rate"][2], hi)
            );
            let ios: u64 =
                told["histogram"].as_array().unwrap().iter().map(|bin| bin[1].as_u64().unwrap()).sum();
            assert_eq!(ios, io.reads.count() + io.writes.count());
        }
    }
    assert_eq!(figures["visits"].as_array().unwrap().len(), run.record.visits.len());
    assert_eq!(figures["visits"][0]["counts"], false, "a long visit");
    let loss = &figures["interference"]["small"][0];
    assert_eq!((&loss["level"], &loss["rows"][0]["added"]), (&Value::from(1), &Value::from(1)));
    let [value, lo, hi] = [0, 1, 2].map(|at| loss["rows"][0]["loss"][at].as_f64().unwrap());
    assert!(
        lo < value && value < hi && value.abs() < 0.05,
        "{lo} {value} {hi}: these classes do not hinder each other"
    );
}

#[test]
fn a_search_has_its_curve() {
    let run = Run::searched(RunLevel::Oltp);
    let page = page(&run);
    assert!(page.contains("id=\"search-small\""));
    let figures = figures(&page);
    assert_eq!(figures["curves"][0]["class"]["name"], "small");
    assert!(figures["curves"][0]["levels"].as_array().unwrap().len() > 3);
}

#[test]
fn the_same_record_gives_the_same_page() {
    let run = Run::visited(RunLevel::Normal, &SPREAD);
    let (one, other) = (page(&run), page(&run));
    assert!(one == other);
    assert!(one.len() < 1_000_000, "{} bytes", one.len());
}
