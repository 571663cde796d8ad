use super::*;
use crate::units::GIB;

/// Every key once.
const ALL: &str = "servers=10,service=5ms,rate=0,flush=200us,targets=6,slow=3:0.5,slope=50%,region=0.5:40%:60%,size=2G,spread=lognormal:30%,white=3%,noise=ar:1s:5%,\
                   neighbour=0.7:10s:30s,stalls=0.2:100ms,fall=0.33:12s:25s,drift=-5%,process=0.5%,between=2%,unequal=3,modes=30%:0.7,\
                   startup=-30%:300ms,bucket=3000:30000,cap=250M:1G,cliff=1G:0.3,hits=40%:40us,cache=256M:100us,cache2=2G:800us,lost=10000:20s,\
                   retrograde=1%";

const fn ppm(ppm: i32) -> Ppm {
    Ppm(ppm)
}

fn disturbed() -> SimNoise {
    SimNoise {
        white: ppm(30_000),
        memory: Some(Memory { tau_ns: NS_PER_S, sd: ppm(50_000) }),
        neighbour: Some(Neighbour { level: ppm(700_000), on_ns: 10 * NS_PER_S, off_ns: 30 * NS_PER_S }),
        stalls: Some(Stalls { per_s: ppm(200_000), mean_ns: 100 * NS_PER_MS }),
        fall: Some(Fall { factor: ppm(330_000), from_ns: 12 * NS_PER_S, until_ns: Some(25 * NS_PER_S) }),
        drift: ppm(-50_000),
        process: ppm(5_000),
        between: ppm(20_000),
        unequal: Some(ppm(3_000_000)),
        modes: Some(Modes { share: ppm(300_000), factor: ppm(700_000) }),
        startup: Some(Startup { depth: ppm(-300_000), tau_ns: 300 * NS_PER_MS }),
        bucket: Some(Bucket::full(3000, 30_000)),
        cap: Some(Bucket::full(250 * MIB, GIB)),
        cliff: Some(Cliff { bytes: GIB, factor: ppm(300_000) }),
        hits: Some(Hits { share: ppm(400_000), service_ns: 40_000 }),
        lost: Some(DelayedIos { every: 10_000, delay_ns: 20 * NS_PER_S }),
        retrograde: ppm(10_000),
    }
}

#[test]
fn every_part_of_a_law_reads() {
    let wanted = SimLaw {
        size_bytes: 2 * GIB,
        servers: 10,
        service_ns: 5 * NS_PER_MS,
        spread: ServiceTime::Lognormal { cv: ppm(300_000) },
        bytes_per_s: None,
        flush_ns: 200_000,
        by_place: ByPlace {
            slope: ppm(500_000),
            region: Some(Region { factor: ppm(500_000), from: ppm(400_000), to: ppm(600_000) }),
        },
        targets: ByTargetLaw { count: 6, slow: Some(SlowTarget { number: 3, factor: ppm(500_000) }) },
        caches: SimCaches {
            first: Some(CacheLevel { bytes: 256 * MIB, service_ns: 100_000 }),
            second: Some(CacheLevel { bytes: 2 * GIB, service_ns: 800_000 }),
        },
        noise: disturbed(),
    };
    assert_eq!(SimLaw::parse(ALL).unwrap(), wanted);
    assert_eq!(SimLaw::parse("").unwrap(), SimLaw::default());
    let alone = |part| SimLaw::parse(part).unwrap().noise;
    assert_eq!(alone("lost=7").lost, Some(DelayedIos { every: 7, delay_ns: 10 * NS_PER_S }));
    let half_full = Bucket { at_start: Some(5), ..Bucket::full(3000, 10) };
    assert_eq!((alone("bucket=3000:10:5").bucket, half_full.missing()), (Some(half_full), 5));
    assert_eq!(alone("cap=250M").cap, Some(Bucket::full(250 * MIB, 25 * MIB)));
    assert_eq!(
        alone("fall=0.5:1s").fall,
        Some(Fall { factor: ppm(500_000), from_ns: NS_PER_S, until_ns: None })
    );
    assert_eq!(alone("drift=+0.25").drift, ppm(250_000));
    assert_eq!(alone("between=0.0001%").between, ppm(1));
}

/// The tables of the documentation, which nothing else would keep in step.
#[test]
fn what_the_documentation_lists_is_what_reads() {
    let page = include_str!("../../../../docs/method/simulated-device.md");
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let parts: Vec<&str> =
        rows.flat_map(|row| row.split('`').skip(1).step_by(2)).filter(|code| code.contains('=')).collect();
    for part in &parts {
        SimLaw::parse(&format!("targets=6,{part}")).unwrap();
    }
    for key in ALL.split(',').map(|part| part.split('=').next().unwrap().trim()) {
        assert!(parts.iter().any(|part| part.starts_with(&format!("{key}="))), "{key}");
        assert!(SimLaw::parse("color=red").unwrap_err().contains(key), "{key}");
    }
}

#[test]
fn laws_survive_a_record_and_quiet_ones_leave_no_trace_in_it() {
    let law = SimLaw::parse(ALL).unwrap();
    let json = serde_json::to_string(&law).unwrap();
    assert_eq!(serde_json::from_str::<SimLaw>(&json).unwrap(), law);
    let quiet = serde_json::to_string(&SimLaw::default()).unwrap();
    assert!(!quiet.contains("caches") && !quiet.contains("noise") && !quiet.contains("flush"), "{quiet}");
    assert_eq!(serde_json::from_str::<SimLaw>(&quiet).unwrap(), SimLaw::default());
    // A record of a program that knew fewer disturbances.
    let older: SimNoise = serde_json::from_str(r#"{"between":20000}"#).unwrap();
    assert_eq!(older, SimNoise { between: ppm(20_000), ..SimNoise::default() });
}

#[test]
fn laws_say_what_is_wrong_and_in_which_part() {
    for (text, part, reason) in [
        ("servers=0", "servers=0", "1 to 65535"),
        ("servers=many", "servers=many", "whole number"),
        ("color=red", "color=red", "known are servers, "),
        ("slow=9:0.5", "slow=9", "the device has 1 target; give targets=9 or more"),
        ("slow=3:0.5,targets=2", "slow=3", "the device has 2 targets"),
        ("fast", "'fast'", "KEY=VALUE"),
        ("between=2%,service=0,rate=0", "rate=0", "no time at all"),
        ("rate=200", "rate=200", "8 KiB would take 41 s"),
        ("rate=65535", "rate=65535", "give a unit"),
        ("spread=normal:3%", "spread=normal:3%", "lognormal:DEVIATION"),
        ("spread=lognormal:3000%", "3000%", "0% to 1000%"),
        ("noise=white:1s:5%", "noise=white", "ar:TIME:DEVIATION"),
        ("noise=ar:1s", "noise=ar:1s", "ar:TIME:DEVIATION"),
        ("noise=ar:0s:5%", "noise=ar:0s", "time constant"),
        ("between=2", "between=2", "0% to 100%"),
        ("between=-2%", "between=-2%", "0% to 100%"),
        ("between=two", "between=two", "'two' is not a number"),
        ("between=1.5.2%", "between=1.5.2%", "not a number"),
        ("between=0.00001%", "0.00001%", "millionths"),
        ("between=9999999", "9999999", "too large"),
        ("unequal=0.5", "unequal=0.5", "1 to 100"),
        ("neighbour=0.7:10s", "neighbour=0.7:10s", "LEVEL:ON:OFF"),
        ("neighbour=0.7:10ms:30s", "neighbour", "100ms"),
        ("stalls=20:1ms", "stalls=20:1ms", "10 stalls"),
        ("stalls=5:200ms", "stalls=5:200ms", "90 %"),
        ("fall=0.33", "fall=0.33", "FACTOR:FROM:UNTIL"),
        ("fall=0.33:12s:12s", "fall=0.33:12s:12s", "end after its beginning"),
        ("fall=0:12s", "fall=0:12s", "above 0"),
        ("drift=-200%", "drift=-200%", "per minute"),
        ("modes=130%:0.7", "modes=130%", "share"),
        ("modes=30%:0", "modes=30%:0", "above 0"),
        ("startup=-100%:300ms", "startup", "above -100%"),
        ("bucket=3000", "bucket=3000", "IOS_PER_SECOND:CREDITS"),
        ("bucket=0:10", "bucket=0:10", "above 0"),
        ("bucket=3000:10:11", "bucket=3000:10:11", "more than its size"),
        ("cap=0", "cap=0", "above 0"),
        ("cliff=1G:30", "cliff=1G:30", "at most 1"),
        ("cliff=1X:0.3", "cliff=1X:0.3", "not a unit"),
        ("hits=40%:0", "hits=40%:0", "above 0"),
        ("cache=4K:1us", "cache=4K:1us", "8 KiB to 1 TiB"),
        ("cache=1G:0", "cache=1G:0", "take some time"),
        ("cache=1G", "cache=1G", "SIZE:TIME"),
        ("lost=0", "lost=0", "above 0"),
        ("lost=5:2x", "lost=5:2x", "not a unit"),
        ("retrograde=-1%", "retrograde=-1%", "0% to 100%"),
    ] {
        let error = SimLaw::parse(text).unwrap_err();
        assert!(error.contains(part) && error.contains(reason), "{text}: {error}");
    }
}

#[test]
fn transfer_adds_to_service_and_hits_save_both() {
    let law = SimLaw::default();
    assert!((law.service_ns(MIB) - 2e6).abs() < 1e-6);
    let law = SimLaw::parse("hits=25%:40us").unwrap();
    assert!((law.mean_service_ns(MIB) - (0.75 * 2e6 + 0.25 * 4e4)).abs() < 1e-6);
}

#[track_caller]
fn close(found: Option<f64>, wanted: f64) {
    let found = found.unwrap();
    assert!((found / wanted - 1.0).abs() < 1e-12, "{found} instead of {wanted}");
}

#[test]
fn the_truth_is_the_laws_whatever_has_mean_1() {
    let law = |more: &str| SimLaw::parse(&format!("servers=10,service=5ms,rate=0,{more}")).unwrap();
    for noise in [
        "",
        "white=3%,noise=ar:1s:5%,between=2%,unequal=3,process=8%,modes=30%:0.7,startup=-30%:300ms",
        "neighbour=0.7:10s:30s,stalls=0.2:100ms,spread=lognormal:50%",
    ] {
        close(law(noise).truth_iops(4, 8192), 800.0);
        close(law(noise).truth_iops(40, 8192), 2000.0);
    }
    close(law("hits=40%:1ms").truth_iops(4, 8192), 4.0 / 3.4e-3);
    close(law("retrograde=10%").truth_iops(10, 8192), 2000.0);
    close(law("retrograde=10%").truth_iops(20, 8192), 1000.0);
    close(law("bucket=1500:30000").truth_iops(4, 8192), 800.0);
    close(law("bucket=1500:30000").truth_iops(40, 8192), 1500.0);
    close(law("cap=8M").truth_iops(40, 8192), 1024.0);
    for unknown in ["drift=1%", "fall=0.5:1s", "cliff=1G:0.5", "lost=1000", "bucket=1500:30000,between=2%"] {
        assert_eq!(law(unknown).truth_iops(40, 8192), None, "{unknown}");
    }
}

#[test]
fn mixed_points_have_a_truth_up_to_saturation() {
    let law = |more: &str| SimLaw::parse(&format!("servers=4,service=1ms,rate=1000M,{more}")).unwrap();
    let sizes = [MIB / 8, MIB];
    let rates = law("between=2%").truth_mixed_iops([3, 1], sizes).unwrap();
    close(Some(rates[0]), 3.0 / 1.125e-3);
    close(Some(rates[1]), 1.0 / 2e-3);
    assert_eq!(law("").truth_mixed_iops([4, 1], sizes), None);
    // One station serves everyone in turn.
    let rates = law("servers=1").truth_mixed_iops([4, 1], sizes).unwrap();
    close(Some(rates[0]), 4.0 / 6.5e-3);
    close(Some(rates[1]), 1.0 / 6.5e-3);
    assert_eq!(law("").truth_mixed_iops([0, 3], sizes), Some([0.0, 1500.0]));
    assert_eq!(law("cap=500M").truth_mixed_iops([1, 1], sizes), None, "611 MB/s are not let through");
    assert!(law("cap=700M").truth_mixed_iops([1, 1], sizes).is_some());
}

#[test]
fn means_of_what_comes_and_goes() {
    let noise = disturbed();
    assert!((noise.neighbour.unwrap().mean() - 0.925).abs() < 1e-12);
    assert!((noise.stalls.unwrap().mean() - 0.98).abs() < 1e-12);
    assert!((noise.modes.unwrap().mean() - 0.91).abs() < 1e-12);
    assert!(!noise.is_steady());
    assert!(!SimNoise { fall: noise.fall, ..SimNoise::default() }.is_steady());
    let at = |s: u64| noise.fall.unwrap().at(s * NS_PER_S);
    assert_eq!([at(11), at(12), at(24), at(25)], [1.0, 0.33, 0.33, 1.0]);
    assert!(SimNoise { bucket: noise.bucket, hits: noise.hits, ..SimNoise::default() }.is_steady());
}

#[test]
fn quantiles_of_the_latency_by_hand() {
    let of = |law: &str, outstanding, quantile| {
        let law = SimLaw::parse(&format!("{law},service=1ms,rate=0")).unwrap();
        law.truth_latency_ns(outstanding, 8192, quantile).map(|ns| ns / 1e6)
    };
    let near = |found: Option<f64>, wanted: f64| {
        assert!((found.unwrap() - wanted).abs() < 1e-5, "{found:?} {wanted}")
    };
    for outstanding in [1, 8] {
        near(of("servers=8,spread=exponential", outstanding, 0.99), 100f64.ln());
    }
    // The median of two exponential times is 1.678347; of one of half the length and one: 2 x - x^2 = 1/2 with x = exp(-t).
    near(of("servers=1,spread=exponential", 2, 0.5), 1.678_347);
    near(of("servers=2,spread=exponential", 3, 0.5), -(1.0 - 0.5f64.sqrt()).ln());
    // Many in line are nearly normal: 504 waits and a service have the mean 64 and the variance 504 / 64 + 1.
    let many = of("servers=8,spread=exponential", 512, 0.5).unwrap();
    assert!((many - 64.0).abs() < 0.2, "{many}");
    for law in ["servers=8", "servers=8,spread=lognormal:20%", "servers=8,spread=exponential,hits=40%:40us"] {
        assert_eq!(of(law, 8, 0.99), None, "{law}");
    }
}
