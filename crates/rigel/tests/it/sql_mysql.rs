//! `rigel sql --dsn` on a server of MySQL or MariaDB that is there: what it makes with consent, counts, refuses, and leaves.

use crate::sql::{place, refused, signal, slack, visits, wait_for_record};
use crate::support::{Place, ProgramOutput, tell};
use rigel_testdev::{MysqlServer, needs};
use rustix::process::Signal;
use std::fs;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(120);
const DATABASES: &str = "select count(*) from information_schema.schemata where schema_name = 'rigel'";
const SHORT: [&str; 5] = ["--sessions", "1,2", "--duration", "400ms", "--no-html"];

fn sql(place: &Place, dsn: &str, more: &[&str]) -> ProgramOutput {
    let line = ["sql", "simple", "--dsn", dsn, "--seed", "1"];
    tell(place.command().env_remove("MYSQL_PWD").args(line).args(SHORT).args(more))
}

fn drop_it(place: &Place, dsn: &str) -> ProgramOutput {
    place.rigel(["sql", "drop", "--dsn", dsn])
}

fn whole(told: &ProgramOutput) {
    assert!([0, 1].contains(&told.code), "{}", told.stderr);
}

fn spawn(place: &Place, arguments: &[&str]) -> Child {
    place.command().args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "never: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_mysql_server_gets_a_database_with_consent_and_loses_it_on_request() {
    let name = "a_mysql_server_gets_a_database_with_consent_and_loses_it_on_request";
    let Some(server) = needs(name, MysqlServer::start(&[])) else { return };
    let (place, dsn) = (place(), server.dsn());
    let run = |more: &[&str]| sql(&place, &dsn, more);
    refused(run(&["--size", "32M"]), 3, &["the server has no database rigel", "--create-in rigel"]);
    refused(run(&["--size", "32M", "--create-in", "shop"]), 2, &["the database is rigel"]);
    refused(run(&["--database", "postgresql"]), 2, &["the connection string is one of mysql"]);
    assert_eq!(server.ask(DATABASES).unwrap(), "0");
    let told = run(&["--size", "32M", "--create-in", "rigel", "--json"]);
    whole(&told);
    assert_eq!(told.json()["run"]["nodes"][0]["engine"], "mysql");
    let record = fs::read_to_string(place.only("_record.jsonl")).unwrap();
    assert!(record.contains("--dsn DSN --seed"), "what may hold a password is not kept");
    // Nothing of the fill is left in the cache of the server: a look-up is one read, as the server and the kernel count.
    for visit in visits(&place, "sql") {
        let counts = &visit["nodes"][0]["server"];
        let of = |name: &str| counts[name].as_f64().unwrap_or_else(|| panic!("{name}: {counts}"));
        let (asked, fetched) = (of("probes"), of("process_bytes") / 16_384.0);
        assert!(asked > 10.0 && (of("table_blocks") - asked).abs() <= slack(asked), "{counts}");
        // What the server reads for itself, no session fetches.
        assert!(fetched >= asked - slack(asked) && fetched <= of("server_reads"), "{counts}");
    }
    refused(run(&["--size", "64M"]), 2, &["exists, with 32 MiB"]);
    server.ask("create table rigel.mine (i int)").unwrap();
    let told = drop_it(&place, &dsn).expect_code(0);
    assert!(told.stderr.contains("the database rigel stays"), "{}", told.stderr);
    refused(run(&["--size", "32M", "--create-in", "rigel"]), 3, &["the database 'rigel' is not Rigel's"]);
    refused(drop_it(&place, &dsn), 3, &["the database 'rigel' is not Rigel's"]);
    server.ask("create table rigel.big (id int); drop table rigel.mine").unwrap();
    refused(drop_it(&place, &dsn), 3, &["the database 'rigel' is not Rigel's"]);
    assert_eq!(server.ask("select count(*) from rigel.big").unwrap(), "0");
    server.ask("drop database rigel").unwrap();
    whole(&run(&["--size", "32M", "--create-in", "rigel", "--drop"]));
    assert_eq!(server.ask(DATABASES).unwrap(), "0");
    refused(drop_it(&place, &dsn), 2, &["the server has no database rigel"]);
}

/// Pages of the table that an earlier run, or others, left in the pool of the server are pushed out before anything is looked up.
#[test]
fn what_the_pool_of_a_mysql_server_has_of_the_table_is_pushed_out() {
    let name = "what_the_pool_of_a_mysql_server_has_of_the_table_is_pushed_out";
    let settings = ["--innodb-buffer-pool-size=32M", "--innodb-old-blocks-time=300"];
    let Some(server) = needs(name, MysqlServer::start(&settings)) else { return };
    let (place, dsn) = (place(), server.dsn());
    whole(&sql(&place, &dsn, &["--size", "96M", "--create-in", "rigel", "--name", "first"]));
    // Read twice with a pause, they stay where look-ups do not push them out: a fifth of the table.
    let some = "select count(pad) from rigel.big where id between 2 and 3600";
    server.ask(&format!("{some}; do sleep(0.5); {some}")).unwrap();
    whole(&sql(&place, &dsn, &["--name", "second"]));
    let visits = visits(&place, "second");
    assert_eq!(visits.len(), 2);
    for visit in visits {
        let counts = &visit["nodes"][0]["server"];
        let of = |name: &str| counts[name].as_f64().unwrap_or_else(|| panic!("{name}: {counts}"));
        assert!(
            of("probes") > 10.0 && (of("table_blocks") - of("probes")).abs() <= slack(of("probes")),
            "{counts}"
        );
    }
}

#[test]
fn commits_on_a_mysql_server_leave_nothing() {
    let name = "commits_on_a_mysql_server_leave_nothing";
    let Some(server) = needs(name, MysqlServer::start(&[])) else { return };
    let Some(()) = needs(name, crate::sql::room_of_commits()) else { return };
    let place = place();
    let dsn = server.dsn();
    let line = ["sql", "commit", "--dsn", &dsn, "--create-in", "rigel"];
    let told = tell(place.command().args(line).args(SHORT));
    whole(&told);
    let record = fs::read_to_string(place.only("_record.jsonl")).unwrap();
    assert!(record.contains("innodb_flush_log_at_trx_commit 2"), "{record}");
    assert_eq!(server.ask(DATABASES).unwrap(), "0");
}

/// A kill leaves a whole table, which the next run measures, or half of one, which it makes again.
#[test]
fn what_a_killed_run_left_in_a_mysql_server_is_used_or_made_again() {
    let name = "what_a_killed_run_left_in_a_mysql_server_is_used_or_made_again";
    let Some(server) = needs(name, MysqlServer::start(&[])) else { return };
    let (place, dsn) = (place(), server.dsn());
    let line = ["sql", "simple", "--dsn", &dsn, "--create-in", "rigel", "--size", "512M", "--no-html"];
    let mut run = spawn(&place, &line);
    wait_until("rows", || {
        server.ask("select count(*) from (select 1 from rigel.big limit 99) t").is_ok_and(|rows| rows == "99")
    });
    // Neither may another one remove it meanwhile.
    refused(drop_it(&place, &dsn), 3, &["rigel.big is in use"]);
    run.kill().unwrap();
    run.wait().unwrap();
    wait_until("the server sees it", || {
        server.ask("select count(*) from information_schema.processlist where user = 'root'").unwrap() == "1"
    });
    refused(sql(&place, &dsn, &["--size", "32M"]), 3, &["--create-in rigel"]);
    // Nor is half of a table in the way of commits.
    if let Some(()) = needs(name, crate::sql::room_of_commits()) {
        let line = ["sql", "commit", "--dsn", &dsn, "--create-in", "rigel"];
        whole(&tell(place.command().args(line).args(SHORT)));
    }
    whole(&sql(&place, &dsn, &["--size", "32M", "--create-in", "rigel"]));
    assert_eq!(server.ask("select count(*) > 6144 from rigel.big").unwrap(), "1");
    let more = ["--sessions", "1", "--duration", "300s", "--name", "killed", "--drop", "--no-html"];
    let mut run = place.command();
    let run =
        run.args(["sql", "simple", "--dsn", &dsn]).args(more).stdout(Stdio::null()).stderr(Stdio::null());
    let mut run = run.spawn().unwrap();
    wait_until("a visit", || place.files().iter().any(|file| file.starts_with("killed")));
    refused(drop_it(&place, &dsn), 3, &["rigel.big is in use"]);
    run.kill().unwrap();
    run.wait().unwrap();
    drop_it(&place, &dsn).expect_code(0);
    assert_eq!(server.ask(DATABASES).unwrap(), "0");
}

#[test]
fn a_mysql_server_that_dies_in_a_visit_is_gone_on_with() {
    let name = "a_mysql_server_that_dies_in_a_visit_is_gone_on_with";
    let Some(mut server) = needs(name, MysqlServer::start(&[])) else { return };
    let (place, dsn) = (place(), server.dsn());
    let more = ["--size", "16M", "--sessions", "1,2,3", "--duration", "800ms", "--no-html", "--sql-only"];
    let line = ["sql", "simple", "--dsn", &dsn, "--create-in", "rigel"];
    let run = spawn(&place, &[&line[..], &more[..]].concat());
    wait_for_record(&place);
    wait_until("a visit", || !visits(&place, "sql").is_empty());
    server.crash();
    let told = ProgramOutput::from(run.wait_with_output().unwrap());
    refused(told, 4, &["rigel sql resume", " --dsn DSN"]);
    server.start_again();
    let record = place.only("_record.jsonl").display().to_string();
    let told = place.rigel(["sql", "resume", &record, "--dsn", &dsn, "--no-html", "--json"]);
    whole(&told);
    assert_eq!(visits(&place, "sql").len(), 3);
    drop_it(&place, &dsn).expect_code(0);
}

/// Each reason has its words. Nothing is filled before it is known.
#[test]
fn a_mysql_server_that_cannot_be_measured_says_why() {
    let name = "a_mysql_server_that_cannot_be_measured_says_why";
    let Some(server) = needs(name, MysqlServer::start_on_port(&[])) else { return };
    for made in [
        "create user small@localhost, few@localhost with max_user_connections 3",
        "create user guarded@'127.0.0.1' identified by 'open sesame'",
        "create user far@'192.0.2.1'",
        "create database shop",
        "grant all on rigel.* to few@localhost",
        "grant all on rigel.* to guarded@'127.0.0.1'",
    ] {
        server.ask(made).unwrap();
    }
    let place = place();
    let run = |dsn: &str, more: &[&str]| {
        sql(&place, dsn, &[&["--size", "16M", "--create-in", "rigel"], more].concat())
    };
    refused(run("mysql://a@127.0.0.1:1/", &[]), 3, &["does not respond"]);
    refused(run("socket=/nowhere user=a", &[]), 3, &["does not respond"]);
    refused(run("mysql://a:sesame@db.example/", &[]), 2, &["on another host", "ssl-mode=disabled"]);
    refused(run("mysql://a@h?nonsense", &[]), 2, &["not a connection string"]);
    refused(run(&server.dsn_of("nobody_here"), &[]), 3, &["rejects this user"]);
    refused(run(&server.dsn_of("small"), &[]), 3, &["cannot be created", "GRANT ALL ON rigel.*"]);
    refused(run(&format!("{} database=none", server.dsn()), &[]), 3, &["no such database"]);
    refused(run(&format!("{} database=shop", server.dsn_of("small")), &[]), 3, &["may not connect"]);
    refused(run(&server.dsn(), &["--sessions", "200"]), 3, &["too few connections", "max_connections"]);
    refused(run(&server.dsn_of("few"), &["--sessions", "4"]), 3, &["too few connections", "of the user"]);
    refused(run(&server.url_of("guarded"), &[]), 3, &["without a password", "MYSQL_PWD"]);
    refused(run(&server.url_of("guarded:wrong"), &[]), 3, &["rejects this user"]);
    let line = ["sql", "simple", "--dsn", &server.dsn(), "--create-in", "rigel", "--size", "30T"];
    refused(place.rigel(line), 3, &["the table of 30 TiB does not fit"]);
    assert_eq!(server.ask(DATABASES).unwrap(), "0");
    assert_eq!(place.files(), Vec::<String>::new());
    // By the environment, or in the string: nobody gets to see it.
    let line = ["sql", "simple", "--create-in", "rigel", "--size", "16M", "--drop", "--dsn"];
    let mut command = place.command();
    command.env("MYSQL_PWD", "open sesame").args(line).arg(server.url_of("guarded")).args(SHORT);
    let by_environment = tell(&mut command);
    whole(&by_environment);
    let url = server.url_of("guarded:open%20sesame");
    let by_string = run(&url, &["--drop", "--name", "string"]);
    whole(&by_string);
    let records: Vec<String> = place
        .files()
        .iter()
        .map(|file| fs::read_to_string(place.path().join(file)).unwrap_or_default())
        .collect();
    let said = [by_environment.stdout, by_environment.stderr, by_string.stdout, by_string.stderr];
    for text in said.iter().chain(&records) {
        assert!(!text.contains("sesame"), "{text}");
    }
    assert_eq!(server.ask(DATABASES).unwrap(), "0");
}

/// What is created in a replica is missing in its primary, and what goes to a log goes to replicas.
#[test]
fn a_mysql_server_that_follows_or_is_followed_is_left_alone() {
    let name = "a_mysql_server_that_follows_or_is_followed_is_left_alone";
    let settings = ["--log-bin=log", "--server-id=2"];
    let Some(server) = needs(name, MysqlServer::start(&settings)) else { return };
    let place = place();
    let run = |dsn: &str| sql(&place, dsn, &["--size", "16M", "--create-in", "rigel", "--drop"]);
    server.ask("create user small@localhost; grant all on rigel.* to small@localhost").unwrap();
    refused(run(&server.dsn_of("small")), 3, &["copied to the server's binary log", "GRANT BINLOG ADMIN"]);
    whole(&run(&server.dsn()));
    let logged = server.ask("show binlog events in 'log.000001'").unwrap();
    assert!(logged.contains("small") && !logged.contains("rigel.big"), "{logged}");
    server.ask("set global read_only = on").unwrap();
    refused(run(&server.dsn()), 3, &["the server is read-only", "measure the primary"]);
    server.ask("set global read_only = off").unwrap();
    server.ask("change master to master_host = '127.0.0.1', master_user = 'nobody_here'").unwrap();
    refused(run(&server.dsn()), 3, &["the server is a replica", "measure the primary"]);
    assert_eq!(server.ask(DATABASES).unwrap(), "0");
}

/// Who ends a run ends it at once, and nothing of the half of a table is left.
#[test]
fn a_fill_of_a_mysql_server_that_is_stopped_leaves_nothing() {
    let name = "a_fill_of_a_mysql_server_that_is_stopped_leaves_nothing";
    let Some(server) = needs(name, MysqlServer::start(&[])) else { return };
    let (place, dsn) = (place(), server.dsn());
    let line = ["sql", "simple", "--dsn", &dsn, "--create-in", "rigel", "--size", "512M", "--no-html"];
    let run = spawn(&place, &line);
    wait_until("rows", || server.ask("select 1 from rigel.big limit 1").is_ok_and(|row| row == "1"));
    signal(run.id(), Signal::INT);
    let told = ProgramOutput::from(run.wait_with_output().unwrap());
    refused(told, 4, &["the table was not filled completely"]);
    assert_eq!(server.ask(DATABASES).unwrap(), "0");
}

/// Before a run resumes, its table is pushed out of the pool, which takes seconds.
#[test]
fn a_resume_that_is_stopped_while_the_pool_is_emptied_leaves_the_record() {
    let name = "a_resume_that_is_stopped_while_the_pool_is_emptied_leaves_the_record";
    let Some(server) = needs(name, MysqlServer::start(&["--innodb-old-blocks-time=2000"])) else { return };
    let (place, dsn) = (place(), server.dsn());
    let size =
        ["--create-in", "rigel", "--size", "32M", "--sessions", "1,2", "--duration", "5s", "--no-html"];
    let mut run = spawn(&place, &[&["sql", "simple", "--dsn", &dsn][..], &size].concat());
    wait_for_record(&place);
    wait_until("a visit", || !visits(&place, "sql").is_empty());
    run.kill().unwrap();
    run.wait().unwrap();
    let sessions = || server.ask("select count(*) from information_schema.processlist where user = 'root'");
    wait_until("the server sees it", || sessions().unwrap() == "1");
    let record = place.only("_record.jsonl");
    let before = fs::read(&record).unwrap();
    let run = spawn(&place, &["sql", "--dsn", &dsn, "--resume", record.to_str().unwrap()]);
    wait_until("it has begun", || sessions().unwrap() != "1");
    thread::sleep(Duration::from_millis(300));
    signal(run.id(), Signal::INT);
    let told = ProgramOutput::from(run.wait_with_output().unwrap());
    refused(told, 4, &["the run was stopped before it resumed", "resume it again"]);
    assert_eq!(fs::read(&record).unwrap(), before);
    drop_it(&place, &dsn).expect_code(0);
}

/// Where the server counts by file, what others read is not taken for look-ups.
#[test]
fn reads_of_others_are_told_apart_where_the_server_counts_by_file() {
    let name = "reads_of_others_are_told_apart_where_the_server_counts_by_file";
    let settings = ["--performance-schema=ON"];
    let Some(server) = needs(name, MysqlServer::start(&settings)) else { return };
    let place = place();
    server.ask("create database shop; create table shop.other (id int primary key, pad varchar(8000)) character set latin1").unwrap();
    server.ask("use shop; insert into other select seq, repeat('x', 7000) from seq_1_to_6000").unwrap();
    let more = ["--size", "32M", "--create-in", "rigel", "--drop", "--sql-only"];
    let dsn = server.dsn();
    let line = ["sql", "simple", "--dsn", &dsn, "--sessions", "1", "--duration", "1500ms", "--no-html"];
    let run = spawn(&place, &[&line[..], &more[..]].concat());
    wait_for_record(&place);
    let others = || server.ask("select sum(length(pad)) from shop.other").unwrap();
    while visits(&place, "sql").is_empty() {
        assert_eq!(others(), "42000000");
    }
    whole(&ProgramOutput::from(run.wait_with_output().unwrap()));
    let counts = &visits(&place, "sql")[0]["nodes"][0]["server"];
    let of = |name: &str| counts[name].as_f64().unwrap_or_else(|| panic!("{name}: {counts}"));
    assert!((of("table_blocks") - of("probes")).abs() <= slack(of("probes")), "{counts}");
}
