//! A list of extents as text: which allocation units of which disks hold the copies of an extent of a file, as Oracle ASM tells them. Must
//! not open a disk.

use super::map::{Extent, MOST_COPIES, Map, Place, Strip};
use crate::error::Problem;
use crate::path_text;
use std::collections::BTreeMap;

/// The columns, by the names of the first line.
const COLUMNS: [&str; 5] = ["disk", "au", "copy", "file", "extent"];
/// Allocation units of the extent; 1 without this column.
const SIZE: &str = "size";
/// Extents larger than this many units do not exist.
const MOST_UNITS: u64 = 1 << 16;

/// Where the copies lie by such a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Paths of the disks as they stand in the list, each with the line that it came up first in.
    pub disks: Vec<(String, usize)>,
    /// The extents of which there are several copies, in the order of files.
    pub map: Map,
    /// Extents with one copy: there is nothing to compare.
    pub single: u64,
}

struct Row {
    line: usize,
    disk: u16,
    unit: u64,
    units: u64,
    copy: u64,
    extent: Extent,
}

/// Reads the list; `unit_bytes` are those of an allocation unit.
///
/// # Errors
/// When a line cannot be read, or two lines claim the same place; with the line's number.
pub fn parse(text: &str, unit_bytes: u64) -> Result<Listed, Problem> {
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let (number, first) = lines.next().ok_or_else(|| wrong(1, "the list is empty"))?;
    let columns = Columns::of(number, first)?;
    let mut disks: Vec<(String, usize)> = Vec::new();
    let mut rows = Vec::new();
    for (line, text) in lines {
        rows.push(columns.row(line, text, &mut disks)?);
    }
    overlaps(&mut rows)?;
    let (map, single) = strips(rows, unit_bytes)?;
    Ok(Listed { disks, map, single })
}

fn wrong(line: usize, what: impl Into<String>) -> Problem {
    Problem::usage(what).at(format!("line {line}")).next(
        "give columns disk,au,copy,file,extent and, if extents have several units, size, as `rigel help scrub` shows",
    )
}

/// Where each column stands.
struct Columns {
    places: [usize; 5],
    size: Option<usize>,
}

impl Columns {
    fn of(line: usize, text: &str) -> Result<Self, Problem> {
        let names: Vec<String> = text.split(',').map(|name| unquoted(name).to_ascii_lowercase()).collect();
        let place = |name: &str| names.iter().position(|found| found == name);
        let mut places = [0; 5];
        for (at, name) in places.iter_mut().zip(COLUMNS) {
            *at = place(name).ok_or_else(|| wrong(line, format!("there is no column `{name}`")))?;
        }
        Ok(Self { places, size: place(SIZE) })
    }

    fn row(&self, line: usize, text: &str, disks: &mut Vec<(String, usize)>) -> Result<Row, Problem> {
        let fields: Vec<&str> = text.split(',').map(unquoted).collect();
        let field = |at: usize, name: &str| {
            fields.get(at).copied().ok_or_else(|| wrong(line, format!("there is no `{name}` in it")))
        };
        let number = |at: usize, name: &str| {
            let text = field(at, name)?;
            text.parse::<u64>().map_err(|_| {
                let text = path_text::printable(text);
                wrong(line, format!("`{text}` is no number, as `{name}` has to be"))
            })
        };
        let [disk, unit, copy, file, extent] = self.places;
        let disk = disk_number(field(disk, "disk")?, line, disks)?;
        let units = self.size.map_or(Ok(1), |at| number(at, SIZE))?;
        if !(1..=MOST_UNITS).contains(&units) {
            return Err(wrong(line, format!("an extent of {units} units cannot be")));
        }
        let extent = Extent { file: number(file, "file")?, extent: number(extent, "extent")? };
        Ok(Row { line, disk, unit: number(unit, "au")?, units, copy: number(copy, "copy")?, extent })
    }
}

fn unquoted(field: &str) -> &str {
    let field = field.trim();
    field.strip_prefix('"').and_then(|field| field.strip_suffix('"')).unwrap_or(field).trim()
}

fn disk_number(path: &str, line: usize, disks: &mut Vec<(String, usize)>) -> Result<u16, Problem> {
    if path.is_empty() {
        return Err(wrong(line, "the disk has no name"));
    }
    let known = disks.iter().position(|(known, _)| known == path).unwrap_or_else(|| {
        disks.push((path.to_owned(), line));
        disks.len() - 1
    });
    u16::try_from(known).map_err(|_| wrong(line, "there are more than 65536 disks"))
}

/// Refuses units of a disk that two lines claim.
fn overlaps(rows: &mut [Row]) -> Result<(), Problem> {
    rows.sort_by_key(|row| (row.disk, row.unit, row.line));
    for pair in rows.windows(2) {
        let [first, second] = pair else { continue };
        if first.disk == second.disk && first.unit.saturating_add(first.units) > second.unit {
            let (line, other) = (first.line.max(second.line), first.line.min(second.line));
            let what = format!("allocation unit {} of the disk is that of line {other} already", second.unit);
            return Err(wrong(line, what)
                .because("two extents cannot lie in one place; the list may be of two moments"));
        }
    }
    Ok(())
}

fn strips(rows: Vec<Row>, unit_bytes: u64) -> Result<(Map, u64), Problem> {
    let mut extents: BTreeMap<Extent, Vec<Row>> = BTreeMap::new();
    rows.into_iter().for_each(|row| extents.entry(row.extent).or_default().push(row));
    let (mut strips, mut single) = (Vec::new(), 0);
    for (extent, mut rows) in extents {
        rows.sort_by_key(|row| (row.copy, row.line));
        check_copies(&rows)?;
        if rows.len() < 2 {
            single += 1;
            continue;
        }
        let place = |row: &Row| {
            let (start, len) = (row.unit.checked_mul(unit_bytes), row.units.checked_mul(unit_bytes));
            let end = start.zip(len).and_then(|(start, len)| start.checked_add(len));
            let within = end.is_some_and(|end| i64::try_from(end).is_ok());
            let start = start.filter(|_| within).ok_or_else(|| wrong(row.line, "no disk is that large"))?;
            Ok(Place { disk: row.disk, offset: start })
        };
        let copies = rows.iter().map(place).collect::<Result<Vec<Place>, Problem>>()?;
        let len = rows.first().map_or(0, |row| row.units.saturating_mul(unit_bytes));
        strips.push(Strip { len, copies, of: Some(extent) });
    }
    Ok((Map::new(strips), single))
}

fn check_copies(rows: &[Row]) -> Result<(), Problem> {
    for pair in rows.windows(2) {
        let [first, second] = pair else { continue };
        let (line, other) = (first.line.max(second.line), first.line.min(second.line));
        let Extent { file, extent } = first.extent;
        if first.copy == second.copy {
            let what =
                format!("copy {} of extent {extent} of file {file} is in line {other} already", first.copy);
            return Err(wrong(line, what));
        }
        if first.units != second.units {
            let what = format!("extent {extent} of file {file} has another size than in line {other}");
            return Err(wrong(line, what));
        }
    }
    match rows.get(MOST_COPIES) {
        Some(row) => Err(wrong(row.line, format!("an extent has more than {MOST_COPIES} copies"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        parse(text, 1 << 20).unwrap_err().to_string()
    }

    #[test]
    fn copies_of_an_extent_find_each_other() {
        let text =
            "DISK,AU,COPY,FILE,EXTENT\n/dev/sdb,7,0,256,0\n/dev/sdc,9,1,256,0\n\n\"/dev/sdb\",8,0,256,1\n";
        let listed = parse(text, 1 << 20).unwrap();
        assert_eq!(listed.disks, [("/dev/sdb".to_owned(), 2), ("/dev/sdc".to_owned(), 3)]);
        assert_eq!((listed.single, listed.map.strips().len(), listed.map.total()), (1, 1, 1 << 20));
        let strip = &listed.map.strips()[0];
        assert_eq!(strip.copies, [Place { disk: 0, offset: 7 << 20 }, Place { disk: 1, offset: 9 << 20 }]);
        assert_eq!(strip.of, Some(Extent { file: 256, extent: 0 }));
    }

    #[test]
    fn larger_extents_have_a_size() {
        let text = "file,extent,copy,disk,au,size\n1,0,0,a,0,4\n1,0,1,b,4,4\n";
        assert_eq!(parse(text, 4 << 20).unwrap().map.total(), 16 << 20);
    }

    #[test]
    fn every_refusal_names_the_line() {
        let head = "disk,au,copy,file,extent\n";
        for (text, line, what) in [
            (String::new(), 1, "empty"),
            ("disk,au,copy,file\n".to_owned(), 1, "no column `extent`"),
            (format!("{head}a,1,0,1,0\nb,x,1,1,0\n"), 3, "`x` is no number"),
            (format!("{head}a,1,0\n"), 2, "no `file`"),
            (format!("{head}a,1,0,1,0\na,1,1,1,0\n"), 3, "of line 2 already"),
            (format!("{head}a,1,0,1,0\nb,1,0,1,0\n"), 3, "copy 0 of extent 0 of file 1"),
            (format!("{head},1,0,1,0\n"), 2, "no name"),
            (format!("{head}a,18446744073709551615,0,1,0\nb,1,1,1,0\n"), 2, "no disk is that large"),
            (
                "disk,au,copy,file,extent,size\na,0,0,1,0,4\nb,3,1,1,0,4\na,3,0,1,1,4\n".to_owned(),
                4,
                "of line 2",
            ),
            ("disk,au,copy,file,extent,size\na,0,0,1,0,4\nb,0,1,1,0,1\n".to_owned(), 3, "another size"),
            ("disk,au,copy,file,extent,size\na,0,0,1,0,0\n".to_owned(), 2, "0 units"),
        ] {
            let problem = refused(&text);
            assert!(
                problem.contains(what) && problem.contains(&format!("where: line {line}\n")),
                "{text}: {problem}"
            );
        }
    }
}
