//! What the drives say about themselves before and after a load: their counters compared, each drive recognised by model and serial number.
//!
//! Damage that grew counts against a drive, and so does any alarm; wear and hours are only reported. Must not ask a drive.

use rigel_core::facts::DriveLook;
use rigel_core::facts::drive::{Counter, Counters, Drive, DriveAnswer, Kind};
use schemars::JsonSchema;
use serde::Serialize;

/// What all readings of the drives say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drives {
    /// Those that reported their counters, in the order in which they were first seen.
    pub told: Vec<DriveFound>,
    /// Those that never did.
    pub silent: Vec<SilentDrive>,
}

/// A drive that reported its counters at least once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriveFound {
    /// Its kernel name at the last reading.
    pub name: String,
    /// Its model.
    pub model: Option<String>,
    /// Its serial number.
    pub serial: Option<String>,
    /// Local times of the first and the last reading with counters; equal if there was one.
    pub seen: [String; 2],
    /// Number of readings with counters.
    pub looks: u32,
    /// Its counters.
    pub changes: Vec<Change>,
    /// Why it reported none at the last reading.
    pub lost: Option<String>,
}

/// A drive that reported no counters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SilentDrive {
    /// Its kernel name.
    pub name: String,
    /// Why.
    pub why: String,
}

/// A counter of a drive over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "DriveCounter")]
pub struct Change {
    /// Its name, such as `pending_sectors`; percentages end in `_percent`, bytes in `_bytes`.
    #[schemars(with = "String")]
    pub counter: Counter,
    /// At the first reading that contained it.
    pub first: u64,
    /// At the last one.
    pub last: u64,
    /// Its highest value; for bits, all that were ever set.
    pub most: u64,
    /// Readings that contained it. With 1, the earlier value is unknown.
    pub looks: u32,
    /// Whether it counts against the drive: damage that grew, or an alarm.
    pub worse: bool,
}

impl DriveFound {
    /// What casts doubt on it.
    pub fn worse(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(|change| change.worse)
    }

    /// How often it reported a counter of damage or an alarm.
    fn looks_at_damage(&self) -> u32 {
        let tells = |change: &&Change| matches!(change.counter.kind(), Kind::Damage | Kind::Alarm);
        self.changes.iter().filter(tells).map(|change| change.looks).max().unwrap_or(0)
    }

    /// Whether anything does.
    pub fn is_worse(&self) -> bool {
        self.worse().next().is_some()
    }
}

impl Drives {
    /// The drives against which something speaks.
    pub fn worse(&self) -> impl Iterator<Item = &DriveFound> {
        self.told.iter().filter(|drive| drive.is_worse())
    }

    /// The summary of readings; `None` if nothing was sampled, as with a simulated device.
    pub fn of(looks: &[DriveLook]) -> Option<Self> {
        of(looks)
    }

    /// The highest number of readings of a damage or alarm counter, for the drive where that is lowest; 0 if it has none. `None` without drives.
    pub fn fewest_looks(&self) -> Option<u32> {
        self.told.iter().map(DriveFound::looks_at_damage).min()
    }
}

fn of(looks: &[DriveLook]) -> Option<Drives> {
    let last = looks.last()?;
    let mut found = Drives::default();
    for look in looks {
        let mut seen: Vec<usize> = Vec::new();
        for drive in &look.drives {
            let DriveAnswer::Counters(counters) = &drive.said else { continue };
            let at = place(&mut found.told, drive);
            // Two paths to one drive are one look at it.
            if !seen.contains(&at) {
                seen.push(at);
                add(&mut found.told[at], drive, counters, &look.at);
            }
        }
    }
    for drive in &mut found.told {
        judge(drive);
        let told = last.drives.iter().any(|other| other.counters().is_some() && is_same(drive, other));
        let silent = || last.drives.iter().find(|other| other.name == drive.name).and_then(why);
        drive.lost = if told { None } else { silent() };
    }
    let silent = last.drives.iter().filter_map(|drive| Some((drive, why(drive)?)));
    found.silent = silent
        .filter(|(drive, _)| !found.told.iter().any(|told| told.name == drive.name))
        .map(|(drive, why)| SilentDrive { name: drive.name.clone(), why })
        .collect();
    Some(found)
}

fn why(drive: &Drive) -> Option<String> {
    if let DriveAnswer::Nothing(why) = &drive.said { Some(why.clone()) } else { None }
}

fn is_same(found: &DriveFound, drive: &Drive) -> bool {
    match (&found.serial, &drive.serial) {
        (Some(one), Some(other)) => one == other && found.model == drive.model,
        (None, None) => found.name == drive.name && found.model == drive.model,
        _ => false,
    }
}

/// The place of a drive among those that were found; a new one when it was not.
fn place(told: &mut Vec<DriveFound>, drive: &Drive) -> usize {
    told.iter().position(|found| is_same(found, drive)).unwrap_or_else(|| {
        told.push(DriveFound {
            name: drive.name.clone(),
            model: drive.model.clone(),
            serial: drive.serial.clone(),
            seen: [String::new(), String::new()],
            looks: 0,
            changes: Vec::new(),
            lost: None,
        });
        told.len() - 1
    })
}

fn add(found: &mut DriveFound, drive: &Drive, counters: &Counters, at: &str) {
    found.name.clone_from(&drive.name);
    if found.looks == 0 {
        at.clone_into(&mut found.seen[0]);
    }
    at.clone_into(&mut found.seen[1]);
    found.looks = found.looks.saturating_add(1);
    for (&counter, &value) in counters {
        match found.changes.iter_mut().find(|change| change.counter == counter) {
            Some(change) => {
                change.last = value;
                change.looks = change.looks.saturating_add(1);
                change.most = match counter {
                    Counter::CriticalWarning => change.most | value,
                    _ => change.most.max(value),
                };
            }
            None => {
                let change =
                    Change { counter, first: value, last: value, most: value, looks: 1, worse: false };
                found.changes.push(change);
            }
        }
    }
}

/// A counter of damage counts with its highest value: a sector that waited and was replaced later waited.
fn judge(found: &mut DriveFound) {
    let threshold = found.changes.iter().find(|change| change.counter == Counter::SpareThresholdPercent);
    let threshold = threshold.map_or(0, |change| change.last);
    for change in &mut found.changes {
        change.worse = match change.counter.kind() {
            Kind::Damage => change.most > change.first,
            Kind::Alarm => change.most > 0,
            Kind::Spare => change.last < threshold,
            Kind::Use => false,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drive(name: &str, serial: &str, counters: &[(Counter, u64)]) -> Drive {
        Drive {
            name: name.into(),
            model: Some("M".into()),
            serial: Some(serial.into()),
            said: DriveAnswer::Counters(counters.iter().copied().collect()),
        }
    }

    fn look(at: &str, drives: &[Drive]) -> DriveLook {
        DriveLook { at: at.into(), run_ns: 0, drives: drives.to_vec() }
    }

    fn worse(looks: &[DriveLook]) -> Vec<(String, Vec<Counter>)> {
        let of = |drive: &DriveFound| {
            (drive.name.clone(), drive.worse().map(|change| change.counter).collect::<Vec<_>>())
        };
        super::of(looks).unwrap().worse().map(of).collect()
    }

    #[test]
    fn damage_that_grew_speaks_against_a_drive_and_old_damage_and_use_do_not() {
        let before =
            [(Counter::PendingSectors, 3), (Counter::PowerOnHours, 10), (Counter::ErrorLogEntries, 4)];
        let older =
            [(Counter::PendingSectors, 3), (Counter::PowerOnHours, 90), (Counter::ErrorLogEntries, 44)];
        let looks = |after: &[(Counter, u64)]| {
            [look("a", &[drive("sda", "1", &before)]), look("b", &[drive("sda", "1", after)])]
        };
        assert_eq!(worse(&looks(&older)), []);
        let grown = [(Counter::PendingSectors, 4)];
        assert_eq!(worse(&looks(&grown)), [("sda".into(), vec![Counter::PendingSectors])]);
        let found = of(&looks(&older)).unwrap();
        assert_eq!((found.told[0].looks, &found.told[0].seen), (2, &["a".into(), "b".into()]));
        let hours =
            found.told[0].changes.iter().find(|change| change.counter == Counter::PowerOnHours).unwrap();
        assert_eq!((hours.first, hours.last), (10, 90));
    }

    #[test]
    fn a_sector_that_waited_in_between_is_not_forgotten() {
        let of = |count| [drive("sda", "1", &[(Counter::PendingSectors, count)])];
        let looks = [look("a", &of(0)), look("b", &of(5)), look("c", &of(0))];
        assert_eq!(worse(&looks), [("sda".into(), vec![Counter::PendingSectors])]);
    }

    #[test]
    fn an_alarm_speaks_against_it_whenever_it_is_on_and_spare_blocks_below_their_threshold() {
        let spare = |left| [(Counter::SparePercent, left), (Counter::SpareThresholdPercent, 10)];
        for (counters, expected) in [
            (vec![(Counter::CriticalWarning, 0), (Counter::Failing, 0)], vec![]),
            (vec![(Counter::CriticalWarning, 4)], vec![Counter::CriticalWarning]),
            (vec![(Counter::Failing, 1)], vec![Counter::Failing]),
            (spare(10).to_vec(), vec![]),
            (spare(9).to_vec(), vec![Counter::SparePercent]),
        ] {
            let found = of(&[look("a", &[drive("sda", "1", &counters)])]).unwrap();
            assert_eq!(found.told[0].worse().map(|change| change.counter).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn drives_that_changed_names_are_known_again_and_two_paths_are_one_drive() {
        let of = |count| [(Counter::MediaErrors, count)];
        let before = [drive("sda", "1", &of(0)), drive("sdb", "2", &of(7)), drive("sdc", "2", &of(7))];
        let after = [drive("sda", "2", &of(7)), drive("sdb", "1", &of(1))];
        let looks = [look("a", &before), look("b", &after)];
        assert_eq!(worse(&looks), [("sdb".into(), vec![Counter::MediaErrors])]);
        let found = super::of(&looks).unwrap();
        assert_eq!(found.told.iter().map(|drive| drive.looks).collect::<Vec<_>>(), [2, 2]);
        assert_eq!(found.silent, []);
    }

    #[test]
    fn a_drive_that_fell_silent_and_one_that_always_was_are_told_apart() {
        let before = [drive("sda", "1", &[(Counter::MediaErrors, 0)]), Drive::silent("sdb", "why")];
        let after = [Drive::silent("sda", "no answer"), Drive::silent("sdb", "why")];
        let found = of(&[look("a", &before), look("b", &after)]).unwrap();
        assert_eq!((found.told[0].lost.as_deref(), found.fewest_looks()), (Some("no answer"), Some(1)));
        assert_eq!(found.silent, [SilentDrive { name: "sdb".into(), why: "why".into() }]);
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[look("a", &[])]).unwrap(), Drives::default());
    }
}
