//! The interval of a report: from snapshot to snapshot, in UTC.
//!
//! Must not know what was counted in it.

use super::super::super::SampleSink;
use super::super::super::locale::Dates;
use super::super::super::seen::wrong;
use super::super::notation::{Decimal, moment};
use super::Report;
use crate::{HOUR_MS, MS_PER_S, Span};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use rigel_core::error::Problem;

/// The permitted difference between the elapsed time and the distance of the snapshots.
const MOST_APART_MS: i64 = 60 * MS_PER_S;

impl Report {
    /// The interval between both snapshots; nothing if a clock skipped one of them.
    pub fn span(&self, decimal: Decimal, out: &mut SampleSink<'_>) -> Result<Option<Span>, Problem> {
        let Self { line, begin, end, .. } = self;
        if begin.is_empty() || end.is_empty() {
            return Err(wrong(*line, "the report does not say when its snapshots were taken")
                .because("it is cut off before that, or is an excerpt")
                .next("import the whole report, with the lines Begin Snap and End Snap"));
        }
        let mut dates = Dates::default();
        let asked = out.options.dates;
        // Times have words behind them: sessions, cursors.
        let mut local = |text: &str| moment(&time_of(text), &mut dates, asked, *line);
        let (begin_local, end_local) = (local(begin)?, local(end)?);
        let started = local(&self.started).ok();
        self.check_restart(started, begin_local)?;
        let begin_ms = out.moment(begin_local, None, *line)?;
        let end_ms = out.moment(end_local, None, *line)?;
        let Some((begin_ms, end_ms)) = begin_ms.zip(end_ms) else { return Ok(None) };
        let elapsed_ms = decimal.number(&self.elapsed_minutes).and_then(milliseconds);
        // An hour through which the clock went twice may be the other one.
        let zone = out.options.zone.as_ref();
        let is_told = |at_ms, told| zone.is_some_and(|zone| local_time(at_ms, zone) == Some(told));
        let (begin_later, end_later) = (begin_ms + HOUR_MS, end_ms + HOUR_MS);
        let possible = [
            Some((begin_ms, end_ms)),
            is_told(begin_later, begin_local).then_some((begin_later, end_ms)),
            is_told(end_later, end_local).then_some((begin_ms, end_later)),
        ];
        let fits = |&(begin_ms, end_ms): &(i64, i64)| {
            elapsed_ms
                .is_none_or(|elapsed| (end_ms - begin_ms - elapsed).abs() <= MOST_APART_MS.max(elapsed / 100))
        };
        let Some((begin_ms, end_ms)) = possible.into_iter().flatten().find(fits) else {
            return Err(wrong(*line, "the elapsed time of the report contradicts its snapshots")
                .because("it was edited, or a clock was set between them")
                .next("create the report again"));
        };
        let span = Span::between(begin_ms, end_ms);
        out.seen.backwards += u64::from(span.is_none());
        Ok(span)
    }

    /// If the instance was started between both snapshots, the counters belong to two lifetimes.
    fn check_restart(&self, started: Option<DateTime>, begin: DateTime) -> Result<(), Problem> {
        let Some(_) = started.filter(|started| *started > begin) else { return Ok(()) };
        Err(wrong(self.line, "the instance was restarted between the two snapshots of the report")
            .because("its counters restarted from 0, so the rates of the interval are unknown")
            .next("create reports of the intervals before and after the restart"))
    }
}

/// What a clock of the zone shows at a time.
fn local_time(at_ms: i64, zone: &TimeZone) -> Option<DateTime> {
    Some(zone.to_datetime(Timestamp::from_millisecond(at_ms).ok()?))
}

/// A date and a time of day out of a line that continues.
fn time_of(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let end = words.iter().position(|word| word.contains(':')).map_or(words.len(), |at| at + 1);
    words[..end].join(" ")
}

#[expect(clippy::cast_possible_truncation, reason = "in range")]
fn milliseconds(minutes: f64) -> Option<i64> {
    let ms = minutes * 60_000.0;
    (0.0..1e15).contains(&ms).then_some(ms as i64)
}
