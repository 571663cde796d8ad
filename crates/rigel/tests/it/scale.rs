//! Many targets and many outstanding I/Os: memory stays small beside the buffers.

use crate::support::Place;
use std::os::unix::process::ExitStatusExt as _;

/// 400 targets and 1,000 outstanding small I/Os: 200 MB and the buffers are enough, by the kernel's own account of the
/// highest resident memory.
#[test]
fn a_thousand_outstanding_on_400_targets_fit() {
    let place = Place::new();
    let first = place.random_file("lun0", 1 << 20);
    let mut targets = vec![first.clone()];
    for index in 1..400 {
        let target = place.path().join(format!("lun{index}"));
        std::fs::copy(&first, &target).unwrap();
        targets.push(target);
    }
    let refs: Vec<_> = targets.iter().map(std::path::PathBuf::as_path).collect();
    place.lun("many.lun", &refs);
    for engine in ["io_uring", "libaio", "threads"] {
        let line = format!(
            "run advanced --lun many.lun --engine {engine} --duration 500ms --matrix point --num-small 1000 \
             --num-large 0 --name {engine} --json"
        );
        let mut child = place
            .command()
            .args(line.split_whitespace())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::inherit())
            .spawn()
            .unwrap();
        let peak_kib = peak_memory_kib(&mut child);
        let buffers_kib = 1000 * 8 + 4096;
        assert!(peak_kib < 200 * 1024 + buffers_kib, "{engine}: {peak_kib} KiB");
        assert!(peak_kib > buffers_kib / 2, "{engine}: the figure is not that of the run: {peak_kib} KiB");
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
            assert_eq!((status.code(), status.signal()), (Some(0), None));
            return peak;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}
