//! By how much the clocks of the nodes differ from that of the run.
//!
//! The fastest round trip is the most informative. Between two measurements, clocks are assumed to drift evenly. Must not read a clock itself.

use crate::line::{Line, Pace};
use crate::message::Message;
use rigel_core::error::Problem;
use rigel_core::units::{NS_PER_S, to_f64};
use std::time::Duration;

/// Messages for one look.
const PINGS: u32 = 50;
/// Fewer are enough where clocks are known already.
const PINGS_AGAIN: u32 = 10;
/// A look is made again after so long.
const AGAIN_NS: u64 = 60 * NS_PER_S;
/// What a node may take to answer a ping.
const PATIENCE: Duration = Duration::from_secs(6);
/// No clock of a computer drifts more, in parts of a million; more is what the way of the messages made of it.
const MOST_DRIFT_PPM: f64 = 500.0;

/// What is known about the clock of one node.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClockOffset {
    /// By how much it was ahead of that of the run.
    pub ns: i64,
    /// The quickest message with its answer.
    pub round_trip_ns: u64,
    /// When that was, on the clock of the run.
    at_ns: u64,
    /// By how much it gains, in nanoseconds per nanosecond.
    drift: f64,
}

/// What is known of all.
#[derive(Clone, Debug, Default)]
pub struct Clocks {
    ahead: Vec<ClockOffset>,
    looked_ns: Option<u64>,
}

impl ClockOffset {
    /// By how much it is ahead at a time of the run.
    pub fn at(&self, run_ns: u64) -> i64 {
        #[expect(clippy::cast_possible_truncation, reason = "a drift of an hour is some milliseconds")]
        let drifted = (self.drift * to_f64(run_ns.saturating_sub(self.at_ns))) as i64;
        self.ns.saturating_add(drifted)
    }

    /// With another look.
    fn looked(self, next: Self) -> Self {
        let span_ns = to_f64(next.at_ns.saturating_sub(self.at_ns));
        // Nothing is known of the drift that is smaller than how well the clocks are known.
        let moved = to_f64(next.ns.abs_diff(self.ns)) * if next.ns < self.ns { -1.0 } else { 1.0 };
        let known = to_f64(self.round_trip_ns.saturating_add(next.round_trip_ns)) / 2.0;
        let drift = if moved.abs() <= known || span_ns <= 0.0 { 0.0 } else { moved / span_ns };
        let most = MOST_DRIFT_PPM / 1e6;
        Self { drift: drift.clamp(-most, most), ..next }
    }
}

impl Clocks {
    /// Looks at the clocks of other nodes, when it was not done for a minute. `now_ns` shows the time of the run.
    ///
    /// # Errors
    /// When a node does not answer.
    pub fn look(&mut self, line: &Line, ranks: &[usize], now_ns: &dyn Fn() -> u64) -> Result<(), Problem> {
        if self.looked_ns.is_some_and(|looked_ns| now_ns().saturating_sub(looked_ns) < AGAIN_NS) {
            return Ok(());
        }
        self.ahead.resize(line.size(), ClockOffset::default());
        for &rank in ranks {
            let pings = if self.looked_ns.is_some() { PINGS_AGAIN } else { PINGS };
            let found = ask(line, rank, pings, now_ns)?;
            self.ahead[rank] = if self.looked_ns.is_some() { self.ahead[rank].looked(found) } else { found };
        }
        self.looked_ns = Some(now_ns());
        Ok(())
    }

    /// Of one node; of the first one and of those in virtual time it is none.
    pub fn of(&self, rank: usize) -> ClockOffset {
        self.ahead.get(rank).copied().unwrap_or_default()
    }

    /// The slowest of the quickest messages.
    pub fn longest_round_trip_ns(&self) -> u64 {
        self.ahead.iter().map(|ahead| ahead.round_trip_ns).max().unwrap_or(0)
    }
}

fn ask(line: &Line, rank: usize, pings: u32, now_ns: &dyn Fn() -> u64) -> Result<ClockOffset, Problem> {
    let mut best: Option<ClockOffset> = None;
    for _ in 0..pings {
        let sent_ns = now_ns();
        line.send(rank, &Message::Ping)?;
        let theirs_ns = loop {
            match line.wait(PATIENCE, Pace::Eager)? {
                Some((from, Message::Pong(theirs_ns))) if from == rank => break theirs_ns,
                // Of work that is over.
                Some((_, Message::Tick(_) | Message::Part(_) | Message::Came(_))) => {}
                Some((from, other)) => return Err(line.out_of_turn(from, other.name())),
                None => return Err(line.lost(&[rank], PATIENCE, "when its clock was read")),
            }
        };
        let came_ns = now_ns();
        let round_trip_ns = came_ns.saturating_sub(sent_ns);
        if best.is_none_or(|best| round_trip_ns < best.round_trip_ns) {
            let middle_ns = sent_ns + round_trip_ns / 2;
            let ns = theirs_ns.wrapping_sub(middle_ns).cast_signed();
            best = Some(ClockOffset { ns, round_trip_ns, at_ns: middle_ns, drift: 0.0 });
        }
    }
    Ok(best.unwrap_or_default())
}

/// A time of the run on a clock that is so much ahead, or the other way round with the sign turned.
pub fn shifted(ns: u64, ahead_ns: i64) -> u64 {
    ns.saturating_add_signed(ahead_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drift_is_what_two_looks_cannot_explain_otherwise() {
        let first = ClockOffset { ns: 1_000_000, round_trip_ns: 20_000, at_ns: 0, drift: 0.0 };
        let second = ClockOffset { ns: 1_600_000, at_ns: 60 * NS_PER_S, ..first };
        let known = first.looked(second);
        assert_eq!(known.at(60 * NS_PER_S), 1_600_000);
        assert_eq!(known.at(120 * NS_PER_S), 2_200_000, "10 us a second");
        let unsure = first.looked(ClockOffset { ns: 1_015_000, ..second });
        assert_eq!(unsure.at(120 * NS_PER_S), 1_015_000, "less than the clocks are known to");
        let absurd = first.looked(ClockOffset { ns: -NS_PER_S.cast_signed(), ..second });
        assert_eq!(absurd.at(61 * NS_PER_S) - absurd.ns, -500_000, "500 parts of a million at most");
    }

    #[test]
    fn times_are_shifted_there_and_back() {
        let there = shifted(5, 1_000_000_000_000);
        assert_eq!((there, shifted(there, -1_000_000_000_000)), (1_000_000_000_005, 5));
    }
}
