//! The same figure as a tool that everybody knows: fio on the same device at the same depth.

use crate::support::{Place, point, tell};
use rigel_testdev::{DeviceSpec, MissingNeed, TestDevice, needs};
use std::path::Path;
use std::process::Command;
use std::thread;

pub fn fio() -> Result<(), MissingNeed> {
    match Command::new("fio").arg("--version").output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(_) => Err(MissingNeed::new("fio does not start")),
        Err(error) => Err(MissingNeed::new(format!("fio: {error}"))),
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

/// And its flags, which say whether somebody else took the CPU meanwhile.
fn iops_of_rigel(place: &Place, target: &Path, engine: &str, depth: u32) -> (f64, String) {
    let line = format!(
        "run advanced {} --engine {engine} --duration 2s --json --quiet --matrix point --num-small {depth} \
         --num-large 0",
        target.display()
    );
    let document = place.line(&line).expect_measured().json();
    let point = point(&document, depth.into(), 0);
    (point["classes"]["small"]["iops"]["value"].as_f64().unwrap(), point["flags"].to_string())
}

const STATIONS: u32 = 4;
const SERVICE_US: u32 = 10_000;
/// Rounds in which nobody else disturbed, of which so many have to agree: the median of three does, once two do.
const WANTED: usize = 2;
const COMPARED: usize = 3;
/// Rounds that are tried for it.
const TRIED: usize = 9;

/// Rigel's rate over fio's, or nothing when somebody disturbed. The tools measure at once, each on a device of its own, so that what
/// else the host does is the same for both. The device has a law, so a round in which fio itself misses it tells of the host and not
/// of Rigel.
fn undisturbed_ratio(
    place: &Place,
    [ours, theirs]: [&TestDevice; 2],
    engine: &str,
    depth: u32,
) -> Option<(f64, String)> {
    let law = f64::from(depth.min(STATIONS)) * 1e6 / f64::from(SERVICE_US);
    let (theirs, (ours, flags)) = thread::scope(|scope| {
        let fio = scope.spawn(|| iops_of_fio(&theirs.disk(), engine, depth));
        let rigel = iops_of_rigel(place, &ours.disk(), engine, depth);
        (fio.join().unwrap(), rigel)
    });
    let misses = |rate: f64| (rate / law - 1.0).abs() > 0.02;
    let disturbed = misses(theirs) || (flags.contains("FOREIGN") && misses(ours));
    (!disturbed).then(|| (ours / theirs, format!("{ours} to {theirs} of {law}, {flags}")))
}

/// On a device whose service time is known, below and past saturation.
#[test]
fn rigel_and_fio_agree() {
    let name = "rigel_and_fio_agree";
    let Some(()) = needs(name, fio()) else { return };
    let spec =
        DeviceSpec { servers: STATIONS as usize, service_us: SERVICE_US.into(), ..DeviceSpec::default() };
    let Some(a) = needs(name, TestDevice::mount(spec)) else { return };
    let Some(b) = needs(name, TestDevice::mount(spec)) else { return };
    let place = Place::new();
    // Powers of two: fio 3.33's io_uring rounds the depth up to one.
    for (engine, depth) in [("io_uring", 2), ("io_uring", 16), ("libaio", 5)] {
        let mut ratios = Vec::new();
        let agreed =
            |ratios: &[(f64, String)]| ratios.iter().filter(|(ratio, _)| (ratio - 1.0).abs() < 0.02).count();
        for round in 0..TRIED {
            let devices = if round % 2 == 0 { [&a, &b] } else { [&b, &a] };
            ratios.extend(undisturbed_ratio(&place, devices, engine, depth));
            if agreed(&ratios) == WANTED || ratios.len() == COMPARED {
                break;
            }
        }
        if ratios.len() < WANTED {
            let reason =
                format!("{engine} at {depth}: in fewer than {WANTED} of {TRIED} rounds the CPU was ours");
            needs::<()>("rigel_and_fio_agree (busy host)", Err(MissingNeed::new(reason)));
            continue;
        }
        assert!(agreed(&ratios) >= WANTED, "{engine} at {depth}: rigel / fio {ratios:#?}");
    }
}
