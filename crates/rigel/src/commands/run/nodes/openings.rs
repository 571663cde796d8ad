//! What the other nodes say about their targets: received while the first node reads its own, which may take long, so that a refusing node is not
//! kept waiting.
//!
//! Must not open anything.

use super::of_node;
use crate::signals::Signals;
use rigel_cluster::line::Line;
use rigel_cluster::message::Message;
use rigel_core::error::Problem;
use rigel_run::bench::Site;
use std::cell::RefCell;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The message of each node.
pub struct Openings<'a> {
    line: &'a Line,
    signals: &'a Signals,
    told: RefCell<OpeningNews>,
}

struct OpeningNews {
    /// The nodes that have not answered yet.
    waiting: Vec<usize>,
    sites: Vec<Option<Site>>,
    trouble: Option<Problem>,
}

impl<'a> Openings<'a> {
    pub fn of(line: &'a Line, signals: &'a Signals) -> Self {
        let (waiting, sites) = (line.others().collect(), vec![None; line.size()]);
        Self { line, signals, told: RefCell::new(OpeningNews { waiting, sites, trouble: None }) }
    }

    /// Receives what has arrived; a refusal ends what this node does.
    pub fn listen(&self) {
        let mut told = self.told.borrow_mut();
        while told.trouble.is_none() {
            match self.line.poll() {
                Ok(Some((from, Message::Ready(ready)))) => match *ready {
                    Ok(site) => {
                        told.waiting.retain(|&rank| rank != from);
                        told.sites[from] = site;
                    }
                    Err(problem) => told.trouble = Some(of_node(self.line, from, problem)),
                },
                Ok(Some((from, other))) => told.trouble = Some(self.line.out_of_turn(from, other.name())),
                Ok(None) => return,
                Err(problem) => told.trouble = Some(problem),
            }
        }
        self.signals.flag().store(true, Ordering::Relaxed);
    }

    /// With the result of this node: its own place and those of the others, by rank. The first refusal is the answer
    /// of all; of two, that of another node, because this one was stopped for it.
    pub fn all<T>(
        self,
        own: Result<T, Problem>,
        longest: Duration,
    ) -> Result<(T, Vec<Option<Site>>), Problem> {
        let OpeningNews { waiting, mut sites, trouble } = self.told.into_inner();
        let own = match trouble {
            Some(problem) => return Err(problem),
            None => own?,
        };
        let what = "when it should have opened its targets";
        let answer = |_: usize, message: Message| match message {
            Message::Ready(ready) => Ok(*ready),
            other => Err(Box::new(other)),
        };
        let told = self.line.gather_until(&waiting, longest, what, answer, Result::is_err)?;
        for (rank, ready) in told.into_iter().enumerate() {
            if let Some(ready) = ready {
                sites[rank] = ready.map_err(|problem| of_node(self.line, rank, problem))?;
            }
        }
        Ok((own, sites))
    }
}
