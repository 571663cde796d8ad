//! What differs from place to place, of the document.
//!
//! Must not compute.

use crate::places;
use crate::view::View;
use rigel_core::judge::findings::PlaceFindings;
use rigel_core::load::class::Class;
use rigel_core::stats::by_place::Course;
use schemars::JsonSchema;
use serde::Serialize;

/// How a figure of a class changes over the places of every target. The figures of each place are those of its point; its level is the number of
/// the place.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Places")]
pub(super) struct PlacesDocument {
    /// Which class.
    class: Class,
    /// The number of places.
    places: u8,
    /// What is judged: `rate` in the unit of the class, or `latency_us`, the mean in microseconds.
    #[schemars(extend("enum" = ["rate", "latency_us"]))]
    figure: &'static str,
    /// `even`: no detectable difference. `slope`: steadily rising or falling. `areas`: groups of similar neighbouring places, with steps between
    /// them. Null where it is not judged.
    #[schemars(extend("enum" = ["even", "slope", "areas", null]))]
    course: Option<&'static str>,
    /// A single area, the whole, if there is no difference; for a slope its first and its last place.
    areas: Vec<AreaDocument>,
    /// The same as a sentence.
    says: String,
}

/// Neighbouring places.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Area")]
struct AreaDocument {
    /// Where it begins, in per cent of every target.
    from_percent: f64,
    /// Where it ends.
    to_percent: f64,
    /// The figure there.
    value: f64,
}

impl PlacesDocument {
    pub(super) fn new(view: &View<'_>, found: &PlaceFindings) -> Self {
        let last = usize::from(found.load.places.unwrap_or(1)).saturating_sub(1);
        let area = |first: usize, last: usize, value: f64| {
            let (from_percent, to_percent) = found.percent(first, last);
            AreaDocument { from_percent, to_percent, value }
        };
        let (course, areas) = match &found.course {
            None => (None, Vec::new()),
            Some(Course::Even { mean, .. }) => (Some("even"), vec![area(0, last, *mean)]),
            Some(Course::Slope { first, last: end }) => {
                (Some("slope"), vec![area(0, 0, *first), area(last, last, *end)])
            }
            Some(Course::Areas(areas)) => {
                (Some("areas"), areas.iter().map(|one| area(one.first, one.last, one.mean)).collect())
            }
        };
        Self {
            class: found.load.name,
            places: found.load.places.unwrap_or(0),
            figure: if found.is_of_rate() { "rate" } else { "latency_us" },
            course,
            areas,
            says: places::sentence(view, found),
        }
    }
}
