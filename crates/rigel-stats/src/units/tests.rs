use super::say::{grouped, number};
use super::*;
use proptest::prelude::*;

#[test]
fn sizes_read_with_every_suffix() {
    for (text, bytes) in [
        ("512", 512),
        ("8K", 8192),
        ("8kb", 8192),
        ("8 KiB", 8192),
        ("1M", MIB),
        ("2g", 2 * GIB),
        ("1T", 1 << 40),
        ("1.5M", 3 * MIB / 2),
        ("8Ki", 8 * KIB),
        ("2Gi", 2 * GIB),
        ("4096 bytes", 4096),
    ] {
        assert_eq!(text.parse::<Bytes>().unwrap(), Bytes(bytes), "{text}");
    }
}

#[test]
fn wrong_sizes_say_why() {
    assert_eq!("".parse::<Bytes>(), Err(UnitError::NotANumber(String::new())));
    assert_eq!("K".parse::<Bytes>(), Err(UnitError::NotANumber("K".into())));
    assert!(matches!("8X".parse::<Bytes>(), Err(UnitError::UnknownUnit { .. })));
    assert!(matches!("99999999999T".parse::<Bytes>(), Err(UnitError::TooLarge(_))));
    assert!(matches!("-1".parse::<Bytes>(), Err(UnitError::NotANumber(_))));
}

#[test]
fn a_time_needs_its_unit() {
    for (text, ns) in [
        ("60s", 60 * NS_PER_S),
        ("60 sec", 60 * NS_PER_S),
        ("500usec", NS_PER_S / 2000),
        ("2 msec", 2 * NS_PER_MS),
        ("2m", 120 * NS_PER_S),
        ("500ms", NS_PER_S / 2),
        ("0.5ms", NS_PER_MS / 2),
        ("1.25h", 4500 * NS_PER_S),
        ("0", 0),
        ("0.0", 0),
    ] {
        assert_eq!(text.parse::<Nanos>().unwrap(), Nanos(ns), "{text}");
    }
    for (text, short) in
        [("2weeks", "2w"), ("1 day", "1d"), ("90minutes", "90m"), ("3hrs", "3h"), ("5 Seconds", "5s")]
    {
        assert_eq!(text.parse::<Nanos>(), short.parse::<Nanos>(), "{text}");
    }
    for bare in ["2", "60", "1.5", "007", " 2 "] {
        assert_eq!(bare.parse::<Nanos>(), Err(UnitError::NoUnit(bare.trim().to_owned())), "{bare}");
    }
    assert!(matches!("5x".parse::<Nanos>(), Err(UnitError::UnknownUnit { .. })));
    for wrong in ["1.2.3s", "1.s", ".5s", "1.0000000001s", "0.0001us", "1e3s", "-1s"] {
        assert!(wrong.parse::<Nanos>().is_err(), "{wrong}");
    }
}

#[test]
fn a_number_that_is_written_otherwise_is_offered() {
    let meant = |error: UnitError| match error {
        UnitError::Meant { meant, .. } => meant,
        other => other.to_string(),
    };
    for (text, offer) in [
        (".5m", "0.5m"),
        ("1,5s", "1.5s"),
        (",25 h", "0.25 h"),
        ("1h30m", "90m"),
        ("1h 30m", "90m"),
        ("1m30s", "90s"),
        ("1s500ms", "1500ms"),
        ("2h1m1s", "7261s"),
        ("1.5h30m", "120m"),
        ("5m30", "330s"),
        ("1h30", "90m"),
        ("1,000,000us", "1000000us"),
        // Nothing that was surely meant.
        (
            "1,500ms",
            "'1,500ms' has a comma, which may separate thousands or decimals: write 1500ms or 1.500ms",
        ),
        ("1s30", "'s30' in '1s30' is not a unit (us, ms, s, m, h, d, w)"),
        ("1ms1us1x", "'ms1us1x' in '1ms1us1x' is not a unit (us, ms, s, m, h, d, w)"),
        ("1.5x", "'x' in '1.5x' is not a unit (us, ms, s, m, h, d, w)"),
        (".", "'.' is not a number followed by a unit"),
        ("1.0000000001s", "'1.0000000001s' has too many decimals: at most 9 are allowed"),
        ("0.0001us", "'0.0001us' is not a whole number of nanoseconds"),
    ] {
        assert_eq!(meant(text.parse::<Nanos>().unwrap_err()), offer, "{text}");
    }
    for (text, offer) in [
        (".5M", "0.5M"),
        ("1,5K", "1.5K"),
        ("1,024K", "'1,024K' has a comma, which may separate thousands or decimals: write 1024K or 1.024K"),
        ("1.1K", "'1.1K' is not a whole number of bytes"),
        ("0.5", "'0.5' is not a whole number of bytes"),
    ] {
        assert_eq!(meant(text.parse::<Bytes>().unwrap_err()), offer, "{text}");
    }
}

#[test]
fn rates_use_binary_megabytes() {
    assert!((iops(1000, NS_PER_S / 2) - 2000.0).abs() < 1e-9);
    assert!((mbps(300 * MIB, 2 * NS_PER_S) - 150.0).abs() < 1e-9);
    assert!(iops(5, 0).abs() < f64::EPSILON);
}

#[test]
fn display_prefers_exact_prefixes() {
    assert_eq!(Bytes(8192).to_string(), "8 KiB");
    assert_eq!(Bytes(1 << 20).to_string(), "1 MiB");
    assert_eq!(Bytes(1_572_864_000).to_string(), "1.46 GiB");
    assert_eq!(Bytes(100).to_string(), "100 B");
    assert_eq!(Nanos::from_secs(60).to_string(), "60 s");
    assert_eq!(Nanos::from_millis(100).to_string(), "100 ms");
}

#[test]
fn spans_have_the_unit_that_suits_them_and_three_decimals_at_most() {
    for (ns, text) in [
        (0, "0 s"),
        (512, "512 ns"),
        (250_000, "250 us"),
        (88_888_888, "88.889 ms"),
        (12_345_000, "12.345 ms"),
        (23_999_999_940, "24 s"),
        (1_500_000_000, "1.5 s"),
    ] {
        assert_eq!(Nanos(ns).to_string(), text);
    }
}

/// Digits from one to more than 64 bits hold.
fn digits() -> impl Strategy<Value = u128> {
    prop_oneof![any::<u64>().prop_map(u128::from), any::<u128>(), (0u32..80).prop_map(|power| 1 << power)]
}

proptest! {
    /// The product, or a refusal because it does not fit.
    #[test]
    fn sizes_and_durations_are_right_up_to_the_last_bit(number in digits(), unit in 0usize..5) {
        let product = |unit: u64| number.checked_mul(u128::from(unit)).and_then(|all| u64::try_from(all).ok());
        let bytes = [("", 1), ("K", KIB), ("M", MIB), ("G", GIB), ("T", 1 << 40)][unit];
        match format!("{number}{}", bytes.0).parse::<Bytes>() {
            Ok(read) => prop_assert_eq!(Some(read.0), product(bytes.1)),
            Err(error) => { prop_assert!(matches!(error, UnitError::TooLarge(_))); prop_assert_eq!(product(bytes.1), None); }
        }
        let span = [("us", NS_PER_US), ("ms", NS_PER_MS), ("s", NS_PER_S), ("m", 60 * NS_PER_S), ("h", 3600 * NS_PER_S)][unit];
        match format!("{number}{}", span.0).parse::<Nanos>() {
            Ok(read) => prop_assert_eq!(Some(read.0), product(span.1)),
            Err(error) => { prop_assert!(matches!(error, UnitError::TooLarge(_))); prop_assert_eq!(product(span.1), None); }
        }
    }

    #[test]
    fn no_text_is_too_odd_and_no_number_too_large_to_be_told(text in ".{0,20}", a: u64, b: u64, value: f64) {
        let _ = (text.parse::<Bytes>(), text.parse::<Nanos>());
        prop_assert!(Bytes(a).to_string().ends_with('B'));
        prop_assert!(Nanos(a).to_string().ends_with('s'));
        prop_assert!(iops(a, b).is_finite() && mbps(a, b).is_finite());
        prop_assert!(!number(value).is_empty());
        prop_assert_eq!(grouped(&a.to_string()).replace(',', ""), a.to_string());
        prop_assert!(Nanos::from_secs(a) >= Nanos::from_millis(a) && Bytes::from_kib(a) >= Bytes(a));
    }
}

#[test]
fn a_count_may_be_in_thousands() {
    for (text, count) in
        [("5000", 5000), ("5k", 5000), ("1.5K", 1500), ("2M", 2_000_000), (" 0.25m", 250_000)]
    {
        assert_eq!(count_of(text), Some(count), "{text}");
    }
    for text in [
        "",
        "k",
        "5,000",
        "1.5",
        "-5k",
        "5 k",
        "+5",
        "5kk",
        "1.",
        ".5k",
        "99999999999999999999k",
        "0.0001k",
        "5G",
        "5.000",
        "1e4",
    ] {
        assert_eq!(count_of(text), None, "{text}");
    }
}

#[test]
fn a_count_that_is_written_otherwise_is_offered() {
    for (text, meant) in [
        ("1e4", Some("10000")),
        ("5E+3", Some("5000")),
        ("5000/s", Some("5000")),
        ("5k IOPS", Some("5k")),
        ("20,000", Some("20000")),
        ("1'000'000", Some("1000000")),
        ("20 000/s", Some("20000")),
        ("5.000", Some("5 or 5000")),
        ("1.500", Some("1500")),
        ("0.500", None),
        ("5000", None),
        ("20,00", None),
        ("1e99", None),
        ("e4", None),
        ("fast", None),
        ("", None),
    ] {
        assert_eq!(count_meant(text).as_deref(), meant, "{text}");
    }
}

#[test]
fn the_sign_of_a_millionth_is_read() {
    for text in ["500us", "500\u{b5}s", "500\u{3bc}s"] {
        assert_eq!(text.parse::<Nanos>(), Ok(Nanos(500_000)), "{text}");
    }
}
