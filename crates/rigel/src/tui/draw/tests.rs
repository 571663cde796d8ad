use super::super::judge::{About, Figures, Judgement, PointSoFar, ShownFlag};
use super::super::message::{Digest, LastVisit, Message};
use super::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::Color;
use rigel_core::event::{Activity, LiveFigures, Saturation, VisitPosition};
use rigel_core::judge::flags::FlagCode;
use rigel_core::load::class::{Class, LoadClass};
use rigel_core::load::matrix::Point;
use rigel_core::load::sides::Side;
use rigel_core::record::Purpose;
use rigel_core::stats::forecast::TimeRange;
use rigel_core::units::NS_PER_S;

const UNICODE: Theme = Theme { colour: true, ascii: false };
const ASCII: Theme = Theme { colour: false, ascii: true };

fn apply(model: &mut Model, messages: impl IntoIterator<Item = Message>) {
    messages.into_iter().for_each(|message| model.apply(message));
}

/// A run over these levels that has judged the points before `visited`, with small I/O up to 100k and large up to 1000.
fn run(small: &[u32], large: &[u32], visited: usize) -> Model {
    let points: Vec<Point> = large
        .iter()
        .flat_map(|&large| small.iter().map(move |&small| Point::pair(small, large)))
        .filter(|point| point.small() + point.large() > 0)
        .collect();
    let rate = |level: u32, most: f64| most * f64::from(level) / f64::from(level + 4);
    let figures = |level, most, place: usize| {
        let half_width = (place % 5 != 4).then(|| 0.01 * f64::from(u32::try_from(place % 13).unwrap() + 1));
        Figures { rate: rate(level, most), latency_us: Some(40.0 * f64::from(level + 4)), half_width }
    };
    let judged = points.iter().take(visited).enumerate().map(|(place, &point)| PointSoFar {
        point,
        ios: point
            .classes()
            .map(|(class, level)| {
                (class, figures(level, if class == Class::SMALL { 1e5 } else { 1000.0 }, place))
            })
            .collect(),
        invalid: place == 2,
        reached: place % 13 < 5,
    });
    let flag = |code, place: &str, text: &str, invalid| {
        let (place, text) = (place.to_owned(), text.to_owned());
        ShownFlag { about: About::Points, place, code, text, invalid }
    };
    let cache = "2.1 % of the reads were answered in less than 12 us, which no medium does";
    let flags = vec![
        flag(FlagCode::Cache, "small 3 large 0", cache, true),
        flag(FlagCode::Foreign, "17 points", "small 2 large 2: others used 1.87 of a core on average", false),
    ];
    let at =
        VisitPosition { step: 0, point: points[visited.min(points.len() - 1)], purpose: Purpose::Round(1) };
    let mut model = Model::default();
    apply(
        &mut model,
        [Message::Begun {
            title: "mytest_20260101_1200  normal, io_uring, 2 workers".to_owned(),
            target: Some(0.05),
            points: points.clone(),
            classes: LoadClass::pair(8192, 1 << 20),
            takes_marks: false,
        }],
    );
    apply(
        &mut model,
        points.iter().take(visited).map(|&point| {
            Message::Finished(LastVisit {
                at: VisitPosition { step: 0, point, purpose: Purpose::Round(0) },
                ios: point.classes().map(|(class, _)| (class, Digest::default())).collect(),
            })
        }),
    );
    apply(&mut model, [Message::JudgedRun(Box::new(Judgement { points: judged.collect(), flags }))]);
    apply(
        &mut model,
        [0.31, 0.124, 0.073].map(|widest| Message::Looked { done: 12, points: points.len(), widest }),
    );
    apply(&mut model, [Message::Started { at }]);
    apply(
        &mut model,
        (0..30_u32).map(|tick| {
            let live = wave(tick);
            let elapsed_ns = 12 * NS_PER_S + u64::from(tick) * NS_PER_S / 10;
            let left = TimeRange::exactly(250 * NS_PER_S);
            Message::Tick { at, activity: Activity::Measure, elapsed_ns, left, live }
        }),
    );
    model
}

fn wave(tick: u32) -> LiveFigures {
    let wave = f64::from(100 + 10 * (tick % 7));
    LiveFigures {
        per_s: [(Class::SMALL, 100.0 * wave), (Class::LARGE, wave)].into(),
        ..LiveFigures::default()
    }
}

fn terminal(model: &Model, theme: Theme, (width, height): (u16, u16)) -> Terminal<TestBackend> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(model, theme, frame.area(), frame.buffer_mut())).unwrap();
    terminal
}

/// The characters, without blanks at the ends of lines.
fn picture(model: &Model, theme: Theme, size: (u16, u16)) -> String {
    let terminal = terminal(model, theme, size);
    let cells = terminal.backend().buffer().content().chunks(usize::from(size.0));
    let line = |cells: &[ratatui::buffer::Cell]| {
        let line: String = cells.iter().map(ratatui::buffer::Cell::symbol).collect();
        line.trim_end().to_owned() + "\n"
    };
    cells.map(line).collect()
}

#[test]
fn the_smallest_terminal() {
    let model = run(&[0, 1, 2, 3, 4, 5], &[0, 1, 2], 9);
    insta::assert_snapshot!(picture(&model, UNICODE, LEAST));
}

#[test]
fn the_smallest_terminal_in_ascii() {
    let model = run(&[0, 1, 2, 3, 4, 5], &[0, 1, 2], 9);
    let picture = picture(&model, ASCII, LEAST);
    assert!(picture.is_ascii(), "{picture}");
    insta::assert_snapshot!(picture);
}

#[test]
fn a_large_terminal() {
    let small: Vec<u32> = [0, 1].into_iter().chain((2..=40).step_by(2)).collect();
    let large: Vec<u32> = (0..=16).collect();
    insta::assert_snapshot!(picture(&run(&small, &large, 200), UNICODE, (140, 45)));
}

#[test]
fn a_large_matrix_on_a_small_terminal_shows_where_the_run_is() {
    let small: Vec<u32> = [0, 1].into_iter().chain((2..=40).step_by(2)).collect();
    let large: Vec<u32> = (0..=16).collect();
    insta::assert_snapshot!(picture(&run(&small, &large, 200), UNICODE, LEAST));
}

#[test]
fn every_layer_has_its_numbers() {
    let mut model = run(&[0, 1, 2, 3], &[0, 1], 5);
    let mut rows = String::new();
    for _ in 0..4 {
        let picture = picture(&model, ASCII, LEAST);
        let matrix: Vec<&str> = picture.lines().skip(2).take(4).collect();
        rows += &(matrix.join("\n") + "\n");
        model.next_layer();
    }
    insta::assert_snapshot!(rows);
}

#[test]
fn before_anything_is_known_and_while_it_ends() {
    let mut model = Model::default();
    let empty = picture(&model, UNICODE, LEAST);
    assert!(
        empty.contains("the points are not known yet") && empty.contains("time left not known yet"),
        "{empty}"
    );
    model = run(&[1, 2], &[0], 2);
    model.stopping = true;
    let ending = picture(&model, UNICODE, LEAST);
    assert!(ending.contains("q again stops at once"), "{ending}");
}

/// What is said about a flag is read, not guessed.
#[test]
fn flags_are_whole_and_what_has_no_room_is_counted() {
    let mut model = run(&[0, 1, 2, 3, 4, 5], &[0, 1, 2], 9);
    let told = |model: &Model, size| {
        let picture = picture(model, UNICODE, size);
        let (_, flags) = picture.split_once("Flags so far").unwrap();
        let words = flags.replace('│', " ");
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let whole = "which no medium does)";
    let other = "17 points: FOREIGN (small 2 large 2: others used 1.87 of a core on average)";
    let all = told(&model, LEAST);
    assert!(all.contains(whole) && all.contains(other) && !all.contains("not fully shown"), "{all}");
    // Saturation is no warning; it comes last.
    let at = |level, is_reached| Some(Saturation { level, is_reached });
    model.levels = vec![(Class::SMALL, at(8, true)), (Class::LARGE, at(2, false)), (Class::LARGE, None)];
    let all = told(&model, (80, 30));
    let place = |text: &str| all.find(text).unwrap();
    assert!(place("CACHE") < place("FOREIGN") && place("FOREIGN") < place("saturates at 8"), "{all}");
    let some = told(&model, LEAST);
    assert!(some.contains(whole) && some.contains("saturates at 8"), "{some}");
    assert!(some.contains(".. 2 of 5 not fully shown"), "{some}");
}

#[test]
fn units_stand_in_headings_only() {
    let mut model = run(&[0, 1, 2, 3, 4, 5], &[0, 1, 2], 9);
    model.layer = crate::tui::model::Layer::Width;
    let picture = picture(&model, UNICODE, LEAST);
    let signs = |line: &str| line.contains('%') || line.contains('±');
    let with: Vec<&str> = picture.lines().filter(|line| signs(line)).collect();
    // The titles of the matrix and of the intervals, and the text of a flag.
    assert_eq!(with.len(), 3, "{picture}");
    assert!(with[1].contains("Intervals in ±%: 5.0 requested"), "{picture}");
}

#[test]
fn a_page_of_help_tells_keys_and_columns() {
    for (theme, size) in [(UNICODE, LEAST), (ASCII, LEAST), (UNICODE, (140, 45))] {
        let mut model = run(&[0, 1, 2, 3, 4, 5], &[0, 1, 2], 9);
        assert!(picture(&model, theme, size).lines().last().unwrap().contains("?  help"), "{size:?}");
        model.help = true;
        let picture = picture(&model, theme, size);
        for text in
            ["Ctrl+C", "Tab", "Matrix", "Now", "Intervals", "must not be used", "Time left", "?  help"]
        {
            assert!(picture.contains(text), "{text}: {picture}");
        }
        assert!(!theme.ascii || picture.is_ascii(), "{picture}");
    }
    let mut model = run(&[1, 2], &[0], 2);
    model.help = true;
    insta::assert_snapshot!(picture(&model, ASCII, LEAST));
}

#[test]
fn a_terminal_that_is_too_small_says_so() {
    let model = run(&[1, 2], &[0], 2);
    for size in [(79, 24), (80, 23), (200, 10), (20, 60), (1, 1)] {
        let picture = picture(&model, UNICODE, size);
        assert!(size.0 < 60 || picture.contains("needs 80 columns and 24 lines"), "{picture}");
    }
}

#[test]
fn every_shape_has_room_on_every_terminal() {
    let levels = |count: u32| (1..=count).collect::<Vec<u32>>();
    for small in [levels(1), levels(7), levels(21), levels(300)] {
        for large in [vec![0], levels(3), levels(40)] {
            let model = run(&small, &large, small.len());
            for size in [LEAST, (81, 25), (140, 45), (300, 100)] {
                let picture = picture(&model, UNICODE, size);
                assert!(picture.contains("left") && picture.contains(" q  end"), "{size:?}: {picture}");
                assert!(
                    picture.contains("Flags so far: 2") && picture.contains("CACHE"),
                    "{size:?}: {picture}"
                );
            }
        }
    }
}

#[test]
fn no_color_means_none() {
    let model = run(&[0, 1, 2, 3, 4, 5], &[0, 1, 2], 9);
    let has_colour = |theme: Theme| {
        let terminal = terminal(&model, theme, LEAST);
        let cells = terminal.backend().buffer().content();
        cells.iter().any(|cell| cell.fg != Color::Reset || cell.bg != Color::Reset)
    };
    assert!(has_colour(UNICODE));
    assert!(!has_colour(Theme { colour: false, ascii: false }));
}

#[test]
fn of_two_sides_the_one_that_is_measured_is_named() {
    let small = |side| Class::SMALL.on(side).unwrap();
    let class = |side| LoadClass { side: Some(side), ..LoadClass::random(small(side), 8192) };
    let classes = Side::BOTH.map(class).to_vec();
    let points: Vec<Point> = Side::BOTH.map(|side| Point::alone(Class::SMALL, 4).on(side)).to_vec();
    let mut model = Model::default();
    let title = "versus_20260101_1200".to_owned();
    let at = VisitPosition { step: 1, point: points[1], purpose: Purpose::Round(1) };
    apply(
        &mut model,
        [
            Message::Begun { title, target: Some(0.02), points, classes, takes_marks: false },
            Message::Started { at },
        ],
    );
    let picture = picture(&model, UNICODE, LEAST);
    assert!(picture.contains("Now: B: 4 outstanding small I/Os"), "{picture}");
}
