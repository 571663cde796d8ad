//! Whose history a command is about: hosts, or a database, that share a storage.
//!
//! Must not open the store.

use super::typed;
use std::ffi::{OsStr, OsString};

/// Options of [`WhoseArgs`], and whether a value follows.
const OWN: [(&str, bool); 3] = [("--host", true), ("--database", true), ("--all", false)];

#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct WhoseArgs {
    /// Use the history of this host, or the sum of several that share the storage: rac1,rac2 [default: the only one in the store, or this host]
    #[arg(long = "host", value_name = "NAME", value_delimiter = ',', value_parser = super::values::name)]
    pub hosts: Vec<String>,

    /// Sum all instances of this Oracle database, by its name or DBID; several DBIDs are one database that had them in succession
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub database: Vec<String>,

    /// Sum all hosts in the store
    #[arg(long)]
    pub all: bool,
}

impl WhoseArgs {
    /// Whether anything is named.
    pub const fn is_given(&self) -> bool {
        !self.hosts.is_empty() || !self.database.is_empty() || self.all
    }
}

/// A command line of `rigel capacity` without these options, to which others can be added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandStem(String);

impl CommandStem {
    /// From what was typed after `capacity`.
    pub fn of(arguments: &[OsString]) -> Self {
        let mut kept: Vec<OsString> = Vec::new();
        let mut is_value = false;
        for argument in arguments {
            let word = argument.to_string_lossy();
            let name = word.split_once('=').map_or(&*word, |(name, _)| name);
            let own = OWN.iter().find(|(own, _)| *own == name);
            match own {
                _ if is_value => is_value = false,
                Some((_, has_value)) => is_value = *has_value && OsStr::new(name) == argument,
                None => kept.push(argument.clone()),
            }
        }
        Self(typed(&kept).trim_end().to_owned())
    }

    /// With another word that every offer needs.
    pub fn adding(&self, word: &str) -> Self {
        Self(format!("{} {word}", self.0))
    }

    /// The whole command with more options.
    pub fn with(&self, options: &str) -> String {
        format!("rigel capacity {} {options}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_offered_with_another_host() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        for line in ["forecast --host a here.jsonl --all", "forecast here.jsonl --host=a,b --database X"] {
            let stem = CommandStem::of(&words(line));
            assert_eq!(stem.with("--host a,b"), "rigel capacity forecast here.jsonl --host a,b");
        }
    }
}
