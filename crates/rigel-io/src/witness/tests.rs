//! The sampler on a tree of files like the kernel's, with a clock that stands still until it is set: every figure is known.

use super::*;
use rigel_core::units::NS_PER_S;
use rigel_core::witness::{Counts, DeviceTransfer};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What the files say.
#[derive(Clone, Copy)]
struct Totals {
    user_ticks: u64,
    steal_ticks: u64,
    waited_us: u64,
    sectors: u64,
}

const AT_FIRST: Totals = Totals { user_ticks: 1000, steal_ticks: 50, waited_us: 16_000_000, sectors: 4000 };

/// A host in a directory.
struct Host {
    root: tempfile::TempDir,
    now_ns: Arc<AtomicU64>,
    own_us: Arc<AtomicU64>,
}

#[derive(Clone)]
struct SetClock(Arc<AtomicU64>);

impl Clock for SetClock {
    fn now_ns(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

impl Host {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for dir in ["proc/pressure", "sys/dev/block/8:0", "sys/dev/block/8:16"] {
            std::fs::create_dir_all(root.path().join(dir)).unwrap();
        }
        let host = Self { root, now_ns: Arc::default(), own_us: Arc::default() };
        host.write(0, AT_FIRST);
        host
    }

    fn file(&self, file: &str) -> PathBuf {
        self.root.path().join(file)
    }

    /// The files as they are `tenth` tenths of a second after the start. They are written in place, as the kernel's are.
    fn write(&self, tenth: u64, totals: Totals) {
        let Totals { user_ticks, steal_ticks, waited_us, sectors } = totals;
        let times = format!("{user_ticks} 7 100 99999 3 1 2 {steal_ticks} 0 0");
        let stat = format!("cpu  {times}\ncpu0 {times}\ncpu1 {times}\nintr 5 0 0\nctxt 7\n");
        let pressure = |us| format!("some avg10=0.00 avg60=0.10 avg300=9.99 total={us}\nfull total=1\n");
        let device = format!("  10  0  {sectors}  5  20  0  {}  9  0  1  1\n", 2 * sectors);
        for (file, text) in [
            ("proc/stat", stat),
            ("proc/pressure/cpu", pressure(waited_us)),
            ("proc/pressure/io", pressure(3 * waited_us)),
            ("sys/dev/block/8:0/stat", device.clone()),
            ("sys/dev/block/8:16/stat", device),
        ] {
            // What was taken away stays away.
            if tenth == 0 || self.file(file).exists() {
                std::fs::write(self.file(file), text).unwrap();
            }
        }
        self.now_ns.store(tenth * PERIOD_NS, Ordering::SeqCst);
        self.own_us.store(tenth * 40_000, Ordering::SeqCst);
    }

    fn remove(&self, files: &[&str]) {
        files.iter().for_each(|file| std::fs::remove_file(self.file(file)).unwrap());
    }

    /// A sampler that reads only when asked.
    fn sampler(&self) -> Sampler {
        let devices = [(8, 0), (8, 16)];
        let own_us = Arc::clone(&self.own_us);
        let own_us = Box::new(move || own_us.load(Ordering::SeqCst));
        let watched = WatchedDevices {
            on_top: devices.to_vec(),
            at_bottom: Bottom { devices: devices.to_vec(), nfs: Vec::new() },
        };
        let counters = Counters::open(self.root.path(), &watched, own_us);
        let limits = LimitsWatch::begin(IoLimits::of(System::at(self.root.path())));
        let kernel = KernelThreads::of(self.root.path());
        let watch = Watch::begin(counters, (limits, kernel), &devices, SetClock(Arc::clone(&self.now_ns)));
        Sampler::run(watch, 3600 * NS_PER_S).unwrap()
    }
}

/// What a second of the files counts, each tenth.
fn after(tenth: u64) -> Totals {
    Totals {
        user_ticks: AT_FIRST.user_ticks + 6 * tenth,
        steal_ticks: AT_FIRST.steal_ticks + tenth,
        waited_us: AT_FIRST.waited_us + 1234 * tenth,
        sectors: AT_FIRST.sectors + 16 * tenth,
    }
}

fn a_tenth() -> Counts {
    let moved = Some(DeviceTransfer { read_bytes: 8192, written_bytes: 16_384 });
    Counts {
        busy_us: Some(60_000),
        interrupts_us: Some(0),
        steal_us: Some(10_000),
        own_us: Some(40_000),
        cpu_pressure_us: Some(1234),
        io_pressure_us: Some(3 * 1234),
        moved: vec![moved, moved],
        carried: None,
    }
}

#[test]
fn samples_hold_what_the_files_counted() {
    let host = Host::new();
    let sampler = host.sampler();
    for tenth in 1..=4 {
        host.write(tenth, after(tenth));
        sampler.mark();
    }
    host.write(5, after(5));
    let witness = sampler.between(PERIOD_NS, 5 * PERIOD_NS).unwrap();
    assert_eq!((witness.began_ns, witness.cpus), (PERIOD_NS, Some(2)));
    assert_eq!(witness.devices, [(8, 0), (8, 16)]);
    let ends: Vec<u64> = witness.samples.iter().map(|sample| sample.at_ns / PERIOD_NS).collect();
    assert_eq!(ends, [2, 3, 4, 5]);
    assert!(witness.samples.iter().all(|sample| sample.counts == a_tenth()), "{witness:?}");
    let of_both = DeviceTransfer { read_bytes: 8 * 8192, written_bytes: 8 * 16_384 };
    assert_eq!(witness.carried, Some(of_both), "of the devices at the bottom, here the same");
}

#[test]
fn a_visit_is_cut_at_the_readings_around_it() {
    let host = Host::new();
    let sampler = host.sampler();
    for tenth in 1..=9 {
        host.write(tenth, after(tenth));
        sampler.mark();
    }
    host.write(10, after(10));
    let span = |start_ns, end_ns| {
        let witness = sampler.between(start_ns, end_ns)?;
        Some((witness.began_ns / PERIOD_NS, witness.samples.last()?.at_ns / PERIOD_NS))
    };
    assert_eq!(span(0, 2 * PERIOD_NS), Some((0, 2)));
    assert_eq!(span(3 * PERIOD_NS + 1, 6 * PERIOD_NS + 1), Some((3, 7)));
    // What was before that visit is forgotten; what came since is not.
    assert_eq!(span(0, 4 * PERIOD_NS), Some((3, 4)));
    assert_eq!(span(9 * PERIOD_NS, 10 * PERIOD_NS), Some((9, 10)));
    assert_eq!(span(10 * PERIOD_NS, 10 * PERIOD_NS), None, "no time has passed");
}

#[test]
fn what_is_missing_or_goes_back_is_left_out() {
    let host = Host::new();
    host.remove(&["proc/pressure/cpu", "proc/pressure/io", "sys/dev/block/8:16/stat"]);
    let sampler = host.sampler();
    host.write(1, Totals { steal_ticks: 49, sectors: 3999, ..after(1) });
    sampler.mark();
    host.write(2, after(2));
    let witness = sampler.between(0, 2 * PERIOD_NS).unwrap();
    assert_eq!(witness.carried, None, "one of the devices at the bottom is missing");
    let back = Counts {
        steal_us: None,
        cpu_pressure_us: None,
        io_pressure_us: None,
        moved: vec![None, None],
        ..a_tenth()
    };
    assert_eq!(witness.samples[0].counts, back);
    assert_eq!(witness.samples[1].counts.moved.len(), 2);
    assert!(witness.samples[1].counts.moved[0].is_some(), "counted on from where it went back to");

    let bare = Host::new();
    bare.remove(&["proc/stat"]);
    let sampler = bare.sampler();
    bare.write(1, after(1));
    let counts = &sampler.between(0, PERIOD_NS).unwrap().samples[0].counts;
    assert_eq!((counts.busy_us, counts.steal_us), (None, None));
    assert_eq!((counts.own_us, counts.cpu_pressure_us), (Some(40_000), Some(1234)));
}

#[test]
fn a_file_that_turns_into_nonsense_is_left_out_until_it_is_mended() {
    let host = Host::new();
    let sampler = host.sampler();
    host.write(1, after(1));
    std::fs::write(host.file("proc/stat"), "cpu  12").unwrap();
    std::fs::write(host.file("sys/dev/block/8:0/stat"), "").unwrap();
    sampler.mark();
    for tenth in 2..=3 {
        host.write(tenth, after(tenth));
        sampler.mark();
    }
    let witness = sampler.between(0, 3 * PERIOD_NS).unwrap();
    let totals: Vec<_> =
        witness.samples.iter().map(|sample| (sample.counts.busy_us, sample.counts.moved[0])).collect();
    let whole = (a_tenth().busy_us, a_tenth().moved[0]);
    assert_eq!(totals, [(None, None), (None, None), whole]);
}

#[test]
fn a_long_watch_becomes_sparser_and_loses_no_sum() {
    let host = Host::new();
    let devices = [(8, 0)];
    let own_us = Arc::clone(&host.own_us);
    let own_us = Box::new(move || own_us.load(Ordering::SeqCst));
    let watched = WatchedDevices { on_top: devices.to_vec(), at_bottom: Bottom::default() };
    let counters = Counters::open(host.root.path(), &watched, own_us);
    let limits = LimitsWatch::begin(IoLimits::of(System::at(host.root.path())));
    let kernel = KernelThreads::of(host.root.path());
    let watch = Watch::begin(counters, (limits, kernel), &devices, SetClock(Arc::clone(&host.now_ns)));
    let sampler = Sampler::run(watch, 3600 * NS_PER_S).unwrap();
    for tenth in 1..=20_000 {
        host.now_ns.store(tenth * PERIOD_NS, Ordering::SeqCst);
        host.own_us.store(tenth * 40_000, Ordering::SeqCst);
        sampler.mark();
    }
    let witness = sampler.between(0, 20_000 * PERIOD_NS).unwrap();
    assert_eq!(witness.span_ns(), 20_000 * PERIOD_NS);
    let own_us: u64 = witness.samples.iter().filter_map(|sample| sample.counts.own_us).sum();
    assert_eq!(own_us, 20_000 * 40_000);
    assert!((300..=600).contains(&witness.samples.len()), "{}", witness.samples.len());
}

/// They are checked with every question, and told once.
#[test]
fn limits_that_are_changed_and_put_back_are_told_with_their_times() {
    let host = Host::new();
    let put = |file: &str, text: &str| {
        std::fs::create_dir_all(host.file(file).parent().unwrap()).unwrap();
        std::fs::write(host.file(file), text).unwrap();
    };
    let limit = |iops: u32| put("sys/fs/cgroup/db/io.max", &format!("8:0 riops={iops}\n"));
    put("proc/self/cgroup", "0::/db\n");
    put("proc/self/mountinfo", "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    limit(3000);
    let sampler = host.sampler();
    assert_eq!(sampler.limits_since(0), []);
    for (tenth, iops) in [(1, 2000), (10, 1000), (25, 1000), (30, 3000)] {
        host.write(tenth, after(tenth));
        limit(iops);
        sampler.mark();
    }
    let change = |tenth: u64, before: u32, now: u32| {
        let lines = |iops| vec![format!("8:0 riops={iops}")];
        LimitsChange { at_ns: tenth * PERIOD_NS, before: lines(before), now: lines(now) }
    };
    let wanted = [change(10, 2000, 1000), change(30, 1000, 3000)];
    assert_eq!(sampler.limits_since(PERIOD_NS), wanted, "the one at the start of the visit came before it");
    put("proc/self/cgroup", "0::/\n");
    let gone = sampler.limits_since(0);
    assert_eq!((gone.len(), gone[0].now.len()), (1, 0), "another group, which has no limit: {gone:?}");
    assert_eq!(sampler.limits_since(0), []);
}

/// Toggled again and again: a record stays small.
#[test]
fn so_many_changes_of_limits_are_kept() {
    let host = Host::new();
    let put = |text: &str| std::fs::write(host.file("sys/fs/cgroup/io.max"), text).unwrap();
    std::fs::create_dir_all(host.file("sys/fs/cgroup")).unwrap();
    std::fs::create_dir_all(host.file("proc/self")).unwrap();
    std::fs::write(host.file("proc/self/cgroup"), "0::/\n").unwrap();
    let mounts = "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
    std::fs::write(host.file("proc/self/mountinfo"), mounts).unwrap();
    put("8:0 riops=0\n");
    let sampler = host.sampler();
    for tenth in 1..=100 {
        host.write(tenth, after(tenth));
        put(&format!("8:0 riops={tenth}\n"));
        sampler.mark();
    }
    let kept = sampler.limits_since(0);
    assert_eq!((kept.len(), kept[0].at_ns), (LimitsChange::MOST, PERIOD_NS));
}
