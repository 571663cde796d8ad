//! `rigel capacity list` and `show`: what the store holds.
//!
//! Must not write.

use super::hosts;
use crate::args::{ShowArgs, StoreArgs};
use crate::capacity_store::{Store, place};
use crate::streams::Streams;
use rigel_capacity::Selection;
use rigel_core::error::Problem;
use rigel_report::capacity::{Holdings, overview};
use rigel_report::document::Document as _;

/// Means over so long: the busy hours of a year of fifty disks in some hundred megabytes.
const STEP_MS: u32 = 300_000;

pub fn list(options: &StoreArgs, streams: &Streams) -> Result<(), Problem> {
    let store = Store::open_to_read(&place(options.file.as_deref())?)?;
    let held = store.held()?;
    if held.is_empty() {
        Err(nothing())
    } else {
        streams.results(Holdings(&held).text(streams.style()).as_bytes())
    }
}

pub fn show(options: &ShowArgs, streams: &Streams) -> Result<(), Problem> {
    let store = Store::open_to_read(&place(options.store.file.as_deref())?)?;
    let moment =
        |text: &Option<String>, at: &str| text.as_deref().map(|text| hosts::moment(text, at)).transpose();
    let mut selection = Selection {
        host: options.host.clone(),
        subjects: options.names.clone(),
        with_host: false,
        source: None,
        from_ms: moment(&options.from, "--from")?,
        to_ms: moment(&options.to, "--to")?,
        step_ms: Some(STEP_MS),
    };
    let (from, to) = selection.range();
    let wanted = store
        .held()?
        .into_iter()
        .filter(|held| selection.wants(&held.key) && held.last_ms > from && held.first_ms < to);
    let mut held: Vec<_> = wanted.collect();
    if held.is_empty() {
        return Err(nothing());
    }
    held.sort_by(|a, b| a.key.cmp(&b.key));
    held.dedup_by(|a, b| a.key.host == b.key.host && a.key.subject == b.key.subject);
    // One at a time, so that memory is that of one disk.
    for one in held {
        selection.host = Some(one.key.host.clone());
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
    Ok(())
}

fn nothing() -> Problem {
    Problem::refused("the store has no such data")
        .because("nothing was imported or recorded, or only under another name or for another time")
        .next("rigel capacity list shows what there is")
}
