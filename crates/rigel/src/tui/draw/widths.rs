//! How the intervals shrink: how many points are precise enough, and the widest intervals compared with the target.
//!
//! Must not judge a width.

use super::super::model::{Cell, Model};
use super::theme::{Role, Theme};
use super::{framed, put, put_at};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use rigel_core::load::matrix::Point;
use rigel_core::units::say::percent;

/// A full bar means this many times the target width.
const WIDEST: f64 = 4.0;
/// Columns before a bar: a point, a width, a blank.
const BEFORE_BAR: u16 = 25;

/// Draws the panel.
pub fn draw(model: &Model, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let sign = theme.plus_minus();
    let title = match model.target {
        Some(target) => format!("Intervals in {sign}%: {} requested", percent(target)),
        None => format!("Intervals in {sign}%: within the one visit"),
    };
    let inner = framed(&title, theme, area, buffer);
    let mut widths: Vec<(Point, &Cell, f64)> =
        model.cells.iter().filter_map(|(&point, cell)| Some((point, cell, cell.half_width()?))).collect();
    widths.sort_by(|(_, _, one), (_, _, other)| other.total_cmp(one));
    put(buffer, inner, 0, &format!(" {}", summary(model, theme, widths.len())), theme.style(Role::Faint));
    let widest = widths.first().map_or(0.0, |(_, _, width)| *width);
    let full = model.target.map_or(widest, |target| WIDEST * target);
    for (row, (point, cell, width)) in (1..inner.height).zip(widths) {
        let at = point.words_of(&model.classes);
        let role = if cell.reached { Role::Good } else { Role::Warning };
        let text = format!(" {at:<16}{:>7}", percent(width));
        put(buffer, inner, row, &text, theme.style(role));
        let columns = inner.width.saturating_sub(BEFORE_BAR + 1);
        put_at(
            buffer,
            inner,
            (BEFORE_BAR, row),
            &bar(width / full, model.target.is_some(), columns, theme),
            theme.style(role),
        );
    }
}

/// A bar as long as a share of `columns`, with a mark where it has to end.
fn bar(share: f64, has_target: bool, columns: u16, theme: Theme) -> String {
    let length =
        (1..=columns).take_while(|&column| f64::from(column) <= share * f64::from(columns) + 0.5).count();
    let mark = usize::from(columns / 4);
    let character = |column: usize| match column {
        _ if column < length => theme.full(),
        _ if has_target && column == mark => theme.mark(),
        _ => ' ',
    };
    (0..usize::from(columns)).map(character).collect()
}

/// How far the run is, and how the widest interval shrank.
fn summary(model: &Model, theme: Theme, known: usize) -> String {
    let looks = &model.looks;
    if looks.points == 0 {
        let unknown = model.cells.len() - known;
        return if unknown > 0 {
            format!("{unknown} points have none yet")
        } else {
            "the widest first".to_owned()
        };
    }
    let number = |width: &f64| if width.is_finite() { percent(*width) } else { "?".to_owned() };
    let widest: Vec<String> =
        looks.widest.iter().skip(looks.widest.len().saturating_sub(3)).map(number).collect();
    format!("{} of {} done, widest {}", looks.done, looks.points, widest.join(theme.arrow()))
}
