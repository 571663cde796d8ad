//! The history of a storage that several hosts share, with the real binary: sums, what is offered, what if, and many files at once.

use crate::cluster::{DB7, Instance, PROD, awr, space};
use crate::support::{Place, ProgramOutput};
use serde_json::Value;
use std::fs;
use std::process::Stdio;
use std::time::Duration;

fn capacity(place: &Place, line: &str) -> ProgramOutput {
    let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
    place.line(&format!("capacity {command} --store store {rest}"))
}

/// A year of both instances of PROD, and the record of a storage that carries some 800 I/Os a second.
fn cluster(days: u32) -> Place {
    stored(&[awr(&PROD, 0..days)])
}

/// The same of files.
fn stored(files: &[String]) -> Place {
    let place = Place::new();
    for text in files {
        fs::write(place.path().join("prod.csv"), text).unwrap();
        capacity(&place, "import prod.csv --zone UTC --quiet").expect_code(0);
    }
    place.line("calibrate --engine sim:servers=8,service=8ms --max-latency 16ms --no-history --name here --quiet").expect_code(0);
    fs::rename(place.only("_record.jsonl"), place.path().join("here.jsonl")).unwrap();
    place
}

fn document(place: &Place, more: &str) -> Value {
    capacity(place, &format!("forecast here.jsonl --json {more}")).expect_code(0).json()
}

fn iops(document: &Value) -> &Value {
    let all = document["storages"][0]["resources"].as_array().unwrap();
    all.iter().find(|one| one["resource"] == "iops").unwrap()
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The command behind some words.
fn offer(text: &str, behind: &str) -> String {
    let text = words(text);
    let rest = text.split(behind).nth(1).unwrap_or_else(|| panic!("no '{behind}' in {text}"));
    let rest = rest.trim().strip_prefix('`').unwrap_or_else(|| panic!("no command in {text}"));
    let end = rest.find('`').unwrap_or_else(|| panic!("no end in {text}"));
    rest[..end].trim().trim_start_matches("rigel ").to_owned()
}

#[test]
fn two_instances_of_one_database_are_one_storage() {
    let place = cluster(364);
    // Who shares the storage is in the file: it is said, and the command that is offered runs.
    let asked = capacity(&place, "forecast here.jsonl").expect_code(2);
    assert!(
        words(&asked.stderr).contains("rac1 and rac2 have instances of the database PROD (DBID 2718281828)"),
        "{}",
        asked.stderr
    );
    let offered = offer(&asked.stderr, "to sum them:");
    assert_eq!(offered, "capacity forecast --store store here.jsonl --database PROD");
    let told = place.line(&offered).expect_code(0);
    assert!(words(&told.stdout).contains("the load is a sum: rac1 60 % and rac2 40 %"), "{}", told.stdout);
    let list = capacity(&place, "list --database prod").expect_code(0);
    place.line(&offer(&list.stderr, "to sum them:")).expect_code(0);
    // 400 busy I/Os a second in the first days, and as many more after a year.
    let sum = document(&place, "--database PROD");
    let limit = iops(&sum)["limit"]["value"].as_f64().unwrap();
    let due = (limit / 400.0 - 1.0) * 12.0;
    let month = |date: &str| {
        let number = |range: std::ops::Range<usize>| date[range].parse::<f64>().unwrap();
        number(0..4).mul_add(12.0, number(5..7)) - 2026.0 * 12.0 - 1.0
    };
    let likely = iops(&sum)["likely"].as_str().unwrap();
    assert!((month(likely) - due).abs() <= 1.5, "{likely}, due after {due} months, limit {limit}");
    assert!((iops(&sum)["used"].as_f64().unwrap() - 800.0 / limit).abs() < 0.03, "{sum}");
    for same in ["--host rac1,rac2", "--host rac2 --host rac1", "--all", "--database 2718281828"] {
        assert_eq!(iops(&document(&place, same))["likely"], iops(&sum)["likely"], "{same}");
    }
    // One alone lasts longer, and its forecast says who is not in it.
    for (host, other) in [("rac1", "rac2"), ("rac2", "rac1")] {
        let alone = capacity(&place, &format!("forecast here.jsonl --host {host}")).expect_code(0);
        let told = words(&alone.stderr);
        assert!(told.contains(&format!("on {other} shares the storage and is not in this sum")), "{told}");
        place.line(&offer(&alone.stderr, "to add all its instances:")).expect_code(0);
        let alone = document(&place, &format!("--host {host}"));
        assert!(iops(&alone)["likely"].as_str().is_none_or(|date| date > likely), "{host}");
    }
    for (line, said) in [
        ("--host rac3", "no history of the host rac3"),
        ("--database SHOP", "no history of the database SHOP"),
        ("--all --host rac1", "--all"),
        ("--database PROD --without db9", "db9 is not in the sum"),
        ("--host rac1 --without rac1", "no host would be left"),
    ] {
        let told = capacity(&place, &format!("forecast here.jsonl {line}")).expect_code(2);
        assert!(told.stderr.contains(said), "{line}: {}", told.stderr);
    }
}

#[test]
fn show_and_replay_sum_as_the_forecast_does() {
    let place = cluster(28);
    let show = capacity(&place, "show --host rac1,rac2").expect_code(0).stdout;
    let sum = &show[..show.find("database PROD").unwrap()];
    for said in ["sum of rac1 and rac2", "shares of the I/Os: rac1 60 % and rac2 40 %", "redo"] {
        assert!(words(sum).contains(said) == (said != "redo"), "{said}: {show}");
    }
    let means: Vec<f64> = show
        .lines()
        .filter(|line| line.trim_start().starts_with("read_ops"))
        .map(|line| line.split_whitespace().nth(1).unwrap().parse().unwrap())
        .collect();
    assert!(means.len() == 3 && (means[0] / (means[1] + means[2]) - 1.0).abs() < 0.02, "{means:?}");
    let phases = |more: &str| {
        let told = capacity(&place, &format!("replay --phases 1 --every 1h {more}")).expect_code(0);
        let line = told.stdout.lines().find(|line| line.contains(" reads/s")).unwrap();
        let before = line.split(" reads/s").next().unwrap();
        (before.rsplit(' ').next().unwrap().parse::<f64>().unwrap(), told)
    };
    let [both, one, two] = ["--database PROD", "--host rac1", "--host rac2"].map(|more| phases(more).0);
    assert!((both / (one + two) - 1.0).abs() < 0.02, "{both} {one} {two}");
    let (_, told) = phases("--host rac1,rac2 --nodes");
    assert!(told.stdout.contains("node_share = [60, 40]"), "{}", told.stdout);
    assert!(told.stdout.contains("database PROD of rac1 and database PROD/2 of rac2"), "{}", told.stdout);
    let (still, told) = phases("--host rac1,rac2 --nodes --without rac2");
    assert!(still == both && told.stdout.contains("node_share = [100]"), "{still} {both}");
    assert!(told.stdout.contains("# What if: rac2 is gone; its load moves to the others"), "{}", told.stdout);
}

/// Half of the history has one instance only, which is unknown or is all that there was: only the user knows.
#[test]
fn an_instance_that_joined_later_may_count_as_0_before() {
    let place = stored(&[awr(&PROD[..1], 0..364), awr(&PROD[1..], 182..364)]);
    let told = |more: &str| {
        words(&capacity(&place, &format!("forecast here.jsonl --database PROD {more}")).expect_code(0).stdout)
    };
    let cut = told("");
    assert!(cut.contains("50 % of the time is left out of the sum"), "{cut}");
    let offer = "rac2 is known from 2026-07-02 00:07 UTC on; if it did not exist before, --joined rac2 counts it as 0";
    assert!(cut.contains(offer), "{cut}");
    let whole = told("--joined rac2");
    assert!(whole.contains("rac2 counts as 0 before 2026-07-02 00:07 UTC (--joined)"), "{whole}");
    assert!(!whole.contains("50 % of the time") && !whole.contains("if it did not exist"), "{whole}");
    let stranger = capacity(&place, "forecast here.jsonl --database PROD --joined rac9").expect_code(2);
    assert!(stranger.stderr.contains("rac9 is not in the sum"), "{}", stranger.stderr);
    assert!(stranger.stderr.contains("--joined"), "{}", stranger.stderr);
}

#[test]
fn what_if_is_said_first_in_every_output() {
    let place = cluster(364);
    fs::write(place.path().join("db7.csv"), awr(&[DB7], 300..330)).unwrap();
    let plain = document(&place, "--database PROD");
    let before = fs::read(place.path().join("store")).unwrap();
    let more = "--database PROD --without rac2 --add db7.csv --zone UTC --grow 30% --add 20%@2027-12";
    let whole = document(&place, more);
    let sentences: Vec<&str> =
        whole["what_if"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(sentences.len(), 4, "{sentences:?}");
    for (sentence, said) in sentences.iter().zip([
        "What if: rac2 is gone; its 31 % of the load moves to rac1 (1.667 times its load",
        "What if: with the load of db7.csv, 2",
        "What if: all rates are 1.3 times those of the history; space does not change",
        "What if: 20%@2027-12 is added",
    ]) {
        assert!(sentence.starts_with(said), "{said}: {sentences:?}");
    }
    assert_eq!(whole["told"][0], whole["what_if"][0]);
    assert_eq!(whole["scenario"]["without"][0], "rac2");
    let told = capacity(&place, &format!("forecast here.jsonl {more} --html .")).expect_code(0);
    let text = &told.stdout;
    assert!(text.starts_with("What if: rac2 is gone"), "{text}");
    // Two days are no week, and that is said.
    assert!(!told.stderr.contains("less than a week"), "{}", told.stderr);
    fs::write(place.path().join("short.csv"), awr(&[DB7], 300..302)).unwrap();
    for line in ["forecast here.jsonl", "replay"] {
        let more = "--database PROD --add short.csv --zone UTC";
        let told = capacity(&place, &format!("{line} {more}")).expect_code(0).stderr;
        assert!(words(&told).contains("short.csv covers less than a week"), "{line}: {told}");
    }
    let page = fs::read_to_string(place.only("_capacity.html")).unwrap();
    assert!(page.find("What if: rac2 is gone").unwrap() < page.find("year-iops").unwrap());
    // What each changes: nothing for the storage if a host is gone; a quarter more; 1.3 times.
    let used = |document: &Value| iops(document)["used"].as_f64().unwrap();
    let times = |more: &str| used(&document(&place, &format!("--database PROD {more}"))) / used(&plain);
    assert!((times("--without rac2") - 1.0).abs() < 1e-9);
    assert!((times("--grow 30%") - 1.3).abs() < 1e-6);
    let added = times("--add db7.csv --zone UTC");
    // Its usual week is that of a month late in the year: a quarter of 1.86 / 2.
    assert!((added - 1.23).abs() < 0.03, "{added}");
    assert!(fs::read(place.path().join("store")).unwrap() == before, "the file is not stored");
    for (line, said) in [
        ("--add prod.csv --zone UTC", "is in the history already"),
        ("--add db7.csv", "--zone"),
        ("--add here.jsonl", "cannot be imported"),
        ("--add nowhere.csv", "cannot be read"),
        ("--grow 30% --grow 20%", "given twice"),
    ] {
        let told = capacity(&place, &format!("forecast here.jsonl --database PROD {line}"));
        assert!(told.code == 2 || told.code == 3, "{line}: {}", told.stdout);
        assert!(told.stderr.contains(said), "{line}: {}", told.stderr);
    }
}

#[test]
fn the_space_of_all_databases_is_added_up() {
    let place = cluster(100);
    let shop = Instance { database: "SHOP", dbid: "31415", ..PROD[0] };
    for (name, text) in [("prod.csv", space(PROD[0], 100, 100.0)), ("shop.csv", space(shop, 100, 40.0))] {
        fs::write(place.path().join(name), text).unwrap();
        let told = capacity(&place, &format!("import {name} --zone UTC")).expect_code(0).stdout;
        assert!(told.contains("AWR space CSV of rac1: 100 values new"), "{told}");
    }
    let now = |more: &str| {
        let document = document(&place, &format!("{more} --space 1TB"));
        let demand = document["demand"].as_array().unwrap();
        let space = demand.iter().find(|one| one["resource"] == "space").unwrap();
        let last = space["days"].as_array().unwrap().last().unwrap().as_f64().unwrap();
        last / 1024.0_f64.powi(3)
    };
    assert!((now("--database PROD") - 199.0).abs() < 0.5);
    assert!((now("--all") - 1.99 * 140.0).abs() < 0.5);
}

/// A file that tells the number of the database and one that does not are about one series.
#[test]
fn a_database_has_its_number_once_any_file_tells_it() {
    let nameless = Instance { dbid: "", ..PROD[0] };
    for order in [[nameless, PROD[0]], [PROD[0], nameless]] {
        let place = Place::new();
        for (at, instance) in order.into_iter().enumerate() {
            fs::write(place.path().join("x.csv"), awr(&[instance], 0..3)).unwrap();
            let told = capacity(&place, "import x.csv --zone UTC").expect_code(0).stdout;
            assert!(
                told.contains(if at == 0 { "288 values new" } else { "0 values new, 288 there" }),
                "{told}"
            );
        }
        let list = capacity(&place, "list").expect_code(0).stdout;
        assert_eq!(list.lines().filter(|line| line.contains("PROD")).count(), 1, "{list}");
        capacity(&place, "show --database 2718281828").expect_code(0);
    }
}

/// Many small files share transactions; each is in the store as a whole, or not at all.
#[test]
fn a_kill_among_many_small_files_leaves_whole_files() {
    let place = Place::new();
    fs::create_dir(place.path().join("many")).unwrap();
    for file in 0..400_u32 {
        let own = Instance { host: "db1", database: "X", dbid: "", number: file + 1, minute: 0, share: 1.0 };
        fs::write(place.path().join(format!("many/{file:03}.csv")), awr(&[own], 0..1)).unwrap();
    }
    // Killed when the store has grown for so many times: while files are being kept.
    let mut some = 0;
    for growths in [1, 2, 3, 1, 2] {
        for left in ["store", "store-journal"] {
            let _ = fs::remove_file(place.path().join(left));
        }
        let mut command = place.command();
        command.args(["capacity", "import", "--store", "store", "--quiet", "--zone", "UTC", "many"]);
        let mut killed = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let (mut seen, mut size) = (0, 0);
        while seen <= growths && killed.try_wait().unwrap().is_none() {
            let now = fs::metadata(place.path().join("store")).map_or(0, |there| there.len());
            seen += usize::from(now > size);
            size = size.max(now);
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = killed.kill();
        let _ = killed.wait();
        let list = capacity(&place, "list");
        let all: Vec<&str> = list.stdout.lines().filter(|line| line.contains("database X")).collect();
        let whole = |line: &&str| line.contains("2026-01-02 00:00") && line.contains("write_bytes");
        assert!(all.iter().all(whole), "{}", list.stdout);
        some += usize::from(!all.is_empty() && all.len() < 400);
    }
    assert!(some > 0, "no kill came while files were being kept");
    // Files that cannot be imported, in the middle, take nothing else with them: one that cannot be read, and one of another host, whose second day is new.
    fs::write(place.path().join("many/200x.csv"), awr(&[PROD[0]], 0..1).replace("180.00", "no number"))
        .unwrap();
    let other = Instance { host: "db1", database: "X", dbid: "", number: 1, minute: 0, share: 2.0 };
    fs::write(place.path().join("many/201x.csv"), awr(&[other], 0..2)).unwrap();
    let told = capacity(&place, "import many --zone UTC").expect_code(0).stdout;
    assert!(told.contains("400 x AWR CSV") && told.contains("2 files left out"), "{told}");
    let list = capacity(&place, "list").expect_code(0).stdout;
    let all: Vec<&str> = list.lines().filter(|line| line.contains("database X")).collect();
    assert!(all.len() == 400 && all.iter().all(|line| line.contains("2026-01-02 00:00")), "{list}");
    assert!(!list.contains("PROD"), "{list}");
}

/// What is assumed of a load is in its file, and the answer of a search for its scale says it first.
#[test]
fn fit_says_what_if_first() {
    let place = cluster(14);
    fs::write(place.path().join("db7.csv"), awr(&[DB7], 300..308)).unwrap();
    let rates = |more: &str| -> f64 {
        let told = capacity(&place, &format!("replay --database PROD --every 1h --phases 1 {more} --quiet"))
            .expect_code(0);
        let line = told.stdout.lines().find(|line| line.contains(" reads/s")).unwrap().to_owned();
        line.split(" reads/s").next().unwrap().rsplit(' ').next().unwrap().parse().unwrap()
    };
    let plain = rates("");
    assert!((rates("--grow 30%") / plain - 1.3).abs() < 0.01);
    // A quarter of the load late in the year, beside that of its first days.
    let added = rates("--add db7.csv --zone UTC") / plain;
    assert!((added - 1.45).abs() < 0.03, "{added}");
    capacity(&place, "replay --database PROD --add db7.csv --zone UTC --phases 3 --out week.toml")
        .expect_code(0);
    let load = fs::read_to_string(place.path().join("week.toml")).unwrap();
    assert!(load.contains("what_if = [\"What if: with the load of db7.csv\"]"), "{load}");
    let fit = "capacity fit --load week.toml --p99 5ms --grow 100% --engine sim:servers=1,service=200us,rate=0,spread=exponential --seed 1 --quiet --no-html --name fit";
    let told = place.line(fit).expect_code(0);
    let said =
        "What if: with the load of db7.csv. What if: all rates are 2 times those of the file. This storage";
    assert!(words(&told.stdout).contains(said), "{}", told.stdout);
    let json = place.line(&format!("{} --json", fit.replace("--name fit", "--name json")));
    let scale = &json.json()["scale"];
    assert_eq!(scale["what_if"][1], "What if: all rates are 2 times those of the file", "{scale}");
    for (more, said) in [("--grow 30%/y", "growth per year"), ("--grow lots", "is not a growth")] {
        let told = place.line(&fit.replace("--grow 100%", more)).expect_code(2);
        assert!(told.stderr.contains(said), "{more}: {}", told.stderr);
    }
}
