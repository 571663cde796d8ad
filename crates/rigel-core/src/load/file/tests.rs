use super::*;
use crate::facts::{HostFacts, TargetFacts};
use crate::load::class::{Arrival, Class, Figure, Pattern, Shape, Sizes, Span, Spread, Sync};
use crate::load::request::EngineRequest;
use crate::load::workload::WritePercent;
use crate::sim::SimLaw;
use proptest::prelude::*;

const HEAD: &str = "load = \"rigel.load/1\"\n";
const PAGE: &str = include_str!("../../../../../docs/reference/load-files.md");

fn class(name: &str) -> Class {
    Class::named(name).unwrap()
}

fn refused(text: &str) -> String {
    read("x.toml", text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn the_example_of_the_reference_is_what_it_says() {
    let example = PAGE.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let load = read("example.toml", example.as_bytes()).unwrap();
    let [reads, scans, log] = &load.classes[..] else { panic!("{load:?}") };
    assert_eq!(reads.sizes, Sizes::Mixed(vec![(8192, 80), (65_536, 20)]));
    assert_eq!((reads.write_percent.get(), reads.span), (10, Span::Percent(0, 25)));
    let shape = Shape::Bursty(Spread::new(4.0).unwrap());
    assert_eq!(reads.arrival, Arrival::Open { shape, most_outstanding: 256 });
    assert_eq!((scans.pattern, &scans.figure), (Pattern::Streams { ios_per_stream: 8 }, &Figure::Mbps));
    assert_eq!((log.pattern, log.sync), (Pattern::Log, Sync::Fdatasync));
    let levels: Vec<_> =
        load.phases.iter().map(|phase| (phase.time.0 / 60_000_000_000, phase.point)).collect();
    let point = |reads: u32, scans, log| {
        Point::default().with(class("reads"), reads).with(class("scans"), scans).with(class("log"), log)
    };
    assert_eq!(levels, [(10, point(2000, 2, 4)), (2, point(6000, 2, 8)), (10, point(2000, 2, 4))]);
    assert_eq!(load.points, [point(2000, 2, 4), point(6000, 2, 8)], "the same scale is the same point");
    assert_eq!(read("x", load.text("again").as_bytes()), Ok(load));
}

#[test]
fn without_points_all_classes_run_together() {
    let classes = "[[class]]\nname = \"a\"\nsize = \"8K\"\narrival = { outstanding = 16 }\n[[class]]\nname = \"b\"\nsize = { \"1M\" = 100 }\npattern = \"stream\"\narrival = { streams = 2 }\n";
    let load = read("x", format!("{HEAD}{classes}").as_bytes()).unwrap();
    assert_eq!(load.points, [Point::alone(class("a"), 16).with(class("b"), 2)]);
    assert_eq!(load.classes[1].sizes, Sizes::Fixed(1 << 20), "one size is no distribution");
    let named = format!("{HEAD}points = [{{ a = 1 }}, {{ a = 2, b = 3 }}]\n{classes}");
    let text = refused(&named);
    assert!(text.contains("its own load in addition to the points") && text.contains("x.toml:3:1"), "{text}");
    let bare = named.replace("arrival = { outstanding = 16 }", "").replace("arrival = { streams = 2 }", "");
    let load = read("x", bare.as_bytes()).unwrap();
    assert_eq!(load.points, [Point::alone(class("a"), 1), Point::alone(class("a"), 2).with(class("b"), 3)]);
}

/// What is wrong, where, and what the message says about it. `@` is the rest of a good class.
#[test]
fn what_is_wrong_is_told_with_its_place_and_what_is_right() {
    let good = "name = \"a\"\nsize = \"8K\"\n";
    let class = |keys: &str| format!("{HEAD}[[class]]\n{keys}");
    let cases: &[(String, &str, &[&str])] = &[
        (String::new(), "1:1", &["no 'load'", "load = \"rigel.load/1\""]),
        ("load = 1".into(), "1:8", &["'load' is 1"]),
        ("load = \"rigel.load/2\"".into(), "1:8", &["write \"rigel.load/1\""]),
        ("load = ".into(), "1:8", &["not valid TOML"]),
        ("load = \"rigel.load/1\"\nx".into(), "2:2", &["not valid TOML"]),
        (HEAD.into(), "1:1", &["no 'class'", "[[class]]"]),
        (format!("{HEAD}classes = 1"), "2:1", &["no key 'classes'", "did you mean 'class'?"]),
        (format!("{HEAD}class = []"), "1:1", &["no class"]),
        (format!("{HEAD}class = 3"), "2:9", &["'class' is 3", "[[class]]"]),
        (
            class("name = \"a\"\nsise = \"8K\"\n"),
            "4:1",
            &["no key 'sise'", "did you mean 'size'?", "stream_ios"],
        ),
        (class("size = \"8K\"\n"), "2:", &["a class has no 'name'"]),
        (class("name = \"a\"\n"), "2:", &["a class has no 'size'"]),
        (class("name = \"A b\"\nsize = \"8K\"\n"), "3:8", &["lowercase letters"]),
        (class("name = \"a\"\nsize = 8\n"), "4:8", &["'size' is 8", "\"8K\""]),
        (class("name = \"a\"\nsize = \"8X\"\n"), "4:8", &["\"8X\""]),
        (class("name = \"a\"\nsize = { \"8K\" = 80, \"64K\" = 10 }\n"), "4:8", &["add up to 90 per cent"]),
        (class("name = \"a\"\nsize = { \"8K\" = 80, \"64Q\" = 20 }\n"), "4:29", &["'64Q' is not a size"]),
        (class("name = \"a\"\nsize = { \"8K\" = 50, \"8192\" = 50 }\n"), "2:", &["appears twice"]),
        (class(&format!("{good}pattern = \"randon\"\n")), "5:11", &["did you mean \"random\"?"]),
        (class(&format!("{good}stream_ios = 4\n")), "5:14", &["depth of a stream"]),
        (class(&format!("{good}write = 101\n")), "5:9", &["from 0 to 100"]),
        (class(&format!("{good}write = 0.5\n")), "5:9", &["'write' is 0.5"]),
        (class(&format!("{good}sync = \"fsync\"\n")), "5:8", &["\"fdatasync\""]),
        (class(&format!("{good}span = \"50-25%\"\n")), "5:8", &["\"0-25%\""]),
        (class(&format!("{good}unit = \"a<b\"\n")), "2:", &["not a word"]),
        (class(good), "2:", &["nothing says how much of class 'a'", "outstanding = 4"]),
        (class(&format!("{good}arrival = 5\n")), "5:11", &["{ outstanding = 16 }"]),
        (class(&format!("{good}arrival = {{ rat = 5 }}\n")), "5:13", &["did you mean 'rate'?"]),
        (class(&format!("{good}arrival = {{ rate = 0 }}\n")), "5:20", &["whole number from 1"]),
        (
            class(&format!("{good}arrival = {{ rate = 5, outstanding = 1 }}\n")),
            "5:20",
            &["'rate' cannot be combined"],
        ),
        (
            class(&format!("{good}arrival = {{ streams = 1 }}\n")),
            "5:23",
            &["counts its I/Os", "outstanding = 4"],
        ),
        (
            class(&format!("{good}arrival = {{ rate = 9, shape = \"poison\" }}\n")),
            "5:31",
            &["did you mean \"poisson\"?"],
        ),
        (
            class(&format!("{good}arrival = {{ rate = 9, shape = {{ bursty = 1 }} }}\n")),
            "5:42",
            &["from 1.01"],
        ),
        (class(&format!("{good}arrival = {{ max_outstanding = 9 }}\n")), "5:11", &["without a number"]),
    ];
    for (text, place, parts) in cases {
        let told = refused(text);
        assert!(told.contains(&format!("x.toml:{place}")), "{text}\n{told}");
        parts.iter().for_each(|part| assert!(told.contains(part), "{text}\n{told}"));
    }
}

#[test]
fn points_and_phases_are_checked() {
    let class = "[[class]]\nname = \"reads\"\nsize = \"8K\"\n";
    let with = |points: &str| refused(&format!("{HEAD}{points}\n{class}"));
    for (points, part) in [
        ("points = 3", "a list of points"),
        ("points = []", "is empty"),
        ("points = [ 3 ]", "'points' is 3"),
        ("points = [ {} ]", "without load"),
        ("points = [ { reads = 0 } ]", "without load"),
        ("points = [ { read = 1 } ]", "did you mean 'reads'?"),
        ("points = [ { reads = 70000 } ]", "from 0 to 65535"),
        ("points = [ { reads = 1 } ]\nlayout = \"raid5\"", "raid0"),
        ("points = [ { reads = 1 } ]\nlayout = { raid0 = \"0\" }", "stripe depth"),
        ("points = [ { reads = 1 } ]\n[[phase]]\nfor = \"1m\"", "phases cannot be combined with points"),
    ] {
        let text = with(points);
        assert!(text.contains(part) && text.contains("x.toml:2:") | text.contains("x.toml:3:"), "{text}");
    }
    let two = format!("{class}[[class]]\nname = \"reads\"\nsize = \"8K\"\n");
    assert!(refused(&format!("{HEAD}{two}")).contains("two classes are named 'reads'"));
    let closed = format!("{class}arrival = {{ outstanding = 10 }}\n");
    let phase = |keys: &str| refused(&format!("{HEAD}{closed}[[phase]]\n{keys}"));
    for (keys, part) in [
        ("scale = 2", "a phase has no 'for'"),
        ("for = 10", "\"10m\""),
        ("for = \"10\"", "\"10m\""),
        ("for = \"0.5s\"", "too short to measure"),
        ("for = \"1m\"\nscale = 0", "without load"),
        ("for = \"1m\"\nscale = -1", "a factor from 0"),
        ("for = \"1m\"\nscale = nan", "a factor from 0"),
        ("for = \"1m\"\nscale = { read = 2 }", "did you mean 'reads'?"),
        ("for = \"1m\"\nscale = 1e300", "a factor from 0"),
        ("for = \"1m\"\nsclae = 1", "did you mean 'scale'?"),
    ] {
        let text = phase(keys);
        assert!(text.contains(part) && text.contains("x.toml:"), "{text}");
    }
    let many = closed.replace("10 }", "60000 }");
    let text = refused(&format!("{HEAD}{many}[[phase]]\nfor = \"1m\"\nscale = 1.5"));
    assert!(text.contains("1.5 times 60000 is more than 65535") && text.contains("x.toml:8:9"), "{text}");
}

#[test]
fn a_scale_rounds_and_leaves_at_least_one() {
    let text = format!(
        "{HEAD}[[class]]\nname = \"a\"\nsize = \"8K\"\narrival = {{ outstanding = 3 }}\n[[phase]]\nfor = \"1m\"\nscale = 0.5\n[[phase]]\nfor = \"1m\"\nscale = {{ a = 0.01 }}\n[[phase]]\nfor = \"90s\"\n"
    );
    let load = read("x", text.as_bytes()).unwrap();
    let levels: Vec<u32> = load.phases.iter().map(|phase| phase.point.of(class("a"))).collect();
    assert_eq!(levels, [2, 1, 3]);
}

#[test]
fn phases_set_the_pace() {
    let text = format!(
        "{HEAD}[[class]]\nname = \"a\"\nsize = \"8K\"\narrival = {{ outstanding = 3 }}\n[[phase]]\nfor = \"20m\"\n[[phase]]\nfor = \"10m\"\nscale = 2\n[[phase]]\nfor = \"5m\"\n"
    );
    let load = read("x", text.as_bytes()).unwrap();
    let asked = |pace| Request {
        engine: EngineRequest::Sim(SimLaw::default()),
        ..Request::new(RunLevel::Load).paced(pace)
    };
    let adaptive = Adaptive::default();
    let limit = |minutes: u64| {
        Pace::Adaptive(Adaptive { max_duration: Some(Nanos::from_secs(60 * minutes)), ..adaptive })
    };
    let told = |pace| load.clone().request(asked(pace)).unwrap_err().to_string();
    assert!(told(limit(34)).contains("allowed for the run"));
    assert!(told(Pace::Fixed(Nanos::from_secs(60))).contains("--duration"));
    assert!(told(Pace::Adaptive(Adaptive { fast: true, ..adaptive })).contains("--fast"));
    let request = load.clone().request(asked(limit(35))).unwrap();
    let plan = Plan::new(&request, &HostFacts::default(), &[TargetFacts::simulated(1 << 30)]).unwrap();
    let phases: Vec<_> =
        plan.phases.iter().map(|phase| (phase.step, phase.measure.0 + phase.settle.0)).collect();
    let minutes = |minutes: u64| minutes * 60_000_000_000;
    assert_eq!(phases, [(0, minutes(20)), (1, minutes(10)), (0, minutes(5))]);
    assert_eq!((plan.steps.len(), plan.known_time().0), (2, minutes(35)));
    assert_eq!(LoadFile::of(&request, &plan), Ok(load));
}

/// The keys of the schema are those of the reader.
#[test]
fn the_schema_knows_the_same_keys() {
    let document = schema::document();
    let keys = |value: &serde_json::Value| -> std::collections::BTreeSet<String> {
        value["properties"].as_object().unwrap().keys().cloned().collect()
    };
    let set = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect();
    assert_eq!(keys(&document), set(&KEYS));
    let properties = &document["properties"];
    assert_eq!(keys(&properties["class"]["items"]), set(&class::KEYS));
    assert_eq!(keys(&properties["class"]["items"]["properties"]["arrival"]), set(&class::ARRIVAL_KEYS));
    assert_eq!(keys(&properties["phase"]["items"]), set(&phases::KEYS));
}

#[test]
fn what_is_no_text_is_told_with_its_place() {
    let text = read("x.toml", b"load = \"rigel.load/1\"\nx\xff").unwrap_err().to_string();
    assert!(text.contains("not UTF-8 text") && text.contains("x.toml:2:2"), "{text}");
    assert!(refused(&"[".repeat(100_000)).contains("not valid TOML"));
}

fn any_class() -> impl Strategy<Value = LoadClass> {
    let sizes = prop_oneof![
        (1u64..1000).prop_map(|blocks| Sizes::Fixed(blocks * 512)),
        (1u64..1000, 1u8..100).prop_map(|(blocks, share)| Sizes::Mixed(vec![
            (blocks * 512, share),
            ((blocks + 1) * 512, 100 - share)
        ])),
    ];
    let arrival = prop_oneof![
        Just(Arrival::Closed),
        (1u32..2000).prop_map(|most_outstanding| Arrival::Open { shape: Shape::Even, most_outstanding }),
        (101u32..=100_000).prop_map(|hundredths| {
            let shape = Shape::Bursty(Spread::new(f64::from(hundredths) / 100.0).unwrap());
            Arrival::Open { shape, most_outstanding: 1024 }
        }),
    ];
    let figure = prop_oneof![
        Just(Figure::Mbps),
        Just(Figure::Rate("IOPS".into())),
        Just(Figure::Rate("commits/s".into()))
    ];
    (sizes, arrival, figure, 0u8..=100, 0u8..50, any::<bool>(), 1u32..9).prop_map(
        |(sizes, arrival, figure, write, from, in_streams, ios_per_stream)| {
            let mixed = matches!(sizes, Sizes::Mixed(_));
            let arrival = match arrival {
                // Streams at a rate have whole streams outstanding.
                Arrival::Open { shape, most_outstanding } if in_streams && !mixed => Arrival::Open {
                    shape,
                    most_outstanding: most_outstanding.div_ceil(ios_per_stream) * ios_per_stream,
                },
                arrival => arrival,
            };
            LoadClass {
                sizes,
                arrival,
                figure: if mixed { Figure::Rate("IOPS".into()) } else { figure },
                pattern: if in_streams && !mixed {
                    Pattern::Streams { ios_per_stream }
                } else {
                    Pattern::Random
                },
                write_percent: WritePercent::new(write).unwrap(),
                verify: write % 2 == 1,
                span: if from == 0 { Span::Whole } else { Span::Percent(from, 100 - from) },
                sync: if write > 50 { Sync::Dsync } else { Sync::None },
                ..LoadClass::random(Class::SMALL, 512)
            }
        },
    )
}

proptest! {
    /// What is written is read as the same.
    #[test]
    fn written_and_read_again(
        classes in proptest::collection::vec(any_class(), 1..4),
        levels in proptest::collection::vec(0u32..2000, 1..9),
        phased: bool,
        stripe in 0u64..4,
    ) {
        let mut classes = classes;
        for (number, class) in classes.iter_mut().enumerate() {
            class.name = Class::named(&format!("c{number}")).unwrap();
        }
        let mut points: Vec<Point> = Vec::new();
        for (index, &level) in (1_u32..).zip(&levels) {
            let every = |point: Point, class: &LoadClass| point.with(class.name, (level * index) % 3000);
            let point = classes.iter().fold(Point::default(), every).with(classes[0].name, level + 1);
            if !points.contains(&point) {
                points.push(point);
            }
        }
        let phase = |&point: &Point| Phase {
            time: Nanos::from_secs(1 + u64::from(point.of(class("c0")))),
            point,
            shape: [None, Some(Shape::Even), Spread::new(6.25).map(Shape::Bursty)][usize::try_from(stripe % 3).unwrap()],
        };
        let phases = if phased { points.iter().map(phase).collect() } else { Vec::new() };
        let layout = if stripe == 0 { Layout::Concat } else { Layout::Raid0 { stripe_bytes: stripe << 19 } };
        let node_share = if phased { vec![2, 1] } else { Vec::new() };
        let what_if = if phased { vec!["a \"node\" fails: C:\\".to_owned()] } else { Vec::new() };
        let load = LoadFile { classes, points, layout, phases, node_share, what_if };
        let text = load.text("a test");
        prop_assert_eq!(read("x", text.as_bytes()), Ok(load), "{}", text);
    }
}

/// What is assumed can be read again, however long the names of files are and however many there are.
#[test]
fn what_is_assumed_stays_within_what_is_read() {
    let text =
        format!("{HEAD}[[class]]\nname = \"reads\"\nsize = \"8K\"\narrival = {{ outstanding = 16 }}\n");
    let mut load = read("x", text.as_bytes()).unwrap();
    let sentences: Vec<String> =
        (0..400).map(|at| format!("What if: with the load of {at}{}", "ä".repeat(at * 10))).collect();
    load.assume(sentences.clone());
    assert_eq!((load.what_if.len(), &load.what_if[7]), (256, &sentences[7]));
    assert_eq!(load.what_if[255], "What if: 145 more assumptions");
    assert!(load.what_if[254].ends_with("ä ..") && load.what_if[254].len() > 4000);
    assert_eq!(read("x", load.text("again").as_bytes()).unwrap(), load);
    load.assume(sentences[..256].to_vec());
    assert_eq!(load.what_if.len(), 256);
}
