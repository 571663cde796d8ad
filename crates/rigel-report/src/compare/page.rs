//! What the pages of two sides draw: both over the load, and every change; once by the script of the page, once as its first picture.
//!
//! Shared by comparisons of runs, alternating sides, and SQL beside raw I/O. Must not choose what the tables show.

use super::quantity::title;
use super::rows::quantities;
use super::words::{legend, question, some, verdict};
use super::{ComparisonView, measured};
use crate::document::html::Frame;
use crate::document::picture::{Axis, Dot, Line, Lines, Panel, Picture, Shape};
use crate::document::{self, Block, PageDocument};
use crate::html::assets;
use crate::json_text::compact;
use rigel_core::error::Problem;
use rigel_core::judge::quantity::Quantity;
use rigel_core::load::class::{Class, LoadClass};
use rigel_core::stats::Estimate;
use rigel_core::units::say::{number, short};
use rigel_uses::compare::{Comparison, Row};
use serde::Serialize;

/// Quantities of the first picture.
const MOST_PANELS: usize = 2;

/// Characters of the name of a side that fit into the first picture.
const MOST_OF_NAME: usize = 14;

/// What the script draws.
#[derive(Serialize)]
pub(crate) struct Figures {
    /// The names of both sides.
    sides: [String; 2],
    quantities: Vec<Chart>,
}

/// The label of the load for points of one class.
const ALONE: &str = "alone";

#[derive(Serialize)]
struct Chart {
    name: String,
    title: String,
    unit: &'static str,
    /// What the levels of its class count.
    axis: String,
    /// The loads of the other classes, in words.
    besides: Vec<String>,
    rows: Vec<Place>,
}

#[derive(Serialize)]
struct Place {
    /// The load in words.
    name: String,
    /// The level of the class.
    level: u32,
    /// The index of the others in `besides`.
    beside: usize,
    base: [Option<f64>; 3],
    new: [Option<f64>; 3],
    change: Option<[f64; 3]>,
    verdict: &'static str,
    invalid: bool,
}

impl PageDocument for ComparisonView<'_> {
    fn frame(&self) -> Result<Frame, Problem> {
        let side = |name: &str, views| format!("{name}: {}", measured::of_side(views).join("; "));
        Ok(Frame {
            title: question(self),
            when: vec![side("Base", self.base), side("New", self.new)],
            made_from: "the records of the runs",
            script: &assets::COMPARE,
            figures: ("comparison", compact(&Figures::of_runs(self))?),
            tables: "the tables hold every number",
        })
    }
}

impl Figures {
    /// For every quantity of points; `axis` says what the levels of a class count.
    pub(crate) fn of(comparison: &Comparison, sides: [String; 2], axis: impl Fn(Class) -> String) -> Self {
        let of = |quantity: Quantity| chart_of(comparison, quantity, axis(quantity.class));
        Self { sides, quantities: quantities(comparison).into_iter().filter_map(of).collect() }
    }

    /// For runs; the first one says what levels count.
    pub(super) fn of_runs(compared: &ComparisonView<'_>) -> Self {
        let request = compared.base.first().map(|view| &view.record.header.request);
        let load = |class| request.and_then(|request| request.class(class));
        Self::of(compared.comparison, legend(compared), |class| {
            load(class).map_or_else(|| class.to_string(), LoadClass::axis)
        })
    }

    /// The same with these quantities first.
    pub(crate) fn led_by(mut self, leading: &[Quantity]) -> Self {
        let is_led = |one: &Chart| leading.iter().any(|quantity| quantity.name() == one.name);
        self.quantities.sort_by_key(|one| !is_led(one));
        self
    }

    /// The same with other titles, in the order of the quantities.
    pub(crate) fn entitled(mut self, titles: &[&str]) -> Self {
        self.quantities.iter_mut().zip(titles).for_each(|(one, title)| (*title).clone_into(&mut one.title));
        self
    }

    /// The first two quantities over the load, each next to the first load of the other classes.
    pub(crate) fn picture(&self) -> Option<Block> {
        Picture::of(self.quantities.iter().take(MOST_PANELS).map(|chart| self.panel(chart)))
    }

    fn panel(&self, chart: &Chart) -> Panel {
        let rows = || chart.rows.iter().filter(|row| row.beside == 0 && !row.invalid);
        let dot = |row: &Place, [value, lo, hi]: [Option<f64>; 3]| {
            Some(Dot { across: f64::from(row.level), up: value?, ends: lo.zip(hi) })
        };
        let [base, new] = &self.sides;
        // There is room for `A`, not for all of `A: /dev/mapper/old01`.
        let short_name = |name: &str| {
            let is_long = name.chars().count() > MOST_OF_NAME;
            name.split(':').next().filter(|_| is_long).unwrap_or(name).to_owned()
        };
        let line = |name: &str, side: fn(&Place) -> [Option<f64>; 3]| Line {
            name: short_name(name),
            dots: rows().filter_map(|row| dot(row, side(row))).collect(),
        };
        let lines = vec![line(base, |row| row.base), line(new, |row| row.new)];
        let levels = rows().map(|row| f64::from(row.level));
        let values = lines.iter().flat_map(|line| &line.dots).map(|dot| dot.up);
        Panel {
            title: chart.title.clone(),
            shape: Shape::Lines(Lines {
                across: Axis::spread(&chart.axis, number, levels),
                up: Axis::spread(chart.unit, short, values),
                lines,
                limit: None,
                band: None,
                marks: Vec::new(),
            }),
        }
    }

    /// The places of the charts over the load.
    pub(crate) fn curves(&self) -> Block {
        let chart = |one: &Chart| {
            let drawn = |about| document::Chart::new(format!("over-{}", one.name), &one.title, about);
            // Where every class is alone, there is nothing to choose.
            if one.besides.iter().all(|beside| beside == ALONE) {
                return drawn("");
            }
            drawn("at").choosing(format!("level-{}", one.name), "Other load")
        };
        let charts: Vec<document::Chart> = self.quantities.iter().map(chart).collect();
        let about =
            "Bands and whiskers are the 95 % intervals of each side; ✕ marks numbers that must not be used.";
        drawn("Both sides over the load", about, charts)
    }

    /// The place of the chart of changes; `new` is the name of the new side.
    pub(crate) fn changes(&self, new: &str) -> Block {
        let about = format!(
            "To the left of the line, {new} has less, to the right more; in 95 of 100 comparisons, the \
             whiskers of all points are right."
        );
        let chart = document::Chart::new("changes", "Change", "of").choosing("quantity", "Quantity");
        let charts = if self.quantities.is_empty() { Vec::new() } else { vec![chart] };
        drawn("Changes", &about, charts)
    }
}

/// Charts under a title; empty without any.
fn drawn(title: &str, about: &str, charts: Vec<document::Chart>) -> Block {
    if charts.is_empty() { Block::part(Vec::new()) } else { Block::drawn(title, &[about], charts) }
}

/// The rows of a quantity of points; `None` if there are none.
fn chart_of(comparison: &Comparison, quantity: Quantity, axis: String) -> Option<Chart> {
    let side = |side: &Estimate| [some(side), side.lo95(), side.hi95()];
    let mut besides: Vec<String> = Vec::new();
    let place = |row: &Row| {
        let point = row.point?;
        let others = point.shown().filter(|(class, _)| *class != quantity.class);
        let beside = named(others).unwrap_or_else(|| ALONE.to_owned());
        let known = besides.iter().position(|one| *one == beside);
        Some(Place {
            name: named(point.shown()).unwrap_or_default(),
            level: point.of(quantity.class),
            beside: known.unwrap_or_else(|| {
                besides.push(beside);
                besides.len() - 1
            }),
            base: side(&row.base),
            new: side(&row.new),
            change: row.change.as_ref().ok().map(|change| [change.relative, change.lo, change.hi]),
            verdict: verdict(row.verdict),
            invalid: row.is_invalid(),
        })
    };
    let rows = comparison.rows.iter().filter(|row| row.quantity == quantity);
    let rows: Vec<Place> = rows.filter_map(place).collect();
    (!rows.is_empty()).then(|| Chart {
        name: quantity.name(),
        title: title(quantity),
        unit: quantity.unit().name(),
        axis,
        besides,
        rows,
    })
}

/// `Small=1, Large=0`; `None` if empty.
fn named(levels: impl Iterator<Item = (Class, u32)>) -> Option<String> {
    let named = levels.map(|(class, level)| format!("{}={level}", class.label()));
    Some(named.collect::<Vec<_>>().join(", ")).filter(|text| !text.is_empty())
}
