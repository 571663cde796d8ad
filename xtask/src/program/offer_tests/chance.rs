//! The commands in what runs by chance become: words drawn from a seed, run by the program on a simulated device, and every format of the
//! record. Whatever those offer is accepted, and what reads a record reads this one.

use super::super::golden;
use super::*;
use rigel_core::load::draw::Generator;
use rigel_core::record::Record;
use std::fs;
use std::path::Path;

/// Command lines; each is a run of some virtual seconds.
const RUNS: u64 = 12;
const SEED: u64 = 38;

/// Options of every measuring command.
const SHARED: [&str; 6] = ["--label 'a b'", "--name x-y", "--quiet", "--seed 9", "--label 'o'\\''clock'", ""];
/// Commands, each with its own options.
const COMMANDS: [(&str, &[&str]); 12] = [
    (
        "run simple",
        &[
            "--duration 2s",
            "--precision 20%",
            "--levels auto --max-duration 60s",
            "--fast --max-duration 90s",
        ],
    ),
    (
        "run normal",
        &["--duration 1s --num-disks 2", "--fast --max-duration 40s", "--write 30 --max-duration 70s"],
    ),
    (
        "run oltp",
        &[
            "--duration 2s --verbose",
            "--write 20 --fast --max-duration 60s",
            "--span 0-33% --max-duration 4m",
        ],
    ),
    ("run dss", &["--duration 1s", "--fast --max-duration 30s"]),
    (
        "run advanced --matrix",
        &[
            "point --num-small 8 --num-large 1 --duration 2s",
            "row --num-large 1 --duration 1s --size-large 2M",
        ],
    ),
    (
        "run open --rate",
        &[
            "50,100 --max-duration 60s",
            "100 --arrivals bursty:16 --fast --max-duration 40s",
            "80 --size-small 16K --duration 2s",
        ],
    ),
    ("run zones", &["--max-duration 4m", "--fast --max-duration 2m --places 4"]),
    ("run streams", &["--max-duration 60s --fast", "--max-duration 40s --workers 1"]),
    (
        "calibrate --no-history",
        &[
            "--budget 30s",
            "--budget 1m --max-latency 40ms",
            "--max-latency 90ms --percentile p99",
            "--write 20 --num-disks 2",
        ],
    ),
    (
        "slo",
        &[
            "--p99 90ms --duration 12m",
            "--bound 'p95 < 80ms' --bound 'mean < 60ms'",
            "--require 'p99 < 90ms @ 50' --duration 13m",
        ],
    ),
    (
        "versus --same",
        &[
            "--fast --max-duration 100s",
            "oltp --fail-if 'small_iops < 5%' --max-duration 200s",
            "open --rate 50 --max-duration 60s",
        ],
    ),
    ("soak --for 20s", &["", "--write 30", "--every 5s"]),
];
const LAWS: [&str; 5] = [
    "sim:servers=4,service=20ms,rate=50M",
    "sim:servers=2,service=10ms,spread=exponential",
    "sim:servers=8,service=20ms,between=30%",
    "sim:servers=1,service=30ms,rate=20M",
    "sim:servers=16,service=40ms",
];

/// The arguments of the run with a number, and its directory's.
fn words(number: u64, dir: &Path) -> Vec<String> {
    let mut generator = Generator::new(SEED, &[number]);
    let mut draw = |count: usize| generator.index(count - 1);
    // Each command has its turn.
    let (command, own) = COMMANDS[usize::try_from(number).unwrap() % COMMANDS.len()];
    let law = LAWS[draw(LAWS.len())];
    let other = LAWS[draw(LAWS.len())];
    let sides = if command.starts_with("versus") { format!(" --and-engine {other}") } else { String::new() };
    let (own, shared) = (own[draw(own.len())], SHARED[draw(SHARED.len())]);
    let line = format!("{command} {own} {shared} --engine {law}{sides} --no-html --out {}", dir.display());
    rigel_testdev::offers::shell::commands(&line.replace("  ", " ")).unwrap().remove(0)
}

/// The result of a command without load: a command that reads a record gets this one, a command that measures is
/// planned. `None` for other commands, and for a run that resumes, because this one is over.
fn tried(words: &[String], record: &str) -> Option<Vec<String>> {
    let of_record = |word: &String| {
        if word.ends_with("_record.jsonl") || word == "RECORD" { record.to_owned() } else { word.clone() }
    };
    match words.first()?.as_str() {
        _ if words.iter().any(|word| ["--resume", "--history", "--last"].contains(&word.as_str())) => None,
        "report" | "advise" | "compare" => Some(words.iter().map(of_record).collect()),
        "run" | "calibrate" | "slo" | "versus" | "soak" if words.len() > 1 => {
            Some(words.iter().cloned().chain(["--dry-run".to_owned()]).collect())
        }
        _ => None,
    }
}

/// The limit on the time of a command, in seconds.
fn limit_s(words: &[String]) -> Option<u64> {
    let at = words
        .iter()
        .position(|word| ["--max-duration", "--budget", "--duration"].contains(&word.as_str()))?;
    let time = words.get(at + 1)?;
    let (number, unit) = time.split_at(time.len() - 1);
    Some(number.parse::<u64>().ok()? * if unit == "m" { 60 } else { 1 })
}

/// A run that is offered to measure longer has more time than this run had.
fn check_longer(text: &str, words: &[String]) {
    let Some((_, below)) = text.split_once("To measure longer:\n") else { return };
    let command = rigel_testdev::offers::shell::commands(below.lines().next().unwrap()).unwrap().remove(0);
    if let (Some(was), Some(is)) = (limit_s(words), limit_s(&command)) {
        assert!(is > was, "{words:?}: {command:?}");
    }
}

fn perform(words: &[String]) -> (u8, [String; 2]) {
    let argv: Vec<OsString> = ["rigel".to_owned()].iter().chain(words).map(OsString::from).collect();
    let streams = rigel::Streams::in_memory();
    (rigel::perform(&argv, &streams), streams.texts())
}

#[test]
fn whatever_a_run_by_chance_offers_is_accepted() {
    let mut refused = RefusedOffers::default();
    let mut tries = 0;
    for number in 0..RUNS {
        let dir = tempfile::tempdir().unwrap();
        let words = words(number, dir.path());
        let (code, told) = perform(&words);
        assert!(matches!(code, 0 | 1), "{words:?}: {told:?}");
        let name = words.join(" ");
        told.iter().for_each(|text| refused.check(&name, offers(text.as_bytes())));
        let record = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path());
        let record =
            record.into_iter().find(|path| path.to_string_lossy().ends_with("_record.jsonl")).expect(&name);
        let path = record.display().to_string();
        let found = Record::read(&fs::read(&record).unwrap()).unwrap();
        let mut known = BTreeSet::new();
        for document in golden::documents_of(&found).unwrap() {
            let offers = offers(&document.bytes);
            if document.name == "text" {
                check_longer(&String::from_utf8_lossy(&document.bytes), &words);
            }
            for offer in &offers {
                let own = judge().check(offer).into_iter().flatten().filter_map(|own| tried(&own, &path));
                for own in own.filter(|own| known.insert(own.clone())) {
                    let (code, told) = perform(&own);
                    assert!(matches!(code, 0 | 1), "{name}\n{}: {own:?}: {told:?}", document.name);
                    tries += 1;
                }
            }
            refused.check(&format!("{name}: {}", document.name), offers);
        }
    }
    refused.conclude(200);
    assert!(tries > 5, "{tries}");
}
