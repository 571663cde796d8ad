//! What people do first with a program that they installed. Must not care how it was installed.

use super::super::VERSION;
use super::super::architecture::Architecture;
use super::room::Room;
use serde_json::Value;
use std::time::Instant;

/// Tests what is below `/usr` or `/usr/local` of a root.
pub fn of_root(room: &Room, prefix: &str, architecture: &Architecture) -> anyhow::Result<()> {
    let told = room.run("rigel --version")?;
    is_version(&told, architecture)?;
    calibrates(
        |line| room.run(&format!("mkdir -p /parts/data && cd /parts/data && rigel {}", line.join(" "))),
        "/parts/data",
    )?;
    let page = room.run("man rigel-calibrate")?;
    anyhow::ensure!(
        page.contains("rigel-calibrate") && page.contains("--max-latency"),
        "man rigel-calibrate: {page}"
    );
    for name in ["rigel", "orion"] {
        let place = room.run(&format!("man --where {name}"))?;
        anyhow::ensure!(place.starts_with(prefix), "man --where {name}: {place}");
    }
    completes(room)?;
    let help = room.run("orion -help")?;
    anyhow::ensure!(help.contains("-num_disks"), "orion -help: {help}");
    Ok(())
}

/// The output of `rigel --version`: the version, the platform, and its engines.
pub fn is_version(told: &str, architecture: &Architecture) -> anyhow::Result<()> {
    let mut lines = told.lines();
    let is_first = lines.next() == Some(format!("rigel {VERSION}").as_str());
    let is_second = lines.next() == Some(format!("architecture: {}", architecture.name).as_str());
    let has_engines = lines.next().is_some_and(|line| line.starts_with("engines: io_uring, "));
    anyhow::ensure!(is_first && is_second && has_engines, "rigel --version: {told}");
    Ok(())
}

/// Calibrates for a few seconds; the answers have figures. On a busy host they may have warnings.
pub fn calibrates(rigel: impl Fn(&[&str]) -> anyhow::Result<String>, place: &str) -> anyhow::Result<()> {
    let line = [
        "calibrate",
        "--budget",
        "20s",
        "--scratch-size",
        "256M",
        "--json",
        "--quiet",
        "--no-html",
        "--no-history",
    ];
    has_a_rate(&rigel(&[&line[..], &["--out", place]].concat())?)
}

/// From nothing to the first number: installs a package, and calibrates the storage for a minute, like a user.
pub fn first_number(room: &Room, install: &str) -> anyhow::Result<()> {
    let start = Instant::now();
    room.run(install)?;
    let installed = start.elapsed().as_secs_f64();
    has_a_rate(&room.run(
        "mkdir -p /parts/first && cd /parts/first && rigel calibrate --budget 60s --json --no-history",
    )?)?;
    println!(
        "first number: {:.1} s after the start, of which {installed:.1} s to install",
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

/// Only libblkid knows this, which the program loads at run time: without it the write guard would see less.
pub fn names_contents(room: &Room) -> anyhow::Result<()> {
    room.run("truncate --size 2M /parts/filesystem && mkfs.minix /parts/filesystem")?;
    let told = room.run("rigel targets /parts/filesystem")?;
    anyhow::ensure!(told.contains("filesystem signature: minix"), "libblkid is not used: {told}");
    Ok(())
}

/// The output of `rigel calibrate --json`.
pub fn has_a_rate(told: &str) -> anyhow::Result<()> {
    let answers: Value = serde_json::from_str(told)?;
    let found = &answers["max_iops"];
    anyhow::ensure!(
        found["value"].as_f64().or(found.as_f64()).is_some_and(|rate| rate > 1.0),
        "no rate: {told}"
    );
    println!("calibrate: max_iops {found}");
    Ok(())
}

/// The effect of the Tab key, by the script that bash loads itself.
fn completes(room: &Room) -> anyhow::Result<()> {
    let keys = r#"
        . /usr/share/bash-completion/bash_completion
        _completion_loader rigel
        COMP_WORDS=(rigel calib) COMP_CWORD=1 COMP_LINE='rigel calib' COMP_POINT=11
        function=$(complete -p rigel | sed 's/.*-F \([^ ]*\).*/\1/')
        $function rigel calib rigel
        echo "${COMPREPLY[@]}"
    "#;
    let told = room.run_directly("/bin/bash", &["-c", keys])?;
    anyhow::ensure!(told.split_whitespace().any(|word| word == "calibrate"), "completed to: {told}");
    Ok(())
}

/// What the timer starts once a week.
pub fn weekly(room: &Room) -> anyhow::Result<()> {
    room.run("mkdir -p /parts/weekly /parts/metrics")?;
    let variables = "RIGEL_DIRECTORY=/parts/weekly RIGEL_METRICS=/parts/metrics";
    let script = "/usr/lib/rigel/calibrate-metrics --budget 20s --scratch-size 256M";
    room.run(&format!("{variables} {script}"))?;
    let told = room.run("cat /parts/metrics/rigel.prom; ls /parts/metrics")?;
    anyhow::ensure!(
        told.contains("\nrigel_iops{") && told.ends_with("\nrigel.prom\n"),
        "the metrics: {told}"
    );
    let without = room.run(&format!("RIGEL_METRICS=/parts/nowhere {script} 2>&1 || echo refused"))?;
    anyhow::ensure!(without.contains("set RIGEL_METRICS") && without.ends_with("refused\n"), "{without}");
    Ok(())
}
