//! The storages of a ranking with everything that was measured about them, by any tool.
//!
//! Must not order them.

use crate::baseline::{LoadFacts, ToolResults};
use crate::compare::change::{self, RunQuantity};
use crate::compare::tools::{MeasuredRun, Source, differences, has_one_limit};
use crate::compare::{self, Difference, Key, Run, SessionSpread, SideUsability, has_one_bound, standing};
use rigel_core::error::Problem;
use rigel_core::judge::answer::Answer;
use rigel_core::judge::quantity::{Quantity, Scope};
use rigel_core::load::class::Class;
use rigel_core::load::matrix::Point;
use rigel_core::path_text::printable;
use rigel_core::stats::Estimate;
use rigel_core::units::say::listed;
use std::collections::BTreeSet;

/// A storage with its runs, one or more.
#[derive(Clone, Debug)]
pub struct Storage<'a> {
    /// Its name; printable.
    pub name: String,
    /// Its runs, or results of other tools.
    pub sources: Vec<Source<'a>>,
    /// How much its sessions differed, if it has a single run.
    pub past: SessionSpread,
}

/// A storage with its numbers.
#[derive(Debug)]
pub(super) struct Contender<'a> {
    pub name: String,
    pub runs: Vec<MeasuredRun<'a>>,
    pub past: SessionSpread,
}

/// All storages of a ranking.
#[derive(Debug)]
pub struct Contenders<'a> {
    pub(super) all: Vec<Contender<'a>>,
}

impl Contender<'_> {
    /// The figures of its runs; those of all runs, or none.
    pub fn numbers(&self, key: &Key) -> Vec<RunQuantity> {
        let all: Option<Vec<RunQuantity>> =
            self.runs.iter().map(|run| run.numbers.get(key).copied()).collect();
        all.unwrap_or_default()
    }

    pub fn searches_levels(&self) -> bool {
        self.runs.iter().all(|run| run.source.searches_levels())
    }

    /// Where its runs were best.
    pub fn best_points(&self, quantity: Quantity) -> impl Iterator<Item = Point> {
        let best = move |run: &MeasuredRun<'_>| {
            run.figures.iter().find(|figure| figure.quantity == quantity).and_then(|figure| figure.point)
        };
        self.runs.iter().filter_map(best)
    }

    /// The question of its first record; `None` of results of other tools.
    pub fn question(&self) -> Option<&'static str> {
        self.runs.iter().find_map(|run| match run.source {
            Source::Run(run) => Some(Answer::of(&run.record.header.request, run.findings).question()),
            Source::Tool(..) => None,
        })
    }

    /// Whether a class arrives at a given rate.
    pub fn is_open(&self, class: Class) -> bool {
        self.runs.iter().any(|run| match run.source {
            Source::Run(run) => {
                run.findings.points.iter().filter_map(|point| point.io(class)).any(|io| io.load.is_open())
            }
            Source::Tool(..) => class.name() == "open",
        })
    }
}

impl<'a> Contenders<'a> {
    /// From these storages. If a tool has several loads of a class, the one most like those of the first record counts.
    pub fn new(storages: Vec<Storage<'a>>) -> Self {
        let sources = || storages.iter().flat_map(|storage| &storage.sources);
        let record = sources().find(|source| matches!(source, Source::Run(_)));
        let wanted = record.or_else(|| sources().next());
        let facts =
            wanted.map(|source| MeasuredRun::new(*source, &LoadFacts::new()).facts).unwrap_or_default();
        let contender = |storage: Storage<'a>| Contender {
            runs: storage.sources.iter().map(|source| MeasuredRun::new(*source, &facts)).collect(),
            name: storage.name,
            past: storage.past,
        };
        Self { all: storages.into_iter().map(contender).collect() }
    }

    /// The names, in the order in which they were given.
    pub fn names(&self) -> Vec<&str> {
        self.all.iter().map(|one| one.name.as_str()).collect()
    }

    /// A storage's figure for a quantity, with whether it may be used; `None` if some run of it has none.
    pub fn figure(
        &self,
        storage: usize,
        key: &(Quantity, Option<Point>),
    ) -> Option<(Estimate, SideUsability)> {
        let own = self.all.get(storage)?.numbers(key);
        (!own.is_empty()).then(|| (change::side(&own, &[]), standing(&own)))
    }

    /// Another tool's results for a run of a storage; `None` for a run of Rigel.
    pub fn results(&self, storage: usize, run: usize) -> Option<&ToolResults> {
        self.all.get(storage)?.runs.get(run)?.results.as_ref()
    }

    /// The first of these quantities of runs that every storage has, with equal bounds.
    pub fn first_common(&self, quantities: &[Quantity]) -> Option<Quantity> {
        let keys = self.keys();
        quantities.iter().copied().find(|quantity| keys.contains(&(*quantity, None)))
    }

    /// The quantities of a storage.
    pub(super) fn keys_of(&self, storage: usize) -> Vec<Key> {
        let Some(one) = self.all.get(storage) else { return Vec::new() };
        one.runs.first().into_iter().flat_map(|run| run.numbers.keys().copied()).collect()
    }

    /// The quantities that every run of every storage has; of rates within a bound only those with equal bounds.
    pub(super) fn keys(&self) -> Vec<Key> {
        let runs: Vec<&MeasuredRun<'_>> = self.runs().collect();
        let is_common = |key: &Key| runs.iter().all(|run| run.numbers.contains_key(key));
        let records = self.records();
        let records: Vec<&Run<'_>> = records.iter().collect();
        let mut keys = self.keys_of(0);
        keys.retain(|key| is_common(key) && has_one_bound(key.0, &records) && has_one_limit(key.0, &runs));
        keys.sort_by_key(|key| key.0.order());
        keys
    }

    /// Whether all have a rate within a bound, and the bounds differ.
    pub(super) fn has_other_bounds(&self) -> bool {
        let records = self.records();
        let records: Vec<&Run<'_>> = records.iter().collect();
        let runs: Vec<&MeasuredRun<'_>> = self.runs().collect();
        let is_common = |key: &Key| runs.iter().all(|run| run.numbers.contains_key(key));
        let of_bound = |key: &&Key| key.0.of == Scope::WithinBound;
        let is_one = |key: &Key| has_one_bound(key.0, &records) && has_one_limit(key.0, &runs);
        self.keys_of(0).iter().filter(of_bound).any(|key| is_common(key) && !is_one(key))
    }

    /// Storages that have a run in common.
    pub(super) fn same_runs(&self) -> Vec<(usize, usize)> {
        let shares = |one: &Contender<'_>, other: &Contender<'_>| {
            one.runs.iter().any(|own| other.runs.iter().any(|run| own.source.is_same(&run.source)))
        };
        let all = 0..self.all.len();
        let pairs = all.flat_map(|one| (one + 1..self.all.len()).map(move |other| (one, other)));
        pairs.filter(|&(one, other)| shares(&self.all[one], &self.all[other])).collect()
    }

    /// Load levels that all have, of a class; at least 1.
    pub(super) fn common_points(&self, class: Class) -> usize {
        let mut runs = self.runs();
        let mut common: BTreeSet<Point> = runs.next().map(MeasuredRun::points).unwrap_or_default();
        common.retain(|point| point.of(class) > 0);
        for run in runs {
            let own = run.points();
            common.retain(|point| own.contains(point));
        }
        common.len().max(1)
    }

    /// Differences from the first storage besides the numbers; for results of other tools those that concern this class.
    pub(super) fn differences(&self, class: Class) -> Vec<Difference> {
        let records = self.records();
        let runs: Vec<&MeasuredRun<'_>> = self.runs().collect();
        if records.len() < runs.len() {
            return differences(&runs).into_iter().filter(|one| one.0 == class).map(|one| one.1).collect();
        }
        let all: Vec<&Run<'_>> = records.iter().collect();
        all.split_first().map(|(first, others)| compare::differences(first, others)).unwrap_or_default()
    }

    /// Refuses differences with which figures measure different things.
    pub(super) fn check(&self, differences: &[Difference]) -> Result<(), Problem> {
        let told: Vec<String> = differences
            .iter()
            .filter(|one| one.incomparable)
            .map(|one| {
                let [base, other, run] = [&one.base, &one.other, &one.run_id].map(|text| printable(text));
                format!("{} ({base}; {run} has {other})", one.what)
            })
            .collect();
        if told.is_empty() {
            return Ok(());
        }
        Err(Problem::usage(format!("the storages cannot be ranked: their runs differ in {}", listed(&told)))
            .because("with these differences the numbers measure different things")
            .next("measure all of them the same way, or rank them anyway with --allow-differences"))
    }

    fn runs(&self) -> impl Iterator<Item = &MeasuredRun<'a>> {
        self.all.iter().flat_map(|one| &one.runs)
    }

    fn records(&self) -> Vec<Run<'a>> {
        let record = |run: &MeasuredRun<'a>| match run.source {
            Source::Run(run) => Some(run),
            Source::Tool(..) => None,
        };
        self.runs().filter_map(record).collect()
    }
}
