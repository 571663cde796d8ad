//! Where a flag is shown. A flag that many points share is shown once.
//!
//! Must not lay out text.

use crate::notes::At;
use rigel_core::judge::findings::{CurveFindings, Findings, FlagScope, PointFindings};
use rigel_core::judge::flags::Flag;
use rigel_core::load::workload::Class;

/// Points that often share a flag: the name of the set, and which points are in it.
type Scope = (&'static str, fn(&PointFindings) -> bool);

/// The widest set comes first. A flag is shown once, for the first set in which every point has it.
const SCOPES: [Scope; 3] = [
    ("all points", |_| true),
    ("all points with Small>0", |found| found.point.small > 0),
    ("all points with Large>0", |found| found.point.large > 0),
];

/// The flags of a run's points, each with the set for which it is shown.
pub(crate) struct FlagScopes<'a> {
    shared: Vec<(&'a Flag, Scope)>,
}

impl<'a> FlagScopes<'a> {
    /// Finds the flags that all points of a set carry.
    pub fn of(points: &'a [PointFindings]) -> Self {
        let mut found = Self { shared: Vec::new() };
        for scope in SCOPES {
            let is_new = |flag: &&Flag| !found.shared.iter().any(|&(one, _)| one == *flag);
            let news: Vec<&Flag> = shared_flags(points, scope).into_iter().filter(is_new).collect();
            found.shared.extend(news.into_iter().map(|flag| (flag, scope)));
        }
        found
    }

    /// Each set that shares flags, with them; the widest set first.
    pub fn shared(&self) -> impl Iterator<Item = (&'static str, Vec<&'a Flag>)> {
        let of_set = |set| self.shared.iter().filter(move |(_, scope)| scope.0 == set).map(|(flag, _)| *flag);
        let sets = SCOPES.into_iter().map(move |scope| (scope.0, of_set(scope.0).collect::<Vec<_>>()));
        sets.filter(|(_, flags)| !flags.is_empty())
    }

    /// Every flag with its place in words: of the run, of the sets that share flags, of single points, of the curves
    /// of a search.
    pub fn places(&self, findings: &'a Findings) -> Vec<(String, Vec<&'a Flag>)> {
        let mut places: Vec<(String, Vec<&Flag>)> =
            vec![("the run".to_owned(), findings.flags.iter().collect())];
        places.extend(self.shared().map(|(set, flags)| (set.to_owned(), flags)));
        places.extend(findings.points.iter().map(|found| (At(found.point).to_string(), self.own(found))));
        let of_curve = |found: &'a CurveFindings| (curve_name(found.class), found.flags.iter().collect());
        places.extend(findings.curves.iter().map(of_curve));
        places.retain(|(_, flags)| !flags.is_empty());
        places
    }

    /// The flags of a point that no set shares.
    pub fn own<'p>(&self, found: &'p PointFindings) -> Vec<&'p Flag> {
        let is_shared =
            |flag: &&Flag| self.shared.iter().any(|&(one, (_, holds))| one == *flag && holds(found));
        found.flags.iter().filter(|flag| !is_shared(flag)).collect()
    }
}

/// The columns of a flag in a table: its scope, then small, large and class, empty where they say nothing.
pub(crate) fn columns(scope: FlagScope) -> [String; 4] {
    let (name, small, large, class) = match scope {
        FlagScope::Run => ("run", None, None, ""),
        FlagScope::Point(point) => ("point", Some(point.small), Some(point.large), ""),
        FlagScope::Curve(class) => ("curve", None, None, class.name()),
    };
    let level = |level: Option<u32>| level.map_or_else(String::new, |level| level.to_string());
    [name.to_owned(), level(small), level(large), class.to_owned()]
}

/// The curve of a class in words.
pub(crate) fn curve_name(class: Class) -> String {
    format!("the search of {} I/O", class.name())
}

/// The flags that every point of a set carries, when there are several such points.
fn shared_flags(points: &[PointFindings], (_, holds): Scope) -> Vec<&Flag> {
    let members: Vec<&PointFindings> = points.iter().filter(|found| holds(found)).collect();
    match members.split_first() {
        Some((first, others)) if !others.is_empty() => {
            first.flags.iter().filter(|flag| others.iter().all(|found| found.flags.contains(flag))).collect()
        }
        _ => Vec::new(),
    }
}
