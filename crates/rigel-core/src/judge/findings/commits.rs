//! What a calibration answers about commits.
//!
//! The latency is that of one writer: the wait of a session that shares its flush with no other. Must not say which way to
//! commit is the better one; advice does.

use super::extremes::{Extreme, contenders, highest};
use super::{IoFindings, PointFindings};
use crate::load::class::Class;
use crate::load::commits::NoCommits;
use crate::load::matrix::Point;
use crate::stats::Estimate;

/// The cost of commits: mean latencies of one writer in microseconds, and the highest rate of all writers per second.
#[derive(Clone, Debug, PartialEq)]
pub struct Commits {
    /// Writes that are durable on their own.
    pub dsync_us: Estimate,
    /// Writes with a flush after each.
    pub fdatasync_us: Option<Estimate>,
    /// The same writes, unsynced.
    pub unsynced_us: Option<Estimate>,
    /// The highest rate of writes that are durable on their own.
    pub most: Option<Extreme>,
}

impl Commits {
    pub(super) fn of(points: &[PointFindings]) -> Result<Self, NoCommits> {
        let one_writer = |class| Some(alone(points, class)?.latency_us?.mean);
        let most = highest(&contenders(points, Class::DSYNC));
        Ok(Self {
            dsync_us: one_writer(Class::DSYNC).ok_or(NoCommits::NoTime)?,
            fdatasync_us: one_writer(Class::FDATASYNC),
            unsynced_us: one_writer(Class::UNSYNCED),
            most: most.map(|best| Extreme { estimate: best.io.rate(), point: best.point }),
        })
    }

    /// The known mean latencies of one writer, and where each was measured.
    pub fn latencies(&self) -> impl Iterator<Item = (Class, Extreme)> {
        let all = [
            (Class::DSYNC, Some(self.dsync_us)),
            (Class::FDATASYNC, self.fdatasync_us),
            (Class::UNSYNCED, self.unsynced_us),
        ];
        let at = |class, us: Option<Estimate>| {
            Some((class, Extreme { estimate: us?, point: Point::alone(class, 1) }))
        };
        all.into_iter().filter_map(move |(class, us)| at(class, us))
    }
}

/// A class with one outstanding I/O and nothing else, if something completed.
pub(super) fn alone(points: &[PointFindings], class: Class) -> Option<&IoFindings> {
    let found = points.iter().find(|found| found.point == Point::alone(class, 1))?;
    found.io(class).filter(|io| io.latency_us.is_some())
}
