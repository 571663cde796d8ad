//! Past sessions, by the quantities of a calibration.
//!
//! Must not read a history.

use rigel_core::judge::answers::{ANSWERS, Answer, COUNT};
use rigel_core::judge::quantity::{Quantity, What};
use rigel_core::load::class::Class;
use rigel_core::stats::sessions::Sessions;

/// How much sessions of one storage differed, by answer; empty if that is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SessionSpread([Option<Sessions>; COUNT]);

impl SessionSpread {
    /// From the answers that show it.
    pub fn new(of: impl Fn(&Answer) -> Option<Sessions>) -> Self {
        Self(ANSWERS.each_ref().map(|answer| of(answer).filter(|_| answer.spread)))
    }

    /// Each answer of which it is known.
    pub fn known(&self) -> impl Iterator<Item = (&'static Answer, Sessions)> {
        ANSWERS.iter().zip(self.0).filter_map(|(answer, sessions)| Some((answer, sessions?)))
    }

    /// The value of the answer nearest to a quantity; `None` if no calibration answers it.
    pub fn of(&self, quantity: Quantity) -> Option<Sessions> {
        self.known().find(|(answer, _)| kind(answer.quantity) == kind(quantity)).map(|found| found.1)
    }
}

/// Quantities of one kind differ alike from session to session: a rate at one level and the highest, all of what commits cost.
fn kind(Quantity { what, class, .. }: Quantity) -> (Class, What) {
    match (class, what) {
        (Class::DSYNC | Class::FDATASYNC, What::Rate | What::Mean) => (Class::DSYNC, What::Mean),
        (class, What::Bounded) => (class, What::Mean),
        other => other,
    }
}
