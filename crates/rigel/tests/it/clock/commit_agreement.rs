//! What a commit costs, beside fio and pg_test_fsync on the same file in turns.
//!
//! On a device of the tests, whose law is known, and, with `RIGEL_COMMIT_ROUNDS`, on the storage below the build, where the
//! figures are those of docs/method/commits.md.

use crate::busy_host::flags_of_points;
use crate::support::{Place, asked, tell};
use rigel_core::stats::special::student_t_quantile;
use rigel_testdev::{DeviceSpec, MissingNeed, TestDevice, needs};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

const FILE_BYTES: u64 = 256 << 20;
const WAYS: [&str; 2] = ["dsync", "fdatasync"];

fn fio() -> Result<(), MissingNeed> {
    match Command::new("fio").arg("--version").output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(_) => Err(MissingNeed::new("fio does not start")),
        Err(error) => Err(MissingNeed::new(format!("fio: {error}"))),
    }
}

/// Commits per second of one writer in both ways, for two seconds each, and the flags beside them.
fn by_rigel(place: &Place, target: &Path, engine: &str) -> ([f64; 2], String) {
    let line = format!(
        "run commit {0} --destroy-data {0} --writers 1 --duration 2s --engine {engine} --no-html --json --quiet --force",
        target.display()
    );
    let document = place.line(&line).expect_measured().json();
    let points = document["points"].as_array().unwrap();
    let rates = WAYS.map(|way| {
        let point = points.iter().find(|point| point["levels"][way] == 1).unwrap();
        point["classes"][way]["iops"]["value"].as_f64().unwrap()
    });
    (rates, flags_of_points(&document))
}

fn by_fio(target: &Path, way: &str) -> f64 {
    let mut command = Command::new("fio");
    command.args(["--name=x", "--rw=write", "--bs=8k", "--direct=1", "--ioengine=psync", "--runtime=2"]);
    command.args(["--size=16m", "--time_based", "--overwrite=1", "--output-format=json"]);
    command.arg(if way == "dsync" { "--sync=dsync" } else { "--fdatasync=1" });
    let told = tell(command.arg(format!("--filename={}", target.display())));
    told.expect_code(0).json()["jobs"][0]["write"]["iops"].as_f64().unwrap()
}

/// Its first table has both ways with one write of 8 KiB; the rest is not waited for.
fn by_pg_test_fsync(program: &Path, target: &Path) -> [f64; 2] {
    let mut command = Command::new(program);
    command.args(["-s", "2", "-f"]).arg(target).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut found = [None, None];
    for line in lines {
        let words: Vec<&str> = line.split_whitespace().collect();
        let rate = |name| if words.first() == Some(&name) { words.get(1)?.parse().ok() } else { None };
        found = [found[0].or(rate("open_datasync")), found[1].or(rate("fdatasync"))];
        if found[1].is_some() {
            break;
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    found.map(|rate: Option<f64>| rate.expect("a rate of pg_test_fsync"))
}

fn pg_test_fsync() -> Result<PathBuf, MissingNeed> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").map_err(MissingNeed::new)?;
    let mut programs: Vec<PathBuf> =
        versions.filter_map(|entry| Some(entry.ok()?.path().join("bin/pg_test_fsync"))).collect();
    programs.retain(|program| program.exists());
    programs.pop().ok_or_else(|| MissingNeed::new("no pg_test_fsync"))
}

/// On devices that take 4 ms to write and 6 ms to flush, one of a few rounds agrees within 2 %, unless fio itself misses the law. The
/// tools measure at once, each on a device of its own, so that what else the host does is the same for both.
#[test]
fn rigel_and_fio_agree_on_commits() {
    let name = "rigel_and_fio_agree_on_commits";
    let Some(()) = needs(name, fio()) else { return };
    let spec = DeviceSpec { size_bytes: 32 << 20, service_us: 4000, flush_us: 6000, ..DeviceSpec::default() };
    let Some(a) = needs(name, TestDevice::mount(spec)) else { return };
    let Some(b) = needs(name, TestDevice::mount(spec)) else { return };
    let place = Place::new();
    let mut seen: [Vec<(f64, f64)>; 2] = [Vec::new(), Vec::new()];
    let mut told = Vec::new();
    let agree = |seen: &[(f64, f64)]| seen.iter().any(|(ours, theirs)| (ours / theirs - 1.0).abs() < 0.02);
    for _ in 0..6 {
        let (theirs, (ours, flags)) = thread::scope(|scope| {
            let fio = scope.spawn(|| WAYS.map(|way| by_fio(&b.disk(), way)));
            let rigel = by_rigel(&place, &a.disk(), "io_uring");
            (fio.join().unwrap(), rigel)
        });
        told.push(flags);
        (0..2).for_each(|way| seen[way].push((ours[way], theirs[way])));
        if seen.iter().all(|seen| agree(seen)) {
            return;
        }
    }
    for (way, seen) in WAYS.iter().zip(&seen).filter(|(_, seen)| !agree(seen)) {
        let busy = seen.iter().all(|(_, theirs)| (theirs / 100.0 - 1.0).abs() > 0.02);
        assert!(busy, "{way}: rigel and fio {seen:?}; {told:#?}");
        let reason = format!("{way}: fio misses the law by more than 2 %: {seen:?}");
        needs::<()>("rigel_and_fio_agree_on_commits (busy host)", Err(MissingNeed::new(reason)));
    }
}

/// The geometric mean of the ratios, and the ends of its 95 % interval.
pub fn ratio(pairs: &[(f64, f64)]) -> [f64; 3] {
    let logs: Vec<f64> = pairs.iter().map(|(ours, theirs)| (ours / theirs).ln()).collect();
    let count = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / count;
    let variance = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let half = student_t_quantile(0.975, count - 1.0) * (variance / count).sqrt();
    [mean, mean - half, mean + half].map(f64::exp)
}

/// `RIGEL_COMMIT_ROUNDS` rounds on the storage below the build: figures for the documentation. No ratio of io_uring may be
/// surely off by more than 10 %, none of another engine by more than 30 %.
#[test]
fn on_real_storage_all_tools_agree() {
    let name = "on_real_storage_all_tools_agree";
    let Some(rounds) = asked::<usize>(name, "RIGEL_COMMIT_ROUNDS") else { return };
    let Some(()) = needs(name, fio()) else { return };
    let Some(pg) = needs(name, pg_test_fsync()) else { return };
    let place = Place::new();
    let file = place.random_file("log", FILE_BYTES);
    let other = place.random_file("pg", 16 << 20);
    let tools = ["io_uring", "libaio", "threads", "fio", "pg_test_fsync"];
    let mut rates: Vec<[Vec<f64>; 2]> = tools.iter().map(|_| [Vec::new(), Vec::new()]).collect();
    for round in 0..rounds {
        let mut order: Vec<usize> = (0..tools.len()).collect();
        if round % 2 == 1 {
            order.reverse();
        }
        for tool in order {
            let found = match tools[tool] {
                "fio" => WAYS.map(|way| by_fio(&file, way)),
                "pg_test_fsync" => by_pg_test_fsync(&pg, &other),
                engine => by_rigel(&place, &file, engine).0,
            };
            (0..2).for_each(|way| rates[tool][way].push(found[way]));
        }
    }
    for (way, word) in WAYS.iter().enumerate() {
        for theirs in [3, 4] {
            for ours in 0..3 {
                let pairs: Vec<(f64, f64)> =
                    rates[ours][way].iter().copied().zip(rates[theirs][way].iter().copied()).collect();
                let mean = |of: usize| rates[of][way].iter().sum::<f64>() / rounds as f64;
                let [middle, low, high] = ratio(&pairs);
                println!(
                    "| {word} | {} | {:.0} | {} | {:.0} | {middle:.2} ({low:.2} to {high:.2}) |",
                    tools[ours],
                    mean(ours),
                    tools[theirs],
                    mean(theirs)
                );
                // The other engines wait for a CPU more often, or elsewhere: of a fast flush that is a good part.
                let off = if tools[ours] == "io_uring" { 0.1 } else { 0.3 };
                let agree = low < 1.0 + off && high > 1.0 - off;
                assert!(agree, "{word}: {} and {}: {pairs:?}", tools[ours], tools[theirs]);
            }
        }
    }
}
