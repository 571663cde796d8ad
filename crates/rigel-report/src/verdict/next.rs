//! The command that comes next: one that mends what speaks against the numbers, or one that uses them.
//!
//! Must not guess: where the options of the run cannot be repeated safely, it names the command only in words.

use super::causes::{self, Cause};
use crate::numbers::trimmed;
use crate::view::View;
use rigel_core::judge::flags::Next;
use rigel_core::path_text::printable;
use rigel_core::units::{NS_PER_S, Nanos, to_f64};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A command, and what it is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Suggestion {
    /// What it does, as words before a colon.
    pub purpose: String,
    /// The command line.
    pub command: String,
}

/// The options that give a run and a calibration more time.
const MORE_TIME: [&str; 2] = ["--max-duration", "--budget"];

pub(super) fn of(view: &View<'_>, causes: &[Cause]) -> Option<Suggestion> {
    let suggestion = |purpose: &str, command: String| Suggestion { purpose: purpose.to_owned(), command };
    let simulated = view.record.header.request.engine.is_simulated();
    Some(match causes::next(causes) {
        None if simulated => suggestion("To measure real storage", "rigel calibrate".to_owned()),
        None => suggestion(
            "To see database settings that fit",
            format!("rigel advise {}_record.jsonl --for postgresql", safe(&view.record.header.run_id)?),
        ),
        Some(Next::ScratchFile) => {
            suggestion("In a directory on the disk, to measure a file of data", "rigel calibrate".to_owned())
        }
        Some(Next::Doctor) => {
            let quoted =
                |target: &str| if target.contains(' ') { format!("'{target}'") } else { target.to_owned() };
            let word = |target| safe(target).filter(|word| !word.contains('\'')).map(quoted);
            let targets: Option<Vec<String>> = view.targets().into_iter().map(word).collect();
            suggestion("To find the cause", format!("rigel doctor {}", targets?.join(" ")))
        }
        Some(Next::Longer) => suggestion("To measure longer", longer(view)?),
        Some(Next::Again | Next::Nothing) => suggestion("To measure again", again(view)?),
    })
}

/// The command line of the run; `None` where the words that were typed cannot be told from the record.
fn again(view: &View<'_>) -> Option<String> {
    let request = &view.record.header.request;
    let echo = request.command_line.trim();
    // Only a calibration can be asked for without a word more.
    if !(echo.is_empty() && request.bound.is_some()) {
        safe(echo)?;
    }
    // In a record of before, or of another program, a blank may stand within a word without quotes.
    let is_whole = |word: &str| !word.contains(' ') || echo.contains(&format!("'{word}'"));
    let words = view.targets().into_iter().chain(request.label.as_deref());
    if !words.into_iter().all(|word| safe(word).is_some() && is_whole(word)) {
        return None;
    }
    let is_orion = echo.split(' ').any(|word| word == "-run" || word == "-testname");
    let command = match (request.bound.is_some(), is_orion) {
        (true, _) => "rigel calibrate",
        (false, true) => "rigel orion",
        (false, false) => "rigel run",
    };
    Some(format!("{command} {echo}").trim().to_owned())
}

/// The same with twice the time that the run was given, or took.
fn longer(view: &View<'_>) -> Option<String> {
    let again = again(view)?;
    let Some(given) = view.record.header.request.pace.max_duration() else {
        return Some(again);
    };
    let option = MORE_TIME[usize::from(view.record.header.request.bound.is_some())];
    let mut words: Vec<&str> = again.split(' ').collect();
    if let Some(at) = words.iter().position(|word| *word == option) {
        words.drain(at..words.len().min(at + 2));
    }
    words.retain(|word| !word.starts_with(&format!("{option}=")));
    Some(format!("{} {option} {}", words.join(" "), twice(given)))
}

/// Twice a time, as it is typed.
fn twice(time: Nanos) -> String {
    let seconds = 2.0 * to_f64(time.0) / to_f64(NS_PER_S);
    if seconds < 60.0 {
        format!("{}s", trimmed(seconds))
    } else {
        format!("{}m", trimmed((seconds / 60.0).ceil()))
    }
}

/// Words that a shell takes as they are, or in single quotes.
fn safe(text: &str) -> Option<&str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " _-./=:,+@%'".contains(c);
    let is_closed = text.matches('\'').count().is_multiple_of(2);
    (printable(text) == text && text.chars().all(is_plain) && is_closed && !text.is_empty()).then_some(text)
}
