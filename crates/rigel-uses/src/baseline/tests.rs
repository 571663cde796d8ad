//! Each format, with files written by the tools or modelled on them: the numbers, and every truncation.

mod calibrate_io;
mod field;
mod fio;
mod orion;

use super::*;
use proptest::prelude::*;

macro_rules! samples {
    ($($name:literal),+ $(,)?) => { [$(($name, include_str!(concat!("samples/", $name)))),+] };
}

const SAMPLES: [(&str, &str); 30] = samples![
    "orion_10_2_summary.txt",
    "orion_11_1_summary.txt",
    "orion_11_1_iops.csv",
    "orion_11_1_lat.csv",
    "orion_11_1_mbps.csv",
    "orion_11_2_summary.txt",
    "orion_11_2_lat.csv",
    "orion_19_summary.txt",
    "calibrate_io.csv",
    "calibrate_io_sqlplus.txt",
    "calibrate_io_wrapped.txt",
    "calibrate_io_print_table.txt",
    "calibrate_io_printed.txt",
    "calibrate_io_psql.txt",
    "pg_test_fsync.txt",
    "elbencho.csv",
    "diskspd.xml",
    "fio_rand_read_8k_q8.json",
    "fio_rand_read_8k_q1_plus.json",
    "fio_seq_read_1m_q2.json",
    "fio_mixed_8k_30.json",
    "fio_rand_read_4jobs.json",
    "fio_rand_read_4jobs_grouped.json",
    "fio_two_jobs_stonewall.json",
    "fio_two_jobs_together.json",
    "fio_commit_fdatasync.json",
    "fio_rate_500.json",
    "fio_two_clients.json",
    "rigel_io_calibration.csv",
    "rigel_io_calibration_psql.txt",
];

fn sample(name: &str) -> Baseline {
    let text = SAMPLES.iter().find(|one| one.0 == name).unwrap().1;
    Baseline::read(text.as_bytes()).unwrap().unwrap()
}

/// The numbers by quantity and place, `small_iops 8,0`.
fn numbers(found: &Baseline) -> Vec<(String, f64)> {
    let figures = found.results(&LoadFacts::new()).figures;
    let name = |figure: &Figure| match figure.place() {
        Some(point) => {
            let levels: Vec<String> =
                point.classes().map(|(class, level)| format!(" {class} {level}")).collect();
            format!("{}{}", figure.quantity.name(), levels.concat())
        }
        None => figure.quantity.name(),
    };
    figures.iter().map(|figure| (name(figure), figure.estimate.value)).collect()
}

fn assert_numbers(name: &str, wanted: &[(&str, f64)]) {
    let found = numbers(&sample(name));
    for (quantity, value) in wanted {
        let own = found
            .iter()
            .find(|one| one.0 == *quantity)
            .unwrap_or_else(|| panic!("{name}: {quantity} of {found:?}"));
        assert!((own.1 / value - 1.0).abs() < 1e-6, "{name}: {own:?} is not {value}");
    }
}

fn read(text: &str) -> Result<Baseline, Problem> {
    Baseline::read(text.as_bytes()).unwrap_or_else(|| panic!("unknown: {text}"))
}

fn number_of(found: &Baseline, name: &str) -> Option<f64> {
    numbers(found).iter().find(|one| one.0 == name).map(|one| one.1)
}

const MS: &str = "orion_11_1_lat.csv";
const US: &str = "orion_11_2_lat.csv";

fn text_of(name: &str) -> &'static str {
    SAMPLES.iter().find(|one| one.0 == name).unwrap().1
}

#[test]
fn every_sample_is_known_by_its_content() {
    let tools = |part: &str| match part {
        "orion" => Tool::Orion,
        "calibrate" => Tool::CalibrateIo,
        "pg" => Tool::PgTestFsync,
        "rigel" => Tool::Calibration,
        "elbencho.csv" => Tool::Elbencho,
        "diskspd.xml" => Tool::Diskspd,
        _ => Tool::Fio,
    };
    for (name, text) in SAMPLES {
        let found =
            Baseline::read(text.as_bytes()).unwrap().unwrap_or_else(|problem| panic!("{name}: {problem}"));
        assert_eq!(found.tool, tools(name.split('_').next().unwrap()), "{name}");
        assert!(!found.results(&LoadFacts::new()).figures.is_empty() || name.contains("rate"), "{name}");
        assert!(!found.lacks.is_empty());
    }
    for other in ["", "hello\n", "{\"line\":\"header\"}\n", "{}", "<html></html>", "a,b\n1,2\n"] {
        assert_eq!(Baseline::read(other.as_bytes()), None, "{other}");
        assert_eq!(unknown(other.as_bytes()).kind.code(), 2);
    }
}

#[test]
fn every_number_of_a_tool_says_how_far_it_was_rounded() {
    let half_unit = |name: &str, quantity: &str| {
        let found = sample(name).results(&LoadFacts::new());
        let own = found.half_units.iter().find(|one| one.0.0.name() == quantity);
        *own.unwrap_or_else(|| panic!("{name}: {quantity}")).1
    };
    for (name, quantity, wanted) in [
        ("orion_10_2_summary.txt", "min_small_latency", 5.0),
        ("orion_10_2_summary.txt", "max_small_iops", 0.5),
        ("orion_10_2_summary.txt", "max_large_mbps", 0.005),
        ("orion_11_2_summary.txt", "min_small_latency", 0.5),
        ("orion_19_summary.txt", "min_small_latency", 0.0005),
        (MS, "small_latency", 5.0),
        (US, "min_small_latency", 0.005),
        ("calibrate_io.csv", "max_iops", 0.5),
        ("elbencho.csv", "max_large_mbps", 0.5),
        ("elbencho.csv", "small_latency", 0.5),
        ("diskspd.xml", "small_latency", 0.5),
        ("fio_rand_read_8k_q8.json", "small_p99", 2473.984 / 128.0),
        ("pg_test_fsync.txt", "max_commits", 0.0),
    ] {
        if wanted > 0.0 {
            let own = half_unit(name, quantity);
            assert!((own / wanted - 1.0).abs() < 1e-9, "{name}: {quantity} {own}");
        }
    }
}

#[test]
fn commits_phases_and_time_spans_are_read() {
    assert_numbers(
        "pg_test_fsync.txt",
        &[("commit_latency", 1e6 / 617.865), ("commit_fdatasync", 1e6 / 2107.824)],
    );
    // Its plain write ends in memory: it is none of Rigel's, and nothing may be judged by it.
    let plain = sample("pg_test_fsync.txt");
    assert!(numbers(&plain).iter().all(|one| !one.0.contains("unsynced")), "{:?}", numbers(&plain));
    assert!(plain.passed_over.iter().any(|one| one.contains("page cache")), "{plain:?}");
    // As a page shows it, set in.
    let shown: String =
        include_str!("samples/pg_test_fsync.txt").lines().map(|line| format!("    {line}\n")).collect();
    assert_eq!(numbers(&read(&shown).unwrap()), numbers(&plain));
    assert_numbers(
        "elbencho.csv",
        &[
            ("small_iops small 16", 40_800.0),
            ("small_latency small 16", 391.0),
            ("large_mbps large 4", 600.0),
        ],
    );
    assert!(sample("elbencho.csv").results(&LoadFacts::new()).passed_over[0].contains("RMFILES"));
    assert_numbers(
        "diskspd.xml",
        &[("small_iops small 8", 20_000.0), ("small_latency small 8", 380.0), ("small_p99 small 8", 1250.0)],
    );
}

/// A file that is cut anywhere has no number that the whole file does not have; or a problem that says what to do.
#[test]
fn a_file_that_is_cut_anywhere_lies_never() {
    for (name, text) in SAMPLES {
        let whole = numbers(&sample(name));
        let best = |name: &str| name.starts_with("max_") || name.starts_with("min_");
        let step = if text.len() > 4096 { 53 } else { 1 };
        for end in (0..text.len()).step_by(step).filter(|&end| text.is_char_boundary(end)) {
            match Baseline::read(&text.as_bytes()[..end]) {
                None => {}
                Some(Err(problem)) => {
                    assert!(
                        problem.kind.code() == 2 && problem.cause.is_some() && problem.next.is_some(),
                        "{name} {end}"
                    );
                }
                Some(Ok(found)) => {
                    // The best of fewer points is another one.
                    let own = numbers(&found).into_iter().filter(|one| !best(&one.0));
                    own.for_each(|one| {
                        assert!(whole.contains(&one), "{name} cut at {end}: {one:?} of {whole:?}")
                    });
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn no_bytes_make_a_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), at in 0usize..30, place in 0.0f64..1.0) {
        let _ = Baseline::read(&bytes);
        // Written over a sample, somewhere.
        let text = SAMPLES[at].1.as_bytes();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a place in a file")]
        let place = (place * text.len() as f64) as usize;
        let mut edited = text[..place].to_vec();
        edited.extend(&bytes);
        edited.extend(&text[(place + bytes.len() / 2).min(text.len())..]);
        if let Some(Ok(found)) = Baseline::read(&edited) {
            let results = found.results(&LoadFacts::new());
            prop_assert!(results.figures.iter().all(|figure| figure.estimate.value.is_finite()));
        }
    }
}
