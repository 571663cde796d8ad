//! The program within the process of the tests, for what asks about words alone: no process starts, and nothing is touched.
//!
//! Must not be used where the exit of a process, its directory or its environment matter.

use crate::support::{Place, ProgramOutput, flat};
use rigel::Streams;
use rigel_testdev::offers::{Judge, in_text};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::{LazyLock, Mutex};

/// What a command line comes to.
pub fn perform<S: Into<OsString>>(arguments: impl IntoIterator<Item = S>) -> ProgramOutput {
    let argv = argv(arguments);
    let streams = Streams::in_memory();
    let code = rigel::perform(&argv, &streams);
    let [stdout, stderr] = streams.texts();
    ProgramOutput { code: code.into(), stdout, stderr }
}

/// The same of arguments as one line, split at blanks.
pub fn line(line: &str) -> ProgramOutput {
    perform(line.split_whitespace())
}

/// Help texts by the words of a command; none where there is no such command.
static HELPS: LazyLock<Mutex<BTreeMap<String, Option<String>>>> = LazyLock::new(Mutex::default);

/// Whether what a text offers would be accepted.
pub fn judge() -> Judge<'static> {
    fn understand(argv: &[String]) -> Result<(), String> {
        let argv: Vec<OsString> = argv.iter().map(OsString::from).collect();
        rigel::understand(&argv).map_err(|problem| problem.to_string())
    }
    fn help(words: &[&str]) -> Option<String> {
        let mut known = HELPS.lock().unwrap();
        let help = known.entry(words.join(" ")).or_insert_with(|| {
            let told = perform(["help"].iter().chain(words).copied());
            (told.code == 0).then_some(told.stdout)
        });
        help.clone()
    }
    Judge { understand: &understand, help: &help }
}

/// What a command line comes to that is refused by its words: fails, before anything is done, when they would do, and when a command that the
/// refusal offers would be refused as well.
#[track_caller]
pub fn refused<S: Into<OsString>>(arguments: impl IntoIterator<Item = S>) -> ProgramOutput {
    let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    assert!(rigel::understand(&argv(arguments.clone())).is_err(), "it is not refused: {arguments:?}");
    let told = perform(arguments).expect_code(2);
    assert_eq!(told.stdout, "", "{}", told.stderr);
    for offer in in_text(&told.stderr) {
        if let Err(refusal) = judge().check(&offer) {
            panic!("{refusal}\n{}", told.stderr);
        }
    }
    told
}

fn argv<S: Into<OsString>>(arguments: impl IntoIterator<Item = S>) -> Vec<OsString> {
    std::iter::once("rigel".into()).chain(arguments.into_iter().map(Into::into)).collect()
}

/// Of each command, a line that its words refuse.
#[test]
fn the_program_says_the_same_as_it_does_within_this_process() {
    let place = Place::new();
    for command in rigel::command().get_subcommands().map(|command| command.get_name()) {
        let words = format!("{command} --no-such-option");
        let [own, within] = [place.line(&words), refused(words.split_whitespace())];
        assert_eq!((own.code, &own.stdout, &own.stderr), (2, &within.stdout, &within.stderr), "{command}");
    }
    for words in ["--version", "help run", "completions bash", "man calibrate"] {
        let [own, within] = [place.line(words), line(words)].map(|told| told.expect_code(0));
        // Lines are as long as a terminal is wide, and the tests may have one.
        assert_eq!(flat(&own.stdout), flat(&within.stdout), "{words}");
        assert_eq!([own.stderr, within.stderr], ["", ""], "{words}");
    }
    assert_eq!(place.files(), Vec::<String>::new());
}
