//! Exactly as many I/Os reach the device as requested, counted by the device itself.

use super::*;
use rigel_testdev::{DeviceSpec, LoopDevice, TestDevice};
use std::thread;
use std::time::{Duration, Instant};

for_every_engine!(
    reads_in_flight_are_exact,
    writes_in_flight_are_exact,
    reads_in_flight_are_exact_through_a_block_device
);

const DEPTHS: [u16; 4] = [1, 5, 16, 100];

/// Longer than any host takes to send the I/Os of the largest depth.
const PATIENCE: Duration = Duration::from_secs(20);

fn device() -> Result<TestDevice, MissingNeed> {
    TestDevice::mount(DeviceSpec { servers: 4, service_us: 1000, ..DeviceSpec::default() })
}

/// Keeps as many I/Os outstanding as there are slots, until `count` are done, and then lets the queue run
/// dry. On a slow host a wait may end before anything came back.
fn keep_full(backend: &mut impl Backend, direction: Direction, count: usize) {
    let slots = backend.slots();
    let mut generator = Generator::new(9, &[u64::from(slots)]);
    // Far from each other, so that no layer below merges two into one.
    let mut next = |slot| Op { direction, ..read(slot, generator.below(1024) * 65_536 / 2, 4096) };
    (0..slots).for_each(|slot| backend.push(next(slot)));
    let (mut done, mut outstanding) = (0, usize::from(slots));
    let mut free = Vec::new();
    let mut last = Instant::now();
    while outstanding > 0 {
        backend.submit(1).unwrap();
        backend.reap(|completion| {
            assert_eq!(completion.outcome, Ok(4096));
            free.push(completion.slot);
        });
        if !free.is_empty() {
            last = Instant::now();
        }
        assert!(last.elapsed() < 2 * PATIENCE, "{outstanding} do not come back");
        done += free.len();
        outstanding -= free.len();
        if done < count {
            outstanding += free.len();
            free.drain(..).for_each(|slot| backend.push(next(slot)));
        }
        free.clear();
    }
}

fn check_depths<E: Engine>(test: &str, device: &TestDevice, path: &Path, direction: Direction) {
    let Some(target) = needs(test, target(path, direction == Direction::Write)) else { return };
    let targets = Arc::new(OpenTargets::new(vec![target]));
    for depth in DEPTHS {
        check_depth::<E>(test, device, &targets, direction, depth);
    }
}

fn check_depth<E: Engine>(
    test: &str,
    device: &TestDevice,
    targets: &Arc<OpenTargets>,
    direction: Direction,
    depth: u16,
) {
    let slots = SlotLayout::of(&[(depth, 4096), (0, 0)]);
    let Some(mut backend) = engine::<E>(test, targets, slots) else { return };
    // Nothing is answered before all of them are there: a slow host may send them more slowly than any device answers.
    device.command(&format!("hang 0 {}\nreset", device.size_bytes())).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| answer_when_full(device, depth));
        keep_full(&mut backend, direction, 300.max(4 * usize::from(depth)));
    });
    let gauge = device.gauge().unwrap();
    assert_eq!(gauge.max_in_flight, u64::from(depth), "{gauge}");
    assert_eq!(gauge.in_flight, 0);
}

fn answer_when_full(device: &TestDevice, depth: u16) {
    let start = Instant::now();
    let is_full = || device.gauge().is_ok_and(|gauge| gauge.in_flight >= depth.into());
    while !is_full() && start.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(1));
    }
    // In any case: what hangs here would hang for ever.
    device.command("release").unwrap();
}

fn reads_in_flight_are_exact<E: Engine>() {
    let test = "reads_in_flight_are_exact";
    let Some(device) = needs(test, device()) else { return };
    check_depths::<E>(test, &device, &device.disk(), Direction::Read);
}

fn writes_in_flight_are_exact<E: Engine>() {
    let test = "writes_in_flight_are_exact";
    let Some(device) = needs(test, device()) else { return };
    check_depths::<E>(test, &device, &device.raw(), Direction::Write);
}

fn reads_in_flight_are_exact_through_a_block_device<E: Engine>() {
    let test = "reads_in_flight_are_exact_through_a_block_device";
    let Some(device) = needs(test, device()) else { return };
    let Some(block_device) = needs(test, LoopDevice::attach(device.disk(), true)) else { return };
    check_depths::<E>(test, &device, block_device.path(), Direction::Read);
}
