//! Whether an offered command would be accepted, by the words of the program itself.
//!
//! Must not know a command or an option: the parser and the help texts of the program do.

use super::{Mark, Offer, PROGRAMS, shell};
use std::fmt;

/// What is asked of the program.
pub struct Judge<'a> {
    /// Whether it accepts these arguments, the program's name first; else why not.
    pub understand: &'a dyn Fn(&[String]) -> Result<(), String>,
    /// The whole help of a command by the words of its name; `None` if there is no such command.
    pub help: &'a dyn Fn(&[&str]) -> Option<String>,
}

/// An offered command that the program refuses, or that is in no shape of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The line of its text.
    pub line: usize,
    /// What is offered there.
    pub command: String,
    /// Why nobody could type it.
    pub why: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}\n    {}", self.line, self.command, self.why)
    }
}

/// Programs that start another one, with how many words of their own.
const STARTERS: [(&str, usize); 5] = [("sudo", 0), ("ssh", 1), ("time", 0), ("nohup", 0), ("exec", 0)];
/// What only the program for many nodes has.
const OF_NODES: [&str; 3] = ["--oversubscribe", "--own-targets", "--coordinator-only"];
/// Stands for words that the reader knows.
const MORE: &str = "..";

impl Judge<'_> {
    /// The commands of an offer, each as the words behind the program's name, if the program accepts all of them.
    ///
    /// # Errors
    /// The first one that it refuses.
    pub fn check(&self, offer: &Offer) -> Result<Vec<Vec<String>>, Refusal> {
        let Offer { mark, text, line } = offer;
        let found = match mark {
            Mark::Bare => self.name(text).map(|()| Vec::new()),
            Mark::Line | Mark::Quoted => self.commands(*mark, text),
            Mark::Whole => self.commands(Mark::Quoted, text).or_else(|why| {
                // With arguments it would have to be a command.
                self.name(text).map(|()| Vec::new()).map_err(|_| why)
            }),
        };
        found.map_err(|why| Refusal { line: *line, command: text.clone(), why })
    }

    fn commands(&self, mark: Mark, text: &str) -> Result<Vec<Vec<String>>, String> {
        let mut all = Vec::new();
        for form in forms(text) {
            let own: Vec<Vec<String>> =
                shell::commands(&form)?.iter().filter_map(|words| of_program(words)).collect();
            own.iter().try_for_each(|words| self.words(mark, words))?;
            all.extend(own);
        }
        Ok(all)
    }

    fn words(&self, mark: Mark, words: &[String]) -> Result<(), String> {
        // A format string that ends with all arguments.
        let is_any = |word: &String| word.starts_with('{') && word.find('}') == Some(word.len() - 1);
        let is_open = words.iter().any(|word| word == MORE) || words.last().is_some_and(is_any);
        let plain: Vec<&str> = words
            .iter()
            .map(|word| word.trim_end_matches("...").trim_end_matches(MORE))
            .filter(|word| !word.is_empty())
            .collect();
        let first = self.accepted(&plain);
        if first.is_ok() || (mark != Mark::Line && self.is_name(&plain)) || (is_open && self.is_begun(&plain))
        {
            return Ok(());
        }
        first
    }

    /// Whether the parser takes the words, or takes them with something in place of what stands for a value.
    fn accepted(&self, words: &[&str]) -> Result<(), String> {
        let parse = |words: &[String]| {
            let argv: Vec<String> = ["rigel".to_owned()].iter().chain(words).cloned().collect();
            (self.understand)(&argv)
        };
        let mut filled: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        let first = parse(&filled);
        let open: Vec<usize> =
            (0..words.len()).filter(|place| is_placeholder(words[*place])).take(2).collect();
        let [one, others @ ..] = &open[..] else { return first };
        let candidates: &[&str] = match *one {
            _ if first.is_ok() => &[],
            0 => &COMMANDS,
            _ => &VALUES,
        };
        for value in candidates {
            filled[*one] = with(words[*one], value);
            for value in if others.is_empty() { &VALUES[..1] } else { &VALUES } {
                others.iter().for_each(|&place| filled[place] = with(words[place], value));
                if parse(&filled).is_ok() {
                    return Ok(());
                }
            }
        }
        first
    }

    /// Whether words are the name of a command, or of one of its options: what a sentence speaks of.
    fn is_name(&self, words: &[&str]) -> bool {
        let (command, rest) = self.chain(words);
        let Some(help) = (self.help)(command) else { return false };
        match rest {
            [] => !command.is_empty() || words.is_empty(),
            [one] => names(&help, one),
            [level, option] => {
                !level.starts_with('-')
                    && option.starts_with('-')
                    && names(&help, level)
                    && names(&help, option)
            }
            _ => false,
        }
    }

    /// Whether words are the beginning of a command: all its options exist.
    fn is_begun(&self, words: &[&str]) -> bool {
        let (command, rest) = self.chain(words);
        let Some(help) = (self.help)(command) else { return false };
        let mut options = rest.iter().filter(|word| word.starts_with('-'));
        (!command.is_empty() || words.is_empty())
            && options.all(|option| names(&help, option.split('=').next().unwrap_or(option)))
    }

    /// The words that name a command, and the others. A level of loads has the help of its command, so it is no part of the name.
    fn chain<'a, 'b>(&self, words: &'b [&'a str]) -> (&'b [&'a str], &'b [&'a str]) {
        let is_word = |word: &&str| word.starts_with(|sign: char| sign.is_ascii_lowercase());
        let most = words.iter().take_while(|word| is_word(word)).count().min(3);
        let help = |length: usize| (length > 0).then(|| (self.help)(&words[..length])).flatten();
        let is_name = |length: &usize| help(*length).is_some_and(|own| Some(own) != help(length - 1));
        let length = (1..=most).rev().find(is_name);
        words.split_at(length.unwrap_or(0))
    }

    /// Checks the name of a command in a sentence, where its arguments could not be distinguished from the sentence.
    fn name(&self, sentence: &str) -> Result<(), String> {
        let is_of_nodes = sentence.starts_with(PROGRAMS[1]);
        let mut words: Vec<&str> = Vec::new();
        for word in sentence.split_whitespace().skip(1).take(4) {
            let plain = word.trim_end_matches([',', '.', ';', ':', ')', '?', '!', '"', '\'']);
            words.push(plain);
            if plain.len() < word.len() {
                break;
            }
        }
        let (command, rest) = self.chain(&words);
        let Some(next) = rest.first() else { return Ok(()) };
        let is_argument = next.starts_with(['-', '/', '<', '[', '.'])
            || (next.starts_with('{') && !command.is_empty())
            || next.contains('=')
            || (is_placeholder(next) && next.len() > 1 && !next.contains('{'));
        if is_argument {
            return Err("its end cannot be seen: put it into backticks".into());
        }
        if command.is_empty() {
            if is_of_nodes {
                return Ok(());
            }
            let is_version = next.starts_with(|sign: char| sign.is_ascii_digit());
            let is_version = is_version || next.starts_with('{');
            return if is_version || NOUN.contains(next) {
                Ok(())
            } else {
                Err(format!("there is no command {next}"))
            };
        }
        let has_own = (self.help)(command).is_some_and(|help| help.contains("\nCommands:\n"));
        if has_own && command.len() == 1 && !JOINING.contains(next) {
            return Err(format!("there is no command {next} of {}", command.join(" ")));
        }
        Ok(())
    }
}

/// What may stand in place of a command.
const COMMANDS: [&str; 5] = ["targets", "run", "capacity", "help", ""];
/// What may stand in place of any other word.
const VALUES: [&str; 14] = [
    "FILE",
    "simple",
    "show",
    "help",
    "run",
    "capacity",
    "1",
    "10m",
    "5%",
    "p99 < 5ms",
    "sim",
    "fio",
    "dbname=x",
    "",
];
/// Behind a word `rigel` that is not a command but a name: of a schema, a package, a user.
const NOUN: [&str; 5] = ["with", "of", "has", "and", "|"];
/// Behind the name of a group of commands.
const JOINING: [&str; 4] = ["and", "or", "is", "has"];

/// Whether a help text lists an option or a word.
fn names(help: &str, name: &str) -> bool {
    let is_end = |sign: char| !sign.is_alphanumeric() && sign != '-' && sign != '_';
    let whole = |(at, _): (usize, &str)| {
        help[..at].chars().next_back().is_none_or(is_end)
            && help[at + name.len()..].chars().next().is_none_or(is_end)
    };
    !name.is_empty() && help.match_indices(name).any(whole)
}

/// A word with something in place of what stands for it: of a word of a format string only what is in braces.
fn with(word: &str, value: &str) -> String {
    match word.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?.1))) {
        Some((before, after)) => format!("{before}{value}{after}"),
        None => value.to_owned(),
    }
}

/// `FILE`, `<FILE>`, and what a format string puts in.
fn is_placeholder(word: &str) -> bool {
    let name = word.trim_start_matches('<').trim_end_matches('>');
    let is_upper = |sign: char| sign.is_ascii_uppercase() || "_-/@".contains(sign);
    word.contains('{')
        || (name.starts_with(|sign: char| sign.is_ascii_uppercase()) && name.chars().all(is_upper))
}

/// The forms of a command that a usage has: without what may be left out, and each alternative.
fn forms(text: &str) -> Vec<String> {
    let whole = without_groups(text);
    if !text.contains("[OPTIONS]") {
        return vec![whole];
    }
    let name: Vec<&str> = whole.split(' ').take_while(|word| !word.starts_with('-')).collect();
    let mut forms = whole.split(" | ").map(str::to_owned);
    let first = forms.next();
    first.into_iter().chain(forms.map(|form| format!("{} {form}", name.join(" ")))).collect()
}

/// The text without what is in brackets.
fn without_groups(text: &str) -> String {
    let mut parts = text.split('[');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |whole, part| match part.split_once(']') {
        // A pattern of file names.
        Some(_) if whole.ends_with(|sign: char| !sign.is_whitespace()) => whole + "[" + part,
        Some((_, rest)) => {
            let rest = rest.trim_start_matches("...").trim_start_matches(MORE);
            whole.trim_end().to_owned() + rest
        }
        None => whole + "[" + part,
    })
}

/// The words behind the program's name; `None` of another program.
fn of_program(words: &[String]) -> Option<Vec<String>> {
    let mut rest = words;
    if ["mpirun", "srun"].contains(&words.first()?.as_str()) {
        rest = &words[words.iter().position(|word| PROGRAMS.contains(&word.as_str()))?..];
    }
    loop {
        let first = rest.first()?;
        let name = first.rsplit('/').next().unwrap_or(first);
        if PROGRAMS.contains(&name) {
            // Options of the nodes stand before the command.
            let own =
                rest[1..].iter().skip_while(|word| name != PROGRAMS[0] && OF_NODES.contains(&word.as_str()));
            return Some(own.cloned().collect());
        }
        if name == "orion" {
            return Some(rest.to_vec());
        }
        let own = STARTERS.iter().find(|(starter, _)| *starter == name).map(|(_, own)| *own);
        let is_variable = first
            .split_once('=')
            .is_some_and(|(name, _)| name.chars().all(|sign| sign.is_ascii_uppercase() || sign == '_'));
        let skipped = match own {
            Some(own) => 1 + own,
            None if is_variable => 1,
            None => return None,
        };
        rest = rest.get(skipped..)?;
        // The options of the starter, and their values.
        while let Some(option) = rest.first().filter(|word| word.starts_with('-') || *word == MORE) {
            let has_value = option.len() == 2 && option != MORE;
            rest = rest.get(1 + usize::from(has_value)..)?;
        }
    }
}
