//! Certainty about three things that are easily confused: the means of a session, comparisons within it, and what another session will show.
//!
//! Must not read a history; its content is given.

use crate::document::Block;
use crate::view::View;
use crate::words;
use rigel_core::stats::sessions::FEWEST_SESSIONS;
use schemars::JsonSchema;
use serde::Serialize;

/// What one session says about another.
pub(crate) const UNKNOWN: &str = "not known from one run: at least 1.4 times this ± for a rate";

/// How many sessions show their variation, as the first word of a sentence.
pub(crate) const FEWEST: &str = "Five";
const _: () = assert!(FEWEST_SESSIONS == 5, "the word for it");

/// How certain three statements are.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct SurenessText {
    /// The numbers, as means of this session.
    pub this_session: String,
    /// Comparisons within this session.
    pub within_it: String,
    /// What to expect of another session.
    pub another_session: String,
}

impl SurenessText {
    /// For a run on its own. Its outputs are made from its record alone, so no history counts.
    pub fn of_run(view: &View<'_>) -> Self {
        if !view.is_adaptive() {
            return Self {
                this_session: format!("± shows {}.", words::ONE_VISIT),
                within_it:
                    "Not known: no point was visited twice, so chance and real differences look alike."
                        .to_owned(),
                another_session: "Not known, and ± says nothing about it.".to_owned(),
            };
        }
        Self {
            this_session: format!("± is half the width of {}.", words::INTERVAL),
            within_it: "To compare two rates of this run, use the rounds that visited both points: whatever \
                slows a whole round affects both rates, but not their ratio."
                .to_owned(),
            another_session: format!(
                "What a run on another day will show is {UNKNOWN}. {} calibrations of the same targets on \
                 different days show it (`rigel calibrate --history`).",
                FEWEST
            ),
        }
    }

    /// All three.
    pub fn block(&self) -> Block {
        let facts = self.rows().map(|(name, text)| (name.to_owned(), text.to_owned()));
        Block::section("How certain are the numbers?", vec![Block::Facts(facts.into())])
    }

    /// Each with its name.
    pub fn rows(&self) -> [(&'static str, &str); 3] {
        [
            ("This session", &self.this_session),
            ("Within it", &self.within_it),
            ("Another one", &self.another_session),
        ]
    }
}
