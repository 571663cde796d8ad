//! The record, and every output made again from it.

use crate::support::{EPOCH, Place};
use std::fs;

const SIM: &str = "run normal --engine sim --duration 1s --seed 5 --name out";
/// The page with charts.
const PAGE: &str = "_report.html";
/// ORION's files, and the two tables beside them.
const ORION_FILES: [&str; 8] = [
    "_ci.csv",
    "_flags.csv",
    "_hist.csv",
    "_iops.csv",
    "_lat.csv",
    "_mbps.csv",
    "_summary.txt",
    "_trace.txt",
];

#[test]
fn a_report_makes_every_output_again_byte_for_byte() {
    made_again(SIM);
}

#[test]
fn a_report_on_an_adaptive_run_does_so_too() {
    made_again("run normal --engine sim:spread=exponential,between=2% --seed 5 --name out");
}

fn made_again(run: &str) {
    let place = Place::in_memory();
    let json = place.line(&format!("{run} --json")).expect_code(0).stdout;
    let record = place.only("_record.jsonl");
    let again = Place::in_memory();
    let out = again.path().to_str().unwrap();
    let report = |more: &[&str]| {
        let mut arguments = vec!["report", record.to_str().unwrap()];
        arguments.extend(more);
        place.rigel(arguments).expect_code(0)
    };
    report(&["--format", "orion", "--out", out]);
    for suffix in ORION_FILES {
        assert_eq!(place.read(suffix), again.read(suffix), "{suffix}");
    }
    report(&["--html", "--out", out]);
    assert_eq!(place.read(PAGE), again.read(PAGE));
    assert_eq!(report(&["--format", "json"]).stdout, json);
    let csv = report(&["--format", "csv"]).stdout;
    assert_eq!(csv.lines().count(), 1 + 5 + 2 + 2 * 10, "a header, then a row per point and class");
    for version in ["11.2", "11.1"] {
        let other = Place::in_memory();
        report(&["--format", "orion", "--orion-version", version, "--out", other.path().to_str().unwrap()]);
        assert!(other.read("_summary.txt").starts_with(&format!("ORION VERSION {version}")), "{version}");
    }
}

#[test]
fn nothing_on_disk_is_replaced_without_force() {
    let place = Place::in_memory();
    place.line(SIM).expect_code(0);
    let record = place.only("_record.jsonl");
    let summary = place.only("_summary.txt");
    fs::write(&summary, "mine").unwrap();
    let arguments = ["report", record.to_str().unwrap(), "--format", "orion"];
    let told = place.rigel(arguments).expect_code(3);
    assert!(told.stderr.contains("--force"), "{}", told.stderr);
    assert_eq!(fs::read_to_string(&summary).unwrap(), "mine");
    place.rigel(arguments.into_iter().chain(["--force"])).expect_code(0);
    assert!(fs::read_to_string(&summary).unwrap().starts_with("ORION VERSION"));
}

/// Several records: one page, or the files of each, and no file over another one.
#[test]
fn several_records_become_one_page_or_files_of_each() {
    let place = Place::in_memory();
    for name in ["a", "b"] {
        place
            .line(&format!("run oltp --engine sim --duration 1s --seed 5 --name {name} --no-html"))
            .expect_code(0);
    }
    let record = |name: &str| place.only_of(name, "_record.jsonl").to_str().unwrap().to_owned();
    let (a, b) = (record("a"), record("b"));
    let told = place.rigel(["report", &a, &b, "--html"]).expect_code(0);
    let page = place.only("_and_1_more_report.html");
    assert_eq!(told.stdout.trim_end(), page.to_str().unwrap());
    assert!(page.file_name().unwrap().to_str().unwrap().starts_with("a_"));
    place.rigel(["report", &a, &b, "--html"]).expect_code(3);
    place.rigel(["report", &a, &b, "--html", "--force"]).expect_code(0);

    let told = place.rigel(["report", &a, &b, "--format", "json"]).expect_code(2);
    assert!(told.stdout.is_empty() && told.stderr.contains("--out"), "{}", told.stderr);
    fs::create_dir(place.path().join("out")).unwrap();
    for (format, suffix) in [("json", "_findings.json"), ("csv", "_findings.csv"), ("orion", "_iops.csv")] {
        let told = place.rigel(["report", &a, &b, "--format", format, "--out", "out"]).expect_code(0);
        let files: Vec<&str> = told.stdout.lines().filter(|path| path.ends_with(suffix)).collect();
        assert!(files.len() == 2 && files[0].contains("out/a_") && files[1].contains("out/b_"), "{files:?}");
    }

    // A copy in another directory is of a run of the same name.
    fs::create_dir(place.path().join("copy")).unwrap();
    let copy = place.path().join("copy/a_record.jsonl");
    fs::copy(&a, &copy).unwrap();
    let copy = copy.to_str().unwrap();
    let told = place.rigel(["report", &a, copy, "--format", "csv", "--out", "out", "--force"]).expect_code(2);
    assert!(told.stderr.contains("same file"), "{}", told.stderr);
    place.rigel(["report", &a, copy, "--html", "--out", "out"]).expect_code(0);
    let told =
        place.rigel(["report", &a, "gone_record.jsonl", "--html", "--out", "out", "--force"]).expect_code(2);
    assert!(told.stderr.contains("gone_record.jsonl"), "{}", told.stderr);
}

#[test]
fn the_page_is_written_beside_the_record_unless_it_is_not_wanted() {
    let place = Place::in_memory();
    place.line(&format!("{SIM} --no-html")).expect_code(0);
    assert!(!place.files().iter().any(|name| name.ends_with(PAGE)), "{:?}", place.files());
    let record = place.only("_record.jsonl");
    let told = place.rigel(["report", record.to_str().unwrap(), "--html"]).expect_code(0);
    assert_eq!(told.stdout.trim_end(), place.only(PAGE).to_str().unwrap());
    place.rigel(["report", record.to_str().unwrap(), "--format", "html"]).expect_code(3);
    place.rigel(["report", record.to_str().unwrap(), "--html", "--format", "json"]).expect_code(2);
}

#[test]
fn runs_in_one_minute_do_not_collide() {
    let place = Place::in_memory();
    let names: Vec<_> = (0..3)
        .map(|_| {
            let command = ["run", "oltp", "--engine", "sim", "--duration", "1s", "--name", "twin"];
            let told = crate::support::tell(place.command().args(command).env("SOURCE_DATE_EPOCH", EPOCH));
            told.expect_code(0)
        })
        .collect();
    assert_eq!(names.len(), 3);
    let records: Vec<String> =
        place.files().into_iter().filter(|name| name.ends_with("_record.jsonl")).collect();
    assert_eq!(records.len(), 3, "{records:?}");
    assert_eq!(place.files().len(), 3 * (2 + ORION_FILES.len()));
}

#[test]
fn a_record_that_cannot_be_read_is_told_with_its_line() {
    let place = Place::in_memory();
    place.line(SIM).expect_code(0);
    let record = place.only("_record.jsonl");
    let text = fs::read_to_string(&record).unwrap();
    let broken = place.path().join("broken_record.jsonl");
    let second_line = text.find('\n').unwrap() + 20;
    let mut damaged = text.clone().into_bytes();
    damaged[second_line] = b'#';
    fs::write(&broken, &damaged).unwrap();
    let told = place.rigel(["report", broken.to_str().unwrap(), "--format", "json"]).expect_code(2);
    assert!(told.stderr.contains("line 2"), "{}", told.stderr);
    fs::write(&broken, text.replacen("\"major\":3", "\"major\":9", 1)).unwrap();
    let told = place.rigel(["report", broken.to_str().unwrap(), "--format", "json"]).expect_code(2);
    assert!(told.stderr.contains("format 9"), "{}", told.stderr);
    fs::write(&broken, &text[..text.len() - 5]).unwrap();
    let told = place.rigel(["report", broken.to_str().unwrap(), "--format", "json"]).expect_code(0);
    assert_eq!(told.json()["run"]["complete"], false, "a torn last line is set aside");
    place.rigel(["report", "/nonexistent_record.jsonl", "--format", "json"]).expect_code(2);
}

#[test]
fn a_dry_run_prints_the_plan_and_touches_nothing() {
    let place = Place::new();
    let told = place.line("run normal --dry-run --seed 7").expect_code(0);
    assert_eq!(place.files(), Vec::<String>::new());
    for part in ["17", "seed", "7", "nothing"] {
        assert!(told.stdout.to_lowercase().contains(part), "{part}: {}", told.stdout);
    }
    let target = place.random_file("data", 4 << 20);
    let before = fs::read(&target).unwrap();
    let told = place.rigel(["run", "oltp", "data", "--write", "50", "--dry-run"]).expect_code(3);
    assert!(told.stdout.contains("data"), "{}", told.stdout);
    assert_eq!(fs::read(&target).unwrap(), before);
    assert_eq!(place.files(), ["data"]);
}

#[test]
fn a_dry_run_tells_what_would_be_written() {
    let place = Place::new();
    let told = |line: &str| place.line(line).expect_code(0).stdout;
    let plan = told("run simple --scratch-size 16M --dry-run");
    assert!(plan.contains("a scratch file of 16 MiB would be written, and removed afterwards"), "{plan}");
    assert!(
        !plan.contains("nothing would be written") && plan.contains("16 MiB on the targets in all"),
        "{plan}"
    );
    let plan = told("run simple --scratch-size 16M --keep-scratch --dry-run");
    assert!(plan.contains("and kept afterwards"), "{plan}");
    place.random_file("data", 4 << 20);
    place.random_file("more", 8 << 20);
    let plan =
        place.line("run oltp data more --write 50 --destroy-data more --dry-run").expect_code(3).stdout;
    let flat = plan.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "12 MiB on the targets in all",
        "data may hold data. To allow it, add --destroy-data data",
        "Everything on more would be overwritten",
    ] {
        assert!(flat.contains(part), "{part}: {plan}");
    }
    assert_eq!(place.files(), ["data", "more"]);
    let stray = place.line("run oltp data --write 50 --destroy-data nowhere --dry-run");
    assert!(stray.expect_code(2).stderr.contains("nowhere"));
    // Used again, a scratch file needs no fill.
    let run = "run oltp --scratch-size 16M --keep-scratch --num-disks 1 --duration 100ms --no-html";
    place.line(run).expect_measured();
    let plan = told("run simple --dry-run");
    assert!(
        plan.contains("nothing to fill") && crate::support::flat(&plan).contains("used, and kept afterwards"),
        "{plan}"
    );
}

#[test]
fn a_dry_run_that_nobody_can_read_fails() {
    let place = Place::in_memory();
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = place.command();
    let status = command.args(["run", "simple", "--engine", "sim", "--dry-run"]).stdout(full).status();
    assert_eq!(status.unwrap().code(), Some(3));
}

#[test]
fn a_record_cannot_hide_its_outputs() {
    let place = Place::in_memory();
    place.line("run oltp --engine sim --duration 1s --name seen").expect_code(0);
    let text = place.read("_record.jsonl").replacen("\"run_id\":\"seen_", "\"run_id\":\"..seen_", 1);
    assert!(text.contains("..seen_"));
    let out = Place::in_memory();
    fs::write(out.path().join("r_record.jsonl"), text).unwrap();
    let told = out.line("report r_record.jsonl --format orion").expect_code(2);
    assert!(told.stderr.contains("not a run name"), "{}", told.stderr);
    assert_eq!(out.files(), ["r_record.jsonl"]);
}

#[test]
fn a_pipe_gets_a_line_at_once_and_quiet_gets_none() {
    let place = Place::in_memory();
    let told = place.line(SIM).expect_code(0);
    // How many follow depends on the machine: there is one in ten seconds.
    let points = told.stderr.lines().filter(|line| line.starts_with("point ")).count();
    assert!((1..=17).contains(&points) && told.stderr.contains("\npoint 1 of 17: "), "{}", told.stderr);
    let told = place.line(&format!("{SIM} --quiet")).expect_code(0);
    assert_eq!(told.stderr, "");
}

#[test]
fn what_was_shown_after_a_run_is_shown_again() {
    for (variables, ascii) in [
        (&[("LC_ALL", "C.UTF-8"), ("TERM", "xterm")][..], false),
        (&[("LC_ALL", "C"), ("TERM", "xterm")], true),
        (&[("LC_ALL", "C.UTF-8"), ("TERM", "dumb")], true),
    ] {
        let place = Place::in_memory();
        let tell = |line: &str| {
            let mut command = place.command();
            command.args(line.split_whitespace()).envs(variables.iter().copied());
            crate::support::tell(&mut command).expect_code(0).stdout
        };
        let shown = tell(SIM);
        assert!(!shown.contains('\u{1b}'), "a pipe gets no colours: {shown}");
        assert_eq!(shown.is_ascii(), ascii, "{shown}");
        assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
        let (_, files) = shown.split_once("\nFiles\n").unwrap();
        let (files, beside) = files.split_once("and next to it ").unwrap();
        let files: Vec<&str> = files.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let beside: Vec<&str> = beside.split([',', ' ', '\n']).filter(|ending| !ending.is_empty()).collect();
        assert_eq!(files.len() + beside.len(), place.files().len(), "{files:?} {beside:?}");
        assert!(files.iter().all(|path| place.path().join(path).exists()), "{files:?}");
        beside.iter().for_each(|ending| drop(place.only(ending)));
        let record = place.only("_record.jsonl");
        let name = record.file_name().unwrap().to_str().unwrap();
        assert_eq!(tell(&format!("report {name} --format text")), shown);
        tell(&format!("report {name} --format text --out ."));
        let explained = tell(&format!("report {name} --explain"));
        let (before_files, _) = explained.split_once("\nFiles").unwrap();
        assert!(!place.read("_report.txt").is_ascii(), "a file is not for this terminal alone");
        assert_eq!(before_files.lines().count(), place.read("_report.txt").lines().count());
    }
}

/// Of a directory the newest record is shown, and a command that needs a certain one names those that are there.
#[test]
fn a_directory_stands_for_the_newest_record_in_it() {
    let place = Place::in_memory();
    let none = place.line("report .").expect_code(2);
    assert!(none.stderr.contains("this directory has no record"), "{}", none.stderr);
    place.line(&format!("{SIM}_a --quiet --no-html")).expect_code(0);
    let one = place.line("report .").expect_code(0);
    let named = place.only_of("out_a", "_record.jsonl");
    let shown = |text: &str| text.split("\nmore: ").next().unwrap().to_owned();
    assert_eq!(shown(&one.stdout), shown(&place.rigel(["report".as_ref(), named.as_os_str()]).stdout));
    assert!(!one.stderr.contains("newest"), "{}", one.stderr);
    std::thread::sleep(std::time::Duration::from_millis(20));
    place.line(&format!("{SIM}_b --quiet --no-html")).expect_code(0);
    let two = place.line("report .").expect_code(0);
    assert!(
        two.stdout.contains("out_b") && two.stderr.contains("is the newest of 2 records in ."),
        "{two:?}"
    );
    let told = place.line("advise .").expect_code(2).stderr;
    assert!(told.contains("out_b_") && told.contains("out_a_"), "{told}");
}
