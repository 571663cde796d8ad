//! `_flags.csv`: every flag with its figures, a row each: of the run, then of its points, then of the curves of a search.
//!
//! A table without flags has its header line only. Must not draw flags together that several points share.

use super::write;
use crate::view::View;
use rigel_core::error::Problem;
use rigel_core::judge::flags::Flag;
use rigel_core::path_text::printable;

const COLUMNS: [&str; 8] = ["run_id", "scope", "small", "large", "class", "code", "invalid", "text"];

/// The table with its header line.
pub(crate) fn table(view: &View<'_>) -> Result<Vec<u8>, Problem> {
    let run_id = printable(&view.record.header.run_id);
    let row = |place: [String; 4], flag: &Flag| {
        let mut row = vec![run_id.to_string()];
        row.extend(place);
        row.extend([
            flag.code.name().to_owned(),
            flag.invalid.to_string(),
            printable(&flag.text).into_owned(),
        ]);
        row
    };
    let nothing = String::new;
    let findings = &view.findings;
    let mut rows: Vec<Vec<String>> = Vec::new();
    rows.extend(
        findings.flags.iter().map(|flag| row(["run".to_owned(), nothing(), nothing(), nothing()], flag)),
    );
    for found in &findings.points {
        let (small, large) = (found.point.small.to_string(), found.point.large.to_string());
        let place = || ["point".to_owned(), small.clone(), large.clone(), nothing()];
        rows.extend(found.flags.iter().map(|flag| row(place(), flag)));
    }
    for found in &findings.curves {
        let class = found.class.name();
        let place = || ["curve".to_owned(), nothing(), nothing(), class.to_owned()];
        rows.extend(found.flags.iter().map(|flag| row(place(), flag)));
    }
    write(COLUMNS, rows)
}
