//! What every node but the first does: carry out orders until the run is over.
//!
//! Must not decide anything: an order is carried out as given.

use crate::line::{LONG_STEP, Line, Pace};
use crate::message::Message;
use rigel_core::error::Problem;
use rigel_core::facts::engine::EngineKind;
use rigel_run::bench::{Bench, BenchMessage, Order, VisitResult};
use std::time::{Duration, Instant};

/// How often it shows how far it is.
const TELL: Duration = Duration::from_millis(250);
/// The first node looks at the others' answers while it works; it cannot be silent for longer. More than that node itself waits, so it is the one
/// that names who has gone.
const SILENCE: Duration = Duration::from_secs(8);
/// Between two orders it may have much to do: judge, write, wait for a disk that is full.
const IDLE: Duration = Duration::from_secs(600);

/// Does what the first node asks of this bench, until it ends the run.
///
/// # Errors
/// When the first node falls silent, or says what cannot be understood.
pub fn serve(line: &Line, bench: &mut dyn Bench) -> Result<(), Problem> {
    let mut patience = IDLE;
    let mut is_asked = false;
    loop {
        // Pings come one after the other, and their way is measured.
        let eager = is_asked.then(|| line.wait(Duration::from_millis(2), Pace::Eager)).transpose()?.flatten();
        let told = match eager {
            Some(told) => Some(told),
            None => line.wait(patience, Pace::Easy)?,
        };
        let Some((from, message)) = told else {
            return Err(line.lost(&[0], patience, "and gave no order"));
        };
        is_asked = matches!(message, Message::Ping);
        patience = IDLE;
        match message {
            Message::Ping => line.send(0, &Message::Pong(bench.now_ns()))?,
            Message::Do(order) => {
                let Some(came) = work(line, bench, &order)? else { return Ok(()) };
                line.send(0, &Message::Came(Box::new(came)))?;
            }
            Message::Wait(ns) => patience = IDLE.saturating_add(Duration::from_nanos(ns)),
            Message::Pass(until_ns, passed) => {
                line.send(0, &Message::Passed(bench.pass(until_ns, passed)))?;
            }
            Message::AskDrives => line.send(0, &Message::Drives(bench.drives()))?,
            // Of work that was over already.
            Message::EndAt(_) => {}
            Message::End => return Ok(()),
            other => return Err(line.out_of_turn(from, other.name())),
        }
    }
}

/// Does one order; `None` when the run was ended meanwhile. The outer problem is that of the line, the inner one that of the bench.
fn work(
    line: &Line,
    bench: &mut dyn Bench,
    order: &Order,
) -> Result<Option<Result<VisitResult, Problem>>, Problem> {
    let ender = bench.early_end();
    // In virtual time nobody says anything while he works.
    let is_real = bench.site().nodes.first().engine.kind != EngineKind::Sim;
    let mut over = false;
    let mut told = Instant::now();
    let mut heard = Instant::now();
    let mut looked = Instant::now();
    let mut patience = SILENCE;
    let mut trouble: Option<Problem> = None;
    let came = bench.work(order, &mut |what| {
        let step = || -> Result<bool, Problem> {
            match what {
                BenchMessage::Part(part) => line.send(0, &Message::Part(part))?,
                BenchMessage::Tick(progress) if told.elapsed() >= TELL => {
                    told = Instant::now();
                    line.send(0, &Message::Tick(progress))?;
                }
                BenchMessage::Tick(_) => {}
            }
            while let Some((from, message)) = line.poll()? {
                heard = Instant::now();
                match message {
                    Message::EndAt(at_ns) => ender.at(at_ns),
                    Message::Wait(ns) => {
                        patience = SILENCE.saturating_add(Duration::from_nanos(ns));
                        line.be_patient((ns > 0).then_some(patience));
                    }
                    Message::End => over = true,
                    other => return Err(line.out_of_turn(from, other.name())),
                }
            }
            if std::mem::replace(&mut looked, Instant::now()).elapsed() > LONG_STEP {
                heard = Instant::now();
            }
            if is_real && heard.elapsed() > patience {
                return Err(line.lost(&[0], heard.elapsed(), "while all were at work"));
            }
            Ok(!over)
        };
        trouble.is_none()
            && step().unwrap_or_else(|problem| {
                trouble = Some(problem);
                false
            })
    });
    line.be_patient(None);
    match trouble {
        Some(problem) => Err(problem),
        None => Ok((!over).then_some(came)),
    }
}
