//! Directories of AWR reports with the real binary: what is read of them, what is left out and why, and the date that they become.

use crate::support::{Place, ProgramOutput};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;

/// An interval of an instance: day of 2026 from 0 on, hour, and reads and writes per second.
#[derive(Clone, Copy)]
struct Interval {
    instance: u32,
    day: u32,
    hour: u32,
    reads: u64,
    writes: u64,
}

const MONTHS: [(&str, u32); 12] = [
    ("Jan", 31),
    ("Feb", 28),
    ("Mar", 31),
    ("Apr", 30),
    ("May", 31),
    ("Jun", 30),
    ("Jul", 31),
    ("Aug", 31),
    ("Sep", 30),
    ("Oct", 31),
    ("Nov", 30),
    ("Dec", 31),
];

/// `29-Nov-26 04:00:00`.
fn time(day: u32, hour: u32) -> String {
    let (mut day, year) = ((day + hour / 24) % 365, 26 + (day + hour / 24) / 365);
    let month = MONTHS.iter().find(|(_, days)| {
        let is_it = day < *days;
        day -= if is_it { 0 } else { *days };
        is_it
    });
    format!("{:02}-{}-{year} {:02}:00:00", day + 1, month.unwrap().0, hour % 24)
}

/// With separators of thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

impl Interval {
    fn statistics(self) -> [(&'static str, u64); 5] {
        [
            ("physical read total IO requests", self.reads * 3600),
            ("physical read total bytes", self.reads * 3600 * 8192),
            ("physical write total IO requests", self.writes * 3600),
            ("physical write total bytes", self.writes * 3600 * 8192),
            ("user commits", 36_000),
        ]
    }

    /// As `awrrpt.sql` writes text.
    fn text(self) -> String {
        let Self { instance, day, hour, .. } = self;
        let mut text = format!(
            "WORKLOAD REPOSITORY report for\n
DB Name         DB Id    Instance     Inst Num Startup Time    Release     RAC
------------ ----------- ------------ -------- --------------- ----------- ---
PROD          2718281828 prod{instance}        {instance:8} 24-Dec-25 21:07 19.0.0.0.0  YES\n
Host Name        Platform                         CPUs Cores Sockets Memory(GB)
---------------- -------------------------------- ---- ----- ------- ----------
rac{instance}             Linux x86 64-bit                   16     8       2     125.58\n
              Snap Id      Snap Time      Sessions Curs/Sess
            --------- ------------------- -------- ---------
Begin Snap:      4711 {}       118       3.4
  End Snap:      4712 {}       121       3.6
   Elapsed:               60.00 (mins)\n
Statistic                                     Total     per Second     per Trans
-------------------------------- ------------------ -------------- -------------\n",
            time(day, hour),
            time(day, hour + 1)
        );
        for (name, total) in self.statistics() {
            let _ = writeln!(
                text,
                "{name:<32} {:>18} {:>12}.0 {:>13}",
                grouped(total),
                grouped(total / 3600),
                "1.0"
            );
        }
        text + "          -------------------------------------------------------------\n\nEnd of Report\n"
    }

    /// As `awrrpt.sql` writes a page.
    fn html(self) -> String {
        let Self { instance, day, hour, .. } = self;
        let table = |rows: &[&[&str]]| {
            let row = |(at, cells): (usize, &&[&str])| {
                let tag = if at == 0 { "th" } else { "td" };
                let cells: String =
                    cells.iter().map(|cell| format!("<{tag} class='awrnc'>{cell}</{tag}>")).collect();
                format!("<tr>{cells}</tr>\n")
            };
            format!(
                "<table border=\"0\">{}</table><p />\n",
                rows.iter().enumerate().map(row).collect::<String>()
            )
        };
        let (number, name, host) =
            (instance.to_string(), format!("prod{instance}"), format!("rac{instance}"));
        let statistics: Vec<[String; 4]> = self
            .statistics()
            .map(|(name, total)| {
                [name.to_owned(), grouped(total), format!("{}.00", total / 3600), "1.00".to_owned()]
            })
            .to_vec();
        let mut rows: Vec<Vec<&str>> = vec![vec!["Statistic", "Total", "per Second", "per Trans"]];
        rows.extend(statistics.iter().map(|row| row.iter().map(String::as_str).collect()));
        let rows: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
        [
            "<html><head><title>AWR Report</title></head><body class='awr'>\n<h1 class='awr'>\nWORKLOAD REPOSITORY report for\n</h1>\n".to_owned(),
            table(&[&["DB Name", "DB Id", "Instance", "Inst num", "Startup Time", "Release", "RAC"], &["PROD", "2718281828", &name, &number, "24-Dec-25 21:07", "12.1.0.2.0", "YES"]]),
            table(&[&["Host Name", "Platform", "CPUs"], &[&host, "Linux x86 64-bit", "16"]]),
            table(&[&["", "Snap Id", "Snap Time", "Sessions"], &["Begin Snap:", "1", &time(day, hour), "1"], &["End Snap:", "2", &time(day, hour + 1), "1"], &["Elapsed:", "&nbsp;", "60.00 (mins)", "&nbsp;"]]),
            table(&rows),
            "<h3>End of Report</h3></body></html>\n".to_owned(),
        ]
        .concat()
    }
}

fn capacity(place: &Place, line: &str) -> ProgramOutput {
    let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
    place.line(&format!("capacity {command} --store store {rest}"))
}

fn packed(text: &str) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    packed.finish().unwrap()
}

#[test]
fn a_directory_gives_what_can_be_read_and_says_what_was_left_out() {
    let place = Place::new();
    let file = |name: &str, bytes: &[u8]| {
        let path = place.path().join("awr").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    };
    let of = |instance, hour| Interval {
        instance,
        day: 151,
        hour,
        reads: 1024 + 8 * u64::from(hour),
        writes: 500,
    };
    // Ten good ones of two instances, one of them a second time in the other form.
    for hour in 0..4 {
        file(&format!("awr_1_{hour}.txt"), of(1, hour).text().as_bytes());
        file(&format!("rac2/awr_2_{hour}.html"), of(2, hour).html().as_bytes());
    }
    file("awr_1_4.txt.gz", &packed(&of(1, 4).text()));
    let utf16: Vec<u8> =
        [0xfeff].into_iter().chain(of(1, 5).text().encode_utf16()).flat_map(u16::to_le_bytes).collect();
    file("awr_1_5.txt", &utf16);
    file("double.html", of(1, 3).html().as_bytes());
    // Behind the second statistic, in the middle of a number.
    let whole = of(1, 6).text();
    file("cut.txt", &whole.as_bytes()[..whole.find("physical write total IO").unwrap() + 50]);
    file("restarted.txt", of(1, 7).text().replace("24-Dec-25 21:07", "01-Jun-26 07:30").as_bytes());
    file("notes.txt", b"call the DBA\n");
    file("rubbish.bin", &[0xff, 0, 7, 200, 13, 10]);
    file("empty.html", b"");
    file(".hidden.txt", of(1, 9).text().as_bytes());
    std::os::unix::fs::symlink("..", place.path().join("awr/rac2/loop")).unwrap();
    let told = capacity(&place, "import awr --zone UTC").expect_code(0);
    let expected = "\
awr: 12 x AWR report of rac1, rac2: 52 values new, 5 there already
  the report is cut off: its complete parts are used
awr: 4 files left out
  1 x this file cannot be imported; it is empty: empty.html
  2 x this file cannot be imported; its first bytes match none of the supported
      formats: notes.txt, rubbish.bin
  1 x the instance was restarted between the two snapshots of the report; its counters restarted from 0, so \
      the rates of the interval are unknown: restarted.txt
";
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(&told.stdout), words(expected), "{}", told.stdout);
    let list = capacity(&place, "list").expect_code(0).stdout;
    let of_host = |host: &str| list.lines().find(|line| line.starts_with(host)).unwrap().to_owned();
    assert!(
        of_host("rac1").contains("database PROD ") && of_host("rac1").contains("2026-06-01 07:00"),
        "{list}"
    );
    assert!(
        of_host("rac2").contains("database PROD/2 ") && of_host("rac2").contains("2026-06-01 04:00"),
        "{list}"
    );
    let show = capacity(&place, "show PROD --host rac1").expect_code(0).stdout;
    let row = |metric: &str| words(show.lines().find(|line| line.trim_start().starts_with(metric)).unwrap());
    // 1,024 to 1,072 reads a second, in steps that the store does not round, and six hours of 500 writes.
    assert_eq!(row("read_ops")[1..4], ["1048", "1072", "1072"], "{show}");
    assert_eq!(row("write_ops")[1..4], ["500", "500", "500"], "{show}");
    let again = capacity(&place, "import awr --zone UTC").expect_code(0).stdout;
    assert!(again.contains(": 0 values new, 57 there already"), "{again}");
}

/// Of a packed file the packed bytes count: its progress ends at the whole.
#[test]
fn the_progress_of_a_packed_file_ends_at_all_of_it() {
    let place = Place::new();
    fs::create_dir(place.path().join("awr")).unwrap();
    let report = Interval { instance: 1, day: 0, hour: 3, reads: 7, writes: 5 }.text();
    fs::write(place.path().join("awr/a.txt.gz"), packed(&report)).unwrap();
    let told = capacity(&place, "import awr --zone UTC").expect_code(0);
    let last = told.stderr.lines().rfind(|line| line.starts_with("importing: ")).unwrap();
    let (done, all) = last.trim_start_matches("importing: ").split_once(" of ").unwrap();
    assert_eq!(done, all, "{}", told.stderr);
}

#[test]
fn a_directory_without_a_readable_file_is_an_error_with_its_reason() {
    let place = Place::new();
    fs::create_dir(place.path().join("dir")).unwrap();
    let told = capacity(&place, "import dir").expect_code(2);
    assert!(told.stderr.contains("the directory has no files"), "{}", told.stderr);
    let report = Interval { instance: 1, day: 0, hour: 3, reads: 7, writes: 5 }.text();
    fs::write(place.path().join("dir/a.txt"), report).unwrap();
    let told = capacity(&place, "import dir").expect_code(2);
    assert!(
        told.stderr.contains("none of 1 file can be imported") && told.stderr.contains("--zone"),
        "{}",
        told.stderr
    );
    // Unpacked it has 96 MiB, a thousand times its size; lines of it are none of a report.
    let line =
        format!("WORKLOAD REPOSITORY report for\n{}", format!("{}\n", "0".repeat(4000)).repeat(25_000));
    let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
    bomb.write_all(line.as_bytes()).unwrap();
    fs::write(place.path().join("bomb.gz"), bomb.finish().unwrap()).unwrap();
    let told = capacity(&place, "import bomb.gz --zone UTC").expect_code(2);
    assert!(told.stderr.contains("100 times its size"), "{}", told.stderr);
}

/// A year of both instances: 200 to 600 I/Os a second in the office hours of the first. Two commands make the date.
#[test]
fn a_year_of_reports_becomes_a_date() {
    let place = Place::new();
    fs::create_dir(place.path().join("awr")).unwrap();
    for day in 0..365 {
        let mut both = String::new();
        for hour in 0..24 {
            let busy = if (9..18).contains(&hour) { 1.0 } else { 0.3 };
            let all = busy * (200.0 + 400.0 * f64::from(day) / 365.0);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some hundred")]
            let (reads, writes) = ((all * 0.75) as u64, (all * 0.25) as u64);
            both += &Interval { instance: 1, day, hour, reads, writes }.text();
            both += &Interval { instance: 2, day, hour, reads: reads / 2, writes: writes / 2 }.text();
        }
        fs::write(place.path().join(format!("awr/day_{day:03}.lst")), both).unwrap();
    }
    let calibrate =
        "calibrate --engine sim:servers=8,service=10ms --max-latency 20ms --no-history --name here --quiet";
    place.line(calibrate).expect_code(0);
    let told = capacity(&place, "import awr --zone UTC").expect_code(0).stdout;
    assert!(told.contains("365 x AWR report of rac1, rac2: 87600 values new"), "{told}");
    fs::rename(place.only("_record.jsonl"), place.path().join("here.jsonl")).unwrap();
    let told = capacity(&place, "forecast here.jsonl --host rac1 --json");
    let document = told.expect_code(0).json();
    let all = document["storages"][0]["resources"].as_array().unwrap();
    let iops = all.iter().find(|one| one["resource"] == "iops").unwrap();
    let (likely, limit) = (iops["likely"].as_str().unwrap(), iops["limit"]["value"].as_f64().unwrap());
    let due_months = (limit - 200.0) / 400.0 * 12.0;
    let number = |range: std::ops::Range<usize>| likely[range].parse::<f64>().unwrap();
    let months = number(0..4).mul_add(12.0, number(5..7)) - 2026.0 * 12.0 - 1.0;
    assert!(
        (months - due_months).abs() <= 1.5,
        "{likely}, due {due_months} months after January, limit {limit}"
    );
}
