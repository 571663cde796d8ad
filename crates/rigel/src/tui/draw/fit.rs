//! The layout of a matrix of any size: the width of a cell, where rows break, which part is visible.
//!
//! Pure arithmetic. Must not know what a cell holds.

/// Columns for the labels of the rows.
pub const LABELS: u16 = 6;
/// Widths that a cell can have, the best first. From [`WITH_VALUE`] on there is room for a number.
const WIDTHS: [u16; 5] = [7, 6, 3, 2, 1];
/// Cells at least this wide hold a number.
pub const WITH_VALUE: u16 = 6;

/// Where the cells are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fit {
    /// Columns of a cell.
    pub cell: u16,
    /// Columns of the matrix in one band; the next ones come in a band below.
    pub per_band: usize,
    /// The first visible column; not 0 only if there is just one band.
    pub first_column: usize,
    /// The first row that is seen.
    pub first_row: usize,
    /// Rows that are seen.
    pub rows: usize,
    pub bands: usize,
}

impl Fit {
    /// The best place for a matrix of `columns` and `rows` in an area of `width` and `height`, so the cell at
    /// `focus` (column, row) is seen. A line of each band holds the labels of its columns.
    pub fn of((columns, rows): (usize, usize), (width, height): (u16, u16), focus: (usize, usize)) -> Self {
        let room = usize::from(width.saturating_sub(LABELS).max(1));
        for cell in WIDTHS {
            let per_band = (room / usize::from(cell)).clamp(1, columns.max(1));
            let bands = columns.div_ceil(per_band).max(1);
            if bands * (rows + 1) <= usize::from(height) {
                return Self { cell, per_band, first_column: 0, first_row: 0, rows, bands };
            }
        }
        // Not everything is seen at once: one band, with cells as wide as its columns permit.
        let cell = WIDTHS.into_iter().find(|&cell| columns * usize::from(cell) <= room).unwrap_or(1);
        let per_band = (room / usize::from(cell)).clamp(1, columns.max(1));
        let seen = usize::from(height.saturating_sub(1)).clamp(1, rows.max(1));
        Self {
            cell,
            per_band,
            first_column: around(focus.0, per_band, columns),
            first_row: around(focus.1, seen, rows),
            rows: seen,
            bands: 1,
        }
    }

    /// Lines that it takes.
    pub fn height(&self) -> usize {
        self.bands * (self.rows + 1)
    }
}

/// The first of `seen` positions out of `all`, with `place` in the middle if possible.
fn around(place: usize, seen: usize, all: usize) -> usize {
    place.saturating_sub(seen / 2).min(all.saturating_sub(seen))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_matrix_has_its_values() {
        let fit = Fit::of((6, 3), (78, 8), (0, 0));
        assert_eq!(fit, Fit { cell: 7, per_band: 6, first_column: 0, first_row: 0, rows: 3, bands: 1 });
        assert_eq!(fit.height(), 4);
    }

    #[test]
    fn a_single_row_is_broken_into_bands() {
        let fit = Fit::of((20, 1), (78, 8), (0, 0));
        assert_eq!((fit.cell, fit.per_band, fit.bands, fit.height()), (7, 10, 2, 4));
    }

    #[test]
    fn a_large_one_loses_its_values_first_and_then_its_edges() {
        let fit = Fit::of((21, 17), (138, 31), (0, 0));
        assert_eq!((fit.cell, fit.rows, fit.bands), (6, 17, 1));
        let fit = Fit::of((21, 17), (78, 8), (3, 9));
        assert_eq!((fit.cell, fit.rows, fit.first_row), (3, 7, 6));
        let fit = Fit::of((200, 17), (78, 8), (199, 16));
        assert_eq!((fit.cell, fit.per_band, fit.first_column, fit.first_row), (1, 72, 128, 10));
    }

    #[test]
    fn the_focus_is_seen_whatever_the_size() {
        for columns in [1, 2, 7, 21, 75, 300] {
            for rows in [1, 5, 17, 40] {
                for (width, height) in [(78, 8), (138, 30), (10, 3)] {
                    for focus in [(0, 0), (columns - 1, rows - 1), (columns / 2, rows / 2)] {
                        let fit = Fit::of((columns, rows), (width, height), focus);
                        assert!(
                            fit.bands > 1
                                || (fit.first_column..fit.first_column + fit.per_band).contains(&focus.0)
                        );
                        assert!((fit.first_row..fit.first_row + fit.rows).contains(&focus.1));
                        assert!(fit.height() <= usize::from(height), "{fit:?}");
                    }
                }
            }
        }
    }
}
