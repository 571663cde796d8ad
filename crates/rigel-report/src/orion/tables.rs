//! The three tables over the matrix: `_iops.csv`, `_mbps.csv`, `_lat.csv`.
//!
//! A column is a number of outstanding small I/Os, a row one of large I/Os or streams. The layout was found from published
//! files of 11.1.0.7 and from published sizes of 11.2.0.2. Flags are not in here: every column has a reader already. A point of which too many I/Os failed
//! has no rate, so its cell is empty as that of a point that was not measured.

use super::OrionVersion;
use crate::page::Page;
use crate::view::View;
use rigel_core::judge::findings::PointFindings;
use rigel_core::judge::flags::FlagCode;
use rigel_core::load::class::Class;
use rigel_core::load::matrix::Grid;
use std::collections::HashMap;

/// Width of a column; cells that need more are wider.
const WIDTH: usize = 7;

/// The contents of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantity {
    /// Small I/Os per second.
    Iops,
    /// Large megabytes per second.
    Mbps,
    /// Mean latency of the small I/Os.
    Latency,
}

impl Quantity {
    /// The number of a point; `None` if nothing completed, or too much failed.
    fn value(self, found: &PointFindings) -> Option<f64> {
        if found.flags.iter().any(|flag| flag.code == FlagCode::Errors && flag.invalid) {
            return None;
        }
        let io = match self {
            Self::Iops | Self::Latency => found.ios.get(&Class::SMALL)?,
            Self::Mbps => found.ios.get(&Class::LARGE)?,
        };
        let latency = io.latency_us?;
        Some(match self {
            Self::Iops => io.iops.value,
            Self::Mbps => io.mbps()?.value,
            Self::Latency => latency.mean.value,
        })
    }

    /// Small I/O has no column 0 and large I/O no row 0.
    fn levels(self, grid: &Grid) -> (Vec<u32>, Vec<u32>) {
        // A class that never runs has the level 0. A search that was ended has no levels yet.
        let none = if grid.points.is_empty() { vec![] } else { vec![0] };
        let all = |class: Class| grid.levels.get(&class).unwrap_or(&none).clone();
        let above_zero = |class: Class| all(class).into_iter().filter(|&level| level > 0).collect();
        match self {
            Self::Iops | Self::Latency => (above_zero(Class::SMALL), all(Class::LARGE)),
            Self::Mbps => (all(Class::SMALL), above_zero(Class::LARGE)),
        }
    }

    /// Milliseconds up to 11.1 as `%7.2f`, microseconds later: `%8.2f` in 11.2, three decimals in 19 as in its summary.
    fn cell(self, version: OrionVersion, value: f64) -> String {
        match (self, version) {
            (Self::Iops, _) => format!("{value:>WIDTH$.0}"),
            (Self::Mbps, _) => format!("{value:>WIDTH$.2}"),
            (Self::Latency, OrionVersion::V10_2 | OrionVersion::V11_1) => {
                format!("{:>WIDTH$.2}", value / 1000.0)
            }
            (Self::Latency, OrionVersion::V11_2) => format!("{value:>8.2}"),
            (Self::Latency, OrionVersion::V19) => format!("{value:>WIDTH$.3}"),
        }
    }

    const fn what(self) -> &'static str {
        match self {
            Self::Iops => "I/Os per second that the small I/Os reached",
            Self::Mbps => "MBPS (2^20 bytes per second) that the large I/Os reached",
            Self::Latency => "mean latency of the small I/Os in microseconds",
        }
    }
}

/// A table with the version's text around it.
pub(super) fn render(version: OrionVersion, quantity: Quantity, view: &View<'_>) -> String {
    let mut page = Page::default();
    if version == OrionVersion::V11_2 {
        preamble(&mut page, quantity);
    }
    let (columns, rows) = quantity.levels(&view.record.header.plan.grid);
    let cells = cells(version, quantity, view);
    let width = match version {
        OrionVersion::V10_2 | OrionVersion::V11_1 | OrionVersion::V11_2 => WIDTH,
        OrionVersion::V19 => widest(&columns, &cells),
    };
    page.push("Large/Small");
    for column in &columns {
        page.push(format_args!(",{column:>width$}"));
    }
    page.blank();
    for row in rows {
        page.push(format_args!("{row:>11}"));
        if let Some(cells) = cells.get(&row) {
            push_cells(&mut page, &columns, cells, width);
        }
        page.blank();
    }
    page.into_string()
}

/// 11.2 has four sentences in one paragraph above its tables, which these replace in our words.
fn preamble(page: &mut Page, quantity: Quantity) {
    page.line(format_args!(
        "The values below, separated by commas, are the {}. \
         Every value was measured at one data point, where the number of small I/Os and the number of large I/Os in \
         flight did not change. \
         The top of a column says how many small I/Os were outstanding. \
         The start of a row says how many large I/Os were outstanding.",
        quantity.what()
    ));
    page.blank();
}

/// Text of the measured cells: by row, then by column.
type Cells = HashMap<u32, HashMap<u32, String>>;

fn cells(version: OrionVersion, quantity: Quantity, view: &View<'_>) -> Cells {
    let mut cells = Cells::new();
    for found in &view.findings.points {
        if let Some(value) = quantity.value(found) {
            let row = cells.entry(found.point.large()).or_default();
            row.insert(found.point.small(), quantity.cell(version, value));
        }
    }
    cells
}

/// One width for all columns, so they stay aligned whatever a device can do.
fn widest(columns: &[u32], cells: &Cells) -> usize {
    let values = cells.values().flat_map(HashMap::values).map(String::len);
    let heads = columns.iter().map(|column| column.to_string().len());
    values.chain(heads).fold(WIDTH, usize::max)
}

/// A row ends with its last measured cell; a missing one before it is left blank.
fn push_cells(page: &mut Page, columns: &[u32], cells: &HashMap<u32, String>, width: usize) {
    let mut left = cells.len();
    for column in columns {
        if left == 0 {
            break;
        }
        let cell = cells.get(column);
        left -= usize::from(cell.is_some());
        page.push(format_args!(",{:>width$}", cell.map_or("", String::as_str)));
    }
}
