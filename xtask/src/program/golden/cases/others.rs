//! What is not made of one record: comparisons, pages about several, advice, and the commands that measure nothing.

mod advice;
mod capacity;
mod checks;
mod compare;
mod machines;
mod proof;
mod rank;
mod scores;

use super::Case;

/// The cases.
pub fn all() -> Vec<Case> {
    let rooms = [
        compare::all(),
        advice::all(),
        capacity::all(),
        checks::all(),
        machines::all(),
        proof::all(),
        rank::all(),
        scores::all(),
    ];
    rooms.into_iter().flatten().collect()
}
