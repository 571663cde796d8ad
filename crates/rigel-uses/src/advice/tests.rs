mod commits;
mod limits;
mod withheld;

use super::*;
use rigel_core::judge::findings::{CurveFindings, Findings, IoFindings};
use rigel_core::load::class::{Class, LoadClass, Pattern};
use rigel_core::load::matrix::Point;
use rigel_core::load::task::Task;
use rigel_core::load::workload::WritePercent;
use rigel_core::record::{ClosingLine, Record};
use rigel_core::stats::bound::{LatencyBound, LatencyOf};
use rigel_core::stats::levels_auto::{Bracket, Curve};
use rigel_core::stats::{Estimate, Interval};
use rigel_core::testing::{header, visit};
use rigel_core::units::{KIB, MIB, Nanos, to_f64};
use rigel_core::witness::{Counts, Witness, WitnessSample};

/// A run whose answers are known: small I/Os take 100 us, four of them at once; a stream gives 1000 I/Os per second, two give
/// 2000. All intervals are ±10 %.
#[derive(Clone)]
struct KnownRun {
    record: Record,
    findings: Findings,
}

fn set_mbps(io: &mut IoFindings, mbps: f64) {
    io.iops = Interval::symmetric(mbps * to_f64(MIB) / to_f64(io.io_bytes), 0.1, 8, 7.0).unwrap().into();
}

impl KnownRun {
    fn new(write_percent: u8, small_bytes: u64, large_bytes: u64) -> Self {
        let mut record = Record::begun(header());
        record.closing = Some(ClosingLine { ended: String::new(), complete: true, reason: None, end: None });
        let request = &mut record.header.request;
        request.set_writes(WritePercent::new(write_percent).unwrap());
        request.set_size(Class::SMALL, small_bytes);
        request.set_size(Class::LARGE, large_bytes);
        request.set_large(Pattern::Streams { ios_per_stream: 4 });
        request.calibrate(LatencyBound { limit: Nanos::from_millis(10), of: LatencyOf::Mean }, None);
        record.header.targets[0].mount_point = Some("/data".into());
        let latencies_us = [100, 100, 100, 100, 125, 1000, 1000];
        record.visits = (0..).zip(latencies_us).map(|(step, us)| visit(step, us * 1000)).collect();
        for visit in &mut record.visits {
            visit.tallies.get_mut(&Class::SMALL).into_iter().for_each(|tally| tally.io_bytes = small_bytes);
            visit.tallies.get_mut(&Class::LARGE).into_iter().for_each(|tally| tally.io_bytes = large_bytes);
            visit.nodes[0].witness = Some(witness(&[(254, 0)]));
        }
        let mut known = Self { findings: Findings::of(&record), record };
        for found in &mut known.findings.points {
            found.flags.clear();
            for io in found.ios.values_mut() {
                let known = |found: Estimate| Interval::symmetric(found.value, 0.1, 8, 7.0).unwrap().into();
                io.iops = known(io.iops);
                let us = io.latency_us.as_mut().unwrap();
                us.mean = known(us.mean);
            }
        }
        known.findings.flags.clear();
        known.chosen()
    }

    /// As `rigel calibrate` without options.
    fn reads() -> Self {
        Self::new(0, 8 * KIB, MIB)
    }

    /// As with `--write 100`.
    fn writes(small_bytes: u64, large_bytes: u64) -> Self {
        Self::new(100, small_bytes, large_bytes)
    }

    /// With headline numbers that fit what a test did to the points.
    fn chosen(&self) -> Self {
        let mut chosen = self.clone();
        chosen.findings.choose(&chosen.record.header.request);
        chosen
    }

    fn run(&self) -> Run<'_> {
        Run { record: &self.record, findings: &self.findings }
    }
}

fn witness(devices: &[(u32, u32)]) -> Witness {
    let counts = Counts { moved: devices.iter().map(|_| None).collect(), ..Counts::default() };
    let samples = vec![WitnessSample { at_ns: 100_000_000, counts }];
    Witness {
        period_ns: 100_000_000,
        cpus: None,
        devices: devices.to_vec(),
        kernel_us: None,
        carried: None,
        began_ns: 0,
        samples,
    }
}

fn advised(known: &[KnownRun]) -> AdviceReport {
    advised_with(known, Conditions::default())
}

fn advised_with(known: &[KnownRun], conditions: Conditions) -> AdviceReport {
    let chosen: Vec<KnownRun> = known.iter().map(KnownRun::chosen).collect();
    let runs: Vec<Run<'_>> = chosen.iter().map(KnownRun::run).collect();
    AdviceReport::of(&runs, conditions, None).unwrap()
}

fn find(advised: &AdviceReport, product: Product, setting: &str) -> Advice {
    advised.of_product(product).find(|advice| advice.setting == setting).unwrap().clone()
}

fn given(advised: &AdviceReport, product: Product, setting: &str) -> SettingAdvice {
    find(advised, product, setting).outcome.unwrap()
}

fn text(advised: &AdviceReport, product: Product, setting: &str) -> String {
    given(advised, product, setting).value.text
}

/// The value, and at both ends.
fn value(advised: &AdviceReport, product: Product, setting: &str) -> [String; 3] {
    let value = given(advised, product, setting).value;
    let (lo, hi) = value.ends.unwrap();
    [value.text, lo, hi]
}

fn refused(advised: &AdviceReport, product: Product, setting: &str) -> Refusal {
    find(advised, product, setting).outcome.unwrap_err()
}

/// A search of that class that ended before the rate did.
fn rising(class: Class) -> CurveFindings {
    let x_max = Interval::symmetric(40_000.0, 0.1, 8, 7.0).unwrap();
    let curve = Curve {
        levels: vec![(5, x_max)],
        x_max,
        saturated: false,
        n_sat: Bracket { lo: 5, found: 5, hi: 5 },
        crossing: 5.0,
        power_knee: 5,
        violations: Vec::new(),
    };
    CurveFindings { load: LoadClass::random(class, MIB), curve, visits: Vec::new(), flags: Vec::new() }
}

/// 1000 MBPS are 128,000 pages a second, 7.8125 us each: 100 us are 12.8 times as long. The ends: 0.9 x 0.9 and 1.1 x 1.1 of it. With
/// a share h of hits 1 + 11.8 x (1 - h) is left.
#[test]
fn a_random_page_costs_what_its_time_is_in_pages_of_a_stream() {
    let reads = [KnownRun::reads()];
    let page_cost = |rate: &str| {
        let hit_rate = Some(rate.parse().unwrap());
        value(&advised_with(&reads, Conditions { hit_rate }), Product::Postgresql, "random_page_cost")
    };
    assert_eq!(page_cost("90%"), ["2.18", "1.94", "2.45"]);
    assert_eq!(page_cost("0.9"), page_cost("90%"));
    assert_eq!(page_cost("0"), ["12.8", "10.37", "15.49"]);
    assert_eq!(page_cost("100%"), ["1", "1", "1"], "never less than the next page");
    let told = given(&advised(&reads), Product::Postgresql, "random_page_cost");
    assert!(["100 us", "7.812 us", "12.8 times", "assumption"].iter().all(|part| told.why.contains(part)));
    assert_eq!(told.value.text, "2.18");
    assert!(told.remark.unwrap().contains("12.8 times as long as that of the next page (10.37 to 15.49)"));
    let others: Vec<_> =
        told.otherwise.iter().map(|one| (one.when.as_str(), one.value.text.as_str())).collect();
    assert_eq!(others, [("hit rate 0 %", "12.8"), ("hit rate 90 %", "2.18"), ("hit rate 99 %", "1.12")]);
    let chosen = advised_with(&reads, Conditions { hit_rate: Some("50%".parse().unwrap()) });
    let chosen = given(&chosen, Product::Postgresql, "random_page_cost");
    assert!(chosen.otherwise.is_empty() && !chosen.why.contains("assumption"), "{chosen:?}");
    let other = [KnownRun::new(0, 4 * KIB, MIB)];
    let refusal = refused(&advised(&other), Product::Postgresql, "random_page_cost");
    assert!(refusal.because.contains("8 KiB"), "{refusal:?}");
    assert_eq!(refusal.command.unwrap(), "rigel calibrate /data/lun1");
}

#[test]
fn a_hit_rate_is_a_share_or_per_cent() {
    let read = |text: &str| text.parse::<HitRate>().map(|rate| rate.to_string());
    for (text, told) in [
        ("95%", "95 %"),
        ("0.95", "95 %"),
        ("99.5 %", "99.5 %"),
        ("100%", "100 %"),
        ("0", "0 %"),
        ("1%", "1 %"),
    ] {
        assert_eq!(read(text).unwrap(), told);
    }
    // As --write 20 is: above 1 a bare number can only be per cent.
    for (text, told) in [("99", "99 %"), ("100", "100 %"), ("1.5", "1.5 %"), ("0.5%", "0.5 %")] {
        assert_eq!(read(text).unwrap(), told);
    }
    assert!(read("1").unwrap_err().contains("write 1% or 100%"));
    for text in ["101%", "101", "-1", "x", "%", "NaN", "1e9", "1.0"] {
        read(text).unwrap_err();
    }
}

/// A stream of small I/Os is limited by their number: its pages are no cheaper than random ones, and the planner would be told so.
#[test]
fn a_stream_of_small_ios_says_nothing_of_the_next_page() {
    let small = KnownRun::new(0, 8 * KIB, 8 * KIB);
    let refusal = refused(&advised(&[small]), Product::Postgresql, "random_page_cost");
    assert!(refusal.because.contains("128 KiB") && refusal.command.is_some(), "{refusal:?}");
    let both = advised(&[KnownRun::new(0, 8 * KIB, 64 * KIB), KnownRun::reads()]);
    assert_eq!(text(&both, Product::Postgresql, "random_page_cost"), "2.18", "that of 1 MiB");
}

/// On a host with this many CPUs.
fn with_cpus(mut known: KnownRun, cpus: u32) -> KnownRun {
    known.record.header.nodes.first_mut().host.cpus = cpus;
    known
}

/// Two outstanding have the rate of five, so two saturate. The levels are `factor` times those of the record.
fn saturating(factor: u32) -> KnownRun {
    let mut reads = KnownRun::reads();
    for found in &mut reads.findings.points[1..4] {
        found.ios.get_mut(&Class::SMALL).unwrap().iops =
            Interval::symmetric(40_000.0, 0.1, 8, 7.0).unwrap().into();
    }
    for found in &mut reads.findings.points {
        let (small, large) = (found.point.small(), found.point.large());
        let small = match small {
            0 => 0,
            1 => 2 * factor - 1,
            small => small * factor,
        };
        found.point = Point::pair(if factor == 1 { found.point.small() } else { small }, large);
    }
    reads
}

#[test]
fn the_level_that_saturates_is_the_concurrency() {
    let found = advised(&[saturating(1)]);
    for setting in ["effective_io_concurrency", "maintenance_io_concurrency", "io_workers"] {
        assert_eq!(value(&found, Product::Postgresql, setting), ["2", "2", "2"], "{setting}");
    }
    assert_eq!(text(&found, Product::Postgresql, "io_method"), "worker");
    let most = found.of_product(Product::Postgresql).find(|advice| advice.setting == "io_max_concurrency");
    assert_eq!(most, None, "the default lets a process have 64 in flight");
    let threads = given(&found, Product::Mysql, "innodb_read_io_threads");
    assert_eq!((threads.value.text.as_str(), threads.is_hint), ("4", true), "its default suffices");
}

/// No level of twice as many was measured, so nobody knows where it ends.
#[test]
fn a_level_after_which_nothing_was_tried_is_withheld() {
    let found = advised(&[with_cpus(KnownRun::reads(), 8)]);
    for setting in ["effective_io_concurrency", "maintenance_io_concurrency", "io_workers", "io_method"] {
        let refusal = refused(&found, Product::Postgresql, setting);
        assert!(refusal.kind == Kind::InDoubt && refusal.because.contains("NOT_SATURATED"), "{refusal:?}");
        assert!(refusal.command.unwrap().ends_with("--num-disks 16 --for 5m"));
    }
    refused(&found, Product::Mysql, "innodb_read_io_threads");
    // Two CPUs carry no more than the default, however many reads more the storage takes; fewer than the default are never advised.
    let small = advised(&[with_cpus(KnownRun::reads(), 2)]);
    assert_eq!(text(&small, Product::Postgresql, "io_workers"), "3");
    assert_eq!(text(&small, Product::Postgresql, "io_method"), "io_uring");
    refused(&small, Product::Postgresql, "effective_io_concurrency");
}

#[test]
fn there_are_no_more_workers_than_cpus() {
    let of = |cpus: u32, setting: &str| {
        given(&advised(&[with_cpus(saturating(100), cpus)]), Product::Postgresql, setting)
    };
    for (cpus, workers) in [(2, "3"), (8, "8"), (64, "32"), (256, "32")] {
        let told = of(cpus, "io_workers");
        assert_eq!((told.value.text.as_str(), told.is_hint), (workers, true), "{cpus} CPUs: {told:?}");
        assert!(
            told.why.contains(&format!("this host has {cpus}"))
                && told.why.contains("the CPUs are the limit")
                && told.why.contains("rigel sql prove")
        );
    }
    // The settings name one level that saturates, and one number of workers.
    let method = of(8, "io_method");
    assert!(method.why.starts_with("200 reads in flight saturate") && method.why.contains("8 I/O workers"));
    assert!(of(8, "io_workers").why.contains("so 200 of them saturate"));
    assert_eq!((method.value.text.as_str(), method.is_hint), ("io_uring", true), "the server may lack it");
    // A control group may give less than the CPUs of the host: 2.5 carry three.
    let mut limited = with_cpus(saturating(100), 16);
    limited.record.header.nodes.first_mut().host.cgroup.cpu_max_millis = Some(2500);
    assert_eq!(text(&advised(&[limited]), Product::Postgresql, "io_workers"), "3");
    let few = given(&advised(&[with_cpus(saturating(4), 64)]), Product::Postgresql, "io_workers");
    assert_eq!((few.value.text.as_str(), few.is_hint, few.is_unproven), ("8", false, true));
    assert!(few.why.contains("the storage is the limit"), "{few:?}");
}

#[test]
fn more_than_the_server_takes_by_itself_is_allowed_for() {
    let found = advised(&[with_cpus(saturating(200), 64)]);
    assert_eq!(text(&found, Product::Postgresql, "effective_io_concurrency"), "400");
    let most = find(&found, Product::Postgresql, "io_max_concurrency");
    assert_eq!((most.since, most.outcome.unwrap().value.text.as_str()), (Some(18), "400"));
    assert_eq!(text(&found, Product::Mysql, "innodb_read_io_threads"), "7", "400 over 64");
}

/// `MySQL` 8.4 has half of the CPUs by default, which a line with fewer would lower; and a thread needs a CPU.
#[test]
fn no_line_lowers_the_threads_of_a_large_host() {
    let with = |cpus| {
        let found = advised(&[with_cpus(saturating(200), cpus)]);
        given(&found, Product::Mysql, "innodb_read_io_threads")
    };
    assert_eq!([12, 14, 64].map(|cpus| with(cpus).is_hint), [false, true, true]);
    assert!(with(64).why.contains("32 here") && with(64).value.text == "7");
    assert_eq!([2, 5, 6, 12].map(|cpus| with(cpus).value.text), ["4", "5", "6", "7"]);
}

#[test]
fn a_run_with_one_level_has_no_saturation() {
    let mut reads = KnownRun::reads();
    reads.findings.points.drain(1..5);
    let found = advised(&[reads]);
    for setting in ["effective_io_concurrency", "io_workers", "io_method"] {
        assert!(refused(&found, Product::Postgresql, setting).because.contains("saturate"));
    }
    assert!(refused(&found, Product::Mysql, "innodb_read_io_threads").because.contains("saturate"));
    assert_eq!(text(&found, Product::Postgresql, "random_page_cost"), "2.18");
}

/// One stream has 1000 I/Os per second of any size here, unless it is changed.
#[test]
fn the_size_of_combined_reads_comes_from_streams_of_several_sizes() {
    let one = advised(&[KnownRun::reads()]);
    assert!(
        refused(&one, Product::Postgresql, "io_combine_limit").command.unwrap().contains("--size-large 128K")
    );
    let best_is_largest = advised(&[KnownRun::reads(), KnownRun::new(0, 8 * KIB, 128 * KIB)]);
    for setting in ["io_combine_limit", "io_max_combine_limit"] {
        let advice = find(&best_is_largest, Product::Postgresql, setting);
        assert_eq!((advice.since, advice.outcome.unwrap().value.text.as_str()), (Some(18), "1024kB"));
    }
    let mut quick = KnownRun::new(0, 8 * KIB, 256 * KIB);
    set_mbps(quick.findings.points[5].ios.get_mut(&Class::LARGE).unwrap(), 960.0);
    let enough = advised(&[KnownRun::new(0, 8 * KIB, 128 * KIB), quick, KnownRun::reads()]);
    let advice = find(&enough, Product::Postgresql, "io_combine_limit");
    let given = advice.outcome.unwrap();
    assert_eq!((advice.since, given.value.text.as_str(), given.measured.len()), (Some(17), "256kB", 3));
}

/// 40,000 writes a second, ±10 %.
#[test]
fn innodb_gets_half_of_the_lower_end() {
    let found = advised(&[KnownRun::writes(16 * KIB, MIB)]);
    assert_eq!(value(&found, Product::Mysql, "innodb_io_capacity"), ["18000", "18000", "20000"]);
    assert_eq!(value(&found, Product::Mysql, "innodb_io_capacity_max"), ["36000", "36000", "44000"]);
    assert_eq!(text(&found, Product::Mysql, "innodb_flush_method"), "O_DIRECT");
    for setting in ["innodb_io_capacity", "innodb_io_capacity_max"] {
        assert!(given(&found, Product::Mysql, setting).is_unproven, "{setting}");
    }
    for without in [KnownRun::reads(), KnownRun::writes(8 * KIB, MIB)] {
        let refusal = refused(&advised(&[without]), Product::Mysql, "innodb_io_capacity");
        assert_eq!(refusal.command.unwrap(), "cd /data && rigel calibrate --write 100 --size-small 16K");
    }
}

#[test]
fn how_innodb_opens_files_is_a_fact_of_the_filesystem() {
    let with = |direct| {
        let mut reads = KnownRun::reads();
        reads.record.header.targets[0].direct_io = direct;
        advised(&[reads])
    };
    assert_eq!(text(&with(Some(false)), Product::Mysql, "innodb_flush_method"), "fsync");
    refused(&with(None), Product::Mysql, "innodb_flush_method");
    let mut device = KnownRun::reads();
    device.record.header.targets[0].kind = rigel_core::facts::TargetKind::BlockDevice;
    let refusal = refused(&advised(&[device]), Product::Mysql, "innodb_flush_method");
    assert!(refusal.because.contains("was not a file"), "{refusal:?}");
}

#[test]
fn the_row_of_oracle_is_that_of_a_calibration() {
    let found = advised(&[KnownRun::reads()]);
    assert_eq!(value(&found, Product::Oracle, "MAX_IOPS"), ["40000", "36000", "44000"]);
    assert_eq!(value(&found, Product::Oracle, "MAX_MBPS"), ["2000", "1800", "2200"]);
    assert_eq!(value(&found, Product::Oracle, "MAX_PMBPS"), ["1000", "900", "1100"]);
    assert_eq!(text(&found, Product::Oracle, "LATENCY"), "0", "0.1 ms");
    assert_eq!(text(&found, Product::Oracle, "NUM_PHYSICAL_DISKS"), "1");
    assert_eq!(text(&found, Product::Oracle, "db_file_multiblock_read_count"), "not set");
    let mut plain = KnownRun::reads();
    plain.record.header.request.task = Task::of_level(rigel_core::load::matrix::RunLevel::Simple);
    let found = advised(&[plain]);
    assert!(refused(&found, Product::Oracle, "MAX_IOPS").command.is_some());
    assert_eq!(text(&found, Product::Oracle, "db_file_multiblock_read_count"), "not set");
}

/// Two calibrations never make one row: here the first has a slower single stream and other large I/Os.
#[test]
fn the_row_is_of_one_calibration_as_calibrate_io_does_it() {
    let column = |known: &[KnownRun], setting| text(&advised(known), Product::Oracle, setting);
    let mut large = KnownRun::new(0, 8 * KIB, 2 * MIB);
    set_mbps(large.findings.points[5].ios.get_mut(&Class::LARGE).unwrap(), 3000.0);
    let both = [large, KnownRun::reads()];
    assert_eq!(column(&both, "MAX_MBPS"), "2000");
    assert_eq!(column(&both, "MAX_PMBPS"), "1000", "of the run of MAX_MBPS");
    let mut slow = KnownRun::reads();
    set_mbps(slow.findings.points[5].ios.get_mut(&Class::LARGE).unwrap(), 700.0);
    assert_eq!(column(&[KnownRun::reads(), slow], "MAX_PMBPS"), "1000", "the first one counts");
    let small = advised(&[KnownRun::new(0, 8 * KIB, 128 * KIB)]);
    for setting in ["MAX_MBPS", "MAX_PMBPS"] {
        let refusal = refused(&small, Product::Oracle, setting);
        assert!(
            refusal.because.contains("1 MiB") && refusal.step().contains("--size-large 1M"),
            "{refusal:?}"
        );
    }
    assert_eq!(text(&small, Product::Oracle, "MAX_IOPS"), "40000");
}

#[test]
fn a_bound_on_a_percentile_is_not_that_of_calibrate_io() {
    let tail = || {
        let mut known = KnownRun::reads();
        known
            .record
            .header
            .request
            .calibrate(LatencyBound { limit: Nanos::from_millis(10), of: LatencyOf::P99 }, None);
        known
    };
    let found = advised(&[tail()]);
    for setting in ["MAX_IOPS", "LATENCY"] {
        let refusal = refused(&found, Product::Oracle, setting);
        assert!(refusal.because.contains("p99") && refusal.because.contains("the mean"), "{refusal:?}");
    }
    assert_eq!(text(&found, Product::Oracle, "MAX_MBPS"), "2000");
    assert_eq!(text(&advised(&[tail(), KnownRun::reads()]), Product::Oracle, "MAX_IOPS"), "40000");
}

#[test]
fn a_bound_that_nothing_keeps_leaves_the_row_without_iops() {
    let mut reads = KnownRun::reads();
    let bound = LatencyBound { limit: Nanos(1000), of: LatencyOf::Mean };
    reads.record.header.request.calibrate(bound, None);
    let found = advised(&[reads]);
    assert!(refused(&found, Product::Oracle, "MAX_IOPS").because.contains("even at the lowest load"));
    assert_eq!(text(&found, Product::Oracle, "MAX_PMBPS"), "1000");
}

/// What is measured again is measured in the same way.
#[test]
fn a_command_keeps_the_options_that_were_typed() {
    let mut reads = KnownRun::reads();
    let request = &mut reads.record.header.request;
    request.workers = Some(3);
    request.cpus = rigel_core::load::placement::CpuChoice::List(vec![2, 5]);
    request.no_trials = true;
    request.io_timeout = Nanos::from_secs(20);
    request.command_line = "data --workers 3 --no-commits ".to_owned();
    let refusal = refused(&advised(&[reads]), Product::Postgresql, "io_combine_limit");
    let command = refusal.command.unwrap();
    let kept = "--workers 3 --cpus 2,5 --no-trials --no-commits --io-timeout 20s ";
    assert!(command.contains(kept), "{command}");
}

#[test]
fn other_flags_go_along_once() {
    let mut reads = KnownRun::reads();
    let noise = Flag::new(FlagCode::SlowNoise, "visits resemble each other");
    reads.findings.flags = vec![noise.clone(), noise.clone()];
    assert_eq!(advised(&[reads]).flags, [noise]);
}

#[test]
fn runs_of_other_targets_or_of_both_directions_are_refused() {
    let refusal = |known: &[KnownRun]| {
        let runs: Vec<Run<'_>> = known.iter().map(KnownRun::run).collect();
        let problem = AdviceReport::of(&runs, Conditions::default(), None).unwrap_err();
        assert_eq!(problem.kind.code(), 2, "{problem}");
        problem.to_string()
    };
    let mixed = refusal(&[KnownRun::new(30, 8 * KIB, MIB)]);
    assert!(mixed.contains("mixes reads and writes") && mixed.contains("30 %"), "{mixed}");
    let mut other = KnownRun::reads();
    other.record.header.targets[0].identity.device = (8, 16);
    let other = refusal(&[KnownRun::reads(), other]);
    assert!(other.contains("device 8:16 at /data") && other.contains("device 8:0 at /data"), "{other}");
    assert!(refusal(&[]).contains("no record"));
}

/// Hosts of one make have the same numbers of devices, and a disk may get that of another one.
#[test]
fn runs_of_other_hosts_or_disks_are_refused() {
    let outcome = |change: &dyn Fn(&mut KnownRun)| {
        let mut first = KnownRun::reads();
        let header = &mut first.record.header;
        header.nodes.first_mut().host.memory_bytes = Some(64 << 30);
        header.nodes.first_mut().host.product = Some("Maker R1".into());
        header.targets[0].kind = rigel_core::facts::TargetKind::BlockDevice;
        header.targets[0].below =
            vec![rigel_core::facts::DeviceFacts { model: Some("Disk A".into()), ..Default::default() }];
        let mut other = KnownRun { record: first.record.clone(), findings: first.findings.clone() };
        change(&mut other);
        AdviceReport::of(&[first.run(), other.run()], Conditions::default(), None)
            .map_err(|told| told.to_string())
    };
    let refusal = |change: &dyn Fn(&mut KnownRun), own: &str, of_other: &str| {
        let told = outcome(change).unwrap_err();
        assert!(told.contains(own) && told.contains(of_other), "{told}");
    };
    outcome(&|_| {}).unwrap();
    refusal(
        &|known| known.record.header.nodes.first_mut().host.memory_bytes = Some(32 << 30),
        "68719476736",
        "34359738368",
    );
    refusal(
        &|known| known.record.header.nodes.first_mut().host.product = Some("Maker R2\n".into()),
        "Maker R1",
        "Maker R2\\x0a",
    );
    refusal(&|known| known.record.header.targets[0].size_bytes += 512, "1073741824", "1073742336");
    refusal(
        &|known| known.record.header.targets[0].below[0].model = Some("Disk B".into()),
        "Disk A",
        "Disk B",
    );
    // Another kernel takes a little more memory, an older Rigel did not look for all of it, and a file has any size.
    outcome(&|known| {
        known.record.header.nodes.first_mut().host.memory_bytes = Some((64 << 30) - (100 << 20))
    })
    .unwrap();
    outcome(&|known| {
        known.record.header.nodes.first_mut().host.product = None;
        known.record.header.targets[0].below.clear();
    })
    .unwrap();
    let mut larger = KnownRun::reads();
    larger.record.header.targets[0].size_bytes *= 2;
    advised(&[KnownRun::reads(), larger]);
}

#[test]
fn simulated_devices_are_told_apart_by_what_they_do() {
    let sim = |servers| {
        let mut known = KnownRun::reads();
        let law = rigel_core::sim::SimLaw { servers, ..Default::default() };
        known.record.header.request.engine = rigel_core::load::request::EngineRequest::Sim(law);
        known
    };
    let advised = |known: [KnownRun; 2]| {
        AdviceReport::of(&known.each_ref().map(KnownRun::run), Conditions::default(), None)
    };
    advised([sim(4), sim(4)]).unwrap();
    let told = advised([sim(4), sim(8)]).unwrap_err().to_string();
    assert!(told.contains("\"servers\":4") && told.contains("\"servers\":8"), "{told}");
}
