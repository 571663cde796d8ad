//! Real devices whose answer is known: memory under a cap of the block cgroup, and a FUSE device with a law of service.
//!
//! The answer holds for a host that has a CPU for the load. When others take it meanwhile, the device gets fewer I/Os than
//! it may do, and Rigel says FOREIGN; such a trial is repeated, and after three of them the test says that the host was too
//! busy, and is counted as not run. A program of their own, so that the burners here do not disturb the other tests.

#![expect(clippy::unwrap_used, reason = "a helper of a test that cannot go on should say where")]

#[path = "../it/busy_host.rs"]
#[expect(dead_code, reason = "these tests need a part of what the others do")]
mod busy_host;
#[path = "../it/support.rs"]
#[expect(dead_code, reason = "these tests need a part of what the others do")]
mod support;

use busy_host::expect_flag;
use rigel_core::judge::findings::{Findings, IoFindings, PointFindings};
use rigel_core::judge::flags::{Flag, FlagCode};
use rigel_core::load::class::Class;
use rigel_core::load::sides::Side;
use rigel_core::record::Record;
use rigel_testdev::{BlkioCap, CapLimits, DeviceSpec, MissingNeed, TestDevice, ZramDevice, needs};
use std::cell::Cell;
use std::path::Path;
use std::sync::{PoisonError, RwLock, RwLockWriteGuard, TryLockError};
use std::time::Duration;
use support::{Place, ProgramOutput, tell};

const TRIALS: usize = 3;
/// Held by all that must not be disturbed, and alone by what disturbs.
static QUIET: RwLock<()> = RwLock::new(());
const ZRAM_BYTES: u64 = 64 << 20;

/// What a run left, judged.
fn findings(place: &Place, told: ProgramOutput) -> Findings {
    told.expect_measured();
    Findings::of(&Record::read(place.read("_record.jsonl").as_bytes()).unwrap())
}

fn has(flags: &[Flag], code: FlagCode) -> bool {
    flags.iter().any(|flag| flag.code == code)
}

fn disturbed(found: &Findings) -> bool {
    let points = found.points.iter().flat_map(|point| &point.flags);
    points.chain(&found.flags).any(|flag| flag.code == FlagCode::Foreign)
}

/// Runs until `holds`, as long as others disturb. Of the trials that nobody disturbed one may fail, told loudly: a virtual
/// machine that stands still for some tenths of a second shows in no counter of its own. A tool that is wrong fails the
/// next one as well. `None`, counted, when the host was too busy all the time.
#[expect(clippy::print_stderr, reason = "a trial that failed must be told")]
fn undisturbed(
    name: &str,
    run: impl Fn() -> Findings,
    holds: impl Fn(&Findings) -> Result<(), String>,
) -> Option<Findings> {
    let _quiet = QUIET.read().unwrap_or_else(PoisonError::into_inner);
    let mut last = String::new();
    let mut unexplained = None;
    for _ in 0..TRIALS {
        let found = run();
        match (holds(&found), &unexplained) {
            (Ok(()), _) => return Some(found),
            (Err(what), _) if disturbed(&found) => {
                eprintln!("{name}: once more, as others took the CPU: {what}");
                last = what;
            }
            (Err(what), None) => {
                eprintln!("{name}: once more, although nobody disturbed: {what}; {:?}", found.flags);
                unexplained = Some(what);
            }
            (Err(what), Some(before)) => panic!("{what}; before: {before}; {:?}", found.flags),
        }
    }
    needs(
        &format!("{name} (busy host)"),
        Err(MissingNeed::new(format!("other programs took the CPU in {TRIALS} trials: {last}"))),
    )
}

/// Every point's rate within 1 % of the cap, whatever is outstanding.
fn within(found: &Findings, cap: f64, rate: fn(&PointFindings) -> Option<f64>) -> Result<(), String> {
    let rates: Vec<f64> = found.points.iter().filter_map(rate).collect();
    assert!(rates.len() >= 2, "{rates:?}");
    let off = rates.iter().find(|rate| (*rate / cap - 1.0).abs() > 0.01);
    off.map_or(Ok(()), |off| Err(format!("{off:.1} is not within 1 % of the cap of {cap:.1}: {rates:.1?}")))
}

fn iops(point: &PointFindings) -> Option<f64> {
    point.io(Class::SMALL).map(|io: &IoFindings| io.iops.value)
}

fn mbps(point: &PointFindings) -> Option<f64> {
    point.io(Class::LARGE).and_then(|io| Some(io.mbps()?.value))
}

/// Asks for each level of a cap and for three minutes of each law, as `cargo xtask long` does.
fn whole() -> bool {
    std::env::var_os("RIGEL_EVERY_LEVEL").is_some()
}

/// The levels of a capped run: all of a shape, or the first and the last one of them.
struct Levels {
    shape: &'static str,
    class: &'static str,
    size: &'static str,
    last: u32,
}

const SMALL: Levels =
    Levels { shape: "--matrix row --num-large 0 --num-disks 1", class: "small", size: "8K", last: 5 };
const LARGE: Levels =
    Levels { shape: "--matrix col --num-small 0 --num-disks 2", class: "large", size: "1M", last: 4 };

impl Levels {
    /// The run of all of them, or that of a load file in this place.
    fn run(&self, place: &Place) -> String {
        if whole() {
            return format!("run advanced {}", self.shape);
        }
        let Self { class, size, last, .. } = self;
        let points = format!("points = [{{ {class} = 1 }}, {{ {class} = {last} }}]");
        let text =
            format!("load = \"rigel.load/1\"\n{points}\n[[class]]\nname = \"{class}\"\nsize = \"{size}\"\n");
        std::fs::write(place.path().join("levels.toml"), text).unwrap();
        "run --load levels.toml".to_owned()
    }
}

/// A capped memory device, 15 s for each level: the limiter counts in slices of a tenth of a second, and one more or less at the
/// edges is 0.7 % of so many.
fn capped(name: &str, limits: CapLimits, levels: &Levels, cap: f64, rate: fn(&PointFindings) -> Option<f64>) {
    let Some(zram) = needs(name, ZramDevice::create(ZRAM_BYTES)) else { return };
    zram.fill(ZRAM_BYTES).unwrap();
    let Some(group) = needs(name, BlkioCap::create(zram.path(), limits)) else { return };
    let run = || {
        let place = Place::new();
        let mut command = group.command(env!("CARGO_BIN_EXE_rigel"));
        let line = format!("{} --duration 15s --name capped --allow-memory", levels.run(&place));
        command.current_dir(place.path()).args(line.split(' ')).arg(zram.path());
        findings(&place, tell(&mut command))
    };
    let Some(found) = undisturbed(name, run, |found| within(found, cap, rate)) else { return };
    assert!(has(&found.flags, FlagCode::Throttled), "{:?}", found.flags);
}

#[test]
fn a_cap_of_777_iops_is_found_at_every_level() {
    let limits = CapLimits { read_iops: Some(777), ..CapLimits::default() };
    capped("a_cap_of_777_iops_is_found_at_every_level", limits, &SMALL, 777.0, iops);
}

#[test]
fn a_cap_of_12345_iops_is_found_at_every_level() {
    let limits = CapLimits { read_iops: Some(12_345), ..CapLimits::default() };
    capped("a_cap_of_12345_iops_is_found_at_every_level", limits, &SMALL, 12_345.0, iops);
}

#[test]
fn a_cap_of_200_mib_per_second_is_found_at_every_level() {
    let limits = CapLimits { read_bytes_per_s: Some(200 << 20), ..CapLimits::default() };
    capped("a_cap_of_200_mib_per_second_is_found_at_every_level", limits, &LARGE, 200.0, mbps);
}

/// Caps of 3,000 and 3,150 I/Os per second, in turns: both rates, and the ratio, which is far surer than what it has to tell apart.
#[test]
fn two_caps_a_twentieth_apart_are_told_apart() {
    let name = "two_caps_a_twentieth_apart_are_told_apart";
    let disk = || needs(name, ZramDevice::create(ZRAM_BYTES));
    let (Some(a), Some(b)) = (disk(), disk()) else { return };
    [&a, &b].iter().for_each(|zram| zram.fill(ZRAM_BYTES).unwrap());
    let limits = |cap| CapLimits { read_iops: Some(cap), ..CapLimits::default() };
    let Some(group) = needs(name, BlkioCap::create(a.path(), limits(3000))) else { return };
    if needs(name, group.also(b.path(), limits(3150))).is_none() {
        return;
    }
    let ratio = Cell::new([0.0; 3]);
    let run = || {
        let place = Place::new();
        let mut command = group.command(env!("CARGO_BIN_EXE_rigel"));
        command
            .current_dir(place.path())
            .args(["versus", "advanced"])
            .arg(a.path())
            .arg("--and")
            .arg(b.path());
        let seconds = if whole() { 60 } else { 30 };
        let line = format!(
            "--matrix point --num-small 8 --num-large 0 --max-duration {seconds}s --precision 1% --allow-memory --json"
        );
        let told = tell(command.args(line.split(' ')));
        let document = told.json();
        let row =
            document["rows"].as_array().unwrap().iter().find(|row| row["metric"] == "small_iops").unwrap();
        ratio.set(["value", "lo95", "hi95"].map(|end| row["ratio"][end].as_f64().unwrap_or(f64::NAN)));
        findings(&place, told)
    };
    let rate = |found: &Findings, side: Side| {
        let of_side = |point: &PointFindings| Some(point.io(Class::SMALL.on(side)?)?.iops.value);
        found.points.iter().find_map(of_side).unwrap_or(f64::NAN)
    };
    let holds = |found: &Findings| {
        let [mean, lo, hi] = ratio.get();
        let rates = [rate(found, Side::A), rate(found, Side::B)];
        let is_known = (rates[0] / 3000.0 - 1.0).abs() < 0.01 && (rates[1] / 3150.0 - 1.0).abs() < 0.01;
        let is_told = lo > 1.0 && lo <= 1.055 && hi >= 1.045 && (mean / 1.05 - 1.0).abs() < 0.01;
        if is_known && is_told { Ok(()) } else { Err(format!("{rates:?}, ratio {mean} ({lo} to {hi})")) }
    };
    undisturbed(name, run, holds);
}

/// The shortest window of the search.
fn window_us(record: &Record) -> f64 {
    let shortest_ns = record.search.iter().map(|visit| visit.measured_ns).min().unwrap();
    Duration::from_nanos(shortest_ns).as_secs_f64() * 1e6
}

/// C stations of S each: 95 % of C/S is first reached at 0.95 C outstanding, rounded up. Where 0.95 C is a whole number
/// both it and the next level are right answers, so no such C is asked for. The highest rate is within 1 % in three minutes; in one the
/// visits are so short that an I/O more or less of each station is more than that.
fn law(name: &str, servers: u16) {
    const SERVICE_US: u32 = 20_000;
    let spec = DeviceSpec { servers: servers.into(), service_us: SERVICE_US.into(), ..DeviceSpec::default() };
    let Some(device) = needs(name, TestDevice::mount(spec)) else { return };
    let truth = f64::from(servers) * 1e6 / f64::from(SERVICE_US);
    let n_sat = (0.95 * f64::from(servers)).ceil();
    let allowed = Cell::new(0.01);
    let run = || {
        let place = Place::new();
        // Windows of the search that are a whole number of services.
        let line = format!(
            "run oltp --levels auto --fast --max-duration {} --name law",
            if whole() { "3m" } else { "61s" }
        );
        let told =
            place.rigel(line.split(' ').map(str::to_owned).chain([device.disk().display().to_string()]));
        if !whole() {
            let record = Record::read(place.read("_record.jsonl").as_bytes()).unwrap();
            allowed.set(f64::from(SERVICE_US) / window_us(&record));
        }
        findings(&place, told)
    };
    let holds = |found: &Findings| {
        let curve = &found.curves[0].curve;
        let bracketed = f64::from(curve.n_sat.lo) <= n_sat && n_sat <= f64::from(curve.n_sat.hi);
        let near = (curve.x_max.mean / truth - 1.0).abs() <= allowed.get();
        if bracketed && near {
            return Ok(());
        }
        Err(format!("{:?} for {n_sat}, {:?} for {truth}", curve.n_sat, curve.x_max))
    };
    undisturbed(name, run, holds);
}

/// At once, as they wait nearly all of the time.
#[test]
fn three_and_eight_and_sixteen_stations_are_found() {
    std::thread::scope(|scope| {
        for (name, servers) in [
            ("three_stations_are_found", 3),
            ("eight_stations_are_found", 8),
            ("sixteen_stations_are_found", 16),
        ] {
            scope.spawn(move || law(name, servers));
        }
    });
}

/// Where a file has no blocks no device is asked.
#[test]
fn a_sparse_file_is_not_storage_and_a_written_one_is() {
    let zeros = |path: &Path, place: &Place, expect: fn(ProgramOutput) -> ProgramOutput| {
        let line =
            "run advanced --matrix point --num-small 4 --num-large 0 --duration 300ms --force --name zeros";
        let told = place.rigel(line.split(' ').map(str::to_owned).chain([path.display().to_string()]));
        expect(told);
        Findings::of(&Record::read(place.read("_record.jsonl").as_bytes()).unwrap())
    };
    let place = Place::new();
    let sparse = place.path().join("sparse");
    std::fs::File::create(&sparse).unwrap().set_len(16 << 20).unwrap();
    let found = zeros(&sparse, &place, |told| expect_flag(told, "ZEROS"));
    let flag = found.points[0].flags.iter().find(|flag| flag.code == FlagCode::Zeros).unwrap();
    assert!(flag.invalid && flag.text.contains("16 MiB of 16 MiB"), "{flag:?}");

    let other = Place::new();
    let written = other.random_file("written", 16 << 20);
    assert!(!has(&zeros(&written, &other, ProgramOutput::expect_measured).points[0].flags, FlagCode::Zeros));
}

/// Waits for a moment in which no other test needs quiet; one that waited for the lock itself would keep others from beginning.
fn alone() -> RwLockWriteGuard<'static, ()> {
    loop {
        match QUIET.try_write() {
            Ok(guard) => return guard,
            Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(50)),
        }
    }
}

/// Beside a run of a single outstanding I/O.
#[test]
fn two_cpu_burners_are_foreign() {
    struct Burner(std::process::Child);
    impl Drop for Burner {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }
    let burn = || {
        let burner = std::process::Command::new("sh").args(["-c", "while :; do :; done"]).spawn();
        Burner(burner.unwrap())
    };
    let place = Place::new();
    let file = place.random_file("data", 16 << 20);
    let _loud = alone();
    let _burners = [burn(), burn()];
    let line = "run advanced --matrix point --num-small 1 --num-large 0 --duration 2s --name burnt";
    let told = place.rigel(line.split(' ').map(str::to_owned).chain([file.display().to_string()]));
    let found = findings(&place, told);
    let flag = found.points[0].flags.iter().find(|flag| flag.code == FlagCode::Foreign).unwrap();
    assert!(flag.text.contains("CPU cores"), "{flag:?}");
}
