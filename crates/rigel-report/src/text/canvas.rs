//! A grid of dots to draw curves on: Braille patterns with eight dots a character, or ASCII with one.
//!
//! Must not know what is drawn.

/// Dots of a Braille pattern by row and column, as bits above U+2800 (Unicode 15, table Braille Patterns).
const BRAILLE: [[u32; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];

/// What a dot is part of; where several meet, ASCII shows the last of this list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mark {
    /// Between two measured points.
    Line,
    /// An interval.
    Whisker,
    /// A measured point.
    Point,
}

/// A place on the canvas in dots: from the left, and from the bottom.
pub(super) type Dot = (u16, u16);

pub(super) struct Canvas {
    columns: u16,
    rows: u16,
    ascii: bool,
    marks: Vec<Option<Mark>>,
}

impl Canvas {
    /// An empty one of this many characters.
    pub fn new(columns: u16, rows: u16, ascii: bool) -> Self {
        let mut canvas = Self { columns, rows, ascii, marks: Vec::new() };
        canvas.marks = vec![None; usize::from(canvas.width()) * usize::from(canvas.height())];
        canvas
    }

    /// Dots from left to right.
    pub const fn width(&self) -> u16 {
        if self.ascii { self.columns } else { 2 * self.columns }
    }

    /// Dots from bottom to top.
    pub const fn height(&self) -> u16 {
        if self.ascii { self.rows } else { 4 * self.rows }
    }

    /// Sets a dot; one outside is skipped.
    pub fn set(&mut self, (x, y): Dot, mark: Mark) {
        if x < self.width() && y < self.height() {
            let place = usize::from(y) * usize::from(self.width()) + usize::from(x);
            self.marks[place] = self.marks[place].max(Some(mark));
        }
    }

    /// A straight line between two dots, both included.
    pub fn line(&mut self, (x0, y0): Dot, (x1, y1): Dot, mark: Mark) {
        let steps = x0.abs_diff(x1).max(y0.abs_diff(y1)).max(1);
        let between = |from: u16, to: u16, step: u16| {
            let (from, to, step, steps) = (i64::from(from), i64::from(to), i64::from(step), i64::from(steps));
            // To the nearest dot: twice the way, half a dot added, in whole numbers.
            let way = (2 * (to - from) * step + steps).div_euclid(2 * steps);
            u16::try_from(from + way).unwrap_or(0)
        };
        for step in 0..=steps {
            self.set((between(x0, x1, step), between(y0, y1, step)), mark);
        }
    }

    /// The rows of characters, from the top, all equally wide.
    pub fn lines(&self) -> Vec<String> {
        (0..self.rows)
            .map(|row| (0..self.columns).map(|column| self.character(column, row)).collect())
            .collect()
    }

    fn at(&self, x: u16, y_from_top: u16) -> Option<Mark> {
        let y = self.height() - 1 - y_from_top;
        self.marks[usize::from(y) * usize::from(self.width()) + usize::from(x)]
    }

    fn character(&self, column: u16, row: u16) -> char {
        if self.ascii {
            return match self.at(column, row) {
                None => ' ',
                Some(Mark::Line) => '.',
                Some(Mark::Whisker) => '|',
                Some(Mark::Point) => '*',
            };
        }
        let mut bits = 0;
        for (dy, dots) in (0..).zip(BRAILLE) {
            for (dx, bit) in (0..).zip(dots) {
                bits |= if self.at(2 * column + dx, 4 * row + dy).is_some() { bit } else { 0 };
            }
        }
        // A pattern without dots is not blank in every font.
        if bits == 0 { ' ' } else { char::from_u32(0x2800 + bits).unwrap_or(' ') }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_become_braille() {
        let mut canvas = Canvas::new(2, 1, false);
        assert_eq!((canvas.width(), canvas.height()), (4, 4));
        canvas.set((0, 0), Mark::Point);
        canvas.set((3, 3), Mark::Point);
        canvas.set((4, 0), Mark::Point);
        assert_eq!(canvas.lines(), ["\u{2840}\u{2808}"]);
        canvas.line((0, 0), (0, 3), Mark::Line);
        assert_eq!(canvas.lines(), ["\u{2847}\u{2808}"]);
    }

    #[test]
    fn in_ascii_a_point_covers_an_interval_and_that_a_line() {
        let mut canvas = Canvas::new(5, 3, true);
        canvas.line((0, 0), (4, 2), Mark::Line);
        canvas.set((4, 2), Mark::Point);
        canvas.line((0, 0), (0, 1), Mark::Whisker);
        canvas.line((4, 1), (4, 2), Mark::Whisker);
        // (0,0) (1,1) (2,1) (3,2) (4,2): half a dot goes up.
        assert_eq!(canvas.lines(), ["   .*", "|.. |", "|    "]);
    }

    #[test]
    fn a_line_goes_down_as_well() {
        let mut canvas = Canvas::new(3, 3, true);
        canvas.line((0, 2), (2, 0), Mark::Line);
        assert_eq!(canvas.lines(), [".  ", " . ", "  ."]);
        let mut one = Canvas::new(1, 1, true);
        one.line((0, 0), (0, 0), Mark::Line);
        assert_eq!(one.lines(), ["."]);
    }
}
