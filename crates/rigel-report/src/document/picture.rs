//! The chart at the top of a page: one picture, complete without a script, so mail, paper and a headless browser show it, too. The model only;
//! [`super::svg`] draws it.
//!
//! Must not choose a figure.

/// Panels beside each other, below each other where there is no room.
#[derive(Debug)]
pub(crate) struct Picture(pub Vec<Panel>);

/// One drawing.
#[derive(Debug)]
pub(crate) struct Panel {
    /// What it shows: `IOPS by outstanding small I/Os`.
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
    /// What is across.
    pub across: Axis,
    pub up: Axis,
    pub lines: Vec<Line>,
    /// A dashed line across the panel at a height, with what it stands for: `bound 3 ms`.
    pub limit: Option<(f64, String)>,
    /// A part of the axis across, such as the bracket of an answer, with what it stands for.
    pub band: Option<(f64, f64, String)>,
    /// Moments of the axis across, each a dashed line with a number and what it stands for, which shows where a pointer rests.
    pub marks: Vec<(f64, String)>,
}

/// An axis.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    /// What it is, with its unit.
    pub name: String,
    /// Whether each step is a factor.
    pub is_log: bool,
    /// A number beside it.
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
    /// A dashed line at a value, with what it stands for.
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
    /// The value as it is read.
    pub text: String,
    /// The number must not be used, or says that something is wrong.
    pub is_bad: bool,
}

impl Picture {
    /// A picture of the panels that have something to show; nothing without one.
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
    /// An axis of equal steps.
    pub fn linear(name: impl Into<String>, write: fn(f64) -> String) -> Self {
        Self { name: name.into(), is_log: false, write }
    }

    /// An axis that takes factors where its values are far apart.
    pub fn spread(
        name: impl Into<String>,
        write: fn(f64) -> String,
        values: impl Iterator<Item = f64>,
    ) -> Self {
        /// From this factor on small values would lie on one spot.
        const FAR: f64 = 10.0;
        let (low, high) =
            values.fold((f64::INFINITY, 0.0_f64), |(low, high), one| (low.min(one), high.max(one)));
        Self { name: name.into(), is_log: low > 0.0 && high / low >= FAR, write }
    }
}
