//! The same figure as a tool that everybody knows: fio on the same device at the same depth.

use crate::support::{Place, flags, point, tell};
use rigel_testdev::{DeviceSpec, TestDevice, Unavailable, needs};
use std::path::Path;
use std::process::Command;

pub fn fio() -> Result<(), Unavailable> {
    match Command::new("fio").arg("--version").output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(_) => Err(Unavailable::new("fio does not start")),
        Err(error) => Err(Unavailable::new(format!("fio: {error}"))),
    }
}

fn iops_of_fio(target: &Path, engine: &str, depth: u32) -> f64 {
    let mut command = Command::new("fio");
    command.args(["--name=x", "--readonly", "--rw=randread", "--bs=8k", "--direct=1", "--runtime=2"]);
    command.args(["--time_based", "--output-format=json", &format!("--ioengine={engine}")]);
    let told =
        tell(command.arg(format!("--iodepth={depth}")).arg(format!("--filename={}", target.display())));
    told.expect_code(0).json()["jobs"][0]["read"]["iops"].as_f64().unwrap()
}

/// And whether somebody else took the CPU meanwhile.
fn iops_of_rigel(place: &Place, target: &Path, engine: &str, depth: u32) -> (f64, bool) {
    let line = format!(
        "run advanced {} --engine {engine} --duration 2s --json --quiet --matrix point --num-small {depth} \
         --num-large 0",
        target.display()
    );
    let document = place.line(&line).expect_code(0).json();
    let point = point(&document, depth.into(), 0);
    (point["classes"]["small"]["iops"]["mean"].as_f64().unwrap(), flags(point).contains(&"FOREIGN"))
}

const STATIONS: u32 = 4;
const SERVICE_US: u32 = 10_000;
/// Rounds in which nobody else disturbed are compared.
const WANTED: usize = 3;
/// Rounds that are tried for it.
const TRIED: usize = 9;

/// Rigel's rate over fio's in rounds that nobody disturbed. The device has a law, so a round in which fio itself misses
/// it tells of the host and not of Rigel.
fn undisturbed_ratios(place: &Place, device: &TestDevice, engine: &str, depth: u32) -> Vec<f64> {
    let law = f64::from(depth.min(STATIONS)) * 1e6 / f64::from(SERVICE_US);
    let round = || {
        let (ours, foreign) = iops_of_rigel(place, &device.disk(), engine, depth);
        let theirs = iops_of_fio(&device.disk(), engine, depth);
        let disturbed = (theirs / law - 1.0).abs() > 0.02 || (foreign && (ours / law - 1.0).abs() > 0.02);
        (!disturbed).then_some(ours / theirs)
    };
    (0..TRIED).filter_map(|_| round()).take(WANTED).collect()
}

/// On a device whose service time is known, below and past saturation.
#[test]
fn rigel_and_fio_agree() {
    let name = "rigel_and_fio_agree";
    let Some(()) = needs(name, fio()) else { return };
    let spec = DeviceSpec {
        size_bytes: 64 << 20,
        servers: STATIONS as usize,
        service_us: SERVICE_US.into(),
        mbps: None,
        exponential: false,
        flush_us: 0,
    };
    let Some(device) = needs(name, TestDevice::mount(spec)) else { return };
    let place = Place::new();
    // Powers of two: fio 3.33's io_uring rounds the depth up to one.
    for (engine, depth) in [("io_uring", 2), ("io_uring", 16), ("libaio", 5)] {
        let mut ratios = undisturbed_ratios(&place, &device, engine, depth);
        ratios.sort_by(f64::total_cmp);
        let Some(median) = ratios.get(ratios.len() / 2).copied() else {
            let reason =
                format!("{engine} at {depth}: in fewer than {WANTED} of {TRIED} rounds the CPU was ours");
            needs::<()>("rigel_and_fio_agree (busy host)", Err(Unavailable::new(reason)));
            continue;
        };
        assert!((median - 1.0).abs() < 0.02, "{engine} at {depth}: rigel / fio {ratios:?}");
    }
}
