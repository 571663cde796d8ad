//! A record with its findings: the starting point of every renderer.
//!
//! The record is judged once, however many outputs are made. Must not format.

use crate::point_name;
use rigel_core::judge::answer::Answer;
use rigel_core::judge::findings::{Findings, IoFindings, PointFindings, VisitFindings};
use rigel_core::judge::profiles::counts;
use rigel_core::load::class::{Class, LoadClass};
use rigel_core::load::matrix::Point;
use rigel_core::load::pace::Pace;
use rigel_core::load::sides::Side;
use rigel_core::load::sql::SqlLevel;
use rigel_core::record::{Purpose, Record, Visit};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A record and its findings.
pub struct View<'a> {
    /// The record.
    pub record: &'a Record,
    /// Its findings.
    pub findings: Findings,
    /// Index of a point in the findings.
    places: HashMap<Point, usize>,
}

impl<'a> View<'a> {
    /// Judges a record.
    pub fn of(record: &'a Record) -> Self {
        let findings = Findings::of(record);
        let places = findings.points.iter().enumerate();
        Self { record, places: places.map(|(place, found)| (found.point, place)).collect(), findings }
    }

    /// The record's answer.
    pub fn answer(&self) -> Answer<'_> {
        Answer::of(&self.record.header.request, &self.findings)
    }

    /// The findings of a point, if it was measured.
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

    /// Whether sessions of several kinds represent users, in a fixed mix: then their total counts.
    pub(crate) fn is_mix_of_users(&self) -> bool {
        let request = &self.record.header.request;
        let of_users = request.sql().is_some_and(|sql| sql.level == SqlLevel::Users);
        of_users && request.classes.len() > 1
    }

    /// The tables for people: classes and the points that have some of them. The commits of a calibration have a table of their own,
    /// and so have classes measured place by place and each of two sides.
    pub(crate) fn tables(&self) -> Vec<(Vec<&'a LoadClass>, Vec<&PointFindings>)> {
        let main: BTreeSet<Class> =
            self.record.header.request.main_classes().map(|class| class.name).collect();
        let is_by_place = |class: &LoadClass| {
            let mut own = self.findings.points.iter().filter(|found| found.point.of(class.name) > 0);
            class.places.is_some() && own.all(|found| found.point.is_alone(class.name))
        };
        let mut tables: BTreeMap<(bool, bool, Option<Side>), Vec<&'a LoadClass>> = BTreeMap::new();
        for load in self.shown() {
            let of_main = main.contains(&load.name);
            tables.entry((!of_main, of_main && is_by_place(load), load.side)).or_default().push(load);
        }
        let table = |classes: Vec<&'a LoadClass>| {
            let has = |found: &&PointFindings| classes.iter().any(|class| found.point.of(class.name) > 0);
            let points = self.findings.points.iter().filter(has).collect();
            (classes, points)
        };
        tables.into_values().map(table).collect()
    }

    /// The classes whose load levels have a column in tables for programs, each with the name of the column: ORION's pair,
    /// unless the run has only other classes, and those.
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

    /// The classes of the points.
    pub(crate) fn loads(&self) -> Vec<&'a LoadClass> {
        let mut all = self.shown();
        all.retain(|class| self.has(class.name));
        all
    }

    /// The same without the commits of a calibration, which are answers of their own.
    pub(crate) fn main_loads(&self) -> Vec<&'a LoadClass> {
        let mut all = self.loads();
        all.retain(|load| self.record.header.request.main_classes().any(|main| main.name == load.name));
        all
    }

    /// A point as outputs for people name it: `Small=4, Large=0`, `A: Small=4` with sides, or `Random at 0-25 %`.
    pub(crate) fn named(&self, point: Point, between: &str) -> String {
        let request = &self.record.header.request;
        if let Some(set) = point_name::of_working_set(request, point) {
            return set;
        }
        if let Some(place) = point_name::at_place(request, point) {
            return place;
        }
        point.named_of(&request.classes, between)
    }

    /// Whether some point has I/O of a class.
    pub(crate) fn has(&self, class: Class) -> bool {
        self.findings.points.iter().any(|found| found.io(class).is_some())
    }

    /// The visits to each visited point, by step of the plan.
    pub(crate) fn visits(&self) -> BTreeMap<usize, Vec<&'a Visit>> {
        let mut visits: BTreeMap<usize, Vec<&Visit>> = BTreeMap::new();
        for visit in &self.record.visits {
            visits.entry(visit.step).or_default().push(visit);
        }
        visits
    }

    /// The visits behind the figures of a point, each with its findings.
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

    /// Whether points were visited repeatedly, as their intervals required.
    pub(crate) const fn is_adaptive(&self) -> bool {
        matches!(self.record.header.request.pace(), Some(Pace::Adaptive(_)))
    }

    /// How many points were measured in full: none of their visits was cut short; in an adaptive run, at least one visit
    /// that counts was not.
    pub(crate) fn measured_in_full(&self) -> usize {
        let in_full = |visits: &&Vec<&Visit>| {
            if self.is_adaptive() {
                visits.iter().any(|visit| counts(visit))
            } else {
                visits.iter().all(|visit| !visit.cut_short && visit.hung.is_none())
            }
        };
        self.visits().values().filter(in_full).count()
    }
}
