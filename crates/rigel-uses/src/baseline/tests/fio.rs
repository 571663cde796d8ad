//! Documents of fio: which load a job is, and which jobs are refused.

use super::*;
use rigel_core::load::class::Class;
use rigel_core::load::matrix::Point;

pub(super) fn edited(text: &str, edits: &[(&str, &str)]) -> Result<Baseline, Problem> {
    let edit = |text: String, (from, to): &(&str, &str)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    };
    Baseline::read(edits.iter().fold(text.to_owned(), edit).as_bytes()).unwrap()
}

#[test]
fn a_job_of_fio_is_a_load_with_its_options() {
    assert_numbers(
        "fio_rand_read_8k_q8.json",
        &[
            ("small_iops small 8", 26_248.251_748),
            ("small_latency small 8", 298.224_179_927),
            ("small_p99 small 8", 2473.984),
        ],
    );
    assert_numbers("fio_seq_read_1m_q2.json", &[("large_latency large 2", 2_375.234_297_683)]);
    // 30 % of writes: means by the rates of both directions.
    let iops = 9_973.013_493 + 4_241.379_31;
    let mean = (9_973.013_493 * 255.531_256_364 + 4_241.379_31 * 336.540_631_908) / iops;
    assert_numbers("fio_mixed_8k_30.json", &[("small_iops small 4", iops), ("small_latency small 4", mean)]);
    assert_eq!(
        sample("fio_mixed_8k_30.json").results(&LoadFacts::new()).facts[&Class::SMALL].write_percent,
        Some(30.0)
    );
    // Copies of a job add up, whether fio adds them or not.
    let copies = 6_593.203_398 + 6_484.289_277 + 6_438.403_99 + 5_640.718_563;
    assert_numbers("fio_rand_read_4jobs.json", &[("small_iops small 8", copies)]);
    assert_numbers("fio_rand_read_4jobs_grouped.json", &[("small_iops small 8", 22_328.835_582)]);
    // Jobs behind a stonewall are another load level, those without one are one.
    assert_numbers(
        "fio_two_jobs_stonewall.json",
        &[("small_iops small 4", 17_530.234_883), ("large_mbps large 2", 750.0)],
    );
    assert_numbers(
        "fio_two_jobs_together.json",
        &[("small_iops small 4 large 1", 4_571.428_571), ("large_mbps small 4 large 1", 542.457_542)],
    );
    // A commit is its write and its flush.
    assert_numbers("fio_commit_fdatasync.json", &[("commit_fdatasync", 17.324_213_635 + 709.056_495_078)]);
    assert_numbers(
        "fio_rate_500.json",
        &[("open_latency open 500", 851.712_935_936), ("open_p99 open 500", 5079.04)],
    );
    // The percentile of both directions is in the buckets of JSON+ alone.
    let plus = include_str!("../samples/fio_mixed_8k_30_plus.json");
    let both = Baseline::read(plus.as_bytes()).unwrap().unwrap();
    assert!(numbers(&both).iter().any(|one| one.0 == "small_p99 small 4"));
    assert!(numbers(&sample("fio_mixed_8k_30.json")).iter().all(|one| !one.0.contains("p99")));
}

/// Two hosts with the same jobs: what each did, and both together.
#[test]
fn the_clients_of_fio_are_one_load_where_they_add_up() {
    let sum = |rates: [f64; 2]| rates.iter().sum::<f64>();
    assert_numbers(
        "fio_two_clients.json",
        &[
            ("small_iops small 8", sum([15_703.296_703, 15_952.047_952])),
            ("large_mbps large 4", sum([285_689_868.0, 284_927_744.0]) / 1_048_576.0),
        ],
    );
    let found = sample("fio_two_clients.json");
    assert!(found.lacks.iter().any(|lack| lack.contains("global options")), "{:?}", found.lacks);
    let text = text_of("fio_two_clients.json");
    // Copies that a client reports as one are as many more I/Os in flight of that client.
    let copies = edited(
        text,
        &[("\"iodepth\" : \"4\"", "\"iodepth\" : \"4\", \"numjobs\" : \"3\", \"group_reporting\" : \"1\"")],
    )
    .unwrap();
    assert!(number_of(&copies, "small_iops small 24").is_some(), "{:?}", numbers(&copies));
    let missing = edited(text, &[("\"total_ios\" : 15968", "\"total_ios\" : 5968")]).unwrap_err();
    assert!(missing.cause.as_ref().unwrap().contains("together, and the entry"), "{missing}");
    let at = text.find("\"job_runtime\"").unwrap();
    let line = &text[at..at + text[at..].find(',').unwrap()];
    let late = text.replacen(line, "\"job_runtime\" : 5000", 1);
    let problem = read(&late).unwrap_err();
    assert!(problem.what.contains("same time") && problem.cause.unwrap().contains("5.0 s"), "{line}");
}

/// fio leaves `group_reporting` out of some documents; with `psync` there is one I/O at a time, whatever the queue depth is.
#[test]
fn the_outstanding_ios_of_fio_are_those_that_there_were() {
    let grouped = include_str!("../samples/fio_rand_read_4jobs_grouped.json");
    let found = edited(grouped, &[("\"group_reporting\" : \"1\"", "\"thread\" : \"1\"")]).unwrap();
    assert!(numbers(&found).iter().any(|one| one.0 == "small_iops small 8"), "{:?}", numbers(&found));
    let one = include_str!("../samples/fio_rand_read_8k_q8.json");
    for engine in ["psync", "pvsync2"] {
        let engine = format!("\"ioengine\" : \"{engine}\"");
        let alone = ("\"mean\" : 298224.179927", "\"mean\" : 37278.0");
        let found = edited(one, &[("\"ioengine\" : \"libaio\"", &engine), alone]).unwrap();
        assert!(numbers(&found).iter().any(|one| one.0 == "small_iops small 1"), "{:?}", numbers(&found));
    }
    let buffered = edited(one, &[("\"direct\" : \"1\"", "\"direct\" : \"0\"")]).unwrap();
    assert!(buffered.lacks.iter().any(|lack| lack.starts_with("direct I/O")), "{:?}", buffered.lacks);
    assert!(!sample("fio_rand_read_8k_q8.json").lacks.iter().any(|lack| lack.starts_with("direct I/O")));
}

/// What it did is then no rate of the storage, or the rate of another load than its options say.
#[test]
fn jobs_of_fio_that_were_held_back_or_mixed_are_refused_with_the_reason() {
    let one = include_str!("../samples/fio_rand_read_8k_q8.json");
    let depth = "\"iodepth\" : \"8\"";
    for (more, why) in [
        ("\"rate\" : \"4m\"", "rate held it back"),
        ("\"thinktime\" : \"500\"", "thinktime held it back"),
        ("\"percentage_random\" : \"20\"", "20 % of its I/O is random"),
        ("\"rate_iops\" : \"90000\"", "it was set to 90000 I/Os per second"),
        ("\"bs\" : \"64k\"", "that cannot be separated"),
    ] {
        let problem = edited(one, &[(depth, &format!("{depth}, {more}"))]).unwrap_err();
        assert!(problem.cause.as_ref().is_some_and(|cause| cause.contains(why)), "{more}: {problem}");
    }
    let commit = include_str!("../samples/fio_commit_fdatasync.json");
    for (other, why) in
        [("\"fsync\" : \"1\"", "fsync=1 waits"), ("\"fdatasync\" : \"4\"", "only some of its writes")]
    {
        let problem = edited(commit, &[("\"fdatasync\" : \"1\"", other)]).unwrap_err();
        assert!(problem.cause.as_ref().is_some_and(|cause| cause.contains(why)), "{other}: {problem}");
    }
    // What ran beside it is no load of its own.
    let together = include_str!("../samples/fio_two_jobs_together.json");
    let problem =
        edited(together, &[("\"bs\" : \"1m\"", "\"bs\" : \"1m\", \"rate\" : \"40m\"")]).unwrap_err();
    assert!(problem.cause.as_ref().is_some_and(|cause| cause.contains("held it back")), "{problem}");
    let silent = edited(one, &[("\"job options\"", "\"other options\"")]).unwrap_err();
    assert!(silent.cause.is_some_and(|cause| cause.contains("does not describe its load")));
}

/// `rate_iops` is a rate of reads and one of writes; of several documents in a file the last one is the final one.
#[test]
fn rates_of_both_directions_add_up_and_the_last_document_counts() {
    let mixed = include_str!("../samples/fio_mixed_8k_30.json");
    let depth = "\"iodepth\" : \"4\"";
    let given = edited(mixed, &[(depth, &format!("{depth}, \"rate_iops\" : \"4000\""))]).unwrap();
    assert!(numbers(&given).iter().any(|one| one.0.contains("open 8000")), "{:?}", numbers(&given));
    let one = include_str!("../samples/fio_rand_read_8k_q8.json");
    let first = one.replace("\"iops\" : 26248.251748", "\"iops\" : 26000.0");
    assert_ne!(first, one);
    let both = Baseline::read(format!("{first}\n{one}\nfio: done\n").as_bytes()).unwrap().unwrap();
    assert!(
        numbers(&both).iter().any(|found| (found.1 - 26_248.251_748).abs() < 1e-6),
        "{:?}",
        numbers(&both)
    );
    assert!(both.lacks.iter().any(|lack| lack.starts_with("one result")), "{:?}", both.lacks);
}

#[test]
fn the_load_that_is_most_like_the_other_side_has_a_say() {
    let whole = include_str!("../samples/fio_two_jobs_stonewall.json");
    // The second job becomes random reads of 16 KiB.
    let text = whole
        .replace("\"rw\" : \"read\"", "\"rw\" : \"randread\"")
        .replace("\"bs\" : \"1m\"", "\"bs\" : \"16k\"")
        .replace("\"mean\" : 2662561.308051", "\"mean\" : 41600.0")
        .replace("\"iops\" : 750.000000", "\"iops\" : 48000.0");
    let found = Baseline::read(text.as_bytes()).unwrap().unwrap();
    for (bytes, point) in [(8192, Point::pair(4, 0)), (16384, Point::pair(2, 0))] {
        let wanted = ClassFacts {
            bytes: Some(bytes),
            write_percent: Some(0.0),
            is_sequential: Some(false),
            span: None,
            is_buffered: Some(false),
        };
        let results = found.results(&LoadFacts::from([(Class::SMALL, wanted)]));
        assert_eq!(results.facts[&Class::SMALL], wanted);
        assert_eq!(results.figures[0].point, Some(point));
        assert!(results.passed_over[0].contains("next to"), "{results:?}");
    }
}
