use super::super::judge::{About, Judgement};
use super::*;
use rigel_core::judge::flags::FlagCode;
use rigel_core::load::class::{Arrival, Pattern, Shape};
use rigel_core::units::NS_PER_S;

fn point(small: u32, large: u32) -> Point {
    Point::pair(small, large)
}

fn at(small: u32, large: u32, purpose: Purpose) -> VisitPosition {
    VisitPosition { step: 0, point: point(small, large), purpose }
}

/// Large I/O in streams of four.
fn classes() -> Vec<LoadClass> {
    let mut classes = LoadClass::pair(8192, 1 << 20);
    classes[1].pattern = Pattern::Streams { ios_per_stream: 4 };
    classes
}

fn begun(points: &[Point]) -> Model {
    let mut model = Model::default();
    model.apply(Message::Begun {
        title: "a run".to_owned(),
        target: Some(0.05),
        points: points.to_vec(),
        classes: classes(),
        takes_marks: false,
    });
    model
}

fn tick(small_iops: f64, large_iops: f64, activity: Activity, at: VisitPosition) -> Message {
    let live = LiveFigures {
        per_s: [(Class::SMALL, small_iops), (Class::LARGE, large_iops)].into(),
        ..LiveFigures::default()
    };
    let left = TimeRange { least_ns: 9 * NS_PER_S, most_ns: 20 * NS_PER_S };
    Message::Tick { at, activity, elapsed_ns: 3 * NS_PER_S, left, live }
}

fn finished(at: VisitPosition, iops: f64) -> Message {
    let small = Digest { rate: iops, latency_us: Some(7.0), ..Digest::default() };
    Message::Finished(LastVisit { at, ios: [(Class::SMALL, small)].into() })
}

fn flag(code: FlagCode, place: &str) -> ShownFlag {
    ShownFlag { about: About::Points, place: place.to_owned(), code, text: String::new(), invalid: false }
}

fn judged(points: Vec<PointSoFar>, flags: &[ShownFlag]) -> Message {
    Message::JudgedRun(Box::new(Judgement { points, flags: flags.to_vec() }))
}

#[test]
fn cells_fill_in_and_are_judged_later() {
    let mut model = begun(&[point(1, 0), point(2, 0)]);
    assert_eq!((model.steps, model.cells.len()), (2, 2));
    assert!(model.cells.values().all(|cell| cell.visits == 0 && !cell.ios.contains_key(&Class::SMALL)));
    model.apply(finished(at(2, 0, Purpose::Round(0)), 100.0));
    model.apply(finished(at(2, 0, Purpose::Round(1)), 900.0));
    let cell = &model.cells[&point(2, 0)];
    assert_eq!(
        (cell.visits, cell.ios[&Class::SMALL].rate),
        (2, 100.0),
        "one visit is not better than the other"
    );
    assert_eq!((cell.half_width(), cell.reached), (None, false));
    let figures = Figures { rate: 500.0, latency_us: Some(4.0), half_width: Some(0.02) };
    let ios: PerClass<Figures> = [(Class::SMALL, figures)].into();
    let found = PointSoFar { point: point(2, 0), ios: ios.clone(), invalid: true, reached: true };
    model.apply(judged(vec![found.clone(), PointSoFar { point: point(9, 9), ..found }], &[]));
    let cell = &model.cells[&point(2, 0)];
    assert_eq!((&cell.ios, cell.half_width()), (&ios, Some(0.02)));
    assert!(cell.invalid && cell.reached);
    assert_eq!(model.cells.len(), 2, "a point that is not in the plan has no cell");
}

#[test]
fn the_wider_interval_counts_and_a_missing_one_is_none() {
    let figures = |half_width| Some(Figures { rate: 1.0, latency_us: None, half_width });
    let cell = |small: Option<Figures>, large: Option<Figures>| {
        let both = [(Class::SMALL, small), (Class::LARGE, large)].into_iter();
        Cell { ios: both.filter_map(|(class, one)| Some((class, one?))).collect(), ..Cell::default() }
    };
    assert_eq!(cell(figures(Some(0.1)), figures(Some(0.3))).half_width(), Some(0.3));
    assert_eq!(cell(figures(Some(0.1)), figures(None)).half_width(), None);
    assert_eq!(cell(None, figures(Some(0.2))).half_width(), Some(0.2));
    assert_eq!(Cell::default().half_width(), None);
}

#[test]
fn rates_and_latencies_of_the_visit_that_goes_on() {
    let mut model = begun(&[point(8, 2)]);
    let now = at(8, 2, Purpose::Only);
    model.apply(Message::Started { at: now });
    assert_eq!(model.live(&classes()[0]), None);
    for rate in [0.0, 2000.0, 4000.0] {
        model.apply(tick(rate, rate / 2.0, Activity::Measure, now));
    }
    let small = model.live(&classes()[0]).unwrap();
    assert_eq!(small.rates, [2000.0, 4000.0], "the first tick of a visit has no rate");
    assert_eq!(small.latencies_us, [4000.0, 2000.0]);
    let large = model.live(&classes()[1]).unwrap();
    assert_eq!(large.latencies_us, [8000.0, 4000.0], "two streams of four");
    let left = TimeRange { least_ns: 9 * NS_PER_S, most_ns: 20 * NS_PER_S };
    assert_eq!((model.elapsed_ns, model.left), (3 * NS_PER_S, Some(left)));
    model.apply(Message::Forecast(TimeRange { least_ns: 10 * NS_PER_S, most_ns: 15 * NS_PER_S }));
    assert_eq!(model.left, Some(TimeRange { least_ns: 7 * NS_PER_S, most_ns: 12 * NS_PER_S }));
    model.apply(tick(0.0, 0.0, Activity::Rest, now));
    model.apply(tick(0.0, 0.0, Activity::Rest, now));
    assert!(model.ticks.is_empty(), "a rest has no rate");
    model.apply(Message::Started { at: at(8, 0, Purpose::Only) });
    model.apply(tick(1.0, 0.0, Activity::WarmUp, now));
    model.apply(tick(1.0, 0.0, Activity::Measure, now));
    assert!(model.ticks.is_empty(), "the first of another activity");
    for _ in 0..2 * MOST_TICKS {
        model.apply(tick(1.0, 0.0, Activity::Measure, now));
    }
    assert_eq!(model.ticks.len(), MOST_TICKS);
}

/// Of an open loop nothing follows from its rate, and between two ticks there may be no arrival.
#[test]
fn the_latency_of_arrivals_is_what_their_workers_tell() {
    let arrival = Arrival::Open { shape: Shape::Poisson, most_outstanding: 64 };
    let open = LoadClass { arrival, levels: vec![5], ..LoadClass::random(Class::constant("open"), 8192) };
    let now = VisitPosition { step: 0, point: Point::alone(open.name, 5), purpose: Purpose::Only };
    let mut model = begun(&[now.point]);
    model.apply(Message::Started { at: now });
    for (per_s, us) in [(0.0, None), (10.0, Some(250.0)), (0.0, None)] {
        let latency_us = us.map(|us| (open.name, us)).into_iter().collect();
        let live = LiveFigures { per_s: [(open.name, per_s)].into(), latency_us };
        let left = TimeRange::default();
        model.apply(Message::Tick { at: now, activity: Activity::Measure, elapsed_ns: NS_PER_S, left, live });
    }
    let shown = model.live(&open).unwrap();
    assert_eq!((shown.rate, shown.latency_us), (0.0, Some(250.0)));
    assert_eq!(shown.latencies_us, [250.0, 0.0]);
}

#[test]
fn a_search_shows_its_levels_until_the_points_are_known() {
    let mut model = begun(&[]);
    model.apply(finished(at(4, 0, Purpose::Search(Class::SMALL)), 10.0));
    model.apply(finished(at(4, 0, Purpose::Search(Class::SMALL)), 12.0));
    assert_eq!(model.cells[&point(4, 0)].ios[&Class::SMALL].rate, 12.0);
    let n_sat = Some(Saturation { level: 4, is_reached: true });
    model.apply(Message::LevelFound { class: Class::SMALL, n_sat });
    assert_eq!(model.levels, [(Class::SMALL, n_sat)]);
    model.apply(Message::Planned { points: vec![point(1, 0), point(2, 0)] });
    assert_eq!((model.steps, model.cells.len()), (2, 2));
    assert!(!model.cells.contains_key(&point(4, 0)));
}

#[test]
fn new_flags_come_on_top_and_gone_ones_go() {
    let mut model = begun(&[point(1, 0)]);
    let (drift, cache) = (flag(FlagCode::Drift, "small 1 large 0"), flag(FlagCode::Cache, "2 points"));
    model.apply(judged(vec![], std::slice::from_ref(&drift)));
    model.apply(judged(vec![], &[drift.clone(), cache.clone()]));
    assert_eq!(model.flags, [cache.clone(), drift]);
    let more = flag(FlagCode::Drift, "3 points");
    model.apply(judged(vec![], &[more.clone(), cache.clone()]));
    assert_eq!(model.flags, [cache.clone(), more], "at more points it is no new flag, and is told");
    model.apply(judged(vec![], std::slice::from_ref(&cache)));
    assert_eq!(model.flags, std::slice::from_ref(&cache));
    let of_run = ShownFlag { about: About::Run, ..cache.clone() };
    model.apply(judged(vec![], &[cache.clone(), of_run.clone()]));
    assert_eq!(model.flags, [of_run, cache], "of the run it is another one");
}

#[test]
fn the_widest_interval_of_the_latest_looks() {
    let mut model = begun(&[point(1, 0)]);
    for round in 0..20_u32 {
        model.apply(Message::Looked { done: 3, points: 17, widest: 1.0 / f64::from(round + 1) });
    }
    assert_eq!((model.looks.done, model.looks.points, model.looks.widest.len()), (3, 17, MOST_LOOKS));
    assert_eq!(model.looks.widest.back(), Some(&0.05));
}

#[test]
fn tab_goes_through_all_layers() {
    let mut model = Model::default();
    let mut seen = Vec::new();
    for _ in 0..4 {
        seen.push(model.layer);
        model.next_layer();
    }
    assert_eq!(seen, [Layer::Rate, Layer::Mbps, Layer::Latency, Layer::Width]);
    assert_eq!(model.layer, Layer::Rate);
}
