//! A list of extents as text: which allocation units of which disks hold the copies of an extent of a file, as Oracle ASM lists them. Must
//! not open a disk.

use super::map::{MOST_COPIES, Map};
use rigel_core::error::Problem;
use rigel_core::facts::copies::{Extent, Place, Strip};
use rigel_core::path_text;
use rigel_core::units::Bytes;
use std::collections::BTreeMap;
use std::path::Path;

/// The columns, by the names of the first line.
const COLUMNS: [&str; 5] = ["disk", "au", "copy", "file", "extent"];
/// Allocation units of the extent; 1 without this column.
const SIZE: &str = "size";
/// Extents larger than this many units do not exist.
const MOST_UNITS: u64 = 1 << 16;
const ONE_NAME: &str = "give each disk one name in the list, and each copy the disk that holds it";

/// Where the copies are, according to such a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyList {
    /// The extents of which there are several copies, in the order of files.
    pub map: Map,
    /// Extents with one copy: there is nothing to compare.
    pub single: u64,
}

/// A list as it is written, before it is known which of its names mean one disk.
#[derive(Clone, Debug)]
pub struct List {
    disks: Vec<(String, usize)>,
    rows: Vec<Row>,
}

/// What is known about a name in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtentEntry {
    /// The disk that it means; names of one disk have one number.
    pub disk: u16,
    /// Bytes of the disk.
    pub size_bytes: u64,
}

#[derive(Clone, Debug)]
struct Row {
    line: usize,
    /// Place in the names of the disks.
    name: u16,
    unit: u64,
    units: u64,
    copy: u64,
    extent: Extent,
}

/// Reads the list.
///
/// # Errors
/// When a line cannot be read; with the line's number.
pub fn read(text: &str) -> Result<List, Problem> {
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let (number, first) = lines.next().ok_or_else(|| wrong(1, "the list is empty"))?;
    let columns = Columns::of(number, first)?;
    let mut disks: Vec<(String, usize)> = Vec::new();
    let mut rows = Vec::new();
    for (line, text) in lines {
        rows.push(columns.row(line, text, &mut disks)?);
    }
    Ok(List { disks, rows })
}

/// Reads a list in which every name is a separate disk of any size; `unit_bytes` is the size of an allocation unit.
///
/// # Errors
/// As [`read`] and [`List::listed`].
#[cfg(any(test, feature = "harness"))]
pub fn parse(text: &str, unit_bytes: u64) -> Result<CopyList, Problem> {
    let list = read(text)?;
    let own = |disk| ExtentEntry { disk, size_bytes: u64::MAX };
    let known: Vec<ExtentEntry> = (0..=u16::MAX).take(list.disks.len()).map(own).collect();
    list.listed(unit_bytes, &known)
}

impl List {
    /// Paths of the disks as the list has them, each with its first line.
    pub fn disks(&self) -> &[(String, usize)] {
        &self.disks
    }

    /// The copies, once every name is known; `unit_bytes` is the size of an allocation unit.
    ///
    /// # Errors
    /// When two lines claim the same place or a copy cannot be where a line says; with the line's number.
    pub fn listed(mut self, unit_bytes: u64, known: &[ExtentEntry]) -> Result<CopyList, Problem> {
        let rows = std::mem::take(&mut self.rows);
        ExtentRows { names: &self.disks, known, unit_bytes }.listed(rows)
    }
}

fn wrong(line: usize, what: impl Into<String>) -> Problem {
    Problem::usage(what).at(format!("line {line}")).next(
        "give columns disk,au,copy,file,extent and, if extents have several units, size, as `rigel help scrub` shows",
    )
}

/// The index of each column.
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
            *at = place(name).ok_or_else(|| wrong(line, format!("the column `{name}` is missing")))?;
        }
        Ok(Self { places, size: place(SIZE) })
    }

    fn row(&self, line: usize, text: &str, disks: &mut Vec<(String, usize)>) -> Result<Row, Problem> {
        let fields: Vec<&str> = text.split(',').map(unquoted).collect();
        let field = |at: usize, name: &str| {
            fields.get(at).copied().ok_or_else(|| wrong(line, format!("`{name}` is missing")))
        };
        let number = |at: usize, name: &str| {
            let text = field(at, name)?;
            text.parse::<u64>().map_err(|_| {
                let text = path_text::printable(text);
                wrong(line, format!("`{text}` is not a number, which `{name}` must be"))
            })
        };
        let [disk, unit, copy, file, extent] = self.places;
        let name = name_number(field(disk, "disk")?, line, disks)?;
        let units = self.size.map_or(Ok(1), |at| number(at, SIZE))?;
        if !(1..=MOST_UNITS).contains(&units) {
            return Err(wrong(line, format!("an extent cannot have {units} units")));
        }
        let extent = Extent { file: number(file, "file")?, extent: number(extent, "extent")? };
        Ok(Row { line, name, unit: number(unit, "au")?, units, copy: number(copy, "copy")?, extent })
    }
}

fn unquoted(field: &str) -> &str {
    let field = field.trim();
    field.strip_prefix('"').and_then(|field| field.strip_suffix('"')).unwrap_or(field).trim()
}

fn name_number(path: &str, line: usize, disks: &mut Vec<(String, usize)>) -> Result<u16, Problem> {
    if path.is_empty() {
        return Err(wrong(line, "the disk has no name"));
    }
    let known = disks.iter().position(|(known, _)| known == path).unwrap_or_else(|| {
        disks.push((path.to_owned(), line));
        disks.len() - 1
    });
    u16::try_from(known).map_err(|_| wrong(line, "there are more than 65536 disks"))
}

/// The rows of a list on their way to places on disks.
struct ExtentRows<'a> {
    names: &'a [(String, usize)],
    known: &'a [ExtentEntry],
    unit_bytes: u64,
}

impl ExtentRows<'_> {
    fn listed(&self, mut rows: Vec<Row>) -> Result<CopyList, Problem> {
        self.check_overlaps(&mut rows)?;
        let mut extents: BTreeMap<Extent, Vec<Row>> = BTreeMap::new();
        rows.into_iter().for_each(|row| extents.entry(row.extent).or_default().push(row));
        let (mut strips, mut single) = (Vec::new(), 0);
        for (extent, mut rows) in extents {
            rows.sort_by_key(|row| (row.copy, row.line));
            check_copies(&rows)?;
            self.check_disks(&rows)?;
            if rows.len() < 2 {
                single += 1;
                continue;
            }
            let copies = rows.iter().map(|row| self.place(row)).collect::<Result<Vec<Place>, Problem>>()?;
            let len = rows.first().map_or(0, |row| row.units.saturating_mul(self.unit_bytes));
            strips.push(Strip { len, copies, of: Some(extent) });
        }
        Ok(CopyList { map: Map::new(strips), single })
    }

    /// Its disk; one that nobody knows has no bytes.
    fn known(&self, row: &Row) -> ExtentEntry {
        let nothing = ExtentEntry { disk: row.name, size_bytes: 0 };
        self.known.get(usize::from(row.name)).copied().unwrap_or(nothing)
    }

    fn name(&self, row: &Row) -> String {
        let name = self.names.get(usize::from(row.name)).map_or("?", |(name, _)| name);
        path_text::encode(Path::new(name))
    }

    /// Refuses units of a disk that two lines claim.
    fn check_overlaps(&self, rows: &mut [Row]) -> Result<(), Problem> {
        rows.sort_by_key(|row| (self.known(row).disk, row.unit, row.line));
        for pair in rows.windows(2) {
            let [first, second] = pair else { continue };
            if self.known(first).disk == self.known(second).disk
                && first.unit.saturating_add(first.units) > second.unit
            {
                return Err(self.claimed_twice(first, second));
            }
        }
        Ok(())
    }

    fn claimed_twice(&self, first: &Row, second: &Row) -> Problem {
        let (later, earlier) = if first.line > second.line { (first, second) } else { (second, first) };
        let (name, other) = (self.name(later), self.name(earlier));
        let what = format!("allocation unit {} of {name} is already in line {}", second.unit, earlier.line);
        if later.name == earlier.name {
            return at_line(later, what)
                .because("two extents cannot be in the same place; the list may mix two points in time")
                .next("create the list again while no rebalance runs (V$ASM_OPERATION is empty)");
        }
        at_line(later, format!("{what}, where it is called {other}"))
            .because(format!("{other} and {name} are the same disk"))
            .next(ONE_NAME)
    }

    /// Refuses copies of one extent on one disk under two names. A list that gives two copies on one disk under one name is taken at its word.
    fn check_disks(&self, rows: &[Row]) -> Result<(), Problem> {
        for (index, row) in rows.iter().enumerate() {
            let is_same =
                |other: &&Row| other.name != row.name && self.known(other).disk == self.known(row).disk;
            let Some(other) = rows.iter().take(index).find(is_same) else { continue };
            let (later, earlier) = if row.line > other.line { (row, other) } else { (other, row) };
            let Extent { file, extent } = row.extent;
            let what = format!(
                "two copies of extent {extent} of file {file} are on one disk: {} in line {} and {} in line {}",
                self.name(earlier),
                earlier.line,
                self.name(later),
                later.line
            );
            return Err(at_line(later, what)
                .because("both names mean the same disk, and if it is lost, so are both copies")
                .next(ONE_NAME));
        }
        Ok(())
    }

    fn place(&self, row: &Row) -> Result<Place, Problem> {
        let unit = self.unit_bytes;
        let (start, len) = (row.unit.checked_mul(unit), row.units.checked_mul(unit));
        let end = start.zip(len).and_then(|(start, len)| start.checked_add(len));
        let end = end.filter(|&end| i64::try_from(end).is_ok());
        let (Some(start), Some(end)) = (start, end) else {
            return Err(wrong(row.line, "no disk is that large"));
        };
        let ExtentEntry { disk, size_bytes } = self.known(row);
        if end > size_bytes {
            let (what, unit) =
                (format!("a copy would lie beyond the end of {}", self.name(row)), Bytes(unit));
            return Err(Problem::refused(what)
                .at(format!("line {}", row.line))
                .because(format!(
                    "in allocation units of {unit} it is the {} bytes from {start}, but the disk has {size_bytes}",
                    end - start
                ))
                .next(format!(
                    "check that --au-size, here {unit}, is the ALLOCATION_UNIT_SIZE of V$ASM_DISKGROUP, and that the list is for this disk"
                )));
        }
        Ok(Place { disk, offset: start })
    }
}

/// A problem of a list whose columns are right.
fn at_line(row: &Row, what: String) -> Problem {
    Problem::usage(what).at(format!("line {}", row.line))
}

fn check_copies(rows: &[Row]) -> Result<(), Problem> {
    for pair in rows.windows(2) {
        let [first, second] = pair else { continue };
        let (line, other) = (first.line.max(second.line), first.line.min(second.line));
        let Extent { file, extent } = first.extent;
        if first.copy == second.copy {
            let what =
                format!("copy {} of extent {extent} of file {file} is already in line {other}", first.copy);
            return Err(wrong(line, what));
        }
        if first.units != second.units {
            let what = format!("extent {extent} of file {file} has a different size in line {other}");
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
        let list = read(text).unwrap();
        assert_eq!(list.disks(), [("/dev/sdb".to_owned(), 2), ("/dev/sdc".to_owned(), 3)]);
        let listed = parse(text, 1 << 20).unwrap();
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
            ("disk,au,copy,file\n".to_owned(), 1, "column `extent` is missing"),
            (format!("{head}a,1,0,1,0\nb,x,1,1,0\n"), 3, "`x` is not a number"),
            (format!("{head}a,1,0\n"), 2, "`file` is missing"),
            (format!("{head}a,1,0,1,0\na,1,1,1,0\n"), 3, "allocation unit 1 of a is already in line 2"),
            (format!("{head}a,1,0,1,0\nb,1,0,1,0\n"), 3, "copy 0 of extent 0 of file 1"),
            (format!("{head},1,0,1,0\n"), 2, "no name"),
            (format!("{head}a,18446744073709551615,0,1,0\nb,1,1,1,0\n"), 2, "no disk is that large"),
            (
                "disk,au,copy,file,extent,size\na,0,0,1,0,4\nb,3,1,1,0,4\na,3,0,1,1,4\n".to_owned(),
                4,
                "already in line 2",
            ),
            ("disk,au,copy,file,extent,size\na,0,0,1,0,4\nb,0,1,1,0,1\n".to_owned(), 3, "a different size"),
            ("disk,au,copy,file,extent,size\na,0,0,1,0,0\n".to_owned(), 2, "0 units"),
        ] {
            let problem = refused(&text);
            assert!(
                problem.contains(what) && problem.contains(&format!("where: line {line}\n")),
                "{text}: {problem}"
            );
        }
    }

    /// A list whose names are known: the first two are one disk of 10 units of 1 MiB.
    fn known(rows: &str) -> Result<CopyList, Problem> {
        let list = read(&format!("disk,au,copy,file,extent\n{rows}")).unwrap();
        let disk = |disk| ExtentEntry { disk, size_bytes: 10 << 20 };
        list.listed(1 << 20, &[disk(0), disk(0), disk(1)])
    }

    #[test]
    fn two_names_of_one_disk_are_one_disk() {
        for (rows, line, what) in [
            ("a,3,0,1,0\nb,3,1,1,0\n", 3, "unit 3 of b is already in line 2, where it is called a"),
            ("a,3,0,1,0\nb,4,1,1,0\n", 3, "on one disk: a in line 2 and b in line 3"),
            ("a,3,0,1,0\nb,9,0,1,1\nc,3,1,1,0\nb,4,1,1,1\na,4,1,1,2\n", 6, "where it is called b"),
        ] {
            let problem = known(rows).unwrap_err().to_string();
            let place = format!("where: line {line}\n");
            assert!(problem.contains(what) && problem.contains(&place), "{rows}: {problem}");
            assert!(problem.contains("give each disk one name") && !problem.contains("columns"), "{problem}");
        }
        let strips = known("a,3,0,1,0\nb,9,0,1,1\nc,3,1,1,0\nc,4,1,1,1\n").unwrap().map;
        let disks: Vec<u16> =
            strips.strips().iter().flat_map(|strip| &strip.copies).map(|copy| copy.disk).collect();
        assert_eq!(disks, [0, 1, 0, 1]);
    }

    #[test]
    fn what_is_no_fault_of_the_columns_says_what_to_do() {
        let problem = refused("disk,au,copy,file,extent\na,1,0,1,0\na,1,1,1,0\n");
        assert!(problem.contains("no rebalance runs") && !problem.contains("give columns"), "{problem}");
        let problem = known("a,1,0,1,0\nb,2,0,1,1\nc,10,1,1,0\n").unwrap_err();
        assert_eq!(problem.kind.code(), 3);
        let problem = problem.to_string();
        for part in [
            "beyond the end of c",
            "where: line 4\n",
            "1048576 bytes from 10485760, but",
            "--au-size, here 1 MiB",
        ] {
            assert!(problem.contains(part), "{part}: {problem}");
        }
    }
}
