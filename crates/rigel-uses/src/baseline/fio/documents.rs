//! The documents of a file: those of one run after the other, each of which has the last say about itself.
//!
//! `--status-interval` writes a document again and again during a run; runs that are written to one file follow one another. Must not know what
//! a job did.

use super::Document;
use rigel_core::error::Problem;
use serde_json::Value;
use std::borrow::Cow;

/// Documents of one run report starts within this many seconds: they round.
const SAME_BEGIN_S: f64 = 2.5;

/// The runs of a file.
pub struct Runs {
    /// The last document of each.
    pub all: Vec<Document>,
    /// When the only run took place, in seconds of the epoch.
    pub ran_s: Option<[f64; 2]>,
    /// Whether some run has several documents.
    pub has_states: bool,
    /// Parts that are not read, with the reason.
    pub passed_over: Vec<String>,
}

/// Reads the documents of a file. Messages of fio may precede, separate and follow them.
pub fn read(text: &str) -> Result<Runs, Problem> {
    let text = &*without_nan(text);
    let mut runs = Runs { all: Vec::new(), ran_s: None, has_states: false, passed_over: Vec::new() };
    let mut begun: Vec<Option<f64>> = Vec::new();
    let mut at = text.find('{').unwrap_or(0);
    loop {
        let mut documents = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        let line = |inside: usize| text[..at].lines().count().max(1) + inside.saturating_sub(1);
        let next = match documents.next() {
            None if runs.all.is_empty() => return Err(cut()),
            None => break,
            Some(Ok(value)) => {
                let times = times_s(&value);
                let begin = times.map(|[begin, _]| begin);
                runs.ran_s = times;
                let document = document(value)?;
                // Without times, of several documents the last one is the final one.
                if !runs.all.is_empty() && begun.last().is_some_and(|last| is_same(*last, begin)) {
                    runs.has_states = true;
                    runs.all.pop();
                    begun.pop();
                }
                runs.all.push(document);
                begun.push(begin);
                at + documents.byte_offset()
            }
            Some(Err(error)) => {
                let place = format!("line {}", line(error.line()));
                if runs.all.is_empty() {
                    return Err(cut().at(place));
                }
                if text[at..].starts_with('{') {
                    runs.passed_over
                        .push(format!("the document of fio that is truncated or damaged in {place}"));
                    // Nobody knows where the next one begins, and each look reads the text from its beginning.
                    break;
                }
                at + 1
            }
        };
        match next_begin(text, next) {
            Some(begin) => at = begin,
            None => break,
        }
    }
    runs.ran_s = runs.ran_s.filter(|_| runs.all.len() == 1);
    Ok(runs)
}

/// fio prints what it cannot compute as `nan`, `-nan` or `inf`, which is not JSON. Such numbers are not read.
fn without_nan(text: &str) -> Cow<'_, str> {
    const NONE: [&str; 4] = [" : -nan", " : nan", " : -inf", " : inf"];
    let mut found = Cow::Borrowed(text);
    for none in NONE {
        if found.contains(none) {
            found = Cow::Owned(found.replace(none, " : 0"));
        }
    }
    found
}

/// Where the next document begins: its first line has no indentation.
fn next_begin(text: &str, from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    if rest.trim_start().starts_with('{') {
        return Some(from + rest.find('{')?);
    }
    Some(from + rest.find("\n{")? + 1)
}

fn document(value: Value) -> Result<Document, Problem> {
    serde_json::from_value(value).map_err(|error| {
        Problem::usage("the JSON is not as fio writes it")
            .because(rigel_core::path_text::printable(&error.to_string()).into_owned())
            .next("give the file of fio --output-format=json or json+ as it is")
    })
}

/// When the run of a document began and ended, in seconds of the epoch.
fn times_s(document: &Value) -> Option<[f64; 2]> {
    let jobs = document.get("jobs").or_else(|| document.get("client_stats"))?.as_array()?;
    let elapsed = jobs.iter().filter_map(|job| job.get("elapsed")?.as_f64()).fold(f64::NAN, f64::max);
    let end = document.get("timestamp")?.as_f64().filter(|_| elapsed.is_finite())?;
    // The second that has begun counts, so it took one less at least.
    Some([end - (elapsed - 1.0).max(0.0), end])
}

fn is_same(one: Option<f64>, other: Option<f64>) -> bool {
    one.zip(other).is_none_or(|(one, other)| (one - other).abs() < SAME_BEGIN_S)
}

fn cut() -> Problem {
    Problem::usage("the JSON of fio cannot be read")
        .because("the file is truncated, or something was written into it")
        .next("give the complete file that fio wrote with --output=FILE")
}
