//! The commands in help texts and man pages.

use super::*;

/// The words of every command, including groups.
fn paths() -> Vec<Vec<String>> {
    fn add(command: &clap::Command, path: &[String], all: &mut Vec<Vec<String>>) {
        for own in command.get_subcommands() {
            let path: Vec<String> = path.iter().cloned().chain([own.get_name().to_owned()]).collect();
            add(own, &path, all);
            all.push(path);
        }
    }
    let mut all = vec![Vec::new()];
    add(&rigel::command(), &[], &mut all);
    all
}

#[test]
fn every_command_of_a_help_text_is_accepted() {
    let mut refused = RefusedOffers::default();
    for path in paths() {
        for form in ["-h", "--help"] {
            let argv: Vec<OsString> = ["rigel"]
                .into_iter()
                .chain(path.iter().map(String::as_str))
                .chain([form])
                .map(OsString::from)
                .collect();
            let streams = rigel::Streams::in_memory();
            assert_eq!(rigel::perform(&argv, &streams), 0, "{argv:?}");
            let [text, _] = streams.texts();
            refused.check(&format!("rigel {} {form}", path.join(" ")), in_text(&text));
        }
    }
    refused.conclude(100);
}
