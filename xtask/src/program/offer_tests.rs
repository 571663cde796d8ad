//! Every command that Rigel offers is one that Rigel accepts: in what a record becomes, in help texts and man pages, in errors and hints.
//!
//! What a command looks like in a text is [`rigel_testdev::offers`]'s business.

mod chance;
mod corpus;
mod helps;
mod sources;

use rigel_testdev::offers::{Judge, Mark, Offer, Refusal, in_html, in_json, in_string, in_text};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::sync::{LazyLock, Mutex};

/// Help texts by the words of a command.
static HELPS: LazyLock<Mutex<BTreeMap<String, Option<String>>>> = LazyLock::new(Mutex::default);

fn judge() -> Judge<'static> {
    Judge { understand: &understand, help: &help }
}

fn understand(argv: &[String]) -> Result<(), String> {
    let argv: Vec<OsString> = argv.iter().map(OsString::from).collect();
    rigel::understand(&argv).map_err(|problem| problem.to_string())
}

fn help(words: &[&str]) -> Option<String> {
    let mut helps = HELPS.lock().unwrap();
    let known = helps.entry(words.join(" ")).or_insert_with(|| {
        let streams = rigel::Streams::in_memory();
        let argv: Vec<OsString> = ["rigel", "help"].iter().chain(words).map(OsString::from).collect();
        (rigel::perform(&argv, &streams) == 0).then(|| {
            let [text, _] = streams.texts();
            text
        })
    });
    known.clone()
}

/// Every command of a document, which may be several files in one.
fn offers(bytes: &[u8]) -> Vec<Offer> {
    let text = String::from_utf8_lossy(bytes);
    let without_heading = |file| if text.starts_with("==> ") { after_line(file) } else { file };
    text.split("\n==> ").flat_map(|file| of_file(without_heading(file))).collect()
}

fn after_line(text: &str) -> &str {
    text.split_once('\n').map_or("", |(_, rest)| rest)
}

fn of_file(text: &str) -> Vec<Offer> {
    if !text.contains("rigel") {
        return Vec::new();
    }
    match text.trim_start().chars().next() {
        Some('{' | '[') => in_json(text),
        Some('<') => in_html(text),
        _ => in_text(text),
    }
}

/// The refused offers, each command once, with all of its places.
#[derive(Default)]
struct RefusedOffers {
    /// What was judged already: most documents repeat what others say.
    accepted: BTreeSet<(bool, String)>,
    by_command: BTreeMap<String, (Refusal, Vec<String>)>,
    /// Commands that were judged.
    judged: usize,
}

impl RefusedOffers {
    fn check(&mut self, place: &str, offers: Vec<Offer>) {
        for offer in offers {
            self.judged += 1;
            let known = (offer.mark == Mark::Line, offer.text.clone());
            if self.accepted.contains(&known) {
                continue;
            }
            match judge().check(&offer) {
                Ok(_) => {
                    self.accepted.insert(known);
                }
                Err(refusal) => {
                    let refused = self.by_command.entry(refusal.command.clone());
                    refused.or_insert_with(|| (refusal, Vec::new())).1.push(place.to_owned());
                }
            }
        }
    }

    /// Fails unless there were as many commands as there should be at least, and all are accepted.
    #[track_caller]
    fn conclude(self, least: usize) {
        let told = |(refusal, places): &(Refusal, Vec<String>)| {
            let more =
                if places.len() > 1 { format!(", and {} more", places.len() - 1) } else { String::new() };
            format!("{}{more}: {refusal}\n", places[0])
        };
        let all: Vec<String> = self.by_command.values().map(told).collect();
        assert!(
            all.is_empty(),
            "{} commands that Rigel offers cannot be typed:\n{}",
            all.len(),
            all.concat()
        );
        assert!(self.judged >= least, "only {} commands were found", self.judged);
    }
}
