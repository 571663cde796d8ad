//! What a load cannot express of a job file, line by line.
//!
//! Must not decide what is taken.

use super::lines::Line;
use crate::path_text::printable;
use std::fmt;

/// An option that is not taken as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Its line.
    pub line: usize,
    /// Its name in fio; for a section its name in brackets.
    pub option: String,
    /// Its value.
    pub value: Option<String>,
    /// Why, and what to do; `None` if only the command line has an equivalent option.
    pub words: Option<String>,
}

impl Remark {
    pub(super) fn new(line: usize, option: &str, value: Option<&str>, words: impl Into<String>) -> Self {
        Self { words: Some(words.into()), ..Self::open(line, option, value) }
    }

    fn open(line: usize, option: &str, value: Option<&str>) -> Self {
        let value = value.map(|value| printable(value).into_owned());
        Self { line, option: printable(option).into_owned(), value, words: None }
    }

    /// A remark on an option that has no effect here.
    pub(super) fn of(line: Line<'_>) -> Self {
        let open = Self::open(line.number, line.option, line.value);
        let known = WORDS.iter().find(|(names, _)| names.contains(&line.option));
        Self { words: known.map(|(_, words)| (*words).to_owned()), ..open }
    }

    /// The option as written in the file.
    pub fn typed(&self) -> String {
        match &self.value {
            Some(value) => format!("{}={value}", self.option),
            None => self.option.clone(),
        }
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.words.as_deref().unwrap_or("Rigel does not know this option and leaves it out");
        write!(f, "line {}: {}: {words}", self.line, self.typed())
    }
}

/// Differences between a load and a command line.
const WORDS: [(&[&str], &str); 11] = [
    (
        &["thinktime", "thinktime_spin", "thinktime_blocks", "thinktime_blocks_type", "thinktime_iotime"],
        "a class has no pauses, so it does more I/Os here; give the job rate_iops instead",
    ),
    (
        &["latency_target", "latency_percentile", "latency_window", "latency_run", "max_latency"],
        "the load has no latency limit; `rigel slo --p99 2ms --load FILE` finds the highest rate within one",
    ),
    (
        &["verify", "do_verify", "verify_fatal"],
        "nothing is verified; add verify = true to a random class of one size in a closed loop, or use `rigel soak`",
    ),
    (
        &["random_distribution", "zone_range"],
        "all places are equally likely here; for a hot part, add a class with span = \"0-10%\"",
    ),
    (
        &["percentage_random"],
        "no counterpart: the I/Os of a class all go to random places, or all follow one another; this load is random throughout. \
         For some of each, give the file a job with rw=randread and one with rw=read",
    ),
    (
        &["rate_min", "rate_iops_min", "rate_cycle"],
        "no job is stopped because of its rate; the report says whether all arrivals were served",
    ),
    (&["offset_increment"], "automatic: each stream starts at its own place"),
    (&["startdelay", "start_delay"], "all classes start together; use [[phase]] with scale = { class = 0 }"),
    (
        &["flow", "flow_id", "flow_watermark", "flow_sleep"],
        "fio keeps the I/Os of jobs in this ratio, and here each job goes as fast as it can; give each a rate",
    ),
    (&["wait_for"], "its section runs together with the others; use stonewall"),
    (&["ramp_time"], "automatic: nothing counts until the load is steady"),
];
