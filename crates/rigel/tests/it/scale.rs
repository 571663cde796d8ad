//! Many targets and many outstanding I/Os: memory stays small beside the buffers, and the usual limit on open files is
//! no obstacle.

use crate::support::Place;
use std::fs::File;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};

/// A list of so many targets.
fn many(place: &Place, targets: usize) {
    let paths: Vec<_> = (0..targets).map(|index| place.path().join(format!("lun{index}"))).collect();
    for path in &paths {
        // Holes are answered by the filesystem: what is looked at here is not the storage.
        File::create(path).unwrap().set_len(1 << 20).unwrap();
    }
    let refs: Vec<_> = paths.iter().map(std::path::PathBuf::as_path).collect();
    place.lun("many.lun", &refs);
}

/// Runs so many small I/Os with room for `open_files` open files, of which the program may allow itself more, and checks
/// the highest resident memory by the kernel's own account.
fn fits(place: &Place, engine: &str, outstanding: u64, open_files: u32, most_mib: u64) {
    let line = format!(
        "run advanced --lun many.lun --engine {engine} --duration 500ms --matrix point --num-small {outstanding} \
         --num-large 0 --name {engine} --json"
    );
    let mut child = Command::new("sh")
        .current_dir(place.path())
        .args([
            "-c",
            "ulimit -S -n \"$0\" && exec \"$@\"",
            &open_files.to_string(),
            env!("CARGO_BIN_EXE_rigel"),
        ])
        .args(line.split_whitespace())
        .stdout(Stdio::null())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let peak_kib = peak_memory_kib(&mut child);
    let buffers_kib = outstanding * 8 + 4096;
    assert!(peak_kib < most_mib * 1024 + buffers_kib, "{engine}: {peak_kib} KiB");
    assert!(peak_kib > buffers_kib / 2, "{engine}: the figure is not that of the run: {peak_kib} KiB");
}

#[test]
fn a_thousand_outstanding_on_400_targets_fit() {
    let place = Place::new();
    many(&place, 400);
    for engine in ["io_uring", "libaio", "sync", "threads"] {
        fits(&place, engine, 1000, 256, 200);
    }
}

#[test]
fn ten_thousand_outstanding_on_a_thousand_targets_fit() {
    let place = Place::new();
    many(&place, 1000);
    for engine in ["io_uring", "libaio"] {
        fits(&place, engine, 10_000, 1024, 300);
    }
}

/// Highest resident memory of a child, read while it runs.
fn peak_memory_kib(child: &mut std::process::Child) -> u64 {
    let path = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        if let Ok(status) = std::fs::read_to_string(&path) {
            let line = status.lines().find(|line| line.starts_with("VmHWM:"));
            let kib = line.and_then(|line| line.split_whitespace().nth(1)).and_then(|word| word.parse().ok());
            peak = kib.unwrap_or(0).max(peak);
        }
        if let Some(status) = child.try_wait().unwrap() {
            // Of holes no number may be used (1).
            assert!(matches!((status.code(), status.signal()), (Some(0 | 1), None)), "{status}");
            return peak;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}
