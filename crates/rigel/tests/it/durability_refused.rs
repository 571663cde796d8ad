//! What a check finds in a file that was damaged, and everything that it, the run and the witness refuse.

use crate::support::{Place, ProgramOutput};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Stdio;

const SIZE_BYTES: u64 = 1 << 20;

/// A target whose run ended by itself, and its acknowledgements in `acks`.
fn written(place: &Place, more: &str) -> PathBuf {
    let target = place.random_file("data", SIZE_BYTES);
    let line = format!("durability run data --destroy-data data --for 300ms --writers 2 --size 128K {more}");
    let told = place.line(&line).expect_code(0);
    assert!(
        told.stderr.contains("over 128 KiB of data") && told.stderr.contains("was not cut"),
        "{}",
        told.stderr
    );
    std::fs::write(place.path().join("acks"), told.stdout).unwrap();
    target
}

fn acks(place: &Place) -> String {
    std::fs::read_to_string(place.path().join("acks")).unwrap()
}

fn refused(place: &Place, line: &str, code: i32, because: &str) {
    let told = place.line(line);
    assert_eq!(told.code, code, "{line}: {} {}", told.stdout, told.stderr);
    assert!(told.stderr.contains(because), "{line}: {}", told.stderr);
    assert!(told.stderr.contains("next step: "), "{line}: {}", told.stderr);
}

/// Without the ends of its lines.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn damage_is_named_and_told_with_its_place() {
    let place = Place::new();
    let target = written(&place, "");
    let whole = std::fs::read(&target).unwrap();
    let told = place.line("durability check data acks").expect_code(0);
    let text = one_line(&told.stdout);
    assert!(text.contains("No acknowledged write is gone: all 31 "), "{}", told.stdout);
    assert!(text.contains("one in 10 of") && text.contains("ended normally"), "{}", told.stdout);
    let mut bytes = whole.clone();
    bytes[2 * 4096..3 * 4096].fill(0);
    bytes[4 * 4096 + 700] ^= 1;
    bytes.copy_within(6 * 4096..7 * 4096, 8 * 4096);
    bytes[10 * 4096 + 512..10 * 4096 + 1024].iter_mut().for_each(|byte| *byte ^= 0x5a);
    std::fs::write(&target, &bytes).unwrap();
    let told = place.line("durability check data acks --json");
    assert_eq!(told.code, 1, "{}", told.stderr);
    let found = told.json();
    let losses: Vec<(&str, u64)> = found["losses"]
        .as_array()
        .unwrap()
        .iter()
        .map(|loss| (loss["kind"].as_str().unwrap(), loss["offset"].as_u64().unwrap()))
        .collect();
    assert_eq!(
        losses,
        [("lost", 8192), ("corrupt", 16384), ("misdirected", 32768), ("corrupt", 40960)],
        "{found}"
    );
    assert_eq!((&found["kept"], &found["judged"]), (&27.into(), &31.into()));
    assert_eq!(found["losses"][2]["fault"]["from_offset"], 6 * 4096);
    let told = place.line("durability check data acks");
    for part in [
        "ACKNOWLEDGED WRITES ARE GONE: 4 of 31",
        "1 lost, 2 corrupt, 1 misdirected",
        "it holds zeros",
        "has a wrong bit",
        "of the block at byte 24576",
    ] {
        assert!(one_line(&told.stdout).contains(part), "{part}: {}", told.stdout);
    }
}

#[test]
fn targets_and_files_that_do_not_belong_together_are_refused() {
    let place = Place::new();
    let target = written(&place, "");
    let text = acks(&place);
    // The target before the run is the same random file, and would look alike.
    std::fs::write(place.path().join("other"), vec![7; 1 << 20]).unwrap();
    refused(
        &place,
        "durability check other acks",
        3,
        "the target holds neither the run's data nor what was there before",
    );
    std::fs::File::options().write(true).open(&target).unwrap().set_len(SIZE_BYTES / 2).unwrap();
    refused(&place, "durability check data acks", 3, "the target is smaller than it was");
    written(&place, "--block 8K");
    std::fs::write(place.path().join("older"), &text).unwrap();
    refused(&place, "durability check data older", 3, "the label of another run");
    let mixed = format!(
        "{}{}",
        acks(&place).lines().next().unwrap().to_owned() + "\n",
        &text[text.find('\n').unwrap() + 1..]
    );
    std::fs::write(place.path().join("mixed"), mixed).unwrap();
    refused(&place, "durability check data mixed", 2, "it belongs to the run ");
    refused(&place, "durability check data mixed", 2, "mixed, line 2");
    refused(&place, "durability check nothing acks", 3, "nothing");
    refused(&place, "durability check data data", 2, "the first line is not a header");
    refused(&place, "durability check data .", 2, "not a regular file");
}

#[test]
fn lines_that_are_cut_off_or_missing_are_told() {
    let place = Place::new();
    written(&place, "");
    let text = acks(&place);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let keep = |text: &str| std::fs::write(place.path().join("acks"), text).unwrap();
    let cut = lines[..20].concat() + &lines[20][..30];
    keep(&cut);
    let told = place.line("durability check data acks").expect_code(0);
    let text = one_line(&told.stdout);
    assert!(text.contains("incomplete and ignored") && text.contains("has 19 acknowledgements"), "{text}");
    keep(&(cut + &"\0".repeat(200_000)));
    place.line("durability check data acks").expect_code(0);
    keep(&(lines[..5].concat() + &lines[9..].concat()));
    refused(&place, "durability check data acks", 2, "lines are missing");
    keep(&(lines[..5].concat() + "hello\n" + &lines[5..].concat()));
    refused(&place, "durability check data acks", 2, "acks, line 6");
    keep(lines[0]);
    refused(&place, "durability check data acks", 2, "nothing was acknowledged");
    keep("");
    refused(&place, "durability check data acks", 2, "no complete line");
}

#[test]
fn a_run_asks_before_it_destroys() {
    let place = Place::new();
    place.random_file("data", SIZE_BYTES);
    refused(&place, "durability run data --for 1s", 3, "--destroy-data data");
    refused(&place, "durability run data --destroy-data other --for 1s", 2, "not a target of this run");
    refused(&place, "durability run data --destroy-data data --size 2M", 2, "has only 1 MiB");
    refused(
        &place,
        "durability run data --destroy-data data --size 64K",
        2,
        "too small for this many writers",
    );
    refused(&place, "durability run data --destroy-data data --block 5K", 2, "power of two");
    refused(&place, "durability run data --destroy-data data --sync none", 2, "dsync");
    refused(&place, "durability run data --destroy-data data --engine null", 2, "cannot write durably");
    refused(&place, "durability run data --for 0s", 2, "nothing would be written");
    assert_eq!(place.files(), ["data"]);
}

#[test]
fn a_scratch_file_stays_for_the_check() {
    let place = Place::new();
    let told = place.line("durability run --for 200ms --size 1M --quiet").expect_code(0);
    assert!(told.stderr.is_empty(), "{}", told.stderr);
    std::fs::write(place.path().join("acks"), told.stdout).unwrap();
    place.line("durability check rigel-scratch.dat acks").expect_code(0);
    // It is still one of ours, which needs no consent.
    place.line("durability run --for 200ms --size 1M").expect_code(0);
    assert_eq!(place.files(), ["acks", "rigel-scratch.dat"]);
}

fn witness(place: &Place, arguments: &[&str], input: &[u8]) -> ProgramOutput {
    let mut child = place
        .command()
        .args(["durability", "witness"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // One that refuses does not read.
    let _ = child.stdin.take().unwrap().write_all(input);
    ProgramOutput::from(child.wait_with_output().unwrap())
}

#[test]
fn a_witness_keeps_whole_lines_of_its_run_and_replaces_nothing_unasked() {
    let place = Place::new();
    written(&place, "");
    let text = acks(&place);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let heard = lines[..3].concat() + "Connection to lab closed.\n" + lines[3] + &lines[4][..20];
    let told = witness(&place, &[], heard.as_bytes()).expect_code(0);
    assert!(
        told.stderr.contains("1 line not written by the run ignored")
            && told.stderr.contains("in the middle of a line"),
        "{}",
        told.stderr
    );
    assert!(told.stdout.starts_with("kept 3 acknowledgements of the run "), "{}", told.stdout);
    let kept = place.only("_acks.jsonl");
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), lines[..4].concat());
    let name = kept.file_name().unwrap().to_str().unwrap().to_owned();
    for arguments in [&[][..], &[name.as_str()]] {
        let told = witness(&place, arguments, text.as_bytes()).expect_code(3);
        assert!(told.stderr.contains("already exists"), "{}", told.stderr);
    }
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), lines[..4].concat());
    witness(&place, &[&name, "--force"], text.as_bytes()).expect_code(0);
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), text);
    let told = witness(&place, &["new"], b"Welcome to \x1b[1mlab\n7\n").expect_code(3);
    assert!(
        told.stderr.contains("2 lines did not come from")
            && told.stderr.contains("the first: Welcome to \\x1b[1mlab"),
        "{}",
        told.stderr
    );
    let told = witness(&place, &["new"], lines[1].as_bytes()).expect_code(2);
    assert!(
        told.stderr.contains("not a header") && told.stderr.contains("together with the run"),
        "{}",
        told.stderr
    );
    let told = witness(&place, &["new"], b"").expect_code(3);
    assert!(told.stderr.contains("no run was received"), "{}", told.stderr);
    let told = witness(&place, &["none/new"], text.as_bytes()).expect_code(3);
    assert!(told.stderr.contains("does not exist"), "{}", told.stderr);
    assert!(!place.files().contains(&"new".to_owned()));
}

/// What the login of the other host prints comes before the run.
#[test]
fn a_witness_hears_the_run_behind_a_greeting() {
    let place = Place::new();
    written(&place, "");
    let text = acks(&place);
    let heard = format!("Welcome to lab\n\n42\n{}\n{text}", "x".repeat(200_000));
    let told = witness(&place, &["kept"], heard.as_bytes()).expect_code(0);
    assert!(told.stderr.contains("4 lines not written by the run ignored"), "{}", told.stderr);
    assert_eq!(std::fs::read_to_string(place.path().join("kept")).unwrap(), text);
    // The title of a terminal, without a line feed.
    let heard = format!("\u{1b}]0;lab\u{7}{text}");
    witness(&place, &["titled"], heard.as_bytes()).expect_code(0);
    assert_eq!(std::fs::read_to_string(place.path().join("titled")).unwrap(), text);
}
