//! Man pages and completions, made from the definition of the command line so that they cannot differ from it.
//!
//! They are the same on every call and every machine. Must not write a file.

mod roff_text;

use crate::args;
use clap::Command;
use clap::builder::Resettable;
use clap_complete::Shell;
use clap_mangen::Man;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::load::file::Preset;
use std::borrow::Cow;
use std::io;

/// A man page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The command, `run` or `durability-run`; `None` for the program as a whole.
    pub command: Option<String>,
    /// The name of its file, `rigel-run.1`.
    pub file: String,
    /// The page in roff, ASCII only.
    pub text: String,
}

/// All man pages: of the program, then of each command, followed by its own commands.
///
/// # Errors
/// Only when a library refuses to write to memory, which is a bug.
pub fn pages() -> Result<Vec<Page>, Problem> {
    let mut root = args::command().disable_help_subcommand(true);
    root.build();
    let all: Vec<Command> = root.get_subcommands().cloned().collect();
    let mut pages = vec![page(None, root, &all)?];
    for command in all.clone() {
        let name = command.get_name().to_owned();
        let own: Vec<Command> = command.get_subcommands().cloned().collect();
        pages.push(page(Some(name.clone()), command, &all)?);
        for command in own {
            let name = format!("{name}-{}", command.get_name());
            pages.push(page(Some(name), command, &all)?);
        }
    }
    Ok(pages)
}

/// The script that completes the command line in a shell.
pub fn completions(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut args::command(), "rigel", &mut script);
    let script = String::from_utf8_lossy(&script);
    script
        .split_inclusive('\n')
        .scan(false, |in_load, line| Some(with_presets(shell, in_load, line)))
        .collect()
}

/// A script line that completes files after `--load`, with the names of the presets: clap completes an option either with words or with files.
fn with_presets<'a>(shell: Shell, in_load: &mut bool, line: &'a str) -> Cow<'a, str> {
    let names = Preset::ALL.map(|preset| preset.name).join(" ");
    let other = match shell {
        Shell::Bash => {
            let label = line.trim();
            if label.ends_with(')') && !label.contains('(') {
                *in_load = label == "--load)";
            }
            // The script splits file names at line ends, so the words must be split in the same way.
            let words = names.replace(' ', "\\n");
            in_load.then(|| line.replace("compgen -f ", &format!("compgen -W $'{words}' -f -- ")))
        }
        Shell::Zsh if line.starts_with("'--load=") => {
            let both = format!(":FILE:{{_alternative \"presets:preset:({names})\" \"files:file:_files\"}}'");
            Some(line.replace(":FILE:_files'", &both))
        }
        Shell::Fish if line.contains(" -l load ") => {
            Some(line.replace(" -r -F", &format!(" -r -F -a '{names}'")))
        }
        _ => None,
    };
    other.map_or(Cow::Borrowed(line), Cow::Owned)
}

fn page(name: Option<String>, command: Command, all: &[Command]) -> Result<Page, Problem> {
    let after = command.get_after_long_help().or_else(|| command.get_after_help());
    let after = after.map(ToString::to_string).unwrap_or_default();
    let title = name.as_ref().map_or_else(|| "rigel".to_owned(), |name| format!("rigel-{name}"));
    // clap_mangen would make one paragraph of the text after the options.
    let plain = command.after_help(Resettable::Reset).after_long_help(Resettable::Reset);
    // The page is the same on every processor.
    let plain = plain.long_version(Resettable::Reset);
    // A man page has the options that a summary leaves out, too.
    let plain = plain.mut_args(|arg| arg.hide_short_help(false));
    let mut text = Vec::new();
    Man::new(plain)
        .title(title.to_ascii_uppercase())
        // Without any argument for the date, roff would take the next one for it.
        .date("\"\"")
        .source(concat!("rigel ", env!("CARGO_PKG_VERSION")))
        .manual("Rigel")
        .render(&mut text)
        .map_err(|error: io::Error| {
            Problem::new(ExitKind::Bug, format!("the man page cannot be written: {error}"))
        })?;
    let others: Vec<&str> =
        all.iter().map(Command::get_name).filter(|other| Some(*other) != name.as_deref()).collect();
    let end = roff_text::sections(&after) + &roff_text::see_also(name.is_some(), &others);
    let text = roff_text::ascii(&(String::from_utf8_lossy(&text).into_owned() + &end));
    Ok(Page { command: name, file: format!("{title}.1"), text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page() {
        let pages = pages().unwrap();
        let files: Vec<&str> = pages.iter().map(|page| page.file.as_str()).collect();
        assert_eq!(files[0], "rigel.1");
        for command in args::command().get_subcommands() {
            assert!(files.contains(&format!("rigel-{}.1", command.get_name()).as_str()), "{files:?}");
        }
        for page in &pages {
            assert!(page.text.is_ascii(), "{}", page.file);
            assert_eq!(page.text.matches(".TH ").count(), 1, "{}", page.file);
            assert!(page.text.contains(".SH \"SEE ALSO\""), "{}", page.file);
        }
        assert!(pages == self::pages().unwrap(), "the same at every call");
    }

    #[test]
    fn the_page_of_a_run_has_its_groups_and_examples() {
        let pages = pages().unwrap();
        let run = pages.iter().find(|page| page.command.as_deref() == Some("run")).unwrap();
        for part in [".SH TARGETS", ".SH PRECISION", ".SH EXAMPLES", "\\-\\-stripe", "rigel run simple"] {
            assert!(run.text.contains(part), "{part}");
        }
        let command = args::command();
        for arg in command.find_subcommand("run").unwrap().get_arguments() {
            let help = arg.get_help().unwrap().to_string().replace('-', "\\-").replace('\'', "\\*(Aq");
            assert!(run.text.contains(&roff_text::ascii(&help).trim_end().to_owned()), "{help}");
        }
        let orion = pages.iter().find(|page| page.command.as_deref() == Some("orion")).unwrap();
        assert!(orion.text.contains("\\-num_streamIO"), "{}", orion.text);
    }
}
