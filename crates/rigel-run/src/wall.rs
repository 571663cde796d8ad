//! Times of day, for names and for some lines of a record; never for a measurement.
//!
//! The time of day is read once, when a process begins. Later ones follow from how much time has passed since, so none of them jumps if the clock
//! of the host is set.

use jiff::{SignedDuration, Timestamp, Zoned, tz::TimeZone};
use rigel_io::clock::since_boot_ns;

/// The source of times of day.
#[derive(Clone, Debug)]
pub struct Wall {
    start: Zoned,
    passed: ElapsedTime,
}

/// How time since the start is counted.
#[derive(Clone, Copy, Debug)]
enum ElapsedTime {
    /// By the run's clock.
    Virtual,
    /// By a clock that nobody sets, which showed `start_ns` at the start.
    Since { start_ns: u64, now_ns: fn() -> u64 },
}

impl Wall {
    /// The system's clock, in the local time zone.
    pub fn system() -> Self {
        Self::since(Zoned::now(), since_boot_ns)
    }

    fn since(start: Zoned, now_ns: fn() -> u64) -> Self {
        Self { start, passed: ElapsedTime::Since { start_ns: now_ns(), now_ns } }
    }

    /// For a simulated run: starts at a given second of the epoch, in UTC, and continues in virtual time, so the
    /// same seed gives the same bytes.
    pub fn simulated(epoch_seconds: i64) -> Self {
        let start = Timestamp::from_second(epoch_seconds).unwrap_or(Timestamp::UNIX_EPOCH);
        Self { start: start.to_zoned(TimeZone::UTC), passed: ElapsedTime::Virtual }
    }

    /// For a resumed simulated run: starts at its original time, in virtual time. `None` if `started` is not an RFC 3339 time.
    pub fn simulated_since(started: &str) -> Option<Self> {
        let start: Timestamp = started.parse().ok()?;
        Some(Self { start: start.to_zoned(TimeZone::UTC), passed: ElapsedTime::Virtual })
    }

    /// `YYYYMMDD_HHMM` of the start, as in the names of ORION's files.
    pub fn stamp(&self) -> String {
        self.start.strftime("%Y%m%d_%H%M").to_string()
    }

    /// How far local time is ahead of UTC at the start, in seconds.
    pub fn offset_s(&self) -> i64 {
        i64::from(self.start.offset().seconds())
    }

    /// The start, RFC 3339 to the second.
    pub fn started(&self) -> String {
        rfc3339(&self.start)
    }

    /// The time after the run continued for `elapsed_ns`.
    pub fn after(&self, elapsed_ns: u64) -> String {
        let elapsed_ns = match self.passed {
            ElapsedTime::Virtual => elapsed_ns,
            ElapsedTime::Since { start_ns, now_ns } => now_ns().saturating_sub(start_ns),
        };
        let elapsed = SignedDuration::from_nanos(i64::try_from(elapsed_ns).unwrap_or(i64::MAX));
        self.start.checked_add(elapsed).map_or_else(|_| self.started(), |end| rfc3339(&end))
    }
}

fn rfc3339(time: &Zoned) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simulated_time_is_reproducible() {
        let wall = Wall::simulated(1_767_268_800);
        assert_eq!(wall.stamp(), "20260101_1200");
        assert_eq!(wall.started(), "2026-01-01T12:00:00+00:00");
        assert_eq!(wall.after(90_000_000_000), "2026-01-01T12:01:30+00:00");
        assert_eq!(Wall::simulated_since(&wall.started()).unwrap().started(), wall.started());
        assert!(Wall::simulated_since("yesterday").is_none());
    }

    /// The clock of the host plays no part after the start, whatever is done to it; summer time does.
    #[test]
    fn nobody_sets_the_time_of_a_run() {
        use std::sync::atomic::{AtomicU64, Ordering};
        static NOW_NS: AtomicU64 = AtomicU64::new(5_000_000_000);
        let start: Zoned = "2026-03-28T12:00:00+01:00[Europe/Berlin]".parse().unwrap();
        let wall = Wall::since(start, || NOW_NS.load(Ordering::Relaxed));
        assert_eq!(wall.after(77), "2026-03-28T12:00:00+01:00");
        NOW_NS.fetch_add(90_000_000_000, Ordering::Relaxed);
        assert_eq!(wall.after(77), "2026-03-28T12:01:30+01:00");
        NOW_NS.fetch_add(24 * 3600 * 1_000_000_000, Ordering::Relaxed);
        assert_eq!(wall.after(77), "2026-03-29T13:01:30+02:00");
        assert_eq!(wall.started(), "2026-03-28T12:00:00+01:00");
    }

    #[test]
    fn system_time_has_the_shape_of_orions_names() {
        let stamp = Wall::system().stamp();
        assert_eq!(stamp.len(), 13);
        assert_eq!(stamp.as_bytes()[8], b'_');
    }
}
