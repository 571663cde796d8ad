//! What `rigel advise` does not advise: figures that are not good enough, with the reason and a command that works.

use crate::support::{Place, ProgramOutput, tell};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Eight stations of 1 ms for a small I/O, and visits that differ by so much.
fn calibrated(place: &Place, name: &str, between: &str) -> PathBuf {
    let device = format!("sim:servers=8,service=1ms,rate=1000M,between={between}");
    let line = format!("calibrate --engine {device} --seed 4 --quiet --no-html --no-history --name {name}");
    place.line(&line);
    place.only_of(&format!("{name}_2"), "_record.jsonl")
}

fn advise(place: &Place, record: &Path, more: &str) -> ProgramOutput {
    let mut command = place.command();
    tell(command.arg("advise").arg(record).args(more.split_whitespace()))
}

fn setting(place: &Place, record: &Path, name: &str) -> Value {
    let json = advise(place, record, "--json").json();
    json["advice"].as_array().unwrap().iter().find(|advice| advice["setting"] == name).unwrap().clone()
}

/// The record with lines that `change` made of its own.
fn edited(place: &Place, record: &Path, name: &str, change: impl Fn(&mut Value)) -> PathBuf {
    let changed = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        change(&mut line);
        line.to_string() + "\n"
    };
    let lines: String = std::fs::read_to_string(record).unwrap().lines().map(changed).collect();
    let path = place.path().join(name);
    std::fs::write(&path, lines).unwrap();
    path
}

/// Others used two CPUs throughout the visit.
fn disturb(visit: &mut Value) {
    let [began, measured] = ["began_ns", "measured_ns"].map(|name| visit[name].as_u64().unwrap());
    let period = measured / 20;
    let at: Vec<u64> = (1..=20).map(|step| began + step * period).collect();
    let (busy, own) = (vec![period / 1000 * 2; 20], vec![0; 20]);
    visit["nodes"][0]["witness"] = serde_json::json!({
        "period_ns": period, "began_ns": began, "at_ns": at, "cpus": 4, "busy_us": busy, "own_us": own, "devices": []
    });
}

#[test]
fn a_noisy_device_gives_reasons_instead_of_settings() {
    let place = Place::in_memory();
    let record = calibrated(&place, "noisy", "80%");
    let told = advise(&place, &record, "");
    let page = &told.stdout;
    assert!(page.contains("WITHHELD") && page.contains("its interval spans a"), "{page}");
    let first_table = page.find("PostgreSQL: --database").unwrap();
    assert!(page.find("WITHHELD").unwrap() < first_table, "warnings stand above the tables: {page}");
    let cost = setting(&place, &record, "random_page_cost");
    assert!(cost["value"].is_null() && cost["refused"]["kind"] == "in_doubt", "{cost}");
    // For this product nothing else is known.
    let told = advise(&place, &record, "--for seastar --explain").expect_code(1);
    assert!(told.stderr.contains("every setting is withheld"), "{told:?}");
    let explained = advise(&place, &record, "--explain").expect_code(0).stdout;
    assert!(explained.contains("random_page_cost: WITHHELD, not to be used: "), "{explained}");
    // The command is one that Rigel takes.
    let command = cost["refused"]["command"].as_str().unwrap();
    assert!(command.starts_with("rigel calibrate ") && command.contains("between=80%"), "{command}");
    let words: Vec<&str> = command.split_whitespace().skip(1).collect();
    tell(place.command().args(words).arg("--dry-run")).expect_code(0);
}

#[test]
fn the_default_page_is_a_table_and_the_derivation_is_asked_for() {
    let place = Place::in_memory();
    let record = calibrated(&place, "calm", "1%");
    let page = advise(&place, &record, "").expect_code(0).stdout;
    assert!(!page.contains("https://") && !page.contains("WITHHELD"), "{page}");
    let explained = advise(&place, &record, "--explain --hit-rate 95%").expect_code(0).stdout;
    let explained = explained.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(explained.contains("https://") && explained.contains("h is 95 % (--hit-rate)"), "{explained}");
    let bare = advise(&place, &record, "--explain --hit-rate 95").expect_code(0).stdout;
    assert!(bare.contains("(--hit-rate)") && bare.contains("h is 95 %"), "as --write takes it: {bare}");
    let wrong = advise(&place, &record, "--hit-rate 1").expect_code(2);
    assert!(wrong.stderr.contains("`--hit-rate 1` is ambiguous: write 1% or 100%"), "{wrong:?}");
    let wrong = advise(&place, &record, "--hit-rate 150").expect_code(2);
    assert!(
        wrong.stderr.contains("next step: write a per cent sign after it, as in --hit-rate 95%"),
        "{wrong:?}"
    );
}

/// CPU time of others in the visits to a point: the settings that rest on that point are rough, the others are not. On a large host the
/// same is a note.
#[test]
fn only_what_others_disturbed_is_rough() {
    let place = Place::in_memory();
    let record = calibrated(&place, "calm", "1%");
    let alone = serde_json::json!({ "small": 1 });
    let disturbed = |cpus: u32| {
        edited(&place, &record, &format!("disturbed_{cpus}_record.jsonl"), |line| {
            if line["line"] == "visit" && line["point"] == alone {
                disturb(line);
            }
            if line["line"] == "header" {
                line["nodes"][0]["host"]["cpus"] = cpus.into();
                line["nodes"][0]["host"]["cgroup"]["cpu_max_millis"] = Value::Null;
            }
        })
    };
    let small = disturbed(4);
    let cost = setting(&place, &small, "random_page_cost");
    let because = cost["rough"]["because"].as_str().unwrap_or_else(|| panic!("{cost}"));
    assert!(because.contains("FOREIGN") && because.contains("latency of a random read"), "{cost}");
    assert!(!cost["value"].is_null() && cost["refused"].is_null() && because.len() <= 120, "{cost}");
    let rate = setting(&place, &small, "MAX_MBPS");
    assert!(!rate["value"].is_null() && rate["rough"].is_null(), "{rate}");
    let file = advise(&place, &small, "--for postgresql").expect_code(0).stdout;
    assert!(
        file.contains("\n# random_page_cost = ") && file.contains("#   rough: latency of a random read"),
        "{file}"
    );
    let cost = setting(&place, &disturbed(64), "random_page_cost");
    assert!(!cost["value"].is_null() && cost["rough"].is_null(), "{cost}");
}

/// 32 workers on 2 CPUs took almost half of a server's rate in a published test; fewer than the default are never advised.
#[test]
fn a_small_host_gets_few_workers() {
    let place = Place::in_memory();
    let line = "calibrate --engine sim:servers=64,service=1ms,rate=1000M,between=1% --seed 3 --quiet --no-html --no-history --name wide";
    place.line(line).expect_code(0);
    let record = place.only_of("wide_2", "_record.jsonl");
    for (cpus, workers) in [(2, "3"), (16, "16"), (64, "32")] {
        let host = edited(&place, &record, "host_record.jsonl", |line| {
            if line["line"] == "header" {
                line["nodes"][0]["host"]["cpus"] = cpus.into();
                line["nodes"][0]["host"]["cgroup"]["cpu_max_millis"] = Value::Null;
            }
        });
        let advice = setting(&place, &host, "io_workers");
        assert_eq!(advice["value"], workers, "{advice}");
    }
}

/// A path that a shell would tear apart.
#[test]
fn the_command_names_the_target_for_a_shell() {
    let place = Place::new();
    place.random_file("my data's", 16 << 20);
    let mut run = place.command();
    let line = "--matrix point --num-small 1 --num-large 0 --duration 200ms --buffered --no-html --quiet --name cached";
    // What a page cache answers in is little more than what it costs to ask.
    tell(run.args(["run", "advanced", "my data's"]).args(line.split_whitespace())).expect_measured();
    let record = place.only_of("cached", "_record.jsonl");
    let told = setting(&place, &record, "innodb_read_io_threads");
    let command = told["refused"]["command"].as_str().unwrap();
    let directory = place.path().canonicalize().unwrap();
    let quoted = format!("'{}/my data'\\''s'", directory.display());
    assert!(command.contains(&quoted), "{command} has no {quoted}");
    let read = std::process::Command::new("bash")
        .args(["-c", &format!("printf '%s\\n' {command}")])
        .output()
        .unwrap();
    let words = String::from_utf8(read.stdout).unwrap();
    assert!(words.lines().any(|word| Path::new(word).exists()), "{words}");
}

/// A server's file is read from above: the value, then its reasons, each once; what has no value stands at the end.
#[test]
fn the_value_stands_above_its_reasons() {
    let place = Place::in_memory();
    let record = calibrated(&place, "calm", "1%");
    let file = advise(&place, &record, "--for postgresql").expect_code(0).stdout;
    let at = |what: &str| file.find(what).unwrap_or_else(|| panic!("no {what:?} in {file}"));
    assert!(at("\nrandom_page_cost = ") < at("times as long"), "{file}");
    assert_eq!(file.matches("times as long").count(), 1, "{file}");
    assert!(at("as in --hit-rate 99%") < at("\neffective_io_concurrency = "), "{file}");
    assert!(at("# not measured: io_combine_limit: ") > at("\nmaintenance_io_concurrency = "), "{file}");
    assert!(!file.contains("not advised"), "{file}");
}

#[test]
fn settings_that_are_withheld_for_one_cause_name_it_once() {
    let place = Place::in_memory();
    let line = "calibrate --engine sim:servers=2000,service=4ms,rate=1000M,between=1% --seed 3 --quiet --no-html --no-history --name wide";
    place.line(line).expect_code(0);
    let record = place.only_of("wide_2", "_record.jsonl");
    let file = advise(&place, &record, "--for postgresql --server-version 18").expect_code(0).stdout;
    assert_eq!(file.matches("(NOT_SATURATED)").count(), 1, "{file}");
    let flat = file.replace("\n#", " ").split_whitespace().collect::<Vec<_>>().join(" ");
    let named =
        "withheld: effective_io_concurrency, maintenance_io_concurrency, io_max_concurrency: random reads";
    assert!(flat.contains(named), "{file}");
}

/// What was not measured is a line for each product, and the page about a product has the commands.
#[test]
fn a_page_about_one_product_explains_it() {
    let place = Place::in_memory();
    let record = calibrated(&place, "calm", "1%");
    let page = advise(&place, &record, "").expect_code(0).stdout;
    assert!(!page.contains("rigel calibrate "), "commands stand on the pages of the products: {page}");
    let mysql = advise(&place, &record, "--for mysql --explain").expect_code(0).stdout;
    assert!(mysql.contains("MySQL and MariaDB (InnoDB): --database mysql"), "{mysql}");
    assert!(!mysql.contains("PostgreSQL") && !mysql.contains("Oracle"), "{mysql}");
    assert!(mysql.contains("--write 100 --size-small 16K"), "{mysql}");
}

/// A run in a directory is repeated there, and a bound on the mean needs no word for a percentile.
#[test]
fn a_command_says_where_it_belongs() {
    let place = Place::in_memory();
    let line = "calibrate --engine sim:servers=8,service=1ms,rate=1000M,between=80% --max-latency 2ms --seed 3 --quiet --no-html --no-history --name there";
    place.line(line);
    let record = place.only_of("there_2", "_record.jsonl");
    let own = edited(&place, &record, "own_record.jsonl", |line| {
        if line["line"] == "header" {
            line["request"]["engine"] = "auto".into();
            let target = &mut line["targets"][0];
            target["kind"] = "file".into();
            target["real_path"] = "/data/rigel-scratch.dat".into();
            target["scratch"] = serde_json::json!({ "seed": 1, "used_before": false, "own": true });
        }
    });
    let page = advise(&place, &own, "").stdout;
    let command =
        "in the directory that was measured:\n      cd /data && rigel calibrate --max-latency 2ms --for 5m\n";
    assert!(page.contains(command), "{page}");
}
