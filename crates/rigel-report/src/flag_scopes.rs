//! Which flags many points share, so that an output tells them once.
//!
//! Must not lay out text.

use rigel_core::judge::findings::PointFindings;
use rigel_core::judge::flags::Flag;

/// Points that often share a flag: the name of the set, and which points are in it.
type Scope = (&'static str, fn(&PointFindings) -> bool);

/// The widest first: a flag is told once for the first set that carries it throughout.
const SCOPES: [Scope; 3] = [
    ("all points", |_| true),
    ("all points with Small>0", |found| found.point.small > 0),
    ("all points with Large>0", |found| found.point.large > 0),
];

/// The flags of a run's points, each where it is told.
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

    /// The flags of a point that no set shares.
    pub fn own<'p>(&self, found: &'p PointFindings) -> Vec<&'p Flag> {
        let is_shared =
            |flag: &&Flag| self.shared.iter().any(|&(one, (_, holds))| one == *flag && holds(found));
        found.flags.iter().filter(|flag| !is_shared(flag)).collect()
    }
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
