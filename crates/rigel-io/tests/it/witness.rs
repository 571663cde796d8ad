//! The witness on the kernel's own counters. Others on this machine can only add to what is asked of foreign figures.
#![expect(clippy::unwrap_used, reason = "helpers of tests are tests too")]

use rigel_core::measure::Window;
use rigel_core::units::{MIB, NS_PER_MS, NS_PER_S, NS_PER_US, to_f64};
use rigel_core::witness::{Counts, Disturbance, Witness, foreign_cores, judge};
use rigel_io::clock::{Clock, MonotonicClock, thread_cpu_ns};
use rigel_io::targets::inspect::target_facts;
use rigel_io::witness::{Bottom, Sampler, WatchedDevices, counting_devices};
use rigel_testdev::{AlignedBytes, LoopDevice, MissingNeed, needs, open_direct};
use std::hint::black_box;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;

const ALWAYS: Window = Window { start_ns: 0, end_ns: u64::MAX };

/// A process that uses a CPU until it is dropped.
struct Burner(Child);

impl Burner {
    fn start() -> Self {
        Self(Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap())
    }
}

impl Drop for Burner {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What the sampler saw while `act` ran.
fn watched(devices: &[(u32, u32)], act: impl FnOnce()) -> Witness {
    let clock = MonotonicClock::start();
    let devices = WatchedDevices { on_top: devices.to_vec(), at_bottom: Bottom::default() };
    let sampler = Sampler::start(Path::new("/"), &devices, clock).unwrap();
    sampler.mark();
    let start_ns = clock.now_ns();
    act();
    let witness = sampler.between(start_ns, clock.now_ns()).unwrap();
    assert!(witness.began_ns <= start_ns && clock.now_ns() >= witness.began_ns + witness.span_ns());
    witness
}

/// CPU times as the kernel shows them; a container may hide them.
fn cpu_times(test: &str) -> Option<()> {
    let busy = watched(&[], || std::thread::sleep(Duration::from_millis(1)));
    let busy = busy.samples[0].counts.busy_us.ok_or_else(|| MissingNeed::new("no CPU times in /proc/stat"));
    needs(test, busy).map(drop)
}

fn sum_us(witness: &Witness, counter: fn(&Counts) -> Option<u64>) -> u64 {
    witness.samples.iter().map(|sample| counter(&sample.counts).unwrap()).sum()
}

#[test]
fn a_burning_process_is_seen() {
    if cpu_times("a_burning_process_is_seen").is_none() {
        return;
    }
    let burner = Burner::start();
    let witness = watched(&[], || std::thread::sleep(Duration::from_secs(2)));
    drop(burner);
    let judgement = judge(&witness, ALWAYS, None);
    let cpu = judgement.cpu.unwrap();
    assert!(cpu.above > 0.5 && cpu.mean > 0.25, "{cpu:?}");
    assert!(judgement.foreign().contains(&Disturbance::Cpu(cpu)));
    assert!(witness.cpus.is_some_and(|cpus| f64::from(cpus) + 0.5 > cpu.mean), "{witness:?}");
}

#[test]
fn our_own_burning_is_not_foreign() {
    if cpu_times("our_own_burning_is_not_foreign").is_none() {
        return;
    }
    let mut burned_ns = 0;
    let witness = watched(&[], || {
        let began_ns = thread_cpu_ns();
        while burned_ns < NS_PER_S {
            black_box(
                (0..10_000_u64).fold(1, |product: u64, number| product.wrapping_mul(black_box(number))),
            );
            burned_ns = thread_cpu_ns() - began_ns;
        }
    });
    let busy_us = sum_us(&witness, |counts| counts.busy_us);
    let own_us = sum_us(&witness, |counts| counts.own_us);
    assert!(own_us >= burned_ns / NS_PER_US, "{own_us} us of CPU time, {burned_ns} ns of them burned");
    // Whatever others did at the same time: what we burned is a part of what the host did, and not of theirs. The kernel
    // samples the host's time, so a part of it may be missing.
    let foreign_us = foreign_cores(&witness, ALWAYS).unwrap() * to_f64(witness.span_ns() / NS_PER_US);
    assert!(foreign_us + to_f64(burned_ns / NS_PER_US) <= to_f64(busy_us) + 300_000.0, "{witness:?}");
    // And if nobody else did anything worth mentioning, nothing is said.
    if busy_us < own_us + 50_000 {
        let found = judge(&witness, ALWAYS, None).foreign();
        assert!(!found.iter().any(|foreign| matches!(foreign, Disturbance::Cpu(_))), "{found:?}");
    }
}

#[test]
fn the_sampler_samples_by_itself() {
    let witness = watched(&[], || std::thread::sleep(Duration::from_secs(2)));
    // Twenty of them on a quiet machine.
    assert!(witness.samples.len() >= 5, "{witness:?}");
    assert!(witness.period_ns >= 100 * NS_PER_MS);
    assert!(witness.samples.iter().all(|sample| sample.counts.own_us.is_some()));
}

#[test]
fn bytes_of_others_on_a_device_are_distinguished_from_ours() {
    const OURS: u64 = 64 * MIB;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("disk");
    std::fs::File::create_new(&path).unwrap().set_len(OURS).unwrap();
    let name = "bytes_of_others_on_a_device_are_distinguished_from_ours";
    let Some(device) = needs(name, LoopDevice::attach(&path, false)) else { return };
    let number = target_facts(device.path()).unwrap().identity.device;
    let devices = counting_devices(Path::new("/"), &[number]).unwrap();
    assert_eq!(devices, [number]);

    let read_all = || {
        let file = open_direct(device.path()).unwrap();
        let mut buffer = AlignedBytes::zeroed(1 << 20);
        (0..OURS / MIB).for_each(|index| file.read_exact_at(&mut buffer, index * MIB).unwrap());
    };
    let alone = judge(&watched(&devices, read_all), ALWAYS, Some(OURS)).io.unwrap();
    assert!(alone.device_bytes >= OURS, "{alone:?}");
    // Others may look what is on a new device, but not at all of it.
    assert!(!alone.disturbs(), "{alone:?}");

    let witness = watched(&devices, || {
        read_all();
        let mut other = Command::new("dd");
        other.args(["of=/dev/null", "bs=1M", "iflag=direct", "status=none"]);
        let input = format!("if={}", device.path().display());
        assert!(other.arg(input).status().unwrap().success());
    });
    let found = judge(&witness, ALWAYS, Some(OURS));
    let io = found.io.unwrap();
    assert!(io.foreign_bytes() >= OURS && found.foreign().contains(&Disturbance::Io(io)), "{io:?}");
}
