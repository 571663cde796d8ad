//! Colours, bars and borders of the live view, for terminals of every kind.
//!
//! Nothing depends on colour alone. Must not know what is shown.

use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::border;

/// The height of a curve that is level.
const LEVEL: f64 = 0.6;
/// Eighths of a character from the bottom.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const ASCII_BARS: [char; 8] = ['.', ':', '-', '=', '+', '*', '%', '#'];
/// Background and whether the text on it is dark: along the scale cividis (Nunez, Anderton, Renslow 2018) in the 256
/// colours of xterm.
const HEAT: [(u8, bool); 8] =
    [(17, false), (18, false), (60, false), (59, false), (101, true), (143, true), (185, true), (227, true)];
const ASCII_BORDER: border::Set<'static> = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

/// The capabilities of the terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Theme {
    pub colour: bool,
    /// ASCII only.
    pub ascii: bool,
}

/// The meaning of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The name of something.
    Heading,
    /// Of little importance.
    Faint,
    /// As certain as requested.
    Good,
    /// Something to know.
    Warning,
    /// Not to be used.
    Bad,
    /// About small I/O.
    Small,
    /// About large I/O.
    Large,
}

impl Theme {
    /// The style of a piece of text.
    pub fn style(self, role: Role) -> Style {
        let plain = Style::new();
        let colour = |colour| if self.colour { plain.fg(colour) } else { plain };
        match role {
            Role::Heading => plain.add_modifier(Modifier::BOLD),
            Role::Faint => plain.add_modifier(Modifier::DIM),
            Role::Good => colour(Color::Green),
            Role::Warning => colour(Color::Yellow),
            Role::Bad => colour(Color::Red).add_modifier(Modifier::BOLD),
            Role::Small => colour(Color::Cyan),
            Role::Large => colour(Color::Magenta),
        }
    }

    /// The background of a cell at a share of the largest value.
    pub fn heat(self, share: f64) -> Style {
        if !self.colour {
            return Style::new();
        }
        let (background, dark) = HEAT[eighth(share)];
        Style::new().bg(Color::Indexed(background)).fg(Color::Indexed(if dark { 16 } else { 231 }))
    }

    /// A bar as high as a share of the largest value.
    pub fn bar(self, share: f64) -> char {
        if self.ascii { ASCII_BARS[eighth(share)] } else { BARS[eighth(share)] }
    }

    /// A full character of a bar from left to right.
    pub const fn full(self) -> char {
        if self.ascii { '#' } else { '█' }
    }

    /// Marks where a bar has to end.
    pub const fn mark(self) -> char {
        if self.ascii { '|' } else { '│' }
    }

    /// A point that was not visited yet.
    pub const fn unvisited(self) -> char {
        if self.ascii { '.' } else { '·' }
    }

    /// The sign before half a width.
    pub const fn plus_minus(self) -> char {
        if self.ascii { '~' } else { '±' }
    }

    /// Between two numbers.
    pub const fn arrow(self) -> &'static str {
        if self.ascii { ">" } else { "→" }
    }

    /// Frames.
    pub const fn border(self) -> border::Set<'static> {
        if self.ascii { ASCII_BORDER } else { border::PLAIN }
    }

    /// Values over time in this many characters, each the mean of its part. A curve that is level runs at five eighths of
    /// the height, so it can be seen to rise as well as to fall.
    pub fn curve(self, values: &[f64], width: usize) -> String {
        let columns = width.min(values.len());
        let means: Vec<f64> = (0..columns)
            .map(|column| {
                let (from, to) = (column * values.len() / columns, (column + 1) * values.len() / columns);
                let part = &values[from..to];
                part.iter().sum::<f64>() / f64::from(u32::try_from(part.len()).unwrap_or(u32::MAX))
            })
            .collect();
        let largest = means.iter().copied().fold(0.0, f64::max);
        let level = means.iter().sum::<f64>() / f64::from(u32::try_from(columns.max(1)).unwrap_or(u32::MAX));
        let top = largest.max(level / LEVEL);
        means.iter().map(|&mean| self.bar(if top > 0.0 { mean / top } else { 0.0 })).collect()
    }
}

/// Which of eight steps a share falls into.
fn eighth(share: f64) -> usize {
    (1..8_u32).take_while(|&step| share * 8.0 > f64::from(step)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_rise_in_eighths() {
        let theme = Theme::default();
        let bars = [0.0, 0.125, 0.126, 0.5, 0.9, 1.0, 7.0, f64::NAN].map(|share| theme.bar(share));
        assert_eq!(bars, ['▁', '▁', '▂', '▄', '█', '█', '█', '▁']);
    }

    #[test]
    fn curves_are_means_of_equal_parts() {
        let theme = Theme { colour: false, ascii: true };
        assert_eq!(theme.curve(&[1.0, 1.0, 2.0, 2.0, 4.0, 4.0, 8.0, 8.0], 4), ".:=#");
        assert_eq!(theme.curve(&[5.0; 3], 10), "+++", "level");
        assert_eq!(theme.curve(&[0.0; 3], 2), "..");
        assert_eq!(theme.curve(&[], 10), "");
    }

    #[test]
    fn without_colours_nothing_has_one() {
        let plain = Theme::default();
        for role in
            [Role::Heading, Role::Faint, Role::Good, Role::Warning, Role::Bad, Role::Small, Role::Large]
        {
            let style = plain.style(role);
            assert_eq!((style.fg, style.bg), (None, None), "{role:?}");
        }
        assert_eq!(plain.heat(0.7), Style::new());
        assert!(Theme { colour: true, ascii: false }.heat(0.7).bg.is_some());
    }
}
