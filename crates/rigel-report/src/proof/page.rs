//! Settings proven as one HTML page: what its script draws.
//!
//! Must not choose what the tables show.

use super::{ProofReport, words};
use crate::document::PageDocument;
use crate::document::html::Frame;
use crate::html::assets;
use crate::json_text::compact;
use rigel_core::error::Problem;
use rigel_core::units::say::full_percent;
use rigel_uses::proof::concurrency;
use rigel_uses::proof::page_cost::{self, Rule};
use serde::Serialize;

/// What the script draws: lines over the values of a setting.
#[derive(Serialize)]
struct Figures {
    regrets: Vec<Line>,
    /// By the name of the setting.
    shares: Vec<(String, Vec<Line>)>,
}

#[derive(Serialize)]
struct Line {
    name: String,
    /// The value, then its result with both ends of the interval.
    rows: Vec<(f64, [Option<f64>; 3])>,
}

impl PageDocument for ProofReport<'_> {
    fn frame(&self) -> Result<Frame, Problem> {
        let proof = self.proof;
        // Words are no axis.
        let charted = proof.concurrency.iter().filter(|found| !found.has_words());
        let figures = Figures {
            regrets: proof.page_cost.as_ref().map_or_else(Vec::new, regrets),
            shares: charted.map(|found| (found.setting.clone(), shares(found))).collect(),
        };
        Ok(Frame {
            title: format!("Settings of {}, proven", proof.about.product),
            when: vec![self.run.to_owned(), self.started.to_owned()],
            made_from: "the experiment",
            script: &assets::PROOF,
            figures: ("proof", compact(&figures)?),
            tables: "the tables hold every number",
        })
    }
}

fn regrets(found: &page_cost::PageCostFindings) -> Vec<Line> {
    let tried = || found.judged.iter().filter(|judged| judged.rule == Rule::Tried);
    let line = |(place, hits): (usize, &f64)| Line {
        name: format!("{} % in memory", full_percent(*hits)),
        rows: tried()
            .filter_map(|one| Some((*one.values.first()?, [one.regrets.get(place).copied(), None, None])))
            .collect(),
    };
    found.hit_rates.iter().enumerate().map(line).collect()
}

fn shares(found: &concurrency::ConcurrencyFindings) -> Vec<Line> {
    let line = |&sessions: &u32| {
        let row = |judged: &concurrency::ConcurrencyVerdict| {
            let at = judged.with(sessions)?;
            Some((f64::from(judged.value), at.share.columns()))
        };
        Line { name: words::sessions(sessions), rows: found.values.iter().filter_map(row).collect() }
    };
    found.sessions.iter().map(line).collect()
}
