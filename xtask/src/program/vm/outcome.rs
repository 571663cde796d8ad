//! What a case left behind: the files that `init.sh` wrote about it. Must not judge figures.

use anyhow::Context as _;
use rigel_core::record::Record;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Lines of a message that are shown.
const SHOWN_LINES: usize = 12;

/// The directory of one case.
pub struct Outcome {
    place: PathBuf,
}

/// The output of a step, and how it ended.
pub struct StepOutput {
    name: String,
    /// Exit code; 137 when its time was over.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Outcome {
    /// The results in a directory.
    pub fn at(place: &Path) -> Self {
        Self { place: place.to_owned() }
    }

    /// Checks that the device could be created and removed again.
    ///
    /// # Errors
    /// With the output of the script, when it failed.
    pub fn frame(&self) -> anyhow::Result<()> {
        self.step("setup")?.ended_with(0).context("the device could not be made")?;
        Ok(())
    }

    /// The same for what follows all steps.
    ///
    /// # Errors
    /// As [`Self::frame`].
    pub fn tidied(&self) -> anyhow::Result<()> {
        self.step("teardown")?.ended_with(0).context("the device could not be taken away again")?;
        Ok(())
    }

    /// The result of a step.
    ///
    /// # Errors
    /// When it did not end normally.
    pub fn step(&self, name: &str) -> anyhow::Result<StepOutput> {
        if let Ok(stuck) = fs::read_to_string(self.file(name, "stuck")) {
            anyhow::bail!("{name} hangs, and not even SIGKILL ends it: {}", shown(&stuck));
        }
        let code =
            fs::read_to_string(self.file(name, "code")).with_context(|| format!("{name} was not run"))?;
        let text = |end: &str| fs::read(self.file(name, end)).unwrap_or_default();
        Ok(StepOutput {
            name: name.to_owned(),
            code: code
                .trim()
                .parse()
                .with_context(|| format!("the exit code of {name}: '{}'", code.trim()))?,
            stdout: String::from_utf8_lossy(&text("out")).into_owned(),
            stderr: String::from_utf8_lossy(&text("err")).into_owned(),
        })
    }

    /// The record of the run with the name of its step.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
    pub fn record(&self, name: &str) -> anyhow::Result<Record> {
        let ours = |path: &PathBuf| {
            // Behind the name comes the year.
            let file = path.file_name().map(|file| file.to_string_lossy().into_owned()).unwrap_or_default();
            file.starts_with(&format!("{name}_2")) && file.ends_with("_record.jsonl")
        };
        let path = fs::read_dir(&self.place)?.filter_map(Result::ok).map(|entry| entry.path()).find(ours);
        let path = path.with_context(|| format!("{name} left no record"))?;
        Ok(Record::read(&fs::read(path)?)?)
    }

    /// The text of a file that a step wrote.
    ///
    /// # Errors
    /// When it is not there.
    pub fn text(&self, file: &str) -> anyhow::Result<String> {
        fs::read_to_string(self.place.join(file)).with_context(|| format!("no file {file}"))
    }

    fn file(&self, name: &str, end: &str) -> PathBuf {
        self.place.join(format!("{name}.{end}"))
    }
}

impl StepOutput {
    /// Itself, if it ended with that exit code.
    ///
    /// # Errors
    /// With the end of its standard error.
    pub fn ended_with(self, code: i32) -> anyhow::Result<Self> {
        let Self { name, stdout, stderr, .. } = &self;
        // A program that panics or a failed test speaks on standard output, or not at all.
        let said = if stderr.trim().is_empty() { stdout } else { stderr };
        match self.code {
            found if found == code => Ok(self),
            137 => anyhow::bail!("{name} was killed, as its time was over: {}", shown(said)),
            found => anyhow::bail!("{name} ended with exit code {found}, not {code}: {}", shown(said)),
        }
    }

    /// The documents on standard output, one after another.
    ///
    /// # Errors
    /// When one of them is not JSON, or there is none.
    pub fn documents(&self) -> anyhow::Result<Vec<Value>> {
        let all: Result<Vec<Value>, _> =
            serde_json::Deserializer::from_str(&self.stdout).into_iter().collect();
        let all =
            all.with_context(|| format!("{} printed no document: {}", self.name, shown(&self.stdout)))?;
        anyhow::ensure!(!all.is_empty(), "{} printed no document", self.name);
        Ok(all)
    }

    /// The document on standard output.
    ///
    /// # Errors
    /// When it is not JSON.
    pub fn document(&self) -> anyhow::Result<Value> {
        let document = serde_json::from_str(&self.stdout);
        document.with_context(|| format!("{} printed no document: {}", self.name, shown(&self.stdout)))
    }
}

/// The last lines of a text.
pub fn shown(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() {
        return "(it said nothing)".to_owned();
    }
    lines[lines.len().saturating_sub(SHOWN_LINES)..].join("\n    ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(files: &[(&str, &str)]) -> (tempfile::TempDir, Outcome) {
        let place = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(place.path().join(name), text).unwrap();
        }
        let outcome = Outcome::at(place.path());
        (place, outcome)
    }

    #[test]
    fn an_exit_code_that_is_not_the_right_one_comes_with_the_reason() {
        let (_place, outcome) = outcome(&[("a.code", "3\n"), ("a.out", ""), ("a.err", "error: refused\n")]);
        assert_eq!(outcome.step("a").unwrap().ended_with(3).unwrap().stderr, "error: refused\n");
        let told = outcome.step("a").unwrap().ended_with(0).err().unwrap().to_string();
        assert!(told.contains("exit code 3, not 0: error: refused"), "{told}");
    }

    #[test]
    fn what_did_not_end_by_itself_is_told() {
        let files = [("late.code", "137\n"), ("hangs.stuck", "/proc/77\n"), ("hangs.out", "")];
        let (_place, outcome) = outcome(&files);
        let told = |name: &str| match outcome.step(name).and_then(|told| told.ended_with(0)) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        };
        assert!(told("late").contains("its time was over"), "{}", told("late"));
        assert!(told("hangs").contains("SIGKILL") && told("hangs").contains("/proc/77"), "{}", told("hangs"));
        assert!(told("never").contains("was not run"), "{}", told("never"));
    }

    #[test]
    fn a_document_is_json_or_an_error() {
        let (_place, outcome) =
            outcome(&[("a.code", "0"), ("a.out", r#"{"x":1}"#), ("b.code", "0"), ("b.out", "text")]);
        assert_eq!(outcome.step("a").unwrap().document().unwrap()["x"], 1);
        assert!(outcome.step("b").unwrap().document().is_err());
        assert!(outcome.step("b").unwrap().documents().is_err());
    }

    #[test]
    fn documents_are_all_of_them_or_an_error() {
        let files = [("a.code", "0"), ("a.out", "{\"x\":1}\n{\n\"x\":2}\n"), ("b.code", "0"), ("b.out", "")];
        let (_place, outcome) = outcome(&[&files[..], &[("c.code", "0"), ("c.out", "{} {")]].concat());
        let told = |name| outcome.step(name).unwrap().documents();
        assert_eq!(told("a").unwrap().len(), 2);
        assert!(told("b").is_err() && told("c").is_err());
    }

    #[test]
    fn only_the_record_of_the_named_run_is_taken() {
        let (_place, outcome) = outcome(&[("aio-1_20260101_0000_record.jsonl", "{}")]);
        let told = outcome.record("aio").err().unwrap().to_string();
        assert!(told.contains("left no record"), "{told}");
        assert!(!outcome.record("aio-1").err().unwrap().to_string().contains("left no record"));
    }
}
