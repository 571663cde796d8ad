//! Wall-clock time for names and for the first and last line of a record; never for a measurement.

use jiff::{SignedDuration, Timestamp, Zoned, tz::TimeZone};

/// Where wall-clock time comes from.
#[derive(Clone, Debug)]
pub struct Wall {
    start: Zoned,
    virtual_time: bool,
}

impl Wall {
    /// The system's clock, in the local time zone.
    pub fn system() -> Self {
        Self { start: Zoned::now(), virtual_time: false }
    }

    /// For a simulated run: starts at a given second of the epoch, in UTC, and goes on in virtual time, so that the
    /// same seed gives the same bytes.
    pub fn simulated(epoch_seconds: i64) -> Self {
        let start = Timestamp::from_second(epoch_seconds).unwrap_or(Timestamp::UNIX_EPOCH);
        Self { start: start.to_zoned(TimeZone::UTC), virtual_time: true }
    }

    /// For a simulated run that goes on: starts when it had started, in virtual time. `None` when `started` is no RFC 3339 time.
    pub fn simulated_since(started: &str) -> Option<Self> {
        let start: Timestamp = started.parse().ok()?;
        Some(Self { start: start.to_zoned(TimeZone::UTC), virtual_time: true })
    }

    /// `YYYYMMDD_HHMM` of the start, as in the names of ORION's files.
    pub fn stamp(&self) -> String {
        self.start.strftime("%Y%m%d_%H%M").to_string()
    }

    /// By how much local time is ahead of UTC at the start, in seconds.
    pub fn offset_s(&self) -> i64 {
        i64::from(self.start.offset().seconds())
    }

    /// The start, RFC 3339 to the second.
    pub fn started(&self) -> String {
        rfc3339(&self.start)
    }

    /// The time after the run went on for `elapsed_ns`.
    pub fn after(&self, elapsed_ns: u64) -> String {
        if !self.virtual_time {
            return rfc3339(&Zoned::now());
        }
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

    #[test]
    fn system_time_has_the_shape_of_orions_names() {
        let stamp = Wall::system().stamp();
        assert_eq!(stamp.len(), 13);
        assert_eq!(stamp.as_bytes()[8], b'_');
    }
}
