//! Advice: the page, the document, and the file of each product, from runs whose answers are known.

mod files;

use crate::support::{Run, SPREAD, in_this_order};
use rigel_core::error::Problem;
use rigel_core::judge::flags::{Flag, FlagCode};
use rigel_core::load::class::{Class, Pattern};
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::workload::WritePercent;
use rigel_core::record::Record;
use rigel_core::stats::Interval;
use rigel_core::stats::bound::{LatencyBound, LatencyOf};
use rigel_core::units::{KIB, MIB, Nanos};
use rigel_core::witness::{Counts, Witness, WitnessSample};
use rigel_report::advice::{Advisory, document, file, page};
use rigel_report::{View, compare};
use rigel_uses::advice::{Advice, AdviceReport, Conditions, Product, SettingAdvice};
use serde_json::Value;

const SERVER: u32 = 15;

/// A calibration in which one small I/O takes 100 us, up to five side by side, and a stream has 10,000 I/Os per second.
fn calibrated(name: &str, write_percent: u8, small_bytes: u64, large_bytes: u64) -> Record {
    let mut record = Run::visited(RunLevel::Simple, &SPREAD).record;
    record.header.run_id = name.into();
    record.header.targets[0].mount_point = Some("/srv/data".into());
    let request = &mut record.header.request;
    request.set_large(Pattern::Streams { ios_per_stream: 4 });
    request.calibrate(LatencyBound { limit: Nanos::from_millis(10), of: LatencyOf::Mean }, None);
    request.set_writes(WritePercent::new(write_percent).unwrap());
    request.set_size(Class::SMALL, small_bytes);
    request.set_size(Class::LARGE, large_bytes);
    for visit in &mut record.visits {
        visit.tallies.get_mut(&Class::SMALL).into_iter().for_each(|tally| tally.io_bytes = small_bytes);
        visit.tallies.get_mut(&Class::LARGE).into_iter().for_each(|tally| tally.io_bytes = large_bytes);
        let counts = Counts { moved: vec![None], ..Counts::default() };
        let samples = vec![WitnessSample { at_ns: visit.began_ns + 1, counts }];
        let devices = vec![(259, 0)];
        visit.nodes[0].witness = Some(Witness {
            period_ns: 100_000_000,
            cpus: None,
            devices,
            kernel_us: None,
            carried: None,
            began_ns: visit.began_ns,
            samples,
        });
    }
    record
}

fn reads() -> Record {
    calibrated("reads_20260101_1200", 0, 8 * KIB, MIB)
}

fn explained(told: &Advisory<'_>) -> String {
    page(told, true)
}

/// What is made of records; findings may be changed before.
fn with<T>(records: &[Record], change: impl Fn(&mut View<'_>), made: impl Fn(&Advisory<'_>) -> T) -> T {
    let mut views: Vec<View<'_>> = records.iter().map(View::of).collect();
    views.iter_mut().for_each(change);
    let advised = AdviceReport::of(&compare::runs(&views), Conditions::default(), None).unwrap();
    made(&Advisory { views: &views, advised: &advised })
}

fn made(records: &[Record], product: Product, server: u32) -> Result<String, Problem> {
    with(records, |_| {}, |told| file(told, product, server))
}

/// A figure in doubt: one read took between nothing and twice the time.
fn in_doubt(view: &mut View<'_>) {
    let io = view.findings.points[0].ios.get_mut(&Class::SMALL).unwrap();
    let mean = &mut io.latency_us.as_mut().unwrap().mean;
    mean.interval = mean.interval.map(|known| Interval { lo95: 0.0, hi95: 242.0, ..known });
}

#[test]
fn warnings_stand_above_the_tables() {
    let page = with(&[reads()], in_doubt, |told| page(told, false));
    let (warnings, _) = page.split_once("\n\nPostgreSQL: ").unwrap();
    // Settings that lack the same stand together, with the reason and the command below them; then the flags.
    in_this_order(
        warnings,
        &[
            " from 1 run; ",
            "\n\nWITHHELD: ",
            "random_page_cost (postgresql)\n",
            " its interval reaches",
            "\n      rigel calibrate /dev/sdb --for 5m\n",
            "effective_io_concurrency, maintenance_io_concurrency (postgresql);",
            "innodb_read_io_threads (mysql)\n",
            "(NOT_SATURATED)",
            "\n      rigel calibrate /dev/sdb --num-disks 16 --for 5m\n\nCARE: ",
            "\n  SLOW_NOISE: ",
        ],
    );
}

#[test]
fn a_table_has_what_is_known_and_each_of_its_words_is_explained() {
    let page = with(&[reads()], in_doubt, |told| page(told, false));
    assert_eq!(
        table(&page, Product::Postgresql),
        [
            "random_page_cost | withheld",
            "effective_io_concurrency | withheld",
            "maintenance_io_concurrency | withheld",
            "io_method | io_uring | v18, comment",
            "io_workers | 4 | v18, comment",
        ]
    );
    let mysql = ["innodb_read_io_threads | withheld", "innodb_flush_method | O_DIRECT"];
    assert_eq!(table(&page, Product::Mysql), mysql);
    assert_eq!(
        table(&page, Product::Oracle),
        [
            "MAX_IOPS | 50000 | 49162 to 50838",
            "MAX_MBPS | 20000 | 19665 to 20335",
            "MAX_PMBPS | 10000 | 9832 to 10168",
            "LATENCY | 0",
            "NUM_PHYSICAL_DISKS | 1",
            "db_file_multiblock_read_count | not set",
        ]
    );
    let model = ["device | 259:0", "rbps | 20971520000 | 20619999992 to 21323040008"];
    assert_eq!(table(&page, Product::Cgroup), model);
    let bytes = "rbps | 20619999992 | 20619999992 to 21323040007";
    assert_eq!(table(&page, Product::CgroupMax), ["device | 259:0", bytes, "riops | 49161 | 49161 to 50838"]);
    let bytes = "read_bandwidth | 20619999992 | 20619999992 to 21323040007";
    assert_eq!(table(&page, Product::Seastar), ["mountpoint | /srv/data", bytes]);
    // What no record has figures for is named below.
    in_this_order(
        &page,
        &[
            "\n  postgresql  io_combine_limit",
            "\n  mysql       innodb_io_capacity, innodb_io_capacity_max",
            "\n  cgroup      rseqiops, rrandiops, wbps, wseqiops, wrandiops",
            "\n  cgroup-max  wbps, wiops",
            "\n  seastar     read_iops, write_iops, write_bandwidth",
            "\nrange: ",
            "\nv18: ",
            "\ncomment: ",
            "\nwithheld: ",
            "\nnot measured: ",
        ],
    );
    assert!(!page.contains("\nto v17: "), "no setting has it: {page}");
}

#[test]
fn a_withheld_setting_is_a_comment_with_its_reason_and_the_command() {
    let file = with(&[reads()], in_doubt, |told| file(told, Product::Postgresql, 18)).unwrap();
    assert!(!file.lines().any(|line| line.starts_with("random_page_cost")), "{file}");
    assert!(file.contains("# withheld: random_page_cost: latency of a random read of 8 KiB"), "{file}");
    assert!(file.contains("\n#     rigel calibrate /dev/sdb --for 5m\n"), "{file}");
    assert!(
        file.lines().all(|line| line.is_empty() || line.starts_with('#') || line.contains(" = ")),
        "{file}"
    );
    let json = with(&[reads()], in_doubt, document).unwrap();
    let json: Value = serde_json::from_slice(&json).unwrap();
    let cost = setting(&json, "random_page_cost");
    assert!(cost["value"].is_null() && cost["lo"].is_null() && cost["derivation"].is_null(), "{cost}");
    assert_eq!(cost["refused"]["kind"], "in_doubt");
    assert_eq!(
        cost["refused"]["because"],
        "latency of a random read of 8 KiB, one outstanding: its interval reaches 0"
    );
    assert!(cost["refused"]["details"].as_str().unwrap().contains("100 us (0 to 242)"), "{cost}");
    assert_eq!(cost["refused"]["command"], "rigel calibrate /dev/sdb --for 5m");
    assert_eq!(cost["measured"][0]["lo95"], 0.0);
}

/// The values of a busy host stand in every output, marked, with their ranges; a file that has comments has them as comments.
#[test]
fn what_others_disturbed_is_rough_everywhere() {
    let disturbed = |view: &mut View<'_>| {
        let foreign = Flag::new(FlagCode::Foreign, "1 of 4 visits: others used 1.0 cores; ".repeat(40));
        view.findings.points.iter_mut().for_each(|found| found.flags.push(foreign.clone()));
    };
    let page = with(&[reads()], disturbed, |told| page(told, false));
    assert_eq!(table(&page, Product::Postgresql)[0], "random_page_cost | 13.7 | 13.27 to 14.13 | rough");
    in_this_order(&page, &["\nROUGH: ", "random_page_cost (postgresql)", "To narrow them: ", "\nrough: "]);
    let because = "latency of a random read of 8 KiB, one outstanding: other programs used the CPUs or the device (FOREIGN)";
    let file = with(&[reads()], disturbed, |told| file(told, Product::Postgresql, SERVER)).unwrap();
    assert!(file.lines().all(|line| line.is_empty() || line.starts_with('#')), "{file}");
    let flat = |text: &str| text.replace("\n#", " ").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(file.contains("\n# random_page_cost = 13.7\n"), "{file}");
    assert!(flat(&file).contains(&format!("rough: {because} 13.27 to 14.13 over")), "{file}");
    let json: Value = serde_json::from_slice(&with(&[reads()], disturbed, document).unwrap()).unwrap();
    let cost = setting(&json, "random_page_cost");
    assert_eq!((&cost["value"], &cost["refused"]), (&"13.7".into(), &Value::Null), "{cost}");
    assert_eq!(
        (&cost["rough"]["kind"], &cost["rough"]["because"]),
        (&"rough".into(), &because.into()),
        "{cost}"
    );
    let calm: Value = serde_json::from_slice(&with(&[reads()], |_| {}, document).unwrap()).unwrap();
    assert_eq!(setting(&calm, "random_page_cost")["rough"], Value::Null);
    let script =
        with(&[reads()], disturbed, |told| rigel_report::advice::file(told, Product::Oracle, SERVER));
    assert!(!script.unwrap().contains("ALTER SYSTEM"), "a script has no line that runs");
}

/// A script for Oracle has no line that runs for what is withheld, and a file of nothing is none.
#[test]
fn where_all_is_withheld_nothing_is_set() {
    let disturbed = |view: &mut View<'_>| {
        let zeros = Flag::new(FlagCode::Zeros, "half of the blocks").invalidating();
        view.findings.points.iter_mut().for_each(|found| found.flags.push(zeros.clone()));
    };
    let script = with(&[reads()], disturbed, |told| file(told, Product::Oracle, SERVER)).unwrap();
    assert!(!script.contains("ALTER SYSTEM") && !script.contains("INSERT"), "{script}");
    let problem = with(&[reads()], disturbed, |told| file(told, Product::Postgresql, SERVER)).unwrap_err();
    assert_eq!(problem.kind.code(), 1, "measured, and not good enough: {problem}");
    let told = problem.to_string();
    assert!(told.contains("ZEROS") && told.len() < 1000, "{told}");
}

#[test]
fn the_page_explains_every_setting() {
    let page = with(&[reads()], |_| {}, explained);
    let advice = with(&[reads()], |_| {}, |told| told.advised.advice.clone());
    for product in Product::ALL {
        let all: Vec<&Advice> = advice.iter().filter(|one| one.product == product).collect();
        let rows = table(&page, product);
        let listed = rows.iter().map(|row| row.split(" | ").next().unwrap());
        assert!(listed.eq(all.iter().map(|one| one.setting)), "{rows:?}");
        let mut parts = Vec::new();
        // What rests on the same source names it once, behind the last.
        for own in all.chunk_by(|one, next| one.source == next.source) {
            parts.extend(own.iter().flat_map(|one| explanation(one)));
            parts.push(own[0].source.to_owned());
        }
        let flat =
            section(&page, product).split_whitespace().collect::<Vec<_>>().join(" ").replace("µs", "us");
        in_this_order(&flat, &parts);
        for one in all {
            assert_eq!(flat.matches(one.source).count(), 1, "{}: {flat}", one.source);
        }
    }
    let rows = table(&page, Product::Postgresql);
    assert_eq!(rows[0], "random_page_cost | 13.7 | 13.27 to 14.13");
    assert_eq!(rows[5], "io_combine_limit | not measured");
    in_this_order(
        section(&page, Product::Postgresql),
        &[
            "(123.7 to 132.3)",
            " 0 %   16\n",
            " 90 %  13.7  (13.27 to 14.13)\n",
            " 99 %  2.27  (2.23 to 2.31)\n",
        ],
    );
    assert!(!page.contains("--explain"), "it was asked for: {page}");
}

/// What is told of a setting below the table, in order.
fn explanation(advice: &Advice) -> Vec<String> {
    let valued = |given: &SettingAdvice| {
        let ends = given.value.ends.as_ref().filter(|(lo, hi)| lo != hi);
        let range = ends.map_or_else(String::new, |(lo, hi)| format!("({lo} to {hi}) "));
        format!("{} {range}", given.value.text)
    };
    let derived = |given: &SettingAdvice| {
        let measured = given.measured.iter().map(|one| format!("- {}: {}", one.what, one.told()));
        std::iter::once(given.why.clone()).chain(measured).collect::<Vec<_>>()
    };
    let mut parts = Vec::new();
    match &advice.outcome {
        Ok(given) => {
            parts.push(format!(" {} = {}", advice.setting, valued(given)));
            parts.extend(derived(given));
        }
        Err(refusal) => {
            parts.push(format!(" {}: ", advice.setting));
            if let Some(given) = refusal.withheld.as_deref() {
                parts.extend([format!(": {}", valued(given)), refusal.details.clone().unwrap()]);
                parts.extend(derived(given));
            } else {
                parts.extend([refusal.because.clone(), refusal.next.clone()]);
                parts.extend(refusal.place().map(str::to_owned));
                parts.extend(refusal.command.clone());
            }
        }
    }
    parts
}

/// The part of a page about a product, without its title.
fn section(page: &str, product: Product) -> &str {
    let (_, rest) = page.split_once(&format!(": --database {}\n", product.name())).unwrap();
    rest.split_once(": --database ").map_or(rest, |(own, _)| own)
}

/// The lines of its table below the heading; the cells that hold something, each behind a bar.
fn table(page: &str, product: Product) -> Vec<String> {
    let cells = |line: &str| {
        let cells = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty());
        cells.collect::<Vec<_>>().join(" | ")
    };
    let lines = section(page, product).lines().skip(1).map(cells);
    // A remark of several words ends it as well.
    lines
        .take_while(|line| {
            line.split(" | ").next().is_some_and(|name| !name.is_empty() && !name.contains(' '))
        })
        .collect()
}

#[test]
fn half_a_file_is_refused_with_what_to_measure() {
    for product in [Product::Seastar, Product::Cgroup] {
        let problem = made(&[reads()], product, SERVER).unwrap_err();
        assert_eq!(problem.kind.code(), 2);
        let told = problem.to_string();
        assert!(told.contains("--write 100") && told.contains("--size-small 4K"), "{told}");
        assert!(told.contains(&format!("--database {}", product.name())), "{told}");
    }
    let mut nowhere = reads();
    nowhere.visits.iter_mut().for_each(|visit| visit.nodes[0].witness = None);
    let problem = made(&[nowhere], Product::CgroupMax, SERVER).unwrap_err();
    assert!(problem.to_string().contains("does not show which disk"), "{problem}");
}

#[test]
fn the_level_of_a_search_is_used() {
    let mut run = Run::searched(RunLevel::Simple);
    run.rounds(&SPREAD);
    let records = [run.record];
    let file = made(&records, Product::Postgresql, SERVER).unwrap();
    assert!(file.contains("\neffective_io_concurrency = 8\n"), "{file}");
    let newer = made(&records, Product::Postgresql, 18).unwrap();
    let comment =
        "\n# effective_io_concurrency = 8\n#   Not confirmed for versions after 17, so it is a comment";
    assert!(newer.contains(comment), "{newer}");
    let json = with(&records, |_| {}, document).unwrap();
    let json: Value = serde_json::from_slice(&json).unwrap();
    let found = setting(&json, "effective_io_concurrency");
    assert_eq!(found["until"].as_u64(), Some(17));
    assert_eq!((found["value"].as_str(), found["measured"][0]["value"].as_f64()), (Some("8"), Some(8.0)));
}

fn setting<'a>(json: &'a Value, name: &str) -> &'a Value {
    json["advice"].as_array().unwrap().iter().find(|advice| advice["setting"] == name).unwrap()
}

#[test]
fn the_document_holds_values_figures_and_refusals() {
    let json = with(&[reads()], |_| {}, document).unwrap();
    let json: Value = serde_json::from_slice(&json).unwrap();
    assert_eq!((json["schema"].as_str(), json["simulated"].as_bool()), (Some("rigel.advice/1"), Some(false)));
    assert_eq!(json["runs"][0]["name"], "reads_20260101_1200");
    let cost = setting(&json, "random_page_cost");
    // 100 us against 8 KiB of 10,000 MBPS, 0.78 us: 128 times; a tenth of what is more than 1.
    let value: f64 = cost["value"].as_str().unwrap().parse().unwrap();
    assert!((value / 13.7 - 1.0).abs() < 0.01, "{cost}");
    let others = cost["otherwise"].as_array().unwrap();
    assert_eq!(
        (others.len(), others[0]["when"].as_str(), others[0]["value"].as_str()),
        (3, Some("hit rate 0 %"), Some("16"))
    );
    let end = |name: &str| cost[name].as_str().unwrap().parse::<f64>().unwrap();
    assert!(end("lo") < value && value < end("hi"), "{cost}");
    assert_eq!(cost["measured"].as_array().unwrap().len(), 2);
    assert_eq!(cost["measured"][0]["run"], "reads_20260101_1200");
    assert!(cost["refused"].is_null() && cost["source"].as_str().unwrap().starts_with("https://"));
    let capacity = setting(&json, "innodb_io_capacity");
    assert!(capacity["value"].is_null() && capacity["derivation"].is_null(), "{capacity}");
    assert!(capacity["refused"]["command"].as_str().unwrap().contains("--write 100"), "{capacity}");
}

#[test]
fn a_simulated_device_and_flags_are_told_everywhere() {
    let flags = |view: &mut View<'_>| {
        view.findings.flags.push(Flag::new(FlagCode::Simulated, "engine sim: no storage was touched"));
        view.findings.flags.push(Flag::new(FlagCode::SlowNoise, "visits resemble each other"));
    };
    let all = [Product::Postgresql, Product::Oracle, Product::Mysql];
    let files = all.map(|product| with(&[reads()], flags, |told| file(told, product, SERVER)).unwrap());
    for text in files.into_iter().chain([with(&[reads()], flags, explained)]) {
        assert!(text.contains("SIMULATED: no storage was touched"), "{text}");
        assert!(text.contains("SLOW_NOISE: visits resemble each other"), "{text}");
    }
}

/// The kernel takes a line without comments, so what they would say goes elsewhere.
#[test]
fn what_a_line_of_the_kernel_cannot_say_is_told_beside_it() {
    let flags = |view: &mut View<'_>| {
        view.findings.flags.push(Flag::new(FlagCode::Simulated, "engine sim: no storage was touched"));
        view.findings.flags.push(Flag::new(FlagCode::NotSaturated, "it may be\nmore"));
    };
    let mut cut = reads();
    cut.closing = None;
    let told = with(&[cut], flags, |told| Product::ALL.map(|product| told.beside(product)));
    let [postgresql, mysql, oracle, model, limits, seastar] = told;
    assert!([postgresql, mysql, oracle, seastar].concat().is_empty(), "they have comments");
    for parts in [
        vec!["SIMULATED: no storage was touched"],
        vec!["was cut short"],
        vec!["NOT_SATURATED: it may be\\x0amore"],
        vec!["wbps is not measured", "--write 100"],
    ] {
        for notes in [&model, &limits] {
            let has = |note: &String| parts.iter().all(|part| note.contains(part));
            assert!(notes.iter().any(has), "{parts:?} in {notes:?}");
        }
    }
}

#[test]
fn pages_fit_80_columns_but_for_addresses_and_commands() {
    let writes = calibrated("writes_20260101_1210", 100, 16 * KIB, MIB);
    let text = with(&[reads(), writes], in_doubt, explained);
    let is_whole = |line: &&str| line.contains("https://") || line.contains("rigel calibrate");
    for line in text.lines().filter(|line| !is_whole(line)) {
        assert!(line.chars().count() <= 80, "{line}\n{text}");
    }
}

#[test]
fn a_name_cannot_steer_a_terminal_or_leave_a_comment() {
    let name = "x\nfsync = off\r\u{1b}[2J\u{202e}";
    let mut hostile = reads();
    hostile.header.run_id = name.into();
    hostile.header.started = name.into();
    hostile.header.targets[0].path = name.into();
    let flag = |view: &mut View<'_>| view.findings.flags.push(Flag::new(FlagCode::SlowNoise, name));
    let records = [hostile];
    let mut texts = vec![with(&records, flag, explained)];
    for product in [Product::Postgresql, Product::Mysql, Product::Oracle] {
        texts.push(with(&records, flag, |told| file(told, product, SERVER)).unwrap());
    }
    for text in texts {
        assert!(!text.contains(['\r', '\u{1b}', '\u{202e}']), "{text}");
        assert!(!text.lines().any(|line| line.trim_start().starts_with("fsync")), "{text}");
    }
    let json = String::from_utf8(with(&records, flag, document).unwrap()).unwrap();
    assert!(!json.contains(['\u{1b}', '\u{202e}']), "{json}");
}
