//! Reports in their documented forms. Figures are the totals of the files, divided by the seconds of their intervals elsewhere.

use crate::read::tests::{Tables, file, try_read};
use crate::read::{Format, Options, ReaderNotes};
use crate::{Metric, Source, Table};
use jiff::tz::TimeZone;
use rigel_core::error::Problem;

fn read(bytes: &[u8]) -> Result<(Format, ReaderNotes, Tables), Problem> {
    try_read(bytes, Options::utc(), 1 << 16)
}

/// The only table, with what it is of.
fn only(tables: &Tables) -> (String, Source, &Table) {
    let (key, table) = tables.iter().next().unwrap();
    assert_eq!(tables.len(), 1, "{tables:?}");
    (format!("{} {}", key.host, key.subject.name), key.source, table)
}

fn values(table: &Table) -> Vec<(Metric, f64)> {
    table.columns().map(|(metric, values)| (metric, values[0])).collect()
}

fn check(name: &str, who: &str, source: Source, span: (i64, u32), expected: [f64; 7]) {
    let (format, notes, tables) = read(&file(name)).unwrap();
    let (told, from, table) = only(&tables);
    assert_eq!((told.as_str(), from), (who, source), "{name}");
    assert!([Format::AwrReport, Format::StatspackReport].contains(&format), "{name}");
    assert_eq!(
        (table.spans()[0].start_ms, table.spans()[0].length_ms, table.spans().len()),
        (span.0, span.1, 1)
    );
    let metrics = [
        Metric::ReadOps,
        Metric::WriteOps,
        Metric::ReadBytes,
        Metric::WriteBytes,
        Metric::RedoBytes,
        Metric::RedoOps,
        Metric::Commits,
    ];
    for (metric, expected) in metrics.into_iter().zip(expected) {
        let found = table.column(metric).unwrap()[0];
        assert!((found / expected - 1.0).abs() < 1e-12, "{name} {metric:?}: {found} is not {expected}");
    }
    assert!(notes.notes.is_empty() && notes.unusable == 0, "{name}: {notes:?}");
    let problem = try_read(&file(name), Options::default(), 77).unwrap_err();
    assert!(problem.to_string().contains("--zone"), "{name}: {problem}");
}

#[test]
fn reports_of_all_releases_have_the_exact_totals_of_the_instance() {
    check(
        "awr-19c.txt",
        "rac2.example.com PROD/2",
        Source::Awr,
        (1_795_921_212_000, 3_601_000),
        [
            2_041.133_851_707_858_9,
            453.543_737_850_597_04,
            42_043_209.437_378_5,
            9_616_265.988_336_572,
            2_742_722.358_233_824,
            27.412_385_448_486_532,
            12.000_833_101_916_134,
        ],
    );
    check(
        "awr-12.2.html",
        "rac1.example.com PROD",
        Source::Awr,
        (1_795_921_212_000, 3_600_000),
        [
            1_138.978_055_555_555_6,
            250.592_777_777_777_77,
            27_309_015.751_111_113,
            5_368_709.12,
            1_423_182.441_111_111,
            19.500_277_777_777_78,
            8.615_833_333_333_333,
        ],
    );
    check(
        "awr-10.2-german.txt",
        "lagerdb LAGER",
        Source::Awr,
        (1_798_500_603_000, 1_830_000),
        [
            1_234_567.0 / 1830.0,
            98_765.0 / 1830.0,
            9_437_184_000.0 / 1830.0,
            1_610_612_736.0 / 1830.0,
            225_925_907.0 / 1830.0,
            7_321.0 / 1830.0,
            18_208.0 / 1830.0,
        ],
    );
    check(
        "statspack-11.2.txt",
        "shopdb SHOP",
        Source::Statspack,
        (1_795_939_201_000, 900_000),
        [201.0, 50.5, 2_097_152.0, 524_288.0, 81_920.5, 9.0, 19.9],
    );
}

fn text(name: &str) -> String {
    String::from_utf8(file(name)).unwrap()
}

#[test]
fn profiles_stand_in_for_totals_that_are_missing() {
    let report = text("awr-19c.txt");
    let without = report.split("Key Instance Activity").next().unwrap().to_owned() + "End of Report\n";
    let (_, notes, tables) = read(without.as_bytes()).unwrap();
    let expected = [
        (Metric::ReadOps, 2041.1),
        (Metric::WriteOps, 453.5),
        (Metric::ReadBytes, 40.1 * 1_048_576.0),
        (Metric::WriteBytes, 9.2 * 1_048_576.0),
        (Metric::Commits, 12.0),
        (Metric::RedoBytes, 2_742_722.4),
        (Metric::RedoOps, 27.4),
    ];
    assert_eq!(values(only(&tables).2), expected);
    assert!(notes.notes.is_empty());
    // Only what the database does to its files is left: it is said.
    let load = without
        .split("IO Profile")
        .next()
        .unwrap()
        .replace("Rollbacks:               0.0", "Rollbacks:               2.0");
    let (_, notes, tables) = read(load.as_bytes()).unwrap();
    let found = values(only(&tables).2);
    assert_eq!(found[..2], [(Metric::ReadOps, 2003.4), (Metric::WriteOps, 374.9)]);
    assert!(found.contains(&(Metric::Commits, 10.0)), "{found:?}");
    assert_eq!(notes.notes.len(), 2, "cut off, and without the I/O of others: {notes:?}");
    // Too long for its column.
    let long = report.replace("        1,633,211          453.5", "  ###############  #############");
    let (_, notes, tables) = read(long.as_bytes()).unwrap();
    assert!(notes.unusable == 1 && values(only(&tables).2).contains(&(Metric::WriteOps, 453.5)), "{notes:?}");
    // The total alone is: what it is in a second is the same.
    let long = report.replace("        1,633,211          453.5", "       1.6332E+06          453.5");
    let (_, notes, tables) = read(long.as_bytes()).unwrap();
    assert!(notes.unusable == 0 && values(only(&tables).2).contains(&(Metric::WriteOps, 453.5)), "{notes:?}");
    // Blocks of older releases.
    let old = text("awr-10.2-german.txt");
    let (_, _, tables) = read(old.split("Instance Activity").next().unwrap().as_bytes()).unwrap();
    let found = values(only(&tables).2);
    assert!(found.contains(&(Metric::ReadBytes, 512.25 * 8192.0)), "{found:?}");
    assert!(found.contains(&(Metric::WriteBytes, 64.5 * 8192.0)), "{found:?}");
}

#[test]
fn a_report_that_is_cut_anywhere_gives_what_is_complete_or_says_why_not() {
    for name in ["awr-19c.txt", "awr-12.2.html", "awr-10.2-german.txt", "statspack-11.2.txt"] {
        let bytes = file(name);
        let whole = values(only(&read(&bytes).unwrap().2).2);
        let mut counts = Vec::new();
        for end in (60..bytes.len()).step_by(7) {
            match read(&bytes[..end]) {
                Err(problem) => {
                    assert_eq!(problem.kind.code(), 2);
                    assert!(counts.is_empty(), "{name} {end}: {problem}: more of a report says less");
                }
                Ok((_, notes, tables)) => {
                    let found = values(only(&tables).2);
                    for (metric, value) in &found {
                        let exact = whole.iter().find(|(other, _)| other == metric).unwrap().1;
                        // Rates of the database alone are lower, as a note says; none is higher.
                        assert!(
                            *value <= exact * 1.06 && *value > exact * 0.4,
                            "{name} {end} {metric:?} {value} {exact}"
                        );
                    }
                    let says = notes.notes.iter().any(|note| note.contains("cut off"));
                    assert!(says || end + 60 > bytes.len(), "{name} {end}");
                    counts.push(found.len());
                }
            }
        }
        assert!(counts.is_sorted() && counts.last() == Some(&7), "{name}: {counts:?}");
    }
}

#[test]
fn pieces_of_any_size_and_several_reports_in_a_file_are_the_same() {
    for name in ["awr-19c.txt", "awr-12.2.html"] {
        let bytes = file(name);
        let whole = read(&bytes).unwrap();
        for size in [1, 7, 1_000] {
            assert_eq!(try_read(&bytes, Options::utc(), size).unwrap(), whole, "{name} {size}");
        }
        let next = text(name)
            .replace("29-Nov-26 04:00", "29-Nov-26 05:00")
            .replace("29-Nov-26 03:00", "29-Nov-26 04:00");
        let both = [&bytes[..], next.as_bytes()].concat();
        let (_, notes, tables) = read(&both).unwrap();
        let (_, _, table) = only(&tables);
        assert_eq!((table.spans().len(), notes.values), (2, 14), "{name}");
        // Spooled twice: nothing is new.
        assert_eq!(read(&[&bytes[..], &bytes[..]].concat()).unwrap().2, whole.2, "{name}");
    }
}

fn problem(text: &str) -> String {
    read(text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn what_is_no_interval_of_one_instance_is_refused_with_its_reason() {
    let report = text("awr-19c.txt");
    let restarted = problem(&report.replace("14-Nov-26 21:07", "29-Nov-26 03:31"));
    assert!(restarted.contains("was restarted between the two snapshots"), "{restarted}");
    let same_minute = report.replace("14-Nov-26 21:07", "29-Nov-26 03:00");
    assert!(read(same_minute.as_bytes()).is_ok(), "the minute of the start may be that of the begin");
    let contradiction = problem(&report.replace("60.02 (mins)", "20.02 (mins)"));
    assert!(contradiction.contains("contradicts its snapshots"), "{contradiction}");
    let two = problem(&report.replace("1,203.8", "1.203,8").replace("2,742,722.4", "2.742.722,4"));
    assert!(two.contains("in two ways"), "{two}");
    for (title, why) in [
        ("WORKLOAD REPOSITORY REPORT (RAC)", "mixes instances"),
        ("WORKLOAD REPOSITORY PDB report (root snapshots)", "pluggable"),
        ("WORKLOAD REPOSITORY COMPARE PERIOD REPORT", "two intervals"),
        ("WORKLOAD REPOSITORY SQL Report", "one statement"),
    ] {
        let other = problem(&report.replace("WORKLOAD REPOSITORY report for", title));
        assert!(other.contains(why), "{title}: {other}");
    }
    let backwards = report.replace("29-Nov-26 04:00:13", "29-Nov-26 02:00:13").replace("60.02", "-60.02");
    assert!(problem(&backwards).contains("no samples"), "{}", problem(&backwards));
    let excerpt = "WORKLOAD REPOSITORY report for\n\nDB Name         DB Id    Instance\n------------ ----------- --------\nORCL  1 orcl1\n";
    assert!(problem(excerpt).contains("when its snapshots were taken"), "{}", problem(excerpt));
    let language = problem(&report.replace("29-Nov-26", "29-Xyz-26"));
    assert!(language.contains("'29-Xyz-26 03:00:12' is not a date and time"), "{language}");
}

/// The last hours of summer time in Berlin: 02:00 to 03:00 comes twice, and the elapsed time says which one it is.
#[test]
fn the_hour_that_comes_twice_is_the_one_of_the_elapsed_time() {
    let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
    let span = |begin: &str, end: &str, minutes: &str| {
        let report = text("awr-19c.txt")
            .replace("29-Nov-26 03:00:12", &format!("25-Oct-26 {begin}"))
            .replace("29-Nov-26 04:00:13", &format!("25-Oct-26 {end}"))
            .replace("14-Nov-26", "14-Sep-26")
            .replace("60.02", minutes);
        let options = Options { zone: Some(zone.clone()), ..Options::default() };
        let tables = try_read(report.as_bytes(), options, 1 << 16).unwrap().2;
        let span = only(&tables).2.spans()[0];
        (crate::when::shown(span.start_ms), span.length_ms / 60_000)
    };
    assert_eq!(span("01:30:00", "02:30:00", "60.00"), ("2026-10-24 23:30".to_owned(), 60));
    assert_eq!(span("01:30:00", "02:30:00", "120.00"), ("2026-10-24 23:30".to_owned(), 120));
    assert_eq!(span("02:30:00", "03:30:00", "60.00"), ("2026-10-25 01:30".to_owned(), 60));
    assert_eq!(span("02:30:00", "03:30:00", "120.00"), ("2026-10-25 00:30".to_owned(), 120));
}

/// As Statspack of Oracle 9 has it: the size of a block stands below tildes alone, and no requests are counted.
#[test]
fn bytes_of_oracle_9_are_blocks_and_it_has_no_requests() {
    let report = "STATSPACK report for\n\n\
DB Name         DB Id    Instance     Inst Num Release     Cluster Host\n\
------------ ----------- ------------ -------- ----------- ------- ------------\n\
ORCL          1234567890 orcl                1 9.2.0.8.0   NO      dbhost\n\n\
            Snap Id     Snap Time      Sessions Curs/Sess Comment\n\
            ------- ------------------ -------- --------- -------------------\n\
Begin Snap:       1 13-Jun-26 10:00:00       20       3.0\n  End Snap:       2 13-Jun-26 10:30:00       21       3.1\n\
   Elapsed:               30.00 (mins)\n\n\
Cache Sizes (end)\n~~~~~~~~~~~~~~~~~\n               Buffer Cache:       512M      Std Block Size:          8K\n\n\
Load Profile\n~~~~~~~~~~~~                            Per Second       Per Transaction\n\
                                   ---------------       ---------------\n\
             Physical reads:                200.00                 20.00\n            Physical writes:                 50.00                  5.00\n\n\
End of Report\n";
    let (_, notes, tables) = read(report.as_bytes()).unwrap();
    let expected = [(Metric::ReadBytes, 200.0 * 8192.0), (Metric::WriteBytes, 50.0 * 8192.0)];
    assert_eq!(values(only(&tables).2), expected);
    assert!(notes.notes.iter().any(|note| note.contains("no requests")), "{notes:?}");
    let sizeless = report.replace("Std Block Size:          8K", "");
    let told = read(sizeless.as_bytes()).unwrap_err().to_string();
    assert!(told.contains("no samples"), "{told}");
}

/// The number of a French or Swiss session.
fn with_groups(text: &str, group: &str, decimal: &str) -> String {
    let mut out = String::new();
    for (at, sign) in text.char_indices() {
        let is_digit = |place: Option<usize>| {
            place.and_then(|place| text.as_bytes().get(place)).is_some_and(u8::is_ascii_digit)
        };
        let is_inside = is_digit(at.checked_sub(1)) && is_digit(Some(at + 1));
        match sign {
            ',' if is_inside => out.push_str(group),
            '.' if is_inside => out.push_str(decimal),
            other => out.push(other),
        }
    }
    out
}

#[test]
fn numbers_with_blanks_and_apostrophes_are_those_of_the_same_report_with_commas() {
    let text = text("awr-19c.txt");
    let (head, body) = text.split_once("Load Profile").unwrap();
    let whole = values(only(&read(text.as_bytes()).unwrap().2).2);
    // The profiles alone are read, too.
    let profiles = body.split("Key Instance Activity").next().unwrap();
    let of_profiles = format!("{head}Load Profile{profiles}End of Report\n");
    let rates = values(only(&read(of_profiles.as_bytes()).unwrap().2).2);
    for (group, decimal) in [(" ", ","), ("\u{a0}", ","), ("\u{202f}", ","), ("'", "."), ("\u{2019}", ".")] {
        let head = head.replace("60.02", &format!("60{decimal}02"));
        for (body, expected) in [(body, &whole), (&format!("{profiles}End of Report\n"), &rates)] {
            let report = format!("{head}Load Profile{}", with_groups(body, group, decimal));
            let (_, notes, tables) = read(report.as_bytes()).unwrap();
            assert_eq!(&values(only(&tables).2), expected, "{group:?}");
            assert_eq!((notes.unusable, notes.notes.len()), (0, 0), "{group:?} {notes:?}");
        }
    }
    // In a single-byte character set, and quoted by a mail.
    let latin: Vec<u8> = format!("{head}Load Profile{}", with_groups(body, "\u{a0}", ","))
        .replace("60.02", "60,02")
        .chars()
        .map(|sign| u8::try_from(u32::from(sign)).unwrap())
        .collect();
    assert_eq!(values(only(&read(&latin).unwrap().2).2), whole);
    let quoted: String = text.lines().map(|line| format!("> {line}\n")).collect();
    assert_eq!(values(only(&read(quoted.as_bytes()).unwrap().2).2), whole);
    // In a page of notes.
    let noted = format!("# Monday, 3 h\n\n```\n{text}```\n");
    assert_eq!(values(only(&read(noted.as_bytes()).unwrap().2).2), whole);
}

#[test]
fn numbers_that_contradict_each_other_are_left_out_and_counted() {
    let report =
        text("awr-19c.txt").replace("        1,633,211          453.5", "        1,633,211          953.5");
    let (_, notes, tables) = read(report.as_bytes()).unwrap();
    let found = values(only(&tables).2);
    assert_eq!(notes.unusable, 1, "{notes:?}");
    assert!(found.contains(&(Metric::WriteOps, 453.5)), "the profile has it: {found:?}");
    let both =
        report.replace("2,494.7         2,041.1           453.5", "2,494.7           941.1           453.5");
    let (_, notes, tables) = read(both.as_bytes()).unwrap();
    assert_eq!(notes.unusable, 2, "{notes:?}");
    assert!(values(only(&tables).2).contains(&(Metric::WriteOps, 374.9)), "the Load Profile has it");
}
