//! The formats that other tools read, made by the program and read by those tools.

mod fio_plot;
mod grafana;
mod hdr;
mod markdown;
mod prometheus;
mod tables;

use crate::recording::Recording;
use crate::support::{Place, ProgramOutput};
use rigel_testdev::{Python, needs};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// A calibration with points of both classes, and reads only.
const CALIBRATION: &str = "run normal --engine sim:servers=4,spread=exponential --seed 5 --name out --quiet";
/// Signs that mean something in one format or another, as far as a name of a run may have them.
const HOSTILE: &str = r##"a\"b`c|<d>&{e}=,#@x\\ f\u001b[2J"##;

/// A run of the program in a directory of its own.
struct FormatRun {
    place: Place,
    record: PathBuf,
}

impl FormatRun {
    fn new(line: &str) -> Self {
        let place = Place::new();
        place.line(line).expect_code(0);
        Self::at(place)
    }

    /// The calibration that most tests read.
    fn calibration() -> Self {
        static MADE: LazyLock<Recording> =
            LazyLock::new(|| Recording::of(|place| place.line(CALIBRATION).expect_code(0)));
        Self::at(MADE.place())
    }

    fn at(place: Place) -> Self {
        let record = place.only("_record.jsonl");
        Self { place, record }
    }

    /// The same run under a name that nobody would give it; text as it stands in JSON.
    fn renamed(self, name: &str) -> Self {
        let text = fs::read_to_string(&self.record).unwrap();
        let id = text.split_once("\"run_id\":\"").unwrap().1.split_once('"').unwrap().0.to_owned();
        let changed = text.replacen(&format!("\"run_id\":\"{id}\""), &format!("\"run_id\":\"{name}\""), 1);
        assert_ne!(changed, text);
        fs::write(&self.record, changed).unwrap();
        self
    }

    fn report(&self, more: &[&str]) -> ProgramOutput {
        let arguments = [&["report", self.record.to_str().unwrap(), "--format"], more].concat();
        self.place.rigel(arguments)
    }

    /// What goes to standard output.
    fn text(&self, format: &str) -> String {
        self.report(&[format]).expect_code(0).stdout
    }

    /// Standard output as a file.
    fn file(&self, format: &str) -> PathBuf {
        let path = self.place.path().join(format!("standard_output.{format}"));
        fs::write(&path, self.text(format)).unwrap();
        path
    }

    fn findings(&self) -> Value {
        serde_json::from_str(&self.text("json")).unwrap()
    }
}

/// A Python with these packages; where it cannot be had, `test` is skipped.
fn python(test: &str, packages: &[&str]) -> Option<Python> {
    needs(test, Python::with(Path::new(env!("CARGO_TARGET_TMPDIR")), packages))
}

/// What a program printed, as JSON.
fn printed(command: &mut Command) -> Value {
    crate::support::tell(command).expect_code(0).json()
}

/// Whether two numbers are the same but for the last digits.
#[track_caller]
fn assert_near(left: f64, right: f64) {
    assert!((left - right).abs() <= 1e-9 * right.abs().max(1e-9), "{left} {right}");
}

#[test]
fn text_goes_to_standard_output_and_files_where_they_are_wanted() {
    let ran = FormatRun::new("run oltp --engine sim --duration 1s --name out --quiet");
    let out = Place::new();
    let dir = out.path().to_str().unwrap();
    let stem =
        ran.record.file_name().unwrap().to_str().unwrap().strip_suffix("_record.jsonl").unwrap().to_owned();
    for (format, suffix) in [
        ("csv", "_findings.csv"),
        ("fio", "_fio.json"),
        ("hlog", "_latency.hlog"),
        ("openmetrics", "_metrics.prom"),
        ("markdown", "_report.md"),
    ] {
        let text = ran.text(format);
        assert!(!text.is_empty(), "{format}");
        let told = ran.report(&[format, "--out", dir]).expect_code(0);
        let path = out.path().join(format!("{stem}{suffix}"));
        assert_eq!(told.stdout.lines().next(), path.to_str(), "{format}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "{format}: the same bytes");
        ran.report(&[format, "--out", dir]).expect_code(3);
        ran.report(&[format, "--out", dir, "--force"]).expect_code(0);
    }
    let nowhere = out.path().join("nowhere");
    let told = ran.report(&["fio", "--out", nowhere.to_str().unwrap()]).expect_code(3);
    assert!(told.stderr.contains("does not exist") && !nowhere.exists(), "{}", told.stderr);
}
