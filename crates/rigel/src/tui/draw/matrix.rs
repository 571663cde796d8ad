//! The matrix filling in: a cell per point, small I/O across and large I/O down, shaded by its value.
//!
//! The largest value of a kind has the full shade. Must not scale values of other panels.

use super::super::model::{Cell, Layer, Model};
use super::fit::{Fit, LABELS, WITH_VALUE};
use super::theme::{Role, Theme};
use super::{framed, put_at};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use rigel_core::load::matrix::Point;
use rigel_report::numbers::{percent, short};

/// Interval widths of this many times the target and more have the highest bar.
const WIDEST: f64 = 4.0;
/// The relative width with the highest bar when there is no target.
const WIDE: f64 = 0.2;

/// The levels of both classes.
struct Axes {
    small: Vec<u32>,
    large: Vec<u32>,
}

impl Axes {
    fn of(model: &Model) -> Self {
        let mut small: Vec<u32> = model.cells.keys().map(|point| point.small()).collect();
        let mut large: Vec<u32> = model.cells.keys().map(|point| point.large()).collect();
        for levels in [&mut small, &mut large] {
            levels.sort_unstable();
            levels.dedup();
        }
        Self { small, large }
    }

    fn fit(&self, model: &Model, size: (u16, u16)) -> Fit {
        let focus = model.now.map_or((0, 0), |at| {
            let place = |levels: &[u32], level: u32| levels.partition_point(|&one| one < level);
            (place(&self.small, at.point.small()), place(&self.large, at.point.large()))
        });
        let clamped = (
            focus.0.min(self.small.len().saturating_sub(1)),
            focus.1.min(self.large.len().saturating_sub(1)),
        );
        Fit::of((self.small.len(), self.large.len()), size, clamped)
    }
}

/// Lines that the panel takes, frame included, when it may have `most`.
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
    let columns = axes.small.get(fit.first_column..).unwrap_or_default();
    for (band, levels) in (0..u16::try_from(fit.bands).unwrap_or(u16::MAX)).zip(columns.chunks(fit.per_band))
    {
        let top = band.saturating_mul(band_height);
        across(levels, fit, theme, (top, inner), buffer);
        for (row, &large) in (top + 1..).zip(axes.large.iter().skip(fit.first_row).take(fit.rows)) {
            put_at(buffer, inner, (0, row), &format!("{large:>5}"), theme.style(Role::Large));
            for (place, &small) in (0..).zip(levels) {
                let point = Point::pair(small, large);
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
    let shown = match model.layer {
        Layer::Rate => "IOPS, or MBPS where small is 0".to_owned(),
        Layer::Mbps => "MBPS of large I/O".to_owned(),
        Layer::Latency => "mean latency in us, of small I/O where there is some".to_owned(),
        Layer::Width => format!("{}%, half the wider 95 % interval", theme.plus_minus()),
    };
    let visited = model.cells.values().filter(|cell| cell.visits > 0).count();
    let points = if model.steps == 0 {
        format!("search: {visited} levels")
    } else {
        format!("{visited} of {} points", model.steps)
    };
    format!("{points}: {shown}; small across, large down")
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
    iops: f64,
    mbps: f64,
    latency_us: f64,
    width: f64,
}

impl Scale {
    fn of(model: &Model) -> Self {
        let mut scale =
            Self { width: model.target.map_or(WIDE, |target| WIDEST * target), ..Self::default() };
        for cell in model.cells.values() {
            scale.iops = scale.iops.max(cell.small.map_or(0.0, |small| small.rate));
            scale.mbps = scale.mbps.max(cell.large.map_or(0.0, |large| large.rate));
            scale.latency_us = scale.latency_us.max(latency_us(cell).unwrap_or(0.0));
        }
        scale
    }

    /// The number of a cell, and which share it is of the largest.
    fn value(&self, cell: &Cell, layer: Layer) -> Option<(String, f64)> {
        let (value, largest) = match layer {
            Layer::Rate => match (cell.small, cell.large) {
                (Some(small), _) => (small.rate, self.iops),
                (None, large) => (large?.rate, self.mbps),
            },
            Layer::Mbps => (cell.large?.rate, self.mbps),
            Layer::Latency => (latency_us(cell)?, self.latency_us),
            Layer::Width => {
                let width = cell.half_width()?;
                return Some((format!("{}%", percent(width)), width / self.width));
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
    cell.small.or(cell.large)?.latency_us
}
