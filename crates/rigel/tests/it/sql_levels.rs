//! The levels of `rigel sql` on a real server: look-ups beside reports, reports alone, users.

use super::sql::{place, private, visits};
use crate::support::{Place, ProgramOutput, tell};
use rigel_testdev::{MissingNeed, PostgresDatabase, PostgresServer, needs};
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Stdio};

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(0.0)
}

/// What one of the points of a document says of a class.
fn class<'a>(document: &'a Value, point: &Value, class: &str) -> &'a Value {
    let all = document["points"].as_array().unwrap();
    let is_it = |one: &&Value| {
        let classes = one["classes"].as_object().unwrap();
        classes.keys().eq(point.as_object().unwrap().keys())
            && classes.iter().all(|(name, class)| class["outstanding"]["planned"] == point[name])
    };
    &all.iter().find(is_it).unwrap_or_else(|| panic!("{point}: {document:#}"))["classes"][class]
}

/// Beside those of the table, look-ups read 35 to 84 blocks in each of 12 visits, however many they were: a private server keeps little in memory.
const OTHER_BLOCKS: f64 = 128.0;

/// Each kind of sessions made the server and the kernel read what it asked for, and hardly anything else.
fn assert_read(visit: &Value) {
    let counts = &visit["nodes"][0]["server"];
    let [look_ups, scanned, ahead] =
        ["probes", "scanned_blocks", "ahead_blocks"].map(|name| number(&counts[name]));
    assert_eq!(look_ups > 0.0, number(&visit["point"]["simple"]) > 0.0, "{visit}");
    assert_eq!(scanned > 0.0, number(&visit["point"]["report"]) > 0.0, "{visit}");
    let is_near =
        |found: f64, asked: f64, more: f64| found >= 0.97 * asked - 8.0 && found <= 1.03 * asked + 8.0 + more;
    assert!(is_near(number(&counts["table_blocks"]), look_ups + scanned, 0.0), "{counts}");
    // Where workers of the server read, nobody can tell the kinds apart.
    let Some(all) = counts["process_bytes"].as_f64() else { return };
    let both = look_ups > 0.0 && scanned > 0.0;
    let of_reports = match counts["report_process_bytes"].as_f64() {
        Some(of_reports) => of_reports,
        None if both => panic!("{counts}"),
        None => all * f64::from(u8::from(scanned > 0.0)),
    };
    assert!(is_near(of_reports / 8192.0, scanned, ahead), "reports: {counts}");
    assert!(is_near((all - of_reports) / 8192.0, look_ups, OTHER_BLOCKS), "look-ups: {counts}");
}

/// The rate of a class is that of the queries that ended, `each` times what the sessions counted.
fn assert_rate(visit: &Value, io: &Value, class: &str, each: f64) {
    let counts = &visit["nodes"][0]["server"];
    let of = if class == "report" { "scanned_blocks" } else { "probes" };
    let made = number(&counts[of]) / each;
    let measured_s = number(&visit["measured_ns"]) / 1e9;
    let counted = number(&io["iops"]["value"]) * measured_s;
    // All that was made has a time, and the window is most of it; a query across an end counts on one side only.
    let sessions = number(&visit["point"][class]);
    assert!(
        counted <= made + sessions && counted >= 0.5 * made - 2.0 * sessions,
        "{counted} of {made}: {io:#}"
    );
}

/// Whether a number of the point must not be used.
fn is_invalid(point: &Value) -> bool {
    point["flags"].as_array().unwrap().iter().any(|flag| flag["invalid"] == true)
}

/// The figure behind the first of these words.
fn behind(text: &str, word: &str) -> f64 {
    let (_, rest) = text.split_once(word).unwrap_or_else(|| panic!("{word}: {text}"));
    let is_digit = |letter: &char| letter.is_ascii_digit() || "-.,".contains(*letter);
    let digits: String = rest.chars().take_while(is_digit).filter(|letter| *letter != ',').collect();
    digits.trim_end_matches('.').parse().unwrap_or_else(|_| panic!("{word}: {text}"))
}

#[test]
fn look_ups_and_reports_are_measured_alone_and_together() {
    let name = "look_ups_and_reports_are_measured_alone_and_together";
    let Some(()) = needs(name, private()) else { return };
    let place = place();
    let line = "sql normal --size 64M --sessions 2 --report-sessions 1 --report-size 1M --duration 500ms --seed 1 --no-html --json";
    let told = place.line(line);
    assert!([0, 1].contains(&told.code), "{}", told.stderr);
    let document = told.json();
    assert_eq!(document["points"].as_array().unwrap().len(), 3, "alone, alone and together");
    let visits = visits(&place, "sql");
    for visit in &visits {
        assert_read(visit);
        for (name, each) in [("simple", 1.0), ("report", 128.0)] {
            if number(&visit["point"][name]) > 0.0 {
                assert_rate(visit, class(&document, &visit["point"], name), name, each);
            }
        }
    }
    assert_costs(&document, &visits);
}

/// What each kind costs the other is said of the rates of the points, and no other figure.
fn assert_costs(document: &Value, visits: &[Value]) {
    let points = document["points"].as_array().unwrap();
    let costs = document["verdict"]["costs"].as_array().unwrap();
    if points.iter().any(is_invalid) {
        // A disturbance of the machine: nothing is said of numbers that must not be used.
        assert!(costs.len() < 2, "{costs:?}");
        return;
    }
    let together =
        visits.iter().map(|visit| &visit["point"]).find(|point| point.as_object().unwrap().len() == 2);
    let together = together.unwrap();
    for (name, own, others) in [
        ("simple", "2 look-up sessions", "Next to 1 report session"),
        ("report", "1 report session", "Next to 2 look-up sessions"),
    ] {
        let is_it = |cost: &&str| cost.starts_with(others) && cost.contains(own);
        let cost = costs.iter().filter_map(Value::as_str).find(is_it).unwrap_or_else(|| panic!("{costs:?}"));
        let alone = serde_json::json!({ name: together[name] });
        let [with, alone] = [together, &alone].map(|point| class(document, point, name));
        let rate = |io: &Value| number(&io["iops"]["value"]);
        let lost = 100.0 * (1.0 - rate(with) / rate(alone));
        let words = cost.replace("loses ", "lose ");
        assert!((behind(&words, "lose ") - lost).abs() <= 0.51, "{cost}: {lost}");
    }
}

#[test]
fn reports_read_by_range_and_by_join() {
    let name = "reports_read_by_range_and_by_join";
    let Some(database) = needs(name, PostgresDatabase::create()) else { return };
    let dsn = database.dsn();
    let sorted = || {
        let files = "select temp_files from pg_stat_database where datname = current_database()";
        let asked = database.ask(files).unwrap();
        asked.parse::<u64>().unwrap()
    };
    let line = "--size 64M --report-sessions 2 --report-size 4M --duration 500ms --no-html --json";
    let run = |by: &str| {
        let place = place();
        let mut rigel = place.command();
        rigel.args(["sql", "dss", "--dsn", &dsn, "--create-in", database.name(), "--report-by", by]);
        let told = tell(rigel.args(line.split(' ')));
        assert!([0, 1].contains(&told.code), "{by}: {}", told.stderr);
        let document = told.json();
        let visit = visits(&place, "sql").remove(0);
        if !is_unverified(&document) {
            assert_read(&visit);
        }
        // Every report reads all of its range, whatever it does with the rows.
        let reports = number(&visit["ios"]["returned"]);
        assert!(reports >= 2.0, "{visit}");
        assert_eq!(number(&visit["nodes"][0]["server"]["scanned_blocks"]), 512.0 * reports, "{by}");
        let io = class(&document, &visit["point"], "report");
        assert_rate(&visit, io, "report", 512.0);
        let mib = number(&io["mbps"]["value"]) / number(&io["iops"]["value"]);
        assert!((mib - 4.0).abs() < 1e-6, "{io:#}");
        reports
    };
    run("range");
    assert_eq!(sorted(), 0, "a range is read and counted, and nothing else");
    let joins = run("join");
    // The memory of a join is less than its rows, so that each writes files to sort them.
    assert!(sorted() as f64 >= joins, "{} files of {joins} joins", sorted());
}

/// A program that keeps every fourth block of a file in memory, so that nobody can have the kernel forget it.
fn holding(file: &Path) -> Result<Child, MissingNeed> {
    const HOLD: &str = "import mmap, sys\n\
        file = open(sys.argv[1], 'rb')\n\
        all = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)\n\
        all.madvise(mmap.MADV_RANDOM)\n\
        sum(all[at] for at in range(0, len(all), 4096) if at // 8192 % 4 == 0)\n\
        print('held', flush=True)\n\
        sys.stdin.read()";
    let mut python = Command::new("python3");
    python.args(["-c", HOLD]).arg(file).stdin(Stdio::piped()).stdout(Stdio::piped());
    python.spawn().map_err(|error| MissingNeed::new(format!("python3: {error}")))
}

fn ask_server(place: &Place, (dsn, name): (&str, &str), line: &str) -> (ProgramOutput, Value) {
    let mut rigel = place.command();
    rigel.args(["sql", "dss", "--dsn", dsn, "--create-in", name, "--no-html", "--json"]);
    let told = tell(rigel.args(line.split(' ')));
    assert!([0, 1].contains(&told.code), "{}", told.stderr);
    let document = told.json();
    (told, document)
}

fn is_unverified(document: &Value) -> bool {
    document["points"][0]["flags"].to_string().contains("UNVERIFIED")
}

#[test]
fn a_report_that_a_cache_answers_is_no_read() {
    let name = "a_report_that_a_cache_answers_is_no_read";
    const LINE: &str = "--size 64M --report-sessions 2 --report-size 1M --duration 500ms";
    // The table fits into the server's own cache.
    let Some(server) = needs(name, PostgresServer::start("shared_buffers = '512MB'")) else { return };
    let dsn = server.dsn();
    ask_server(&place(), (&dsn, "postgres"), LINE);
    server.ask("select sum(length(pad)) from rigel.big").unwrap();
    let (told, document) = ask_server(&place(), (&dsn, "postgres"), LINE);
    assert!(is_unverified(&document) && told.code == 1, "{document:#}");
    drop(server);
    // Nothing of it does, and a fourth of it stays in the page cache: less than all is read.
    let Some(database) = needs(name, PostgresDatabase::create()) else { return };
    let dsn = database.dsn();
    let there = (&*dsn, database.name());
    // On a busy machine the page cache may answer some reports as well, which is told then.
    let share = |place: &Place| {
        let counts = &visits(place, "sql")[0]["nodes"][0]["server"];
        let fetched = &counts["process_bytes"];
        // Where others read for the sessions, as from version 18 on, the device tells, with what was read ahead.
        let bytes = if fetched.is_null() { &counts["device"]["bytes"] } else { fetched };
        (number(bytes) / 8192.0 / number(&counts["scanned_blocks"]), fetched.is_null())
    };
    let before = place();
    let (_, cold) = ask_server(&before, there, LINE);
    let (read, by_device) = share(&before);
    let is_near = (0.985..0.995).contains(&read);
    // The device is others' as well: it may have read more than the sessions did, and never less.
    let is_right =
        if by_device { is_unverified(&cold) || read >= 0.985 } else { is_unverified(&cold) == (read < 0.99) };
    assert!(is_right || is_near, "{read}: {cold:#}");
    let path = database.ask("select pg_relation_filepath('rigel.big')").unwrap();
    let file = database.data().join(path);
    let Some(mut python) = needs(name, holding(&file)) else { return };
    let mut word = [0; 4];
    std::io::Read::read_exact(python.stdout.as_mut().unwrap(), &mut word).unwrap();
    let place = place();
    let (told, warm) = ask_server(&place, there, LINE);
    drop(python.stdin.take());
    python.wait().unwrap();
    let counts = &visits(&place, "sql")[0]["nodes"][0]["server"];
    assert!(is_unverified(&warm) && told.code == 1, "{counts}: {warm:#}");
    // What was read ahead behind the ends of ranges is in it, and may not make up for what was not read.
    assert!((0.3..0.98).contains(&share(&place).0), "{counts}");
}

#[test]
fn users_come_to_a_knee() {
    let name = "users_come_to_a_knee";
    let Some(()) = needs(name, private()) else { return };
    let place = place();
    let told = place.line("sql users --size 64M --sessions 1,2,16 --duration 500ms --no-html --json");
    assert!([0, 1].contains(&told.code), "{}", told.stderr);
    let document = told.json();
    let visits = visits(&place, "sql");
    assert_eq!(visits.len(), 3);
    for visit in &visits {
        assert_read(visit);
        assert_rate(visit, class(&document, &visit["point"], "simple"), "simple", 1.0);
    }
    // A run without raw I/O beside it is shown again, too.
    let record = place.only_of("sql", "_record.jsonl").display().to_string();
    let again = place.line(&format!("sql --record {record} --json"));
    assert_eq!(again.json()["points"], document["points"], "{}", again.stderr);
    let points = document["points"].as_array().unwrap();
    let sentence = document["verdict"]["working"].as_str().unwrap_or_default();
    if points.iter().any(is_invalid) {
        // A disturbance of the machine; what users read was counted above.
        return;
    }
    let of = |point: &Value| {
        let io = &point["classes"]["simple"];
        (
            number(&io["outstanding"]["planned"]),
            number(&io["iops"]["value"]),
            number(&io["latency_us"]["mean"]["value"]),
        )
    };
    let all: Vec<(f64, f64, f64)> = points.iter().map(of).collect();
    let alone_s = all[0].2 / 1e6;
    let knee = if sentence.starts_with("The knee is not reached") {
        behind(sentence, "it is beyond ")
    } else {
        behind(sentence, "The knee is at ")
    };
    // The highest rate times the time that one session needs alone; rates that hardly differ are one.
    let highest = all.iter().map(|point| point.1).fold(0.0, f64::max);
    let fits =
        |rate: f64| rate >= 0.5 * highest && (knee - rate * alone_s).abs() <= 0.51_f64.max(0.01 * knee);
    assert!(all.iter().any(|point| fits(point.1)), "{sentence}: {all:?}");
    let half = behind(sentence, "At half of it, with ");
    let distance = |sessions: f64| (sessions / (knee / 2.0)).ln().abs();
    let nearest = all.iter().map(|point| distance(point.0)).fold(f64::INFINITY, f64::min);
    assert!(distance(half) <= nearest + 0.15, "{sentence}: {all:?}");
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let place = place();
    for (line, parts) in [
        ("sql dss --sessions 2", ["--sessions", "cannot be combined with the level 'dss'"]),
        ("sql oltp --report-size 8M", ["--report-size", "normal, dss and users"]),
        ("sql normal --matrix point --num-small 2", ["--num-large", "point"]),
        ("sql dss --report-size 9K", ["--report-size", "multiple of 16K"]),
        ("sql users --sessions 5000", ["--sessions", "5000 sessions"]),
        ("sql simple . --drop", ["--drop is for an existing server", "name the server with --dsn"]),
        ("sql prove . --create-in shop", ["--create-in is for an existing server", "leave out --create-in"]),
    ] {
        let told = place.line(line).expect_code(2);
        assert!(parts.iter().all(|part| told.stderr.contains(part)), "{line}: {}", told.stderr);
    }
    let name = "what_cannot_be_measured_is_refused";
    let Some(()) = needs(name, private()) else { return };
    let told = place.line("sql dss --dry-run --size 64M --report-sessions 30").expect_code(2);
    assert!(told.stderr.contains("too small for 30 sessions with reports"), "{}", told.stderr);
    let told = place.line("sql oltp --dry-run --size 1M").expect_code(0);
    assert!(told.stderr.contains("no larger than the caches below it"), "{}", told.stderr);
}
