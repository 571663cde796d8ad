//! The help page over the view: the keys, and what the panels and their columns mean.
//!
//! Must not show numbers of this run.

use super::theme::{Role, Theme};
use super::wrap::wrapped;
use super::{LEAST, framed, put};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::{Clear, Widget as _};

/// Columns for the names.
const NAMES: usize = 11;

/// Draws the page in the middle.
pub fn draw(theme: Theme, area: Rect, buffer: &mut Buffer) {
    let width = LEAST.0;
    let texts = texts(theme);
    let lines: Vec<String> = texts.iter().flat_map(|(name, text)| lines(name, text, width - 4)).collect();
    let height = u16::try_from(lines.len() + 2).unwrap_or(area.height).min(area.height);
    let page = Rect {
        x: area.x + area.width.saturating_sub(width) / 2,
        y: area.y + area.height.saturating_sub(height) / 2,
        width: width.min(area.width),
        height,
    };
    Clear.render(page, buffer);
    let inner = framed("Help: ? to go back", theme, page, buffer);
    for (row, line) in (0..).zip(&lines) {
        put(buffer, inner, row, &format!(" {line}"), Style::new());
        let name: String = line.chars().take(NAMES).collect();
        put(buffer, inner, row, &format!(" {name}"), theme.style(Role::Heading));
    }
}

fn lines(name: &str, text: &str, width: u16) -> Vec<String> {
    wrapped(&format!("{name:<NAMES$}{text}"), usize::from(width), NAMES)
}

fn texts(theme: Theme) -> [(&'static str, String); 10] {
    let (now, unvisited, mark) = ('>', theme.unvisited(), theme.mark());
    [
        (
            "q, Ctrl+C",
            "end the run; the outputs have what was measured. Again: stop at once, without outputs."
                .to_owned(),
        ),
        ("Tab", "change what the cells show: rate, MBPS of large I/O, mean latency, width.".to_owned()),
        ("m", "mark this moment of `rigel run through`, as `rigel mark` does.".to_owned()),
        ("?, h, Esc", "open and close this page. The run continues meanwhile.".to_owned()),
        (
            "Matrix",
            format!(
                "one cell per point, by the outstanding I/Os of small (across) and large I/O (down). The \
                 title has the unit; 12.3k is 12,300. The largest value has the full bar and shade. {now} \
                 is being visited, {unvisited} was not visited yet, ! must not be used."
            ),
        ),
        (
            "Now",
            "the current visit: rate and mean latency, the latest value and the course over time.".to_owned(),
        ),
        (
            "Visit",
            "a few seconds of load at a point. Several, spread over the run, give its number.".to_owned(),
        ),
        (
            "Intervals",
            format!(
                "precision of each rate: half of its 95 % interval in per cent, the widest first. A bar \
                 beyond {mark} is less precise than requested."
            ),
        ),
        (
            "Flags",
            "warnings; numbers with ! must not be used. The page of the run says what to do.".to_owned(),
        ),
        ("Time left", "an estimate; uneven storage needs more visits.".to_owned()),
    ]
}
