//! `rigel run zones` and `--span`: known answers on the simulated device, and what is refused. A real one: `clock::zones`.

use crate::support::{Place, ProgramOutput};
use serde_json::Value;

const MIB: u64 = 1 << 20;

/// What is said of the places of a class.
fn of<'a>(document: &'a Value, class: &str) -> &'a Value {
    let all = document["places"].as_array().unwrap();
    all.iter().find(|one| one["class"] == class).unwrap_or_else(|| panic!("no {class} in {all:?}"))
}

/// Where the areas of a class begin and end, and their figures.
fn areas(document: &Value, class: &str) -> Vec<[f64; 3]> {
    let areas = of(document, class)["areas"].as_array().unwrap();
    let number = |area: &Value, name: &str| area[name].as_f64().unwrap();
    let each = |area| ["from_percent", "to_percent", "value"].map(|name| number(area, name));
    areas.iter().map(each).collect()
}

fn refused(told: ProgramOutput, code: i32, parts: &[&str]) {
    let told = told.expect_code(code);
    for part in parts {
        assert!(told.stderr.contains(part), "{part}: {}", told.stderr);
    }
}

/// Four outstanding on four stations of 1,000 MiB/s and 1 ms: 2,000 MBPS at the first byte, half of that at the last.
#[test]
fn a_disk_whose_rate_falls_by_half_is_found() {
    let place = Place::new();
    let line = "run zones --engine sim:servers=4,service=1ms,rate=1000M,slope=50%,between=1% --seed 1 --json";
    let document = place.line(line).expect_code(0).json();
    let stream = of(&document, "stream");
    assert_eq!(
        (&stream["course"], &stream["figure"], &stream["places"]),
        (&"slope".into(), &"rate".into(), &16.into())
    );
    let [[from, to, first], [last_from, last_to, last]] = areas(&document, "stream")[..] else {
        panic!("{stream}")
    };
    assert_eq!([from, to, last_from, last_to], [0.0, 6.25, 93.75, 100.0]);
    // The middle of the first and of the last place.
    assert!((first / (2000.0 * (1.0 - 0.5 / 32.0)) - 1.0).abs() < 0.02, "{first}");
    assert!((last / (2000.0 * (1.0 - 0.5 * 31.0 / 32.0)) - 1.0).abs() < 0.02, "{last}");
    let says = stream["says"].as_str().unwrap();
    assert!(
        says.starts_with("The rate of stream I/O falls by 4") && says.contains("to the last place"),
        "{says}"
    );
    let random = of(&document, "random");
    assert!(
        random["says"].as_str().unwrap().starts_with("The mean latency of random I/O rises by "),
        "{random}"
    );
    let page = place.read("_report.html");
    assert!(page.contains("93.75-100 %"));
    // The picture has per cent across, in equal steps, not the numbers of the places.
    assert!(page.contains("text-anchor=\"middle\">50</text>"));
    let reached = document["verdict"]["reached"].as_str().unwrap();
    assert!(reached.contains("of stream I/O (±") && reached.contains(") at 0-6.25 %"), "{reached}");
    assert!(page.contains("at 0-6.25\u{a0}%"));
    let next = document["verdict"]["next"]["command"].as_str().unwrap();
    assert!(next.starts_with("rigel run zones") && !next.contains("sim"), "{next}");
    assert!(place.read("_ci.csv").contains("level_random") && document["verdict"]["places"][1] == says);
}

#[test]
fn an_even_device_has_no_places_and_a_step_is_one() {
    let place = Place::new();
    let run = |law: &str| {
        let line = format!("run zones --engine sim:between=1%{law} --seed 2 --json --no-html --force");
        place.line(&line).expect_code(0).json()
    };
    let even = run("");
    for class in ["random", "stream"] {
        assert_eq!(of(&even, class)["course"], "even");
    }
    let stepped = run(",region=0.5:50%:100%");
    for (class, factor) in [("random", 2.0), ("stream", 0.5)] {
        let says = of(&stepped, class)["says"].as_str().unwrap();
        assert!(says.contains("has a step at 50 % of every target"), "{says}");
        let [[0.0, 50.0, first], [50.0, 100.0, second]] = areas(&stepped, class)[..] else {
            panic!("{says}")
        };
        assert!((second / first / factor - 1.0).abs() < 0.03, "{first} {second}");
        assert!(!says.contains("changed over time"), "{says}");
    }
    let shifting = run(",region=0.5:50%:100%,fall=0.5:40s");
    let says = of(&shifting, "random")["says"].as_str().unwrap();
    assert!(says.contains("The speed also changed over time (LEVEL_SHIFT"), "{says}");
    let once = "run zones --engine sim:slope=50% --duration 200ms --seed 3 --json --no-html --force";
    let once = place.line(once).expect_code(0).json();
    assert_eq!(of(&once, "stream")["course"], Value::Null);
}

/// Places 4 and 5 of 8 are half as fast.
#[test]
fn a_slow_region_is_found_at_its_borders() {
    let place = Place::new();
    let law = "sim:servers=4,service=1ms,rate=1000M,between=1%,region=0.5:37.5%:62.5%";
    let line = format!("run zones --engine {law} --places 8 --seed 5 --no-html --json");
    let document = place.line(&line).expect_code(0).json();
    for class in ["random", "stream"] {
        let found = areas(&document, class);
        let borders: Vec<[f64; 2]> = found.iter().map(|[from, to, _]| [*from, *to]).collect();
        assert_eq!(borders, [[0.0, 37.5], [37.5, 62.5], [62.5, 100.0]], "{}", of(&document, class));
    }
}

#[test]
fn a_span_is_kept_by_every_level_and_told_everywhere() {
    // Beyond the first half every I/O takes four times as long: whoever leaves the span is slow.
    let law = "sim:servers=4,service=1ms,rate=0,region=0.25:50%:100%";
    let levels = [
        "simple",
        "normal",
        "oltp",
        "dss",
        "advanced --type seq",
        "commit --writers 1,3",
        "open --rate 500",
        "zones",
        "streams",
    ];
    for level in levels {
        let place = Place::new();
        let line = format!(
            "run {level} --span 0-50% --engine {law} --duration 200ms --cache-size 0 --seed 4 --json --force"
        );
        let line = if ["commit", "open"].iter().any(|own| level.starts_with(own)) {
            line.replace("--cache-size 0 ", "")
        } else {
            line
        };
        let document = place.line(&line).expect_code(0).json();
        let classes = document["run"]["classes"].as_object().unwrap();
        assert!(classes.values().all(|class| class["span"] == "0-50%"), "{level}");
        for point in document["points"].as_array().unwrap() {
            for (class, io) in point["classes"].as_object().unwrap() {
                // At most 80 outstanding on four stations.
                let most = 1000.0 * (io["outstanding"]["planned"].as_f64().unwrap() / 4.0).max(1.0).ceil();
                let max = io["latency_us"]["max"].as_f64().unwrap();
                let queued = point["classes"].as_object().unwrap().len() > 1 || level.starts_with("open");
                assert!(queued || max < 1.01 * most, "{level}: {class} {max} of {most} in {point}");
            }
        }
        let measured = document["verdict"]["measured"].as_str().unwrap();
        assert!(measured.contains(", on 0-50% of simulated"), "{level}: {measured}");
        let record = place.read("_record.jsonl");
        assert!(record.contains(r#""span":{"percent":[0,50]}"#), "{level}");
        assert!(place.read("_report.html").contains("on 0-50% of simulated"), "{level}");
        let plan = place.line(&format!("{line} --dry-run").replace("--json ", "")).expect_code(0).stdout;
        assert!(plan.contains("0-50%"), "{level}: {plan}");
    }
    // All of it is no span.
    let whole = Place::new().line("run simple --span 0-100% --engine sim --dry-run").expect_code(0).stdout;
    assert!(!whole.contains('%') || !whole.contains("every target"), "{whole}");
}

#[test]
fn what_is_no_place_is_refused() {
    let place = Place::new();
    place.random_file("data", 8 * MIB);
    let law = "--engine sim:size=8M";
    for (line, code, parts) in [
        ("run simple --span 50-20% data".to_owned(), 2, &["--span", "not a part of a target", "0-33%"][..]),
        ("run simple --span 0-200% data".to_owned(), 2, &["--span", "not a part of a target"]),
        ("run simple --span half data".to_owned(), 2, &["--span"]),
        ("run --load x.toml --span 0-10% data".to_owned(), 2, &["--span cannot be combined with --load"]),
        (
            format!("run simple --span 0-10% {law}"),
            2,
            &["0-10% of the target of 8 MiB cannot hold one large I/O of 1 MiB"],
        ),
        (
            format!("run zones --span 0-50% {law}"),
            2,
            &["16 places on the target of 8 MiB cannot hold one stream I/O of 1 MiB each", "fewer places"],
        ),
        ("run zones --places 2 data".to_owned(), 2, &["--places", "give 3 to 200"]),
        ("run zones --places many data".to_owned(), 2, &["--places"]),
        (
            "run simple --places 8 data".to_owned(),
            2,
            &["--places cannot be combined with the level 'simple'", "rigel run zones --places"],
        ),
        (
            "run streams --engine sim:size=4M --readers 1,64".to_owned(),
            2,
            &["one I/O of 1 MiB per reader (64 readers)", "holds 4", "fewer readers"],
        ),
        (
            "run zones --readers 2 data".to_owned(),
            2,
            &["--readers cannot be combined with the level \
            'zones'"],
        ),
        ("run zones --write 20 data".to_owned(), 2, &["--write cannot be combined", "only reads"]),
        ("run zones --num-disks 2 data".to_owned(), 2, &["--num-disks cannot be combined"]),
        ("run zones --levels auto data".to_owned(), 2, &["--levels cannot be combined"]),
        (
            "run zones --matrix basic data".to_owned(),
            2,
            &["--matrix cannot be combined with the level \
            'zones'"],
        ),
        ("run zone data".to_owned(), 2, &["did you mean `rigel run zones`?"]),
    ] {
        let told = place.line(&line);
        assert_eq!(told.code, code, "{line}: {}", told.stderr);
        refused(told, code, parts);
    }
    let told = place.line("orion -run zones");
    assert!(told.code == 2 && !told.stderr.contains("or zones"), "{}", told.stderr);
}

#[test]
fn a_load_file_says_the_same() {
    let (first, second) = (Place::new(), Place::new());
    let how =
        "--engine sim:slope=50%,spread=exponential --seed 5 --duration 200ms --cache-size 0 --no-html --json";
    let printed =
        first.line("run zones --places 5 --span 10-90% --engine sim --dry-run --as-load").expect_code(0);
    assert!(
        printed.stdout.contains("places = 5") && printed.stdout.contains("span = \"10-90%\""),
        "{}",
        printed.stdout
    );
    std::fs::write(second.path().join("zones.toml"), &printed.stdout).unwrap();
    let own = first.line(&format!("run zones --places 5 --span 10-90% {how}")).expect_code(0).json();
    let file = second.line(&format!("run --load zones.toml {how}")).expect_code(0).json();
    assert_eq!(own["points"], file["points"]);
    for (what, parts) in [
        ("places = 300", &["places", "3 to 200"][..]),
        ("places = 8\narrival = { outstanding = 2 }", &["nothing says which to measure"]),
        ("places = 8\npattern = \"log\"\nwrite = 100", &["go from place to place"]),
    ] {
        let text = format!("load = \"rigel.load/1\"\n[[class]]\nname = \"x\"\nsize = \"8K\"\n{what}\n");
        std::fs::write(second.path().join("bad.toml"), text).unwrap();
        refused(second.line("run --load bad.toml --engine sim"), 2, parts);
    }
}
