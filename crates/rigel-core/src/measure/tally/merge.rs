//! The tallies of several workers, of the same visit.
//!
//! Must not know workers.

use super::ClassTally;
use crate::load::class::PerClass;
use std::collections::btree_map::Entry;

/// Adds the tallies of another worker in the same visit.
pub fn merge(sum: &mut PerClass<ClassTally>, more: PerClass<ClassTally>) {
    for (class, tally) in more {
        match sum.entry(class) {
            Entry::Occupied(mut mine) => mine.get_mut().add(&tally),
            Entry::Vacant(place) => {
                place.insert(tally);
            }
        }
    }
}
