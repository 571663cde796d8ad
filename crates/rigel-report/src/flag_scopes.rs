//! Where a flag is shown. A flag that many points share is shown once.
//!
//! Must not lay out text.

use crate::view::View;
use rigel_core::judge::findings::{CurveFindings, FlagScope, PointFindings};
use rigel_core::judge::flags::Flag;
use rigel_core::load::class::{Class, LoadClass};
use rigel_core::load::matrix::Point;

/// Points that often share a flag: the name of the set, and the class that they have; `None`: all points.
type Scope = (String, Option<Class>);

/// The sets, the widest first.
fn scopes(view: &View<'_>) -> Vec<Scope> {
    let of_class = |load: &LoadClass| {
        let name = format!("all points{} with {}>0", load.of_side(), load.plain_name().label());
        (name, Some(load.name))
    };
    std::iter::once(("all points".to_owned(), None)).chain(view.loads().into_iter().map(of_class)).collect()
}

fn holds(scope: &Scope, found: &PointFindings) -> bool {
    scope.1.is_none_or(|class| found.point.of(class) > 0)
}

/// The flags of a run's points, each with the set for which it is shown.
pub(crate) struct FlagScopes<'a> {
    /// A flag is shown once, for the first set in which every point has it.
    sets: Vec<(Scope, Vec<&'a Flag>)>,
}

impl<'a> FlagScopes<'a> {
    /// Finds the flags that all points of a set carry.
    pub fn of(view: &'a View<'_>) -> Self {
        let points = &view.findings.points;
        let mut sets: Vec<(Scope, Vec<&Flag>)> = Vec::new();
        for scope in scopes(view) {
            let is_new = |flag: &&Flag| !sets.iter().any(|(_, known)| known.contains(flag));
            let news = shared_flags(points, &scope).into_iter().filter(is_new).collect();
            sets.push((scope, news));
        }
        Self { sets }
    }

    /// Each set that shares flags, with them; the widest set first.
    pub fn shared(&self) -> impl Iterator<Item = (&str, &[&'a Flag])> {
        let sets = self.sets.iter().map(|((name, _), flags)| (name.as_str(), flags.as_slice()));
        sets.filter(|(_, flags)| !flags.is_empty())
    }

    /// Every flag with its place in words: of the run, of the sets that share flags, of single points, of the curves
    /// of a search.
    pub fn places(&self, view: &'a View<'_>) -> Vec<(String, Vec<&'a Flag>)> {
        let findings = &view.findings;
        let mut places: Vec<(String, Vec<&Flag>)> =
            vec![("the run".to_owned(), findings.flags.iter().collect())];
        places.extend(self.shared().map(|(set, flags)| (set.to_owned(), flags.to_vec())));
        places
            .extend(findings.points.iter().map(|found| (view.named(found.point, " and "), self.own(found))));
        let of_curve = |found: &'a CurveFindings| (curve_name(found.class()), found.flags.iter().collect());
        places.extend(findings.curves.iter().map(of_curve));
        places.retain(|(_, flags)| !flags.is_empty());
        places
    }

    /// The flags of a point that no set shares.
    pub fn own<'p>(&self, found: &'p PointFindings) -> Vec<&'p Flag> {
        let is_shared =
            |flag: &&Flag| self.sets.iter().any(|(scope, flags)| flags.contains(flag) && holds(scope, found));
        found.flags.iter().filter(|flag| !is_shared(flag)).collect()
    }
}

/// The columns of a flag in a table, each with its text: its scope, the load level of each class, and the class. Empty
/// if they say nothing.
pub(crate) fn columns(levels: &[(String, Class)], scope: FlagScope) -> Vec<(&str, String)> {
    let (name, point, class) = match scope {
        FlagScope::Run => ("run", None, String::new()),
        FlagScope::Point(point) => ("point", Some(point), String::new()),
        FlagScope::Curve(class) => ("curve", None, class.to_string()),
    };
    let level = |class: Class| point.map_or_else(String::new, |point: Point| point.of(class).to_string());
    let mut all = vec![("scope", name.to_owned())];
    all.extend(levels.iter().map(|one| (one.0.as_str(), level(one.1))));
    all.push(("class", class));
    all
}

/// The curve of a class in words.
pub(crate) fn curve_name(class: Class) -> String {
    format!("the search of {} I/O", class.name())
}

/// The flags that every point of a set carries, when there are several such points.
fn shared_flags<'a>(points: &'a [PointFindings], scope: &Scope) -> Vec<&'a Flag> {
    let members: Vec<&PointFindings> = points.iter().filter(|found| holds(scope, found)).collect();
    match members.split_first() {
        Some((first, others)) if !others.is_empty() => {
            first.flags.iter().filter(|flag| others.iter().all(|found| found.flags.contains(flag))).collect()
        }
        _ => Vec::new(),
    }
}
