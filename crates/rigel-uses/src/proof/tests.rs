use super::concurrency::Rates;
use super::page_cost::{Cell, Choice, Execution, Plan, Rule, values};
use super::*;
use rigel_core::testing::Noise;

const RATIO: f64 = 17.0;
const HITS: [f64; 2] = [0.0, 0.9];
const SELECTIVITIES: [f64; 3] = [0.001, 0.01, 0.1];

/// Times of a device whose random pages take this many times as long as those of a stream, with noise of that size.
fn cells(random: f64, sd: f64, rounds: u32) -> Vec<Cell> {
    let mut noise = Noise::new(3);
    let mut all = Vec::new();
    for hit_rate in HITS {
        for selectivity in SELECTIVITIES {
            let mut cell = Cell { selectivity, hit_rate, ..Cell::default() };
            for round in 0..rounds {
                for plan in Plan::ALL {
                    let pages = match plan {
                        Plan::Index => 8.0 * selectivity * (1.0 + (random - 1.0) * (1.0 - hit_rate)),
                        Plan::Bitmap => 8.0 * selectivity * random,
                        Plan::Sequential => 1.0,
                    };
                    let seconds = pages * (sd * noise.normal()).exp();
                    cell.times.entry(plan).or_default().push(Execution { round, seconds, cut: false });
                }
            }
            all.push(cell);
        }
    }
    all
}

/// A planner that believes what it is told.
fn choices(ratio: f64) -> Vec<Choice> {
    let of = |cost: f64| {
        SELECTIVITIES.map(|selectivity| {
            let plan = if 8.0 * selectivity * cost < 1.0 { Plan::Index } else { Plan::Sequential };
            Choice { selectivity, cost, plan }
        })
    };
    values(ratio, &HITS).into_iter().flat_map(of).collect()
}

fn found(random: f64, sd: f64) -> page_cost::PageCostFindings {
    page_cost::PageCostFindings::of(cells(random, sd, 5), choices(RATIO), RATIO)
}

fn verdict(found: &page_cost::PageCostFindings, rule: Rule) -> Verdict {
    found.of_rule(rule).unwrap().verdict
}

#[test]
fn a_value_whose_plans_are_the_fastest_passes() {
    // Each share of hits has a true cost, and the rule that is told it makes it.
    let found = found(RATIO, 0.02);
    assert_eq!(verdict(&found, Rule::Told), Verdict::Passes, "{:?}", found.of_rule(Rule::Told));
    assert!(found.of_rule(Rule::Told).unwrap().median_regret < 1.05);
    // 1.6 chooses the index for 1 % of the rows at no hits: 1.36 s instead of 1 s, but the same plan as by default.
    let told = found.of_rule(Rule::Default).unwrap();
    assert!((told.worst.ratio.value - 1.36).abs() < 0.1 && told.slower.is_empty(), "{told:?}");
}

#[test]
fn a_value_that_is_slower_than_the_default_is_refused() {
    // The storage is far better at random reads than the rule thinks, so that the sequential scan at 1 % takes 12 times as long.
    let found = found(1.0, 0.05);
    let raw = found.of_rule(Rule::Raw).unwrap();
    assert_eq!(raw.verdict, Verdict::Fails);
    assert_eq!((raw.slower.len(), raw.faster.len()), (2, 0), "{:?}", raw.slower);
    assert!(raw.slower.iter().all(|place| place.ratio.lo95().unwrap() > 1.0 && place.selectivity == 0.01));
    assert!(raw.worst.ratio.value > 10.0 && raw.values == [17.0, 17.0]);
    assert_eq!(verdict(&found, Rule::Common), Verdict::Passes);
    assert!(found.passing().contains(&1.1) && !found.passing().contains(&64.0), "{:?}", found.passing());
}

#[test]
fn noise_is_not_held_against_a_value() {
    // The plans differ by a factor of five at most, and rounds by one of seven.
    let found = found(RATIO, 2.0);
    assert!(found.of_rule(Rule::Raw).unwrap().slower.is_empty());
    // A single round tells no interval at all.
    let once = page_cost::PageCostFindings::of(cells(1.0, 0.0, 1), choices(RATIO), RATIO);
    assert!(once.of_rule(Rule::Raw).unwrap().slower.is_empty());
}

#[test]
fn a_median_above_the_bound_fails_though_the_default_is_no_better() {
    // A stream is so fast that every plan but the scan is wrong, which neither of them sees.
    let found = found(9000.0, 0.02);
    let usual = found.of_rule(Rule::Default).unwrap();
    assert!(usual.median_regret > page_cost::MOST_REGRET && usual.slower.is_empty());
    assert_eq!(usual.verdict, Verdict::Fails);
}

#[test]
fn a_plan_that_was_ended_is_slower_without_an_interval() {
    let mut cells = cells(1.0, 0.02, 5);
    for cell in cells.iter_mut().filter(|cell| cell.selectivity == 0.01) {
        cell.times.insert(Plan::Sequential, vec![Execution { round: 0, seconds: 9.0, cut: true }]);
    }
    let found = page_cost::PageCostFindings::of(cells, choices(RATIO), RATIO);
    let raw = found.of_rule(Rule::Raw).unwrap();
    assert_eq!((raw.verdict, raw.slower.len()), (Verdict::Fails, 2), "{raw:?}");
}

#[test]
fn what_was_not_measured_is_not_judged() {
    let mut some = cells(RATIO, 0.02, 5);
    some[0].times.remove(&Plan::Index);
    assert_eq!(page_cost::PageCostFindings::of(some, choices(RATIO), RATIO).judged, []);
}

/// Rates that saturate at 16 outstanding reads, over all sessions.
fn rates(sd: f64, law: impl Fn(u32, u32) -> f64) -> Vec<Rates> {
    let mut noise = Noise::new(5);
    let mut all = Vec::new();
    for sessions in [1, 4] {
        for value in [0, 1, 4, 16, 64] {
            let rounds =
                (0..5).map(|round| (round, law(sessions, value) * (sd * noise.normal()).exp())).collect();
            all.push(Rates { sessions, value, rounds });
        }
    }
    all
}

#[test]
fn what_saturates_with_every_number_of_sessions_passes() {
    let law = |sessions: u32, value: u32| f64::from((sessions * value.max(1)).min(16));
    let found =
        concurrency::ConcurrencyFindings::of("effective_io_concurrency", &rates(0.01, law), 1, Some(16))
            .unwrap();
    assert_eq!(found.passing().iter().map(|one| one.value).collect::<Vec<_>>(), [16, 64]);
    assert_eq!(found.advised().unwrap().verdict, Verdict::Passes);
    assert_eq!(found.values[2].verdict, Verdict::Fails, "4 is enough with 4 sessions only");
    let at = found.values[2].at[0];
    assert!((at.share.value - 0.25).abs() < 0.02 && at.over_default.unwrap().lo95().unwrap() > 3.5, "{at:?}");
}

/// With four sessions nothing of one value ended in time: nobody knows that it is as fast as the best.
#[test]
fn a_value_that_was_not_in_time_does_not_pass() {
    let law = |sessions: u32, value: u32| f64::from((sessions * value.max(1)).min(16));
    let mut all = rates(0.01, law);
    all.iter_mut().filter(|one| (one.sessions, one.value) == (4, 64)).for_each(|one| one.rounds.clear());
    let found = concurrency::ConcurrencyFindings::of("effective_io_concurrency", &all, 1, Some(16)).unwrap();
    assert_eq!(found.passing().iter().map(|one| one.value).collect::<Vec<_>>(), [16]);
    let late = found.values.iter().find(|one| one.value == 64).unwrap();
    assert!(late.with(1).is_some() && late.with(4).is_none() && late.verdict == Verdict::Undecided);
}

#[test]
fn what_is_slower_than_the_default_fails() {
    // Reading ahead costs more than it gains where many sessions read.
    let law = |sessions: u32, value: u32| if sessions > 1 && value > 1 { 14.0 } else { 16.0 };
    let found =
        concurrency::ConcurrencyFindings::of("effective_io_concurrency", &rates(0.01, law), 1, Some(16))
            .unwrap();
    let passing: Vec<String> =
        found.passing().into_iter().map(concurrency::ConcurrencyVerdict::shown).collect();
    assert_eq!((passing, found.advised().unwrap().verdict), (vec!["0".into(), "1".into()], Verdict::Fails));
    let noisy =
        concurrency::ConcurrencyFindings::of("effective_io_concurrency", &rates(0.5, law), 1, Some(16))
            .unwrap();
    assert!(noisy.values.iter().all(|one| one.verdict != Verdict::Fails), "{noisy:?}");
}

#[test]
fn the_storage_saturates_at_95_percent() {
    let rates = [(1, 10.0), (4, 38.0), (16, 96.0), (64, 100.0)];
    let rates = rates.map(|(outstanding, per_s)| Outstanding { outstanding, per_s }).into();
    let storage = Storage { random_read_us: 80.0, stream_page_us: 5.0, rates, writes_per_s: None };
    assert_eq!((storage.saturating(), storage.ratio()), (16, 16.0));
}

#[test]
fn a_refuted_value_is_told() {
    let law = |_, value: u32| if value > 1 { 14.0 } else { 16.0 };
    let about = About {
        product: "PostgreSQL".into(),
        version: "15.14".into(),
        cache_setting: "shared_buffers".into(),
        shared_buffers: 1,
        rows: 8,
        rows_per_block: 8,
        block_bytes: 8192,
        shuffled: true,
        table_bytes: 8192,
        rounds: 5,
        seed: 1,
        storage: Storage { random_read_us: 80.0, stream_page_us: 5.0, rates: Vec::new(), writes_per_s: None },
    };
    let concurrency = concurrency::ConcurrencyFindings::of("io_workers", &rates(0.01, law), 1, Some(16))
        .into_iter()
        .collect();
    let proof = Proof { about, page_cost: None, concurrency, skipped: Vec::new(), complete: true };
    assert_eq!(proof.refuted(), ["io_workers"]);
    assert!(proof.refutes());
    assert!(!Proof { concurrency: Vec::new(), ..proof }.refutes());
}
