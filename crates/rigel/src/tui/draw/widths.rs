//! The intervals shrinking: how many points are sure enough, and the widest ones against what was asked for.
//!
//! Must not judge a width.

use super::super::model::{Cell, Model};
use super::look::{DrawStyle, Role};
use super::{framed, put, put_at};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use rigel_core::load::matrix::Point;

/// A bar that is full is so many times as wide as was asked for.
const WIDEST: f64 = 4.0;
/// Columns before a bar: a point, a width, a blank.
const BEFORE_BAR: u16 = 25;

/// Draws the panel.
pub fn draw(model: &Model, look: DrawStyle, area: Rect, buffer: &mut Buffer) {
    let sign = look.plus_minus();
    let title = match model.target {
        Some(target) => format!("Intervals: {sign}{} asked for", percent(target)),
        None => "Intervals: inside the one visit".to_owned(),
    };
    let inner = framed(&title, look, area, buffer);
    let mut widths: Vec<(Point, &Cell, f64)> =
        model.cells.iter().filter_map(|(&point, cell)| Some((point, cell, cell.half_width()?))).collect();
    widths.sort_by(|(_, _, one), (_, _, other)| other.total_cmp(one));
    put(buffer, inner, 0, &format!(" {}", summary(model, look, widths.len())), look.style(Role::Faint));
    let widest = widths.first().map_or(0.0, |(_, _, width)| *width);
    let full = model.target.map_or(widest, |target| WIDEST * target);
    for (row, (point, cell, width)) in (1..inner.height).zip(widths) {
        let at = format!("small {} large {}", point.small, point.large);
        let role = if cell.reached { Role::Good } else { Role::Warning };
        let text = format!(" {at:<16}{:>7}", format!("{sign}{}", percent(width)));
        put(buffer, inner, row, &text, look.style(role));
        let columns = inner.width.saturating_sub(BEFORE_BAR + 1);
        put_at(
            buffer,
            inner,
            (BEFORE_BAR, row),
            &bar(width / full, model.target.is_some(), columns, look),
            look.style(role),
        );
    }
}

/// A bar as long as a share of `columns`, with a mark where it has to end.
fn bar(share: f64, has_target: bool, columns: u16, look: DrawStyle) -> String {
    let length =
        (1..=columns).take_while(|&column| f64::from(column) <= share * f64::from(columns) + 0.5).count();
    let mark = usize::from(columns / 4);
    let character = |column: usize| match column {
        _ if column < length => look.full(),
        _ if has_target && column == mark => look.mark(),
        _ => ' ',
    };
    (0..usize::from(columns)).map(character).collect()
}

/// How far the run is, and how the widest interval shrank.
fn summary(model: &Model, look: DrawStyle, known: usize) -> String {
    let looks = &model.looks;
    if looks.points == 0 {
        let unknown = model.cells.len() - known;
        return if unknown > 0 {
            format!("{unknown} points have none yet")
        } else {
            "the widest first".to_owned()
        };
    }
    let number = |width: &f64| if width.is_finite() { per_cent(*width) } else { "?".to_owned() };
    let widest: Vec<String> =
        looks.widest.iter().skip(looks.widest.len().saturating_sub(3)).map(number).collect();
    format!("{} of {} done, widest {} %", looks.done, looks.points, widest.join(look.arrow()))
}

/// `7.3 %`
fn percent(share: f64) -> String {
    format!("{} %", per_cent(share))
}

/// The same without its sign.
fn per_cent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent < 9.95 { format!("{percent:.1}") } else { format!("{percent:.0}") }
}
