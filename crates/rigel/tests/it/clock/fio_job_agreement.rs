//! The same I/O as fio makes of a job file, counted by the kernel.

use super::agreement::fio;
use crate::support::{Place, tell};
use rigel_testdev::{ZramDevice, needs};
use std::fs;
use std::path::Path;
use std::process::Command;

/// No `bssplit` at a rate: fio 3.33 makes 1,640 I/Os a second of `4k/75:64k/25` at 4,000, where these shares and its 16.38 MB/s make 842.
const JOB: &str = "[global]
direct=1
ioengine=libaio
time_based
runtime=6
[oltp]
rw=randrw
bs=8k,16k
iodepth=32
rate_iops=3000,1500
[small]
rw=randread
bs=4k
iodepth=16
rate_iops=4000
[scan]
rw=read
bs=128k
iodepth=8
rate_iops=400
";
const BYTES: u64 = 256 << 20;

/// Reads, sectors read, writes and sectors written of a device since it is there.
fn counted(device: &Path) -> [f64; 4] {
    let name = device.file_name().unwrap().to_str().unwrap();
    let stat = fs::read_to_string(format!("/sys/block/{name}/stat")).unwrap();
    let fields: Vec<f64> = stat.split_whitespace().map(|field| field.parse().unwrap()).collect();
    [fields[0], fields[2], fields[4], fields[6]]
}

/// What a command adds to that, as writes for each read, bytes of a read and bytes of a write.
fn shares(device: &Path, command: &mut Command) -> [f64; 3] {
    let before = counted(device);
    tell(command).expect_code(0);
    let after = counted(device);
    let [reads, read, writes, written] = [0, 1, 2, 3].map(|at| after[at] - before[at]);
    [writes / reads, read * 512.0 / reads, written * 512.0 / writes]
}

/// On a device that neither merges nor splits. What the guard reads beforehand is far below a hundredth of what the jobs do.
#[test]
fn rigel_and_fio_make_the_same_io_of_a_job() {
    let name = "rigel_and_fio_make_the_same_io_of_a_job";
    let Some(()) = needs(name, fio()) else { return };
    let Some(device) = needs(name, ZramDevice::create(BYTES)) else { return };
    device.fill(BYTES).unwrap();
    let path = device.path();
    let place = Place::new();
    fs::write(place.path().join("job.fio"), JOB).unwrap();
    let theirs = {
        let text = JOB.replace("[global]\n", &format!("[global]\nfilename={}\n", path.display()));
        fs::write(place.path().join("theirs.fio"), text).unwrap();
        let mut command = Command::new("fio");
        shares(&path, command.current_dir(place.path()).arg("theirs.fio"))
    };
    let ours = {
        let mut command = place.command();
        command
            .args([
                "run",
                "--load",
                "job.fio",
                "--engine",
                "libaio",
                "--no-trials",
                "--no-html",
                "--allow-memory",
                "--cache-size",
                "0",
            ])
            .arg(&path);
        shares(&path, command.arg("--destroy-data").arg(&path))
    };
    for (ours, theirs) in ours.iter().zip(theirs) {
        assert!((ours / theirs - 1.0).abs() < 0.01, "rigel {ours}, fio {theirs}");
    }
}
