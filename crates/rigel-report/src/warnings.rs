//! What casts doubt on the numbers of a run, above a table: a line each on a terminal, all of it on a page.
//!
//! Must not choose a cause; the verdict does.

use crate::document::{Block, Room};
use crate::judgement::Cause;

/// Further ones are named by their codes.
const MOST: usize = 3;

/// A list of them; `None` if there are none.
pub(crate) fn list(causes: &[Cause], room: Room) -> Vec<Block> {
    let (shown, others) = causes.split_at(causes.len().min(room.either(MOST, usize::MAX)));
    let names: Vec<String> = others.iter().map(Cause::label).collect();
    let also = (!names.is_empty()).then(|| format!("Also: {}.", names.join("; ")));
    let lines: Vec<String> = shown.iter().map(|cause| line(cause, room)).chain(also).collect();
    if lines.is_empty() { Vec::new() } else { vec![Block::List(lines)] }
}

/// What must not be used always comes with the reason and what to do.
pub(crate) fn line(cause: &Cause, room: Room) -> String {
    let figures = format!("{}: {}.", cause.label(), cause.figures);
    match cause.code {
        None => format!("{} {}", cause.means, cause.remedy),
        Some(_) if room.is_wide() || cause.invalid => format!("{} {figures} {}", cause.means, cause.remedy),
        Some(_) => figures,
    }
}
