use super::*;
use crate::load::class::{Arrival, Pattern, Shape, Sizes, Span, Sync};
use crate::load::file;
use crate::load::matrix::RunLevel;
use crate::load::request::Request;

/// What a job file gives, after the load was written, read again, and could be asked for.
fn found(text: &str) -> FioLoad {
    assert!(is_job_file(text), "{text}");
    let found = read("x.fio", text).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
    let written = found.load.text("again");
    assert_eq!(file::read("x.toml", written.as_bytes()).as_ref(), Ok(&found.load), "{written}");
    found.load.clone().request(Request::new(RunLevel::Load)).unwrap_or_else(|problem| panic!("{problem}"));
    found
}

/// Each class: name, level, per cent of writes, and sizes.
fn classes(found: &FioLoad) -> Vec<(String, u32, u8, String)> {
    let all = found.load.points.iter().fold(Point::default(), |all, point| {
        point.classes().fold(all, |all, (class, level)| all.with(class, level))
    });
    let one = |class: &LoadClass| {
        (class.name.to_string(), all.of(class.name), class.write_percent.get(), class.size_text())
    };
    found.load.classes.iter().map(one).collect()
}

fn row(name: &str, level: u32, write: u8, size: &str) -> (String, u32, u8, String) {
    (name.to_owned(), level, write, size.to_owned())
}

fn remarks(found: &FioLoad) -> String {
    found.remarks.iter().map(|remark| format!("{remark}\n")).collect()
}

fn refused(text: &str) -> String {
    read("x.fio", text).unwrap_err().to_string()
}

const QUIET: &str = "[global]\ndirect=1\nioengine=libaio\ntime_based\nruntime=30\n";

#[test]
fn random_reads_in_a_closed_loop() {
    let one = found(&format!(
        "; a comment\n{QUIET}[Rand Read]\nrw=randread # more\nbs=8k\niodepth=32\nnumjobs=4\n"
    ));
    assert_eq!(classes(&one), [row("rand_read", 128, 0, "8 KiB")]);
    assert_eq!((one.runtime, one.size), (Some(Nanos::from_secs(30)), None));
    assert_eq!(one.remarks.iter().map(|remark| remark.line).collect::<Vec<_>>(), [4], "only the engine");
}

#[test]
fn random_mixes_keep_their_share() {
    for (mix, write) in
        [("rwmixread=70", 30), ("rwmixwrite=15", 15), ("rwmixread=70\nrwmixwrite=20", 20), ("", 50)]
    {
        let one = found(&format!("{QUIET}[oltp]\nrw=randrw\n{mix}\nbs=4k\niodepth=16\n"));
        assert_eq!(classes(&one), [row("oltp", 16, write, "4 KiB")], "{mix}");
    }
    let reads = found(&format!("{QUIET}[a]\nrw=randrw\nrwmixread=100\n"));
    assert_eq!(classes(&reads), [row("a", 1, 0, "4 KiB")]);
}

#[test]
fn sizes_with_shares_for_reads_and_writes() {
    let one = found(&format!("{QUIET}[a]\nrw=randread\nbssplit=4k/60:64k/\niodepth=8\n"));
    assert_eq!(classes(&one), [row("a", 8, 0, "60 % of 4 KiB, 40 % of 64 KiB")]);
    let two = found(&format!("{QUIET}[a]\nrw=randrw\nrwmixread=75\nbs=8k,16k\niodepth=16\n"));
    assert_eq!(classes(&two), [row("a_r", 12, 0, "8 KiB"), row("a_w", 4, 100, "16 KiB")]);
    assert!(remarks(&two).contains("12 and 4 outstanding"), "{}", remarks(&two));
    let split = found(&format!("{QUIET}[a]\nrw=randrw\nbssplit=4k/100,8k/50:16k/50\niodepth=2\n"));
    assert_eq!(classes(&split)[1], row("a_w", 1, 100, "50 % of 8 KiB, 50 % of 16 KiB"));
}

/// As fio 3.33 takes them: the other direction stays as [global] has it.
#[test]
fn what_a_pair_leaves_out_is_inherited() {
    let sizes = found(&format!("{QUIET}bs=8k\n[a]\nrw=randrw\nbs=,16k\niodepth=2\n"));
    assert_eq!(classes(&sizes), [row("a_r", 1, 0, "8 KiB"), row("a_w", 1, 100, "16 KiB")]);
    let rates = found(&format!("{QUIET}rate_iops=100,200\n[a]\nrw=randrw\nrate_iops=,300\niodepth=4\n"));
    assert_eq!(classes(&rates), [row("a_r", 100, 0, "4 KiB"), row("a_w", 300, 100, "4 KiB")]);
    let told = refused(&format!("{QUIET}[a]\nrw randread\n"));
    assert!(told.contains("equals sign") && told.contains("write rw=randread"), "{told}");
}

#[test]
fn rates_are_those_that_fio_holds() {
    let of = |text: &str| {
        let found = found(&format!("{QUIET}[a]\niodepth=8\n{text}\n"));
        let first = found.load.classes[0].arrival;
        (classes(&found).into_iter().map(|class| (class.1, class.2)).collect::<Vec<_>>(), first)
    };
    let even = Arrival::Open { shape: Shape::Even, most_outstanding: 8 };
    assert_eq!(of("rw=randread\nrate_iops=1000"), (vec![(1000, 0)], even));
    // One number is for each direction, whatever the mix: measured with fio 3.33.
    assert_eq!(of("rw=randrw\nrwmixread=75\nrate_iops=1000"), (vec![(1000, 0), (1000, 100)], even));
    assert_eq!(of("rw=randrw\nrate_iops=1000,500"), (vec![(1000, 0), (500, 100)], even));
    // Of mixed sizes the smallest one counts: 1000 x 4 KiB, in I/Os of 34 KiB on average.
    assert_eq!(of("rw=randread\nbssplit=4k/50:64k/50\nrate_iops=1000"), (vec![(118, 0)], even));
    assert_eq!(of("rw=randread\nbs=4k\nrate=4m"), (vec![(1024, 0)], even));
    let poisson = Arrival::Open { shape: Shape::Poisson, most_outstanding: 24 };
    assert_eq!(of("rw=randread\nnumjobs=3\nrate_iops=100\nrate_process=poisson"), (vec![(300, 0)], poisson));
    // Reads as fast as they can beside writes at a rate.
    let two = of("rw=randrw\nrate_iops=,500\nbs=8k,16k");
    assert_eq!(two, (vec![(8, 0), (500, 100)], Arrival::Closed));
}

#[test]
fn random_and_sequential_jobs_at_rates_are_one_load() {
    let text = "[reads]\nrw=randread\nbs=8k\niodepth=16\nrate_iops=800\n[scan]\nrw=read\nbs=128k\niodepth=4\nnumjobs=2\nrate_iops=50\n";
    let both = found(&format!("{QUIET}filename=/dev/sdx\n{text}"));
    assert_eq!(classes(&both), [row("reads", 800, 0, "8 KiB"), row("scan", 100, 0, "128 KiB")]);
    let scan = &both.load.classes[1];
    assert_eq!((scan.pattern, scan.stream_count(100)), (Pattern::Streams { ios_per_stream: 4 }, 2));
    assert_eq!(scan.arrival, Arrival::Open { shape: Shape::Even, most_outstanding: 8 });
    assert_eq!((both.targets.as_slice(), both.load.points.len()), (["/dev/sdx".to_owned()].as_slice(), 1));
}

#[test]
fn a_flushed_log_is_writers_that_append() {
    let log = found("[etcd]\nrw=write\nioengine=sync\nfdatasync=1\nsize=22m\nbs=2300\n");
    let class = &log.load.classes[0];
    assert_eq!((class.pattern, class.sync), (Pattern::Log, Sync::Fdatasync));
    assert_eq!((&class.sizes, log.size), (&Sizes::Fixed(2560), Some(Bytes(22 << 20))));
    let told = remarks(&log);
    for words in [
        "line 1: [etcd]: direct I/O moves whole blocks: 2300 bytes are taken as 2560",
        "page cache",
        "without runtime",
    ] {
        assert!(told.contains(words), "{told}");
    }
    let random = found(&format!("{QUIET}[a]\nrw=randwrite\nfsync=1\niodepth=4\n"));
    assert_eq!(
        (random.load.classes[0].pattern, random.load.classes[0].sync),
        (Pattern::Random, Sync::Fdatasync)
    );
    let every = found(&format!("{QUIET}[a]\nrw=randwrite\nfsync=32\nsync=dsync\n"));
    assert_eq!(every.load.classes[0].sync, Sync::Dsync);
    assert!(
        remarks(&every).contains("line 8: fsync=32: a class has a flush after each write"),
        "{}",
        remarks(&every)
    );
}

#[test]
fn streams_have_their_depth_and_mixed_ones_become_two_classes() {
    let one = found(&format!("{QUIET}[seq]\nrw=read\nbs=1m\niodepth=8\nnumjobs=3\n"));
    assert_eq!(classes(&one), [row("seq", 3, 0, "1 MiB")]);
    assert_eq!(one.load.classes[0].pattern, Pattern::Streams { ios_per_stream: 8 });
    let two = found(&format!("{QUIET}[seq]\nrw=rw\nbs=64k\niodepth=10\nrwmixread=80\n"));
    assert_eq!(classes(&two), [row("seq_r", 1, 0, "64 KiB"), row("seq_w", 1, 100, "64 KiB")]);
    assert_eq!(two.load.classes[0].pattern, Pattern::Streams { ios_per_stream: 8 });
    assert!(refused("[a]\nrw=read\nbssplit=4k/50:8k/50").contains("sequential and has several sizes"));
}

#[test]
fn an_engine_that_waits_has_one_outstanding() {
    let one = found(
        "[global]\ndirect=1\niodepth=64\nioengine=psync\nnumjobs=3\n[a]\nrw=randread\n[b]\nioengine=io_uring\nrw=randread\n",
    );
    assert_eq!(classes(&one), [row("a", 3, 0, "4 KiB"), row("b", 192, 0, "4 KiB")]);
    assert!(
        remarks(&one).contains("line 6: [a]: ioengine=psync keeps one I/O per job outstanding"),
        "{}",
        remarks(&one)
    );
}

#[test]
fn sections_inherit_what_stands_above_them() {
    let text = "[a]\nrw=randread\ndirect=1\n[global]\nbs=16k\ndirect=1\n[b]\nrw=randread\n[global]\nbs=32k\n[b]\nrw=randread\nbs=64k\n[b]\nrw=randread";
    let all = found(text);
    let sizes = ["4 KiB", "16 KiB", "64 KiB", "32 KiB"];
    let rows: Vec<_> =
        ["a", "b", "b2", "b3"].iter().zip(sizes).map(|(name, size)| row(name, 1, 0, size)).collect();
    assert_eq!(classes(&all), rows);
    assert!(remarks(&all).contains("has a file of its own"), "{}", remarks(&all));
}

#[test]
fn stonewalls_part_points() {
    let text = "[a]\nrw=randread\niodepth=4\n[b]\nstonewall\nrw=randwrite\n[c]\nrw=read\nruntime=60\n";
    let parted = found(&format!("{QUIET}filename=/dev/sdx\n{text}"));
    let points: Vec<String> = parted.load.points.iter().map(|point| point.words()).collect();
    assert_eq!(points.len(), 2, "{points:?}");
    assert_eq!(parted.load.points[0].classes().count(), 1);
    assert_eq!((parted.load.points[1].classes().count(), parted.runtime), (2, Some(Nanos::from_secs(60))));
    let told = remarks(&parted);
    assert!(told.contains("line 10: [b]: stonewall") && told.contains("line 13: [c]: its runtime"), "{told}");
}

#[test]
fn parts_of_a_file_are_in_per_cent() {
    let of = |text: &str| {
        let found = found(&format!("{QUIET}filename=/dev/sdx\n[a]\nrw=randread\n{text}\n"));
        (found.load.classes[0].span, found.size, remarks(&found).contains("whole percentage"))
    };
    assert_eq!(of("offset=10%"), (Span::Percent(10, 100), None, false));
    assert_eq!(of("size=20%"), (Span::Percent(0, 20), None, false));
    assert_eq!(of("offset=25%\nsize=50%"), (Span::Percent(25, 75), None, false));
    assert_eq!(of("size=4g"), (Span::Whole, Some(Bytes(4 << 30)), false));
    assert_eq!(of("offset=1g\nsize=3g"), (Span::Percent(25, 100), Some(Bytes(4 << 30)), false));
    assert_eq!(of("offset=1g"), (Span::Whole, None, true));
    let two =
        found(&format!("{QUIET}filename=/data/x\n[data]\nrw=randread\nsize=8g\n[log]\nrw=write\nsize=1g\n"));
    assert_eq!(two.load.classes[1].span, Span::Percent(0, 13));
    assert!(
        remarks(&two).contains("line 10: [log]: its part of the file is not a whole percentage"),
        "{}",
        remarks(&two)
    );
}

#[test]
fn numbers_have_the_units_of_fio() {
    let size = |section: &str| match found(&format!("[a]\nrw=randread\n{section}")).load.classes[0].sizes {
        Sizes::Fixed(bytes) => bytes,
        _ => 0,
    };
    for (text, bytes) in [
        ("bs=4k", 4096),
        ("bs=4K", 4096),
        ("bs=4kb", 4096),
        ("bs=4ki", 4096),
        ("bs=64kib", 64_000),
        ("bs=0x1000", 4096),
        ("bs=4096b", 4096),
        ("blocksize = 1m", 1 << 20),
        ("bs=512k\nkb_base=1000", 512_000),
        ("kb_base=1000\nbs=4kib", 4096),
    ] {
        assert_eq!(size(text), bytes, "{text}");
    }
    for (text, seconds) in [("90", 90), ("2m", 120), ("1h", 3600), ("1d", 86_400), ("20sec", 20)] {
        let one = found(&format!("[a]\nrw=randread\nruntime={text}\n"));
        assert_eq!(one.runtime, Some(Nanos::from_secs(seconds)), "{text}");
    }
}

#[test]
fn files_and_directories_are_kept_for_whoever_may_look() {
    let of = |text: &str| found(&format!("{QUIET}{text}")).targets;
    assert_eq!(of("[a]\nfilename=/dev/sda:/dev/sdb\n"), ["/dev/sda", "/dev/sdb"]);
    assert_eq!(of("[a]\nfilename=/dev/dsk\\:1\n"), ["/dev/dsk:1"]);
    assert_eq!(of("[a]\ndirectory=/mnt/x\n"), ["/mnt/x"]);
    assert_eq!(of("[a]\ndirectory=/mnt/x\nfilename=y\n"), ["/mnt/x/y"]);
    let differ = found(&format!("{QUIET}[a]\nfilename=/dev/sda\n[b]\nfilename=/dev/sdb\n"));
    assert!(differ.differ && differ.targets.is_empty() && remarks(&differ).contains("its files differ"));
}

#[test]
fn what_has_no_counterpart_is_remarked_at_its_line() {
    let one =
        found(&format!("{QUIET}[a]\nrw=randread\nthinktime=100\nnorandommap\nfrobnicate=7\nramp_time=5\n"));
    let lines: Vec<(usize, String)> = one.remarks.iter().map(|one| (one.line, one.typed())).collect();
    let expected = [
        (3, "ioengine=libaio"),
        (8, "thinktime=100"),
        (9, "norandommap"),
        (10, "frobnicate=7"),
        (11, "ramp_time=5"),
    ];
    assert_eq!(lines, expected.map(|(line, typed)| (line, typed.to_owned())));
    assert!(remarks(&one).contains("line 8: thinktime=100: a class has no pauses"), "{}", remarks(&one));
    let mixed = found(&format!("{QUIET}[a]\nrw=randrw\npercentage_random=50\n"));
    assert!(remarks(&mixed).contains("percentage_random=50: no counterpart: "), "{}", remarks(&mixed));
    assert!(!remarks(&mixed).contains("equally likely"), "{}", remarks(&mixed));
    let sequential = found(&format!("{QUIET}[a]\nrw=rw\npercentage_random=50\n"));
    assert!(remarks(&sequential).contains("what rw says, throughout"), "{}", remarks(&sequential));
    let usual = found(&format!("{QUIET}[a]\nrw=randrw\npercentage_random=100\n"));
    assert!(!remarks(&usual).contains("percentage_random"), "{}", remarks(&usual));
    let buffered = found("[a]\nrw=randread\ndirect=0\nruntime=5\ntime_based\n");
    assert!(
        remarks(&buffered).contains("line 3: direct=0: I/O bypasses the page cache"),
        "{}",
        remarks(&buffered)
    );
}

#[test]
fn what_nobody_can_run_is_refused_with_its_line() {
    for (text, words) in [
        ("rw=read\n[a]\n", "x.fio:1"),
        ("[global]\nbs=4k\n", "has no job"),
        ("[a]\nrw=randtrim\n", "trims"),
        ("[a]\nrw=read:8k\n", "skips places"),
        ("[a]\nrw=fast\n", "x.fio:2"),
        ("[a]\nbs=1.5m\n", "'bs=1.5m' cannot be read"),
        ("[a]\nbs=2+2k\n", "cannot be read"),
        ("[a]\nbs=0\n", "cannot be read"),
        ("[a]\nbsrange=4k-64k\n", "a range of sizes"),
        ("[a]\nbssplit=4k/50:8k/30\n", "add up to 100"),
        ("[a]\nbssplit=4k/90:8k/20\n", "add up to 100"),
        ("[a]\nsize=${SIZE}\n", "has a variable"),
        ("[a]\nbs=$pagesize\n", "has a variable"),
        ("[a]\ninclude other.fio\n", "includes another one"),
        ("[a\nrw=read\n", "not the name of a section"),
        ("[a]\nrwmixread=101\n", "0 to 100"),
        ("[a]\niodepth=0\n", "1 to 65535"),
        ("[a]\nbs=1g\nrw=randread\n", "too large"),
        ("[a]\nread_iolog=/tmp/x.log\n", "x.fio:2"),
        ("[a]\nioengine=null\nrw=randread\n", "does not read or write storage"),
        ("[a]\nioengine=cpuio\ncpuload=50\n", "does not read or write storage"),
        ("[a]\nioengine=ftruncate\nrw=randwrite\n", "does not read or write storage"),
        ("[a]\nioengine=dircreate\nfilesize=4k\n", "does not read or write storage"),
        ("[a]\nioengine=rbd\nrw=randread\n", "map or mount"),
        ("[global]\nprofile=tiobench\n[a]\nrw=randread\n", "built into fio"),
    ] {
        let told = refused(text);
        assert!(told.contains(words) && told.contains("x.fio"), "{text}: {told}");
    }
    let nine: String = (0..9).map(|job| format!("[j{job}]\nrw=randread\n")).collect();
    assert!(refused(&nine).contains("more than 8 classes"));
    assert!(!is_job_file("load = \"rigel.load/1\"\n[[class]]\n") && !is_job_file("# nothing\n"));
}

/// fio calls some options by two names.
#[test]
fn other_names_of_options_mean_the_same() {
    let text = |stonewall: &str, runtime: &str, offset: &str| {
        format!(
            "[global]\ndirect=1\nioengine=libaio\nsize=1g\n{runtime}=30\ntime_based\n[a]\nrw=randread\n{offset}=1g\n[b]\n{stonewall}\nrw=randwrite\n"
        )
    };
    let (one, other) = (
        found(&text("stonewall", "runtime", "offset")),
        found(&text("wait_for_previous", "timeout", "fileoffset")),
    );
    assert_eq!((one.load.points.len(), one.runtime), (2, Some(Nanos::from_secs(30))));
    assert_eq!((&other.load, other.runtime, other.size), (&one.load, one.runtime, one.size));
}

#[test]
fn files_of_a_job_are_its_size_together() {
    for (text, size) in [
        ("size=1g\nnrfiles=10\nfilesize=100m\n", 1000 << 20),
        ("filesize=100m\nnr_files=4\n", 400 << 20),
        ("filesize=100m\nsize=1g\n", 100 << 20),
        ("size=1g\nnrfiles=10\n", 1 << 30),
    ] {
        assert_eq!(found(&format!("{QUIET}[a]\nrw=randread\n{text}")).size, Some(Bytes(size)), "{text}");
    }
}

#[test]
fn a_mark_of_an_encoding_is_no_text_and_a_command_line_no_job_file() {
    let job = format!("{QUIET}[a]\nrw=randread\n");
    assert_eq!(found(&format!("\u{feff}{job}")), found(&job));
    for line in ["fio --name=a --rw=randread\n", "--name=a --rw=randread\n"] {
        let told = refused(line);
        assert!(told.contains("an fio command line") && told.contains("rw=randread"), "{told}");
    }
}

/// Copies that are offset from one another go over all of their places together.
#[test]
fn copies_with_an_increment_cover_their_places() {
    let span = |text: &str| {
        let one = found(&format!("{QUIET}[a]\nrw=read\nbs=128k\n{text}"));
        (one.load.classes[0].span, one.size)
    };
    assert_eq!(span("numjobs=4\noffset_increment=25%\nsize=25%\n"), (Span::Whole, None));
    assert_eq!(
        span("numjobs=2\noffset_increment=25%\nsize=25%\noffset=10%\n"),
        (Span::Percent(10, 60), None)
    );
    assert_eq!(span("numjobs=4\noffset_increment=1g\nsize=1g\n"), (Span::Whole, Some(Bytes(4 << 30))));
    assert_eq!(span("numjobs=1\noffset_increment=25%\nsize=25%\n"), (Span::Percent(0, 25), None));
}

#[test]
fn capitals_are_refused_and_a_ratio_of_jobs_is_told() {
    let told = refused("[a]\nRW=randread\n");
    assert!(told.contains("small letters") && told.contains("write rw"), "{told}");
    let flow = found(&format!("{QUIET}[a]\nrw=randread\nflow=8\n[b]\nrw=randwrite\nflow=-2\n"));
    assert!(remarks(&flow).contains("in this ratio"), "{}", remarks(&flow));
}
