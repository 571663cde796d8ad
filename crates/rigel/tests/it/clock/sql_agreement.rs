//! What reaches SQL by `rigel sql`, beside tools that everybody knows: pgbench on the same table, and fio on its file, in turns on one server.

use crate::clock::agreement::fio;
use crate::clock::commit_agreement::ratio;
use crate::sql::place;
use crate::support::{Place, asked, tell};
use rigel_testdev::{PostgresServer, needs};
use rustix::fs::{Advice, fadvise};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

const SESSIONS: u32 = 4;
const SECONDS: u32 = 5;
/// A row in each block of 8 KiB.
const ROWS: u64 = (512 << 20) / 8192;
const SETTINGS: &str = "shared_buffers = '16MB'\nautovacuum = off\ncheckpoint_timeout = 1h\n";
const SCRIPT: &str = "SELECT v FROM rigel.big WHERE id = :id;\n";

/// The table with an index, and where its file is.
struct Bed {
    server: PostgresServer,
    place: Place,
    file: PathBuf,
}

/// Reads per second of one turn of each.
#[derive(Debug, Default)]
struct Turn {
    fio: f64,
    pgbench: f64,
    /// Of the run with many look-ups in a statement, and of that with one: raw reads, then SQL.
    batch: [f64; 2],
    single: [f64; 2],
    /// Blocks that a transaction of pgbench read from the table.
    read: f64,
}

impl Bed {
    fn make(server: PostgresServer) -> Self {
        let place = place();
        let mut command = place.command();
        command.args(["sql", "simple", "--dsn", &server.dsn(), "--create-in", "postgres", "--size", "512M"]);
        let told = tell(command.args(["--sessions", "1", "--duration", "100ms", "--no-html", "--quiet"]));
        assert!([0, 1].contains(&told.code), "{}", told.stderr);
        server.ask("CREATE INDEX ON rigel.big (id)").unwrap();
        server.ask("CHECKPOINT").unwrap();
        let file = server.ask("SELECT pg_relation_filepath('rigel.big')").unwrap();
        let file = server.socket().join("data").join(file);
        fs::write(place.path().join("probe.sql"), format!("\\set id random(0, {})\n{SCRIPT}", ROWS - 1))
            .unwrap();
        Self { server, place, file }
    }

    fn rigel(&self, probe: &str) -> [f64; 2] {
        let mut command = self.place.command();
        command.args(["sql", "simple", "--dsn", &self.server.dsn(), "--probe", probe, "--json", "--quiet"]);
        command.args(["--sessions", &SESSIONS.to_string(), "--max-duration", &format!("{}s", 2 * SECONDS)]);
        let told = tell(command.arg("--no-html"));
        assert!([0, 1].contains(&told.code), "{}", told.stderr);
        let document = told.json();
        ["raw", "sql"].map(|way| document["loads"][0][way]["per_s"]["value"].as_f64().unwrap())
    }

    fn fio(&self) -> f64 {
        let mut command = Command::new("fio");
        command.args(["--name=x", "--readonly", "--rw=randread", "--bs=8k", "--direct=1", "--time_based"]);
        command.args(["--norandommap", "--randrepeat=0", "--ioengine=io_uring", "--output-format=json"]);
        command.args([format!("--runtime={SECONDS}"), format!("--iodepth={SESSIONS}")]);
        command.arg(format!("--filename={}", self.file.display()));
        tell(&mut command).expect_code(0).json()["jobs"][0]["read"]["iops"].as_f64().unwrap()
    }

    /// Blocks per second that its sessions read from the table, and blocks for each transaction.
    fn pgbench(&self) -> (f64, f64) {
        let before = self.blocks();
        let mut command = Command::new("pgbench");
        command.args(["-n", "-M", "prepared", "-U", "postgres", "-f", "probe.sql", "-j", "2"]);
        command.args(["-c", &SESSIONS.to_string(), "-T", &SECONDS.to_string(), "-h"]);
        command.arg(self.server.socket()).arg("postgres").current_dir(self.place.path());
        let run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let said = without_page_cache(run, &self.file);
        let done: f64 = said
            .lines()
            .find_map(|line| line.strip_prefix("number of transactions actually processed: ")?.parse().ok())
            .unwrap_or_else(|| panic!("{said}"));
        let read = self.blocks() - before;
        (read / f64::from(SECONDS), read / done)
    }

    fn blocks(&self) -> f64 {
        let sql = "SELECT heap_blks_read FROM pg_statio_all_tables WHERE relid = 'rigel.big'::regclass";
        self.server.ask(sql).unwrap().parse().unwrap()
    }

    fn turn(&self, round: usize) -> Turn {
        let mut turn = Turn::default();
        for step in 0..4 {
            match (step + round) % 4 {
                0 => turn.fio = self.fio(),
                1 => turn.batch = self.rigel("batch"),
                2 => turn.single = self.rigel("single"),
                _ => (turn.pgbench, turn.read) = self.pgbench(),
            }
        }
        turn
    }
}

/// Waits for its end, while nothing of the file stays in the page cache for long; what it said.
fn without_page_cache(mut run: Child, file: &Path) -> String {
    let file = File::open(file).unwrap();
    while run.try_wait().unwrap().is_none() {
        fadvise(&file, 0, None, Advice::DontNeed).unwrap();
        thread::sleep(Duration::from_millis(20));
    }
    let output = run.wait_with_output().unwrap();
    let said =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success(), "{said}");
    said
}

/// `RIGEL_SQL_ROUNDS` turns, for the documentation. Raw reads are raw reads: their ratio may not be surely off by more than a quarter. And
/// many look-ups in a statement may not surely be fewer than pgbench has with a statement for each.
#[test]
fn on_real_storage_rigel_sql_and_pgbench_agree() {
    let name = "on_real_storage_rigel_sql_and_pgbench_agree";
    let Some(rounds) = asked::<usize>(name, "RIGEL_SQL_ROUNDS") else { return };
    let Some(()) = needs(name, fio()) else { return };
    let Some(server) = needs(name, PostgresServer::start(SETTINGS)) else { return };
    let bed = Bed::make(server);
    let turns: Vec<Turn> = (0..rounds).map(|round| bed.turn(round)).collect();
    let told = |what: &str, of: fn(&Turn) -> (f64, f64)| {
        let [mean, lo, hi] = ratio(&turns.iter().map(of).collect::<Vec<_>>());
        println!("{what}: {mean:.3} ({lo:.3} to {hi:.3})");
        (mean, lo, hi)
    };
    turns.iter().for_each(|turn| println!("{turn:.0?}"));
    let (raw, lo, hi) = told("raw reads, rigel / fio", |turn| (turn.batch[0], turn.fio));
    let (_, _, most) =
        told("SQL, many look-ups in a statement, rigel / pgbench", |turn| (turn.batch[1], turn.pgbench));
    told("SQL, one look-up in a statement, rigel / pgbench", |turn| (turn.single[1], turn.pgbench));
    told("SQL of raw, rigel, many look-ups", |turn| (turn.batch[1], turn.batch[0]));
    told("SQL of raw, rigel, one look-up", |turn| (turn.single[1], turn.single[0]));
    told("SQL of raw, pgbench / fio", |turn| (turn.pgbench, turn.fio));
    for turn in &turns {
        assert!((0.95..1.02).contains(&turn.read), "a transaction of pgbench is a read: {turn:?}");
    }
    assert!(lo < 1.25 && hi > 0.8, "rigel / fio: {raw} ({lo} to {hi})");
    assert!(most > 0.9, "rigel / pgbench: at most {most}");
}

/// How long the server says that it took over statements with these words, in ms.
fn took(log: &str, words: &[&str]) -> f64 {
    let of_words = log.lines().filter(|line| words.iter().any(|word| line.contains(word)));
    of_words.filter_map(|line| line.split("duration: ").nth(1)?.split(' ').next()?.parse::<f64>().ok()).sum()
}

/// `RIGEL_SQL_ROUNDS` turns: a table of rigel sql, beside a plain COPY of the same rows from a file of the server, which has no
/// client to wait for.
#[test]
fn a_table_is_filled_at_half_the_rate_of_copy_or_faster() {
    let name = "a_table_is_filled_at_half_the_rate_of_copy_or_faster";
    let Some(rounds) = asked::<usize>(name, "RIGEL_SQL_ROUNDS") else { return };
    let settings = format!("{SETTINGS}max_wal_size = 8GB\nlog_min_duration_statement = 0\n");
    let Some(server) = needs(name, PostgresServer::start(&settings)) else { return };
    let Bed { server, place, .. } = Bed::make(server);
    let rows = server.socket().join("rows").display().to_string();
    server.ask(&format!("COPY rigel.big TO '{rows}' (FORMAT binary)")).unwrap();
    let table = "CREATE TABLE plain (id int, v int, pad text); ALTER TABLE plain ALTER pad SET STORAGE PLAIN";
    let dsn = server.dsn();
    tell(place.command().args(["sql", "--dsn", &dsn, "--drop"])).expect_code(0);
    let logged = |what: &str, made: &dyn Fn()| {
        server.ask("CHECKPOINT").unwrap();
        let before = server.log().len();
        made();
        let log = server.log().split_off(before);
        let millis = took(&log, &[what, "statement: COMMIT"]);
        assert!(millis > 1.0, "{what}: {log}");
        millis
    };
    let ours = || {
        let line = ["sql", "simple", "--dsn", &dsn, "--create-in", "postgres", "--size", "512M", "--drop"];
        let more = ["--sessions", "1", "--duration", "100ms", "--no-html", "--quiet"];
        let told = tell(place.command().args(line).args(more));
        assert!([0, 1].contains(&told.code), "{}", told.stderr);
    };
    let plain = || {
        server.ask(&format!("COPY plain FROM '{rows}' (FORMAT binary)")).unwrap();
    };
    let mut turns = Vec::new();
    for round in 0..rounds {
        server.ask(&format!("DROP TABLE IF EXISTS plain; {table}")).unwrap();
        let mut turn = [0.0; 2];
        for step in [round % 2, (round + 1) % 2] {
            turn[step] =
                if step == 0 { logged("copy rigel.big", &ours) } else { logged("COPY plain", &plain) };
        }
        println!("{:.0?} MB/s", turn.map(|millis| 512.0 / millis * 1e3));
        turns.push((turn[1], turn[0]));
    }
    let [mean, lo, hi] = ratio(&turns);
    println!("rows per second, rigel sql / COPY: {mean:.2} ({lo:.2} to {hi:.2})");
    assert!(hi > 0.5, "at most {hi} of the rate of COPY");
}
