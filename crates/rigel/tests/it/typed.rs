//! What people type by habit or by mistake, and what they are told: units, near words, options of fio, files that are no
//! storage.

use crate::support::{EPOCH, Place, ProgramOutput, RECORD};
use crate::within;
use rigel_testdev::{MissingNeed, needs};
use std::fs;
use std::os::unix::net::UnixListener;
use std::process::Command;

/// Checks the words of a refusal: it always says what to do next, and never to put an option behind `--`.
fn says(told: &ProgramOutput, line: &str, parts: &[&str]) {
    for part in parts {
        assert!(told.stderr.contains(part), "'{part}' is missing for '{line}':\n{}", told.stderr);
    }
    assert!(told.stderr.contains("next step: "), "{line}:\n{}", told.stderr);
    assert!(!told.stderr.contains("'-- "), "{line}:\n{}", told.stderr);
}

/// What is said to a line that its words refuse.
fn refused(line: &str, parts: &[&str]) -> ProgramOutput {
    let told = within::refused(line.split_whitespace());
    says(&told, line, parts);
    told
}

/// The plan of a simulated run.
fn plan(line: &str) -> String {
    within::line(&format!("{line} --engine sim --seed 1 --dry-run")).expect_code(0).stdout
}

#[test]
fn a_time_without_a_unit_is_refused_and_both_are_offered() {
    for (line, offer) in [
        ("calibrate --max-latency 2", "`--max-latency 2` has no unit: write 2ms or 2s"),
        ("calibrate --max-latency=0.5", "`--max-latency 0.5` has no unit: write 0.5ms or 0.5s"),
        ("calibrate --budget 60", "`--for 60` has no unit: write 60s or 60m"),
        ("run simple --duration 10", "`--duration 10` has no unit: write 10s or 10m"),
        ("run simple --max-duration 90", "`--for 90` has no unit: write 90s or 90m"),
        ("run simple --io-timeout 60", "`--io-timeout 60` has no unit: write 60s or 60m"),
        ("orion -run simple --max-duration 90", "`--for 90` has no unit: write 90s or 90m"),
        ("run simple --engine sim:service=5", "'5' has no unit: write 5us, 5ms"),
    ] {
        refused(line, &[offer]);
    }
    // ORION's own options have ORION's units.
    let place = Place::new();
    place.lun("t.lun", &[&place.random_file("data", 4 << 20)]);
    let plan =
        place.line("orion -run oltp -testname t -duration 10 --io-timeout 90s --dry-run").expect_code(0);
    assert!(plan.stdout.contains("10 s"), "{}", plan.stdout);
}

/// A minus sign that no keyboard has is named, wherever a number begins with it.
#[test]
fn a_minus_sign_of_a_document_is_named() {
    for (line, meant) in [
        ("run simple --for \u{2212}60s", "write -60s"),
        ("run simple --write=\u{2212}20", "write --write=-20"),
        ("slo --p99 5ms --bound p99.9<\u{2212}5ms", "write p99.9<-5ms"),
    ] {
        refused(line, &["has a typographic minus sign", meant, "copied from a document"]);
    }
}

#[test]
fn numbers_that_are_written_otherwise() {
    for (line, parts) in [
        ("run simple --duration .5m", ["'.5m' is not a single number", "--duration 0.5m"]),
        ("run simple --duration 1,5s", ["did you mean --duration 1.5s?", "--duration 1.5s"]),
        ("run simple --max-duration=1h30m", ["did you mean", "--for 90m"]),
        ("calibrate --budget 1m30s", ["did you mean", "--for 90s"]),
        ("run advanced --size-small .5K", ["did you mean", "--size-small 0.5K"]),
        ("run simple --cache-size 1.1K", ["'1.1K' is not a whole number of bytes", "--cache-size"]),
        ("run simple --io-timeout 1.0000000001s", ["has too many decimals: at most 9", "--io-timeout"]),
    ] {
        refused(line, &parts);
    }
}

#[test]
fn the_plan_of_a_calibration_has_its_bound() {
    for (options, bound) in [
        ("--max-latency 2ms --percentile p99", "p99 of at most 2 ms"),
        ("--max-latency 0.5ms", "mean of at most 500 us"),
        ("", "mean of at most 10 ms"),
    ] {
        let plan = plan(&format!("calibrate {options}"));
        let line = plan.lines().find(|line| line.starts_with("Limit ")).unwrap_or_else(|| panic!("{plan}"));
        assert!(line.contains(bound), "{line}");
    }
    let plan = plan("run simple");
    assert!(!plan.contains("Limit "), "{plan}");
}

#[test]
fn rates_that_look_like_one_number_are_told() {
    let told = |rates: &str| {
        let place = Place::new();
        place.line(&format!("run open --rate {rates} --engine sim --dry-run")).expect_code(0).stderr
    };
    for (rates, wanted) in [
        ("5,100", "note: --rate 5,100 gives 2 rates; for one rate, write 5100\n"),
        ("12,500", "note: --rate 12,500 gives 2 rates; for one rate, write 12500\n"),
    ] {
        assert!(told(rates).contains(wanted), "{}", told(rates));
    }
    for list in ["100,200,400", "5,10,20", "50,5000", "12500"] {
        assert!(!told(list).contains("for one rate"), "{list}");
    }
}

#[test]
fn a_limit_of_nothing_is_refused_without_a_range_of_64_bits() {
    for value in ["0", "-1x", "1.5"] {
        let told =
            refused(&format!("scrub a b --max-mbps={value}"), &["is not a whole number of MBPS from 1"]);
        assert!(!told.stderr.contains("18446744073709551615"), "{}", told.stderr);
    }
}

#[test]
fn mariadb_has_the_settings_of_mysql() {
    let told =
        |product: &str| within::line(&format!("advise nowhere.jsonl --database {product}")).expect_code(2);
    let stderr = told("mariadb").stderr;
    assert_eq!(stderr, told("mysql").stderr, "both look for the record");
    assert_eq!(stderr, told("MariaDB").stderr);
    assert!(stderr.contains("nowhere.jsonl"), "{stderr}");
}

#[test]
fn a_share_may_have_its_sign() {
    for line in ["run simple --write 2.5%", "calibrate --write 2.5%"] {
        refused(line, &["`--write 2.5%` is not a whole number of per cent", "0 to 100"]);
    }
    for command in ["run simple", "calibrate"] {
        let plan = |share: &str| plan(&format!("{command} --write {share}"));
        assert_eq!(plan("20%"), plan("20"));
        assert_ne!(plan("20%"), plan("30%"));
    }
}

#[test]
fn the_nearest_word_is_offered() {
    for (line, near) in [
        ("rnu simple", "did you mean `rigel run`?"),
        ("calbirate", "did you mean `rigel calibrate`?"),
        ("simple", "did you mean `rigel run simple`?"),
        ("man rnu", "did you mean `rigel man run`?"),
        ("run simpel", "did you mean `rigel run simple`?"),
        ("run randread f", "`rigel run oltp` measures random reads"),
        ("run sequential f", "`rigel run advanced --type seq`"),
        ("compare a b --gate 'iops<-5%'", "--fail-if GATE"),
        ("versus a --vs b", "--and TARGET"),
        ("run simple --levels aut", "--levels auto"),
        ("run simple --level auto", "rigel run simple; --levels is orion or auto"),
        ("run simple --engine aio", "--engine libaio"),
        ("run simple --engine io-uring", "--engine io_uring"),
        ("run simple --engine psync", "--engine sync"),
        ("run advanced --matrix rwo", "--matrix row"),
        ("run advanced --type random", "--type rand"),
        ("run simple --wirte 5", "did you mean --write?"),
        ("run commit --writer 5", "did you mean --writers?"),
        ("run simple --outstandin 4", "`rigel run advanced --matrix point --num-small 4 --num-large 0`"),
        ("calibrate --outstanding 4", "`rigel run advanced --matrix point --num-small 4 --num-large 0`"),
        ("slo --p99 2ms --queue-dept 4", "`rigel slo --p99 2ms --max-outstanding 4`"),
        ("calibrate --oute x", "did you mean --out?"),
        ("run simple --max-latency 2ms", "there is `rigel calibrate --max-latency 2ms`"),
        ("run simple -duration 10", "it is --duration of `rigel run`"),
        ("run simple -num_disks 4", "it is --num-disks of `rigel run`: `rigel run simple --num-disks 4`"),
        ("run commit --sync fsync", "write --sync fdatasync: `rigel run commit --sync fdatasync`"),
        ("run commit --sync=open_datasync", "write --sync dsync: `rigel run commit --sync=dsync`"),
        ("advise --last --for innodb", "write --database mysql: `rigel advise --last --database mysql`"),
        ("advise --last --database mssql", "--database takes one of postgresql, mysql, oracle"),
        ("calibrate -max-latency 2ms", "write --max-latency: `rigel calibrate --max-latency 2ms`"),
        ("capacity fit -duration=3m", "write --duration"),
        ("soak --for pg", "--for"),
        ("report x --format jsn", "--format json"),
        ("compare a b --format jnuit", "--format junit"),
        ("advise x --database postgres", "--database postgresql"),
        ("completions bsh", "did you mean bash?"),
        ("calibrate --colour red", "`rigel help calibrate` lists the options"),
    ] {
        refused(line, &[near]);
    }
}

/// Names that are no paths, in the place of a target.
#[test]
fn what_stands_for_no_path_leads_to_one() {
    for (line, part) in [
        ("run simple +DATA/orcl/system.256.1", "asmcmd lsdsk -G DATA"),
        ("calibrate ORCL:DATA1", "/dev/oracleasm/disks/DATA1"),
        ("doctor AFD:DATA1", "afd_lsdsk"),
        ("run simple /dev/null,/dev/zero", "separate them with spaces: /dev/null /dev/zero"),
        ("calibrate /dev/null:/dev/zero", "separate them with spaces: /dev/null /dev/zero"),
        ("run simple /dev/null,/nowhere", "check the spelling"),
        ("run simple +DATA.256.1", "asmcmd lsdsk -G DATA`"),
        ("run simple if=t.dat", "`rigel run streams t.dat`"),
        ("calibrate postgresql", "`rigel run --load postgresql`"),
        ("run simple job.fio", "`rigel run --load job.fio` runs it"),
        ("calibrate /dev/no*", "likely cause: no file matches this pattern"),
        ("fill +DATA --size 4G", "a new file of this name is ./+DATA"),
    ] {
        let told = within::line(line).expect_code(3);
        assert!(told.stderr.contains(part), "{line}: {}", told.stderr);
    }
}

#[test]
fn no_word_is_offered_where_another_one_was_meant() {
    for (line, parts) in [
        ("calibrate --percentile p95", ["is neither mean nor p99", "`rigel slo --bound 'p95 < 2ms'`"]),
        ("calibrate --percentile median", ["is neither mean nor p99", "`rigel slo --bound 'p50 < 2ms'`"]),
        ("calibrate --percentile all", ["is neither mean nor p99", "write --percentile mean or"]),
        ("slo --p97 5ms", ["--p97 is not an option", "--bound 'p97 < 5ms'"]),
        ("slo --max-latency 2ms f", ["--p99 TIME limits", "`rigel slo --p99 2ms f`"]),
        ("slo --latency=2ms", ["--p99 TIME limits", "`rigel slo --p99=2ms`"]),
        ("slo --percentile p99", ["--percentile is not an option", "--mean TIME that of the mean"]),
        ("run commit --size 4K", ["--commit-size SIZE", "`rigel run commit --commit-size 4K`"]),
        ("run advanced --size=4K", ["--size-large SIZE", "`rigel run advanced --size-small=4K`"]),
        ("run commit --clients 4", ["--writers N,..", "`rigel run commit --writers 4`"]),
        ("run streams f --threads 4", ["--readers N,..", "`rigel run streams f --readers 4`"]),
        ("run oltp --size 4K", ["--size-small SIZE", "both with `rigel run advanced`"]),
        ("run oltp --threads 4", ["the level raises the load itself", "--num-small 4"]),
        ("slo --bs 4k --p99 2ms", ["--size SIZE is the size", "`rigel slo --size 4k --p99 2ms`"]),
        ("slo --rate 1000", ["--rate is not an option", "there is `rigel run open --rate 1000`"]),
        (
            "run simple --overwrite",
            ["fio's --overwrite is automatic here", "--force replaces existing output files"],
        ),
        ("versus --overwrite", ["--overwrite is not an option", "--force replaces existing output files"]),
        ("calibrate --overwrite", ["fio's --overwrite is automatic here", "leave it out"]),
        ("fill f --overwrite", ["--overwrite is not an option", "`rigel help fill` lists"]),
        ("run simple --destroy", ["--destroy is not an option", "`rigel help run` lists"]),
        ("calibrate --time 60s", ["--time is not an option", "--for TIME"]),
        ("slo --time 60s", ["--time is not an option", "--for TIME"]),
        ("soak --duration 2h", ["--duration is not an option", "--for TIME"]),
        ("capacity fit --time 60s", ["--time is not an option", "--for TIME"]),
        ("run simple --read 70", ["--read is not an option", "70 % reads are --write 30"]),
        ("calibrate --read 70", ["--read is not an option", "70 % reads are --write 30"]),
        ("slo --max 5ms f", ["--p99 TIME limits", "`rigel slo --p99 5ms f`"]),
        ("slo --rate_iops=5000", ["--rate_iops is not an option", "--require 'p99 < 2ms @ 5000'"]),
        ("slo --max_latency=5ms", ["--p99 TIME limits", "`rigel slo --p99=5ms`"]),
        ("slo --latency-target=2ms", ["--p99 TIME limits", "`rigel slo --p99=2ms`"]),
        ("slo --force f", ["--force is not an option", "--name NAME sets how the outputs begin"]),
        ("capacity export", ["there is no command 'export'", "one SQLite file"]),
        ("capacity zzzz", ["there is no command 'zzzz'", "`rigel capacity` takes one of import, record"]),
        ("targets --for 60s", ["--for is not an option", "there is `rigel "]),
        (
            "run simple --simulate raid5",
            ["possible values: concat, raid0", "--simulate takes one of concat, raid0"],
        ),
    ] {
        let told = refused(line, &parts);
        assert!(!told.stderr.contains("did you mean"), "{line}: {}", told.stderr);
    }
}

#[test]
fn options_of_fio_are_translated() {
    for (options, here) in [
        ("--bs 4k", "--size-small 4k / --size-large 4k here"),
        ("--bs=4k", "--size-small 4k / --size-large 4k here"),
        ("--bs", "--size-small / --size-large here"),
        ("--iodepth=32", "--num-small 32 / --num-large 32 here"),
        ("--numjobs=4", "--num-small / --num-large here"),
        ("--runtime=60", "--duration 60s"),
        ("--time_based", "leave it out"),
        ("--rw=randread", "is the level here: `rigel run oltp` measures random reads"),
        ("--rw", "`rigel run oltp` for randread"),
        ("--rwmixread=80", "--write 20"),
        ("--filename=/dev/sdx", "`rigel run simple /dev/sdx`"),
        ("--direct=1", "leave it out; --buffered is what 0 is"),
        ("--ioengine=libaio", "--engine libaio here"),
        ("--size=4G", "--scratch-size 4G"),
        ("--offset=10%", "`rigel run simple --span 10-100%`"),
        ("--random_distribution=zipf:1.2", "without hot spots"),
        ("--read_iolog=trace", "`rigel capacity replay`"),
        ("--percentage_random=50", "or all follow one another"),
        ("--ioengine=sync", "--engine sync here"),
        ("--latency-target=2ms", "`rigel slo --p99 2ms`"),
        ("--max_latency=5ms", "no run ends because of one slow I/O"),
        ("--rate_min=10m", "no run ends because of its rate"),
        ("--overwrite=1", "leave it out"),
        ("--trim_percentage=5", "use fio for trims"),
        ("--verify_pattern=0xff", "`rigel soak`"),
        ("--experimental_verify=1", "`rigel soak`"),
        ("--loops=3", "--precision 2%"),
        ("--norandommap", "leave it out"),
        ("--directory=/mnt", "a directory gets a scratch file"),
        ("--end_fsync=1", "`rigel run commit` measures"),
        ("--cpus_allowed=0-3", "--cpus 0-3 here"),
        ("--output=x", "--out for the directory"),
        ("--write_lat_log=x", "`rigel report RECORD --format hlog`"),
        ("--group_reporting", "leave it out"),
        ("--timeout=60", "--duration 60s"),
        ("--wait_for_previous", "leave it out"),
        ("--readonly", "leave it out"),
        ("--continue_on_error=all", "ends no run"),
    ] {
        let option = options.split(['=', ' ']).next().unwrap();
        let parts = [format!("{option} is an option of fio"), format!("fio's {option} "), here.to_owned()];
        refused(&format!("run simple {options}"), &parts.each_ref().map(String::as_str));
    }
    // fio takes one dash as well.
    refused(
        "run simple -filename=/dev/sdx -direct=1 -rw=randread -bs=16k -iodepth 32 -thread",
        &[
            "-filename is an option of fio",
            "fio's --rw is",
            "fio's --bs is --size-small 16k",
            "fio's --iodepth is",
            "fio's --thread",
        ],
    );
    refused("run commit -sync dsync", &["write --sync"]);
    refused("calibrate --runtime=60", &["--for"]);
    refused("--bs=4k", &["--size-small"]);
    // All of a line at once.
    let line = "run simple --bs=4k --iodepth=32 --rw=randread --runtime 60";
    refused(line, &["fio's --bs", "fio's --iodepth", "fio's --rw", "fio's --runtime"]);
    // Arrivals have a rate here as well.
    let told_of_size = refused("run open --rate 100 --size 4G", &["fio's --size", "--scratch-size"]);
    assert!(!told_of_size.stderr.contains("fio's --rate"), "{}", told_of_size.stderr);
    // Where nothing is measured, they are just unknown.
    assert!(!refused("targets --bs=4k", &["--bs"]).stderr.contains("fio"));
}

/// A switch is on or not given, and fio's 0 is what Rigel does anyway.
#[test]
fn values_of_fio_do_not_turn_around_what_was_meant() {
    for (line, parts) in [
        (
            "run simple --buffered=0 f",
            ["--buffered is a switch", "leave out --buffered: `rigel run simple f`"],
        ),
        ("run simple --buffered=1 f", ["--buffered is a switch", "`rigel run simple --buffered f`"]),
        ("run commit --sync 1 f", ["`--sync 1` is called dsync here", "`rigel run commit --sync dsync f`"]),
        ("run commit --sync=0 f", ["`--sync 0` is called none here", "--sync none"]),
        ("run oltp --sync=1 f", ["`--sync 1` is called dsync here", "`rigel run commit --sync=dsync f`"]),
        ("run simple --rate=10m", ["fio's --rate counts bytes", "divide it by the size of an I/O"]),
    ] {
        let told = refused(line, &parts);
        assert!(!told.stderr.contains("--rate 10m`"), "{line}: {}", told.stderr);
    }
    refused("run simple --rate 5k", &["`rigel run open --rate 5k`"]);
}

/// Units in full, names with blanks between, a list in capitals, two words in one.
#[test]
fn what_can_be_read_in_one_way_is_read() {
    assert_eq!(plan("run simple --for 2days"), plan("run simple --for 2d"));
    let told = within::refused(["orion", "-run simple"]);
    says(&told, "-run simple", &["did you mean -run simple, with a space between?"]);
    let place = Place::new();
    fs::write(place.path().join("mytest.LUN"), format!("{}\n", place.random_file("data", 4 << 20).display()))
        .unwrap();
    let told = place.line("orion -run oltp -testname mytest.LUN --dry-run").expect_code(0);
    assert!(told.stdout.contains("data"), "{told:?}");
    let none = place.line("orion -run oltp -testname other.LUN --dry-run").expect_code(2);
    assert!(none.stderr.contains("other.LUN") && !none.stderr.contains("LUN.lun"), "{none:?}");
    let hosts = within::refused(["capacity", "show", "--host", "rac1, ", "--store", "nowhere"]);
    says(&hosts, "--host 'rac1, '", &["a name without a letter"]);
}

/// Other programs, other names of commands, and what is no target.
#[test]
fn words_of_other_tools_lead_to_commands() {
    for (line, part) in [
        ("vdbench -f x", "`rigel run --load FILE`"),
        ("diskspd -b8K", "`rigel run simple`"),
        ("elbencho", "`rigel run simple`"),
        ("dd if=a bs=1M", "`rigel run streams a`"),
        ("bonnie++", "`rigel run simple`"),
        ("iozone", "`rigel run simple`"),
        ("sysbench", "`rigel run --load mysql`"),
        ("pgbench -c 8", "`rigel sql simple`"),
        ("fio job.fio", "`rigel run --load job.fio`"),
        ("fio --bs=8k --iodepth 32", "fio's --iodepth is --num-small 32 / --num-large 32 here"),
        ("iostat", "`rigel capacity record`"),
        ("diff a b", "`rigel compare a b`"),
        ("verify /dev/md0", "`rigel scrub` compares copies"),
        ("list", "did you mean `rigel capacity list`?"),
        ("replay", "did you mean `rigel capacity replay`?"),
        ("forecast x", "did you mean `rigel capacity forecast`?"),
        ("fit", "did you mean `rigel capacity fit`?"),
        ("prove", "did you mean `rigel sql prove`?"),
        ("postgresql", "`rigel run --load postgresql`"),
        ("job.fio", "`rigel run --load job.fio`"),
        ("if=t.dat", "`rigel run streams t.dat`"),
        ("run sd=a,lun=/dev/sdb", "`rigel run simple /dev/sdb`"),
        ("run if=t.dat", "`rigel run streams t.dat`"),
        ("run pgbench", "`rigel sql simple`"),
        ("run job.fio", "`rigel run --load job.fio`"),
        ("run postgresql", "`rigel run --load postgresql`"),
        ("run shop.toml", "`rigel run --load shop.toml`"),
        ("run mytest.lun", "`rigel run simple --lun mytest.lun`"),
        ("run a_record.jsonl", "`rigel report a_record.jsonl`"),
        ("./orion -run simple", "`rigel orion -run simple`"),
        ("/opt/orion -run oltp -testname t", "`rigel orion -run oltp -testname t`"),
        ("-run simple", "`rigel orion -run simple`"),
        ("-run=simple -testname t", "`rigel orion -run simple -testname t`"),
        ("run -run simple", "`rigel orion -run simple`"),
        ("orion -run=simple", "did you mean -run simple, with a space between?"),
        ("run --rate=1000", "`rigel run open --rate=1000`"),
        ("run /dev/sdb --rate 1000", "`rigel run open /dev/sdb --rate 1000`"),
        ("run simple --rate 1000,2000", "`rigel run open --rate 1000,2000`"),
    ] {
        let told = refused(line, &[part]);
        let word = line.split(' ').next_back().unwrap();
        assert!(!told.stderr.contains(&format!("simple {word}` measures")), "{line}: {}", told.stderr);
    }
}

/// Rates and times with signs that others put into numbers.
#[test]
fn the_sign_that_is_in_the_way_is_told() {
    for (line, parts) in [
        ("slo --p99 5m30", ["did you mean", "--p99 330s"]),
        ("run open --rate 1e4", ["`--rate 1e4` is not written as one whole number", "write 10000,"]),
        ("run open --rate 5000/s", ["`--rate 5000/s` is not written as one whole number", "write 5000,"]),
        ("run open --rate 5.000", ["`--rate 5.000` is not written as one whole number", "write 5 or 5000,"]),
        ("slo --max-rate 20,000", ["`--max-rate 20,000` is not written as one", "write 20000,"]),
        ("run simple --duration 1,000", ["a comma, which may", "write 1000s or 1.000s"]),
        ("run advanced --size-small 1,024", ["a comma, which may", "--size-small 1024 or"]),
        ("run simple --span 0\u{2013}33%", ["a typographic dash", "write --span 0-33%"]),
        ("run simple --max\u{2011}duration 60s", ["a typographic dash in its name", "write --max-duration"]),
    ] {
        refused(line, &parts);
    }
    for (bound, parts) in [
        ("p99 < 2ms @ 5,000", ["'5,000' is not a single number", "write 5000"]),
        ("p99 < 2ms", ["the rate is missing", "it lacks @"]),
        ("p99 2ms @ 8000", ["'<' is missing", "it lacks <"]),
        ("p99", ["the rate is missing", "quote it"]),
    ] {
        says(&within::refused(["slo", "--require", bound]), bound, &parts);
    }
    for bound in ["p99 \u{2264} 2ms @ 8000", "p99 =< 2ms @ 8000", "p99 <= 2ms @ 8000"] {
        let told =
            within::perform(["slo", "--require", bound, "--engine", "sim", "--dry-run"]).expect_code(0);
        assert!(told.stdout.contains("p99 < 2 ms @ 8000"), "{}", told.stdout);
    }
    assert!(
        within::line("slo --p99 500usec --engine sim --dry-run").expect_code(0).stdout.contains("500 us")
    );
}

#[test]
fn a_level_or_a_command_that_is_missing() {
    refused("run /u01/data.dbf", &["a level is missing", "`rigel run simple /u01/data.dbf`", "oltp"]);
    refused("run data.dbf --write 5", &["a level is missing", "`rigel run simple data.dbf`"]);
    refused("run volume", &["'volume' is not a level", "`rigel run simple volume`"]);
    refused("run", &["a level is missing", "rigel run simple"]);
    refused("sql", &["a level is missing", "rigel sql simple", "users", "prove"]);
    refused("sql /mnt/fast", &["a level is missing", "`rigel sql simple /mnt/fast`", "install"]);
    refused("sql user", &["'user' is not a level", "`rigel sql users`"]);
    refused("/dev/sdx", &["a command is missing", "`rigel run simple /dev/sdx`"]);
    refused("--write 5", &["a command is missing", "rigel run simple"]);
}

#[test]
fn what_is_no_storage_says_what_it_is() {
    let place = Place::new();
    assert!(Command::new("mkfifo").arg(place.path().join("pipe")).status().unwrap().success());
    let _socket = UnixListener::bind(place.path().join("socket"));
    for (path, parts) in [
        ("/proc/cpuinfo", &["not storage", "a kernel file (proc)", "rigel targets"][..]),
        ("/sys/kernel/mm/transparent_hugepage/enabled", &["not storage", "sysfs", "rigel targets"]),
        ("/dev/null", &["not storage", "character device", "rigel targets"]),
        ("pipe", &["not storage", "FIFO", "rigel targets"]),
        ("socket", &["not storage", "socket", "rigel targets"]),
    ] {
        for command in ["run simple", "calibrate", "targets"] {
            let line = format!("{command} {path}");
            let told = place.line(&line).expect_code(3);
            says(&told, &line, parts);
            assert!(!told.stderr.contains("fallocate"), "{}", told.stderr);
        }
    }
    assert_eq!(place.files(), ["pipe", "socket"], "nothing was made");
}

#[test]
fn the_doctor_looks_below_a_directory() {
    let place = Place::new();
    let examined = |line: &str| {
        let told = place.line(&format!("doctor {line} --json"));
        assert!([0, 1].contains(&told.code), "{told:?}");
        told.json()
    };
    let about = |line: &str, mount: bool| -> Vec<String> {
        let found = examined(line);
        let settings = found["settings"].as_array().unwrap().iter();
        let of = settings.filter(|setting| !mount || setting["rule"] == "access-times");
        let mut about: Vec<String> =
            of.map(|setting| setting["about"].as_str().unwrap().to_owned()).collect();
        about.sort();
        about.dedup();
        about
    };
    place.random_file("data", 4 << 20);
    // What lies below a file in it, without the file.
    let of_file: Vec<String> = about("data", false).into_iter().filter(|about| about != "data").collect();
    assert_eq!(about(".", false), of_file);
    assert_eq!(about(".", true).len(), 1, "its filesystem, once");
    assert_eq!(about(". data", true), about(".", true));
}

#[test]
fn a_disk_that_cannot_be_read_stays_in_the_table() {
    let test = "a_disk_that_cannot_be_read_stays_in_the_table";
    let place = Place::new();
    // A node is missing for every device, as in a container, and the kernel lists them all the same.
    let script = "mount -t tmpfs none /dev && exec \"$0\" \"$@\"";
    let without_nodes = |arguments: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(["-m", "sh", "-c", script, env!("CARGO_BIN_EXE_rigel")]).args(arguments);
        crate::support::tell(command.current_dir(place.path()))
    };
    let probe = Command::new("unshare").args(["-m", "mount", "-t", "tmpfs", "none", "/dev"]).status();
    let listed = fs::read_dir("/sys/class/block").map_err(MissingNeed::new).and_then(|mut entries| {
        let has_size = |entry: &fs::DirEntry| {
            fs::read_to_string(entry.path().join("size")).is_ok_and(|size| size.trim() != "0")
        };
        let first = entries.find_map(|entry| entry.ok().filter(has_size));
        first.ok_or_else(|| MissingNeed::new("no block device with a medium"))
    });
    let usable = match probe {
        Ok(status) if status.success() => listed,
        _ => Err(MissingNeed::new("no mount namespace (not root?)")),
    };
    let Some(entry) = needs(test, usable) else { return };
    let path = format!("/dev/{}", entry.file_name().to_str().unwrap().replace('!', "/"));
    for arguments in [&["targets", "--quiet"][..], &["targets", &path]] {
        let told = without_nodes(arguments).expect_code(0);
        let row = told.stdout.lines().find(|line| line.starts_with(&format!("{path} ")));
        assert!(row.is_some_and(|row| row.contains("iB") && row.ends_with("refused")), "{}", told.stdout);
        assert!(
            told.stdout.contains("the kernel lists it") && told.stdout.contains("to read: "),
            "{}",
            told.stdout
        );
        assert_eq!(told.stderr, "");
    }
    let document = without_nodes(&["targets", &path, "--json"]).expect_code(0).json();
    let found = &document["targets"][0];
    assert!(found["size_bytes"].as_u64().unwrap() > 0, "{found}");
    assert_eq!((found["write"].as_str(), found["free"].as_bool()), (Some("refused"), Some(false)), "{found}");
    assert!(found["trouble"].as_str().unwrap().contains("the kernel lists it"), "{found}");
    assert!(found["remedy"].as_str().is_some(), "{found}");
}

#[test]
fn a_report_without_a_format_is_what_the_run_showed() {
    let place = Place::new();
    let run = place
        .command()
        .args(["run", "oltp", "--engine", "sim", "--seed", "7", "--quiet"])
        .env("SOURCE_DATE_EPOCH", EPOCH)
        .output();
    let shown = ProgramOutput::from(run.unwrap()).expect_code(0).stdout;
    let text = place.line(&format!("report ./{RECORD}")).expect_code(0).stdout;
    assert_eq!(text, place.line(&format!("report ./{RECORD} --format text")).expect_code(0).stdout);
    let lines = |text: &str| text.lines().take(10).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(lines(&text), lines(&shown));
}
