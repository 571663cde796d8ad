use super::*;
use crate::units::{NS_PER_MS, NS_PER_S, NS_PER_US, Nanos};

#[test]
fn numbers_for_people_have_four_figures() {
    for (value, text) in [
        (1_234_567.8, "1,234,568"),
        (3952.4, "3,952"),
        (999.96, "1,000"),
        (412.34, "412.3"),
        (41.271, "41.27"),
        (0.05, "0.05"),
        (0.0, "0"),
        (-1500.0, "-1,500"),
    ] {
        assert_eq!(number(value), text);
    }
}

#[test]
fn figures_have_three_digits_and_groups() {
    let told: Vec<String> =
        [1_234_567.0, 3590.4, 99.97, 42.13, 5.2, 0.0512, 0.0, -1234.0].map(figure).to_vec();
    assert_eq!(told, ["1,234,567", "3,590", "100", "42.1", "5.20", "0.051", "0.000", "-1,234"]);
}

#[test]
fn tiny_numbers_and_ratios_stay_short() {
    assert_eq!([0.0, 0.000_42, 0.0123, 0.312, 12.34].map(fine), ["0", "4.2e-4", "0.0123", "0.31", "12.3"]);
    assert_eq!([0.001, 0.42, 12.4, 100.0].map(short_ratio), ["<.01", "0.42", "12", ">99"]);
    assert_eq!([0.000_1, 0.05, 0.0625].map(full_percent), ["0.01", "5", "6.2"]);
}

#[test]
fn differences_have_a_sign() {
    assert_eq!([rate_change(-0.31), rate_change(0.042), rate_change(0.0)], ["-31 %", "+4.2 %", "0.0 %"]);
    assert_eq!(in_percent(0.996), "100 %");
    assert_eq!([factor(4.16), factor(31.7)], ["4.2", "32"]);
}

#[test]
fn no_rate_falls_by_more_than_all_of_it() {
    assert_eq!(
        [rate_change(-2.88), rate_change(1.9), rate_change(2.88), rate_change(1e9)],
        ["-100 %", "+190 %", "x 3.9", "x many"]
    );
    assert_eq!([in_percent(288.4), factor(f64::INFINITY), factor(f64::NAN)], [">999 %", "many", "many"]);
}

#[test]
fn times_have_the_unit_that_suits_them() {
    assert_eq!(time(1012.4), "1.012 ms");
    assert_eq!((time(87.25).as_str(), time(2_500_000.0).as_str()), ("87.25 us", "2.5 s"));
}

#[test]
fn whole_numbers_saturate() {
    for (value, number) in [(0.4, 0), (0.5, 1), (-3.0, 0), (f64::NAN, 0), (1e300, u64::MAX)] {
        assert_eq!(whole(value), number, "{value}");
    }
}

#[test]
fn short_numbers_have_five_characters_at_most() {
    for (value, text) in [
        (0.0, "0"),
        (0.125, "0.12"),
        (1.0, "1"),
        (12.34, "12.3"),
        (4032.4, "4032"),
        (9_999.4, "9999"),
        (9_999.6, "10.0k"),
        (12_345.0, "12.3k"),
        (999_400.0, "999k"),
        (999_600.0, "1.00M"),
        (1.5e12, "1.50T"),
        (1e15, "1e15"),
        (f64::NAN, "-"),
    ] {
        assert_eq!(short(value), text, "{value}");
    }
}

#[test]
fn per_cents_have_three_figures_at_most() {
    for (share, text) in [
        (0.0, "0.0"),
        (1e-9, "<0.1"),
        (0.0005, "0.1"),
        (0.0312, "3.1"),
        (0.0994, "9.9"),
        (0.0996, "10"),
        (1.5, "150"),
        (9.994, "999"),
        (9.996, ">999"),
    ] {
        assert_eq!(percent(share), text, "{share}");
    }
}

#[test]
fn changes_keep_their_sign_and_three_figures() {
    for (share, text) in [
        (-0.123, "-12.3"),
        (0.05, "+5.0"),
        (0.0, "0.0"),
        (0.0001, "+0.0"),
        (-0.0001, "-0.0"),
        (1.5, "+150"),
        (-0.9996, "-100"),
        (150.0, ">+9999"),
    ] {
        assert_eq!(signed_percent(share), text, "{share}");
    }
}

#[test]
fn changes_of_more_than_ten_times_are_factors() {
    for (share, text) in [(-0.967, "-96.7 %"), (9.99, "+999 %"), (11.3, "x 12"), (5e4, "x 50,001")] {
        assert_eq!(change(share), text, "{share}");
    }
    assert_eq!(change_range(15.0, (13.01, 17.55)), "x 14 .. x 19");
    assert_eq!(change_range(0.04, (-0.052, 0.136)), "-5.2 .. +13.6");
    assert_eq!(change_range(9.99, (8.0, 12.0)), "+800 .. +1200", "the notation of the change, +999 %");
}

#[test]
fn times_and_sizes_of_flags_have_three_figures() {
    assert_eq!([5400.0, 999.0, 98e6, 12.5e9].map(rough_time), ["5.40 us", "999 ns", "98.0 ms", "12.5 s"]);
    assert_eq!(
        [8192.0, 1_048_576.0, 300_000.0, 512.0].map(rough_size),
        ["8 KiB", "1 MiB", "293 KiB", "512 B"]
    );
    // What makers call 1 TB and 2 TB.
    assert_eq!([1e12, 2e12, 2560.0 * 1_073_741_824.0].map(rough_size), ["931 GiB", "1.82 TiB", "2.5 TiB"]);
}

#[test]
fn a_span_has_its_two_largest_units() {
    let of = |ms: u64| two_units(Nanos::from_millis(ms));
    assert_eq!((of(400), of(11_600), of(59_600)), ("400 ms".into(), "12 s".into(), "1 min".into()));
    assert_eq!((of(3_661_000), of(86_400_000 * 14)), ("1 h 1 min".into(), "14 d".into()));
    assert_eq!(of(86_400_000 + 3_600_000 * 5 + 60_000), "1 d 5 h");
    // Rounded, not cut.
    assert_eq!(
        (of(3_600_000 * 3 + 60_000 * 36 + 59_000), of(86_400_000 + 60_000 * 359)),
        ("3 h 37 min".into(), "1 d 6 h".into())
    );
    assert_eq!((of(86_400_000 - 20_000), of(3_600_000 - 300)), ("1 d".into(), "1 h".into()));
    assert_eq!((of(3_600_000 - 600), of(3_600_000 + 29_000)), ("59 min 59 s".into(), "1 h".into()));
}

#[test]
fn what_is_typed_has_the_largest_unit_that_divides_it() {
    assert_eq!([0, 512, 8192, 3 << 20, 1 << 40].map(typed_size), ["0", "512", "8K", "3M", "1T"]);
    let times = [NS_PER_US + 1, 1_500_000, 10 * NS_PER_MS, 90 * NS_PER_S, 3600 * NS_PER_S];
    assert_eq!(times.map(|ns| typed_time(Nanos(ns))), ["2us", "1500us", "10ms", "90s", "1h"]);
}
