//! A failed I/O is a completion, and no slot is ever lost.

use super::*;
use rigel_testdev::{DeviceSpec, TestDevice};
use rustix::process::{Pid, Signal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

for_every_engine!(
    reads_at_the_end_are_short,
    refused_ios_complete_among_good_ones,
    a_bad_sector_is_an_error_of_its_slot_alone,
    dropping_waits_for_what_is_in_flight,
    signals_break_nothing
);

fn reads_at_the_end_are_short<E: Engine>() {
    let scratch = Scratch::new(16 << 10);
    let Some(targets) = scratch.targets("reads_at_the_end_are_short", false) else { return };
    let Some(mut backend) = engine::<E>("reads_at_the_end_are_short", &targets, layout(3, 0)) else { return };
    let ops = [read(0, 12 << 10, SMALL_BYTES), read(1, 16 << 10, SMALL_BYTES), read(2, 1 << 30, SMALL_BYTES)];
    assert_eq!(outcomes(&mut backend, &ops), [Ok(4096), Ok(0), Ok(0)]);
    assert!(backend.buffer_mut(0)[..4096] == scratch.contents[12 << 10..]);
}

/// Some of these fail in the call that submits them, which then takes only what comes before them.
fn refused_ios_complete_among_good_ones<E: Engine>() {
    let scratch = Scratch::new(64 << 10);
    let Some(good) = needs("refused_ios_complete", target(&scratch.path(), true)) else { return };
    let read_only = open(&scratch.path(), OFlags::RDONLY).unwrap();
    let directory =
        rustix::fs::open(scratch.path().parent().unwrap(), OFlags::RDONLY, Mode::empty()).unwrap();
    let targets = Arc::new(OpenTargets::new(vec![
        good,
        OpenTarget::new(read_only, 64 << 10, true),
        OpenTarget::new(directory, 64 << 10, false),
    ]));
    let Some(mut backend) = engine::<E>("refused_ios_complete", &targets, layout(8, 0)) else { return };
    let read_only = |slot| Op { target: 1, ..write(slot, 0, 4096) };
    let ops = [
        read_only(0),
        read(1, 0, 4096),
        read_only(2),
        read_only(3),
        read(4, 512 + 1, 4096),
        Op { target: 2, ..read(5, 0, 4096) },
        write(6, 0, 4096),
        read_only(7),
    ];
    let bad = Err(libc::EBADF);
    for _ in 0..3 {
        let found = outcomes(&mut backend, &ops);
        assert_eq!(found[..5], [bad, Ok(4096), bad, bad, Err(libc::EINVAL)]);
        // A directory is refused in more than one way.
        assert!(matches!(found[5], Err(libc::EISDIR | libc::EINVAL)), "{:?}", found[5]);
        assert_eq!(found[6..], [Ok(4096), bad]);
    }
    // All refused, nothing in flight to wait for.
    assert_eq!(outcomes(&mut backend, &[read_only(1), read_only(0)]), [bad, bad]);
}

fn device(service_us: u64) -> Result<TestDevice, MissingNeed> {
    TestDevice::mount(DeviceSpec { servers: 4, service_us, ..DeviceSpec::default() })
}

fn a_bad_sector_is_an_error_of_its_slot_alone<E: Engine>() {
    let Some(device) = needs("a_bad_sector", device(0)) else { return };
    device.command("eio 65536 4096\nenospc 131072 4096\nshort 262144 8192").unwrap();
    let paths = [device.disk(), device.raw()];
    let Some(both) = needs("a_bad_sector", paths.iter().map(|path| target(path, true)).collect()) else {
        return;
    };
    let targets = Arc::new(OpenTargets::new(both));
    let Some(mut backend) = engine::<E>("a_bad_sector", &targets, layout(5, 0)) else { return };
    let ops = [
        read(0, 0, SMALL_BYTES),
        read(1, 65_536, SMALL_BYTES),
        write(2, 131_072, SMALL_BYTES),
        Op { target: 1, ..read(3, 262_144, SMALL_BYTES) },
        write(4, 0, SMALL_BYTES),
    ];
    for _ in 0..3 {
        let found = outcomes(&mut backend, &ops);
        assert_eq!(found[..3], [Ok(SMALL_BYTES), Err(libc::EIO), Err(libc::ENOSPC)]);
        assert!(found[3].is_ok_and(|moved| moved < SMALL_BYTES), "{:?}", found[3]);
        assert_eq!(found[4], Ok(SMALL_BYTES));
    }
}

fn dropping_waits_for_what_is_in_flight<E: Engine>() {
    let Some(device) = needs("dropping_waits", device(50_000)) else { return };
    let Some(target) = needs("dropping_waits", target(&device.disk(), false)) else { return };
    let targets = Arc::new(OpenTargets::new(vec![target]));
    let Some(mut backend) = engine::<E>("dropping_waits", &targets, layout(12, 0)) else { return };
    (0..11).for_each(|slot| backend.push(read(slot, u64::from(slot) * 65_536, SMALL_BYTES)));
    backend.submit(1).unwrap();
    backend.push(read(11, 0, SMALL_BYTES));
    drop(backend);
    let gauge = device.gauge().unwrap();
    // Threads that had not begun with theirs never do.
    let has_threads = std::any::type_name::<E>().contains("Threads");
    let begun = if has_threads { 1..=11 } else { 11..=11 };
    assert!(gauge.in_flight == 0 && begun.contains(&gauge.reads), "the twelfth was never submitted: {gauge}");
}

/// Interrupts the calling thread again and again until dropped.
struct Nuisance {
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<u32>>,
}

impl Nuisance {
    fn new() -> Self {
        extern "C" fn ignore(_: libc::c_int) {}
        // SAFETY: the handler does nothing, which is allowed at any moment; without SA_RESTART, calls end
        // with EINTR. The structure is plain data for which zeros are valid.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = ignore as *const () as usize;
            assert_eq!(libc::sigaction(libc::SIGURG, &raw const action, std::ptr::null_mut()), 0);
        }
        let (stop, me) = (Arc::new(AtomicBool::new(false)), rustix::thread::gettid());
        let stopped = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let mut sent = 0;
            while !stopped.load(Ordering::Relaxed) {
                interrupt(me);
                sent += 1;
                std::thread::sleep(Duration::from_micros(300));
            }
            sent
        });
        Self { stop, thread: Some(thread) }
    }

    fn stop(mut self) -> u32 {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap()
    }
}

fn interrupt(thread: Pid) {
    let process = rustix::process::getpid();
    // SAFETY: sends a signal that has a handler to a thread of this process, which outlives the sender.
    let result = unsafe {
        libc::syscall(
            libc::SYS_tgkill,
            process.as_raw_nonzero().get(),
            thread.as_raw_nonzero().get(),
            Signal::URG.as_raw(),
        )
    };
    assert_eq!(result, 0);
}

fn signals_break_nothing<E: Engine>() {
    let Some(device) = needs("signals_break_nothing", device(3000)) else { return };
    let Some(target) = needs("signals_break_nothing", target(&device.disk(), false)) else { return };
    let targets = Arc::new(OpenTargets::new(vec![target]));
    let Some(mut backend) = engine::<E>("signals_break_nothing", &targets, layout(6, 0)) else { return };
    let nuisance = Nuisance::new();
    let begun = Instant::now();
    let mut early = 0;
    for _ in 0..30 {
        (0..6).for_each(|slot| backend.push(read(slot, u64::from(slot) * 65_536, SMALL_BYTES)));
        let mut done = 0;
        while done < 6 {
            backend.submit(6 - done).unwrap();
            backend.reap(|completion| {
                assert_eq!(completion.outcome, Ok(SMALL_BYTES));
                done += 1;
            });
            early += u64::from(done < 6);
        }
    }
    // A wait ends once a second, also when no signal comes.
    let seconds = begun.elapsed().as_secs();
    assert!(early <= seconds + 1, "{early} waits ended early in {seconds} s");
    assert!(nuisance.stop() > 50);
}
