//! The live view as characters on a grid: a model in, a filled buffer out.
//!
//! Pure functions. Must not hold state or know where the buffer is shown.

mod fit;
mod flags;
mod help;
mod matrix;
mod now;
mod theme;
mod widths;
mod wrap;

pub use theme::Theme;

use super::model::Model;
use crate::progress::lines;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::{Block, Widget as _};
use theme::Role;

/// The smallest terminal in which everything has its place.
pub const LEAST: (u16, u16) = (80, 24);

/// Lines above and below the panels.
const HEAD: u16 = 2;
const FOOT: u16 = 1;
/// The panels under the matrix have this many lines at least, frames included.
const LEAST_MIDDLE: u16 = 7;
const MOST_MIDDLE: u16 = 16;
const LEAST_FLAGS: u16 = 5;

/// Draws everything.
pub fn draw(model: &Model, theme: Theme, area: Rect, buffer: &mut Buffer) {
    if (area.width, area.height) < LEAST || area.height < LEAST.1 {
        return too_small(model, theme, area, buffer);
    }
    let (head, rest) = from_top(area, HEAD);
    let (panels, foot) = from_top(rest, rest.height - FOOT);
    let most = panels.height - LEAST_MIDDLE - LEAST_FLAGS;
    let wanted = matrix::height(model, panels.width, most);
    let spare = most - wanted;
    // A matrix of few rows leaves room for more points and flags.
    let middle = LEAST_MIDDLE + (spare / 2).min(MOST_MIDDLE - LEAST_MIDDLE);
    let (top, below) = from_top(panels, wanted);
    let (middle, bottom) = from_top(below, middle);
    let left = Rect { width: middle.width / 2, ..middle };
    let right = Rect { x: left.right(), width: middle.width - left.width, ..middle };
    heading(model, theme, head, buffer);
    matrix::draw(model, theme, top, buffer);
    now::draw(model, theme, left, buffer);
    widths::draw(model, theme, right, buffer);
    flags::draw(model, theme, bottom, buffer);
    keys(model, theme, foot, buffer);
    if model.help {
        help::draw(theme, panels, buffer);
    }
}

fn too_small(model: &Model, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let lines = [
        format!("The live view needs {} columns and {} lines;", LEAST.0, LEAST.1),
        format!("this terminal has {} and {}.", area.width, area.height),
        format!("The run continues. {}", time(model)),
        "q ends it.".to_owned(),
    ];
    for (row, line) in (0..).zip(lines) {
        put(buffer, area, row, &line, theme.style(Role::Warning));
    }
}

/// What is running, and how far it is.
fn heading(model: &Model, theme: Theme, area: Rect, buffer: &mut Buffer) {
    put(buffer, area, 0, &format!(" {}", model.title), theme.style(Role::Heading));
    let time = time(model);
    let remaining_ns = model.left.map_or(u64::MAX, |left| left.least_ns.midpoint(left.most_ns));
    let whole_ns = u128::from(model.elapsed_ns) + u128::from(remaining_ns);
    let text = time.chars().count() + 5;
    let columns = usize::from(area.width).saturating_sub(text);
    let done = u128::from(model.elapsed_ns) * columns as u128 / whole_ns.max(1);
    let done = usize::try_from(done).unwrap_or(0).min(columns);
    let bar: String =
        std::iter::repeat_n(theme.full(), done).chain(std::iter::repeat_n(' ', columns - done)).collect();
    put(buffer, area, 1, &format!(" [{bar}] {time}"), Style::new());
}

/// `0:12 elapsed, 4:10 left`
fn time(model: &Model) -> String {
    match model.left {
        Some(left) => lines::times(model.elapsed_ns, left),
        None => format!("{} elapsed, time left not known yet", lines::time_left(model.elapsed_ns)),
    }
}

fn keys(model: &Model, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let said = model.marking.line();
    let (text, role) = match &said {
        _ if model.stopping => {
            (" ending: waiting for the I/Os in flight; q again stops at once, without outputs", Role::Warning)
        }
        Some(said) => (said.as_str(), Role::Heading),
        None if model.marking.is_possible => {
            (" q  end the run, write outputs so far    m  mark this moment          ?  help", Role::Faint)
        }
        None => {
            (" q  end the run, write outputs so far    Tab  what the cells show     ?  help", Role::Faint)
        }
    };
    put(buffer, area, 0, text, theme.style(role));
}

/// The upper lines, and the others.
fn from_top(area: Rect, lines: u16) -> (Rect, Rect) {
    let lines = lines.min(area.height);
    (Rect { height: lines, ..area }, Rect { y: area.y + lines, height: area.height - lines, ..area })
}

/// A frame with a title; returns the area inside.
fn framed(title: &str, theme: Theme, area: Rect, buffer: &mut Buffer) -> Rect {
    let room = usize::from(area.width).saturating_sub(4);
    let title: String = title.chars().take(room).collect();
    let block = Block::bordered().border_set(theme.border()).title(format!(" {title} "));
    let inner = block.inner(area);
    block.render(area, buffer);
    inner
}

/// Writes a text into a line of an area, as far as it fits.
fn put(buffer: &mut Buffer, area: Rect, row: u16, text: &str, style: Style) {
    put_at(buffer, area, (0, row), text, style);
}

/// The same from a column on.
fn put_at(buffer: &mut Buffer, area: Rect, (column, row): (u16, u16), text: &str, style: Style) {
    if row < area.height && column < area.width {
        let room = usize::from(area.width - column);
        buffer.set_stringn(area.x + column, area.y + row, text, room, style);
    }
}

#[cfg(test)]
mod tests;
