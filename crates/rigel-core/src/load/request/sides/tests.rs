use super::*;
use crate::load::matrix::{Grid, MatrixShape, RunLevel};
use crate::load::pace::Adaptive;

fn sides() -> Sides {
    Sides { targets_of_a: 1, engine: EngineRequest::Auto, buffered: true }
}

fn named(points: Vec<Point>) -> Task {
    Task::named(RunLevel::Simple, points, Pace::Adaptive(Adaptive::default()))
}

fn request() -> Request {
    let pace = Pace::Adaptive(Adaptive::default());
    let grid = Grid::new(RunLevel::Simple, MatrixShape::Basic, 1);
    Request::new(RunLevel::Simple).paced(pace).in_turns(&grid.points, sides()).unwrap()
}

#[test]
fn every_load_is_there_once_on_each_side() {
    let request = request();
    let names: Vec<&str> = request.classes.iter().map(|class| class.name.name()).collect();
    assert_eq!(names, ["small_a", "small_b", "large_a", "large_b"]);
    assert_eq!(request.points().len(), 14);
    assert_eq!(request.check(), Ok(()));
    let pairs = request.pairs(&request.points());
    assert_eq!(pairs, (0..7).map(|load| [2 * load, 2 * load + 1]).collect::<Vec<_>>());
    for [a, b] in pairs {
        let [a, b] = [request.points()[a], request.points()[b]];
        assert_eq!((request.side_of(a), request.side_of(b)), (Some(Side::A), Some(Side::B)));
        assert_eq!((a.plain(), a.on(Side::B), b.on(Side::A)), (b.plain(), b, a));
        assert!(!request.is_buffered_at(a) && request.is_buffered_at(b));
        assert_eq!((request.used_at(a, &[7, 8, 9]), request.used_at(b, &[7, 8, 9])), (&[7][..], &[8, 9][..]));
    }
}

#[test]
fn a_side_alone_has_its_own_classes_and_way() {
    let request = request();
    let [a, b] = Side::BOTH.map(|side| request.alone(side));
    assert_eq!((a.classes.len(), a.points().len(), a.buffered, a.sides), (2, 7, false, None));
    assert_eq!((b.classes[1].name.name(), b.points().len(), b.buffered), ("large_b", 7, true));
    assert_eq!((a.check(), b.check()), (Ok(()), Ok(())));
    let plain = Request::new(RunLevel::Simple);
    assert_eq!((plain.alone(Side::A), plain.side_of(Point::pair(1, 0))), (plain.clone(), None));
    assert_eq!(plain.used_at(Point::pair(1, 0), &[1, 2]), [1, 2]);
    assert_eq!(plain.parts(&[1, 2]).len(), 1);
}

#[test]
fn sides_that_no_run_has_are_refused() {
    let wrong = |change: fn(&mut Request)| {
        let mut request = request();
        change(&mut request);
        request.check().unwrap_err().to_string()
    };
    let small = |side| Point::alone(Class::SMALL, 1).on(side);
    let three = |request: &mut Request| request.task = named(request.points()[..3].to_vec());
    assert!(wrong(three).contains("the same loads"));
    assert!(
        wrong(|request| request.sides = Some(Sides { targets_of_a: 0, ..sides() })).contains("no target")
    );
    assert!(wrong(|request| request.classes[0].side = Some(Side::B)).contains("neither side"));
    assert!(
        wrong(|request| request.set_pace(Pace::Fixed(crate::units::Nanos::from_secs(1))))
            .contains("fixed time")
    );
    let mixed = small(Side::A).with(Class::named("large_b").unwrap(), 1);
    let mut request = request();
    request.task = named(vec![mixed, mixed.on(Side::B)]);
    assert!(request.check().is_err());
    let long = Class::named("abcdefghijklmn").unwrap();
    let mut request = Request::new(RunLevel::Simple);
    request.classes[0].name = long;
    let refused = request.in_turns(&[Point::alone(long, 1)], sides()).unwrap_err().to_string();
    assert!(refused.contains("too long"), "{refused}");
}

#[test]
fn the_load_of_a_side_has_words() {
    let request = request();
    let words = |point: Point| point.side_in_words(&request.classes);
    let point = Point::pair(4, 1);
    assert_eq!(
        words(point.on(Side::B)),
        Some((Side::B, "4 outstanding small I/Os and 1 outstanding large I/O".to_owned()))
    );
    assert_eq!(words(point), None);
    assert_eq!(point.on(Side::B).named_of(&request.classes, ", "), "B: Small=4, Large=1");
    assert_eq!(point.on(Side::A).words_of(&request.classes), "A: small 4 large 1");
    let named: Vec<_> = request.classes.iter().map(|class| (class.title(), class.nouns())).collect();
    assert_eq!(named[1], ("small, B".to_owned(), "small I/Os of B".to_owned()));
    let log = LoadClass::random(Class::named("log_a").unwrap(), 8192);
    assert_eq!(
        Point::alone(log.name, 4).side_in_words(std::slice::from_ref(&log)),
        None,
        "a name alone is no side"
    );
    let tenants = ["log_a", "log_b"].map(|name| LoadClass::random(Class::named(name).unwrap(), 8192));
    let both = Point::alone(tenants[0].name, 4).with(tenants[1].name, 2);
    assert_eq!(both.side_in_words(&tenants), None, "nor are two names");
    assert_eq!((both.words_of(&tenants), tenants[0].nouns()), (both.words(), "log_a I/Os".to_owned()));
    let wrong = |request: Request| {
        let point = Point::alone(request.classes[0].name, 1);
        request.in_turns(&[point], sides()).unwrap_err().to_string()
    };
    let plain = Request::new(RunLevel::Load);
    assert!(wrong(Request { classes: vec![log.clone()], ..plain.clone() }).contains("reserved for one side"));
    let many = (0..5).map(|n| LoadClass::random(Class::named(&format!("c{n}")).unwrap(), 8192)).collect();
    assert!(wrong(Request { classes: many, ..plain }).contains("5 classes"));
}
