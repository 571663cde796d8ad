//! Whose history is meant, and which moment.
//!
//! Must not open the store.

use rigel_capacity::{DAY_MS, KeySummary, Kind, day, own_disks, when};
use rigel_core::error::Problem;
use rigel_core::path_text;

/// The host whose history is meant; `shown` is the store.
pub fn chosen(held: &[KeySummary], named: Option<&str>, shown: &str) -> Result<String, Problem> {
    let mut hosts: Vec<&str> = held.iter().map(|held| held.key.host.as_str()).collect();
    hosts.sort_unstable();
    hosts.dedup();
    let own = rigel_io::production::host_name();
    match (named, hosts.as_slice()) {
        (_, []) => {
            Err(Problem::usage("the store is empty").at(shown).next("fill it: rigel capacity import FILE.."))
        }
        (Some(named), all) if all.contains(&named) => Ok(named.to_owned()),
        (Some(named), all) => Err(Problem::usage(format!(
            "the store has no history of the host {}",
            path_text::printable(named)
        ))
        .at(shown)
        .because(format!("it has {}", all.join(", ")))
        .next("name one of them with --host")),
        (None, [only]) => Ok((*only).to_owned()),
        (None, all) if all.contains(&own.as_str()) => Ok(own),
        (None, all) => Err(Problem::usage("the store has histories of several hosts, but not of this one")
            .at(shown)
            .because(format!("it has {}", all.join(", ")))
            .next("name one of them with --host")),
    }
}

/// Whether every disk of the host is meant, so that what is told of the host as a whole is told of these.
pub fn means_all(held: &[KeySummary], host: &str, named: &[String]) -> bool {
    let own = held.iter().map(|held| &held.key).filter(|key| key.host == host);
    let disks = own.map(|key| key.subject.clone()).filter(|subject| subject.kind == Kind::Disk);
    named.is_empty()
        || own_disks(disks.collect())
            .iter()
            .all(|disk| named.contains(&disk.name) || named.contains(&disk.id))
}

/// A moment as it is typed, in milliseconds of the epoch.
pub fn moment(text: &str, at: &str) -> Result<i64, Problem> {
    let day = || day::read(text).map(|day| day * DAY_MS);
    when::with_offset(text).or_else(day).ok_or_else(|| {
        Problem::usage(format!("'{}' is not a date or time", path_text::printable(text)))
            .at(at)
            .next("give a month or day, such as 2026-11 or 2026-11-01, or a time, such as 2026-11-01T08:00:00+01:00")
    })
}
