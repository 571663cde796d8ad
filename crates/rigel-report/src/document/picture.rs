//! The chart at the top of a page: one picture, complete without a script, so mail, paper and a headless browser show it, too. The model only;
//! [`super::svg`] draws it.
//!
//! Must not choose a figure.

/// Panels side by side, or stacked if there is no room.
#[derive(Debug)]
pub(crate) struct Picture(pub Vec<Panel>);

/// One drawing.
#[derive(Debug)]
pub(crate) struct Panel {
    /// Its title: `IOPS by outstanding small I/Os`.
    pub title: String,
    pub shape: Shape,
}

/// How figures are drawn.
#[derive(Debug)]
pub(crate) enum Shape {
    /// Lines over an axis.
    Lines(Lines),
    /// A bar for each of a few names.
    Bars(Bars),
}

/// Lines over an axis.
#[derive(Debug)]
pub(crate) struct Lines {
    /// The horizontal axis.
    pub across: Axis,
    pub up: Axis,
    pub lines: Vec<Line>,
    /// A dashed horizontal line, with its label: `limit 3 ms`.
    pub limit: Option<(f64, String)>,
    /// A range of the horizontal axis, such as the bracket of an answer, with its label.
    pub band: Option<(f64, f64, String)>,
    /// Positions on the horizontal axis, each a dashed line with a number, and a label that shows under the pointer.
    pub marks: Vec<(f64, String)>,
}

/// An axis.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    /// Its name, with the unit.
    pub name: String,
    /// Whether it is logarithmic.
    pub is_log: bool,
    /// Whether it counts bytes: its marks are at measured sizes, since powers of ten of bytes are no round sizes.
    pub is_binary: bool,
    /// Formats a number on it.
    pub write: fn(f64) -> String,
}

/// A line.
#[derive(Debug)]
pub(crate) struct Line {
    /// Its name, if there are several.
    pub name: String,
    pub dots: Vec<Dot>,
}

/// A measured point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dot {
    pub across: f64,
    pub up: f64,
    /// Both ends of the interval.
    pub ends: Option<(f64, f64)>,
}

/// A bar for each name, in one colour.
#[derive(Debug)]
pub(crate) struct Bars {
    pub bars: Vec<Bar>,
    /// Where every bar begins.
    pub from: f64,
    /// A dashed line at a value, with its label.
    pub limit: Option<(f64, String)>,
    pub is_log: bool,
}

/// A bar.
#[derive(Debug)]
pub(crate) struct Bar {
    pub name: String,
    pub value: f64,
    /// Both ends of the interval.
    pub ends: Option<(f64, f64)>,
    /// The value as text.
    pub text: String,
    /// The number must not be used, or shows a fault.
    pub is_bad: bool,
}

impl Picture {
    /// A picture of the panels with content; `None` without any.
    pub fn of(panels: impl IntoIterator<Item = Panel>) -> Option<super::Block> {
        let panels: Vec<Panel> = panels.into_iter().filter(Panel::has_figures).collect();
        (!panels.is_empty()).then_some(super::Block::Picture(Self(panels)))
    }
}

impl Panel {
    /// Whether anything can be drawn.
    fn has_figures(&self) -> bool {
        match &self.shape {
            Shape::Lines(lines) => lines.lines.iter().any(|line| !line.dots.is_empty()),
            Shape::Bars(bars) => !bars.bars.is_empty(),
        }
    }
}

impl Axis {
    /// A linear axis.
    pub fn linear(name: impl Into<String>, write: fn(f64) -> String) -> Self {
        Self { name: name.into(), is_log: false, is_binary: false, write }
    }

    /// An axis that is logarithmic if its values are far apart.
    pub fn spread(
        name: impl Into<String>,
        write: fn(f64) -> String,
        values: impl Iterator<Item = f64>,
    ) -> Self {
        /// From this factor on, small values would coincide.
        const FAR: f64 = 10.0;
        let (low, high) =
            values.fold((f64::INFINITY, 0.0_f64), |(low, high), one| (low.min(one), high.max(one)));
        Self { name: name.into(), is_log: low > 0.0 && high / low >= FAR, is_binary: false, write }
    }
}
