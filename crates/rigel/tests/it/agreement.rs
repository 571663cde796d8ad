//! The same figure as a tool that everybody knows: fio on the same device at the same depth.

use crate::support::{Place, point, tell};
use rigel_testdev::{DeviceSpec, TestDevice, Unavailable, needs};
use std::path::Path;
use std::process::Command;

fn fio() -> Result<(), Unavailable> {
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

fn iops_of_rigel(place: &Place, target: &Path, engine: &str, depth: u32) -> f64 {
    let line = format!(
        "run advanced {} --engine {engine} --duration 2s --json --quiet --matrix point --num-small {depth} \
         --num-large 0",
        target.display()
    );
    let document = place.line(&line).expect_code(0).json();
    point(&document, depth.into(), 0)["small_io"]["iops"]["mean"].as_f64().unwrap()
}

/// On a device whose service time is known, below and past saturation. The tools take turns and the medians of all rounds
/// are compared: a machine that is busy with something else disturbs single rounds, a bias disturbs all of them.
#[test]
fn rigel_and_fio_agree() {
    let name = "rigel_and_fio_agree";
    let Some(()) = needs(name, fio()) else { return };
    let spec =
        DeviceSpec { size_bytes: 64 << 20, servers: 4, service_us: 10_000, mbps: None, exponential: false };
    let Some(device) = needs(name, TestDevice::mount(spec)) else { return };
    let place = Place::new();
    // Powers of two: fio 3.33's io_uring rounds the depth up to one.
    for (engine, depth) in [("io_uring", 2), ("io_uring", 16), ("libaio", 5)] {
        let ratios: Vec<f64> = (0..3)
            .map(|_| {
                let ours = iops_of_rigel(&place, &device.disk(), engine, depth);
                ours / iops_of_fio(&device.disk(), engine, depth)
            })
            .collect();
        let mut sorted = ratios.clone();
        sorted.sort_by(f64::total_cmp);
        assert!((sorted[1] - 1.0).abs() < 0.02, "{engine} at {depth}: rigel / fio {ratios:?}");
    }
}
