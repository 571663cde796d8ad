//! The rates of a class over its load level, as small charts show them.
//!
//! Each class where the others load least. Points whose numbers must not be used are left out and counted. Must not
//! compute a figure.

use crate::view::View;
use rigel_core::judge::findings::{LatencyUs, PointFindings};
use rigel_core::load::class::{Class, LoadClass};
use rigel_core::load::matrix::Point;
use rigel_core::path_text::printable;
use std::collections::BTreeMap;

/// One measured rate.
pub(crate) struct Sample {
    pub level: u32,
    pub rate: f64,
    /// Both ends of the interval.
    pub ends: Option<(f64, f64)>,
    pub latency_us: Option<LatencyUs>,
}

/// The rates of a class while the others keep their levels.
pub(crate) struct Curve<'a> {
    pub class: &'a LoadClass,
    /// The levels of the other classes.
    beside: Point,
    pub samples: Vec<Sample>,
    left_out: usize,
}

impl<'a> Curve<'a> {
    /// The points of a class at the lowest levels of the other classes that two points share; `None` for a class without two
    /// levels.
    pub fn of(view: &View<'_>, class: &'a LoadClass) -> Option<Self> {
        let mut rows: BTreeMap<(u64, Point), Vec<&PointFindings>> = BTreeMap::new();
        for found in view.findings.points.iter().filter(|found| found.io(class.name).is_some()) {
            let beside = found.point.without(class.name);
            rows.entry((beside.sum(), beside)).or_default().push(found);
        }
        let ((_, beside), points) = rows.into_iter().find(|(_, points)| points.len() > 1)?;
        let (invalid, good): (Vec<&PointFindings>, Vec<&PointFindings>) =
            points.into_iter().partition(|found| found.invalid());
        let mut samples: Vec<Sample> =
            good.into_iter().filter_map(|found| sample(found, class.name)).collect();
        samples.sort_by_key(|sample| sample.level);
        (samples.len() > 1).then_some(Self { class, beside, samples, left_out: invalid.len() })
    }

    /// What it shows: `IOPS by outstanding small I/Os`; short where the other levels follow.
    pub fn title(&self) -> String {
        let class = self.class;
        let unit = printable(class.unit());
        let has_room = self.beside.sum() == 0 && self.left_out == 0;
        let mut title = if class.working_sets.is_some() {
            format!("{unit} of {} by {}", class.noun(), class.axis())
        } else if class.places.is_some() {
            format!("{unit} of {} by place", class.noun())
        } else if class.level_is_targets() {
            format!("{unit} by number of targets")
        } else if has_room || class.is_query() || class.appends() || class.is_open() {
            format!("{unit} by {}", class.axis())
        } else {
            format!("{unit} by {}", class.title())
        };
        for (other, level) in self.beside.classes() {
            title += &format!(", {other} {level}");
        }
        if self.left_out > 0 {
            title += &format!(" ({} left out)", self.left_out);
        }
        title
    }
}

fn sample(found: &PointFindings, class: Class) -> Option<Sample> {
    let io = found.io(class)?;
    let rate = io.rate();
    let level = found.point.of(class);
    rate.value.is_finite().then(|| Sample {
        level,
        rate: rate.value,
        ends: rate.ends(),
        latency_us: io.latency_us,
    })
}
