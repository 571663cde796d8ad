//! Which sessions are those of one node of several: they are dealt out as slots are ([`Team::deal`]).
//!
//! Must not connect any.

use rigel_core::load::class::Class;
use rigel_core::load::matrix::Point;
use rigel_core::load::request::Request;
use rigel_core::load::team::Team;

/// How many sessions of a request a node has at most.
pub fn own_sessions(request: &Request, team: &Team) -> u32 {
    let classes = request.classes.iter().map(|class| class.name);
    u32::try_from(own_part(classes, team, request.most_of_own()).sum()).unwrap_or(u32::MAX)
}

/// The sessions of a point that a node has. Classes are in the order of the request.
pub(super) fn own_part(classes: impl Iterator<Item = Class>, team: &Team, point: Point) -> Point {
    classes.enumerate().fold(Point::default(), |own, (place, class)| {
        let level = point.of(class);
        own.with(class, team.deal(level, place).count(level))
    })
}
