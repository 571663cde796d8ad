//! `rigel mark`: the arguments.
//!
//! Must not look for a run.

use rigel_core::error::Problem;
use rigel_core::load::through::MOST_TEXT;

const EXAMPLES: &str = "\
Examples:
  rigel mark 'path A pulled'
      in the record of the `rigel run through` that is running, at this moment
  rigel mark --run rigel_20260101_1200 'controller B restarted'
      if several are running: the name of one, or the number of its process";

#[derive(Clone, Debug, PartialEq, Eq, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct MarkArgs {
    /// What happens now, in up to 200 characters
    #[arg(value_name = "TEXT")]
    pub text: String,

    /// The run, by its name or the number of its process; needed if several are running
    #[arg(long, value_name = "NAME|PID")]
    pub run: Option<String>,

    /// Refused: a mark is made at the moment at which it is sent
    #[arg(long, value_name = "TIME", hide = true, allow_hyphen_values = true)]
    at: Option<String>,
}

impl MarkArgs {
    /// Checks what can be checked without a run.
    pub fn checked(self) -> Result<Self, Problem> {
        if self.at.is_some() {
            return Err(Problem::usage("a mark cannot be set at another time")
                .at("--at")
                .because("what was written into a record stays as it is, and its clock is that of the run")
                .next("leave out --at; say in the text when it happened"));
        }
        check_text(&self.text).map_err(|reason| {
            Problem::usage(format!("this text cannot be a mark: {reason}"))
                .at("TEXT")
                .next(format!("give one line of 1 to {MOST_TEXT} characters, such as 'path A pulled'"))
        })?;
        Ok(self)
    }
}

/// Why a text cannot be a mark.
pub fn check_text(text: &str) -> Result<(), String> {
    match text.chars().count() {
        _ if text.trim().is_empty() => Err("it is empty".to_owned()),
        count if count > MOST_TEXT => Err(format!("it has {count} characters")),
        _ if text.chars().any(char::is_control) => {
            Err("it has control characters or several lines".to_owned())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_one_line_of_bounded_length() {
        assert_eq!(check_text("path A pulled"), Ok(()));
        assert_eq!(check_text(&"ä".repeat(MOST_TEXT)), Ok(()));
        for text in ["", "  ", "two\nlines", "\u{1b}[31mred", &"x".repeat(MOST_TEXT + 1)] {
            assert!(check_text(text).is_err(), "{text:?}");
        }
    }
}
