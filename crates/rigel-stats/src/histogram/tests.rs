use super::*;
use proptest::prelude::*;

#[test]
fn orion_rows_are_bucket_edges() {
    for k in 0..28 {
        let edge = 1000u64 << k;
        assert_eq!(lower_edge(bucket_of(edge)), edge, "2^{k} us");
    }
}

#[test]
fn the_ends_of_the_range_have_buckets() {
    assert_eq!(bucket_of(0), 0);
    assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
    let mut histogram = Histogram::new();
    histogram.record(0);
    histogram.record(u64::MAX);
    assert_eq!((histogram.min_ns(), histogram.max_ns()), (Some(0), Some(u64::MAX)));
}

#[test]
fn empty_has_no_statistics() {
    let empty = Histogram::new();
    assert_eq!((empty.min_ns(), empty.quantile_ns(0.5), empty.count_below(1000)), (None, None, 0));
    assert_eq!(empty.stddev_ns(), None);
    let json = serde_json::to_string(&empty).unwrap();
    assert_eq!(serde_json::from_str::<Histogram>(&json).unwrap(), empty);
}

#[test]
fn mean_and_deviation_are_exact() {
    let mut histogram = Histogram::new();
    // 2, 4, 4, 4, 5, 5, 7, 9: the textbook sample with mean 5 and standard deviation 2, in seconds.
    for s in [2u64, 4, 4, 4, 5, 5, 7, 9] {
        histogram.record(s * 1_000_000_000);
    }
    assert!((histogram.mean_ns().unwrap() - 5e9).abs() < 1e-3);
    assert!((histogram.stddev_ns().unwrap() - 2e9).abs() < 1e-3);
}

#[test]
fn a_corrupt_histogram_is_refused() {
    let text = r#"{"count":2,"min_ns":1,"max_ns":1,"sum_ns":1,"sum_squares":[0,1],"buckets":[[1,1]]}"#;
    let error = serde_json::from_str::<Histogram>(text).unwrap_err().to_string();
    assert!(error.contains("do not add up"), "{error}");
    let outside = text.replace("[[1,1]]", "[[99999,2]]");
    assert!(serde_json::from_str::<Histogram>(&outside).is_err());
    let twice = text.replace("[[1,1]]", "[[1,1],[1,1]]");
    assert!(serde_json::from_str::<Histogram>(&twice).unwrap_err().to_string().contains("not in order"));
}

proptest! {
    #[test]
    fn quantiles_are_within_a_bucket_of_the_sorted_truth(
        mut values in proptest::collection::vec(0u64..1_000_000_000_000, 1..300),
        quantile in 0.0f64..=1.0,
    ) {
        let mut histogram = Histogram::new();
        values.iter().for_each(|&v| histogram.record(v));
        values.sort_unstable();
        let wanted = quantile * to_f64(values.len() as u64);
        let rank = (1..values.len()).find(|&rank| to_f64(rank as u64) >= wanted).unwrap_or(values.len());
        let truth = to_f64(values[rank - 1]);
        let found = to_f64(histogram.quantile_ns(quantile).unwrap());
        prop_assert!((found - truth).abs() <= truth / 64.0 + 1.0, "{found} for {truth}");
    }

    #[test]
    fn adding_and_storing_lose_nothing(
        a in proptest::collection::vec(any::<u32>(), 0..100),
        b in proptest::collection::vec(any::<u32>(), 0..100),
    ) {
        let of = |values: &[u32]| {
            let mut histogram = Histogram::new();
            values.iter().for_each(|&v| histogram.record(u64::from(v)));
            histogram
        };
        let mut sum = of(&a);
        sum.add(&of(&b));
        let mut packed = of(&a);
        packed.trim();
        packed.add(&of(&b));
        let both = of(&[a, b].concat());
        prop_assert_eq!(&sum, &both);
        prop_assert_eq!(&packed, &both);
        let json = serde_json::to_string(&both).unwrap();
        prop_assert_eq!(serde_json::from_str::<Histogram>(&json).unwrap(), both);
    }

    #[test]
    fn edges_enclose_their_values(value: u64) {
        let bucket = bucket_of(value);
        prop_assert!(lower_edge(bucket) <= value);
        prop_assert!(value < upper_edge(bucket) || bucket == BUCKETS - 1);
    }
}

#[test]
fn a_trimmed_histogram_is_the_same() {
    let mut histogram = Histogram::new();
    [5, 100_000, 3_000_000].into_iter().for_each(|ns| histogram.record(ns));
    let mut trimmed = histogram.clone();
    trimmed.trim();
    assert_eq!(trimmed, histogram);
    assert!(trimmed.counts.is_empty() && trimmed.count_below(u64::MAX) == 3);
    assert_eq!(trimmed.quantile_ns(1.0), histogram.quantile_ns(1.0));
    let mut again = trimmed.clone();
    again.trim();
    assert_eq!(again, histogram);
    trimmed.record(u64::MAX);
    histogram.record(u64::MAX);
    assert_eq!(trimmed, histogram, "it can be recorded into again");
    let mut sum = Histogram::empty();
    assert_eq!(sum, Histogram::new());
    sum.add(&histogram);
    sum.add(&Histogram::empty());
    assert_eq!(sum, histogram);
    sum.clear();
    assert_eq!(sum, Histogram::new());
}

/// Bytes on the heap.
fn memory(histogram: &Histogram) -> usize {
    histogram.counts.capacity() * size_of::<u64>() + histogram.packed.len()
}

#[test]
fn a_kept_histogram_takes_little_memory() {
    // Every bucket from 50 us to 10 ms, which are 492, with 1 to 200 I/Os.
    let mut histogram = Histogram::new();
    let (first, last) = (bucket_of(50_000), bucket_of(10_000_000));
    for bucket in first..=last {
        (0..1 + bucket % 200).for_each(|_| histogram.record(lower_edge(bucket)));
    }
    assert_eq!((last - first + 1, memory(&histogram)), (492, 30_208));
    histogram.trim();
    // From bucket 0 on, as 64-bit numbers, they would be 9,320 bytes.
    assert_eq!((last + 1) * size_of::<u64>(), 9320);
    assert!(memory(&histogram) <= 3 * 492, "{}", memory(&histogram));
    let json = serde_json::to_string(&histogram).unwrap();
    let read: Histogram = serde_json::from_str(&json).unwrap();
    assert_eq!((&read, memory(&read)), (&histogram, memory(&histogram)));
    let mut sum = Histogram::empty();
    (0..12).for_each(|_| sum.add(&read));
    assert_eq!(sum.count(), 12 * read.count());
    assert!(memory(&sum) <= 4 * 492, "{}", memory(&sum));
    // Two that lie as far apart as can be, with counts as large as can be.
    let wide: Histogram = serde_json::from_str(&format!(
        r#"{{"count":{0},"min_ns":0,"max_ns":1,"sum_ns":1,"sum_squares":[0,1],"buckets":[[0,1],[3775,{1}]]}}"#,
        u64::MAX,
        u64::MAX - 1
    ))
    .unwrap();
    assert!(memory(&wide) < 16, "no more than its text");
    assert_eq!(wide.buckets().map(|(_, _, n)| n).collect::<Vec<_>>(), [1, u64::MAX - 1]);
}

#[test]
fn counts_beyond_64_bits_saturate() {
    let text = format!(
        r#"{{"count":{0},"min_ns":1,"max_ns":900,"sum_ns":{0},"sum_squares":[{0},{0}],"buckets":[[1,1],[200,{1}]]}}"#,
        u64::MAX,
        u64::MAX - 1
    );
    let one: Histogram = serde_json::from_str(&text).unwrap();
    let mut sum = one.clone();
    sum.add(&one);
    assert_eq!((sum.count(), sum.sum_ns(), sum.count_below(1000)), (u64::MAX, u64::MAX, u64::MAX));
    assert_eq!((sum.quantile_ns(0.0), sum.quantile_ns(1.0)), (Some(1), one.quantile_ns(1.0)));
    assert!(sum.stddev_ns().unwrap().is_finite());
}

/// Latencies at equal distances: this many lie above any limit, also within a bucket.
#[test]
fn the_part_of_a_bucket_above_a_limit_counts() {
    let mut histogram = Histogram::new();
    (0..100_000).for_each(|number| histogram.record(1_000_000 + 10 * number));
    for limit_ns in (1_000_000..2_000_000).step_by(7_919) {
        let truth = to_f64(2_000_000 - limit_ns) / 10.0;
        let found = histogram.count_above(limit_ns);
        assert!((found - truth).abs() < 100.0, "{limit_ns}: {found} instead of {truth}");
    }
}

/// As the intervals of a soak are kept.
#[test]
fn a_coarse_histogram_knows_its_quantiles_to_13_per_cent() {
    for latency_ns in (1_000..50_000_000).step_by(77_773) {
        let mut histogram = Histogram::new();
        // With others far away on both sides, the exact minimum and maximum do not help.
        let all = [1, latency_ns, latency_ns, latency_ns, u64::MAX / 4];
        all.into_iter().for_each(|latency_ns| histogram.record(latency_ns));
        let found = histogram.coarse().quantile_ns(0.5).unwrap();
        let off = to_f64(found) / to_f64(latency_ns) - 1.0;
        assert!(off.abs() < 0.13, "{latency_ns}: {off}");
    }
}

/// As many as fit into the list, and then all of those that do not.
#[test]
fn a_histogram_of_few_counts_what_any_other_does() {
    let latencies = |count: u64| (1..=count).map(|n| n * n * 7919 % 50_000_000);
    for count in [0, 1, 5, 100, 400, 5000] {
        let (mut few, mut usual) = (Histogram::of_few(), Histogram::new());
        latencies(count).for_each(|ns| {
            few.record(ns);
            usual.record(ns);
        });
        assert_eq!(few, usual, "{count}");
        assert_eq!(few.quantile_ns(0.9), usual.quantile_ns(0.9), "{count}");
        let mut sum = few.clone();
        sum.add(&usual);
        usual.add(&few);
        assert_eq!(sum, usual, "{count}, added");
        sum.record(3);
        usual.record(3);
        assert_eq!(sum, usual, "{count}, and one more");
        few.trim();
        let mut again = few.clone();
        again.record(7);
        assert_eq!((again.count(), few.count()), (count + 1, count));
        few.clear();
        assert_eq!(few, Histogram::new());
    }
}
