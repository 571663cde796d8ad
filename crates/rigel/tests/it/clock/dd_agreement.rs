//! Sequential readers, beside as many `dd iflag=direct` on the same file in turns.
//!
//! On a device of the tests, whose law is known, and, with `RIGEL_DD_ROUNDS`, on the storage below the build, where the figures
//! are those of docs/method/places.md.

use crate::clock::commit_agreement::ratio;
use crate::support::{Place, asked};
use rigel_testdev::{DeviceSpec, MissingNeed, TestDevice, needs};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

const MIB: u64 = 1 << 20;

fn dd() -> Result<(), MissingNeed> {
    match Command::new("dd").arg("--version").output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(_) => Err(MissingNeed::new("dd does not start")),
        Err(error) => Err(MissingNeed::new(format!("dd: {error}"))),
    }
}

/// MB (2^20 bytes) per second of so many readers of I/Os of `kib`, and the flags beside it.
fn by_rigel(place: &Place, target: &Path, readers: u64, kib: u64, how: &str) -> (f64, String) {
    let line = format!(
        "run streams {} --readers {readers} --size-large {kib}K {how} --no-html --json --quiet --force",
        target.display()
    );
    let document = place.line(&line).json();
    let points = document["points"].as_array().unwrap();
    assert_eq!(points.len(), 1, "{document}");
    assert_eq!(points[0]["levels"]["stream"], readers);
    (points[0]["classes"]["stream"]["mbps"]["value"].as_f64().unwrap(), points[0]["flags"].to_string())
}

/// The same of so many dd at the same time, each with a part of the file of its own.
fn by_dd(target: &Path, file_bytes: u64, readers: u64, kib: u64) -> f64 {
    let blocks = file_bytes / (kib << 10) / readers;
    let began = Instant::now();
    let reader = |number: u64| -> Child {
        let mut command = Command::new("dd");
        command.arg(format!("if={}", target.display())).args(["of=/dev/null", "iflag=direct", "status=none"]);
        command.args([format!("bs={kib}K"), format!("count={blocks}"), format!("skip={}", number * blocks)]);
        command.stdin(Stdio::null()).spawn().unwrap()
    };
    let all: Vec<Child> = (0..readers).map(reader).collect();
    for mut child in all {
        assert!(child.wait().unwrap().success());
    }
    (blocks * readers * kib) as f64 / 1024.0 / began.elapsed().as_secs_f64()
}

/// Two stations take 4 ms for 128 KiB: one reader has 31.25 MB a second, two or three have twice that. Of a few turns one agrees within
/// 2 %, unless dd itself misses the law.
#[test]
fn rigel_and_dd_agree() {
    let name = "rigel_and_dd_agree";
    let Some(()) = needs(name, dd()) else { return };
    let spec = DeviceSpec { size_bytes: 48 * MIB, servers: 2, service_us: 4000, ..DeviceSpec::default() };
    let Some(device) = needs(name, TestDevice::mount(spec)) else { return };
    let place = Place::new();
    for (readers, law) in [(1, 31.25), (2, 62.5), (3, 62.5)] {
        let mut seen = Vec::new();
        let agree = (0..6).any(|_| {
            let (ours, flags) = by_rigel(&place, &device.disk(), readers, 128, "--duration 1s");
            let theirs = by_dd(&device.disk(), spec.size_bytes, readers, 128);
            assert!(ours < 1.01 * law, "{readers}: faster than the device: {ours}");
            seen.push((ours, theirs, flags));
            (ours / theirs - 1.0).abs() < 0.02
        });
        let busy = seen.iter().all(|(_, theirs, _)| theirs / law < 0.98);
        if !agree && busy {
            let reason = format!("{readers}: dd misses the law by more than 2 %: {seen:?}");
            needs::<()>("rigel_and_dd_agree (busy host)", Err(MissingNeed::new(reason)));
            continue;
        }
        assert!(agree, "{readers}: rigel and dd {seen:#?}");
    }
}

/// `RIGEL_DD_ROUNDS` turns on a file below the build, for the documentation. With small blocks no ratio may be surely off by more than
/// 10 %; the engine `threads`, which adds two wake-ups to each I/O, is only told. The buffer of dd lies in many pieces, which large
/// blocks show: there Rigel may be faster.
#[test]
fn on_real_storage_rigel_and_dd_agree() {
    let name = "on_real_storage_rigel_and_dd_agree";
    let Some(rounds) = asked::<usize>(name, "RIGEL_DD_ROUNDS") else { return };
    let Some(()) = needs(name, dd()) else { return };
    let place = Place::new();
    let file = place.random_file("data", 512 * MIB);
    let sizes = [(16, 128 * MIB, 1), (16, 128 * MIB, 2), (1024, 512 * MIB, 1), (1024, 512 * MIB, 4)];
    let cases = sizes.iter().flat_map(|size| ["io_uring", "threads"].map(|engine| (*size, engine)));
    for ((kib, bytes, readers), engine) in cases {
        let pairs: Vec<(f64, f64)> = (0..rounds)
            .map(|round| {
                let how = format!("--duration 1s --engine {engine}");
                let ours = || by_rigel(&place, &file, readers, kib, &how).0;
                let theirs = || by_dd(&file, bytes, readers, kib);
                if round % 2 == 0 {
                    (ours(), theirs())
                } else {
                    let theirs = theirs();
                    (ours(), theirs)
                }
            })
            .collect();
        let [mean, lo, hi] = ratio(&pairs);
        println!(
            "{readers} readers of {kib} KiB, {engine}: rigel / dd {mean:.3} ({lo:.3} to {hi:.3}) of {pairs:.0?}"
        );
        let faster = kib > 64 && hi > 0.9;
        assert!(
            engine == "threads" || faster || (lo < 1.1 && hi > 0.9),
            "{readers} of {kib} KiB: {mean} ({lo} to {hi})"
        );
    }
}
