//! `rigel fill --dry-run`: what would be written, and whether it would be refused.
//!
//! Must not write, nor read a target: that may take hours.

use super::place::Place;
use crate::args::FillArgs;
use crate::commands::run;
use crate::streams::Streams;
use rigel_core::error::Problem;
use rigel_core::facts::{TargetFacts, TargetKind};
use rigel_core::guard::scratch::{FILE_NAME, TRAILER_BYTES};
use rigel_core::load::request::DEFAULT_IO_TIMEOUT;
use rigel_core::path_text::{decode, encode};
use rigel_core::units::Bytes;
use rigel_io::targets::OpenTargets;
use rigel_io::targets::fill::SIZE;
use rigel_io::targets::inspect::Snapshot;
use rigel_io::targets::open::Access;
use rigel_io::targets::scratch::{check_creatable, check_room, dir_of, header_at, left_there};
use std::path::Path;

/// One line for each target. A certain refusal is a problem here, too.
pub fn dry_run(places: &[Place], options: &FillArgs, streams: &Streams) -> Result<(), Problem> {
    let mut refused = Vec::new();
    for place in places {
        let text = match place {
            Place::There { facts, bytes } => there(facts, *bytes, options, &mut refused)?,
            Place::New { path, bytes } => {
                check_new(path, *bytes)?;
                format!("{}: a file of {} would be created and filled.", encode(path), Bytes(*bytes))
            }
            Place::Scratch { path, bytes } => scratch(path, *bytes)?,
        };
        streams.results(format!("{text}\n").as_bytes())?;
    }
    if refused.is_empty() {
        return streams.results(b"Nothing was written: this was a dry run.\n");
    }
    Err(Problem::refused("the fill would be refused")
        .at(refused.join(", "))
        .next("see the reasons above; to overwrite a target, name it with --destroy-data"))
}

fn there(
    facts: &TargetFacts,
    bytes: u64,
    options: &FillArgs,
    refused: &mut Vec<String>,
) -> Result<String, Problem> {
    let path = decode(&facts.path);
    let doing = ("fill", "may be", "reads as zeros or as what an earlier fill wrote");
    let snapshot = Snapshot::take();
    let forecast = run::forecast_of(doing, facts, &options.destroy_data, DEFAULT_IO_TIMEOUT, &snapshot)?;
    if forecast.refused {
        refused.push(facts.path.clone());
    } else {
        let open = OpenTargets::open(std::slice::from_ref(facts), Access::ReadOnly, false)?;
        open.foresee_writes(std::slice::from_ref(facts))?;
        open.check_unloaded(false, true)?;
        if facts.kind == TargetKind::File {
            check_room(&path, bytes.saturating_sub(facts.allocated_bytes.unwrap_or(0)), SIZE)?;
        }
    }
    Ok(format!("{}: {} to fill. {}", facts.path, Bytes(bytes), forecast.text))
}

fn check_new(path: &Path, bytes: u64) -> Result<(), Problem> {
    check_creatable(dir_of(path))?;
    check_room(path, bytes, SIZE)
}

fn scratch(path: &Path, bytes: u64) -> Result<String, Problem> {
    let place = encode(path);
    let is_dir = path.is_dir();
    let header =
        if is_dir { left_there(path, Some(bytes)).map(|(_, header)| header) } else { header_at(path) };
    if let Some(header) = header {
        let what = if header.is_whole() { "were already filled" } else { "would be filled to the end" };
        return Ok(format!("{place}: {} {what}.", Bytes(header.data_bytes)));
    }
    let file = if is_dir { path.join(FILE_NAME) } else { path.to_owned() };
    check_new(&file, bytes.saturating_add(TRAILER_BYTES))?;
    Ok(format!("{place}: a scratch file of {} would be created and filled.", Bytes(bytes)))
}
