//! What the user sees while it takes time: a bar on a terminal, lines on a pipe, nothing when quiet.
//!
//! Everything goes to standard error, so that standard output holds results only. Drawing never fails a run: nobody may
//! be there to look. Must not measure.

pub mod lines;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};
use rigel_core::event::Event;
use rigel_core::path_text;
use std::io::{self, IsTerminal as _, Write};

/// The text takes what the bar leaves, and is cut at the edge of the terminal.
const TEMPLATE: &str = "{bar:24} {wide_msg}";
/// Lines of a byte count on a pipe.
const BYTE_LINES: u64 = 10;

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgressMode {
    /// Not at all.
    Quiet,
    /// A line now and then.
    Lines,
    /// A bar.
    Bar,
}

impl ProgressMode {
    /// What suits standard error.
    pub fn of_stderr(quiet: bool) -> Self {
        if quiet {
            Self::Quiet
        } else if io::stderr().is_terminal() {
            Self::Bar
        } else {
            Self::Lines
        }
    }
}

/// Where it is shown.
enum Surface {
    Quiet,
    Lines(Box<dyn Write + Send>),
    Bar(ProgressBar),
}

impl Surface {
    fn new(look: ProgressMode, length: u64) -> Self {
        match look {
            ProgressMode::Quiet => Self::Quiet,
            ProgressMode::Lines => Self::Lines(Box::new(io::stderr())),
            ProgressMode::Bar => Self::Bar(bar(length, ProgressDrawTarget::stderr())),
        }
    }

    fn line(&mut self, text: &str) {
        let text = path_text::printable(text);
        match self {
            Self::Quiet => {}
            Self::Lines(out) => {
                let _ = writeln!(out, "{text}");
            }
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
}

impl RunProgress {
    /// For a run of that many points; 0 when they have to be searched.
    pub fn new(look: ProgressMode, steps: usize) -> Self {
        // A bar of length 0 would be drawn full until the first tick tells the length.
        Self::on(Surface::new(look, 1), steps)
    }

    const fn on(surface: Surface, steps: usize) -> Self {
        Self { surface, steps }
    }

    /// Shows what happened.
    pub fn event(&mut self, event: &Event<'_>) {
        match *event {
            // The user was told before the run began.
            Event::Begun { .. } => {}
            Event::VisitStarted { at } => {
                if let Surface::Bar(bar) = &self.surface {
                    bar.set_message(lines::place(&at, self.steps));
                }
            }
            Event::Tick { at, activity, elapsed_ns, remaining_ns, live } => {
                if let Surface::Bar(bar) = &self.surface {
                    bar.set_length(elapsed_ns.saturating_add(remaining_ns));
                    bar.set_position(elapsed_ns);
                    bar.set_message(lines::under_way(&at, self.steps, activity, live, remaining_ns));
                }
            }
            Event::VisitFinished { visit } => {
                // On a terminal the bar shows the next point, and the results come at the end.
                if let Surface::Lines(_) = self.surface {
                    self.surface.line(&lines::measured(visit, self.steps));
                }
            }
            Event::LevelFound { class, n_sat } => self.surface.line(&lines::level_found(class, n_sat)),
            Event::Planned { plan } => self.steps = plan.steps.len(),
            Event::Looked { done, points, widest } => {
                self.surface.line(&lines::looked(done, points, widest));
            }
        }
    }
}

/// Progress of a job that moves a known number of bytes: a scratch file being filled, a target searched for data.
pub struct ByteProgress {
    surface: Surface,
    label: String,
    total: u64,
    /// Tenths that were told on a pipe.
    told: u64,
}

impl ByteProgress {
    /// `label` says what is done to what: `filling rigel-scratch.dat`.
    pub fn new(look: ProgressMode, label: &str, total: u64) -> Self {
        Self::on(Surface::new(look, total), label, total)
    }

    fn on(surface: Surface, label: &str, total: u64) -> Self {
        let label = path_text::printable(label).into_owned();
        Self { surface, label, total, told: 0 }
    }

    /// So many bytes are done.
    pub fn done(&mut self, bytes: u64) {
        match &self.surface {
            Surface::Quiet => {}
            Surface::Bar(bar) => {
                bar.set_position(bytes);
                let left = bar.eta().as_nanos();
                let left = lines::time_left(u64::try_from(left).unwrap_or(u64::MAX));
                bar.set_message(format!("{}, {left} left", lines::moved(&self.label, bytes, self.total)));
            }
            Surface::Lines(_) => {
                let tenth = tenths(bytes, self.total);
                if tenth > self.told {
                    self.told = tenth;
                    self.surface.line(&lines::moved(&self.label, bytes, self.total));
                }
            }
        }
    }
}

/// Progress of a number of equal pieces of work.
pub struct CountProgress {
    surface: Surface,
    what: String,
    done: u64,
    total: u64,
    /// Tenths that were told on a pipe.
    told: u64,
}

impl CountProgress {
    /// `what` names the pieces: `trials`.
    pub fn new(look: ProgressMode, what: &str, total: u64) -> Self {
        Self { surface: Surface::new(look, total), what: what.to_owned(), done: 0, total, told: 0 }
    }

    /// Another one is done.
    pub fn one_more(&mut self) {
        self.done += 1;
        let text = format!("{} of {} {}", self.done, self.total, self.what);
        match &self.surface {
            Surface::Quiet => {}
            Surface::Bar(bar) => {
                bar.set_position(self.done);
                let left = lines::time_left(u64::try_from(bar.eta().as_nanos()).unwrap_or(u64::MAX));
                bar.set_message(format!("{text}, {left} left"));
            }
            Surface::Lines(_) => {
                let tenth = tenths(self.done, self.total);
                if tenth > self.told {
                    self.told = tenth;
                    self.surface.line(&text);
                }
            }
        }
    }
}

/// How many tenths of `total` are done.
fn tenths(done: u64, total: u64) -> u64 {
    let tenths = u128::from(done) * u128::from(BYTE_LINES) / u128::from(total.max(1));
    u64::try_from(tenths).map_or(BYTE_LINES, |tenths| tenths.min(BYTE_LINES))
}

#[cfg(test)]
mod tests;
