//! Progress: a bar on a terminal, a line every ten to twenty seconds on a pipe, nothing with --quiet.
//!
//! Everything goes to standard error, so standard output holds results only. An error while drawing is ignored.
//! Must not measure.

mod folded;
pub mod lines;

use crate::streams::Streams;
use folded::LineFold;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};
use rigel_core::event::Event;
use rigel_core::load::class::LoadClass;
use rigel_core::measure::ReadLook;
use rigel_core::path_text;
use rigel_core::record::Visit;
use rigel_report::duration;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// The text takes what the bar leaves, and is cut at the edge of the terminal.
const TEMPLATE: &str = "{bar:24} {wide_msg}";
/// Lines of work on a pipe.
const WORK_LINES: u64 = 10;

/// Where and how progress is shown.
enum Surface {
    /// Not at all.
    Quiet,
    /// A line now and then.
    Lines(LineFold),
    Bar(ProgressBar),
}

impl Surface {
    /// What suits the stream for messages.
    fn of(streams: &Streams, quiet: bool) -> Self {
        if quiet {
            Self::Quiet
        } else if streams.is_watched() {
            // A bar of length 0 would be drawn full until its length is known.
            Self::Bar(bar(1, ProgressDrawTarget::stderr()))
        } else {
            Self::Lines(LineFold::new(streams.beside()))
        }
    }

    fn line(&mut self, text: &str) {
        let text = path_text::printable(text);
        match self {
            Self::Quiet => {}
            Self::Lines(lines) => lines.line(&text),
            Self::Bar(bar) => bar.println(text),
        }
    }
}

fn bar(length: u64, target: ProgressDrawTarget) -> ProgressBar {
    let style = ProgressStyle::with_template(TEMPLATE).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(Some(length), target)
        .with_style(style.progress_chars("=> "))
        // The bar goes away when the program ends early, too, so that a problem is not printed behind it.
        .with_finish(ProgressFinish::AndClear)
}

/// Progress of a run. Dropping it clears the bar.
pub struct RunProgress {
    surface: Surface,
    steps: usize,
    /// From the first event on.
    classes: Vec<LoadClass>,
    /// What the search found, until a line reports it.
    found: Vec<String>,
    /// How certain the points are.
    sure: Option<String>,
    /// Elapsed and remaining time.
    times: Option<String>,
    /// The contents of the first reads were judged.
    is_read: bool,
}

impl RunProgress {
    /// For a run of that many points; 0 when they have to be searched.
    pub fn new(streams: &Streams, quiet: bool, steps: usize) -> Self {
        Self::on(Surface::of(streams, quiet), steps)
    }

    const fn on(surface: Surface, steps: usize) -> Self {
        Self {
            surface,
            steps,
            classes: Vec::new(),
            found: Vec::new(),
            sure: None,
            times: None,
            is_read: false,
        }
    }

    /// Shows what happened.
    pub fn event(&mut self, event: &Event<'_>) {
        match *event {
            // It was announced before.
            Event::Begun { header } => self.classes.clone_from(&header.request.classes),
            Event::VisitStarted { at } => {
                if let Surface::Bar(bar) = &self.surface {
                    bar.set_message(lines::place(&at, self.steps, &self.classes));
                }
            }
            Event::Tick { at, activity, elapsed_ns, left, ref live } => {
                if let Surface::Bar(bar) = &self.surface {
                    bar.set_length(elapsed_ns.saturating_add(left.least_ns.midpoint(left.most_ns)));
                    bar.set_position(elapsed_ns);
                    let doing = lines::under_way(&at, self.steps, activity, live, &self.classes);
                    bar.set_message(format!("{doing}, {} left", duration::left(left)));
                }
                let times = lines::times(elapsed_ns, left);
                if matches!(&self.surface, Surface::Lines(lines) if lines.is_silent()) {
                    let doing = lines::under_way(&at, self.steps, activity, live, &self.classes);
                    self.surface.line(&format!("{doing}; {times}"));
                }
                self.times = Some(times);
            }
            Event::VisitFinished { visit } => {
                self.contents(visit);
                self.finished(visit);
            }
            Event::LevelFound { class, n_sat } => self.note(lines::level_found(class, n_sat)),
            Event::Planned { plan } => self.steps = plan.steps.len(),
            Event::Looked { done, points, widest } => {
                let sure = lines::looked(done, points, widest);
                match &mut self.surface {
                    Surface::Lines(_) => self.sure = Some(sure),
                    surface => surface.line(&sure),
                }
            }
            // The next tick has it.
            Event::Forecast { .. } => {}
            // Figures are shown all the time.
            Event::IntervalKept { .. } | Event::DrivesAsked { .. } | Event::MarkKept { .. } => {}
        }
    }

    /// Something to report in the same line as the next visit.
    fn note(&mut self, text: String) {
        match &mut self.surface {
            Surface::Lines(_) => self.found.push(text),
            surface => surface.line(&text),
        }
    }

    /// Says once, after the first reads, that they return zeros: at the end no number may be used.
    fn contents(&mut self, visit: &Visit) {
        if self.is_read {
            return;
        }
        let mut look = ReadLook::default();
        visit.tallies.values().for_each(|tally| look.add(&tally.looked));
        if look.sampled < lines::LEAST_READS {
            return;
        }
        self.is_read = true;
        let Some(text) = lines::zeros(&look) else { return };
        match &mut self.surface {
            Surface::Lines(lines) => lines.last_line(&text),
            surface => surface.line(&text),
        }
    }

    /// A line with all that happened since the last one. On a terminal the bar shows the next point, and the results come at
    /// the end.
    fn finished(&mut self, visit: &Visit) {
        let Surface::Lines(lines) = &mut self.surface else { return };
        if lines.is_due() {
            let mut parts = std::mem::take(&mut self.found);
            parts.push(lines::measured(visit, self.steps, &self.classes));
            parts.extend(self.sure.clone());
            parts.extend(self.times.clone());
            self.surface.line(&parts.join("; "));
        }
    }
}

/// Progress of work whose amount is known: a scratch file being filled, a target searched for data, trials.
pub struct WorkProgress {
    surface: Surface,
    /// The text for what is done of what there is.
    text: Box<dyn Fn(u64, u64) -> String + Send>,
    done: u64,
    /// Tenths for which a line was written.
    tenths: u64,
    /// The time and size of the first piece, if rate and remaining time are reported.
    began: Option<(Instant, u64)>,
    tells_rate: bool,
}

impl WorkProgress {
    /// Counts bytes. `label` names the activity: `filling rigel-scratch.dat`.
    pub fn of_bytes(streams: &Streams, quiet: bool, label: &str) -> Self {
        Self::bytes_on(Surface::of(streams, quiet), label)
    }

    /// Counts bytes that are read, with the rate and the time left.
    pub fn of_reading(streams: &Streams, quiet: bool, label: &str) -> Self {
        Self { tells_rate: true, ..Self::of_bytes(streams, quiet, label) }
    }

    fn bytes_on(surface: Surface, label: &str) -> Self {
        let label = path_text::printable(label).into_owned();
        Self::on(surface, move |done, total| lines::moved(&label, done, total))
    }

    /// Counts days of a history.
    pub fn of_days(streams: &Streams, quiet: bool) -> Self {
        Self::on(Surface::of(streams, quiet), |done, total| format!("{done} of {total} days read"))
    }

    /// Counts trials.
    pub fn of_trials(streams: &Streams, quiet: bool) -> Self {
        Self::on(Surface::of(streams, quiet), |done, total| format!("{done} of {total} trials"))
    }

    /// Counts the nanoseconds of a run that writes, and shows how many writes were acknowledged.
    pub fn of_acknowledged(streams: &Streams, quiet: bool, count: Arc<AtomicU64>) -> Self {
        Self::on(Surface::of(streams, quiet), move |done, total| {
            let count = count.load(Ordering::Relaxed);
            format!(
                "{count} writes acknowledged in {} of {}",
                lines::time_left(done),
                lines::time_left(total)
            )
        })
    }

    /// Counts measurements of an experiment on `label`: a query each, or a turn of a load.
    pub fn of_queries(streams: &Streams, quiet: bool, label: &'static str) -> Self {
        Self::on(Surface::of(streams, quiet), move |done, total| {
            format!("{label}: {done} of {total} measurements")
        })
    }

    fn on(surface: Surface, text: impl Fn(u64, u64) -> String + Send + 'static) -> Self {
        Self { surface, text: Box::new(text), done: 0, tenths: 0, began: None, tells_rate: false }
    }

    /// Reports a finding immediately.
    pub fn say(&mut self, text: &str) {
        match &mut self.surface {
            Surface::Lines(lines) => lines.last_line(&path_text::printable(text)),
            surface => surface.line(text),
        }
    }

    /// One more piece of `total` is done.
    pub fn one_more(&mut self, total: u64) {
        self.done_of(self.done + 1, total);
    }

    /// This much of `total` is done.
    pub fn done_of(&mut self, done: u64, total: u64) {
        self.done = done;
        let (began, at_first) = *self.began.get_or_insert_with(|| (Instant::now(), done));
        let rate = self.tells_rate.then(|| lines::Rate::of(done.saturating_sub(at_first), began.elapsed()));
        let rate = rate.flatten();
        match &mut self.surface {
            Surface::Quiet => {}
            Surface::Bar(bar) => {
                bar.set_length(total);
                bar.set_position(done);
                let left = lines::time_left(u64::try_from(bar.eta().as_nanos()).unwrap_or(u64::MAX));
                let rate = rate.map_or_else(String::new, |rate| format!(", {rate}"));
                bar.set_message(format!("{}{rate}, {left} left", (self.text)(done, total)));
            }
            Surface::Lines(lines) => {
                let tenths = tenths(done, total);
                if tenths > self.tenths {
                    self.tenths = tenths;
                    let rate =
                        rate.map_or_else(String::new, |rate| rate.with_left(total.saturating_sub(done)));
                    let text = format!("{}{rate}", (self.text)(done, total));
                    let text = path_text::printable(&text);
                    if done >= total { lines.last_line(&text) } else { lines.line(&text) }
                }
            }
        }
    }
}

/// How many tenths of `total` are done.
fn tenths(done: u64, total: u64) -> u64 {
    let tenths = u128::from(done) * u128::from(WORK_LINES) / u128::from(total.max(1));
    u64::try_from(tenths).map_or(WORK_LINES, |tenths| tenths.min(WORK_LINES))
}

#[cfg(test)]
mod tests;
