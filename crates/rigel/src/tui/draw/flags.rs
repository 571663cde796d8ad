//! The flags as they come, the newest first.
//!
//! Must not raise one.

use super::super::model::Model;
use super::look::{DrawStyle, Role};
use super::{framed, put};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Draws the panel.
pub fn draw(model: &Model, look: DrawStyle, area: Rect, buffer: &mut Buffer) {
    let inner = framed(&title(model), look, area, buffer);
    let levels =
        model.levels.iter().map(|&(class, n_sat)| (false, crate::progress::lines::level_found(class, n_sat)));
    let flags = model
        .flags
        .iter()
        .map(|flag| (flag.invalid, format!("{}: {} ({})", flag.place, flag.code.name(), flag.text)));
    for (row, (invalid, text)) in (0..inner.height).zip(levels.chain(flags)) {
        let (mark, role) = if invalid { ('!', Role::Bad) } else { (' ', Role::Warning) };
        put(buffer, inner, row, &format!("{mark}{text}"), look.style(role));
    }
}

fn title(model: &Model) -> String {
    match model.flags.len() {
        0 => "Flags: none so far".to_owned(),
        count => format!("Flags so far: {count}"),
    }
}
