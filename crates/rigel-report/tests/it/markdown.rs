//! The page for a ticket.

use crate::support::{MINUTE, Run, SPREAD, file_of, in_this_order, steady};
use rigel_core::judge::flags::{Flag, FlagCode};
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::Request;
use rigel_report::{Format, View};

fn page(run: &Run) -> String {
    run.file(Format::Markdown, "_report.md")
}

/// The cells of the rows of the table below a heading.
fn table<'a>(page: &'a str, heading: &str) -> Vec<Vec<&'a str>> {
    let (_, rest) = page.split_once(heading).unwrap();
    let rows = rest.trim_start_matches('\n').lines().take_while(|line| line.starts_with('|'));
    rows.skip(2).map(|row| row.trim_matches('|').split(" | ").map(str::trim).collect()).collect()
}

#[test]
fn verdict_headline_and_run_are_there() {
    let page = page(&Run::visited(RunLevel::Simple, &SPREAD));
    let heading = "# Storage measurement `orion_20260101_1200`\n\n**Use with care: ";
    assert!(page.starts_with(heading), "{page}");
    in_this_order(
        &page,
        &[
            "**\n\nThis storage reached 50,000 small I/Os per second (±1.7 %)",
            " at all 7 points.\n",
            " of 8 KiB and large I/O of 1 MiB, reads only, on /dev/sdb",
            " small IOPS | 50,000 ±1.7 % | 49,162 to 50,838, 4 visits | Small=5 and Large=0 |\n",
            "±: half of the 95 % CI",
            "\n| Target | `/dev/sdb`, file, 16 GiB |\n",
            " | `io_uring` |\n",
        ],
    );
}

#[test]
fn every_class_of_every_point_has_a_row() {
    let page = page(&Run::visited(RunLevel::Normal, &SPREAD));
    let rows = table(&page, "## Points");
    assert_eq!(rows.len(), 5 + 2 + 2 * 10);
    assert!(rows.iter().all(|row| row.len() == 10), "{rows:?}");
    let row = rows.iter().find(|row| row[..3] == ["3", "2", "small"]).unwrap();
    assert!(row[3].starts_with("30,000 ±") && row[5].contains(" us ±") && row[8] == "4", "{row:?}");
}

#[test]
fn what_speaks_against_a_number_stands_beside_it() {
    let mut run = Run::new(Request::new(RunLevel::Simple), &[("/dev/sdb", 1 << 34)]);
    run.small(1, 100).small(2, 200).large(1, 5000);
    let mut view = View::of(&run.record);
    view.findings.points[1].flags =
        vec![Flag::new(FlagCode::Little, "rate <b> off by 5_000_000").invalidating()];
    let page = file_of(&view, Format::Markdown, "_report.md");
    assert!(page.contains("\n**Use with care: 1 warning.**\n"), "{page}");
    assert!(
        page.contains(
            " `LITTLE`, 2 outstanding small I/Os, not to be used: rate &lt;b&gt; off by 5\\_000\\_000. Repeat on "
        ),
        "{page}"
    );
    assert!(
        page.contains("at Small=2 and Large=0 **not to be used** |")
            || page.contains("| Small=2 and Large=0 **not to be used** |"),
        "{page}"
    );
    assert_eq!(table(&page, "## Points")[1][9], "**`LITTLE`**");
    assert!(
        page.contains(
            "\n- Flags @ Small=2 and Large=0: LITTLE (rate &lt;b&gt; off by 5\\_000\\_000), not to be used\n"
        ),
        "{page}"
    );
}

#[test]
fn names_cannot_become_markup() {
    let mut run = Run::new(Request::new(RunLevel::Oltp), &[("/dev/sdb", 1 << 34)]);
    run.visit((1, 0), MINUTE, Some(steady(8192, 1, MINUTE, 6000)), None);
    let hostile = "`|</code><script>alert(1)</script>\n# x\n| a | b |\u{202e}@everyone``";
    run.record.header.run_id = hostile.into();
    run.record.header.targets[0].path = hostile.into();
    run.record.header.request.command_line = hostile.into();
    let closing = run.record.closing.as_mut().unwrap();
    closing.complete = false;
    closing.reason = Some("**why** <b> [x](http://e.x)".into());
    let page = page(&run);
    assert_eq!(page.lines().filter(|line| line.starts_with('#')).count(), 3, "{page}");
    assert!(page.contains("``` `\\|</code><script>alert(1)</script>\\x0a# x\\x0a\\| a \\| b \\|\\xe2\\x80\\xae@everyone`` ```"), "{page}");
    assert!(page.contains("Run cut short: \\*\\*why\\*\\* &lt;b&gt; \\[x\\](http\\://e.x)"), "{page}");
}

#[test]
fn a_run_without_points_has_a_verdict() {
    let page = page(&Run::adaptive(RunLevel::Simple));
    assert!(page.contains("\nNothing was measured.\n") && !page.contains("## Points"), "{page}");
}

#[test]
fn nothing_against_the_numbers_is_good() {
    let mut run = Run::new(Request::new(RunLevel::Oltp), &[("/dev/sdb", 1 << 34)]);
    run.small(1, 100);
    let page = page(&run);
    assert!(page.contains("\n**Good: no warnings.**\n"), "{page}");
    assert!(!page.contains("## Flags"), "{page}");
}
