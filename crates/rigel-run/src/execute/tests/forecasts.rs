//! The time that a run announces against the time that it takes, on devices that vary, settle slowly or are slow.

use super::*;
use rigel_core::load::pace::Adaptive;
use rigel_core::stats::forecast::TimeRange;

/// What was reported about the end of a run, and when it ended.
#[derive(Debug)]
struct EndForecasts {
    announced: TimeRange,
    /// Each with the time at which it was told.
    forecasts: Vec<(u64, TimeRange)>,
    took_ns: u64,
}

impl EndForecasts {
    fn of(run: &Run, law: SimLaw) -> Self {
        let (mut now_ns, mut forecasts) = (0, Vec::new());
        let (outcome, _) = recorded(law, run, new(), |event, _| match event {
            Event::VisitFinished { visit } => now_ns = visit.ended_ns(),
            Event::Forecast { ends } => forecasts.push((now_ns, *ends)),
            _ => {}
        });
        assert_eq!(outcome, Outcome::Complete);
        Self { announced: run.plan.prospect(&run.request), forecasts, took_ns: now_ns }
    }

    fn held(&self, range: TimeRange) -> bool {
        (range.least_ns..=range.most_ns).contains(&self.took_ns)
    }

    /// How often the upper end moved outwards by more than a twentieth.
    fn outward(&self) -> usize {
        let ends = || self.forecasts.iter().map(|told| told.1.most_ns);
        ends().zip(ends().skip(1)).filter(|(before, after)| *after > before + before / 20).count()
    }

    /// What was told when half of the time was over.
    fn at_half(&self) -> TimeRange {
        let before = self.forecasts.iter().rfind(|(at_ns, _)| *at_ns <= self.took_ns / 2);
        before.map_or(self.announced, |told| told.1)
    }
}

fn run_on(text: &str, level: RunLevel, seed: u64) -> EndForecasts {
    let law = SimLaw::parse(text).unwrap();
    let run = run_of(|request| {
        *request = Request::new(level);
        request.engine = EngineRequest::Sim(law);
        request.set_pace(Pace::Adaptive(Adaptive::default()));
        request.seed = seed;
    });
    EndForecasts::of(&run, law)
}

/// Quiet, noisy in several ways, slow to settle, slow.
const LAWS: [&str; 9] = [
    "servers=4,service=4ms,rate=0,between=1%",
    "servers=4,service=4ms,rate=0,between=4%",
    "servers=4,service=4ms,rate=0,between=7%",
    "servers=4,service=4ms,rate=0,between=15%",
    "servers=4,service=4ms,rate=0,noise=ar:10s:8%",
    "servers=4,service=4ms,rate=0,neighbour=0.7:10s:30s",
    "servers=4,service=4ms,rate=0,between=3%,startup=-50%:1500ms",
    "servers=4,service=4ms,rate=0,between=2%,modes=10%:0.7",
    "servers=2,service=15ms,rate=0,between=3%",
];

/// A part of a whole.
fn share(runs: &[EndForecasts], is_so: impl Fn(&EndForecasts) -> bool) -> f64 {
    let count = |count: usize| f64::from(u32::try_from(count).unwrap());
    count(runs.iter().filter(|told| is_so(told)).count()) / count(runs.len())
}

#[test]
fn the_time_is_in_the_range_that_was_announced_and_the_range_narrows() {
    let simple = LAWS.iter().flat_map(|law| (0..3).map(move |seed| run_on(law, RunLevel::Simple, seed)));
    let normal = LAWS[..7].iter().map(|law| run_on(law, RunLevel::Normal, 7));
    let runs: Vec<EndForecasts> = simple.chain(normal).collect();
    let held = share(&runs, |told| told.held(told.announced));
    assert!(held >= 0.9, "{held}");
    let narrower = share(&runs, |told| told.at_half().width_ns() < told.announced.width_ns());
    assert!(narrower >= 0.95, "{narrower}");
    let at_half = share(&runs, |told| told.held(told.at_half()));
    assert!(at_half >= 0.8, "{at_half}");
    let steady = share(&runs, |told| told.outward() <= 1);
    assert!(steady >= 0.8, "{steady}");
    println!("announced {held}, narrower at half {narrower}, held at half {at_half}, steady {steady}");
    for told in &runs {
        let (ends_ns, last) = *told.forecasts.last().unwrap();
        assert!(last.width_ns() <= ends_ns / 20, "nothing is left at the end: {told:?}");
    }
}
