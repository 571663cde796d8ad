//! Random simulated records: no verdict of a comparison or of a search says what its own interval does not.
//!
//! The rule is written down here once more, from the intervals alone, so anybody who bends it will notice.

use super::*;
use rigel_core::judge::findings::{RequiredRate, SloFindings, SloOpen};
use rigel_core::judge::quantity::{Quantity, Unit};
use rigel_core::load::class::{Arrival, LoadClass, Shape};
use rigel_core::load::matrix::{Grid, MatrixShape, Point};
use rigel_core::load::sides::Sides;
use rigel_core::load::slo::Slo;
use rigel_core::stats::share::{BoundVerdict, Ratio};
use rigel_uses::compare::change::{Change, Doubt, RestsOn};
use rigel_uses::compare::{Comparison, Row, Run as Compared};
use rigel_uses::versus::Versus;

/// Changes within it are no difference.
const MARGIN: f64 = 0.05;

/// Choices from a seed (SplitMix64).
struct Draw(u64);

impl Draw {
    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        all[usize::try_from((mixed ^ (mixed >> 31)) % all.len() as u64).unwrap()]
    }

    fn noise(&mut self) -> &'static str {
        self.of(&[
            "white=1%,between=0.2%",
            "white=1%,between=0.2%",
            "white=2%,between=1%",
            "white=3%,between=10%",
            "white=3%,between=20%",
            "noise=ar:5s:10%",
            "fall=0.6:40s",
        ])
    }

    fn law(&mut self, noise: &str) -> String {
        let service_us = self.of(&[900, 1000, 1000, 1000, 1010, 1200]);
        format!("servers=8,service={service_us}us,rate=0,spread=lognormal:20%,{noise}")
    }

    fn pace(&mut self) -> Pace {
        Pace::Adaptive(Adaptive {
            precision: Precision(self.of(&[10, 20, 50, 200])),
            max_duration: Some(Nanos::from_secs(self.of(&[30, 40, 60, 100, 200, 600]))),
            fast: self.of(&[false, true]),
        })
    }
}

/// Which words are allowed, by the interval alone.
fn word(quantity: Quantity, change: &Result<Change, Doubt>) -> &'static str {
    let Ok(Change { lo, hi, .. }) = *change else { return "undecided" };
    assert!(lo <= hi, "{change:?}");
    let less_is_better = quantity.unit() == Unit::Us;
    match (lo > 0.0, hi < 0.0) {
        (true, _) if less_is_better => "worse",
        (true, _) => "better",
        (_, true) if less_is_better => "better",
        (_, true) => "worse",
        _ if lo >= -MARGIN && hi <= MARGIN => "alike",
        _ => "undecided",
    }
}

/// How often each word was said: a test that never saw one of them says nothing of it.
#[derive(Default)]
struct Words(BTreeMap<&'static str, usize>);

impl Words {
    fn say(&mut self, row: &Row, around: &str) {
        let expected = word(row.quantity, &row.change);
        assert_eq!(row.verdict.name(), expected, "{around}: {row:?}");
        *self.0.entry(expected).or_default() += 1;
    }

    fn assert_all(&self, words: &[&str]) {
        let least = words.iter().map(|word| self.0.get(word).copied().unwrap_or(0)).min();
        assert!(least >= Some(3), "each was said: {:?}", self.0);
    }
}

/// Rounds in which both sides of a load had a visit.
fn rounds(record: &Record, point: Point) -> usize {
    let visits = record.visits.iter().filter(|visit| visit.point.plain() == point);
    let mut each: BTreeMap<u32, Vec<Point>> = BTreeMap::new();
    for visit in visits {
        if let Purpose::Round(round) = visit.purpose {
            each.entry(round).or_default().push(visit.point);
        }
    }
    each.values().filter(|visits| visits.len() >= 2).count()
}

#[test]
fn two_sides_say_what_their_intervals_say() {
    let (mut words, mut headlines) = (Words::default(), Words::default());
    for seed in 0..30 {
        let mut draw = Draw(seed);
        let noise = draw.noise();
        let (a, b) = (draw.law(noise), draw.law(noise));
        let plain = Request { seed, ..request(RunLevel::Oltp, &a).paced(draw.pace()) };
        let loads = Grid::new(RunLevel::Oltp, MatrixShape::Basic, 1).points[..draw.of(&[1, 2, 4])].to_vec();
        let engine = EngineRequest::Sim(SimLaw::parse(&b).unwrap());
        let sides = Sides { targets_of_a: 1, engine, buffered: false };
        let record = trial(&plain.in_turns(&loads, sides).unwrap()).unwrap();
        let found = Versus::of(&record, &Findings::of(&record)).unwrap();
        for row in &found.comparison.rows {
            words.say(row, &a);
            let rounds = rounds(&record, row.point.unwrap());
            assert!(row.change.is_err() || rounds >= 4, "{rounds} rounds: {row:?}");
        }
        for one in &found.overall {
            let change = Ok(one.change);
            assert_eq!(one.effect.name(), word(one.quantity, &change), "{one:?}");
            *headlines.0.entry(one.effect.name()).or_default() += 1;
            assert!(one.rounds >= 4, "{one:?}");
            // A headline names every load that says the contrary.
            let own = found.comparison.rows.iter().filter(|row| row.quantity == one.quantity);
            let against = own.filter(|row| {
                ["better", "worse"].contains(&row.verdict.name()) && row.verdict.name() != one.effect.name()
            });
            assert_eq!(one.against, against.filter_map(|row| row.point).collect::<Vec<_>>(), "{one:?}");
        }
    }
    words.assert_all(&["better", "worse", "alike", "undecided"]);
    headlines.assert_all(&["better", "worse", "alike", "undecided"]);
}

#[test]
fn compared_runs_say_what_their_intervals_say() {
    let (mut words, mut few) = (Words::default(), 0);
    for seed in 0..32 {
        let mut draw = Draw(1000 + seed);
        let noise = draw.noise();
        let mut side = |runs: usize, law: &str| -> Vec<(Record, Findings)> {
            let one = |run: usize| {
                let seed = 100 * seed + run as u64;
                let task = Task::advanced(MatrixShape::Max { small: 2, large: 0 });
                let plain = request(RunLevel::Advanced, law);
                let request = Request { seed, task, ..plain }.paced(draw.pace());
                let record = trial(&request).unwrap();
                let found = Findings::of(&record);
                (record, found)
            };
            (0..runs).map(one).collect()
        };
        let mut other = Draw(2000 + seed);
        let laws = (other.law(noise), other.law(noise));
        // Both ways, however the choices fall.
        let (a, b) = if seed % 2 == 0 { laws } else { (laws.1, laws.0) };
        let made = [side(other.of(&[1, 1, 2, 3]), &a), side(other.of(&[1, 1, 2, 3]), &b)];
        let [base, new] = made.each_ref().map(|side| {
            side.iter().map(|(record, findings)| Compared { record, findings }).collect::<Vec<_>>()
        });
        for row in &Comparison::of(&base, &new).rows {
            words.say(row, &a);
            let Ok(change) = row.change else {
                few += usize::from(matches!(row.change, Err(Doubt::FewVisits | Doubt::FewRuns)));
                continue;
            };
            let visits = [row.base, row.new].map(|side| side.interval.map_or(0, |interval| interval.visits));
            match change.rests_on {
                RestsOn::Runs => assert!(change.df >= 2.0 && base.len().max(new.len()) >= 3, "{row:?}"),
                _ => assert!(visits.iter().all(|visits| *visits >= 4), "{row:?}"),
            }
        }
    }
    words.assert_all(&["better", "worse", "alike", "undecided"]);
    assert!(few >= 3, "{few} numbers with too few visits or runs");
}

/// What an interval of a ratio to what is allowed says.
fn kept(ratio: Option<Ratio>) -> BoundVerdict {
    match ratio {
        Some(ratio) if ratio.lo95 > 1.0 => BoundVerdict::No,
        Some(ratio) if ratio.hi95.is_some_and(|hi95| hi95 <= 1.0) => BoundVerdict::Yes,
        _ => BoundVerdict::Undecided,
    }
}

/// A required rate that its own visits leave open lies on one side of the bracket.
fn the_bracket_says_so(one: &RequiredRate, found: &SloFindings) {
    let bracket = found.rate().expect("the bracket decides where there is one");
    let required = f64::from(one.requirement.rate);
    let is_there = match one.kept {
        BoundVerdict::Yes => bracket.lower.is_some_and(|lower| required <= lower),
        BoundVerdict::No => bracket.upper.is_some_and(|upper| required >= upper),
        BoundVerdict::Undecided => false,
    };
    assert!(is_there, "{one:?}, {bracket:?}");
}

#[test]
fn a_search_says_what_its_intervals_say() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    // The last ones search no rate.
    for seed in 0..20 {
        let mut draw = Draw(3000 + seed);
        let noise = draw.of(&["white=1%", "white=5%,between=10%", "noise=ar:5s:20%"]);
        let law = format!("servers=1,service=200us,rate=0,spread=exponential,{noise}");
        let arrival = Arrival::Open { shape: Shape::Poisson, most_outstanding: 1024 };
        let required = [
            draw.of(&["p99 < 2ms @ 1500", "p99 < 2ms @ 2700", "p99 < 2ms @ 3500", "p99 < 2ms @ 60"]),
            draw.of(&["mean < 1ms @ 2000", "mean < 400us @ 2500", "mean < 210us @ 1500"]),
        ];
        let slo = Slo {
            bounds: vec!["p99 < 2ms".parse().unwrap()],
            required: required.map(|text| text.parse().unwrap()).into(),
            most_rate: 5000,
            required_only: seed >= 16,
            scaled: None,
        };
        let max_duration = Some(Nanos::from_secs(180));
        let pace = Adaptive { max_duration, precision: Precision(200), ..Adaptive::default() };
        let request = Request {
            classes: vec![LoadClass { arrival, ..LoadClass::random(Class::constant("open"), 8192) }],
            task: Task::rate(RunLevel::Open, slo, pace),
            seed,
            ..request(RunLevel::Open, &law)
        };
        let found = Findings::of(&trial(&request).unwrap()).slo.unwrap();
        for one in &found.required {
            let by_interval = kept(one.ratio);
            let word = match one.kept {
                BoundVerdict::Yes => "yes",
                BoundVerdict::No => "no",
                BoundVerdict::Undecided => "undecided",
            };
            *seen.entry(word).or_default() += 1;
            // A queue that grows without end keeps nothing for long.
            let is_growing = one.kept == BoundVerdict::Undecided && by_interval == BoundVerdict::Yes;
            assert!(one.kept_there() == by_interval || is_growing, "{one:?}");
            // A rate that is met in short visits only is decided, with a word of caution.
            let leaves_open = one.open.is_some_and(|open| !matches!(open, SloOpen::Rests(_)));
            assert_eq!(
                one.kept_there() == BoundVerdict::Undecided,
                leaves_open,
                "nothing is undecided without a cause: {one:?}"
            );
            if one.open == Some(SloOpen::Around) {
                the_bracket_says_so(one, &found);
                *seen.entry("by the bracket").or_default() += 1;
            }
        }
        for point in &found.points {
            for (ratio, found) in point.ratios.iter().zip(&point.kept) {
                assert!(
                    *found == kept(*ratio)
                        || *found == BoundVerdict::Undecided && kept(*ratio) == BoundVerdict::Yes,
                    "{point:?}"
                );
            }
        }
        if let Some(rate) = found.rate() {
            let ends = [rate.lower, rate.at, rate.upper].into_iter().flatten();
            assert!(ends.collect::<Vec<_>>().is_sorted(), "{rate:?}");
        }
    }
    assert!(["yes", "no", "undecided"].iter().all(|word| seen.get(word) >= Some(&2)), "{seen:?}");
    assert!(seen.contains_key("by the bracket"), "{seen:?}");
}
