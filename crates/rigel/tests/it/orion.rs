//! ORION's command lines as people typed them, and programs that were written for its files.

use crate::support::{Place, ProgramOutput, tell};
use std::collections::BTreeMap;
use std::process::Command;

/// A test name with a `.lun` file of one file of 16 MiB.
fn place(name: &str) -> Place {
    let place = Place::new();
    let target = place.random_file("data_01", 16 << 20);
    place.lun(&format!("{name}.lun"), &[&target]);
    place
}

/// On the simulated device.
fn orion(place: &Place, line: &str) -> ProgramOutput {
    place.line(&format!("orion {line} --engine sim")).expect_code(0)
}

#[test]
fn simple_says_what_orion_said() {
    let place = Place::in_memory();
    let told = orion(&place, "-run simple -testname simpletest -duration 1");
    assert!(told.stdout.starts_with("ORION: ORacle IO Numbers -- Version"), "{}", told.stdout);
    assert!(told.stdout.contains("Calibration will take approximately 2 minutes."));
    // ORION's line stays as it is, and progress begins to count down from the real time.
    let real = "note: 7 points, about 7.7 s; the minutes are by ORION's rule";
    assert!(told.stderr.contains(real), "{}", told.stderr);
    for line in ["Maximum Large MBPS=", "Maximum Small IOPS=", "Minimum Small Latency="] {
        assert!(told.stdout.contains(line), "{line}: {}", told.stdout);
        assert!(place.read("_summary.txt").contains(line));
    }
    let run_id = told.stdout.lines().nth(1).unwrap();
    assert!(
        run_id.starts_with("simpletest_20") && run_id.len() == "simpletest_20110201_1551".len(),
        "{run_id}"
    );
    let summary = place.read("_summary.txt");
    assert!(summary.contains("\n-run simple -testname simpletest -duration 1 "), "{summary}");
    assert!(summary.contains("Small Columns:,      0\n"));
    assert!(summary.contains("Large Columns:,      0,      1,      2\n"));
    assert!(summary.contains("Total Data Points: 8\n"));
}

/// The points of a real file that is named in the list, with a second each.
#[test]
fn a_real_file_is_measured() {
    let place = place("filetest");
    let line = "orion -run advanced -testname filetest -matrix max -num_small 1 -num_large 1 -duration 1";
    let told = place.line(line).expect_measured();
    let summary = place.read("_summary.txt");
    assert!(
        summary.contains(
            "\n-run advanced -testname filetest -matrix max -num_small 1 -num_large 1 -duration 1 \n"
        )
    );
    assert!(summary.contains("data_01\tSize: 16777216\n"), "{summary}");
    for line in ["Maximum Large MBPS=", "Maximum Small IOPS=", "Minimum Small Latency="] {
        assert!(told.stdout.contains(line) && summary.contains(line), "{line}: {}", told.stdout);
    }
}

#[test]
fn the_matrix_of_the_seed_article() {
    let place = Place::in_memory();
    let told = orion(
        &place,
        "-run advanced -testname advancedtest -matrix max -num_small 4 -num_large 4 -size_large 512 -duration 1",
    );
    assert!(told.stdout.contains("Maximum Large MBPS="));
    let iops = place.read("_iops.csv");
    assert_eq!(iops.lines().next(), Some("Large/Small,      1,      2,      3,      4"));
    assert_eq!(iops.lines().count(), 6, "{iops}");
    assert!(place.read("_summary.txt").contains("Total Data Points: 25"));
}

#[test]
fn a_thousand_outstanding_as_at_cern() {
    let place = place("orion");
    let line = "orion -run advanced -write 0 -matrix point -duration 1 -simulate raid0 -num_disks 24 -cache_size 500 \
                -num_small 1000 -num_large 0";
    place.line(line).expect_measured();
    // A script takes the last field of the last line.
    let script = "tail -1 *_iops.csv | awk -F'[, ]' '{print $NF}'";
    let told = tell(Command::new("sh").args(["-c", script]).current_dir(place.path()));
    let iops: u64 = told.stdout.trim().parse().unwrap();
    assert!(iops > 0);
}

/// Everything else that was seen in articles and scripts, on the simulated device to be quick.
#[test]
fn command_lines_of_articles_run() {
    for line in [
        "-testname mytest -run normal",
        "-run simple -testname mytest -num_disks 4",
        "-run oltp -testname mytest -write 20",
        "-run oltp -write 50 -testname mytest -num_disks 4 -hugenotneeded",
        "-run dss -testname mytest -write 100",
        "-run simple -testname mytest -hugenotneeded",
        "-run advanced -testname mytest -size_small 32 -size_large 1024 -type rand -matrix detailed",
        "-run advanced -testname mytest -simulate raid0 -stripe 1024 -write 100 -type seq -matrix col -num_small 0 \
         -cache_size 0",
        "-run advanced -testname mytest -matrix row -num_large 0",
        "-run advanced -testname mytest -matrix col -num_small 0",
        "-run advanced -testname mytest -type rand -size_small 8 -size_large 8 -num_disks 8",
        "-run advanced -testname mytest -simulate RAID0 -type seq -num_streamIO 2 -cache_size 1 -matrix basic",
        "-run normal -testname mytest -storax skgfr -verbose",
    ] {
        let place = Place::in_memory();
        let told = orion(&place, &format!("{line} -duration 1"));
        assert!(told.stdout.contains("Maximum "), "{line}: {}", told.stdout);
        assert_eq!(place.files().len(), 10, "{line}: {:?}", place.files());
    }
}

/// The trace of the points comes before the results, as in ORION.
#[test]
fn verbose_prints_the_trace() {
    let place = Place::in_memory();
    let told = orion(&place, "-run simple -testname mytest -duration 1 -verbose");
    let lines: Vec<&str> = told.stdout.lines().filter(|line| line.starts_with("ran (")).collect();
    let trace = place.read("_trace.txt");
    assert!(lines.len() >= 7 && lines.iter().all(|line| trace.contains(line)), "{}", told.stdout);
    assert!(told.stdout.find(lines[0]) < told.stdout.find("Maximum Large MBPS="));
}

/// Files of 10.2 had no time in their names; nothing of an earlier run is replaced all the same.
#[test]
fn names_of_version_10_2_have_no_time() {
    let place = Place::in_memory();
    let line = "-run simple -testname mytest -duration 1 --orion-version 10.2 --no-html";
    orion(&place, "-run simple -testname mytest -duration 1 --no-html");
    for name in ["mytest", "mytest_2"] {
        let told = orion(&place, line);
        // One line, as 10.2 printed, and the flags, which are always seen.
        assert!(told.stdout.lines().skip(1).all(|line| line.starts_with("Flags @ ")), "{}", told.stdout);
        let files = place.files();
        for end in ["summary.txt", "iops.csv", "mbps.csv", "lat.csv", "trace.txt", "record.jsonl"] {
            assert!(files.contains(&format!("{name}_{end}")), "{name}_{end}: {files:?}");
        }
    }
    let summary = std::fs::read_to_string(place.path().join("mytest_summary.txt")).unwrap();
    assert!(summary.starts_with("ORION VERSION 10.2.0.1.0 layout"), "{summary}");
}

#[test]
fn a_test_name_may_hold_a_path() {
    let place = Place::new();
    let target = place.random_file("data", 4 << 20);
    std::fs::create_dir(place.path().join("sub")).unwrap();
    place.lun("sub/foo.lun", &[&target]);
    let prefix = place.path().join("sub/foo");
    let arguments = ["orion", "-run", "advanced", "-matrix", "point", "-num_small", "1", "-num_large", "0"];
    let told =
        place.rigel(arguments.into_iter().chain(["-duration", "1", "-testname", prefix.to_str().unwrap()]));
    told.expect_measured();
    let made = std::fs::read_dir(place.path().join("sub")).unwrap().count();
    assert_eq!(made, 1 + 10, "foo.lun and ten outputs");
}

#[test]
fn under_the_name_orion_it_is_orion() {
    let place = place("mytest");
    let link = place.path().join("orion");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_rigel"), &link).unwrap();
    let line = "-run advanced -testname mytest -matrix point -num_small 2 -num_large 0 -duration 1";
    let told =
        tell(Command::new(&link).args(line.split_whitespace()).current_dir(place.path())).expect_measured();
    assert!(told.stdout.starts_with("ORION: ORacle IO Numbers"), "{}", told.stdout);
    let help = tell(Command::new(&link).arg("-help")).expect_code(0);
    assert!(help.stdout.contains("-num_streamIO"));
    let nothing = tell(&mut Command::new(&link)).expect_code(2);
    assert!(nothing.stderr.contains("Error in input parameters"), "{}", nothing.stderr);
}

/// A reader of the CSV files as published scripts have it: the first line names the columns, every row is keyed by its
/// first field, empty cells are left out.
fn cells(text: &str) -> BTreeMap<(u64, u64), f64> {
    let mut lines = text.lines().map(|line| line.split(',').map(str::trim).collect::<Vec<_>>());
    let header = lines.next().unwrap();
    assert_eq!(header[0], "Large/Small");
    let columns: Vec<u64> = header[1..].iter().map(|small| small.parse().unwrap()).collect();
    let row = |fields: Vec<&str>| {
        let large: u64 = fields[0].parse().unwrap();
        let cells =
            columns.clone().into_iter().zip(fields[1..].iter().map(|f| f.to_string()).collect::<Vec<_>>());
        cells
            .filter(|(_, cell)| !cell.is_empty())
            .map(move |(small, cell)| ((large, small), cell.parse().unwrap()))
            .collect::<Vec<_>>()
    };
    lines.flat_map(row).collect()
}

#[test]
fn programs_written_for_orions_files_read_ours() {
    let place = Place::in_memory();
    let line = "orion -run normal -duration 2 --engine sim:servers=4,service=1ms,rate=0 --seed 3";
    place.line(line).expect_code(0);
    let (iops, lat, mbps) =
        (cells(&place.read("_iops.csv")), cells(&place.read("_lat.csv")), cells(&place.read("_mbps.csv")));
    assert_eq!((iops.len(), lat.len(), mbps.len()), (15, 15, 12));
    for (&(large, small), &rate) in &iops {
        let latency_us = lat[&(large, small)];
        let product = rate * latency_us / 1e6;
        let small = f64::from(u32::try_from(small).unwrap());
        assert!((product / small - 1.0).abs() < 0.02, "Little's law from the files: {product} of {small}");
    }
}

#[test]
fn versions_by_option_and_environment() {
    for (version, files) in [("11.1", 9), ("11.2", 10), ("19", 10)] {
        let place = Place::in_memory();
        let line = "orion -run simple -duration 1 --engine sim";
        let told = tell(place.command().args(line.split_whitespace()).env("RIGEL_ORION_VERSION", version));
        let told = told.expect_code(0);
        assert_eq!(place.files().len(), files, "{version}: {:?}", place.files());
        assert_eq!(told.stdout.contains("Maximum Small IOPS"), version != "11.1", "{}", told.stdout);
        let wording = if version == "11.1" { "Test will take" } else { "Calibration will take" };
        assert!(told.stdout.contains(wording));
    }
}
