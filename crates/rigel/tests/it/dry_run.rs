//! What `--dry-run` says: whether the run would be refused, who would be slow, the engine, the files.

use crate::support::{Place, flat};
use crate::within;
use std::fs;

/// The plan of a run on a file of a place, with these options: without its lines, because long sentences are broken, and without the place.
fn foretold(place: &Place, file: &str, options: &str) -> String {
    foretold_with(place, file, options, 0)
}

/// The same of a run that would end with that code.
fn foretold_with(place: &Place, file: &str, options: &str, code: i32) -> String {
    let path = format!("{}/", place.path().display());
    let options = options.replace("FILE", &format!("{path}{file}"));
    let told =
        within::line(&format!("run oltp {path}{file} {options} --dry-run --out {path}")).expect_code(code);
    flat(&told.stdout).replace(&path, "")
}

/// The same as the program says it.
fn plan(place: &Place, line: &str) -> String {
    let told = place.line(&format!("{line} --dry-run")).expect_code(0);
    flat(&told.stdout)
}

#[test]
fn a_run_that_would_be_refused_is_said_to_be() {
    let place = Place::new();
    place.random_file("data", 4 << 20);
    let told = foretold_with(&place, "data", "--write 20", 3);
    let needed = "This run would be refused: data may hold data. To allow it, add --destroy-data data, which overwrites all of it";
    assert!(told.contains(needed) && !told.contains("would be lost"), "{told}");
    place.line("run oltp data --write 20 --duration 100ms").expect_code(3);
    let allowed = foretold(&place, "data", "--write 20 --destroy-data FILE");
    assert!(
        allowed.contains("Everything on data would be overwritten, as --destroy-data allows."),
        "{allowed}"
    );
    assert!(!allowed.contains("refused"), "{allowed}");
}

#[test]
fn a_file_without_data_is_told_from_one_with() {
    let place = Place::new();
    fs::File::create(place.path().join("sparse")).unwrap().set_len(8 << 20).unwrap();
    let reads = foretold(&place, "sparse", "");
    assert!(reads.contains("Note sparse holds no data") && reads.contains("without the disk"), "{reads}");
    assert!(reads.contains("`rigel fill sparse` writes random data"), "{reads}");
    let writes = foretold(&place, "sparse", "--write 20");
    assert!(writes.contains("sparse needs no consent: no block of it was ever written"), "{writes}");
    place.random_file("half", 4 << 20);
    fs::File::options().write(true).open(place.path().join("half")).unwrap().set_len(8 << 20).unwrap();
    let half = foretold(&place, "half", "");
    assert!(half.contains("4 MiB of 8 MiB of half were never written"), "{half}");
    place.random_file("full", 4 << 20);
    let full = foretold(&place, "full", "");
    assert!(!full.contains("Note"), "{full}");
}

/// This test is the program that has the file open.
#[test]
fn a_target_in_use_will_be_slow() {
    let place = Place::new();
    let held = fs::File::open(place.random_file("table.dbf", 4 << 20)).unwrap();
    let told = plan(&place, "run oltp table.dbf");
    let process = format!("(open in {} ", std::process::id());
    assert!(told.contains("table.dbf is in use ") && told.contains(&process), "{told}");
    assert!(told.contains("its users will be slow meanwhile"), "{told}");
    drop(held);
    assert!(!plan(&place, "run oltp table.dbf").contains("in use"));
}

#[test]
fn the_engine_and_the_files_are_named() {
    let place = Place::new();
    place.random_file("data", 4 << 20);
    fs::create_dir(place.path().join("out")).unwrap();
    let told = plan(&place, "run oltp data --engine threads --name mine --out out --no-html");
    assert!(told.contains("Engine threads, compared in short trials with "), "{told}");
    let files = "Outputs in the directory out: mine_DATE_TIME_record.jsonl, and _summary.txt, _iops.csv,";
    assert!(told.contains(files) && !told.contains("_report.html"), "{told}");
    let best = plan(&place, "run oltp data");
    let (_, engine) = best.split_once("Engine ").unwrap();
    let kind = engine.split(", the best one that works here").next().unwrap();
    assert!(["io_uring", "libaio", "threads"].contains(&kind), "{best}");
    let others = if kind == "io_uring" { "libaio or sync" } else { "sync" };
    assert!(best.contains(&format!(", unless short trials show that {others} does more")), "{best}");
    // The files of a run are those that were promised.
    place.line(
        "run oltp data --num-disks 1 --duration 100ms --engine threads --name mine --out out --no-html",
    );
    let names = fs::read_dir(place.path().join("out")).unwrap();
    for name in names.map(|entry| entry.unwrap().file_name().into_string().unwrap()) {
        let (_, suffix) = name.rsplit_once('_').unwrap();
        assert!(told.contains(&format!("_{suffix}")), "{name} in {told}");
    }
    let calibration = plan(&place, "calibrate data");
    assert!(calibration.contains("_DATE_TIME_record.jsonl, and _report.html"), "{calibration}");
}

/// The problem of a run that was refused: its first line, and where it was.
fn problem(told: &crate::support::ProgramOutput) -> String {
    let (_, told) = told.stderr.split_once("error: ").unwrap_or_else(|| panic!("{told:?}"));
    told.lines().take_while(|line| !line.starts_with("  likely cause")).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_dry_run_ends_as_the_run_that_would_be_refused() {
    let place = Place::new();
    place.random_file("data", 4 << 20);
    fs::write(place.path().join("a_file"), "no directory").unwrap();
    let locked = fs::File::open(place.random_file("locked", 4 << 20)).unwrap();
    rustix::fs::flock(&locked, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let before = place.files();
    for (line, sign) in [
        ("run simple --scratch-size 900T --duration 100ms", "there is no room for the file"),
        ("run oltp data --write 20 --duration 100ms", "writing would destroy what is on the target"),
        ("run oltp data --duration 100ms --out nowhere", "the output directory does not exist"),
        ("run oltp data --duration 100ms --out a_file", "the output directory is not a directory"),
        ("run oltp data --duration 100ms --engine nvme", "does not accept NVMe commands"),
        ("run oltp locked --write 20 --destroy-data locked --duration 100ms", "the target is locked"),
        ("calibrate data --out nowhere", "the output directory does not exist"),
    ] {
        let dry = place.line(&format!("{line} --dry-run")).expect_code(3);
        let real = place.line(line).expect_code(3);
        assert_eq!(problem(&dry), problem(&real), "{line}");
        assert!(problem(&dry).contains(sign), "{line}: {dry:?}");
        // Without the engine that was asked for there is no plan.
        assert_eq!(dry.stdout.contains("Outputs"), !line.contains("nvme"), "{dry:?}");
        assert_eq!(place.files(), before, "{line}");
    }
}

/// Nothing is measured and the record stays as it is; what the resumed run would refuse is refused.
#[test]
fn a_resumed_run_can_be_foretold() {
    let place = Place::new();
    let data = place.random_file("data", 4 << 20);
    place.line("run oltp data --duration 100ms --num-disks 1 --name r --quiet --no-html").expect_measured();
    let record = place.only("_record.jsonl");
    let line = format!("run --resume {}", record.display());
    let told = place.line(&format!("{line} --dry-run")).expect_code(0);
    assert_eq!(told.stdout, "The run is complete: its outputs would be written again.\n");
    let whole = fs::read(&record).unwrap();
    let cut = &whole[..whole.len() / 2];
    fs::write(&record, cut).unwrap();
    let told = place.line(&format!("{line} --dry-run")).expect_code(0);
    let visits =
        cut.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"{\"line\":\"visit\"")).count();
    assert!(visits > 2, "{}", String::from_utf8_lossy(cut));
    assert!(told.stdout.contains("If it is resumed: the run resumes after the "), "{told:?}");
    assert!(told.stdout.contains("its last line is incomplete and ignored"), "{told:?}");
    assert_eq!(fs::read(&record).unwrap(), cut);
    // Another file under its name.
    fs::remove_file(&data).unwrap();
    let gone = place.line(&format!("{line} --dry-run")).expect_code(3);
    assert!(gone.stderr.contains("bring the target back"), "{gone:?}");
    place.random_file("data", 8 << 20);
    let other = place.line(&format!("{line} --dry-run")).expect_code(3);
    assert_eq!(other.stderr, place.line(&line).expect_code(3).stderr);
    assert_eq!(fs::read(&record).unwrap(), cut);
}
