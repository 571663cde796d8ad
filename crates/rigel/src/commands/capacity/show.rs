//! `rigel capacity list` and `show`: what the store holds.
//!
//! Must not write.

use super::hosts::{self, Whose};
use super::shared;
use super::uncertain;
use crate::args::{CommandStem, ListArgs, ShowArgs, StoreArgs, WhoseArgs};
use crate::capacity_store::{Store, place};
use crate::streams::Streams;
use rigel_capacity::{KeySummary, Selection};
use rigel_core::error::Problem;
use rigel_core::path_text;
use rigel_report::capacity::{Holdings, overview, overview_of_sum};
use rigel_report::document::Document as _;
use std::ffi::OsString;
use std::path::Path;

/// Length of the means: the busy hours of a year of fifty disks fit into a few hundred megabytes.
const STEP_MS: u32 = 300_000;

pub fn list(options: &ListArgs, streams: &Streams) -> Result<(), Problem> {
    let path = place(options.store.file.as_deref())?;
    let all = Store::open_to_read(&path)?.held()?;
    if all.is_empty() {
        return Err(hosts::empty(&path_text::encode(&path)));
    }
    let mut held = all.clone();
    // A list adds nothing up.
    let named = WhoseArgs { all: false, ..options.whose.clone() };
    if let Some(whose) = whose(&all, &named, &path)? {
        held.retain(|one| whose.wants(&one.key));
    }
    streams.results(Holdings(&held).text(streams.style()).as_bytes())?;
    tell_shared(&held, &options.store, streams);
    Ok(())
}

/// Which hosts share a storage, as far as the files themselves say so.
fn tell_shared(held: &[KeySummary], store: &StoreArgs, streams: &Streams) {
    let store = store.file.as_ref().map(|file| [OsString::from("--store"), file.into()]);
    let show = [OsString::from("show")].into_iter().chain(store.into_iter().flatten());
    let stem = CommandStem::of(&show.collect::<Vec<_>>());
    for found in shared::shared(held) {
        streams.remark(&format!("{}; to sum them: `{}`", found.sentence(), stem.with(&found.option(held))));
    }
}

/// Those that are named, if any is.
fn whose(held: &[KeySummary], asked: &WhoseArgs, path: &Path) -> Result<Option<Whose>, Problem> {
    let shown = path_text::encode(path);
    asked.is_given().then(|| Whose::of(held, asked, &CommandStem::default(), &shown)).transpose()
}

/// The sum of several; nothing if there is one.
fn show_sum(
    store: &Store,
    (whose, own): (&Whose, &[KeySummary]),
    selection: Selection,
    streams: &Streams,
) -> Result<(), Problem> {
    let members = whose.members(own, &[]);
    if members.all().len() > 1 {
        let mut history = store.history(&Selection { hosts: whose.hosts.clone(), ..selection })?;
        history.retain(|key| whose.wants(key));
        streams.results(overview_of_sum(&history, &members, &whose.name).as_bytes())?;
    }
    Ok(())
}

pub fn show(options: &ShowArgs, streams: &Streams) -> Result<(), Problem> {
    let path = place(options.store.file.as_deref())?;
    let store = Store::open_to_read(&path)?;
    let moment =
        |text: &Option<String>, at: &str| text.as_deref().map(|text| hosts::moment(text, at)).transpose();
    let all = store.held()?;
    let whose = whose(&all, &options.whose, &path)?;
    // A sum has what lies on other disks once.
    let (counted, mut remarks) = match &whose {
        Some(_) if options.names.is_empty() => uncertain::settled(&store, all.clone())?,
        _ => (all.clone(), Vec::new()),
    };
    let mut selection = Selection {
        subjects: options.names.clone(),
        from_ms: moment(&options.from, "--from")?,
        to_ms: moment(&options.to, "--to")?,
        step_ms: Some(STEP_MS),
        ..Selection::default()
    };
    let (from, to) = selection.range();
    let is_meant = |one: &KeySummary| whose.as_ref().is_none_or(|whose| whose.wants(&one.key));
    let wanted = all.iter().filter(|held| {
        is_meant(held) && selection.wants(&held.key) && held.last_ms > from && held.first_ms < to
    });
    let mut held: Vec<KeySummary> = wanted.cloned().collect();
    if held.is_empty() {
        return Err(nothing(options.store.file.as_deref()));
    }
    if let Some(whose) = &whose {
        if options.names.is_empty() && !whose.is_database() {
            remarks.extend(uncertain::unknown(&all, &whose.hosts));
        }
        let is_there = |one: &&KeySummary| held.iter().any(|other| other.key == one.key);
        let own: Vec<KeySummary> = counted.iter().filter(is_there).cloned().collect();
        let subjects = if options.names.is_empty() { whose.subjects(&held) } else { options.names.clone() };
        show_sum(&store, (whose, &own), Selection { subjects, ..selection.clone() }, streams)?;
    }
    held.sort_by(|a, b| a.key.cmp(&b.key));
    held.dedup_by(|a, b| a.key.host == b.key.host && a.key.subject == b.key.subject);
    // One at a time, so that memory is that of one disk.
    for one in held {
        selection.hosts = vec![one.key.host.clone()];
        let name = if one.key.subject.id.is_empty() { &one.key.subject.name } else { &one.key.subject.id };
        selection.subjects = vec![name.clone()];
        let short = one.last_ms - one.first_ms < 24 * i64::from(STEP_MS);
        let mut text = String::new();
        // Samples of seconds, minutes apart, fill no step: there are few of them.
        for step_ms in [Some(STEP_MS).filter(|_| !short), None] {
            selection.step_ms = step_ms;
            text = overview(&store.history(&selection)?, &one.key.host, &one.key.subject);
            if !text.is_empty() {
                break;
            }
        }
        streams.results(text.as_bytes())?;
    }
    remarks.iter().for_each(|text| streams.remark(text));
    if whose.is_none() && options.names.is_empty() {
        tell_shared(&all, &options.store, streams);
    }
    Ok(())
}

fn nothing(store: Option<&Path>) -> Problem {
    let store = store.map_or_else(String::new, |file| {
        format!(" --store {}", path_text::shell_word(&path_text::encode(file)))
    });
    Problem::refused("the store has no such data")
        .because("nothing was imported or recorded under this name, or only for another time")
        .next(format!("`rigel capacity list{store}` shows what there is"))
}
