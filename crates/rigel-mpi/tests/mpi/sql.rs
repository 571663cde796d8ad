//! Sessions of several ranks on one database server: what they count together, what is refused, and what is left.

use crate::support::{JobOutput, Place, mpirun};
use rigel_testdev::{MissingNeed, MysqlServer, PostgresServer, needs};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

/// So little of a table stays in its cache, and so few of its connections are there.
const POSTGRESQL: &str = "shared_buffers = '1MB'\nmax_connections = 30\nmax_wal_size = '64MB'\n";
const SHORT: [&str; 5] = ["--duration", "500ms", "--seed", "1", "--no-html"];

/// A server of each product.
enum Server {
    Postgresql(PostgresServer),
    Mysql(MysqlServer),
}

impl Server {
    fn start(product: &str) -> Result<Self, MissingNeed> {
        match product {
            "postgresql" => PostgresServer::start(POSTGRESQL).map(Self::Postgresql),
            _ => MysqlServer::start(&[]).map(Self::Mysql),
        }
    }

    fn dsn(&self) -> String {
        match self {
            Self::Postgresql(server) => server.dsn(),
            Self::Mysql(server) => server.dsn(),
        }
    }

    /// What the user allows the tables in.
    const fn home(&self) -> &'static str {
        match self {
            Self::Postgresql(_) => "postgres",
            Self::Mysql(_) => "rigel",
        }
    }

    /// How many schemas or databases of Rigel's there are.
    fn homes(&self) -> String {
        match self {
            Self::Postgresql(server) => {
                server.ask("select count(*) from pg_namespace where nspname = 'rigel'")
            }
            Self::Mysql(server) => {
                server.ask("select count(*) from information_schema.schemata where schema_name = 'rigel'")
            }
        }
        .unwrap()
    }
}

/// Does the same with a server of each product.
fn each(name: &str, test: impl Fn(&Path, &str, &Server, &Place)) {
    let Some(mpirun) = needs(name, mpirun()) else { return };
    for product in ["postgresql", "mysql"] {
        if let Some(server) = needs(&format!("{name} ({product})"), Server::start(product)) {
            test(&mpirun, product, &server, &Place::new());
        }
    }
}

fn sql(place: &Place, mpirun: &Path, ranks: usize, words: &[&str]) -> JobOutput {
    let all: Vec<&str> = ["--oversubscribe", "sql"].iter().chain(words).copied().collect();
    place.run_words(mpirun, ranks, &all)
}

fn record(place: &Place, run: &str) -> Vec<Value> {
    let record = fs::read_to_string(place.record_of(run)).unwrap();
    record.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// How many of so many blocks may be off (UNVERIFIED in docs/reference/flags.md).
fn slack(blocks: f64) -> f64 {
    (0.01 * blocks).max(4.0 + 3.0 * (0.01 * blocks).sqrt())
}

/// The counters of a visit, which the first node has of all.
fn counts(visit: &Value) -> &Value {
    let nodes = visit["nodes"].as_array().unwrap();
    assert!(nodes.iter().skip(1).all(|node| node["server"].is_null()), "counted once: {visit}");
    &nodes[0]["server"]
}

/// What the nodes did of a class, and with how many sessions each.
fn parts(visit: &Value, class: &str) -> (f64, Vec<u64>) {
    let nodes = visit["nodes"].as_array().unwrap();
    let counted = nodes.iter().map(|node| &node["joined"]["counted"][class]);
    let ops = counted.clone().filter_map(|counts| counts["ops"].as_f64()).sum();
    (ops, counted.map(|counts| counts["planned"].as_u64().unwrap_or(0)).collect())
}

/// Every look-up of every node is a block that the server read, as it is with one node: the server is asked before the first and after the last.
#[test]
fn sessions_of_two_nodes_are_counted_as_those_of_one() {
    each("sessions_of_two_nodes_are_counted_as_those_of_one", |mpirun, product, server, place| {
        let (dsn, home) = (server.dsn(), server.home());
        let words = ["simple", "--database", product, "--dsn", &dsn, "--sessions", "1,4", "--size", "64M"];
        for (ranks, sessions) in [(2, [vec![1, 0], vec![2, 2]]), (3, [vec![1, 0, 0], vec![2, 1, 1]])] {
            let name = format!("of{ranks}");
            let more = ["--create-in", home, "--name", &name];
            let told = sql(place, mpirun, ranks, &[&words[..], &SHORT, &more].concat());
            assert!([0, 1].contains(&told.code), "{}", told.stderr);
            assert!(told.stderr.contains(&format!("{ranks} nodes: ")), "{}", told.stderr);
            let lines = record(place, &name);
            assert_eq!(lines[0]["nodes"].as_array().unwrap().len(), ranks);
            assert_eq!(lines[0]["targets"].as_array().unwrap().len(), 1, "one table");
            let command = lines[0]["request"]["command_line"].as_str().unwrap();
            assert!(command.contains("--dsn DSN"), "what may hold a password is not kept: {command}");
            let visits: Vec<&Value> = lines.iter().filter(|line| line["line"] == "visit").collect();
            assert_eq!(visits.len(), 2);
            for (visit, sessions) in visits.into_iter().zip(sessions) {
                let (ops, planned) = parts(visit, "simple");
                assert_eq!(planned, sessions, "{visit}");
                let counts = counts(visit);
                let probes = counts["probes"].as_f64().unwrap();
                // What was looked up while the load settled is among the reads, too.
                assert!(ops > 10.0 && probes >= ops, "{ops}: {counts}");
                let blocks = counts["table_blocks"].as_f64().unwrap();
                assert!((blocks - probes).abs() <= slack(probes), "{counts}");
                if product == "mysql" {
                    let needed = probes + counts["index_blocks"].as_f64().unwrap();
                    assert!(
                        (counts["server_reads"].as_f64().unwrap() - needed).abs() <= slack(needed),
                        "{counts}"
                    );
                }
            }
        }
        // The table of one run is that of the next; the last one removes it.
        let told = sql(place, mpirun, 2, &[&words[..], &SHORT, &["--drop", "--name", "last"]].concat());
        assert!([0, 1].contains(&told.code), "{}", told.stderr);
        assert_eq!(server.homes(), "0", "{}", told.stderr);
        // How many rows each node has looked up is not in the record.
        let path = place.record_of("of2");
        let whole = fs::read_to_string(&path).unwrap();
        let kept: Vec<&str> = whole.lines().take(2).collect();
        fs::write(&path, format!("{}\n", kept.join("\n"))).unwrap();
        let words = ["resume", path.to_str().unwrap(), "--dsn", &dsn];
        for ranks in [1, 2] {
            let told = sql(place, mpirun, ranks, &words);
            assert_eq!(told.code, 2, "{}", told.stderr);
            assert!(told.stderr.contains("of several nodes cannot be resumed"), "{}", told.stderr);
        }
    });
}

#[test]
fn commits_and_reports_of_two_nodes_are_added() {
    each("commits_and_reports_of_two_nodes_are_added", |mpirun, product, server, place| {
        let (dsn, home) = (server.dsn(), server.home());
        let to = ["--database", product, "--dsn", &dsn, "--create-in", home];
        let told = sql(
            place,
            mpirun,
            2,
            &[&["commit", "--sessions", "3", "--name", "commits"][..], &to, &SHORT].concat(),
        );
        assert!([0, 1].contains(&told.code), "{}", told.stderr);
        assert_eq!(server.homes(), "0", "the first node has removed the table: {}", told.stderr);
        let lines = record(place, "commits");
        let visit = lines.iter().find(|line| line["line"] == "visit").unwrap();
        let (ops, planned) = parts(visit, "commit");
        assert_eq!(planned, [2, 1]);
        let counts = counts(visit);
        assert!(ops > 1.0 && counts["commits"].as_f64().unwrap() >= ops, "{ops}: {counts}");
        assert!(counts["flushes"].as_f64().is_some(), "{counts}");
        let words = ["normal", "--sessions", "2", "--report-sessions", "2", "--size", "64M", "--drop"];
        let told = sql(place, mpirun, 2, &[&words[..], &["--name", "reports"], &to, &SHORT].concat());
        assert!([0, 1].contains(&told.code), "{}", told.stderr);
        let lines = record(place, "reports");
        let both = lines.iter().rfind(|line| line["line"] == "visit").unwrap();
        assert_eq!((parts(both, "simple").1, parts(both, "report").1), (vec![1, 1], vec![1, 1]), "{both}");
        let counts = self::counts(both);
        let of = |name: &str| counts[name].as_f64().unwrap();
        let asked = of("probes") + of("scanned_blocks");
        assert!(of("probes") > 1.0 && of("scanned_blocks") > 1.0, "{counts}");
        assert!((of("table_blocks") - asked).abs() <= slack(asked), "{counts}");
        assert_eq!(server.homes(), "0");
    });
}

#[test]
fn what_nodes_cannot_do_with_a_server_is_refused_by_all() {
    let name = "what_nodes_cannot_do_with_a_server_is_refused_by_all";
    let Some(mpirun) = needs(name, mpirun()) else { return };
    let Some(server) = needs(name, PostgresServer::start(POSTGRESQL)) else { return };
    server.ask("create database shop").unwrap();
    server.ask("create role guest login").unwrap();
    let place = Place::new();
    let (dsn, there) = (server.dsn(), "--oversubscribe");
    let simple = ["sql", "simple", "--dsn"];
    let refused = |words: &[&str], code: i32, parts: &[&str]| {
        let told = place.run_words(&mpirun, 2, words);
        assert_eq!(told.code, code, "{words:?}: {}", told.stderr);
        for part in parts {
            assert!(told.stderr.contains(part), "{part}: {}", told.stderr);
        }
    };
    refused(
        &[there, "sql", "simple"],
        2,
        &["several nodes need a server", "only be reached on its own host"],
    );
    for option in ["--own-targets", "--coordinator-only"] {
        let told = format!("{option} does not apply to a database load");
        refused(&[&[there, option][..], &simple, &[&dsn]].concat(), 2, &[&told]);
    }
    refused(&[&[there][..], &["sql", "prove", "--dsn", &dsn]].concat(), 2, &["from a single node"]);
    refused(&[&simple[..], &[&dsn]].concat(), 3, &["nodes 0 and 1 are on the same host"]);
    let one = [&[there][..], &simple, &[&dsn]].concat();
    refused(&one, 3, &["has no schema rigel", "--create-in postgres"]);
    // 26 for sessions, one for each node and one for the counters.
    let words = ["--sessions", "26", "--create-in", "postgres", "--size", "8M"];
    refused(&[&one[..], &words].concat(), 3, &["26 sessions and 3 monitoring sessions are needed"]);
    // Another word for one of the nodes.
    let program = env!("CARGO_BIN_EXE_rigel-mpi");
    let missing = dsn.replace("host=", "host=/nowhere");
    let made = ["--create-in", "postgres", "--size", "8M"];
    for (other, parts) in [
        (&*server.dsn_of("postgres", "shop"), ["reach different servers", "dbname=shop"]),
        (&*server.dsn_of("guest", "postgres"), ["on node 1 (", "user=guest"]),
        (&*missing, ["on node 1 (", "does not respond"]),
    ] {
        let first = [&one[..], &made, &SHORT].concat();
        let second = [&[":", "-n", "1", program, there][..], &simple, &[other], &made, &SHORT].concat();
        let told = place.run_words(&mpirun, 1, &[first, second].concat());
        assert_eq!(told.code, 3, "{other}: {}", told.stderr);
        assert!(parts.iter().all(|part| told.stderr.contains(part)), "{other}: {}", told.stderr);
    }
    assert!(!place.has_record());
}

/// The first node cleans up without it.
#[test]
fn a_node_that_is_lost_ends_the_run_and_the_table_goes() {
    each("a_node_that_is_lost_ends_the_run_and_the_table_goes", |mpirun, product, server, place| {
        let (dsn, home) = (server.dsn(), server.home());
        let words = ["--oversubscribe", "sql", "simple", "--database", product, "--dsn", &dsn];
        let more = ["--create-in", home, "--sessions", "4", "--size", "64M", "--duration", "60s", "--drop"];
        let mut run = place.start_words(mpirun, 3, &[&words[..], &more].concat());
        run.wait_for_record(place);
        run.signal_rank(1, "STOP");
        let code = run.end();
        let told = run.told();
        assert_eq!(code, 4, "{told}");
        assert!(told.contains("node 1 (") && told.contains("has not answered for 6"), "{told}");
        assert!(told.contains("start the run again for the rest") && !told.contains("--resume"), "{told}");
        run.nothing_is_left();
        place.record_is_whole();
        assert_eq!(server.homes(), "0", "{told}");
    });
}

#[test]
fn a_run_that_is_ended_ends_on_all_nodes_at_once() {
    let name = "a_run_that_is_ended_ends_on_all_nodes_at_once";
    let Some(mpirun) = needs(name, mpirun()) else { return };
    let Some(server) = needs(name, PostgresServer::start(POSTGRESQL)) else { return };
    let (place, dsn) = (Place::new(), server.dsn());
    let words = ["--oversubscribe", "sql", "simple", "--dsn", &dsn, "--create-in", "postgres"];
    let more = ["--sessions", "4", "--size", "32M", "--duration", "60s", "--drop"];
    let mut run = place.start_words(&mpirun, 2, &[&words[..], &more].concat());
    run.wait_for_record(&place);
    thread::sleep(Duration::from_secs(1));
    run.signal_rank(0, "INT");
    let code = run.end();
    let told = run.told();
    assert_eq!(code, 4, "{told}");
    assert!(told.contains("to complete it, start the run again"), "{told}");
    let lines: Vec<Value> =
        place.read("_record.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let visit = lines.iter().find(|line| line["line"] == "visit").expect("a visit that was cut short");
    assert_eq!(visit["cut_short"], true, "{visit}");
    let (ops, planned) = parts(visit, "simple");
    assert!(ops > 10.0 && planned == [2, 2], "{visit}");
    run.nothing_is_left();
}
