//! Runs whose answer is how a rate changes: over time, or over the size of what is read. None of their points represents the storage, so each has
//! its own sentence, blocks, cards and charts instead.
//!
//! Must not know what they say.

use crate::document::picture::Panel;
use crate::document::{Block, Card, Room};
use crate::metric_family::Family;
use crate::view::View;
use crate::{burst, working_set};
use rigel_core::judge::answer::Answer;

/// Whether a run is of this kind, and has its answer.
pub(crate) fn is_of(view: &View<'_>) -> bool {
    matches!(view.answer(), Answer::Burst(_) | Answer::WorkingSet(_))
}

/// The result; of numbers that must not be used only that they say nothing. `None` for another run.
pub(crate) fn reached(view: &View<'_>, usable: bool) -> Option<String> {
    burst::reached(view, usable).or_else(|| working_set::reached(view, usable))
}

/// The figures; empty for another run.
pub(crate) fn blocks(view: &View<'_>, room: Room) -> Vec<Block> {
    burst::blocks(view, room).into_iter().chain(working_set::blocks(view, room)).collect()
}

/// The headline numbers; empty for another run.
pub(crate) fn cards(view: &View<'_>) -> Option<Vec<Card>> {
    burst::cards(view).or_else(|| working_set::cards(view))
}

/// The charts; empty for another run.
pub(crate) fn panels(view: &View<'_>) -> Vec<Panel> {
    burst::panel(view).into_iter().chain(working_set::panels(view)).collect()
}

/// Their families of OpenMetrics.
pub(crate) fn families(view: &View<'_>) -> Vec<Family> {
    burst::families(view).into_iter().chain(working_set::families(view)).collect()
}
