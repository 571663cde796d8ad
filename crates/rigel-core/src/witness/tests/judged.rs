//! The limits, from both sides, and that our own load does not reach them.

use super::{ALWAYS, PERIOD_NS, cpu, witness};
use crate::load::draw::Generator;
use crate::measure::Window;
use crate::units::MIB;
use crate::witness::{
    Counts, DeviceTransfer, Disturbance, ForeignIo, Judgement, Witness, foreign_cores, host_limited, judge,
};

const SAMPLES: usize = 25;

fn judged(samples: Vec<Counts>) -> Judgement {
    judge(&witness(samples), ALWAYS, None)
}

/// A visit of 2.5 s of which `disturbed` samples, one after the other, are another.
fn visit(quiet: &Counts, disturbed: usize, other: &Counts) -> Vec<Counts> {
    let mut samples = vec![quiet.clone(); SAMPLES];
    samples[5..5 + disturbed].fill(other.clone());
    samples
}

fn names(judgement: &Judgement) -> Vec<&'static str> {
    let name = |foreign: &Disturbance| match foreign {
        Disturbance::Cpu(_) => "cpu",
        Disturbance::Steal(_) => "steal",
        Disturbance::Waiting(_) => "waiting",
        Disturbance::Io(_) => "io",
    };
    judgement.foreign().iter().map(name).collect()
}

#[test]
fn others_may_use_a_quarter_of_a_core() {
    assert!(names(&judged(visit(&cpu(85, 60), SAMPLES - 5, &cpu(85, 60)))).is_empty());
    let found = judged(visit(&cpu(86, 60), SAMPLES - 5, &cpu(86, 60)));
    assert_eq!(names(&found), ["cpu"]);
    let figures = found.cpu.unwrap();
    assert!((figures.mean - 0.26).abs() < 1e-12 && (figures.median - 0.26).abs() < 1e-12);
    assert_eq!((figures.limit, figures.above, figures.samples), (0.25, 1.0, SAMPLES));
    assert_eq!(
        found.foreign()[0].to_string(),
        "other programs used 0.26 CPU cores on average, above the normal 0.25 for 100 % of the time"
    );
}

#[test]
fn more_than_a_fifth_of_the_visit_counts() {
    let (quiet, other) = (cpu(60, 60), cpu(100, 60));
    // Smoothed over five samples, a burst of n at 0.40 of a core is above 0.25 in n - 2 of them (4 of 5 make 0.32).
    for (disturbed, above) in [(7, 5.0), (8, 6.0)] {
        let found = judged(visit(&quiet, disturbed, &other));
        assert!((found.cpu.unwrap().above * 25.0 - above).abs() < 1e-9, "{found:?}");
        assert_eq!(names(&found).is_empty(), disturbed == 7);
    }
}

#[test]
fn our_own_cpu_time_is_nobody_elses() {
    assert!(names(&judged(vec![cpu(400, 400); SAMPLES])).is_empty());
    // Without our own there is nothing to take off, and nothing to say.
    let unknown = judged(vec![Counts { own_us: None, ..cpu(400, 0) }; SAMPLES]);
    assert_eq!((unknown.cpu, unknown.waiting), (None, None));
    assert!(names(&unknown).is_empty());
}

#[test]
fn with_many_cores_of_our_own_the_limit_is_wider() {
    let found = judged(vec![cpu(2090, 2000); SAMPLES]);
    assert_eq!(found.cpu.unwrap().limit, 1.0);
    assert!(names(&found).is_empty());
    assert_eq!(names(&judged(vec![cpu(2110, 2000); SAMPLES])), ["cpu"]);
}

#[test]
fn a_large_host_uses_more_for_itself() {
    let of = |busy_ms, cpus| Witness { cpus: Some(cpus), ..witness(vec![cpu(busy_ms, 60); SAMPLES]) };
    let judged = |busy_ms, cpus| judge(&of(busy_ms, cpus), ALWAYS, None);
    assert_eq!(judged(100, 64).cpu.unwrap().limit, 0.64);
    assert!(names(&judged(123, 64)).is_empty());
    assert_eq!(names(&judged(125, 64)), ["cpu"]);
    assert_eq!(names(&judged(86, 25)), ["cpu"], "a quarter of a core is one in a hundred");
}

#[test]
fn an_effect_is_no_larger_than_the_waits_unless_the_host_is_crowded() {
    let effect = |foreign_ms: u64, pressure_ms: Option<u64>, cpus| {
        let pressure_us = pressure_ms.map(|ms| ms * 1000);
        judged(vec![Counts { cpu_pressure_us: pressure_us, ..cpu(60 + foreign_ms, 60) }; SAMPLES])
            .effect(cpus)
    };
    let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found} for {expected}");
    near(effect(20, None, 4), 0.0);
    // 0.4 of a core is a tenth of four CPUs, and less of more.
    near(effect(40, None, 4), 0.1);
    near(effect(40, None, 16), 0.025);
    near(effect(40, Some(2), 4), 0.02);
    near(effect(40, Some(4), 4), 0.04);
    // Beyond a quarter of the CPUs the waits are not all.
    near(effect(100, Some(2), 4), 0.02);
    near(effect(101, Some(2), 4), 0.2525);
    near(effect(900, None, 4), 1.0);
}

#[test]
fn the_largest_effect_counts() {
    let stolen = Counts { steal_us: Some(20_000), ..cpu(100, 60) };
    assert!((judged(vec![stolen; SAMPLES]).effect(64) - 20.0 / 120.0).abs() < 1e-9);
    assert!((io(1000, 100 * 1024).effect(4) - 100.0 / 1100.0).abs() < 1e-9);
    assert_eq!(io(1000, 10 * 1024).effect(4), 0.0, "too little to be told");
}

#[test]
fn only_the_window_is_judged() {
    let samples = visit(&cpu(60, 60), 10, &cpu(160, 60));
    let witness = witness(samples);
    // Samples 5 to 14 are disturbed; the witness begins at ten periods.
    let window = |from: u64, to: u64| Window { start_ns: from * PERIOD_NS, end_ns: to * PERIOD_NS };
    let quiet = judge(&witness, window(25, 35), None);
    assert_eq!((quiet.cpu.unwrap().mean, quiet.cpu.unwrap().samples), (0.0, 10));
    assert_eq!(foreign_cores(&witness, window(15, 25)), Some(1.0));
    // A sample belongs to the window when more than half of it is inside.
    let shifted =
        Window { start_ns: 15 * PERIOD_NS + PERIOD_NS / 2 + 1, end_ns: 25 * PERIOD_NS - PERIOD_NS / 2 + 1 };
    assert_eq!(judge(&witness, shifted, None).cpu.unwrap().samples, 9);
    assert_eq!(judge(&witness, window(0, 5), None), Judgement::default());
}

#[test]
fn the_hypervisor_may_take_a_twentieth() {
    let stolen =
        |steal_ms: u64, busy_ms: u64| Counts { steal_us: Some(steal_ms * 1000), ..cpu(busy_ms, busy_ms) };
    // Of four busy CPUs it is a part of what was wanted ..
    assert!(names(&judged(vec![stolen(20, 380); SAMPLES])).is_empty());
    let found = judged(vec![stolen(21, 379); SAMPLES]);
    assert_eq!(names(&found), ["steal"]);
    assert!((found.steal.unwrap().mean - 0.0525).abs() < 1e-12);
    // .. of an idle host, of one core.
    assert!(names(&judged(vec![stolen(5, 2); SAMPLES])).is_empty());
    assert_eq!(names(&judged(vec![stolen(6, 2); SAMPLES])), ["steal"]);
    // A tick in every fifth sample is 2 % of a core, though each of them alone would be 10 %.
    let mut ticks = vec![stolen(0, 20); SAMPLES];
    (0..5).for_each(|fifth| ticks[5 * fifth] = stolen(10, 20));
    assert!(names(&judged(ticks)).is_empty());
}

#[test]
fn waiting_counts_as_far_as_others_ran() {
    let waited = |pressure_ms: u64, foreign_ms: u64| Counts {
        cpu_pressure_us: Some(pressure_ms * 1000),
        ..cpu(100 + foreign_ms, 100)
    };
    let found = judged(vec![waited(30, 12); SAMPLES]);
    assert_eq!(names(&found), ["waiting"]);
    assert!((found.waiting.unwrap().mean - 0.12).abs() < 1e-12, "no more than others ran");
    // Nobody waited; or nearly nobody else ran, and our own threads waited for each other.
    for quiet in [waited(5, 12), waited(90, 0), waited(90, 10)] {
        assert!(names(&judged(vec![quiet; SAMPLES])).is_empty());
    }
    // Waiting for I/O is what a load does.
    assert_eq!(judged(vec![waited(0, 0); SAMPLES]).foreign(), []);
}

/// The kernel's threads end our writes and flush for us; without them, the same would be a disturbance.
#[test]
fn what_the_kernel_does_is_no_other_program() {
    let samples = vec![Counts { cpu_pressure_us: Some(20_000), ..cpu(60, 20) }; SAMPLES];
    assert_eq!(names(&judged(samples.clone())), ["cpu", "waiting"]);
    let of_kernel = |ms_of_sample: u64| Witness {
        kernel_us: Some(ms_of_sample * 1000 * SAMPLES as u64),
        ..witness(samples.clone())
    };
    let judged = |witness: &Witness| judge(witness, ALWAYS, None);
    assert!(names(&judged(&of_kernel(38))).is_empty(), "0.02 of a core is left");
    assert_eq!(names(&judged(&of_kernel(10))), ["cpu", "waiting"], "0.3 of a core is left");
    assert_eq!(judged(&of_kernel(90)).cpu.unwrap().mean, 0.0);
}

fn moved(bytes: &[Option<u64>]) -> Vec<Counts> {
    let device = |read_bytes: u64| DeviceTransfer { read_bytes, written_bytes: 0 };
    bytes.iter().map(|bytes| Counts { moved: vec![bytes.map(device)], ..cpu(0, 0) }).collect()
}

/// One second in which the device moved this many MiB beside our own.
fn io(own_mib: u64, foreign_kib: u64) -> Judgement {
    let mut samples = vec![Some(own_mib * MIB / 10); 10];
    samples[3] = samples[3].map(|bytes| bytes + foreign_kib * 1024);
    let own_bytes = own_mib * MIB / 10 * 10;
    judge(&witness(moved(&samples)), ALWAYS, Some(own_bytes))
}

#[test]
fn others_may_move_a_twentieth_of_our_bytes() {
    assert!(names(&io(1000, 50 * 1024)).is_empty());
    let found = io(1000, 51 * 1024);
    assert_eq!(names(&found), ["io"]);
    assert_eq!(found.io.unwrap().foreign_bytes(), 51 * MIB);
    assert_eq!(
        found.foreign()[0].to_string(),
        "other programs moved 51.0 MiB on the devices (Rigel: 1000.0 MiB), 51.0 MiB/s"
    );
    // Less than ours: some of it came from a cache, and nothing is known of others.
    let short = judge(&witness(moved(&[Some(MIB); 10])), ALWAYS, Some(20 * MIB));
    assert_eq!(short.io.unwrap().foreign_bytes(), 0);
    assert!(names(&short).is_empty());
}

#[test]
fn a_mebibyte_a_second_is_noise_unless_it_is_half_of_ours() {
    assert!(names(&io(10, 1024)).is_empty());
    assert_eq!(names(&io(10, 1025)), ["io"]);
    assert!(names(&io(1, 500)).is_empty());
    assert_eq!(names(&io(1, 520)), ["io"]);
}

#[test]
fn devices_that_do_not_tell_are_not_judged() {
    let judged = |samples: &[Option<u64>], own_bytes| judge(&witness(moved(samples)), ALWAYS, own_bytes).io;
    assert_eq!(judged(&[Some(MIB), None, Some(MIB)], Some(0)), None);
    assert_eq!(judged(&[Some(MIB)], None), None, "our bytes are not the device's");
    let idle = ForeignIo { device_bytes: 0, own_bytes: 0, span_ns: PERIOD_NS };
    let unmoved = ForeignIo { own_bytes: MIB, ..idle };
    assert_eq!(judged(&[Some(0)], Some(MIB)), Some(unmoved), "one that does not count is not watched");
    assert_eq!(judged(&[Some(0)], Some(0)), Some(idle));
    let mut none = witness(moved(&[Some(MIB)]));
    none.devices.clear();
    assert_eq!(judge(&none, ALWAYS, Some(0)).io, None);
}

/// A host where nobody but us runs, on `cpus` CPUs at half of their time, as a kernel sees it that looks every 4 ms
/// what each CPU does: the worst case of such books. Our own CPU time is exact.
fn sampled_by_ticks(generator: &mut Generator, cpus: u64) -> Vec<Counts> {
    let mut counted_us = [0; 2];
    let rounded = |counted_us: [u64; 2]| counted_us.map(|us| us / 10_000 * 10_000).iter().sum::<u64>();
    let mut sample = || {
        let before = rounded(counted_us);
        for _ in 0..25 * cpus {
            if generator.below(2) == 0 {
                counted_us[usize::from(generator.below(3) > 0)] += 4000;
            }
        }
        Counts {
            busy_us: Some(rounded(counted_us) - before),
            own_us: Some(50_000 * cpus),
            // Our own threads wait for each other all the time.
            cpu_pressure_us: Some(100_000),
            ..cpu(0, 0)
        }
    };
    (0..SAMPLES).map(|_| sample()).collect()
}

#[test]
fn how_kernels_count_cpu_time_raises_nothing() {
    let mut generator = Generator::new(4, &[8]);
    for cpus in [2, 8, 16] {
        let visits = 500;
        let mut wrong = 0;
        let mut largest: f64 = 0.0;
        for _ in 0..visits {
            let found = judged(sampled_by_ticks(&mut generator, cpus));
            wrong += usize::from(!found.foreign().is_empty());
            largest = largest.max(found.cpu.unwrap().mean);
        }
        assert!(wrong * 50 <= visits, "{wrong} of {visits} visits on {cpus} CPUs");
        // The noise is there: a rule without an allowance for it would see others.
        assert!(largest > 0.02, "{largest}");
    }
}

#[test]
fn a_worker_without_time_left_is_the_limit() {
    assert_eq!(host_limited(900, 1000), None);
    assert_eq!(host_limited(901, 1000), Some(0.901));
    assert_eq!(host_limited(0, 0), None);
}
