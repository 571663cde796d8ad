//! `rigel sql` on every product that has a room: the same promises, by one list.

use crate::busy_host::of_a_few;
use crate::sql::{assert_clean, place, refused, servers_in, signal, slack, visits, wait_for_record};
use crate::support::{Place, tell};
use rigel_core::load::sql::Product;
use rigel_testdev::{MissingNeed, needs};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

/// Whether private servers of this product can be made here.
fn private(product: Product) -> Result<(), MissingNeed> {
    let told = place().line(&format!("sql simple --database {} --dry-run --size 16M", product.name()));
    match told.code {
        0 => Ok(()),
        _ => Err(MissingNeed::new(told.stderr.lines().next().unwrap_or_default().to_owned())),
    }
}

/// Does the same with each of them; one that is missing is reported as that of `name`.
fn each(name: &str, test: impl Fn(Product, &Place)) {
    for product in Product::ALL {
        if needs(&format!("{name} ({})", product.name()), private(product)).is_some() {
            let place = place();
            test(product, &place);
            assert_clean(place.path());
        }
    }
}

fn count(counts: &Value, name: &str) -> f64 {
    counts[name].as_f64().unwrap_or_else(|| panic!("{name}: {counts}"))
}

/// Whether the counters that every product has agree with what was asked for: those of the server, of the kernel, and of the device where it
/// is known.
fn reads_agree(product: Product, counts: &Value) -> bool {
    let block = f64::from(u32::try_from(product.block_bytes()).unwrap());
    let asked = count(counts, "probes") + counts["scanned_blocks"].as_f64().unwrap_or(0.0);
    let needed = asked + counts["index_blocks"].as_f64().unwrap_or(0.0);
    let is = |seen: f64, right: f64| (seen - right).abs() <= slack(right);
    let mut agree = asked > 10.0 && is(count(counts, "table_blocks"), asked);
    if let Some(bytes) = counts["process_bytes"].as_f64() {
        agree &= is(bytes / block, needed);
    }
    if product == Product::Mysql {
        agree &= is(count(counts, "server_reads"), needed);
        // Inner pages stay in the cache of the server, so that a look-up is one read, and hardly more.
        agree &= count(counts, "index_blocks") < 0.2 * asked + 8.0;
    }
    agree
}

/// The same, in one of three times. Where the kernel happens to hold neighbours of a block it reads ahead, and a page of the server's own
/// program that it took away is read again: reads of the server's processes, too.
fn assert_reads_agree(name: &str, product: Product, mut visits: impl FnMut(usize) -> Vec<Value>) {
    let mut time = 0;
    of_a_few(name, 3, || {
        time += 1;
        let all = visits(time);
        let counts: Vec<&Value> = all.iter().map(|visit| &visit["nodes"][0]["server"]).collect();
        (counts.iter().all(|counts| reads_agree(product, counts)), format!("{counts:?}"))
    });
}

#[test]
fn a_look_up_is_a_read_of_a_block_of_each_product() {
    let name = "a_look_up_is_a_read_of_a_block_of_each_product";
    each(name, |product, place| {
        for probe in ["index", "single"] {
            assert_reads_agree(name, product, |time| {
                let line = format!(
                    "sql simple --database {} --size 160M --sessions 1,3 --duration 500ms --probe {probe} --seed 1 --no-html --json --name {probe}{time}",
                    product.name()
                );
                let told = place.line(&line);
                assert!([0, 1].contains(&told.code), "{}", told.stderr);
                let document = told.json();
                let engine = &document["run"]["nodes"][0]["engine"];
                assert_eq!(engine, product.engine().name(), "{document:#}");
                let visits = visits(place, &format!("{probe}{time}"));
                assert_eq!(visits.len(), 2);
                visits
            });
        }
    });
}

#[test]
fn reports_read_each_block_of_their_range_once_on_each_product() {
    each("reports_read_each_block_of_their_range_once_on_each_product", |product, place| {
        let line = format!(
            "sql normal --database {} --size 64M --sessions 2 --report-sessions 1 --duration 500ms --seed 1 --no-html --json",
            product.name()
        );
        let told = place.line(&line);
        assert!([0, 1].contains(&told.code), "{}", told.stderr);
        let visits = visits(place, "sql");
        assert_eq!(visits.len(), 3, "alone, alone and together");
        let scanned: Vec<f64> = visits
            .iter()
            .map(|visit| visit["nodes"][0]["server"]["scanned_blocks"].as_f64().unwrap_or(0.0))
            .collect();
        assert_eq!(scanned.iter().filter(|blocks| **blocks > 0.0).count(), 2, "{scanned:?}");
        // What the kernel reads ahead of PostgreSQL before version 16 is a matter of the tests of its own levels.
        for counts in visits.iter().map(|visit| &visit["nodes"][0]["server"]) {
            if product == Product::Mysql {
                assert!(reads_agree(product, counts), "{counts}");
                let scanned = counts["scanned_blocks"].as_f64().unwrap_or(0.0);
                let of_reports = counts["report_process_bytes"].as_f64();
                let read = of_reports.unwrap_or(scanned * 16_384.0) / 16_384.0;
                assert!((read - scanned).abs() <= slack(scanned), "{counts}");
            }
        }
    });
}

#[test]
fn raw_reads_beside_each_product_are_of_its_blocks() {
    each("raw_reads_beside_each_product_are_of_its_blocks", |product, place| {
        let line = format!(
            "sql simple --database {} --size 64M --sessions 2 --for 8s --precision 20% --seed 1 --no-html --json",
            product.name()
        );
        let told = place.line(&line);
        assert!([0, 1].contains(&told.code), "{}", told.stderr);
        let record = fs::read_to_string(place.only("_record.jsonl")).unwrap();
        let header: Value = serde_json::from_str(record.lines().next().unwrap()).unwrap();
        let text = header.to_string();
        assert!(text.contains(&format!("\"product\":\"{}\"", product.name())), "{text}");
        let load = &told.json()["loads"][0];
        let rate = |way: &str| load[way]["per_s"]["value"].as_f64().unwrap_or_else(|| panic!("{load:#}"));
        assert!(rate("raw") > 1.0 && rate("sql") > 1.0, "{load:#}");
    });
}

/// A MariaDB that starts removes all temporary tables from the directory for its own.
#[test]
fn temporary_tables_of_other_servers_stay() {
    each("temporary_tables_of_other_servers_stay", |product, place| {
        let shared = place.path().join("shared");
        fs::create_dir(&shared).unwrap();
        fs::set_permissions(&shared, fs::Permissions::from_mode(0o777)).unwrap();
        let table = shared.join("#sql-temptable-1-1-1");
        fs::write(&table, "rows of another server").unwrap();
        let line =
            format!("sql commit --database {} --sessions 1 --duration 200ms --no-html", product.name());
        let told = tell(place.command().env("TMPDIR", &shared).args(line.split_whitespace()));
        assert!([0, 1].contains(&told.code), "{}", told.stderr);
        assert_eq!(fs::read_to_string(&table).unwrap(), "rows of another server");
    });
}

#[test]
fn commits_and_the_flushes_that_they_share_are_counted_on_each_product() {
    each("commits_and_the_flushes_that_they_share_are_counted_on_each_product", |product, place| {
        let line = format!(
            "sql commit --database {} --sessions 1,4 --duration 500ms --seed 1 --no-html --json",
            product.name()
        );
        let told = place.line(&line);
        assert!([0, 1].contains(&told.code), "{}", told.stderr);
        for (visit, sessions) in visits(place, "sql").iter().zip([1.0, 4.0]) {
            let counts = &visit["nodes"][0]["server"];
            let (commits, flushes) = (count(counts, "commits"), count(counts, "flushes"));
            assert!(commits > 1.0 && flushes > 0.0, "{counts}");
            assert!(commits <= sessions * (1.01 * flushes + 4.0), "{counts}");
        }
    });
}

#[test]
fn a_killed_run_of_each_product_leaves_nothing_that_the_next_one_does_not_remove() {
    let name = "a_killed_run_of_each_product_leaves_nothing_that_the_next_one_does_not_remove";
    each(name, |product, place| {
        let line = format!(
            "sql simple --database {} --size 16M --sessions 2 --duration 60s --seed 1 --no-html --quiet",
            product.name()
        );
        let mut run = place.command();
        let mut run = run.args(line.split(' ')).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait_for_record(place);
        let servers = servers_in(place.path());
        assert!(!servers.is_empty());
        run.kill().unwrap();
        run.wait().unwrap();
        // It ends with its run, and its files stay.
        let began = Instant::now();
        while !servers_in(place.path()).is_empty() {
            assert!(began.elapsed() < Duration::from_secs(60), "{servers:?}");
            thread::sleep(Duration::from_millis(20));
        }
        assert!(place.path().join("rigel-sql-server/data").exists());
        // Whatever product the next one has.
        for product in Product::ALL.iter().filter(|other| private(**other).is_ok()) {
            let line = format!(
                "sql simple --database {} --size 16M --sessions 1 --duration 100ms --seed 1 --no-html --name next-{}",
                product.name(),
                product.name()
            );
            assert!([0, 1].contains(&place.line(&line).code));
            assert_clean(place.path());
        }
    });
}

/// A server that outlived its run, because nobody told it to end, is ended by the next run.
#[test]
fn a_server_that_was_stopped_and_left_behind_is_ended_by_the_next_run() {
    let name = "a_server_that_was_stopped_and_left_behind_is_ended_by_the_next_run";
    let Some(()) = needs(name, private(Product::Mysql)) else { return };
    let place = place();
    let line =
        "sql simple --database mysql --size 16M --sessions 1 --duration 60s --seed 1 --no-html --quiet";
    let mut run = place.command();
    let mut run = run.args(line.split(' ')).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for_record(&place);
    let servers = servers_in(place.path());
    servers.iter().for_each(|server| signal(*server, Signal::STOP));
    let pid = Pid::from_raw(i32::try_from(run.id()).unwrap()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
    run.wait().unwrap();
    let next =
        "sql simple --database mysql --size 16M --sessions 1 --duration 100ms --seed 1 --no-html --name next";
    assert!([0, 1].contains(&place.line(next).code));
    assert_clean(place.path());
}

/// Nobody waits for a server that cannot be reached.
#[test]
fn a_directory_whose_name_is_no_text_is_refused_at_once() {
    each("a_directory_whose_name_is_no_text_is_refused_at_once", |product, place| {
        let odd = place.path().join(std::ffi::OsStr::from_bytes(b"odd-\xff"));
        fs::create_dir(&odd).unwrap();
        let told = tell(place.command().args(["sql", "simple", "--database", product.name()]).arg(&odd));
        refused(told, 3, &["its path is not UTF-8", "name a directory on the same storage"]);
        assert_clean(&odd);
    });
}

#[test]
fn what_mysql_needs_and_what_it_does_not_have_is_told() {
    let place = place();
    fs::create_dir(place.path().join("empty")).unwrap();
    let sql = |line: &str| place.line(&format!("sql {line} --database mysql"));
    let parts = ["no MySQL or MariaDB server", "package mariadb-server-core"];
    refused(sql("simple --programs empty"), 3, &parts);
    refused(sql("prove --dsn mysql://a@localhost"), 2, &["are not tested", "leave out --dsn"]);
    refused(sql("simple --dsn postgresql://a@localhost"), 2, &["the connection string is one of postgresql"]);
    refused(sql("dss --report-by join"), 2, &["cannot join"]);
    let name = "what_mysql_needs_and_what_it_does_not_have_is_told";
    let Some(()) = needs(name, private(Product::Mysql)) else { return };
    refused(sql("simple --size 30T"), 3, &["does not fit"]);
    let told = sql("simple --size 16M --dry-run").expect_code(0);
    for part in ["a private server with a table of 16 MiB", "removed afterwards", "simple 1-5"] {
        assert!(told.stdout.contains(part), "{part}: {}", told.stdout);
    }
    assert_eq!(place.files(), ["empty"]);
}
