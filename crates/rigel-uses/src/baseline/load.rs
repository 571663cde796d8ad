//! Loads of other tools, and which of Rigel's load classes each one is.
//!
//! Small I/O is random and below 128 KiB, large I/O from there on, as ORION has it. Must not know a format.

use rigel_core::judge::quantity::{Figure, Quantity, Scope, What};
use rigel_core::load::class::{Class, PerClass, Span};
use rigel_core::load::matrix::Point;
use rigel_core::stats::Estimate;
use rigel_core::units::Bytes;
use rigel_core::units::say::{plain_percent, trimmed};
use std::collections::BTreeMap;

/// From this size on an I/O is large.
const LARGE_FROM: u64 = 128 << 10;
/// Arrivals at a given rate, as `rigel run open` has them.
const OPEN: Class = Class::constant("open");

/// The requested order of the accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads or writes anywhere.
    Random,
    /// One after another.
    Sequential,
    /// Writes that are waited for, of this class.
    Commit(Class),
}

/// A load with its numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// The tool's name for it; foreign text.
    pub name: String,
    pub access: Access,
    /// `None`: of several sizes, or unknown.
    pub bytes: Option<u64>,
    /// 30 is 30 %.
    pub write_percent: f64,
    pub outstanding: u32,
    /// I/Os per second that it was held to.
    pub given_rate: Option<u32>,
    /// The page cache of its host may have answered.
    pub is_buffered: bool,
    pub iops: f64,
    pub mbps: f64,
    pub mean_us: Option<f64>,
    pub p99_us: Option<f64>,
    pub half_units: HalfUnits,
}

/// Half a unit in the last place of each number, where the tool rounded it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HalfUnits {
    pub iops: f64,
    pub mbps: f64,
    pub mean_us: f64,
    pub p99_us: f64,
}

/// What is known about the I/Os of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClassFacts {
    /// Their size.
    pub bytes: Option<u64>,
    /// The share of writes: 30 is 30 %.
    pub write_percent: Option<f64>,
    /// Whether they are sequential.
    pub is_sequential: Option<bool>,
    /// The part of the targets to which they go.
    pub span: Option<Span>,
    /// Whether the page cache of the host may have answered. A commit leaves it anyway.
    pub is_buffered: Option<bool>,
}

/// The same for all classes of a side.
pub type LoadFacts = PerClass<ClassFacts>;

/// The numbers of a file next to those of another side.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResults {
    /// What its loads were.
    pub facts: LoadFacts,
    /// Its numbers.
    pub figures: Vec<Figure>,
    /// The largest rounding error of each, in its unit.
    pub half_units: BTreeMap<(Quantity, Option<Point>), f64>,
    /// What was left out, with the reason; foreign text.
    pub passed_over: Vec<String>,
}

impl ClassFacts {
    /// How many properties are certainly the same.
    fn likeness(&self, other: &Self) -> usize {
        let same = [
            self.bytes.is_some() && self.bytes == other.bytes,
            self.write_percent.is_some() && self.write_percent == other.write_percent,
            self.is_sequential.is_some() && self.is_sequential == other.is_sequential,
            self.is_buffered.is_some() && self.is_buffered == other.is_buffered,
        ];
        same.into_iter().filter(|&same| same).count()
    }

    /// `random I/O of 8 KiB, 30 % writes`, `.., through the page cache`.
    pub fn words(&self) -> String {
        let order = match self.is_sequential {
            Some(true) => "sequential ",
            Some(false) => "random ",
            None => "",
        };
        let size =
            self.bytes.map_or_else(|| "of unknown size".to_owned(), |bytes| format!("of {}", Bytes(bytes)));
        let writes = match self.write_percent {
            Some(share) if share > 0.0 => format!(", {} % writes", plain_percent(share / 100.0)),
            _ => String::new(),
        };
        let cache = if self.is_buffered == Some(true) { ", through the page cache" } else { "" };
        format!("{order}I/O {size}{writes}{cache}")
    }
}

impl Load {
    /// Its class, or the reason why it has none.
    fn class(&self) -> Result<Class, String> {
        match (self.access, self.bytes, self.given_rate) {
            (Access::Commit(class), _, _) => Ok(class),
            (_, None, _) => Err("its I/Os have several sizes".to_owned()),
            (Access::Random, Some(bytes), None) if bytes < LARGE_FROM => Ok(Class::SMALL),
            (Access::Random, Some(bytes), Some(_)) if bytes < LARGE_FROM => Ok(OPEN),
            (_, Some(_), Some(_)) => Err("its rate was set, so it shows what was requested".to_owned()),
            (_, Some(bytes), None) if bytes >= LARGE_FROM => Ok(Class::LARGE),
            (_, Some(bytes), None) => {
                Err(format!("its I/O is sequential and of {}, but Rigel's small I/O is random", Bytes(bytes)))
            }
        }
    }

    fn facts(&self) -> ClassFacts {
        let is_sequential = match self.access {
            Access::Random => Some(false),
            Access::Sequential => Some(true),
            Access::Commit(_) => None,
        };
        let is_commit = matches!(self.access, Access::Commit(_));
        let write_percent = (!is_commit).then_some(self.write_percent);
        let is_buffered = (!is_commit).then_some(self.is_buffered);
        ClassFacts { bytes: self.bytes, write_percent, is_sequential, span: None, is_buffered }
    }

    fn level(&self) -> u32 {
        self.given_rate.unwrap_or(self.outstanding).max(1)
    }
}

/// The numbers of loads, grouped if they ran together. If a class has loads of several kinds, the kind most like the other side's counts.
pub fn results(groups: &[Vec<Load>], other: &LoadFacts) -> ToolResults {
    let facts = chosen(groups, other);
    let mut found = ToolResults {
        facts: PerClass::new(),
        figures: Vec::new(),
        half_units: BTreeMap::new(),
        passed_over: Vec::new(),
    };
    for group in groups {
        let doubts: Vec<String> = group.iter().filter_map(|load| doubt(load, &facts)).collect();
        if !doubts.is_empty() {
            found.passed_over.extend(doubts);
            if group.len() > 1 {
                let names: Vec<&str> = group.iter().map(|load| load.name.as_str()).collect();
                found.passed_over.push(format!(
                    "'{}' ran at the same time, and none of them is used",
                    names.join("' and '")
                ));
            }
            continue;
        }
        if let Err(why) = point(group, &mut found) {
            found.passed_over.push(why);
        }
    }
    let classes: Vec<Class> = found.facts.keys().copied().collect();
    classes.into_iter().for_each(|class| extremes(class, &mut found));
    found
}

/// For each class the kind most like the other side's; the first if none is.
fn chosen(groups: &[Vec<Load>], other: &LoadFacts) -> LoadFacts {
    let mut facts = LoadFacts::new();
    for load in groups.iter().flatten() {
        let Ok(class) = load.class() else { continue };
        let wanted = other.get(&class).copied().unwrap_or_default();
        let own = load.facts();
        let best = facts.entry(class).or_insert(own);
        if own.likeness(&wanted) > best.likeness(&wanted) {
            *best = own;
        }
    }
    facts
}

/// Why a load has no part in the numbers.
fn doubt(load: &Load, facts: &LoadFacts) -> Option<String> {
    let named = |why: &str| Some(format!("'{}': {why}", load.name));
    match load.class() {
        Err(why) => named(&why),
        Ok(_) if load.iops <= 0.0 => named("it completed no I/O"),
        Ok(class) => match facts.get(&class) {
            Some(facts) if *facts != load.facts() => {
                named(&format!("{} next to {}", load.facts().words(), facts.words()))
            }
            _ => None,
        },
    }
}

/// Adds the numbers of loads that ran together.
fn point(group: &[Load], found: &mut ToolResults) -> Result<(), String> {
    let mut classes: PerClass<Vec<&Load>> = PerClass::new();
    for load in group {
        if let Ok(class) = load.class() {
            classes.entry(class).or_default().push(load);
        }
    }
    let level = |loads: &[&Load]| loads.iter().fold(0u32, |sum, load| sum.saturating_add(load.level()));
    let point =
        classes.iter().fold(Point::default(), |point, (&class, loads)| point.with(class, level(loads)));
    let is_known = |figure: &Figure| figure.quantity.of == Scope::Point && figure.point == Some(point);
    if found.figures.iter().any(is_known) {
        let names: Vec<&str> = group.iter().map(|load| load.name.as_str()).collect();
        return Err(format!("'{}': the same load as an earlier one", names.join("' and '")));
    }
    for (class, loads) in &classes {
        let mut add = |what: What, value: Option<f64>, half_unit: f64| {
            let quantity = Quantity::at_points(what, *class);
            let Some(value) = value.filter(|value| *value > 0.0) else { return };
            let figure = Figure { quantity, estimate: Estimate::bare(value), point: Some(point) };
            found.half_units.insert((quantity, figure.place()), half_unit);
            found.figures.push(figure);
        };
        let iops: f64 = loads.iter().map(|load| load.iops).sum();
        let mbps: f64 = loads.iter().map(|load| load.mbps).sum();
        let means: Option<f64> = loads.iter().map(|load| Some(load.mean_us? * load.iops)).sum();
        // Percentiles of several loads do not add up.
        let p99 = if let [only] = loads.as_slice() { only.p99_us } else { None };
        let half = |of: fn(&HalfUnits) -> f64| loads.iter().map(move |load| of(&load.half_units));
        if *class == Class::LARGE {
            add(What::Mbps, Some(mbps), half(|units| units.mbps).sum());
        } else {
            add(What::Rate, Some(iops), half(|units| units.iops).sum());
        }
        add(What::Mean, means.map(|sum| sum / iops), half(|units| units.mean_us).fold(0.0, f64::max));
        add(What::P99, p99, half(|units| units.p99_us).fold(0.0, f64::max));
        if let Some(first) = loads.first() {
            found.facts.insert(*class, first.facts());
        }
    }
    Ok(())
}

/// Adds the numbers of the run as a whole: the highest rate and the lowest mean latency; for commits that of one writer.
fn extremes(class: Class, found: &mut ToolResults) {
    if class == OPEN {
        return;
    }
    let at_points = |what: What| {
        let own =
            found.figures.iter().filter(move |figure| figure.quantity == Quantity::at_points(what, class));
        own.copied().collect::<Vec<_>>()
    };
    let rate = if class == Class::LARGE { What::Mbps } else { What::Rate };
    let by_value = |a: &Figure, b: &Figure| a.estimate.value.total_cmp(&b.estimate.value);
    let best = at_points(rate).into_iter().max_by(by_value);
    let best = best.map(|best| (Scope::Best, best));
    let means = at_points(What::Mean);
    let lowest = if class.is_of_commits() {
        let alone = means.into_iter().find(|mean| mean.point == Some(Point::alone(class, 1)));
        alone.map(|alone| (Scope::Alone, alone))
    } else {
        means.into_iter().min_by(by_value).map(|lowest| (Scope::Best, lowest))
    };
    for (of, point) in best.into_iter().chain(lowest) {
        let figure = Figure { quantity: Quantity::new(of, point.quantity.what, class), ..point };
        let half_unit = found.half_units.get(&(point.quantity, point.place())).copied().unwrap_or(0.0);
        found.half_units.insert((figure.quantity, figure.place()), half_unit);
        found.figures.push(figure);
    }
}

/// What a tool lacks, with what these loads lack.
pub fn lacks(of_tool: &[&'static str], groups: &[Vec<Load>]) -> Vec<&'static str> {
    let is_buffered = groups.iter().flatten().any(|load| load.is_buffered);
    let buffered = is_buffered.then_some("direct I/O: the page cache of the host may have answered");
    of_tool.iter().copied().chain(buffered).collect()
}

/// A share of writes in words.
pub fn writes(percent: f64) -> String {
    format!("{} %", trimmed(percent))
}
