//! What a record becomes: every format, every text, and what only some runs have.
//!
//! Must not choose records.

mod more;
mod texts;

pub use more::told;
pub use texts::{ASCII, COLOUR, files};

use super::Document;
use rigel_core::record::{Interval, Line, Record, write_line};
use rigel_report::soak::SoakReport;
use rigel_report::through::ThroughReport;
use rigel_report::{Format, OrionVersion, OutputFile, View, render};
use rigel_uses::soak::SoakFindings;
use rigel_uses::through::ThroughFindings;

/// All outputs of a record.
pub fn of(record: &Record) -> anyhow::Result<Vec<Document>> {
    let view = View::of(record);
    let mut all = vec![Document::new("record", lines(record)?)];
    for format in formats() {
        let name = match format {
            Format::Orion(version) => format!("orion-{}", version.name()),
            other => other.name().to_owned(),
        };
        all.push(joined(name, &outputs(format, record, &view)?));
    }
    all.extend(texts::of(&view));
    all.extend(more::of(record, &view)?);
    Ok(all)
}

/// Every format, ORION's in each layout.
fn formats() -> impl Iterator<Item = Format> {
    let orion = OrionVersion::ALL.map(Format::Orion);
    orion.into_iter().chain(Format::ALL.into_iter().filter(|format| !matches!(format, Format::Orion(_))))
}

/// The files of a format, as `rigel report` makes them: a soak has its own.
fn outputs(format: Format, record: &Record, view: &View<'_>) -> anyhow::Result<Vec<OutputFile>> {
    if let Some(found) = ThroughFindings::of(record)
        && let Some(file) = rigel_report::through::file(format, &ThroughReport { record, found: &found })?
    {
        return Ok(vec![file]);
    }
    let of_soak = match SoakFindings::of(record) {
        Some(found) => rigel_report::soak::file(format, &SoakReport { record, found: &found, lost: 0 })?,
        None => None,
    };
    Ok(match of_soak {
        Some(file) => vec![file],
        None => render(format, view)?,
    })
}

/// What surrounds the charting library in a page.
const LIBRARY: [&str; 2] = ["id=\"library\">", "</script>"];

/// A page without the charting library, which is the same in all of them; its digest stays, in the policy of the page.
pub fn page(name: impl Into<String>, page: &OutputFile) -> Document {
    let text = String::from_utf8_lossy(&page.bytes);
    let [before, after] = LIBRARY;
    let around = text.split_once(before).and_then(|(head, rest)| Some((head, rest.split_once(after)?.1)));
    match around {
        Some((head, tail)) => Document::new(name, [head, before, after, tail].concat()),
        None => Document::new(name, page.bytes.clone()),
    }
}

/// Several files as one document, each below its name; a single one unchanged.
pub fn joined(name: impl Into<String>, files: &[OutputFile]) -> Document {
    if let [only] = files {
        return if only.suffix.ends_with(".html") {
            page(name, only)
        } else {
            Document::new(name, only.bytes.clone())
        };
    }
    let mut bytes = Vec::new();
    for file in files {
        bytes.extend(format!("==> {} <==\n", file.suffix).into_bytes());
        bytes.extend(&file.bytes);
    }
    Document::new(name, bytes)
}

/// The lines of a record, in the order in which a run writes them.
pub fn lines(record: &Record) -> anyhow::Result<Vec<u8>> {
    let Record { header, search, visits, intervals, resumed, set_aside, drives, marks, closing, torn } =
        record;
    let mut all = vec![Line::Header(Box::new(header.clone()))];
    let mut looks = drives.iter().cloned().map(Line::Drives);
    let after = looks.len() / 2;
    all.extend(looks.by_ref().take(after));
    all.extend(search.iter().cloned().map(Box::new).map(Line::Search));
    let mut going_on = resumed.iter().zip(set_aside.iter().map(Some).chain(std::iter::repeat(None)));
    let mut next = going_on.next();
    for (done, visit) in visits.iter().enumerate() {
        let kept = (search.len() + done) as u64;
        while let Some((line, aside)) = next.take_if(|(line, _)| line.kept == kept) {
            if line.set_aside > 0 {
                all.extend(aside.cloned().map(Box::new).map(Line::Visit));
            }
            all.push(Line::Resumed(line.clone()));
            next = going_on.next();
        }
        let own = intervals.iter().filter(|interval| interval.visit == visit.number);
        all.extend(own.cloned().map(Box::new).map(Line::Interval));
        all.push(Line::Visit(Box::new(visit.clone())));
    }
    let of_no_visit = |interval: &&Interval| visits.iter().all(|visit| visit.number != interval.visit);
    all.extend(intervals.iter().filter(of_no_visit).cloned().map(Box::new).map(Line::Interval));
    all.extend(looks);
    all.extend(marks.iter().cloned().map(Line::Mark));
    all.extend(closing.iter().cloned().map(Line::Closing));
    let mut bytes = Vec::new();
    for line in &all {
        bytes.extend(write_line(line)?);
    }
    if torn.is_some() {
        bytes.extend(b"{\"line\":\"visit\",\"step\":");
    }
    Ok(bytes)
}
