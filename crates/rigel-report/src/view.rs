//! A record with its findings: what every renderer starts from.
//!
//! The record is judged once, however many outputs are made. Must not format.

use rigel_core::findings::{Findings, PointFindings};
use rigel_core::matrix::Point;
use rigel_core::record::{Record, Visit};
use std::collections::{BTreeMap, HashMap};

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
    #[must_use]
    pub fn of(record: &'a Record) -> Self {
        let findings = Findings::of(record);
        let places = findings.points.iter().enumerate();
        Self { record, places: places.map(|(place, found)| (found.point, place)).collect(), findings }
    }

    /// The findings of a point, when it was measured.
    pub(crate) fn at(&self, point: Point) -> Option<&PointFindings> {
        self.places.get(&point).and_then(|&place| self.findings.points.get(place))
    }

    /// The visits to each point that was visited, by the step of the plan.
    pub(crate) fn visits(&self) -> BTreeMap<usize, Vec<&'a Visit>> {
        let mut visits: BTreeMap<usize, Vec<&Visit>> = BTreeMap::new();
        for visit in &self.record.visits {
            visits.entry(visit.step).or_default().push(visit);
        }
        visits
    }

    /// How many points were measured without being cut short.
    pub(crate) fn measured_in_full(&self) -> usize {
        let in_full = |visits: &&Vec<&Visit>| visits.iter().all(|visit| !visit.cut_short);
        self.visits().values().filter(in_full).count()
    }
}
