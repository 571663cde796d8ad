//! Settings of a database proven by experiment: what was decided, what was not, and what was left out.

use super::super::super::Document;
use super::super::super::documents::{ASCII, COLOUR, files, joined};
use super::super::Case;
use super::super::hostile::NAME;
use rigel_report::proof::{self, ProofReport};
use rigel_report::text::Style;
use rigel_uses::proof::concurrency::{self, Rates};
use rigel_uses::proof::page_cost::{Cell, Choice, Execution, PageCostFindings, Plan, values};
use rigel_uses::proof::{About, Outstanding, Proof, SkippedSetting, Storage};

/// The cases.
pub fn all() -> Vec<Case> {
    vec![
        Case::other("proof-refuted", || proven("prove_20260301_1200", &refuted())),
        Case::other("proof-undecided", || proven(NAME, &undecided())),
        Case::other("proof-nothing", || proven("prove_20260301_1200", &nothing())),
    ]
}

/// The time of a random page divided by that of a page of a stream.
const RATIO: f64 = 17.0;

/// Times of each plan of queries, some of them cut, and what the planner chooses.
fn page_cost() -> PageCostFindings {
    let (mut cells, mut choices) = (Vec::new(), Vec::new());
    for selectivity in [0.001, 0.01] {
        for hit_rate in [0.0, 0.9] {
            let mut cell = Cell { selectivity, hit_rate, ..Cell::default() };
            for (plan, seconds) in Plan::ALL.into_iter().zip([16.0 * selectivity, 20.0 * selectivity, 1.0]) {
                let timed = |round| Execution {
                    round,
                    seconds: seconds * (1.0 + 0.01 * f64::from(round)),
                    cut: selectivity > 0.005 && plan == Plan::ALL[1],
                };
                cell.times.insert(plan, (0..4).map(timed).collect());
            }
            cells.push(cell);
        }
        for cost in values(RATIO, &[0.0, 0.9]) {
            let plan = if 8.0 * selectivity * cost < 1.0 { Plan::Index } else { Plan::Sequential };
            choices.push(Choice { selectivity, cost, plan });
        }
    }
    PageCostFindings::of(cells, choices, RATIO)
}

fn rates(sessions: u32, value: u32, per_s: f64) -> Rates {
    Rates { sessions, value, rounds: vec![(0, per_s), (1, 1.01 * per_s), (2, 0.99 * per_s)] }
}

fn refuted() -> Proof {
    let reads: Vec<Rates> =
        [1, 16].into_iter().map(|value| rates(1, value, f64::from(value) * 1000.0)).collect();
    let methods = [(0, 1000.0), (1, 100_000.0), (2, 90_000.0)];
    let methods: Vec<Rates> = methods
        .into_iter()
        .flat_map(|(value, per_s)| [1, 4, 16].map(|sessions| rates(sessions, value, per_s)))
        .collect();
    let methods = concurrency::ConcurrencyFindings::of("io_method", &methods, 1, Some(2));
    let reads = concurrency::ConcurrencyFindings::of("effective_io_concurrency", &reads, 1, Some(16));
    Proof {
        about: about(),
        page_cost: Some(page_cost()),
        concurrency: reads
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

fn about() -> About {
    About {
        product: "PostgreSQL".into(),
        version: "18.1".into(),
        cache_setting: "shared_buffers".into(),
        shared_buffers: 16 << 20,
        rows: 800,
        rows_per_block: 8,
        block_bytes: 8192,
        shuffled: true,
        table_bytes: 819_200,
        rounds: 4,
        seed: 1,
        storage: Storage {
            random_read_us: 85.0,
            writes_per_s: None,
            stream_page_us: 5.0,
            rates: vec![
                Outstanding { outstanding: 1, per_s: 11_000.0 },
                Outstanding { outstanding: 16, per_s: 60_000.0 },
            ],
        },
    }
}

/// Two rounds do not decide, and the experiment was stopped.
fn undecided() -> Proof {
    let late = |sessions, value| Rates { sessions, value, rounds: vec![(0, 1.0), (1, 1.01)] };
    let late = [late(1, 1), late(1, 16), late(4, 1)];
    let concurrency = concurrency::ConcurrencyFindings::of("effective_io_concurrency", &late, 1, Some(16));
    let about = About { version: NAME.into(), ..about() };
    Proof { about, concurrency: concurrency.into_iter().collect(), complete: false, ..refuted() }
}

fn nothing() -> Proof {
    Proof { page_cost: None, concurrency: Vec::new(), complete: false, ..refuted() }
}

fn proven(run: &str, proof: &Proof) -> anyhow::Result<Vec<Document>> {
    let proven = ProofReport { run, started: "2026-03-01T12:00:00+01:00", proof };
    let files = files(run);
    let made = proof::files(&proven, true)?;
    Ok(vec![
        Document::new("text", proof::text(&proven, Style::default(), &files)),
        Document::new("text-colour", proof::text(&proven, COLOUR, &[])),
        Document::new("text-ascii", proof::text(&proven, ASCII, &files)),
        joined("json", &made[..1]),
        joined("html", &made[1..]),
    ])
}
