//! `rigel capacity` with the real binary: files of the real tools, a store that nothing damages, the recorder.

use crate::support::{Place, ProgramOutput};
use rigel_testdev::{MissingNeed, PostgresDatabase, needs};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn data(name: &str) -> String {
    let dir: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../rigel-capacity/tests-data", name].iter().collect();
    dir.to_str().unwrap().to_owned()
}

fn capacity(place: &Place, line: &str) -> ProgramOutput {
    let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
    place.line(&format!("capacity {command} --store store {rest}"))
}

fn refused(place: &Place, line: &str, code: i32, because: &str) {
    let told = capacity(place, line);
    assert_eq!(told.code, code, "{line}: {} {}", told.stdout, told.stderr);
    assert!(told.stderr.contains(because) && told.stderr.contains("next step: "), "{line}: {}", told.stderr);
}

#[test]
fn files_of_all_tools_become_one_store_and_a_second_time_adds_nothing() {
    let place = Place::new();
    let files = [
        "sadf-12.6.1.json",
        "sadf-12.6.1-restarts.json",
        "iostat-12.6.1.json",
        "prometheus-2.42.0.json",
        "pg_stat_io-18.4.jsonl",
    ];
    for name in files {
        let told = capacity(&place, &format!("import {} --host db1", data(name))).expect_code(0);
        let is_new = told.stdout.contains(" values new") && !told.stdout.contains(": 0 values new");
        assert!(is_new, "{name}: {}", told.stdout);
    }
    let before = fs::read(place.path().join("store")).unwrap();
    for name in files {
        let told = capacity(&place, &format!("import {} --host db1", data(name))).expect_code(0);
        assert!(
            told.stdout.contains(": 0 values new") && told.stdout.contains("there already"),
            "{}",
            told.stdout
        );
    }
    assert!(fs::read(place.path().join("store")).unwrap() == before, "not a byte of the store changed");
    let list = capacity(&place, "list").expect_code(0).stdout;
    for part in
        ["vda", "loop57", "prometheus", "sadf", "database postgresql", "2026-11-24 18:10", "used_bytes"]
    {
        assert!(list.contains(part), "{part}: {list}");
    }
    let show = capacity(&place, "show loop57 --host db1").expect_code(0).stdout;
    assert!(show.contains("loop57 on db1") && show.contains("read_bytes") && show.contains('█'), "{show}");
    refused(&place, "show nowhere", 3, "the store has no such data");
}

/// Archives and logs as people keep them, among files of other tools.
#[test]
fn logs_of_sar_oswatcher_nmon_and_collectl_become_one_store() {
    let place = Place::new();
    let logs = place.path().join("logs");
    fs::create_dir_all(logs.join("oswiostat")).unwrap();
    for (from, to) in [
        ("sar-12.6.1-all-12-hours.txt", "sar29"),
        ("nmon-16n-groups.nmon", "db1_261129_1118.nmon"),
        ("collectl-4.3.1.dsk", "db1-20261129.dsk"),
    ] {
        fs::copy(data(from), logs.join(to)).unwrap();
    }
    // A version that does not name the host, packed as OSWatcher does with older files.
    let blocks = fs::read_to_string(data("oswatcher-iostat-12.6.1-last-report.dat")).unwrap();
    let blocks = blocks.replace("OSWbb v22.1.0AHF db1", "OSWbb v7.3.3");
    let packed = logs.join("oswiostat/db1_iostat_26.11.29.1100.dat");
    fs::write(&packed, &blocks).unwrap();
    assert!(Command::new("gzip").arg(&packed).status().unwrap().success());
    fs::write(logs.join("vmstat.dat"), "Linux OSWbb v7.3.3\nzzz ***Sun Nov 29 11:00:01 UTC 2026\nprocs\n")
        .unwrap();
    let told = capacity(&place, "import logs --zone UTC").expect_code(0).stdout;
    for part in [
        "1 x sar text of db1: 49 values new",
        "1 x OSWatcher iostat of db1",
        "the tool sampled 17 % of the time",
        "1 x nmon of db1",
        "1 x collectl of db1: 25 values new",
        "logs: 1 file left out",
        "without Linux disks: vmstat.dat",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let again = capacity(&place, "import logs --zone UTC").expect_code(0).stdout;
    assert!(again.matches(": 0 values new").count() == 4, "{again}");
    let list = capacity(&place, "list").expect_code(0).stdout;
    for source in ["sadf", "oswatcher", "nmon", "collectl"] {
        assert!(list.contains(source), "{source}: {list}");
    }
    // Times of the zone that is named, and asked for where the file has none.
    refused(&place, "import logs/sar29", 2, "--zone");
    let json = data("sar-12.6.1.json");
    let told = capacity(&place, &format!("import {json}")).expect_code(0).stdout;
    assert!(
        told.contains(" 0 values new, 49 there already"),
        "sadf says of the same samples what sar says: {told}"
    );
}

/// Sums of five minutes are rates, and what has no place is named.
#[test]
fn answers_of_a_cloud_are_read() {
    let place = Place::new();
    refused(&place, &format!("import {}", data("cloudwatch-ebs.json")), 2, "--host");
    let told = capacity(&place, &format!("import {} --host db1", data("cloudwatch-ebs.json"))).expect_code(0);
    assert!(told.stdout.contains("CloudWatch JSON of db1: 9 values new"), "{}", told.stdout);
    assert!(told.stdout.contains("3 x row of a statistic that is not kept"), "{}", told.stdout);
    let show = capacity(&place, "show --host db1").expect_code(0).stdout;
    let reads = show.lines().find(|line| line.contains("read_ops")).unwrap_or_default();
    assert!(show.contains("vol-0a1b2c3d4e5f60718 on db1") && reads.contains("200"), "{show}");
}

#[test]
fn what_cannot_be_imported_is_told_and_leaves_the_store() {
    let place = Place::new();
    let whole = fs::read(data("sadf-12.6.1.json")).unwrap();
    let file = |name: &str, bytes: &[u8]| fs::write(place.path().join(name), bytes).unwrap();
    // Nothing of it is whole.
    file("cut.json", &whole[..whole.len() / 50]);
    refused(&place, "import cut.json", 2, "the file ends in the middle");
    assert!(capacity(&place, "import cut.json").stderr.contains("where: cut.json, line "));
    file("binary", b"\x96\xd5\x75\x21 and more");
    refused(&place, "import binary", 2, "sadf -j FILE -- -b -d");
    refused(&place, "import missing.json", 3, "cannot be read");
    refused(&place, &format!("import {}", data("sadf-12.6.1-dst-local.json")), 2, "--zone");
    refused(
        &place,
        &format!("import {} --zone Europe/Nowhere", data("sadf-12.6.1-dst-local.json")),
        2,
        "unknown time zone",
    );
    let shown = fs::read_to_string(data("iostat-12.6.1-c-locale.json")).unwrap();
    file("either-order.json", shown.replace("11/24/26", "11/10/26").as_bytes());
    refused(&place, "import either-order.json", 2, "--dates month-day");
    let wrong_order = format!("import {} --dates day-month", data("iostat-12.6.1-c-locale.json"));
    refused(&place, &wrong_order, 2, "cannot be read in the order that --dates gives");
    refused(&place, &format!("import {}", data("pg_stat_io-18.4.csv")), 2, "--host");
    refused(&place, "list", 2, "the store is empty");
    // Another host under the same name.
    let real = String::from_utf8(whole).unwrap();
    capacity(&place, &format!("import {}", data("sadf-12.6.1.json"))).expect_code(0);
    let before = fs::read(place.path().join("store")).unwrap();
    file("other.json", real.replace("\"tps\": 13187.00", "\"tps\": 99.00").as_bytes());
    refused(
        &place,
        "import other.json",
        2,
        "already exist with different values, the first from 2026-11-24 18:10 UTC",
    );
    assert!(fs::read(place.path().join("store")).unwrap() == before);
    assert!(
        capacity(&place, "import other.json --keep-first").expect_code(0).stdout.contains("which is kept")
    );
    fs::write(place.path().join("store"), "no database").unwrap();
    refused(&place, "list", 3, "the store cannot be used");
    assert_eq!(fs::read(place.path().join("store")).unwrap(), b"no database");
}

/// Names come from files of others, and go to a terminal.
#[test]
fn names_in_a_file_cannot_write_to_the_terminal() {
    let place = Place::new();
    let real = fs::read_to_string(data("sadf-12.6.1.json")).unwrap();
    let hostile = real
        .replace("vda", "\\u001b[2Jvda\\u202e")
        .replace("\"nodename\": \"", "\"nodename\": \"\\u001b]0;x\\u0007");
    assert_ne!(hostile, real);
    fs::write(place.path().join("hostile.json"), hostile).unwrap();
    let told = capacity(&place, "import hostile.json").expect_code(0);
    let list = capacity(&place, "list").expect_code(0);
    let show = capacity(&place, "show").expect_code(0);
    for text in [told.stdout, told.stderr, list.stdout, show.stdout, show.stderr] {
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text:?}");
    }
}

/// A file of many days, so that an import takes a while.
fn long_file(place: &Place, days: u32) -> PathBuf {
    let mut text = "{\"sysstat\": {\"hosts\": [{\"nodename\": \"db1\", \"file-date\": \"2026-01-01\", \"statistics\": [\n".to_owned();
    for minute in 1..days * 1_440 {
        let (day, hour, at) = (minute / 1_440 + 1, minute / 60 % 24, minute % 60);
        let disks: Vec<String> = (0..20)
            .map(|disk| {
                format!(
                    "{{\"disk-device\": \"sd{disk}\", \"tps\": {}.5, \"rkB\": {minute}, \"wkB\": 7}}",
                    minute % 977 + disk
                )
            })
            .collect();
        let comma = if minute > 1 { "," } else { "" };
        text += &format!(
            "{comma}{{\"timestamp\": {{\"date\": \"2026-01-{day:02}\", \"time\": \"{hour:02}:{at:02}:00\", \"utc\": 1, \"interval\": 60}}, \"disk\": [{}]}}\n",
            disks.join(",")
        );
    }
    let path = place.path().join("long.json");
    fs::write(&path, text + "]}]}}").unwrap();
    path
}

#[test]
fn a_kill_at_any_moment_and_two_imports_at_once_damage_nothing() {
    let place = Place::new();
    long_file(&place, 7);
    let import = || {
        let mut command = place.command();
        command.args(["capacity", "import", "--store", "store", "--quiet", "long.json"]);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    capacity(&place, &format!("import {}", data("iostat-12.6.1.json"))).expect_code(0);
    for wait_ms in [30, 100, 300, 900] {
        let mut killed = import();
        std::thread::sleep(Duration::from_millis(wait_ms));
        let _ = killed.kill();
        let _ = killed.wait();
        let list = capacity(&place, "list").expect_code(0).stdout;
        assert!(list.contains("iostat"), "{list}");
        // All of a file or nothing of it.
        let disks = list.lines().filter(|line| line.contains(" sadf ")).count();
        assert!(disks == 0 || disks == 20, "{list}");
    }
    let (mut one, mut two) = (import(), import());
    assert!(one.wait().unwrap().success() && two.wait().unwrap().success());
    let told = capacity(&place, "import long.json").expect_code(0).stdout;
    assert!(told.contains(": 0 values new"), "{told}");
}

/// The limit on the size of a file stands for a disk that is full: SQLite gets an error for each write behind it.
#[test]
fn a_store_that_cannot_grow_stays_as_it_was() {
    let place = Place::new();
    long_file(&place, 3);
    capacity(&place, &format!("import {}", data("iostat-12.6.1.json"))).expect_code(0);
    let before = capacity(&place, "list").expect_code(0).stdout;
    let rigel = env!("CARGO_BIN_EXE_rigel");
    let most = fs::metadata(place.path().join("store")).unwrap().len() / 1024 + 40;
    let script =
        format!("trap '' XFSZ; ulimit -f {most}; exec {rigel} capacity import --store store long.json");
    let told = ProgramOutput::from(
        Command::new("bash").arg("-c").arg(script).current_dir(place.path()).output().unwrap(),
    );
    assert_eq!(told.code, 3, "{} {}", told.stdout, told.stderr);
    assert!(told.stderr.contains("the store cannot be used"), "{}", told.stderr);
    assert_eq!(capacity(&place, "list").expect_code(0).stdout, before);
}

#[test]
fn the_recorder_keeps_this_host_and_ends_in_order() {
    let place = Place::new();
    let told = capacity(&place, "record --every 200ms --for 1s --host here");
    if told.code == 3 && told.stderr.contains("lists no disks") {
        let _: Option<()> =
            needs("the_recorder_keeps_this_host", Err(MissingNeed::new("this host lists no disks")));
        return;
    }
    let told = told.expect_code(0);
    assert!(told.stderr.contains("recording as here"), "{}", told.stderr);
    let list = capacity(&place, "list").expect_code(0).stdout;
    assert!(list.contains("recorder") && list.contains("read_ops") && list.contains("used_bytes"), "{list}");
    refused(&place, "record --every 1ms", 2, "100ms to 10m");
    refused(&place, "record --dsn host=/nowhere --for 2s", 3, "error: ");
}

#[test]
fn the_recorder_asks_a_server() {
    let test = "the_recorder_asks_a_server";
    let Some(database) = needs(test, PostgresDatabase::create()) else { return };
    let place = Place::new();
    let mut command = place.command();
    command.args([
        "capacity",
        "record",
        "--store",
        "store",
        "--every",
        "200ms",
        "--for",
        "2s",
        "--dsn",
        &database.dsn(),
    ]);
    let told = ProgramOutput::from(command.output().unwrap()).expect_code(0);
    let list = capacity(&place, "list").expect_code(0).stdout;
    assert!(list.contains("database postgresql") && list.contains("commits"), "{list} {}", told.stderr);
    assert!(
        list.contains("redo_bytes") && list.contains(&format!("database {} ", database.name())),
        "{list}"
    );
}

#[test]
fn many_files_have_a_line_together_and_a_month_is_a_time() {
    let place = Place::new();
    let file = data("sadf-12.6.1-dst-utc.json");
    let told = capacity(&place, &format!("import {}", [&file[..]; 12].join(" "))).expect_code(0).stdout;
    let lines: Vec<&str> = told.lines().filter(|line| line.contains("sadf JSON of db1")).collect();
    assert!(
        lines.len() == 1 && lines[0].contains(" and 11 more: ") && lines[0].contains("there already"),
        "{told}"
    );
    // A file about which something is to be said has a line of its own.
    let more = format!("{} {}", [&file[..]; 10].join(" "), data("sadf-12.6.1-restarts.json"));
    let told = capacity(&place, &format!("import {more}")).expect_code(0).stdout;
    assert!(
        told.contains(" and 9 more: ") && told.contains("restarts.json: sadf JSON of db1: 40 values new"),
        "{told}"
    );
    let shown = capacity(&place, "show vda --from 2026-10 --to 2026-11").expect_code(0).stdout;
    assert!(shown.contains("2026-10-25 00:50"), "{shown}");
    refused(&place, "show --from 2026-12 --to 2027-01", 3, "rigel capacity list");
    refused(&place, "show --from 2026-11-24T18:10", 2, "--from");
}

/// 9,000 reads and 3,000 writes a second of the host, whatever the bytes of each disk are.
#[test]
fn the_share_of_writes_of_a_host_is_that_of_its_disks() {
    let place = Place::new();
    let io = r#""io": {"io-reads": {"rtps": 9000.0}, "io-writes": {"wtps": 3000.0}}, "disk": ["#;
    let text = fs::read_to_string(data("sadf-12.6.1.json")).unwrap().replace("\"disk\": [", io);
    fs::write(place.path().join("b.json"), text).unwrap();
    let told = capacity(&place, "import b.json").expect_code(0).stdout;
    assert!(told.contains("separate only for the whole host"), "{told}");
    let whole = capacity(&place, "replay --every 10s --phases 1").expect_code(0);
    assert!(whole.stderr.contains("the share of writes of the whole host"), "{}", whole.stderr);
    let phase = whole.stdout.lines().find(|line| line.contains(" reads/s")).unwrap();
    let rate = |what: &str| -> f64 {
        let before = phase.split(what).next().unwrap();
        before.rsplit(' ').next().unwrap().parse().unwrap()
    };
    let share = rate(" writes/s") / (rate(" reads/s") + rate(" writes/s"));
    assert!((share - 0.25).abs() < 0.01, "{phase}");
    // The only disk is the host; of one of two the host tells nothing.
    let only = capacity(&place, "replay --every 10s --phases 1 --disk vda").expect_code(0);
    assert!(only.stderr.contains("the share of writes of the whole host"), "{}", only.stderr);
    capacity(&place, "import b.json --rename vda=vdb").expect_code(0);
    let one = capacity(&place, "replay --every 10s --phases 1 --disk vda").expect_code(0);
    assert!(one.stderr.contains("have the same size"), "{}", one.stderr);
}

/// What the tools of this host write now, if it has them.
#[test]
fn the_tools_of_this_host_are_read() {
    let test = "the_tools_of_this_host_are_read";
    let place = Place::new();
    let sadc =
        ["/usr/lib/sysstat/sadc", "/usr/lib64/sa/sadc"].into_iter().find(|path| PathBuf::from(path).exists());
    let Some(sadc) = needs(test, sadc.ok_or_else(|| MissingNeed::new("there is no sadc"))) else { return };
    let binary = place.path().join("sa");
    let mut sadc = Command::new(sadc).args(["-S", "DISK", "1", "3"]).arg(&binary).spawn().unwrap();
    let iostat = Command::new("iostat")
        .args(["-x", "-t", "-o", "JSON", "1", "3"])
        .env("S_TIME_FORMAT", "ISO")
        .output();
    assert!(sadc.wait().unwrap().success());
    let written = iostat.map_err(|error| MissingNeed::new(format!("iostat does not start: {error}")));
    let Some(written) = needs(test, written) else { return };
    fs::write(place.path().join("now.json"), written.stdout).unwrap();
    let began = Instant::now();
    let told = capacity(&place, "import now.json").expect_code(0);
    assert!(told.stdout.contains("iostat JSON"), "{} after {:?}", told.stdout, began.elapsed());
    let json = Command::new("sadf").arg("-j").arg(&binary).args(["--", "-b", "-d"]).output().unwrap();
    fs::write(place.path().join("sa.json"), json.stdout).unwrap();
    let told = capacity(&place, "import sa.json").expect_code(0).stdout;
    assert!(told.contains("sadf JSON") && told.contains("separate only for the whole host"), "{told}");
    // The same samples as text: nothing is new.
    let text =
        Command::new("sar").args(["-d", "-f"]).arg(&binary).env("LC_ALL", "C").env("TZ", "UTC").output();
    fs::write(place.path().join("sa.txt"), text.unwrap().stdout).unwrap();
    let told = capacity(&place, "import sa.txt --zone UTC --dates month-day").expect_code(0).stdout;
    assert!(told.contains("sar text") && told.contains(": 0 values new"), "{told}");
    refused(&place, "import sa", 2, "sadf -j FILE -- -b -d");
}
