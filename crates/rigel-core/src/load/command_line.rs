//! A command line that was typed once, to be typed again with another option.
//!
//! Must not let a word through that a shell would read differently.

use crate::path_text::printable;

/// The words of a command line as typed, quotes included.
#[derive(Clone, Debug)]
pub struct CommandLine(Vec<String>);

impl CommandLine {
    /// The echo of a run; `None` if a shell would not read back what was typed.
    pub fn typed(echo: &str) -> Option<Self> {
        if printable(echo) != echo || echo.contains("\\x") {
            return None;
        }
        let (mut words, mut word) = (Vec::new(), String::new());
        let (mut quoted, mut escaped) = (false, false);
        for c in echo.chars() {
            match c {
                _ if escaped && c == '\'' => escaped = false,
                _ if escaped => return None,
                '\'' => quoted = !quoted,
                _ if quoted => {}
                '\\' => escaped = true,
                ' ' => {
                    words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
                    continue;
                }
                _ if c.is_alphanumeric() || "/._-+=:,@%".contains(c) => {}
                _ => return None,
            }
            word.push(c);
        }
        words.extend((!word.is_empty()).then_some(word));
        (!quoted && !escaped).then_some(Self(words))
    }

    /// Whether it has no words.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it has one of these words, alone or with a value after `=`.
    pub fn has(&self, options: &[&str]) -> bool {
        self.0.iter().any(|word| options.iter().any(|option| is_option(word, option)))
    }

    /// The value of an option as typed, quotes included.
    pub fn value(&self, option: &str) -> Option<&str> {
        let at = self.0.iter().position(|word| is_option(word, option))?;
        self.0[at]
            .split_once('=')
            .map_or_else(|| self.0.get(at + 1).map(String::as_str), |(_, value)| Some(value))
    }

    /// As arguments of a command.
    pub fn after(mut self, command: &str) -> Self {
        self.0.insert(0, command.to_owned());
        self
    }

    /// With an option and its value, replacing the current value. Options end at `--`.
    pub fn with(mut self, option: &str, value: &str) -> Self {
        if let Some(at) = self.0.iter().position(|word| is_option(word, option)) {
            let values = usize::from(self.0[at] == option);
            self.0.drain(at..self.0.len().min(at + 1 + values));
        }
        let end = self.0.iter().position(|word| word == "--").unwrap_or(self.0.len());
        self.0.insert(end, format!("{option} {value}"));
        self
    }

    /// Without a switch.
    pub fn without_switch(mut self, option: &str) -> Self {
        self.0.retain(|word| word != option);
        self
    }

    /// Without an option and its value.
    pub fn without(mut self, option: &str) -> Self {
        while let Some(at) = self.0.iter().position(|word| is_option(word, option)) {
            let values = usize::from(self.0[at] == option);
            self.0.drain(at..self.0.len().min(at + 1 + values));
        }
        self
    }

    /// As typed.
    pub fn text(&self) -> String {
        self.0.join(" ")
    }
}

fn is_option(word: &str, option: &str) -> bool {
    word.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_as_they_were_typed() {
        let line = CommandLine::typed(" simple  'two words' --name größe 'it'\\''s' ").unwrap();
        assert_eq!(line.text(), "simple 'two words' --name größe 'it'\\''s'");
        for wrong in ["simple $(id)", "simple a;b", "simple 'open", "simple a\\b", "a '\\x1b'", "`id`", "a\\"]
        {
            assert!(CommandLine::typed(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn an_option_is_replaced_and_stands_before_the_targets() {
        let with = |echo: &str| CommandLine::typed(echo).unwrap().with("--budget", "5m").text();
        assert_eq!(with("--budget 20s --name dash -- '-x y'"), "--name dash --budget 5m -- '-x y'");
        assert_eq!(with("--budget=20s --budgets 3 x"), "--budgets 3 x --budget 5m");
        let value = |echo: &str| CommandLine::typed(echo).unwrap().value("--engine").map(str::to_owned);
        assert_eq!(value("a --engine 'sim:spread=x y' b").as_deref(), Some("'sim:spread=x y'"));
        assert_eq!(value("a --engine=sim:servers=2 b").as_deref(), Some("sim:servers=2"));
        assert_eq!((value("a --engines 3"), value("a --engine")), (None, None));
        assert_eq!(CommandLine::typed("a --fast b").unwrap().without_switch("--fast").text(), "a b");
    }
}
