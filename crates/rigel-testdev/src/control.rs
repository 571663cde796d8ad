//! The language of the `ctl` file: one command per line.
//!
//! A text is accepted as a whole or refused as a whole, so that a typo in a test fails the test instead
//! of leaving half a set-up. It must not carry out anything.
//!
//! ```text
//! servers C | service_us S | mbps B | exp 0|1 | flush_us F | seed N | slow OFF LEN US
//! bucket PER_S CREDITS LEVEL | lru BYTES US
//! eio OFF LEN | enospc OFF LEN | short OFF LEN | corrupt OFF LEN | hang OFF LEN
//! TRAP nth N [NUMBER] | TRAP at OFF LEN [NUMBER], where TRAP is flip, torn, misdirect, lost, zero, delay or stale
//! cache 0|1 | lie 0|1 | power-cut | power-cut SEED UNIT
//! release | clear | reset
//! ```

use std::num::NonZeroU64;
use std::ops::Range;

use crate::cache::Survives;
use crate::faults::{Fault, FaultKind};
use crate::law::{Bucket, SlowRange};
use crate::medium::Order;
use crate::traps::{Mischief, Trap, TrapTrigger};

/// One line of the language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Servers(usize),
    ServiceUs(u64),
    /// `None` (written 0) transfers in no time.
    Mbps(Option<NonZeroU64>),
    Exponential(bool),
    FlushUs(u64),
    Seed(u64),
    /// Credit for requests; none (a rate of 0) limits nothing.
    Bucket(Bucket),
    /// A cache of this many bytes, empty: what it holds is answered in this many microseconds. 0 bytes: none.
    Lru(u64, u64),
    /// Requests that begin there take so much longer at the station.
    Slow(SlowRange),
    Fault(Fault),
    /// What becomes of bytes.
    Medium(Order),
    /// Forget all `hang` ranges and answer what they held.
    Release,
    /// Forget all faults, traps and slow ranges, answer what is held and store what is late.
    Clear,
    /// Set the gauge to zero.
    Reset,
}

/// A line that is not a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadLine(pub(crate) String);

/// Understands every line, or names the first one that is not a command. Empty lines are skipped.
pub(crate) fn parse(text: &str) -> Result<Vec<Command>, BadLine> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| parse_line(line).ok_or_else(|| BadLine(line.to_owned()))).collect()
}

fn parse_line(line: &str) -> Option<Command> {
    let words: Vec<&str> = line.split_whitespace().collect();
    Some(match words[..] {
        ["servers", count] => Command::Servers(count.parse().ok().filter(|count| *count > 0)?),
        ["service_us", service_us] => Command::ServiceUs(service_us.parse().ok()?),
        ["mbps", mbps] => Command::Mbps(NonZeroU64::new(mbps.parse().ok()?)),
        ["exp", "0"] => Command::Exponential(false),
        ["exp", "1"] => Command::Exponential(true),
        ["flush_us", flush_us] => Command::FlushUs(flush_us.parse().ok()?),
        ["seed", seed] => Command::Seed(seed.parse().ok()?),
        ["lru", bytes, hit_us] => Command::Lru(bytes.parse().ok()?, hit_us.parse().ok()?),
        ["slow", offset, length, more_us] => Command::Slow(SlowRange {
            range_bytes: parse_range(offset, length)?,
            more_us: more_us.parse().ok()?,
        }),
        ["bucket", per_s, credits, level] => Command::Bucket(Bucket {
            per_s: per_s.parse().ok()?,
            credits: credits.parse().ok()?,
            level: level.parse().ok()?,
        }),
        ["release"] => Command::Release,
        ["clear"] => Command::Clear,
        ["cache", "0"] => Command::Medium(Order::Cache(false)),
        ["cache", "1"] => Command::Medium(Order::Cache(true)),
        ["lie", "0"] => Command::Medium(Order::Lie(false)),
        ["lie", "1"] => Command::Medium(Order::Lie(true)),
        ["power-cut"] => Command::Medium(Order::PowerCut(Survives::Nothing)),
        ["power-cut", seed, unit] => Command::Medium(Order::PowerCut(parse_survives(seed, unit)?)),
        [kind, "nth", number] => parse_trap(kind, parse_nth(number)?, None)?,
        [kind, "nth", number, more] => parse_trap(kind, parse_nth(number)?, Some(more))?,
        [kind, "at", offset, length] => {
            parse_trap(kind, TrapTrigger::At(parse_range(offset, length)?), None)?
        }
        [kind, "at", offset, length, more] => {
            parse_trap(kind, TrapTrigger::At(parse_range(offset, length)?), Some(more))?
        }
        ["reset"] => Command::Reset,
        [kind, offset, length] => Command::Fault(parse_fault(kind, offset, length)?),
        _ => return None,
    })
}

fn parse_fault(kind: &str, offset: &str, length: &str) -> Option<Fault> {
    let kind = match kind {
        "eio" => FaultKind::Eio,
        "enospc" => FaultKind::Enospc,
        "short" => FaultKind::Short,
        "corrupt" => FaultKind::Corrupt,
        "hang" => FaultKind::Hang,
        _ => return None,
    };
    Some(Fault { kind, range_bytes: parse_range(offset, length)? })
}

fn parse_trap(kind: &str, when: TrapTrigger, number: Option<&str>) -> Option<Command> {
    let number = number.map(|text| text.parse().ok()).map_or(Some(None), |parsed| parsed.map(Some))?;
    let mischief = Mischief::named(kind, number)?;
    Some(Command::Medium(Order::Trap(Trap { mischief, when })))
}

fn parse_nth(number: &str) -> Option<TrapTrigger> {
    number.parse().ok().filter(|number| *number > 0).map(TrapTrigger::Nth)
}

fn parse_survives(seed: &str, unit: &str) -> Option<Survives> {
    let unit_bytes = unit.parse().ok().filter(|unit| *unit > 0)?;
    Some(Survives::Some { seed: seed.parse().ok()?, unit_bytes })
}

fn parse_range(offset: &str, length: &str) -> Option<Range<u64>> {
    let offset_bytes: u64 = offset.parse().ok()?;
    let length_bytes: u64 = length.parse().ok().filter(|length| *length > 0)?;
    // "All of the device" is often written with a length beyond its end.
    Some(offset_bytes..offset_bytes.saturating_add(length_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_understood() {
        let text = "servers 4\nservice_us 1000\nmbps 0\nexp 1\nflush_us 9\nseed 7\nslow 9 5 30\nbucket 300 7000 20\n\n hang 0 1 \nrelease\nclear\nreset\n";
        let commands = [
            Command::Servers(4),
            Command::ServiceUs(1000),
            Command::Mbps(None),
            Command::Exponential(true),
            Command::FlushUs(9),
            Command::Seed(7),
            Command::Slow(SlowRange { range_bytes: 9..14, more_us: 30 }),
            Command::Bucket(Bucket { per_s: 300, credits: 7000, level: 20 }),
            Command::Fault(Fault { kind: FaultKind::Hang, range_bytes: 0..1 }),
            Command::Release,
            Command::Clear,
            Command::Reset,
        ];
        assert_eq!(parse(text), Ok(commands.to_vec()));
        assert_eq!(parse("mbps 100"), Ok(vec![Command::Mbps(NonZeroU64::new(100))]));
    }

    #[test]
    fn every_fault_is_understood() {
        for kind in ["eio", "enospc", "short", "corrupt", "hang"] {
            assert!(parse(&format!("{kind} 4096 512")).is_ok(), "{kind}");
        }
        let everything = parse(&format!("eio 512 {}", u64::MAX)).unwrap();
        let range_bytes = 512..u64::MAX;
        assert_eq!(everything, [Command::Fault(Fault { kind: FaultKind::Eio, range_bytes })]);
    }

    #[test]
    fn what_the_medium_can_be_told_is_understood() {
        let trap = |mischief, when| Command::Medium(Order::Trap(Trap { mischief, when }));
        let survives = Survives::Some { seed: 7, unit_bytes: 512 };
        for (text, command) in [
            ("lost nth 3", trap(Mischief::Lost, TrapTrigger::Nth(3))),
            ("stale nth 1", trap(Mischief::Stale, TrapTrigger::Nth(1))),
            ("zero at 4096 1", trap(Mischief::Zero, TrapTrigger::At(4096..4097))),
            ("flip nth 3", trap(Mischief::Flip(100), TrapTrigger::Nth(3))),
            ("torn nth 3 5", trap(Mischief::Torn(5), TrapTrigger::Nth(3))),
            ("misdirect at 0 1 8192", trap(Mischief::Misdirect(8192), TrapTrigger::At(0..1))),
            ("delay nth 2 50", trap(Mischief::Delay(50), TrapTrigger::Nth(2))),
            ("cache 1", Command::Medium(Order::Cache(true))),
            ("lie 0", Command::Medium(Order::Lie(false))),
            ("power-cut", Command::Medium(Order::PowerCut(Survives::Nothing))),
            ("power-cut 7 512", Command::Medium(Order::PowerCut(survives))),
        ] {
            assert_eq!(parse(text), Ok(vec![command]), "{text}");
        }
    }

    #[test]
    fn one_bad_line_refuses_the_text() {
        for bad in [
            "serves 4",
            "servers",
            "servers 0",
            "servers -1",
            "servers 4 4",
            "service_us 1.5",
            "bucket 1 2",
            "exp 2",
            "eio 0",
            "eio 0 0",
            "eio 0 1 2",
            "eio 0x10 1",
            "clear all",
            "lost nth 0",
            "lost nth 1 2",
            "lose nth 1",
            "flip nth 1 x",
            "flip at 0 0",
            "cache 2",
            "power-cut 7",
            "power-cut 7 0",
            "RESET",
        ] {
            assert_eq!(parse(&format!("reset\n{bad}\n")), Err(BadLine(bad.to_owned())), "{bad}");
        }
    }
}
