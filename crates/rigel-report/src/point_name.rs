//! What points are called that are no levels: places and working sets.
//!
//! Must not know a figure.

use rigel_core::load::matrix::Point;
use rigel_core::load::request::Request;
use rigel_core::units::Bytes;

/// `0-6.25 %`: the range of a point, if its class was measured place by place.
pub(crate) fn place(request: &Request, point: Point) -> Option<String> {
    let (class, place) = point.classes().next()?;
    let load = request.class(class).filter(|load| load.places.is_some())?;
    Some(load.place_words(place))
}

/// A point that is a place of one class: `Random at 0-6.25 %`, or `A: Random at 0-6.25 %`; `None` for every other one.
pub(crate) fn at_place(request: &Request, point: Point) -> Option<String> {
    let class = request.class(point.classes().next()?.0)?;
    let side = class.side.map_or_else(String::new, |side| format!("{}: ", side.name()));
    Some(format!("{side}{} at {}", class.plain_name().label(), place(request, point)?))
}

/// `Random over 64 MiB`: a point that is a working set; `None` for every other one.
pub(crate) fn of_working_set(request: &Request, point: Point) -> Option<String> {
    let (class, level) = point.classes().next()?;
    let load = request.class(class)?;
    let bytes = load.working_sets.as_ref()?.bytes(level)?;
    Some(format!("{} over {}", load.plain_name().label(), Bytes(bytes)))
}
