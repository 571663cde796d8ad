//! The possible targets on this host, and whether each may be written: a table, and one JSON document,
//! `rigel.targets/1`.
//!
//! The types here are the interface. Must not look at a device, and must not judge; [`rigel_core::guard::safety`] does.

use crate::document::{self, Block, Blocks, Column, Paragraph, Room, Table};
use crate::json_text::{pretty, schema_of, text};
use crate::words::yes_or_no;
use rigel_core::error::Problem;
use rigel_core::facts::{TargetFacts, TargetKind};
use rigel_core::guard::safety::{Evidence, Verdict, judge};
use rigel_core::units::Bytes;
use rigel_core::units::say::counted;
use schemars::JsonSchema;
use serde::Serialize;

/// Name and version of the document's form.
pub const SCHEMA: &str = "rigel.targets/1";

/// A target that was examined.
#[derive(Clone, Debug)]
pub struct TargetCheck {
    /// What it is.
    pub facts: TargetFacts,
    /// What is on it and who uses it.
    pub evidence: Vec<Evidence>,
    /// Why it could not be examined closely; the evidence is then what is known without reading it.
    pub trouble: Option<String>,
    /// Why it could not be opened at all, and what would help; the facts are then what the kernel lists.
    pub closed: Option<Problem>,
}

/// Targets, and the operations that are allowed on them.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "rigel.targets/1")]
struct Document {
    /// Name and version of this form.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Sorted by name, partitions after their disks; or in the order in which they were named.
    targets: Vec<TargetDocument>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Target")]
struct TargetDocument {
    /// Path.
    path: String,
    /// The path with all links resolved.
    real_path: String,
    /// What sort of file it is.
    #[schemars(extend("enum" = ["file", "block device", "character device", "simulated"]))]
    kind: &'static str,
    /// Size in bytes.
    size_bytes: u64,
    /// Model as reported by the device; for a file, by the device below it.
    model: Option<String>,
    /// How the device is attached.
    transport: Option<String>,
    /// Whether it spins.
    rotational: Option<bool>,
    /// Devices that it is made of.
    made_of: Vec<String>,
    /// Filesystem of a file.
    filesystem: Option<String>,
    /// Whether direct I/O works.
    direct_io: Option<bool>,
    /// Why it is memory of this host and not storage; null if there is no sign of that.
    memory: Option<String>,
    /// Its contents and its users, a sentence each.
    evidence: Vec<String>,
    /// Signatures among them, `ext4`, `gpt` ..
    signatures: Vec<String>,
    /// Where it, or a part of it, is mounted.
    mounts: Vec<String>,
    /// Devices that are made of it.
    holders: Vec<String>,
    /// Nothing uses it and nothing is on it.
    free: bool,
    /// Reading is always allowed; this is about writing.
    #[schemars(extend("enum" = ["may be written", "needs consent", "refused"]))]
    write: &'static str,
    /// The option that gives consent; null when none is needed, or none would help.
    consent: Option<String>,
    /// What must be done first, if consent does not help.
    remedy: Option<String>,
    /// Why it could not be inspected or opened.
    trouble: Option<String>,
}

/// The document, pretty-printed.
///
/// # Errors
/// Only when a library refuses to write to memory, which is a bug.
pub fn json(all: &[TargetCheck]) -> Result<Vec<u8>, Problem> {
    pretty(&Document { schema: SCHEMA, targets: all.iter().map(document).collect() })
}

/// The JSON Schema of the document.
pub fn schema() -> String {
    schema_of::<Document>()
}

/// The verdict. After an incomplete examination a write needs consent, because there may be unseen data. What
/// cannot be opened cannot be written.
fn verdict(examined: &TargetCheck) -> Verdict {
    if examined.closed.is_some() {
        return Verdict::Refused;
    }
    match (judge(&examined.evidence), &examined.trouble) {
        (Verdict::MayWrite, Some(_)) => Verdict::NeedsConsent,
        (verdict, _) => verdict,
    }
}

fn document(examined: &TargetCheck) -> TargetDocument {
    let facts = &examined.facts;
    let device = facts.device.as_ref();
    let verdict = verdict(examined);
    let closed = examined.closed.as_ref();
    let trouble = closed.map(|problem| match &problem.cause {
        Some(cause) => format!("{}: {cause}", problem.what),
        None => problem.what.clone(),
    });
    let remedies = examined.evidence.iter().filter_map(Evidence::remedy);
    let mut found = TargetDocument {
        path: text(&facts.path),
        real_path: text(&facts.real_path),
        kind: facts.kind.name(),
        size_bytes: facts.size_bytes,
        model: device.and_then(|device| device.model.as_deref().map(text)),
        transport: device.and_then(|device| device.transport.as_deref().map(text)),
        rotational: device.and_then(|device| device.rotational),
        made_of: device
            .map(|device| device.made_of.iter().map(|name| text(name)).collect())
            .unwrap_or_default(),
        filesystem: facts.filesystem.as_deref().map(text),
        direct_io: facts.direct_io,
        memory: facts.memory().map(|memory| text(&format!("{memory}; {}", memory.effect()))),
        evidence: examined.evidence.iter().map(|evidence| text(&evidence.to_string())).collect(),
        signatures: Vec::new(),
        mounts: Vec::new(),
        holders: Vec::new(),
        free: verdict == Verdict::MayWrite,
        write: word(verdict),
        consent: (verdict == Verdict::NeedsConsent).then(|| format!("--destroy-data {}", text(&facts.path))),
        remedy: closed
            .and_then(|problem| problem.next.clone())
            .into_iter()
            .chain(remedies)
            .next()
            .map(|remedy| text(&remedy)),
        trouble: trouble.or_else(|| examined.trouble.clone()).map(|trouble| text(&trouble)),
    };
    for evidence in &examined.evidence {
        match evidence {
            Evidence::Signature { kind, .. } => found.signatures.push(text(kind)),
            Evidence::Mounted { mount_point, .. } => found.mounts.push(text(mount_point)),
            Evidence::Held { holder, .. } => found.holders.push(text(holder)),
            _ => {}
        }
    }
    found
}

const fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::MayWrite => "may be written",
        Verdict::NeedsConsent => "needs consent",
        Verdict::Refused => "refused",
    }
}

/// Targets, each with what was found on it below.
pub struct TargetList<'a>(pub &'a [TargetCheck]);

impl document::Document for TargetList<'_> {
    fn blocks(&self, _room: Room) -> Blocks {
        let all = self.0;
        if all.is_empty() {
            return vec![Block::paragraph("This host shows no block device with a medium.")].into();
        }
        let rows: Vec<(&TargetCheck, TargetDocument)> = all.iter().map(|one| (one, document(one))).collect();
        let free = rows.iter().filter(|(_, row)| row.free).count();
        let answer = match free {
            0 => "No target may be written without consent; all that open may be read.".to_owned(),
            free => format!(
                "{free} of {} may be written; all that open may be read.",
                counted(rows.len(), "target")
            ),
        };
        let table = Table::of("target", &rows)
            .column(Column::left("Target").width(22), |(_, row)| row.path.clone())
            .column(Column::right("Size").width(10), |(_, row)| Bytes(row.size_bytes).to_string())
            .column(Column::left("Transport").width(13), |(examined, row)| match examined.facts.kind {
                TargetKind::File => Some(row.filesystem.clone().unwrap_or_else(|| "file".to_owned())),
                _ => row.transport.clone(),
            })
            .column(Column::left("Rot").width(4), |(_, row)| yes_or_no(row.rotational))
            .column(Column::left("Model").width(14), |(_, row)| row.model.clone())
            .column(Column::left("Writing").gap(1), |(_, row)| row.write)
            .below(|(examined, row)| below(examined, row))
            .done();
        let rule = "needs consent: give --destroy-data TARGET, and what is on it is lost. refused: mounted, held, swapped on or read-only; always \
                    refused, even with --destroy-data.";
        vec![Block::paragraph(answer), Block::part(vec![table]), Block::part(vec![Block::paragraph(rule)])]
            .into()
    }
}

/// What was found on a target.
fn below(examined: &TargetCheck, found: &TargetDocument) -> Vec<Block> {
    let is_closed = examined.closed.is_some();
    let known = if is_closed { "" } else { "not fully examined: " };
    let to_mend = if is_closed { "    to read: " } else { "    to write: " };
    let remedy = found.remedy.as_ref().filter(|_| found.write == "refused");
    let memory = found.memory.iter().map(|memory| ("    memory: ", memory.clone()));
    let evidence = found.evidence.iter().map(|evidence| ("    ", evidence.clone()));
    let trouble = found.trouble.iter().map(|trouble| ("    ", format!("{known}{trouble}")));
    let remedy = remedy.into_iter().map(|remedy| (to_mend, remedy.clone()));
    let all = memory.chain(evidence).chain(trouble).chain(remedy);
    all.map(|(label, text)| Paragraph::labelled(label, 6, text).into()).collect()
}
