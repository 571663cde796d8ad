//! Raw reads beside SQL on devices whose answer is known: both ways must show it. Minutes each: `cargo xtask long` runs them.

use crate::support::{Place, ProgramOutput, asked, tell};
use rigel_core::load::sql::Product;
use rigel_testdev::{
    BlkioCap, CapLimits, DeviceSpec, LoopDevice, MissingNeed, MysqlServer, PostgresServer, TestDevice, needs,
};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const CAP: u32 = 2000;
const STATIONS: u32 = 4;
const SERVICE_US: u32 = 20_000;

/// How long a run may take.
fn seconds(name: &str) -> Option<u32> {
    asked(name, "RIGEL_SQL_SECONDS")
}

/// Sessions with the rates of reads, of raw I/O and of SQL: a look-up through an index reads some of its blocks beside that of its row.
#[expect(clippy::print_stderr, reason = "the figures are wanted, and not only that they were right")]
fn rates(told: ProgramOutput) -> Vec<(u32, [f64; 2])> {
    assert!([0, 1].contains(&told.code), "{}", told.stderr);
    let document = told.json();
    let rate = |load: &Value, way: &str| {
        let more = if way == "sql" { load["index_blocks_per_look_up"].as_f64().unwrap_or(0.0) } else { 0.0 };
        load[way]["per_s"]["value"].as_f64().unwrap() * (1.0 + more)
    };
    let one = |load: &Value| {
        let sessions = u32::try_from(load["sessions"].as_u64().unwrap()).unwrap();
        (sessions, ["raw", "sql"].map(|way| rate(load, way)))
    };
    eprintln!("{}", document["sentences"]);
    document["loads"].as_array().unwrap().iter().inspect(|load| eprintln!("{load}")).map(one).collect()
}

/// The whole device that holds a directory.
fn device_of(dir: &Path) -> Result<PathBuf, MissingNeed> {
    let number = fs::metadata(dir).map_err(MissingNeed::new)?.dev();
    let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
    let here = fs::canonicalize(format!("/sys/dev/block/{major}:{minor}")).map_err(MissingNeed::new)?;
    let whole = if here.join("partition").exists() { here.parent().unwrap().to_owned() } else { here };
    Ok(Path::new("/dev").join(whole.file_name().unwrap()))
}

/// A server that is there, on the capped device.
enum CappedServer {
    Postgres(PostgresServer),
    Mysql(MysqlServer),
}

impl CappedServer {
    fn start(product: Product) -> Result<Self, MissingNeed> {
        match product {
            Product::Postgresql => PostgresServer::start("shared_buffers = '1MB'\n").map(Self::Postgres),
            Product::Mysql => MysqlServer::start(&[]).map(Self::Mysql),
        }
    }

    /// Its directory, its process, its connection string, and the name to repeat.
    fn facts(&self) -> (PathBuf, u32, String, &'static str) {
        match self {
            Self::Postgres(server) => (server.data(), server.process(), server.dsn(), "postgres"),
            Self::Mysql(server) => (server.data(), server.process(), server.dsn(), "rigel"),
        }
    }
}

#[test]
fn a_capped_disk_is_seen_by_both_ways() {
    let name = "a_capped_disk_is_seen_by_both_ways";
    let Some(seconds) = seconds(name) else { return };
    for product in Product::ALL {
        let name = format!("{name} ({})", product.name());
        let Some(server) = needs(&name, CappedServer::start(product)) else { continue };
        let (data, process, dsn, home) = server.facts();
        let limits = CapLimits { read_iops: Some(CAP.into()), ..CapLimits::default() };
        let cap = device_of(&data).and_then(|device| BlkioCap::create(device, limits));
        let Some(cap) = needs(&name, cap) else { continue };
        // What it starts from here on is in the group as well.
        cap.enter(process).unwrap();
        let place = Place::new();
        let mut command = cap.command(env!("CARGO_BIN_EXE_rigel"));
        command.current_dir(place.path());
        command.args(["sql", "simple", "--create-in", home, "--size", "256M", "--sessions", "2,4", "--drop"]);
        command.args(["--precision", "1%", "--json", "--no-html", "--for", &format!("{seconds}s")]);
        command.args(["--dsn", &dsn]);
        let found = rates(tell(&mut command));
        assert_eq!(found.len(), 2, "{name}: {found:?}");
        for rate in found.iter().flat_map(|load| load.1) {
            assert!((rate / f64::from(CAP) - 1.0).abs() < 0.01, "{name}: {found:.1?}");
        }
    }
}

/// A filesystem on a device; unmounted when dropped.
struct Mount(PathBuf);

impl Mount {
    fn make(device: &Path, dir: &Path) -> Result<Self, MissingNeed> {
        let run = |command: &mut Command| {
            let output = command.output().map_err(MissingNeed::new)?;
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            if output.status.success() { Ok(()) } else { Err(MissingNeed::new(said)) }
        };
        run(Command::new("mkfs.ext4").args(["-q", "-O", "^has_journal", "-m", "0"]).arg(device))?;
        run(Command::new("mount").arg(device).arg(dir))?;
        Ok(Self(dir.to_owned()))
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

/// As many reads as stations are answered at once, and no more.
#[test]
fn the_law_of_a_device_is_seen_by_both_ways() {
    let name = "the_law_of_a_device_is_seen_by_both_ways";
    let Some(seconds) = seconds(name) else { return };
    for product in Product::ALL {
        let name = format!("{name} ({})", product.name());
        let spec = DeviceSpec {
            size_bytes: 1152 << 20,
            servers: STATIONS as usize,
            service_us: SERVICE_US.into(),
            ..DeviceSpec::default()
        };
        let Some(device) = needs(&name, TestDevice::mount(spec)) else { continue };
        let Some(disk) = needs(&name, LoopDevice::attach(device.disk(), true)) else { continue };
        let dir = tempfile::tempdir().unwrap();
        let Some(mount) = needs(&name, Mount::make(disk.path(), dir.path())) else { continue };
        let place = Place::new();
        let mut command = place.command();
        command.args(["sql", "simple", "--database", product.name()]).arg(&mount.0);
        command.args(["--size", "128M", "--sessions", "1,2,4,8"]);
        command.args(["--precision", "2%", "--json", "--no-html", "--for", &format!("{seconds}s")]);
        let found = rates(tell(&mut command));
        drop(mount);
        assert_eq!(found.len(), 4, "{name}: {found:?}");
        for (sessions, ways) in &found {
            let law = f64::from(*sessions.min(&STATIONS)) * 1e6 / f64::from(SERVICE_US);
            // Below the knee the way of each read there and back is not free, and SQL asks for the next one later.
            let least = if *sessions > STATIONS { 0.98 } else { 0.85 };
            for rate in ways {
                assert!(
                    (least..1.02).contains(&(rate / law)),
                    "{name}, {sessions}: {rate} of {law}: {found:.1?}"
                );
            }
        }
    }
}
