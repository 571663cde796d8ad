//! Names and records by somebody who means harm: whatever they hold, no escape, line or markup of theirs is in what the program
//! tells or writes.

use crate::support::{Place, ProgramOutput};
use crate::within;
use rigel_core::record::Record;
use rigel_report::Format;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;

/// Clears the screen, begins a line that looks like ours, turns the direction of text, ends quotes and tables, begins a tag.
const HOSTILE: &str = "a\x1b[2J\x07\nINJECTED=1\r\u{9b}\u{202e}\"'|`\\x41<injected onload=alert(1)><!--";
/// Endings of files in which markup is read as such. Markdown shows names as code; a reader of it judges that in another test.
const MARKED_UP: [&str; 2] = [".html", ".xml"];

/// The same as a name that is no UTF-8.
fn hostile_name() -> OsString {
    OsString::from_vec([HOSTILE.as_bytes(), b"\xff"].concat())
}

/// Fails when anything of it is there as it is, or when the bytes are no text.
fn harmless(bytes: &[u8], what: &str, is_markup: bool) {
    let text = std::str::from_utf8(bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
    let steers = |c: char| (c.is_control() && !matches!(c, '\n' | '\t')) || c == '\u{202e}';
    assert!(!text.contains(steers), "{what}: {text:?}");
    assert!(!text.lines().any(|line| line.starts_with("INJECTED")), "{what}: {text}");
    assert!(!is_markup || !text.contains("<injected"), "{what}: {text}");
}

/// Every file below a directory, by what it holds and what it is called; how many there are.
fn written_harmlessly(dir: &Path) -> usize {
    let mut count = 0;
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        harmless(path.file_name().unwrap().as_bytes(), "the name of a file", false);
        if path.is_dir() {
            count += written_harmlessly(&path);
            continue;
        }
        let is_markup = MARKED_UP.iter().any(|ending| name.ends_with(ending));
        harmless(&fs::read(&path).unwrap(), &name, is_markup);
        count += 1;
    }
    count
}

/// Runs with arguments, the history in the directory.
fn rigel(place: &Place, arguments: &[&OsStr]) -> ProgramOutput {
    let state = place.path().join("state");
    let output = place.command().env("XDG_STATE_HOME", state).args(arguments).output().unwrap();
    let what = format!("{arguments:?}");
    harmless(&output.stdout, &what, false);
    harmless(&output.stderr, &what, false);
    let told = ProgramOutput::from(output);
    assert!((0..5).contains(&told.code), "{what}: {} {}", told.code, told.stderr);
    told
}

fn words<'a>(line: &'a str, name: &'a OsStr) -> Vec<&'a OsStr> {
    line.split_whitespace().map(|word| if word == "NAME" { name } else { OsStr::new(word) }).collect()
}

#[test]
fn a_target_of_a_hostile_name() {
    let place = Place::new();
    let name = hostile_name();
    let target = place.path().join(&name);
    rigel_testdev::random_file(&target, 4 << 20).unwrap();
    let outputs = place.path().join("out");
    fs::create_dir(&outputs).unwrap();
    for line in [
        "targets NAME",
        "targets NAME --json",
        "doctor NAME",
        "doctor NAME --all",
        "doctor NAME --json",
        "run simple NAME --dry-run",
        "run simple NAME --write 50",
        "calibrate NAME --dry-run",
        "run simple NAME --duration 100ms --out out",
        "run simple NAME --duration 100ms --out out --force --json",
    ] {
        let told = rigel(&place, &words(line, &name));
        assert!(told.stdout.len() + told.stderr.len() > 20, "{line} says nothing");
    }
    assert!(written_harmlessly(&outputs) >= 10);
    // A list names a target to the end of the line.
    let name = OsString::from_vec(name.into_vec().into_iter().filter(|&byte| byte != b'\n').collect());
    fs::rename(target, place.path().join(&name)).unwrap();
    fs::create_dir(place.path().join("list")).unwrap();
    fs::write(place.path().join("list.lun"), name.as_bytes()).unwrap();
    let told = rigel(&place, &words("run simple --lun list.lun --duration 100ms --out list", &name));
    assert_eq!(told.code, 0, "{}", told.stderr);
    assert!(written_harmlessly(&place.path().join("list")) >= 10);
    fs::write(place.path().join("list.lun"), [name.as_bytes(), b"x"].concat()).unwrap();
    assert_eq!(rigel(&place, &words("orion -run simple -testname list", &name)).code, 3);
}

/// Wherever a word may stand that means something, a hostile one is refused in harmless words.
#[test]
fn arguments_of_a_hostile_kind() {
    let name = hostile_name();
    for line in [
        "NAME",
        "run NAME",
        "run simple --engine NAME",
        "run simple --engine sim --duration NAME",
        "run simple --engine null --cpus NAME",
        "report x --format NAME",
        "compare x y --fail-if NAME",
        "advise x --for NAME",
        "completions NAME",
        "man NAME",
        "orion NAME",
        "orion -run NAME",
        "orion -run advanced -size_small NAME",
    ] {
        let told = within::refused(words(line, &name));
        harmless(told.stderr.as_bytes(), line, false);
    }
}

/// Wherever a file, a target or a calibration may be named.
#[test]
fn names_of_a_hostile_kind() {
    let place = Place::new();
    let name = hostile_name();
    for line in [
        "run simple NAME",
        "run simple --lun NAME",
        "run simple --engine sim --duration 100ms --out NAME",
        "run simple x --destroy-data NAME --write 10",
        "run --resume NAME",
        "report NAME --format json",
        "compare NAME NAME",
        "advise NAME",
        "targets NAME",
        "doctor NAME",
        "calibrate NAME",
        "calibrate --last NAME",
        "orion -run simple -testname NAME",
    ] {
        let told = rigel(&place, &words(line, &name));
        assert!([2, 3].contains(&told.code), "{line}: {} {}", told.code, told.stderr);
    }
    // A name may be anything that a file may be called after it was made printable.
    fs::create_dir(place.path().join("out")).unwrap();
    let told = rigel(&place, &words("run oltp --engine sim --duration 100ms --name NAME --out out", &name));
    assert_eq!(told.code, 0, "{}", told.stderr);
    assert!(written_harmlessly(&place.path().join("out")) >= 10);
}

/// Every place of a text in a document.
fn texts(value: &Value, path: &str) -> Vec<String> {
    match value {
        Value::String(_) => vec![path.to_owned()],
        Value::Array(list) => {
            list.iter().enumerate().flat_map(|(at, value)| texts(value, &format!("{path}/{at}"))).collect()
        }
        Value::Object(fields) => {
            fields.iter().flat_map(|(name, value)| texts(value, &format!("{path}/{name}"))).collect()
        }
        _ => Vec::new(),
    }
}

/// A record with each of its texts replaced that may be anything, and with texts where there were none.
fn hostile_record(record: &Path) -> (Vec<u8>, BTreeSet<String>) {
    let text = fs::read_to_string(record).unwrap();
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let bytes =
        |lines: &[Value]| lines.iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes();
    lines[0]["nodes"][0]["engine"]["notes"] = json!(["note"]);
    lines[0]["nodes"][0]["engine"]["reason"] = json!("reason");
    lines[0]["nodes"][0]["host"]["product"] = json!("product");
    lines[0]["targets"][0]["device"] = json!({"name": "sda", "model": "model", "made_of": ["sdb"]});
    lines[0]["targets"][0]["filesystem"] = json!("ext4");
    lines[0]["targets"][0]["direct_io_refusal"] = json!("refused");
    lines.last_mut().unwrap()["reason"] = json!("reason");
    assert!(Record::read(&bytes(&lines)).is_ok(), "the texts are in places that exist");
    let mut replaced = BTreeSet::new();
    for line in [0, lines.len() - 1] {
        for place in texts(&lines[line], "") {
            let mut changed = lines.clone();
            *changed[line].pointer_mut(&place).unwrap() = json!(HOSTILE);
            // Words that mean something to the reader are refused.
            if Record::read(&bytes(&changed)).is_ok() {
                lines = changed;
                replaced.insert(place);
            }
        }
    }
    (bytes(&lines), replaced)
}

#[test]
fn a_record_of_hostile_texts() {
    let place = Place::new();
    place.random_file("data", 4 << 20);
    place.line("run simple data --duration 100ms --no-html").expect_code(0);
    let (bytes, replaced) = hostile_record(&place.only("_record.jsonl"));
    for field in
        ["/run_id", "/started", "/program_version", "/request/name", "/targets/0/path", "/ended", "/reason"]
    {
        assert!(replaced.contains(field), "{field} is not among {replaced:?}");
    }
    assert!(replaced.len() >= 18, "{replaced:?}");
    let own = Place::new();
    let name = hostile_name();
    fs::write(own.path().join(&name), &bytes).unwrap();
    fs::create_dir(own.path().join("out")).unwrap();
    for format in Format::ALL {
        let (is_text, format) = (format.is_text(), format.name());
        let to_files =
            rigel(&own, &words(&format!("report NAME --format {format} --out out --force"), &name));
        assert_eq!(to_files.code, 0, "{format}: {}", to_files.stderr);
        if is_text {
            let shown = rigel(&own, &words(&format!("report NAME --format {format}"), &name));
            assert!(shown.code == 0 && !shown.stdout.is_empty(), "{format}: {}", shown.stderr);
        }
    }
    for line in [
        "compare NAME NAME",
        "compare NAME NAME --json",
        "compare NAME NAME --html --out out",
        "compare NAME NAME --junit out/gates.xml",
        "advise NAME",
        "advise NAME --json",
    ] {
        let told = rigel(&own, &words(line, &name));
        // Hardly a figure of this record is good enough for a setting, and advice says so with its exit code.
        assert!(told.code == 0 || told.code == 1 && line.starts_with("advise"), "{line}: {}", told.stderr);
    }
    for product in ["postgresql", "mysql", "oracle", "cgroup", "cgroup-max", "seastar"] {
        rigel(&own, &words(&format!("advise NAME --for {product}"), &name));
    }
    assert!(written_harmlessly(&own.path().join("out")) >= 15);
}
