use super::*;
use crate::text::Style;
use rigel_uses::proof::concurrency::Rates;
use rigel_uses::proof::page_cost::{Choice, Execution, PageCostFindings, values};
use rigel_uses::proof::{Outstanding, Storage};
use serde_json::Value;

fn storage() -> Storage {
    Storage {
        random_read_us: 85.0,
        stream_page_us: 5.0,
        rates: vec![
            Outstanding { outstanding: 1, per_s: 11_000.0 },
            Outstanding { outstanding: 16, per_s: 60_000.0 },
        ],
        writes_per_s: None,
    }
}

/// A storage on which a random page costs twice one of a stream, though the reads alone say 17.
fn proof() -> Proof {
    let (mut cells, mut choices) = (Vec::new(), Vec::new());
    for selectivity in [0.001, 0.01] {
        for hit_rate in [0.0, 0.9] {
            let mut cell = Cell { selectivity, hit_rate, ..Cell::default() };
            for (plan, seconds) in Plan::ALL.into_iter().zip([16.0 * selectivity, 20.0 * selectivity, 1.0]) {
                let timed = |round| Execution {
                    round,
                    seconds: seconds * (1.0 + 0.01 * f64::from(round)),
                    cut: false,
                };
                cell.times.insert(plan, (0..4).map(timed).collect());
            }
            cells.push(cell);
        }
        for cost in values(17.0, &[0.0, 0.9]) {
            let plan = if 8.0 * selectivity * cost < 1.0 { Plan::Index } else { Plan::Sequential };
            choices.push(Choice { selectivity, cost, plan });
        }
    }
    let rate = |value: u32| Rates {
        sessions: 1,
        value,
        rounds: vec![(0, f64::from(value) + 1.0), (1, f64::from(value) + 1.01)],
    };
    let of_method = |(value, per_s): (u32, f64)| {
        let at = |sessions: u32| Rates {
            sessions,
            value,
            rounds: vec![(0, per_s), (1, 1.01 * per_s), (2, 0.99 * per_s)],
        };
        [1, 4, 16].map(at)
    };
    let methods = [(0, 1000.0), (1, 100_000.0), (2, 90_000.0)].map(of_method).concat();
    let methods = concurrency::ConcurrencyFindings::of("io_method", &methods, 1, Some(2));
    Proof {
        about: About {
            product: "PostgreSQL".into(),
            version: "15.14".into(),
            cache_setting: "shared_buffers".into(),
            shared_buffers: 16 << 20,
            rows: 800,
            rows_per_block: 8,
            block_bytes: 8192,
            shuffled: true,
            table_bytes: 819_200,
            rounds: 4,
            seed: 1,
            storage: storage(),
        },
        page_cost: Some(PageCostFindings::of(cells, choices, 17.0)),
        concurrency: concurrency::ConcurrencyFindings::of(
            "effective_io_concurrency",
            &[rate(1), rate(16)],
            1,
            Some(16),
        )
        .into_iter()
        .chain(methods.map(|found| found.in_words(&["sync", "worker", "io_uring"])))
        .collect(),
        skipped: vec![SkippedSetting {
            setting: "io_workers".into(),
            because: "PostgreSQL 15.14 does not have them.".into(),
        }],
        complete: true,
    }
}

#[test]
fn the_answer_comes_first_and_everything_fits_the_terminal() {
    let proof = proof();
    let told = text(&ProofReport { run: "prove_1", started: "now", proof: &proof }, Style::default(), &[]);
    let flat = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.starts_with("- random_page_cost: 1, 1.1, 1.5, 2, 3, 4, 6, 8 and 12 pass here"), "{told}");
    assert!(flat.contains("The ratio of the storage itself, 17, fails"), "{told}");
    assert!(flat.contains("The 16 that rigel advise derives for this storage passes"), "{told}");
    assert!(flat.contains("io_method: worker passes here") && flat.contains("default of worker."), "{told}");
    assert!(flat.contains("The io_uring that rigel advise derives for this storage fails"), "{told}");
    assert!(!flat.contains("passes: the measured share"), "each that passes is the best: {told}");
    assert!(flat.contains("Left out: io_workers."), "{told}");
    for line in told.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert_eq!(proof.refuted(), ["io_method"]);
}

#[test]
fn what_passes_without_being_certain_is_explained() {
    let rate = |value: u32, all: [f64; 3]| Rates { sessions: 1, value, rounds: (0..).zip(all).collect() };
    let all = [rate(1, [100.0, 80.0, 120.0]), rate(16, [99.0, 98.0, 97.0])];
    let concurrency = concurrency::ConcurrencyFindings::of("effective_io_concurrency", &all, 1, Some(16));
    assert_eq!(concurrency.as_ref().unwrap().passing().len(), 2);
    let proof = Proof { concurrency: concurrency.into_iter().collect(), ..proof() };
    let told = text(&ProofReport { run: "prove_1", started: "now", proof: &proof }, Style::default(), &[]);
    let flat = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("passes: the measured share is at least 95 % of the best rate;"), "{told}");
}

#[test]
fn what_is_undecided_is_explained() {
    let rate = |sessions: u32, value: u32| Rates { sessions, value, rounds: vec![(0, 1.0), (1, 1.01)] };
    let late = [rate(1, 1), rate(1, 16), rate(4, 1)];
    let concurrency = concurrency::ConcurrencyFindings::of("effective_io_concurrency", &late, 1, Some(16));
    let told = |proof: &Proof| {
        let proven = ProofReport { run: "prove_1", started: "now", proof };
        let page = String::from_utf8(files(&proven, true).unwrap().remove(1).bytes).unwrap();
        [text(&proven, Style::default(), &[]), page]
            .map(|told| told.contains("undecided: the rounds do not show"))
    };
    assert_eq!(told(&proof()), [false, false]);
    let proof = Proof { concurrency: concurrency.into_iter().collect(), ..proof() };
    assert!(proof.refuted().is_empty(), "which is no failure");
    assert_eq!(told(&proof), [true, true]);
}

#[test]
fn the_document_holds_every_time_and_every_choice() {
    let proof = proof();
    let proven = ProofReport { run: "prove_1", started: "now", proof: &proof };
    let found: Value = serde_json::from_slice(&json(&proven).unwrap()).unwrap();
    assert_eq!((found["schema"].as_str(), found["refuted"].as_bool()), (Some(SCHEMA), Some(true)));
    let cost = &found["random_page_cost"];
    assert_eq!(cost["cells"].as_array().unwrap().len(), 4);
    assert_eq!(cost["cells"][0]["plans"][2]["rounds"].as_array().unwrap().len(), 4);
    assert_eq!(cost["values"][2]["rule"], "raw");
    assert_eq!(cost["values"][2]["verdict"], "fails");
    let settings = &found["concurrency"];
    assert_eq!(
        (&settings[0]["values"][0]["verdict"], &settings[0]["values"][0]["word"]),
        (&"fails".into(), &Value::Null)
    );
    assert_eq!((&settings[1]["values"][2]["word"], &settings[1]["advised"]), (&"io_uring".into(), &2.into()));
}

#[test]
fn the_page_has_both_charts_and_every_query() {
    let proof = proof();
    let files = files(&ProofReport { run: "prove_<b>", started: "now", proof: &proof }, true).unwrap();
    assert_eq!(files.iter().map(|file| &*file.suffix).collect::<Vec<_>>(), ["_proof.json", "_proof.html"]);
    let page = String::from_utf8(files[1].bytes.clone()).unwrap();
    for part in [
        "id=\"regrets\"",
        "id=\"shares-effective_io_concurrency\"",
        "prove_&lt;b&gt;",
        "<td>index</td>",
        "raw ratio",
        "<th scope=\"row\" class=\"n\">io_uring</th>",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("id=\"shares-io_method\""), "words are no axis");
    assert_eq!(super::files(&ProofReport { run: "a", started: "b", proof: &proof }, false).unwrap().len(), 1);
}
