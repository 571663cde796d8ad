//! The flags as they come, the newest first, each in full as long as there is room.
//!
//! Must not raise one.

use super::super::model::Model;
use super::theme::{Role, Theme};
use super::wrap::wrapped;
use super::{framed, put};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Blanks before the second and later lines of a flag.
const INDENT: usize = 3;

/// Draws the panel.
pub fn draw(model: &Model, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let inner = framed(&title(model), theme, area, buffer);
    let (width, height) = (usize::from(inner.width), usize::from(inner.height));
    let flags = model.flags.iter().map(|flag| {
        let (mark, role) = if flag.invalid { ('!', Role::Bad) } else { (' ', Role::Warning) };
        (role, format!("{mark}{}: {} ({})", flag.place, flag.code.name(), flag.text))
    });
    let levels = model.levels.iter().map(|&(class, n_sat)| {
        (Role::Warning, format!(" {}", crate::progress::lines::level_found(class, n_sat)))
    });
    let texts = flags.chain(levels).map(|(role, text)| (role, wrapped(&text, width, INDENT)));
    let texts: Vec<(Role, Vec<String>)> = texts.collect();
    let lines = || texts.iter().flat_map(|(role, lines)| lines.iter().map(|line| (*role, line.as_str())));
    let has_room = lines().count() <= height;
    let shown = if has_room { height } else { height.saturating_sub(1) };
    for (row, (role, line)) in (0..).zip(lines().take(shown)) {
        put(buffer, inner, row, line, theme.style(role));
    }
    if !has_room {
        let row = inner.height.saturating_sub(1);
        put(buffer, inner, row, &rest(&texts, shown), theme.style(Role::Faint));
    }
}

/// How many of the texts do not fit into the first lines.
fn rest(texts: &[(Role, Vec<String>)], shown: usize) -> String {
    let mut end = 0;
    let whole = texts.iter().take_while(|(_, lines)| {
        end += lines.len();
        end <= shown
    });
    let rest = texts.len() - whole.count();
    format!(" .. {rest} of {} not fully shown; a taller terminal or the outputs show all", texts.len())
}

fn title(model: &Model) -> String {
    match model.flags.len() {
        0 => "Flags: none so far".to_owned(),
        count => format!("Flags so far: {count}"),
    }
}
