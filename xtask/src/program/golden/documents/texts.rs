//! The texts for a terminal that are no format: in colours, in ASCII, parts by themselves, and the plan of the run.
//!
//! Must not know a kind of run.

use super::super::Document;
use rigel_report::text::{self, Intent, ScratchIntent, Style};
use rigel_report::{OrionVersion, View, orion};

/// With colours, on a terminal that shows Unicode.
pub const COLOUR: Style = Style { colour: true, ascii: false };
/// Without colours, in plain ASCII.
pub const ASCII: Style = Style { colour: false, ascii: true };

/// The texts of a run.
pub fn of(view: &View<'_>) -> Vec<Document> {
    let header = &view.record.header;
    let files = files(&header.run_id);
    let mut all = vec![
        Document::new("text-colour", text::report(view, COLOUR, &files)),
        Document::new("text-ascii", text::report(view, ASCII, &files)),
        Document::new("verdict", text::verdict_of(view)),
        Document::new("table", text::table(view)),
    ];
    // What is meant beside the plan is the same for all of them, and told where something is written.
    let intent = header.plan.writes.then(|| intent(&header.run_id));
    all.push(Document::new(
        "plan",
        text::plan(&header.request, &header.plan, &header.targets, intent.as_ref()),
    ));
    let mut printed = String::new();
    for version in OrionVersion::ALL {
        let minutes = header.plan.estimate_minutes;
        printed += &orion::banner(version, &header.program_version, &header.run_id, minutes);
        printed += &orion::result_block(version, view);
    }
    all.push(Document::new("orion-printed", printed));
    all
}

/// The paths of a run's outputs.
pub fn files(run_id: &str) -> Vec<String> {
    let run_id = rigel_core::path_text::printable(run_id);
    ["_record.jsonl", "_summary.txt", "_report.html"]
        .map(|end| format!("/home/oracle/out/{run_id}{end}"))
        .into()
}

fn intent(run_id: &str) -> Intent {
    Intent {
        scratch: Some(ScratchIntent { new_files: 1, fill_bytes: 1 << 30, kept: false }),
        consent: vec!["/dev/sdb: may be written, as --destroy-data names it".into()],
        engine: Some("io_uring, the best that works here".into()),
        notes: vec!["reads may be answered by a cache of the array".into()],
        outputs: files(run_id),
    }
}
