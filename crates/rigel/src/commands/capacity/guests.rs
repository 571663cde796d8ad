//! The load in a file, beside the history of a store: what if that database moved here?
//!
//! The file is read into memory and never stored. Must not understand it.

use super::import;
use rigel_capacity::read::Options;
use rigel_capacity::sum::is_load;
use rigel_capacity::{History, Key, Members, Table};
use rigel_core::error::Problem;
use rigel_core::path_text::encode;
use std::collections::BTreeSet;
use std::path::Path;

/// Adds what a file has to a history and its members.
pub fn add(
    file: &Path,
    zone: Option<&str>,
    step_ms: u32,
    (history, members): (&mut History, &mut Members),
) -> Result<(), Problem> {
    for (key, table) in take(file, zone, members)? {
        history.add(key, &table.coarser(step_ms));
    }
    Ok(())
}

/// The tables of a file, which is a member from now on. Its hosts get names of their own, so that none is taken for one of the store.
pub fn take(file: &Path, zone: Option<&str>, members: &mut Members) -> Result<Vec<(Key, Table)>, Problem> {
    let name = encode(file);
    let stem = file.file_stem().map_or_else(|| name.clone(), |stem| stem.to_string_lossy().into_owned());
    let options = Options {
        zone: zone.map(import::zone).transpose()?,
        host_of_nameless: Some(stem),
        ..Options::default()
    };
    let tables = import::tables(file, &options)?;
    let is_in =
        |key: &&Key| members.parts().any(|(host, subject)| host == key.host && subject.is_same(&key.subject));
    if let Some(key) = tables.keys().find(is_in) {
        return Err(Problem::usage(format!("{} of {} is in the history already", key.subject, key.host))
            .at(name)
            .because("its load would count twice")
            .next("leave this --add out, or leave out that host with --host"));
    }
    let hosts: BTreeSet<String> = tables.keys().map(|key| key.host.clone()).collect();
    let guest = |host: &str| if hosts.len() == 1 { name.clone() } else { format!("{name} {host}") };
    let names: Vec<String> = hosts.iter().map(|host| guest(host)).collect();
    let tables: Vec<(Key, Table)> =
        tables.into_iter().map(|(key, table)| (Key { host: guest(&key.host), ..key }, table)).collect();
    let guests = Members::of(tables.iter().map(|(key, table)| (key, is_load(table.metrics()))), &names);
    if guests.all().is_empty() {
        return Err(Problem::usage("the file has no load")
            .at(name)
            .because("it has neither reads and writes nor bytes of a disk or database")
            .next("give a file with them; for data alone, give its size and date: --add 200GB@2027-04"));
    }
    members.extend(guests, &name);
    Ok(tables)
}
