//! Rules about settings that distort a result or harm a database, as data.
//!
//! A [`Rule`] names a setting, what it harms, why it matters, the commands that show and change it, and a source. Its
//! judge is a pure function of facts. The facts are those of the record, so a host can be examined now or from a
//! record. Must not gather a fact, and must not change a setting.

mod disk;
mod host;
mod layers;
mod limits;
mod mount;
mod network;
mod queue;
mod target;

use rigel_core::facts::{DeviceFacts, HostFacts, MountFacts, TargetFacts};
use rigel_core::path_text::shell_word;
use std::fmt;

/// The weight of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; right for many.
    Note,
    /// Costs performance, or distorts what is measured.
    Warning,
    /// Data may be lost, or numbers are about something else than the storage.
    Error,
}

rigel_core::named!(Severity { Note: "note", Warning: "warning", Error: "error" });

/// What a finding harms. Some harm both; then it is what is harmed most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The numbers: they would be about something else than the storage, or not what it can do.
    Measurement,
    /// The database: its data, or what it does in another way than a measurement, which does not show it.
    Database,
}

rigel_core::named!(Part { Measurement: "measurement", Database: "database" });

/// One setting, and how it is judged.
#[derive(Debug)]
pub struct Rule {
    /// Name that stays the same: `io-scheduler`.
    pub name: &'static str,
    /// The setting in words.
    pub setting: &'static str,
    /// What a finding harms most.
    pub part: Part,
    /// Weight of a finding.
    pub severity: Severity,
    /// What is wrong, in half a line, with `{value}` to fill in.
    pub wrong: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// The command that shows it, with `{device}`, `{mount}`, `{target}` and `{want}` to fill in.
    pub show: &'static str,
    /// The command that changes it, or what to do if there is none.
    pub change: &'static str,
    /// Where that is documented.
    pub source: &'static str,
    judge: Judge,
}

#[derive(Clone, Copy, Debug)]
enum Judge {
    Host(fn(&HostFacts, &System<'_>) -> Status),
    Device(fn(&DeviceFacts, &System<'_>) -> Status),
    Mount(fn(&MountFacts, &System<'_>) -> Status),
    Target(fn(&TargetFacts, &System<'_>) -> Status),
}

/// The status of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// The setting does not exist there, or does not matter.
    NotAsked,
    /// The fact could not be read.
    Unknown,
    /// Nothing to change; with the value.
    Fine(String),
    /// Something to change, or to know.
    Bent {
        /// The current value.
        value: String,
        /// The value it should have, for the command that changes it.
        want: String,
    },
}

impl Status {
    fn fine(value: impl fmt::Display) -> Self {
        Self::Fine(value.to_string())
    }

    fn bent(value: impl fmt::Display, want: impl fmt::Display) -> Self {
        Self::Bent { value: value.to_string(), want: want.to_string() }
    }

    /// Judges a fact that every host has; unknown if it could not be read.
    fn known<T>(fact: Option<T>, judge: impl FnOnce(T) -> Self) -> Self {
        fact.map_or(Self::Unknown, judge)
    }

    /// Judges a fact that not every host or device has.
    fn if_any<T>(fact: Option<T>, judge: impl FnOnce(T) -> Self) -> Self {
        fact.map_or(Self::NotAsked, judge)
    }

    fn when(is_bent: bool, value: impl fmt::Display, want: impl fmt::Display) -> Self {
        if is_bent { Self::bent(value, want) } else { Self::fine(value) }
    }
}

/// The host, devices, mounts and targets that are examined together.
#[derive(Clone, Debug)]
pub struct System<'a> {
    /// The host.
    pub host: &'a HostFacts,
    /// Every device, by its name once.
    pub devices: Vec<&'a DeviceFacts>,
    /// Every mount, by its mount point once.
    pub mounts: Vec<&'a MountFacts>,
    /// Targets that were named.
    pub targets: &'a [TargetFacts],
    /// Whether targets or places were named: what is below them will be measured.
    pub is_chosen: bool,
}

impl<'a> System<'a> {
    /// A host with everything on it.
    pub fn whole(host: &'a HostFacts, devices: &'a [DeviceFacts], mounts: &'a [MountFacts]) -> Self {
        Self {
            host,
            devices: devices.iter().collect(),
            mounts: mounts.iter().collect(),
            targets: &[],
            is_chosen: false,
        }
    }

    /// A host with the devices below some targets.
    pub fn below(host: &'a HostFacts, targets: &'a [TargetFacts]) -> Self {
        let devices = targets.iter().flat_map(|target| target.device.iter().chain(&target.below));
        let mounts = targets.iter().filter_map(|target| target.mount.as_ref());
        Self { host, devices: Vec::new(), mounts: Vec::new(), targets, is_chosen: true }.with(devices, mounts)
    }

    /// Adds devices and mounts, each once.
    #[must_use]
    pub fn with(
        mut self,
        devices: impl IntoIterator<Item = &'a DeviceFacts>,
        mounts: impl IntoIterator<Item = &'a MountFacts>,
    ) -> Self {
        for device in devices {
            if self.device(&device.name).is_none() {
                self.devices.push(device);
            }
        }
        for mount in mounts {
            if !self.mounts.iter().any(|other| other.mount_point == mount.mount_point) {
                self.mounts.push(mount);
            }
        }
        self
    }

    fn device(&self, name: &str) -> Option<&'a DeviceFacts> {
        self.devices.iter().find(|device| device.name == name).copied()
    }

    /// Devices that are made of this one.
    fn above(&self, device: &'a DeviceFacts) -> impl Iterator<Item = &'a DeviceFacts> {
        self.devices.iter().copied().filter(move |other| other.made_of.contains(&device.name))
    }

    /// Devices that this one consists of, as far as they are known.
    fn parts(&self, device: &'a DeviceFacts) -> impl Iterator<Item = &'a DeviceFacts> {
        device.made_of.iter().filter_map(|name| self.device(name))
    }
}

/// What a judgement is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About {
    /// The host, or this process on it.
    Host,
    /// A device, by its kernel name.
    Device(String),
    /// A mount, by its mount point.
    Mount(String),
    /// A target, as it was named.
    Target(String),
}

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host => f.write_str("host"),
            Self::Device(name) | Self::Mount(name) | Self::Target(name) => f.write_str(name),
        }
    }
}

/// A rule applied to one thing.
#[derive(Clone, Debug)]
pub struct RuleResult {
    /// The rule.
    pub rule: &'static Rule,
    /// To what.
    pub about: About,
    /// With this result; never [`Status::NotAsked`].
    pub verdict: Status,
}

impl RuleResult {
    /// Whether it found something.
    pub const fn is_bent(&self) -> bool {
        matches!(self.verdict, Status::Bent { .. })
    }

    /// What is wrong, in half a line.
    pub fn wrong(&self) -> String {
        match &self.verdict {
            Status::Bent { value, .. } => self.rule.wrong.replace("{value}", value),
            _ => String::new(),
        }
    }

    /// Rules whose finding about the same device means that this setting may be right for another kind of it.
    pub fn rests_on(&self) -> &'static [&'static str] {
        match self.rule.name {
            "io-scheduler" | "read-ahead" => &["rotational", "virtual-rotational"],
            _ => &[],
        }
    }

    /// The command that shows the setting.
    pub fn show(&self) -> String {
        self.filled(self.rule.show)
    }

    /// The command that changes it, or what to do.
    pub fn change(&self) -> String {
        self.filled(self.rule.change)
    }

    fn filled(&self, template: &str) -> String {
        let want = match &self.verdict {
            Status::Bent { want, .. } => want.as_str(),
            _ => "",
        };
        // `want` is our own text. The name is foreign, so it is filled in last, and nothing in it is replaced.
        let text = template.replace("{want}", want);
        match &self.about {
            About::Host => text,
            // sysfs writes the `/` of names such as `cciss/c0d0` in another way.
            About::Device(name) => text.replace("{device}", &shell_word(&name.replace('/', "!"))),
            About::Mount(point) => text.replace("{mount}", &shell_word(point)),
            About::Target(path) => text.replace("{target}", &shell_word(path)),
        }
    }
}

/// Every rule, in the order of a report.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    let all = [
        target::RULES,
        mount::RULES,
        network::RULES,
        layers::RULES,
        queue::RULES,
        disk::RULES,
        limits::RULES,
        host::RULES,
    ];
    all.into_iter().flatten()
}

/// Applies every rule to everything that it is about: the gravest findings first, then what is unknown, then what
/// is fine.
pub fn examine(system: &System<'_>) -> Vec<RuleResult> {
    let mut all: Vec<RuleResult> = rules().flat_map(|rule| apply(rule, system)).collect();
    let order = |judged: &RuleResult| match judged.verdict {
        Status::Bent { .. } => 3 - judged.rule.severity as u8,
        Status::Unknown => 4,
        Status::Fine(_) | Status::NotAsked => 5,
    };
    all.sort_by_key(order);
    all
}

fn apply(rule: &'static Rule, system: &System<'_>) -> Vec<RuleResult> {
    let judged = |about: About, verdict: Status| RuleResult { rule, about, verdict };
    let all: Vec<RuleResult> = match rule.judge {
        Judge::Host(judge) => vec![judged(About::Host, judge(system.host, system))],
        Judge::Device(judge) => {
            let of =
                |device: &&DeviceFacts| judged(About::Device(device.name.clone()), judge(device, system));
            system.devices.iter().map(of).collect()
        }
        Judge::Mount(judge) => {
            let about = |mount: &MountFacts| About::Mount(mount.mount_point.clone());
            system.mounts.iter().map(|mount| judged(about(mount), judge(mount, system))).collect()
        }
        Judge::Target(judge) => {
            let of = |target: &TargetFacts| judged(About::Target(target.path.clone()), judge(target, system));
            system.targets.iter().map(of).collect()
        }
    };
    all.into_iter().filter(|judged| judged.verdict != Status::NotAsked).collect()
}

#[cfg(test)]
mod tests;
