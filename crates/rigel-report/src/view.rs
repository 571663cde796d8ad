//! A record with its findings: what every renderer starts from.
//!
//! The record is judged once, however many outputs are made. Must not format.

use rigel_core::judge::findings::{Findings, IoFindings, PointFindings, VisitFindings};
use rigel_core::judge::profiles::counts;
use rigel_core::load::class::{Class, LoadClass};
use rigel_core::load::matrix::Point;
use rigel_core::load::pace::Pace;
use rigel_core::record::{Purpose, Record, Visit};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A record and what it says.
pub struct View<'a> {
    /// The record.
    pub record: &'a Record,
    /// Its findings.
    pub findings: Findings,
    /// Where in the findings a point is.
    places: HashMap<Point, usize>,
}

impl<'a> View<'a> {
    /// Judges a record.
    pub fn of(record: &'a Record) -> Self {
        let findings = Findings::of(record);
        let places = findings.points.iter().enumerate();
        Self { record, places: places.map(|(place, found)| (found.point, place)).collect(), findings }
    }

    /// The findings of a point, when it was measured.
    pub(crate) fn at(&self, point: Point) -> Option<&PointFindings> {
        self.places.get(&point).and_then(|&place| self.findings.points.get(place))
    }

    /// The paths of the targets, as they were named.
    pub(crate) fn targets(&self) -> Vec<&'a str> {
        self.record.header.targets.iter().map(|target| target.path.as_str()).collect()
    }

    /// Each class of each point, with its figures.
    pub(crate) fn classes(&self) -> impl Iterator<Item = (&PointFindings, Class, &IoFindings)> {
        let points = self.findings.points.iter();
        points.flat_map(|found| found.classes().map(move |(class, io)| (found, class, io)))
    }

    /// The classes that tables have columns for: ORION's pair when some point has one of them, then the others.
    pub(crate) fn shown(&self) -> Vec<&'a LoadClass> {
        let points = self.findings.points.iter();
        let shown: BTreeSet<Class> = points.flat_map(|found| found.point.shown()).map(|one| one.0).collect();
        shown.into_iter().filter_map(|class| self.record.header.request.class(class)).collect()
    }

    /// The classes whose load levels have a column in tables for programs, each with the name of the column: ORION's pair,
    /// unless the run has other classes only, and those.
    pub(crate) fn level_columns(&self) -> Vec<(String, Class)> {
        let mut classes: Vec<Class> = self.shown().iter().map(|class| class.name).collect();
        if classes.is_empty() {
            classes = vec![Class::SMALL, Class::LARGE];
        }
        let named = |class: Class| match class {
            Class::SMALL | Class::LARGE => (class.to_string(), class),
            _ => (format!("level_{class}"), class),
        };
        classes.into_iter().map(named).collect()
    }

    /// The classes that some point has.
    pub(crate) fn loads(&self) -> Vec<&'a LoadClass> {
        let mut all = self.shown();
        all.retain(|class| self.has(class.name));
        all
    }

    /// Whether some point has I/O of a class.
    pub(crate) fn has(&self, class: Class) -> bool {
        self.findings.points.iter().any(|found| found.io(class).is_some())
    }

    /// The visits to each point that was visited, by the step of the plan.
    pub(crate) fn visits(&self) -> BTreeMap<usize, Vec<&'a Visit>> {
        let mut visits: BTreeMap<usize, Vec<&Visit>> = BTreeMap::new();
        for visit in &self.record.visits {
            visits.entry(visit.step).or_default().push(visit);
        }
        visits
    }

    /// The visits that the figures of a point rest on, each with what it found.
    pub(crate) fn counting<'v>(
        &self,
        found: &'v PointFindings,
    ) -> impl Iterator<Item = (&'a Visit, &'v VisitFindings)> {
        let record: &'a Record = self.record;
        let own = record.visits.iter().filter(|visit| visit.step == found.step);
        own.zip(&found.each_visit).filter(|(_, of_visit)| of_visit.counts)
    }

    /// The visits of the search for the load levels of a class.
    pub(crate) fn searched(&self, class: Class) -> impl Iterator<Item = &'a Visit> {
        let of_class = move |visit: &&Visit| visit.purpose == Purpose::Search(class);
        self.record.search.iter().filter(of_class)
    }

    /// Whether points were visited again and again, as their intervals asked for.
    pub(crate) const fn is_adaptive(&self) -> bool {
        matches!(self.record.header.request.pace, Pace::Adaptive(_))
    }

    /// How many points were measured in full: none of their visits was cut short; in an adaptive run, at least one visit
    /// that counts was not.
    pub(crate) fn measured_in_full(&self) -> usize {
        let in_full = |visits: &&Vec<&Visit>| {
            if self.is_adaptive() {
                visits.iter().any(|visit| counts(visit))
            } else {
                visits.iter().all(|visit| !visit.cut_short)
            }
        };
        self.visits().values().filter(in_full).count()
    }
}
