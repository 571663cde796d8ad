//! Files of the field whose load used to be counted twice, with the real binary: hosts under two names, disks that are known by numbers, groups.

use crate::support::{Place, ProgramOutput};
use std::fmt::Write as _;
use std::fs;

fn capacity(place: &Place, line: &str) -> ProgramOutput {
    let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
    place.line(&format!("capacity {command} --store store {rest}"))
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `sar -d` of a host: two days of ten minutes, in which each disk has so many I/Os per second and a little more at some times.
fn sar(host: &str, disks: &[(&str, f64)]) -> String {
    let mut text = String::new();
    for day in 10..12 {
        let _ = write!(
            text,
            "Linux 6.1 ({host}) \t2026-06-{day} \t_x86_64_\t(4 CPU)\n\n00:00:01 DEV tps rkB/s wkB/s await %util\n"
        );
        for slot in 1..144 {
            for (name, rate) in disks {
                let tps = rate * (1.0 + f64::from(slot % 7) / 10.0);
                let _ = writeln!(
                    text,
                    "{:02}:{}0:01 {name} {tps:.2} {:.2} {:.2} 1.00 20.00",
                    slot / 6,
                    slot % 6,
                    tps * 8.0,
                    tps * 4.0
                );
            }
        }
        text.push('\n');
    }
    text
}

fn import(place: &Place, name: &str, text: &str) {
    fs::write(place.path().join(name), text).unwrap();
    capacity(place, &format!("import {name} --zone UTC --quiet")).expect_code(0);
}

/// The mean of the sum of hosts in the table of `show`.
fn mean_of_sum(place: &Place, whose: &str) -> f64 {
    let show = capacity(place, &format!("show {whose}")).expect_code(0).stdout;
    let sum = &show[show.find("sum of").unwrap_or_else(|| panic!("{show}"))..];
    let line = sum.lines().find(|line| line.trim_start().starts_with("all_ops")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// OSWatcher of Exadata's cells: one head, and below it iostat for an hour, every five seconds. The busiest minute is not that of the mean.
#[test]
fn iostat_that_runs_on_below_a_head_of_oswatcher_keeps_its_peaks() {
    let place = Place::new();
    let mut text = "zzz ***Wed Feb 29 11:00:00 UTC 2012 Sample interval: 5 secconds\n\
                    Linux 2.6.18-194.el5 (cel01) \t02/29/12\n\n"
        .to_owned();
    for at in 0..=720 {
        let reads = if (360..420).contains(&at) { 900 } else { 100 };
        let _ = write!(
            text,
            "Time: {:02}:{:02}:{:02}\navg-cpu:  %user\n           1.00\n\n\
             Device:         rrqm/s   wrqm/s     r/s     w/s   rsec/s   wsec/s avgrq-sz avgqu-sz   await  svctm  %util\n\
             sda               0.00     1.00 {reads}.00   50.00   1600.00   400.00     8.00     0.10    2.00   0.50   5.00\n\n",
            11 + at / 720,
            at / 12 % 60,
            at % 12 * 5
        );
    }
    import(&place, "cel01_iostat_12.02.29.1100.dat", &text);
    let show = capacity(&place, "show").expect_code(0).stdout;
    assert!(words(&show).contains("sda on cel01, 2012-02-29 11:00 to 2012-02-29 12:00 UTC"), "{show}");
    let line = show.lines().find(|line| line.trim_start().starts_with("read_ops")).unwrap();
    let figures: Vec<f64> =
        line.split_whitespace().skip(1).take(3).map_while(|word| word.parse().ok()).collect();
    // 60 of 720 intervals at 900: (660 x 100 + 60 x 900) / 720.
    assert!((figures[0] / 166.7 - 1.0).abs() < 0.02 && figures[2] > 800.0, "{show}");
}

#[test]
fn one_host_under_two_names_is_asked_about() {
    let place = Place::new();
    import(&place, "short.txt", &sar("db1", &[("sda", 100.0)]));
    import(&place, "long.txt", &sar("db1.example.com", &[("sda", 100.0)]));
    import(&place, "other.txt", &sar("db2", &[("sda", 100.0)]));
    let asked = capacity(&place, "show --all").expect_code(2);
    let told = words(&asked.stderr);
    assert!(told.contains("db1 and db1.example.com may be one host under two names"), "{told}");
    let both = mean_of_sum(&place, "--host db1,db1.example.com,db2");
    for once in ["--host db1,db2", "--host db1.example.com,db2"] {
        let names = told.contains(once) || told.contains(&once.replace(',', ",db1.example.com,"));
        assert!(names || once.contains("example"), "{once}: {told}");
        assert!((both / mean_of_sum(&place, once) - 1.5).abs() < 0.02, "{once}");
    }
    capacity(&place, "list --all").expect_code(0);
    // Hosts of two clusters are two.
    let place = Place::new();
    for cluster in ["east", "west"] {
        let lines: String = (0..40)
            .map(|at| {
                format!(
                    "node_disk_reads_completed_total{{cluster=\"{cluster}\",instance=\"db1:9100\",device=\"sda\"}} {} {}\n",
                    at * 600,
                    1_780_000_000 + at * 60
                )
            })
            .collect();
        import(&place, "metrics.txt", &lines);
    }
    let list = capacity(&place, "list --all").expect_code(0).stdout;
    assert!(list.contains("east/db1") && list.contains("west/db1"), "{list}");
    capacity(&place, "show --all").expect_code(0);
}

#[test]
fn disks_that_are_known_by_numbers_count_once_and_what_does_not_count_is_named() {
    let alone = |disks: &[(&str, f64)]| {
        let place = Place::new();
        import(&place, "one.txt", &sar("db1", disks));
        import(&place, "two.txt", &sar("db2", &[("sda", 100.0)]));
        place
    };
    let expected = mean_of_sum(&alone(&[("sda", 100.0)]), "--all");
    for (disks, named) in [
        (&[("dev259-0", 100.0), ("dev259-1", 100.0)][..], "dev259-1 of db1 is taken to lie on dev259-0"),
        (
            &[("dev259-0", 100.0), ("dev259-1", 60.0), ("dev259-2", 40.0)],
            "dev259-1 and dev259-2 of db1 are taken to lie on dev259-0",
        ),
        (&[("dev8-0", 100.0), ("dev8-1", 100.0), ("dev253-0", 100.0)], "dev253-0 of db1 is not counted"),
        (&[("dev252-0", 100.0), ("dev253-0", 30.0), ("dev253-1", 70.0)], "are taken to lie on dev252-0"),
        (&[("sda", 100.0), ("sdredo", 50.0)], "sdredo of db1 is not counted"),
    ] {
        let place = alone(disks);
        let show = capacity(&place, "show --all").expect_code(0);
        assert!(words(&show.stderr).contains(named), "{disks:?}: {}", show.stderr);
        assert!((mean_of_sum(&place, "--all") / expected - 1.0).abs() < 0.02, "{disks:?}");
        let replay = capacity(&place, "replay --host db1 --phases 1 --every 10m").expect_code(0);
        let first = named.split(' ').next().unwrap();
        assert!(words(&replay.stderr).contains(first), "{disks:?}: {}", replay.stderr);
        assert!(!words(&replay.stdout).contains(&format!("{first} of")), "{disks:?}: {}", replay.stdout);
    }
    // Two disks in which the one has not the load of the other are two.
    let place = alone(&[("dev259-0", 100.0), ("dev259-1", 20.0)]);
    assert!((mean_of_sum(&place, "--all") / expected - 1.1).abs() < 0.02);
}

/// JSON, CSV and rows that end in the middle, and a log that begins there.
#[test]
fn what_is_whole_of_a_file_counts_and_what_is_missing_is_told() {
    let place = Place::new();
    let data = |name: &str| {
        fs::read(format!("{}/../rigel-capacity/tests-data/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
    };
    let file = |name: &str, bytes: &[u8]| fs::write(place.path().join(name), bytes).unwrap();
    for (name, of) in [
        ("cut.json", "sadf-12.6.1.json"),
        ("cut.jsonl", "pg_stat_io-18.4.jsonl"),
        ("cut.csv", "pg_stat_io-18.4.csv"),
    ] {
        let whole = data(of);
        file(name, &whole[..whole.len() - whole.len() / 5]);
        let told = capacity(&place, &format!("import {name} --host db1 --zone UTC")).expect_code(0).stdout;
        assert!(told.contains(" values new") && told.contains("ends in the middle"), "{name}: {told}");
    }
    let iostat = String::from_utf8(data("iostat-12.6.1.txt")).unwrap();
    file("rotated.txt", iostat.split_once('\n').unwrap().1.as_bytes());
    let told = capacity(&place, "import rotated.txt --zone UTC").expect_code(2).stderr;
    assert!(words(&told).contains("the first line of the run") && told.contains("--host"), "{told}");
    capacity(&place, "import rotated.txt --zone UTC --host vm").expect_code(0);
    file(
        "rows.txt",
        iostat.lines().filter(|line| line.starts_with("vda")).collect::<Vec<_>>().join("\n").as_bytes(),
    );
    let told = capacity(&place, "import rows.txt --zone UTC").expect_code(2).stderr;
    assert!(words(&told).contains("without the lines for column names"), "{told}");
}

/// Rows that nothing tells apart are no other host.
#[test]
fn a_file_that_contradicts_itself_is_told_so() {
    let place = Place::new();
    let rows = |value: u32| {
        let row = |hour: u32| {
            format!(
                "db1,PROD,2026-06-13 {hour:02}:00:00,2026-06-13 {:02}:00:00,Redo Writes Per Sec,{}\n",
                hour + 1,
                value * hour
            )
        };
        (8..10).map(row).collect::<String>()
    };
    let text =
        "HOST_NAME,DB_NAME,BEGIN_TIME,END_TIME,METRIC_NAME,AVERAGE\n".to_owned() + &rows(10) + &rows(70);
    fs::write(place.path().join("two.csv"), text).unwrap();
    let told = capacity(&place, "import two.csv --zone UTC").expect_code(2).stderr;
    let told = words(&told);
    assert!(told.contains("twice with different values") && told.contains("INSTANCE_NUMBER"), "{told}");
    capacity(&place, "import two.csv --zone UTC --keep-first").expect_code(0);
}

#[test]
fn a_fit_says_where_the_other_databases_come_in() {
    let place = Place::new();
    for option in ["--add db7.csv", "--without rac2"] {
        let told = place.line(&format!("capacity fit --load week.toml --p99 5ms {option}")).expect_code(2);
        assert!(words(&told.stderr).contains("`rigel capacity replay` takes --add FILE"), "{}", told.stderr);
    }
}
