//! What a soak reports while it runs: a file for a collector after every interval, and each fault as soon as it is known.
//!
//! Must not fail a run: a file that cannot be written is reported once.

use crate::args::Display;
use crate::commands::run::present::Reporter;
use crate::output::OutputSet;
use crate::streams::Streams;
use rigel_core::event::Event;
use rigel_core::facts::DriveLook;
use rigel_core::judge::wrong_data;
use rigel_core::load::request::Request;
use rigel_core::record::{Header, Interval};
use rigel_core::units::Nanos;
use rigel_core::units::say::two_units;
use rigel_core::verify::{MOST_FINDINGS, VerifyCounts};
use rigel_report::OutputFile;
use rigel_report::soak::{self, SoakCounts};

/// A soak that is watched.
pub struct Watch<'a> {
    streams: &'a Streams,
    set: OutputSet,
    header: Option<Header>,
    standing: SoakCounts,
    /// A view has the terminal.
    is_silent: bool,
    /// The remark on drives that cannot be queried was made, or is not needed.
    has_remarked: bool,
    /// Faults that were reported.
    told: usize,
    has_failed: bool,
}

impl<'a> Watch<'a> {
    /// For a soak in real time: nothing collects figures in virtual time.
    pub fn of(reporter: Reporter<'a>, request: &Request, set: &OutputSet) -> Option<Self> {
        (request.is_soak() && !request.engine.is_simulated()).then(|| Self::new(reporter, set.clone()))
    }

    fn new(reporter: Reporter<'a>, set: OutputSet) -> Self {
        let Display { tui, quiet, .. } = reporter.options.display;
        Self {
            streams: reporter.streams,
            set,
            header: None,
            standing: SoakCounts::default(),
            is_silent: tui,
            has_remarked: tui || quiet,
            told: 0,
            has_failed: false,
        }
    }

    pub fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Begun { header } => self.header = Some((*header).clone()),
            Event::VisitFinished { visit } => self.standing.visit(visit),
            Event::IntervalKept { interval } => self.interval(interval),
            Event::DrivesAsked { look } => self.drives(look),
            _ => {}
        }
    }

    /// Before the load, and after it: then the file has the last figures.
    fn drives(&mut self, look: &DriveLook) {
        if !std::mem::replace(&mut self.has_remarked, true) {
            soak::remark(look).iter().for_each(|text| self.streams.remark(text));
        }
        self.standing.drives(look);
        if self.standing.has_begun() {
            self.write();
        }
    }

    fn interval(&mut self, interval: &Interval) {
        self.standing.interval(interval);
        self.write();
        self.tell(interval);
    }

    fn write(&mut self) {
        let Some(header) = &self.header else { return };
        let bytes = self.standing.openmetrics(header).into_bytes();
        let written = self.set.write(&[OutputFile::new("_metrics.prom", bytes)], true);
        if let (Err(problem), false, false) = (&written, self.has_failed, self.is_silent) {
            self.has_failed = true;
            self.streams
                .remark(&format!("the metrics file cannot be written: {}; the soak continues", problem.what));
        }
    }

    /// Reports each fault when it is found, as long as there are few.
    fn tell(&mut self, interval: &Interval) {
        let Some(header) = self.header.as_ref().filter(|_| !self.is_silent) else { return };
        let targets = &header.targets;
        for (class, tally) in &interval.tallies {
            let found: Option<&VerifyCounts> = tally.verified.as_deref();
            for finding in found.into_iter().flat_map(|found| &found.findings) {
                if self.told == MOST_FINDINGS {
                    return;
                }
                self.told += 1;
                let place = wrong_data::place(targets, finding.target, finding.offset);
                let (after, what) = (two_units(Nanos(finding.at_ns)), wrong_data::what(targets, finding));
                self.streams.remark(&format!("wrong data after {after}: the block {place} {what}"));
            }
            if let Some(error) = tally.first_error.filter(|_| self.told < MOST_FINDINGS) {
                self.told += 1;
                let place = wrong_data::place(targets, error.target, error.offset);
                self.streams.remark(&format!(
                    "{} {class} I/Os failed, the first {place}: {}",
                    tally.errors,
                    error.reason()
                ));
            }
        }
    }
}
