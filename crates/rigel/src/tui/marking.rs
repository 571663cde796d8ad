//! A mark that is typed in the live view: its line, its keys, and its result.
//!
//! Pure. Must not send it to the run.

use crate::args::mark_text;
use ratatui::crossterm::event::KeyCode;
use rigel_core::error::Problem;
use rigel_core::load::through::MOST_TEXT;

/// A mark that the user is typing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marking {
    /// Whether the run takes marks at all.
    pub is_possible: bool,
    /// The text so far.
    typed: Option<String>,
    /// The reply to the last mark.
    heard: Option<String>,
}

impl Marking {
    /// Whether keys belong to the text.
    pub const fn is_typing(&self) -> bool {
        self.typed.is_some()
    }

    /// Opens the line, if the run takes marks.
    pub fn begin(&mut self) {
        if self.is_possible {
            (self.typed, self.heard) = (Some(String::new()), None);
        }
    }

    /// Adds a key to the text; returns the text when it is complete.
    pub fn key(&mut self, code: KeyCode) -> Option<String> {
        let typed = self.typed.as_mut()?;
        match code {
            KeyCode::Char(letter) if typed.chars().count() < MOST_TEXT => typed.push(letter),
            KeyCode::Backspace => drop(typed.pop()),
            KeyCode::Esc => self.typed = None,
            KeyCode::Enter => {
                let text =
                    self.typed.take().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())?;
                match mark_text(&text) {
                    Ok(_) => return Some(text),
                    Err(reason) => self.hear(format!("not marked: {reason}")),
                }
            }
            _ => {}
        }
        None
    }

    /// Stores the reply.
    pub fn hear(&mut self, answer: String) {
        self.heard = Some(answer);
    }

    /// The line at the foot; `None` while there is nothing to say.
    pub fn line(&self) -> Option<String> {
        match (&self.typed, &self.heard) {
            (Some(typed), _) => Some(format!(" mark: {typed}_   Enter marks this moment, Esc leaves")),
            (None, Some(heard)) => Some(format!(" {heard}    m  mark again    q  end the run    ?  help")),
            (None, None) => None,
        }
    }
}

/// The reply to a mark, as a line.
pub fn answer(text: &str, became: Result<String, Problem>) -> String {
    match became {
        Ok(at) => format!("marked after {at}: {text}"),
        Err(problem) => format!("not marked: {}", problem.cause.unwrap_or(problem.what)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(marking: &mut Marking, text: &str) {
        text.chars().for_each(|letter| assert_eq!(marking.key(KeyCode::Char(letter)), None));
    }

    #[test]
    fn a_text_is_typed_corrected_and_said_once() {
        let mut marking = Marking { is_possible: true, ..Marking::default() };
        marking.begin();
        typed(&mut marking, "path q");
        assert_eq!(marking.line().unwrap(), " mark: path q_   Enter marks this moment, Esc leaves");
        assert_eq!(marking.key(KeyCode::Backspace), None);
        typed(&mut marking, "A pulled");
        assert_eq!(marking.key(KeyCode::Enter), Some("path A pulled".to_owned()));
        assert!(!marking.is_typing() && marking.key(KeyCode::Enter).is_none());
        marking.hear(answer("path A pulled", Ok("12.3 s".into())));
        assert!(marking.line().unwrap().starts_with(" marked after 12.3 s: path A pulled "));
    }

    #[test]
    fn nothing_is_said_of_an_empty_text_after_escape_or_where_no_marks_are_taken() {
        let mut marking = Marking::default();
        marking.begin();
        assert!(!marking.is_typing() && marking.line().is_none(), "the run takes none");
        marking.is_possible = true;
        marking.begin();
        typed(&mut marking, "  ");
        assert_eq!((marking.key(KeyCode::Enter), marking.is_typing()), (None, false));
        marking.begin();
        typed(&mut marking, "x");
        assert_eq!((marking.key(KeyCode::Esc), marking.is_typing()), (None, false));
        marking.begin();
        typed(&mut marking, &"x".repeat(MOST_TEXT + 9));
        assert_eq!(marking.key(KeyCode::Enter).map(|text| text.len()), Some(MOST_TEXT));
    }
}
