use super::*;
use crate::args::TargetSource;
use rigel_core::load::class::{Class, Pattern};
use rigel_core::load::matrix::MatrixShape;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::Pace;
use rigel_core::load::request::{CacheWarmUp, EngineRequest, Request};
use rigel_core::load::task::Task;
use rigel_core::load::workload::{Layout, WritePercent};
use rigel_report::OrionVersion;

fn read_line(line: &str) -> Result<Invocation, Problem> {
    let arguments: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
    read(&arguments, &Environment::default())
}

fn run(line: &str) -> RunOptions {
    match read_line(line) {
        Ok(Invocation::Run(options)) => *options,
        other => panic!("{line}: {other:?}"),
    }
}

/// The request of a line, checked against ORION's defaults changed by `change`.
fn check(line: &str, level: RunLevel, change: impl FnOnce(&mut Request)) {
    let found = run(line).request;
    let mut expected = Request::new(level);
    expected.command_line = format!("{line} ");
    expected.seed = found.seed;
    change(&mut expected);
    assert_eq!(found, expected, "{line}");
}

#[test]
fn a_bare_level_has_orions_defaults() {
    let found = run("-run simple");
    assert_eq!(found.front, Front::Orion);
    assert_eq!(found.targets, TargetSource::LunFile("orion.lun".into()));
    assert_eq!(found.out_dir, PathBuf::from("."));
    assert_eq!(found.request.name, "orion");
    assert_eq!(found.request.pace(), Some(Pace::ORION));
    assert_eq!(found.display.orion_version, OrionVersion::V19);
    assert!(found.notes.is_empty() && !found.force && !found.dry_run);
}

/// Command lines of published runs and of ORION's own help.
#[test]
fn published_advanced_lines_are_understood() {
    let advanced = RunLevel::Advanced;
    let raid0 = Layout::Raid0 { stripe_bytes: MIB };
    check("-run advanced -size_small 32 -size_large 1024 -type rand -matrix detailed", advanced, |r| {
        r.set_size(Class::SMALL, 32 * KIB);
        r.task = Task::advanced(MatrixShape::Detailed);
    });
    check(
        "-run advanced -simulate raid0 -stripe 1024 -write 100 -type seq -matrix col -num_small 0",
        advanced,
        |r| {
            r.layout = raid0;
            r.set_writes(WritePercent::new(100).unwrap());
            r.set_large(Pattern::Streams { ios_per_stream: 4 });
            r.task = Task::advanced(MatrixShape::Col { small: 0 });
        },
    );
    check("-run advanced -matrix row -num_large 0", advanced, |r| {
        r.task = Task::advanced(MatrixShape::Row { large: 0 })
    });
    check("-run advanced -matrix col -num_small 0", advanced, |r| {
        r.task = Task::advanced(MatrixShape::Col { small: 0 })
    });
    check(
        "-run advanced -testname advancedtest -matrix max -num_small 4 -num_large 4 -size_large 512",
        advanced,
        |r| {
            r.name = "advancedtest".into();
            r.task = Task::advanced(MatrixShape::Max { small: 4, large: 4 });
            r.set_size(Class::LARGE, 512 * KIB);
        },
    );
    check(
        "-run advanced -write 0 -matrix point -duration 120 -testname mytest -simulate raid0 -num_disks 24 \
         -cache_size 500 -num_small 1000 -num_large 0"
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .as_str(),
        advanced,
        |r| {
            r.name = "mytest".into();
            r.task = Task::advanced(MatrixShape::Point { small: 1000, large: 0 });
            r.set_pace(Pace::Fixed(Nanos::from_secs(120)));
            r.layout = raid0;
            r.num_disks = Some(24);
            r.cache = CacheWarmUp::Bytes(500 * MIB);
        },
    );
    check("-run advanced -type rand -size_small 8 -size_large 8 -num_disks 8", advanced, |r| {
        r.set_size(Class::LARGE, 8 * KIB);
        r.num_disks = Some(8);
    });
    check(
        "-run advanced -simulate RAID0 -matrix ROW -num_large 2 -type SEQ -num_streamIO 2 -cache_size 0",
        advanced,
        |r| {
            r.layout = raid0;
            r.task = Task::advanced(MatrixShape::Row { large: 2 });
            r.set_large(Pattern::Streams { ios_per_stream: 2 });
            r.cache = CacheWarmUp::Off;
        },
    );
}

#[test]
fn published_predefined_lines_are_understood() {
    let name = |name: &'static str| move |r: &mut Request| r.name = name.into();
    check("-testname mytest -run normal", RunLevel::Normal, name("mytest"));
    check("-run simple -testname simpletest", RunLevel::Simple, name("simpletest"));
    check("-run normal -testname old-TEST-EBS", RunLevel::Normal, name("old-TEST-EBS"));
    check("-run simple -testname mytest -num_disks 2", RunLevel::Simple, |r| {
        r.name = "mytest".into();
        r.num_disks = Some(2);
    });
    check("-run oltp -testname oltp_write -write 20", RunLevel::Oltp, |r| {
        r.name = "oltp_write".into();
        r.set_writes(WritePercent::new(20).unwrap());
    });
    check("-run oltp -write 50 -testname X -num_disks 4 -hugenotneeded", RunLevel::Oltp, |r| {
        r.name = "X".into();
        r.set_writes(WritePercent::new(50).unwrap());
        r.num_disks = Some(4);
    });
    check("-run dss -testname X -write 100", RunLevel::Dss, |r| {
        r.name = "X".into();
        r.set_writes(WritePercent::new(100).unwrap());
    });
    check("-run simple -testname X -hugenotneeded", RunLevel::Simple, name("X"));
    assert!(run("-run simple -verbose").display.verbose);
}

#[test]
fn a_testname_may_hold_a_directory() {
    for (testname, dir, name, lun) in [
        ("/home/oracle/foo", "/home/oracle", "foo", "/home/oracle/foo.lun"),
        ("runs/foo", "runs", "foo", "runs/foo.lun"),
        ("./foo", ".", "foo", "./foo.lun"),
        ("/foo", "/", "foo", "/foo.lun"),
        ("foo.v2", ".", "foo.v2", "foo.v2.lun"),
        ("foo.lun", ".", "foo", "foo.lun"),
        ("/u01/foo.lun", "/u01", "foo", "/u01/foo.lun"),
    ] {
        let found = run(&format!("-run simple -testname {testname}"));
        assert_eq!(found.out_dir, PathBuf::from(dir), "{testname}");
        assert_eq!(found.request.name, name, "{testname}");
        assert_eq!(found.targets, TargetSource::LunFile(lun.into()), "{testname}");
        assert_eq!(found.notes.is_empty(), !testname.ends_with(".lun"), "{testname}: {:?}", found.notes);
    }
    for wrong in ["/root/", "..", "/", "a/.."] {
        let problem = read_line(&format!("-run simple -testname {wrong}")).unwrap_err();
        assert_eq!(problem.place.as_deref(), Some("-testname"), "{wrong}");
    }
}

#[test]
fn rigels_own_options_stand_anywhere() {
    let found =
        run("--seed 5 -run oltp --engine=libaio -write 20 --destroy-data /dev/x --destroy-data=/dev/y \
         --workers 2 --orion-version 11.1 --dry-run --force --quiet --json --buffered");
    assert_eq!((found.request.seed, found.request.workers), (5, Some(2)));
    assert!(
        found.dry_run && found.force && found.display.quiet && found.display.json && found.request.buffered
    );
    assert_eq!(found.destroy, [PathBuf::from("/dev/x"), PathBuf::from("/dev/y")]);
    assert_eq!(found.display.orion_version, OrionVersion::V11_1);
    assert!(found.request.command_line.starts_with("--seed 5 -run oltp "));
}

#[test]
fn a_simulated_engine_reads_no_list() {
    let found = run("-run simple -testname t --engine sim");
    assert_eq!(found.targets, TargetSource::Simulated);
    assert!(matches!(found.request.engine, EngineRequest::Sim(_)));
    assert!(found.notes[0].contains("t.lun is not read"), "{:?}", found.notes);
}

#[test]
fn what_has_no_effect_is_remarked() {
    assert!(run("-run simple -storax SKGFR").notes.is_empty());
    for (line, words) in [
        ("-run simple -storax asmlib", "-storax asmlib"),
        ("-run simple -testname a.lun", "a.lun is read"),
        ("-run simple -cache_size 500", "-type seq"),
        ("-run advanced -type seq -cache_size 67108864", "64 TiB"),
        ("-run simple --destroy-data /dev/x", "--destroy-data"),
    ] {
        let notes = run(line).notes;
        assert!(notes.len() == 1 && notes[0].contains(words), "{line}: {notes:?}");
    }
}

/// Wrong command lines, and what the message has to name.
#[test]
fn every_refusal_names_the_option_and_ends_like_orion() {
    for (line, named) in [
        ("", "-run"),
        ("-testname mytest", "-run"),
        ("-run", "-run"),
        ("-run simpel", "-run"),
        ("-run -testname x", "-run"),
        ("-run simple -run simple", "-run"),
        ("-run simple -verbose -verbose", "-verbose"),
        ("-run simple /dev/sdb", "/dev/sdb"),
        ("-run simple -numdisks 2", "-num_disks"),
        ("-run simple --num_disks 2", "-num_disks"),
        ("-run simple -seed 2", "--seed"),
        ("-run simple -frobnicate", "-frobnicate"),
        ("-run simple --frobnicate", "--frobnicate"),
        ("-run simple --", "--"),
        ("-run simple -", "- is not an option"),
        ("-run simple -testname", "-testname"),
        ("-run simple -testname -verbose", "-testname"),
        ("-run simple -num_disks", "-num_disks"),
        ("-run simple -num_disks 0", "-num_disks"),
        ("-run simple -num_disks -2", "-num_disks"),
        ("-run simple -num_disks 2.5", "-num_disks"),
        ("-run simple -num_disks +2", "-num_disks"),
        ("-run simple -num_disks 99999999999999999999", "-num_disks"),
        ("-run simple -write 101", "-write"),
        ("-run simple -write -1", "-write"),
        ("-run simple -duration 0", "-duration"),
        ("-run simple -duration 60s", "-duration"),
        ("-run simple -duration 18446744073709551615", "-duration"),
        ("-run simple -cache_size 18446744073709551615", "-cache_size"),
        ("-run simple -storax odm", "-storax"),
        ("-run simple -verbose --quiet", "-verbose"),
        ("-run simple --seed", "--seed"),
        ("-run simple --seed -3", "--seed"),
        ("-run simple --seed 1 --seed 1", "--seed"),
        ("-run simple --dry-run=yes", "--dry-run"),
        ("-run simple --engine posix", "--engine"),
        ("-run simple --workers 0", "--workers"),
        ("-run simple --orion-version 9.2", "--orion-version"),
        ("-run advanced -matrix square", "-matrix"),
        ("-run advanced -matrix point -num_small 4", "-num_large"),
        ("-run advanced -matrix max -num_large 4", "-num_small"),
        ("-run advanced -matrix col", "-num_small"),
        ("-run advanced -matrix col -num_small 0 -num_large 0", "-num_large"),
        ("-run advanced -matrix row -num_small 0", "-num_large"),
        ("-run advanced -matrix basic -num_small 1", "-num_small"),
        ("-run advanced -num_large 1", "-num_large"),
        ("-run advanced -matrix point -num_small 0 -num_large 0", "-num_small, -num_large"),
        ("-run advanced -size_small 0", "-size_small"),
        ("-run advanced -size_small 8Q", "-size_small"),
        ("-run advanced -size_large 1048576", "-size_large"),
        ("-run advanced -type sequential", "-type"),
        ("-run advanced -num_streamIO 4", "-num_streamIO"),
        ("-run advanced -type seq -num_streamIO 0", "-num_streamIO"),
        ("-run advanced -simulate raid1", "-simulate"),
        ("-run advanced -stripe 1024", "-stripe"),
        ("-run advanced -simulate concat -stripe 1024", "-stripe"),
        ("-run advanced -simulate raid0 -type seq -stripe 1000", "-stripe"),
    ] {
        let problem = read_line(line).expect_err(line);
        assert_eq!(problem.kind.code(), 2, "{line}");
        let told = problem.to_string();
        assert!(told.contains(named), "{line}: {told}");
        assert_eq!(told.lines().last(), Some(ORION_LINE), "{line}: {told}");
    }
}

/// As scripts and articles have it, although ORION's help does not.
#[test]
fn options_and_sizes_are_read_as_people_write_them() {
    let advanced = RunLevel::Advanced;
    check("-RUN Advanced -SIZE_SMALL 16k -Size_Large 1M -type RAND", advanced, |r| {
        r.set_size(Class::SMALL, 16 * KIB);
        r.set_size(Class::LARGE, MIB);
    });
    check("-run advanced -type seq -cache_size 2G -num_streamio 2", advanced, |r| {
        r.set_large(Pattern::Streams { ios_per_stream: 2 });
        r.cache = CacheWarmUp::Bytes(2 << 30);
    });
}

#[test]
fn a_value_with_a_unit_of_its_own_or_a_range_is_told_what_to_write() {
    for (line, told) in [
        ("-run advanced -duration 2m", "write -duration 120; the unit is seconds"),
        ("-run oltp -write 50%", "write -write 50; the unit is per cent"),
        ("-run advanced -matrix row -num_large 1-4", "-matrix basic, detailed, col and row measure several"),
        ("-run advanced -duration fast", "give digits only"),
        ("-run advanced -matrix row -num_large -5", "give digits only"),
    ] {
        let problem = read_line(line).unwrap_err().to_string();
        assert!(problem.contains(told), "{line}: {problem}");
    }
}

#[test]
fn a_count_that_does_not_go_with_its_matrix_gets_a_line_that_runs() {
    for (line, runs) in [
        (
            "-run advanced -testname t -matrix row -num_small 4 -num_large 2",
            "-run advanced -testname t -matrix row -num_large 2",
        ),
        ("-run advanced -matrix row -num_small 4", "-run advanced -matrix col -num_small 4"),
        ("-run advanced -matrix col -num_large 4", "-run advanced -matrix row -num_large 4"),
        ("-run advanced -matrix basic -num_small 1", "-run advanced -matrix basic"),
    ] {
        let problem = read_line(line).unwrap_err().to_string();
        assert!(problem.contains(&format!("`rigel orion {runs}`")), "{line}: {problem}");
        run(runs);
    }
}

#[test]
fn load_shape_belongs_to_advanced() {
    for level in ["simple", "normal", "oltp", "dss"] {
        for option in [
            "-matrix basic",
            "-num_small 1",
            "-num_large 1",
            "-size_small 8",
            "-size_large 1024",
            "-type rand",
            "-num_streamIO 4",
            "-simulate concat",
            "-stripe 1024",
        ] {
            let told = read_line(&format!("-run {level} {option}")).unwrap_err().to_string();
            let name = option.split(' ').next().unwrap();
            assert!(told.contains(name) && told.contains(&format!("the level '{level}'")), "{told}");
            assert!(told.contains("-run advanced"), "{told}");
        }
        run(&format!("-run {level} -num_disks 2 -write 0 -duration 1 -cache_size 0 -storax oss"));
    }
}

#[test]
fn help_lists_every_option_and_ignores_the_rest() {
    for line in ["-help", "-run nonsense -help", "--help", "-frobnicate -h"] {
        let Ok(Invocation::Show(text)) = read_line(line) else {
            panic!("{line}");
        };
        for option in table::all() {
            assert!(text.contains(&format!("  {} ", option.name)), "{}", option.name);
        }
        for arg in table::own_command().get_arguments() {
            assert!(text.contains(&format!("  --{} ", arg.get_long().unwrap())), "{arg}");
        }
    }
}

#[test]
fn the_table_has_every_option_that_is_spoken_of() {
    for opt in Opt::ALL {
        let name = opt.spelled(Front::Orion);
        assert!(table::find(name).is_some(), "{name}");
    }
}

#[test]
fn arguments_that_are_no_text_are_told_printable() {
    use std::os::unix::ffi::OsStringExt as _;
    let hostile = OsString::from_vec(b"-\xff\x1b".to_vec());
    let problem =
        read(&["-run".into(), "simple".into(), hostile.clone()], &Environment::default()).unwrap_err();
    assert!(problem.to_string().contains("-\\xff\\x1b is not an option"), "{problem}");
    let arguments =
        ["-run".into(), "simple".into(), "-testname".into(), OsString::from_vec(b"a\xff".to_vec())];
    let Ok(Invocation::Run(options)) = read(&arguments, &Environment::default()) else {
        panic!("a file may have any name");
    };
    assert_eq!(options.request.name, "a\\xff");
    assert_eq!(options.targets, TargetSource::LunFile(OsString::from_vec(b"a\xff.lun".to_vec()).into()));
}
