//! A comparison in which results of other tools are runs of a side.
//!
//! A tool gives one number per load and no interval. There is a change nevertheless, and several files of a side show how certain it is, as
//! several runs do. Must not read a file.

use super::alike::{part, yes_or_no};
use super::change::RunQuantity;
use super::{Comparison, Difference, Key, Run, SessionSpread, key, measured, rows};
use crate::baseline::{Baseline, ClassFacts, LoadFacts, ToolResults};
use rigel_core::judge::findings::PointFindings;
use rigel_core::judge::quantity::{Figure, Quantity, Scope, What};
use rigel_core::load::class::{Class, LoadClass, Pattern, Sizes};
use rigel_core::load::matrix::Point;
use rigel_core::stats::bound::LatencyBound;
use rigel_core::units::Bytes;
use std::collections::{BTreeMap, BTreeSet};

/// A run of a side, from any tool.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// Rigel.
    Run(Run<'a>),
    /// Another tool, with the name of its file.
    Tool(&'a Baseline, &'a str),
}

/// A comparison with the results of each tool next to the other side.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolComparison {
    /// The rows, as of any comparison.
    pub comparison: Comparison,
    /// For each run of the base the results of a tool; `None` for a run of Rigel.
    pub base: Vec<Option<ToolResults>>,
    /// The same for the new side.
    pub new: Vec<Option<ToolResults>>,
    /// Classes without rows, as their loads differ.
    pub refused: Vec<Class>,
    /// Load levels that all runs of the base have and some of the new side have not, and the other way round.
    pub only: [Vec<Point>; 2],
    /// Where each side had its highest rates, if the other side was not given that load: class, base, new.
    pub best_loads: Vec<(Quantity, Point, Point)>,
}

impl Source<'_> {
    /// The name of it, for people; foreign text.
    pub fn name(&self) -> String {
        match self {
            Self::Run(run) => run.record.header.run_id.clone(),
            Self::Tool(_, file) => (*file).to_owned(),
        }
    }

    /// Whether both are the same measurement.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Run(own), Self::Run(other)) => own.is_same(other),
            (Self::Tool(own, _), Self::Tool(other, _)) => own == other,
            _ => false,
        }
    }

    pub(crate) fn searches_levels(&self) -> bool {
        match self {
            Self::Run(run) => run.record.header.request.searches_levels(),
            Self::Tool(tool, _) => tool.searches_levels(),
        }
    }
}

/// A run with its numbers.
#[derive(Debug)]
pub(crate) struct MeasuredRun<'a> {
    pub(crate) source: Source<'a>,
    pub(crate) results: Option<ToolResults>,
    pub(crate) facts: LoadFacts,
    pub(crate) numbers: BTreeMap<Key, RunQuantity>,
    /// In the order of outputs.
    pub(crate) figures: Vec<Figure>,
}

impl<'a> MeasuredRun<'a> {
    /// What is read of a tool depends on the loads of the other side.
    pub(crate) fn new(source: Source<'a>, other: &LoadFacts) -> Self {
        match source {
            Source::Run(run) => Self {
                source,
                results: None,
                facts: facts(&run),
                numbers: measured(&run),
                figures: super::figures(&run),
            },
            Source::Tool(tool, _) => {
                let results = tool.results(other);
                let number = |figure: &Figure| {
                    let half_unit = results.half_units.get(&key(figure)).copied().unwrap_or(0.0);
                    RunQuantity::new(figure.quantity, figure.estimate, false).rounded(half_unit)
                };
                Self {
                    source,
                    facts: results.facts.clone(),
                    numbers: results.figures.iter().map(|figure| (key(figure), number(figure))).collect(),
                    figures: results.figures.clone(),
                    results: Some(results),
                }
            }
        }
    }

    /// The limit on the latency of its rates, if known.
    fn bound(&self) -> Option<LatencyBound> {
        match self.source {
            Source::Run(run) => run.record.header.request.bound(),
            Source::Tool(tool, _) => tool.bound,
        }
    }

    pub(crate) fn points(&self) -> BTreeSet<Point> {
        match self.source {
            Source::Run(run) => run.findings.points.iter().map(|found| found.point).collect(),
            Source::Tool(..) => self.figures.iter().filter_map(Figure::place).collect(),
        }
    }
}

impl ToolComparison {
    /// Compares all runs of one side with all of the other. Classes whose loads differ have no part in it, unless `allows_differences`
    /// or nothing is left then.
    pub fn new(base: &[Source<'_>], new: &[Source<'_>], allows_differences: bool) -> Self {
        // Of several loads of a class the one that the other side has, too: whatever comes first in a file.
        let wanted = |side: &[Source<'_>], other: &LoadFacts| {
            side.first().map(|source| MeasuredRun::new(*source, other).facts).unwrap_or_default()
        };
        let of_new = wanted(new, &wanted(base, &LoadFacts::new()));
        let of_base = wanted(base, &of_new);
        let sides = [
            base.iter().map(|source| MeasuredRun::new(*source, &of_new)).collect::<Vec<_>>(),
            new.iter().map(|source| MeasuredRun::new(*source, &of_base)).collect::<Vec<_>>(),
        ];
        let all: Vec<&MeasuredRun<'_>> = sides.iter().flatten().collect();
        let left_out = left_out(&all);
        let best_loads = best_loads(&sides);
        let differences = differences(&all);
        let refused: Vec<Class> = if allows_differences {
            Vec::new()
        } else {
            differences.iter().map(|one| one.0).collect::<BTreeSet<_>>().into_iter().collect()
        };
        let mut keys = common(&all);
        keys.retain(|key| !refused.contains(&key.0.class));
        let only = [(&sides[0], &sides[1]), (&sides[1], &sides[0])].map(|(own, other)| only(own, other));
        let numbers =
            sides.each_ref().map(|side| side.iter().map(|one| one.numbers.clone()).collect::<Vec<_>>());
        let points: Vec<Point> =
            all[0].points().into_iter().filter(|point| !left_out.contains(point)).collect();
        let past = [SessionSpread::default(); 2];
        let load = |class| all.iter().find_map(|one| load_of(one, class));
        let judged = |own: &[Key]| {
            let is_unequal = best_loads.iter().any(|(quantity, ..)| own.iter().any(|key| key.0 == *quantity));
            let found = rows((&load, &points), (own, &keys), &numbers, &past);
            found.into_iter().map(move |row| if is_unequal { row.of_unequal_levels() } else { row })
        };
        let comparison = Comparison {
            rows: keys.chunk_by(|one, other| one.0 == other.0).flat_map(judged).collect(),
            differences: differences.into_iter().map(|one| one.1).collect(),
            left_out,
            on_both: super::on_both(base, new, Source::is_same).map(Source::name).collect(),
            endured: None,
        };
        let [base, new] = sides.map(|side| side.into_iter().map(|one| one.results).collect());
        let best_loads = best_loads.into_iter().filter(|one| !refused.contains(&one.0.class)).collect();
        Self { comparison, base, new, refused, only, best_loads }
    }
}

fn load_of<'a>(one: &MeasuredRun<'a>, class: Class) -> Option<&'a LoadClass> {
    match one.source {
        Source::Run(run) => run.findings.points.iter().find_map(|found| found.io(class)).map(|io| &io.load),
        Source::Tool(..) => None,
    }
}

/// Points that every run of a side has, and not every run of the other.
fn only(own: &[MeasuredRun<'_>], other: &[MeasuredRun<'_>]) -> Vec<Point> {
    let has = |side: &[MeasuredRun<'_>], point: Point| side.iter().all(|one| one.points().contains(&point));
    let mut points: Vec<Point> =
        own.first().map(|one| one.points().into_iter().collect()).unwrap_or_default();
    points.retain(|&point| has(own, point) && !has(other, point));
    points.sort_by_key(|point| point.by_rows());
    points
}

/// Points that only some have.
fn left_out(all: &[&MeasuredRun<'_>]) -> Vec<Point> {
    let has: Vec<BTreeSet<Point>> = all.iter().map(|one| one.points()).collect();
    let mut points: Vec<Point> = has.iter().flatten().copied().collect();
    points.sort_by_key(|point| point.by_rows());
    points.dedup();
    points.retain(|point| !has.iter().all(|own| own.contains(point)));
    points
}

/// The quantities that all have, in the order of the first; the rate within a bound only if none has the highest rate instead.
fn common(all: &[&MeasuredRun<'_>]) -> Vec<Key> {
    let Some((first, others)) = all.split_first() else { return Vec::new() };
    let is_common =
        |key: &Key| has_one_limit(key.0, all) && others.iter().all(|one| one.numbers.contains_key(key));
    let mut figures: Vec<&Figure> = first.figures.iter().collect();
    figures.sort_by_key(|figure| figure.quantity.order());
    let mut keys: Vec<Key> = figures.into_iter().map(key).filter(is_common).collect();
    let has_bound = keys.iter().any(|key| key.0.of == Scope::WithinBound);
    let is_twice = |key: &Key| {
        let is_of_tool =
            |one: &&&MeasuredRun<'_>| matches!(one.source, Source::Tool(tool, _) if tool.searches_levels());
        has_bound
            && key.0 == rigel_core::judge::answers::UNBOUNDED_IOPS
            && all.iter().filter(is_of_tool).any(|one| repeats(one))
    };
    keys.retain(|key| !is_twice(key));
    keys
}

/// Whether all known limits on the latency are equal, if a quantity depends on it.
pub(crate) fn has_one_limit(quantity: Quantity, all: &[&MeasuredRun<'_>]) -> bool {
    let bounds: Vec<LatencyBound> = all.iter().filter_map(|one| one.bound()).collect();
    bounds.windows(2).all(|pair| match quantity.what {
        _ if quantity.of == Scope::WithinBound => pair[0] == pair[1],
        What::Bounded => pair[0].of == pair[1].of,
        _ => true,
    })
}

/// Whether a tool gives the rate within its bound as the highest rate, too.
fn repeats(one: &MeasuredRun<'_>) -> bool {
    let value = |quantity: Quantity| one.numbers.get(&(quantity, None)).map(|found| found.estimate.value);
    value(rigel_core::judge::answers::MAX_IOPS) == value(rigel_core::judge::answers::UNBOUNDED_IOPS)
}

/// The highest rates that some side found at a load which the other was not given.
fn best_loads(sides: &[Vec<MeasuredRun<'_>>; 2]) -> Vec<(Quantity, Point, Point)> {
    let [base, new] = sides;
    let (Some(base), Some(new)) = (base.first(), new.first()) else { return Vec::new() };
    if base.source.searches_levels() && new.source.searches_levels() {
        return Vec::new();
    }
    let best = |one: &MeasuredRun<'_>, quantity: Quantity| {
        one.figures.iter().find(|figure| figure.quantity == quantity).and_then(|figure| figure.point)
    };
    let quantities =
        base.figures.iter().map(|figure| figure.quantity).filter(|quantity| quantity.is_chosen());
    let unequal = |quantity: Quantity| {
        let (own, other) = (best(base, quantity)?, best(new, quantity)?);
        let is_given = new.points().contains(&own) && base.points().contains(&other);
        (!is_given).then_some((quantity, own, other))
    };
    quantities.filter_map(unequal).collect()
}

/// What a run of Rigel requested of the storage.
fn facts(run: &Run<'_>) -> LoadFacts {
    let classes = run.findings.points.iter().flat_map(PointFindings::classes);
    let is_buffered = run.record.header.request.buffered;
    classes.map(|(class, io)| (class, class_facts(&io.load, is_buffered))).collect()
}

fn class_facts(load: &LoadClass, is_buffered: bool) -> ClassFacts {
    let bytes = match load.sizes {
        Sizes::Fixed(bytes) => Some(bytes),
        Sizes::Mixed(_) | Sizes::None => None,
    };
    let is_sequential = match load.pattern {
        Pattern::Random => Some(false),
        Pattern::Streams { .. } => Some(true),
        Pattern::Log | Pattern::Sessions => None,
    };
    let write_percent = is_sequential.map(|_| f64::from(load.write_percent.get()));
    let is_buffered = (!load.name.is_of_commits()).then_some(is_buffered);
    ClassFacts { bytes, write_percent, is_sequential, span: Some(load.span), is_buffered }
}

/// In what the loads of the classes that all have differ from the first.
pub(crate) fn differences(all: &[&MeasuredRun<'_>]) -> Vec<(Class, Difference)> {
    let Some((first, others)) = all.split_first() else { return Vec::new() };
    let mut found = Vec::new();
    for (class, own) in &first.facts {
        for one in others {
            let Some(other) = one.facts.get(class) else { continue };
            found.extend(unlike(*class, own, other).into_iter().flatten().map(|(what, base, other)| {
                let run_id = one.source.name();
                (*class, Difference { what, base, other, run_id, incomparable: true })
            }));
        }
    }
    found.dedup_by(|(of_one, one), (of_other, other)| {
        of_one == of_other && one.what == other.what && one.base == other.base && one.other == other.other
    });
    found
}

type Unlike = Option<(&'static str, String, String)>;

fn unlike(class: Class, own: &ClassFacts, other: &ClassFacts) -> [Unlike; 5] {
    let names = match class {
        Class::SMALL => [
            "size of small I/O",
            "share of writes of small I/O",
            "order of small I/O",
            "part of the targets of small I/O",
            "page cache of small I/O",
        ],
        Class::LARGE => [
            "size of large I/O",
            "share of writes of large I/O",
            "pattern of large I/O",
            "part of the targets of large I/O",
            "page cache of large I/O",
        ],
        _ if class.is_of_commits() => [
            "size of a commit",
            "share of writes of commits",
            "order of commits",
            "part of the targets of commits",
            "page cache of commits",
        ],
        _ => ["size of the I/O", "share of writes", "order of the I/O", "part of the targets", "page cache"],
    };
    let size = |bytes: u64| Bytes(bytes).to_string();
    let order = |is_sequential: bool| if is_sequential { "sequential" } else { "random" }.to_owned();
    [
        both(names[0], own.bytes.zip(other.bytes), size),
        both(names[1], own.write_percent.zip(other.write_percent), crate::baseline::writes),
        both(names[2], own.is_sequential.zip(other.is_sequential), order),
        both(names[3], own.span.zip(other.span), part),
        both(names[4], own.is_buffered.zip(other.is_buffered), yes_or_no),
    ]
}

fn both<T: PartialEq>(what: &'static str, values: Option<(T, T)>, text: impl Fn(T) -> String) -> Unlike {
    let (own, other) = values.filter(|(own, other)| own != other)?;
    Some((what, text(own), text(other)))
}
