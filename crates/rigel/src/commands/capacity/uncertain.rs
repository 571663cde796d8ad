//! Disks whose names do not show whether they lie on others: what their load shows, and the remarks about those that do not count.
//!
//! Must not write to the store.

use crate::capacity_store::Store;
use rigel_capacity::numbered::{is_of_any, lying};
use rigel_capacity::{KeySummary, Kind, Selection, Subject, unknown_disks};
use rigel_core::error::Problem;
use rigel_core::units::say::listed;
use std::collections::{BTreeMap, BTreeSet};

/// Length of the means that are compared.
const STEP_MS: u32 = 300_000;

/// What a store contains without disks that lie on others judging by their load, and a remark for each host with such disks.
pub fn settled(store: &Store, held: Vec<KeySummary>) -> Result<(Vec<KeySummary>, Vec<String>), Problem> {
    let mut numbered: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let disks = held.iter().map(|one| &one.key).filter(|key| key.subject.kind == Kind::Disk);
    for key in disks.filter(|key| is_of_any(&key.subject.name)) {
        numbered.entry(key.host.clone()).or_default().insert(key.subject.name.clone());
    }
    let mut all = held;
    let mut remarks = Vec::new();
    for (host, names) in numbered.into_iter().filter(|(_, names)| names.len() > 1) {
        let selection = Selection {
            hosts: vec![host.clone()],
            subjects: names.into_iter().collect(),
            step_ms: Some(STEP_MS),
            ..Selection::default()
        };
        let found = lying(&store.history(&selection)?, &host);
        if found.is_empty() {
            continue;
        }
        let is_upper = |subject: &Subject| found.iter().any(|one| one.upper == *subject);
        all.retain(|one| one.key.host != host || !is_upper(&one.key.subject));
        let uppers: Vec<String> = found.iter().map(|one| one.upper.name.clone()).collect();
        let lowers: BTreeSet<&String> = found.iter().map(|one| &one.lower.name).collect();
        let lowers: Vec<String> = lowers.into_iter().cloned().collect();
        let (lie, are, its) = match uppers.len() {
            1 => ("is taken to lie", "is", "its"),
            _ => ("are taken to lie", "are", "their"),
        };
        remarks.push(format!(
            "{} of {host} {lie} on {} and {are} not counted, because {its} load is the same; if that is wrong, name all disks that count",
            listed(&uppers),
            listed(&lowers),
        ));
    }
    Ok((all, remarks))
}

/// A remark for each of these hosts whose disks do not count because their names are not those of disks.
pub fn unknown(held: &[KeySummary], hosts: &[String]) -> Vec<String> {
    let of_host = |host: &String| {
        let own =
            held.iter().map(|one| &one.key).filter(|key| key.host == *host && key.subject.kind == Kind::Disk);
        let found = unknown_disks(&Subject::distinct(own.map(|key| &key.subject)));
        let names: Vec<String> = found.iter().map(ToString::to_string).collect();
        let (are, name, they) = match names.len() {
            1 => ("is", "its name is not that of a physical disk", "it is"),
            _ => ("are", "their names are not those of physical disks", "they are"),
        };
        (!names.is_empty()).then(|| {
            format!(
                "{} of {host} {are} not counted: {name}, so {they} taken to lie on the others; if that is wrong, name all disks that count",
                listed(&names),
            )
        })
    };
    hosts.iter().filter_map(of_host).collect()
}
