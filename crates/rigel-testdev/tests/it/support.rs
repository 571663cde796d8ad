//! What several of the tests need: threads of readers, and waiting for the gauge.

use std::path::Path;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rigel_testdev::{AlignedBytes, DeviceSpec, Gauge, TestDevice, open_direct};

pub const BLOCK_BYTES: usize = 8192;

/// Long enough for any machine; only a real fault waits that long.
const PATIENCE: Duration = Duration::from_secs(60);

pub fn spec(servers: usize, service_us: u64) -> DeviceSpec {
    DeviceSpec { servers, service_us, ..DeviceSpec::default() }
}

/// Reads one block at `offset_bytes` with `O_DIRECT`; returns how many bytes came, and the bytes.
pub fn read_block(path: &Path, offset_bytes: u64) -> rustix::io::Result<(usize, AlignedBytes)> {
    let file = open_direct(path).unwrap();
    let mut bytes = AlignedBytes::zeroed(BLOCK_BYTES);
    let count = rustix::io::pread(&file, &mut bytes[..], offset_bytes)?;
    Ok((count, bytes))
}

/// Writes one block of `value` at `offset_bytes` with `O_DIRECT`.
pub fn write_block(path: &Path, offset_bytes: u64, value: u8) -> rustix::io::Result<usize> {
    let file = open_direct(path).unwrap();
    let mut bytes = AlignedBytes::zeroed(BLOCK_BYTES);
    bytes.fill(value);
    rustix::io::pwrite(&file, &bytes, offset_bytes)
}

/// Starts threads that each read `count` blocks. They are plain threads, never scoped: a failing test must
/// reach the `Drop` of its device, which alone frees a thread that hangs.
pub fn start_readers(path: &Path, threads: u64, count: u64) -> Vec<JoinHandle<()>> {
    let start = |thread| {
        let file = open_direct(path).unwrap();
        std::thread::spawn(move || {
            let mut bytes = AlignedBytes::zeroed(BLOCK_BYTES);
            for block in 0..count {
                let offset_bytes = (thread * count + block) * BLOCK_BYTES as u64;
                assert_eq!(rustix::io::pread(&file, &mut bytes[..], offset_bytes), Ok(BLOCK_BYTES));
            }
        })
    };
    (0..threads).map(start).collect()
}

pub fn join(threads: Vec<JoinHandle<()>>) {
    for thread in threads {
        thread.join().unwrap();
    }
}

/// Waits until the condition holds.
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until this many requests are in flight; returns the gauge that says so.
pub fn wait_for_in_flight(device: &TestDevice, in_flight: u64) -> Gauge {
    let mut gauge = device.gauge().unwrap();
    wait_until(&format!("{in_flight} are in flight"), || {
        gauge = device.gauge().unwrap();
        gauge.in_flight == in_flight
    });
    gauge
}
