//! Settings of I/O at once, such as `effective_io_concurrency`: how fast bitmap scans are under each value, with several numbers of sessions.
//!
//! Must not compare rates of different numbers of sessions.

use super::{Verdict, over_rounds, together};
use rigel_core::stats::sample::mean;
use rigel_core::stats::turns::{Turn, turns};
use rigel_core::stats::{Estimate, Interval};
use schemars::JsonSchema;
use serde::Serialize;

/// An advised value has at least this share of the best rate.
pub const LEAST_SHARE: f64 = 0.95;

const SCANS: &str = "rows per second of bitmap scans";

/// The rounds of a value with this many sessions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rates {
    /// Sessions that scan at the same time.
    pub sessions: u32,
    /// The value.
    pub value: u32,
    /// The round, and rows per second over all sessions.
    pub rounds: Vec<(u32, f64)>,
}

impl Rates {
    fn mean(&self) -> f64 {
        mean(&self.rounds.iter().map(|(_, rate)| rate.ln()).collect::<Vec<_>>()).exp()
    }
}

/// The results of all values.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(description = "Results for all values of a concurrency setting.")]
pub struct ConcurrencyFindings {
    /// Its name; after a comma, which part of it if its rates are reported in several ways.
    pub setting: String,
    /// What the rates count.
    pub measures: String,
    /// The default of the server.
    pub default: u32,
    /// The result of the rule of `advise` for the storage, and for the CPUs if they matter. Null if there is none.
    pub advised: Option<u32>,
    /// Numbers of sessions, ascending.
    pub sessions: Vec<u32>,
    /// The values, ascending.
    pub values: Vec<ConcurrencyVerdict>,
}

/// The verdict on a value.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(description = "Result for a value.")]
pub struct ConcurrencyVerdict {
    /// The value; if the values of the setting are words, the number of the word.
    pub value: u32,
    /// The word, of such a setting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word: Option<String>,
    /// The results with each number of sessions; numbers for which no scan ended in time are left out.
    pub at: Vec<SessionsResult>,
    /// Whether it may be advised.
    pub verdict: Verdict,
}

/// A value with a number of sessions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(description = "A value with a number of sessions.")]
pub struct SessionsResult {
    /// Sessions.
    pub sessions: u32,
    /// Rows per second over all sessions; in bitmap scans nearly every row is in another block.
    pub rows_per_s: f64,
    /// Rate divided by the best one with that number of sessions.
    pub share: Estimate,
    /// Rate divided by that of the default; null for the default itself.
    pub over_default: Option<Estimate>,
}

impl ConcurrencyFindings {
    /// Judges every value; `None` if nothing was measured.
    pub fn of(setting: &str, all: &[Rates], default: u32, advised: Option<u32>) -> Option<Self> {
        let mut sessions: Vec<u32> = all.iter().map(|one| one.sessions).collect();
        sessions.sort_unstable();
        sessions.dedup();
        let mut values: Vec<u32> = all.iter().map(|one| one.value).collect();
        values.sort_unstable();
        values.dedup();
        let mut judged: Vec<ConcurrencyVerdict> = values
            .iter()
            .map(|&value| ConcurrencyVerdict {
                value,
                word: None,
                at: Vec::new(),
                verdict: Verdict::Undecided,
            })
            .collect();
        for &number in &sessions {
            for at in of_sessions(all, number, default) {
                judged.iter_mut().filter(|one| one.value == at.0).for_each(|one| one.at.push(at.1));
            }
        }
        judged.iter_mut().for_each(|one| one.verdict = verdict(&one.at, sessions.len()));
        (!judged.is_empty()).then(|| Self {
            setting: setting.to_owned(),
            measures: SCANS.to_owned(),
            default,
            advised,
            sessions,
            values: judged,
        })
    }

    /// The same for a setting whose values are these words, numbered from 0.
    #[must_use]
    pub fn in_words(mut self, words: &[&str]) -> Self {
        for one in &mut self.values {
            let word = usize::try_from(one.value).ok().and_then(|place| words.get(place));
            one.word = word.map(|&word| word.to_owned());
        }
        self
    }

    /// The same for other rates than those of bitmap scans.
    #[must_use]
    pub fn measuring(self, what: &str) -> Self {
        Self { measures: what.to_owned(), ..self }
    }

    /// Whether the values are words.
    pub fn has_words(&self) -> bool {
        self.values.iter().any(|one| one.word.is_some())
    }

    /// The result of the rule of `advise`.
    pub fn advised(&self) -> Option<&ConcurrencyVerdict> {
        self.values.iter().find(|one| Some(one.value) == self.advised)
    }

    /// The default, as the server has it in its configuration.
    pub fn default_shown(&self) -> String {
        let found = self.values.iter().find(|one| one.value == self.default);
        found.map_or_else(|| self.default.to_string(), ConcurrencyVerdict::shown)
    }

    /// The values that pass.
    pub fn passing(&self) -> Vec<&ConcurrencyVerdict> {
        self.values.iter().filter(|one| one.verdict == Verdict::Passes).collect()
    }
}

impl ConcurrencyVerdict {
    /// Its result with this many sessions; `None` if no scan ended in time.
    pub fn with(&self, sessions: u32) -> Option<&SessionsResult> {
        self.at.iter().find(|at| at.sessions == sessions)
    }

    /// The value, as the server has it in its configuration.
    pub fn shown(&self) -> String {
        self.word.clone().unwrap_or_else(|| self.value.to_string())
    }
}

/// Every value with this many sessions.
fn of_sessions(all: &[Rates], sessions: u32, default: u32) -> Vec<(u32, SessionsResult)> {
    let own: Vec<&Rates> =
        all.iter().filter(|one| one.sessions == sessions && !one.rounds.is_empty()).collect();
    let Some(best) = own.iter().max_by(|a, b| a.mean().total_cmp(&b.mean())) else { return Vec::new() };
    let usual = own.iter().find(|one| one.value == default);
    let shares = together(&own.iter().map(|one| turns_of(best, one)).collect::<Vec<_>>());
    let none = Rates::default();
    let over = together(&own.iter().map(|one| turns_of(usual.unwrap_or(&&none), one)).collect::<Vec<_>>());
    let at = |((one, share), over): ((&&Rates, Option<Interval>), Option<Interval>)| {
        let at = SessionsResult {
            sessions,
            rows_per_s: one.mean(),
            share: over_rounds(one.mean() / best.mean(), share.filter(|_| one.value != best.value)),
            over_default: over.filter(|_| one.value != default).map(Estimate::of_rounds),
        };
        (one.value, at)
    };
    own.iter().zip(shares).zip(over).map(at).collect()
}

fn turns_of(a: &Rates, b: &Rates) -> Vec<Turn> {
    if a.value == b.value {
        return Vec::new();
    }
    let visits =
        |one: &Rates| one.rounds.iter().map(|&(round, rate)| (round, rate, None)).collect::<Vec<_>>();
    turns(&visits(a), &visits(b))
}

/// At least 95 % of the best with every number of sessions, this many in total, and never below the default beyond noise.
fn verdict(at: &[SessionsResult], sessions: usize) -> Verdict {
    let below = |one: &SessionsResult| {
        one.over_default.and_then(|over| over.hi95()).is_some_and(|hi95| hi95 < 1.0)
            || one.share.hi95().is_some_and(|hi95| hi95 < LEAST_SHARE)
    };
    if at.iter().any(below) {
        Verdict::Fails
    } else if at.len() == sessions && at.iter().all(|one| one.share.value >= LEAST_SHARE) {
        Verdict::Passes
    } else {
        Verdict::Undecided
    }
}
