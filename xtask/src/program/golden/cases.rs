//! Every golden case by its name, and the documents that are kept whole.
//!
//! A room for each kind of record, each with its list; a new case is a line there. Must not say what becomes of a record:
//! [`super::documents`] does.

mod bursts;
mod calibrations;
mod flags;
mod hostile;
mod interrupted;
mod levels;
mod loads;
mod nodes;
mod open;
mod others;
mod sides;
mod soaks;
mod sql;
mod through;
mod working_sets;

use super::{Document, documents};
use rigel_core::record::Record;

/// Something with documents.
pub struct Case {
    /// Its name, unique.
    pub name: &'static str,
    /// How it is made.
    pub made: CaseSource,
}

/// How the documents of a case are made.
#[derive(Clone, Copy)]
pub enum CaseSource {
    /// All outputs of a record.
    OfRecord(fn() -> anyhow::Result<Record>),
    /// What is made from several records, or from none.
    Otherwise(fn() -> anyhow::Result<Vec<Document>>),
}

impl Case {
    const fn of(name: &'static str, record: fn() -> anyhow::Result<Record>) -> Self {
        Self { name, made: CaseSource::OfRecord(record) }
    }

    const fn other(name: &'static str, documents: fn() -> anyhow::Result<Vec<Document>>) -> Self {
        Self { name, made: CaseSource::Otherwise(documents) }
    }

    /// All of them, by their paths.
    pub fn documents(&self) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
        let made = match self.made {
            CaseSource::OfRecord(record) => documents::of(&record()?)?,
            CaseSource::Otherwise(documents) => documents()?,
        };
        Ok(made.into_iter().map(|one| (format!("{}/{}", self.name, one.name), one.bytes)).collect())
    }
}

/// All of them.
pub fn all() -> Vec<Case> {
    let records = [
        levels::all(),
        loads::all(),
        open::all(),
        calibrations::all(),
        soaks::all(),
        through::all(),
        bursts::all(),
        working_sets::all(),
        sides::all(),
        sql::all(),
        nodes::all(),
        interrupted::all(),
        flags::all(),
        hostile::all(),
    ];
    records.into_iter().flatten().chain(others::all()).collect()
}

/// The documents that are kept whole, so that reviewers can read a change to them.
pub const WHOLE: [&str; 18] = [
    "advanced-point/csv",
    "advanced-point/json",
    "advanced-point/orion-19",
    "advice-reads/page",
    "calibrate-commits/calibration",
    "capacity-forecast/text",
    "compare-gates/table",
    "doctor-of-targets/text",
    "hostile-names/text",
    "rank-offers/markdown",
    "simple-adaptive/text",
    "simple-fixed/markdown",
    "slo-two-bounds/text",
    "soak-faults/text",
    "sql-beside-sessions/sql",
    "stopped/text",
    "through-path/text",
    "versus-gates/versus",
];
