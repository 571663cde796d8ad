//! Records that were damaged or put into another form, and files that are not there: what is said, and what is offered.

use crate::support::{EPOCH, Place, ProgramOutput, RECORD, flat};
use crate::within;
use std::fs;
use std::process::Command;

/// A short simulated run, and the lines of its record.
fn recorded() -> (Place, Vec<String>) {
    let place = Place::in_memory();
    let run = "run simple --engine sim --seed 1 --duration 1s --no-html --quiet";
    let mut command = place.command();
    command.env("SOURCE_DATE_EPOCH", EPOCH).args(run.split(' '));
    ProgramOutput::from(command.output().unwrap()).expect_code(0);
    let text = fs::read_to_string(place.path().join(RECORD)).unwrap();
    (place, text.lines().map(str::to_owned).collect())
}

fn report(place: &Place, bytes: &[u8]) -> ProgramOutput {
    fs::write(place.path().join(RECORD), bytes).unwrap();
    place.rigel(["report", RECORD])
}

#[test]
fn a_visit_that_is_missing_doubled_or_in_another_place_is_damage() {
    let (place, lines) = recorded();
    let with = |change: &dyn Fn(&mut Vec<String>)| {
        let mut lines = lines.clone();
        change(&mut lines);
        report(&place, (lines.join("\n") + "\n").as_bytes())
    };
    let first = lines.iter().position(|line| line.starts_with("{\"line\":\"visit\"")).unwrap();
    with(&|_| ()).expect_code(0);
    for (change, words) in [
        (
            &(|lines: &mut Vec<String>| drop(lines.remove(first + 1))) as &dyn Fn(&mut Vec<String>),
            "visit 2 is where visit 1 has to be",
        ),
        (
            &|lines: &mut Vec<String>| lines.insert(first + 1, lines[first].clone()),
            "visit 0 is where visit 1 has to be",
        ),
        (&|lines: &mut Vec<String>| lines.swap(first, first + 1), "visit 1 is where visit 0 has to be"),
    ] {
        let told = with(change).expect_code(2);
        assert!(told.stderr.contains(words), "{}", told.stderr);
        assert!(told.stderr.contains("use an undamaged copy"), "{}", told.stderr);
    }
}

#[test]
fn a_record_in_another_form_is_named_and_one_with_a_byte_order_mark_is_read() {
    let (place, lines) = recorded();
    let text = lines.join("\n") + "\n";
    let plain = report(&place, text.as_bytes()).expect_code(0).stdout;
    assert_eq!(report(&place, format!("\u{feff}{text}").as_bytes()).expect_code(0).stdout, plain);
    let compared = place.rigel(["compare", RECORD, RECORD]);
    assert!(!compared.stderr.contains("neither a record"), "{}", compared.stderr);
    let wide: Vec<u8> = [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let told = report(&place, &wide).expect_code(2).stderr;
    assert!(
        told.contains("the record is UTF-16 text") && told.contains("iconv -f UTF-16 -t UTF-8"),
        "{told}"
    );
    fs::write(place.path().join(RECORD), &text).unwrap();
    assert!(Command::new("gzip").arg(place.path().join(RECORD)).status().unwrap().success());
    let packed = format!("{RECORD}.gz");
    for line in [vec!["report", &packed], vec!["compare", &packed, &packed]] {
        let told = place.rigel(line).expect_code(2).stderr;
        assert!(told.contains("compressed with gzip") && told.contains("gzip -dc FILE"), "{told}");
    }
}

#[test]
fn a_record_that_is_not_there_leads_to_those_that_are() {
    let (place, _) = recorded();
    for line in ["report rigel_20260101_1201_record.jsonl", "run --resume rigel_20260101_1201_record.jsonl"] {
        let told = place.line(line).expect_code(2).stderr;
        assert!(
            told.contains("there is no such file") && told.contains(&format!("did you mean {RECORD}?")),
            "{told}"
        );
        assert!(!told.contains("give the file that ends in"), "{told}");
    }
    let told = flat(&place.line("report nowhere/x_record.jsonl").expect_code(2).stderr);
    assert!(told.contains("the directory nowhere does not exist"), "{told}");
}

#[test]
fn a_job_file_that_is_not_there_leads_to_those_that_are() {
    let place = Place::in_memory();
    fs::write(place.path().join("oltp.fio"), "[a]\nrw=randread\n").unwrap();
    for line in ["load from-fio oltq.fio", "run --load oltq.fio --engine sim"] {
        let told = flat(&place.line(line).expect_code(2).stderr);
        assert!(told.contains("there is no such job file"), "{told}");
        assert!(told.contains("did you mean oltp.fio?") && !told.contains("--as-load"), "{told}");
    }
}

#[test]
fn help_on_a_level_is_the_help_of_its_command() {
    let help = |words: &str| within::line(&format!("help {words}"));
    for (of, level) in
        [("run", "open"), ("run", "burst"), ("run", "working-set"), ("sql", "users"), ("sql", "simple")]
    {
        let whole = help(of).expect_code(0).stdout;
        assert_eq!(help(&format!("{of} {level}")).expect_code(0).stdout, whole, "{of} {level}");
    }
    assert_eq!(help("help run").expect_code(0).stdout, help("run").stdout);
    for (words, next) in [
        ("run nonsense", "`rigel help run` shows everything"),
        ("capacity imprt", "did you mean `rigel help capacity import`?"),
        ("man run", "`rigel help man` shows everything"),
        ("open", "did you mean `rigel help run`?"),
    ] {
        let told = flat(&help(words).expect_code(2).stderr);
        assert!(told.contains(next), "{words}: {told}");
    }
}
