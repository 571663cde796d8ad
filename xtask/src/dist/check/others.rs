//! Packages that lie beside another program: rigel-mpi beside MPI, the extension beside a server. Each is installed in a root that
//! has it.
//!
//! Must not need that program on this host.

use super::super::architecture::Architecture;
use super::super::{Release, VERSION, stage};
use super::{INSTALL, room::Room};
use anyhow::Context as _;
use serde_json::Value;
use std::path::Path;

/// The rpms of both. No rpm distribution with MPI or a server is available: the test is only that they unpack, verify and can be removed.
pub fn rpms(release: &Release, room: &Room) -> anyhow::Result<bool> {
    // Directories are those of a server.
    let before = room.list_files()?;
    let own = format!(".{}.rpm", release.architecture.name);
    let mut tried = 0;
    for file in stage::names(&release.out)?.into_iter().filter(|name| name.ends_with(&own)) {
        let name = file.split(&format!("-{VERSION}")).next().unwrap_or_default();
        // The program's own has a trial of its own.
        if name == "rigel" {
            continue;
        }
        let rpm = |arguments: &[&str]| release.finish(&mut room.rpm(arguments));
        rpm(&["--install", "--nodeps", &release.out.join(&file).to_string_lossy()])?;
        rpm(&["--verify", "--nodeps", name])?;
        rpm(&["--erase", name])?;
        Room::as_before(&before, &room.list_files()?)?;
        tried += 1;
    }
    println!("other rpms: {tried} tried");
    if tried == 0 {
        release.leave_out("other rpms: none was made")?;
    }
    Ok(true)
}

/// Two nodes on this host measure a simulated device together.
pub fn mpi(release: &Release, roots: &Path, debian: &str) -> anyhow::Result<bool> {
    let package = release.deb("rigel-mpi");
    if !release.out.join(&package).exists() {
        release.leave_out("mpi: no package was made")?;
        return Ok(true);
    }
    let room = Room::with(roots, debian, &["openmpi-bin"])?;
    let before = room.list()?;
    room.take_in(&release.out, &package)?;
    room.run(&format!("{INSTALL} /parts/{package}"))?;
    let told = room.run("rigel-mpi --version")?;
    super::trial::is_version(&told, release.architecture)?;
    let start = "mpirun --allow-run-as-root --oversubscribe -n 2 --mca btl self,vader --mca plm isolated";
    let run = "rigel-mpi --oversubscribe run oltp --engine sim:servers=4,service=1ms,rate=0 --fast --quiet --no-html --out /parts/run";
    room.run(&format!("mkdir /parts/run && {start} {run}"))?;
    let record = stage::names(&room.path().join("parts/run"))?
        .into_iter()
        .find(|name| name.ends_with("_record.jsonl"));
    let record = record.context("two nodes left no record")?;
    let told: Value =
        serde_json::from_str(&room.run(&format!("rigel-mpi report /parts/run/{record} --format json"))?)?;
    let nodes = told["run"]["nodes"].as_array().map_or(0, Vec::len);
    let rate = told["best"]["small"]["rate"]["value"].as_f64();
    anyhow::ensure!(nodes == 2 && rate.is_some_and(|rate| rate > 1.0), "{nodes} nodes, {rate:?} IOPS");
    println!(
        "mpi: {nodes} nodes, {} IOPS of two simulated devices with 4,000 each",
        rate.unwrap_or_default().round()
    );
    room.run("apt-get purge --yes rigel-mpi")?;
    Room::as_before(&before, &room.list()?)
}

/// The package of each server. One that is not available is left out and reported; the others are tested first.
pub fn extensions(release: &Release, roots: &Path, debian: &str) -> anyhow::Result<bool> {
    let mut tried = 0;
    let mut not_tried = Vec::new();
    for name in stage::names(&release.out)? {
        let Some(version) = version_of(&name, release.architecture) else { continue };
        // Each Debian has one version of the server.
        let server = format!("postgresql-{version}");
        match Room::with(roots, debian, &[&server]) {
            Ok(room) => {
                extension(release, &room, &name, version)?;
                tried += 1;
            }
            Err(error) => not_tried.push(format!("{server} ({error:#})")),
        }
    }
    println!("extension: {tried} tried");
    if !not_tried.is_empty() {
        release.leave_out(&format!("extension: not tried with {}", not_tried.join(", ")))?;
    } else if tried == 0 {
        release.leave_out("extension: no package was made")?;
    }
    Ok(true)
}

/// `15` of `postgresql-15-rigel_0.2.0-1_amd64.deb`.
fn version_of<'a>(name: &'a str, architecture: &Architecture) -> Option<&'a str> {
    name.strip_suffix(&format!("-rigel_{VERSION}-1_{}.deb", architecture.debian))?.strip_prefix("postgresql-")
}

fn extension(release: &Release, room: &Room, package: &str, version: &str) -> anyhow::Result<()> {
    let before = room.list()?;
    room.take_in(&release.out, package)?;
    room.run(&format!("{INSTALL} /parts/{package}"))?;
    let told = room.run(&SESSION.replace("VERSION", version))?;
    let rows: Vec<&str> = told.lines().filter(|line| !line.is_empty()).collect();
    let [of, updated, rate] = rows[..] else { anyhow::bail!("a session in the server: {told}") };
    anyhow::ensure!(of == VERSION && updated == VERSION, "CREATE EXTENSION: {told}");
    anyhow::ensure!(rate.parse().is_ok_and(|rate: f64| rate > 1.0), "calibrate_io(): {told}");
    println!("extension: calibrate_io() in PostgreSQL {version}: max_iops {rate}");
    room.run(&format!("apt-get purge --yes postgresql-{version}-rigel"))?;
    Room::as_before(&before, &room.list()?).map(|_| ())
}

/// What an administrator does. The server ends with the script. Users of the previous extension get this one by an
/// update; its functions are the same, so its script can represent it.
const SESSION: &str = r#"
    programs=/usr/lib/postgresql/VERSION/bin place=/parts/server said=/parts/said
    mkdir -m 700 $place && chown postgres $place && cd $place
    as() { setpriv --reuid postgres --regid postgres --init-groups "$@"; }
    as $programs/initdb -D data -A trust --no-sync --locale=C >$said 2>&1 || { cat $said; exit 1; }
    as $programs/pg_ctl -D data -w -o "-c listen_addresses= -c unix_socket_directories=$place" start >$said 2>&1 || { cat $said; exit 1; }
    trap 'as $programs/pg_ctl -D data -m immediate stop >$said 2>&1' EXIT
    sql() { as $programs/psql -h $place -d "$1" -qAtX -v ON_ERROR_STOP=1 -c "$2"; }
    sql postgres 'CREATE EXTENSION rigel'
    sql postgres "SELECT extversion FROM pg_extension WHERE extname = 'rigel'"
    scripts=/usr/share/postgresql/VERSION/extension
    cp $scripts/rigel--$(sed -n "s/^default_version = '\(.*\)'$/\1/p" $scripts/rigel.control).sql $scripts/rigel--0.1.0.sql
    sql postgres 'CREATE DATABASE older'
    sql older "CREATE EXTENSION rigel version '0.1.0'"
    sql older 'ALTER EXTENSION rigel UPDATE'
    rm $scripts/rigel--0.1.0.sql
    sql older "SELECT extversion FROM pg_extension WHERE extname = 'rigel'"
    sql postgres "CREATE TABLE t AS SELECT n, repeat('x', 1000) AS text FROM generate_series(1, 100000) AS n"
    sql postgres 'CHECKPOINT'
    sql postgres 'SELECT max_iops FROM rigel.calibrate_io(budget => 20)' 2>>$said
"#;

#[cfg(test)]
mod tests {
    use super::super::super::architecture::X86_64;
    use super::*;

    #[test]
    fn a_package_tells_its_server() {
        let of = |name: String| version_of(&name, &X86_64).map(str::to_owned);
        assert_eq!(of(format!("postgresql-15-rigel_{VERSION}-1_amd64.deb")).as_deref(), Some("15"));
        assert_eq!(of(format!("postgresql-15-rigel_{VERSION}-1_arm64.deb")), None);
        assert_eq!(of(format!("rigel_{VERSION}-1_amd64.deb")), None);
    }
}
