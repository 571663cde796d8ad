//! `rigel soak --beside-production` with the real binary: it keeps its share, gives way, says so everywhere, and others hardly feel it.

use crate::soak::{document, record};
use crate::stop::{ended, signal, start_until_record};
use crate::support::{Place, flat};
use rigel_core::load::draw::Generator;
use rigel_core::record::Record;
use rigel_core::stats::special::student_t_quantile;
use rigel_core::units::to_f64;
use rigel_testdev::{DeviceSpec, TestDevice, needs};
use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

const SIZE_BYTES: u64 = 16 << 20;

#[test]
fn it_takes_its_share_and_no_more_and_gives_way_to_a_device_that_is_slow() {
    let name = "it_takes_its_share_and_no_more_and_gives_way_to_a_device_that_is_slow";
    let spec = DeviceSpec { size_bytes: SIZE_BYTES, service_us: 100, ..DeviceSpec::default() };
    let Some(device) = needs(name, TestDevice::mount(spec)) else { return };
    let place = Place::new();
    let line = format!("soak {} --for 1d --every 1s --beside-production=50", device.disk().display());
    // It has gone up: there were looks enough to know what is usual.
    let rises = |record: &Record| {
        record.intervals.iter().any(|one| one.governed.is_some_and(|governed| governed.allowed_ppm > 60_000))
    };
    let (child, stderr) = start_until_record(&place, &line, rises);
    device.command("service_us 60000").unwrap();
    let begun = Instant::now();
    let slow = |record: &Record| -> u32 {
        record.intervals.iter().filter_map(|one| one.governed).map(|governed| governed.slow).sum()
    };
    let before = slow(&record(&place));
    while slow(&record(&place)) == before {
        assert!(begun.elapsed() < Duration::from_secs(300), "it never gave way");
        sleep(Duration::from_millis(200));
    }
    signal(&child, "-INT");
    ended(child, stderr).expect_code(4);
    let found = document(&place);
    let beside = &found["beside_production"];
    let of = |name: &str| beside[name].as_f64().unwrap();
    assert!((of("most") - 0.5).abs() < 1e-9 && of("gave_way_as_slow") >= 1.0, "{beside}");
    // One I/O more at most was in flight in each interval.
    assert!(of("taken") > 0.01 && of("taken") < of("allowed") + 0.1, "{beside}");
    assert!(of("allowed") < 0.5, "{beside}");
    let course = found["course"].as_array().unwrap();
    assert!(course.iter().all(|one| one["beside_production"]["allowed"].as_f64().is_some()));
    assert_eq!(found["phases"].as_array().unwrap().len(), 1);
    assert_eq!(found["phases"][0]["load"], "1 small outstanding", "one I/O at a time, none of them large");
    let told = found["told"].to_string();
    assert!(told.contains("it was allowed 50 % of the time"), "{told}");
    assert!(place.read("_report.html").contains("id=\"share\""));
    assert!(place.read("_metrics.prom").contains("rigel_soak_allowed_ratio"));
}

#[test]
fn a_scratch_file_is_filled_slowly_and_the_plan_says_so() {
    let place = Place::new();
    let begun = Instant::now();
    let told = place
        .line("soak --for 2s --every 1s --beside-production=25% --scratch-size 64M --json")
        .expect_code(0);
    assert!(told.stderr.contains("at most 25 % of the time of each target"), "{}", told.stderr);
    let found = told.json();
    assert!(found["beside_production"]["most"].as_f64() == Some(0.25), "{found}");
    assert!(found["verified"]["written"].as_u64().is_some());
    assert!(begun.elapsed() > Duration::from_secs(2));
    let told = place.line("soak --for 2s --beside-production --dry-run").expect_code(0);
    for part in ["at most 5 % of the time of each target", "_record.jsonl, and _report.html, _metrics.prom"] {
        assert!(flat(&told.stdout).contains(part), "{part}: {}", told.stdout);
    }
}

#[test]
fn what_cannot_give_way_is_refused_with_the_reason() {
    let place = Place::new();
    let data = place.random_file("data", 1 << 20);
    let class = |more: &str| {
        format!(
            "load = \"rigel.load/1\"\n[[class]]\nname = \"a\"\nsize = \"4K\"\n{more}\n[[phase]]\nfor = \"1s\"\n"
        )
    };
    fs::write(place.path().join("rate.toml"), class("arrival = { rate = 100 }")).unwrap();
    fs::write(place.path().join("write.toml"), class("write = 100\narrival = { outstanding = 1 }")).unwrap();
    let data = data.display();
    for (line, sign) in [
        (format!("soak --for 1h --beside-production=0 {data}"), "1 to 50 per cent"),
        (format!("soak --for 1h --beside-production=51 {data}"), "1 to 50 per cent"),
        ("soak --for 1h --beside-production --engine sim:servers=1,service=1ms".to_owned(), "simulated"),
        (format!("soak --for 1h --beside-production --load rate.toml {data}"), "cannot be throttled"),
        (
            format!("soak --for 1h --beside-production --load write.toml {data} --destroy-data {data}"),
            "without reads",
        ),
    ] {
        let told = place.line(&line).expect_code(2);
        assert!(
            told.stderr.contains("--beside-production") && told.stderr.contains(sign),
            "{line}: {}",
            told.stderr
        );
    }
}

/// Four users, each of whom reads a block and then has something else to do; how long their reads took, in nanoseconds.
fn foreground(device: &Path, time: Duration, seed: u64) -> Vec<u64> {
    let user = |number: u64| {
        let file = File::open(device).unwrap();
        let mut draw = Generator::new(seed, &[number]);
        let mut buffer = vec![0; 4096];
        let mut took = Vec::new();
        let begun = Instant::now();
        while begun.elapsed() < time {
            let uniform = (to_f64(draw.below(1 << 30)) + 0.5) / to_f64(1 << 30);
            sleep(Duration::from_secs_f64(-uniform.ln() * 0.01));
            let at = draw.below(SIZE_BYTES / 4096) * 4096;
            let before = Instant::now();
            file.read_exact_at(&mut buffer, at).unwrap();
            took.push(u64::try_from(before.elapsed().as_nanos()).unwrap());
        }
        took
    };
    scope(|scope| {
        let users: Vec<_> = (0..4).map(|number| scope.spawn(move || user(number))).collect();
        users.into_iter().flat_map(|user| user.join().unwrap()).collect()
    })
}

fn p99_ms(mut took: Vec<u64>) -> f64 {
    took.sort_unstable();
    to_f64(took[took.len() * 99 / 100]) / 1e6
}

/// RIGEL_BESIDE_SECONDS makes each turn as long as one likes, and then the soak has come to its full share before. The soak stands still in every second turn.
#[test]
fn others_hardly_feel_it() {
    let name = "others_hardly_feel_it";
    let asked: Option<u64> = std::env::var("RIGEL_BESIDE_SECONDS").ok().and_then(|text| text.parse().ok());
    let spec =
        DeviceSpec { size_bytes: SIZE_BYTES, service_us: 1000, exponential: true, ..DeviceSpec::default() };
    let Some(device) = needs(name, TestDevice::mount(spec)) else { return };
    let place = Place::new();
    let line = format!("soak {} --for 1d --every 1s --beside-production", device.disk().display());
    let (child, stderr) = start_until_record(&place, &line, |record| !record.intervals.is_empty());
    let allowed = || record(&place).intervals.last().unwrap().governed.unwrap().allowed_ppm;
    let begun = Instant::now();
    // The first looks see production as it usually is.
    while asked.is_some() && allowed() < 49_000 && begun.elapsed() < Duration::from_secs(900) {
        foreground(&device.raw(), Duration::from_secs(10), begun.elapsed().as_secs());
    }
    let turn = Duration::from_secs(asked.unwrap_or(3));
    let turns = if asked.is_some() { 10 } else { 3 };
    let ratios: Vec<[f64; 2]> = (0..turns)
        .map(|number| {
            signal(&child, "-STOP");
            let without = p99_ms(foreground(&device.raw(), turn, 2 * number));
            signal(&child, "-CONT");
            [without, p99_ms(foreground(&device.raw(), turn, 2 * number + 1))]
        })
        .collect();
    let allowed = allowed();
    signal(&child, "-INT");
    ended(child, stderr).expect_code(4);
    let taken = document(&place)["beside_production"]["taken"].as_f64().unwrap();
    let logs: Vec<f64> = ratios.iter().map(|[without, beside]| (beside / without).ln()).collect();
    let count = to_f64(logs.len() as u64);
    let mean = logs.iter().sum::<f64>() / count;
    let deviation = (logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (count - 1.0)).sqrt();
    let half = student_t_quantile(0.975, count - 1.0) * deviation / count.sqrt();
    let [low, middle, high] = [mean - half, mean, mean + half].map(f64::exp);
    let told = format!(
        "p99 of the others with the soak over that without: {middle:.3} ({low:.3} to {high:.3}), {turns} turns of {} s; \
         allowed {allowed} ppm at the end, taken {:.1} % in all; {ratios:.2?} ms",
        turn.as_secs(),
        100.0 * taken
    );
    println!("{told}");
    assert!(taken < 0.06, "{told}");
    assert!(if asked.is_some() { middle <= 1.10 } else { low <= 1.10 }, "{told}");
}
