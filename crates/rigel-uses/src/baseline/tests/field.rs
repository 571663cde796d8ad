//! Files as people in the field have them: other exports, several runs in a file, quoted in a mail, and loads that are not those of Rigel.

use super::fio::edited;
use super::*;
use rigel_core::load::class::Class;

/// The cause of a refusal.
fn cause(read: Result<Baseline, Problem>) -> String {
    let problem = read.unwrap_err();
    assert!(problem.kind.code() == 2 && problem.next.is_some(), "{problem}");
    problem.cause.unwrap()
}

const ONE: &str = "fio_rand_read_8k_q8.json";
const TWO: &str = "fio_two_jobs_together.json";

#[test]
fn loads_of_fio_that_are_other_loads_than_rigels_are_refused() {
    let depth = "\"iodepth\" : \"8\"";
    for (from, to, why) in [
        ("\"ioengine\" : \"libaio\"", "\"ioengine\" : \"null\"".to_owned(), "moves no data"),
        (depth, format!("{depth}, \"flow\" : \"-3\""), "flow held it back"),
        (depth, format!("{depth}, \"random_distribution\" : \"zipf:1.2\""), "more often than for others"),
        (depth, format!("{depth}, \"zonemode\" : \"strided\""), "from zone to zone"),
        (depth, format!("{depth}, \"latency_target\" : \"2ms\""), "changed how many"),
        (depth, format!("{depth}, \"read_iolog\" : \"x.log\""), "of a log"),
        ("\"rw\" : \"randread\"", "\"rw\" : \"randread:8\"".to_owned(), "continues in order"),
        // Jobs with other queue depths that group_reporting adds up.
        (depth, "\"iodepth\" : \"2\"".to_owned(), "were outstanding on average"),
    ] {
        let found = cause(edited(text_of(ONE), &[(from, &to)]));
        assert!(found.contains(why), "{to}: {found}");
    }
    // On a command line, the base of a size is that of what stands before it.
    for size in ["8192", "8000"] {
        let based = format!("{depth}, \"kb_base\" : \"1000\"");
        let moved = format!("\"bw_bytes\" : {}", 26_248.251_748 * size.parse::<f64>().unwrap());
        let bytes = text_of(ONE).lines().find(|line| line.contains("\"bw_bytes\"")).unwrap();
        let of_size =
            edited(text_of(ONE), &[(depth, &based), (bytes.trim().trim_end_matches(','), &moved)]).unwrap();
        let facts = of_size.results(&LoadFacts::new()).facts;
        assert_eq!(facts[&Class::SMALL].bytes, size.parse().ok());
    }
    let uniform = edited(text_of(ONE), &[(depth, &format!("{depth}, \"random_distribution\" : \"random\""))]);
    assert!(number_of(&uniform.unwrap(), "small_iops small 8").is_some());
    let low = edited(text_of(ONE), &[(depth, &format!("{depth}, \"iodepth_low\" : \"4\""))]).unwrap();
    assert!(low.lacks.iter().any(|lack| lack.contains("iodepth_low")), "{:?}", low.lacks);
}

#[test]
fn jobs_of_fio_that_did_not_run_together_are_no_load_level() {
    let rw = "\"bs\" : \"1m\"";
    for (more, why) in [("startdelay", "begin at the same time"), ("wait_for", "waited for the other")] {
        let found = cause(edited(text_of(TWO), &[(rw, &format!("{rw}, \"{more}\" : \"10\""))]));
        assert!(found.contains(why), "{found}");
    }
    // One that ended early.
    let early = text_of(TWO).replacen("\"runtime\" : 2002", "\"runtime\" : 300", 1);
    assert!(cause(read(&early)).contains("end at the same time"));
    let uneven = text_of(TWO).replacen("\"runtime\" : 2002", "\"runtime\" : 1702", 1);
    assert!(read(&uneven).unwrap().lacks.iter().any(|lack| lack.starts_with("one time")));
    // Groups that only report apart.
    let stonewall = text_of("fio_two_jobs_stonewall.json");
    let elapsed = |seconds: u32| {
        let line = |line: &str| match line.contains("\"elapsed\"") {
            true => format!("\"elapsed\" : {seconds},\n"),
            false => format!("{line}\n"),
        };
        stonewall.lines().map(line).collect::<String>()
    };
    assert!(read(&elapsed(5)).is_ok());
    assert!(cause(read(&elapsed(4))).contains("new_group"));
}

/// A job that writes and then verifies has its rate of writes, not the sum with what it read back.
#[test]
fn what_a_job_of_fio_reads_back_is_not_counted() {
    let mixed = text_of("fio_mixed_8k_30.json");
    let writes =
        edited(mixed, &[("\"rw\" : \"randrw\"", "\"rw\" : \"randwrite\", \"verify\" : \"crc32c\"")]).unwrap();
    assert_eq!(number_of(&writes, "small_iops small 4"), Some(4241.37931));
    let both = edited(mixed, &[("\"rw\" : \"randrw\"", "\"rw\" : \"randrw\", \"verify\" : \"crc32c\"")]);
    assert!(cause(both).contains("read back"));
}

/// Runs that follow one another in a file are all read; states of one run are not.
#[test]
fn several_runs_of_fio_in_a_file_are_all_read() {
    let later = |text: &str, seconds: u64| {
        let line = |line: &str| match line.trim().strip_prefix("\"timestamp\" : ") {
            Some(rest) => {
                let at: u64 = rest.trim_end_matches(',').parse().unwrap();
                format!("\"timestamp\" : {},\n", at + seconds)
            }
            None => format!("{line}\n"),
        };
        text.lines().map(line).collect::<String>()
    };
    let second = later(text_of("fio_rand_read_8k_q1_plus.json"), 86_400 * 4000);
    let all =
        format!("{}note: both iodepth >= 1 and synchronous I/O engine are selected\n{second}", text_of(ONE));
    let found = read(&all).unwrap();
    assert!(
        number_of(&found, "small_iops small 8").is_some()
            && number_of(&found, "small_iops small 1").is_some()
    );
    assert!(found.passed_over.is_empty() && !found.lacks.iter().any(|lack| lack.starts_with("one result")));
    // The last one is cut.
    let found = read(&all[..all.len() - 2000]).unwrap();
    assert!(
        number_of(&found, "small_iops small 8").is_some()
            && number_of(&found, "small_iops small 1").is_none()
    );
    assert!(found.passed_over[0].contains("truncated"), "{:?}", found.passed_over);
}

#[test]
fn a_summary_of_orion_with_edited_numbers_is_read_right_or_refused() {
    let summary = text_of("orion_11_2_summary.txt");
    let commas = edited(summary, &[("=2740 ", "=2,740 "), ("=5312 ", "=5,312 ")]).unwrap();
    assert_eq!(number_of(&commas, "max_small_iops"), Some(2740.0));
    assert_eq!(number_of(&commas, "min_small_latency"), Some(5312.0));
    let new = text_of("orion_19_summary.txt");
    let german = edited(new, &[("339.250", "339,250"), ("410.75", "1,410.75")]).unwrap();
    assert_eq!(number_of(&german, "min_small_latency"), Some(339.25));
    assert_eq!(number_of(&german, "max_large_mbps"), Some(1410.75));
    // Without the version, either is possible.
    let tail = &summary[summary.find("Maximum").unwrap()..];
    assert!(cause(edited(tail, &[("=5312 ", "=5,312 ")])).contains("thousands or decimals"));
    assert_eq!(number_of(&edited(tail, &[]).unwrap(), "min_small_latency"), Some(5312.0));
    // A second run is told, and not mixed with the first.
    let both =
        format!("{summary}\n{}", summary.replace("5312 usecs", "5312.55 usecs").replace("2740", "2811"));
    let found = read(&both).unwrap();
    assert_eq!(number_of(&found, "min_small_latency"), Some(5312.0));
    assert!(found.passed_over[0].contains("another run"), "{:?}", found.passed_over);
    assert!(read(&format!("{summary}\n{summary}")).unwrap().passed_over.is_empty());
    let failed = "ORION: ORacle IO Numbers -- Version 11.2.0.2.0\nrwbase_alloc: unable to open data file\nOrion exiting\n";
    assert!(cause(read(failed)).contains("unable to open data file"));
}

#[test]
fn tables_of_orion_that_a_spreadsheet_grouped_are_no_latencies() {
    let grouped = "Large/Small;1;2;3\n0;2.270;4.310;5.390\n";
    let named = |name: &str| Baseline::read_file(name, grouped.as_bytes()).unwrap();
    assert_eq!(number_of(&named("x_iops.csv").unwrap(), "small_iops small 2"), Some(4310.0));
    for name in ["x.csv", "x_lat.csv"] {
        let problem = named(name).unwrap_err();
        assert!(problem.what.contains("thousands or fractions"), "{problem}");
    }
    let quoted = "Large/Small,1,2,3\n0,\"2,270\",\"4,310\",\"5,390\"\n";
    let found = Baseline::read_file("x_iops.csv", quoted.as_bytes()).unwrap().unwrap();
    assert_eq!(number_of(&found, "small_iops small 2"), Some(4310.0));
}

const NAMES: [&str; 5] = ["MAX_IOPS", "MAX_MBPS", "MAX_PMBPS", "LATENCY", "NUM_PHYSICAL_DISKS"];
const VALUES: [&str; 5] = ["4120", "310", "182", "9.5", "12"];

/// The row in each form in which SQLcl and SQL Developer export it.
fn exports() -> Vec<String> {
    let each = |cell: &dyn Fn(&str, &str) -> String, sign: &str| {
        NAMES.iter().zip(VALUES).map(|(name, value)| cell(name, value)).collect::<Vec<_>>().join(sign)
    };
    let items = each(&|name, value| format!("\"{}\":{value}", name.to_lowercase()), ",");
    let columns = each(&|name, _| format!("{{\"name\":\"{name}\",\"type\":\"NUMBER\"}}"), ",");
    let xml = each(&|name, value| format!("<COLUMN NAME=\"{name}\"><![CDATA[{value}]]></COLUMN>"), "\n\t\t");
    let heads = each(&|name, _| format!("<th>{name}</th>"), "");
    let cells = each(&|_, value| format!("<td align=\"right\">{value}</td>"), "");
    let width = |name: &str| name.len().max(10) + 2;
    let right = |text: &str, name: &str| format!("{text:>width$}", width = width(name));
    vec![
        format!("{{\"results\":[{{\"columns\":[{columns}],\"items\":[{{{items}}}]}}]}}\n"),
        format!("<?xml version='1.0'?>\n<RESULTS>\n\t<ROW>\n\t\t{xml}\n\t</ROW>\n</RESULTS>\n"),
        format!("<html><body><table><tr>{heads}</tr>\n<tr>{cells}</tr></table></body></html>\n"),
        format!(
            "<table>{}</table>\n",
            each(&|name, value| format!("<tr><td>{name}</td><td>{value}</td></tr>"), "")
        ),
        format!(
            "SET DEFINE OFF;\nInsert into T (START_TIME,{}) values (to_timestamp('14-MAY-12, 10:02','DD-MON-RR'),{});\n",
            NAMES.join(","),
            VALUES.join(",")
        ),
        format!(
            "{}\n{}\n{}\n\n",
            each(&|name, _| right(name, name), " "),
            each(&|name, _| "_".repeat(width(name)), " "),
            each(&|name, value| right(value, name), " ")
        ),
        "Max IOPS..: 4120\nLatency...: 9.5\nMax MB/s..: 310\nMAX_PMBPS : 182\n".to_owned(),
    ]
}

#[test]
fn every_export_of_calibrate_io_has_the_same_numbers() {
    for text in exports() {
        let quoted: String = text.lines().map(|line| format!("> {line}\n")).collect();
        for text in [&text, &quoted] {
            let found = read(text).unwrap();
            let wanted = [("max_iops", 4120.0), ("max_large_mbps", 310.0), ("max_pmbps", 182.0)];
            for (name, value) in wanted {
                assert_eq!(number_of(&found, name), Some(value), "{text}");
            }
            assert!(found.passed_over.is_empty(), "{text}");
        }
        // Cut anywhere, it has no other number.
        for end in 0..text.len() {
            if let Some(Ok(found)) = Baseline::read(&text.as_bytes()[..end]) {
                let iops = number_of(&found, "max_iops");
                assert!(iops.is_none_or(|iops| (iops - 4120.0).abs() < 0.5), "{end}: {text}");
            }
        }
    }
}

#[test]
fn what_calibrate_io_does_not_give_is_told() {
    let drawn = |iops: &str| {
        format!(
            "  MAX_IOPS   MAX_MBPS    LATENCY\n---------- ---------- ----------\n{iops:>10}        310          9\n"
        )
    };
    let found = read(&drawn("##########")).unwrap();
    assert_eq!((number_of(&found, "max_iops"), number_of(&found, "max_large_mbps")), (None, Some(310.0)));
    assert!(found.passed_over[0].contains("####"), "{:?}", found.passed_over);
    let failed =
        "max_iops max_mbps\nORA-56708: Could not find any datafiles with asynchronous i/o capability\n";
    assert!(cause(read(failed)).contains("ORA-56708"));
    let none = "SQL> select max_iops, max_mbps from dba_rsrc_io_calibrate;\n\nno rows selected\n";
    assert!(cause(read(none)).contains("no row"));
}

/// elbencho's `--jsonfile`: an object for each phase.
fn elbencho_json() -> String {
    let lines: Vec<&str> = text_of("elbencho.csv").lines().collect();
    let object = |line: &&str| {
        let cells = lines[0].split(',').zip(line.split(','));
        let members = cells.map(|(name, cell)| format!("\"{name}\":\"{}\"", cell.replace('"', "")));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    };
    lines[1..].iter().map(object).collect::<Vec<_>>().join("\n") + "\n"
}

#[test]
fn elbenchos_json_has_the_numbers_of_its_csv() {
    let json = elbencho_json();
    assert_eq!(numbers(&read(&json).unwrap()), numbers(&sample("elbencho.csv")));
    let list = format!("[{}]", json.trim().replace("}\n{", "},\n{"));
    assert_eq!(numbers(&read(&list).unwrap()), numbers(&sample("elbencho.csv")));
    let cut = read(&json[..json.len() / 2]).unwrap();
    assert_eq!((number_of(&cut, "small_iops small 16"), cut.passed_over.len()), (Some(40_800.0), 1));
}

#[test]
fn fio_files_of_one_time_are_beside_each_other_and_nan_is_no_damage() {
    let one = sample(ONE);
    let [begin, end] = one.ran_s.unwrap();
    assert!((end - begin - 2.0).abs() < 1e-9, "{begin} {end}");
    let at = |seconds: f64| Baseline { ran_s: Some([begin + seconds, end + seconds]), ..one.clone() };
    assert!(one.is_beside(&at(0.5)) && !one.is_beside(&at(2.0)) && !one.is_beside(&at(86_400.0)));
    assert!(!sample("pg_test_fsync.txt").is_beside(&one));
    let line = text_of(ONE).lines().find(|line| line.contains("\"bw_dev\"")).unwrap();
    let nan = text_of(ONE).replacen(line, "        \"bw_dev\" : -nan,", 1);
    assert_eq!(numbers(&read(&nan).unwrap()), numbers(&one));
}

#[test]
fn other_forms_of_elbencho_and_diskspd_are_read() {
    let semicolons = read(&text_of("elbencho.csv").replace(',', ";")).unwrap();
    assert_eq!(numbers(&semicolons), numbers(&sample("elbencho.csv")));
    let limited = text_of("elbencho.csv").replace("\"--rand\"", "\"--rand\" \"--limitread\" \"10m\"");
    let only: String = limited.lines().take(2).map(|line| format!("{line}\n")).collect();
    assert!(cause(read(&only)).contains("--limitread"));
    let one = text_of("diskspd.xml");
    let other =
        one.replace("<RequestCount>4", "<RequestCount>8").replace("<ReadCount>70000", "<ReadCount>90000");
    let both = read(&format!("C:\\> diskspd -Rxml\n{one}\n{other}")).unwrap();
    assert_eq!(number_of(&both, "small_iops small 8"), Some(20_000.0));
    assert_eq!(number_of(&both, "small_iops small 16"), Some(24_000.0));
    let cut = read(&format!("{one}{}", &other[..other.len() / 2])).unwrap();
    assert_eq!((number_of(&cut, "small_iops small 8"), cut.passed_over.len()), (Some(20_000.0), 1));
    let hot = one.replace("</Random>", "</Random><Distribution><Percent/></Distribution>");
    assert!(cause(read(&hot)).contains("Distribution"));
    // Two targets whose places are aligned differently are both random.
    let target = &one[one.find("          <Target>").unwrap()..one.find("        </Targets>").unwrap()];
    let second = target.replace("<Random>8192", "<Random>4096");
    let two = one.replacen(target, &format!("{target}{second}"), 1);
    assert!(number_of(&read(&two).unwrap(), "small_iops small 16").is_some());
}

#[test]
fn numbers_with_two_kinds_of_signs_are_read_and_others_are_ambiguous() {
    for (text, value) in
        [("1,234.5", 1234.5), ("1.234,5", 1234.5), ("1.234.567,25", 1_234_567.25), ("12,5", 12.5)]
    {
        assert_eq!(text::number(text), Some(value), "{text}");
    }
    assert_eq!(["1,23.5", "1,2345.6", ",234.5"].map(text::number), [None; 3]);
    assert_eq!(
        ["5,312", "5.312", "0.312", "5312", "1,234.5", "5,31"].map(text::is_ambiguous),
        [true, true, false, false, false, false]
    );
}
