//! What a witness heard, line by line: the last acknowledged write of each writer. Memory is one number for each writer. Must not
//! read a file.

use super::lines::{Ack, Head, Line};
use super::rings::Rings;
use rigel_core::error::Problem;

/// The acknowledgements of a run.
#[derive(Clone, Debug)]
pub struct Acks {
    head: Head,
    rings: Rings,
    /// For each writer; all its writes below were acknowledged.
    acknowledged: Vec<u64>,
    last_us: u64,
    ended: bool,
}

impl Acks {
    /// Begins with the first line.
    ///
    /// # Errors
    /// When it is not a head.
    pub fn begin(line: &[u8]) -> Result<Self, Problem> {
        let head = Head::parse(line)?;
        let rings = Rings::new(head.seed, head.shape)?;
        let acknowledged = vec![0; head.shape.writers.into()];
        Ok(Self { head, rings, acknowledged, last_us: 0, ended: false })
    }

    /// Adds a line, without its end.
    ///
    /// # Errors
    /// When it does not belong to this run, or is not the next one of its writer.
    pub fn add(&mut self, line: &[u8]) -> Result<(), Problem> {
        let run = &self.head.run;
        let Some(parsed) = Line::parse(run, line) else {
            return Err(match Line::run_of(line).filter(|other| other != run) {
                Some(other) => {
                    refused(format!("it belongs to the run {other}, the first line to the run {run}"))
                }
                None => refused("it was not written by `rigel durability run`".to_owned()),
            });
        };
        match parsed {
            _ if self.ended => Err(refused("it comes after the end of the run".to_owned())),
            Line::Ended(count) if count == self.count() => {
                self.ended = true;
                Ok(())
            }
            Line::Ended(count) => Err(refused(format!(
                "it ends a run of {count} acknowledgements, but {} precede it",
                self.count()
            ))),
            Line::Ack(ack) => self.acknowledge(ack),
        }
    }

    fn acknowledge(&mut self, ack: Ack) -> Result<(), Problem> {
        let next = self.acknowledged.get_mut(usize::from(ack.writer));
        let is_next = |next: &u64| self.rings.place(ack.writer, *next) == (ack.offset, ack.generation);
        let Some(next) = next.filter(|next| is_next(next)) else {
            return Err(refused("it is not the next write of its writer: lines are missing".to_owned()));
        };
        *next += 1;
        self.last_us = self.last_us.max(ack.at_us);
        Ok(())
    }

    /// The content of the first line.
    pub const fn head(&self) -> &Head {
        &self.head
    }

    /// Where the writes went.
    pub const fn rings(&self) -> &Rings {
        &self.rings
    }

    /// How many writes of a writer were acknowledged.
    pub fn of(&self, writer: u16) -> u64 {
        self.acknowledged.get(usize::from(writer)).copied().unwrap_or(0)
    }

    /// The same for all writers together.
    pub fn count(&self) -> u64 {
        self.acknowledged.iter().sum()
    }

    /// The time of the last one, in microseconds of the run.
    pub const fn last_us(&self) -> u64 {
        self.last_us
    }

    /// Whether the run ended by itself.
    pub const fn is_ended(&self) -> bool {
        self.ended
    }
}

fn refused(cause: String) -> Problem {
    Problem::usage("a line of acknowledgements is invalid")
        .because(cause)
        .next("give the unchanged file of one run from the witness")
}
