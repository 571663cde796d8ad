//! The live view, `rigel run --tui` and `rigel calibrate --tui`: the matrix as it fills, the current visit, intervals, flags, time left.
//!
//! It gets the same events as the progress bar. `message` and `judge` turn them into plain data on the coordinator's thread,
//! `model` builds the state from that data, `draw` fills a buffer. The loop here reads the keys and owns the terminal, in its own thread. Must not
//! measure, nor touch the record: the outputs are the same with and without it.

mod draw;
mod judge;
mod keyboard;
mod marking;
mod message;
mod model;
mod screen;

use crate::commands::mark_own;
use crate::signals::{EndRequest, SignalLoan, Signals, UserSignals, end_at_once};
use crate::streams::Streams;
use crate::terminal::Abilities;
use draw::Theme;
use judge::PartialRecord;
use keyboard::Keyboard;
use message::Message;
use model::Model;
use ratatui::crossterm::event::{self, Event as Input, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use rigel_core::error::Problem;
use rigel_core::event::Event;
use screen::Screen;
use std::io;
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long the view waits for a key before it reads its messages: it draws at most ten times a second.
const WAIT: Duration = Duration::from_millis(100);

/// Refuses a view that nobody could see, before anything has begun.
///
/// # Errors
/// A usage problem.
pub fn check(streams: &Streams) -> Result<(), Problem> {
    let refused = |why: &str, next: &str| {
        Err(Problem::usage(format!("a live view cannot be shown: {why}")).at("--tui").next(next))
    };
    if !streams.is_watched() {
        return refused(
            "standard error is not a terminal",
            "leave out --tui, or redirect only standard output",
        );
    }
    if Abilities::of_process().is_dumb() {
        return refused("TERM is dumb", "leave out --tui, or set TERM correctly");
    }
    Ok(())
}

/// How long the end of a run waits for the view to end; it takes a tenth of a second.
const PATIENCE: Duration = Duration::from_secs(3);

/// The view, from the first event to the end of the run. Dropping it gives the terminal back.
pub struct LiveView<'a> {
    messages: Option<Sender<Message>>,
    so_far: PartialRecord,
    thread: Option<JoinHandle<()>>,
    /// Given back when the terminal is as it was.
    _lent: SignalLoan<'a>,
}

impl<'a> LiveView<'a> {
    /// Takes control of the terminal.
    ///
    /// # Errors
    /// When that is not possible.
    pub fn open(signals: &'a Signals) -> Result<Self, Problem> {
        let trouble = |error: io::Error| {
            Problem::refused(format!("the terminal cannot be set up: {error}"))
                .at("--tui")
                .next("leave out --tui")
        };
        let lent = signals.lend()?;
        let abilities = Abilities::of_process();
        let theme = Theme { colour: abilities.has_colour(), ascii: abilities.is_ascii() };
        let (messages, received) = mpsc::channel();
        let screen = Screen::enter().map_err(trouble)?;
        let keyboard = Keyboard::open().map_err(trouble)?;
        let view = Loop {
            screen,
            theme,
            model: Model::default(),
            wish: lent.wish(),
            keyboard,
            has_keys: true,
            answers: None,
        };
        let thread = thread::Builder::new()
            .name("rigel-view".to_owned())
            .spawn(move || view.run(&received))
            .map_err(trouble)?;
        Ok(Self {
            messages: Some(messages),
            so_far: PartialRecord::default(),
            thread: Some(thread),
            _lent: lent,
        })
    }

    /// Shows an event. The view may be gone: the run continues.
    pub fn event(&mut self, event: &Event<'_>) {
        let Some(messages) = &self.messages else { return };
        if let Some(message) = Message::of(event) {
            let _ = messages.send(message);
        }
        if let Some(judged) = self.so_far.event(event) {
            let _ = messages.send(Message::JudgedRun(Box::new(judged)));
        }
    }
}

impl Drop for LiveView<'_> {
    fn drop(&mut self) {
        self.messages = None;
        let Some(thread) = self.thread.take() else { return };
        // A view that hangs on a terminal that went away must not keep the outputs from being written.
        let patience = Instant::now();
        while !thread.is_finished() && patience.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(5));
        }
        if thread.is_finished() {
            // The message of a panic is already printed.
            let _ = thread.join();
        }
    }
}

/// The thread of the view.
struct Loop {
    screen: Screen,
    theme: Theme,
    model: Model,
    wish: UserSignals,
    keyboard: Keyboard,
    /// Whether keys can be read; not if the terminal has disappeared.
    has_keys: bool,
    /// Answers to marks that are on their way into the record.
    answers: Option<Receiver<String>>,
}

impl Loop {
    fn run(mut self, messages: &Receiver<Message>) {
        let mut is_new = true;
        loop {
            if is_new {
                let (model, theme) = (&self.model, self.theme);
                // A terminal that went away has sent a signal, which ends the run in order.
                let _ = self.screen.draw(|frame| {
                    let area = frame.area();
                    draw::draw(model, theme, area, frame.buffer_mut());
                });
            }
            is_new = self.read_keys();
            match self.receive(messages) {
                Some(received) => is_new |= received,
                None => return,
            }
            is_new |= self.check_wish();
            is_new |= self.hear_answer();
        }
    }

    /// Applies the messages that have arrived; `None` when there will be no more.
    fn receive(&mut self, messages: &Receiver<Message>) -> Option<bool> {
        let mut received = false;
        loop {
            match messages.try_recv() {
                Ok(message) => {
                    self.model.apply(message);
                    received = true;
                }
                Err(TryRecvError::Empty) => return Some(received),
                Err(TryRecvError::Disconnected) => return None,
            }
        }
    }

    /// Waits for a key and handles all that have come. Returns whether there is something new to draw.
    fn read_keys(&mut self) -> bool {
        if !self.has_keys {
            thread::sleep(WAIT);
            return false;
        }
        let mut received = false;
        let mut wait = WAIT;
        loop {
            if !self.keyboard.is_there(wait) {
                self.has_keys = false;
                return received;
            }
            match event::poll(Duration::ZERO) {
                Ok(true) => {}
                Ok(false) => return received,
                Err(_) => {
                    self.has_keys = false;
                    return received;
                }
            }
            match event::read() {
                Ok(Input::Key(key)) if key.kind != KeyEventKind::Release => self.key(key),
                // A new size, mostly.
                Ok(_) => {}
                // A terminal that went away is always ready, and never has a key.
                Err(_) => {
                    self.has_keys = false;
                    return received;
                }
            }
            received = true;
            wait = Duration::ZERO;
        }
    }

    fn key(&mut self, key: KeyEvent) {
        let is_interrupt = key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c');
        match key.code {
            _ if is_interrupt => self.wish.press(),
            code if self.model.marking.is_typing() => self.type_mark(code),
            KeyCode::Char('m') => self.model.marking.begin(),
            KeyCode::Char('q') => self.wish.press(),
            KeyCode::Tab => self.model.next_layer(),
            KeyCode::Char('?' | 'h') => self.model.help = !self.model.help,
            KeyCode::Esc => self.model.help = false,
            _ => {}
        }
    }

    /// A key while a mark is typed. The mark is sent like that of `rigel mark`, from a separate thread: the run may take seconds to write it.
    fn type_mark(&mut self, code: KeyCode) {
        let Some(text) = self.model.marking.key(code) else { return };
        let (answer, answers) = mpsc::channel();
        let say = move || {
            let _ = answer.send(marking::answer(&text, mark_own(&text)));
        };
        if thread::Builder::new().name("rigel-mark".to_owned()).spawn(say).is_ok() {
            self.answers = Some(answers);
        }
    }

    fn hear_answer(&mut self) -> bool {
        let Some(heard) = self.answers.as_ref().and_then(|answers| answers.try_recv().ok()) else {
            return false;
        };
        self.answers = None;
        self.model.marking.hear(heard);
        true
    }

    fn check_wish(&mut self) -> bool {
        match self.wish.look() {
            EndRequest::Nothing => false,
            EndRequest::End => {
                self.model.stopping = true;
                true
            }
            EndRequest::EndAtOnce => {
                self.screen.leave();
                end_at_once()
            }
        }
    }
}

#[cfg(test)]
mod tests;
