//! A record with the lines that did not fit into it, wherever they are. Must not change a file.

use super::report;
use crate::output::rest;
use crate::streams::Streams;
use rigel_core::error::Problem;
use rigel_core::path_text;
use rigel_core::record::Record;
use rigel_core::record::rest::{RestSplice, went_on};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// A record and all of its lines.
#[derive(Debug)]
pub struct FullRecord {
    pub bytes: Vec<u8>,
    pub record: Record,
    /// From there on the lines are not in the file of the record.
    pub behind: Option<usize>,
    /// The files that have them, and those with nothing that the record has not.
    pub rests: Vec<PathBuf>,
}

impl FullRecord {
    /// Out of the bytes of a record. `unkept`: lines of this process that are in no file.
    pub fn of(path: &Path, mut bytes: Vec<u8>, unkept: &[&[u8]], streams: &Streams) -> Result<Self, Problem> {
        let owner = fs::metadata(path).map_or(0, |found| found.uid());
        let found = rest::find(&bytes, owner)?;
        for path in &found.foreign {
            let path = path_text::encode(path);
            streams.remark(&format!(
                "{path} is ignored: it could be the end of the record, but belongs to another user"
            ));
        }
        for path in &found.closed {
            let path = path_text::encode(path);
            streams.remark(&format!(
                "the end of the record may be in {path}, which this user cannot read: do this as the user who ran the soak, or as root"
            ));
        }
        let (mut behind, mut rests) = (None, Vec::new());
        for rest in found.rests {
            let joint = RestSplice::of(&bytes, &rest.bytes)
                .map_err(|problem| problem.at(path_text::encode(&rest.path)))?;
            if !joint.more.is_empty() {
                behind = behind.or(Some((joint.stays, rest.path.clone())));
                bytes.truncate(joint.stays);
                bytes.extend(joint.more);
            }
            rests.push(rest.path);
        }
        unkept.iter().for_each(|line| bytes.extend(*line));
        let record = report::parse(&bytes, path).map_err(|problem| {
            let Some((stays, rest)) = &behind else { return problem };
            match report::parse(&bytes[..*stays], path) {
                Ok(_) => went_on().at(path_text::encode(rest)),
                Err(own) => own,
            }
        })?;
        Ok(Self { bytes, record, behind: behind.map(|(stays, _)| stays), rests })
    }

    /// Where the lines are that are not in the record; `None` if all are.
    pub fn elsewhere(&self) -> Option<String> {
        let files = || self.rests.iter().map(|path| path_text::encode(path)).collect::<Vec<_>>().join(", ");
        self.behind.map(|_| files())
    }
}
