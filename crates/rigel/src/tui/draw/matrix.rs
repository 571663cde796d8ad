//! The matrix as it fills: a cell per point, small I/O across and large I/O down, shaded by its value.
//!
//! The largest value of a kind has the full shade. Must not scale values of other panels.

use super::super::judge::Figures;
use super::super::model::{Cell, Layer, Model};
use super::fit::{Fit, LABELS, WITH_VALUE};
use super::theme::{Role, Theme};
use super::{framed, put_at};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use rigel_core::load::class::{Class, PerClass};
use rigel_core::load::matrix::Point;
use rigel_core::load::sides::Side;
use rigel_core::units::say::{percent, short};
use std::collections::BTreeSet;

/// Interval widths of this many times the target and more have the highest bar.
const WIDEST: f64 = 4.0;
/// The relative width with the highest bar if there is no target.
const WIDE: f64 = 0.2;

/// The levels of the two classes that are the axes: ORION's pair, or the first two that the points have. Of two sides the loads
/// are across, and A and B down.
struct Axes {
    across: (Class, Vec<u32>),
    down: (Class, Vec<u32>),
    /// A visit of two alternating sides; its class, without a side.
    turns: Option<(Point, Class)>,
}

impl Axes {
    fn of(model: &Model) -> Self {
        let points = || model.cells.keys();
        let mut classes: BTreeSet<Class> =
            points().flat_map(|point| point.classes()).map(|one| one.0).collect();
        if classes.len() < 2 {
            classes.extend(points().flat_map(|point| point.shown()).map(|one| one.0));
        }
        let levels = |class: Class| points().map(move |point| point.of(class)).collect::<BTreeSet<u32>>();
        if let Some((point, plain)) = turns(model) {
            let mut loads = plain.on(Side::A).map(levels).unwrap_or_default();
            loads.remove(&0);
            let (across, down) = ((plain, loads.into_iter().collect()), (plain, vec![0, 1]));
            return Self { across, down, turns: Some((point, plain)) };
        }
        let axis = |place: usize, other: Class| {
            let class = classes.iter().nth(place).copied().unwrap_or(other);
            (class, levels(class).into_iter().collect())
        };
        Self { across: axis(0, Class::SMALL), down: axis(1, Class::LARGE), turns: None }
    }

    /// The point of a cell.
    fn point(&self, across: u32, down: u32) -> Point {
        match self.turns {
            Some((point, plain)) => point.plain().with(plain, across).on(side(down)),
            None => Point::alone(self.across.0, across).with(self.down.0, down),
        }
    }

    /// The label of a row.
    fn row(&self, down: u32) -> String {
        if self.turns.is_some() { side(down).name().to_owned() } else { down.to_string() }
    }

    fn fit(&self, model: &Model, size: (u16, u16)) -> Fit {
        let of_side = |plain: Class, point: Point| point.side().and_then(|side| plain.on(side));
        let level = |class: Class| {
            let point = model.now.map(|at| at.point)?;
            Some(point.of(self.turns.and_then(|(_, plain)| of_side(plain, point)).unwrap_or(class)))
        };
        let place = |(class, levels): &(Class, Vec<u32>)| {
            let level = level(*class).unwrap_or(0);
            levels.partition_point(|&one| one < level).min(levels.len().saturating_sub(1))
        };
        Fit::of((self.across.1.len(), self.down.1.len()), size, (place(&self.across), place(&self.down)))
    }
}

/// The side of a row.
const fn side(down: u32) -> Side {
    if down == 0 { Side::A } else { Side::B }
}

/// The visit that continues or was the last one, and its first class without its side; `None` if no two sides take turns.
fn turns(model: &Model) -> Option<(Point, Class)> {
    let point = model.now.or(model.last.as_ref().map(|last| last.at))?.point;
    point.side_in_words(&model.classes)?;
    let (plain, _) = point.classes().next()?.0.sided()?;
    Some((point, plain))
}

/// Lines that the panel takes, frame included, if it may have `most`.
pub fn height(model: &Model, width: u16, most: u16) -> u16 {
    let fit = Axes::of(model).fit(model, (width.saturating_sub(2), most.saturating_sub(2)));
    u16::try_from(fit.height() + 2).unwrap_or(most).clamp(3.min(most), most)
}

/// Draws the panel.
pub fn draw(model: &Model, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let axes = Axes::of(model);
    let inner = framed(&title(model, theme), theme, area, buffer);
    if model.cells.is_empty() {
        return put_at(buffer, inner, (1, 0), "the points are not known yet", theme.style(Role::Faint));
    }
    let fit = axes.fit(model, (inner.width, inner.height));
    let scale = Scale::of(model);
    let band_height = u16::try_from(fit.rows + 1).unwrap_or(u16::MAX);
    let columns = axes.across.1.get(fit.first_column..).unwrap_or_default();
    for (band, levels) in (0..u16::try_from(fit.bands).unwrap_or(u16::MAX)).zip(columns.chunks(fit.per_band))
    {
        let top = band.saturating_mul(band_height);
        across(levels, fit, theme, (top, inner), buffer);
        for (row, &down) in (top + 1..).zip(axes.down.1.iter().skip(fit.first_row).take(fit.rows)) {
            put_at(buffer, inner, (0, row), &format!("{:>5}", axes.row(down)), theme.style(Role::Large));
            for (place, &across) in (0..).zip(levels) {
                let point = axes.point(across, down);
                if let Some(cell) = model.cells.get(&point) {
                    let is_now = model.now.is_some_and(|at| at.point == point);
                    let (text, style) = scale.cell(cell, is_now, fit.cell, model.layer, theme);
                    put_at(buffer, inner, (LABELS + place * fit.cell, row), &text, style);
                }
            }
        }
    }
}

fn title(model: &Model, theme: Theme) -> String {
    let axes = Axes::of(model);
    let pair = axes.across.0 == Class::SMALL && axes.turns.is_none();
    let shown = match model.layer {
        Layer::Rate | Layer::Mbps if !pair => {
            let class = model.classes.iter().find(|class| class.plain_name() == axes.across.0);
            class.map_or_else(String::new, |class| class.unit().to_owned())
        }
        Layer::Rate => "IOPS, or MBPS where small is 0".to_owned(),
        Layer::Mbps => "MBPS of large I/O".to_owned(),
        Layer::Latency if !pair => "mean latency in us".to_owned(),
        Layer::Latency => "mean latency in us, of small I/O where there is some".to_owned(),
        Layer::Width => format!("half the wider interval in {}%", theme.plus_minus()),
    };
    let visited = model.cells.values().filter(|cell| cell.visits > 0).count();
    let points = if model.steps == 0 {
        format!("search: {visited} levels")
    } else {
        format!("{visited} of {} points", model.steps)
    };
    if axes.turns.is_some() {
        return format!("{points}: {shown}; {} across, A and B down", axes.across.0);
    }
    let down = if pair || axes.down.1.len() > 1 { format!(", {} down", axes.down.0) } else { String::new() };
    format!("{points}: {shown}; {} across{down}", axes.across.0)
}

/// The labels of the columns, as many as have room.
fn across(levels: &[u32], fit: Fit, theme: Theme, (row, area): (u16, Rect), buffer: &mut Buffer) {
    let mut free = LABELS;
    for (place, level) in (0..).zip(levels) {
        let label = level.to_string();
        let end = LABELS + (place + 1) * fit.cell;
        let from = end.saturating_sub(u16::try_from(label.len()).unwrap_or(0));
        if from >= free {
            put_at(buffer, area, (from, row), &label, theme.style(Role::Small));
            free = end + 1;
        }
    }
}

/// The largest values of all cells.
#[derive(Default)]
struct Scale {
    rates: PerClass<f64>,
    latency_us: f64,
    width: f64,
}

impl Scale {
    fn of(model: &Model) -> Self {
        let mut scale =
            Self { width: model.target.map_or(WIDE, |target| WIDEST * target), ..Self::default() };
        for cell in model.cells.values() {
            for (class, figures) in &cell.ios {
                let most = scale.rates.entry(*class).or_default();
                *most = most.max(figures.rate);
            }
            scale.latency_us = scale.latency_us.max(latency_us(cell).unwrap_or(0.0));
        }
        scale
    }

    /// The rate of a class, and the largest one.
    fn rate(&self, (class, figures): (&Class, &Figures)) -> (f64, f64) {
        (figures.rate, self.rates.get(class).copied().unwrap_or(0.0))
    }

    /// The number of a cell, and its share of the largest.
    fn value(&self, cell: &Cell, layer: Layer) -> Option<(String, f64)> {
        let (value, largest) = match layer {
            Layer::Rate => self.rate(cell.ios.iter().next()?),
            Layer::Mbps if cell.ios.contains_key(&Class::SMALL) => {
                self.rate(cell.ios.get_key_value(&Class::LARGE)?)
            }
            Layer::Mbps => self.rate(cell.ios.iter().next()?),
            Layer::Latency => (latency_us(cell)?, self.latency_us),
            Layer::Width => {
                let width = cell.half_width()?;
                return Some((percent(width), width / self.width));
            }
        };
        Some((short(value), value / largest))
    }

    fn cell(&self, cell: &Cell, is_now: bool, width: u16, layer: Layer, theme: Theme) -> (String, Style) {
        let width = usize::from(width);
        let mark = match (cell.invalid, is_now) {
            (true, _) => '!',
            (false, true) => '>',
            (false, false) => ' ',
        };
        let Some((value, share)) = self.value(cell, layer) else {
            let dot = if is_now { mark } else { theme.unvisited() };
            let style = if is_now { theme.style(Role::Heading) } else { theme.style(Role::Faint) };
            return (format!("{dot:>width$}"), style);
        };
        let bar = theme.bar(share);
        let text = match width {
            7.. => format!("{mark}{bar}{value:>5}"),
            _ if width >= usize::from(WITH_VALUE) => format!("{bar}{value:>5}"),
            3.. => format!("{mark}{bar}{bar}"),
            _ => bar.to_string().repeat(width),
        };
        let style = match (cell.invalid, is_now) {
            (true, _) => theme.style(Role::Bad),
            (false, true) => theme.heat(share).add_modifier(Modifier::REVERSED),
            (false, false) => theme.heat(share),
        };
        (text, style)
    }
}

fn latency_us(cell: &Cell) -> Option<f64> {
    cell.ios.values().next()?.latency_us
}
